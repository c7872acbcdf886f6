// SPDX-License-Identifier: BSD-2-Clause
/*
 * CPU bandwidth of groups: the worked examples of spec 09 §2 and 16 §13, what can't be exceeded,
 * and faults that kernels had.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"
#include "sim/cgroup.h"
#include "workload/cgroup_file.h"

#define UMA   "uma-8c"
#define SLICE 0.005 /* s */

static const char *const kernels[] = {"v5.7", "v6.1", "v6.6", "v6.12.95", "v6.18", "v7.3"};

/* what the groups had used when the run ended */
struct used {
	double cpu[8]; /* s, in the order of the groups */
	struct sched_bandwidth_stat st[8];
	int nr;
	double busy;
};

static void collect(void *ctx, struct sim *sim)
{
	struct sim_cgroup *cg = NULL;
	struct used *u = ctx;

	u->nr = 0;
	while ((cg = sim_cgroup_next(sim, cg))) {
		u->cpu[u->nr] = sim_cgroup_usage(sim, cg) / 1e9;
		sched_group_bandwidth_stat(sim_sched(sim), sim_cgroup_sched(cg), &u->st[u->nr++]);
	}
}

/* long runs: the same is checked at every event in short ones */
static bool unchecked;

static int run_groups(const char *kernel, const char *expr, const char *groups, struct used *u,
		      struct err *err)
{
	struct sim_params p = quiet;
	struct cgroup_tree *tree = NULL;
	struct result r;
	int rc = cgroup_file_parse("f.yaml", groups, strlen(groups), &tree, err);

	p.cgroups = tree;
	p.check = !unchecked;
	p.end = collect;
	p.end_ctx = u;
	if (!rc)
		rc = run_with(UMA, kernel, expr, &p, &r, err);
	u->busy = r.counter[CNT_busy_ns] / 1e9;
	cgroup_file_free(tree);
	return rc;
}

static void run_ok(const char *kernel, const char *expr, const char *groups, struct used *u)
{
	struct err err = {0};

	if (run_groups(kernel, expr, groups, u, &err))
		fail_msg("%s, %s: %s", kernel, expr, err.msg);
}

#define BETWEEN(value, lo, hi)                                                                     \
	do {                                                                                       \
		double v_ = (value);                                                               \
		if (v_ < (lo) || v_ > (hi))                                                        \
			fail_msg("%s: %s is %.4f, expected %.4f to %.4f", kernel, #value, v_,      \
				 (double)(lo), (double)(hi));                                      \
	} while (0)

#define QUOTA_20 "groups:\n  - path: /q\n    cpu.max: 20000 100000\n"

/* 20 ms of 100: one hog runs 20 ms and is throttled for 80, once a period */
static void one_hog(void **state)
{
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		const char *kernel = kernels[k];
		struct used u;

		run_ok(kernel, "cgexec:/q/taskset:0/hog:n=1,duration=2s", QUOTA_20, &u);
		BETWEEN(u.cpu[0], 20 * 0.02 - SLICE, 21 * 0.02 + SLICE);
		BETWEEN(u.st[0].nr_periods, 19, 21);
		BETWEEN(u.st[0].nr_throttled, u.st[0].nr_periods - 1, u.st[0].nr_periods);
		BETWEEN(u.st[0].throttled_time / 1e9 / u.st[0].nr_throttled, 0.074, 0.082);
	}
}

/* two CPUs: 10 ms each */
static void two_hogs(void **state)
{
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		const char *kernel = kernels[k];
		struct used u;

		run_ok(kernel,
		       "cgexec:/q/taskset:0/hog:n=1,duration=2s + "
		       "cgexec:/q/taskset:1/hog:n=1,duration=2s",
		       QUOTA_20, &u);
		BETWEEN(u.cpu[0], 20 * 0.02 - SLICE, 21 * 0.02 + 2 * SLICE);
		BETWEEN(u.st[0].nr_throttled, u.st[0].nr_periods - 1, u.st[0].nr_periods);
		BETWEEN(u.st[0].throttled_time / 1e9 / u.st[0].nr_throttled, 2 * 0.084, 2 * 0.092);
	}
}

