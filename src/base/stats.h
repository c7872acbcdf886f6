/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stats.h - what is said of a few repeated measurements.
 */
#ifndef IDLEST_BASE_STATS_H
#define IDLEST_BASE_STATS_H

#include "base/types.h"

double stats_amean(const double *x, int n);
/** stats_hmean() - n / Σ(1/x): the mean of rates; 0 if any value isn't positive */
double stats_hmean(const double *x, int n);
/** stats_stddev() - sample standard deviation (n - 1); 0 for n < 2 */
double stats_stddev(const double *x, int n);
/** stats_hstddev() - of a harmonic mean: sqrt(Σ(1/x − 1/H)²·H⁴/n) (spec 12 §10) */
double stats_hstddev(const double *x, int n);
double stats_min(const double *x, int n);
double stats_max(const double *x, int n);
/**
 * stats_best_mean() - mean of the best @pct per cent (at least one)
 * @higher: which end is best
 * @harmonic: which mean
 */
double stats_best_mean(const double *x, int n, int pct, bool higher, bool harmonic);

/**
 * stats_wilson() - the 95 % interval of a share of which @part of @of were seen
 *
 * Wilson's: right for few observations and for shares near 0 and 1. 0 to 1 if @of is 0.
 */
void stats_wilson(u64 part, u64 of, double *lo, double *hi);

/**
 * stats_permutation_p() - two-sided p value of "a and b have the same mean"
 *
 * Every way of dealing the values onto two samples is tried where there are at
 * most 20000; otherwise as many are drawn, always the same ones. With fewer
 * than four values a side no outcome can reach 5 per cent.
 *
 * Return: share of the ways whose means are at least as far apart, 1 for empty samples.
 */
double stats_permutation_p(const double *a, int na, const double *b, int nb);

/**
 * stats_gain_pct() - how much better @variant is than @base, in per cent
 *
 * Positive is better, whichever direction the unit has and whatever the sign of
 * @base. From 0 anything but 0 is infinitely far.
 */
double stats_gain_pct(double base, double variant, bool higher_is_better);

#endif
