// SPDX-License-Identifier: BSD-2-Clause
/*
 * select.c - where a woken or forked realtime task goes (spec 08 §2.3-4).
 */
#include "sched/rt/rt.h"

int rt_find_lowest_rq(const struct sched *s, const struct task *p, struct class_choice *c)
{
	if (p->nr_allowed < 2 || !cpupri_find(s, p, s->rtd.mask))
		return -1;
	return prefer_cpu(s, p, s->rtd.mask, c);
}

/* @curr keeps its CPU: @p would have to wait there */
static bool is_kept(const struct task *curr, const struct task *p)
{
	return curr && curr->prio < RT_PRIO_NONE &&
	       (curr->nr_allowed < 2 || curr->prio <= p->prio);
}

int rt_select(const struct sched *s, const struct task *p, bool fork, struct class_choice *c)
{
	int cpu = p->cpu, target;
	bool kept = is_kept(s->rq[cpu].curr, p);

	c->reason = REASON_RT_STAYS;
	c->w->cpus[topo_distance(s->topo, c->cpu, cpu)]++;
	if (!kept && rt_task_fits(s, p, cpu))
		return cpu;
	target = rt_find_lowest_rq(s, p, c);
	if (target < 0)
		return cpu;
	if (!kept && !rt_task_fits(s, p, target))
		return cpu;
	if (p->prio >= s->rq[target].rt.highest)
		return cpu;
	c->reason = REASON_RT_LOWEST;
	return target;
}
