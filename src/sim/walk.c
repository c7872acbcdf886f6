/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk.c - balancing walks in time (spec 06 §10–12, 14 §2.5).
 *
 * Who asks for a walk handles what the core asked for in it.
 *
 * Each pass takes its time between looking and attaching; the tasks it took
 * are on no queue meanwhile, and other CPUs act.
 */
#include "sim/engine.h"

static void walk_step(struct sim *sim, struct sim_cpu *c);

static void walk_attach(struct sim *sim, struct sim_cpu *c)
{
	int n = sched_walk_attach(sim->sched, sim->now, c->id);

	sim->counter[CNT_balance_moved] += n;
	handle_outs(sim);
	walk_step(sim, c);
}

static void walk_step(struct sim *sim, struct sim_cpu *c)
{
	u64 cost = 0;

	if (!sched_walk_step(sim->sched, sim->now, c->id, &cost)) {
		c->walk_then(sim, c);
		return;
	}
	handle_outs(sim);
	seg_path(sim, c, cost, walk_attach);
}

void walk(struct sim *sim, struct sim_cpu *c, enum walk_kind kind, cpu_fn then)
{
	u64 cost = 0;
	bool go = sched_walk_begin(sim->sched, sim->now, c->id, kind, &cost);

	c->carry += cost;
	if (!go) {
		then(sim, c);
		return;
	}
	c->walk_then = then;
	walk_step(sim, c);
}
