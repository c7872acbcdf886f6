// SPDX-License-Identifier: BSD-2-Clause
/*
 * cbs.c - constant bandwidth servers: how a budget is used and comes back (spec 08 §4.2-5).
 */
#include "sched/dl/dl.h"

#define HRTICK_MIN_NS 10000

/* ---- periods ---- */

void dl_new_period(struct rq *rq, struct sched_dl_entity *se)
{
	se->deadline = rq->clock + se->dl_deadline;
	se->runtime = se->dl_runtime;
}

void dl_replenish(struct rq *rq, struct sched_dl_entity *se)
{
	if (se->yielded && se->runtime > 0)
		se->runtime = 0;
	while (se->runtime <= 0) {
		se->deadline += se->dl_period;
		se->runtime += se->dl_runtime;
	}
	if (dl_before(se->deadline, rq->clock)) /* too far behind to catch up */
		dl_new_period(rq, se);
	se->yielded = se->throttled = false;
}

/* would what is left exceed the bandwidth until the deadline? */
static bool overflows(const struct sched_dl_entity *se, u64 now)
{
	u64 left = (se->dl_deadline >> DL_GRAIN) * ((u64)max(se->runtime, (s64)0) >> DL_GRAIN);
	u64 right = ((se->deadline - now) >> DL_GRAIN) * (se->dl_runtime >> DL_GRAIN);

	return right < left;
}

void dl_wakeup_rule(struct rq *rq, struct sched_dl_entity *se)
{
	bool past = dl_before(se->deadline, rq->clock);

	if (!past && !overflows(se, rq->clock))
		return;
	/* constrained: the same deadline, the budget that fits until then */
	if (!past && se->dl_deadline != se->dl_period)
		se->runtime = (s64)((u128)se->dl_density * (se->deadline - rq->clock) >> BW_SHIFT);
	else
		dl_new_period(rq, se);
}

static u64 next_period(const struct sched_dl_entity *se)
{
	return se->deadline - se->dl_deadline + se->dl_period;
}

/* Return: false if the next period has begun already */
static bool start_timer(struct sched *s, struct rq *rq, struct sched_dl_entity *se)
{
	if (dl_before(next_period(se), rq->clock))
		return false;
	class_timer_arm(s, rq, &se->timer, next_period(se));
	return true;
}

bool dl_throttle_constrained(struct sched *s, struct rq *rq, struct sched_dl_entity *se)
{
	if (se->dl_deadline == se->dl_period || !dl_before(se->deadline, rq->clock) ||
	    !dl_before(rq->clock, next_period(se)) || !start_timer(s, rq, se))
		return false;
	se->runtime = min(se->runtime, (s64)0);
	return true;
}

/* ---- running ---- */

static u64 scaled(const struct sched *s, const struct rq *rq, const struct sched_dl_entity *se,
		  u64 delta)
{
	if (unlikely(se->flags & ATTR_RECLAIM))
		return dl_reclaim(s, rq, se, delta);
	delta = delta * rq->freq_scale >> 10;
	return delta * rq->cpu_capacity_orig >> 10;
}

static void used_up(struct sched *s, struct rq *rq, struct task *p)
{
	struct sched_dl_entity *se = &p->dl;

	se->throttled = true;
	se->stats.throttled += !se->yielded;
	dl_entity_out(s, rq, se);
	dl_not_pushable(s, rq, p);
	if (!start_timer(s, rq, se)) {
		dl_replenish(rq, se);
		dl_entity_in(s, rq, se);
	}
	if (dl_first(rq) != se)
		resched_curr(s, rq, rq->cpu);
}

void dl_update_curr(struct sched *s, struct rq *rq)
{
	struct task *p = rq->curr;
	u64 delta;

	if (!is_dl(p))
		return;
	delta = account_exec(rq, p);
	if (delta && s->rtd.period_timer.armed && rt_throttling(s))
		rq->rt.rt_time += delta; /* realtime tasks have to worry about it */
	p->dl.runtime -= scaled(s, rq, &p->dl, delta);
	if (p->dl.queued && (p->dl.runtime <= 0 || p->dl.yielded))
		used_up(s, rq, p);
}

/* HRTICK_DL: the end of the budget is noticed at once instead of at a tick */
void dl_arm_hrtick(struct sched *s, struct rq *rq, struct task *p)
{
	if (!feat(s, FEAT_HRTICK_DL) || p->dl.runtime <= 0)
		return;
	rq->hrtick_armed = true;
	sched_push_out(s, OUT_HRTICK, rq->cpu, rq->cpu, p, max(p->dl.runtime, (s64)HRTICK_MIN_NS));
}

void dl_timer(struct sched *s, struct class_timer *t)
{
	struct sched_dl_entity *se = container_of(t, struct sched_dl_entity, timer);
	struct task *p = dl_task_of(se);
	struct rq *rq = cpu_rq(s, p->cpu);
	bool yielded = se->yielded;

	if (!is_dl(p) || !se->throttled)
		return;
	update_rq_clock(s, rq, s->now);
	if (unlikely(!rq->online) && p->on_rq && !p->on_cpu)
		rq = dl_leave_offline(s, rq, p);
	dl_replenish(rq, se);
	if (!p->on_rq)
		return;
	if (yielded || !se->job_deadline)
		se->job_deadline = se->deadline;
	dl_entity_in(s, rq, se);
	if (rq->curr != p)
		dl_make_pushable(s, rq, p);
	if (rq->stop_running)
		return;
	if (is_dl(rq->curr) && rq->curr != p)
		dl_check_preempt(s, rq, p, rq->cpu);
	else
		resched_curr(s, rq, rq->cpu);
	if (rb_first(&rq->dl.pushable) && (is_dl(rq->curr) || s->k.rules.dl_timer_pushes))
		dl_push(s, rq);
}
