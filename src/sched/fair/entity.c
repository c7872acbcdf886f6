/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entity.c - one entity on one level: it is queued, runs, is accounted, leaves.
 */
#include "sched/fair/fair.h"

void forget_buddies(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	if (is_flat(s)) {
		if (cfs_rq->next == se)
			cfs_rq->next = NULL;
		return;
	}
	for (struct sched_entity *e = se; e && e->cfs_rq->next == e; e = e->parent)
		e->cfs_rq->next = NULL;
	for (struct sched_entity *e = se; e && e->cfs_rq->last == e; e = e->parent)
		e->cfs_rq->last = NULL;
	for (struct sched_entity *e = se; e && e->cfs_rq->skip == e; e = e->parent)
		e->cfs_rq->skip = NULL;
}

/* ---- run time ---- */

static __attribute__((noinline)) void
make_room(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	fair_resched(s, cfs_rq->rq, cfs_rq->rq->cpu);
	clear_buddies(s, cfs_rq, curr);
}

/* the running entity used its slice (spec 02 §5.4) */
static __attribute__((noinline)) void
slice_over(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	eevdf_update_deadline(s, curr);
	eevdf_update_min_vruntime(cfs_rq);
	if (cfs_rq->nr_tree > 1 && curr->on_rq)
		make_room(s, cfs_rq, curr);
}

/* a shorter slice took the running entity's protection: does it go on? */
static __attribute__((noinline)) void
check_cancelled(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	if (feat(s, FEAT_PREEMPT_SHORT) && !entity_eligible(cfs_rq, curr))
		make_room(s, cfs_rq, curr);
}

/* the virtual time of the running entity went on by @v; calls are left for the end */
static inline void advance_curr(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *curr,
				u64 v)
{
	curr->vruntime += v;
	if (is_cfs(s)) {
		cfs_update_min_vruntime(cfs_rq);
		return;
	}
	if (unlikely((s64)(curr->vruntime - curr->deadline) >= 0)) {
		slice_over(s, cfs_rq, curr);
		return;
	}
	eevdf_update_min_vruntime(cfs_rq);
	if (cfs_rq->nr_tree <= 1 || !curr->on_rq)
		return;
	if (s->k.rules.protection == PROTECT_DEADLINE) {
		if (unlikely(curr->vprot != curr->deadline))
			check_cancelled(s, cfs_rq, curr);
	} else if (!eevdf_protected(s, curr)) { /* spec 16 §4.6 */
		make_room(s, cfs_rq, curr);
	}
}

/* an entity of another weight than that of nice 0 */
static __attribute__((noinline)) void
account_weighted(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *curr, u64 delta)
{
	advance_curr(s, cfs_rq, curr, vtime_slow(delta, curr));
}

/* a queue with a quota; or, one tree for all levels, the groups above a task (spec 16 §3) */
static __attribute__((noinline)) void
charge_groups(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *curr, u64 delta)
{
	if (!is_flat(s)) {
		account_cfs_rq_runtime(s, cfs_rq, delta);
		return;
	}
	for (struct sched_entity *se = curr->parent; se; se = se->parent) {
		se->sum_exec_runtime += delta;
		account_cfs_rq_runtime(s, se->my_q, delta);
	}
}

/* the running entity ran @delta ns since it was last accounted */
void account_curr(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *curr, u64 delta)
{
	curr->exec_start = cfs_rq->rq->clock_task;
	curr->sum_exec_runtime += delta;
	if (unlikely(cfs_rq->accounts))
		charge_groups(s, cfs_rq, curr, delta);
	if (likely(curr->vload.weight == NICE_0_LOAD))
		advance_curr(s, cfs_rq, curr, delta);
	else
		account_weighted(s, cfs_rq, curr, delta);
}

/* ---- counts and loads of a level ---- */

/* a task's policy may change while it is queued: what was counted counts */
static inline bool counts_as_idle(const struct sched_entity *se)
{
	return entity_is_task(se) ? se->counted_idle : se->idle_group;
}

void account_entity_enqueue(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	cfs_rq->load.weight += se->load.weight;
	cfs_rq->load.inv_weight = 0;
	cfs_rq->nr_queued++;
	cfs_rq->nr_idle += counts_as_idle(se);
}

void account_entity_dequeue(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	cfs_rq->load.weight -= se->load.weight;
	cfs_rq->load.inv_weight = 0;
	cfs_rq->nr_queued--;
	cfs_rq->nr_idle -= counts_as_idle(se);
}

