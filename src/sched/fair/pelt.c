/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pelt.c - geometric averages over 1024 µs periods (spec 03 §1-3, §7).
 *
 * Most updates stay inside one period, where a sum grows by a product and no
 * average moves; the divisions are paid once per period.
 */
#include "sched/fair/fair.h"

/* floor((2^32 - 1) · y^i), y^32 = 1/2 */
static const u32 pelt_inverse[32] = {
	0xffffffff, 0xfa83b2da, 0xf5257d14, 0xefe4b99a, 0xeac0c6e6, 0xe5b906e6, 0xe0ccdeeb,
	0xdbfbb796, 0xd744fcc9, 0xd2a81d91, 0xce248c14, 0xc9b9bd85, 0xc5672a10, 0xc12c4cc9,
	0xbd08a39e, 0xb8fbaf46, 0xb504f333, 0xb123f581, 0xad583ee9, 0xa9a15ab4, 0xa5fed6a9,
	0xa2704302, 0x9ef5325f, 0x9b8d39b9, 0x9837f050, 0x94f4efa8, 0x91c3d373, 0x8ea4398a,
	0x8b95c1e3, 0x88980e80, 0x85aac367, 0x82cd8698,
};

/** decay_load() - @val · y^@periods, rounded as the kernel does (spec 03 §2) */
u64 decay_load(u64 val, u64 periods)
{
	if (unlikely(periods > 2016))
		return 0;
	if (unlikely(periods >= 32)) {
		val >>= periods / 32;
		periods %= 32;
	}
	return (u64)(((u128)val * pelt_inverse[periods]) >> 32);
}

/* what @periods period ends add: the old period's rest, the full ones, the new one's start */
static u32 full_segments(u64 periods, u32 first, u32 last)
{
	u64 head = decay_load(first, periods);
	u64 full = LOAD_AVG_MAX - decay_load(LOAD_AVG_MAX, periods) - 1024;

	return head + full + last;
}

/* at least one period ended: @delta is counted from the start of the present one */
void pelt_cross_periods(struct sched_avg *sa, u64 delta, u64 load, u64 runnable, bool running)
{
	u64 periods = delta / 1024;
	u32 pos = delta % 1024, add;

	sa->load_sum = decay_load(sa->load_sum, periods);
	sa->runnable_sum = decay_load(sa->runnable_sum, periods);
	sa->util_sum = decay_load(sa->util_sum, periods);
	if (load) {
		add = full_segments(periods, 1024 - sa->period_contrib, pos);
		sa->load_sum += load * add;
		sa->runnable_sum += (runnable * add) << 10;
		if (running)
			sa->util_sum += add << 10;
	}
	sa->period_contrib = pos;
}

/* sums of few tasks fit 32 bits, whose division is several times as fast */
static inline u64 quick_div(u64 n, u32 d)
{
	return likely(!(n >> 32)) ? (u32)n / d : n / d;
}

void pelt_update_averages(struct sched_avg *sa, u64 weight)
{
	u32 divider = pelt_divider(sa);

	sa->load_avg = quick_div(weight * sa->load_sum, divider);
	sa->runnable_avg = quick_div(sa->runnable_sum, divider);
	sa->util_avg = sa->util_sum / divider;
}

void pelt_recompute_load(struct sched_entity *se)
{
	se->avg.load_avg =
		load_down(&se->load) * se->avg.load_sum / pelt_divider(&se->avg);
}

/* ---- the clock (spec 03 §7) ---- */

/**
 * update_rq_clock_pelt() - let the PELT clock follow clock_task
 * @delta: what was just added to clock_task, ns
 *
 * While a task runs, time counts for as much as the CPU is worth at its present
 * frequency; an idle CPU's clock is in step with clock_task.
 */
void update_rq_clock_pelt(struct rq *rq, u64 delta)
{
	if (rq_runs_idle(rq)) {
		rq->clock_pelt = rq->clock_task;
		return;
	}
	if (rq->cpu_capacity_orig != SCHED_CAPACITY_SCALE)
		delta = delta * rq->cpu_capacity_orig >> 10;
	if (rq->freq_scale != SCHED_CAPACITY_SCALE)
		delta = delta * rq->freq_scale >> 10;
	rq->clock_pelt += delta;
}

/**
 * rq_clock_pelt_enter_idle() - the CPU goes idle: the PELT clock catches up
 *
 * What a CPU that was always busy missed can't have been idle time: it is lost.
 */
void rq_clock_pelt_enter_idle(struct sched *s, struct rq *rq)
{
	u32 busy = ((u32)PELT_MIN_DIVIDER << 10) - LOAD_AVG_MAX;

	if (rq->cfs.avg.util_sum >= busy)
		rq->lost_idle_time += rq->clock_task - rq->clock_pelt;
	rq->clock_pelt = rq->clock_task;
	rq->clock_pelt_idle = rq_clock_pelt(rq);
	rq->clock_idle = rq->clock;
}
