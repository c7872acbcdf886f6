/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * enqueue.c - a task enters or leaves the hierarchy of queues.
 *
 * From the task upwards, levels are entered until one was queued already, and
 * left until one keeps something; above that, counts, averages and shares follow.
 */
#include "sched/fair/fair.h"

void refresh_entity(struct sched *s, struct sched_entity *se)
{
	update_load_avg(s, se->cfs_rq, se, UPDATE_TG);
	update_runnable_weight(s, se);
	update_cfs_group(s, se);
}

void count_runnable(const struct sched *s, struct task *p, int runnable)
{
	struct sched_entity *se = &p->se;

	rq_load_changed(se->cfs_rq->rq);
	for_each_sched_entity(se) {
		se->cfs_rq->h_nr_runnable += runnable;
		if (unlikely(se->cfs_rq->parked))
			return;
		if (se->parent)
			update_runnable_weight(s, se->parent);
	}
}

/* a group entity's slice is the shortest below it (6.12+, spec 02 §5.3) */
static inline void inherit_slice(const struct sched *s, struct sched_entity *se, u64 slice)
{
	if (s->k.rules.custom_slice && se->my_q && slice != UINT64_MAX) {
		se->slice = slice;
		se->custom_slice = true;
	}
}

/* the same for one that is queued: the tree must hear of it */
static inline void refresh_slice(const struct sched *s, struct sched_entity *se, u64 slice)
{
	if (!s->k.rules.custom_slice || se->slice == slice || slice == UINT64_MAX)
		return;
	inherit_slice(s, se, slice);
	if (se->on_rq && se->cfs_rq->vcurr != se)
		eevdf_slice_changed(se);
}

/* a task of the root group, on the one level it has: as enqueue_levels() */
static inline void enqueue_top(struct sched *s, struct cfs_rq *cfs_rq, struct task *p, int flags)
{
	int runnable = !p->se.sched_delayed, idle = p->se.counted_idle;

	enqueue_entity(s, cfs_rq, &p->se, flags);
	count_tasks(cfs_rq, 1, runnable, idle);
}

static void enqueue_levels(struct sched *s, struct task *p, int flags)
{
	struct sched_entity *se = &p->se;
	int runnable = !se->sched_delayed, idle = se->counted_idle;
	u64 slice = UINT64_MAX;

	for_each_sched_entity(se) {
		struct cfs_rq *cfs_rq = se->cfs_rq;

		if (se->on_rq) {
			if (se->sched_delayed)
				requeue_delayed_entity(s, se);
			break;
		}
		inherit_slice(s, se, slice);
		enqueue_entity(s, cfs_rq, se, flags);
		count_tasks(cfs_rq, 1, runnable, idle);
		if (!se->parent)
			return;
		if (!is_cfs(s))
			slice = queue_min_slice(cfs_rq);
		if (cfs_rq->tg->idle)
			idle = 1;
		if (unlikely(cfs_rq->parked))
			return;
		flags = ENQUEUE_WAKEUP;
	}
	for_each_sched_entity(se) {
		struct cfs_rq *cfs_rq = se->cfs_rq;

		refresh_entity(s, se);
		if (!is_cfs(s)) {
			refresh_slice(s, se, slice);
			slice = queue_min_slice(cfs_rq);
		}
		count_tasks(cfs_rq, 1, runnable, idle);
		if (cfs_rq->tg->idle)
			idle = 1;
		if (unlikely(cfs_rq->parked))
			return;
	}
}

/**
 * fair_enqueue_task() - @p becomes runnable on @rq
 * @flags: ENQUEUE_WAKEUP: it slept; ENQUEUE_INITIAL: it is new; ENQUEUE_DELAYED: it never left
 */
void fair_enqueue_task(struct sched *s, struct rq *rq, struct task *p, int flags)
{
	struct sched_entity *se = &p->se;

	if (flags & ENQUEUE_DELAYED) {
		if (!se->sched_delayed)
			return;
		util_est_enqueue(s, &rq->cfs, p);
		if (is_flat(s))
			flat_requeue_delayed(s, rq, p);
		else
			requeue_delayed_entity(s, se);
		count_runnable(s, p, 1);
		return;
	}
	if (unlikely(p->throttled) && enqueue_throttled_task(s, rq, p, flags))
		return;
	/* a delayed task that changes its CPU isn't expected to use it */
	if (!se->sched_delayed)
		util_est_enqueue(s, &rq->cfs, p);
	se->counted_idle = p->policy == POLICY_IDLE;
	if (is_flat(s))
		flat_enqueue_task(s, rq, p, flags);
	else if (likely(!se->parent))
		enqueue_top(s, &rq->cfs, p, flags);
	else
		enqueue_levels(s, p, flags);
	list_add(&p->rq_node, &rq->cfs_tasks);
	if (likely(!se->parent) || !parked_above(se))
		add_nr_running(s, rq, 1);
	hrtick_update(s, rq);
}

