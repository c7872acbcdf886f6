// SPDX-License-Identifier: BSD-2-Clause
/*
 * story.c - the acts of a trace, in order, each fit for the state before it.
 *
 * The teller keeps what the acts so far amount to (who runs where, who waits,
 * who sleeps). An event that doesn't fit it means that the trace lost something;
 * then the acts that must have happened are made up before it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/story_link.h"

#define SYNC_DEPTH 3 /* a wait queue's lock, the wakee's lock, the wake-up itself */

enum task_state { ABSENT, ASLEEP, WAKING, QUEUED, RUNNING, GONE };

struct tell_task {
	enum task_state state;
	bool blocked;	/* runs, but has left its queue */
	bool deaf;	/* sleeps uninterruptibly: for a lock, a page, a device; nobody wakes it sync */
	int cpu;	/* last one; of a waking one: where it slept */
	int on_cpu;	/* that it has not been switched out from; -1 */
	u32 wake;	/* act, while WAKING */
	s16 prio;
};

struct tell_cpu {
	u32 curr;
	bool curr_blocked;
	/* who woke the stopper last */
	u32 stop_by;
	bool stop_remote;
};

struct teller {
	struct story *s;
	const struct trace *t;
	struct story_link *link;
	struct tell_task *task;
	struct tell_cpu *cpu;
	u32 event;
	const struct trace_event *e;
	bool no_memory;
};

/* ---- acts ---- */

static struct story_act *add(struct teller *l, enum story_kind kind, int cpu, u32 task)
{
	static struct story_act nowhere;
	struct story *s = l->s;

	if (s->nr_acts == s->room_acts) {
		u32 room = s->room_acts ? s->room_acts * 2 : 1024;
		struct story_act *p = realloc(s->act, (size_t)room * sizeof(*p));

		if (!p) {
			l->no_memory = true;
			return &nowhere;
		}
		s->act = p;
		s->room_acts = room;
	}
	s->act[s->nr_acts] = (struct story_act){
		.ns = l->e->ns,
		.event = l->event,
		.kind = (u8)kind,
		.cpu = (u16)cpu,
		.from = (u16)cpu,
		.to = (u16)cpu,
		.task = task,
		.other = STORY_NONE,
	};
	return &s->act[s->nr_acts++];
}

static struct story_act *make_up(struct teller *l, enum story_kind kind, int cpu, u32 task)
{
	struct story_act *a = add(l, kind, cpu, task);

	a->made_up = true;
	l->s->made_up++;
	return a;
}

static void block(struct teller *l, int cpu, u16 prev_state, bool early)
{
	struct tell_cpu *c = &l->cpu[cpu];
	bool dead = prev_state & (TRACE_STATE_X | TRACE_STATE_Z);
	struct story_act *a;

	if (c->curr == STORY_NONE || c->curr_blocked)
		return;
	a = add(l, STORY_BLOCK, cpu, c->curr);
	a->dead = dead;
	a->early = early;
	l->task[c->curr].state = dead ? GONE : ASLEEP;
	l->task[c->curr].deaf = prev_state & TRACE_STATE_D;
	c->curr_blocked = true;
}

/* the current task of @cpu makes room for @next, which is queued there */
static struct story_act *change(struct teller *l, int cpu, u32 next, bool made_up)
{
	struct tell_cpu *c = &l->cpu[cpu];
	struct story_act *a = made_up ? make_up(l, STORY_SWITCH, cpu, next) :
					add(l, STORY_SWITCH, cpu, next);

	a->other = c->curr;
	if (c->curr != STORY_NONE) {
		struct tell_task *p = &l->task[c->curr];

		a->preempted = !c->curr_blocked;
		if (!c->curr_blocked)
			p->state = QUEUED;
		p->on_cpu = -1;
	}
	c->curr = next;
	c->curr_blocked = false;
	if (next != STORY_NONE) {
		l->task[next].state = RUNNING;
		l->task[next].cpu = l->task[next].on_cpu = cpu;
	}
	return a;
}

static void enqueued(struct teller *l, u32 task, int cpu)
{
	struct tell_task *p = &l->task[task];

	p->state = QUEUED;
	p->cpu = cpu;
}

static struct story_act *move(struct teller *l, u32 task, int cpu, int to, bool made_up)
{
	struct story_act *a = made_up ? make_up(l, STORY_MOVE, cpu, task) :
					add(l, STORY_MOVE, cpu, task);

