// SPDX-License-Identifier: BSD-2-Clause
/*
 * affine.c - wake_affine: search around the waker's CPU or around the wakee's
 * previous one (spec 04 §4).
 */
#include "sched/place/place.h"

#define UNDECIDED -1

/* tasks of @rq that a sync waker counts */
static int nr_running_for_sync(const struct sched *s, const struct rq *rq)
{
	if (!s->k.rules.wa_sync_minus_delayed)
		return rq->nr_running;
	return rq->nr_running - (rq->cfs.h_nr_queued - rq->cfs.h_nr_runnable);
}

static int decide_by_idle(struct wake_ctx *c)
{
	const struct sched *s = c->s;
	int this = c->q->cpu, prev = c->prev;

	if (idle_cpu(s, this) && cpus_share_cache(s, this, prev)) {
		bool prev_idle = idle_cpu(s, prev);

		c->d->reason = prev_idle ? REASON_WA_PREV_IDLE : REASON_WA_IDLE;
		return prev_idle ? prev : this;
	}
	if (c->q->sync && nr_running_for_sync(s, cpu_rq(s, this)) == 1) {
		c->d->reason = REASON_WA_SYNC;
		return this;
	}
	if (unlikely(sis_short_on(s)) && sis_short_affine(c, true)) {
		c->d->reason = REASON_WA_SHORT;
		return this;
	}
	if (s->k.rules.wa_idle_prev && idle_cpu(s, prev)) {
		c->d->reason = REASON_WA_PREV_IDLE;
		return prev;
	}
	if (unlikely(sis_short_on(s)) && sis_short_affine(c, false)) {
		c->d->reason = REASON_WA_SHORT;
		return this;
	}
	return UNDECIDED;
}

static int wake_affine_idle(struct wake_ctx *c)
{
	const struct sched *s = c->s;
	const struct rq *rq = cpu_rq(s, c->q->cpu);
	int target = decide_by_idle(c);

	EXPLAIN(s, .now = c->now, .cpu = rq->cpu, .p = c->p, .step = STEP_WA_IDLE,
		.reason = target == UNDECIDED ? REASON_NONE : c->d->reason, .candidate = target,
		.taken = target != UNDECIDED,
		.value = {idle_cpu(s, rq->cpu), idle_cpu(s, c->prev),
			  cpus_share_cache(s, rq->cpu, c->prev), c->q->sync, rq->nr_running});
	return target;
}

static int wake_affine_weight(struct wake_ctx *c, const struct sched_domain *sd)
{
	const struct sched *s = c->s;
	const struct rq *this_rq = cpu_rq(s, c->q->cpu), *prev_rq = cpu_rq(s, c->prev);
	s64 this_load = (s64)cpu_load(this_rq), prev_load;
	s64 h = (s64)task_h_load(s, c->p);

	if (c->q->sync) {
		s64 waker = this_rq->curr ? (s64)task_h_load(s, this_rq->curr) : 0;

		if (waker > this_load) {
			c->d->reason = REASON_WA_SYNC;
			return this_rq->cpu;
		}
		this_load -= waker;
	}
	this_load += h;
	prev_load = (s64)cpu_load(prev_rq) - h;
	if (feat(s, FEAT_WA_BIAS)) {
		this_load *= 100;
		prev_load *= 100 + (sd->imbalance_pct - 100) / 2;
	}
	this_load *= (s64)prev_rq->cpu_capacity;
	prev_load *= (s64)this_rq->cpu_capacity;
	if (c->q->sync)
		prev_load += 1;
	EXPLAIN(s, .now = c->now, .cpu = this_rq->cpu, .p = c->p, .step = STEP_WA_WEIGHT,
		.reason = REASON_WA_WEIGHT, .candidate = this_rq->cpu,
		.taken = this_load < prev_load,
		.value = {this_load, prev_load, h, sd->imbalance_pct});
	if (this_load >= prev_load)
		return UNDECIDED;
	c->d->reason = REASON_WA_WEIGHT;
	return this_rq->cpu;
}

int wake_affine(struct wake_ctx *c, const struct sched_domain *sd)
{
	const struct sched *s = c->s;
	int target = UNDECIDED;

	if (feat(s, FEAT_WA_IDLE))
		target = wake_affine_idle(c);
	if (target == UNDECIDED && feat(s, FEAT_WA_WEIGHT))
		target = wake_affine_weight(c, sd);
	if (target == UNDECIDED) {
		c->d->reason = REASON_WA_PREV;
		target = c->prev;
	}
	c->d->move_affine = target == c->q->cpu;
	EXPLAIN(s, .now = c->now, .cpu = c->q->cpu, .p = c->p, .step = STEP_WA_RESULT,
		.reason = c->d->reason, .candidate = target, .taken = true, .value = {c->prev});
	return target;
}
