// SPDX-License-Identifier: BSD-2-Clause
/*
 * drive.c - a core led through a story: its start and switches.
 */
#include <errno.h>
#include <stdlib.h>

#include "replay/drive.h"

#define BOOT_NS (10 * NSEC_PER_SEC) /* room for stamps of the past */

static int nice_of(s16 prio)
{
	return clamp(prio - 120, -20, 19);
}

/* what a trace doesn't tell: FIFO or RR. A switch between equals shows it when it matters */
static enum sched_policy policy_of(s16 prio)
{
	return prio < 0 ? POLICY_DEADLINE : prio < 100 ? POLICY_FIFO : POLICY_NORMAL;
}

static int rt_priority_of(s16 prio)
{
	return clamp(99 - prio, 1, 99);
}

/* ---- the start ---- */

struct task *drive_make_task(struct drive *d, u32 i)
{
	const struct story_task *t = &d->st->task[i];
	struct task *parent = drive_task(d, t->parent);
	u64 allowed[(UINT16_MAX + 1) / 64] = { 0 };
	struct sched_task_attr attr = {
		.id = t->pid,
		.comm = story_comm(d->st, i),
		.nice = nice_of(t->prio),
		.policy = policy_of(t->prio),
		.rt_priority = rt_priority_of(t->prio),
		.kthread = t->kthread,
		.parent = parent,
	};

	if (t->stopper)
		return NULL;
	if (attr.policy == POLICY_DEADLINE) { /* it becomes one once it is queued */
		attr.policy = POLICY_NORMAL;
		attr.nice = 0;
	}
	if (t->bound_cpu >= 0 && t->bound_cpu < d->m->topo.nr_cpus) {
		allowed[t->bound_cpu / 64] = 1ull << t->bound_cpu % 64;
		attr.allowed = allowed;
	}
	return sched_task_new(d->s, &attr);
}

void drive_allow_all(struct drive *d, struct task *p)
{
	u64 all[(UINT16_MAX + 1) / 64];

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		all[i] = ~0ull;
	for (int c = d->m->topo.nr_cpus; c < (int)ARRAY_SIZE(all) * 64; c++)
		all[c / 64] &= ~(1ull << c % 64);
	sched_set_affinity(d->s, d->now, p, all);
	drive_drain(d);
	d->fixed_affinity++;
}

void drive_bind(struct drive *d, struct task *p, int cpu)
{
	u64 one[(UINT16_MAX + 1) / 64] = { 0 };

	one[cpu / 64] = 1ull << cpu % 64;
	sched_set_affinity(d->s, d->now, p, one);
}

static int start_task(struct drive *d, u32 i, struct err *err)
{
	static const enum sched_begin how[] = {
		[START_ASLEEP] = BEGIN_ASLEEP,
		[START_QUEUED] = BEGIN_QUEUED,
		[START_RUNNING] = BEGIN_RUNNING,
	};
	const struct story_task *t = &d->st->task[i];
	struct drive_task *x = &d->task[i];

	if (t->start == START_RUNNING)
		d->cpu[t->start_cpu].curr = i;
	if (t->stopper && t->start == START_RUNNING) {
		sched_stop_begin(d->s, d->now, t->start_cpu);
		d->cpu[t->start_cpu].stop = true;
	}
	if (t->start == START_ABSENT || t->stopper)
		return 0;
	x->p = drive_make_task(d, i);
	if (!x->p)
		return err_set(err, -ENOMEM, "out of memory");
	if (!sched_task_allowed(x->p, t->start_cpu))
		drive_allow_all(d, x->p);
	sched_task_start(d->s, d->now, x->p, t->start_cpu, how[t->start]);
	if (policy_of(t->prio) == POLICY_DEADLINE)
		sched_set_unseen_deadline(d->s, d->now, x->p);
	return 0;
}

