// SPDX-License-Identifier: BSD-2-Clause
/*
 * channels.c - whose wake-ups stand for each other.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "replay/program.h"

/* A kind of wakers and one wakee. */
struct channel {
	u32 kind, wakee;
	u32 nr;		/* wake-ups */
	u32 next;	/* + 1: in the same bucket */
};

struct replay_channels {
	const struct story *s;
	u32 *kind;	/* by task: the first task of the same kind */
	struct channel *channel;
	u32 nr, room;
	u32 *bucket;	/* channel + 1 */
	u32 nr_buckets;
};

/* compare two names as if every run of digits were the same one */
static int compare_names(const char *a, const char *b)
{
	for (;;) {
		bool da = isdigit((unsigned char)*a), db = isdigit((unsigned char)*b);

		if (da && db) {
			a += strspn(a, "0123456789");
			b += strspn(b, "0123456789");
			continue;
		}
		if (*a != *b)
			return (unsigned char)*a - (unsigned char)*b;
		if (!*a)
			return 0;
		a++;
		b++;
	}
}

static int by_name(const void *a, const void *b, void *story)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	int order = compare_names(story_comm(story, x), story_comm(story, y));

	return order ? order : (x > y) - (x < y);
}

static bool find_kinds(struct replay_channels *c)
{
	u32 n = c->s->nr_tasks, *order = calloc((size_t)n + 1, sizeof(*order));

	if (!order)
		return false;
	for (u32 i = 0; i < n; i++)
		order[i] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), by_name, (void *)c->s);
	for (u32 i = 0; i < n; i++) {
		bool same = i && !compare_names(story_comm(c->s, order[i]),
						story_comm(c->s, order[i - 1]));

		c->kind[order[i]] = same ? c->kind[order[i - 1]] : order[i];
	}
	free(order);
	return true;
}

struct replay_channels *replay_channels_new(const struct story *s)
{
	struct replay_channels *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->s = s;
	c->nr_buckets = max(4 * s->nr_tasks, 16u);
	c->kind = calloc((size_t)s->nr_tasks + 1, sizeof(*c->kind));
	c->bucket = calloc(c->nr_buckets, sizeof(*c->bucket));
	if (!c->kind || !c->bucket || !find_kinds(c)) {
		replay_channels_free(c);
		return NULL;
	}
	return c;
}

void replay_channels_free(struct replay_channels *c)
{
	if (!c)
		return;
	free(c->kind);
	free(c->channel);
	free(c->bucket);
	free(c);
}

u32 replay_channel(struct replay_channels *c, u32 waker, u32 wakee, u32 *nth)
{
	u32 kind = c->kind[waker];
	u32 *bucket = &c->bucket[(kind * 2654435761u + wakee * 40503u) % c->nr_buckets];
	struct channel *ch;

	for (u32 i = *bucket; i; i = ch->next) {
		ch = &c->channel[i - 1];
		if (ch->kind == kind && ch->wakee == wakee) {
			*nth = ++ch->nr;
			return i - 1;
		}
	}
	if (c->nr == c->room) {
		u32 room = c->room ? c->room * 2 : 256;

		ch = realloc(c->channel, room * sizeof(*ch));
		if (!ch)
			return UINT32_MAX;
		c->channel = ch;
		c->room = room;
	}
	c->channel[c->nr] = (struct channel){ kind, wakee, 1, *bucket };
	*bucket = ++c->nr;
	*nth = 1;
	return c->nr - 1;
}

u32 replay_nr_channels(const struct replay_channels *c)
{
	return c->nr;
}
