/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * eevdf.c - one queue of earliest eligible virtual deadline first, from 6.6
 * (spec 02 §5, 16 §4).
 *
 * The tree is ordered by deadline and knows the smallest vruntime of every
 * subtree. S and W are kept for the entities in it relative to v0, which is
 * min_vruntime; the running entity is added where they are asked for.
 */
#include "sched/fair/fair.h"

static inline bool before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

static inline u64 earlier(u64 a, u64 b)
{
	return before(b, a) ? b : a;
}

/* ---- the tree ---- */

static u64 subtree_min_vruntime(const struct sched_entity *se)
{
	const struct rb_node *n = &se->run_node;
	u64 v = se->vruntime;

	if (n->left)
		v = earlier(v, rb_entity(n->left)->min_vruntime);
	if (n->right)
		v = earlier(v, rb_entity(n->right)->min_vruntime);
	return v;
}

static bool augment(struct rb_node *n)
{
	struct sched_entity *se = rb_entity(n);
	u64 v = subtree_min_vruntime(se), lo = se->slice, hi = se->slice;
	bool changed;

	if (n->left) {
		const struct sched_entity *l = rb_entity(n->left);

		lo = min(lo, l->min_slice);
		hi = max(hi, l->max_slice);
	}
	if (n->right) {
		const struct sched_entity *r = rb_entity(n->right);

		lo = min(lo, r->min_slice);
		hi = max(hi, r->max_slice);
	}
	changed = v != se->min_vruntime || lo != se->min_slice || hi != se->max_slice;
	se->min_vruntime = v;
	se->min_slice = lo;
	se->max_slice = hi;
	return changed;
}

/* the same where all slices are equal, as they are unless somebody asked for his own */
static bool augment_vruntime(struct rb_node *n)
{
	struct sched_entity *se = rb_entity(n);
	u64 v = subtree_min_vruntime(se), old = se->min_vruntime;

	se->min_vruntime = v;
	return v != old;
}

static inline bool slices_equal(const struct sched_entity *root)
{
	return root->min_slice == root->max_slice;
}

void eevdf_insert(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	struct rb_node **link = &cfs_rq->tasks_timeline.root, *parent = NULL;
	const struct sched_entity *root = rb_entity(*link);

	cfs_rq->avg_vruntime += vsum_part(cfs_rq, se->vruntime, se->key_weight);
	cfs_rq->avg_load += se->key_weight;
	se->min_vruntime = se->vruntime;
	se->min_slice = se->max_slice = se->slice;
	if (!root) {
		rb_insert_first(&cfs_rq->tasks_timeline, &se->run_node);
		return;
	}
	while (*link) {
		parent = *link;
		if (before(se->deadline, rb_entity(parent)->deadline))
			link = &parent->left;
		else
			link = &parent->right;
	}
	if (likely(slices_equal(root) && root->min_slice == se->slice))
		rb_insert(&cfs_rq->tasks_timeline, &se->run_node, parent, link, augment_vruntime);
	else
		rb_insert(&cfs_rq->tasks_timeline, &se->run_node, parent, link, augment);
}

void eevdf_remove(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	if (rb_erase_only(&cfs_rq->tasks_timeline, &se->run_node)) {
		cfs_rq->avg_vruntime = cfs_rq->avg_load = 0;
		return;
	}
	if (likely(slices_equal(rb_entity(cfs_rq->tasks_timeline.root))))
		rb_erase(&cfs_rq->tasks_timeline, &se->run_node, augment_vruntime);
	else
		rb_erase(&cfs_rq->tasks_timeline, &se->run_node, augment);
	cfs_rq->avg_vruntime -= vsum_part(cfs_rq, se->vruntime, se->key_weight);
	cfs_rq->avg_load -= se->key_weight;
}

/* the slice of an entity in the tree is another */
void eevdf_slice_changed(struct sched_entity *se)
{
	rb_update(&se->run_node, augment);
}

static inline const struct sched_entity *root_entity(const struct cfs_rq *cfs_rq)
{
	return rb_entity(cfs_rq->tasks_timeline.root);
}

/* the running entity, if it is still queued */
static inline struct sched_entity *queued_curr(const struct cfs_rq *cfs_rq)
{
	struct sched_entity *curr = cfs_rq->vcurr;

	return curr && curr->on_rq ? curr : NULL;
}

u64 queue_min_slice(const struct cfs_rq *cfs_rq)
{
	const struct sched_entity *curr = queued_curr(cfs_rq), *root = root_entity(cfs_rq);
	u64 slice = curr ? curr->slice : UINT64_MAX;

	return root ? min(slice, root->min_slice) : slice;
}

static u64 queue_max_slice(const struct cfs_rq *cfs_rq)
{
	const struct sched_entity *curr = queued_curr(cfs_rq), *root = root_entity(cfs_rq);
	u64 slice = curr ? curr->slice : 0;

	return root ? max(slice, root->max_slice) : slice;
}

/* ---- V, eligibility, lag ---- */

