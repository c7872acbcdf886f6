// SPDX-License-Identifier: BSD-2-Clause
#include "experiment/scenario_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* room for one element more in an array that doubles; NULL: out of memory */
static void *grow(struct watch *w, void *array, int nr, int *room, size_t size)
{
	int more = *room ? *room * 2 : 256;
	void *p;

	if (nr < *room)
		return array;
	p = realloc(array, more * size);
	if (!p) {
		w->failed = true;
		return NULL;
	}
	memset((char *)p + *room * size, 0, (more - *room) * size);
	*room = more;
	return p;
}

#define GROW(w, what)                                                                              \
	({                                                                                         \
		void *p_ = grow(w, (w)->what, (w)->nr_##what##s, &(w)->room_##what##s,             \
				sizeof(*(w)->what));                                               \
		if (p_)                                                                            \
			(w)->what = p_;                                                            \
		p_ ? &(w)->what[(w)->nr_##what##s++] : NULL;                                       \
	})

/* the slot of @pid: 0 or its task + 1 */
static int *slot(struct watch *w, int pid)
{
	while (pid >= w->room_pids) {
		int *p = grow(w, w->by_pid, w->room_pids, &w->room_pids, sizeof(*p));

		if (!p)
			return NULL;
		w->by_pid = p;
	}
	return &w->by_pid[pid];
}

static struct watch_task *known(struct watch *w, int pid)
{
	int *at = slot(w, pid);

	return at && *at ? &w->task[*at - 1] : NULL;
}

/* @pid is queued for the first time, or once more */
static void placed(struct watch *w, const struct sim_trace_event *e)
{
	int *at = slot(w, e->pid);
	struct watch_task *t;

	if (!at)
		return;
	if (!*at) {
		t = GROW(w, task);
		if (!t)
			return;
		strncpy(t->comm, e->comm, sizeof(t->comm) - 1);
		t->first_cpu = e->dest_cpu;
		t->exited = t->running_since = WATCH_NEVER;
		*at = w->nr_tasks;
	}
	t = &w->task[*at - 1];
	t->last_cpu = e->dest_cpu;
	t->runnable_since = e->now;
	t->woken = true;
}

static void add_stay(struct watch *w, int task, int cpu, u64 to)
{
	struct watch_task *t = &w->task[task];
	struct watch_stay *s = GROW(w, stay);

	if (s)
		*s = (struct watch_stay){ task, cpu, t->running_since, to };
	t->running_since = WATCH_NEVER;
}

static void add_wait(struct watch *w, int task, u64 to)
{
	struct watch_task *t = &w->task[task];
	struct watch_wait *s = GROW(w, wait);

	if (s)
		*s = (struct watch_wait){ task, t->woken, t->runnable_since, to };
	t->runnable_since = WATCH_NEVER;
}

static void switched(struct watch *w, const struct sim_trace_event *e)
{
	struct watch_task *prev = known(w, e->pid), *next = known(w, e->next_pid);

	if (prev && prev->running_since != WATCH_NEVER) {
		add_stay(w, (int)(prev - w->task), e->cpu, e->now);
		if (e->prev_state == 'R') {
			prev->runnable_since = e->now;
			prev->woken = false;
		}
	}
	if (!next)
		return;
	if (next->runnable_since != WATCH_NEVER)
		add_wait(w, (int)(next - w->task), e->now);
	next->running_since = e->now;
	next->last_cpu = e->cpu;
}

static void moved(struct watch *w, const struct sim_trace_event *e)
{
	struct watch_task *t = known(w, e->pid);
	struct watch_move *m;

	if (!t || e->orig_cpu == e->dest_cpu)
		return;
	t->last_cpu = e->dest_cpu;
	m = GROW(w, move);
	if (m)
		*m = (struct watch_move){ (int)(t - w->task), e->now };
}

void watch_event(void *watch, const struct sim_trace_event *e)
{
	struct watch *w = watch;
	struct watch_task *t;

	switch (e->kind) {
	case TRACE_WAKEUP:
	case TRACE_WAKEUP_NEW:
		placed(w, e);
		break;
	case TRACE_SWITCH:
		switched(w, e);
		break;
	case TRACE_MIGRATE:
		moved(w, e);
		break;
	case TRACE_EXIT:
		t = known(w, e->pid);
		if (t)
			t->exited = e->now;
		break;
	default:
		break;
	}
}

int watch_end(struct watch *w, u64 now)
{
	for (int i = 0; i < w->nr_tasks; i++) {
		if (w->task[i].running_since != WATCH_NEVER)
			add_stay(w, i, w->task[i].last_cpu, now);
		else if (w->task[i].runnable_since != WATCH_NEVER)
			add_wait(w, i, now);
	}
	return w->failed ? -ENOMEM : 0;
}

void watch_free(struct watch *w)
{
	free(w->task);
	free(w->stay);
	free(w->wait);
	free(w->move);
	free(w->by_pid);
}

bool watch_is(const char *comm, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(comm, name, n) && !comm[n + strspn(comm + n, "0123456789.")];
}
