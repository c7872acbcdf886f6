// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define CHUNK_BYTES (256UL << 10)
#define LINE	    64UL

struct chunk {
	struct chunk *next;
	size_t size, used; /* of the payload, which starts one line in */
};

struct arena {
	struct chunk *chunks; /* the first one has the free room */
	size_t bytes;
};

struct arena *arena_new(void)
{
	return calloc(1, sizeof(struct arena));
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	while (a->chunks) {
		struct chunk *c = a->chunks;

		a->chunks = c->next;
		free(c);
	}
	free(a);
}

static struct chunk *add_chunk(struct arena *a, size_t size)
{
	struct chunk *c = aligned_alloc(LINE, LINE + size);

	if (!c)
		return NULL;
	c->size = size;
	c->used = 0;
	a->bytes += LINE + size;
	return c;
}

void *arena_alloc(struct arena *a, size_t size)
{
	size_t align = size >= LINE ? LINE : 16;
	struct chunk *c = a->chunks;
	size_t at;
	void *p;

	if (!size)
		size = 1;
	if (size > SIZE_MAX / 2)
		return NULL;
	at = c ? (c->used + align - 1) & ~(align - 1) : 0;
	if (!c || at > c->size || size > c->size - at) {
		bool big = size > CHUNK_BYTES / 4;

		c = add_chunk(a, big ? (size + LINE - 1) & ~(LINE - 1) : CHUNK_BYTES);
		if (!c)
			return NULL;
		if (big && a->chunks) { /* keep the room of the current one */
			c->next = a->chunks->next;
			a->chunks->next = c;
		} else {
			c->next = a->chunks;
			a->chunks = c;
		}
		at = 0;
	}
	p = (char *)c + LINE + at;
	c->used = at + size;
	return memset(p, 0, size);
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return arena_alloc(a, bytes);
}

char *arena_strdup(struct arena *a, const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = arena_alloc(a, n);

	return p ? memcpy(p, s, n) : NULL;
}

size_t arena_bytes(const struct arena *a)
{
	return a->bytes;
}
