// SPDX-License-Identifier: BSD-2-Clause
/*
 * wake.c - try to wake up: where a wakee goes, and how it gets there (spec 04 §1).
 *
 * The choice among CPUs is place/'s; here is the order of things around it: a
 * wakee that is still queued or still switching out, the remote wake list, the
 * enqueue itself.
 */
#include <assert.h>

#include "sched/class.h"
#include "sched/info.h"
#include "sched/place/place.h"

/* the wakee has blocked but is still on its CPU (spec 04 §1.5) */
static void decide_on_cpu(const struct sched *s, const struct wake_query *q,
			  struct wake_decision *d)
{
	d->target = q->p->cpu;
	if (ttwu_queue_cond(s, q->cpu, q->p, d->target, true)) {
		d->path = WAKE_ON_CPU_LIST;
		d->reason = REASON_ON_CPU_LIST;
	} else {
		d->path = WAKE_SPIN;
		d->reason = REASON_SPIN;
	}
}

/* the wakee is of a class above fair */
static int select_above_fair(const struct sched *s, const struct wake_query *q,
			     struct wake_decision *d, struct sched_work *w)
{
	struct class_choice c = {.cpu = q->cpu, .cursor = -1, .w = w};
	int cpu = class_of(q->p)->select(s, q->p, false, &c);

	d->reason = c.reason;
	d->moves_cursor = c.cursor >= 0;
	d->cursor = c.cursor;
	return cpu;
}

static void decide_target(const struct sched *s, u64 now, const struct wake_query *q,
			  struct wake_decision *d)
{
	const struct task *p = q->p;

	if (p->nr_allowed > 1) {
		struct sched_work w = {.kind = WORK_SELECT};

		d->target = task_is_fair(p) ? select_task_rq_fair(s, now, q, d, &w) :
					      select_above_fair(s, q, d, &w);
		d->cost_ns = work_price(s, q->cpu, &w);
	} else {
		d->target = mask_first(p->allowed, s->words);
		d->reason = REASON_PINNED;
	}
	if (unlikely(!task_allowed(p, d->target) || !s->rq[d->target].online)) {
		d->target = select_fallback_rq(s, p->cpu, p);
		d->reason = REASON_FALLBACK;
	}
	d->path = ttwu_queue_cond(s, q->cpu, p, d->target, false) ? WAKE_LIST : WAKE_DIRECT;
}

void sched_wake_decide(const struct sched *s, u64 now, const struct wake_query *q,
		       struct wake_decision *d)
{
	struct task *p = q->p;

	*d = (struct wake_decision){.target = p->cpu, .new_recent_used = -1};
	if (p->on_rq || p->migrating) { /* a delayed one may be in the hands of a pass */
		bool asleep = p->state == TASK_SLEEPING && !p->wake_after_move; /* delayed */

		d->path = asleep ? WAKE_QUEUED : WAKE_CURRENT;
		d->reason = asleep ? REASON_STILL_QUEUED : REASON_AWAKE;
	} else if (p->state != TASK_SLEEPING) {
		d->path = WAKE_CURRENT; /* somebody else woke it first */
		d->reason = REASON_AWAKE;
	} else if (p->on_cpu) {
		decide_on_cpu(s, q, d);
	} else {
		decide_target(s, now, q, d);
	}
	EXPLAIN(s, .now = now, .cpu = q->cpu, .p = p, .step = STEP_WAKEUP, .reason = d->reason,
		.candidate = d->target, .taken = true, .final = true,
		.value = {d->path, (s64)d->cost_ns, p->cpu, q->sync, q->in_task});
}

/* what the search measured and learnt (spec 14 §2.4) */
static void apply_effects(struct sched *s, u64 now, const struct wake_query *q,
			  const struct wake_decision *d)
{
	struct rq *rq = cpu_rq(s, q->cpu);

	if (d->record_wakee)
		record_wakee(s, now, q->cpu, q->p);
	if (d->new_recent_used >= 0)
		q->p->recent_used_cpu = d->new_recent_used;
	if (d->waker_recent_used && rq->curr)
		rq->curr->recent_used_cpu = q->cpu;
	if (d->clear_idle_cores)
		s->llc[d->idle_cores_llc].has_idle_cores = false;
	if (unlikely(d->clear_asym_cores))
		s->rq[d->asym_cores_cpu].asym_shared->has_idle_cores = false;
	if (unlikely(d->moves_cursor))
		rq->distribute_cursor = d->cursor;
	if (d->prop_scan)
		sis_prop_account(s, now, rq, d->scan_ns);
}

