/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * load.c - averages that move between entities, queues and CPUs (spec 03 §4-5).
 *
 * A queue's average is the sum of its entities' averages, queued or blocked. An
 * entity that leaves for another CPU takes its own along; a group queue's gain
 * or loss is passed on to its entity, and so to the queue above.
 */
#include "sched/fair/fair.h"

#define add_signed(var, delta)                                                                     \
	do {                                                                                       \
		s64 _v = (s64)(var) + (s64)(delta);                                                \
		(var) = _v > 0 ? _v : 0;                                                           \
	} while (0)

#define sub_floor(var, delta)                                                                      \
	do {                                                                                       \
		__typeof__(var) _d = (delta);                                                      \
		(var) = (var) > _d ? (var) - _d : 0;                                               \
	} while (0)

/* ---- queues that have something to decay ---- */

/**
 * leaf_list_add() - @cfs_rq has load from now on; list it and what is above it
 *
 * Children stand before their parents, so that one walk carries decay upwards.
 */
void leaf_list_add(struct sched *s, struct cfs_rq *cfs_rq)
{
	struct rq *rq = cfs_rq->rq;
	struct list_head *after = &rq->leaf_cfs_rq_list;

	for (;;) {
		struct sched_entity *se = cfs_rq->my_se;
		bool listed;

		list_add(&cfs_rq->leaf_node, after);
		cfs_rq->on_leaf_list = true;
		after = &cfs_rq->leaf_node;
		if (!se)
			break;
		cfs_rq = se->cfs_rq;
		listed = cfs_rq->on_leaf_list;
		cfs_rq->nr_leaf_children++;
		if (listed)
			return;
	}
	mask_set(s->load_mask, rq->cpu);
}

static void leaf_list_del(struct sched *s, struct cfs_rq *cfs_rq)
{
	list_del(&cfs_rq->leaf_node);
	cfs_rq->on_leaf_list = false;
	if (cfs_rq->my_se)
		cfs_rq->my_se->cfs_rq->nr_leaf_children--;
	else
		mask_clear(s->load_mask, cfs_rq->rq->cpu);
}

/* ---- one entity and its queue ---- */

void enqueue_load_avg(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	rq_load_changed(cfs_rq->rq);
	cfs_rq->avg.load_avg += se->avg.load_avg;
	cfs_rq->avg.load_sum += load_down(&se->load) * se->avg.load_sum;
}

void dequeue_load_avg(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	struct sched_avg *sa = &cfs_rq->avg;

	rq_load_changed(cfs_rq->rq);
	sub_floor(sa->load_avg, se->avg.load_avg);
	sub_floor(sa->load_sum, load_down(&se->load) * se->avg.load_sum);
	sa->load_sum = max(sa->load_sum, (u64)sa->load_avg * PELT_MIN_DIVIDER);
}

static void note_propagate(struct cfs_rq *cfs_rq, long runnable_sum)
{
	cfs_rq->propagate = true;
	cfs_rq->prop_runnable_sum += runnable_sum;
}

/* the entity's averages join the queue's, in step with its periods (spec 03 §5.1) */
static void attach_entity_load_avg(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	struct sched_avg *sa = &se->avg;
	u32 divider = pelt_divider(&cfs_rq->avg);
	u64 weight = load_down(&se->load);

	sa->last_update_time = cfs_rq->avg.last_update_time;
	sa->period_contrib = cfs_rq->avg.period_contrib;
	sa->util_sum = sa->util_avg * divider;
	sa->runnable_sum = (u64)sa->runnable_avg * divider;
	sa->load_sum = (u64)sa->load_avg * divider;
	sa->load_sum = weight < sa->load_sum ? sa->load_sum / weight : 1;

	enqueue_load_avg(cfs_rq, se);
	cfs_rq->avg.util_avg += sa->util_avg;
	cfs_rq->avg.util_sum += sa->util_sum;
	cfs_rq->avg.runnable_avg += sa->runnable_avg;
	cfs_rq->avg.runnable_sum += sa->runnable_sum;
	note_propagate(cfs_rq, sa->load_sum);
}

