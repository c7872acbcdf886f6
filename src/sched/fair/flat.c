/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flat.c - one EEVDF tree per CPU that holds only tasks (spec 16 §3, §7).
 *
 * Levels keep counts, loads, averages and shares as ever. What a task is worth
 * in the root queue's tree is its effective weight: its part of its queue's
 * load, of its group's part above, and so on. It is computed when the task is
 * queued, when it is picked and, while it runs, at every tick.
 */
#include "sched/fair/fair.h"

/* H := H · @weight / @load, at least 2 */
static inline u64 weigh(u64 h, u64 weight, u64 load)
{
	u64 product;

	if (unlikely(__builtin_mul_overflow(h, weight, &product)))
		return max((u64)((u128)h * weight / load), (u64)2);
	return max(product / load, (u64)2);
}

u64 flat_effective_weight(const struct sched_entity *se)
{
	u64 h = NICE_0_LOAD;

	if (!se->parent)
		return se->load.weight;
	for_each_sched_entity(se)
		h = weigh(h, se->load.weight,
			  se->parent ? max(se->cfs_rq->load.weight, (u64)1) : NICE_0_LOAD);
	return h;
}

static struct load_weight effective_load(const struct sched_entity *se)
{
	struct load_weight lw = { .weight = flat_effective_weight(se) };

	if (lw.weight == se->load.weight)
		lw.inv_weight = se->load.inv_weight;
	return lw;
}

static inline void set_effective(struct sched_entity *se, struct load_weight lw)
{
	se->vload = lw;
	se->key_weight = lw.weight;
}

/**
 * flat_update_weight() - a queued task's effective weight, as its hierarchy is now
 *
 * Lag, deadline distance and remaining protection keep their real time.
 */
void flat_update_weight(struct sched *s, struct rq *rq, struct task *p)
{
	struct sched_entity *se = &p->se;
	struct cfs_rq *root = &rq->cfs;
	struct load_weight lw = effective_load(se);
	u64 old = se->vload.weight, avg;
	bool in_tree = root->vcurr != se;

	if (likely(lw.weight == old)) {
		se->vload = lw;
		return;
	}
	avg = avg_vruntime(root);
	eevdf_update_lag(s, root, se);
	if (in_tree)
		eevdf_remove(root, se);
	/* what is beyond the limit is forfeited: the entity stands where its lag says */
	se->deadline -= se->vruntime - (avg - se->vlag);
	se->vprot -= se->vruntime - (avg - se->vlag);
	se->vruntime = avg - se->vlag;
	rescale_queued(se, avg, old, lw.weight);
	set_effective(se, lw);
	if (in_tree)
		eevdf_insert(root, se);
	eevdf_update_min_vruntime(root);
}

/* ---- a level ---- */

static void enter_level(struct sched *s, struct sched_entity *se)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;

	update_load_avg(s, cfs_rq, se, UPDATE_TG | DO_ATTACH);
	update_runnable_weight(s, se);
	update_cfs_group(s, se);
	account_entity_enqueue(cfs_rq, se);
	se->on_rq = true;
	if (unlikely(!cfs_rq->on_leaf_list))
		leaf_list_add(s, cfs_rq);
	if (unlikely(cfs_rq->limited) && cfs_rq->nr_queued == 1)
		limited_queue_filled(s, cfs_rq);
}

static void leave_level(struct sched *s, struct sched_entity *se, int action)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;

	update_load_avg(s, cfs_rq, se, UPDATE_TG | action);
	update_runnable_weight(s, se);
	account_entity_dequeue(cfs_rq, se);
	se->on_rq = false;
	if (unlikely(cfs_rq->limited) && !cfs_rq->nr_queued)
		limited_queue_emptied(s, cfs_rq);
}

/* ---- enqueue, dequeue ---- */

static void enter_levels(struct sched *s, struct task *p)
{
	struct sched_entity *se = &p->se;
	int runnable = !se->sched_delayed, idle = se->counted_idle;

	for_each_sched_entity(se) {
		if (se->on_rq)
			refresh_entity(s, se);
		else
			enter_level(s, se);
		count_tasks(se->cfs_rq, 1, runnable, idle);
		if (se->cfs_rq->tg->idle)
			idle = 1;
	}
}

