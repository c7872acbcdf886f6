// SPDX-License-Identifier: BSD-2-Clause
/*
 * forks - a storm of children that each compute for a while.
 *
 * The parent forks one child after the other, `gap' apart, and waits for all
 * of them. A child may fork one more that works as long (nested), or execute a
 * program first (exec). What a child could have been done in is its work; what
 * it took shows how well it was placed.
 */
#include <errno.h>
#include <stdio.h>

#include "workload/models.h"

struct forks_task {
	struct forks_run *run;
	bool has_child;
	enum { CHILD_FORK, CHILD_EXEC, CHILD_WORK, CHILD_REAP, CHILD_END } next;
	struct sim_spawn spawn, child_spawn;
	char comm[24], child_comm[24]; /* the engine keeps 15 characters */
};

struct forks_run {
	int nr, forked, reaped;
	u64 work, gap, next_fork;
	bool nested, exec, sleeping;
	struct forks_task *task;
	struct hist turnaround; /* ns from fork to end of work */
	u64 ended;
};

/* What both generations do but for the fork. */
static bool work_next(struct sim *sim, struct sim_task *t, struct forks_task *f,
		      struct sim_step *step)
{
	switch (f->next) {
	case CHILD_FORK:
	case CHILD_EXEC:
		f->next = CHILD_WORK;
		if (!f->run->exec)
			break;
		step->op = SIM_EXEC;
		return true;
	case CHILD_WORK:
		break;
	case CHILD_REAP:
	case CHILD_END:
		return false;
	}
	step->op = SIM_RUN;
	step->ns = f->run->work;
	f->next = CHILD_REAP;
	return true;
}

static void child_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct forks_task *f = sim_task_arg(t);

	if (f->next == CHILD_FORK && f->child_spawn.program) {
		f->next = CHILD_EXEC;
		f->has_child = true;
		step->op = SIM_FORK;
		step->spawn = &f->child_spawn;
		return;
	}
	if (work_next(sim, t, f, step))
		return;
	if (f->next == CHILD_REAP) {
		f->next = CHILD_END;
		hist_add(&f->run->turnaround, sim_now(sim) - sim_task_start_ns(t));
		if (f->has_child)
			step->op = SIM_WAIT_CHILD;
	}
}

static const struct sim_program child_program = {"child", child_next};

static void parent_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct forks_run *run = sim_task_arg(t);

	if (!run->forked)
		run->next_fork = sim_now(sim);
	if (run->forked && run->gap && !run->sleeping) {
		run->sleeping = true;
		run->next_fork += run->gap;
		step->op = SIM_SLEEP_UNTIL;
		step->ns = run->next_fork;
		return;
	}
	run->sleeping = false;
	if (run->forked < run->nr) {
		step->op = SIM_FORK;
		step->spawn = &run->task[run->forked++].spawn;
		return;
	}
	run->sleeping = true; /* no sleep after the last one */
	if (run->reaped++ < run->nr) {
		step->op = SIM_WAIT_CHILD;
		return;
	}
	run->ended = sim_now(sim);
}

static const struct sim_program parent_program = {"forks", parent_next};

static void forks_task_init(struct forks_run *run, int i)
{
	struct forks_task *f = &run->task[i], *grandchild = &run->task[run->nr + i];

	f->run = grandchild->run = run;
	snprintf(f->comm, sizeof(f->comm), "child%d", i);
	snprintf(f->child_comm, sizeof(f->child_comm), "grandchild%d", i);
	f->spawn = (struct sim_spawn){
		.comm = f->comm,
		.program = &child_program,
		.arg = f,
		.process = true,
	};
	if (run->nested)
		f->child_spawn = (struct sim_spawn){
			.comm = f->child_comm,
			.program = &child_program,
			.arg = grandchild,
			.process = true,
		};
}

static int forks_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	struct forks_run *run = arena_alloc(sim_arena(sim), sizeof(*run));
	struct sim_spawn parent = {
		.comm = "forks",
		.program = &parent_program,
		.arg = run,
		.process = true,
	};

	if (!run)
		return model_nomem(err);
	run->nr = workload_int(w, "n");
	run->work = workload_int(w, "work");
	run->gap = workload_int(w, "gap");
	run->nested = workload_int(w, "nested");
	run->exec = workload_int(w, "exec");
	run->task = arena_array(sim_arena(sim), 2 * run->nr, sizeof(*run->task));
	if (!run->task)
		return model_nomem(err);
	for (int i = 0; i < run->nr; i++)
		forks_task_init(run, i);
	*state = run;
	return sim_spawn(sim, &parent, err) ? 0 : err->code;
}

static int forks_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
			struct err *err)
{
	struct forks_run *run = state;

	if (!run->ended)
		return err_set(err, -ETIME,
			       "forks wasn't done when the run was stopped after %.3f s; use less "
			       "work",
			       sim_now(sim) / 1e9);
	result_add(r, "time", "s", false, run->ended / 1e9);
	return model_latencies(r, "turnaround", &run->turnaround);
}

const struct workload_model forks_model = {
	.name = "forks",
	.doc = "a storm of children that compute for a while",
	.metric_doc = "time in s until all have ended; from fork to end of work p50, p99, max in us",
	.params = forks_params,
	.setup = forks_setup,
	.finish = forks_finish,
};
