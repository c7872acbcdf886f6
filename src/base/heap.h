/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heap.h - an indexed 4-ary min-heap of (time, id).
 *
 * Ids are small numbers, each at most once in the heap; equal times come out
 * in the order of their ids. Time and id are one 128-bit key, so that four
 * children share a cache line and a comparison has no branch. Moving an id to
 * another time is one sift; the size is that of the ids present, not of all.
 */
#ifndef IDLEST_BASE_HEAP_H
#define IDLEST_BASE_HEAP_H

#include "base/types.h"

#define HEAP_NEVER UINT64_MAX

struct heap {
	u128 *key;	/* [cap]: time << 32 | id */
	u32 *pos;	/* [cap]: where an id is, plus one; 0: absent */
	u32 n, cap;
};

/**
 * heap_init() - an empty heap for the ids 0 … @cap - 1
 * @key, @pos: arrays of @cap; @pos zeroed
 */
static inline void heap_init(struct heap *h, u128 *key, u32 *pos, u32 cap)
{
	h->key = key;
	h->pos = pos;
	h->n = 0;
	h->cap = cap;
}

static inline u64 heap_time(const struct heap *h)
{
	return h->n ? (u64)(h->key[0] >> 32) : HEAP_NEVER;
}

/** heap_id() - the id that is first; the heap must not be empty */
static inline u32 heap_id(const struct heap *h)
{
	return (u32)h->key[0];
}

static inline void heap_place(struct heap *h, u32 i, u128 k)
{
	h->key[i] = k;
	h->pos[(u32)k] = i + 1;
}

static inline void heap_up(struct heap *h, u32 i, u128 k)
{
	while (i) {
		u32 up = (i - 1) >> 2;

		if (h->key[up] <= k)
			break;
		heap_place(h, i, h->key[up]);
		i = up;
	}
	heap_place(h, i, k);
}

static inline void heap_down(struct heap *h, u32 i, u128 k)
{
	for (;;) {
		u32 c = i * 4 + 1, end = min(c + 4, h->n), least = c;

		if (c >= h->n)
			break;
		for (u32 j = c + 1; j < end; j++)
			least = h->key[j] < h->key[least] ? j : least;
		if (h->key[least] >= k)
			break;
		heap_place(h, i, h->key[least]);
		i = least;
	}
	heap_place(h, i, k);
}

/** heap_remove() - take @id out, if it is in */
static inline void heap_remove(struct heap *h, u32 id)
{
	u32 i = h->pos[id];
	u128 last;

	if (!i--)
		return;
	h->pos[id] = 0;
	last = h->key[--h->n];
	if (i == h->n)
		return;
	if (i && h->key[(i - 1) >> 2] > last)
		heap_up(h, i, last);
	else
		heap_down(h, i, last);
}

/** heap_set() - @id is due at @time from now on; HEAP_NEVER takes it out */
static inline void heap_set(struct heap *h, u32 id, u64 time)
{
	u128 k = (u128)time << 32 | id;
	u32 i = h->pos[id];

	if (time == HEAP_NEVER) {
		heap_remove(h, id);
	} else if (!i) {
		heap_up(h, h->n++, k);
	} else if (h->key[i - 1] != k) {
		if (h->key[i - 1] > k)
			heap_up(h, i - 1, k);
		else
			heap_down(h, i - 1, k);
	}
}

#endif
