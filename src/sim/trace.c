/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace.c - events as a trace shows them (spec 11 §2), to whoever listens.
 */
#include <stdio.h>

#include "sim/engine.h"

#define IDLE_PRIO    120
#define STOPPER_COMM 24

static int prio(const struct sim_task *t)
{
	return t->p ? sched_task_prio(t->p) : 120 + t->nice;
}

static void load(struct sim *sim, int cpu)
{
	if (sim->p.trace_load)
		sim->p.trace_load(sim->p.trace_ctx, sim->now - sim->start, cpu,
				  sched_nr_running(sim->sched, cpu),
				  sched_cpu_util(sim->sched, cpu));
}

/* Whose queue is another one now. A task that moves while it wakes is on none. */
static void load_after(struct sim *sim, const struct sim_trace_event *e)
{
	switch (e->kind) {
	case TRACE_SWITCH:
		load(sim, e->cpu);
		break;
	case TRACE_WAKEUP:
	case TRACE_WAKEUP_NEW:
		load(sim, e->dest_cpu);
		break;
	case TRACE_MIGRATE:
		load(sim, e->orig_cpu);
		load(sim, e->dest_cpu);
		break;
	default:
		break;
	}
}

static void tell(struct sim *sim, const struct sim_trace_event *e)
{
	sim->p.trace(sim->p.trace_ctx, e);
	load_after(sim, e);
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
		.irq = sim->cpu[cpu].in_irq,
		.softirq = sim->cpu[cpu].in_softirq,
		.sync = !sim->cpu[cpu].in_irq && sim->cpu[cpu].wk.q.sync,
	};

	tell(sim, &e);
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

	tell(sim, &e);
}

/* spec 11 §2: what a task is in when it leaves its CPU */
static char state(const struct sim_task *t, bool preempted)
{
	if (!t || preempted)
		return 'R';
	if (t->stage == STAGE_DEAD) /* the parent of a process looks at it, threads just go */
		return t->leader ? 'Z' : 'X';
	if (t->lock || t->step.op == SIM_IO)
		return 'D';
	return t->mm ? 'S' : 'I';
}

/* One side of a switch. The idle and stopper threads are no tasks of the simulation. */
struct side {
	int pid, prio;
	const char *comm;
};

static struct side side(const struct sim_task *t)
{
	return t ? (struct side){ t->pid, prio(t), t->comm }
		 : (struct side){ 0, IDLE_PRIO, "swapper" };
}

static struct side stopper(int cpu, char comm[STOPPER_COMM])
{
	snprintf(comm, STOPPER_COMM, "migration/%d", cpu);
	return (struct side){ stopper_pid(cpu), 0, comm };
}

static void sides_switch(struct sim *sim, int cpu, struct side prev, struct side next,
			 char prev_state, bool preempted)
{
	struct sim_trace_event e = {
		.kind = TRACE_SWITCH,
		.now = sim->now - sim->start,
		.cpu = cpu,
		.pid = prev.pid,
		.prio = prev.prio,
		.comm = prev.comm,
		.dest_cpu = cpu,
		.orig_cpu = cpu,
		.next_pid = next.pid,
		.next_prio = next.prio,
		.next_comm = next.comm,
		.prev_state = prev_state,
		.preempted = preempted,
	};

	tell(sim, &e);
}

void trace_switch(struct sim *sim, int cpu, const struct sim_task *prev,
		  const struct sim_task *next, bool preempted)
{
	sides_switch(sim, cpu, side(prev), side(next), state(prev, preempted), preempted);
}

void trace_stopper_in(struct sim *sim, int cpu, const struct sim_task *prev)
{
	char comm[STOPPER_COMM];

	sides_switch(sim, cpu, side(prev), stopper(cpu, comm), 'R', prev);
}

void trace_stopper_out(struct sim *sim, int cpu, const struct sim_task *next)
{
	char comm[STOPPER_COMM];

	sides_switch(sim, cpu, stopper(cpu, comm), side(next), 'S', false);
}

void trace_stopper_wake(struct sim *sim, int from, int cpu)
{
	char comm[STOPPER_COMM];
	struct side s = stopper(cpu, comm);
	struct sim_trace_event e = {
		.kind = TRACE_WAKING,
		.now = sim->now - sim->start,
		.cpu = from,
		.pid = s.pid,
		.prio = s.prio,
		.comm = s.comm,
		.dest_cpu = cpu,
		.orig_cpu = -1,
		.irq = sim->cpu[from].in_irq,
	};

	tell(sim, &e);
	e.kind = TRACE_WAKEUP;
	tell(sim, &e);
}
