/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * throttle.c - a CPU's queue of a group that has no run time left, in both generations.
 *
 * Up to 6.17 the queue is parked: its entity leaves the queue above, and so on as far as levels
 * become empty; tasks stay queued in it (spec 09 §2). From 6.18 on the queue and all below it are
 * marked, and a task that runs there takes itself off when it is about to return to user mode; it
 * waits in the queue's limbo (spec 16 §13). In either case the PELT clock of the subtree stops
 * while nothing can run there.
 */
#include "sched/cgroup.h"
#include "sched/fair/bandwidth.h"
#include "sched/fair/fair.h"

/* ---- the PELT clock ---- */

u64 limited_clock_pelt(const struct cfs_rq *cfs_rq, u64 now)
{
	return (cfs_rq->pelt_frozen ? cfs_rq->pelt_frozen_at : now) - cfs_rq->pelt_lost;
}

static void freeze_clock(struct cfs_rq *cfs_rq)
{
	if (cfs_rq->pelt_frozen)
		return;
	cfs_rq->pelt_frozen = true;
	cfs_rq->pelt_frozen_at = rq_clock_pelt(cfs_rq->rq);
}

static void thaw_clock(struct cfs_rq *cfs_rq)
{
	if (!cfs_rq->pelt_frozen)
		return;
	cfs_rq->pelt_frozen = false;
	cfs_rq->pelt_lost += rq_clock_pelt(cfs_rq->rq) - cfs_rq->pelt_frozen_at;
}

/* ---- subtrees of one CPU ---- */

/* parents are listed before their children */
#define for_each_group_below(s, t, top)                                                            \
	list_for_each_entry(t, &(s)->groups, node) if (group_is_below(t, top))

void limit_subtree(struct sched *s, struct task_group *tg)
{
	struct task_group *t;

	for_each_group_below(s, t, tg)
		for (int cpu = 0; cpu < s->nr_cpus; cpu++)
			t->cfs_rq[cpu]->limited = true;
}

static void mark_subtree(struct sched *s, struct cfs_rq *cfs_rq)
{
	struct task_group *t;

	for_each_group_below(s, t, cfs_rq->tg) {
		struct cfs_rq *q = t->cfs_rq[cfs_rq->rq->cpu];

		if (!q->throttle_count++ && (!throttles_tasks(s) || !q->nr_queued))
			freeze_clock(q);
	}
}

/* the tasks that left by themselves come back, the last one first */
static void empty_limbo(struct sched *s, struct cfs_rq *cfs_rq)
{
	struct rq *rq = cfs_rq->rq;

	while (!list_empty(&cfs_rq->limbo) && !cfs_rq->throttle_count) {
		struct task *p = list_first_entry(&cfs_rq->limbo, struct task, rq_node);

		list_del(&p->rq_node);
		p->throttled = false;
		fair_enqueue_task(s, rq, p, ENQUEUE_WAKEUP);
	}
	rq_update_idle(s, rq);
}

static void unmark_subtree(struct sched *s, struct cfs_rq *cfs_rq)
{
	struct list_head *l;

	/* children first */
	for (l = s->groups.prev; l != &s->groups; l = l->prev) {
		struct task_group *t = list_entry(l, struct task_group, node);
		struct cfs_rq *q = t->cfs_rq[cfs_rq->rq->cpu];

		if (!group_is_below(t, cfs_rq->tg) || --q->throttle_count)
			continue;
		thaw_clock(q);
		if (throttles_tasks(s))
			empty_limbo(s, q);
	}
}

/* ---- up to 6.17: the queue's entity leaves and comes back ---- */

/* how many tasks the levels above lose or gain, and how many of those count as idle there */
struct delta {
	int queued, runnable, idle;
};

static struct delta delta_of(const struct cfs_rq *cfs_rq)
{
	struct delta d = { cfs_rq->h_nr_queued, cfs_rq->h_nr_runnable, cfs_rq->h_nr_idle };

	if (cfs_rq->tg->idle)
		d.idle = d.queued;
	return d;
}

static void count_delta(struct cfs_rq *cfs_rq, struct delta *d, int sign)
{
	count_tasks(cfs_rq, sign * d->queued, sign * d->runnable, sign * d->idle);
	if (cfs_rq->tg->idle)
		d->idle = d->queued;
}