/* whatever runs in a group, a period gives it no more than its quota and what CPUs hold */
static void never_more(void **state)
{
	static const char *const exprs[] = {
		"cgexec:/q/hog:n=20,duration=300ms",
		"cgexec:/q/periodic:n=24,period=3ms,run=1ms,duration=200ms,lead=0",
		"cgexec:/q/a/hog:n=4,duration=300ms + cgexec:/q/b/hog:n=9,nice=5,duration=300ms",
		"cgexec:/q/hackbench:groups=1,loops=100",
		"cgexec:/q/forks:n=10,work=20ms + hog:n=4,duration=500ms",
	};

	for (size_t i = 0; i < ARRAY_SIZE(exprs); i++)
		for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
			const char *kernel = kernels[k];
			struct used u;

			run_ok(kernel, exprs[i],
			       "groups:\n  - path: /q\n    cpu.max: 15000 30000\n", &u);
			/* a tick may pass before a CPU notices */
			BETWEEN(u.cpu[0], 0.01,
				(u.st[0].nr_periods + 1) * 0.015 + 8 * (SLICE + 0.004));
			assert_true(u.st[0].nr_throttled > 0);
		}
}

/* a child can't have more than its parent, however much it is allowed itself */
static void limits_nest(void **state)
{
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		const char *kernel = kernels[k];
		struct used u;

		run_ok(kernel,
		       "cgexec:/q/a/hog:n=4,duration=1s + cgexec:/q/b/hog:n=4,duration=1s",
		       "groups:\n"
		       "  - path: /q\n    cpu.max: 100000 100000\n"
		       "  - path: /q/a\n    cpu.max: 400000 100000\n"
		       "  - path: /q/b\n    cpu.max: 20000 100000\n",
		       &u);
		BETWEEN(u.cpu[0], 1.0 - SLICE, 1.1 + 8 * SLICE);
		BETWEEN(u.cpu[2], 0.15, 0.22 + 8 * SLICE);
		BETWEEN(u.cpu[0] - u.cpu[1] - u.cpu[2], -1e-6, 1e-6);
	}
}

/* the groups' CPU time is all there is */
static void nothing_is_lost(void **state)
{
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		const char *kernel = kernels[k];
		struct used u;

		run_ok(kernel,
		       "cgexec:/a/hog:n=5,duration=300ms + cgexec:/b/c/rt:n=2,hogs=0,duration=300ms "
		       "+ cgexec:/d/periodic:n=9,duration=300ms",
		       "groups:\n  - path: /a\n    cpu.max: 90000 100000\n", &u);
		/* init forks them, which takes it a little time */
		BETWEEN(u.busy - u.cpu[0] - u.cpu[1] - u.cpu[3], 0, 0.005);
		BETWEEN(u.cpu[1] - u.cpu[2], 0, 0);
		assert_true(u.cpu[2] > 0.01);
	}
}

/* ---- scenarios ---- */

/* 10 ms of 100 on 8 CPUs: a spinner, and seven threads that do a little every 10 ms */
static void slices_of_light_threads(void **state)
{
	static const char groups[] = "groups:\n  - path: /q\n    cpu.max: 10000 100000\n";
	char expr[1024], kernel[64];
	struct used u;
	int len = snprintf(expr, sizeof(expr), "cgexec:/q/taskset:0/hog:n=1,duration=5s");

	unchecked = true;
	for (int cpu = 1; cpu < 8; cpu++)
		len += snprintf(expr + len, sizeof(expr) - len,
				" + cgexec:/q/taskset:%d/periodic:n=1,period=10ms,run=20us,"
				"duration=5s,lead=0",
				cpu);
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		snprintf(kernel, sizeof(kernel), "%s", kernels[k]);
		run_ok(kernel, expr, groups, &u);
		BETWEEN(u.cpu[0], 0.48, 0.54);
		snprintf(kernel, sizeof(kernel), "%s,+CFS_SLICE_EXPIRY", kernels[k]);
		run_ok(kernel, expr, groups, &u);
		BETWEEN(u.cpu[0], 0.29, 0.37);
	}
	unchecked = false;
}

/* a whole CPU for one spinner: practically never throttled */
static void whole_cpu(void **state)
{
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		const char *kernel = kernels[k];
		struct used u;

		run_ok(kernel, "cgexec:/q/taskset:0/hog:n=1,duration=3s",
		       "groups:\n  - path: /q\n    cpu.max: 100000 100000\n", &u);
		BETWEEN(u.cpu[0], 2.97, 3.001);
		BETWEEN(u.st[0].nr_throttled, 0, 2);
	}
}

