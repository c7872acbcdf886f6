/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bandwidth.h - CPU bandwidth of groups: what bandwidth.c and throttle.c do for the rest of fair/.
 *
 *	bandwidth.c	the pool and its periods, slices for CPUs	spec 09 §2
 *	throttle.c	what a CPU's queue without run time does	spec 09 §2, 16 §13
 *
 * Nothing here is called, and one predictable branch is paid, where no group has a limit.
 */
#ifndef IDLEST_SCHED_FAIR_BANDWIDTH_H
#define IDLEST_SCHED_FAIR_BANDWIDTH_H

#include "sched/internal.h"

static inline bool throttles_tasks(const struct sched *s)
{
	return s->k.rules.bandwidth == BANDWIDTH_TASK;
}

static inline bool group_is_below(const struct task_group *tg, const struct task_group *top)
{
	for (; tg; tg = tg->parent)
		if (tg == top)
			return true;
	return false;
}

/* is @se below a queue whose entity was taken off its CPU? Then it doesn't count above */
static inline bool parked_above(const struct sched_entity *se)
{
	for (; se; se = se->parent)
		if (se->cfs_rq->parked)
			return true;
	return false;
}

/* ---- bandwidth.c ---- */

void bandwidth_init(struct sched *s, struct task_group *tg);
/* @delta ns ran in @cfs_rq */
void account_cfs_rq_runtime(struct sched *s, struct cfs_rq *cfs_rq, u64 delta);
/* take so much from the pool that @target ns are there; Return: whether any time is left */
bool assign_cfs_rq_runtime(struct sched *s, struct cfs_rq *cfs_rq, u64 target);
/* what an emptied queue doesn't need */
void return_cfs_rq_runtime(struct sched *s, struct cfs_rq *cfs_rq);

/* ---- throttle.c ---- */

/* @cfs_rq, of a limited group or below one, has got its first entity, or lost its last */
void limited_queue_filled(struct sched *s, struct cfs_rq *cfs_rq);
void limited_queue_emptied(struct sched *s, struct cfs_rq *cfs_rq);
/* groups: a queue that has used up its time leaves; Return: it did */
bool check_cfs_rq_runtime(struct sched *s, struct cfs_rq *cfs_rq);
/* tasks: mark the queue and all below it */
void throttle_tasks(struct sched *s, struct cfs_rq *cfs_rq);
void unthrottle_cfs_rq(struct sched *s, struct cfs_rq *cfs_rq, int from);
/* a task that throttled itself is taken from or put on a queue; Return: that was all */
bool dequeue_throttled_task(struct sched *s, struct task *p, int flags);
bool enqueue_throttled_task(struct sched *s, struct rq *rq, struct task *p, int flags);
/* from now on the queues of @tg and below have to look whether they may run */
void limit_subtree(struct sched *s, struct task_group *tg);
u64 limited_clock_pelt(const struct cfs_rq *cfs_rq, u64 now);

#endif