static void sub_util(struct sched_avg *sa, unsigned long util, u32 sum)
{
	sub_floor(sa->util_avg, util);
	sub_floor(sa->util_sum, sum);
	/* the period a removal is computed with may be another: keep sum and average in step */
	sa->util_sum = max(sa->util_sum, (u32)(sa->util_avg * PELT_MIN_DIVIDER));
}

static void sub_runnable(struct sched_avg *sa, unsigned long runnable, u64 sum)
{
	sub_floor(sa->runnable_avg, runnable);
	sub_floor(sa->runnable_sum, sum);
	sa->runnable_sum = max(sa->runnable_sum, (u64)sa->runnable_avg * PELT_MIN_DIVIDER);
}

static void detach_entity_load_avg(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	dequeue_load_avg(cfs_rq, se);
	sub_util(&cfs_rq->avg, se->avg.util_avg, se->avg.util_sum);
	sub_runnable(&cfs_rq->avg, se->avg.runnable_avg, se->avg.runnable_sum);
	note_propagate(cfs_rq, -(long)se->avg.load_sum);
}

/* what left while the queue could not be updated goes now */
static void apply_removed(struct cfs_rq *cfs_rq)
{
	struct sched_avg *sa = &cfs_rq->avg;
	u32 divider = pelt_divider(sa);
	unsigned long load = cfs_rq->removed.load_avg, runnable = cfs_rq->removed.runnable_avg;

	rq_load_changed(cfs_rq->rq);
	sub_floor(sa->load_avg, load);
	sub_floor(sa->load_sum, (u64)load * divider);
	sa->load_sum = max(sa->load_sum, (u64)sa->load_avg * PELT_MIN_DIVIDER);
	sub_util(sa, cfs_rq->removed.util_avg, cfs_rq->removed.util_avg * divider);
	sub_runnable(sa, runnable, (u64)runnable * divider);
	note_propagate(cfs_rq, -((long)((u64)runnable * divider >> 10)));
	cfs_rq->removed.nr = 0;
	cfs_rq->removed.load_avg = cfs_rq->removed.util_avg = cfs_rq->removed.runnable_avg = 0;
}

/* Return: whether the queue's averages changed */
bool update_cfs_rq_load_avg(struct sched *s, u64 now, struct cfs_rq *cfs_rq)
{
	bool changed = false;

	if (unlikely(cfs_rq->removed.nr)) {
		apply_removed(cfs_rq);
		changed = true;
	}
	return pelt_update_cfs_rq(s, now, cfs_rq) || changed;
}

/* ---- from a group queue to its entity (spec 03 §5.3) ---- */

static void propagate_util(struct cfs_rq *cfs_rq, struct sched_entity *se,
			   const struct cfs_rq *gcfs_rq)
{
	long delta = (long)gcfs_rq->avg.util_avg - (long)se->avg.util_avg;
	u32 sum;

	if (!delta)
		return;
	sum = gcfs_rq->avg.util_avg * pelt_divider(&cfs_rq->avg);
	add_signed(cfs_rq->avg.util_avg, delta);
	add_signed(cfs_rq->avg.util_sum, (s64)sum - (s64)se->avg.util_sum);
	cfs_rq->avg.util_sum =
		max(cfs_rq->avg.util_sum, (u32)(cfs_rq->avg.util_avg * PELT_MIN_DIVIDER));
	se->avg.util_avg = gcfs_rq->avg.util_avg;
	se->avg.util_sum = sum;
}

static void propagate_runnable(struct cfs_rq *cfs_rq, struct sched_entity *se,
			       const struct cfs_rq *gcfs_rq)
{
	long delta = (long)gcfs_rq->avg.runnable_avg - (long)se->avg.runnable_avg;
	u64 sum;

	if (!delta)
		return;
	sum = (u64)gcfs_rq->avg.runnable_avg * pelt_divider(&cfs_rq->avg);
	add_signed(cfs_rq->avg.runnable_avg, delta);
	add_signed(cfs_rq->avg.runnable_sum, (s64)sum - (s64)se->avg.runnable_sum);
	cfs_rq->avg.runnable_sum = max(cfs_rq->avg.runnable_sum,
				       (u64)cfs_rq->avg.runnable_avg * PELT_MIN_DIVIDER);
	se->avg.runnable_avg = gcfs_rq->avg.runnable_avg;
	se->avg.runnable_sum = sum;
}

