/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cfs.c - one queue of the completely fair scheduler, up to 6.5 (spec 02 §4).
 *
 * Entities are ordered by vruntime; the running one is kept outside the tree.
 */
#include "sched/fair/fair.h"

static inline bool before(u64 a, u64 b)
{
	return (s64)(a - b) < 0;
}

void cfs_insert(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	struct rb_node **link = &cfs_rq->tasks_timeline.root, *parent = NULL;

	if (!*link) {
		rb_insert_first(&cfs_rq->tasks_timeline, &se->run_node);
		return;
	}
	while (*link) {
		parent = *link;
		if (before(se->vruntime, rb_entity(parent)->vruntime))
			link = &parent->left;
		else
			link = &parent->right;
	}
	rb_insert(&cfs_rq->tasks_timeline, &se->run_node, parent, link, NULL);
}

void cfs_remove(struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	if (!rb_erase_only(&cfs_rq->tasks_timeline, &se->run_node))
		rb_erase(&cfs_rq->tasks_timeline, &se->run_node, NULL);
}

/* the smallest vruntime of the queue, but never backwards (spec 02 §4.1) */
void cfs_update_min_vruntime(struct cfs_rq *cfs_rq)
{
	const struct sched_entity *curr = cfs_rq->curr, *first = first_entity(cfs_rq);
	u64 v = cfs_rq->min_vruntime;

	if (curr && curr->on_rq) {
		v = curr->vruntime;
		if (first && before(first->vruntime, v))
			v = first->vruntime;
	} else if (first) {
		v = first->vruntime;
	}
	if (before(cfs_rq->min_vruntime, v))
		cfs_rq->min_vruntime = v;
}

/* in which every one of @nr tasks is to run once (spec 02 §4.2) */
static u64 sched_period(const struct sched *s, u64 nr)
{
	u64 gran = max(s->sysctl_min_granularity, (u64)1);
	u64 nr_latency = (s->sysctl_latency + gran - 1) / gran;

	return nr > nr_latency ? nr * s->sysctl_min_granularity : s->sysctl_latency;
}

/**
 * sched_slice() - wall time @se is to run before others do, ns (spec 02 §4.3)
 */
u64 sched_slice(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se)
{
	bool others_matter = se_is_idle(se) && cfs_rq->nr_idle != cfs_rq->nr_queued;
	int nr = feat(s, FEAT_ALT_PERIOD) ? cfs_rq->rq->cfs.h_nr_queued : cfs_rq->nr_queued;
	u64 slice = sched_period(s, nr + !se->on_rq);

	for_each_sched_entity(se) {
		struct load_weight *load = &se->cfs_rq->load, with_se;

		if (unlikely(!se->on_rq)) {
			with_se.weight = load->weight + se->load.weight;
			with_se.inv_weight = 0;
			with_se.truncates = load->truncates;
			load = &with_se;
		}
		if (!load->inv_weight)
			load->inv_weight = weight_inverse(load);
		slice = scaled_delta(slice, load_down(&se->load), load->inv_weight);
	}
	if (feat(s, FEAT_BASE_SLICE))
		slice = max(slice, others_matter ? s->sysctl_idle_min_granularity :
						   s->sysctl_min_granularity);
	return slice;
}

/* a sleep so long that vruntimes can't be compared any more (spec 02 §4.5) */
static bool long_sleeper(const struct sched *s, const struct cfs_rq *cfs_rq,
			 const struct sched_entity *se)
{
	s64 slept = cfs_rq->rq->clock_task - se->exec_start;

	return s->k.rules.long_sleepers && se->exec_start && slept > (s64)(INT64_MAX / 1024);
}

void cfs_place_entity(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *se, bool initial)
{
	u64 v = cfs_rq->min_vruntime;

	if (initial) {
		if (feat(s, FEAT_START_DEBIT))
			v += vtime(sched_slice(s, cfs_rq, se), se);
	} else {
		u64 credit = se_is_idle(se) ? s->sysctl_min_granularity : s->sysctl_latency;

		if (feat(s, FEAT_GENTLE_FAIR_SLEEPERS))
			credit /= 2;
		v -= credit;
	}
	if (before(se->vruntime, v) || long_sleeper(s, cfs_rq, se))
		se->vruntime = v;
}

/* 1: @se leads @curr by more than a wake-up needs; 0: it leads; -1: it doesn't */
static int lead(const struct sched *s, u64 curr_v, const struct sched_entity *se, u64 se_v)
{
	s64 diff = curr_v - se_v;

	if (diff <= 0)
		return -1;
	return diff > (s64)vtime(s->sysctl_wakeup_granularity, se);
}

bool cfs_should_preempt(const struct sched *s, const struct sched_entity *curr,
			const struct sched_entity *se)
{
	return lead(s, curr->vruntime, se, se->vruntime) == 1;
}

/**
 * cfs_pick() - the next entity of one queue (spec 02 §4.8)
 * @curr_v: vruntime of cfs_rq->curr, as it is or as a peek expects it
 */
struct sched_entity *cfs_pick(const struct sched *s, const struct cfs_rq *cfs_rq, u64 curr_v)
{
	struct sched_entity *curr = cfs_rq->curr, *left = first_entity(cfs_rq), *se;
	u64 left_v;

	if (curr && !curr->on_rq)
		curr = NULL;
	if (!left || (curr && before(curr_v, left->vruntime)))
		left = curr;
	if (!left)
		return NULL;
	left_v = left == curr ? curr_v : left->vruntime;
	se = left;

	if (unlikely(cfs_rq->skip == left)) {
		struct sched_entity *second;

		if (left == curr)
			second = first_entity(cfs_rq);
		else
			second = rb_entity(rb_next(&left->run_node));
		if (left != curr && (!second || (curr && before(curr_v, second->vruntime))))
			second = curr;
		if (second &&
		    lead(s, second == curr ? curr_v : second->vruntime, left, left_v) < 1)
			se = second;
	}
	if (cfs_rq->next && lead(s, cfs_rq->next == curr ? curr_v : cfs_rq->next->vruntime, left,
				 left_v) < 1)
		se = cfs_rq->next;
	else if (cfs_rq->last && lead(s, cfs_rq->last == curr ? curr_v : cfs_rq->last->vruntime,
				      left, left_v) < 1)
		se = cfs_rq->last;
	return se;
}

/* the running entity at a tick: its slice may be over (spec 02 §4.4) */
void cfs_tick(struct sched *s, struct cfs_rq *cfs_rq, struct sched_entity *curr)
{
	u64 slice = sched_slice(s, cfs_rq, curr);
	u64 ran = curr->sum_exec_runtime - curr->prev_sum_exec_runtime;
	const struct sched_entity *first;

	if (ran > slice) {
		resched_curr(s, cfs_rq->rq, cfs_rq->rq->cpu);
		/* or a buddy would be picked over those who waited */
		clear_buddies(s, cfs_rq, curr);
		return;
	}
	if (ran < s->sysctl_min_granularity)
		return;
	first = first_entity(cfs_rq);
	if (first && (s64)(curr->vruntime - first->vruntime) > (s64)slice)
		resched_curr(s, cfs_rq->rq, cfs_rq->rq->cpu);
}
