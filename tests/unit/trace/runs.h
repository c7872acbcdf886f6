/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runs.h - simulated runs of many kinds, as traces.
 */
#ifndef TESTS_TRACE_RUNS_H
#define TESTS_TRACE_RUNS_H

#include "samples.h"
#include "trace/collect.h"
#include "workload/workload.h"

struct run {
	const char *machine, *workload, *kernel;
};

static const struct run runs[] = {
	{ "uma-8c", "hackbench:groups=2,loops=50", "v6.12" },
	{ "uma-8c", "periodic:n=12,period=4ms,run=2ms,duration=100ms", "v6.1" },
	{ "zen3-2s:nps4", "hackbench:groups=4,loops=20,pipe,threads", "v5.18" },
	{ "numa-48c", "stream:threads=16,array=200K,ntimes=2", "v6.6" },
	{ "kunpeng920-2s", "pingpong:pairs=8,duration=20ms", "v7.3" },
	{ "pack:2 core:4 pu:2", "hog:n=23,duration=200ms,nice=0:5", "v6.6" },
	{ "uma-8c", SOURCE_ROOT "/tests/data/rt-app/all-events.json", "v6.12" },
};

static inline void simulate(const struct run *r, const struct sim_params *params, int *nr_cpus)
{
	struct machine *m = NULL;
	struct workload *w = NULL;
	struct sched_kernel k;
	struct result result;
	struct err err = { 0 };

	if (machine_load(r->machine, &m, &err) || sched_kernel_parse(r->kernel, &k, &err) ||
	    workload_parse(r->workload, &w, &err))
		fail_msg("%s", err.msg);
	if (nr_cpus)
		*nr_cpus = m->topo.nr_cpus;
	if (params && workload_run(w, m, &k, params, &result, &err))
		fail_msg("%s on %s: %s", r->workload, r->machine, err.msg);
	workload_free(w);
	machine_free(m);
}

static inline int cpus_of(const struct run *r)
{
	int n;

	simulate(r, NULL, &n);
	return n;
}

static inline struct trace *record(const struct run *r)
{
	struct trace_collector *c = trace_collector_new(cpus_of(r), NULL, NULL);
	struct sim_params params = { .seed = 3, .trace = trace_collect, .trace_ctx = c };
	struct trace *t;

	simulate(r, &params, NULL);
	assert_int_equal(trace_collector_end(c, &t), 0);
	return t;
}

#endif
