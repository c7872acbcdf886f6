/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * idle.c - the idle loop: which C-state, and whether the tick stops (spec 14 §1.3, 13 §6).
 *
 * The governor is menu's idea: the next idle period will be like the last
 * eight, the longest of them left out, unless a timer of this CPU comes first.
 * If it was wrong by a whole tick, it expects a long sleep next.
 */
#include "sim/engine.h"

#define IDLE_LONG_US 1000000

/* One CPU more or less is idle; an emulator shares its speed among the others. */
static void count_idle(struct sim *sim, const struct sim_cpu *c, int by)
{
	sim->nr_idle += by;
	if (unlikely(c->isolated))
		sim->nr_isolated_idle += by;
	if (unlikely(sim->waste) && c->isolated)
		waste_idle_isolated(sim->waste, by);
	else if (unlikely(sim->waste))
		waste_idle(sim->waste, sim->now, c->id, by);
	if (unlikely(sim->busy_cost))
		sim->cost = &sim->busy_cost[sim->nr_cpus - sim->nr_offline - sim->nr_idle];
}

void idle_init(struct sim *sim, struct sim_cpu *c)
{
	const struct machine *m = sim->m;
	int deepest = m->nr_cstates - 1;

	for (int i = 0; i < IDLE_INTERVALS; i++)
		c->idle_us[i] = IDLE_LONG_US;
	c->timer_hint = NEVER;
	c->idle_exit_ns = m->nr_cstates ? m->cstate[deepest].exit_ns : 0;
	c->polling = m->nr_cstates && m->cstate[deepest].polling;
	if (m->cpuidle && m->nr_cstates) /* its idle loop has been there for long */
		sched_idle_state(sim->sched, c->id, true, m->cstate[deepest].table_exit_ns);
	c->tick_stopped = true;
	c->mode = CPU_IDLE;
	c->act.kind = FRAME_IDLE;
	c->act.mode = CPU_IDLE;
	c->seg_end = c->armed = NEVER;
	c->irq_at = NEVER;
	c->hrtick_at = NEVER;
	c->idle_since = sim->now;
	count_idle(sim, c, 1);
}

void idle_set_isolated(struct sim *sim, struct sim_cpu *c)
{
	bool counted = c->mode == CPU_IDLE && !c->woken;

	account_waiting(sim);
	if (counted)
		count_idle(sim, c, -1);
	c->isolated = true;
	if (counted)
		count_idle(sim, c, 1);
}

static u64 predicted_ns(const struct sim *sim, const struct sim_cpu *c)
{
	u32 sum = 0, longest = 0;
	u64 ns;

	if (c->idle_ticked)
		return IDLE_LONG_US * NSEC_PER_USEC;
	for (int i = 0; i < IDLE_INTERVALS; i++) {
		sum += c->idle_us[i];
		longest = max(longest, c->idle_us[i]);
	}
	ns = (sum - longest) / (IDLE_INTERVALS - 1) * NSEC_PER_USEC;
	if (c->timer_hint > sim->now)
		ns = min(ns, c->timer_hint - sim->now);
	return ns;
}

static void enter_state(struct sim *sim, struct sim_cpu *c, u64 ns)
{
	const struct machine *m = sim->m;
	const struct machine_cstate *cs = m->cstate;

	c->polling = false;
	c->idle_exit_ns = 0;
	if (!m->nr_cstates)
		return;
	for (int i = 1; i < m->nr_cstates && m->cstate[i].residency_ns <= ns; i++)
		cs = &m->cstate[i];
	c->polling = cs->polling;
	c->idle_exit_ns = cs->exit_ns;
	if (m->cpuidle)
		sched_idle_state(sim->sched, c->id, true, cs->table_exit_ns);
}

/* No driver to predict anything: the tick stops at each entry (spec 14 §0). */
static bool stops_tick(const struct sim *sim, u64 ns)
{
	return !sim->m->cpuidle || ns >= sim->tick_ns;
}

/* as deep as it gets; nothing comes here any more, so it doesn't count as idle */
static void enter_off(struct sim *sim, struct sim_cpu *c)
{
	rates_start(sim->rates, sim->now, c->id, ACT_IDLE, 0, NULL);
	sim->rates_dirty = true;
	c->polling = false;
	c->idle_exit_ns = 0;
	c->act.kind = FRAME_IDLE;
	c->act.mode = c->mode = CPU_IDLE;
	c->seg_end = NEVER;
	c->woken = true;
	cpu_arm(sim, c);
}

/**
 * idle_enter() - the idle task is current and has nothing to do
 */
void idle_enter(struct sim *sim, struct sim_cpu *c)
{
	u64 ns;

	if (unlikely(c->carry)) {
		seg_path(sim, c, 0, idle_enter);
		return;
	}
	if (unlikely(c->irqs & IRQ_STOP)) {
		stop_run(sim, c);
		return;
	}
	if (c->resched) {
		schedule(sim, c);
		return;
	}
	if (unlikely(c->irq_at <= sim->now)) {
		struct frame f = { .kind = FRAME_IDLE, .mode = CPU_IDLE };

		irq_enter_at(sim, c, &f);
		return;
	}
	if (unlikely(c->leaving) && hotplug_off(sim, c)) {
		enter_off(sim, c);
		return;
	}
	ns = predicted_ns(sim, c);
	if (!c->tick_stopped && stops_tick(sim, ns)) {
		c->tick_stopped = true;
		mask_clear(sim->tick_mask, c->id);
		c->irqs &= ~IRQ_TICK;
		sched_nohz_enter(sim->sched, sim->now, c->id);
		handle_outs(sim);
	}
	enter_state(sim, c, ns);
	rates_start(sim->rates, sim->now, c->id, ACT_IDLE, 0, NULL);
	sim->rates_dirty = true;
	c->act.kind = FRAME_IDLE;
	c->act.mode = c->mode = CPU_IDLE;
	c->seg_end = NEVER;
	c->idle_since = sim->now;
	c->woken = c->irqs & (IRQ_CALL | IRQ_RESCHED | IRQ_STOP | IRQ_NOHZ);
	if (!c->woken) {
		account_waiting(sim);
		count_idle(sim, c, 1);
	}
	cpu_arm(sim, c);
}

void idle_woken(struct sim *sim, struct sim_cpu *c)
{
	if (c->woken)
		return;
	account_waiting(sim);
	count_idle(sim, c, -1);
	c->woken = true;
}

void idle_leave(struct sim *sim, struct sim_cpu *c)
{
	u64 us = (sim->now - c->idle_since) / NSEC_PER_USEC;

	idle_woken(sim, c);
	c->woken = false;
	c->polling = false;
	c->idle_us[c->idle_pos++ % IDLE_INTERVALS] = min(us, (u64)IDLE_LONG_US);
	if (sim->m->cpuidle)
		sched_idle_state(sim->sched, c->id, false, 0);
	rates_start(sim->rates, sim->now, c->id, ACT_WALL, 0, NULL);
	sim->rates_dirty = true;
}

void idle_exit(struct sim *sim, struct sim_cpu *c)
{
	c->idle_ticked = false;
	if (!c->tick_stopped)
		return;
	c->tick_stopped = false;
	tick_start(sim, c);
	sched_nohz_exit(sim->sched, sim->now, c->id);
	handle_outs(sim);
}
