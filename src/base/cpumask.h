/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpumask.h - sets of CPUs (or nodes) as arrays of 64-bit words.
 *
 * The width is the machine's, not a compile-time limit: every function takes
 * the number of words (mask_words()). Bits past the last CPU are zero, always.
 */
#ifndef IDLEST_BASE_CPUMASK_H
#define IDLEST_BASE_CPUMASK_H

#include <string.h>

#include "base/err.h"
#include "base/types.h"

static inline int mask_words(int nr_cpus)
{
	return (nr_cpus + 63) / 64;
}

static inline bool mask_test(const u64 *m, unsigned int cpu)
{
	return m[cpu >> 6] >> (cpu & 63) & 1;
}

static inline void mask_set(u64 *m, unsigned int cpu)
{
	m[cpu >> 6] |= 1ULL << (cpu & 63);
}

static inline void mask_clear(u64 *m, unsigned int cpu)
{
	m[cpu >> 6] &= ~(1ULL << (cpu & 63));
}

static inline void mask_assign(u64 *m, unsigned int cpu, bool on)
{
	if (on)
		mask_set(m, cpu);
	else
		mask_clear(m, cpu);
}

static inline void mask_flip(u64 *m, unsigned int cpu)
{
	m[cpu >> 6] ^= 1ULL << (cpu & 63);
}

static inline void mask_zero(u64 *m, int words)
{
	memset(m, 0, words * sizeof(u64));
}

static inline void mask_copy(u64 *dst, const u64 *src, int words)
{
	memcpy(dst, src, words * sizeof(u64));
}

/** mask_fill() - the set {0 … @nr_cpus - 1} */
static inline void mask_fill(u64 *m, int nr_cpus)
{
	int w = mask_words(nr_cpus);

	memset(m, 0xff, w * sizeof(u64));
	if (nr_cpus & 63)
		m[w - 1] = (1ULL << (nr_cpus & 63)) - 1;
}

/** mask_and() - @dst = @a ∩ @b. Return: whether anything is left. */
static inline bool mask_and(u64 *dst, const u64 *a, const u64 *b, int words)
{
	u64 any = 0;

	for (int i = 0; i < words; i++)
		any |= dst[i] = a[i] & b[i];
	return any;
}

static inline void mask_or(u64 *dst, const u64 *a, const u64 *b, int words)
{
	for (int i = 0; i < words; i++)
		dst[i] = a[i] | b[i];
}

/** mask_andnot() - @dst = @a without @b. Return: whether anything is left. */
static inline bool mask_andnot(u64 *dst, const u64 *a, const u64 *b, int words)
{
	u64 any = 0;

	for (int i = 0; i < words; i++)
		any |= dst[i] = a[i] & ~b[i];
	return any;
}

static inline bool mask_empty(const u64 *m, int words)
{
	for (int i = 0; i < words; i++)
		if (m[i])
			return false;
	return true;
}

static inline bool mask_equal(const u64 *a, const u64 *b, int words)
{
	return !memcmp(a, b, words * sizeof(u64));
}

/** mask_subset() - every CPU of @a is in @b */
static inline bool mask_subset(const u64 *a, const u64 *b, int words)
{
	for (int i = 0; i < words; i++)
		if (a[i] & ~b[i])
			return false;
	return true;
}

static inline bool mask_intersects(const u64 *a, const u64 *b, int words)
{
	for (int i = 0; i < words; i++)
		if (a[i] & b[i])
			return true;
	return false;
}

static inline int mask_weight(const u64 *m, int words)
{
	int n = 0;

	for (int i = 0; i < words; i++)
		n += __builtin_popcountll(m[i]);
	return n;
}

/** mask_weight_and() - |@a ∩ @b| without a third set */
static inline int mask_weight_and(const u64 *a, const u64 *b, int words)
{
	int n = 0;

	for (int i = 0; i < words; i++)
		n += __builtin_popcountll(a[i] & b[i]);
	return n;
}

/** mask_next() - the smallest CPU >= @from, or -1 */
static inline int mask_next(const u64 *m, int from, int words)
{
	int i = from >> 6;
	u64 w;

	if (i >= words)
		return -1;
	w = m[i] & (~0ULL << (from & 63));
	while (!w) {
		if (++i >= words)
			return -1;
		w = m[i];
	}
	return i * 64 + __builtin_ctzll(w);
}

static inline int mask_first(const u64 *m, int words)
{
	return mask_next(m, 0, words);
}

/** mask_next_and() - the smallest CPU >= @from of @a ∩ @b, or -1 */
static inline int mask_next_and(const u64 *a, const u64 *b, int from, int words)
{
	int i = from >> 6;
	u64 w;

	if (i >= words)
		return -1;
	w = a[i] & b[i] & (~0ULL << (from & 63));
	while (!w) {
		if (++i >= words)
			return -1;
		w = a[i] & b[i];
	}
	return i * 64 + __builtin_ctzll(w);
}

/** mask_next_wrap() - the first CPU of @from, @from + 1, …, end, 0, …, @from - 1, or -1 */
static inline int mask_next_wrap(const u64 *m, int from, int words)
{
	int c = mask_next(m, from, words);

	return c >= 0 ? c : mask_first(m, words);
}

#define for_each_cpu(cpu, mask, words)                                                             \
	for ((cpu) = mask_first(mask, words); (cpu) >= 0; (cpu) = mask_next(mask, (cpu) + 1, words))

/**
 * mask_parse() - read a CPU list such as "0-3,8"
 * @m: result, cleared first
 * @nr_cpus: CPUs of the machine; a larger number in the list is an error
 * @err: names the offending part
 *
 * Return: 0, -EINVAL (syntax, empty list) or -ERANGE.
 */
int mask_parse(const char *list, u64 *m, int nr_cpus, struct err *err);

/**
 * mask_format() - write @m as a CPU list ("0-3,8"); an empty set gives ""
 * @buf: result, always terminated; cut at @len if it is too small
 *
 * Return: @buf.
 */
char *mask_format(const u64 *m, int words, char *buf, size_t len);

#endif
