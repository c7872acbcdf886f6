/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * info.h - how long tasks ran and waited on a CPU, as its line in /proc/schedstat has it (spec 11 §4).
 *
 * A task waits from its enqueue, or from being switched out while it could have gone on, until it
 * is switched in or leaves the queue. All times are those of the run queue's clock at the pick.
 */
#ifndef IDLEST_SCHED_INFO_H
#define IDLEST_SCHED_INFO_H

#include "sched/rq.h"

/* a task whose dequeue is delayed sleeps in all but name: it waits for nothing */
static inline void info_queued(const struct rq *rq, struct task *p)
{
	if (!p->last_queued && !p->se.sched_delayed)
		p->last_queued = rq->clock;
}

static inline void info_dequeued(struct rq *rq, struct task *p)
{
	if (!p->last_queued)
		return;
	rq->run_delay += rq->clock - p->last_queued;
	p->run_delay += rq->clock - p->last_queued;
	p->last_queued = 0;
}

static inline void info_arrive(struct rq *rq, struct task *p)
{
	info_dequeued(rq, p);
	p->last_arrival = rq->clock;
	rq->pcount++;
	p->pcount++;
}

static inline void info_depart(struct rq *rq, struct task *p)
{
	rq->rq_cpu_time += rq->clock - p->last_arrival;
	if (p->state == TASK_RUNNABLE)
		info_queued(rq, p);
}

#endif
