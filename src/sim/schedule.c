/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * schedule.c - picking, switching, and what the core asks the host to do (spec 14 §1.1–1.3).
 *
 * A new-idle walk runs in the context of the task that blocks, before the
 * switch; the old task stays on its CPU until the switch is over.
 */
#include "sim/engine.h"

/* ---- waiting ---- */

static int restricted_waiting(const struct sim *sim)
{
	const u64 *idle = sched_idle_mask(sim->sched);
	int n = 0;

	for (const struct sim_task *t = sim->restricted; t; t = t->restricted_next)
		n += mask_intersects(sched_task_cpus(t->p), idle, sim->words);
	return n;
}

/* how near the nearest idle CPU is that @t may use; NR_DISTANCES: there is none */
static int nearest_idle(const struct sim *sim, const struct sim_task *t, const u64 *idle)
{
	int cpu = sched_task_cpu(t->p), near = NR_DISTANCES;
	const u64 *cpus = sched_task_cpus(t->p);

	for (int w = 0; w < sim->words; w++)
		for (u64 m = cpus[w] & idle[w]; m; m &= m - 1)
			near = min(near, (int)distance(sim, cpu, w * 64 + __builtin_ctzll(m)));
	return near;
}

/* since acct_at nothing changed: what was the waste of tasks that may not run anywhere? */
static void waste_of_restricted(struct sim *sim)
{
	int near[NR_DISTANCES + 1] = { 0 };

	if (waste_left_idle(sim->waste) > 0)
		for (const struct sim_task *t = sim->restricted; t; t = t->restricted_next)
			near[nearest_idle(sim, t, sched_idle_mask(sim->sched))]++;
	waste_restricted(sim->waste, sim->acct_at, near);
}

/* those that wait for a CPU, not for run time of their group */
static int queued_behind_others(const struct sim *sim)
{
	int n = 0;

	for (int cpu = 0; cpu < sim->nr_cpus; cpu++)
		n += max(sched_nr_running(sim->sched, cpu) - 1, 0);
	return n;
}

/*
 * Time is over in which nr_waiting tasks waited and nr_idle CPUs were idle: as
 * many CPUs as could have been matched with a waiting task lost it.
 */
void account_waiting(struct sim *sim)
{
	if (sim->acct_at == sim->now)
		return;
	if (sim->nr_idle && (sim->nr_waiting || sim->restricted)) {
		int n = min(sim->nr_waiting, sim->nr_idle - sim->nr_isolated_idle);

		if (unlikely(sim->restricted && n < sim->nr_idle))
			n += restricted_waiting(sim);
		if (unlikely(sim->has_quotas))
			n = min(n, queued_behind_others(sim));
		sim->counter[CNT_idle_while_waiting_ns] +=
			(u64)min(n, sim->nr_idle) * (sim->now - sim->acct_at);
	}
	if (unlikely(sim->waste) && (sim->restricted || waste_has_restricted(sim->waste)))
		waste_of_restricted(sim);
	sim->acct_at = sim->now;
}

void count_waiting(struct sim *sim, struct sim_task *t)
{
	account_waiting(sim);
	if (likely(!t->allowed)) {
		sim->nr_waiting++;
		t->counted = true;
		t->waits_on = sched_task_cpu(t->p);
		if (sim->waste)
			waste_wait(sim->waste, sim->now, t->waits_on, 1);
		return;
	}
	t->restricted_pprev = &sim->restricted;
	t->restricted_next = sim->restricted;
	if (t->restricted_next)
		t->restricted_next->restricted_pprev = &t->restricted_next;
	sim->restricted = t;
}

/*
 * @t is runnable from now on. The first task that comes to a CPU where nothing
 * runs doesn't wait for anything but the way there.
 */
void task_runnable(struct sim *sim, struct sim_task *t)
{
	struct sim_cpu *c = &sim->cpu[sched_task_cpu(t->p)];

	t->stage = STAGE_RUNNABLE;
	t->runnable_since = sim->now;
	if (!c->curr && !c->starting) {
		c->starting = t;
		t->starts_on = c;
	} else {
		count_waiting(sim, t);
	}
}

