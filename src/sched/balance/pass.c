// SPDX-License-Identifier: BSD-2-Clause
/*
 * pass.c - deciding one balancing pass, from a const core (spec 06 §2, §3).
 */
#include "sched/balance/lb.h"

#define MAX_PINNED_INTERVAL 512 /* ms: up to here a pass that met only pinned tasks backs off */

u64 balance_price(const struct sched *s, int cpu, const struct sched_work *w)
{
	return s->host.price(s->host.ctx, cpu, w);
}

/**
 * count_span() - how many CPUs of @sd lie at which distance from @cpu
 */
void count_span(const struct sched *s, int cpu, const struct sched_domain *sd, u32 at[NR_DISTANCES])
{
	int w;

	memset(at, 0, NR_DISTANCES * sizeof(at[0]));
	for_each_span_word(w, sd)
		for (u64 m = sd->span[w]; m; m &= m - 1)
			at[topo_distance(s->topo, cpu, w * 64 + __builtin_ctzll(m))]++;
}

/* a CPU that sees the machine's distances as @rq does, already counted; NULL: none */
static const struct rq *counted_twin(const struct sched *s, const struct rq *rq)
{
	const struct rq *twin;

	if (!rq->llc || !rq->llc_pos)
		return NULL;
	twin = cpu_rq(s, rq->llc->cpus[rq->llc_pos - 1]);
	if (s->topo->cpu[twin->cpu].cluster != s->topo->cpu[rq->cpu].cluster ||
	    twin->nr_siblings != rq->nr_siblings)
		return NULL;
	return twin;
}

/**
 * count_domains() - fill span_at of the domains of @rq
 *
 * Neighbours see the same distances, so most CPUs copy.
 */
void count_domains(const struct sched *s, struct rq *rq)
{
	const struct rq *twin = counted_twin(s, rq);
	const struct sched_domain *other = twin ? twin->sd : NULL;
	struct sched_domain *sd;

	for_each_domain(rq, sd) {
		if (other && other->span == sd->span && other->span_at[DIST_SELF])
			memcpy(sd->span_at, other->span_at, sizeof(sd->span_at));
		else
			count_span(s, rq->cpu, sd, sd->span_at);
		other = other ? other->parent : NULL;
	}
}

/* every CPU of the span is read; bits make it cheap here, not there */
static void charge_span(struct lb_env *env, struct balance_decision *d)
{
	u32 at[NR_DISTANCES];
	const u32 *n = env->sd->span_at;

	if (!n[DIST_SELF]) {
		count_span(env->s, d->dst, env->sd, at);
		n = at;
	}
	for (int i = 0; i < NR_DISTANCES; i++)
		d->work.cpus[i] += n[i];
}

/* take @cpu out of the CPUs that take part in this pass */
void leave_out(struct lb_env *env, int cpu)
{
	if (env->cpus != env->own_cpus) {
		mask_copy(env->own_cpus, env->cpus, env->s->words);
		env->cpus = env->own_cpus;
	}
	mask_clear(env->own_cpus, cpu);
}

/* ---- who may balance (spec 06 §3) ---- */

/* the first idle CPU of the local group, -1: none */
static int first_idle(const struct lb_env *env)
{
	const struct sched_group *g = env->sd->groups;
	int w;

	for_each_span_word(w, g) {
		u64 m = g->balance_mask[w] & env->cpus[w] & env->s->idle_mask[w];

		if (m)
			return w * 64 + __builtin_ctzll(m);
	}
	return -1;
}

/* 6.6+: the first whose core is idle; else the first, siblings of a looked at core skipped */
static int first_idle_core(const struct lb_env *env)
{
	const struct sched_group *g = env->sd->groups;
	int idle_smt = -1, w;

	if (env->sd->flags & SD_SHARE_CPUCAPACITY)
		return first_idle(env);
	for_each_span_word(w, g) {
		u64 m = g->balance_mask[w] & env->cpus[w] & env->s->idle_mask[w];

		for (; m; m &= m - 1) {
			int cpu = w * 64 + __builtin_ctzll(m);

			if (core_idle(env->s, cpu))
				return cpu;
			if (idle_smt < 0)
				idle_smt = cpu;
		}
	}
	return idle_smt;
}

/**
 * should_we_balance() - is env->dst_cpu the one that balances this domain?
 */
