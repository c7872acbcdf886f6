// SPDX-License-Identifier: BSD-2-Clause
/*
 * Control groups around workloads: the file that describes them, prefixes, several workloads at
 * once, and what the groups then get.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"
#include "sched/cgroup.h"
#include "workload/cgroup_file.h"
#include "workload/prefix.h"

#define UMA "uma-8c"

static const char *const kernels[] = {"v5.7", "v6.1", "v6.12.95", "v6.18", "v7.3"};

/* ---- weights (spec 09 §1) ---- */

static void weights_are_shares(void **state)
{
	assert_int_equal(sched_weight_shares(1), 10);
	assert_int_equal(sched_weight_shares(50), 512);
	assert_int_equal(sched_weight_shares(100), 1024);
	assert_int_equal(sched_weight_shares(10000), 102400);
	assert_int_equal(sched_nice_shares(0), 1024);
	assert_int_equal(sched_nice_shares(-20), 88761);
	assert_int_equal(sched_nice_shares(19), 15);
}

/* ---- the file ---- */

static int parse(const char *text, struct cgroup_tree **tree, struct err *err)
{
	*tree = NULL;
	*err = (struct err){0};
	return cgroup_file_parse("f.yaml", text, strlen(text), tree, err);
}

static void file_is_read(void **state)
{
	static const char text[] = "groups:\n"
				   "  - path: /a\n"
				   "    cpu.weight: 50\n"
				   "    cpuset.cpus: 0-3\n"
				   "  - path: /a/b\n"
				   "    cpu.idle: 1\n"
				   "  - path: /c\n"
				   "    cpu.weight.nice: -5\n"
				   "  - path: /d\n"
				   "    cpu.shares: 2\n";
	struct cgroup_tree *tree;
	struct err err;

	if (parse(text, &tree, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(tree->nr, 4);
	assert_string_equal(tree->group[0].path, "/a");
	assert_int_equal(tree->group[0].files.shares, 512);
	assert_string_equal(tree->group[0].files.cpus, "0-3");
	assert_true(tree->group[1].files.idle);
	assert_int_equal(tree->group[2].files.shares, 3121);
	assert_int_equal(tree->group[3].files.shares, 2);
	cgroup_file_free(tree);
}

static void file_is_refused(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "f.yaml"},
		{"groups: []\n", "f.yaml:1"},
		{"groups:\n  - cpu.weight: 1\n", "path"},
		{"groups:\n  - path: a\n", "f.yaml:2:11: a group's path begins with \"/\""},
		{"groups:\n  - path: /a\n    cpu.weight: 0\n", "f.yaml:3:17: cpu.weight=0: expected an "
							       "integer from 1 to 10K"},
		{"groups:\n  - path: /a\n    cpu.weight: 10001\n", "f.yaml:3:17"},
		{"groups:\n  - path: /a\n    cpu.weight.nice: 20\n", "from -20 to 19"},
		{"groups:\n  - path: /a\n    cpu.shares: 1\n", "cpu.shares=1: expected"},
		{"groups:\n  - path: /a\n    cpu.wieght: 1\n", "f.yaml:3:5"},
		{"groups:\n  - path: /a\n    cpu.weight: 1\n    cpu.shares: 2\n",
		 "f.yaml:4:17: cpu.weight, cpu.weight.nice and cpu.shares are one weight"},
		{"groups:\n  - path: /a\n    cpu.weight: 1\n    cpu.idle: 1\n", "f.yaml:4:15"},
		{"groups:\n  - path: /a\n    cpu.uclamp.min: 101\n",
		 "f.yaml:3:21: cpu.uclamp.min=101: expected"},
		{"groups:\n  - path: /a\n  - path: /a\n", "f.yaml:3:11: group /a is listed twice"},
	};
	struct cgroup_tree *tree;
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(parse(cases[i].text, &tree, &err), -EINVAL);
		if (!strstr(err.msg, cases[i].message))
			fail_msg("case %zu: \"%s\" lacks \"%s\"", i, err.msg, cases[i].message);
	}
}

/* ---- expressions ---- */

