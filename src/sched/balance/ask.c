// SPDX-License-Identifier: BSD-2-Clause
/*
 * ask.c - what would a walk pull? Asked of a const core (forced.h).
 */
#include <errno.h>

#include "sched/balance/lb.h"
#include "sched/forced.h"

static int level_of(const struct sched *s, int cpu, const struct sched_domain *which)
{
	const struct sched_domain *sd;
	int level = 0;

	for_each_domain(cpu_rq(s, cpu), sd) {
		if (sd == which)
			break;
		level++;
	}
	return level;
}

/* Return: whether the pass would move a task */
static bool ask_pass(const struct sched *s, u64 now, int cpu, struct sched_domain *sd,
		     enum cpu_idle_type kind, bool any_time, struct pull_decision *d)
{
	struct balance_decision b;

	decide_pass(s, now, cpu, sd, kind, any_time ? LBF_ALLOWED : 0, &b);
	d->nr_passes++;
	d->level = level_of(s, cpu, sd);
	d->outcome = b.outcome;
	d->local_type = b.local_type;
	d->busiest_type = b.busiest_type;
	d->type = b.type;
	d->imbalance = b.imbalance;
	d->busiest_src = b.src;
	if (b.active_src >= 0 && d->push_src < 0) {
		d->push_src = b.active_src;
		d->push_level = d->level;
	}
	for (int i = 0; i < b.nr_looks && d->nr_tasks < PULL_MAX_TASKS; i++) {
		if (!b.look[i].taken)
			continue;
		d->task[d->nr_tasks] = b.look[i].p;
		d->dst[d->nr_tasks++] = b.look[i].dst;
	}
	if (!d->nr_tasks)
		return false;
	d->src = b.src;
	return true;
}

static void ask_newidle(const struct sched *s, u64 now, const struct rq *rq, bool any_time,
			struct pull_decision *d)
{
	struct sched_domain *sd;

	if (!any_time && !newidle_worthwhile(s, rq))
		return;
	for_each_domain(rq, sd) {
		if (!any_time && rq->avg_idle < sd->max_newidle_lb_cost)
			return;
		if (!(sd->flags & SD_BALANCE_NEWIDLE))
			continue;
		if (ask_pass(s, now, rq->cpu, sd, CPU_NEWLY_IDLE, any_time, d))
			return;
		if (d->outcome == BALANCE_NOT_ALLOWED && s->k.rules.newidle_refusal_ends)
			return;
	}
}

static void ask_periodic(const struct sched *s, u64 now, const struct rq *rq, bool idle,
			 bool any_time, struct pull_decision *d)
{
	bool busy = !idle && !sched_idle_cpu(s, rq->cpu);
	struct sched_domain *sd;

	for_each_domain(rq, sd) {
		if (!any_time && !pass_due(s, now, sd, busy))
			continue;
		if (ask_pass(s, now, rq->cpu, sd, idle ? CPU_IDLE : CPU_NOT_IDLE, any_time, d) ||
		    d->outcome == BALANCE_NOT_ALLOWED)
			return;
	}
}

static void clear(struct pull_decision *d)
{
	*d = (struct pull_decision){.src = -1, .push_src = -1, .busiest_src = -1};
}

static bool asks_as_idle(const struct sched *s, int cpu, enum walk_kind kind)
{
	return kind == WALK_NOHZ || idle_cpu(s, cpu);
}

void sched_pull_decide(const struct sched *s, u64 now, int cpu, enum walk_kind kind,
		       unsigned int flags, struct pull_decision *d)
{
	const struct rq *rq = cpu_rq(s, cpu);
	bool any_time = flags & PULL_ANY_TIME;

	clear(d);
	if (!rq->online || !rq->sd)
		return;
	if (kind == WALK_NEWIDLE)
		ask_newidle(s, now, rq, any_time, d);
	else
		ask_periodic(s, now, rq, asks_as_idle(s, cpu, kind), any_time, d);
}

int sched_pull_decide_level(const struct sched *s, u64 now, int cpu, enum walk_kind kind,
			    int level, unsigned int flags, struct pull_decision *d)
{
	struct sched_domain *sd = cpu_rq(s, cpu)->sd;
	enum cpu_idle_type idle = CPU_NEWLY_IDLE;

	clear(d);
	while (sd && level-- > 0)
		sd = sd->parent;
	if (!sd)
		return -EINVAL;
	if (kind != WALK_NEWIDLE)
		idle = asks_as_idle(s, cpu, kind) ? CPU_IDLE : CPU_NOT_IDLE;
	ask_pass(s, now, cpu, sd, idle, flags & PULL_ANY_TIME, d);
	return 0;
}

int sched_pull_level(const struct sched *s, int dst, int src)
{
	const struct sched_domain *sd = domain_with(s, dst, src);

	return sd ? level_of(s, dst, sd) : -1;
}

void sched_pull_prepare(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);

	update_rq_clock(s, rq, now);
	update_blocked_averages(s, rq);
}
