/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * due.h - who is due next, of a fixed set of ids: a tournament of times.
 *
 * Ids are 0 ... n - 1; each has a time or none. Eight neighbours share a cache
 * line and meet in one match; the winners meet in the next round. Setting a
 * time replays the matches of one id upwards and stops where the winner stays
 * the same, without a branch inside a match. Where a heap moves entries about
 * for each event, here three or four lines are touched for 4096 ids, mostly one
 * or two.
 *
 * Time and id are one number, time above id, so that equal times come out in
 * the order of their ids, and who is first is known without a search. Times
 * are ns below 2^(64 - bits of an id): 52 days with 4096 ids. A later one
 * counts as none.
 */
#ifndef IDLEST_BASE_DUE_H
#define IDLEST_BASE_DUE_H

#include "base/arena.h"
#include "base/types.h"

#define DUE_NEVER  UINT64_MAX
#define DUE_ROUNDS 13

struct due {
	u64 *round[DUE_ROUNDS];	/* [0]: one key an id, each round an eighth of the one before */
	int last;		/* the round with one key: the first of all */
	int id_bits;
};

/**
 * due_init() - no id is due
 * @nr: ids, at most 2^24
 *
 * Return: false when out of memory.
 */
static inline bool due_init(struct due *d, struct arena *arena, u32 nr)
{
	u32 n = nr;

	d->id_bits = nr > 1 ? 32 - __builtin_clz(nr - 1) : 0;
	d->last = 0;
	for (;;) {
		u32 len = n > 1 ? (n + 3) & ~3u : 1;

		d->round[d->last] = arena_array(arena, max(len, 8u), sizeof(u64));
		if (!d->round[d->last])
			return false;
		for (u32 i = 0; i < len; i++)
			d->round[d->last][i] = DUE_NEVER;
		if (n <= 1)
			return true;
		n = len / 4;
		d->last++;
	}
}

static inline u64 due_earlier(u64 a, u64 b)
{
	return a < b ? a : b;
}

/** due_set() - @id is due at @time from now on; DUE_NEVER: not at all */
static inline void due_set(struct due *d, u32 id, u64 time)
{
	u64 key = time >> (63 - d->id_bits) >> 1 ? DUE_NEVER : time << d->id_bits | id;

	for (int i = 0; i < d->last; i++) {
		u64 *k = d->round[i];

		k[id] = key;
		k += id & ~3u;
		key = due_earlier(due_earlier(k[0], k[1]), due_earlier(k[2], k[3]));
		id >>= 2;
		if (d->round[i + 1][id] == key)
			return;
	}
	d->round[d->last][0] = key;
}

/** due_time() - when the first is due; DUE_NEVER: nobody is */
static inline u64 due_time(const struct due *d)
{
	u64 key = *d->round[d->last];

	return key == DUE_NEVER ? key : key >> d->id_bits;
}

/** due_id() - who is first; somebody must be due */
static inline u32 due_id(const struct due *d)
{
	return (u32)*d->round[d->last] & ((1u << d->id_bits) - 1);
}

#endif
