// SPDX-License-Identifier: BSD-2-Clause
/* What the threads of published tables say besides them: counts that a mechanism must move. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "experiment/compare.h"

static u64 total(const struct compare *c, int kernel, enum counter what)
{
	u64 sum = 0;

	for (int i = 0; i < c->spec.nr_seeds; i++)
		sum += compare_result(c, 0, 0, kernel, i)->counter[what];
	return sum;
}

/*
 * localwakelist: the sender spins for the receiver's CPU no more, and the receiver, which is
 * woken by its own CPU, switches 7.28 instead of 5.15 million times.
 */
static void localwakelist(void **state)
{
	const char *machine[] = { "numa-48c" };
	const char *workload[] = { "netperf:test=udp_stream,size=64,lead=10ms,duration=50ms" };
	const char *kernel[] = { "v5.7", "v5.7,+OPTTTWU,+LOCALWAKELIST" };
	const struct compare_spec spec = {
		.nr_machines = 1,
		.nr_workloads = 1,
		.nr_kernels = 2,
		.machine_expr = machine,
		.workload_expr = workload,
		.kernel_expr = kernel,
		.nr_seeds = 3,
		.first_seed = 1,
		.jobs = 1,
	};
	struct compare *c;
	struct err err = { 0 };
	u64 before, after;

	if (compare_run(&spec, &c, &err))
		fail_msg("%s", err.msg);
	before = total(c, 0, CNT_switches);
	after = total(c, 1, CNT_switches);
	/* published 1.41 times; half to twice the gain */
	assert_in_range(after * 100 / before, 120, 182);
	assert_true(total(c, 0, CNT_wakeups_spun) > before / 4);
	assert_true(total(c, 1, CNT_wakeups_spun) < after / 100);
	compare_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(localwakelist),
	};

	return cmocka_run_group_tests_name("published-figures", tests, NULL, NULL);
}
