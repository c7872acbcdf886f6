/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * class.h - the classes above fair, in order, and what both of them need (spec 08 §1).
 *
 *	class.c		the table, the pick through it, timers
 *	near.c		preferring a CPU among equally good ones
 *	rt/		FIFO and RR
 *	dl/		deadline, and the server that keeps fair tasks alive below it
 *
 * stop > deadline > realtime > fair > idle. The stopper is the host's (stop.c). While only fair
 * tasks are about nothing here is called: see sched_pick().
 */
#ifndef IDLEST_SCHED_CLASS_H
#define IDLEST_SCHED_CLASS_H

#include "sched/internal.h"

/* Why a CPU was chosen, what that did, and what it cost. */
struct class_choice {
	int cpu;	/* that decides */
	int reason;
	int cursor;	/* where its any-and-distribute cursor is afterwards; -1: unchanged */
	struct sched_work *w;
};

/* A task that waits on one CPU and would be taken to another one. */
struct class_move {
	struct task *p;
	int from, to;
	bool distributed; /* a push: @to is where @from's any-and-distribute cursor goes */
};

struct sched_class {
	void (*enqueue)(struct sched *s, struct rq *rq, struct task *p, int flags);
	void (*dequeue)(struct sched *s, struct rq *rq, struct task *p, int flags);
	/* the class's first task; NULL: none is runnable */
	struct task *(*pick)(struct sched *s, struct rq *rq);
	/* the same without effects */
	const struct task *(*peek)(const struct rq *rq);
	void (*put_prev)(struct sched *s, struct rq *rq, struct task *p);
	void (*set_next)(struct sched *s, struct rq *rq, struct task *p);
	void (*tick)(struct sched *s, struct rq *rq, struct task *p);
	void (*yield)(struct sched *s, struct rq *rq, struct task *p);
	/* @p was queued where another task of the class runs */
	void (*check_preempt)(struct sched *s, struct rq *rq, struct task *p, int from);
	/* after a wake-up's enqueue: it, or another one, may be pushed away */
	void (*woken)(struct sched *s, struct rq *rq, struct task *p, int from);
	/* where a woken or forked task goes */
	int (*select)(const struct sched *s, const struct task *p, bool fork,
		      struct class_choice *c);
	/* @rq's task @prev_class leaves it with less: take tasks of this class from elsewhere */
	void (*balance)(struct sched *s, struct rq *rq, struct task *prev);
	/* push waiting tasks to other CPUs; Return: tasks moved */
	int (*push)(struct sched *s, struct rq *rq);
	/* what push would move first, and what balance would; Return: whether there is something */
	bool (*would_push)(const struct sched *s, const struct rq *rq, struct class_move *m);
	bool (*would_pull)(const struct sched *s, const struct rq *rq, struct class_move *m);
	/* of a queued task, inside the class */
	void (*prio_changed)(struct sched *s, struct rq *rq, struct task *p, int old_prio);
	void (*set_allowed)(struct sched *s, struct rq *rq, struct task *p, const u64 *allowed);
	void (*switched_from)(struct sched *s, struct rq *rq, struct task *p);
	void (*switched_to)(struct sched *s, struct rq *rq, struct task *p);
};

extern const struct sched_class rt_class, dl_class;
extern const struct sched_class *const sched_classes[]; /* by enum sched_class_id */

static inline const struct sched_class *class_of(const struct task *p)
{
	return sched_classes[p->class_id];
}

int classes_init(struct sched *s, struct err *err);
int classes_check(const struct sched *s, struct err *err);

/* ---- run time ---- */

/* the running task of a class above fair: what it ran since it was last accounted */
static inline u64 account_exec(struct rq *rq, struct task *p)
{
	s64 delta = (s64)(rq->clock_task - p->se.exec_start);

	if (delta <= 0)
		return 0;
	p->se.exec_start = rq->clock_task;
	p->se.sum_exec_runtime += delta;
	p->tg->exec_above_fair += delta;
	return delta;
}

/* runnable entities of the classes above fair */
static inline void add_above_fair(struct rq *rq, int count)
{
	rq->nr_above_fair += count;
}

/* ---- timers ---- */

void class_timer_init(struct class_timer *t, enum class_timer_kind kind);
/* (re)arm @t on @rq for the time @at */
void class_timer_arm(struct sched *s, struct rq *rq, struct class_timer *t, u64 at);
void class_timer_cancel(struct sched *s, struct class_timer *t);

/* ---- CPUs among which a class moves its tasks ---- */

/* those of @p's CPU; one that goes down has nothing to do with its former ones */
static inline const struct root_domain *search_domain(const struct sched *s, const struct task *p)
{
	const struct rq *rq = &s->rq[p->cpu];

	return likely(rq->online) ? rq->rd : &s->rd[s->nr_rds];
}