void flat_enqueue_task(struct sched *s, struct rq *rq, struct task *p, int flags)
{
	struct sched_entity *se = &p->se;
	struct cfs_rq *root = &rq->cfs;
	bool curr = root->vcurr == se;
	struct load_weight lw;

	if (!curr)
		update_curr(s, root);
	enter_levels(s, p);
	se->on_rq = false; /* in the tree it isn't yet */
	lw = effective_load(se);
	if (se->vload.weight && se->vload.weight != lw.weight)
		rescale_unqueued(se, se->vload.weight, lw.weight);
	set_effective(se, lw);
	eevdf_place_entity(s, root, se, flags);
	root->nr_tree++;
	se->on_rq = true;
	if (!curr)
		eevdf_insert(root, se);
	else
		update_curr(s, root);
}

/* the lag with which a task leaves; waiting in the queue doesn't lower it (spec 16 §4.2) */
static void update_lag(struct sched *s, struct cfs_rq *root, struct sched_entity *se)
{
	s64 when_delayed = se->vlag;

	eevdf_update_lag(s, root, se);
	if (!se->sched_delayed)
		return;
	se->vlag = max(se->vlag, when_delayed);
	if (feat(s, FEAT_DELAY_ZERO))
		se->vlag = min(se->vlag, (s64)0);
}

static void leave_levels(struct sched *s, struct task *p, int flags)
{
	struct sched_entity *se = &p->se;
	int runnable = se->sched_delayed ? 0 : -1, idle = -(int)se->counted_idle;
	int action = flags & (DEQUEUE_SLEEP | DEQUEUE_SAVE) ? 0 : DO_DETACH;
	bool empties = true;

	for_each_sched_entity(se) {
		struct cfs_rq *cfs_rq = se->cfs_rq;

		if (empties)
			leave_level(s, se, action);
		else
			refresh_entity(s, se);
		action = 0;
		count_tasks(cfs_rq, -1, runnable, idle);
		empties = empties && !cfs_rq->load.weight;
		if (cfs_rq->tg->idle)
			idle = -1;
	}
}

/* Return: false if the task stays, delayed */
bool flat_dequeue_task(struct sched *s, struct rq *rq, struct task *p, int flags)
{
	struct sched_entity *se = &p->se;
	struct cfs_rq *root = &rq->cfs;

	update_curr(s, root);
	update_lag(s, root, se);
	clear_buddies(s, root, se);
	if (should_delay(s, root, se, flags)) {
		struct sched_entity *e = se;

		for_each_sched_entity(e)
			update_load_avg(s, e->cfs_rq, e, UPDATE_TG);
		se->sched_delayed = true;
		return false;
	}
	if (!(flags & DEQUEUE_SLEEP) && feat(s, FEAT_PLACE_REL_DEADLINE)) {
		se->deadline -= se->vruntime;
		se->rel_deadline = true;
	}
	if (root->vcurr != se)
		eevdf_remove(root, se);
	root->nr_tree--;
	leave_levels(s, p, flags);
	if (!(flags & DEQUEUE_SAVE))
		eevdf_update_min_vruntime(root);
	if (flags & DEQUEUE_DELAYED)
		se->sched_delayed = false;
	return true;
}

/* a delayed task is runnable again: it stands where its lag says (spec 16 §7) */
void flat_requeue_delayed(struct sched *s, struct rq *rq, struct task *p)
{
	struct sched_entity *se = &p->se, *e = se;
	struct cfs_rq *root = &rq->cfs;
	bool in_tree = root->vcurr != se;

	update_curr(s, root);
	update_lag(s, root, se);
	if (avg_vruntime(root) - se->vlag != se->vruntime) {
		if (in_tree)
			eevdf_remove(root, se);
		se->on_rq = false;
		eevdf_place_entity(s, root, se, 0);
		se->on_rq = true;
		if (in_tree)
			eevdf_insert(root, se);
		eevdf_update_min_vruntime(root);
	}
	for_each_sched_entity(e)
		update_load_avg(s, e->cfs_rq, e, UPDATE_TG);
	se->sched_delayed = false;
}

