// SPDX-License-Identifier: BSD-2-Clause
/*
 * stats.c - group statistics and what type they make a group (spec 06 §4, §9).
 *
 * Only CPUs with tasks or with averages left to decay are visited; the idle
 * ones are counted by their bits. Groups of whole LLCs are summed already
 * (sums.c).
 */
#include "sched/balance/lb.h"

/* spec 06 §4: misfit load of a CPU of a non-local group */
static void add_misfit(const struct lb_env *env, const struct rq *rq, struct group_stats *gs,
		       bool *overload)
{
	if (env->sd->flags & SD_ASYM_CPUCAPACITY) {
		if (rq->misfit_task_load > gs->misfit_load) {
			gs->misfit_load = rq->misfit_task_load;
			*overload = true;
		}
	} else if (idle_kind(env) && fair_tasks(env->s, rq) == 1 && reduced_capacity(rq, env->sd)) {
		gs->misfit_load = max(gs->misfit_load, cpu_load(rq));
	}
}

static void add_cpu(const struct lb_env *env, int cpu, bool local, struct group_stats *gs,
		    bool *overload)
{
	const struct rq *rq = cpu_rq(env->s, cpu);

	gs->load += cpu_load(rq);
	gs->util += cpu_util_cfs(env->s, cpu);
	gs->runnable += cpu_runnable(rq);
	if (!rq->nr_running)
		return;
	gs->sum_h_nr += fair_tasks(env->s, rq);
	gs->sum_nr += rq->nr_running;
	if (rq->nr_running > 1)
		*overload = true;
	if (!local)
		add_misfit(env, rq, gs, overload);
}

/**
 * classify_group() - the type of a group, first match of spec 06 §4
 * @imbalance_pct: of the domain
 */
enum group_type classify_group(const struct group_stats *gs, int imbalance_pct)
{
	bool runnable_over = gs->capacity * imbalance_pct < gs->runnable * 100;

	if (gs->sum_nr > gs->weight &&
	    (gs->capacity * 100 < gs->util * imbalance_pct || runnable_over))
		return GROUP_OVERLOADED;
	if (gs->imbalance)
		return GROUP_IMBALANCED;
	if (gs->asym)
		return GROUP_ASYM_PACKING;
	if (gs->smt)
		return GROUP_SMT_BALANCE;
	if (gs->misfit_load)
		return GROUP_MISFIT_TASK;
	if (gs->sum_nr < gs->weight ||
	    (!runnable_over && gs->capacity * 100 > gs->util * imbalance_pct))
		return GROUP_HAS_SPARE;
	return GROUP_FULLY_BUSY;
}

static void read_cpus(const struct lb_env *env, const struct sched_group *g, bool local,
		      struct group_stats *gs, bool *overload)
{
	const struct sched *s = env->s;
	int w;

	for_each_span_word(w, g) {
		u64 span = g->span[w] & env->cpus[w];
		u64 visit = span & (s->busy_mask[w] | s->load_mask[w]);

		gs->idle_cpus += __builtin_popcountll(span & s->idle_mask[w]);
		for (; visit; visit &= visit - 1)
			add_cpu(env, w * 64 + __builtin_ctzll(visit), local, gs, overload);
	}
}

static void take_sums(const struct load_sums *sums, struct group_stats *gs, bool *overload)
{
	gs->load = sums->load;
	gs->util = sums->util;
	gs->runnable = sums->runnable;
	gs->sum_h_nr = sums->h_nr;
	gs->sum_nr = sums->nr;
	gs->idle_cpus = sums->idle;
	*overload |= sums->crowded > 0;
}

static void collect_group(const struct lb_env *env, const struct sched_group *g, bool local,
			  unsigned long capacity, struct group_stats *gs, bool *overload)
{
	const struct sched *s = env->s;
	const struct load_sums *sums = env->cpus == env->sd->span ? group_load(g) : NULL;

	*gs = (struct group_stats){.capacity = capacity, .weight = g->weight};
	if (sums && (local || !sums->odd))
		take_sums(sums, gs, overload);
	else
		read_cpus(env, g, local, gs, overload);
	gs->imbalance = g->sgc->imbalance;
	if (!local && idle_kind(env)) {
		gs->asym = (env->sd->flags & SD_ASYM_PACKING) && gs->sum_h_nr &&
			   asym_prefer(env->dst_cpu, g->first_cpu);
		gs->smt = s->k.rules.smt_balance && (g->flags & SD_SHARE_CPUCAPACITY) &&
			  gs->sum_h_nr > 1;
	}
	gs->type = classify_group(gs, env->sd->imbalance_pct);
	if (gs->type == GROUP_OVERLOADED)
		gs->avg_load = gs->load * SCHED_CAPACITY_SCALE / gs->capacity;
}

/* ---- which of two groups is busier (spec 06 §5) ---- */

static bool more_idle_or_fewer_tasks(const struct group_stats *x, const struct group_stats *b)
{
	return x->idle_cpus > b->idle_cpus ||
	       (x->idle_cpus == b->idle_cpus && x->sum_nr <= b->sum_nr);
}

static bool has_spare_replaces(const struct lb_env *env, const struct sched_group *x,
			       const struct group_stats *xs, const struct domain_stats *sds)
{
	if (env->s->k.rules.smt_balance && sds->busiest) {
		bool x_smt = x->flags & SD_SHARE_CPUCAPACITY;
		bool b_smt = sds->busiest->flags & SD_SHARE_CPUCAPACITY;

		if (x_smt != b_smt)
			return !(x_smt && xs->sum_h_nr <= 1);
	}
	return !more_idle_or_fewer_tasks(xs, &sds->busiest_stat);
}

