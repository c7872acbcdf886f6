// SPDX-License-Identifier: BSD-2-Clause
/*
 * short.c - short tasks stay together: SIS_SHORT and its successor SIS_CURRENT (spec 04 §9, §10).
 *
 * Patch series of 2022 and 2023, never merged. What counts as short, and where
 * that is asked, changed from version to version: the rules stand side by side.
 */
#include "sched/place/place.h"

static bool by_run_time(u64 min_gran, u64 runtime, u64 switches, u64 dur_avg)
{
	return runtime <= switches * min_gran;
}

static bool by_average(u64 min_gran, u64 runtime, u64 switches, u64 dur_avg)
{
	return dur_avg <= min_gran;
}

static bool by_known_average(u64 min_gran, u64 runtime, u64 switches, u64 dur_avg)
{
	return dur_avg && 8 * dur_avg <= min_gran;
}

static bool by_known_average_below(u64 min_gran, u64 runtime, u64 switches, u64 dur_avg)
{
	return dur_avg && 8 * dur_avg < min_gran;
}

struct sis_short {
	bool (*is_short)(u64 min_gran, u64 runtime, u64 switches, u64 dur_avg);
	bool average;	      /* dur_avg is kept … */
	bool far_bursts_only; /* … from bursts at least min_gran off it */
	bool sync_step;	      /* wake_affine: beside the sync test, else after the idle-P test */
	bool pairs_only;      /* wake_affine: the wakee must be short, too */
	bool while_busy;      /* stay: only if the LLC's scan depth is below 3/5 of its weight */
	bool wakee_short;     /* stay: the wakee must be short */
	bool runs_alone;      /* stay: the target must run one task */
	bool on_waker;	      /* stay: only on the waker's CPU */
};

static const struct sis_short versions[] = {
	[SIS_SHORT_V1] = { by_run_time, .sync_step = true, .while_busy = true,
			   .wakee_short = true },
	[SIS_SHORT_V2] = { by_average, .average = true, .far_bursts_only = true, .while_busy = true,
			   .runs_alone = true },
	[SIS_SHORT_V3] = { by_average, .average = true, .wakee_short = true, .runs_alone = true },
	[SIS_SHORT_V4] = { by_known_average, .average = true, .wakee_short = true,
			   .runs_alone = true },
	[SIS_SHORT_V5] = { by_known_average_below, .average = true, .pairs_only = true,
			   .wakee_short = true, .runs_alone = true, .on_waker = true },
};

static const struct sis_short *version(const struct sched *s)
{
	return sis_short_on(s) ? &versions[s->k.rules.sis_short] : NULL;
}

/* EEVDF kernels have no min_granularity_ns; base_slice_ns came in its place */
static u64 short_limit(const struct sched *s)
{
	return s->sysctl_min_granularity ?: s->base_slice;
}

/* the idle task has never run: what a new task would be */
static bool is_short(const struct sched *s, const struct sis_short *v, const struct task *p)
{
	if (!p)
		return v->is_short(short_limit(s), 0, 0, 0);
	return v->is_short(short_limit(s), p->se.sum_exec_runtime, p->nvcsw, p->dur_avg);
}

void sis_short_account(const struct sched *s, struct task *p)
{
	const struct sis_short *v = version(s);
	s64 burst, diff;

	if (!(v && v->average) && !sis_current_on(s))
		return;
	burst = (s64)(p->se.sum_exec_runtime - p->prev_sleep_sum_runtime);
	diff = burst - (s64)p->dur_avg;
	p->prev_sleep_sum_runtime = p->se.sum_exec_runtime;
	if (v && v->far_bursts_only && (u64)(diff < 0 ? -diff : diff) < short_limit(s))
		return;
	p->dur_avg += diff / 8;
}

bool sis_short_affine(const struct wake_ctx *c, bool sync_step)
{
	const struct sis_short *v = version(c->s);
	const struct rq *this_rq = cpu_rq(c->s, c->q->cpu);

	if (!v || v->sync_step != sync_step)
		return false;
	return (v->sync_step || this_rq->nr_running == 1) && is_short(c->s, v, this_rq->curr) &&
	       (!v->pairs_only || is_short(c->s, v, c->p));
}

bool sis_short_stays(const struct wake_ctx *c, int target, bool in_scan)
{
	const struct sis_short *v = version(c->s);
	const struct rq *rq = cpu_rq(c->s, target);
	bool stays;

	if (!v || v->while_busy != in_scan || (v->on_waker && target != c->q->cpu))
		return false;
	if (in_scan && (!feat(c->s, FEAT_SIS_UTIL) ||
			5 * (rq->llc->nr_idle_scan + 1) >= 3 * rq->sd_llc->weight))
		return false;
	stays = (!v->runs_alone || rq->nr_running == 1) && is_short(c->s, v, rq->curr) &&
		(!v->wakee_short || is_short(c->s, v, c->p));
	EXPLAIN(c->s, .now = c->now, .cpu = c->q->cpu, .p = c->p, .step = STEP_SHORT,
		.reason = REASON_SHORT_TASK, .candidate = target, .taken = stays,
		.value = { rq->nr_running, rq->curr ? (s64)rq->curr->dur_avg : 0,
			   (s64)c->p->dur_avg, rq->llc->nr_idle_scan });
	return stays;
}

/* the waker's last wakee is this one, since it was recorded just now (spec 04 §2.1) */
bool sis_current_stays(const struct wake_ctx *c)
{
	const struct rq *rq = cpu_rq(c->s, c->q->cpu);
	const struct task *waker = rq->curr;
	u64 limit = short_limit(c->s);
	bool stays;

	stays = waker && rq->nr_running == 1 && c->p->last_wakee == waker &&
		8 * waker->dur_avg < limit && 8 * c->p->dur_avg < limit;
	EXPLAIN(c->s, .now = c->now, .cpu = rq->cpu, .p = c->p, .step = STEP_SHORT_PAIR,
		.reason = REASON_SHORT_PAIR, .candidate = rq->cpu, .taken = stays,
		.value = { waker ? (s64)waker->dur_avg : 0, (s64)c->p->dur_avg });
	return stays;
}
