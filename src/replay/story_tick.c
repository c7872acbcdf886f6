// SPDX-License-Identifier: BSD-2-Clause
/*
 * story_tick.c - when the tick came, from what it causes.
 *
 * The interrupts of the tick come at one phase on all CPUs (spec 14 §1.4), since
 * 6.4 and late 6.1 at whole periods of the monotonic clock (m). What they cause
 * lies shortly behind: softirqs that wake somebody, and tasks that are preempted
 * because their time is over.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/story.h"

#define BINS	400 /* of one period */
#define NEAR	16  /* bins: how far behind the tick its effects lie */
#define MIN_HITS 4
#define MIN_SLICES 8
#define LONG_AGO (400 * NSEC_PER_USEC) /* a wake-up so long past isn't why a task is preempted */

static bool caused_by_tick(const struct trace_event *e)
{
	if (e->kind == EV_WAKING)
		return e->context & TRACE_SOFTIRQ;
	return e->kind == EV_SWITCH && e->curr_pid && e->pid &&
	       !(e->prev_state & ~TRACE_PREEMPTED);
}

static bool by_fair(const struct trace_event *e)
{
	return e->kind == EV_SWITCH && e->curr_pid && e->pid && e->prio >= 100 &&
	       !(e->prev_state & ~TRACE_PREEMPTED);
}

/* the most that lies within NEAR bins in a row; the first of those isn't empty */
static u32 best_window(const u32 *bin, u32 *first)
{
	u32 sum = 0, best = 0;

	*first = 0;
	for (u32 i = 0; i < NEAR; i++)
		sum += bin[i];
	for (u32 i = 0; i < BINS; i++) {
		if (sum > best && bin[i]) {
			best = sum;
			*first = i;
		}
		sum += bin[(i + NEAR) % BINS];
		sum -= bin[i];
	}
	return best;
}

static u32 bin_of(const struct story_tick *k, u64 ns)
{
	return (u32)min(ns % k->period_ns / (k->period_ns / BINS), (u64)BINS - 1);
}

/*
 * Slices that end anywhere and not at one phase: tasks that read their CPU time all along (as
 * loops that burn so much of it do) are accounted each time, and then the end of a slice is seen.
 */
static int find_slices(const struct story *s, struct story_tick *k)
{
	u64 *woken = calloc((size_t)s->nr_cpus, sizeof(*woken));
	u32 bin[BINS] = { 0 }, first;

	if (!woken)
		return -ENOMEM;
	for (size_t i = 0; i < s->trace->nr; i++) {
		const struct trace_event *e = &s->trace->event[i];

		if ((e->kind == EV_WAKEUP || e->kind == EV_WAKEUP_NEW) && e->target_cpu < s->nr_cpus)
			woken[e->target_cpu] = e->ns;
		if (!by_fair(e) || e->cpu >= s->nr_cpus || e->ns - woken[e->cpu] < LONG_AGO)
			continue;
		k->slices++;
		bin[bin_of(k, e->ns)]++;
	}
	free(woken);
	k->slices_near = best_window(bin, &first);
	k->reads_time = k->slices >= MIN_SLICES && 2 * k->slices_near < k->slices;
	return 0;
}

static struct story_tick find_phase(const struct story *s, int hz)
{
	struct story_tick k = { .period_ns = NSEC_PER_SEC / (u64)hz };
	u32 bin[BINS] = { 0 }, best, first, sum = 0;

	for (size_t i = 0; i < s->trace->nr; i++) {
		const struct trace_event *e = &s->trace->event[i];

		if (!caused_by_tick(e))
			continue;
		k.all++;
		bin[bin_of(&k, e->ns)]++;
	}
	for (u32 i = 0; i < NEAR; i++)
		sum += bin[i];
	/* a whole period, if clearly more of it lies there than chance would have it */
	if (sum >= MIN_HITS && sum * BINS > 3u * k.all * NEAR) {
		k.hits = sum;
		k.sure = true;
		return k;
	}
	best = best_window(bin, &first);
	k.hits = best;
	k.sure = best >= MIN_HITS && 2 * best >= k.all;
	if (k.sure)
		k.phase_ns = first * (k.period_ns / BINS);
	return k;
}

int story_find_tick(const struct story *s, int hz, struct story_tick *k)
{
	*k = find_phase(s, hz);
	return find_slices(s, k);
}
