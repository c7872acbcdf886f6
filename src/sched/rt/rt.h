/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rt.h - what the files of the realtime class share (spec 08 §2).
 *
 *	queue.c		one CPU: lists by priority, preemption, slices
 *	select.c	where a woken or forked task goes
 *	push.c		tasks that wait move to CPUs that do less important things
 *	throttle.c	what realtime tasks leave to others, before the fair server
 *	check.c		recounts everything
 */
#ifndef IDLEST_SCHED_RT_RT_H
#define IDLEST_SCHED_RT_RT_H

#include "sched/class.h"

void rt_update_curr(struct sched *s, struct rq *rq);
void rt_make_pushable(struct sched *s, struct rq *rq, struct task *p);
void rt_not_pushable(struct sched *s, struct rq *rq, struct task *p);
int rt_select(const struct sched *s, const struct task *p, bool fork, struct class_choice *c);
void rt_woken(struct sched *s, struct rq *rq, struct task *p, int from);
int rt_push(struct sched *s, struct rq *rq);
void rt_pull(struct sched *s, struct rq *rq);
bool rt_would_push(const struct sched *s, const struct rq *rq, struct class_move *m);
bool rt_would_pull(const struct sched *s, const struct rq *rq, struct class_move *m);
void rt_balance(struct sched *s, struct rq *rq, struct task *prev);

/* priority of the first waiting task that may move, RT_PRIO_NONE */
static inline int rt_next_prio(const struct rq *rq)
{
	if (list_empty(&rq->rt.pushable))
		return RT_PRIO_NONE;
	return list_first_entry(&rq->rt.pushable, struct task, rt.pushable)->prio;
}

#endif
