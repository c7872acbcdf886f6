// SPDX-License-Identifier: BSD-2-Clause
/*
 * cpupri.c - which CPUs do the least important things (spec 08 §2.5).
 *
 * Each CPU stands in one level: 0 for fair tasks and idling, 1 to 99 for the realtime priority
 * of what it has to run, 100 for deadline tasks.
 */
#include "sched/class.h"

static inline int level_of(int prio)
{
	return prio >= RT_PRIO_NONE ? CPUPRI_NORMAL : RT_PRIO_NONE - prio;
}

void cpupri_update(struct sched *s, struct rq *rq)
{
	struct rt_domain *d = &s->rtd;
	int level = rq->dl.nr_running ? CPUPRI_HIGHER : level_of(rq->rt.highest);

	if (!rq->online)
		level = CPUPRI_INVALID;
	if (level == rq->cpupri)
		return;
	if (rq->cpupri >= 0) {
		mask_clear(d->cpupri[rq->cpupri], rq->cpu);
		d->nr_cpupri[rq->cpupri]--;
	}
	rq->cpupri = level;
	if (level >= 0) {
		mask_set(d->cpupri[level], rq->cpu);
		d->nr_cpupri[level]++;
	}
}

/* a realtime task asks for the biggest CPUs unless it was told otherwise (spec 09 §3) */
bool rt_task_fits(const struct sched *s, const struct task *p, int cpu)
{
	if (!s->asym_active || s->k.rules.uclamp == UCLAMP_NONE)
		return true;
	return s->rq[cpu].cpu_capacity_orig >=
	       min(uclamp_eff_value(s, p, UCLAMP_MIN), uclamp_eff_value(s, p, UCLAMP_MAX));
}

/* Return: whether @p may use, and with @fitting fits, any CPU of @level */
static bool find_in_level(const struct sched *s, const struct task *p, int level, bool fitting,
			  u64 *set)
{
	bool any = false;
	int cpu;

	if (!s->rtd.nr_cpupri[level] ||
	    !mask_and(set, s->rtd.cpupri[level], p->allowed, s->words) ||
	    !keep_own_domain(s, p, set))
		return false;
	if (!fitting)
		return true;
	for_each_cpu(cpu, set, s->words) {
		if (rt_task_fits(s, p, cpu))
			any = true;
		else
			mask_clear(set, cpu);
	}
	return any;
}

bool cpupri_find(const struct sched *s, const struct task *p, u64 *set)
{
	bool fitting = set && s->asym_active && s->k.rules.uclamp != UCLAMP_NONE;
	int own = p->prio < 0 ? CPUPRI_HIGHER : level_of(p->prio);

	if (!set)
		set = s->rtd.mask;
	for (int i = fitting; i >= 0; i--)
		for (int level = 0; level < own; level++)
			if (find_in_level(s, p, level, i, set))
				return true;
	return false;
}