bool should_we_balance(const struct lb_env *env)
{
	const struct sched *s = env->s;
	const struct rq *rq = cpu_rq(s, env->dst_cpu);
	int first;

	if (env->cpus != env->sd->span && !mask_test(env->cpus, env->dst_cpu))
		return false;
	if (env->kind == CPU_NEWLY_IDLE)
		return !s->k.rules.newidle_checks_pending || (!rq->nr_running && !rq->ttwu_pending);
	if (env->sd->groups->weight == 1)
		return true;
	first = s->k.rules.smt_balance ? first_idle_core(env) : first_idle(env);
	if (first < 0)
		first = env->sd->groups->balance_cpu;
	return first == env->dst_cpu;
}

/* ---- capacity of the local group (spec 06 §8) ---- */

/* realtime, deadline and interrupt time aren't modelled yet: nothing is taken off */
static unsigned long scale_rt_capacity(const struct rq *rq)
{
	return max(rq->cpu_capacity_orig, 1ul);
}

static void add_capacity(struct balance_decision *d, unsigned long capacity, unsigned long lo,
			 unsigned long hi)
{
	d->capacity += capacity;
	d->min_capacity = min(d->min_capacity, lo);
	d->max_capacity = max(d->max_capacity, hi);
}

static void sum_capacity(const struct lb_env *env, struct balance_decision *d)
{
	const struct sched *s = env->s;
	const struct sched_domain *child = env->sd->child;
	const struct sched_group *local = env->sd->groups, *g;
	int w;

	d->capacity = d->max_capacity = 0;
	d->min_capacity = ~0ul;
	if (!child) {
		unsigned long c = scale_rt_capacity(cpu_rq(s, env->dst_cpu));

		add_capacity(d, c, c, c);
	} else if (child->flags & SD_NUMA) {
		/* groups that overlap would be counted twice */
		for_each_span_word(w, local)
			for (u64 m = local->span[w]; m; m &= m - 1) {
				int cpu = w * 64 + __builtin_ctzll(m);
				unsigned long c = cpu_rq(s, cpu)->cpu_capacity;

				add_capacity(d, c, c, c);
			}
	} else {
		g = child->groups;
		do {
			add_capacity(d, g->sgc->capacity, g->sgc->min_capacity,
				     g->sgc->max_capacity);
			g = g->next;
		} while (g != child->groups);
	}
}

static void refresh_capacity(const struct lb_env *env, struct balance_decision *d)
{
	const struct sched *s = env->s;

	d->refresh_capacity =
		env->kind != CPU_NEWLY_IDLE || env->now >= env->sd->groups->sgc->next_update;
	if (!d->refresh_capacity)
		return;
	sum_capacity(env, d);
	d->capacity_next_update =
		jiffy_of(s, env->now) +
		clamp_interval(s, msecs_to_jiffies_ns(s, env->sd->balance_interval));
}

/* ---- how a pass ends (spec 06 §2.4 – 2.6) ---- */

static bool counts_as_failed(const struct lb_env *env)
{
	return env->kind != CPU_NEWLY_IDLE &&
	       !(env->s->k.rules.misfit_not_failed && env->type == MIGRATE_MISFIT);
}

static void back_off(const struct lb_env *env, struct balance_decision *d)
{
	bool pinned = env->flags & LBF_ALL_PINNED;

	if (!counts_as_failed(env))
		return;
	if ((pinned && d->balance_interval < MAX_PINNED_INTERVAL) ||
	    d->balance_interval < env->sd->max_interval)
		d->balance_interval *= 2;
}

static void end_all_pinned(const struct lb_env *env, struct balance_decision *d,
			   enum balance_outcome outcome)
{
	d->outcome = outcome;
	d->lb.balanced++;
	d->nr_balance_failed = 0;
	back_off(env, d);
}

static void end_balanced(const struct lb_env *env, struct balance_decision *d,
			 enum balance_outcome outcome)
{
	if (env->sd->parent && !(env->flags & LBF_ALL_PINNED))
		d->parent_imbalance = 0;
	end_all_pinned(env, d, outcome);
}

/* ---- active balance (spec 06 §9) ---- */

static bool asym_active(const struct lb_env *env)
{
	return idle_kind(env) && (env->sd->flags & SD_ASYM_PACKING) &&
	       asym_may_pull(env->s, env->sd, env->dst_cpu, env->src_cpu);
}

static bool reduced_capacity_active(const struct lb_env *env)
{
	const struct rq *src = cpu_rq(env->s, env->src_cpu), *dst = cpu_rq(env->s, env->dst_cpu);

	return idle_kind(env) && fair_tasks(env->s, src) == 1 && reduced_capacity(src, env->sd) &&
	       src->cpu_capacity * env->sd->imbalance_pct < dst->cpu_capacity * 100;
}