/* ---- running ---- */

void flat_set_next_task(struct sched *s, struct rq *rq, struct task *p)
{
	struct sched_entity *se = &p->se, *e = se;
	struct cfs_rq *root = &rq->cfs;

	clear_buddies(s, root, se);
	if (se->on_rq) {
		flat_update_weight(s, rq, p);
		eevdf_remove(root, se);
	}
	for_each_sched_entity(e) {
		if (e->on_rq)
			update_load_avg(s, e->cfs_rq, e, UPDATE_TG);
		e->cfs_rq->curr = e;
	}
	se->exec_start = rq->clock_task;
	se->prev_sum_exec_runtime = se->sum_exec_runtime;
	root->vcurr = se;
	eevdf_protect(s, root, se);
}

void flat_put_prev_task(struct sched *s, struct rq *rq, struct task *p)
{
	struct sched_entity *se = &p->se;
	struct cfs_rq *root = &rq->cfs;

	if (se->on_rq) {
		update_curr(s, root);
		root->vcurr = NULL;
		eevdf_insert(root, se);
	}
	root->vcurr = NULL;
	for_each_sched_entity(se) {
		if (se->on_rq)
			update_load_avg(s, se->cfs_rq, se, 0);
		se->cfs_rq->curr = NULL;
	}
}

/* ---- wake-up preemption (spec 16 §5) ---- */

static struct sched_entity *pick_undelayed(struct sched *s, struct rq *rq, bool protect)
{
	for (;;) {
		struct eevdf_view view;
		struct sched_entity *se;

		eevdf_view_of(&rq->cfs, &view);
		se = eevdf_pick(s, &view, protect);
		if (!se || !se->sched_delayed)
			return se;
		dequeue_delayed(s, rq, se);
	}
}

/* @p becomes the buddy unless the present one is more urgent; Return: it did */
static bool become_buddy(struct cfs_rq *root, struct sched_entity *se)
{
	if (root->next && (s64)(root->next->deadline - se->deadline) < 0)
		return false;
	root->next = se;
	return true;
}

static bool wins(struct sched *s, struct rq *rq, struct task *p, int flags, bool *is_short)
{
	struct sched_entity *curr = &rq->curr->se, *se = &p->se;

	if (p->policy != POLICY_NORMAL || se->sched_delayed)
		return false;
	*is_short = feat(s, FEAT_PREEMPT_SHORT) && se->slice < curr->slice;
	if (!*is_short) {
		if ((flags & WF_FORK) && s->k.rules.fork_preempt == FORK_PREEMPTS_SHORT_IDLE)
			return false;
		/* a sync buddy wants a run time of curr that has just been accounted */
		if (feat(s, FEAT_NEXT_BUDDY) && become_buddy(&rq->cfs, se) && (flags & WF_SYNC))
			return false;
	}
	if (pick_undelayed(s, rq, !*is_short) == se)
		return true;
	return *is_short && entity_eligible(&rq->cfs, se);
}

void flat_check_preempt(struct sched *s, struct rq *rq, struct task *p, int flags, int from)
{
	struct sched_entity *curr = &rq->curr->se, *se = &p->se;
	struct cfs_rq *root = &rq->cfs;
	bool is_short = false;

	if (curr == se || !feat(s, FEAT_WAKEUP_PREEMPTION))
		return;
	if (rq->need_resched && !feat(s, FEAT_PREEMPT_SHORT))
		return;
	if (rq->curr->policy != POLICY_IDLE || p->policy == POLICY_IDLE) {
		update_curr(s, root);
		if (!wins(s, rq, p, flags, &is_short)) {
			if (curr->on_rq)
				eevdf_shorten_protection(s, root, curr);
			return;
		}
	}
	eevdf_cancel_protection(s, curr);
	if (is_short && (!root->next || root->next->slice >= se->slice))
		root->next = se;
	fair_resched(s, rq, from);
}