	a->from = (u16)l->task[task].cpu;
	a->to = (u16)to;
	a->move = MOVE_UNKNOWN;
	l->task[task].cpu = to;
	return a;
}

/* ---- what must have happened ---- */

/* @task, which runs, leaves its CPU */
static void put_off(struct teller *l, u32 task)
{
	int cpu = l->task[task].on_cpu;

	if (cpu >= 0 && l->cpu[cpu].curr == task)
		change(l, cpu, STORY_NONE, true);
}

static void end_wake(struct teller *l, u32 task, int cpu, int to, bool made_up)
{
	struct tell_task *p = &l->task[task];
	u32 wake = p->wake;
	struct story_act *a;

	put_off(l, task); /* a waking task had blocked */
	a = made_up ? make_up(l, STORY_ENQUEUE, cpu, task) : add(l, STORY_ENQUEUE, cpu, task);
	a->wake = wake;
	a->to = (u16)to;
	if (wake != STORY_NONE && !l->no_memory) {
		struct story_act *w = &l->s->act[wake];

		a->from = w->from;
		a->other = w->other;
		w->to = (u16)to;
		w->enqueue = l->s->nr_acts - 1;
		w->path = cpu == w->cpu ? PATH_HERE : PATH_LIST;
	}
	p->wake = STORY_NONE;
	enqueued(l, task, to);
}

static void begin_wake(struct teller *l, u32 task, int cpu, bool made_up)
{
	struct tell_task *p = &l->task[task];
	struct story_act *a = made_up ? make_up(l, STORY_WAKE, cpu, task) :
					add(l, STORY_WAKE, cpu, task);
	u32 waker = l->cpu[cpu].curr;

	a->other = waker;
	a->from = a->to = (u16)p->cpu;
	a->enqueue = a->select = STORY_NONE;
	a->path = PATH_LOST;
	a->on_cpu = p->on_cpu >= 0;
	a->irq = story_in_irq(l->e);
	a->sync = !a->irq && !p->deaf && l->e->preempt_depth == SYNC_DEPTH && waker != STORY_NONE &&
		  !l->s->task[waker].kthread && !l->s->task[task].kthread;
	p->state = WAKING;
	p->wake = l->s->nr_acts - 1;
}

static void must_be_queued(struct teller *l, u32 task, int cpu)
{
	struct tell_task *p = &l->task[task];

	switch (p->state) {
	case RUNNING:
		put_off(l, task);
		break;
	case ASLEEP:
	case GONE:
		put_off(l, task);
		begin_wake(l, task, cpu, true);
		end_wake(l, task, cpu, cpu, true);
		break;
	case WAKING:
		end_wake(l, task, cpu, cpu, true);
		break;
	case ABSENT:
		make_up(l, STORY_START, cpu, task);
		enqueued(l, task, cpu);
		break;
	case QUEUED:
		break;
	}
	if (p->cpu != cpu)
		move(l, task, cpu, cpu, true);
}

/* @task (STORY_NONE: idle) runs on @cpu */
static void must_run(struct teller *l, u32 task, int cpu)
{
	if (l->cpu[cpu].curr == task)
		return;
	if (task != STORY_NONE)
		must_be_queued(l, task, cpu);
	else
		block(l, cpu, TRACE_STATE_S, false); /* it would have been preempted by somebody */
	change(l, cpu, task, true);
}

/* ---- the events ---- */

static void tell_prio(struct teller *l, u32 task, s16 prio)
{
	struct tell_task *p;

	if (task == STORY_NONE || l->task[task].prio == prio)
		return;
	p = &l->task[task];
	p->prio = prio;
	if (p->state != ABSENT)
		add(l, STORY_PRIO, l->e->cpu, task)->prio = prio;
	else
		l->s->task[task].prio = prio;
}

static void tell_switch(struct teller *l, const struct story_link *k)
{
	const struct trace_event *e = l->e;

	must_run(l, k->curr, e->cpu);
	tell_prio(l, k->curr, e->prev_prio);
	tell_prio(l, k->task, e->prio);
	if (k->task == k->curr)
		return;
	if (story_state_sleeps(e->prev_state))
		block(l, e->cpu, e->prev_state, false);
	if (k->task != STORY_NONE)
		must_be_queued(l, k->task, e->cpu);
	change(l, e->cpu, k->task, false);
}