static void prefixes_are_read(void **state)
{
	static const char expr[] = "cgexec:/a/b/taskset:0-3,7/session/hog:n=2 + "
				   "taskset:1/pingpong+cgexec://periodic:n=3";
	const struct prefixes *p;
	struct workload *w;
	struct err err = {0};

	if (workload_parse(expr, &w, &err))
		fail_msg("%s", err.msg);
	assert_string_equal(workload_expr(w), expr);
	p = workload_prefixes(w);
	assert_string_equal(p->cgroup, "/a/b");
	assert_string_equal(p->cpus, "0-3,7");
	assert_true(p->session);
	assert_string_equal(workload_model(w)->name, "hog");
	assert_int_equal(workload_int(w, "n"), 2);
	p = workload_prefixes(workload_next(w));
	assert_null(p->cgroup);
	assert_string_equal(p->cpus, "1");
	p = workload_prefixes(workload_next(workload_next(w)));
	assert_string_equal(p->cgroup, "/");
	assert_null(workload_next(workload_next(workload_next(w))));
	workload_free(w);
}

static void prefixes_are_refused(void **state)
{
	static const struct {
		const char *expr;
		int code;
		const char *message;
	} cases[] = {
		{"cgexec:/hog", -EINVAL, "a group's path and a workload"},
		{"cgexec:/a/nothing", -EINVAL, "cgexec:/a/nothing: expected a group's path"},
		{"taskset:/hog", -EINVAL, "a list of CPUs and a workload"},
		{"taskset:0/hog:n=0", -EINVAL, "hog: n=0"},
		{"hog + hgo", -ENOENT, "hog + hgo"},
		{"session/hgo", -ENOENT, "did you mean \"hog\""},
	};
	struct workload *w;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = {0};

		assert_int_equal(workload_parse(cases[i].expr, &w, &err), cases[i].code);
		if (!strstr(err.msg, cases[i].message))
			fail_msg("%s: \"%s\" lacks \"%s\"", cases[i].expr, err.msg,
				 cases[i].message);
	}
}

/* ---- runs ---- */

static int run_grouped(const char *kernel, const char *expr, const char *groups,
		       struct result *r, struct err *err)
{
	struct sim_params p = quiet;
	struct cgroup_tree *tree = NULL;
	int rc = groups ? parse(groups, &tree, err) : 0;

	p.cgroups = tree;
	if (!rc)
		rc = run_with(UMA, kernel, expr, &p, r, err);
	cgroup_file_free(tree);
	return rc;
}

static void run_ok(const char *kernel, const char *expr, const char *groups, struct result *r)
{
	struct err err = {0};

	if (run_grouped(kernel, expr, groups, r, &err))
		fail_msg("%s, %s: %s", kernel, expr, err.msg);
}

#define ASSERT_NEAR(value, expected, within)                                                       \
	do {                                                                                       \
		double v_ = (value);                                                               \
		if (v_ < (expected) - (within) || v_ > (expected) + (within))                      \
			fail_msg("%s: %s is %.3f, expected %.3f", kernels[k], #value, v_,          \
				 (double)(expected));                                              \
	} while (0)

/* one CPU by weights 1 : 3, however many tasks are in the groups */
static void weight_decides(void **state)
{
	struct result r;

	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		run_ok(kernels[k],
		       "cgexec:/a/taskset:0/hog:n=2,duration=1s + "
		       "cgexec:/b/taskset:0/hog:n=1,duration=1s",
		       "groups:\n  - path: /b\n    cpu.weight: 300\n", &r);
		ASSERT_NEAR(metric(&r, "b: CPU time max"), 0.75, 0.02);
		ASSERT_NEAR(metric(&r, "a: CPU time min"), 0.125, 0.02);
	}
}

/* an idle group against a normal one: 3 to 1024 (cpu.idle, 5.15+) */
static void idle_group_waits(void **state)
{
	static const char groups[] = "groups:\n  - path: /a\n    cpu.idle: 1\n";
	static const char expr[] = "cgexec:/a/taskset:0/hog:n=1,duration=1s + "
				   "cgexec:/b/taskset:0/hog:n=1,duration=1s";
	struct err err = {0};
	struct result r;

	for (size_t k = 1; k < ARRAY_SIZE(kernels); k++) {
		run_ok(kernels[k], expr, groups, &r);
		ASSERT_NEAR(metric(&r, "b: CPU time max"), 0.99, 0.02);
	}
	assert_int_equal(run_grouped("v5.10", expr, groups, &r, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "f.yaml: group /a: cpu.idle: this kernel's groups have no"));
}

