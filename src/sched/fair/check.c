/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check.c - recounts what the fair class keeps incrementally.
 *
 * Slow, for --check and for tests: every queue of a CPU against its tasks.
 */
#include <errno.h>

#include "sched/fair/fair.h"

#define FAIL(err, cfs_rq, fmt, ...)                                                                \
	err_set(err, -EINVAL, "cpu %d, %s queue: " fmt, (cfs_rq)->rq->cpu,                         \
		(cfs_rq)->my_se ? "a group's" : "the root", __VA_ARGS__)

/* whether @cfs_rq counts @se: it doesn't what is in a parked queue below */
static bool is_below(const struct sched_entity *se, const struct cfs_rq *cfs_rq)
{
	for_each_sched_entity(se) {
		if (se->cfs_rq == cfs_rq)
			return true;
		if (se->cfs_rq->parked)
			return false;
	}
	return false;
}

/* whether @se counts as idle where it is queued below @cfs_rq (a group above it may be idle) */
static bool idle_below(const struct sched_entity *se, const struct cfs_rq *cfs_rq)
{
	bool idle = se->counted_idle;

	for (; se->cfs_rq != cfs_rq; se = se->parent)
		idle |= se->cfs_rq->tg->idle;
	return idle;
}

static int check_counts(const struct sched *s, const struct rq *rq, const struct cfs_rq *q,
			struct err *err)
{
	int nr = 0, h_queued = 0, h_runnable = 0, h_idle = 0;
	const struct task_group *tg;
	const struct task *p;
	u64 weight = 0;

	list_for_each_entry(p, &rq->cfs_tasks, rq_node) {
		if (!is_below(&p->se, q))
			continue;
		h_queued++;
		h_runnable += !p->se.sched_delayed;
		h_idle += idle_below(&p->se, q);
		if (p->se.cfs_rq == q) {
			nr++;
			weight += p->se.load.weight;
		}
	}
	list_for_each_entry(tg, &s->groups, node) {
		const struct sched_entity *se = tg->parent ? tg->se[rq->cpu] : NULL;

		if (se && se->cfs_rq == q && se->on_rq) {
			nr++;
			weight += se->load.weight;
		}
	}
	if (nr != q->nr_queued)
		return FAIL(err, q, "nr_queued is %d, entities %d", q->nr_queued, nr);
	if (weight != q->load.weight)
		return FAIL(err, q, "load is %llu, that of its entities %llu",
			    (unsigned long long)q->load.weight, (unsigned long long)weight);
	if (h_queued != q->h_nr_queued || h_runnable != q->h_nr_runnable || h_idle != q->h_nr_idle)
		return FAIL(err, q, "h_nr %d/%d/%d (queued, runnable, idle), tasks %d/%d/%d",
			    q->h_nr_queued, q->h_nr_runnable, q->h_nr_idle, h_queued, h_runnable,
			    h_idle);
	if (nr && !q->on_leaf_list)
		return FAIL(err, q, "%d entities, but not on the leaf list", nr);
	return 0;
}

static bool ordered(const struct sched *s, const struct sched_entity *a,
		    const struct sched_entity *b)
{
	u64 x = is_cfs(s) ? a->vruntime : a->deadline, y = is_cfs(s) ? b->vruntime : b->deadline;

	return (s64)(y - x) >= 0;
}

/* the subtree values of one node from its children's */
static bool augmented(const struct sched_entity *se)
{
	u64 v = se->vruntime, lo = se->slice, hi = se->slice;
	const struct rb_node *child[2] = { se->run_node.left, se->run_node.right };

	for (int i = 0; i < 2; i++) {
		const struct sched_entity *c = rb_entity(child[i]);

		if (!c)
			continue;
		if ((s64)(c->min_vruntime - v) < 0)
			v = c->min_vruntime;
		lo = min(lo, c->min_slice);
		hi = max(hi, c->max_slice);
	}
	return v == se->min_vruntime && lo == se->min_slice && hi == se->max_slice;
}

