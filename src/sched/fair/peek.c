/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * peek.c - whom fair_pick_task() would choose, without effects.
 *
 * A pick accounts the running task first and takes delayed entities out of the
 * queue until it meets another one. A peek reckons with the run time that isn't
 * accounted yet, and leaves those entities out one by one: each call of
 * peek_without() adds one to a list on the stack. Shares that a real dequeue
 * would change on the way are taken as they are.
 */
#include "sched/fair/fair.h"

struct gone {
	const struct sched_entity *se;
	const struct gone *before;
};

static bool is_gone(const struct gone *gone, const struct sched_entity *se)
{
	for (; gone; gone = gone->before)
		if (gone->se == se)
			return true;
	return false;
}

static u64 unaccounted(const struct sched_entity *curr, u64 clock_task)
{
	s64 delta = clock_task - curr->exec_start;

	return delta > 0 ? delta : 0;
}

/* what update_curr() would make of the running entity */
static void project_curr(const struct sched *s, struct eevdf_view *view, u64 clock_task)
{
	const struct sched_entity *curr = view->curr;
	u64 ran = unaccounted(curr, clock_task), v;
	bool over;

	if (!ran)
		return;
	v = curr->vruntime + vtime(ran, curr);
	view->vs.sum += (s128)(s64)(v - curr->vruntime) * (s64)curr->key_weight;
	view->curr_v = v;
	over = (s64)(v - curr->deadline) >= 0;
	if (over)
		view->curr_deadline =
			v + vtime(curr->custom_slice ? curr->slice : s->base_slice, curr);
	/* a slice that is over takes the buddy mark along */
	if (view->next != curr || view->nr < 2)
		return;
	if (s->k.rules.protection == PROTECT_DEADLINE)
		over |= feat(s, FEAT_PREEMPT_SHORT) && curr->vprot != view->curr_deadline &&
			!eevdf_view_eligible(view, curr);
	else
		over |= !eevdf_view_protected(s, view);
	if (over)
		view->next = NULL;
}

/* leaves out what is gone; Return: whether anything is */
static bool exclude(const struct sched *s, struct eevdf_view *view, const struct gone *gone)
{
	int nr = view->nr;

	for (; gone; gone = gone->before) {
		const struct sched_entity *se = gone->se;
		u64 v = se == view->curr ? view->curr_v : se->vruntime;

		if (tree_of(s, se) != view->cfs_rq)
			continue;
		view->vs.sum -= vsum_part(view->cfs_rq, v, se->key_weight);
		view->vs.weight -= se->key_weight;
		view->nr--;
		if (view->next == se)
			view->next = NULL;
		if (view->curr == se)
			view->curr = NULL;
	}
	return view->nr != nr;
}

/* eevdf_pick() where some entities of the tree don't count */
static struct sched_entity *pick_among_rest(const struct sched *s, const struct eevdf_view *view,
					    const struct gone *gone)
{
	struct sched_entity *curr = view->curr, *first = NULL;

	if (!view->nr)
		return NULL;
	if (view->nr > 1 && view->next && feat(s, FEAT_PICK_BUDDY) &&
	    eevdf_view_eligible(view, view->next))
		return view->next;
	if (curr && (view->nr == 1 || (eevdf_view_eligible(view, curr) &&
				       eevdf_view_protected(s, view))))
		return curr;
	if (curr && !eevdf_view_eligible(view, curr))
		curr = NULL;
	for (struct rb_node *n = rb_first(&view->cfs_rq->tasks_timeline); n; n = rb_next(n)) {
		struct sched_entity *se = rb_entity(n);

		if (is_gone(gone, se))
			continue;
		if (view->nr == 1)
			return se;
		if (!first && eevdf_view_eligible(view, se))
			first = se;
	}
	if (!first || (curr && (s64)(view->curr_deadline - first->deadline) < 0))
		return curr;
	return first;
}