struct vsum queue_vsum(const struct cfs_rq *cfs_rq)
{
	const struct sched_entity *curr = queued_curr(cfs_rq);
	struct vsum vs = { cfs_rq->avg_vruntime, cfs_rq->avg_load };

	if (curr) {
		vs.sum += vsum_part(cfs_rq, curr->vruntime, curr->key_weight);
		vs.weight += curr->key_weight;
	}
	return vs;
}

/* toward -oo; @b > 0 */
static s64 div_floor(s128 a, s64 b)
{
	if (likely(a == (s64)a))
		return (s64)a / b - ((s64)a % b < 0);
	return (s64)(a / b) - (a % b < 0);
}

static u64 vsum_avg(const struct cfs_rq *cfs_rq, struct vsum vs)
{
	return cfs_rq->min_vruntime + (vs.weight ? div_floor(vs.sum, vs.weight) : 0);
}

u64 avg_vruntime(const struct cfs_rq *cfs_rq)
{
	return vsum_avg(cfs_rq, queue_vsum(cfs_rq));
}

/* v <= V without rounding (spec 02 §5.2) */
static inline bool vsum_eligible(const struct cfs_rq *cfs_rq, struct vsum vs, u64 v)
{
	return vs.sum >= (s128)(s64)(v - cfs_rq->min_vruntime) * vs.weight;
}

bool entity_eligible(const struct cfs_rq *cfs_rq, const struct sched_entity *se)
{
	return vsum_eligible(cfs_rq, queue_vsum(cfs_rq), se->vruntime);
}

/* v0 follows the smallest vruntime, so that the products stay small; V doesn't change */
void eevdf_update_min_vruntime(struct cfs_rq *cfs_rq)
{
	const struct sched_entity *curr = queued_curr(cfs_rq), *root = root_entity(cfs_rq);
	s64 delta;
	u64 v;

	if (curr)
		v = root ? earlier(curr->vruntime, root->min_vruntime) : curr->vruntime;
	else if (root)
		v = root->min_vruntime;
	else
		return;
	delta = v - cfs_rq->min_vruntime;
	if (delta <= 0)
		return;
	cfs_rq->avg_vruntime -= (s128)delta * (s64)cfs_rq->avg_load;
	cfs_rq->min_vruntime = v;
}

static u64 default_slice(const struct sched *s, const struct sched_entity *se)
{
	return se->custom_slice ? se->slice : s->base_slice;
}

/* spec 02 §5.3 */
bool eevdf_update_deadline(const struct sched *s, struct sched_entity *se)
{
	if (before(se->vruntime, se->deadline))
		return false;
	se->slice = default_slice(s, se);
	se->deadline = se->vruntime + vtime(se->slice, se);
	return true;
}

/* how far a task may be ahead or behind when it leaves (spec 02 §5.5, 16 §4.2) */
static s64 lag_limit(const struct sched *s, const struct cfs_rq *cfs_rq,
		     const struct sched_entity *se)
{
	if (s->k.rules.lag_limit == LAG_MAX_SLICE_TICK)
		return vtime(queue_max_slice(cfs_rq) + s->tick_ns, se);
	return vtime(max(2 * se->slice, s->tick_ns), se);
}

/* @se is queued beside others */
void eevdf_measure_lag(const struct sched *s, const struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	s64 lag = avg_vruntime(cfs_rq) - se->vruntime;
	s64 limit = lag_limit(s, cfs_rq, se);

	se->vlag = clamp(lag, -limit, limit);
}

/**
 * eevdf_place_entity() - vruntime and deadline of an entity about to be queued (spec 02 §5.6)
 *
 * The lag is scaled up by what the entity's own arrival does to the average.
 */
void eevdf_place_entity(const struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se,
			int flags)
{
	struct vsum vs = queue_vsum(cfs_rq);
	s64 lag = 0, w = se->key_weight;
	u64 vslice;

	se->slice = default_slice(s, se);
	vslice = vtime(se->slice, se);

	if (se->vlag && vs.weight && feat(s, FEAT_PLACE_LAG)) {
		if (is_flat(s))
			lag = se->vlag + se->vlag * w / vs.weight;
		else
			lag = se->vlag * (vs.weight + w) / vs.weight;
	}
	if (!vs.weight)
		se->slack = 0;
	se->vruntime = vsum_avg(cfs_rq, vs) - lag;

	if (se->rel_deadline && feat(s, FEAT_PLACE_REL_DEADLINE)) {
		se->deadline += se->vruntime;
		se->rel_deadline = false;
		return;
	}
	se->rel_deadline = false;
	if ((flags & ENQUEUE_INITIAL) && feat(s, FEAT_PLACE_DEADLINE_INITIAL))
		vslice /= 2;
	se->deadline = se->vruntime + vslice;
}

/* ---- protection of the running entity (spec 02 §5.8, 16 §4.4-5) ---- */

