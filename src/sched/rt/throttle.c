// SPDX-License-Identifier: BSD-2-Clause
/*
 * throttle.c - what realtime tasks leave to others, by the rule before the fair server
 * (spec 08 §2.8): so much run time a period and CPU.
 */
#include "sched/rt/rt.h"

bool rt_throttling(const struct sched *s)
{
	return s->k.rules.rt_guard == RT_GUARD_THROTTLE && s->rtd.rt_runtime != UINT64_MAX;
}

static void set_throttled(struct sched *s, struct rq *rq, bool throttled)
{
	int sign = throttled ? -1 : 1;

	rq->rt.throttled = throttled;
	add_nr_running(s, rq, sign * rq->rt.nr_running);
	add_above_fair(rq, sign * rq->rt.nr_running);
	rq_update_idle(s, rq);
}

/* RT_RUNTIME_SHARE: a part of what the other CPUs have left over */
static void borrow(struct sched *s, struct rq *rq)
{
	const u64 *span = rq->rd->span;
	struct rt_rq *rt = &rq->rt;
	int c;

	for_each_cpu(c, span, s->words) {
		struct rt_rq *other = &s->rq[c].rt;
		u64 part;

		if (rt->rt_runtime >= s->rtd.rt_period)
			break;
		if (other == rt || other->rt_runtime <= other->rt_time)
			continue;
		part = (other->rt_runtime - other->rt_time) / (u64)rq->rd->nr_cpus;
		part = min(part, s->rtd.rt_period - rt->rt_runtime);
		other->rt_runtime -= part;
		rt->rt_runtime += part;
	}
}

void rt_account(struct sched *s, struct rq *rq, u64 delta)
{
	struct rt_rq *rt = &rq->rt;

	if (!rt_throttling(s))
		return;
	rt->rt_time += delta;
	if (rt->throttled || rt->rt_runtime >= s->rtd.rt_period)
		return;
	if (feat(s, FEAT_RT_RUNTIME_SHARE) && rt->rt_time > rt->rt_runtime)
		borrow(s, rq);
	if (rt->rt_time <= rt->rt_runtime)
		return;
	set_throttled(s, rq, true);
	resched_curr(s, rq, rq->cpu);
}

void rt_offline(struct sched *s, struct rq *rq)
{
	if (rq->rt.throttled)
		set_throttled(s, rq, false);
	rq->rt.rt_time = 0;
	rq->rt.rt_runtime = UINT64_MAX;
}

void rt_online(struct sched *s, struct rq *rq)
{
	rq->rt.rt_time = 0;
	rq->rt.rt_runtime = s->rtd.rt_runtime;
}

/* the period runs as long as there are realtime tasks; it begins with the first one */
void rt_period_start(struct sched *s, struct rq *rq)
{
	if (rt_throttling(s) && !s->rtd.period_timer.armed)
		class_timer_arm(s, rq, &s->rtd.period_timer, rq->clock + s->rtd.rt_period);
}

/* Return: whether this CPU still needs periods */
static bool new_period(struct sched *s, struct rq *rq, u64 periods)
{
	struct rt_rq *rt = &rq->rt;

	if (!rt->rt_time)
		return rt->nr_running;
	update_rq_clock(s, rq, s->now);
	rt_update_curr(s, rq);
	if (rt->throttled && feat(s, FEAT_RT_RUNTIME_SHARE) && rt->rt_time > rt->rt_runtime)
		borrow(s, rq);
	rt->rt_time -= min(rt->rt_time, periods * rt->rt_runtime);
	if (rt->throttled && rt->rt_time < rt->rt_runtime) {
		set_throttled(s, rq, false);
		if (rt->nr_running)
			resched_curr(s, rq, rq->cpu);
	}
	return rt->rt_time || rt->nr_running;
}

void rt_period_expired(struct sched *s, struct rq *rq)
{
	struct class_timer *t = &s->rtd.period_timer;
	u64 period = s->rtd.rt_period, periods = (s->now - t->at) / period + 1;
	bool needed = false;

	for (int c = 0; c < s->nr_cpus; c++)
		needed |= new_period(s, &s->rq[c], periods);
	if (needed)
		class_timer_arm(s, rq, t, t->at + periods * period);
}
