// SPDX-License-Identifier: BSD-2-Clause
/*
 * queue.c - deadline tasks on one CPU: the tree by deadline, who preempts whom (spec 08 §4.1).
 *
 * The running task stays in the tree. A throttled one is on its run queue for everybody else
 * (task.on_rq), but neither in the tree nor in nr_running until it gets a new budget.
 */
#include "sched/dl/dl.h"
#include "sched/task.h"

/* ---- the trees ---- */

static void dl_changed(struct sched *s, struct rq *rq)
{
	mask_assign(s->rtd.dl_free, rq->cpu, !rq->dl.nr_running);
	cpupri_update(s, rq);
}

void dl_entity_in(struct sched *s, struct rq *rq, struct sched_dl_entity *se)
{
	struct rb_node **link = &rq->dl.root.root, *parent = NULL;

	while (*link) {
		parent = *link;
		link = dl_before(se->deadline,
				 container_of(parent, struct sched_dl_entity, node)->deadline) ?
			       &parent->left :
			       &parent->right;
	}
	rb_insert(&rq->dl.root, &se->node, parent, link, NULL);
	se->queued = true;
	rq->dl.nr_running++;
	add_above_fair(rq, 1);
	if (!se->is_server)
		add_nr_running(s, rq, 1);
	dl_changed(s, rq);
	rq_update_idle(s, rq);
}

void dl_entity_out(struct sched *s, struct rq *rq, struct sched_dl_entity *se)
{
	if (!se->queued)
		return;
	rb_erase(&rq->dl.root, &se->node, NULL);
	se->queued = false;
	rq->dl.nr_running--;
	add_above_fair(rq, -1);
	if (!se->is_server)
		add_nr_running(s, rq, -1);
	dl_changed(s, rq);
	rq_update_idle(s, rq);
}

void dl_make_pushable(struct sched *s, struct rq *rq, struct task *p)
{
	struct rb_node **link = &rq->dl.pushable.root, *parent = NULL;

	if (p->nr_allowed < 2 || p->dl.pushable || !p->dl.queued)
		return;
	while (*link) {
		parent = *link;
		link = dl_before(p->dl.deadline,
				 container_of(parent, struct task, dl.push_node)->dl.deadline) ?
			       &parent->left :
			       &parent->right;
	}
	rb_insert(&rq->dl.pushable, &p->dl.push_node, parent, link, NULL);
	p->dl.pushable = true;
	mask_set(s->rtd.dl_overloaded, rq->cpu);
}

void dl_not_pushable(struct sched *s, struct rq *rq, struct task *p)
{
	if (!p->dl.pushable)
		return;
	rb_erase(&rq->dl.pushable, &p->dl.push_node, NULL);
	p->dl.pushable = false;
	if (!rb_first(&rq->dl.pushable))
		mask_clear(s->rtd.dl_overloaded, rq->cpu);
}

/* ---- in and out ---- */

/* the job that ends now, and what its deadline was when it was released */
static void account_job(struct rq *rq, struct sched_dl_entity *se)
{
	struct sched_dl_stats *st = &se->stats;
	s64 late = (s64)(rq->clock - se->job_deadline);

	if (!se->job_deadline)
		return;
	st->jobs++;
	if (late > 0) {
		st->missed++;
		st->sum_tardiness += late;
		st->max_tardiness = max(st->max_tardiness, (u64)late);
	}
	se->job_deadline = 0;
}

static void dl_enqueue(struct sched *s, struct rq *rq, struct task *p, int flags)
{
	struct sched_dl_entity *se = &p->dl;

	if (!se->throttled && dl_throttle_constrained(s, rq, se))
		se->throttled = true;
	if (flags & ENQUEUE_WAKEUP) {
		dl_contending(s, rq, p);
		se->job_deadline = rq->clock + se->dl_deadline;
	} else {
		dl_count(s, rq, p, true);
	}
	if (se->throttled)
		return;
	if (flags & ENQUEUE_WAKEUP)
		dl_wakeup_rule(rq, se);
	else if (flags & ENQUEUE_RESTORE && dl_before(se->deadline, rq->clock))
		dl_new_period(rq, se);
	if (!se->job_deadline)
		se->job_deadline = se->deadline;
	dl_entity_in(s, rq, se);
	if (rq->curr != p)
		dl_make_pushable(s, rq, p);
}

static void dl_dequeue(struct sched *s, struct rq *rq, struct task *p, int flags)
{
	dl_update_curr(s, rq);
	dl_entity_out(s, rq, &p->dl);
	dl_not_pushable(s, rq, p);
	if (flags & DEQUEUE_SLEEP) {
		account_job(rq, &p->dl);
		dl_non_contending(s, rq, p);
	} else {
		dl_uncount(s, p);
	}
}

/* ---- what runs ---- */

static struct task *dl_pick(struct sched *s, struct rq *rq)
{
	struct sched_dl_entity *se = dl_first(rq);
	struct task *p;

