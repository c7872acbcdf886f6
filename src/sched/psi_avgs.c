// SPDX-License-Identifier: BSD-2-Clause
/*
 * psi_avgs.c - pressure over all CPUs, its running averages, and what the files say (spec 09 §5).
 *
 * A collection adds what each CPU's times grew by, weighed by how long that CPU wasn't idle. Every
 * 2 s and a tick the growth becomes a sample of the averages. The clock of a group in which nothing
 * happens stands; when something does, the periods missed count as periods without pressure.
 */
#include <errno.h>

#include "sched/psi_group.h"

/* the kernel's load averages: fixed point of 11 bits, decay in a period of 2 s */
#define FSHIFT	11
#define FIXED_1 (1 << FSHIFT)

static const u64 decay_of[3] = {1677, 1981, 2034}; /* 10, 60, 300 s */

static u64 next_avg(u64 avg, u64 decay, u64 active)
{
	u64 sum = avg * decay + active * (FIXED_1 - decay);

	if (active >= avg) /* rising: rounded up */
		sum += FIXED_1 - 1;
	return sum / FIXED_1;
}

/* @decay to the power of @n, rounded at each step */
static u64 decay_power(u64 decay, u64 n)
{
	u64 result = FIXED_1;

	for (; n; n >>= 1) {
		if (n & 1)
			result = (result * decay + FIXED_1 / 2) >> FSHIFT;
		decay = (decay * decay + FIXED_1 / 2) >> FSHIFT;
	}
	return result;
}

static void sample(u64 avg[3], u64 missed, u64 time, u64 period)
{
	u64 percent = time * 100 / period * FIXED_1;

	for (int i = 0; i < 3; i++) {
		if (missed)
			avg[i] = next_avg(avg[i], decay_power(decay_of[i], missed), 0);
		avg[i] = next_avg(avg[i], decay_of[i], percent);
	}
}

/* Return: whether anything but idling went on since the last time */
static bool collect(struct sched *s, struct psi_group *g, u64 now)
{
	u64 sum[NR_PSI_STATES] = {0}, weights = 0;
	bool nonidle = false;

	for (int c = 0; c < s->nr_cpus; c++) {
		struct psi_group_cpu *gc = &g->cpu[c];
		u64 weight;

		if (g->enabled)
			psi_record_times(gc, now);
		weight = (gc->times[PSI_NONIDLE] - gc->times_seen[PSI_NONIDLE]) / s->tick_ns;
		nonidle |= gc->times[PSI_NONIDLE] != gc->times_seen[PSI_NONIDLE];
		weights += weight;
		for (int i = 0; i < NR_PSI_STATES; i++) {
			sum[i] += (gc->times[i] - gc->times_seen[i]) * weight;
			gc->times_seen[i] = gc->times[i];
		}
	}
	for (int i = 0; i < NR_PSI_STATES; i++)
		g->total[i] += sum[i] / max(weights, (u64)1);
	return nonidle;
}

static void update_averages(const struct sched *s, struct psi_group *g, u64 now)
{
	u64 whole = psi_period(s), missed = (now - g->avg_next_update) / whole;
	u64 period = now - (g->avg_last_update + missed * whole);

	g->avg_next_update += (1 + missed) * whole;
	g->avg_last_update = now;
	for (int i = 0; i < PSI_NONIDLE; i++) {
		u64 time = min(g->total[i] - g->total_seen[i], period);

		g->total_seen[i] += time;
		sample(g->avg[i], missed, time, period);
	}
}

/* ---- the clock ---- */

static void ask_host(struct sched *s, u64 at)
{
	if (at == s->psi_at)
		return;
	s->psi_at = at;
	sched_push_out(s, OUT_PSI, 0, 0, NULL, at);
}

void psi_wake_clock(struct sched *s, struct psi_group *g)
{
	if (likely(g->work_at != UINT64_MAX))
		return;
	g->work_at = s->now + psi_period(s);
	if (g->work_at < s->psi_at)
		ask_host(s, g->work_at);
}

void sched_psi_update(struct sched *s, u64 now)
{
	const struct task_group *tg;
	u64 first = UINT64_MAX;

	if (!psi_on(s))
		return;
	s->now = now;
	list_for_each_entry(tg, &s->groups, node) {
		struct psi_group *g = tg->psi;

		if (!tg->autogroup && g->work_at <= now) {
			bool nonidle = collect(s, g, now);

			if (now >= g->avg_next_update)
				update_averages(s, g, now);
			/* in whole ticks, and one more: no sooner than asked for */
			g->work_at = UINT64_MAX;
			if (nonidle)
				g->work_at = now + ((g->avg_next_update - now) / s->tick_ns + 1) *
							   s->tick_ns;
		}
		first = min(first, g->work_at);
	}
	ask_host(s, first);
}

/* ---- the files ---- */

static u32 hundredths(u64 avg)
{
	return (avg >> FSHIFT) * 100 + ((avg & (FIXED_1 - 1)) * 100 >> FSHIFT);
}

static struct sched_psi_line line(const struct psi_group *g, enum psi_state state)
{
	return (struct sched_psi_line){
		.avg10 = hundredths(g->avg[state][0]),
		.avg60 = hundredths(g->avg[state][1]),
		.avg300 = hundredths(g->avg[state][2]),
		.total_us = g->total[state] / NSEC_PER_USEC,
	};
}

int sched_psi_read(struct sched *s, u64 now, struct task_group *tg, enum psi_res res,
		   struct sched_psi *out)
{
	struct psi_group *g;

	*out = (struct sched_psi){0};
	if (!psi_on(s) || (res == PSI_IRQ && !s->k.rules.psi_irq))
		return -EOPNOTSUPP;
	g = (tg ? tg : &s->root_tg)->psi;
	if (!g->enabled)
		return -EOPNOTSUPP;
	s->now = now;
	collect(s, g, now);
	if (now >= g->avg_next_update)
		update_averages(s, g, now);
	out->has_some = res != PSI_IRQ;
	out->has_full = res != PSI_CPU || s->k.rules.psi_cpu_full;
	if (out->has_some)
		out->some = line(g, PSI_IO_SOME + 2 * res);
	/* nothing but other tasks keeps the system as a whole from a CPU */
	if (out->has_full && !(res == PSI_CPU && !g->parent))
		out->full = line(g, res == PSI_IRQ ? PSI_IRQ_FULL : PSI_IO_FULL + 2 * res);
	return 0;
}
