// SPDX-License-Identifier: BSD-2-Clause
/*
 * perfetto_complete.c - who leaves in a compact switch, who wakes in a compact
 * wake-up, and what the task is called whose pid stands in an event's head.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/perfetto.h"

#define TASK_COMM_LEN 16

struct running {
	s32 pid;
	trace_str comm;
	s16 prio;
	bool known;
};

struct known {
	struct pid_map pids;
	trace_str *name; /* by task; 0 not known */
	u32 room;
	struct running *cpu;
};

/* Where the name of @pid is kept; NULL: out of memory, or the idle task, which is one a CPU */
static trace_str *name_of(struct known *k, s32 pid)
{
	u32 i = pid_index(&k->pids, pid);

	if (i == UINT32_MAX)
		return NULL;
	if (i >= k->room) {
		u32 room = k->room ? k->room * 2 : 256;
		trace_str *bigger = realloc(k->name, room * sizeof(*bigger));

		if (!bigger)
			return NULL;
		for (u32 n = k->room; n < room; n++)
			bigger[n] = 0;
		k->name = bigger;
		k->room = room;
	}
	return &k->name[i];
}

static int learn(struct known *k, s32 pid, trace_str comm)
{
	trace_str *name;

	if (pid <= 0 || !comm)
		return 0;
	name = name_of(k, pid);
	if (!name)
		return -ENOMEM;
	*name = comm;
	return 0;
}

/* The names that the event itself tells. */
static int learn_names(struct known *k, const struct trace_event *e)
{
	int ret = learn(k, e->pid, e->comm);

	if (!ret && (e->kind == EV_SWITCH || e->kind == EV_FORK))
		ret = learn(k, e->curr_pid, e->curr_comm);
	return ret;
}

static int fill_name(struct known *k, struct trace_event *e)
{
	trace_str *name;

	if (e->curr_comm || e->curr_pid <= 0)
		return 0;
	name = name_of(k, e->curr_pid);
	if (!name)
		return -ENOMEM;
	e->curr_comm = *name;
	if (e->kind == EV_EXEC || e->kind == EV_MARK)
		e->comm = *name;
	return 0;
}

/* Return: whether it is known who runs on the event's CPU */
static bool fill_curr(struct known *k, struct trace_event *e)
{
	struct running *r = &k->cpu[e->cpu];

	if (e->curr_pid == CURR_UNKNOWN && r->known) {
		e->curr_pid = r->pid;
		e->curr_comm = r->comm;
		if (e->kind == EV_SWITCH)
			e->prev_prio = r->prio;
		/* the text of a head doesn't name idle tasks either */
		if (!e->curr_pid && e->kind != EV_SWITCH)
			e->curr_comm = 0;
	}
	if (e->kind == EV_SWITCH)
		*r = (struct running){ e->pid, e->comm, e->prio, true };
	return e->curr_pid != CURR_UNKNOWN;
}

/* After an exec a task is called by its program's file, whether a rename is told or not. */
static int learn_program(struct trace *t, struct known *k, const struct trace_event *e)
{
	char comm[TASK_COMM_LEN];
	const char *file = trace_string(t, e->filename), *slash = strrchr(file, '/');

	snprintf(comm, sizeof(comm), "%s", slash ? slash + 1 : file);
	return learn(k, e->pid, trace_intern(t, comm, strlen(comm)));
}

static void not_known(struct trace *t)
{
	trace_skipped(t, SKIP_NO_PREV);
	t->skip[SKIP_NO_PREV].first_line = 0; /* events have no packets any more */
}

/* In the order of time; events that stay move up. */
static int forward(struct trace *t, struct known *k)
{
	size_t kept = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < t->nr; i++) {
		struct trace_event e = t->event[i];

		if (e.kind == KIND_GAP) {
			k->cpu[e.cpu].known = false;
			continue;
		}
		if (e.kind == KIND_NAME) {
			ret = learn(k, e.pid, e.comm);
			continue;
		}
		if (!fill_curr(k, &e)) {
			ret = learn(k, e.pid, e.comm);
			not_known(t);
			continue;
		}
		ret = fill_name(k, &e);
		if (!ret)
			ret = learn_names(k, &e);
		if (!ret && e.kind == EV_EXEC)
			ret = learn_program(t, k, &e);
		t->event[kept++] = e;
	}
	t->nr = kept;
	return ret;
}

/* Names that only later events tell. */
static int backward(struct trace *t, struct known *k)
{
	int ret = 0;

	for (size_t i = t->nr; !ret && i--;) {
		ret = fill_name(k, &t->event[i]);
		if (!ret)
			ret = learn_names(k, &t->event[i]);
	}
	return ret;
}

int perfetto_complete(struct trace *t)
{
	struct known k = { .cpu = calloc(UINT16_MAX, sizeof(*k.cpu)) };
	int ret = k.cpu ? forward(t, &k) : -ENOMEM;

	if (!ret)
		ret = backward(t, &k);
	pid_map_free(&k.pids);
	free(k.name);
	free(k.cpu);
	return ret;
}
