/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fixture.h - running a workload from a test.
 */
#ifndef TESTS_WORKLOAD_FIXTURE_H
#define TESTS_WORKLOAD_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "sched/kernel.h"
#include "workload/workload.h"

/* Invariants are checked at every event; nothing is drawn, so that times are exact. */
static const struct sim_params quiet = {.seed = 1, .check = true, .no_noise = true};

static inline int run_with(const char *machine, const char *kernel, const char *expr,
			   const struct sim_params *p, struct result *r, struct err *err)
{
	struct sched_kernel k;
	struct workload *w = NULL;
	struct machine *m = NULL;
	int rc = machine_load(machine, &m, err);

	if (!rc)
		rc = sched_kernel_parse(kernel, &k, err);
	if (!rc)
		rc = workload_parse(expr, &w, err);
	if (!rc)
		rc = workload_run(w, m, &k, p, r, err);
	workload_free(w);
	machine_free(m);
	return rc;
}

/* … that must go well */
static inline void run(const char *machine, const char *kernel, const char *expr, struct result *r)
{
	struct err err = {0};

	if (run_with(machine, kernel, expr, &quiet, r, &err))
		fail_msg("idlest run -m '%s' -k '%s' -w '%s' --check: %s", machine, kernel, expr,
			 err.msg);
}

/* Value of a metric; it must be there. */
static inline double metric(const struct result *r, const char *name)
{
	for (int i = 0; i < r->nr_metrics; i++)
		if (!strcmp(r->metric[i].name, name))
			return r->metric[i].value;
	fail_msg("there is no metric \"%s\"", name);
	return 0;
}

static inline bool has_metric(const struct result *r, const char *name)
{
	for (int i = 0; i < r->nr_metrics; i++)
		if (!strcmp(r->metric[i].name, name))
			return true;
	return false;
}

#define assert_between(value, lo, hi)                                                              \
	do {                                                                                       \
		double _v = (value);                                                               \
		if (_v < (lo) || _v > (hi))                                                        \
			fail_msg("%s = %.6f, expected %.6f to %.6f", #value, _v, (double)(lo),     \
				 (double)(hi));                                                    \
	} while (0)

#endif
