/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * irq.c - interrupts: IPIs, timers, the tick, and what follows them (spec 14 §1.3–1.6).
 *
 * Everything that has arrived is handled in one go: tick, timers, wake list,
 * then the softirqs. Then the CPU goes on with what was interrupted, unless it
 * was in user mode or idle and has to reschedule or to run the stopper.
 */
#include "sched/psi.h"
#include "sim/engine.h"

static void irq_next(struct sim *sim, struct sim_cpu *c);

void irq_enter_at(struct sim *sim, struct sim_cpu *c, const struct frame *f)
{
	c->saved = *f;
	c->in_irq = true;
	c->mode = CPU_ATOMIC;
	c->irq_since = sim->now;
	irq_next(sim, c);
}

void irq_enter(struct sim *sim, struct sim_cpu *c)
{
	struct frame f;

	if (c->mode == CPU_IDLE)
		idle_leave(sim, c);
	frame_suspend(sim, c, &f);
	irq_enter_at(sim, c, &f);
}

static void leave_irq(struct sim *sim, struct sim_cpu *c)
{
	if (unlikely(sim->p.pressure))
		sched_psi_irq(sim->sched, sim->now, c->id, sim->now - c->irq_since);
	c->in_irq = false;
	c->irq_at = NEVER;
}

static void irq_exit_idle(struct sim *sim, struct sim_cpu *c)
{
	if (c->irqs & IRQ_STOP) {
		leave_irq(sim, c);
		idle_exit(sim, c);
		stop_run(sim, c);
	} else if (c->resched) {
		leave_irq(sim, c);
		idle_exit(sim, c);
		schedule(sim, c);
	} else if (c->carry) {
		seg_path(sim, c, 0, irq_next);
	} else {
		leave_irq(sim, c);
		idle_enter(sim, c);
	}
}

static void irq_exit(struct sim *sim, struct sim_cpu *c)
{
	bool user = c->saved.mode == CPU_USER;

	if (c->saved.mode == CPU_IDLE) {
		irq_exit_idle(sim, c);
	} else if (user && c->irqs & IRQ_STOP) {
		leave_irq(sim, c);
		task_keep_frame(c);
		stop_run(sim, c);
	} else if (user && must_schedule(sim, c)) {
		leave_irq(sim, c);
		task_keep_frame(c);
		schedule(sim, c);
	} else if (c->carry) {
		seg_path(sim, c, 0, irq_next);
	} else if (c->saved.kind == FRAME_SPIN && c->resched && !user) {
		leave_irq(sim, c);
		kmutex_give_up(sim, c);
	} else {
		struct frame f = c->saved;

		leave_irq(sim, c);
		frame_start(sim, c, &f);
	}
}

/* ---- the tick ---- */

static void irq_tick(struct sim *sim, struct sim_cpu *c)
{
	u32 scale;

	count(sim, CNT_ticks);
	count(sim, CNT_events);
	rates_frequency(sim->rates, sim->now, c->id);
	sim->rates_dirty = true;
	scale = rates_freq_scale(sim->rates, c->id);
	if (scale != c->freq_scale) {
		c->freq_scale = scale;
		sched_set_freq_scale(sim->sched, sim->now, c->id, scale);
	}
	if (c->curr && c->saved.mode != CPU_IDLE)
		cgroup_tick(sim, c->curr, c->saved.mode == CPU_USER);
	sched_tick(sim->sched, sim->now, c->id);
	handle_outs(sim);
	if (c->saved.mode == CPU_IDLE)
		c->idle_ticked = true;
	else
		noise_tick(sim, c);
	seg_path(sim, c, sim->cost->tick, irq_next);
}

/* The ticks of all CPUs share a phase: one event for all. */
void tick_all(struct sim *sim)
{
	int cpu;

	sim->next_tick += sim->tick_ns;
	for_each_cpu(cpu, sim->tick_mask, sim->words) {
		struct sim_cpu *c = &sim->cpu[cpu];

		c->irqs |= IRQ_TICK;
		if (c->mode == CPU_USER || c->mode == CPU_KERNEL) {
			irq_enter(sim, c);
		} else {
			c->irq_at = min(c->irq_at,
					sim->now + (c->mode == CPU_IDLE ? c->idle_exit_ns : 0));
			if (c->mode == CPU_IDLE)
				cpu_arm(sim, c);
		}
	}
	if (mask_empty(sim->tick_mask, sim->words))
		sim->next_tick = NEVER;
}

void tick_start(struct sim *sim, struct sim_cpu *c)
{
	mask_set(sim->tick_mask, c->id);
	if (sim->next_tick == NEVER)
		sim->next_tick = (sim->now / sim->tick_ns + 1) * sim->tick_ns;
	arm_others(sim);
}

