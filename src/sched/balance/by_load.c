// SPDX-License-Identifier: BSD-2-Clause
/*
 * by_load.c - the busiest group as kernels before 5.5 saw it: by load, not by type.
 *
 * Algorithm 1 of "The Linux scheduler: a decade of wasted cores" (2016): of the overloaded groups,
 * else the imbalanced ones, else of all, the one of the highest average load; balanced if ours
 * isn't lower. A single heavy task hides the idle CPUs beside it. The authors' remedy compares the
 * load of the least loaded CPU of each group.
 */
#include "sched/balance/lb.h"

/* over the CPUs that take part */
static unsigned long least_load(const struct lb_env *env, const struct sched_group *g)
{
	unsigned long least = ~0UL;
	int w;

	for_each_span_word(w, g)
		for (u64 m = g->span[w] & env->cpus[w]; m; m &= m - 1) {
			const struct rq *rq = cpu_rq(env->s, w * 64 + __builtin_ctzll(m));

			least = min(least, rq->nr_running ? cpu_load(rq) : 0);
		}
	return least == ~0UL ? 0 : least;
}

/**
 * judge_by_load() - type and load of a group whose sums are known
 *
 * Types are overloaded, imbalanced, and one for all others.
 */
void judge_by_load(const struct lb_env *env, const struct sched_group *g, struct group_stats *gs)
{
	bool over =
		gs->sum_nr > gs->weight && gs->capacity * 100 < gs->util * env->sd->imbalance_pct;

	gs->type = over ? GROUP_OVERLOADED : gs->imbalance ? GROUP_IMBALANCED : GROUP_FULLY_BUSY;
	if (env->s->k.rules.busiest == BUSIEST_BY_LEAST_LOAD)
		gs->avg_load = least_load(env, g);
	else
		gs->avg_load = gs->load * SCHED_CAPACITY_SCALE / gs->capacity;
}

bool replaces_by_load(const struct group_stats *xs, const struct group_stats *bs)
{
	if (!xs->sum_h_nr)
		return false;
	return xs->type != bs->type ? xs->type > bs->type : xs->avg_load > bs->avg_load;
}

/* a CPU that has nothing to do takes no task from a group with about as many idle CPUs */
static bool spare_alike(const struct lb_env *env, const struct domain_stats *sds)
{
	return idle_kind(env) && sds->busiest_stat.type != GROUP_OVERLOADED &&
	       sds->local_stat.idle_cpus <= sds->busiest_stat.idle_cpus + 1;
}

/* the groups differ by less than their distance from the average: does a task make them more even?
 */
static bool one_task_evens(struct lb_env *env, const struct domain_stats *sds)
{
	const struct group_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;
	unsigned long task = busiest->load / busiest->sum_h_nr;

	env->imbalance = task;
	return busiest->avg_load >=
	       local->avg_load + task * SCHED_CAPACITY_SCALE / busiest->capacity;
}

/**
 * find_by_load() - has sds->busiest to give, and how much?
 *
 * Return: true if so, with env->type and env->imbalance set.
 */
bool find_by_load(struct lb_env *env, const struct domain_stats *sds)
{
	const struct group_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;
	unsigned long avg, give, take;

	env->type = MIGRATE_TASK;
	env->imbalance = 1;
	if (busiest->type == GROUP_IMBALANCED)
		return true;
	if (busiest->avg_load <= local->avg_load || spare_alike(env, sds) ||
	    100 * busiest->avg_load <= (unsigned long)env->sd->imbalance_pct * local->avg_load)
		return false;
	if (env->s->k.rules.busiest == BUSIEST_BY_LEAST_LOAD)
		return true;
	env->type = MIGRATE_LOAD;
	avg = sds->total_load * SCHED_CAPACITY_SCALE / sds->total_capacity;
	if (local->avg_load >= avg || busiest->avg_load <= avg)
		return one_task_evens(env, sds);
	give = (busiest->avg_load - avg) * busiest->capacity;
	take = (avg - local->avg_load) * local->capacity;
	env->imbalance = min(give, take) / SCHED_CAPACITY_SCALE;
	return env->imbalance > 0;
}