static bool fully_busy_replaces(const struct lb_env *env, const struct group_stats *xs,
				const struct domain_stats *sds)
{
	const struct group_stats *bs = &sds->busiest_stat;

	if (!env->s->k.rules.smt_balance || xs->avg_load != bs->avg_load)
		return xs->avg_load > bs->avg_load;
	return !(sds->busiest->flags & SD_SHARE_CPUCAPACITY);
}

static bool equal_type_replaces(const struct lb_env *env, const struct sched_group *x,
				const struct group_stats *xs, const struct domain_stats *sds)
{
	const struct group_stats *bs = &sds->busiest_stat;

	switch (xs->type) {
	case GROUP_OVERLOADED:
		return xs->avg_load > bs->avg_load;
	case GROUP_IMBALANCED:
		return false;
	case GROUP_ASYM_PACKING:
		return asym_prefer(sds->busiest->first_cpu, x->first_cpu);
	case GROUP_MISFIT_TASK:
		return xs->misfit_load > bs->misfit_load || (xs->misfit_load == bs->misfit_load &&
							     env->s->k.rules.misfit_equal_replaces);
	case GROUP_SMT_BALANCE:
		if (xs->idle_cpus || bs->idle_cpus)
			return has_spare_replaces(env, x, xs, sds);
		return fully_busy_replaces(env, xs, sds);
	case GROUP_FULLY_BUSY:
		return fully_busy_replaces(env, xs, sds);
	case GROUP_HAS_SPARE:
		return has_spare_replaces(env, x, xs, sds);
	}
	return false;
}

/* on mixed capacity: could the destination help this misfit group at all? */
static bool can_help_misfit(const struct lb_env *env, const struct sched_group *x,
			    const struct domain_stats *sds)
{
	const struct rq *dst = cpu_rq(env->s, env->dst_cpu);

	if (env->s->k.rules.misfit_idle_core && !core_idle(env->s, env->dst_cpu))
		return false;
	return capacity_greater(dst->cpu_capacity, x->sgc->max_capacity) &&
	       sds->local_stat.type == GROUP_HAS_SPARE;
}

/**
 * group_replaces_busiest() - is @x busier than the busiest so far? (spec 06 §5)
 */
bool group_replaces_busiest(const struct lb_env *env, const struct sched_group *x,
			    const struct group_stats *xs, const struct domain_stats *sds)
{
	const struct rq *dst = cpu_rq(env->s, env->dst_cpu);
	bool mixed = env->sd->flags & SD_ASYM_CPUCAPACITY;
	/* no more than a task a CPU, on bigger CPUs than ours: pulling would only slow it */
	bool too_big = mixed && xs->type <= GROUP_FULLY_BUSY &&
		       capacity_greater(x->sgc->min_capacity, dst->cpu_capacity);

	if (!xs->sum_h_nr)
		return false;
	if (too_big && env->s->k.rules.misfit_idle_core)
		return false;
	if (mixed && xs->type == GROUP_MISFIT_TASK && !can_help_misfit(env, x, sds))
		return false;
	if (xs->type != sds->busiest_stat.type)
		return xs->type > sds->busiest_stat.type;
	return equal_type_replaces(env, x, xs, sds) && !too_big;
}

/**
 * idle_scan_limit() - how many CPUs an idle search may visit (spec 06 §9)
 * @sum_util: of the LLC
 * @weight: CPUs of the LLC
 */
int idle_scan_limit(unsigned long sum_util, int weight, int imbalance_pct)
{
	u64 x = sum_util / weight;
	u64 used = x * x * imbalance_pct * imbalance_pct / (10000 * SCHED_CAPACITY_SCALE);

	return (SCHED_CAPACITY_SCALE - min(used, (u64)SCHED_CAPACITY_SCALE)) * weight /
	       SCHED_CAPACITY_SCALE;
}

/**
 * collect_domain_stats() - statistics of every group, and the busiest of them
 * @d: its refreshed capacity of the local group is used; overload and
 *     nr_idle_scan are filled
 */
void collect_domain_stats(const struct lb_env *env, struct balance_decision *d,
			  struct domain_stats *sds)
{
	const struct sched *s = env->s;
	const struct sched_domain *sd = env->sd;
	const struct sched_group *g = sd->groups;
	struct group_stats gs;
	bool overload = false;

	*sds = (struct domain_stats){.local = g};
	sds->busiest_stat = (struct group_stats){.type = GROUP_HAS_SPARE, .idle_cpus = ~0u};
	do {
		bool local = g == sd->groups;
		unsigned long capacity =
			local && d->refresh_capacity ? d->capacity : g->sgc->capacity;

		collect_group(env, g, local, capacity, &gs, &overload);
		if (local) {
			sds->local_stat = gs;
		} else if (group_replaces_busiest(env, g, &gs, sds)) {
			sds->busiest = g;
			sds->busiest_stat = gs;
		}
		sds->total_load += gs.load;
		sds->total_util += gs.util;
		sds->total_capacity += gs.capacity;
		g = g->next;
	} while (g != sd->groups);

	if (!sd->parent)
		d->overload = overload;
	if (env->kind != CPU_NEWLY_IDLE && feat(s, FEAT_SIS_UTIL) &&
	    sd->weight == cpu_rq(s, env->dst_cpu)->llc_size)
		d->nr_idle_scan = idle_scan_limit(sds->total_util, sd->weight, sd->imbalance_pct);
}
