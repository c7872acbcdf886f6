// SPDX-License-Identifier: BSD-2-Clause
#include "experiment/replays.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "experiment/kernel_dump.h"

/* ---- metrics ---- */

#define METRIC(name, expr)                                                                         \
	static double metric_##name(const struct figure *f)                                        \
	{                                                                                          \
		return expr;                                                                       \
	}

METRIC(p50, (double)f->p50_ns / 1000)
METRIC(p95, (double)f->p95_ns / 1000)
METRIC(p99, (double)f->p99_ns / 1000)
METRIC(max, (double)f->max_ns / 1000)
METRIC(wait, (double)f->wait_ns / 1e6)
METRIC(runtime, (double)f->runtime_ns / 1e6)
METRIC(makespan, (double)f->end_ns / 1e6)
METRIC(wakeups, (double)f->wakeups)
METRIC(switches, (double)f->switches)
METRIC(preemptions, (double)f->preemptions)
METRIC(migrations, (double)f->migrations)
METRIC(smt, (double)f->by_distance[DIST_SMT])
METRIC(cluster, (double)f->by_distance[DIST_CLUSTER])
METRIC(llc, (double)f->by_distance[DIST_LLC])
METRIC(node, (double)f->by_distance[DIST_NODE])
METRIC(package, (double)f->by_distance[DIST_PACKAGE])
METRIC(remote, (double)f->by_distance[DIST_REMOTE])

static const struct replays_metric metrics[] = {
	{ "wake-up latency p50", "us", metric_p50, false },
	{ "wake-up latency p95", "us", metric_p95, false },
	{ "wake-up latency p99", "us", metric_p99, false },
	{ "wake-up latency max", "us", metric_max, false },
	{ "waiting time", "ms", metric_wait, false },
	{ "run time", "ms", metric_runtime, false },
	{ "makespan", "ms", metric_makespan, false },
	{ "wake-ups", "", metric_wakeups, false },
	{ "context switches", "", metric_switches, false },
	{ "preemptions", "", metric_preemptions, false },
	{ "migrations", "", metric_migrations, false },
	{ "within a core", "", metric_smt, true },
	{ "within a cluster", "", metric_cluster, true },
	{ "within an LLC", "", metric_llc, true },
	{ "within a node", "", metric_node, true },
	{ "within a package", "", metric_package, true },
	{ "between packages", "", metric_remote, true },
};

int replays_nr_metrics(void)
{
	return ARRAY_SIZE(metrics);
}

const struct replays_metric *replays_metric(int i)
{
	return &metrics[i];
}

static void state_metrics(struct result *r, const struct figure *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
		result_add(r, metrics[i].name, metrics[i].unit, false, metrics[i].value(f));
}

/* ---- runs ---- */

static int run_one(void *replays, int i, struct err *err)
{
	struct replays *r = replays;
	const struct replays_spec *s = &r->spec;
	struct replay_run run = {
		.r = r->replay,
		.m = r->machine,
		.k = &r->kernel[i / s->nr_seeds],
		.seed = s->first_seed + (u64)(i % s->nr_seeds),
		.work_num = r->work_num,
		.work_den = r->work_den,
		.sync = s->sync,
		.check = s->check,
	};
	int ret = replay_run(&run, &r->figures[i], &r->result[i], NULL, err);

	if (ret)
		err_prefix(err, "%s, seed %llu: ", s->kernel_expr[i / s->nr_seeds],
			   (unsigned long long)run.seed);
	else
		state_metrics(&r->result[i], &r->figures[i].all);
	return ret;
}

static int calibrate(struct replays *r, struct err *err)
{
	struct replay_run run = {
		.r = r->replay,
		.m = r->from_machine,
		.k = &r->kernel[r->spec.nr_kernels],
		.seed = r->spec.first_seed,
		.work_num = 1,
		.work_den = 1,
		.sync = r->spec.sync,
	};

	return replay_calibrate(r->replay, &run, err);
}

static void set_speed(struct replays *r)
{
	const struct machine *m = r->machine, *from = r->from_machine;

	r->work_num = r->work_den = 1;
	if (r->spec.speed_permille) {
		r->work_num = 1000;
		r->work_den = r->spec.speed_permille;
	} else if (m->max_mhz && from->max_mhz) {
		r->work_num = from->max_mhz;
		r->work_den = m->max_mhz;
	}
}

static int read_expressions(struct replays *r, struct err *err)
{
	const struct replays_spec *s = &r->spec;
	int ret = machine_load(s->machine_expr, &r->machine, err);

	if (!ret && s->from_machine_expr)
		ret = machine_load(s->from_machine_expr, &r->from_machine, err);
	else
		r->from_machine = r->machine;
	for (int i = 0; i < s->nr_kernels && !ret; i++)
		ret = kernel_load(s->kernel_expr[i], &r->kernel[i], err);
	if (!ret)
		ret = kernel_load(s->from_kernel_expr ? s->from_kernel_expr : s->kernel_expr[0],
				  &r->kernel[s->nr_kernels], err);
	return ret;
}

/* the topology on which the trace's CPUs are known; NULL: none */
static const struct sched_topology *recorded_on(const struct replays *r)
{
	const struct sched_topology *t = &r->from_machine->topo;

	return t->nr_cpus >= r->story->nr_cpus ? t : NULL;
}

static int prepare(struct replays *r, struct err *err)
{
	struct replay_build how = { .from = r->from_machine, .no_pins = r->spec.no_pins };
	int ret = story_build(r->trace, &r->story, err);

	if (!ret)
		ret = replay_build(r->story, &how, &r->replay, err);
	if (!ret && figures_recorded(r->replay, recorded_on(r), &r->recorded))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (!ret && !r->spec.raw)
		ret = calibrate(r, err);
	set_speed(r);
	return ret;
}

int replays_run(const struct replays_spec *spec, const struct trace *t, struct replays **out,
		struct err *err)
{
	int nr_runs = spec->nr_kernels * spec->nr_seeds, ret;
	struct replays *r = calloc(1, sizeof(*r));

	*out = NULL;
	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	r->spec = *spec;
	r->trace = t;
	r->kernel = calloc((size_t)spec->nr_kernels + 1, sizeof(*r->kernel));
	r->figures = calloc(nr_runs, sizeof(*r->figures));
	r->result = calloc(nr_runs, sizeof(*r->result));
	if (!r->kernel || !r->figures || !r->result)
		ret = err_set(err, -ENOMEM, "out of memory");
	else
		ret = read_expressions(r, err);
	if (!ret)
		ret = prepare(r, err);
	if (!ret)
		ret = pool_run(nr_runs, spec->jobs, spec->progress, run_one, r, err);
	if (ret) {
		replays_free(r);
		return ret;
	}
	*out = r;
	return 0;
}

void replays_free(struct replays *r)
{
	if (!r)
		return;
	for (int i = 0; r->figures && i < r->spec.nr_kernels * r->spec.nr_seeds; i++)
		figures_free(&r->figures[i]);
	figures_free(&r->recorded);
	replay_free(r->replay);
	story_free(r->story);
	if (r->from_machine != r->machine)
		machine_free(r->from_machine);
	machine_free(r->machine);
	free(r->kernel);
	free(r->figures);
	free(r->result);
	free(r);
}
