// SPDX-License-Identifier: BSD-2-Clause
/*
 * The forms of a comparison, made from results that no run is needed for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/comparison.h"
#include "report/json.h"

#define NR_SEEDS 4

static const char *const machines[] = { "zen3-2s:nps1" };
static const char *const stream[] = { "stream:threads=16" };
static const char *const hackbench[] = { "hackbench:pipe,groups=1", "hackbench:pipe,groups=16" };
static const char *const kernels[] = { "v5.17", "v5.18" };

static struct compare fake(const char *const *workloads, int nr_workloads, const char *metric,
			   const char *unit, bool higher, const double *values)
{
	struct compare c = { .spec = { .nr_machines = 1,
				       .nr_workloads = nr_workloads,
				       .nr_kernels = 2,
				       .machine_expr = machines,
				       .workload_expr = workloads,
				       .kernel_expr = kernels,
				       .nr_seeds = NR_SEEDS,
				       .first_seed = 1 } };
	int n = nr_workloads * 2 * NR_SEEDS;

	c.result = calloc(n, sizeof(*c.result));
	assert_non_null(c.result);
	for (int i = 0; i < n; i++) {
		struct metric *m = &c.result[i].metric[0];

		c.result[i].nr_metrics = 1;
		snprintf(m->name, sizeof(m->name), "%s", metric);
		snprintf(m->unit, sizeof(m->unit), "%s", unit);
		m->higher_is_better = higher;
		m->value = values[i];
	}
	return c;
}

typedef void (*print_fn)(const struct comparison *t, FILE *f);

static char *printed(const struct compare *c, print_fn print)
{
	struct comparison *t = comparison_new(c);
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(t);
	assert_non_null(f);
	print(t, f);
	fclose(f);
	comparison_free(t);
	return text;
}

static void contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("expected \"%s\" in:\n%s", part, text);
}

static void truncation(void **state)
{
	char buf[32];

	assert_string_equal(format_pct_truncated(33.499, buf, sizeof(buf)), "33.49");
	assert_string_equal(format_pct_truncated(-7.579, buf, sizeof(buf)), "-7.57");
	assert_string_equal(format_pct_truncated(-0.004, buf, sizeof(buf)), "0.00");
	assert_string_equal(format_pct_truncated(0.009, buf, sizeof(buf)), "0.00");
}

/* The published row: 114470.18 -> 152806.94 was printed as 33.49. */
static void list_of_rates(void **state)
{
	const double v[] = { 114470.18, 114470.18, 114470.18, 114470.18,
			     152806.94, 152806.94, 152806.94, 152806.94 };
	struct compare c = fake(stream, 1, "Copy", "MB/s", true, v);
	char *text = printed(&c, comparison_print_list);

	contains(text, "zen3-2s:nps1, stream:threads=16\n");
	contains(text, "Test:");
	contains(text, " Copy:");
	contains(text, "114470.18 (0.00 pct)");
	contains(text, "152806.94 (33.49 pct) *");
	free(text);
	free(c.result);
}

/* Lower is better: 7.18 -> 7.47 is a loss of 4.03…, and rows are named as in the mails. */
static void list_of_times(void **state)
{
	const double v[] = { 4.31, 4.31, 4.31, 4.31, 4.31, 4.31, 4.31, 4.31,
			     7.18, 7.18, 7.18, 7.18, 7.47, 7.47, 7.47, 7.47 };
	struct compare c = fake(hackbench, 2, "time", "s", false, v);
	char *text = printed(&c, comparison_print_list);

	contains(text, " 1-groups:");
	contains(text, " 16-groups:");
	contains(text, "4.31 (0.00 pct) ~");
	contains(text, "7.47 (-4.03 pct) *");
	free(text);
	free(c.result);
}

/* A hundredth of a benchmark's loops must not print as 0.00. */
static void list_of_short_times(void **state)
{
	const double v[] = { 0.03104, 0.03104, 0.03104, 0.03104, 0.02, 0.02, 0.02, 0.02 };
	struct compare c = fake(stream, 1, "time", "s", false, v);
	char *text = printed(&c, comparison_print_list);

	contains(text, "0.0310 (0.00 pct)");
	contains(text, "0.0200 (35.56 pct) *");
	free(text);
	free(c.result);
}

static void too_few_seeds(void **state)
{
	const double v[] = { 1, 1, 2, 2, 1, 1, 2, 2 };
	struct compare c = fake(stream, 1, "Copy", "MB/s", true, v);
	char *text;

	c.spec.nr_seeds = 2;
	text = printed(&c, comparison_print_list);
	contains(text, "too few to tell an effect from noise");
	assert_null(strstr(text, "pct) *"));
	free(text);
	free(c.result);
}

