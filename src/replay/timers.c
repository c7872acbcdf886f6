// SPDX-License-Identifier: BSD-2-Clause
/*
 * timers.c - what the end of a sleep by an interrupt depends on.
 *
 * By itself an interrupt comes when it comes: at a time. But who starts a
 * device and waits for it, or sleeps for a while, wakes so much after it went
 * to sleep. Uninterruptible sleeps are of the first kind. Sleeps of a task are
 * of the second if their lengths vary much less than the distances between
 * their ends; a periodic task is the other way round, since it makes up for the
 * time that its work took.
 */
#include <errno.h>
#include <stdlib.h>

#include "replay/program.h"

#define MIN_SLEEPS 4 /* fewer tell nothing */
#define TIGHTER	   4 /* so many times less variation decides */

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* median distance from the median; sorts @v */
static u64 spread(u64 *v, u32 n)
{
	u64 middle;

	qsort(v, n, sizeof(*v), by_value);
	middle = v[n / 2];
	for (u32 i = 0; i < n; i++)
		v[i] = v[i] > middle ? v[i] - middle : middle - v[i];
	qsort(v, n, sizeof(*v), by_value);
	return v[n / 2];
}

static bool is_sleep(const struct replay_op *op)
{
	return op->kind == REPLAY_SLEEP || op->kind == REPLAY_SLEEP_AT;
}

/* Whether the sleeps of @t that interrupts end are timers set when it went to sleep. */
static bool sleeps_for(const struct replay_task *t, u64 *length, u64 *distance)
{
	const struct replay_op *last = NULL;
	u32 n = 0, d = 0;

	for (u32 i = 1; i < t->nr; i++) {
		const struct replay_op *op = &t->op[i];

		if (!is_sleep(op))
			continue;
		if (op->kind == REPLAY_SLEEP_AT && !op->io && !op->unseen) {
			length[n++] = op->ns - min(op->ns, op->since);
			if (last)
				distance[d++] = op->ns - min(op->ns, last->ns);
			last = op;
		} else {
			last = NULL;
		}
	}
	if (n < MIN_SLEEPS || d < MIN_SLEEPS)
		return false;
	return spread(length, n) < spread(distance, d) / TIGHTER;
}

static void make_relative(struct replay_op *op)
{
	op->kind = REPLAY_SLEEP_FOR;
	op->ns -= min(op->ns, op->since);
}

int replay_classify_timers(struct replay *r)
{
	u32 most = 1;
	u64 *room;

	for (u32 i = 0; i < r->nr_tasks; i++)
		most = max(most, r->task[i].nr);
	room = calloc(2 * (size_t)most, sizeof(*room));
	if (!room)
		return -ENOMEM;
	for (u32 i = 0; i < r->nr_tasks; i++) {
		struct replay_task *t = &r->task[i];
		bool timers = sleeps_for(t, room, room + most);

		/* not the first: when that sleep began isn't known */
		for (u32 k = 1; k < t->nr; k++) {
			struct replay_op *op = &t->op[k];

			if (op->kind != REPLAY_SLEEP_AT || !(timers || op->io || op->unseen))
				continue;
			make_relative(op);
			r->notes.wakes_timer += !op->unseen;
		}
	}
	free(room);
	return 0;
}
