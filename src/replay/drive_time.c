// SPDX-License-Identifier: BSD-2-Clause
/*
 * drive_time.c - a core led through a story: what it asks for, its ticks and timers.
 */
#include "replay/drive.h"

#define SILENCE_NS (4 * NSEC_PER_SEC) /* in which every average has decayed to nothing */

/* ---- what the core asks for ---- */

/*
 * A CPU that was asked to schedule and chooses the task that runs already leaves
 * no event; but those that were delayed and came before it have left the queue.
 */
static void pick_silently(struct drive *d, int cpu)
{
	struct task *curr = sched_current(d->s, cpu);
	struct pick_decision dec;

	if (!curr || d->cpu[cpu].stop || !sched_task_queued(curr) || sched_task_delayed(curr))
		return;
	sched_pick_decide(d->s, d->now, cpu, &dec);
	if (dec.next == curr)
		sched_pick_commit(d->s, d->now, cpu, curr);
}

void drive_drain(struct drive *d)
{
	struct sched_out out;

	while (sched_next_out(d->s, &out)) {
		switch (out.kind) {
		case OUT_RESCHED:
		case OUT_RESCHED_LAZY:
			pick_silently(d, out.cpu);
			break;
		case OUT_SOFTIRQ:
			drive_walk(d, out.cpu, WALK_PERIODIC);
			break;
		case OUT_NOHZ_KICK:
			drive_walk(d, out.cpu, WALK_NOHZ);
			break;
		case OUT_HRTICK:
			d->cpu[out.cpu].hrtick = d->now + out.arg;
			break;
		case OUT_TIMER:
			d->cpu[out.cpu].timer = out.arg == UINT64_MAX ? 0 : max(out.arg, 1ull);
			break;
		default: /* the story has what came of it */
			break;
		}
	}
}

/* ---- time ---- */

/*
 * Does a timer of @cpu run out within a tick? Then the idle CPU keeps its tick. Which timers there
 * are, no event tells; but whom they woke.
 */
static bool timer_is_near(const struct drive *d, int cpu)
{
	const struct story_act *a = d->st->act + d->at, *end = d->st->act + d->st->nr_acts;

	for (; a < end && a->ns + d->base <= d->now + d->tick.period_ns; a++)
		if (a->kind == STORY_WAKE && a->irq && a->cpu == cpu)
			return true;
	return false;
}

void drive_rest(struct drive *d, int cpu)
{
	struct drive_cpu *c = &d->cpu[cpu];

	c->idle_tick = timer_is_near(d, cpu);
	if (!c->idle_tick)
		sched_nohz_enter(d->s, d->now, cpu);
}

static void tick_all(struct drive *d)
{
	d->now = d->next_tick;
	d->next_tick += d->tick.period_ns;
	for (int c = 0; c < d->st->nr_cpus; c++) {
		drive_late_walk(d, c, NULL, 0); /* its moves didn't come */
		if (d->cpu[c].curr == STORY_NONE && !d->cpu[c].idle_tick)
			continue; /* its tick has stopped */
		sched_tick(d->s, d->now, c);
		drive_drain(d);
		if (d->cpu[c].curr == STORY_NONE)
			drive_rest(d, c);
	}
}

/* when the first timer of @c runs out; 0: there is none */
static u64 first_timer(const struct drive_cpu *c)
{
	return c->hrtick && (!c->timer || c->hrtick <= c->timer) ? c->hrtick : c->timer;
}

/* the CPU whose timer runs out first, at @t at the latest; -1: none */
static int next_timer(const struct drive *d, u64 t)
{
	int first = -1;

	for (int c = 0; c < d->st->nr_cpus; c++) {
		u64 at = first_timer(&d->cpu[c]);

		if (at && at <= t) {
			t = at - 1;
			first = c;
		}
	}
	return first;
}

static void timers_until(struct drive *d, u64 t)
{
	int cpu;

	while ((cpu = next_timer(d, t)) >= 0) {
		struct drive_cpu *c = &d->cpu[cpu];
		u64 at = first_timer(c);

		d->now = max(d->now, at);
		if (at == c->hrtick) {
			c->hrtick = 0;
			sched_hrtick(d->s, d->now, cpu);
		} else {
			c->timer = 0;
			sched_timer(d->s, d->now, cpu);
		}
		drive_drain(d);
	}
}

/*
 * Several recordings in one file may lie days apart. Of a long silence only the last ticks
 * are made: what those before them left has decayed by then.
 */
static void skip_silence(struct drive *d, u64 t)
{
	u64 period = d->tick.period_ns, ticks;

	if (t <= d->next_tick + SILENCE_NS)
		return;
	ticks = (t - d->next_tick - SILENCE_NS) / period;
	d->next_tick += ticks * period;
	for (int c = 0; c < d->st->nr_cpus; c++) {
		struct drive_cpu *x = &d->cpu[c];

		if (x->hrtick)
			x->hrtick = max(x->hrtick, d->next_tick - period);
		if (x->timer)
			x->timer = max(x->timer, d->next_tick - period);
	}
}

void drive_until(struct drive *d, u64 ns)
{
	u64 t = ns + d->base;

	skip_silence(d, t);
	while (d->next_tick <= t) {
		timers_until(d, d->next_tick - 1);
		tick_all(d);
	}
	timers_until(d, t);
	d->now = max(d->now, t);
}

void drive_done(struct drive *d, const struct story_act *a)
{
	d->cpu[a->cpu].last_act = d->cpu[a->to].last_act = d->now;
}
