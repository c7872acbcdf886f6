// SPDX-License-Identifier: BSD-2-Clause
/*
 * push.c - global earliest deadline first: where tasks go at wake-up, push and pull
 * (spec 08 §4.6).
 */
#include "sched/dl/dl.h"
#include "sched/task.h"

/* of CPUs without deadline tasks those that fit; if none does, the biggest one */
static void keep_fitting(const struct sched *s, const struct task *p, u64 *set)
{
	unsigned long max_cap = 0;
	int cpu, max_cpu = -1;
	bool any = false;

	for_each_cpu(cpu, set, s->words) {
		unsigned long cap = s->rq[cpu].cpu_capacity_orig;

		if (dl_task_fits(s, p, cpu)) {
			any = true;
			continue;
		}
		mask_clear(set, cpu);
		if (cap > max_cap || (cpu == p->cpu && cap == max_cap)) {
			max_cap = cap;
			max_cpu = cpu;
		}
	}
	if (!any)
		mask_set(set, max_cpu);
}

bool dl_find_later(const struct sched *s, const struct task *p, u64 *set)
{
	const struct root_domain *rd = search_domain(s, p);
	int latest = -1, c;

	if (mask_and(set, s->rtd.dl_free, p->allowed, s->words) &&
	    mask_and(set, set, rd->span, s->words)) {
		if (s->asym_active && s->k.rules.dl_capacity)
			keep_fitting(s, p, set);
		return true;
	}
	for_each_cpu(c, rd->span, s->words) {
		const struct sched_dl_entity *se = dl_first(&s->rq[c]);

		if (se && (latest < 0 || dl_before(dl_first(&s->rq[latest])->deadline, se->deadline)))
			latest = c;
	}
	if (latest < 0 || !task_allowed(p, latest) ||
	    !dl_before(p->dl.deadline, dl_first(&s->rq[latest])->deadline))
		return false;
	mask_zero(set, s->words);
	mask_set(set, latest);
	return true;
}

static int find_later_rq(const struct sched *s, const struct task *p, struct class_choice *c)
{
	if (p->nr_allowed < 2 || !dl_find_later(s, p, s->rtd.mask))
		return -1;
	return prefer_cpu(s, p, s->rtd.mask, c);
}

int dl_select(const struct sched *s, const struct task *p, bool fork, struct class_choice *c)
{
	const struct task *curr = s->rq[p->cpu].curr;
	bool search = is_dl(curr) && p->nr_allowed > 1 &&
		      (curr->nr_allowed < 2 || !dl_before(p->dl.deadline, curr->dl.deadline));
	int target;

	c->reason = REASON_DL_STAYS;
	c->w->cpus[topo_distance(s->topo, c->cpu, p->cpu)]++;
	if (s->asym_active && s->k.rules.dl_capacity)
		search |= !dl_task_fits(s, p, p->cpu);
	target = search ? find_later_rq(s, p, c) : -1;
	if (target < 0 || !dl_is_earliest(&s->rq[target], p->dl.deadline))
		return p->cpu;
	c->reason = REASON_DL_LATER;
	return target;
}

/* ---- push ---- */

/* where @p, which waits on @rq, is pushed to; -1: nowhere */
static int push_target(const struct sched *s, const struct rq *rq, const struct task *p,
		       struct class_choice *c)
{
	int cpu = find_later_rq(s, p, c);

	return cpu < 0 || cpu == rq->cpu || !dl_is_earliest(&s->rq[cpu], p->dl.deadline) ? -1 : cpu;
}

/* it comes before what runs, which may give way: a pick will do */
static bool is_next(const struct rq *rq, const struct task *p)
{
	return is_dl(rq->curr) && dl_before(p->dl.deadline, rq->curr->dl.deadline) &&
	       rq->curr->nr_allowed > 1;
}

bool dl_would_push(const struct sched *s, const struct rq *rq, struct class_move *m)
{
	struct class_choice c = {.cpu = rq->cpu, .cursor = -1};

	m->p = dl_first_pushable(rq);
	if (!m->p || is_next(rq, m->p))
		return false;
	m->from = rq->cpu;
	m->to = push_target(s, rq, m->p, &c);
	m->distributed = c.cursor >= 0;
	return m->to >= 0;
}

