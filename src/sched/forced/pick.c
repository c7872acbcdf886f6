// SPDX-License-Identifier: BSD-2-Clause
/*
 * pick.c - a pick asked for, and one that somebody else made (forced.h).
 */
#include <assert.h>
#include <errno.h>

#include "sched/class.h"
#include "sched/fair/fair.h"
#include "sched/forced.h"

/* tasks that could run next; delayed ones are asleep */
static int nr_runnable(const struct rq *rq)
{
	return rq->nr_running - rq->stop_running -
	       (rq->cfs.h_nr_queued - rq->cfs.h_nr_runnable);
}

void sched_pick_decide(const struct sched *s, u64 now, int cpu, struct pick_decision *d)
{
	const struct rq *rq = cpu_rq(s, cpu);
	u64 clock_task = rq->clock_task + (now > rq->clock ? now - rq->clock : 0);

	*d = (struct pick_decision){.nr_runnable = nr_runnable(rq)};
	if (rq->stop_running)
		return;
	if (unlikely(rq->nr_above_fair)) {
		d->next = peek_above_fair(rq);
		d->reason = REASON_PICK_CLASS;
	}
	if (!d->next)
		d->next = fair_pick_why(s, rq, clock_task, &d->reason);
}

static int may_pick(const struct rq *rq, const struct task *next)
{
	if (!next)
		return nr_runnable(rq) ? -EBUSY : 0;
	if (!next->on_rq || next->cpu != rq->cpu)
		return -ENOENT;
	return next->se.sched_delayed ? -EAGAIN : 0;
}

/* account what ran, dequeue whom the choice meets */
static void pick_on_the_way(struct sched *s, struct rq *rq, struct task *next)
{
	int nr = rq->nr_running;

	rq->need_resched = true; /* what accounting asks for in here is being done already */
	/* fair tasks are asked only where no class above has one */
	if (rq->cfs.nr_queued && (!next || task_is_fair(next)))
		fair_pick_forced(s, rq, next);
	if (unlikely(rq->dl.server.queued && !rq->cfs.nr_queued))
		server_stop(s, rq);
	if (rq->nr_running != nr)
		rq_update_idle(s, rq);
	if (!next || task_is_fair(next))
		update_misfit_status(s, rq, next);
}

int sched_pick_commit(struct sched *s, u64 now, int cpu, struct task *next)
{
	struct rq *rq = cpu_rq(s, cpu);
	int rc = may_pick(rq, next);

	if (rc)
		return rc;
	assert(!rq->stop_running);
	update_rq_clock(s, rq, now);
	pick_on_the_way(s, rq, next);
	set_picked(s, rq, next);
	return 0;
}

int sched_pick_empty(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);
	bool resched = rq->need_resched;
	int rc = may_pick(rq, NULL);

	if (rc)
		return rc;
	assert(!rq->stop_running);
	update_rq_clock(s, rq, now);
	pick_on_the_way(s, rq, NULL);
	rq->need_resched = resched;
	if (rq->ttwu_pending)
		return 1;
	rq->idle_stamp = rq->clock; /* spec 06 §11.1; a pull clears it */
	return 0;
}

void sched_account(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);
	struct sched_entity *se;

	if (!rq->curr || !rq->curr->on_rq || !task_is_fair(rq->curr))
		return;
	update_rq_clock(s, rq, now);
	if (is_flat(s)) {
		update_curr(s, &rq->cfs);
		return;
	}
	se = &rq->curr->se;
	for_each_sched_entity(se)
		update_curr(s, se->cfs_rq);
}