void count_wakeup(struct rq *rq, int target)
{
	struct sched_domain *sd;

	rq->ttwu_count++;
	if (target == rq->cpu) {
		rq->ttwu_local++;
		return;
	}
	for_each_domain(rq, sd) {
		if (mask_test(sd->span, target)) {
			sd->ttwu_wake_remote++;
			return;
		}
	}
}

static void ttwu_stat(struct rq *rq, int prev, int target, bool move_affine)
{
	struct sched_domain *sd;

	count_wakeup(rq, target);
	if (move_affine) {
		sd = wake_affine_domain(rq, prev);
		if (sd)
			sd->ttwu_move_affine++;
	}
}

void sched_wake_commit(struct sched *s, u64 now, const struct wake_query *q,
		       const struct wake_decision *d, int target)
{
	struct task *p = q->p;

	s->now = now;
	if (d->path == WAKE_CURRENT || d->path == WAKE_SPIN)
		return;
	ttwu_stat(cpu_rq(s, q->cpu), p->cpu, target, d->move_affine);
	p->wake_flags = q->sync ? WF_SYNC : 0;
	if (d->path == WAKE_QUEUED)
		return;
	p->state = TASK_WAKING;
	if (d->path == WAKE_ON_CPU_LIST)
		return;
	apply_effects(s, now, q, d);
	p->wake_flags |= WF_RQ_SELECTED;
	if (unlikely(!s->rq[target].online || d->reason == REASON_FALLBACK))
		target = fall_back(s, p, target);
	if (p->cpu != target) {
		p->wake_flags |= WF_MIGRATED;
		set_task_cpu(s, p, target);
	}
}

/* enqueue, preemption check, end of an idle period (spec 04 §1.8, §1.9) */
static void ttwu_do_activate(struct sched *s, struct rq *rq, struct task *p, int from)
{
	int migrated = p->wake_flags & WF_MIGRATED ? ENQUEUE_MIGRATED : 0;

	if (unlikely(sis_cache_on(s)))
		sis_cache_wake(rq, p);
	activate_task(s, rq, p, ENQUEUE_WAKEUP | migrated);
	p->state = TASK_RUNNABLE;
	check_preempt_curr(s, rq, p, WF_TTWU | p->wake_flags, from);
	if (!task_is_fair(p))
		class_of(p)->woken(s, rq, p, from);
	if (s->k.rules.idle_stamp == STAMP_UNTIL_WAKE)
		update_avg_idle(s, rq);
}

void sched_activate(struct sched *s, u64 now, int cpu, struct task *p)
{
	struct rq *rq = living_rq(s, p);

	assert(p->state == TASK_WAKING);
	update_rq_clock(s, rq, now);
	ttwu_do_activate(s, rq, p, cpu);
}

void sched_wake_queued(struct sched *s, u64 now, int cpu, struct task *p)
{
	struct rq *rq = living_rq(s, p);

	if (p->migrating) { /* the waker waits for the queue's lock: woken at the attach */
		p->wake_after_move = true;
		return;
	}
	update_rq_clock(s, rq, now);
	if (!p->on_rq) { /* its dequeue was completed meanwhile: it wakes where it slept */
		p->state = TASK_WAKING;
		ttwu_do_activate(s, rq, p, cpu);
		return;
	}
	if (p->se.sched_delayed) {
		fair_enqueue_task(s, rq, p, ENQUEUE_DELAYED);
		info_queued(rq, p);
		if (unlikely(s->tracks))
			track_queued(s, rq, p);
		rq_update_idle(s, rq);
	}
	p->state = TASK_RUNNABLE;
	if (rq->curr != p)
		check_preempt_curr(s, rq, p, WF_TTWU | p->wake_flags, cpu);
}

bool sched_wake_list_add(struct sched *s, u64 now, int cpu, struct task *p)
{
	struct rq *rq = cpu_rq(s, p->cpu);
	bool was_empty = list_empty(&rq->wake_list);

	assert(p->state == TASK_WAKING && !p->on_wake_list);
	list_add_tail(&p->list_node, &rq->wake_list);
	p->on_wake_list = true;
	rq->ttwu_pending = true;
	rq_update_idle(s, rq);
	return was_empty;
}

int sched_wake_list_run(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);
	int nr = 0;

	update_rq_clock(s, rq, now);
	while (!list_empty(&rq->wake_list)) {
		struct task *p = list_first_entry(&rq->wake_list, struct task, list_node);

		list_del(&p->list_node);
		p->on_wake_list = false;
		p->wake_flags &= WF_MIGRATED; /* all a wake list carries (spec 04 §7) */
		ttwu_do_activate(s, rq, p, cpu);
		nr++;
	}
	rq->ttwu_pending = false;
	rq_update_idle(s, rq);
	return nr;
}