static bool push_one(struct sched *s, struct rq *rq)
{
	struct task *p = dl_first_pushable(rq);
	struct class_choice c = {.cpu = rq->cpu, .cursor = -1};
	struct rq *later;
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
	later = cpu_rq(s, cpu);
	move_queued_task(s, rq, p, later);
	s->nr_dl_pushes++;
	resched_curr(s, later, rq->cpu);
	EXPLAIN(s, .now = s->now, .cpu = rq->cpu, .p = p, .step = STEP_PULL,
		.reason = REASON_DL_PUSH, .candidate = cpu, .taken = true, .final = true,
		.value = {rq->cpu});
	return true;
}

int dl_push(struct sched *s, struct rq *rq)
{
	int n = 0;

	while (push_one(s, rq))
		n++;
	return n;
}

void dl_woken(struct sched *s, struct rq *rq, struct task *p, int from)
{
	const struct task *curr = rq->curr;

	if (p->on_cpu || rq->need_resched || p->nr_allowed < 2 || !is_dl(curr) || rq->stop_running)
		return;
	if (curr->nr_allowed < 2 || !dl_before(p->dl.deadline, curr->dl.deadline))
		dl_push(s, rq);
}

struct rq *dl_leave_offline(struct sched *s, struct rq *rq, struct task *p)
{
	struct class_choice c = {.cpu = rq->cpu, .cursor = -1};
	int cpu = find_later_rq(s, p, &c);

	if (cpu < 0)
		cpu = mask_next_and(s->online, p->allowed, 0, s->words);
	if (cpu < 0)
		cpu = mask_first(s->online, s->words);
	if (!task_allowed(p, cpu))
		task_relax_allowed(s, p);
	move_queued_task(s, rq, p, cpu_rq(s, cpu));
	return cpu_rq(s, cpu);
}

/* ---- pull ---- */

/* the waiting task of @src with the earliest deadline that @cpu may run */
static struct task *pushable_for(const struct rq *src, int cpu)
{
	for (struct rb_node *n = rb_first(&src->dl.pushable); n; n = rb_next(n)) {
		struct task *p = container_of(n, struct task, dl.push_node);

		if (task_allowed(p, cpu))
			return p;
	}
	return NULL;
}

/* what @rq would take from @src; NULL: nothing */
static struct task *pull_choice(const struct rq *rq, const struct rq *src)
{
	struct task *p = pushable_for(src, rq->cpu);

	if (!p || !dl_is_earliest(rq, p->dl.deadline))
		return NULL;
	/* it is about to run there */
	if (is_dl(src->curr) ? dl_before(p->dl.deadline, src->curr->dl.deadline) :
			       !src->stop_running)
		return NULL;
	return p;
}

bool dl_would_pull(const struct sched *s, const struct rq *rq, struct class_move *m)
{
	return class_would_pull(s, rq, s->rtd.dl_overloaded, pull_choice, m);
}

static bool pull_from(struct sched *s, struct rq *rq, struct rq *src)
{
	struct task *p = pull_choice(rq, src);

	if (!p || !class_pull(s, rq, src, p))
		return false;
	s->nr_dl_pulls++;
	EXPLAIN(s, .now = s->now, .cpu = rq->cpu, .p = p, .step = STEP_PULL,
		.reason = REASON_DL_PULL, .candidate = rq->cpu, .taken = true, .final = true,
		.value = {src->cpu});
	return true;
}

void dl_pull(struct sched *s, struct rq *rq)
{
	bool pulled = false;
	int cpu;

	if (s->host.told_moves || !rq->online)
		return;
	for_each_cpu(cpu, s->rtd.dl_overloaded, s->words)
		if (cpu != rq->cpu && mask_test(rq->rd->span, cpu))
			pulled |= pull_from(s, rq, cpu_rq(s, cpu));
	if (pulled)
		resched_curr(s, rq, rq->cpu);
}

void dl_balance(struct sched *s, struct rq *rq, struct task *prev)
{
	if (is_dl(prev) && !prev->dl.queued)
		dl_pull(s, rq);
}
