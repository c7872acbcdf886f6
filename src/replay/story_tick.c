// SPDX-License-Identifier: BSD-2-Clause
/*
 * story_tick.c - when the tick came, from what it causes.
 *
 * The interrupts of the tick come at one phase on all CPUs (spec 14 §1.4), since
 * 6.4 and late 6.1 at whole periods of the monotonic clock (m). What they cause
 * lies shortly behind: softirqs that wake somebody, and tasks that are preempted
 * because their time is over.
 */
#include <string.h>

#include "replay/story.h"

#define BINS	400 /* of one period */
#define NEAR	16  /* bins: how far behind the tick its effects lie */
#define MIN_HITS 4

static bool caused_by_tick(const struct trace_event *e)
{
	if (e->kind == EV_WAKING)
		return e->context & TRACE_SOFTIRQ;
	return e->kind == EV_SWITCH && e->curr_pid && e->pid &&
	       !(e->prev_state & ~TRACE_PREEMPTED);
}

struct story_tick story_find_tick(const struct story *s, int hz)
{
	struct story_tick k = { .period_ns = NSEC_PER_SEC / (u64)hz };
	u32 bin[BINS] = { 0 }, best = 0, first = 0, sum = 0;
	u64 width = k.period_ns / BINS;

	for (size_t i = 0; i < s->trace->nr; i++) {
		const struct trace_event *e = &s->trace->event[i];

		if (!caused_by_tick(e))
			continue;
		k.all++;
		bin[min(e->ns % k.period_ns / width, (u64)BINS - 1)]++;
	}
	for (u32 i = 0; i < NEAR; i++)
		sum += bin[i];
	/* a whole period, if clearly more of it lies there than chance would have it */
	if (sum >= MIN_HITS && sum * BINS > 3u * k.all * NEAR) {
		k.hits = sum;
		k.sure = true;
		return k;
	}
	for (u32 i = 0; i < BINS; i++) {
		/* the first bin of the window is the tick's own: it must not be empty */
		if (sum > best && bin[i]) {
			best = sum;
			first = i;
		}
		sum += bin[(i + NEAR) % BINS];
		sum -= bin[i];
	}
	k.hits = best;
	k.sure = best >= MIN_HITS && 2 * best >= k.all;
	if (k.sure)
		k.phase_ns = first * width;
	return k;
}
