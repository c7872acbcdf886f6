// SPDX-License-Identifier: BSD-2-Clause
/*
 * periodic - tasks that run for a while every so often.
 *
 * Task i is released at begin + phase + j·period. It sleeps until then, works,
 * and sleeps again; if it is late there is no sleep and no release is dropped.
 * A period is missed when its work isn't done by the next release. The timed
 * part begins `lead' after the start, so that placing the new tasks and the
 * steady state can be told apart.
 *
 * Wake-up latency is the time from being woken to running: what the scheduler
 * answers for. How late the timer itself was is not in it.
 */
#include <errno.h>
#include <stdio.h>

#include "workload/cycle.h"
#include "workload/models.h"

struct periodic_task {
	struct cycle cycle;
	struct sim_task *task; /* NULL once it has exited */
	u64 cpu_ns;	       /* when it exited */
};

struct periodic_run {
	struct cycle_tally tally;
	int nr;
	struct periodic_task *task;
};

/* No release is dropped, so that a task may work for much longer than the duration. */
#define MAX_WORK_S 86400

static int periodic_check(const struct workload *w, void **parsed, struct err *err)
{
	u64 releases = workload_int(w, "duration") / workload_int(w, "period") + 1;
	u128 work = (u128)releases * workload_int(w, "run");

	if (workload_is_set(w, "load") && workload_is_set(w, "run"))
		return err_set(err, -EINVAL, "periodic: give run or load, not both");
	if (!workload_is_set(w, "load") && work > MAX_WORK_S * NSEC_PER_SEC)
		return err_set(err, -EINVAL,
			       "periodic: %llu periods of run are %llu s of work for each task; at most "
			       "%d s are possible: make run or duration shorter, or period longer",
			       (unsigned long long)releases,
			       (unsigned long long)(work / NSEC_PER_SEC), MAX_WORK_S);
	return 0;
}

static void periodic_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct periodic_task *p = sim_task_arg(t);

	p->task = t;
	if (cycle_next(&p->cycle, sim, t, step))
		return;
	p->cpu_ns = sim_task_cpu_ns(t);
	p->task = NULL; /* SIM_EXIT */
}

static const struct sim_program periodic_program = {"periodic", periodic_next};

static u64 first_phase(struct sim *sim, int choice, u64 period, int i, int n)
{
	switch (choice) {
	case PHASE_DRAWN:
		return rng_below(sim_rng(sim), period);
	case PHASE_STAGGERED:
		return (u64)((u128)period * i / n);
	default:
		return 0;
	}
}

static int periodic_spawn(const struct workload *w, struct sim *sim, struct periodic_run *run,
			  int i, struct err *err)
{
	u64 period = workload_int(w, "period"), work = workload_int(w, "run");
	struct periodic_task *p = &run->task[i];
	char comm[16];
	struct sim_spawn what = {
		.comm = comm,
		.program = &periodic_program,
		.arg = p,
		.nice = workload_int(w, "nice"),
		.process = true,
		.footprint = workload_int(w, "footprint"),
	};

	if (workload_is_set(w, "load"))
		work = max(period * workload_int(w, "load") / 100, 1ULL);
	p->cycle = (struct cycle){
		.period = period,
		.end = workload_int(w, "lead") + workload_int(w, "duration"),
		.tally = &run->tally,
	};
	if (workload_int(w, "mixed"))
		p->cycle.period = period / 2 + rng_below(sim_rng(sim), period + 1);
	p->cycle.work = max((u64)((u128)work * p->cycle.period / period), 1ULL);
	p->cycle.release = workload_int(w, "lead") + first_phase(sim, workload_int(w, "phase"),
								 p->cycle.period, i, run->nr);
	if (workload_int(w, "pinned")) {
		what.allowed = model_one_cpu(sim, i % sim_machine(sim)->topo.nr_cpus);
		if (!what.allowed)
			return model_nomem(err);
	}
	snprintf(comm, sizeof(comm), "per%d", i);
	return sim_spawn(sim, &what, err) ? 0 : err->code;
}

static int periodic_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	struct periodic_run *run = arena_alloc(sim_arena(sim), sizeof(*run));
	int rc = 0;

	if (!run)
		return model_nomem(err);
	run->nr = workload_int(w, "n");
	run->task = arena_array(sim_arena(sim), run->nr, sizeof(*run->task));
	if (!run->task)
		return model_nomem(err);
	for (int i = 0; i < run->nr && !rc; i++)
		rc = periodic_spawn(w, sim, run, i, err);
	*state = run;
	return rc;
}

static int periodic_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
			   struct err *err)
{
	struct periodic_run *run = state;
	u64 cpu_ns = 0;

	for (int i = 0; i < run->nr; i++) {
		struct periodic_task *p = &run->task[i];

		cpu_ns += p->task ? sim_task_cpu_ns(p->task) : p->cpu_ns;
	}
	model_latencies(r, "wakeup latency", &run->tally.latency);
	result_add(r, "missed", "periods", false, run->tally.missed);
	result_add(r, "done", "periods", true, run->tally.done);
	result_add(r, "CPU time", "s", false, cpu_ns / 1e9);
	return 0;
}

const struct workload_model periodic_model = {
	.name = "periodic",
	.doc = "tasks that work for a while every so often",
	.metric_doc = "wake-up latency p50, p99, max in us; periods missed and done; CPU time",
	.params = periodic_params,
	.check = periodic_check,
	.setup = periodic_setup,
	.finish = periodic_finish,
};