static int check_tree(const struct sched *s, const struct cfs_rq *q, struct err *err)
{
	bool curr = q->vcurr && q->vcurr->on_rq;
	int nr = rb_check(&q->tasks_timeline);
	const struct sched_entity *last = NULL;
	s128 sum = 0;
	u64 weight = 0;

	if (nr < 0)
		return FAIL(err, q, "broken tree%s", "");
	if (nr + curr != q->nr_tree)
		return FAIL(err, q, "nr_tree is %d, in the tree %d, running %d", q->nr_tree, nr,
			    curr);
	for (struct rb_node *n = rb_first(&q->tasks_timeline); n; n = rb_next(n)) {
		const struct sched_entity *se = rb_entity(n);

		if (!se->on_rq || tree_of(s, se) != q || se == q->vcurr)
			return FAIL(err, q, "an entity in the tree doesn't belong there (depth %d)",
				    se->depth);
		if (last && !ordered(s, last, se))
			return FAIL(err, q, "tree out of order at depth %d", se->depth);
		if (!is_cfs(s) && !augmented(se))
			return FAIL(err, q, "wrong subtree values at depth %d", se->depth);
		sum += vsum_part(q, se->vruntime, se->key_weight);
		weight += se->key_weight;
		last = se;
	}
	if (is_cfs(s))
		return 0;
	if (sum != q->avg_vruntime || weight != q->avg_load)
		return FAIL(err, q, "S %lld W %llu, recounted %lld %llu",
			    (long long)q->avg_vruntime, (unsigned long long)q->avg_load,
			    (long long)sum, (unsigned long long)weight);
	return 0;
}

static int check_queue(const struct sched *s, const struct rq *rq, const struct cfs_rq *q,
		       struct err *err)
{
	int rc = check_counts(s, rq, q, err);

	if (!rc && !is_flat(s) && q->nr_tree != q->nr_queued)
		rc = FAIL(err, q, "nr_tree %d, nr_queued %d", q->nr_tree, q->nr_queued);
	if (!rc && is_flat(s) && !q->my_se && q->nr_tree != q->h_nr_queued)
		rc = FAIL(err, q, "nr_tree %d, tasks %d", q->nr_tree, q->h_nr_queued);
	return rc ? rc : check_tree(s, q, err);
}

/* children before parents, and the CPU's bit */
static int check_leaf_list(const struct sched *s, const struct rq *rq, struct err *err)
{
	const struct cfs_rq *q, *later;

	list_for_each_entry(q, &rq->leaf_cfs_rq_list, leaf_node) {
		const struct cfs_rq *parent = q->my_se ? q->my_se->cfs_rq : NULL;
		bool found = !parent;

		for (later = q; !found && later->leaf_node.next != &rq->leaf_cfs_rq_list;) {
			later = list_entry(later->leaf_node.next, const struct cfs_rq, leaf_node);
			found = later == parent;
		}
		if (!found)
			return FAIL(err, q, "listed without its parent behind it%s", "");
	}
	if (mask_test(s->load_mask, rq->cpu) == list_empty(&rq->leaf_cfs_rq_list))
		return FAIL(err, &rq->cfs, "load_mask says %d", mask_test(s->load_mask, rq->cpu));
	return 0;
}

/**
 * fair_check() - every count, sum and order of one CPU's fair queues, recounted
 *
 * Return: 0, or -EINVAL with what is wrong.
 */
int fair_check(const struct sched *s, const struct rq *rq, struct err *err)
{
	const struct task_group *tg;
	const struct task *p;
	unsigned long est = 0;
	int rc;

	list_for_each_entry(p, &rq->cfs_tasks, rq_node) {
		if (!p->se.on_rq || p->se.cfs_rq->rq != rq)
			return err_set(err, -EINVAL, "cpu %d: task %d is listed but not queued",
				       rq->cpu, p->id);
		if (!p->se.sched_delayed)
			est += util_estimate(s, p);
	}
	if (feat(s, FEAT_UTIL_EST) && est != rq->cfs.util_est)
		return err_set(err, -EINVAL, "cpu %d: util_est is %lu, of its tasks %lu", rq->cpu,
			       rq->cfs.util_est, est);
	rc = check_queue(s, rq, &rq->cfs, err);
	list_for_each_entry(tg, &s->groups, node)
		if (!rc && tg->parent)
			rc = check_queue(s, rq, tg->cfs_rq[rq->cpu], err);
	return rc ? rc : check_leaf_list(s, rq, err);
}
