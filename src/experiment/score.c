// SPDX-License-Identifier: BSD-2-Clause
#include "experiment/score.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum gain_class gain_class(double gain_pct)
{
	if (fabs(gain_pct) <= SCORE_NEUTRAL_PCT)
		return GAIN_NEUTRAL;
	return gain_pct > 0 ? GAIN_BETTER : GAIN_WORSE;
}

const char *gain_class_name(enum gain_class c)
{
	static const char *const names[] = { "worse", "neutral", "better" };

	return names[c];
}

bool gain_within_2x(double published_pct, double simulated_pct)
{
	double p = fabs(published_pct), s = fabs(simulated_pct);

	return published_pct * simulated_pct > 0 && s <= 2 * p && p <= 2 * s;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *x, int n)
{
	if (!n)
		return 0;
	qsort(x, n, sizeof(*x), ascending);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

int score_rows(const struct score_row *row, int nr, struct score *s)
{
	double *error = calloc(max(nr, 1), sizeof(*error));

	if (!error)
		return -ENOMEM;
	*s = (struct score){ .all = nr };
	for (int i = 0; i < nr; i++) {
		const struct score_row *r = &row[i];
		bool effect = gain_class(r->published_gain_pct) != GAIN_NEUTRAL;

		s->not_simulated += !r->simulated;
		if (!r->scored || !r->simulated)
			continue;
		s->rows++;
		s->class_agree += gain_class(r->published_gain_pct) ==
				  gain_class(r->simulated_gain_pct);
		s->effects += effect;
		s->effects_within_2x += effect && gain_within_2x(r->published_gain_pct,
								 r->simulated_gain_pct);
		if (!r->relative)
			error[s->bases++] = fabs(r->simulated_base / r->published_base - 1) * 100;
	}
	s->base_median_error_pct = median(error, s->bases);
	free(error);
	return 0;
}