/* leave those of @p's root domain in @set; Return: whether there are any */
static inline bool keep_own_domain(const struct sched *s, const struct task *p, u64 *set)
{
	const struct root_domain *rd = search_domain(s, p);

	return rd->whole || mask_and(set, set, rd->span, s->words);
}

/* ---- fair/bandwidth.c ---- */

void cfs_period_timer(struct sched *s, struct rq *rq, struct class_timer *t);
void cfs_slack_timer(struct sched *s, struct rq *rq, struct class_timer *t);

/* ---- near.c ---- */

/**
 * prefer_cpu() - one CPU of @set, near to where @p ran (spec 08 §2.4)
 * @set: not empty, allowed to @p
 */
int prefer_cpu(const struct sched *s, const struct task *p, const u64 *set,
	       struct class_choice *c);

/* @p, which waits on @src, goes to @dst; the caller looks whether it preempts there */
void move_queued_task(struct sched *s, struct rq *src, struct task *p, struct rq *dst);

/* ---- cpupri.c ---- */

#define CPUPRI_INVALID (-1)
#define CPUPRI_NORMAL  0
#define CPUPRI_HIGHER  100

/* what @rq runs or has queued at the highest changed */
void cpupri_update(struct sched *s, struct rq *rq);
/**
 * cpupri_find() - the CPUs that run the least important things below @p, and that it may use
 * @set: result; NULL: only ask
 *
 * Return: false if there is none.
 */
bool cpupri_find(const struct sched *s, const struct task *p, u64 *set);
bool rt_task_fits(const struct sched *s, const struct task *p, int cpu);

/* ---- dl/ ---- */

int dl_init(struct sched *s, struct err *err);
int dl_check(const struct sched *s, const struct rq *rq, struct err *err);
/* Return: 0, or -EBUSY: @rd's CPUs, without @lost unless it is -1, have too little for its tasks */
int dl_overflow(const struct sched *s, const struct root_domain *rd, int lost);
void dl_recount_domains(struct sched *s);
/* @p, throttled, is wanted where nothing may run any more; Return: where it is now */
struct rq *dl_leave_offline(struct sched *s, struct rq *rq, struct task *p);
int dl_check_total(const struct sched *s, struct err *err);
void dl_timer(struct sched *s, struct class_timer *t);
void dl_inactive_timer(struct sched *s, struct class_timer *t);
void dl_leave_cpu(struct sched *s, struct task *p);
void dl_forget(struct sched *s, struct task *p);
/* @p counts on @rq: its bandwidth, and as active; or no longer */
void dl_count(struct sched *s, struct rq *rq, struct task *p, bool running);
void dl_uncount(struct sched *s, struct task *p);
bool dl_attr_valid(const struct sched *s, const struct task_attr *a);
/* Return: 0: @p has its bandwidth; -EBUSY, -EPERM */
int dl_admit(struct sched *s, struct task *p, const struct task_attr *a);
/* @p has it without having been admitted */
void dl_take_bw(struct sched *s, struct task *p, const struct task_attr *a);
void dl_set_params(struct task *p, const struct task_attr *a);
/* which task of another CPU in @overloaded @rq would take first, if @choice names those it may */
bool class_would_pull(const struct sched *s, const struct rq *rq, const u64 *overloaded,
		      struct task *(*choice)(const struct rq *rq, const struct rq *src),
		      struct class_move *m);
/* @rq takes @p from @src; Return: false: it is still switching out there, and @src pushes later */
bool class_pull(struct sched *s, struct rq *rq, struct rq *src, struct task *p);
void server_timer(struct sched *s, struct rq *rq);
/* @rq has no fair task left: the fair server goes */
void server_stop(struct sched *s, struct rq *rq);
/* the fair server is the first of @rq, and has somebody to serve */
bool server_first(const struct rq *rq);

/* a CPU goes down: nobody is served there any more */
void server_offline(struct sched *s, struct rq *rq);

/* ---- rt/ ---- */

/* a CPU goes down: what is throttled there must be able to leave; and comes back */
void rt_offline(struct sched *s, struct rq *rq);
void rt_online(struct sched *s, struct rq *rq);

void rt_account(struct sched *s, struct rq *rq, u64 delta); /* throttling, spec 08 §2.8 */
void rt_period_start(struct sched *s, struct rq *rq);
void rt_period_expired(struct sched *s, struct rq *rq);
bool rt_throttling(const struct sched *s);
int rt_find_lowest_rq(const struct sched *s, const struct task *p, struct class_choice *c);
int rt_check(const struct sched *s, const struct rq *rq, struct err *err);

#endif
