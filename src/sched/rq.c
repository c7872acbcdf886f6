// SPDX-License-Identifier: BSD-2-Clause
/*
 * rq.c - run queues: clocks, idle masks, counts, and moving tasks on and off.
 *
 * The idle sets (machine-wide, per LLC, per core) are kept here and nowhere
 * else, through rq_update_idle(): a CPU is idle for searchers iff the switch to its
 * idle task is over, nothing is queued and no wake-up is pending (spec 00 §6,
 * 14 §2).
 */
#include <assert.h>

#include "sched/class.h"
#include "sched/info.h"

void update_rq_clock(struct sched *s, struct rq *rq, u64 now)
{
	s64 delta = (s64)(now - rq->clock);

	s->now = now;
	if (delta <= 0)
		return;
	rq->clock = now;
	rq->clock_task += delta;
	update_rq_clock_pelt(rq, delta);
}

/* the bits of @rq's core in its LLC's set of fully idle cores */
static void update_idle_core_bits(struct sched *s, struct rq *rq, bool idle)
{
	u64 *set = rq->llc->idle_core;
	bool whole = idle;

	for (int i = 0; whole && i < rq->nr_siblings; i++)
		whole = s->rq[rq->siblings[i]].idle_visible;
	if (whole == mask_test(set, rq->llc_pos))
		return;
	mask_flip(set, rq->llc_pos);
	for (int i = 0; i < rq->nr_siblings; i++) {
		const struct rq *sibling = &s->rq[rq->siblings[i]];

		/* a partition may end inside a core */
		mask_flip(sibling->llc->idle_core, sibling->llc_pos);
	}
}

void rq_idle_changed(struct sched *s, struct rq *rq)
{
	bool idle = !rq->idle_visible;

	rq->idle_visible = idle;
	rq_load_changed(rq);
	mask_flip(s->idle_mask, rq->cpu);
	if (rq->llc) {
		mask_flip(rq->llc->idle, rq->llc_pos);
		update_idle_core_bits(s, rq, idle);
	}
}

void rq_sched_idle_changed(struct sched *s, struct rq *rq)
{
	int diff = rq->sched_idle_visible ? -1 : 1;

	rq->sched_idle_visible = !rq->sched_idle_visible;
	s->nr_sched_idle += diff;
	if (rq->llc) {
		mask_flip(rq->llc->sched_idle, rq->llc_pos);
		rq->llc->nr_sched_idle += diff;
	}
}

/* ---- asking a CPU to schedule ---- */

void sched_push_out(struct sched *s, enum sched_out_kind kind, int cpu, int from, struct task *p,
		    u64 arg)
{
	assert(s->out_tail - s->out_head < MAX_OUT);
	s->out[s->out_tail++ % MAX_OUT] =
		(struct sched_out){.kind = kind, .cpu = cpu, .from = from, .p = p, .arg = arg};
}

bool sched_next_out(struct sched *s, struct sched_out *out)
{
	if (s->out_head == s->out_tail)
		return false;
	*out = s->out[s->out_head++ % MAX_OUT];
	return true;
}

void resched_curr(struct sched *s, struct rq *rq, int from)
{
	if (rq->need_resched)
		return;
	rq->need_resched = true;
	sched_push_out(s, OUT_RESCHED, rq->cpu, from, NULL, 0);
}

void resched_curr_lazy(struct sched *s, struct rq *rq, int from)
{
	bool idle = !rq->curr && !rq->stop_running;

	if (s->k.rules.resched == RESCHED_NOW || idle) {
		resched_curr(s, rq, from);
		return;
	}
	if (rq->need_resched || rq->need_resched_lazy)
		return;
	rq->need_resched_lazy = true;
	sched_push_out(s, OUT_RESCHED_LAZY, rq->cpu, from, NULL, 0);
}

/* ---- on and off the queue ---- */

/* a task that sits where it may not: the stopper takes it away (spec 09 §4) */
static void leave_forbidden_cpu(struct sched *s, struct rq *rq, struct task *p)
{
	p->migration_pending = true;
	sched_push_out(s, OUT_STOP_MIGRATE, rq->cpu, rq->cpu, p, select_fallback_rq(s, rq->cpu, p));
}

