/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare.h - machines × workloads × kernels × seeds.
 *
 * Every cell is one run of its own; runs go side by side on all CPUs, and what
 * comes out doesn't depend on how many there are.
 */
#ifndef IDLEST_EXPERIMENT_COMPARE_H
#define IDLEST_EXPERIMENT_COMPARE_H

#include "base/err.h"
#include "experiment/timeline.h"
#include "machine/machine.h"
#include "sim/result.h"
#include "workload/workload.h"

struct compare_spec {
	int nr_machines, nr_workloads, nr_kernels;
	const char *const *machine_expr;
	const char *const *workload_expr;
	const char *cgroups;		/* file of control groups of all runs; NULL: none */
	const char *const *kernel_expr; /* [0] is the base */
	const struct sched_kernel *kernel; /* the kernels themselves; NULL: read kernel_expr */
	int nr_seeds;
	u64 first_seed;
	int jobs;			/* runs at once; 0: one a CPU */
	bool check;
	struct timeline_spec timeline;	/* what is done to every machine */
	bool progress;			/* on standard error */
};

struct compare {
	struct compare_spec spec;
	struct machine **machine;
	struct timeline **timeline;	/* [nr_machines] */
	struct workload **workload;
	struct sched_kernel *kernel;
	struct result *result;		/* by compare_result() */
};

/**
 * compare_run() - read all expressions, then run every cell
 *
 * Return: 0, or the first error in the order of cells, with the cell named.
 */
int compare_run(const struct compare_spec *spec, struct compare **c, struct err *err);
void compare_free(struct compare *c);

static inline const struct result *compare_result(const struct compare *c, int machine,
						  int workload, int kernel, int seed)
{
	const struct compare_spec *s = &c->spec;

	return &c->result[((machine * s->nr_workloads + workload) * s->nr_kernels + kernel) *
				  s->nr_seeds +
			  seed];
}

/**
 * compare_values() - one metric of one cell over the seeds
 * @metric: by its place in the cell's result with the base kernel and the first seed
 * @values: [nr_seeds]
 *
 * A metric that needs something to have happened isn't in every result, so
 * that others find it by its name. Return: whether every seed has it.
 */
bool compare_values(const struct compare *c, int machine, int workload, int kernel, int metric,
		    double *values);

#endif
