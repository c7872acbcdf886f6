/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preempt.c - when the running task has to make room: a wake-up, a tick, the end
 * of its slice, its own wish.
 */
#include "sched/fair/fair.h"

/* both entities up to where they meet on one queue */
static void find_matching_se(struct sched_entity **a, struct sched_entity **b)
{
	while ((*a)->depth > (*b)->depth)
		*a = (*a)->parent;
	while ((*b)->depth > (*a)->depth)
		*b = (*b)->parent;
	while ((*a)->cfs_rq != (*b)->cfs_rq) {
		*a = (*a)->parent;
		*b = (*b)->parent;
	}
}

static int nr_latency(const struct sched *s)
{
	u64 gran = max(s->sysctl_min_granularity, (u64)1);

	return (s->sysctl_latency + gran - 1) / gran;
}

static void set_last_buddy(struct sched_entity *se)
{
	for_each_sched_entity(se) {
		if (!se->on_rq || se_is_idle(se))
			return;
		se->cfs_rq->last = se;
	}
}

static void set_skip_buddy(struct sched_entity *se)
{
	for_each_sched_entity(se)
		se->cfs_rq->skip = se;
}

/* spec 02 §4.7, last part */
static bool cfs_wins(struct sched *s, struct sched_entity *curr, struct sched_entity *se)
{
	update_curr(s, curr->cfs_rq);
	if (!cfs_should_preempt(s, curr, se))
		return false;
	set_next_buddy(se);
	return true;
}

/* spec 02 §5.9 */
static bool eevdf_wins(struct sched *s, struct sched_entity *curr, struct sched_entity *se)
{
	struct cfs_rq *cfs_rq = curr->cfs_rq;
	struct eevdf_view view;

	update_curr(s, cfs_rq);
	if (feat(s, FEAT_PREEMPT_SHORT) && se->slice < curr->slice &&
	    entity_eligible(cfs_rq, se) &&
	    ((s64)(se->deadline - curr->deadline) < 0 || !entity_eligible(cfs_rq, curr)))
		eevdf_cancel_protection(s, curr);
	eevdf_view_of(cfs_rq, &view);
	if (eevdf_pick(s, &view, true) == se)
		return true;
	if (curr->on_rq)
		eevdf_shorten_protection(s, cfs_rq, curr);
	return false;
}

/* idle entities give way to others at once; Return: whether that decides, and how */
static bool idle_rule(const struct sched_entity *curr, const struct sched_entity *se, bool *wins)
{
	bool curr_idle = se_is_idle(curr), se_idle = se_is_idle(se);

	*wins = curr_idle && !se_idle;
	return curr_idle != se_idle;
}

static void check_preempt_levels(struct sched *s, struct rq *rq, struct task *p, int flags,
				 int from)
{
	struct sched_entity *curr = &rq->curr->se, *se = &p->se;
	bool cfs = is_cfs(s), wins = false;
	/* so many that a preempted task would find its cache cold */
	bool crowded = cfs && curr->cfs_rq->nr_queued >= nr_latency(s);

	if (feat(s, FEAT_NEXT_BUDDY) && (!cfs || crowded) && !(flags & WF_FORK) &&
	    !se->sched_delayed)
		set_next_buddy(se);
	if (rq->need_resched)
		return;
	wins = rq->curr->policy == POLICY_IDLE && p->policy != POLICY_IDLE;
	if (!wins && !feat(s, FEAT_WAKEUP_PREEMPTION))
		return;
	if (!wins && cfs && p->policy != POLICY_NORMAL)
		return;
	find_matching_se(&curr, &se);
	if (wins || idle_rule(curr, se, &wins)) {
		if (wins && !cfs)
			eevdf_cancel_protection(s, curr);
	} else if (p->policy == POLICY_NORMAL) {
		wins = cfs ? cfs_wins(s, curr, se) : eevdf_wins(s, curr, se);
	}
	if (!wins)
		return;
	fair_resched(s, rq, from);
	if (crowded && feat(s, FEAT_LAST_BUDDY) && curr->on_rq && entity_is_task(curr))
		set_last_buddy(curr);
}

static void check_preempt(struct sched *s, struct rq *rq, struct task *p, int flags, int from)
{
	if (is_flat(s))
		flat_check_preempt(s, rq, p, flags, from);
	else
		check_preempt_levels(s, rq, p, flags, from);
}

/* the same for who listens; virtual times of different queues can't be compared */
static void check_preempt_explained(struct sched *s, struct rq *rq, struct task *p, int flags,
				    int from)
{
	const struct sched_entity *curr = &rq->curr->se, *se = &p->se;
	bool before = rq->need_resched || rq->need_resched_lazy, same, now;

	check_preempt(s, rq, p, flags, from);
	same = is_flat(s) || curr->cfs_rq == se->cfs_rq;
	now = rq->need_resched || rq->need_resched_lazy;
	EXPLAIN(s, .now = rq->clock, .cpu = rq->cpu, .p = p, .step = STEP_PREEMPT,
		.reason = now && !before ? REASON_PREEMPTS : REASON_PREEMPTS_NOT,
		.candidate = rq->cpu, .taken = now && !before, .final = true,
		.value = {rq->curr->id, same ? (s64)(curr->vruntime - se->vruntime) : 0,
			  same ? (s64)(se->deadline - curr->deadline) : 0, before});
}

