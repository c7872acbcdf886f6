// SPDX-License-Identifier: BSD-2-Clause
/* Tasks that yield: what a call costs alone, and that it gives way to others. */
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"

#define ONE_CPU "pack:1 l3:1 core:1 pu:1"

/* one of each rule: skip, a later deadline, forfeit */
static const char *const kernels[] = {"v5.7", "v6.1", "v6.6", "v6.12", "v6.12.95", "v7.3"};

/* Nobody else is there: a call, and on it goes. Ticks take a thousandth. */
static void alone(void **state)
{
	struct machine *m;
	struct result r;
	double one;

	assert_int_equal(machine_load(ONE_CPU, &m, NULL), 0);
	one = 1e9 / (m->cost.syscall + m->cost.yield);
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		run(ONE_CPU, kernels[k], "yield:duration=3ms", &r); /* less than a tick */
		assert_between(metric(&r, "yields"), one * 0.999999, one * 1.000001);
		run(ONE_CPU, kernels[k], "yield:duration=20ms", &r);
		assert_between(metric(&r, "yields"), one * 0.999, one);
	}
	machine_free(m);
}

/* Each call hands the CPU on, and all get the same: to another address space, or to the same. */
static void gives_way(void **state)
{
	struct machine *m;
	struct result r;

	assert_int_equal(machine_load(ONE_CPU, &m, NULL), 0);
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++)
		for (int n = 2; n <= 3; n++)
			for (int threads = 0; threads < 2; threads++) {
				u64 ns = m->cost.syscall + m->cost.yield +
					 (threads ? m->cost.switch_same_mm :
						    m->cost.switch_other_mm);
				char expr[64];

				snprintf(expr, sizeof(expr), "yield:n=%d,duration=20ms,%s", n,
					 threads ? "threads" : "processes");
				run(ONE_CPU, kernels[k], expr, &r);
				assert_between(metric(&r, "yields"), 1e9 / ns * 0.99,
					       1e9 / ns * 1.01);
				assert_between(metric(&r, "slowest task") * n /
						       metric(&r, "yields"), 0.95, 1);
				assert_between(metric(&r, "fastest task") * n /
						       metric(&r, "yields"), 1, 1.05);
			}
	machine_free(m);
}

/* One on each CPU doesn't know of the others; left to the scheduler they end up so as well. */
static void a_cpu_each(void **state)
{
	struct result one, pinned, unpinned;

	run("uma-8c", "v6.6", "yield:duration=2ms", &one);
	run("uma-8c", "v6.6", "yield:n=8,duration=2ms", &pinned);
	run("uma-8c", "v6.6", "yield:n=8,duration=2ms,no-pinned", &unpinned);
	assert_between(metric(&pinned, "yields") / metric(&one, "yields"), 7.98, 8.01);
	assert_between(metric(&unpinned, "yields") / metric(&one, "yields"), 7.98, 8.01);
	assert_int_equal(pinned.counter[CNT_migrations_llc], 0);
}

static void stopped_early(void **state)
{
	struct sim_params p = quiet;
	struct err err = {0};
	struct result r;

	p.max_ns = NSEC_PER_MSEC;
	assert_int_equal(run_with("uma-8c", "v6.6", "yield:duration=2ms", &p, &r, &err), -ETIME);
	assert_string_equal(err.msg, "yield wasn't done when the run was stopped after 0.001 s; "
				     "use a shorter duration");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alone),
		cmocka_unit_test(gives_way),
		cmocka_unit_test(a_cpu_each),
		cmocka_unit_test(stopped_early),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