/* ---- timers ---- */

static void irq_timers(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = waitq_take(&c->timers);

	if (!t)
		irq_next(sim, c);
	else if (unlikely(t->stage == STAGE_NEW))
		wake_new(sim, c, t, irq_timers);
	else if (unlikely(t->stage == STAGE_DEAD))
		work_due(sim, c, t, irq_timers);
	else
		wake_task(sim, c, t, false, irq_timers);
}

static void irq_raise(struct sim *sim, struct sim_cpu *c, u32 bit, bool exact)
{
	u64 at = sim->now + (exact ? 0 : irq_jitter(sim));

	if (unlikely(sim->m->irq_turn_ns) && !exact)
		at += irq_turn(sim);
	if (c->mode == CPU_IDLE)
		at += c->idle_exit_ns;
	c->irqs |= bit;
	if (at < c->irq_at) {
		c->irq_at = at;
		if (c->mode != CPU_ATOMIC)
			cpu_arm(sim, c);
	}
}

/* The core's timer of @c expires. */
void class_timer_expired(struct sim *sim, struct sim_cpu *c)
{
	irq_raise(sim, c, IRQ_CLASS, false);
}

/* The timer of @t expires: its CPU gets the interrupt (spec 14 §1.5). */
void timer_expired(struct sim *sim, struct sim_task *t)
{
	struct sim_cpu *c = &sim->cpu[t->timer_cpu];

	waitq_add(&c->timers, t);
	irq_raise(sim, c, IRQ_TIMER, t->exact);
}

/* ---- IPIs ---- */

void kick(struct sim *sim, int from, struct sim_cpu *c, u32 bit)
{
	u64 at = sim->now;

	c->irqs |= bit;
	if (from != c->id) {
		if (c->polling && bit & (IRQ_CALL | IRQ_RESCHED)) {
			count(sim, CNT_polling_wakes);
			at += sim->cost->poll_wake;
		} else {
			count(sim, CNT_ipis);
			at += sim->cost->ipi[distance(sim, from, c->id)];
			if (unlikely(sim->m->irq_turn_ns))
				at += irq_turn(sim);
		}
	}
	if (c->mode == CPU_IDLE) {
		at += c->idle_exit_ns;
		idle_woken(sim, c);
	}
	if (at < c->irq_at) {
		c->irq_at = at;
		if (c->mode != CPU_ATOMIC)
			cpu_arm(sim, c);
	}
}

static void irq_walked(struct sim *sim, struct sim_cpu *c)
{
	handle_outs(sim);
	irq_next(sim, c);
}

/* realtime and deadline: throttling periods, budgets, requests to push */
static __attribute__((noinline)) void irq_classes(struct sim *sim, struct sim_cpu *c)
{
	if (c->irqs & IRQ_CLASS) {
		c->carry += sim->cost->timer_irq;
		sched_timer(sim->sched, sim->now, c->id);
		handle_outs(sim);
	}
	if (c->irqs & IRQ_RT_PUSH) {
		c->carry += sim->cost->balance_task;
		sched_rt_push(sim->sched, sim->now, c->id);
		handle_outs(sim);
	}
	c->irqs &= ~(IRQ_CLASS | IRQ_RT_PUSH);
}

static void irq_next(struct sim *sim, struct sim_cpu *c)
{
	if (unlikely(c->hrtick_at <= sim->now) && c->saved.mode != CPU_IDLE) {
		c->hrtick_at = NEVER;
		c->carry += sim->cost->timer_irq;
		sched_hrtick(sim->sched, sim->now, c->id);
		handle_outs(sim);
	}
	if (unlikely(c->irqs & (IRQ_CLASS | IRQ_RT_PUSH)))
		irq_classes(sim, c);
	if (c->irqs & IRQ_TICK) {
		c->irqs &= ~IRQ_TICK;
		irq_tick(sim, c);
		return;
	}
	if (c->irqs & IRQ_TIMER) {
		c->irqs &= ~IRQ_TIMER;
		seg_path(sim, c, sim->cost->timer_irq, irq_timers);
		return;
	}
	if (c->irqs & IRQ_CALL) {
		c->irqs &= ~IRQ_CALL;
		c->carry += wake_list_run(sim, c);
	}
	c->irqs &= ~IRQ_RESCHED;
	if (c->irqs & IRQ_NOHZ) {
		c->irqs &= ~IRQ_NOHZ;
		walk(sim, c, WALK_NOHZ, irq_walked);
		return;
	}
	if (c->irqs & IRQ_SOFTIRQ) {
		c->irqs &= ~IRQ_SOFTIRQ;
		walk(sim, c, WALK_PERIODIC, irq_walked);
		return;
	}
	irq_exit(sim, c);
}
