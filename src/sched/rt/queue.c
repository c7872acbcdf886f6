// SPDX-License-Identifier: BSD-2-Clause
/*
 * queue.c - FIFO and RR on one CPU: a list a priority, and who preempts whom (spec 08 §2.1-2).
 *
 * The running task keeps its place in its list, so that a preempted one is still the first.
 */
#include "sched/rt/rt.h"
#include "sched/task.h"

static int first_prio(const struct rt_rq *rt)
{
	if (rt->bitmap[0])
		return __builtin_ctzll(rt->bitmap[0]);
	return rt->bitmap[1] ? 64 + __builtin_ctzll(rt->bitmap[1]) : RT_PRIO_NONE;
}

static void highest_changed(struct sched *s, struct rq *rq)
{
	int prio = first_prio(&rq->rt);

	if (prio == rq->rt.highest)
		return;
	rq->rt.highest = prio;
	cpupri_update(s, rq);
}

/* ---- tasks that may be pushed away ---- */

void rt_make_pushable(struct sched *s, struct rq *rq, struct task *p)
{
	struct list_head *at = rq->rt.pushable.prev;

	if (p->nr_allowed < 2 || !list_empty(&p->rt.pushable))
		return;
	while (at != &rq->rt.pushable && list_entry(at, struct task, rt.pushable)->prio > p->prio)
		at = at->prev;
	list_add(&p->rt.pushable, at);
	mask_set(s->rtd.rt_overloaded, rq->cpu);
}

void rt_not_pushable(struct sched *s, struct rq *rq, struct task *p)
{
	if (list_empty(&p->rt.pushable))
		return;
	list_del(&p->rt.pushable);
	if (list_empty(&rq->rt.pushable))
		mask_clear(s->rtd.rt_overloaded, rq->cpu);
}

/* ---- run time ---- */

void rt_update_curr(struct sched *s, struct rq *rq)
{
	struct task *p = rq->curr;
	u64 delta;

	if (!p || p->class_id != CLASS_RT)
		return;
	delta = account_exec(rq, p);
	if (delta)
		rt_account(s, rq, delta);
}

/* ---- in and out ---- */

static void list_in(struct rt_rq *rt, struct task *p, bool head)
{
	struct list_head *list = &rt->queue[p->prio];
	u64 *word = &rt->bitmap[p->prio / 64], bit = 1ULL << p->prio % 64;

	if (!(*word & bit)) {
		*word |= bit;
		list_init(list);
	}
	if (head)
		list_add(&p->rt.run_list, list);
	else
		list_add_tail(&p->rt.run_list, list);
}

static void list_out(struct rt_rq *rt, struct task *p)
{
	list_del(&p->rt.run_list);
	if (list_empty(&rt->queue[p->prio]))
		rt->bitmap[p->prio / 64] &= ~(1ULL << p->prio % 64);
}

static void rt_enqueue(struct sched *s, struct rq *rq, struct task *p, int flags)
{
	list_in(&rq->rt, p, flags & ENQUEUE_HEAD);
	rq->rt.nr_running++;
	highest_changed(s, rq);
	if (rq->curr != p)
		rt_make_pushable(s, rq, p);
	if (!rq->rt.throttled) {
		add_nr_running(s, rq, 1);
		add_above_fair(rq, 1);
	}
	rt_period_start(s, rq);
}

static void rt_dequeue(struct sched *s, struct rq *rq, struct task *p, int flags)
{
	rt_update_curr(s, rq);
	list_out(&rq->rt, p);
	rq->rt.nr_running--;
	highest_changed(s, rq);
	rt_not_pushable(s, rq, p);
	if (!rq->rt.throttled) {
		add_nr_running(s, rq, -1);
		add_above_fair(rq, -1);
	}
}

/* to the head or tail of its list, unless it is alone there */
static void requeue(struct rt_rq *rt, struct task *p, bool head)
{
	struct list_head *list = &rt->queue[p->prio];

	if (head)
		list_move(&p->rt.run_list, list);
	else
		list_move_tail(&p->rt.run_list, list);
}

/* ---- what runs ---- */

static struct task *rt_pick(struct sched *s, struct rq *rq)
{
	if (!rq->rt.nr_running || rq->rt.throttled)
		return NULL;
	return list_first_entry(&rq->rt.queue[rq->rt.highest], struct task, rt.run_list);
}