s64 scale_by_weight(s64 v, u64 old, u64 new)
{
	s64 product;

	if (!new)
		return v;
	if (likely(!__builtin_mul_overflow(v, (s64)old, &product)))
		return product / (s64)new;
	return (s64)((s128)v * (s64)old / (s64)new);
}

/* lag and deadline distance keep their real time under another weight (spec 02 §5.12) */
void rescale_queued(struct sched_entity *se, u64 avg, u64 old, u64 new)
{
	s64 left = se->deadline - se->vruntime;
	s64 protected = se->vprot - se->vruntime;
	bool whole = se->vprot == se->deadline;

	se->vruntime = avg - scale_by_weight(avg - se->vruntime, old, new);
	se->deadline = se->vruntime + scale_by_weight(left, old, new);
	se->vprot = whole ? se->deadline : se->vruntime + scale_by_weight(protected, old, new);
}

void rescale_unqueued(struct sched_entity *se, u64 old, u64 new)
{
	se->vlag = scale_by_weight(se->vlag, old, new);
	if (se->rel_deadline)
		se->deadline = scale_by_weight(se->deadline, old, new);
}

/* the weight in vtime(), W and S changes: V stays, and so does what is owed */
static void reweight_ordered(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se,
			     struct load_weight lw)
{
	bool in_tree = cfs_rq->vcurr != se;
	u64 avg = avg_vruntime(cfs_rq);

	if (in_tree)
		eevdf_remove(cfs_rq, se);
	rescale_queued(se, avg, se->load.weight, lw.weight);
	set_entity_load(s, se, lw);
	if (in_tree)
		eevdf_insert(cfs_rq, se);
	eevdf_update_min_vruntime(cfs_rq);
}

/**
 * reweight_entity() - another weight for an entity of one level, queued or not
 *
 * Effective weights of the flat variant follow later: flat_update_weight().
 */
void reweight_entity(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se,
		     struct load_weight lw)
{
	bool ordered = !is_cfs(s) && !is_flat(s), attached = se->avg.last_update_time;

	if (attached)
		dequeue_load_avg(cfs_rq, se);
	if (se->on_rq) {
		update_curr(s, cfs_rq);
		cfs_rq->load.weight += lw.weight - se->load.weight;
		cfs_rq->load.inv_weight = 0;
		if (ordered)
			reweight_ordered(s, cfs_rq, se, lw);
	} else if (ordered) {
		rescale_unqueued(se, se->load.weight, lw.weight);
	}
	set_entity_load(s, se, lw);
	pelt_recompute_load(se);
	if (attached)
		enqueue_load_avg(cfs_rq, se);
}

/* ---- in and out ---- */

void enqueue_entity(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se, int flags)
{
	bool curr = cfs_rq->vcurr == se, cfs = is_cfs(s);

	/* what runs must be placed before it is accounted */
	if (curr) {
		if (cfs && se->vruntime_relative)
			se->vruntime += cfs_rq->min_vruntime;
		else if (!cfs)
			eevdf_place_entity(s, cfs_rq, se, flags);
	}
	update_curr(s, cfs_rq);
	update_load_avg(s, cfs_rq, se, UPDATE_TG | DO_ATTACH);
	update_runnable_weight(s, se);
	update_cfs_group(s, se);
	if (cfs) {
		if (!curr && se->vruntime_relative)
			se->vruntime += cfs_rq->min_vruntime;
		se->vruntime_relative = false;
		if (flags & ENQUEUE_WAKEUP)
			cfs_place_entity(s, cfs_rq, se, false);
	} else if (!curr) {
		eevdf_place_entity(s, cfs_rq, se, flags);
	}
	account_entity_enqueue(cfs_rq, se);
	cfs_rq->nr_tree++;
	if (!curr)
		tree_insert(s, cfs_rq, se);
	se->on_rq = true;
	if (unlikely(!cfs_rq->on_leaf_list))
		leaf_list_add(s, cfs_rq);
	if (unlikely(cfs_rq->limited) && cfs_rq->nr_queued == 1)
		limited_queue_filled(s, cfs_rq);
}