/* by which rule of its queue @se was chosen */
static int cfs_reason(const struct cfs_rq *cfs_rq, const struct sched_entity *se, u64 curr_v)
{
	const struct sched_entity *curr = cfs_rq->vcurr, *left = first_entity(cfs_rq);

	if (cfs_rq->nr_queued == 1)
		return REASON_PICK_ONLY;
	if (curr && curr->on_rq && (!left || (s64)(curr_v - left->vruntime) < 0))
		left = curr;
	if (se == left)
		return REASON_PICK_LEFTMOST;
	if (se == cfs_rq->next)
		return REASON_PICK_BUDDY;
	return se == cfs_rq->last ? REASON_PICK_LAST : REASON_PICK_SECOND;
}

static int eevdf_reason(const struct sched *s, const struct eevdf_view *view,
			const struct sched_entity *se)
{
	bool obeyed = feat(s, FEAT_NEXT_BUDDY) || feat(s, FEAT_PICK_BUDDY);

	if (view->nr == 1)
		return REASON_PICK_ONLY;
	if (!eevdf_view_eligible(view, se))
		return REASON_PICK_LEFTMOST;
	if (se == view->next && obeyed)
		return REASON_PICK_BUDDY;
	if (se == view->curr && eevdf_view_protected(s, view))
		return REASON_PICK_PROTECTED;
	return REASON_PICK_DEADLINE;
}

static struct sched_entity *peek_eevdf(const struct sched *s, const struct eevdf_view *view,
				       const struct gone *gone, bool some_gone)
{
	if (view->nr && view->next && feat(s, FEAT_NEXT_BUDDY) &&
	    eevdf_view_eligible(view, view->next))
		return view->next;
	return some_gone ? pick_among_rest(s, view, gone) : eevdf_pick(s, view, true);
}

/* @reason follows if there was a choice */
static struct sched_entity *peek_entity(const struct sched *s, const struct cfs_rq *cfs_rq,
					u64 clock_task, const struct gone *gone, int *reason)
{
	struct eevdf_view view;
	struct sched_entity *se;
	bool some_gone;
	int why;

	if (is_cfs(s)) {
		const struct sched_entity *curr = cfs_rq->vcurr;
		u64 v = curr ? curr->vruntime : 0;

		if (curr && curr->on_rq)
			v += vtime(unaccounted(curr, clock_task), curr);
		se = cfs_pick(s, cfs_rq, v);
		why = se ? cfs_reason(cfs_rq, se, v) : REASON_PICK_IDLE;
	} else {
		eevdf_view_of(cfs_rq, &view);
		if (view.curr)
			project_curr(s, &view, clock_task);
		some_gone = exclude(s, &view, gone);
		se = peek_eevdf(s, &view, gone, some_gone);
		why = se ? eevdf_reason(s, &view, se) : REASON_PICK_IDLE;
	}
	if (se && why != REASON_PICK_ONLY)
		*reason = why;
	return se;
}

static const struct task *peek_without(const struct sched *s, const struct rq *rq, u64 clock_task,
				       const struct gone *gone, int *reason)
{
	const struct cfs_rq *cfs_rq = &rq->cfs;
	const struct sched_entity *se = NULL;
	struct gone one_more = { NULL, gone };

	*reason = REASON_PICK_IDLE;
	if (!cfs_rq->nr_queued)
		return NULL;
	*reason = REASON_PICK_ONLY;
	do {
		se = peek_entity(s, cfs_rq, clock_task, gone, reason);
		if (!se && !cfs_rq->my_se)
			return NULL;
		if (!se || se->sched_delayed) {
			/* a queue that became empty: its entity leaves */
			one_more.se = se ? se : cfs_rq->my_se;
			return peek_without(s, rq, clock_task, &one_more, reason);
		}
		cfs_rq = se->my_q;
	} while (cfs_rq);
	return container_of(se, const struct task, se);
}

const struct task *fair_pick_why(const struct sched *s, const struct rq *rq, u64 clock_task,
				 int *reason)
{
	const struct task *p = peek_without(s, rq, clock_task, NULL, reason);

	if (!p)
		*reason = REASON_PICK_IDLE;
	return p;
}

const struct task *fair_pick_peek_at(const struct sched *s, const struct rq *rq, u64 clock_task)
{
	int reason;

	return fair_pick_why(s, rq, clock_task, &reason);
}

const struct task *fair_pick_peek(const struct sched *s, const struct rq *rq)
{
	return fair_pick_peek_at(s, rq, rq->clock_task);
}
