// SPDX-License-Identifier: BSD-2-Clause
/*
 * share - groups of periodic tasks that work on the same memory.
 *
 * A group is a process whose threads share `footprint' bytes, or (processes)
 * as many processes with memory of their own: the same load with and without a
 * reason to keep the tasks of a group near each other.
 */
#include <errno.h>
#include <stdio.h>

#include "workload/cycle.h"
#include "workload/models.h"

struct share_task {
	struct cycle cycle;
	struct sim_spawn spawn;
	char comm[32];
};

/* The process of a group starts its threads and waits for them. */
struct share_group {
	struct share_task *first;
	int nr, forked, reaped;
};

struct share_run {
	int groups, nr; /* tasks of a group */
	struct share_task *task;
	struct share_group *group;
	struct cycle_tally tally;
};

static void share_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct share_task *s = sim_task_arg(t);

	cycle_next(&s->cycle, sim, t, step);
}

static void group_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct share_group *g = sim_task_arg(t);

	if (g->forked < g->nr) {
		step->op = SIM_FORK;
		step->spawn = &g->first[g->forked++].spawn;
	} else if (g->reaped++ < g->nr) {
		step->op = SIM_WAIT_CHILD;
	}
}

static const struct sim_program share_program = {"share", share_next};
static const struct sim_program group_program = {"group", group_next};

static void share_task_init(const struct workload *w, struct share_run *run, int i)
{
	u64 period = workload_int(w, "period"), lead = workload_int(w, "lead");
	struct share_task *s = &run->task[i];

	s->cycle = (struct cycle){
		.release = lead + (u64)((u128)period * i / (run->groups * run->nr)),
		.period = period,
		.work = workload_int(w, "run"),
		.end = lead + workload_int(w, "duration"),
		.tally = &run->tally,
	};
	snprintf(s->comm, sizeof(s->comm), "share%d.%d", i / run->nr, i % run->nr);
	s->spawn = (struct sim_spawn){
		.comm = s->comm,
		.program = &share_program,
		.arg = s,
		.process = !workload_int(w, "threads"),
		.footprint = workload_int(w, "footprint"),
	};
}

static int share_spawn_groups(struct sim *sim, struct share_run *run, struct err *err)
{
	run->group = arena_array(sim_arena(sim), run->groups, sizeof(*run->group));
	if (!run->group)
		return model_nomem(err);
	for (int i = 0; i < run->groups; i++) {
		char comm[32];
		struct sim_spawn what = {
			.comm = comm,
			.program = &group_program,
			.arg = &run->group[i],
			.process = true,
		};

		run->group[i].first = &run->task[i * run->nr];
		run->group[i].nr = run->nr;
		snprintf(comm, sizeof(comm), "group%d", i);
		if (!sim_spawn(sim, &what, err))
			return err->code;
	}
	return 0;
}

static int share_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	struct share_run *run = arena_alloc(sim_arena(sim), sizeof(*run));
	int nr;

	if (!run)
		return model_nomem(err);
	run->groups = workload_int(w, "groups");
	run->nr = workload_int(w, "n");
	nr = run->groups * run->nr;
	run->task = arena_array(sim_arena(sim), nr, sizeof(*run->task));
	if (!run->task)
		return model_nomem(err);
	*state = run;
	for (int i = 0; i < nr; i++)
		share_task_init(w, run, i);
	if (workload_int(w, "threads"))
		return share_spawn_groups(sim, run, err);
	for (int i = 0; i < nr; i++)
		if (!sim_spawn(sim, &run->task[i].spawn, err))
			return err->code;
	return 0;
}

static int share_check(const struct workload *w, void **parsed, struct err *err)
{
	s64 tasks = workload_int(w, "groups") * workload_int(w, "n");

	if (tasks > 1000000)
		return err_set(err, -EINVAL, "share: %lld tasks (groups x n); at most 1000000 are possible",
			       (long long)tasks);
	return 0;
}

static int share_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
			struct err *err)
{
	struct share_run *run = state;

	model_latencies(r, "wakeup latency", &run->tally.latency);
	result_add(r, "missed", "periods", false, run->tally.missed);
	return result_add(r, "done", "periods", true, run->tally.done);
}

const struct workload_model share_model = {
	.name = "share",
	.doc = "groups of periodic tasks that work on the same memory",
	.metric_doc = "wake-up latency p50, p99, max in us; periods missed and done",
	.params = share_params,
	.check = share_check,
	.setup = share_setup,
	.finish = share_finish,
};
