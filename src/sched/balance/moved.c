// SPDX-License-Identifier: BSD-2-Clause
/*
 * moved.c - a queued task changes its CPU because somebody else decided so (forced.h).
 */
#include <errno.h>

#include "sched/balance/lb.h"
#include "sched/class.h"
#include "sched/forced.h"

static const enum cpu_idle_type kind_of[] = {
	[MOVER_NEWIDLE] = CPU_NEWLY_IDLE,
	[MOVER_NOHZ] = CPU_IDLE,
};

/* the pass that moved them left this behind (spec 06 §2.4, §2.5, §11) */
static void account_pull(struct sched *s, u64 now, struct rq *dst, struct sched_domain *sd,
			 enum sched_mover mover, bool first)
{
	enum cpu_idle_type kind = kind_of[mover];

	if (mover == MOVER_PERIODIC)
		kind = idle_cpu(s, dst->cpu) ? CPU_IDLE : CPU_NOT_IDLE;
	sd->lb[kind].gained++;
	if (!first)
		return;
	s->nr_passes[kind]++;
	sd->lb[kind].count++;
	sd->nr_balance_failed = 0;
	sd->balance_interval = sd->min_interval;
	if (mover == MOVER_NEWIDLE) {
		newidle_count(s, now, sd, newidle_success_weight(s, sd));
		dst->idle_stamp = 0;
	} else {
		sd->last_balance = jiffy_of(s, now);
	}
}

static void account_push(struct rq *src, struct sched_domain *sd)
{
	src->active_balance = false;
	sd->alb_count++;
	sd->alb_pushed++;
	sd->lb[CPU_IDLE].gained++;
	sd->nr_balance_failed = 0;
}

static void account_move(struct sched *s, u64 now, struct rq *src, struct rq *dst,
			 enum sched_mover mover, bool first)
{
	struct sched_domain *sd = domain_with(s, dst->cpu, src->cpu);

	if (!sd || mover == MOVER_STOPPER || mover == MOVER_CLASS)
		return;
	if (mover == MOVER_PUSH)
		account_push(src, sd);
	else
		account_pull(s, now, dst, sd, mover, first);
}

/* a class that spreads what it pushes goes on from there the next time */
static void account_class_push(const struct sched *s, struct rq *src, const struct task *p, int dst)
{
	struct class_move m;

	if (!task_is_fair(p) && class_of(p)->would_push(s, src, &m) && m.distributed)
		src->distribute_cursor = dst;
}

static int may_move(const struct sched *s, const struct task *p, int dst)
{
	if (!p->on_rq || p->migrating)
		return -ENOENT;
	if (p->on_cpu)
		return -EBUSY;
	if (!task_allowed(p, dst))
		return -EPERM;
	return p->cpu == dst || !cpu_rq(s, dst)->online ? -EINVAL : 0;
}

static int reason_of(enum sched_mover mover)
{
	switch (mover) {
	case MOVER_STOPPER:
		return REASON_AFFINITY;
	case MOVER_CLASS:
		return REASON_RT_PUSH;
	case MOVER_PUSH:
		return REASON_ACTIVE_PUSH;
	default:
		return REASON_BALANCE_PULL;
	}
}

/* Return: whether it is to be attached */
static bool detach_given(struct sched *s, u64 now, int by, const struct forced_move *m,
			 enum sched_mover mover, bool first)
{
	struct task *p = m->p;
	struct rq *src = cpu_rq(s, p->cpu);

	update_rq_clock(s, src, now);
	account_move(s, now, src, cpu_rq(s, m->dst), mover, first);
	if (mover == MOVER_CLASS && by != m->dst)
		account_class_push(s, src, p, m->dst);
	EXPLAIN(s, .now = now, .cpu = by, .p = p, .step = STEP_PULL, .reason = reason_of(mover),
		.candidate = m->dst, .taken = true, .final = true, .value = {src->cpu});
	if (mover == MOVER_STOPPER && p->se.sched_delayed) { /* asleep in all but name */
		deactivate_task(s, src, p, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
		set_task_cpu(s, p, m->dst);
		return false;
	}
	detach_task(s, p, m->dst);
	return true;
}

int sched_move_tasks(struct sched *s, u64 now, int by, struct forced_move *moves, int nr,
		     enum sched_mover mover)
{
	struct list_head held;
	int moved = 0;

	list_init(&held);
	for (int i = 0; i < nr; i++) {
		struct forced_move *m = &moves[i];

		if (m->done)
			continue;
		m->error = may_move(s, m->p, m->dst);
		m->done = !m->error;
		if (m->error)
			continue;
		/* attached last taken first (spec 06 §8) */
		if (detach_given(s, now, by, m, mover, !moved))
			list_add(&m->p->list_node, &held);
		moved++;
	}
	while (!list_empty(&held)) {
		struct task *p = list_first_entry(&held, struct task, list_node);

		list_del(&p->list_node);
		attach_task(s, now, p, by);
	}
	return moved;
}

int sched_move_task(struct sched *s, u64 now, int by, struct task *p, int dst,
		    enum sched_mover mover)
{
	struct forced_move m = {.p = p, .dst = dst};

	sched_move_tasks(s, now, by, &m, 1, mover);
	return m.error;
}