static void tell_waking(struct teller *l, const struct story_link *k)
{
	const struct trace_event *e = l->e;
	struct tell_task *p = &l->task[k->task];

	tell_prio(l, k->task, e->prio);
	if (l->s->task[k->task].stopper) {
		struct tell_cpu *c = &l->cpu[min((int)e->target_cpu, l->s->nr_cpus - 1)];

		c->stop_by = k->curr;
		c->stop_remote = e->target_cpu != e->cpu || story_in_irq(e);
	}
	if (p->state == ASLEEP && p->on_cpu < 0)
		p->cpu = min((int)e->target_cpu, l->s->nr_cpus - 1);
	if (p->state == ASLEEP) {
		begin_wake(l, k->task, e->cpu, false);
	} else if (p->state == QUEUED || p->state == RUNNING || p->state == WAKING) {
		struct story_act *a = add(l, STORY_WAKE, e->cpu, k->task);

		a->other = k->curr;
		a->path = PATH_AWAKE;
		a->from = a->to = (u16)p->cpu;
		a->enqueue = a->select = STORY_NONE;
	}
}

static void tell_wakeup(struct teller *l, const struct story_link *k)
{
	const struct trace_event *e = l->e;
	struct tell_task *p = &l->task[k->task];

	tell_prio(l, k->task, e->prio);
	if (p->state == ASLEEP) /* its sched_waking isn't there */
		begin_wake(l, k->task, e->cpu, true);
	if (p->state == WAKING)
		end_wake(l, k->task, e->cpu, e->target_cpu, false);
}

static void tell_start(struct teller *l, const struct story_link *k)
{
	const struct trace_event *e = l->e;
	struct story_act *a;

	if (l->task[k->task].state != ABSENT)
		return;
	tell_prio(l, k->task, e->prio);
	a = add(l, STORY_START, e->cpu, k->task);
	a->to = e->target_cpu;
	a->other = l->s->task[k->task].parent;
	enqueued(l, k->task, e->target_cpu);
}

static enum story_move why_moved(const struct teller *l, const struct story_link *k)
{
	const struct trace_event *e = l->e;
	const struct tell_cpu *c = &l->cpu[e->cpu];

	if (e->context & TRACE_INFERRED)
		return MOVE_UNKNOWN;
	if (k->curr != STORY_NONE && l->s->task[k->curr].stopper) {
		if (c->stop_by != k->task || c->stop_remote)
			return MOVE_ACTIVE;
		return k->partner ? MOVE_EXEC : MOVE_SELF;
	}
	if (e->prio < 100)
		return MOVE_CLASS;
	if (e->target_cpu != e->cpu)
		return MOVE_NOHZ;
	if (c->curr_blocked)
		return MOVE_NEWIDLE;
	return c->curr == STORY_NONE ? MOVE_NOHZ : MOVE_PERIODIC;
}

static void tell_migrate(struct teller *l, const struct story_link *k)
{
	const struct trace_event *e = l->e;
	struct tell_task *p = &l->task[k->task];
	struct story_act *a;

	tell_prio(l, k->task, e->prio);
	switch (p->state) {
	case WAKING:
		if (p->wake != STORY_NONE && !l->no_memory) {
			l->s->act[p->wake].select = l->event;
			l->s->act[p->wake].to = e->target_cpu;
		}
		return;
	case ASLEEP: /* still queued, as a delayed dequeue leaves it; or its sched_waking is lost */
		if (p->on_cpu >= 0 || !l->t->count[EV_WAKING] || e->context & TRACE_INFERRED)
			return;
		break;
	case RUNNING:
		put_off(l, k->task);
		break;
	case QUEUED:
		break;
	default:
		return;
	}
	a = move(l, k->task, e->cpu, e->target_cpu, false);
	a->from = e->orig_cpu;
	a->move = (u8)why_moved(l, k);
	a->irq = story_in_irq(e);
}

static void tell_fork(struct teller *l, const struct story_link *k)
{
	add(l, STORY_FORK, l->e->cpu, k->task)->other = k->curr;
	l->task[k->task].prio = l->s->task[k->task].prio;
}