/*
 * The entity's load is its weight times the time it was runnable, which is that
 * of all below together: a gain adds, a loss leaves what the mean task has left.
 */
static void propagate_load(struct cfs_rq *cfs_rq, struct sched_entity *se, struct cfs_rq *gcfs_rq)
{
	long gain = gcfs_rq->prop_runnable_sum;
	u64 weight = load_down(&se->load), load_sum, runnable_sum;
	u32 divider;
	unsigned long load_avg;
	long delta_avg;

	if (!gain)
		return;
	gcfs_rq->prop_runnable_sum = 0;
	divider = pelt_divider(&cfs_rq->avg);
	if (gain > 0) {
		runnable_sum = min(gain + se->avg.load_sum, (u64)divider);
	} else {
		u64 queue_weight = load_down(&gcfs_rq->load);
		u64 mean = queue_weight ? gcfs_rq->avg.load_sum / queue_weight : 0;

		runnable_sum = min(se->avg.load_sum, mean);
	}
	runnable_sum = max(runnable_sum, (u64)(se->avg.util_sum >> 10));

	load_sum = weight * runnable_sum;
	load_avg = load_sum / divider;
	delta_avg = (long)load_avg - (long)se->avg.load_avg;
	if (delta_avg) {
		s64 delta_sum = (s64)load_sum - (s64)(weight * se->avg.load_sum);

		add_signed(cfs_rq->avg.load_avg, delta_avg);
		add_signed(cfs_rq->avg.load_sum, delta_sum);
		cfs_rq->avg.load_sum = max(cfs_rq->avg.load_sum,
					   (u64)cfs_rq->avg.load_avg * PELT_MIN_DIVIDER);
	}
	se->avg.load_sum = runnable_sum;
	se->avg.load_avg = load_avg;
}

/* Return: whether something was passed on */
static bool propagate_entity_load_avg(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	struct cfs_rq *gcfs_rq = se->my_q;

	if (!gcfs_rq)
		return false;
	/* a group entity belongs to its queue from the start, with nothing */
	if (unlikely(!se->avg.last_update_time)) {
		se->avg.last_update_time = cfs_rq->avg.last_update_time;
		se->avg.period_contrib = cfs_rq->avg.period_contrib;
	}
	if (!gcfs_rq->propagate)
		return false;
	gcfs_rq->propagate = false;
	note_propagate(cfs_rq, gcfs_rq->prop_runnable_sum);
	rq_load_changed(cfs_rq->rq);
	propagate_util(cfs_rq, se, gcfs_rq);
	propagate_runnable(cfs_rq, se, gcfs_rq);
	propagate_load(cfs_rq, se, gcfs_rq);
	return true;
}

static __attribute__((noinline)) void
update_load_avg_slow(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se, int flags)
{
	u64 now = cfs_rq_clock_pelt(cfs_rq);
	bool changed;

	if (se->avg.last_update_time && !(flags & SKIP_AGE_LOAD))
		pelt_update_se(now, cfs_rq, se);
	changed = update_cfs_rq_load_avg(s, now, cfs_rq);
	changed |= propagate_entity_load_avg(cfs_rq, se);

	if (!se->avg.last_update_time && (flags & DO_ATTACH)) {
		attach_entity_load_avg(cfs_rq, se);
		update_tg_load_avg(s, cfs_rq);
	} else if (flags & DO_DETACH) {
		detach_entity_load_avg(cfs_rq, se);
		se->avg.last_update_time = 0;
		update_tg_load_avg(s, cfs_rq);
	} else if (changed && (flags & UPDATE_TG)) {
		update_tg_load_avg(s, cfs_rq);
	}
}

/*
 * Nearly always a task stays where it is and neither its period nor its queue's ends:
 * then both sums grow, and that is all.
 */