/* a blocking entity that isn't eligible stays until its lag is used up (spec 02 §5.10) */
bool should_delay(const struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se, int flags)
{
	if (cfs_rq->nr_tree <= 1 || !(flags & DEQUEUE_SLEEP) ||
	    (flags & (DEQUEUE_SPECIAL | DEQUEUE_DELAYED)))
		return false;
	if (s->k.rules.delay == DELAY_NONE || !feat(s, FEAT_DELAY_DEQUEUE))
		return false;
	if (s->k.rules.delay == DELAY_TASKS && !entity_is_task(se))
		return false;
	return !entity_eligible(cfs_rq, se);
}

bool dequeue_entity(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se, int flags)
{
	bool sleep = flags & DEQUEUE_SLEEP, cfs = is_cfs(s);
	int action = UPDATE_TG;

	update_curr(s, cfs_rq);
	clear_buddies(s, cfs_rq, se);
	if (!cfs && should_delay(s, cfs_rq, se, flags)) {
		update_load_avg(s, cfs_rq, se, 0);
		se->sched_delayed = true;
		return false;
	}
	/* a task that goes to another CPU takes its averages along */
	if (entity_is_task(se) && !(flags & (DEQUEUE_SLEEP | DEQUEUE_SAVE)))
		action |= DO_DETACH;
	update_load_avg(s, cfs_rq, se, action);
	update_runnable_weight(s, se);
	if (!cfs) {
		eevdf_update_lag(s, cfs_rq, se);
		if (!sleep && feat(s, FEAT_PLACE_REL_DEADLINE)) {
			se->deadline -= se->vruntime;
			se->rel_deadline = true;
		}
	}
	if (se != cfs_rq->vcurr)
		tree_remove(s, cfs_rq, se);
	se->on_rq = false;
	account_entity_dequeue(cfs_rq, se);
	cfs_rq->nr_tree--;
	if (cfs && !sleep) {
		se->vruntime -= cfs_rq->min_vruntime;
		se->vruntime_relative = true;
	}
	if (unlikely(cfs_rq->limited) && !cfs_rq->nr_queued)
		limited_queue_emptied(s, cfs_rq);
	update_cfs_group(s, se);
	/* what comes back at once must find the queue as it left it */
	if (!(flags & DEQUEUE_SAVE))
		update_min_vruntime(s, cfs_rq);
	if (flags & DEQUEUE_DELAYED) {
		se->sched_delayed = false;
		if (feat(s, FEAT_DELAY_ZERO) && se->vlag > 0)
			se->vlag = se->slack = 0;
	}
	return true;
}

/**
 * requeue_delayed_entity() - a delayed entity is runnable again (spec 02 §5.10)
 *
 * With DELAY_ZERO it doesn't profit from having waited in the queue. The running entity
 * counts as it was accounted last: what it has run since makes @se the one to pick.
 */
void requeue_delayed_entity(struct sched *s, struct sched_entity *se)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;
	bool in_tree = cfs_rq->vcurr != se;

	if (feat(s, FEAT_DELAY_ZERO)) {
		eevdf_update_lag(s, cfs_rq, se);
		if (se->vlag > 0) {
			if (in_tree)
				eevdf_remove(cfs_rq, se);
			se->vlag = se->slack = 0;
			eevdf_place_entity(s, cfs_rq, se, 0);
			if (in_tree)
				eevdf_insert(cfs_rq, se);
			eevdf_update_min_vruntime(cfs_rq);
		}
	}
	update_load_avg(s, cfs_rq, se, 0);
	se->sched_delayed = false;
}

void set_next_entity(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	clear_buddies(s, cfs_rq, se);
	if (se->on_rq) {
		tree_remove(s, cfs_rq, se);
		update_load_avg(s, cfs_rq, se, UPDATE_TG);
	}
	se->exec_start = cfs_rq->rq->clock_task;
	se->prev_sum_exec_runtime = se->sum_exec_runtime;
	cfs_rq->curr = cfs_rq->vcurr = se;
	if (!is_cfs(s))
		eevdf_protect(s, cfs_rq, se);
}

void put_prev_entity(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *prev)
{
	if (prev->on_rq)
		update_curr(s, cfs_rq);
	if (unlikely(cfs_rq->limited))
		check_cfs_rq_runtime(s, cfs_rq);
	if (prev->on_rq) {
		cfs_rq->vcurr = NULL;
		tree_insert(s, cfs_rq, prev);
		update_load_avg(s, cfs_rq, prev, 0);
	}
	cfs_rq->curr = cfs_rq->vcurr = NULL;
}
