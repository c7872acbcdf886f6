/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fixture.h - a workload, a machine and a kernel by their expressions.
 */
#ifndef IDLEST_TESTS_EXPLAIN_FIXTURE_H
#define IDLEST_TESTS_EXPLAIN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "experiment/kernel_dump.h"
#include "workload/workload.h"

struct setting {
	struct machine *m;
	struct workload *w;
};

static inline void setting_new(struct setting *s, const char *machine, const char *workload)
{
	struct err err = {0};

	if (machine_load(machine, &s->m, &err) || workload_parse(workload, &s->w, &err))
		fail_msg("%s", err.msg);
}

static inline void setting_free(struct setting *s)
{
	workload_free(s->w);
	machine_free(s->m);
}

static inline struct sched_kernel kernel_of(const char *expr)
{
	struct sched_kernel k;
	struct err err = {0};

	if (kernel_load(expr, &k, &err))
		fail_msg("%s", err.msg);
	return k;
}

#endif