static void uncount_waiting(struct sim *sim, struct sim_task *t)
{
	account_waiting(sim);
	if (likely(!t->restricted_pprev)) {
		sim->nr_waiting--;
		t->counted = false;
		if (sim->waste)
			waste_wait(sim->waste, sim->now, t->waits_on, -1);
		return;
	}
	*t->restricted_pprev = t->restricted_next;
	if (t->restricted_next)
		t->restricted_next->restricted_pprev = t->restricted_pprev;
	t->restricted_pprev = NULL;
}

static void task_picked(struct sim *sim, struct sim_task *t)
{
	t->stage = STAGE_RUNNING;
	sim->counter[CNT_wait_ns] += sim->now - t->runnable_since;
	if (t->starts_on) {
		t->starts_on->starting = NULL;
		t->starts_on = NULL;
		return;
	}
	uncount_waiting(sim, t);
}

bool stop_waiting(struct sim *sim, struct sim_task *t)
{
	bool waits = t->stage == STAGE_RUNNABLE && !t->starts_on;

	if (waits)
		uncount_waiting(sim, t);
	return waits;
}

/* @c took another task than the one that was on its way here: that one waits now */
static void overtaken(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->starting;

	c->starting = NULL;
	t->starts_on = NULL;
	count_waiting(sim, t);
}

/* ---- requests of the core ---- */

static __attribute__((noinline)) void handle_out(struct sim *sim, const struct sched_out *o)
{
	struct sim_cpu *c = &sim->cpu[o->cpu];

	switch (o->kind) {
	case OUT_RESCHED:
		c->resched = true;
		if (o->from != o->cpu || c->mode != CPU_ATOMIC)
			kick(sim, o->from, c, IRQ_RESCHED);
		break;
	case OUT_RESCHED_LAZY:
		c->resched_lazy = true;
		break;
	case OUT_SOFTIRQ:
		c->irqs |= IRQ_SOFTIRQ;
		break;
	case OUT_NOHZ_KICK:
		kick(sim, o->from, c, IRQ_NOHZ);
		break;
	case OUT_ACTIVE_BALANCE:
		c->stop_balance = true;
		stop_queue(sim, o->from, c, NULL, 0);
		break;
	case OUT_STOP_DRAIN:
		c->stop_drain = true;
		stop_queue(sim, o->from, c, NULL, 0);
		break;
	case OUT_STOP_MIGRATE:
		stop_queue(sim, o->from, c, sched_task_host(o->p), (int)o->arg);
		break;
	case OUT_HRTICK:
		c->hrtick_at = sim->now + o->arg;
		if (c->mode == CPU_USER || c->mode == CPU_KERNEL)
			cpu_arm(sim, c);
		break;
	case OUT_TIMER:
		if (o->arg == UINT64_MAX)
			heap_remove(&sim->class_timers, o->cpu);
		else
			heap_set(&sim->class_timers, o->cpu, max(o->arg, sim->now));
		arm_others(sim);
		break;
	case OUT_THROTTLE:
		c->throttle = true;
		break;
	case OUT_RT_PUSH:
		kick(sim, o->from, c, IRQ_RT_PUSH);
		break;
	case OUT_UCLAMP:
		sim->counts_clamps = true;
		break;
	case OUT_PSI:
		sim->psi_at = o->arg;
		arm_others(sim);
		break;
	}
}

void handle_outs(struct sim *sim)
{
	struct sched_out o;

	while (sched_next_out(sim->sched, &o))
		handle_out(sim, &o);
}

/* the task returns to user mode and is of a throttled group: perhaps it has to leave */
bool throttle_curr(struct sim *sim, struct sim_cpu *c)
{
	c->throttle = false;
	sched_throttle_curr(sim->sched, sim->now, c->id);
	handle_outs(sim);
	return c->resched || c->resched_lazy;
}

/* ---- the switch ---- */

/* struct sched_host.migrate: every change of a CPU, whoever decided it */
void task_migrates(void *ctx, struct task *p, int from, int to)
{
	static const enum counter by_distance[NR_DISTANCES] = {
		[DIST_SMT] = CNT_migrations_smt,
		[DIST_CLUSTER] = CNT_migrations_cluster,
		[DIST_LLC] = CNT_migrations_llc,
		[DIST_NODE] = CNT_migrations_node,
		[DIST_PACKAGE] = CNT_migrations_package,
		[DIST_REMOTE] = CNT_migrations_remote,
	};
	struct sim_task *t = sched_task_host(p);
	struct sim *sim = ctx;

	count(sim, CNT_migrations);
	count(sim, by_distance[distance(sim, from, to)]);
	if (tracing(sim))
		trace_task(sim, TRACE_MIGRATE, sim->at_cpu, t, to, from);
	if (unlikely(sim->waste) && t->counted) {
		waste_wait(sim->waste, sim->now, to, 1);
		waste_wait(sim->waste, sim->now, t->waits_on, -1);
		t->waits_on = to;
	}
}