/* reasons that don't come from having failed before */
static bool voluntary_active(const struct lb_env *env)
{
	return asym_active(env) || reduced_capacity_active(env) || env->type == MIGRATE_MISFIT;
}

static bool need_active_balance(const struct lb_env *env, const struct balance_decision *d)
{
	return voluntary_active(env) ||
	       (env->type == MIGRATE_TASK && d->nr_balance_failed > env->sd->cache_nice_tries + 2);
}

/* ≤5.12: a push that is only forced by failures makes the domain back off */
static void interval_after_push_5_12(const struct lb_env *env, struct balance_decision *d)
{
	if (d->active_src < 0 || voluntary_active(env))
		d->balance_interval = env->sd->min_interval;
	else if (d->balance_interval < env->sd->max_interval)
		d->balance_interval *= 2;
}

static void interval_after_push(const struct lb_env *env, struct balance_decision *d)
{
	if (d->active_src < 0 || need_active_balance(env, d))
		d->balance_interval = env->sd->min_interval;
}

static const struct {
	bool forces_hot; /* by pretending to have failed: there is no exemption from hotness */
	void (*interval)(const struct lb_env *env, struct balance_decision *d);
} push_rules[] = {
	[PUSH_COUNTS_AS_FAILED] = {true, interval_after_push_5_12},
	[PUSH_EXEMPT] = {false, interval_after_push},
};

/* Return: false if the running task may not come here */
static bool start_push(struct lb_env *env, struct balance_decision *d)
{
	const struct rq *src = cpu_rq(env->s, env->src_cpu);

	if (!src->curr || src->stop_running || !task_allowed(src->curr, d->dst))
		return false;
	env->flags &= ~LBF_ALL_PINNED;
	if (env->flags & LBF_HANDS_TIED)
		return true;
	if (!src->active_balance && (src->curr->on_rq || !env->s->k.rules.push_needs_queued))
		d->active_src = env->src_cpu;
	return true;
}

static void end_failed(struct lb_env *env, struct balance_decision *d)
{
	const enum push_rule rule = env->s->k.rules.push;

	d->outcome = BALANCE_FAILED;
	d->lb.failed++;
	if (counts_as_failed(env))
		d->nr_balance_failed++;
	if (need_active_balance(env, d)) {
		if (!start_push(env, d)) {
			back_off(env, d);
			return;
		}
		if (push_rules[rule].forces_hot)
			d->nr_balance_failed = env->sd->cache_nice_tries + 1;
	}
	push_rules[rule].interval(env, d);
}

void end_moved(const struct sched_domain *sd, struct balance_decision *d)
{
	d->outcome = BALANCE_MOVED;
	d->nr_balance_failed = 0;
	d->balance_interval = sd->min_interval;
	d->work.locks[DIST_SELF]++; /* to attach */
}

/* ---- the pass ---- */

static void take_tasks(struct lb_env *env, struct balance_decision *d)
{
	env->flags |= LBF_ALL_PINNED;
	if (cpu_rq(env->s, env->src_cpu)->nr_running <= 1)
		return;
	d->work.locks[topo_distance(env->s->topo, d->dst, env->src_cpu)]++;
	detach_tasks(env, d);
	if (env->sd->parent && (env->flags & LBF_SOME_PINNED) && env->imbalance > 0)
		d->parent_imbalance = 1;
}

/* every task of the source is pinned: may another CPU outside the local group give instead? */
static bool may_redo(struct lb_env *env)
{
	const struct sched_domain *sd = env->sd;
	int w;

	leave_out(env, env->src_cpu);
	for_each_span_word(w, sd)
		if (env->cpus[w] & ~sd->groups->span[w])
			return true;
	return false;
}

static bool span_has_tasks(const struct lb_env *env)
{
	int w;

	for_each_span_word(w, env->sd)
		if (env->sd->span[w] & env->s->busy_mask[w])
			return true;
	return false;
}

/* nothing runs in the whole span: what the statistics would say is known */
static void decide_trivial(const struct lb_env *env, struct balance_decision *d)
{
	const struct sched *s = env->s;
	const struct sched_domain *sd = env->sd;
	unsigned long util = 0;
	int w;

	d->trivial = true;
	if (!sd->parent)
		d->overload = 0;
	if (env->kind != CPU_NEWLY_IDLE && feat(s, FEAT_SIS_UTIL) &&
	    sd->weight == search_weight(cpu_rq(s, d->dst))) {
		for_each_span_word(w, sd)
			for (u64 m = sd->span[w] & s->load_mask[w]; m; m &= m - 1)
				util += cpu_util_cfs(s, w * 64 + __builtin_ctzll(m));
		d->nr_idle_scan = idle_scan_limit(util, sd->weight, sd->imbalance_pct);
	}
	d->lb.nobusyg++;
	end_balanced(env, d, BALANCE_NO_GROUP);
}