static bool in_range(const struct teller *l)
{
	const struct trace_event *e = l->e;
	int nr = l->s->nr_cpus;

	switch (e->kind) {
	case EV_WAKEUP:
	case EV_WAKEUP_NEW:
		return e->target_cpu < nr;
	case EV_MIGRATE:
		return e->target_cpu < nr && e->orig_cpu < nr;
	default:
		return true;
	}
}

static void tell_event(struct teller *l, u32 i)
{
	const struct story_link *k = &l->link[i];

	l->event = i;
	l->e = &l->t->event[i];
	if (k->block)
		block(l, l->t->event[k->block - 1].cpu, l->t->event[k->block - 1].prev_state, true);
	if (!in_range(l))
		return;
	if (l->e->kind == EV_SWITCH) {
		tell_switch(l, k);
		return;
	}
	if (!(l->e->context & TRACE_INFERRED))
		must_run(l, k->curr, l->e->cpu);
	if (k->task == STORY_NONE)
		return;
	switch (l->e->kind) {
	case EV_WAKING:
		tell_waking(l, k);
		break;
	case EV_WAKEUP:
		tell_wakeup(l, k);
		break;
	case EV_WAKEUP_NEW:
		tell_start(l, k);
		break;
	case EV_MIGRATE:
		tell_migrate(l, k);
		break;
	case EV_FORK:
		tell_fork(l, k);
		break;
	case EV_EXEC:
		add(l, STORY_EXEC, l->e->cpu, k->task);
		break;
	case EV_EXIT:
		add(l, STORY_EXIT, l->e->cpu, k->task);
		break;
	}
}

/* ---- building ---- */

static bool set_start(struct teller *l)
{
	struct story *s = l->s;

	l->task = calloc((size_t)s->nr_tasks + 1, sizeof(*l->task));
	l->cpu = calloc((size_t)s->nr_cpus, sizeof(*l->cpu));
	if (!l->task || !l->cpu)
		return false;
	for (int c = 0; c < s->nr_cpus; c++)
		l->cpu[c] = (struct tell_cpu){ .curr = STORY_NONE, .stop_by = STORY_NONE };
	for (u32 i = 0; i < s->nr_tasks; i++) {
		static const enum task_state states[] = {
			[START_ABSENT] = ABSENT, [START_ASLEEP] = ASLEEP,
			[START_QUEUED] = QUEUED, [START_RUNNING] = RUNNING,
		};
		struct story_task *p = &s->task[i];

		p->start_cpu = clamp(p->start_cpu, 0, s->nr_cpus - 1);
		/* of two that seem to run on a CPU, the second one must have been queued */
		if (p->start == START_RUNNING && l->cpu[p->start_cpu].curr != STORY_NONE)
			p->start = START_QUEUED;
		if (p->start == START_RUNNING)
			l->cpu[p->start_cpu].curr = i;
		l->task[i] = (struct tell_task){
			.state = states[p->start],
			.cpu = p->start_cpu,
			.on_cpu = p->start == START_RUNNING ? p->start_cpu : -1,
			.wake = STORY_NONE,
			.prio = p->prio,
		};
	}
	return true;
}

static void count_lost(struct story *s)
{
	for (u32 i = 0; i < s->nr_acts; i++)
		s->wakes_lost += s->act[i].kind == STORY_WAKE && s->act[i].path == PATH_LOST;
}

int story_build(const struct trace *t, struct story **story, struct err *err)
{
	struct story *s = calloc(1, sizeof(*s));
	struct teller l = { .s = s, .t = t };
	bool ok = false;

	if (s && t->nr) {
		s->trace = t;
		s->nr_cpus = max(t->nr_cpus, 1);
		s->first_ns = t->event[0].ns;
		s->last_ns = t->event[t->nr - 1].ns;
		l.link = story_link(s);
		if (l.link && set_start(&l)) {
			for (u32 i = 0; i < t->nr && !l.no_memory; i++) {
				s->has_context |= t->event[i].context & TRACE_HAS_CONTEXT;
				tell_event(&l, i);
			}
			ok = !l.no_memory && !story_find_binding_moves(s);
		}
	}
	free(l.link);
	free(l.task);
	free(l.cpu);
	if (!ok) {
		story_free(s);
		return err_set(err, -ENOMEM, "out of memory");
	}
	count_lost(s);
	*story = s;
	return 0;
}

void story_free(struct story *s)
{
	if (!s)
		return;
	free(s->task);
	free(s->act);
	free(s);
}
