/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace.c - events as a trace shows them (spec 11 §2), to whoever listens.
 */
#include "sim/engine.h"

#define IDLE_PRIO 120

static int prio(const struct sim_task *t)
{
	return 120 + t->nice;
}

void trace_task(struct sim *sim, enum sim_trace_kind kind, int cpu, const struct sim_task *t,
		int dest, int orig)
{
	struct sim_trace_event e = {
		.kind = kind,
		.now = sim->now - sim->start,
		.cpu = cpu,
		.pid = t->pid,
		.prio = prio(t),
		.comm = t->comm,
		.dest_cpu = dest,
		.orig_cpu = orig,
	};

	sim->p.trace(sim->p.trace_ctx, &e);
}

void trace_fork(struct sim *sim, int cpu, const struct sim_task *parent,
		const struct sim_task *child)
{
	struct sim_trace_event e = {
		.kind = TRACE_FORK,
		.now = sim->now - sim->start,
		.cpu = cpu,
		.pid = parent->pid,
		.prio = prio(parent),
		.comm = parent->comm,
		.dest_cpu = cpu,
		.orig_cpu = cpu,
		.next_pid = child->pid,
		.next_prio = prio(child),
		.next_comm = child->comm,
	};

	sim->p.trace(sim->p.trace_ctx, &e);
}

static char state(const struct sim_task *t, bool preempted)
{
	if (!t || preempted)
		return 'R';
	return t->stage == STAGE_DEAD ? 'X' : 'S';
}

void trace_switch(struct sim *sim, int cpu, const struct sim_task *prev,
		  const struct sim_task *next, bool preempted)
{
	struct sim_trace_event e = {
		.kind = TRACE_SWITCH,
		.now = sim->now - sim->start,
		.cpu = cpu,
		.pid = prev ? prev->pid : 0,
		.prio = prev ? prio(prev) : IDLE_PRIO,
		.comm = prev ? prev->comm : "swapper",
		.dest_cpu = cpu,
		.orig_cpu = cpu,
		.next_pid = next ? next->pid : 0,
		.next_prio = next ? prio(next) : IDLE_PRIO,
		.next_comm = next ? next->comm : "swapper",
		.prev_state = state(prev, preempted),
		.preempted = preempted,
	};

	sim->p.trace(sim->p.trace_ctx, &e);
}