static void account_switched_out(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	u64 ran = sim->now - t->switched_in;

	t->cpu_ns += ran;
	sim->counter[CNT_busy_ns] += ran;
	t->touched_mark = c->touched;
}

static void account_switched_in(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	t->switched_in = sim->now;
	if (t->woken_at) {
		t->wake_latency = sim->now - t->woken_at;
		t->woken_at = 0;
	}
	t->last_cpu = c->id;
}

static void switch_end(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *prev = c->curr, *next = c->next;

	c->switch_until = 0;
	if (tracing(sim) && c->out_stopper)
		trace_stopper_out(sim, c->id, next);
	else if (tracing(sim))
		trace_switch(sim, c->id, prev, next, c->out_preempted);
	sched_switch_done(sim->sched, sim->now, c->id, prev ? prev->p : NULL);
	c->curr = next;
	if (prev) {
		account_switched_out(sim, c, prev);
		if (unlikely(prev->spinners))
			wake_spinners(sim, prev);
		if (unlikely(prev->stage == STAGE_DEAD))
			task_gone(sim, prev);
	}
	handle_outs(sim); /* tasks pushed away, timers of one that is gone */
	if (next) {
		account_switched_in(sim, c, next);
		task_resume(sim, c);
	} else {
		idle_enter(sim, c);
	}
}

void stop_switched_out(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	if (tracing(sim))
		trace_stopper_in(sim, c->id, t);
	if (!t)
		return;
	count(sim, CNT_preemptions);
	account_switched_out(sim, c, t);
	task_runnable(sim, t);
}

static u64 switch_cost(struct sim *sim, struct sim_cpu *c, const struct sim_task *next)
{
	if (!next || !next->mm || next->mm == c->mm) /* kernel threads borrow the address space */
		return sim->cost->switch_same_mm;
	c->mm = next->mm;
	return sim->cost->switch_other_mm;
}

static void picked(struct sim *sim, struct sim_cpu *c, struct task *p)
{
	struct sim_task *prev = c->curr, *next = p ? sched_task_host(p) : NULL;
	bool preempted;
	u64 cost;

	handle_outs(sim);
	if (prev == next && !c->stopping) {
		if (prev)
			task_resume(sim, c);
		else
			idle_enter(sim, c);
		return;
	}
	count(sim, CNT_switches);
	count(sim, CNT_events);
	preempted = prev && prev->stage == STAGE_RUNNING;
	if (preempted) {
		count(sim, CNT_preemptions);
		task_runnable(sim, prev);
	}
	c->out_preempted = preempted;
	c->out_stopper = c->stopping;
	if (next)
		task_picked(sim, next);
	if (unlikely(c->starting && next))
		overtaken(sim, c);
	c->stopping = false;
	c->next = next;
	cost = switch_cost(sim, c, next);
	c->switch_until = sim->now + cost;
	seg_path(sim, c, cost, switch_end);
}

/* What was asked for so far is about to be done, a reschedule interrupt on its way included. */
static void clear_resched(struct sim *sim, struct sim_cpu *c)
{
	handle_outs(sim);
	c->resched = c->resched_lazy = c->throttle = false;
	c->irqs &= ~IRQ_RESCHED;
	if (!c->irqs)
		c->irq_at = NEVER;
}

static void pick_again(struct sim *sim, struct sim_cpu *c)
{
	struct task *p;

	clear_resched(sim, c);
	sched_pick(sim->sched, sim->now, c->id, false, &p);
	picked(sim, c, p);
}

/**
 * schedule() - choose who runs on @c, and switch to it
 *
 * The current task's frame is kept already; the CPU is atomic.
 */
void schedule(struct sim *sim, struct sim_cpu *c)
{
	struct task *p;

	c->running = false;
	clear_resched(sim, c);
	c->hrtick_at = NEVER;
	if (sched_pick(sim->sched, sim->now, c->id, true, &p)) {
		picked(sim, c, p);
	} else {
		walk(sim, c, WALK_NEWIDLE, pick_again);
	}
}
