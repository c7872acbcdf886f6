// SPDX-License-Identifier: BSD-2-Clause
/*
 * busiest.c - is there an imbalance, how large is it, and which CPU gives (spec 06 §6, §7).
 */
#include "sched/balance/lb.h"

static unsigned long avg_load_of(unsigned long load, unsigned long capacity)
{
	return load * SCHED_CAPACITY_SCALE / capacity;
}

static long excess(unsigned long a, unsigned long b)
{
	return a > b ? (long)(a - b) : 0;
}

static bool one_is_smt(const struct lb_env *env, const struct domain_stats *sds)
{
	return (env->sd->local_flags & SD_SHARE_CPUCAPACITY) !=
	       (sds->busiest->flags & SD_SHARE_CPUCAPACITY);
}

/* ---- rule variants ---- */

static bool prefer_sibling_of_child(const struct lb_env *env, const struct domain_stats *sds)
{
	return env->sd->child && (env->sd->child->flags & SD_PREFER_SIBLING);
}

static bool prefer_sibling_of_busiest(const struct lb_env *env, const struct domain_stats *sds)
{
	return sds->busiest->flags & SD_PREFER_SIBLING;
}

static bool (*const prefer_sibling_rules[])(const struct lb_env *, const struct domain_stats *) = {
	[SIBLING_OF_CHILD] = prefer_sibling_of_child,	  /* ≤6.6 */
	[SIBLING_OF_BUSIEST] = prefer_sibling_of_busiest, /* 6.7+ */
};

/* May the busiest group stay as it is on a NUMA level, if the imbalance is a pair of tasks? */
static bool allow_pair(const struct lb_env *env, const struct domain_stats *sds, long n)
{
	return sds->busiest_stat.sum_nr <= 2;
}

static bool allow_quarter_of_group(const struct lb_env *env, const struct domain_stats *sds, long n)
{
	return n <= 2 && sds->busiest_stat.sum_nr < sds->busiest_stat.weight / 4;
}

static bool allow_imb_numa_nr(const struct lb_env *env, const struct domain_stats *sds, long n)
{
	return n <= 2 && (long)sds->local_stat.sum_nr + 1 <= env->sd->imb_numa_nr;
}

static const struct {
	bool halve_first;
	bool (*allowed)(const struct lb_env *, const struct domain_stats *, long n);
} numa_rules[] = {
	[NUMA_ALLOW_IDLE] = {true, allow_pair},			/* ≤5.10 */
	[NUMA_ALLOW_QUARTER] = {true, allow_quarter_of_group},	/* 5.11 … 5.17 */
	[NUMA_ALLOW_PER_LLC] = {true, allow_imb_numa_nr},	/* 5.18, 5.19 */
	[NUMA_ALLOW_PER_LLC_MIN2] = {false, allow_imb_numa_nr}, /* 6.0+ */
};

/**
 * adjust_numa_imbalance() - @n tasks of imbalance as half of them, less what NUMA allows
 */
long adjust_numa_imbalance(const struct lb_env *env, const struct domain_stats *sds, long n)
{
	enum numa_allow_rule rule = env->s->k.rules.balance_numa;
	bool numa = env->sd->flags & SD_NUMA;

	if (numa_rules[rule].halve_first)
		n >>= 1;
	if (numa && numa_rules[rule].allowed(env, sds, n))
		n = 0;
	if (!numa_rules[rule].halve_first)
		n >>= 1;
	return n;
}

/**
 * sibling_imbalance() - tasks too many in the busiest group, if siblings should share evenly
 *
 * 6.6+ weighs by the number of cores (spec 06 §6).
 */
long sibling_imbalance(const struct lb_env *env, const struct domain_stats *sds)
{
	unsigned long local = sds->local_stat.sum_nr, busiest = sds->busiest_stat.sum_nr;
	unsigned long cl = sds->local->cores, cb = sds->busiest->cores;
	long n;

	if (!env->s->k.rules.smt_balance)
		return excess(busiest, local);
	if (!idle_kind(env) || !busiest)
		return 0;
	if (cl == cb)
		return excess(busiest, local);
	n = (2 * excess(cl * busiest, cb * local) + cl + cb) / (cl + cb);
	if (n <= 1 && !local && busiest > 1)
		n = 2;
	return n;
}

