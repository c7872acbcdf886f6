// SPDX-License-Identifier: BSD-2-Clause
/*
 * hog - tasks that only compute, until the time is over.
 *
 * How fairly the CPUs are shared: each task should get CPU time in proportion
 * to its weight. Jain's index of x (CPU time over weight) is (Σx)² / (n·Σx²):
 * 1 when all are served alike, 1/n when one gets everything. It says what a
 * scheduler could have done only where the weights can be met: with more tasks
 * than CPUs and none so heavy that it would need more than one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "workload/models.h"

struct hog_task {
	struct hog_run *run;
	struct sim_task *task;
	int nice;
	u64 work; /* ns at nominal speed done */
	bool working;
};

struct hog_run {
	u64 end, chunk;
	int nr;
	struct hog_task *task;
};

static int hog_check(const struct workload *w, void **parsed, struct err *err)
{
	struct nice_list *nice = calloc(1, sizeof(*nice));
	int rc = nice ? nice_list_read(workload_string(w, "nice"), nice, err) : -ENOMEM;

	if (!rc) {
		*parsed = nice;
		return 0;
	}
	err_prefix(err, "hog: ");
	free(nice);
	return rc;
}

static void hog_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct hog_task *h = sim_task_arg(t);

	h->task = t;
	if (h->working)
		h->work += h->run->chunk;
	h->working = true;
	if (sim_now(sim) >= h->run->end)
		sim_stop(sim);
	step->op = SIM_RUN;
	step->ns = h->run->chunk;
}

static const struct sim_program hog_program = {"hog", hog_next};

static int hog_spawn(const struct workload *w, struct sim *sim, struct hog_run *run, int i,
		     struct err *err)
{
	const struct nice_list *nice = workload_parsed(w);
	struct hog_task *h = &run->task[i];
	char comm[16];
	struct sim_spawn what = {
		.comm = comm,
		.program = &hog_program,
		.arg = h,
		.nice = nice->value[i % nice->nr],
		.process = true,
	};

	h->run = run;
	h->nice = what.nice;
	if (workload_int(w, "pinned")) {
		what.allowed = model_one_cpu(sim, i % sim_machine(sim)->topo.nr_cpus);
		if (!what.allowed)
			return model_nomem(err);
	}
	snprintf(comm, sizeof(comm), "hog%d", i);
	h->task = sim_spawn(sim, &what, err);
	return h->task ? 0 : err->code;
}

static int hog_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	struct hog_run *run = arena_alloc(sim_arena(sim), sizeof(*run));
	int rc = 0;

	if (!run)
		return model_nomem(err);
	run->end = workload_int(w, "duration");
	run->chunk = workload_int(w, "chunk");
	run->nr = workload_int(w, "n");
	run->task = arena_array(sim_arena(sim), run->nr, sizeof(*run->task));
	if (!run->task)
		return model_nomem(err);
	for (int i = 0; i < run->nr && !rc; i++)
		rc = hog_spawn(w, sim, run, i, err);
	*state = run;
	return rc;
}

/* 1024 for nice 0; one step of nice is a quarter more or less (spec 02 §1). */
static double nice_weight(int nice)
{
	double weight = 1024;

	for (; nice < 0; nice++)
		weight *= 1.25;
	for (; nice > 0; nice--)
		weight /= 1.25;
	return weight;
}

static int hog_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
		      struct err *err)
{
	struct hog_run *run = state;
	double sum = 0, squares = 0, work = 0, least = 0, most = 0;

	for (int i = 0; i < run->nr; i++) {
		struct hog_task *h = &run->task[i];
		double cpu = sim_task_cpu_ns(h->task) / 1e9, x = cpu / nice_weight(h->nice);

		sum += x;
		squares += x * x;
		work += h->work / 1e9;
		least = i ? min(least, cpu) : cpu;
		most = max(most, cpu);
	}
	result_add(r, "work", "s", true, work);
	result_add(r, "fairness", "", true, squares > 0 ? sum * sum / (run->nr * squares) : 1);
	result_add(r, "CPU time min", "s", true, least);
	result_add(r, "CPU time max", "s", true, most);
	return 0;
}

const struct workload_model hog_model = {
	.name = "hog",
	.doc = "tasks that only compute",
	.metric_doc = "work done in s at nominal speed; Jain fairness of CPU time over weight; "
		      "least and most CPU time of a task",
	.params = hog_params,
	.check = hog_check,
	.free_parsed = free,
	.setup = hog_setup,
	.finish = hog_finish,
};
