// SPDX-License-Identifier: BSD-2-Clause
/*
 * mix - hogs that are pinned, hogs of a high and of a low nice level, and sleepers.
 *
 * What a general purpose machine looks like to a scheduler: some CPUs are taken
 * for good, the rest is to be shared by weight, and short tasks want in between.
 */
#include <errno.h>
#include <stdio.h>

#include "workload/cycle.h"
#include "workload/models.h"

enum mix_kind { MIX_PINNED, MIX_HIGH, MIX_LOW, MIX_SLEEPER, NR_MIX_KINDS };

static const char *const kind_name[NR_MIX_KINDS] = {"pinned", "high", "low", "sleepers"};
static const char *const kind_comm[NR_MIX_KINDS] = {"pin", "high", "low", "sleeper"};

struct mix_task {
	struct mix_run *run;
	enum mix_kind kind;
	struct cycle cycle; /* of a sleeper */
};

struct mix_run {
	u64 end, chunk;
	int count[NR_MIX_KINDS];
	u64 cpu_ns[NR_MIX_KINDS]; /* of tasks that have exited */
	struct cycle_tally tally;
	struct mix_task *task;
};

static void mix_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct mix_task *m = sim_task_arg(t);
	struct mix_run *run = m->run;

	if (m->kind == MIX_SLEEPER) {
		if (cycle_next(&m->cycle, sim, t, step))
			return;
	} else if (sim_now(sim) < run->end) {
		step->op = SIM_RUN;
		step->ns = run->chunk;
		return;
	}
	run->cpu_ns[m->kind] += sim_task_cpu_ns(t); /* SIM_EXIT */
}

static const struct sim_program mix_program = {"mix", mix_next};

static int mix_spawn(const struct workload *w, struct sim *sim, struct mix_run *run,
		     struct mix_task *m, int i, struct err *err)
{
	int nice = workload_int(w, "nice");
	char comm[32];
	struct sim_spawn what = {
		.comm = comm,
		.program = &mix_program,
		.arg = m,
		.nice = m->kind == MIX_HIGH ? -nice : m->kind == MIX_LOW ? nice : 0,
		.process = true,
	};

	m->run = run;
	if (m->kind == MIX_PINNED) {
		what.allowed = model_one_cpu(sim, i % sim_machine(sim)->topo.nr_cpus);
		if (!what.allowed)
			return model_nomem(err);
	}
	if (m->kind == MIX_SLEEPER)
		m->cycle = (struct cycle){
			.release = workload_int(w, "lead") +
				   workload_int(w, "period") * i / run->count[MIX_SLEEPER],
			.period = workload_int(w, "period"),
			.work = workload_int(w, "run"),
			.end = run->end,
			.tally = &run->tally,
		};
	snprintf(comm, sizeof(comm), "%s%d", kind_comm[m->kind], i);
	return sim_spawn(sim, &what, err) ? 0 : err->code;
}

static int mix_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	struct mix_run *run = arena_alloc(sim_arena(sim), sizeof(*run));
	int nr = 0;

	if (!run)
		return model_nomem(err);
	run->end = workload_int(w, "lead") + workload_int(w, "duration");
	run->chunk = workload_int(w, "chunk");
	for (int k = 0; k < NR_MIX_KINDS; k++)
		nr += run->count[k] = workload_int(w, kind_name[k]);
	run->task = arena_array(sim_arena(sim), max(nr, 1), sizeof(*run->task));
	if (!run->task)
		return model_nomem(err);
	*state = run;
	nr = 0;
	for (int k = 0; k < NR_MIX_KINDS; k++)
		for (int i = 0; i < run->count[k]; i++) {
			run->task[nr].kind = k;
			if (mix_spawn(w, sim, run, &run->task[nr++], i, err))
				return err->code;
		}
	return 0;
}

static int mix_check(const struct workload *w, void **parsed, struct err *err)
{
	for (int k = 0; k < NR_MIX_KINDS; k++)
		if (workload_int(w, kind_name[k]))
			return 0;
	return err_set(err, -EINVAL, "mix: no task at all: give pinned, high, low or sleepers");
}

static int mix_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
		      struct err *err)
{
	struct mix_run *run = state;

	for (int k = 0; k < NR_MIX_KINDS; k++) {
		char name[64];

		if (!run->count[k])
			continue;
		snprintf(name, sizeof(name), "CPU time %s", kind_name[k]);
		result_add(r, name, "s", true, run->cpu_ns[k] / 1e9 / run->count[k]);
	}
	result_add(r, "missed", "periods", false, run->tally.missed);
	return model_latencies(r, "wakeup latency", &run->tally.latency);
}

const struct workload_model mix_model = {
	.name = "mix",
	.doc = "pinned hogs, hogs of two nice levels, and sleepers",
	.metric_doc = "CPU time in s of a task of each kind; wake-up latency of the sleepers p50, "
		      "p99, max in us, and how many of their periods were missed",
	.params = mix_params,
	.check = mix_check,
	.setup = mix_setup,
	.finish = mix_finish,
};
