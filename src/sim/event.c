/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event.c - suspend and resume, and waking one task directly.
 *
 * An event is a wait queue without memory: who comes too late waits for the
 * next one. A task in SIM_SLEEP_FOREVER remembers one wake-up that came early.
 */
#include "sim/engine.h"

struct sim_event {
	struct waitq waiters;
};

struct sim_event *sim_event_new(struct sim *sim)
{
	return arena_alloc(sim->arena, sizeof(struct sim_event));
}

static void suspend_entered(struct sim *sim, struct sim_cpu *c)
{
	task_block(sim, c, &c->curr->step.event->waiters, "an event", step_next);
}

bool step_suspend(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	seg_call(sim, c, CPU_ATOMIC, sim->cost->futex_wait, suspend_entered);
	return false;
}

bool step_resume(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	if (!t->step.event->waiters.head)
		return true;
	c->carry += sim->cost->futex_wake;
	wake_all(sim, c, &t->step.event->waiters, false, step_next);
	return false;
}

/* ---- one task wakes another ---- */

bool step_wake_pair(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct sim_task *w = t->step.task;

	if (!w->pair_sleeping) {
		w->pair_pending = true;
		return true;
	}
	w->pair_sleeping = false;
	if (!t->step.bare)
		c->carry += sim->cost->futex_wake;
	wake_task(sim, c, w, t->step.value, step_next);
	return false;
}

static void pair_or_sleep(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;

	if (t->pair_pending) {
		t->pair_pending = false;
		step_next(sim, c);
		return;
	}
	t->pair_sleeping = true;
	task_block(sim, c, NULL, "being woken by another task", step_next);
}

bool step_sleep_forever(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	if (t->pair_pending) {
		t->pair_pending = false;
		return true;
	}
	seg_call(sim, c, CPU_ATOMIC, t->step.bare ? 0 : sim->cost->futex_wait, pair_or_sleep);
	return false;
}
