// SPDX-License-Identifier: BSD-2-Clause
/*
 * moved.c - a queued task changes its CPU because somebody else decided so (forced.h).
 */
#include <errno.h>

#include "sched/balance/lb.h"
#include "sched/forced.h"

static const enum cpu_idle_type kind_of[] = {
	[MOVER_NEWIDLE] = CPU_NEWLY_IDLE,
	[MOVER_NOHZ] = CPU_IDLE,
};

/* the pass that moved it left this behind (spec 06 §2.4, §2.5, §11) */
static void account_pull(struct sched *s, u64 now, struct rq *dst, struct sched_domain *sd,
			 enum sched_mover mover)
{
	enum cpu_idle_type kind = kind_of[mover];

	if (mover == MOVER_PERIODIC)
		kind = idle_cpu(s, dst->cpu) ? CPU_IDLE : CPU_NOT_IDLE;
	s->nr_passes[kind]++;
	sd->lb[kind].count++;
	sd->lb[kind].gained++;
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
			 enum sched_mover mover)
{
	struct sched_domain *sd = domain_with(s, dst->cpu, src->cpu);

	if (!sd || mover == MOVER_STOPPER)
		return;
	if (mover == MOVER_PUSH)
		account_push(src, sd);
	else
		account_pull(s, now, dst, sd, mover);
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

int sched_move_task(struct sched *s, u64 now, int by, struct task *p, int dst,
		    enum sched_mover mover)
{
	struct rq *src = cpu_rq(s, p->cpu);
	int rc = may_move(s, p, dst);

	if (rc)
		return rc;
	update_rq_clock(s, src, now);
	account_move(s, now, src, cpu_rq(s, dst), mover);
	EXPLAIN(s, .now = now, .cpu = by, .p = p,
		.reason = mover == MOVER_STOPPER ? REASON_AFFINITY :
			  mover == MOVER_PUSH	 ? REASON_ACTIVE_PUSH :
						   REASON_BALANCE_PULL,
		.candidate = dst, .taken = true, .value = {src->cpu});
	if (mover == MOVER_STOPPER && p->se.sched_delayed) { /* asleep in all but name */
		deactivate_task(s, src, p, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
		set_task_cpu(s, p, dst);
		return 0;
	}
	detach_task(s, p, dst);
	attach_task(s, now, p, by);
	return 0;
}