	while (se && se->is_server) {
		p = server_pick(s, rq);
		if (p)
			return p;
		se = dl_first(rq); /* the server found nobody to serve, and left */
	}
	return se ? dl_task_of(se) : NULL;
}

static const struct task *dl_peek(const struct rq *rq)
{
	const struct sched_dl_entity *se = dl_first(rq);
	struct rb_node *next;

	if (!se || !se->is_server)
		return se ? dl_task_of(se) : NULL;
	next = rb_next(&se->node); /* the server has nobody to serve */
	return next ? container_of(next, struct task, dl.node) : NULL;
}

static void dl_put_prev(struct sched *s, struct rq *rq, struct task *p)
{
	dl_update_curr(s, rq);
	if (p->on_rq)
		dl_make_pushable(s, rq, p);
}

static void dl_set_next(struct sched *s, struct rq *rq, struct task *p)
{
	p->se.exec_start = rq->clock_task;
	dl_not_pushable(s, rq, p);
	if (rb_first(&rq->dl.pushable) || !list_empty(&rq->rt.pushable))
		rq->push_due = true;
	dl_arm_hrtick(s, rq, p);
}

static void dl_tick(struct sched *s, struct rq *rq, struct task *p)
{
	dl_update_curr(s, rq);
	if (p->dl.queued && dl_first(rq) == &p->dl)
		dl_arm_hrtick(s, rq, p);
}

/* the job is over: what is left of its budget is given up */
static void dl_yield(struct sched *s, struct rq *rq, struct task *p)
{
	account_job(rq, &p->dl);
	p->dl.yielded = true;
	dl_update_curr(s, rq);
}

/* equal deadlines: the running one could move and @p could not */
static bool makes_room(const struct sched *s, const struct task *curr, const struct task *p)
{
	if (curr->nr_allowed < 2 || !dl_find_later(s, curr, s->rtd.mask))
		return false;
	return p->nr_allowed < 2 || !dl_find_later(s, p, s->rtd.mask);
}

void dl_check_preempt(struct sched *s, struct rq *rq, struct task *p, int from)
{
	const struct task *curr = rq->curr;

	if (dl_before(p->dl.deadline, curr->dl.deadline))
		resched_curr(s, rq, from);
	else if (p->dl.deadline == curr->dl.deadline && !rq->need_resched &&
		 makes_room(s, curr, p))
		resched_curr(s, rq, from);
}

/* ---- changes ---- */

/* other parameters: a later deadline gives way, an earlier one may come first */
static void dl_prio_changed(struct sched *s, struct rq *rq, struct task *p, int old_prio)
{
	if (rq->curr == p) {
		dl_pull(s, rq);
		if (dl_first(rq) != &p->dl)
			resched_curr(s, rq, rq->cpu);
	} else if (p->dl.queued && !rq->stop_running &&
		   (!is_dl(rq->curr) || dl_before(p->dl.deadline, rq->curr->dl.deadline))) {
		resched_curr(s, rq, rq->cpu);
	}
}

static void dl_set_allowed(struct sched *s, struct rq *rq, struct task *p, const u64 *allowed)
{
	dl_not_pushable(s, rq, p);
	task_set_allowed(s, p, allowed);
	if (p->on_rq && rq->curr != p)
		dl_make_pushable(s, rq, p);
}

static void dl_switched_from(struct sched *s, struct rq *rq, struct task *p)
{
	class_timer_cancel(s, &p->dl.timer);
	p->dl.throttled = p->dl.yielded = false;
	p->dl.job_deadline = 0;
	dl_uncount(s, p);
	if (p->dl.non_contending)
		p->dl.non_contending = false; /* its timer goes on: total_bw waits for it */
	else
		dl_non_contending(s, rq, p);
	if (p->on_rq && !rq->dl.nr_running)
		dl_pull(s, rq);
}

static void dl_switched_to(struct sched *s, struct rq *rq, struct task *p)
{
	if (!p->on_rq) {
		dl_count(s, rq, p, false);
		return;
	}
	if (rq->curr == p)
		return;
	if (rb_first(&rq->dl.pushable))
		dl_push(s, rq);
	if (p->cpu != rq->cpu || rq->stop_running || !p->dl.queued)
		return;
	if (is_dl(rq->curr))
		dl_check_preempt(s, rq, p, rq->cpu);
	else
		resched_curr(s, rq, rq->cpu);
}

const struct sched_class dl_class = {
	.enqueue = dl_enqueue,
	.dequeue = dl_dequeue,
	.pick = dl_pick,
	.peek = dl_peek,
	.put_prev = dl_put_prev,
	.set_next = dl_set_next,
	.tick = dl_tick,
	.yield = dl_yield,
	.check_preempt = dl_check_preempt,
	.woken = dl_woken,
	.select = dl_select,
	.balance = dl_balance,
	.push = dl_push,
	.would_push = dl_would_push,
	.would_pull = dl_would_pull,
	.prio_changed = dl_prio_changed,
	.set_allowed = dl_set_allowed,
	.switched_from = dl_switched_from,
	.switched_to = dl_switched_to,
};