/* 251.49 -> 305.59 = +21.51 %, the deviation 1.62 -> 1.97 = -21.6 % (spec 12 §10) */
static void mmtests(void **state)
{
	const double v[] = { 250, 251, 252, 253, 304, 305, 306, 307 };
	struct compare c = fake(stream, 1, "Copy", "MB/s", true, v);
	char *text = printed(&c, comparison_print_mmtests);

	contains(text, "Hmean       Copy     251.4950 (    0.00%)     305.4959 *   21.47%*");
	contains(text, "Min         Copy     250.0000 (    0.00%)     304.0000 (   21.60%)");
	contains(text, "BHmean-99");
	assert_null(strstr(text, "-0.00%"));
	free(text);
	free(c.result);
}

static void csv_and_json(void **state)
{
	const double v[] = { 4, 4, 4, 4, 2, 2, 2, 2, 8, 8, 8, 8, 8, 8, 8, 8 };
	struct compare c = fake(hackbench, 2, "time", "s", false, v);
	char *text = printed(&c, comparison_print_csv);
	struct comparison *t = comparison_new(&c);
	json_t *j = comparison_json(t), *row = json_array_get(json_object_get(j, "rows"), 0);
	json_t *variant = json_array_get(json_object_get(row, "variants"), 0);

	contains(text, "\"hackbench:pipe,groups=1\",zen3-2s:nps1,1-groups,v5.17,4,v5.18,2,50.00,s,lower,4,");
	contains(text, "v5.18,8,0.00,s,lower,4,1.0000,no\n");
	assert_true(json_number_value(json_object_get(variant, "gain_pct")) == 50);
	assert_true(json_is_true(json_object_get(variant, "significant")));
	assert_int_equal(json_array_size(json_object_get(variant, "values")), NR_SEEDS);
	json_decref(j);
	comparison_free(t);
	free(text);
	free(c.result);
}

/* Metrics are found by name; one that some run doesn't state has no row. */
static void metrics_by_name(void **state)
{
	const double v[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct compare c = fake(stream, 1, "work", "s", true, v);
	char *text;

	for (int i = 0; i < 8; i++) {
		struct result *r = &c.result[i];
		struct metric work = r->metric[0];

		if (i == 6) /* nothing was woken in this one */
			continue;
		r->nr_metrics = 2;
		snprintf(r->metric[0].name, sizeof(work.name), "latency");
		r->metric[0].value = 1000;
		r->metric[1] = work;
	}
	text = printed(&c, comparison_print_csv);
	contains(text, "work,v5.17,1.92,v5.18,6.30394,"); /* harmonic means */
	assert_null(strstr(text, "latency"));
	free(text);
	text = printed(&c, comparison_print_list);
	contains(text, "Left out: 1 metric that not every run states.");
	free(text);
	free(c.result);
}

/* A figure with a sign has an arithmetic mean; what is 0 with the base has no percentage. */
static void signs_and_zeros(void **state)
{
	const double slack[] = { -5, 5, -6, -2, -4, -4, -4, -4 };
	const double missed[] = { 0, 0, 0, 0, 7, 7, 7, 7 };
	struct compare c = fake(stream, 1, "slack", "us", true, slack);
	struct comparison *t;
	char *text = printed(&c, comparison_print_csv);
	json_t *j;

	contains(text, "slack,v5.17,-2,v5.18,-4,-100.00,us,higher,");
	free(text);
	free(c.result);
	c = fake(stream, 1, "missed", "periods", false, missed);
	text = printed(&c, comparison_print_list);
	contains(text, "0.00 (0.00 pct)");
	contains(text, "7.00 (-inf pct) *");
	free(text);
	text = printed(&c, comparison_print_mmtests);
	contains(text, "Amean       missed       0.0000 (    0.00%)       7.0000 *  -99.00%*");
	free(text);
	t = comparison_new(&c);
	j = comparison_json(t);
	assert_non_null(j);
	json_decref(j);
	comparison_free(t);
	free(c.result);
}

static void text_of_any_bytes(void **state)
{
	static const char *const cases[][2] = {
		{ "caf\xc3\xa9", "caf\xc3\xa9" },
		{ "\xff" "a", "\xef\xbf\xbd" "a" },
		{ "cut \xc3", "cut \xef\xbf\xbd" },
		{ "\xf0\x9f\x98\x80 \xf0\x9f\x98", "\xf0\x9f\x98\x80 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "", "" },
	};
	struct result r = { .nr_metrics = 1, .metric[0] = { .name = "\x80 run", .unit = "s" } };
	json_t *j;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		j = json_text(cases[i][0]);
		assert_string_equal(json_string_value(j), cases[i][1]);
		json_decref(j);
	}
	j = result_json(&r);
	assert_int_equal(json_array_size(json_object_get(j, "metrics")), 1);
	json_decref(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncation),	 cmocka_unit_test(list_of_rates),
		cmocka_unit_test(list_of_times), cmocka_unit_test(list_of_short_times),
		cmocka_unit_test(too_few_seeds),
		cmocka_unit_test(mmtests),	 cmocka_unit_test(csv_and_json),
		cmocka_unit_test(metrics_by_name), cmocka_unit_test(text_of_any_bytes),
		cmocka_unit_test(signs_and_zeros),
	};

	return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