/* 30 ms of work every third period, 12 ms a period allowed: what was saved may be used */
static void bursts(void **state)
{
	static const char expr[] = "cgexec:/q/taskset:0/periodic:n=1,period=300ms,run=29ms,"
				   "duration=6s,lead=0";

	for (size_t k = 1; k < ARRAY_SIZE(kernels); k++) {
		const char *kernel = kernels[k];
		struct used plain, saved;

		run_ok(kernel, expr, "groups:\n  - path: /q\n    cpu.max: 12000 100000\n", &plain);
		run_ok(kernel, expr,
		       "groups:\n  - path: /q\n    cpu.max: 18000 100000\n"
		       "    cpu.max.burst: 18000\n",
		       &saved);
		assert_true(plain.st[0].nr_throttled >= 15 && !plain.st[0].nr_bursts);
		assert_true(saved.st[0].nr_throttled <= 2 && saved.st[0].nr_bursts >= 10);
		assert_true(saved.st[0].burst_time > 0);
	}
}

/* ---- limits ---- */

static void limits_are_checked(void **state)
{
	static const struct {
		const char *kernel, *files;
		int code;
		const char *message;
	} cases[] = {
		{"v6.1", "cpu.max: 999 100000", -EINVAL, "a quota of 999 us: at least 1000"},
		{"v6.1", "cpu.max: 1000 999", -EINVAL, "a period of 999 us: allowed are 1000 to"},
		{"v6.1", "cpu.max: 1000 1000001", -EINVAL, "a period of 1000001 us"},
		{"v6.1", "cpu.max: 17592186044416 100000", -EINVAL, "is more than 17592186044415"},
		{"v6.1", "cpu.max: 17592186044415 100000", 0, NULL},
		{"v5.7", "cpu.max: 17592186044416 100000", 0, NULL},
		{"v6.1", "cpu.max: 10000 100000\n    cpu.max.burst: 10001", -EINVAL, "a burst of"},
		{"v6.1", "cpu.max.burst: 1", -EINVAL, "a burst of 1 us is more than the quota"},
		{"v5.10", "cpu.max: 10000 100000\n    cpu.max.burst: 1", -EOPNOTSUPP,
		 "this kernel's groups have no burst"},
		{"v6.1", "cpu.max: max", 0, NULL},
		{"v6.1", "cpu.max: max 50000", 0, NULL},
		{"v6.1", "cpu.max: 20000", 0, NULL},
		{"v6.1", "cpu.max: 1 2 3", -EINVAL, "f.yaml:3:14: expected QUOTA and PERIOD"},
		{"v6.1", "cpu.max: fast", -EINVAL, "f.yaml:3:14: cpu.max=fast: expected an integer"},
		{"v6.1", "cpu.max: 20000\n    cpu.cfs_quota_us: 20000", -EINVAL,
		 "are of two hierarchies"},
		{"v6.1", "cpu.cfs_quota_us: -1", 0, NULL},
		{"v6.1", "cpu.cfs_quota_us: 20000\n  - path: /q/a\n    cpu.cfs_quota_us: 20001", -EINVAL,
		 "a larger part of its period than the parent's"},
		{"v6.1", "cpu.max: 20000\n  - path: /q/a\n    cpu.max: 20001", 0, NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char groups[256];
		struct err err = {0};
		struct used u;
		int rc;

		snprintf(groups, sizeof(groups), "groups:\n  - path: /q\n    %s\n",
			 cases[i].files);
		rc = run_groups(cases[i].kernel, "cgexec:/q/hog:n=1,duration=1ms", groups, &u, &err);
		if (rc != cases[i].code || (rc && !strstr(err.msg, cases[i].message)))
			fail_msg("%s: %d \"%s\", expected %d \"%s\"", cases[i].files, rc, err.msg,
				 cases[i].code, cases[i].message ? cases[i].message : "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_hog),	      cmocka_unit_test(two_hogs),
		cmocka_unit_test(never_more),	      cmocka_unit_test(limits_nest),
		cmocka_unit_test(nothing_is_lost),    cmocka_unit_test(slices_of_light_threads),
		cmocka_unit_test(whole_cpu),	      cmocka_unit_test(bursts),
		cmocka_unit_test(limits_are_checked),
	};

	return cmocka_run_group_tests_name("bandwidth", tests, NULL, NULL);
}
