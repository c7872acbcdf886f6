/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fair.c - the life of a task in the fair class: born, moved, changed.
 */
#include "sched/fair/fair.h"

/**
 * fair_init_task() - a task that was never queued
 *
 * policy, nice, cpu and tg are set; so may be a slice of its own.
 */
void fair_init_task(struct sched *s, struct task *p)
{
	bool custom = p->se.custom_slice;
	u64 slice = custom ? p->se.slice : s->base_slice;

	p->se = (struct sched_entity){ .slice = slice, .custom_slice = custom };
	/* as if it had left its queue with no lead and no delay */
	p->se.vruntime_relative = is_cfs(s);
	set_entity_load(s, &p->se, task_weight(p));
	p->se.vload = p->se.load;
	p->se.key_weight = is_flat(s) ? p->se.load.weight : scale_load_down(p->se.load.weight);
	p->se.avg.load_avg = scale_load_down(p->se.load.weight);
	p->util_est = (struct util_est){ 0 };
	p->dur_avg = 0;
	p->prev_sleep_sum_runtime = 0;
	list_init(&p->rq_node);
	set_task_rq(s, p, p->cpu);
}

/* How far a task that slept for long lies behind its queue; more than any credit is worth. */
#define LONG_ASLEEP_NS NSEC_PER_SEC

/**
 * fair_forget_past() - @p, which was never queued, has slept so long that its averages are gone
 */
void fair_forget_past(struct sched *s, struct task *p)
{
	p->se.avg.load_avg = 0;
	if (is_cfs(s))
		p->se.vruntime = -LONG_ASLEEP_NS; /* relative to the queue it wakes on */
}

/**
 * fair_task_fork() - the new task @p starts from where its parent stands on @rq
 *
 * EEVDF places it when it is queued.
 */
void fair_task_fork(struct sched *s, struct rq *rq, struct task *p)
{
	struct sched_entity *se = &p->se, *curr;
	struct cfs_rq *cfs_rq;

	if (!is_cfs(s))
		return;
	set_task_rq(s, p, rq->cpu);
	cfs_rq = se->cfs_rq;
	curr = cfs_rq->curr;
	update_curr(s, cfs_rq);
	se->vruntime = curr ? curr->vruntime : cfs_rq->min_vruntime;
	cfs_place_entity(s, cfs_rq, se, true);
	if (s->k.tunable[TUN_child_runs_first] > 0 && curr &&
	    (s64)(curr->vruntime - se->vruntime) < 0) {
		u64 v = curr->vruntime;

		curr->vruntime = se->vruntime;
		se->vruntime = v;
		resched_curr(s, rq, rq->cpu);
	}
	se->vruntime -= cfs_rq->min_vruntime;
	se->vruntime_relative = true;
	set_task_rq(s, p, p->cpu);
}

static void make_relative(struct sched *s, struct sched_entity *se)
{
	if (!is_cfs(s) || se->vruntime_relative)
		return;
	se->vruntime -= se->cfs_rq->min_vruntime;
	se->vruntime_relative = true;
}

void fair_migrate_task_rq(struct sched *s, struct task *p, int new_cpu)
{
	struct sched_entity *se = &p->se;

	if (se->cfs_rq->rq->cpu == new_cpu)
		return;
	remove_entity_load_avg(s, se);
	make_relative(s, se);
	se->exec_start = 0; /* its cache is left behind */
	set_task_rq(s, p, new_cpu);
}

/**
 * fair_change_group() - @p, which is not queued, becomes a member of @g
 *
 * Its averages go from the old queue to the new one on the same CPU. The clock of
 * that CPU's rq is up to date.
 */
void fair_change_group(struct sched *s, struct task *p, struct task_group *g)
{
	struct sched_entity *se = &p->se;
	bool attached = se->avg.last_update_time, was_relative = se->vruntime_relative;

	if (attached)
		detach_entity_cfs_rq(s, se);
	make_relative(s, se);
	p->tg = g;
	set_task_rq(s, p, p->cpu);
	if (attached)
		attach_entity_cfs_rq(s, se);
	if (is_cfs(s) && !was_relative) {
		se->vruntime += se->cfs_rq->min_vruntime;
		se->vruntime_relative = false;
	}
}

/* spec 02 §4.6: what sleeps in another class takes its lead over its old queue along */
void fair_switched_from(struct sched *s, struct task *p)
{
	p->throttled = false;
	if (p->se.avg.last_update_time)
		detach_entity_cfs_rq(s, &p->se);
	make_relative(s, &p->se);
}

/* @p sleeps: one that is queued is attached where it is enqueued */
void fair_switched_to(struct sched *s, struct task *p)
{
	attach_entity_cfs_rq(s, &p->se);
	if (is_cfs(s) && p->se.vruntime_relative) {
		p->se.vruntime += p->se.cfs_rq->min_vruntime;
		p->se.vruntime_relative = false;
	}
}

/* a queued task's policy changed to or from SCHED_IDLE */
static void recount_idle(struct sched_entity *se, bool idle)
{
	int delta = idle ? 1 : -1;

	if (!se->on_rq || se->counted_idle == idle)
		return;
	se->counted_idle = idle;
	se->cfs_rq->nr_idle += delta;
	for_each_sched_entity(se) {
		se->cfs_rq->h_nr_idle += delta;
		if (se->cfs_rq->tg->idle || se->cfs_rq->parked)
			return;
	}
}

/* by policy and nice, of a task that isn't of the class at the moment */
void fair_set_weight(struct sched *s, struct task *p)
{
	set_entity_load(s, &p->se, task_weight(p));
	pelt_recompute_load(&p->se);
}

void fair_reweight_task(struct sched *s, struct rq *rq, struct task *p)
{
	struct load_weight lw = task_weight(p);

	recount_idle(&p->se, p->policy == POLICY_IDLE);
	reweight_entity(s, p->se.cfs_rq, &p->se, lw);
	if (p->state == TASK_NEW && !p->se.avg.last_update_time)
		p->se.avg.load_avg = scale_load_down(lw.weight);
	if (is_flat(s) && p->se.on_rq)
		flat_update_weight(s, rq, p);
}

/* account what runs on @rq, on all levels */
void fair_update_curr(struct sched *s, struct rq *rq)
{
	struct sched_entity *se;

	update_curr(s, &rq->cfs);
	if (is_flat(s))
		return;
	for (se = rq->cfs.curr; se && se->my_q; se = se->my_q->curr)
		update_curr(s, se->my_q);
}

bool fair_task_hot_buddy(const struct rq *rq, const struct task *p)
{
	const struct sched_entity *se = &p->se;

	if (rq->cfs.next == se)
		return true;
	return se->cfs_rq->next == se || se->cfs_rq->last == se;
}

bool fair_task_eligible(const struct sched *s, const struct task *p)
{
	return entity_eligible(tree_of(s, &p->se), &p->se);
}
