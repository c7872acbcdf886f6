/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pick.c - who runs next, and the change from one task to the other.
 */
#include "sched/fair/fair.h"

static inline struct sched_entity *pick_next_entity(struct sched *s, struct cfs_rq *cfs_rq)
{
	struct sched_entity *curr = cfs_rq->vcurr;
	struct eevdf_view view;

	if (is_cfs(s))
		return cfs_pick(s, cfs_rq, curr ? curr->vruntime : 0);
	if (cfs_rq->nr_tree == 1)
		return curr && curr->on_rq ? curr : first_entity(cfs_rq);
	eevdf_view_of(cfs_rq, &view);
	if (cfs_rq->next && feat(s, FEAT_NEXT_BUDDY) && eevdf_view_eligible(&view, cfs_rq->next))
		return cfs_rq->next;
	return eevdf_pick(s, &view, true);
}

/**
 * fair_pick_task() - the task that is to run next; NULL: none is runnable
 *
 * The running task, if it is still queued, takes part: call this before it is
 * put back. Delayed entities that are met leave the queue (spec 02 §5.10).
 */
struct task *fair_pick_task(struct sched *s, struct rq *rq)
{
	struct cfs_rq *cfs_rq;
	struct sched_entity *se;

again:
	cfs_rq = &rq->cfs;
	if (!cfs_rq->nr_queued)
		return NULL;
	do {
		if (cfs_rq->vcurr && cfs_rq->vcurr->on_rq)
			update_curr(s, cfs_rq);
		if (unlikely(cfs_rq->limited) && check_cfs_rq_runtime(s, cfs_rq))
			goto again;
		se = pick_next_entity(s, cfs_rq);
		if (unlikely(se->sched_delayed)) {
			dequeue_delayed(s, rq, se);
			goto again;
		}
		if (is_cfs(s))
			clear_buddies(s, cfs_rq, se);
		cfs_rq = se->my_q;
	} while (cfs_rq);
	hrtick_repick(s, rq, task_of(se));
	return task_of(se);
}

/**
 * fair_pick_forced() - all that fair_pick_task() does, but @next is chosen
 * @next: queued on @rq and not delayed; NULL: no fair task is runnable
 *
 * Delayed entities leave that this queue's own choice would have met.
 */
void fair_pick_forced(struct sched *s, struct rq *rq, struct task *next)
{
	struct sched_entity *se = NULL;
	struct cfs_rq *cfs_rq;

again:
	cfs_rq = &rq->cfs;
	while (cfs_rq && cfs_rq->nr_queued) {
		if (cfs_rq->vcurr && cfs_rq->vcurr->on_rq)
			update_curr(s, cfs_rq);
		if (unlikely(cfs_rq->limited) && check_cfs_rq_runtime(s, cfs_rq))
			goto again;
		se = pick_next_entity(s, cfs_rq);
		if (se->sched_delayed) {
			dequeue_delayed(s, rq, se);
			goto again;
		}
		cfs_rq = se->my_q;
	}
	if (!next)
		return;
	if (!is_cfs(s) && se && se != &next->se &&
	    tree_of(s, se) == tree_of(s, &next->se))
		eevdf_learn_pick(s, tree_of(s, se), &next->se);
	se = &next->se;
	if (is_cfs(s))
		for_each_sched_entity(se)
			clear_buddies(s, se->cfs_rq, se);
	hrtick_repick(s, rq, next);
}

/* may @p run on a CPU bigger than @rq's? */
static bool bigger_allowed(const struct sched *s, const struct rq *rq, const struct task *p)
{
	if (rq->cpu_capacity_orig >= s->max_capacity || p->nr_allowed == 1)
		return false;
	if (p->allowed_all)
		return true;
	for (int w = 0; w < s->words; w++)
		for (u64 m = p->allowed[w]; m; m &= m - 1)
			if (cpu_rq(s, w * 64 + __builtin_ctzll(m))->cpu_capacity_orig >
			    rq->cpu_capacity_orig)
				return true;
	return false;
}

/**
 * fair_note_misfit() - is the running task too big for its CPU? (spec 06 §4, the fit of §8)
 * @p: it runs from now on, or at a tick; NULL: nothing is left to run
 */
void fair_note_misfit(struct sched *s, struct rq *rq, struct task *p)
{
	unsigned long load = 0;

	if (p && task_fits_cpu(s, p, rq->cpu) <= 0 && bigger_allowed(s, rq, p))
		load = max(task_h_load(s, p), 1ul);
	if (load == rq->misfit_task_load)
		return;
	rq->misfit_task_load = load;
	rq_load_changed(rq);
}

static void task_put(struct sched *s, struct rq *rq, struct task *p)
{
	rq->hrtick_armed = false;
}

static void task_set(struct sched *s, struct rq *rq, struct task *p)
{
	hrtick_start(s, rq, p);
}

/* @p stops running; if it is still queued it goes back into the tree */
void fair_put_prev_task(struct sched *s, struct rq *rq, struct task *p)
{
	struct sched_entity *se = &p->se;

	if (is_flat(s))
		flat_put_prev_task(s, rq, p);
	else
		for_each_sched_entity(se)
			put_prev_entity(s, se->cfs_rq, se);
	task_put(s, rq, p);
}

/* @p starts running, on every level */
void fair_set_next_task(struct sched *s, struct rq *rq, struct task *p)
{
	struct sched_entity *se = &p->se;

	if (is_flat(s))
		flat_set_next_task(s, rq, p);
	else
		for_each_sched_entity(se)
			set_next_entity(s, se->cfs_rq, se);
	task_set(s, rq, p);
}

/**
 * fair_put_prev_set_next() - change from one fair task to another
 * @prev, @next: NULL: none of this class
 *
 * Groups that both belong to go on running, with their slice and protection.
 */
void fair_put_prev_set_next(struct sched *s, struct rq *rq, struct task *prev, struct task *next)
{
	struct sched_entity *pse, *se;

	if (prev == next)
		return;
	if (likely(!is_flat(s) && !(prev && prev->se.parent) && !(next && next->se.parent))) {
		if (prev) {
			put_prev_entity(s, &rq->cfs, &prev->se);
			task_put(s, rq, prev);
		}
		if (next) {
			set_next_entity(s, &rq->cfs, &next->se);
			task_set(s, rq, next);
		}
		return;
	}
	if (is_flat(s) || !prev || !next) {
		if (prev)
			fair_put_prev_task(s, rq, prev);
		if (next)
			fair_set_next_task(s, rq, next);
		return;
	}
	pse = &prev->se;
	se = &next->se;
	while (se->cfs_rq != pse->cfs_rq) {
		int depth = se->depth, pdepth = pse->depth;

		if (depth <= pdepth) {
			put_prev_entity(s, pse->cfs_rq, pse);
			pse = pse->parent;
		}
		if (depth >= pdepth) {
			set_next_entity(s, se->cfs_rq, se);
			se = se->parent;
		}
	}
	put_prev_entity(s, pse->cfs_rq, pse);
	set_next_entity(s, se->cfs_rq, se);
	task_put(s, rq, prev);
	task_set(s, rq, next);
}