void update_load_avg(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se, int flags)
{
	u64 now = cfs_rq_clock_pelt(cfs_rq);
	u64 delta = pelt_elapsed(now, &se->avg), queue_delta = pelt_elapsed(now, &cfs_rq->avg);
	u64 runs;

	if (unlikely(se->avg.period_contrib + delta >= 1024 ||
		     cfs_rq->avg.period_contrib + queue_delta >= 1024 ||
		     !se->avg.last_update_time || (flags & (DO_DETACH | SKIP_AGE_LOAD)) ||
		     !entity_is_task(se) || cfs_rq->removed.nr)) {
		update_load_avg_slow(s, cfs_rq, se, flags);
		return;
	}
	runs = se->on_rq && !se->sched_delayed;
	pelt_grow(&se->avg, delta, runs, runs, cfs_rq->curr == se);
	pelt_grow(&cfs_rq->avg, queue_delta, load_down(&cfs_rq->load),
		  cfs_rq_runnable(s, cfs_rq), cfs_rq->curr != NULL);
}

/* ---- entities that aren't queued ---- */

static void propagate_upwards(struct sched *s, struct sched_entity *se)
{
	for (; se; se = se->parent) {
		update_load_avg(s, se->cfs_rq, se, UPDATE_TG);
		if (!se->cfs_rq->on_leaf_list)
			leaf_list_add(s, se->cfs_rq);
	}
}

/* a blocked entity joins its queue */
void attach_entity_cfs_rq(struct sched *s, struct sched_entity *se)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;

	update_load_avg(s, cfs_rq, se, feat(s, FEAT_ATTACH_AGE_LOAD) ? 0 : SKIP_AGE_LOAD);
	attach_entity_load_avg(cfs_rq, se);
	update_tg_load_avg(s, cfs_rq);
	if (!cfs_rq->on_leaf_list)
		leaf_list_add(s, cfs_rq);
	propagate_upwards(s, se->parent);
}

/* a blocked entity leaves its queue, whose averages can be brought up to date */
void detach_entity_cfs_rq(struct sched *s, struct sched_entity *se)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;

	if (!se->avg.last_update_time)
		return;
	update_load_avg(s, cfs_rq, se, feat(s, FEAT_ATTACH_AGE_LOAD) ? 0 : SKIP_AGE_LOAD);
	detach_entity_load_avg(cfs_rq, se);
	se->avg.last_update_time = 0;
	update_tg_load_avg(s, cfs_rq);
	propagate_upwards(s, se->parent);
}

/* @p as old as its queue's averages: what it did since isn't in them either (spec 05 §2) */
void fair_sync_task(struct task *p)
{
	if (p->se.avg.last_update_time)
		pelt_update_blocked_se(p->se.cfs_rq->avg.last_update_time, &p->se);
}

/**
 * remove_entity_load_avg() - a sleeper leaves a queue that nobody updates now (spec 03 §5.2)
 *
 * It is aged as far as the queue is and noted as removed. The time an idle CPU's
 * queue has missed since is estimated, so that a long sleep isn't forgotten.
 */
void remove_entity_load_avg(struct sched *s, struct sched_entity *se)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;
	const struct rq *rq = cfs_rq->rq;

	if (!se->avg.last_update_time)
		return;
	pelt_update_blocked_se(cfs_rq->avg.last_update_time, se);
	cfs_rq->removed.nr++;
	cfs_rq->removed.util_avg += se->avg.util_avg;
	cfs_rq->removed.load_avg += se->avg.load_avg;
	cfs_rq->removed.runnable_avg += se->avg.runnable_avg;

	if (s->k.rules.missed_decay && rq_runs_idle(rq) &&
	    (se->avg.load_avg || se->avg.util_avg || se->avg.runnable_avg)) {
		u64 now = rq->clock_pelt_idle;

		if (s->now > rq->clock_idle)
			now += s->now - rq->clock_idle;
		if (unlikely(cfs_rq->limited))
			now = limited_clock_pelt(cfs_rq, now);
		if (now > se->avg.last_update_time)
			pelt_update_blocked_se(now, se);
	}
	se->avg.last_update_time = 0;
}

/* ---- a whole CPU ---- */