/* ---- is there an imbalance? ---- */

static bool loads_differ(const struct lb_env *env, struct domain_stats *sds)
{
	const struct group_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;

	if (local->avg_load >= busiest->avg_load)
		return false;
	sds->avg_load = avg_load_of(sds->total_load, sds->total_capacity);
	if (local->avg_load >= sds->avg_load)
		return false;
	return 100 * busiest->avg_load > env->sd->imbalance_pct * local->avg_load;
}

/* spec 06 §6.8: the busiest group isn't overloaded; does it have a task to spare? */
static bool task_to_spare(const struct lb_env *env, const struct domain_stats *sds)
{
	const struct group_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;

	if (!idle_kind(env))
		return false;
	if (busiest->type == GROUP_SMT_BALANCE && one_is_smt(env, sds))
		return true;
	if (busiest->weight > 1 && local->idle_cpus <= busiest->idle_cpus + 1)
		return false;
	return busiest->sum_h_nr != 1;
}

static bool is_imbalanced(const struct lb_env *env, struct domain_stats *sds)
{
	const struct group_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;

	if (busiest->type == GROUP_MISFIT_TASK)
		return true;
	if (busiest->type == GROUP_ASYM_PACKING || busiest->type == GROUP_IMBALANCED)
		return true;
	if (local->type > busiest->type)
		return false;
	if (local->type == GROUP_OVERLOADED && !loads_differ(env, sds))
		return false;
	if (sds->prefer_sibling && local->type == GROUP_HAS_SPARE &&
	    sibling_imbalance(env, sds) > 1)
		return true;
	return busiest->type == GROUP_OVERLOADED || task_to_spare(env, sds);
}

/* ---- how large is it? ---- */

static void imbalance_is(struct lb_env *env, enum migration_type type, long n)
{
	env->type = type;
	env->imbalance = n;
}

/* the local group has room: fill it (spec 06 §6, imbalance 5) */
static void size_to_spare(struct lb_env *env, const struct domain_stats *sds)
{
	const struct group_stats *local = &sds->local_stat, *busiest = &sds->busiest_stat;
	long n;

	if (busiest->type > GROUP_FULLY_BUSY && !(env->sd->flags & SD_SHARE_LLC)) {
		imbalance_is(env, MIGRATE_UTIL, excess(local->capacity, local->util));
		if (idle_kind(env) && !env->imbalance)
			imbalance_is(env, MIGRATE_TASK, 1);
		return;
	}
	if (busiest->weight == 1 || sds->prefer_sibling)
		n = sibling_imbalance(env, sds);
	else
		n = excess(local->idle_cpus, busiest->idle_cpus);
	imbalance_is(env, MIGRATE_TASK, adjust_numa_imbalance(env, sds, n));
}

/*
 * Bring both to the average of the domain, neither beyond it. A busiest group that is below the
 * average itself has no limit of its own: the difference wraps.
 */
static void size_by_load(struct lb_env *env, struct domain_stats *sds)
{
	struct group_stats *local = &sds->local_stat;
	const struct group_stats *busiest = &sds->busiest_stat;
	unsigned long give, take;

	imbalance_is(env, MIGRATE_LOAD, 0);
	if (local->type < GROUP_OVERLOADED) {
		local->avg_load = avg_load_of(local->load, local->capacity);
		if (local->avg_load >= busiest->avg_load)
			return;
		sds->avg_load = avg_load_of(sds->total_load, sds->total_capacity);
		if (local->avg_load >= sds->avg_load)
			return;
	}
	give = (busiest->avg_load - sds->avg_load) * busiest->capacity;
	take = excess(sds->avg_load, local->avg_load) * local->capacity;
	env->imbalance = min(give, take) / SCHED_CAPACITY_SCALE;
}

