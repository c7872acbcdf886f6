// SPDX-License-Identifier: BSD-2-Clause
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/stats.h"

#define MAX_WAYS 20000

double stats_amean(const double *x, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += x[i];
	return n ? sum / n : 0;
}

double stats_hmean(const double *x, int n)
{
	double sum = 0;

	for (int i = 0; i < n; i++) {
		if (!(x[i] > 0))
			return 0;
		sum += 1 / x[i];
	}
	return n ? n / sum : 0;
}

double stats_stddev(const double *x, int n)
{
	double mean = stats_amean(x, n), sum = 0;

	if (n < 2)
		return 0;
	for (int i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sqrt(sum / (n - 1));
}

double stats_hstddev(const double *x, int n)
{
	double h = stats_hmean(x, n), sum = 0;

	if (n < 2 || h == 0)
		return 0;
	for (int i = 0; i < n; i++)
		sum += (1 / x[i] - 1 / h) * (1 / x[i] - 1 / h);
	return sqrt(sum * h * h * h * h / n);
}

double stats_min(const double *x, int n)
{
	double m = n ? x[0] : 0;

	for (int i = 1; i < n; i++)
		m = x[i] < m ? x[i] : m;
	return m;
}

double stats_max(const double *x, int n)
{
	double m = n ? x[0] : 0;

	for (int i = 1; i < n; i++)
		m = x[i] > m ? x[i] : m;
	return m;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double stats_best_mean(const double *x, int n, int pct, bool higher, bool harmonic)
{
	int keep = n * pct / 100;
	double *sorted, mean;
	const double *best;

	if (keep < 1)
		keep = 1;
	if (n < 1)
		return 0;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return 0;
	memcpy(sorted, x, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), ascending);
	best = higher ? sorted + n - keep : sorted;
	mean = harmonic ? stats_hmean(best, keep) : stats_amean(best, keep);
	free(sorted);
	return mean;
}

/* number of ways to choose k of n, capped */
static u64 choose(int n, int k)
{
	u64 ways = 1;

	for (int i = 1; i <= k; i++) {
		ways = ways * (n - k + i) / i;
		if (ways > MAX_WAYS)
			return MAX_WAYS + 1;
	}
	return ways;
}

static bool next_combination(int *pick, int k, int n)
{
	int i = k - 1;

	while (i >= 0 && pick[i] == n - k + i)
		i--;
	if (i < 0)
		return false;
	pick[i]++;
	for (int j = i + 1; j < k; j++)
		pick[j] = pick[j - 1] + 1;
	return true;
}

static void shuffle(double *x, int n, struct rng *rng)
{
	for (int i = n - 1; i > 0; i--) {
		int j = (int)rng_below(rng, i + 1);
		double t = x[i];

		x[i] = x[j];
		x[j] = t;
	}
}

/* the ways tried, and how many of them put the means as far apart as they were observed */
struct ways {
	double total, at_least;
	int na, nb;
	u64 nr, far;
};

static void count_way(struct ways *w, double sum_a)
{
	w->nr++;
	w->far += fabs(sum_a / w->na - (w->total - sum_a) / w->nb) >= w->at_least;
}

double stats_permutation_p(const double *a, int na, const double *b, int nb)
{
	int n = na + nb;
	struct ways w = { .na = na, .nb = nb };
	double observed;
	double *all;
	int *pick;

	if (na < 1 || nb < 1)
		return 1;
	all = malloc(n * sizeof(*all));
	pick = malloc(na * sizeof(*pick));
	if (!all || !pick) {
		free(all);
		free(pick);
		return 1;
	}
	memcpy(all, a, na * sizeof(*all));
	memcpy(all + na, b, nb * sizeof(*all));
	for (int i = 0; i < n; i++)
		w.total += all[i];
	observed = fabs(stats_amean(a, na) - stats_amean(b, nb));
	/* equal sums in another order are equal */
	w.at_least = observed - 1e-12 * (fabs(w.total) / n + observed);
	if (choose(n, na) <= MAX_WAYS) {
		for (int i = 0; i < na; i++)
			pick[i] = i;
		do {
			double sum = 0;

			for (int i = 0; i < na; i++)
				sum += all[pick[i]];
			count_way(&w, sum);
		} while (next_combination(pick, na, n));
	} else {
		struct rng rng;

		rng_init(&rng, 1, n);
		w.nr = w.far = 1; /* as observed */
		while (w.nr < MAX_WAYS) {
			double sum = 0;

			shuffle(all, n, &rng);
			for (int i = 0; i < na; i++)
				sum += all[i];
			count_way(&w, sum);
		}
	}
	free(all);
	free(pick);
	return (double)w.far / w.nr;
}

double stats_gain_pct(double base, double variant, bool higher_is_better)
{
	double gain = higher_is_better ? variant - base : base - variant;

	if (base == 0)
		return gain == 0 ? 0 : copysign(INFINITY, gain);
	return gain / fabs(base) * 100;
}

void stats_wilson(u64 part, u64 of, double *lo, double *hi)
{
	const double z = 1.959963984540054, n = (double)of;
	double share, middle, half;

	*lo = 0;
	*hi = 1;
	if (!of)
		return;
	share = (double)part / n;
	middle = (share + z * z / (2 * n)) / (1 + z * z / n);
	half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
	/* what was seen is always inside, however the last digit is rounded */
	*lo = min(max(middle - half, 0.0), share);
	*hi = max(min(middle + half, 1.0), share);
}
