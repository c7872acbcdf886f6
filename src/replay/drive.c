// SPDX-License-Identifier: BSD-2-Clause
/*
 * drive.c - a core led through a story: its start, time and switches.
 */
#include <errno.h>
#include <stdlib.h>

#include "replay/drive.h"

#define SILENCE_NS (4 * NSEC_PER_SEC) /* in which every average has decayed to nothing */
#define BOOT_NS (10 * NSEC_PER_SEC) /* room for stamps of the past */

enum drive_class drive_class_of(const struct story_task *t, s16 prio)
{
	if (t->stopper)
		return CLASS_STOP;
	return prio < 100 ? CLASS_HIGH : CLASS_FAIR;
}

static int nice_of(s16 prio)
{
	return clamp(prio - 120, -20, 19);
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

	if (!curr || d->cpu[cpu].high || !sched_task_queued(curr) || sched_task_delayed(curr))
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

/* the CPU whose timer runs out first, at @t at the latest; -1: none */
static int next_hrtick(const struct drive *d, u64 t)
{
	int first = -1;

	for (int c = 0; c < d->st->nr_cpus; c++) {
		u64 at = d->cpu[c].hrtick;

		if (at && at <= t) {
			t = at - 1;
			first = c;
		}
	}
	return first;
}

static void hrticks_until(struct drive *d, u64 t)
{
	int c;

	while ((c = next_hrtick(d, t)) >= 0) {
		d->now = max(d->now, d->cpu[c].hrtick);
		d->cpu[c].hrtick = 0;
		sched_hrtick(d->s, d->now, c);
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
	for (int c = 0; c < d->st->nr_cpus; c++)
		if (d->cpu[c].hrtick)
			d->cpu[c].hrtick = max(d->cpu[c].hrtick, d->next_tick - period);
}

void drive_until(struct drive *d, u64 ns)
{
	u64 t = ns + d->base;

	skip_silence(d, t);
	while (d->next_tick <= t) {
		hrticks_until(d, d->next_tick - 1);
		tick_all(d);
	}
	hrticks_until(d, t);
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
	struct task *parent = drive_fair(d, t->parent);
	u64 allowed[(UINT16_MAX + 1) / 64] = { 0 };
	struct sched_task_attr attr = {
		.id = t->pid,
		.comm = story_comm(d->st, i),
		.nice = nice_of(t->prio),
		.kthread = t->kthread,
		.parent = parent,
	};

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
		[BEGIN_ASLEEP] = BEGIN_ASLEEP,
		[BEGIN_QUEUED] = BEGIN_QUEUED,
		[BEGIN_RUNNING] = BEGIN_RUNNING,
	};
	const struct story_task *t = &d->st->task[i];
	struct drive_task *x = &d->task[i];

	x->class = drive_class_of(t, t->prio);
	x->cpu = t->start_cpu;
	if (t->start == START_RUNNING)
		d->cpu[t->start_cpu].curr = i;
	if (t->start == START_ABSENT || x->class == CLASS_STOP)
		return 0;
	x->p = drive_make_task(d, i);
	if (!x->p)
		return err_set(err, -ENOMEM, "out of memory");
	if (!sched_task_allowed(x->p, t->start_cpu))
		drive_allow_all(d, x->p);
	if (x->class == CLASS_HIGH) {
		sched_task_start(d->s, d->now, x->p, t->start_cpu, BEGIN_ASLEEP);
		if (t->start == START_RUNNING) {
			sched_stop_begin(d->s, d->now, t->start_cpu);
			d->cpu[t->start_cpu].high = true;
		}
		return 0;
	}
	sched_task_start(d->s, d->now, x->p, t->start_cpu,
			 how[t->start == START_RUNNING ? BEGIN_RUNNING :
			     t->start == START_QUEUED  ? BEGIN_QUEUED :
							 BEGIN_ASLEEP]);
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
	d->tick = story_find_tick(st, host.hz);
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
	struct task *p = drive_fair(d, a->task);

	d->cpu[a->cpu].looked = false;
	d->task[a->task].dead = a->dead;
	if (p && sched_current(d->s, a->cpu) == p && sched_task_queued(p))
		sched_block(d->s, left_queue_at(d, a), a->cpu, a->dead);
	drive_drain(d);
}

void drive_leave_high(struct drive *d, const struct story_act *a)
{
	struct drive_cpu *c = &d->cpu[a->cpu];

	if (c->high && (a->task == STORY_NONE || d->task[a->task].class == CLASS_FAIR)) {
		sched_stop_end(d->s, d->now, a->cpu);
		c->high = false;
	}
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

	if (d->cpu[cpu].high)
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

void drive_switch(struct drive *d, const struct story_act *a)
{
	struct drive_cpu *c = &d->cpu[a->cpu];
	u32 prev = c->curr;
	struct task *next = drive_fair(d, a->task);
	bool was_idle = prev == STORY_NONE;

	drive_leave_high(d, a);
	if (was_idle)
		sched_nohz_exit(d->s, d->now, a->cpu);
	if (a->task != STORY_NONE && d->task[a->task].class != CLASS_FAIR) {
		if (!c->high)
			sched_stop_begin(d->s, d->now, a->cpu);
		c->high = true;
	} else {
		go_on_with(d, a, next);
	}
	c->curr = a->task;
	c->looked = false;
	if (a->task == STORY_NONE)
		rest(d, a->cpu);
	else
		d->task[a->task].cpu = a->cpu;
	drive_drain(d);
	if (prev != STORY_NONE && d->task[prev].dead)
		bury(d, prev);
}

/* ---- priorities ---- */

/* @p, which the core has asleep, runs on @cpu */
static void make_runnable(struct drive *d, struct task *p, int cpu)
{
	struct wake_query q = { .cpu = cpu, .p = p };
	struct wake_decision dec;

	if (sched_task_queued(p) && !sched_task_delayed(p))
		return;
	sched_wake_decide(d->s, d->now, &q, &dec);
	if (dec.path != WAKE_QUEUED)
		dec.path = WAKE_DIRECT;
	sched_wake_commit(d->s, d->now, &q, &dec, cpu);
	if (dec.path == WAKE_QUEUED)
		sched_wake_queued(d->s, d->now, cpu, p);
	else
		sched_activate(d->s, d->now, cpu, p);
}

static void change_class(struct drive *d, u32 task, enum drive_class to)
{
	struct drive_task *x = &d->task[task];
	int cpu = x->cpu;
	bool runs = d->cpu[cpu].curr == task;

	if (to == CLASS_HIGH && runs && x->p && sched_current(d->s, cpu) == x->p) {
		if (sched_task_queued(x->p))
			sched_block(d->s, d->now, cpu, false);
		sched_stop_begin(d->s, d->now, cpu);
		d->cpu[cpu].high = true;
	}
	x->class = to;
	if (to == CLASS_FAIR && runs && x->p && d->cpu[cpu].high) {
		sched_stop_end(d->s, d->now, cpu);
		d->cpu[cpu].high = false;
		make_runnable(d, x->p, cpu);
		if (!sched_pick_commit(d->s, d->now, cpu, x->p))
			sched_switch_done(d->s, d->now, cpu, NULL);
		else
			drive_choose_freely(d, cpu);
	}
}

void drive_prio(struct drive *d, const struct story_act *a)
{
	struct drive_task *x = &d->task[a->task];
	enum drive_class to = drive_class_of(&d->st->task[a->task], a->prio);

	if (to != x->class)
		change_class(d, a->task, to);
	if (to == CLASS_FAIR && x->p)
		sched_set_nice(d->s, d->now, x->p, POLICY_NORMAL, nice_of(a->prio));
	drive_drain(d);
}