static bool cfs_rq_is_decayed(const struct cfs_rq *cfs_rq)
{
	return !cfs_rq->load.weight && !cfs_rq->nr_leaf_children && !cfs_rq->removed.nr &&
	       !cfs_rq->avg.load_sum && !cfs_rq->avg.util_sum && !cfs_rq->avg.runnable_sum &&
	       !cfs_rq->avg.load_avg && !cfs_rq->avg.util_avg && !cfs_rq->avg.runnable_avg &&
	       !cfs_rq->tg_load_avg_contrib && !cfs_rq->tg_runnable_avg_contrib;
}

/**
 * update_blocked_averages() - age every queue of a CPU (spec 03 §9)
 *
 * The rq's clock is up to date. Costs as much as there are queues with load.
 *
 * Return: whether anything is left to decay.
 */
bool update_blocked_averages(struct sched *s, struct rq *rq)
{
	struct cfs_rq *cfs_rq, *next;

	list_for_each_entry_safe(cfs_rq, next, &rq->leaf_cfs_rq_list, leaf_node) {
		struct sched_entity *se = cfs_rq->my_se;

		if (update_cfs_rq_load_avg(s, cfs_rq_clock_pelt(cfs_rq), cfs_rq))
			update_tg_load_avg(s, cfs_rq);
		/* the entity of a blocked queue decays with it */
		if (se && (cfs_rq->propagate || !se->on_rq))
			update_load_avg(s, se->cfs_rq, se, UPDATE_TG);
		if (cfs_rq_is_decayed(cfs_rq))
			leaf_list_del(s, cfs_rq);
	}
	if (rq->cfs.avg.load_avg || rq->cfs.avg.util_avg)
		return true;
	rq->has_blocked_load = false;
	return false;
}

/**
 * fair_boot_util() - @rq's queue has @util left of what ran before the run (spec 14 §0)
 *
 * The rq's clock is up to date.
 */
void fair_boot_util(struct sched *s, struct rq *rq, u32 util)
{
	struct cfs_rq *cfs_rq = &rq->cfs;
	struct sched_avg *sa = &cfs_rq->avg;

	if (!util)
		return;
	update_cfs_rq_load_avg(s, rq_clock_pelt(rq), cfs_rq);
	sa->util_avg = util;
	sa->util_sum = util * pelt_divider(sa);
	if (!cfs_rq->on_leaf_list)
		leaf_list_add(s, cfs_rq);
}

/* ---- a task's part of its CPU's load (spec 03 §5.5) ---- */

static unsigned long queue_h_load(const struct cfs_rq *cfs_rq)
{
	const struct sched_entity *se = cfs_rq->my_se;

	if (!se)
		return cfs_rq->avg.load_avg;
	return queue_h_load(se->cfs_rq) * se->avg.load_avg / (se->cfs_rq->avg.load_avg + 1);
}

unsigned long task_h_load(const struct sched *s, const struct task *p)
{
	const struct cfs_rq *cfs_rq = p->se.cfs_rq;

	return p->se.avg.load_avg * queue_h_load(cfs_rq) / (cfs_rq->avg.load_avg + 1);
}

/**
 * fair_post_init_util() - a new task's first utilisation (spec 03 §4.2)
 *
 * Half of what its CPU has left, or its weight's share of what the queue has.
 */
void fair_post_init_util(struct sched *s, struct rq *rq, struct task *p)
{
	struct sched_avg *sa = &p->se.avg;
	const struct cfs_rq *cfs_rq = p->se.cfs_rq;
	long cap = ((long)rq->cpu_capacity_orig - (long)cfs_rq->avg.util_avg) / 2;

	if (cap > 0) {
		if (cfs_rq->avg.util_avg) {
			u64 weight = p->se.load.weight;

			if (s->k.rules.new_util == NEW_UTIL_PLAIN_WEIGHT)
				weight = scale_load_down(weight);
			sa->util_avg = cfs_rq->avg.util_avg * weight / (cfs_rq->avg.load_avg + 1);
			sa->util_avg = min(sa->util_avg, (unsigned long)cap);
		} else {
			sa->util_avg = cap;
		}
	}
	sa->runnable_avg = sa->util_avg;
}
