// SPDX-License-Identifier: BSD-2-Clause
/*
 * strings.c - a hash table of offsets into one growing text.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/strings.h"

/* A string's number is its offset in the text, where it ends with a NUL. */
struct trace_strings {
	char *text;
	u32 used, room;
	u32 *slot; /* 0: free */
	u32 slots, nr;
};

struct trace_strings *trace_strings_new(void)
{
	struct trace_strings *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->room = 4096;
	s->slots = 256;
	s->text = malloc(s->room);
	s->slot = calloc(s->slots, sizeof(*s->slot));
	if (!s->text || !s->slot) {
		trace_strings_free(s);
		return NULL;
	}
	s->text[0] = '\0';
	s->used = 1;
	return s;
}

void trace_strings_free(struct trace_strings *s)
{
	if (!s)
		return;
	free(s->text);
	free(s->slot);
	free(s);
}

/* FNV-1a */
static u32 hash(const char *text, size_t len)
{
	u32 h = 2166136261u;

	while (len--)
		h = (h ^ (u8)*text++) * 16777619u;
	return h;
}

static u32 *find(const struct trace_strings *s, const char *text, size_t len)
{
	u32 i = hash(text, len) & (s->slots - 1);

	while (s->slot[i]) {
		const char *have = s->text + s->slot[i];

		/* what is kept has no NUL inside, so it can't be compared beyond its end */
		if (!strncmp(have, text, len) && !have[len])
			break;
		i = (i + 1) & (s->slots - 1);
	}
	return &s->slot[i];
}

static bool grow_table(struct trace_strings *s)
{
	u32 *old = s->slot, slots = s->slots;

	s->slot = calloc((size_t)slots * 2, sizeof(*s->slot));
	if (!s->slot) {
		s->slot = old;
		return false;
	}
	s->slots = slots * 2;
	for (u32 i = 0; i < slots; i++)
		if (old[i])
			*find(s, s->text + old[i], strlen(s->text + old[i])) = old[i];
	free(old);
	return true;
}

static bool grow_text(struct trace_strings *s, size_t len)
{
	u64 room = s->room;
	char *text;

	while (room - s->used < len + 1)
		room *= 2;
	if (room == s->room)
		return true;
	text = room <= UINT32_MAX ? realloc(s->text, room) : NULL;
	if (!text)
		return false;
	s->text = text;
	s->room = (u32)room;
	return true;
}

u32 trace_strings_intern(struct trace_strings *s, const char *text, size_t len)
{
	const char *nul = len ? memchr(text, '\0', len) : NULL;
	u32 *slot;

	if (nul)
		len = (size_t)(nul - text);
	if (!len)
		return 0;
	slot = find(s, text, len);
	if (*slot)
		return *slot;
	if (!grow_text(s, len) || (s->nr * 2 >= s->slots && !grow_table(s)))
		return 0;
	slot = find(s, text, len);
	*slot = s->used;
	memcpy(s->text + s->used, text, len);
	s->text[s->used + len] = '\0';
	s->used += (u32)len + 1;
	s->nr++;
	return *slot;
}

const char *trace_strings_at(const struct trace_strings *s, u32 n)
{
	return s->text + n;
}