static const struct task *rt_peek(const struct rq *rq)
{
	if (!rq->rt.nr_running || rq->rt.throttled)
		return NULL;
	return list_first_entry(&rq->rt.queue[rq->rt.highest], struct task, rt.run_list);
}

static void rt_put_prev(struct sched *s, struct rq *rq, struct task *p)
{
	rt_update_curr(s, rq);
	if (p->on_rq)
		rt_make_pushable(s, rq, p);
}

static void rt_set_next(struct sched *s, struct rq *rq, struct task *p)
{
	p->se.exec_start = rq->clock_task;
	rt_not_pushable(s, rq, p);
	if (!list_empty(&rq->rt.pushable))
		rq->push_due = true;
}

static void rt_tick(struct sched *s, struct rq *rq, struct task *p)
{
	rt_update_curr(s, rq);
	if (p->policy != POLICY_RR || --p->rt.time_slice > 0)
		return;
	p->rt.time_slice = s->rtd.rr_timeslice;
	if (p->rt.run_list.prev == p->rt.run_list.next) /* alone */
		return;
	requeue(&rq->rt, p, false);
	resched_curr(s, rq, rq->cpu);
}

static void rt_yield(struct sched *s, struct rq *rq, struct task *p)
{
	rt_update_curr(s, rq);
	requeue(&rq->rt, p, false);
}

/* the running task could move and @p could not: @p first (spec 08 §2.2) */
static bool makes_room(const struct sched *s, const struct task *curr, const struct task *p)
{
	if (curr->nr_allowed < 2 || !cpupri_find(s, curr, NULL))
		return false;
	return p->nr_allowed < 2 || !cpupri_find(s, p, NULL);
}

static void rt_check_preempt(struct sched *s, struct rq *rq, struct task *p, int from)
{
	const struct task *curr = rq->curr;

	if (p->prio < curr->prio) {
		resched_curr(s, rq, from);
	} else if (p->prio == curr->prio && !rq->need_resched && makes_room(s, curr, p)) {
		requeue(&rq->rt, p, true);
		resched_curr(s, rq, from);
	}
}

/* ---- changes ---- */

static void rt_prio_changed(struct sched *s, struct rq *rq, struct task *p, int old_prio)
{
	if (rq->curr == p) {
		if (p->prio > old_prio)
			rt_pull(s, rq);
		if (p->prio > rq->rt.highest)
			resched_curr(s, rq, rq->cpu);
	} else if (!rq->stop_running && (!rq->curr || p->prio < rq->curr->prio)) {
		resched_curr(s, rq, rq->cpu);
	}
}

static void rt_set_allowed(struct sched *s, struct rq *rq, struct task *p, const u64 *allowed)
{
	rt_not_pushable(s, rq, p);
	task_set_allowed(s, p, allowed);
	if (p->on_rq && rq->curr != p)
		rt_make_pushable(s, rq, p);
}

/* ---- becoming a realtime task, and no longer being one ---- */

static void rt_switched_from(struct sched *s, struct rq *rq, struct task *p)
{
	if (p->on_rq && !rq->rt.nr_running)
		rt_pull(s, rq);
}

static void rt_switched_to(struct sched *s, struct rq *rq, struct task *p)
{
	if (!p->on_rq || rq->curr == p)
		return;
	if (p->nr_allowed > 1 && !list_empty(&rq->rt.pushable))
		rt_push(s, rq);
	if (p->cpu == rq->cpu && !(rq->stop_running) && (!rq->curr || p->prio < rq->curr->prio))
		resched_curr(s, rq, rq->cpu);
}

const struct sched_class rt_class = {
	.enqueue = rt_enqueue,
	.dequeue = rt_dequeue,
	.pick = rt_pick,
	.peek = rt_peek,
	.put_prev = rt_put_prev,
	.set_next = rt_set_next,
	.tick = rt_tick,
	.yield = rt_yield,
	.check_preempt = rt_check_preempt,
	.woken = rt_woken,
	.select = rt_select,
	.balance = rt_balance,
	.push = rt_push,
	.would_push = rt_would_push,
	.would_pull = rt_would_pull,
	.prio_changed = rt_prio_changed,
	.set_allowed = rt_set_allowed,
	.switched_from = rt_switched_from,
	.switched_to = rt_switched_to,
};
