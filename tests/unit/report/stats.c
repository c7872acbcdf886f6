// SPDX-License-Identifier: BSD-2-Clause
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/stats.h"
#include "base/types.h"

static void close_to(double got, double expected)
{
	if (fabs(got - expected) > 1e-9 * (1 + fabs(expected)))
		fail_msg("expected %.12g, got %.12g", expected, got);
}

static void means(void **state)
{
	const double x[] = { 1, 2, 4 };

	close_to(stats_amean(x, 3), 7.0 / 3);
	close_to(stats_hmean(x, 3), 3 / 1.75);
	close_to(stats_stddev(x, 3), sqrt(7.0 / 3));
	close_to(stats_min(x, 3), 1);
	close_to(stats_max(x, 3), 4);
	close_to(stats_best_mean(x, 3, 99, false, false), 1.5); /* 99 % of 3 values are 2 */
	close_to(stats_best_mean(x, 3, 99, true, false), 3);
	close_to(stats_best_mean(x, 3, 99, true, true), stats_hmean(x + 1, 2));
	close_to(stats_stddev(x, 1), 0);
	close_to(stats_hmean((const double[]){ 1, 0 }, 2), 0);
}

/* sqrt(Σ(1/x − 1/H)²·H⁴/n) of 1 and 3: H = 1.5, deviations ±1/3 */
static void harmonic_deviation(void **state)
{
	const double x[] = { 1, 3 };

	close_to(stats_hstddev(x, 2), sqrt(2.0 / 9 * 5.0625 / 2));
}

static void gains(void **state)
{
	close_to(stats_gain_pct(251.49, 305.59, true), 54.10 / 251.49 * 100);
	close_to(stats_gain_pct(22.63, 20.54, false), 2.09 / 22.63 * 100);
	close_to(stats_gain_pct(383, 412, false), -29.0 / 383 * 100);
	close_to(stats_gain_pct(0, 0, true), 0);
	assert_true(stats_gain_pct(0, 1, true) == INFINITY);
	assert_true(stats_gain_pct(0, 1, false) == -INFINITY);
	/* slack: further below zero is worse */
	close_to(stats_gain_pct(-5, -10, true), -100);
	close_to(stats_gain_pct(-5, 5, true), 200);
}

/* Two samples that don't overlap: only the two extreme ways of C(2n, n) are as far apart. */
static void permutation_exact(void **state)
{
	const double a[] = { 1, 2, 3, 4, 5 }, b[] = { 11, 12, 13, 14, 15 };

	close_to(stats_permutation_p(a, 5, b, 5), 2.0 / 252);
	close_to(stats_permutation_p(a, 4, b, 4), 2.0 / 70);
	close_to(stats_permutation_p(a, 3, b, 3), 2.0 / 20);
	close_to(stats_permutation_p(a, 5, a, 5), 1);
	close_to(stats_permutation_p(a, 0, b, 5), 1);
}

/* {1, 2} against {1.5, 4}: of 6 ways, those with |difference| >= 1.25 are counted by hand */
static void permutation_by_hand(void **state)
{
	const double a[] = { 1, 2 }, b[] = { 1.5, 4 };

	/* sums of the first sample: 3, 2.5, 5, 3.5, 6, 5.5 of 8.5; far: |2s - 8.5| >= 2.5 */
	close_to(stats_permutation_p(a, 2, b, 2), 4.0 / 6);
}

/* Many seeds: drawn instead of enumerated, and still the same answer every time. */
static void permutation_drawn(void **state)
{
	double a[20], b[20];

	for (int i = 0; i < 20; i++) {
		a[i] = i;
		b[i] = i + 30;
	}
	assert_true(stats_permutation_p(a, 20, b, 20) < 0.001);
	for (int i = 0; i < 20; i++)
		b[i] = i + 0.01;
	assert_true(stats_permutation_p(a, 20, b, 20) > 0.9);
	close_to(stats_permutation_p(a, 20, b, 20), stats_permutation_p(a, 20, b, 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means),
		cmocka_unit_test(harmonic_deviation),
		cmocka_unit_test(gains),
		cmocka_unit_test(permutation_exact),
		cmocka_unit_test(permutation_by_hand),
		cmocka_unit_test(permutation_drawn),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
