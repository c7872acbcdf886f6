/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena.h - memory that is given back all at once.
 *
 * Everything a run needs for its whole life comes from one arena. Memory is
 * zeroed and aligned to a cache line where the size is one or more.
 */
#ifndef IDLEST_BASE_ARENA_H
#define IDLEST_BASE_ARENA_H

#include "base/types.h"

struct arena;

struct arena *arena_new(void);	/* NULL: out of memory */
void arena_free(struct arena *a);
/** arena_alloc() - @size zeroed bytes, or NULL when out of memory */
void *arena_alloc(struct arena *a, size_t size);
void *arena_array(struct arena *a, size_t n, size_t size);	/* checks the product */
char *arena_strdup(struct arena *a, const char *s);
size_t arena_bytes(const struct arena *a);	/* taken from the system so far */

#endif
