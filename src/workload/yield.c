// SPDX-License-Identifier: BSD-2-Clause
/*
 * yield - tasks that call sched_yield() all the time, as will-it-scale's do.
 *
 * Alone on its CPU a task measures the call and the pick that finds it again;
 * with others it measures what a kernel makes of a yield: whether it gives way
 * at all, and to whom (spec 02 §4.10, §5.11).
 */
#include <errno.h>
#include <stdio.h>

#include "workload/models.h"

struct yield_task {
	struct yield_run *run;
	bool there;
	u64 loops; /* counted */
};

struct yield_run {
	struct model_count count;
	struct yield_task *task;
};

/* clang-format off */
static const struct workload_param yield_params[] = {
	{ .name = "n", .kind = PARAM_INT, .def = 1, .min = 1, .max = 100000, .doc = "tasks" },
	{ .name = "duration", .kind = PARAM_TIME_NS, .def = NSEC_PER_SEC, .min = NSEC_PER_USEC,
	  .max = 86400 * NSEC_PER_SEC, .doc = "how long calls are counted, once all tasks are there" },
	{ .name = "threads", .kind = PARAM_FLAG, .def_string = "processes",
	  .doc = "threads instead of processes" },
	{ .name = "pinned", .kind = PARAM_FLAG, .def = 1,
	  .doc = "task i may run on CPU i mod CPUs only, as will-it-scale binds them" },
	{ .name = NULL },
};
/* clang-format on */

static void yield_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct yield_task *y = sim_task_arg(t);
	struct model_count *count = &y->run->count;
	u64 before = count->loops;

	if (model_loop(count, sim_now(sim), &y->there, 1))
		step->op = SIM_YIELD;
	y->loops += count->loops - before;
}

static const struct sim_program yield_program = {"yield", yield_next};

static int yield_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	struct yield_run *run = arena_alloc(sim_arena(sim), sizeof(*run));
	int nr = workload_int(w, "n"), nr_cpus = sim_machine(sim)->topo.nr_cpus;
	char comm[16];

	if (!run)
		return model_nomem(err);
	run->count.nr = nr;
	run->count.duration = workload_int(w, "duration");
	run->task = arena_array(sim_arena(sim), nr, sizeof(*run->task));
	if (!run->task)
		return model_nomem(err);
	for (int i = 0; i < nr; i++) {
		struct sim_spawn what = {
			.comm = comm,
			.program = &yield_program,
			.arg = &run->task[i],
			.process = !workload_int(w, "threads"),
		};

		run->task[i].run = run;
		snprintf(comm, sizeof(comm), "yield%d", i);
		if (workload_int(w, "pinned")) {
			what.allowed = model_one_cpu(sim, i % nr_cpus);
			if (!what.allowed)
				return model_nomem(err);
		}
		if (!sim_spawn(sim, &what, err))
			return err->code;
	}
	*state = run;
	return 0;
}

static int yield_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
			struct err *err)
{
	struct yield_run *run = state;
	double rate, least, most, share;
	int rc = model_rate(&run->count, sim, "yield", "sched_yield()", &rate, err);

	if (rc)
		return rc;
	least = most = run->task[0].loops;
	for (int i = 1; i < run->count.nr; i++) {
		least = min(least, (double)run->task[i].loops);
		most = max(most, (double)run->task[i].loops);
	}
	share = rate / run->count.loops;
	result_add(r, "yields", "1/s", true, rate);
	result_add(r, "slowest task", "1/s", true, least * share);
	return result_add(r, "fastest task", "1/s", true, most * share);
}

const struct workload_model yield_model = {
	.name = "yield",
	.doc = "tasks that call sched_yield() all the time (will-it-scale)",
	.metric_doc = "calls per second of all tasks, of the slowest and of the fastest",
	.params = yield_params,
	.setup = yield_setup,
	.finish = yield_finish,
};