/* Return: false if the busiest CPU's tasks are all pinned and another may be tried */
static bool try_once(struct lb_env *env, struct balance_decision *d)
{
	struct domain_stats sds;
	bool found;

	collect_domain_stats(env, d, &sds);
	found = find_busiest_group(env, &sds);
	d->local_type = sds.local_stat.type;
	d->busiest_type = sds.busiest_stat.type;
	d->busiest = sds.busiest;
	d->type = env->type;
	d->imbalance = found ? env->imbalance : 0;
	if (!found) {
		d->lb.nobusyg++;
		end_balanced(env, d, BALANCE_NO_GROUP);
		return true;
	}
	d->src = env->src_cpu = find_busiest_queue(env, sds.busiest);
	if (d->src < 0) {
		d->lb.nobusyq++;
		end_balanced(env, d, BALANCE_NO_QUEUE);
		return true;
	}
	d->lb.imbalance[env->type] += env->imbalance;
	take_tasks(env, d);
	if (d->nr_taken) {
		end_moved(env->sd, d);
		return true;
	}
	if ((env->flags & LBF_ALL_PINNED) && cpu_rq(env->s, d->src)->nr_running > 1) {
		if (may_redo(env))
			return false;
		end_all_pinned(env, d, BALANCE_ALL_PINNED);
		return true;
	}
	end_failed(env, d);
	return true;
}

static bool lock_busy(const struct lb_env *env)
{
	return env->s->k.rules.serialize == SERIALIZE_ALL && (env->sd->flags & SD_SERIALIZE) &&
	       env->s->serialize_locked;
}

static void decide(struct lb_env *env, struct balance_decision *d)
{
	for (;;) {
		if (!(env->flags & LBF_ALLOWED) && !should_we_balance(env)) {
			d->work.cpus[DIST_SELF]++;
			end_balanced(env, d, BALANCE_NOT_ALLOWED);
			return;
		}
		if (lock_busy(env)) {
			d->work.cpus[DIST_SELF]++;
			end_balanced(env, d, BALANCE_LOCK_BUSY);
			return;
		}
		charge_span(env, d);
		refresh_capacity(env, d);
		if (!span_has_tasks(env)) {
			decide_trivial(env, d);
			return;
		}
		if (try_once(env, d))
			return;
	}
}

void balance_prepare(struct sched *s, u64 now, int dst, const struct sched_domain *sd,
		     enum cpu_idle_type kind)
{
	struct lb_env env = {
		.s = s,
		.now = now,
		.sd = sd,
		.kind = kind,
		.dst_cpu = dst,
		.cpus = sd->span,
	};

	/* groups inside an LLC are read anyway */
	if (sd->flags & SD_SHARE_LLC)
		return;
	if (should_we_balance(&env))
		group_sums_refresh(s, sd);
}

void decide_pass(const struct sched *s, u64 now, int dst, struct sched_domain *sd,
		 enum cpu_idle_type kind, unsigned int flags, struct balance_decision *d)
{
	struct lb_env env = {
		.s = s,
		.now = now,
		.sd = sd,
		.kind = kind,
		.dst_cpu = dst,
		.src_cpu = -1,
		.cpus = sd->span,
		.own_cpus = s->scratch[3],
		.flags = flags,
		.type = MIGRATE_LOAD,
		.nr_balance_failed = sd->nr_balance_failed,
	};

	memset(d, 0, offsetof(struct balance_decision, look));
	d->dst = dst;
	d->sd = sd;
	d->kind = kind;
	d->src = d->active_src = -1;
	d->parent_imbalance = d->overload = d->nr_idle_scan = -1;
	d->nr_balance_failed = sd->nr_balance_failed;
	d->balance_interval = sd->balance_interval;
	d->lb.count++;
	d->work.kind = WORK_BALANCE;
	decide(&env, d);
	d->cost_ns = balance_price(s, dst, &d->work);
}

void balance_decide(const struct sched *s, u64 now, int dst, struct sched_domain *sd,
		    enum cpu_idle_type kind, struct balance_decision *d)
{
	decide_pass(s, now, dst, sd, kind, 0, d);
}
