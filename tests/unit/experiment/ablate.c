// SPDX-License-Identifier: BSD-2-Clause
/*
 * Differences between kernels, one at a time.
 */
#include <errno.h>
#include <math.h>

#include "../explain/fixture.h"
#include "report/ablation.h"

static int find(const struct difference *d, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(d[i].name, name))
			return i;
	return -1;
}

/* all differences together make one kernel into the other, for every pair of profiles */
static void together_they_are_all(void **state)
{
	static struct difference d[MAX_DIFFERENCES], left[MAX_DIFFERENCES];

	for (int a = 0; a < sched_nr_profiles(); a++) {
		for (int b = 0; b < sched_nr_profiles(); b++) {
			struct sched_kernel from = kernel_of(sched_profile_name(a));
			struct sched_kernel to = kernel_of(sched_profile_name(b));
			int n = kernel_differences(&from, &to, d);

			assert_in_range(n, 0, MAX_DIFFERENCES - 1);
			assert_true(n == 0 || a != b);
			for (int i = 0; i < n; i++) {
				assert_true(*d[i].name && *d[i].what);
				/* taken once, it is no difference any more */
				kernel_take(&from, &to, &d[i]);
				assert_int_equal(kernel_differences(&from, &to, left), n - 1 - i);
			}
			assert_int_equal(from.features, to.features);
			assert_memory_equal(from.tunable, to.tunable, sizeof(to.tunable));
		}
	}
}

static void groups_and_single_ones(void **state)
{
	static struct difference d[MAX_DIFFERENCES];
	struct sched_kernel a = kernel_of("v6.1"), b = kernel_of("v6.12"), c;
	int n = kernel_differences(&a, &b, d), fair = find(d, n, "fair class");

	assert_true(fair >= 0 && find(d, n, "clusters at wake-up") >= 0);
	assert_non_null(strstr(d[fair].what, "PLACE_LAG"));
	assert_non_null(strstr(d[fair].what, "no latency_ns"));
	assert_int_equal(find(d, n, "protection"), -1);
	assert_int_equal(find(d, n, "pkg_names"), -1);
	a = kernel_of("v6.1,NO_SIS_UTIL,migration_cost_ns=0");
	b = kernel_of("v6.1,+SIS_SHORT_V2");
	n = kernel_differences(&a, &b, d);
	assert_int_equal(n, 3);
	assert_true(find(d, n, "SIS_SHORT (+SIS_SHORT_V2)") >= 0 && find(d, n, "SIS_UTIL") >= 0 &&
		    find(d, n, "migration_cost_ns") >= 0);
	c = b;
	kernel_take(&c, &a, &d[find(d, n, "SIS_UTIL")]);
	assert_false(sched_feat(&c, FEAT_SIS_UTIL));
	assert_int_equal(c.rules.sis_short, SIS_SHORT_V2);
	a = kernel_of("v5.7");
	b = kernel_of("v5.7,+LOCALWAKELIST,+OPTTTWU");
	n = kernel_differences(&a, &b, d);
	assert_int_equal(n, 2);
	assert_true(find(d, n, "wake_list (+LOCALWAKELIST)") >= 0 &&
		    find(d, n, "wake_list_on_cpu (+OPTTTWU)") >= 0);
}

static struct ablation *ablated(const char *machine, const char *workload, const char *base,
				const char *variant, int seeds, int jobs)
{
	static const char *expr[4]; /* results point to them */
	struct compare_spec spec = {.nr_machines = 1, .nr_workloads = 1, .nr_kernels = 2,
				    .machine_expr = &expr[0], .workload_expr = &expr[1],
				    .kernel_expr = &expr[2], .nr_seeds = seeds, .first_seed = 1,
				    .jobs = jobs, .check = seeds == 1};
	struct ablation *a;
	struct err err = {0};

	expr[0] = machine;
	expr[1] = workload;
	expr[2] = base;
	expr[3] = variant;
	if (ablation_run(&spec, &a, &err))
		fail_msg("%s", err.msg);
	return a;
}

/* every kernel between two far ones can be run, its invariants kept */
static void every_mixture_runs(void **state)
{
	static const char *const pair[][2] = {{"v5.7", "v7.3"}, {"v6.12", "v7.3"}};

	for (size_t i = 0; i < ARRAY_SIZE(pair); i++) {
		struct ablation *a = ablated("pack:1 l3:2 core:2 pu:2", "hackbench:groups=1,loops=4",
					     pair[i][0], pair[i][1], 1, 0);

		assert_true(a->nr_differences > 8);
		ablation_free(a);
	}
}

/* a difference that stands alone carries all of it, both ways round */
static void one_carries_all(void **state)
{
	struct ablation *a = ablated("uma-8c", "hackbench:groups=4,loops=40", "v6.1",
				     "v6.1,NO_WAKEUP_PREEMPTION,WARN_DOUBLE_CLOCK", 4, 2);
	struct ablation_table t;

	assert_int_equal(a->nr_differences, 2);
	assert_int_equal(ablation_table(a, 0, 0, 0, &t), 1);
	assert_string_equal(a->diff[t.line[0].difference].name, "WAKEUP_PREEMPTION");
	assert_true(fabs(t.line[0].with.share - 1) < 1e-9);
	assert_true(fabs(t.line[0].without.share - 1) < 1e-9);
	assert_true(t.line[0].with.gain_pct == t.whole.gain_pct);
	assert_true(t.line[1].with.none && t.line[1].without.none);
	ablation_table_free(&t);
	ablation_free(a);
}

static char *json_of(struct ablation *a)
{
	json_t *j = ablation_json(a);
	char *text = json_dumps(j, JSON_SORT_KEYS);

	json_decref(j);
	ablation_free(a);
	return text;
}

/* whatever the number of jobs */
static void same_bytes_each_time(void **state)
{
	char *one = json_of(ablated("uma-8c", "hackbench:groups=1,loops=20", "v6.6", "v6.12", 2, 1));
	char *two = json_of(ablated("uma-8c", "hackbench:groups=1,loops=20", "v6.6", "v6.12", 2, 2));

	assert_string_equal(one, two);
	free(one);
	free(two);
}

static void nothing_to_ablate(void **state)
{
	const char *m = "uma-8c", *w = "hackbench:groups=1,loops=1";
	const char *const kernel[] = {"v6.1", "v6.1"};
	struct compare_spec spec = {.nr_machines = 1, .nr_workloads = 1, .nr_kernels = 2,
				    .machine_expr = &m, .workload_expr = &w, .kernel_expr = kernel,
				    .nr_seeds = 1, .first_seed = 1, .jobs = 1};
	struct ablation *a;
	struct err err = {0};

	assert_int_equal(ablation_run(&spec, &a, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "nothing to ablate"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(together_they_are_all),
		cmocka_unit_test(groups_and_single_ones),
		cmocka_unit_test(every_mixture_runs),
		cmocka_unit_test(one_carries_all),
		cmocka_unit_test(same_bytes_each_time),
		cmocka_unit_test(nothing_to_ablate),
	};

	return cmocka_run_group_tests_name("ablate", tests, NULL, NULL);
}