/**
 * fair_check_preempt() - @p was queued on @rq, which runs another fair task
 * @flags: WF_*
 * @from: the CPU that asks
 */
void fair_check_preempt(struct sched *s, struct rq *rq, struct task *p, int flags, int from)
{
	if (!rq->curr || rq->curr == p || p->se.cfs_rq->throttle_count)
		return;
	if (unlikely(s->sink)) {
		check_preempt_explained(s, rq, p, flags, from);
		return;
	}
	check_preempt(s, rq, p, flags, from);
}

/* ---- ticks ---- */

static void entity_tick(struct sched *s, struct rq *rq, struct sched_entity *se, bool hrtick)
{
	struct cfs_rq *cfs_rq = se->cfs_rq;

	update_curr(s, cfs_rq);
	refresh_entity(s, se);
	if (hrtick) {
		resched_curr(s, rq, rq->cpu);
		return;
	}
	if (!is_cfs(s) || cfs_rq->nr_queued < 2)
		return;
	if (rq->hrtick_armed && !feat(s, FEAT_DOUBLE_TICK))
		return;
	cfs_tick(s, cfs_rq, se);
}

/**
 * fair_task_tick() - the running task at a tick
 * @hrtick: its own timer fired: the slice is over
 */
void fair_task_tick(struct sched *s, struct rq *rq, struct task *p, bool hrtick)
{
	struct sched_entity *se = &p->se;

	if (hrtick)
		rq->hrtick_armed = false;
	if (is_flat(s))
		update_curr(s, &rq->cfs);
	for_each_sched_entity(se)
		entity_tick(s, rq, se, hrtick);
	/* one that has blocked keeps the lag it blocked with */
	if (is_flat(s) && p->se.on_rq && !p->se.sched_delayed)
		flat_update_weight(s, rq, p);
}

#define HRTICK_MIN_NS 10000ULL

/* wall time until the task's slice ends, ns; negative: it has (spec 02 §4.12, 16 §8) */
static s64 slice_left(struct sched *s, struct task *p)
{
	struct sched_entity *se = &p->se;
	s64 left;

	if (is_cfs(s))
		return (s64)sched_slice(s, se->cfs_rq, se) -
		       (s64)(se->sum_exec_runtime - se->prev_sum_exec_runtime);
	left = se->deadline - se->vruntime;
	if (se->vload.weight == NICE_0_LOAD)
		return left;
	return (s64)((s128)left * (s64)se->vload.weight / (s64)NICE_0_LOAD);
}

/* several are queued and @p is to run */
void hrtick_arm(struct sched *s, struct rq *rq, struct task *p)
{
	s64 left;

	if (!p->se.on_rq)
		return;
	if (is_cfs(s) && p->se.cfs_rq->nr_queued >= nr_latency(s))
		return;
	left = slice_left(s, p);
	if (left < 0) {
		resched_curr(s, rq, rq->cpu);
		return;
	}
	rq->hrtick_armed = true;
	sched_push_out(s, OUT_HRTICK, rq->cpu, rq->cpu, p, max((u64)left, HRTICK_MIN_NS));
}

/* ---- yield (spec 02 §4.10, §5.11) ---- */

static void yield_skip(struct sched *s, struct cfs_rq *cfs_rq, struct task *p)
{
	if (p->policy != POLICY_BATCH)
		update_curr(s, cfs_rq);
	set_skip_buddy(&p->se);
}

static void yield_deadline(struct sched *s, struct cfs_rq *cfs_rq, struct task *p)
{
	update_curr(s, cfs_rq);
	p->se.deadline += vtime(p->se.slice, &p->se);
}

static void yield_forfeit(struct sched *s, struct cfs_rq *cfs_rq, struct task *p)
{
	update_curr(s, cfs_rq);
	if (!entity_eligible(cfs_rq, &p->se))
		return;
	p->se.vruntime = p->se.deadline;
	eevdf_update_deadline(s, &p->se);
	eevdf_update_min_vruntime(cfs_rq);
}

static void (*const yield_rules[])(struct sched *, struct cfs_rq *, struct task *) = {
	[YIELD_SKIP] = yield_skip,	   /* ≤6.5 */
	[YIELD_DEADLINE] = yield_deadline, /* 6.6 */
	[YIELD_FORFEIT] = yield_forfeit,   /* late 6.12, 7.3 */
};

void fair_yield_task(struct sched *s, struct rq *rq)
{
	struct task *p = rq->curr;
	struct cfs_rq *cfs_rq;

	if (!p || rq->nr_running == 1)
		return;
	cfs_rq = tree_of(s, &p->se);
	clear_buddies(s, cfs_rq, &p->se);
	yield_rules[s->k.rules.yield](s, cfs_rq, p);
}