/* tasks without a word about CPUs run on the cpuset's, others on what is left of theirs */
static void cpuset_confines(void **state)
{
	static const char groups[] = "groups:\n  - path: /a\n    cpuset.cpus: 2-3\n"
				     "  - path: /a/b\n    cpuset.cpus: 3-5\n";
	struct err err = {0};
	struct result r;

	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		run_ok(kernels[k], "cgexec:/a/hog:n=4,duration=1s", groups, &r);
		ASSERT_NEAR(metric(&r, "work"), 2, 0.05);
		run_ok(kernels[k], "cgexec:/a/b/hog:n=2,duration=1s", groups, &r);
		ASSERT_NEAR(metric(&r, "CPU time max"), 0.5, 0.02);
		run_ok(kernels[k], "cgexec:/a/taskset:0-2/hog:n=2,duration=1s", groups, &r);
		ASSERT_NEAR(metric(&r, "CPU time max"), 0.5, 0.02);
	}
	assert_int_equal(run_grouped("v6.12", "cgexec:/a/hog",
				     "groups:\n  - path: /a\n    cpuset.cpus: 7-8\n", &r, &err),
			 -ERANGE);
	assert_non_null(strstr(err.msg, "group /a: cpuset.cpus: CPU list '7-8'"));
}

/*
 * Nine nice 19 jobs of a build against one task at a terminal: a session each, whatever their
 * nice. 7.3 gives a group as many shares as it has tasks, up to the number of CPUs (spec 16 §3.4).
 */
static void sessions_share(void **state)
{
	static const char expr[] = "session/taskset:0/hog:n=9,nice=19,duration=1s + "
				   "session/taskset:0/hog:n=1,duration=1s";
	char kernel[64];
	struct result r;

	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		run_ok(kernels[k], expr, NULL, &r);
		ASSERT_NEAR(metric(&r, "hog 2: CPU time max"),
			    strcmp(kernels[k], "v7.3") ? 1. / 2 : 1. / (1 + 8), 0.05);
		snprintf(kernel, sizeof(kernel), "%s,sched_autogroup_enabled=0", kernels[k]);
		run_ok(kernel, expr, NULL, &r);
		ASSERT_NEAR(metric(&r, "hog 2: CPU time max"), 1024. / (1024 + 9 * 15), 0.05);
	}
}

/*
 * A (102400) holds B (2), which holds C; D, E and F beside it have 1024 each. C's tasks should win
 * by 100 to 1; as long as a small share was none at all, A's weight counted for nothing.
 */
static void small_share_below_a_large_one(void **state)
{
	static const char groups[] = "groups:\n"
				     "  - path: /A\n    cpu.shares: 102400\n"
				     "  - path: /A/B\n    cpu.shares: 2\n"
				     "  - path: /A/B/C\n    cpu.shares: 1024\n";
	static const char expr[] = "cgexec:/A/B/C/hog:n=8,pinned,duration=1s + "
				   "cgexec:/D/E/F/hog:n=8,pinned,duration=1s";
	struct result r;
	size_t k;

	for (k = 0; k < ARRAY_SIZE(kernels); k++) {
		run_ok(kernels[k], expr, groups, &r);
		ASSERT_NEAR(metric(&r, "C: CPU time min"), 0.98, 0.02);
	}
	k = 0;
	run_ok("v5.7,+OLD_SCALE_DOWN", expr, groups, &r);
	ASSERT_NEAR(metric(&r, "C: CPU time max"), 0.02, 0.02);
}

/* rt-app's task groups: phases move a thread between them, beside one that stays */
static void taskgroups_hold(void **state)
{
	const char *path = SOURCE_ROOT "/tests/data/rt-app/taskgroups.json";
	char expr[512];
	struct result r;

	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		snprintf(expr, sizeof(expr), "rtapp:%s", path);
		run_ok(kernels[k], expr, "groups:\n  - path: /light\n    cpu.weight: 25\n", &r);
		/* half a second at 1 : 4, half a second at 1 : 1 */
		ASSERT_NEAR(metric(&r, "mover run"), 0.1 + 0.25, 0.03);
		ASSERT_NEAR(metric(&r, "stayer run"), 0.4 + 0.25, 0.03);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_are_shares),
		cmocka_unit_test(file_is_read),
		cmocka_unit_test(file_is_refused),
		cmocka_unit_test(prefixes_are_read),
		cmocka_unit_test(prefixes_are_refused),
		cmocka_unit_test(weight_decides),
		cmocka_unit_test(idle_group_waits),
		cmocka_unit_test(cpuset_confines),
		cmocka_unit_test(sessions_share),
		cmocka_unit_test(small_share_below_a_large_one),
		cmocka_unit_test(taskgroups_hold),
	};

	return cmocka_run_group_tests_name("cgroups", tests, NULL, NULL);
}
