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
static void add_misfit(const struct lb_env *env, const struct rq *rq, struct group_view *v,
		       bool *overload)
{
	if (env->sd->flags & SD_ASYM_CPUCAPACITY) {
		if (rq->misfit_task_load > v->misfit_load) {
			v->misfit_load = rq->misfit_task_load;
			*overload = true;
		}
	} else if (idle_kind(env) && fair_tasks(env->s, rq) == 1 && reduced_capacity(rq, env->sd)) {
		v->misfit_load = max(v->misfit_load, cpu_load(rq));
	}
}

static void add_cpu(const struct lb_env *env, int cpu, bool local, struct group_view *v,
		    bool *overload)
{
	const struct rq *rq = cpu_rq(env->s, cpu);
	struct load_sums *sums = &v->own;

	sums->load += cpu_load(rq);
	sums->util += cpu_util_cfs(env->s, cpu);
	sums->runnable += cpu_runnable(rq);
	if (!rq->nr_running)
		return;
	sums->h_nr += fair_tasks(env->s, rq);
	sums->nr += rq->nr_running;
	sums->crowded += rq->nr_running > 1;
	if (!local)
		add_misfit(env, rq, v, overload);
}

static void read_cpus(const struct lb_env *env, const struct sched_group *g, bool local,
		      struct group_view *v, bool *overload)
{
	const struct sched *s = env->s;
	int w;

	v->own = (struct load_sums){ 0 };
	v->sums = &v->own;
	for_each_span_word(w, g) {
		u64 span = g->span[w] & env->cpus[w];
		u64 visit = span & (s->busy_mask[w] | s->load_mask[w]);

		v->own.idle += __builtin_popcountll(span & s->idle_mask[w]);
		for (; visit; visit &= visit - 1)
			add_cpu(env, w * 64 + __builtin_ctzll(visit), local, v, overload);
	}
}

static void view_group(const struct lb_env *env, const struct sched_group *g, bool local,
		       struct group_view *v, bool *overload)
{
	v->sums = env->cpus == env->sd->span ? group_load(g) : NULL;
	v->misfit_load = 0;
	if (!v->sums || (v->sums->odd && !local))
		read_cpus(env, g, local, v, overload);
	*overload |= v->sums->crowded > 0;
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

/* a better CPU may take from this group; 6.5+: a core with two busy threads gives by other rules */
static bool group_may_give_asym(const struct lb_env *env, const struct sched_group *g,
				const struct group_stats *gs)
{
	if (env->s->k.rules.asym_idle_core && (g->flags & SD_SHARE_CPUCAPACITY) &&
	    gs->weight - gs->idle_cpus != 1)
		return false;
	return asym_may_pull(env->s, env->sd, env->dst_cpu, g->asym_prefer_cpu);
}

/**
 * judge_group() - statistics and type of a group from what its CPUs add up to
 */
void judge_group(const struct lb_env *env, const struct sched_group *g, bool local,
		 unsigned long capacity, const struct group_view *v, struct group_stats *gs)
{
	const struct sched *s = env->s;
	const struct load_sums *sums = v->sums;

	*gs = (struct group_stats){
		.load = sums->load,
		.util = sums->util,
		.runnable = sums->runnable,
		.capacity = capacity,
		.misfit_load = v->misfit_load,
		.sum_h_nr = sums->h_nr,
		.sum_nr = sums->nr,
		.idle_cpus = sums->idle,
		.weight = g->weight,
		.imbalance = g->sgc->imbalance,
	};
	if (!local && idle_kind(env)) {
		gs->asym = (env->sd->flags & SD_ASYM_PACKING) && gs->sum_h_nr &&
			   group_may_give_asym(env, g, gs);
		gs->smt = s->k.rules.smt_balance && (g->flags & SD_SHARE_CPUCAPACITY) &&
			  gs->sum_h_nr > 1;
	}
	if (unlikely(s->k.rules.busiest != BUSIEST_BY_TYPE)) {
		judge_by_load(env, g, gs);
		return;
	}
	gs->type = classify_group(gs, env->sd->imbalance_pct);
	if (gs->type == GROUP_OVERLOADED)
		gs->avg_load = gs->load * SCHED_CAPACITY_SCALE / gs->capacity;
}

/* ---- which of two groups is busier (spec 06 §5) ---- */

static bool more_idle_or_fewer_tasks(unsigned int idle, unsigned int nr,
				     const struct group_stats *b)
{
	return idle > b->idle_cpus || (idle == b->idle_cpus && nr <= b->sum_nr);
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
	return !more_idle_or_fewer_tasks(xs->idle_cpus, xs->sum_nr, &sds->busiest_stat);
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
		return asym_prefer(env->s, sds->busiest->asym_prefer_cpu, x->asym_prefer_cpu);
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

	if (unlikely(env->s->k.rules.busiest != BUSIEST_BY_TYPE))
		return replaces_by_load(xs, &sds->busiest_stat);
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
 * plainly_less_busy() - would group_replaces_busiest() refuse @x, by its counts alone?
 *
 * It has nothing, or it has CPUs to spare and the busiest so far is of a higher
 * type or has no more of them. On a large domain that is nearly every group.
 */
bool plainly_less_busy(const struct lb_env *env, const struct sched_group *x,
		       const struct group_view *v, const struct domain_stats *sds)
{
	const struct load_sums *sums = v->sums;
	const struct group_stats *bs = &sds->busiest_stat;

	if (!sums->h_nr)
		return true;
	if (!sds->busiest || sums->nr >= (u32)x->weight || v->misfit_load || x->sgc->imbalance)
		return false;
	if ((env->sd->flags & SD_ASYM_PACKING) || env->s->k.rules.busiest != BUSIEST_BY_TYPE ||
	    ((x->flags | sds->busiest->flags) & SD_SHARE_CPUCAPACITY))
		return false;
	return bs->type > GROUP_HAS_SPARE || more_idle_or_fewer_tasks(sums->idle, sums->nr, bs);
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
	unsigned long load = 0, util = 0, total_capacity = 0;
	struct group_view v;
	struct group_stats gs;
	bool overload = false;

	*sds = (struct domain_stats){ .local = g };
	sds->busiest_stat = (struct group_stats){ .type = GROUP_HAS_SPARE, .idle_cpus = ~0u };
	do {
		bool local = g == sd->groups;
		unsigned long capacity =
			local && d->refresh_capacity ? d->capacity : g->sgc->capacity;

		view_group(env, g, local, &v, &overload);
		load += v.sums->load;
		util += v.sums->util;
		total_capacity += capacity;
		if (local) {
			judge_group(env, g, true, capacity, &v, &sds->local_stat);
		} else if (!plainly_less_busy(env, g, &v, sds)) {
			judge_group(env, g, false, capacity, &v, &gs);
			if (group_replaces_busiest(env, g, &gs, sds)) {
				sds->busiest = g;
				sds->busiest_stat = gs;
			}
		}
		g = g->next;
	} while (g != sd->groups);
	sds->total_load = load;
	sds->total_util = util;
	sds->total_capacity = total_capacity;

	if (!sd->parent)
		d->overload = overload;
	if (env->kind != CPU_NEWLY_IDLE && feat(s, FEAT_SIS_UTIL) &&
	    sd->weight == search_weight(cpu_rq(s, env->dst_cpu)))
		d->nr_idle_scan = idle_scan_limit(sds->total_util, sd->weight, sd->imbalance_pct);
}
