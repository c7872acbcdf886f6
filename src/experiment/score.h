/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * score.h - how well simulated gains follow published ones.
 */
#ifndef IDLEST_EXPERIMENT_SCORE_H
#define IDLEST_EXPERIMENT_SCORE_H

#include "base/types.h"

/* Gains up to this, in per cent, are no effect: published tables scatter by as much. */
#define SCORE_NEUTRAL_PCT 5.0

enum gain_class { GAIN_WORSE, GAIN_NEUTRAL, GAIN_BETTER };

enum gain_class gain_class(double gain_pct);
const char *gain_class_name(enum gain_class c);
/** gain_within_2x() - the same sign, and neither more than twice the other */
bool gain_within_2x(double published_pct, double simulated_pct);

/* One row, for scoring. */
struct score_row {
	double published_base, published_gain_pct, simulated_base, simulated_gain_pct;
	bool simulated; /* the simulated figures are there */
	bool scored;
	bool relative; /* the table has ratios: there is no base value to meet */
};

struct score {
	int all;	     /* rows given */
	int not_simulated;
	int rows;	     /* scored */
	int class_agree;     /* of these: the same class */
	int effects;	     /* of these: published as better or worse */
	int effects_within_2x;
	int bases;	     /* rows whose base value counts */
	double base_median_error_pct; /* of these; 0 without any */
};

/** score_rows() - Return: 0 or -ENOMEM */
int score_rows(const struct score_row *row, int nr, struct score *s);

#endif
