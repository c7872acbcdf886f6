// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/internal.h"
#include "trace/stays.h"

enum task_state {
	UNKNOWN,
	RUNNING,
	SLEEPING,
	WAITING, /* runnable, since `since` */
};

struct task {
	enum task_state state;
	bool preempted;	   /* WAITING: not woken */
	bool wake_pending; /* RUNNING: woken before it has switched out, at `since` */
	bool seen_out;
	u64 since, out_ns;
};

struct walk {
	const struct trace *t;
	enum trace_kind wake; /* the kind of event from which a wakee waits */
	struct pid_map pids;
	struct task *task;
	u32 room;
	struct trace_stay *curr; /* by CPU; in_ns = 0 and pid < 0: not known */
	void (*stay)(void *ctx, const struct trace_stay *s);
	void *ctx;
};

static struct task *task_of(struct walk *w, s32 pid)
{
	u32 i = pid_index(&w->pids, pid);
	struct task *task;

	if (i == UINT32_MAX)
		return NULL;
	if (i >= w->room) {
		u32 room = w->room ? w->room * 2 : 256;

		task = realloc(w->task, room * sizeof(*task));
		if (!task)
			return NULL;
		memset(task + w->room, 0, (room - w->room) * sizeof(*task));
		w->task = task;
		w->room = room;
	}
	return &w->task[i];
}

static void start_waiting(struct task *p, u64 ns, bool preempted)
{
	p->state = WAITING;
	p->since = ns;
	p->preempted = preempted;
}

/*
 * A task can be woken while it is still on its way out: it is off the queue,
 * and its waker needn't wait for the switch (spec 14 §1). Its wait begins with
 * the waking all the same, and sched_wakeup comes after the switch. If that comes
 * while it runs, it had not blocked yet and goes on.
 */
static void woken(struct task *p, u64 ns, bool waking)
{
	if (p->state == RUNNING) {
		p->wake_pending = waking;
		p->since = ns;
	} else if (p->state != WAITING) {
		start_waiting(p, ns, false);
	}
}

static void switched_out(struct task *p, const struct trace_event *e)
{
	bool runnable = !(e->prev_state & ~TRACE_PREEMPTED) || e->prev_state & TRACE_PREEMPTED;

	if (runnable)
		start_waiting(p, e->ns, true);
	else if (p->wake_pending)
		start_waiting(p, p->since, false);
	else
		p->state = SLEEPING;
	p->wake_pending = false;
	p->seen_out = true;
	p->out_ns = e->ns;
}

static int end_stay(struct walk *w, const struct trace_event *e)
{
	struct trace_stay *s = &w->curr[e->cpu];
	struct task *p;

	if (s->pid >= 0) {
		s->out_ns = e->ns;
		s->open = s->pid != e->curr_pid;
		w->stay(w->ctx, s);
	}
	if (!e->curr_pid)
		return 0;
	p = task_of(w, e->curr_pid);
	if (!p)
		return -ENOMEM;
	switched_out(p, e);
	return 0;
}

static int begin_stay(struct walk *w, const struct trace_event *e)
{
	struct trace_stay *s = &w->curr[e->cpu];
	struct task *p;

	*s = (struct trace_stay){
		.in_ns = e->ns,
		.pid = e->pid,
		.comm = e->comm,
		.cpu = e->cpu,
		.open = true,
	};
	if (!e->pid)
		return 0;
	p = task_of(w, e->pid);
	if (!p)
		return -ENOMEM;
	if (p->state == WAITING) {
		s->has_delay = true;
		s->was_preempted = p->preempted;
		s->delay_since = p->since;
	}
	if (p->seen_out)
		s->wait_ns = e->ns - p->out_ns;
	p->state = RUNNING;
	p->wake_pending = false;
	return 0;
}

static int step(struct walk *w, const struct trace_event *e)
{
	struct task *p;
	int ret;

	switch (e->kind) {
	case EV_SWITCH:
		ret = end_stay(w, e);
		return ret ? ret : begin_stay(w, e);
	case EV_WAKING:
	case EV_WAKEUP:
	case EV_WAKEUP_NEW:
		if (!e->pid)
			return 0;
		p = task_of(w, e->pid);
		if (!p)
			return -ENOMEM;
		if (e->kind == EV_WAKEUP_NEW || e->kind == w->wake || p->state == RUNNING)
			woken(p, e->ns, e->kind == EV_WAKING);
		return 0;
	case EV_FORK: /* the pid may have been another task's */
		p = task_of(w, e->pid);
		if (!p)
			return -ENOMEM;
		*p = (struct task){ 0 };
		return 0;
	default:
		return 0;
	}
}

int trace_stays(const struct trace *t, void (*stay)(void *ctx, const struct trace_stay *s),
		void *ctx)
{
	struct walk w = {
		.t = t,
		.wake = t->count[EV_WAKING] ? EV_WAKING : EV_WAKEUP,
		.stay = stay,
		.ctx = ctx,
	};
	int ret = 0;

	w.curr = calloc((size_t)max(t->nr_cpus, 1), sizeof(*w.curr));
	if (!w.curr)
		return -ENOMEM;
	for (int cpu = 0; cpu < t->nr_cpus; cpu++)
		w.curr[cpu].pid = -1;
	for (size_t i = 0; i < t->nr && !ret; i++)
		ret = step(&w, &t->event[i]);
	for (int cpu = 0; cpu < t->nr_cpus && !ret; cpu++) {
		if (w.curr[cpu].pid < 0)
			continue;
		w.curr[cpu].out_ns = t->event[t->nr - 1].ns;
		stay(ctx, &w.curr[cpu]);
	}
	pid_map_free(&w.pids);
	free(w.task);
	free(w.curr);
	return ret;
}