/* Return: false if a level above was parked already */
static bool leave_levels(struct sched *s, struct cfs_rq *cfs_rq, struct delta d)
{
	struct sched_entity *se = cfs_rq->my_se;
	bool empties = true;

	for_each_sched_entity(se) {
		struct cfs_rq *q = se->cfs_rq;
		int flags = DEQUEUE_SLEEP | DEQUEUE_SPECIAL;

		if (!se->on_rq)
			return false;
		if (se->sched_delayed)
			flags |= DEQUEUE_DELAYED;
		if (empties)
			dequeue_entity(s, q, se, flags);
		else
			refresh_entity(s, se);
		count_delta(q, &d, -1);
		empties = empties && !q->load.weight;
	}
	return true;
}

/* Return: false if a level above is parked */
static bool enter_levels(struct sched *s, struct cfs_rq *cfs_rq, struct delta d)
{
	struct sched_entity *se = cfs_rq->my_se;

	for_each_sched_entity(se) {
		struct cfs_rq *q = se->cfs_rq;

		if (se->sched_delayed)
			dequeue_entity(s, q, se, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
		if (se->on_rq)
			refresh_entity(s, se);
		else
			enqueue_entity(s, q, se, ENQUEUE_WAKEUP);
		count_delta(q, &d, 1);
		if (q->parked)
			return false;
	}
	return true;
}

static void list_throttled(struct cfs_rq *cfs_rq)
{
	list_add_tail(&cfs_rq->throttled_node, &cfs_rq->tg->bw.throttled);
	cfs_rq->throttled = true;
}

static void park(struct sched *s, struct cfs_rq *cfs_rq)
{
	struct delta d = delta_of(cfs_rq);
	struct rq *rq = cfs_rq->rq;

	list_throttled(cfs_rq);
	mark_subtree(s, cfs_rq);
	/* with what it holds it leaves; new ones stop at it */
	if (leave_levels(s, cfs_rq, d))
		add_nr_running(s, rq, -d.queued);
	cfs_rq->parked = true;
	cfs_rq->throttled_clock = rq->clock;
	rq_update_idle(s, rq);
}

static void unpark(struct sched *s, struct cfs_rq *cfs_rq)
{
	struct delta d = delta_of(cfs_rq);

	cfs_rq->parked = false;
	if (!cfs_rq->nr_queued)
		return;
	if (enter_levels(s, cfs_rq, d))
		add_nr_running(s, cfs_rq->rq, d.queued);
	rq_update_idle(s, cfs_rq->rq);
}

bool check_cfs_rq_runtime(struct sched *s, struct cfs_rq *cfs_rq)
{
	if (!cfs_rq->runtime_enabled || cfs_rq->runtime_remaining > 0 || throttles_tasks(s))
		return false;
	if (cfs_rq->throttled)
		return true;
	if (assign_cfs_rq_runtime(s, cfs_rq, 1)) /* a last try */
		return false;
	park(s, cfs_rq);
	return true;
}

/* ---- from 6.18 on: tasks leave by themselves ---- */

/* the host calls sched_throttle_curr() when the task returns to user mode */
void task_throttle_work(struct sched *s, struct rq *rq, struct task *p)
{
	if (throttles_tasks(s) && !p->kthread)
		sched_push_out(s, OUT_THROTTLE, rq->cpu, rq->cpu, p, 0);
}

void throttle_tasks(struct sched *s, struct cfs_rq *cfs_rq)
{
	struct task *curr = cfs_rq->rq->curr;

	list_throttled(cfs_rq);
	mark_subtree(s, cfs_rq);
	if (curr && task_is_fair(curr) && curr->se.cfs_rq->throttle_count)
		task_throttle_work(s, cfs_rq->rq, curr);
}

/* throttled time begins when somebody really has to wait */
static void note_waiting(struct cfs_rq *cfs_rq)
{
	for (struct sched_entity *se = cfs_rq->my_se; se; se = se->parent) {
		struct cfs_rq *q = se->my_q;

		if (q->throttled && !q->throttled_clock)
			q->throttled_clock = q->rq->clock;
	}
}

bool sched_throttle_curr(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);
	struct task *p = rq->curr;
	struct cfs_rq *cfs_rq;

	if (!p || !task_is_fair(p) || p->kthread || p->state != TASK_RUNNABLE || p->throttled)
		return false;
	cfs_rq = p->se.cfs_rq;
	if (!cfs_rq->throttle_count || !throttles_tasks(s))
		return false;
	update_rq_clock(s, rq, now);
	fair_dequeue_task(s, rq, p, DEQUEUE_SLEEP | DEQUEUE_SPECIAL);
	p->throttled = true;
	list_add(&p->rq_node, &cfs_rq->limbo);
	note_waiting(cfs_rq);
	rq_update_idle(s, rq);
	resched_curr(s, rq, cpu);
	return true;
}

