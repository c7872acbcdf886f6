/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rng.h - the only source of chance: a seeded splitmix64 stream.
 *
 * Every stream is derived from the run's seed and a name for what it varies,
 * so that adding a draw in one place doesn't shift the draws of another.
 */
#ifndef IDLEST_BASE_RNG_H
#define IDLEST_BASE_RNG_H

#include "base/types.h"

/* The streams there are: one per thing that varies in a run. */
enum { STREAM_BOOT = 1, STREAM_PHASE, STREAM_NOISE, STREAM_SLACK, STREAM_WORKLOAD };

struct rng {
	u64 state;
};

static inline u64 rng_mix(u64 z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/**
 * rng_init() - start the stream number @stream of seed @seed
 */
static inline void rng_init(struct rng *r, u64 seed, u64 stream)
{
	r->state = rng_mix(seed + 0x9e3779b97f4a7c15ULL) ^ rng_mix(stream * 0xd1342543de82ef95ULL + 1);
}

static inline u64 rng_u64(struct rng *r)
{
	return rng_mix(r->state += 0x9e3779b97f4a7c15ULL);
}

/**
 * rng_below() - uniform in [0, @n); @n = 0 gives 0
 */
static inline u64 rng_below(struct rng *r, u64 n)
{
	return (u64)(((u128)rng_u64(r) * n) >> 64);
}

#endif
