// SPDX-License-Identifier: BSD-2-Clause
/* The models that real tasks execute as well: forks, pipeline, mix, share. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "fixture.h"

#define UMA	"uma-8c"
#define ONE_CPU "pack:1 l3:1 core:1 pu:1"

static const char *const kernels[] = {"v5.7", "v6.1", "v6.12", "v7.3"};

static void refuses(const char *expr, const char *msg)
{
	struct workload *w = NULL;
	struct err err = {0};

	assert_int_equal(workload_parse(expr, &w, &err), -EINVAL);
	if (!strstr(err.msg, msg))
		fail_msg("%s gives %s", expr, err.msg);
}

static void bad_expressions(void **state)
{
	refuses("forks:n=0", "n=0: expected an integer from 1");
	refuses("pipeline:stages=1", "stages=1: expected an integer from 2");
	refuses("mix:pinned=0,high=0,low=0,sleepers=0", "mix: no task at all");
	refuses("mix:nice=20", "nice=20");
	refuses("share:groups=10000,n=10000", "share: 100000000 tasks");
}

/* Alone each child takes its work; on one CPU they take it together. */
static void forks_work(void **state)
{
	struct result r;

	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		run(UMA, kernels[k], "forks:n=4,work=5ms,gap=2ms", &r);
		assert_between(metric(&r, "time"), 3 * 0.002 + 0.005, 0.0125);
		assert_between(metric(&r, "turnaround max"), 5000, 5300);
		run(ONE_CPU, kernels[k], "forks:n=4,work=5ms,gap=0", &r);
		assert_between(metric(&r, "time"), 0.020, 0.022);
	}
}

static void forks_generations(void **state)
{
	struct result plain, nested, exec;

	run(ONE_CPU, "v6.12", "forks:n=3,work=4ms", &plain);
	run(ONE_CPU, "v6.12", "forks:n=3,work=4ms,nested", &nested);
	run(ONE_CPU, "v6.12", "forks:n=3,work=4ms,exec", &exec);
	assert_int_equal(nested.counter[CNT_forks] - plain.counter[CNT_forks], 3);
	assert_between(metric(&nested, "time"), 0.024, 0.027);
	assert_true(metric(&exec, "time") > metric(&plain, "time"));
}

/* One item: one stage works at a time, so the ring does what one CPU does. */
static void pipeline_flow(void **state)
{
	struct result r;

	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		run(UMA, kernels[k], "pipeline:stages=4,items=1,run=100us,duration=100ms", &r);
		assert_between(metric(&r, "throughput"), 8000, 10000);
		run(UMA, kernels[k], "pipeline:stages=4,items=4,run=100us,duration=100ms,threads", &r);
		assert_between(metric(&r, "throughput"), 32000, 40000);
	}
	/* more items than stages wait in the pipes; all stages leave all the same */
	run(UMA, "v6.12", "pipeline:stages=2,items=1000,run=100us,duration=20ms", &r);
	assert_between(metric(&r, "throughput"), 16000, 20100);
}

/* On one CPU: nice -5 to nice 5 is 3121 to 335; the pinned hog has its 1024. */
static void mix_weights(void **state)
{
	struct result r;
	double high, low, pinned;

	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		run(ONE_CPU, kernels[k], "mix:pinned=1,high=1,low=1,sleepers=0,duration=2s", &r);
		high = metric(&r, "CPU time high");
		low = metric(&r, "CPU time low");
		pinned = metric(&r, "CPU time pinned");
		assert_between(high + low + pinned, 1.95, 2.1);
		assert_between(high / pinned, 2.8, 3.3);
		assert_between(pinned / low, 2.8, 3.3);
		assert_false(has_metric(&r, "CPU time sleepers"));
	}
}

static void mix_sleepers(void **state)
{
	struct result r;

	/* seven of eight CPUs are taken: the sleepers share the last */
	run(UMA, "v6.12", "mix:pinned=7,high=0,low=0,sleepers=2,period=4ms,run=500us,duration=400ms", &r);
	assert_between(metric(&r, "CPU time sleepers"), 0.05, 0.0515);
	assert_between(metric(&r, "CPU time pinned"), 0.42, 0.435);
}

/* As many periods in both ways, with as many processes as there should be. */
static void share_periods(void **state)
{
	static const char *const ways[] = {"threads", "processes"};
	u64 forks[2];

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct result r;
		char expr[96];

		snprintf(expr, sizeof(expr), "share:groups=2,n=3,period=4ms,run=1ms,duration=100ms,%s",
			 ways[i]);
		run(UMA, "v6.12", expr, &r);
		assert_between(metric(&r, "done"), 6 * 25, 6 * 25);
		assert_between(metric(&r, "missed"), 0, 0);
		forks[i] = r.counter[CNT_forks];
	}
	assert_int_equal(forks[0] - forks[1], 2); /* the groups' own processes */
}

/* ---- machines whose CPUs run in turn ---- */

static double hackbench_time(u32 busy_scale, u64 irq_turn_ns, const struct sim_params *p)
{
	struct workload *w = NULL;
	struct machine *m = NULL;
	struct sched_kernel k;
	struct err err = {0};
	struct result r;

	assert_int_equal(machine_load("qemu:m8", &m, &err), 0);
	assert_int_equal(sched_kernel_parse("v6.12.95", &k, &err), 0);
	assert_int_equal(workload_parse("hackbench:groups=1,fds=4,loops=100,pipe", &w, &err), 0);
	m->kernel_busy_scale = busy_scale;
	m->irq_turn_ns = irq_turn_ns;
	if (workload_run(w, m, &k, p, &r, &err))
		fail_msg("%s", err.msg);
	workload_free(w);
	machine_free(m);
	return metric(&r, "time");
}

/* Eight tasks on eight CPUs that share the speed of one: several times as long, eight at most. */
static void busy_cpus_share(void **state)
{
	static const struct sim_params noisy = {.seed = 3, .check = true};
	double alone = hackbench_time(0, 0, &quiet);

	assert_between(hackbench_time(100, 0, &quiet) / alone, 2, 8.5);
	assert_true(hackbench_time(0, 500 * NSEC_PER_USEC, &quiet) > alone);
	assert_true(hackbench_time(100, 120 * NSEC_PER_USEC, &noisy) > alone);
}

static void busy_costs(void **state)
{
	struct machine_costs c;
	struct machine *m = NULL;

	assert_int_equal(machine_load("qemu:m8", &m, NULL), 0);
	assert_int_equal(m->kernel_busy_scale, 100);
	for (int busy = 0; busy <= 8; busy++) {
		machine_busy_costs(m, busy, &c);
		assert_int_equal(c.syscall, m->cost.syscall * max(busy, 1));
		assert_int_equal(c.ipi[DIST_REMOTE], m->cost.ipi[DIST_REMOTE] * max(busy, 1));
	}
	m->kernel_busy_scale = 0;
	machine_busy_costs(m, 8, &c);
	assert_memory_equal(&c, &m->cost, sizeof(c));
	machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_expressions), cmocka_unit_test(forks_work),
		cmocka_unit_test(forks_generations), cmocka_unit_test(pipeline_flow),
		cmocka_unit_test(mix_weights),	   cmocka_unit_test(mix_sleepers),
		cmocka_unit_test(share_periods),    cmocka_unit_test(busy_cpus_share),
		cmocka_unit_test(busy_costs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
