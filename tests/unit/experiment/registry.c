// SPDX-License-Identifier: BSD-2-Clause
/* The registry: all that it names exists, all that published rows name is in it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "experiment/kernel_dump.h"
#include "experiment/reproduce.h"
#include "machine/machine.h"
#include "workload/workload.h"

static struct registry *embedded(void)
{
	struct registry *r;
	struct err err = { 0 };

	if (registry_load(&r, &err))
		fail_msg("%s", err.msg);
	return r;
}

static void check_kernels(const struct registry_experiment *e)
{
	for (u32 i = 0; i < e->nr_kernels; i++) {
		struct sched_kernel k;
		struct err err = { 0 };

		if (e->kernels[i].is && kernel_load(e->kernels[i].is, &k, &err))
			fail_msg("%s: %s", e->name, err.msg);
	}
}

static void check_workload(const struct registry_benchmark *b, const char *param)
{
	char expr[512];
	struct workload *w;
	struct err err = { 0 };

	assert_ptr_equal(registry_find_benchmark(
				 &(struct registry_experiment){ .benchmarks = (void *)b, .nr_benchmarks = 1 },
				 b->label, param, b->note ?: ""), b);
	assert_int_equal(registry_expand(b->workload, param, expr, sizeof(expr)), 0);
	if (workload_parse(expr, &w, &err))
		fail_msg("%s: %s", b->label, err.msg);
	workload_free(w);
	assert_int_equal(registry_expand(b->metric, param, expr, sizeof(expr)), 0);
	assert_true(registry_scale(b) > 0);
}

static void names_exist(void **state)
{
	struct registry *r = embedded();
	const struct registry_file *f = registry_file(r);

	for (u32 i = 0; i < f->nr_machines; i++) {
		struct machine *m;
		struct err err = { 0 };

		if (machine_load(f->machines[i].is, &m, &err))
			fail_msg("%s", err.msg);
		machine_free(m);
	}
	for (u32 i = 0; i < f->nr_experiments; i++) {
		const struct registry_experiment *e = &f->experiments[i];

		check_kernels(e);
		for (u32 j = 0; j < e->nr_benchmarks; j++) {
			const struct registry_benchmark *b = &e->benchmarks[j];

			if (b->workload)
				assert_true(b->nr_params > 0);
			for (u32 k = 0; k < b->nr_params; k++)
				check_workload(b, b->params[k]);
		}
	}
	registry_free(r);
}

static void published_words(void **state)
{
	const char *shared = getenv("IDLEST_SHARED");
	struct registry *r = embedded();
	const struct registry_file *f = registry_file(r);
	struct arena *a = arena_new();
	struct published p;
	struct err err = { 0 };
	char path[4096];

	snprintf(path, sizeof(path), "%s/published/given.csv", shared ?: SOURCE_ROOT "/../shared");
	if (access(path, R_OK)) {
		print_message("no published tables at %s\n", path);
		registry_free(r);
		arena_free(a);
		skip();
	}
	if (published_load(a, path, &p, &err))
		fail_msg("%s", err.msg);
	for (int i = 0; i < p.nr_rows; i++) {
		const struct published_row *row = &p.row[i];
		const struct registry_experiment *e = registry_find(r, row->experiment);

		if (!e || !registry_find_word(f->machines, f->nr_machines, row->machine) ||
		    !registry_find_word(e->kernels, e->nr_kernels, row->base) ||
		    !registry_find_word(e->kernels, e->nr_kernels, row->variant) ||
		    !registry_find_benchmark(e, row->benchmark, row->param, row->note))
			fail_msg("%s:%d: the registry doesn't know all of it", path, row->line);
	}
	arena_free(a);
	registry_free(r);
}

static void placeholders(void **state)
{
	char buf[15];

	assert_int_equal(registry_expand("g={n},{param}!", "16-groups", buf, sizeof(buf)), -ENOSPC);
	assert_int_equal(registry_expand("g={n},{n}", "16-groups", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "g=16,16");
	assert_int_equal(registry_expand("{param}", "Copy", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "Copy");
	assert_int_equal(registry_expand("{n}", "Copy", buf, sizeof(buf)), -EINVAL);
	assert_int_equal(registry_expand("{x}", "Copy", buf, sizeof(buf)), 0);
	assert_string_equal(buf, "{x}");
}

#define MACHINES "machines: [{label: m, is: uma-8c}]\n"
#define EXPERIMENT(kernels, benchmarks)                                                            \
	MACHINES "experiments:\n"                                                                  \
		 "  - {name: e, description: d, machine: m, kernels: [" kernels                      \
		 "], benchmarks: [" benchmarks "]}\n"
#define K "{label: a, is: v5.17}, {label: b, is: v5.18}, {label: c, missing: not built}"
#define B                                                                                          \
	"{label: hog, to: 3, workload: 'hog:n={n},duration=5ms', metric: work, scale: 2, "  \
	"params: [1, 2], unscored: [{to: 1, why: too few}]}, "                                     \
	"{label: hog, missing: too many}"

static struct registry *registry_of(const char *text)
{
	struct registry *r;
	struct err err = { 0 };

	if (registry_parse("r.yaml", text, strlen(text), &r, &err))
		fail_msg("%s", err.msg);
	return r;
}

static void faults(void **state)
{
	static const struct {
		const char *text, *cause;
	} cases[] = {
		{ EXPERIMENT("{label: a}", B), "either 'is' or 'missing'" },
		{ EXPERIMENT("{label: a, is: v5.17}, {label: a, is: v5.18}", B), "given twice" },
		{ EXPERIMENT(K, "{label: hog}"), "either 'workload' or 'missing'" },
		{ EXPERIMENT(K, "{label: hog, workload: hog}"), "a metric go together" },
		{ EXPERIMENT(K, "{label: hog, missing: x, scale: much}"), "a number above 0" },
		{ EXPERIMENT(K, "{label: hog, missing: x, unscored: [{to: x, why: y}]}"), "a number above 0" },
		{ EXPERIMENT(K, "{label: hog, misssing: x}"), "did you mean 'missing'" },
		{ "machines: [{label: q, is: uma-8c}]\nexperiments: [{name: e, description: d, machine: m, kernels: ["
		  K "], benchmarks: [" B "]}]\n", "'machines' has no 'm'" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };
		struct registry *r;

		assert_int_equal(registry_parse("r.yaml", cases[i].text, strlen(cases[i].text), &r, &err),
				 -EINVAL);
		assert_null(r);
		if (strncmp(err.msg, "r.yaml:", 7) || !strstr(err.msg, cases[i].cause))
			fail_msg("case %zu: %s", i, err.msg);
	}
}

#define HEAD "experiment,benchmark,machine,param,base,base_value,variant,gain_pct,better,note,unit\n"

/* which rows are simulated, which scored, and what those that aren't are told */
static void rows(void **state)
{
	static const char text[] = HEAD
		"e,hog,m,2 hogs,a,4,b,1,higher,,\n"
		"e,hog,m,1,a,4,b,1,higher,,\n"
		"e,hog,m,2 hogs,a,4,b,1,higher,overloaded-or-bad-run,\n"
		"e,hog,m,5,a,4,b,1,higher,,\n"
		"e,hog,x,2,a,4,b,1,higher,,\n"
		"e,hog,m,2,a,4,c,1,higher,,\n"
		"e,hog,m,2,a,4,z,1,higher,,\n"
		"e,cat,m,2,a,4,b,1,higher,,\n"
		"f,hog,m,2,a,4,b,1,higher,,\n"
		"e,hog,m,2 hogs,a,1,b,1,higher,,ratio\n";
	static const char *const why[] = { NULL, "too few", "bad run", "too many", "machine 'x'",
					   "not built", "kernel 'z'", "benchmark 'cat'",
					   "experiment 'f'", NULL };
	const struct reproduce_spec spec = { .nr_seeds = 2, .first_seed = 1, .jobs = 2 };
	struct registry *r = registry_of(EXPERIMENT(K, B));
	struct arena *a = arena_new();
	struct published p;
	struct reproduction *x;
	struct score s;
	struct err err = { 0 };

	assert_int_equal(published_parse(a, "t.csv", text, sizeof(text) - 1, &p, &err), 0);
	assert_int_equal(reproduce_plan(r, &p, &spec, &x, &err), 0);
	assert_int_equal(x->nr_rows, 10);
	assert_int_equal(x->nr_groups, 2); /* two hogs, one hog */
	assert_int_equal(reproduce_run(x, &spec, &err), 0);
	for (int i = 0; i < x->nr_rows; i++) {
		if (!!why[i] != !!x->row[i].why || (why[i] && !strstr(x->row[i].why, why[i])))
			fail_msg("row %d: %s", i, x->row[i].why);
		assert_int_equal(x->row[i].score.simulated, i < 3 || i == 9);
		assert_int_equal(x->row[i].score.scored, i == 0 || i == 9);
	}
	/* two hogs on eight CPUs: their work is their time, and scale doubles it */
	assert_float_equal(x->row[0].score.simulated_base, 0.02, 0.004);
	assert_float_equal(x->row[0].score.simulated_gain_pct, 0, 1);
	assert_float_equal(x->row[9].score.simulated_base, 1, 0);
	assert_int_equal(reproduce_score(x, "e", &s), 0);
	assert_int_equal(s.rows, 2);
	assert_int_equal(s.bases, 1);
	assert_int_equal(s.all, 9);
	assert_int_equal(s.not_simulated, 5);
	reproduction_free(x);

	/* what the registry knows without figures: two params of the first, none of the second */
	assert_int_equal(reproduce_rows(registry_find(r, "e"), a, &p, &err), 0);
	assert_int_equal(p.nr_rows, 6);
	assert_int_equal(reproduce_plan(r, &p, &spec, &x, &err), 0);
	assert_string_equal(x->row[0].why, "no published figure");
	assert_int_equal(x->row[0].score.scored, false);
	reproduction_free(x);
	arena_free(a);
	registry_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_exist),
		cmocka_unit_test(published_words),
		cmocka_unit_test(placeholders),
		cmocka_unit_test(faults),
		cmocka_unit_test(rows),
	};

	return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