void activate_task(struct sched *s, struct rq *rq, struct task *p, int flags)
{
	if (p->migrating)
		flags |= ENQUEUE_MIGRATED;
	if (task_is_fair(p)) {
		fair_enqueue_task(s, rq, p, flags);
		if (unlikely(rq->nr_above_fair))
			server_start(s, rq, rq->clock);
	} else {
		class_of(p)->enqueue(s, rq, p, flags);
	}
	p->on_rq = true;
	p->migrating = false;
	if (!(flags & ENQUEUE_RESTORE))
		info_queued(rq, p);
	if (unlikely(s->tracks))
		track_queued(s, rq, p);
	rq_update_idle(s, rq);
	if (unlikely(!task_allowed(p, rq->cpu)))
		leave_forbidden_cpu(s, rq, p);
}

bool deactivate_task(struct sched *s, struct rq *rq, struct task *p, int flags)
{
	bool gone = true;

	if (!(flags & DEQUEUE_SAVE))
		info_dequeued(rq, p);
	if (unlikely(s->tracks))
		track_dequeued(s, rq, p, flags);
	if (!(flags & (DEQUEUE_SLEEP | DEQUEUE_SAVE)))
		p->migrating = true;
	if (task_is_fair(p))
		gone = fair_dequeue_task(s, rq, p, flags);
	else
		class_of(p)->dequeue(s, rq, p, flags);
	if (gone)
		p->on_rq = false;
	rq_update_idle(s, rq);
	return gone;
}

void track_queued(struct sched *s, struct rq *rq, struct task *p)
{
	if (!p->se.sched_delayed) /* one that moves, asleep in all but name */
		uclamp_rq_inc(s, rq, p);
	if (s->tracks & TRACK_PSI)
		psi_queued(s, rq, p);
}

void track_dequeued(struct sched *s, struct rq *rq, struct task *p, int flags)
{
	uclamp_rq_dec(s, rq, p);
	/* a sleeper is told of when it is switched out */
	if (s->tracks & TRACK_PSI && !(flags & (DEQUEUE_SLEEP | DEQUEUE_SAVE)))
		psi_moves(s, p);
}

void check_preempt_curr(struct sched *s, struct rq *rq, struct task *p, int flags, int from)
{
	struct task *curr = rq->curr;

	if (rq->stop_running) /* a higher class */
		return;
	if (!curr)
		resched_curr(s, rq, from);
	else if (curr->state != TASK_RUNNABLE) /* one that blocks is leaving anyway */
		return;
	else if (unlikely(rq->nr_above_fair && rq->need_resched && task_is_fair(p)) &&
		 s->k.rules.preempt_next_class)
		return;
	else if (likely(task_is_fair(p) && task_is_fair(curr)))
		fair_check_preempt(s, rq, p, flags, from);
	else if (p->class_id > curr->class_id)
		resched_curr(s, rq, from);
	else if (p->class_id == curr->class_id)
		class_of(p)->check_preempt(s, rq, p, from);
}

void set_task_cpu(struct sched *s, struct task *p, int cpu)
{
	if (p->cpu != cpu && p->state != TASK_NEW) {
		if (s->host.migrate)
			s->host.migrate(s->host.ctx, p, p->cpu, cpu);
		if (task_is_fair(p))
			fair_migrate_task_rq(s, p, cpu);
		else if (p->class_id == CLASS_DL)
			dl_leave_cpu(s, p);
		if (unlikely(p->psi_flags)) /* asleep, for I/O or memory */
			psi_moves(s, p);
	}
	p->cpu = cpu;
	p->migration_pending = false;
	p->se.cfs_rq = p->tg->cfs_rq[cpu];
	p->se.parent = p->tg->se[cpu];
	p->se.depth = p->se.parent ? p->se.parent->depth + 1 : 0;
}

void update_avg_idle(struct sched *s, struct rq *rq)
{
	s64 delta = (s64)(rq->clock - rq->idle_stamp) - (s64)rq->avg_idle;
	u64 max_avg = 2 * rq->max_idle_balance_cost;

	if (!rq->idle_stamp)
		return;
	rq->avg_idle = min(rq->avg_idle + delta / 8, max_avg);
	if (feat(s, FEAT_SIS_PROP)) {
		rq->wake_stamp = rq->clock;
		rq->wake_avg_idle = rq->avg_idle / 2;
	}
	rq->idle_stamp = 0;
}
