// SPDX-License-Identifier: BSD-2-Clause
/*
 * push.c - push and pull: no realtime task waits while a CPU does something less important
 * (spec 08 §2.6-7).
 */
#include "sched/rt/rt.h"

static struct task *first_pushable(const struct rq *rq)
{
	if (list_empty(&rq->rt.pushable))
		return NULL;
	return list_first_entry(&rq->rt.pushable, struct task, rt.pushable);
}

/* ---- push ---- */

/* it beats what runs (the idle task, too): a pick will do */
static bool is_next(const struct rq *rq, const struct task *p)
{
	return rq->curr ? p->prio < rq->curr->prio : !rq->stop_running;
}

/* where @p, which waits on @rq, is pushed to; -1: nowhere */
static int push_target(const struct sched *s, const struct rq *rq, const struct task *p,
		       struct class_choice *c)
{
	int cpu = rt_find_lowest_rq(s, p, c);

	return cpu < 0 || cpu == rq->cpu || s->rq[cpu].rt.highest <= p->prio ? -1 : cpu;
}

bool rt_would_push(const struct sched *s, const struct rq *rq, struct class_move *m)
{
	struct class_choice c = {.cpu = rq->cpu, .cursor = -1};

	m->p = first_pushable(rq);
	if (!m->p || is_next(rq, m->p))
		return false;
	m->from = rq->cpu;
	m->to = push_target(s, rq, m->p, &c);
	m->distributed = c.cursor >= 0;
	return m->to >= 0;
}

static bool push_one(struct sched *s, struct rq *rq)
{
	struct task *p = first_pushable(rq);
	struct class_choice c = {.cpu = rq->cpu, .cursor = -1};
	struct rq *lowest;
	int cpu;

	if (!p || s->host.told_moves)
		return false;
	if (p->on_cpu) { /* still switching out */
		rq->push_due = true;
		return false;
	}
	if (is_next(rq, p)) {
		resched_curr(s, rq, rq->cpu);
		return false;
	}
	cpu = push_target(s, rq, p, &c);
	if (c.cursor >= 0)
		rq->distribute_cursor = c.cursor;
	if (cpu < 0)
		return false;
	lowest = cpu_rq(s, cpu);
	move_queued_task(s, rq, p, lowest);
	s->nr_rt_pushes++;
	resched_curr(s, lowest, rq->cpu);
	EXPLAIN(s, .now = s->now, .cpu = rq->cpu, .p = p, .reason = REASON_RT_PUSH,
		.candidate = cpu, .taken = true, .final = true);
	return true;
}

int rt_push(struct sched *s, struct rq *rq)
{
	int n = 0;

	while (push_one(s, rq))
		n++;
	return n;
}

void rt_woken(struct sched *s, struct rq *rq, struct task *p, int from)
{
	const struct task *curr = rq->curr;

	if (p->on_cpu || rq->need_resched || p->nr_allowed < 2 || rq->stop_running)
		return;
	if (curr && curr->prio < RT_PRIO_NONE && (curr->nr_allowed < 2 || curr->prio <= p->prio))
		rt_push(s, rq);
}

/* ---- pull ---- */

/* the first task waiting on @src that @cpu may run */
static struct task *pushable_for(const struct rq *src, int cpu)
{
	struct task *p;

	list_for_each_entry(p, &src->rt.pushable, rt.pushable)
		if (task_allowed(p, cpu))
			return p;
	return NULL;
}

/* what @rq would take from @src; NULL: nothing */
static struct task *pull_choice(const struct rq *rq, const struct rq *src)
{
	struct task *p;

	if (rt_next_prio(src) >= rq->rt.highest)
		return NULL;
	p = pushable_for(src, rq->cpu);
	if (!p || p->prio >= rq->rt.highest || is_next(src, p))
		return NULL;
	return p;
}

bool rt_would_pull(const struct sched *s, const struct rq *rq, struct class_move *m)
{
	return class_would_pull(s, rq, s->rtd.rt_overloaded, pull_choice, m);
}

static bool pull_from(struct sched *s, struct rq *rq, struct rq *src)
{
	struct task *p = pull_choice(rq, src);

	if (!p || !class_pull(s, rq, src, p))
		return false;
	s->nr_rt_pulls++;
	EXPLAIN(s, .now = s->now, .cpu = rq->cpu, .p = p, .reason = REASON_RT_PULL,
		.candidate = rq->cpu, .taken = true, .final = true);
	return true;
}

/* the next CPU of a round of push requests; -1: the round is over */
static int rto_next_cpu(struct sched *s, struct root_domain *d)
{
	for (;;) {
		d->rto_cpu = mask_next_and(s->rtd.rt_overloaded, d->span, d->rto_cpu + 1, s->words);
		if (d->rto_cpu >= 0)
			return d->rto_cpu;
		if (d->rto_loop == d->rto_loop_next)
			return -1;
		d->rto_loop = d->rto_loop_next;
	}
}

static void ask_next_to_push(struct sched *s, struct rq *from)
{
	int cpu = rto_next_cpu(s, from->rd);

	from->rd->rto_active = cpu >= 0;
	if (cpu >= 0)
		sched_push_out(s, OUT_RT_PUSH, cpu, from->cpu, NULL, 0);
}

void sched_rt_push(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);

	update_rq_clock(s, rq, now);
	rt_push(s, rq);
	if (rq->rd->rto_active) /* the CPUs may have been divided anew since it was asked */
		ask_next_to_push(s, rq);
}

/* a CPU lowered its priority: the overloaded ones are to look for it */
static void tell_cpus_to_push(struct sched *s, struct rq *rq)
{
	struct root_domain *d = rq->rd;

	d->rto_loop_next++;
	if (d->rto_active)
		return;
	d->rto_loop = d->rto_loop_next;
	d->rto_cpu = -1;
	ask_next_to_push(s, rq);
}

void rt_pull(struct sched *s, struct rq *rq)
{
	const u64 *overloaded = s->rtd.rt_overloaded;
	const u64 *span = rq->rd->span;
	bool pulled = false;
	int cpu;

	if (s->host.told_moves || !rq->online || mask_empty(overloaded, s->words))
		return;
	if (mask_weight_and(overloaded, span, s->words) == mask_test(overloaded, rq->cpu))
		return;
	if (feat(s, FEAT_RT_PUSH_IPI)) {
		tell_cpus_to_push(s, rq);
		return;
	}
	for_each_cpu(cpu, overloaded, s->words)
		if (cpu != rq->cpu && mask_test(span, cpu))
			pulled |= pull_from(s, rq, cpu_rq(s, cpu));
	if (pulled)
		resched_curr(s, rq, rq->cpu);
}

/* before a pick: @prev's class and those below it may have lost something (NULL: the stopper) */
void rt_balance(struct sched *s, struct rq *rq, struct task *prev)
{
	bool queued = prev && prev->class_id == CLASS_RT && prev->on_rq;

	if (!queued && rq->rt.highest > (prev ? prev->prio : -1))
		rt_pull(s, rq);
}
