/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dl.h - what the files of the deadline class share (spec 08 §3-6).
 *
 *	queue.c		one CPU: the tree by deadline, preemption, changes
 *	cbs.c		budgets: used, replenished, what a wake-up makes of them
 *	bw.c		bandwidth: admission, what is active on a CPU, GRUB
 *	push.c		where tasks go: wake-up, push, pull
 *	server.c	the server that lets fair tasks run for a while, whatever comes before them
 *	check.c		recounts everything
 */
#ifndef IDLEST_SCHED_DL_DL_H
#define IDLEST_SCHED_DL_DL_H

#include "sched/class.h"

#define BW_SHIFT 20
#define DL_GRAIN 10 /* budgets and deadlines are compared in units of 1024 ns */

static inline bool dl_before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

static inline struct task *dl_task_of(const struct sched_dl_entity *se)
{
	return container_of(se, struct task, dl);
}

static inline struct sched_dl_entity *dl_first(const struct rq *rq)
{
	struct rb_node *n = rb_first(&rq->dl.root);

	return n ? container_of(n, struct sched_dl_entity, node) : NULL;
}

static inline struct task *dl_first_pushable(const struct rq *rq)
{
	struct rb_node *n = rb_first(&rq->dl.pushable);

	return n ? container_of(n, struct task, dl.push_node) : NULL;
}

static inline bool is_dl(const struct task *p)
{
	return p && p->class_id == CLASS_DL;
}

/* would an entity with this deadline be the first on @rq? */
static inline bool dl_is_earliest(const struct rq *rq, u64 deadline)
{
	const struct sched_dl_entity *first = dl_first(rq);

	return !first || dl_before(deadline, first->deadline);
}

/* ---- queue.c ---- */

void dl_entity_in(struct sched *s, struct rq *rq, struct sched_dl_entity *se);
void dl_entity_out(struct sched *s, struct rq *rq, struct sched_dl_entity *se);
void dl_make_pushable(struct sched *s, struct rq *rq, struct task *p);
void dl_not_pushable(struct sched *s, struct rq *rq, struct task *p);
void dl_check_preempt(struct sched *s, struct rq *rq, struct task *p, int from);

/* ---- cbs.c ---- */

void dl_update_curr(struct sched *s, struct rq *rq);
/* as of a wake-up at the run queue's clock (spec 08 §4.2) */
void dl_wakeup_rule(struct rq *rq, struct sched_dl_entity *se);
void dl_new_period(struct rq *rq, struct sched_dl_entity *se);
void dl_replenish(struct rq *rq, struct sched_dl_entity *se);
/* between its deadline and the next period a constrained task waits; Return: whether it does */
bool dl_throttle_constrained(struct sched *s, struct rq *rq, struct sched_dl_entity *se);
void dl_arm_hrtick(struct sched *s, struct rq *rq, struct task *p);

/* ---- bw.c ---- */

void dl_uncount_running(struct sched *s, struct task *p);
/* it stopped: active until its 0-lag time */
void dl_non_contending(struct sched *s, struct rq *rq, struct task *p);
void dl_contending(struct sched *s, struct rq *rq, struct task *p);
void dl_release_total(struct sched *s, struct task *p);
void dl_spread(struct sched *s, const struct root_domain *rd, s64 bw);
/* GRUB: what @delta ns of run time cost (spec 08 §6) */
u64 dl_reclaim(const struct sched *s, const struct rq *rq, const struct sched_dl_entity *se,
	       u64 delta);
bool dl_task_fits(const struct sched *s, const struct task *p, int cpu);

/* ---- push.c ---- */

int dl_select(const struct sched *s, const struct task *p, bool fork, struct class_choice *c);
bool dl_find_later(const struct sched *s, const struct task *p, u64 *set);
void dl_woken(struct sched *s, struct rq *rq, struct task *p, int from);
int dl_push(struct sched *s, struct rq *rq);
void dl_pull(struct sched *s, struct rq *rq);
bool dl_would_push(const struct sched *s, const struct rq *rq, struct class_move *m);
bool dl_would_pull(const struct sched *s, const struct rq *rq, struct class_move *m);
void dl_balance(struct sched *s, struct rq *rq, struct task *prev);

/* ---- server.c ---- */

struct task *server_pick(struct sched *s, struct rq *rq);

#endif