bool eevdf_protected(const struct sched *s, const struct sched_entity *se)
{
	if (s->k.rules.protection == PROTECT_DEADLINE)
		return feat(s, FEAT_RUN_TO_PARITY) && se->vprot == se->deadline;
	return before(se->vruntime, se->vprot);
}

/* 7.3: until the entity stops being eligible; the others' average doesn't move meanwhile */
static u64 end_of_eligibility(const struct cfs_rq *cfs_rq)
{
	struct vsum others = { cfs_rq->avg_vruntime, cfs_rq->avg_load };

	return vsum_avg(cfs_rq, others) + 1;
}

/* @se begins to run; it has left the tree */
void eevdf_protect(const struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	u64 slice;

	se->vprot = se->deadline;
	if (s->k.rules.protection == PROTECT_DEADLINE)
		return;
	slice = feat(s, FEAT_RUN_TO_PARITY) ? queue_min_slice(cfs_rq) : s->base_slice_normalised;
	if (slice >= se->slice)
		return;
	if (s->k.rules.protection == PROTECT_VPROT_SHORT && feat(s, FEAT_PREEMPT_SHORT))
		se->vprot = earlier(se->deadline, end_of_eligibility(cfs_rq));
	else
		se->vprot = earlier(se->deadline, se->vruntime + vtime(slice, se));
}

void eevdf_cancel_protection(const struct sched *s, struct sched_entity *se)
{
	if (s->k.rules.protection != PROTECT_DEADLINE)
		se->vprot = se->vruntime;
	else if (se->vprot == se->deadline)
		se->vprot = se->deadline + 1;
}

/* a shorter slice was queued beside @se, which goes on running */
void eevdf_shorten_protection(const struct sched *s, struct cfs_rq *cfs_rq,
			      struct sched_entity *se)
{
	u64 from = se->vruntime;

	if (!feat(s, FEAT_RUN_TO_PARITY) || s->k.rules.protection == PROTECT_DEADLINE)
		return;
	if (s->k.rules.protection == PROTECT_VPROT_SHORT)
		from = earlier(from, avg_vruntime(cfs_rq));
	se->vprot = earlier(se->vprot, from + vtime(queue_min_slice(cfs_rq), se));
}

/* ---- choosing (spec 02 §5.7, 16 §4.3) ---- */

void eevdf_view_of(const struct cfs_rq *cfs_rq, struct eevdf_view *view)
{
	struct sched_entity *curr = queued_curr(cfs_rq);

	view->cfs_rq = cfs_rq;
	view->vs = queue_vsum(cfs_rq);
	view->curr = curr;
	view->next = cfs_rq->next;
	view->nr = cfs_rq->nr_tree;
	if (curr) {
		view->curr_v = curr->vruntime;
		view->curr_deadline = curr->deadline;
		view->curr_vprot = curr->vprot;
	}
}

static inline bool v_eligible(const struct eevdf_view *view, u64 v)
{
	return vsum_eligible(view->cfs_rq, view->vs, v);
}

bool eevdf_view_eligible(const struct eevdf_view *view, const struct sched_entity *se)
{
	return v_eligible(view, se == view->curr ? view->curr_v : se->vruntime);
}

bool eevdf_view_protected(const struct sched *s, const struct eevdf_view *view)
{
	if (s->k.rules.protection == PROTECT_DEADLINE)
		return feat(s, FEAT_RUN_TO_PARITY) && view->curr_vprot == view->curr_deadline;
	return before(view->curr_v, view->curr_vprot);
}

/* of the eligible entities in the tree the one with the earliest deadline */
static struct sched_entity *first_eligible(const struct eevdf_view *view)
{
	struct rb_node *n = view->cfs_rq->tasks_timeline.root;
	struct sched_entity *first = first_entity(view->cfs_rq);

	if (first && v_eligible(view, first->vruntime))
		return first;
	while (n) {
		if (n->left && v_eligible(view, rb_entity(n->left)->min_vruntime)) {
			n = n->left;
			continue;
		}
		if (v_eligible(view, rb_entity(n)->vruntime))
			return rb_entity(n);
		n = n->right;
	}
	return NULL;
}

/**
 * eevdf_pick() - the next entity of one queue, which isn't empty
 * @protect: obey the buddy and the running entity's protection
 */
struct sched_entity *eevdf_pick(const struct sched *s, const struct eevdf_view *view, bool protect)
{
	struct sched_entity *next = view->next, *curr = view->curr, *best;

	if (view->nr == 1)
		return curr ? curr : first_entity(view->cfs_rq);
	if (next && protect && feat(s, FEAT_PICK_BUDDY) && eevdf_view_eligible(view, next))
		return next;
	if (curr && !v_eligible(view, view->curr_v))
		curr = NULL;
	if (curr && protect && eevdf_view_protected(s, view))
		return curr;
	best = first_eligible(view);
	if (!best || (curr && before(view->curr_deadline, best->deadline)))
		best = curr;
	/* somebody is at or before the average, always */
	return best ? best : first_entity(view->cfs_rq);
}
