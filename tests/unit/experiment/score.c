// SPDX-License-Identifier: BSD-2-Clause
/* Scores of rows whose figures are given: each share by counting on paper. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "experiment/score.h"

static void classes(void **state)
{
	assert_int_equal(gain_class(0), GAIN_NEUTRAL);
	assert_int_equal(gain_class(5), GAIN_NEUTRAL);
	assert_int_equal(gain_class(-5), GAIN_NEUTRAL);
	assert_int_equal(gain_class(5.01), GAIN_BETTER);
	assert_int_equal(gain_class(-5.01), GAIN_WORSE);
	assert_int_equal(gain_class(INFINITY), GAIN_BETTER);
	assert_string_equal(gain_class_name(GAIN_WORSE), "worse");
}

static void factors(void **state)
{
	assert_true(gain_within_2x(20, 10));
	assert_true(gain_within_2x(20, 40));
	assert_false(gain_within_2x(20, 9.99));
	assert_false(gain_within_2x(20, 40.1));
	assert_false(gain_within_2x(20, -20));
	assert_true(gain_within_2x(-20, -39));
	assert_false(gain_within_2x(20, 0));
}

static struct score_row row(double base, double gain, double sim_base, double sim_gain)
{
	return (struct score_row){
		.published_base = base,
		.published_gain_pct = gain,
		.simulated_base = sim_base,
		.simulated_gain_pct = sim_gain,
		.simulated = true,
		.scored = true,
	};
}

static void counts(void **state)
{
	struct score_row rows[] = {
		row(100, 0, 110, 4.9),	  /* agrees, base 10 % off */
		row(100, 3, 70, -6),	  /* neutral against worse, 30 % */
		row(200, 40, 240, 25),	  /* agrees, within 2, 20 % */
		row(200, 40, 200, 6),	  /* agrees, not within 2, 0 % */
		row(100, -10, 300, 10),	  /* better against worse, 200 % */
		row(100, 50, 1, 50),	  /* not scored */
		row(100, 50, 0, 0),	  /* not simulated */
		row(1, 30, 0.5, 2),	  /* a ratio: its base counts for nothing */
	};
	struct score s;

	rows[5].scored = false;
	rows[6].simulated = rows[6].scored = false;
	rows[7].relative = true;
	assert_int_equal(score_rows(rows, 8, &s), 0);
	assert_int_equal(s.all, 8);
	assert_int_equal(s.not_simulated, 1);
	assert_int_equal(s.rows, 6);
	assert_int_equal(s.class_agree, 3);
	assert_int_equal(s.effects, 4);
	assert_int_equal(s.effects_within_2x, 1);
	assert_int_equal(s.bases, 5);
	assert_float_equal(s.base_median_error_pct, 20, 1e-9); /* of 0 10 20 30 200 */
	assert_int_equal(score_rows(rows, 4, &s), 0);
	assert_float_equal(s.base_median_error_pct, 15, 1e-9); /* of 0 10 20 30 */
	assert_int_equal(score_rows(rows, 0, &s), 0);
	assert_int_equal(s.rows, 0);
	assert_float_equal(s.base_median_error_pct, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes),
		cmocka_unit_test(factors),
		cmocka_unit_test(counts),
	};

	return cmocka_run_group_tests_name("score", tests, NULL, NULL);
}
