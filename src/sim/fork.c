/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fork.c - fork, exec, waiting for children, and init, who forks the workload (spec 05).
 *
 * Every task of the workload is forked, one after the other, by a task that
 * runs on some CPU and pays for it: what was placed before has begun to run,
 * or is being switched in, when the next is placed.
 */
#include <errno.h>

#include "sim/engine.h"

static void forked(struct sim *sim, struct sim_cpu *c)
{
	c->curr->ret = c->curr->child->pid;
	step_next(sim, c);
}

/* the child: one that sim_spawn() made for init, or a new one */
static struct sim_task *fork_child(struct sim *sim, struct sim_task *t)
{
	if (t->step.spawn)
		return task_alloc(sim, t->step.spawn, t);
	return sim->spawned[sim->next_spawned++];
}

static void fork_copied(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr, *child = fork_child(sim, t);

	if (!child || task_create(sim, child, t)) {
		err_set(&sim->fail, -ENOMEM, "no memory for task %d", sim->nr_slots + 1);
		return;
	}
	if (t->step.spawn && !t->background)
		sim->nr_live++;
	child->background = t->step.spawn && t->background;
	t->child = child;
	if (tracing(sim))
		trace_fork(sim, c->id, t, child);
	wake_new(sim, c, child, forked);
}

bool step_fork(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	image_work(sim, c, t->step.bare ? 0 : sim->cost->fork, sim->m->locked.fork, fork_copied);
	return false;
}

/* ---- exec ---- */

/* where the stopper took it, or where it was */
static void exec_load(struct sim *sim, struct sim_cpu *c)
{
	if (tracing(sim))
		trace_task(sim, TRACE_EXEC, c->id, c->curr, -1, -1);
	image_work(sim, c, c->curr->step.bare ? 0 : sim->cost->exec, sim->m->locked.exec,
		   step_next);
}

static void exec_decided(struct sim *sim, struct sim_cpu *c)
{
	int target = c->wk.fork.target;

	if (target == c->id) {
		exec_load(sim, c);
		return;
	}
	count(sim, CNT_execs_moved);
	stop_queue(sim, c->id, c, c->curr, target);
	if (!return_to_user(sim, c, exec_load))
		exec_load(sim, c);
}

bool step_exec(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	count(sim, CNT_execs);
	t->mm = ++sim->next_mm;
	c->mm = t->mm;
	sched_exec_decide(sim->sched, sim->now, c->id, &c->wk.fork);
	seg_path(sim, c, (t->step.bare ? 0 : sim->cost->syscall) + c->wk.fork.cost_ns,
		 exec_decided);
	return false;
}

/* ---- wait ---- */

static void wait_entered(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr, *z = waitq_take(&t->zombies);

	if (z) {
		t->ret = z->pid;
		task_reap(sim, z);
		step_next(sim, c);
	} else if (!t->children) {
		t->ret = -ECHILD;
		step_next(sim, c);
	} else {
		t->waits_child = true;
		task_block(sim, c, NULL, "a child's exit", wait_entered);
	}
}

bool step_wait_child(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	seg_call(sim, c, CPU_ATOMIC, sim->cost->syscall, wait_entered);
	return false;
}

/* ---- init ---- */

static void init_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	if (sim->next_spawned < sim->nr_spawned)
		step->op = SIM_FORK;
}

static const struct sim_program init_program = { .name = "init", .next = init_next };

/**
 * init_start() - from now on init forks what was spawned
 */
int init_start(struct sim *sim)
{
	const struct sim_spawn what = {
		.comm = "init",
		.program = &init_program,
		.process = true,
	};
	int cpu = sim->p.no_noise ? mask_first(sim->common_cpus, sim->words) : draw_cpu(sim);
	struct sim_task *init = task_alloc(sim, &what, NULL);

	if (!init || task_create(sim, init, NULL))
		return -ENOMEM;
	init->background = true;
	task_start_at(sim, init, cpu, sim->now);
	return 0;
}