/* the buddy of every level up to the root (spec 02 §4.9, §5.14) */
void set_next_buddy(struct sched_entity *se)
{
	for_each_sched_entity(se) {
		if (!se->on_rq || se_is_idle(se))
			return;
		se->cfs_rq->next = se;
	}
}

/* a task of the root group, on the one level it has: as dequeue_levels() */
static inline bool dequeue_top(struct sched *s, struct cfs_rq *cfs_rq, struct task *p, int flags)
{
	int runnable = p->se.sched_delayed ? 0 : -1, idle = p->se.counted_idle;

	if (!dequeue_entity(s, cfs_rq, &p->se, flags))
		return false;
	count_tasks(cfs_rq, -1, runnable, -idle);
	return true;
}

/*
 * @p: NULL if a group entity leaves, whose queue is empty already.
 * Return: false if the task itself stays, delayed.
 */
static bool dequeue_levels(struct sched *s, struct sched_entity *se, int flags, struct task *p)
{
	int nr = p ? -1 : 0, idle = p ? -(int)se->counted_idle : 0;
	int runnable = p && !se->sched_delayed ? -1 : 0;
	bool sleep = p && (flags & DEQUEUE_SLEEP);
	u64 slice = UINT64_MAX;

	for_each_sched_entity(se) {
		struct cfs_rq *cfs_rq = se->cfs_rq;

		if (!dequeue_entity(s, cfs_rq, se, flags)) {
			if (p && se == &p->se)
				return false;
			break;
		}
		count_tasks(cfs_rq, nr, runnable, idle);
		if (!se->parent)
			return true;
		if (cfs_rq->tg->idle)
			idle = nr;
		if (unlikely(cfs_rq->parked))
			return true;
		/* a level that keeps something stays queued above */
		if (cfs_rq->load.weight) {
			if (!is_cfs(s))
				slice = queue_min_slice(cfs_rq);
			se = se->parent;
			if (sleep && !cfs_rq->throttle_count)
				set_next_buddy(se);
			break;
		}
		flags |= DEQUEUE_SLEEP;
		flags &= ~(DEQUEUE_DELAYED | DEQUEUE_SPECIAL);
	}
	for_each_sched_entity(se) {
		struct cfs_rq *cfs_rq = se->cfs_rq;

		refresh_entity(s, se);
		if (!is_cfs(s)) {
			refresh_slice(s, se, slice);
			slice = queue_min_slice(cfs_rq);
		}
		count_tasks(cfs_rq, nr, runnable, idle);
		if (cfs_rq->tg->idle)
			idle = nr;
		if (unlikely(cfs_rq->parked))
			return true;
	}
	return true;
}

/**
 * fair_dequeue_task() - @p leaves @rq
 * @flags: DEQUEUE_SLEEP: it blocks; DEQUEUE_SAVE: it comes back at once, changed; neither: it
 *	goes to another CPU. DEQUEUE_DELAYED: a delayed task really leaves.
 *
 * Return: false if it blocks but stays queued, delayed (spec 02 §5.10).
 */
bool fair_dequeue_task(struct sched *s, struct rq *rq, struct task *p, int flags)
{
	bool was_delayed = p->se.sched_delayed, left;

	if (unlikely(p->throttled))
		return dequeue_throttled_task(s, p, flags);
	if (!was_delayed)
		util_est_dequeue(s, &rq->cfs, p);
	if (is_flat(s))
		left = flat_dequeue_task(s, rq, p, flags);
	else if (likely(!p->se.parent))
		left = dequeue_top(s, &rq->cfs, p, flags);
	else
		left = dequeue_levels(s, &p->se, flags, p);
	if ((flags & DEQUEUE_SLEEP) && !was_delayed)
		util_est_update(s, rq, p);
	if (!left) {
		count_runnable(s, p, -1);
		return false;
	}
	list_del(&p->rq_node);
	if (likely(!p->se.parent) || !parked_above(&p->se))
		add_nr_running(s, rq, -1);
	if (flags & DEQUEUE_DELAYED)
		p->on_rq = false;
	return true;
}

void dequeue_delayed(struct sched *s, struct rq *rq, struct sched_entity *se)
{
	if (entity_is_task(se))
		fair_dequeue_task(s, rq, task_of(se), DEQUEUE_SLEEP | DEQUEUE_DELAYED);
	else
		dequeue_levels(s, se, DEQUEUE_SLEEP | DEQUEUE_DELAYED, NULL);
}

/**
 * fair_delay_task() - @p, just queued though it sleeps, is a delayed one
 */
void fair_delay_task(struct sched *s, struct rq *rq, struct task *p)
{
	struct sched_entity *se = &p->se;

	util_est_dequeue(s, &rq->cfs, p);
	for_each_sched_entity(se)
		update_load_avg(s, se->cfs_rq, se, UPDATE_TG);
	p->se.sched_delayed = true;
	count_runnable(s, p, -1);
}
