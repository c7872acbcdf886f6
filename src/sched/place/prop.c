// SPDX-License-Identifier: BSD-2-Clause
/*
 * prop.c - SIS_PROP: a search may take as long as the waker's CPU was idle of late (spec 04 §6.1).
 */
#include "sched/place/place.h"

/* what is left of @rq's wake_avg_idle: halved each jiffy since its stamp (§6.1) */
static u64 aged_wake_avg_idle(const struct sched *s, u64 now, const struct rq *rq)
{
	u64 jiffies = now / s->tick_ns, stamp = rq->wake_stamp / s->tick_ns;

	if (jiffies <= stamp)
		return rq->wake_avg_idle;
	return jiffies - stamp < 64 ? rq->wake_avg_idle >> (jiffies - stamp) : 0;
}

void sis_prop_account(struct sched *s, u64 now, struct rq *rq, u64 scan_ns)
{
	s64 diff = (s64)scan_ns - (s64)rq->avg_scan_cost;

	if (s->k.rules.scan_limit == SCAN_PROP_NEW) {
		rq->wake_avg_idle = aged_wake_avg_idle(s, now, rq);
		rq->wake_stamp = max(rq->wake_stamp, now);
		rq->wake_avg_idle -= min(rq->wake_avg_idle, scan_ns);
	}
	rq->avg_scan_cost += diff / 8;
}

int sis_prop_nr(const struct wake_ctx *c, const struct rq *rq, int weight)
{
	u64 cost = rq->avg_scan_cost + 1, avg, span;

	if (c->s->k.rules.scan_limit == SCAN_PROP_NEW)
		avg = aged_wake_avg_idle(c->s, c->now, rq);
	else
		avg = rq->avg_idle / 512;
	span = (u64)weight * avg;
	return span > 4 * cost ? (int)min(span / cost, (u64)INT_MAX) : 4;
}