int drive_start(struct drive *d, const struct story *st, const struct machine *m,
		const struct sched_kernel *k, int hz, struct err *err)
{
	struct sched_host host = {
		.ctx = (void *)m,
		.price = machine_price,
		.hz = hz ? hz : m->hz,
		.cpuidle = m->cpuidle,
		.may_preempt_kernel = true,
		.told_moves = true,
	};
	struct rng rng;
	int ret = 0;
	u64 period;

	*d = (struct drive){ .st = st, .m = m };
	d->s = sched_create(&m->topo, k, &host, 1, err);
	if (!d->s)
		return err->code ? err->code : -EINVAL;
	d->task = calloc((size_t)st->nr_tasks + 1, sizeof(*d->task));
	d->cpu = calloc((size_t)m->topo.nr_cpus, sizeof(*d->cpu));
	if (!d->task || !d->cpu) {
		drive_end(d);
		return err_set(err, -ENOMEM, "out of memory");
	}
	for (int c = 0; c < m->topo.nr_cpus; c++)
		d->cpu[c].curr = STORY_NONE;
	/* the core's jiffies begin where the ticks of the trace do */
	ret = story_find_tick(st, host.hz, &d->tick);
	if (ret) {
		drive_end(d);
		return err_set(err, ret, "out of memory");
	}
	period = d->tick.period_ns;
	d->base = BOOT_NS / period * period + period - d->tick.phase_ns -
		  st->first_ns / period * period;
	d->now = st->first_ns + d->base;
	d->next_tick = d->now / period * period + period;
	rng_init(&rng, 1, 0);
	sched_boot(d->s, d->now, &rng);
	sched_quiet(d->s);
	for (u32 i = 0; i < st->nr_tasks && !ret; i++)
		ret = start_task(d, i, err);
	drive_drain(d);
	if (ret)
		drive_end(d);
	return ret;
}

void drive_end(struct drive *d)
{
	sched_destroy(d->s);
	free(d->task);
	free(d->cpu);
	*d = (struct drive){ 0 };
}

/* ---- switches ---- */

/*
 * A CPU that goes idle is told of when it has looked for work and switched; the task
 * left its queue a switch's cost earlier, and isn't charged for that. With another task
 * to go on with, that one is charged, and both ends of a run are late alike.
 */
static u64 left_queue_at(const struct drive *d, const struct story_act *a)
{
	const struct story_act *next = a + 1;

	if (a->early || next == d->st->act + d->st->nr_acts || next->kind != STORY_SWITCH ||
	    next->cpu != a->cpu || next->task != STORY_NONE)
		return d->now;
	return max(d->cpu[a->cpu].last_act, d->now - d->m->cost.switch_same_mm);
}

void drive_block(struct drive *d, const struct story_act *a)
{
	struct task *p = drive_task(d, a->task);

	d->cpu[a->cpu].looked = false;
	d->task[a->task].dead = a->dead;
	if (p && sched_current(d->s, a->cpu) == p && sched_task_queued(p))
		sched_block(d->s, left_queue_at(d, a), a->cpu, a->dead);
	drive_drain(d);
}

static bool is_stopper(const struct drive *d, u32 task)
{
	return task != STORY_NONE && d->st->task[task].stopper;
}

/* the stopper isn't chosen among the others: it leaves before the next task is */
static void leave_stopper(struct drive *d, const struct story_act *a)
{
	struct drive_cpu *c = &d->cpu[a->cpu];

	if (c->stop && !is_stopper(d, a->task)) {
		sched_stop_end(d->s, d->now, a->cpu);
		c->stop = false;
	}
	drive_drain(d);
}

/* @cpu goes idle: whoever waits there is throttled */
static void hold_all(struct drive *d, int cpu)
{
	for (u32 i = 0; i < d->st->nr_tasks; i++) {
		struct task *p = d->task[i].p;

		if (!p || sched_task_cpu(p) != cpu || sched_task_hold(d->s, d->now, p))
			continue;
		d->task[i].held = true;
		d->held++;
	}
}

/* one of them runs again: so could the others */
static void release_all(struct drive *d, int cpu)
{
	for (u32 i = 0; i < d->st->nr_tasks; i++) {
		struct task *p = d->task[i].p;

		if (!p || !d->task[i].held || sched_task_cpu(p) != cpu)
			continue;
		sched_task_release(d->s, d->now, p);
		d->task[i].held = false;
	}
}

