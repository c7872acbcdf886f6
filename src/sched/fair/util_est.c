/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * util_est.c - utilisation a task is expected to have when it wakes (spec 03 §6).
 *
 * PELT forgets while a task sleeps; the estimate remembers what it had when it
 * went to sleep. ewma is the slow value, and the only one from 6.8 on.
 */
#include <stdlib.h>

#include "sched/fair/fair.h"

#define UTIL_EST_MARGIN 10 /* 1 % of a CPU */

unsigned long task_util_est(const struct sched *s, const struct task *p)
{
	if (!feat(s, FEAT_UTIL_EST))
		return task_util(p);
	return max(task_util(p), util_estimate(s, p));
}

unsigned long cpu_util_without(const struct sched *s, int cpu, const struct task *p)
{
	const struct rq *rq = cpu_rq(s, cpu);
	unsigned long util = rq->cfs.avg.util_avg, est = rq->cfs.util_est;

	/* each signal loses the task's part of it: what others left may be in one of them only */
	util -= min(util, task_util(p));
	if (feat(s, FEAT_UTIL_EST)) {
		est -= min(est, util_estimate(s, p));
		util = max(util, est);
	}
	return min(util, rq->cpu_capacity_orig);
}

/* ≤6.7: the last utilisation and its slow average */
static void update_two_values(struct sched *s, struct rq *rq, struct task *p)
{
	struct util_est *ue = &p->util_est;
	unsigned long util = task_util(p), old = ue->enqueued;
	long diff = (long)util - (long)ue->ewma;

	if (feat(s, FEAT_UTIL_EST_FASTUP) && diff > 0) {
		ue->enqueued = ue->ewma = util;
		return;
	}
	if (labs(diff) < UTIL_EST_MARGIN) {
		if (labs((long)old - (long)util) >= UTIL_EST_MARGIN)
			ue->enqueued = util;
		return;
	}
	/* more than the CPU has: somebody else's time was counted in */
	if (util > rq->cpu_capacity_orig)
		return;
	ue->enqueued = util;
	ue->ewma = (4 * (long)ue->ewma + diff) / 4;
}

/* 6.8+: one value that rises at once and falls by a quarter */
static void update_one_value(struct sched *s, struct rq *rq, struct task *p)
{
	struct util_est *ue = &p->util_est;
	unsigned long util = task_util(p), diff;

	if (util >= ue->ewma) {
		ue->ewma = util;
		return;
	}
	diff = ue->ewma - util;
	if (diff < UTIL_EST_MARGIN)
		return;
	if (s->k.rules.util_est == UTIL_EST_ONE && util > rq->cpu_capacity_orig)
		return;
	/* it would have run more, had it been let: what it had says nothing about its need */
	if (util + UTIL_EST_MARGIN < p->se.avg.runnable_avg)
		return;
	ue->ewma = (4 * ue->ewma - diff) / 4;
}

void util_est_remember(struct sched *s, struct rq *rq, struct task *p)
{
	p->se.util_changed = false;
	if (s->k.rules.util_est == UTIL_EST_TWO)
		update_two_values(s, rq, p);
	else
		update_one_value(s, rq, p);
}
