// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/hist.h"
#include "base/rng.h"

static struct hist *hist_new(void)
{
	struct hist *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	return h;
}

/* Spec 12 §2: 1062 = 1024 + 9.5·4; 47552 = 32768 + 115.5·128; 80000 = 65536 + 56.5·256. */
static void published_values(void **state)
{
	static const struct {
		u64 value, reported;
	} rows[] = {
		{ 0, 0 },	  { 511, 511 },	    { 512, 513 },	{ 513, 513 },
		{ 514, 515 },	  { 1060, 1062 },   { 1063, 1062 },	{ 1064, 1066 },
		{ 47488, 47552 }, { 47615, 47552 }, { 79872, 80000 },	{ 80127, 80000 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct hist *h = hist_new();

		hist_add(h, rows[i].value);
		assert_int_equal(hist_percentile(h, 9900), rows[i].reported);
		assert_int_equal(h->max, rows[i].value);
		free(h);
	}
}

static void percentile_is_first_bucket_that_reaches_the_share(void **state)
{
	struct hist *h = hist_new();

	for (int i = 1; i <= 100; i++)
		hist_add(h, i);
	assert_int_equal(hist_percentile(h, 5000), 50);
	assert_int_equal(hist_percentile(h, 9900), 99);
	assert_int_equal(hist_percentile(h, 9901), 100);
	assert_int_equal(hist_percentile(h, 10000), 100);
	assert_int_equal(hist_percentile(h, 0), 1);
	assert_int_equal(hist_mean(h), 50);
	free(h);
}

static void empty_gives_zero(void **state)
{
	struct hist *h = hist_new();

	assert_int_equal(hist_percentile(h, 9900), 0);
	assert_int_equal(hist_mean(h), 0);
	free(h);
}

static void merged_is_the_same_as_added_together(void **state)
{
	struct hist *a = hist_new(), *b = hist_new(), *both = hist_new();
	struct rng r;

	rng_init(&r, 1, 0);
	for (int i = 0; i < 10000; i++) {
		u64 v = rng_u64(&r) >> rng_below(&r, 64);

		hist_add(i & 1 ? a : b, v >> 8);
		hist_add(both, v >> 8);
	}
	hist_merge(a, b);
	assert_memory_equal(a, both, sizeof(*a));
	free(a);
	free(b);
	free(both);
}

/* Whatever the value, what is reported is within 1/512 of it. */
static void error_is_bounded(void **state)
{
	struct hist *h = hist_new();
	struct rng r;

	rng_init(&r, 2, 0);
	for (int i = 0; i < 2000; i++) {
		u64 v = rng_u64(&r) >> rng_below(&r, 64), got;

		*h = (struct hist){ 0 };
		hist_add(h, v);
		got = hist_percentile(h, 5000);
		assert_true((got > v ? got - v : v - got) <= v / 512 + 1);
	}
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_values),
		cmocka_unit_test(percentile_is_first_bucket_that_reaches_the_share),
		cmocka_unit_test(empty_gives_zero),
		cmocka_unit_test(merged_is_the_same_as_added_together),
		cmocka_unit_test(error_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
