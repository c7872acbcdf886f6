/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hist.h - a log-linear histogram: fixed size, exact for small values, better
 * than 0.4 % for large ones.
 *
 * Buckets and what they report are those of schbench's latency tables
 * (spec 12 §2), so that percentiles compare with published ones digit by digit:
 * a value up to 511 has a bucket of its own; above, with its highest bit m, the
 * next 8 bits choose the bucket, which reports its middle.
 */
#ifndef IDLEST_BASE_HIST_H
#define IDLEST_BASE_HIST_H

#include "base/types.h"

#define HIST_BUCKETS (512 + 55 * 256)

struct hist {
	u64 count, sum, min, max;
	u32 bucket[HIST_BUCKETS];
};

/* A histogram of zero bytes is an empty one. */

void hist_add(struct hist *h, u64 value);
/** hist_merge() - add all values of @from to @h */
void hist_merge(struct hist *h, const struct hist *from);
/**
 * hist_percentile() - the value that @permyriad / 100 per cent of all don't exceed
 * @permyriad: 5000 is the median, 9990 the 99.9th percentile; 10000 gives the last bucket
 *
 * Return: what the first bucket reports whose cumulated count reaches that
 * share; 0 of an empty histogram.
 */
u64 hist_percentile(const struct hist *h, int permyriad);
/** hist_mean() - exact, rounded down; 0 if empty */
u64 hist_mean(const struct hist *h);

#endif
