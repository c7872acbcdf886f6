// SPDX-License-Identifier: BSD-2-Clause
#include "base/hist.h"

static int bucket_of(u64 v)
{
	int m;

	if (v < 512)
		return v;
	m = 63 - __builtin_clzll(v);
	return 512 + (m - 9) * 256 + (v >> (m - 8) & 255);
}

static u64 bucket_value(int b)
{
	int m, k;

	if (b < 512)
		return b;
	m = 9 + (b - 512) / 256;
	k = (b - 512) % 256;
	return (1ULL << m) + ((u64)k << (m - 8)) + (1ULL << (m - 9));
}

void hist_add(struct hist *h, u64 value)
{
	if (!h->count || value < h->min)
		h->min = value;
	h->max = max(h->max, value);
	h->count++;
	h->sum += value;
	h->bucket[bucket_of(value)]++;
}

void hist_merge(struct hist *h, const struct hist *from)
{
	if (!from->count)
		return;
	h->min = h->count ? min(h->min, from->min) : from->min;
	h->max = max(h->max, from->max);
	h->count += from->count;
	h->sum += from->sum;
	for (int b = 0; b < HIST_BUCKETS; b++)
		h->bucket[b] += from->bucket[b];
}

u64 hist_percentile(const struct hist *h, int permyriad)
{
	u64 seen = 0;

	if (!h->count)
		return 0;
	for (int b = 0; b < HIST_BUCKETS; b++) {
		seen += h->bucket[b];
		if (h->bucket[b] && (u128)seen * 10000 >= (u128)h->count * permyriad)
			return bucket_value(b);
	}
	return h->max;
}

u64 hist_mean(const struct hist *h)
{
	return h->count ? h->sum / h->count : 0;
}
