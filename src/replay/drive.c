// SPDX-License-Identifier: BSD-2-Clause
/*
 * drive.c - a core led through a story: its start, time and switches.
 */
#include <errno.h>
#include <stdlib.h>

#include "replay/drive.h"

#define SILENCE_NS (4 * NSEC_PER_SEC) /* in which every average has decayed to nothing */
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

/* ---- what the core asks for ---- */

/*
 * A CPU that was asked to schedule and chooses the task that runs already leaves
 * no event; but those that were delayed and came before it have left the queue.
 */
static void pick_silently(struct drive *d, int cpu)
{
	struct task *curr = sched_current(d->s, cpu);
	struct pick_decision dec;

	if (!curr || d->cpu[cpu].stop || !sched_task_queued(curr) || sched_task_delayed(curr))
		return;
	sched_pick_decide(d->s, d->now, cpu, &dec);
	if (dec.next == curr)
		sched_pick_commit(d->s, d->now, cpu, curr);
}

void drive_drain(struct drive *d)
{
	struct sched_out out;

	while (sched_next_out(d->s, &out)) {
		switch (out.kind) {
		case OUT_RESCHED:
		case OUT_RESCHED_LAZY:
			pick_silently(d, out.cpu);
			break;
		case OUT_SOFTIRQ:
			drive_walk(d, out.cpu, WALK_PERIODIC);
			break;
		case OUT_NOHZ_KICK:
			drive_walk(d, out.cpu, WALK_NOHZ);
			break;
		case OUT_HRTICK:
			d->cpu[out.cpu].hrtick = d->now + out.arg;
			break;
		case OUT_TIMER:
			d->cpu[out.cpu].timer = out.arg == UINT64_MAX ? 0 : max(out.arg, 1ull);
			break;
		default: /* the story has what came of it */
			break;
		}
	}
}

/* ---- time ---- */

/*
 * Does a timer of @cpu run out within a tick? Then the idle CPU keeps its tick. Which timers there
 * are, no event tells; but whom they woke.
 */
static bool timer_is_near(const struct drive *d, int cpu)
{
	const struct story_act *a = d->st->act + d->at, *end = d->st->act + d->st->nr_acts;

	for (; a < end && a->ns + d->base <= d->now + d->tick.period_ns; a++)
		if (a->kind == STORY_WAKE && a->irq && a->cpu == cpu)
			return true;
	return false;
}

static void rest(struct drive *d, int cpu)
{
	struct drive_cpu *c = &d->cpu[cpu];

	c->idle_tick = timer_is_near(d, cpu);
	if (!c->idle_tick)
		sched_nohz_enter(d->s, d->now, cpu);
}

static void tick_all(struct drive *d)
{
	d->now = d->next_tick;
	d->next_tick += d->tick.period_ns;
	for (int c = 0; c < d->st->nr_cpus; c++) {
		drive_late_walk(d, c, NULL, 0); /* its moves didn't come */
		if (d->cpu[c].curr == STORY_NONE && !d->cpu[c].idle_tick)
			continue; /* its tick has stopped */
		sched_tick(d->s, d->now, c);
		drive_drain(d);
		if (d->cpu[c].curr == STORY_NONE)
			rest(d, c);
	}
}

/* when the first timer of @c runs out; 0: there is none */
static u64 first_timer(const struct drive_cpu *c)
{
	return c->hrtick && (!c->timer || c->hrtick <= c->timer) ? c->hrtick : c->timer;
}

/* the CPU whose timer runs out first, at @t at the latest; -1: none */
static int next_timer(const struct drive *d, u64 t)
{
	int first = -1;

	for (int c = 0; c < d->st->nr_cpus; c++) {
		u64 at = first_timer(&d->cpu[c]);

		if (at && at <= t) {
			t = at - 1;
			first = c;
		}
	}
	return first;
}

static void timers_until(struct drive *d, u64 t)
{
	int cpu;

	while ((cpu = next_timer(d, t)) >= 0) {
		struct drive_cpu *c = &d->cpu[cpu];
		u64 at = first_timer(c);

		d->now = max(d->now, at);
		if (at == c->hrtick) {
			c->hrtick = 0;
			sched_hrtick(d->s, d->now, cpu);
		} else {
			c->timer = 0;
			sched_timer(d->s, d->now, cpu);
		}
		drive_drain(d);
	}
}

/*
 * Several recordings in one file may lie days apart. Of a long silence only the last ticks
 * are made: what those before them left has decayed by then.
 */
static void skip_silence(struct drive *d, u64 t)
{
	u64 period = d->tick.period_ns, ticks;

	if (t <= d->next_tick + SILENCE_NS)
		return;
	ticks = (t - d->next_tick - SILENCE_NS) / period;
	d->next_tick += ticks * period;
	for (int c = 0; c < d->st->nr_cpus; c++) {
		struct drive_cpu *x = &d->cpu[c];

		if (x->hrtick)
			x->hrtick = max(x->hrtick, d->next_tick - period);
		if (x->timer)
			x->timer = max(x->timer, d->next_tick - period);
	}
}

void drive_until(struct drive *d, u64 ns)
{
	u64 t = ns + d->base;

	skip_silence(d, t);
	while (d->next_tick <= t) {
		timers_until(d, d->next_tick - 1);
		tick_all(d);
	}
	timers_until(d, t);
	d->now = max(d->now, t);
}

void drive_done(struct drive *d, const struct story_act *a)
{
	d->cpu[a->cpu].last_act = d->cpu[a->to].last_act = d->now;
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

	drive_before_pick(d, a);
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
		rest(d, a->cpu);
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