static void size_imbalance(struct lb_env *env, struct domain_stats *sds)
{
	const struct group_stats *busiest = &sds->busiest_stat;

	if (busiest->type == GROUP_MISFIT_TASK) {
		if (env->sd->flags & SD_ASYM_CPUCAPACITY)
			imbalance_is(env, MIGRATE_MISFIT, 1);
		else
			imbalance_is(env, MIGRATE_LOAD, busiest->misfit_load);
	} else if (busiest->type == GROUP_ASYM_PACKING) {
		imbalance_is(env, MIGRATE_TASK, busiest->sum_h_nr);
	} else if (busiest->type == GROUP_SMT_BALANCE || busiest->type == GROUP_IMBALANCED) {
		imbalance_is(env, MIGRATE_TASK, 1);
	} else if (sds->local_stat.type == GROUP_HAS_SPARE) {
		size_to_spare(env, sds);
	} else {
		size_by_load(env, sds);
	}
}

/**
 * find_busiest_group() - does sds->busiest have to give, and how much? (spec 06 §6)
 *
 * Energy-aware placement isn't modelled, so its test (§6.3) is absent.
 * Return: true if so, with env->type and env->imbalance set.
 */
bool find_busiest_group(struct lb_env *env, struct domain_stats *sds)
{
	if (!sds->busiest)
		return false;
	if (unlikely(env->s->k.rules.busiest != BUSIEST_BY_TYPE))
		return find_by_load(env, sds);
	sds->prefer_sibling = prefer_sibling_rules[env->s->k.rules.prefer_sibling](env, sds);
	if (!is_imbalanced(env, sds))
		return false;
	size_imbalance(env, sds);
	return env->imbalance > 0;
}

/* ---- which CPU gives (spec 06 §7) ---- */

struct queue_choice {
	int cpu;
	unsigned long value, capacity;
};

static void prefer_queue(struct queue_choice *best, int cpu, unsigned long value,
			 unsigned long capacity)
{
	if (value * best->capacity > best->value * capacity)
		*best = (struct queue_choice){cpu, value, capacity};
}

/* the NUMA classes of queues need fault statistics, which aren't kept: all are alike */
static bool queue_excluded(const struct lb_env *env, const struct rq *rq, unsigned int nr)
{
	const struct rq *dst = cpu_rq(env->s, env->dst_cpu);

	if (!nr)
		return true;
	if ((env->sd->flags & SD_ASYM_CPUCAPACITY) && nr == 1 &&
	    !capacity_greater(dst->cpu_capacity, rq->cpu_capacity))
		return true;
	return (env->sd->flags & SD_ASYM_PACKING) && nr == 1 && asym_prefer(env->s, rq->cpu, env->dst_cpu);
}

/* 6.5+: tasks that only wait count as utilisation, too */
static unsigned long queue_util(const struct sched *s, const struct rq *rq)
{
	unsigned long util = cpu_util_cfs(s, rq->cpu);

	if (s->k.rules.util_boost)
		util = max(util, min(cpu_runnable(rq), rq->cpu_capacity_orig));
	return util;
}

static void consider_queue(const struct lb_env *env, const struct rq *rq, struct queue_choice *best)
{
	unsigned int nr = fair_tasks(env->s, rq);
	unsigned long load;

	if (queue_excluded(env, rq, nr))
		return;
	switch (env->type) {
	case MIGRATE_LOAD:
		load = cpu_load(rq);
		if (nr == 1 && load > (unsigned long)env->imbalance &&
		    !reduced_capacity(rq, env->sd))
			break;
		prefer_queue(best, rq->cpu, load, rq->cpu_capacity);
		break;
	case MIGRATE_UTIL:
		if (nr > 1)
			prefer_queue(best, rq->cpu, queue_util(env->s, rq), 1);
		break;
	case MIGRATE_TASK:
		prefer_queue(best, rq->cpu, nr, 1);
		break;
	case MIGRATE_MISFIT:
		prefer_queue(best, rq->cpu, rq->misfit_task_load, 1);
		break;
	}
}

/**
 * find_busiest_queue() - the CPU of @busiest that gives, or -1
 */
int find_busiest_queue(const struct lb_env *env, const struct sched_group *busiest)
{
	struct queue_choice best = {-1, 0, 1};
	int w;

	for_each_span_word(w, busiest) {
		u64 m = busiest->span[w] & env->cpus[w] & env->s->busy_mask[w];

		for (; m; m &= m - 1)
			consider_queue(env, cpu_rq(env->s, w * 64 + __builtin_ctzll(m)), &best);
	}
	return best.cpu;
}