/* it takes its averages along to another CPU as a sleeper does, whose queue can be updated */
bool dequeue_throttled_task(struct sched *s, struct task *p, int flags)
{
	list_del(&p->rq_node);
	if (flags & DEQUEUE_SLEEP)
		p->throttled = false;
	else if (!(flags & DEQUEUE_SAVE))
		detach_entity_cfs_rq(s, &p->se);
	return true;
}

bool enqueue_throttled_task(struct sched *s, struct rq *rq, struct task *p, int flags)
{
	struct cfs_rq *cfs_rq = p->se.cfs_rq;

	if (!cfs_rq->throttle_count || rq->curr == p) {
		p->throttled = false;
		return false;
	}
	if (!p->se.avg.last_update_time)
		attach_entity_cfs_rq(s, &p->se);
	list_add(&p->rq_node, &cfs_rq->limbo);
	note_waiting(cfs_rq);
	return true;
}

/* ---- both ---- */

void limited_queue_filled(struct sched *s, struct cfs_rq *cfs_rq)
{
	if (throttles_tasks(s))
		thaw_clock(cfs_rq);
	if (!cfs_rq->runtime_enabled || cfs_rq->curr || cfs_rq->throttled)
		return;
	account_cfs_rq_runtime(s, cfs_rq, 0);
	if (!throttles_tasks(s) && cfs_rq->runtime_remaining <= 0)
		check_cfs_rq_runtime(s, cfs_rq);
}

void limited_queue_emptied(struct sched *s, struct cfs_rq *cfs_rq)
{
	return_cfs_rq_runtime(s, cfs_rq);
	if (throttles_tasks(s) && cfs_rq->throttle_count)
		freeze_clock(cfs_rq);
}

void unthrottle_cfs_rq(struct sched *s, struct cfs_rq *cfs_rq, int from)
{
	struct rq *rq = cfs_rq->rq;

	update_rq_clock(s, rq, s->now);
	list_del(&cfs_rq->throttled_node);
	cfs_rq->throttled = false;
	if (cfs_rq->throttled_clock)
		cfs_rq->tg->bw.throttled_time += rq->clock - cfs_rq->throttled_clock;
	cfs_rq->throttled_clock = 0;
	unmark_subtree(s, cfs_rq);
	if (cfs_rq->parked)
		unpark(s, cfs_rq);
	if (!rq->curr && !rq->stop_running && rq->cfs.nr_queued)
		resched_curr(s, rq, from);
}

/* ---- a CPU goes, and comes back ---- */

/* what is throttled on @rq can leave: with a ns of run time, and no limit from now on */
void fair_rq_offline(struct sched *s, struct rq *rq, int from)
{
	struct task_group *tg;

	if (likely(!s->bandwidth_used))
		return;
	list_for_each_entry(tg, &s->groups, node) {
		struct cfs_rq *cfs_rq = tg->cfs_rq[rq->cpu];

		if (!cfs_rq->runtime_enabled)
			continue;
		cfs_rq->runtime_remaining = 1;
		cfs_rq->runtime_enabled = false;
		if (cfs_rq->throttled)
			unthrottle_cfs_rq(s, cfs_rq, from);
	}
}

void fair_rq_online(struct sched *s, struct rq *rq)
{
	struct task_group *tg;

	if (likely(!s->bandwidth_used))
		return;
	list_for_each_entry(tg, &s->groups, node)
		tg->cfs_rq[rq->cpu]->runtime_enabled =
			tg->parent && tg->bw.quota != NO_QUOTA;
}

/* the fault: domains were built anew, and all CPUs seemed to go and come (HOTPLUG_UNTHROTTLE) */
void fair_domains_rebuilt(struct sched *s, int from)
{
	if (likely(!s->k.rules.hotplug_unthrottle))
		return;
	for (int cpu = 0; cpu < s->nr_cpus; cpu++) {
		struct rq *rq = cpu_rq(s, cpu);

		if (!rq->online)
			continue;
		fair_rq_offline(s, rq, from);
		fair_rq_online(s, rq);
	}
}
