/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * barrier.c - a barrier whose early arrivers spin, then sleep (spec 12 §5).
 *
 * Spinning burns the task's CPU; the time counts while it runs, as iterations
 * do. The last arriver opens the barrier: spinners see it a line's transfer
 * later, sleepers are woken one after the other, without sync hint.
 */
#include "sim/engine.h"

struct sim_barrier {
	int users, arrived;
	u64 spin_ns;
	struct waitq waiting; /* spinning or asleep, in order of arrival */
};

struct sim_barrier *sim_barrier_new(struct sim *sim, int users, u64 spin_ns)
{
	struct sim_barrier *b = arena_alloc(sim->arena, sizeof(*b));

	if (b) {
		b->users = users;
		b->spin_ns = spin_ns;
	}
	return b;
}

static void barrier_sleep(struct sim *sim, struct sim_cpu *c)
{
	if (c->curr->released)
		step_next(sim, c);
	else
		task_block(sim, c, NULL, "a barrier", step_next);
}

static void barrier_spun(struct sim *sim, struct sim_cpu *c)
{
	c->curr->spinning = false;
	if (c->curr->released)
		step_next(sim, c);
	else
		seg_call(sim, c, CPU_ATOMIC, sim->cost->futex_wait, barrier_sleep);
}

static bool barrier_open(struct sim *sim, struct sim_cpu *c, struct sim_barrier *b)
{
	struct waitq asleep = { 0 };
	struct sim_task *w;

	b->arrived = 0;
	while ((w = waitq_take(&b->waiting))) {
		if (w->stage == STAGE_BLOCKED) {
			waitq_add(&asleep, w);
			continue;
		}
		w->released = true;
		if (w->spinning)
			spin_end(sim, w, sim->m->line_ns[distance(sim, c->id, w->last_cpu)]);
	}
	if (!asleep.head)
		return true;
	c->carry += sim->cost->futex_wake;
	wake_all(sim, c, &asleep, false, step_next);
	return false;
}

bool step_barrier(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct sim_barrier *b = t->step.barrier;

	if (++b->arrived >= b->users)
		return barrier_open(sim, c, b);
	t->released = false;
	t->spinning = b->spin_ns;
	waitq_add(&b->waiting, t);
	if (b->spin_ns) {
		c->running = true;
		seg_wall(sim, c, CPU_USER, b->spin_ns, barrier_spun);
	} else {
		barrier_spun(sim, c);
	}
	return false;
}