static void hold_or_release(struct drive *d, const struct story_act *a)
{
	struct pick_decision dec;

	if (a->task != STORY_NONE) {
		if (d->task[a->task].held)
			release_all(d, a->cpu);
		return;
	}
	if (a->made_up)
		return;
	sched_pick_decide(d->s, d->now, a->cpu, &dec);
	if (dec.nr_runnable)
		hold_all(d, a->cpu);
}

void drive_before_pick(struct drive *d, const struct story_act *a)
{
	struct task *next = drive_task(d, a->task);

	leave_stopper(d, a);
	if (drive_is_dl(next))
		sched_dl_picked(d->s, d->now, next);
	else if (!is_stopper(d, a->task))
		sched_dl_used_up(d->s, d->now, a->cpu);
	hold_or_release(d, a);
	drive_drain(d);
}

/* a dead task's slot may be used again once it is off its CPU */
static void bury(struct drive *d, u32 task)
{
	struct drive_task *x = &d->task[task];

	if (x->p && !sched_task_queued(x->p) && !sched_task_on_cpu(x->p)) {
		sched_task_free(d->s, x->p);
		x->p = NULL;
	}
}

/* the core chooses by itself: so that what left @cpu in the story is off it in the core, too */
void drive_choose_freely(struct drive *d, int cpu)
{
	struct task *prev = sched_current(d->s, cpu), *next;

	if (d->cpu[cpu].stop)
		return;
	sched_pick(d->s, d->now, cpu, false, &next);
	sched_switch_done(d->s, d->now, cpu, prev != next ? prev : NULL);
}

static void go_on_with(struct drive *d, const struct story_act *a, struct task *next)
{
	struct task *prev = sched_current(d->s, a->cpu);
	int ret = sched_pick_commit(d->s, d->now, a->cpu, next);

	if (ret == -EAGAIN) { /* asleep for the core: its waking was no waking for it */
		sched_wake_queued(d->s, d->now, a->cpu, next);
		ret = sched_pick_commit(d->s, d->now, a->cpu, next);
	}
	if (!ret) {
		sched_switch_done(d->s, d->now, a->cpu, prev != next ? prev : NULL);
		return;
	}
	d->refused++;
	drive_choose_freely(d, a->cpu);
}

/*
 * From one realtime task to another one of its priority: it has yielded, or its turn of
 * SCHED_RR is over.
 */
static void give_way(struct drive *d, const struct story_act *a, const struct task *next)
{
	struct task *prev = drive_task(d, a->other);

	if (!a->preempted || !prev || !next || prev != sched_current(d->s, a->cpu) ||
	    !sched_task_queued(prev) || !policy_is_rt(sched_task_policy(prev)))
		return;
	if (sched_task_prio(prev) == sched_task_prio(next))
		sched_yield_task(d->s, d->now, a->cpu);
}

void drive_switch(struct drive *d, const struct story_act *a)
{
	struct drive_cpu *c = &d->cpu[a->cpu];
	u32 prev = c->curr;
	struct task *next = drive_task(d, a->task);
	bool was_idle = prev == STORY_NONE;

	if (was_idle)
		sched_nohz_exit(d->s, d->now, a->cpu);
	if (is_stopper(d, a->task)) {
		if (!c->stop)
			sched_stop_begin(d->s, d->now, a->cpu);
		c->stop = true;
	} else {
		give_way(d, a, next);
		go_on_with(d, a, next);
	}
	c->curr = a->task;
	c->looked = false;
	if (a->task == STORY_NONE)
		drive_rest(d, a->cpu);
	drive_drain(d);
	if (prev != STORY_NONE && d->task[prev].dead)
		bury(d, prev);
}

/* ---- priorities ---- */

void drive_prio(struct drive *d, const struct story_act *a)
{
	struct task *p = drive_task(d, a->task);
	struct task_attr attr = { .policy = policy_of(a->prio) };

	if (!p)
		return;
	if (attr.policy == POLICY_DEADLINE) {
		sched_set_unseen_deadline(d->s, d->now, p);
	} else {
		if (attr.policy == POLICY_NORMAL)
			attr.nice = nice_of(a->prio);
		else
			attr.priority = rt_priority_of(a->prio);
		sched_set_attr(d->s, d->now, p, &attr);
	}
	drive_drain(d);
}
