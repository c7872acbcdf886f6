/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * learn.c - what a pick that somebody else made shows of a queue (forced.h).
 *
 * A record doesn't tell lags, deadlines and when a late tick ended a slice. The pick of a task
 * that the queue as it is here would not have picked bounds them: the queue is changed by as
 * little as lets it make that pick, and goes on from there.
 */
#include "sched/fair/fair.h"

#define LEARN_ROUNDS 8 /* more entities than that don't stand before the one picked, as a rule */

void eevdf_lag_unseen(const struct sched *s, struct sched_entity *se)
{
	se->slack = (s64)vtime(max(2 * s->base_slice, s->tick_ns), se);
}

/* @se, queued, is @by further in virtual time; its slice moves along */
static void shift(struct cfs_rq *cfs_rq, struct sched_entity *se, s64 by)
{
	bool in_tree = cfs_rq->vcurr != se;
	bool parity = se->vprot == se->deadline;

	if (in_tree)
		eevdf_remove(cfs_rq, se);
	se->vruntime += by;
	se->deadline += by;
	se->vprot += by;
	if (parity)
		se->vprot = se->deadline;
	if (in_tree)
		eevdf_insert(cfs_rq, se);
}

/* its lag was negative: it becomes 0 */
static void make_eligible(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	struct vsum vs = queue_vsum(cfs_rq);
	s128 key = (s128)(s64)(se->vruntime - cfs_rq->min_vruntime) * vs.weight;
	s64 others = vs.weight - (s64)se->key_weight;

	if (others > 0 && key > vs.sum)
		shift(cfs_rq, se, -(s64)((key - vs.sum) / others + 1));
}

/*
 * @a is at least by @by before where it is held to be, or @b behind that.
 *
 * Each may be off by its slack either way. What is left of both together is halved, and each
 * gets its share of the change; where there is none, half of it.
 */
static void narrow(struct sched_entity *a, struct sched_entity *b, s64 by, s64 *back, s64 *forth)
{
	s64 slack = a->slack + b->slack, all = slack > by ? (slack + by) / 2 : by, left;

	if (!slack) {
		*back = (by + 1) / 2;
		*forth = by - *back;
		return;
	}
	left = all - by; /* of both, from now on */
	*back = (s64)((s128)all * a->slack / slack);
	*forth = all - *back;
	a->slack = (s64)((s128)left * a->slack / slack);
	b->slack = left - a->slack;
}

/*
 * How far apart @a and @b have to move, each by so much and @a forth, for the lag of @a to
 * become less than 0, if it is @lag.
 */
static s64 apart(const struct cfs_rq *cfs_rq, const struct sched_entity *a,
		 const struct sched_entity *b, s64 lag)
{
	struct vsum vs = queue_vsum(cfs_rq);
	s64 w = (s64)vs.weight - (s64)a->key_weight + (s64)b->key_weight;

	return (s64)((s128)lag * (s64)vs.weight / w) + 2;
}

/*
 * @first runs and is protected, and yet @se was picked: its slice is over by now, or it isn't
 * eligible, whatever is nearer to what is known.
 */
static void leave_first(const struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *first,
			struct sched_entity *se)
{
	s64 lag = avg_vruntime(cfs_rq) - first->vruntime, by;

	if (lag >= (s64)(first->vprot - first->vruntime)) {
		eevdf_cancel_protection(s, first);
		return;
	}
	by = apart(cfs_rq, first, se, lag);
	shift(cfs_rq, first, by);
	shift(cfs_rq, se, -by);
}

/* @first would be picked, @se was; Return: whether anything was made of that */
static bool learn_one(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *first,
		      struct sched_entity *se)
{
	s64 ahead = se->deadline - first->deadline, back, forth;

	if (cfs_rq->next == first) {
		clear_buddies(s, cfs_rq, first);
		return true;
	}
	if (first == cfs_rq->vcurr && eevdf_protected(s, first)) {
		leave_first(s, cfs_rq, first, se);
		return true;
	}
	if (!entity_eligible(cfs_rq, se)) {
		make_eligible(cfs_rq, se);
		return true;
	}
	if (first->sched_delayed || ahead < 0)
		return false;
	narrow(se, first, ahead + 1, &back, &forth);
	shift(cfs_rq, se, -back);
	shift(cfs_rq, first, forth);
	return true;
}

void eevdf_learn_pick(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	for (int i = 0; i < LEARN_ROUNDS; i++) {
		struct sched_entity *first;
		struct eevdf_view view;

		eevdf_view_of(cfs_rq, &view);
		first = eevdf_pick(s, &view, true);
		if (first == se || !learn_one(s, cfs_rq, first, se))
			break;
	}
	eevdf_update_min_vruntime(cfs_rq);
}
