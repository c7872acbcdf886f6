/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stop.c - the stopper thread of each CPU (spec 06 §9, 05 §1, 09 §4).
 *
 * It preempts whatever runs there, moves tasks, and sleeps again.
 */
#include "sim/engine.h"

static void stop_work(struct sim *sim, struct sim_cpu *c);

/* nobody's stopper has to move @t any more */
void stop_cancel(struct sim_task *t)
{
	struct sim_task **pp;

	if (!t->stop_cpu)
		return;
	for (pp = &t->stop_cpu->stop; *pp != t; pp = &(*pp)->stop_next)
		;
	*pp = t->stop_next;
	t->stop_cpu = NULL;
}

/**
 * stop_queue() - give the stopper of @c something to do, from CPU @from
 * @t: to be moved to @dst (-1: where it may run then); NULL: what c->stop_… says
 */
void stop_queue(struct sim *sim, int from, struct sim_cpu *c, struct sim_task *t, int dst)
{
	if (t) {
		stop_cancel(t);
		t->stop_dst = dst;
		t->stop_cpu = c;
		t->stop_next = c->stop;
		c->stop = t;
	}
	if (tracing(sim) && !(c->irqs & IRQ_STOP))
		trace_stopper_wake(sim, from, c->id);
	kick(sim, from, c, IRQ_STOP);
}

static void stop_done(struct sim *sim, struct sim_cpu *c)
{
	if (c->stop_balance || c->stop_down || c->stop_drain || c->stop) {
		stop_work(sim, c);
		return;
	}
	c->irqs &= ~IRQ_STOP;
	sched_stop_end(sim->sched, sim->now, c->id);
	handle_outs(sim);
	schedule(sim, c);
}

/* Return: ns that it takes to move the tasks of a CPU that goes down */
static u64 drain(struct sim *sim, struct sim_cpu *c)
{
	int before = sched_nr_running(sim->sched, c->id);

	c->stop_drain = sched_stop_drain(sim->sched, sim->now, c->id);
	return (u64)max(before - sched_nr_running(sim->sched, c->id), 0) *
	       sim->cost->wake_remote[DIST_LLC];
}

static void stop_work(struct sim *sim, struct sim_cpu *c)
{
	u64 cost = sim->cost->balance_task;

	if (c->stop_balance) {
		c->stop_balance = false;
		count(sim, CNT_events);
		if (sched_active_balance(sim->sched, sim->now, c->id)) {
			count(sim, CNT_active_pushes);
			cost += sim->cost->wake_remote[DIST_LLC];
		}
	} else if (c->stop_down) {
		hotplug_down(sim, c);
	} else if (c->stop_drain) {
		cost += drain(sim, c);
	} else if (c->stop) {
		struct sim_task *t = c->stop;

		stop_cancel(t);
		if (sched_stop_migrate(sim->sched, sim->now, c->id, t->p, t->stop_dst))
			cost += sim->cost->wake_remote[distance(sim, c->id, sched_task_cpu(t->p))];
	}
	handle_outs(sim);
	seg_path(sim, c, cost, stop_done);
}

/**
 * stop_run() - the stopper becomes current; the task's frame is kept already
 */
void stop_run(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;

	count(sim, CNT_switches);
	count(sim, CNT_events);
	c->running = false;
	sched_stop_begin(sim->sched, sim->now, c->id);
	handle_outs(sim);
	stop_switched_out(sim, c, t);
	c->curr = NULL;
	c->stopping = true;
	seg_path(sim, c, sim->cost->switch_same_mm, stop_work);
}
