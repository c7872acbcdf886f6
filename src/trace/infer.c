// SPDX-License-Identifier: BSD-2-Clause
/*
 * infer.c - migrations that were not recorded.
 *
 * Most traces lack sched_migrate_task. Where a task is shows when it is
 * switched in or out, and when it is woken: it moved if that is another CPU
 * than the last one known. The event goes in front of the one that shows it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/internal.h"

struct places {
	struct pid_map pids;
	s32 *cpu; /* by task; -1 not known */
	u32 room;
};

static s32 *place(struct places *w, s32 pid)
{
	u32 i = pid_index(&w->pids, pid);
	s32 *cpu;

	if (i == UINT32_MAX)
		return NULL;
	if (i >= w->room) {
		u32 room = w->room ? w->room * 2 : 256;

		cpu = realloc(w->cpu, room * sizeof(*cpu));
		if (!cpu)
			return NULL;
		for (u32 k = w->room; k < room; k++)
			cpu[k] = -1;
		w->cpu = cpu;
		w->room = room;
	}
	return &w->cpu[i];
}

/*
 * Note that @pid is on @cpu; Return: where it was if that can only be by a
 * migration that wasn't seen, -1 if not, or -ENOMEM.
 */
static int seen_on(struct places *w, s32 pid, int cpu)
{
	s32 *at, was;

	if (!pid)
		return -1;
	at = place(w, pid);
	if (!at)
		return -ENOMEM;
	was = *at;
	*at = cpu;
	return was == cpu ? -1 : was;
}

/* Return: as seen_on(), for what the event says of its task */
static int look(struct places *w, const struct trace_event *e)
{
	s32 *at;

	switch (e->kind) {
	case EV_SWITCH:
		return seen_on(w, e->pid, e->cpu);
	case EV_WAKEUP:
		return seen_on(w, e->pid, e->target_cpu);
	case EV_WAKEUP_NEW: /* placing a new task isn't a migration */
	case EV_MIGRATE:
		return min(seen_on(w, e->pid, e->target_cpu), -1);
	case EV_FORK: /* the pid may have been another task's */
		at = place(w, e->pid);
		if (!at)
			return -ENOMEM;
		*at = -1;
		return -1;
	default:
		return -1;
	}
}

static void inferred(struct trace_event *m, const struct trace_event *e, int from)
{
	*m = *e;
	m->kind = EV_MIGRATE;
	m->context |= TRACE_INFERRED;
	m->value_ns = 0;
	m->orig_cpu = (u16)from;
	m->target_cpu = e->kind == EV_SWITCH ? e->cpu : e->target_cpu;
}

/* Walk once; with @out, copy the events and what is concluded. Return: how many, or -ENOMEM */
static s64 walk(const struct trace *t, struct trace_event *out)
{
	struct places w = {0};
	s64 nr = 0;

	for (size_t i = 0; i < t->nr; i++) {
		int from = look(&w, &t->event[i]);

		if (from < -1) {
			nr = from;
			break;
		}
		if (from >= 0) {
			nr++;
			if (out)
				inferred(out++, &t->event[i], from);
		}
		if (out)
			*out++ = t->event[i];
	}
	pid_map_free(&w.pids);
	free(w.cpu);
	return nr;
}

int trace_infer_migrations(struct trace *t)
{
	s64 n = walk(t, NULL);
	struct trace_event *all;

	if (n <= 0)
		return n < 0 ? -ENOMEM : 0;
	all = malloc((t->nr + (size_t)n) * sizeof(*all));
	if (!all || walk(t, all) < 0) {
		free(all);
		return -ENOMEM;
	}
	free(t->event);
	t->event = all;
	t->nr += (size_t)n;
	t->room = t->nr;
	t->inferred = (u64)n;
	return 0;
}
