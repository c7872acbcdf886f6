// SPDX-License-Identifier: BSD-2-Clause
/*
 * fork.c - the slow path of fork and exec: down the domains, each time to the
 * idlest CPU of the idlest group (spec 05).
 */
#include <stdlib.h>

#include "sched/place/fork.h"

/* One descent. */
struct descent {
	const struct sched *s;
	u64 now;
	int from; /* CPU that forks */
	const struct task *p;
	struct sched_work *w;
	int reason;
};

/* ---- may the task stay although another node has more idle CPUs? (§4) ---- */

struct numa_view {
	const struct sched *s;
	const struct sched_domain *sd;
	const struct sched_group *local;
	const struct task *p;
	const struct fork_stats *here, *there;
};

static bool allow_while_idle_cpu(const struct numa_view *v)
{
	return v->here->idle_cpus > 0;
}

static bool allow_quarter_of_span(const struct numa_view *v)
{
	return v->here->nr_running < v->sd->weight / 4;
}

static bool allow_one_per_llc(const struct numa_view *v)
{
	return v->here->nr_running + 1 <= v->sd->imb_numa_nr;
}

#define NUMA_IMBALANCE_MIN 2

static bool allow_one_per_llc_min2(const struct numa_view *v)
{
	int allowed = v->sd->imb_numa_nr;

	if (v->p->affinity_changed)
		allowed = min(allowed, mask_weight_and(v->local->span, v->p->allowed, v->s->words));
	return v->here->nr_running + 1 <= allowed &&
	       abs(v->here->idle_cpus - v->there->idle_cpus) <= NUMA_IMBALANCE_MIN;
}

typedef bool (*numa_allow_fn)(const struct numa_view *v);

static const numa_allow_fn numa_allowance_rules[] = {
	[NUMA_ALLOW_IDLE] = allow_while_idle_cpu,	    /* v5.10 */
	[NUMA_ALLOW_QUARTER] = allow_quarter_of_span,	    /* v5.17 */
	[NUMA_ALLOW_PER_LLC] = allow_one_per_llc,	    /* v5.18 */
	[NUMA_ALLOW_PER_LLC_MIN2] = allow_one_per_llc_min2, /* v6.1 */
};

/* ---- the idlest group (§3, §4) ---- */

static bool group_has_allowed(const struct sched_group *g, const struct task *p)
{
	if (p->allowed_all)
		return true;
	for (int i = g->lo_word; i <= g->hi_word; i++)
		if (g->span[i] & p->allowed[i])
			return true;
	return false;
}

/* best remote group: @st against the present best @best */
static bool is_idler(const struct sched *s, const struct sched_group *g,
		     const struct fork_stats *st, const struct sched_group *best_group,
		     const struct fork_stats *best)
{
	if (!best_group || st->type != best->type)
		return !best_group || st->type < best->type;
	switch (st->type) {
	case FORK_OVERLOADED:
	case FORK_FULLY_BUSY:
		return st->avg_load < best->avg_load;
	case FORK_IMBALANCED:
		return false;
	case FORK_MISFIT:
		return g->sgc->max_capacity > best_group->sgc->max_capacity;
	case FORK_HAS_SPARE:
		if (st->idle_cpus != best->idle_cpus)
			return st->idle_cpus > best->idle_cpus;
		return s->k.rules.fork_util && st->util < best->util;
	}
	return false;
}

/* equal avg_load types: the task leaves only for a clearly lower load */
static bool load_keeps_local(const struct sched_domain *sd, const struct fork_stats *here,
			     const struct fork_stats *there)
{
	u64 imbalance = (u64)SCHED_CAPACITY_SCALE * (sd->imbalance_pct - 100) / 100;

	if (sd->flags & SD_NUMA && there->avg_load + imbalance >= here->avg_load)
		return true;
	return there->avg_load >= here->avg_load + imbalance ||
	       100 * here->avg_load <= sd->imbalance_pct * there->avg_load;
}

static bool keep_local(struct descent *d, const struct sched_domain *sd,
		       const struct sched_group *local, const struct fork_stats *here,
		       const struct sched_group *best, const struct fork_stats *there)
{
	struct numa_view v = {d->s, sd, local, d->p, here, there};

	if (here->type != there->type)
		return here->type < there->type;
	switch (here->type) {
	case FORK_OVERLOADED:
	case FORK_FULLY_BUSY:
		return load_keeps_local(sd, here, there);
	case FORK_IMBALANCED:
		return true;
	case FORK_MISFIT:
		return local->sgc->max_capacity >= best->sgc->max_capacity;
	case FORK_HAS_SPARE:
		if (sd->flags & SD_NUMA && numa_allowance_rules[d->s->k.rules.fork_numa](&v)) {
			d->reason = REASON_FORK_NUMA_ALLOWED;
			return true;
		}
		return here->idle_cpus >= there->idle_cpus;
	}
	return true;
}

/* Return: the group the task should go to, NULL: stay in the local one */
static const struct sched_group *find_idlest_group(struct descent *d, const struct sched_domain *sd,
						   int cpu)
{
	const struct sched_group *g = sd->groups, *local = NULL, *best = NULL;
	struct fork_stats here, there, st;
	bool keep;

	do {
		if (!group_has_allowed(g, d->p))
			continue;
		d->w->cpus[topo_distance(d->s->topo, d->from, g->first_cpu)] += g->weight;
		if (mask_test(g->span, cpu)) {
			local = g;
			fork_group_stats(d->s, sd, g, d->p, &here);
			continue;
		}
		fork_group_stats(d->s, sd, g, d->p, &st);
		if (is_idler(d->s, g, &st, best, &there)) {
			best = g;
			there = st;
		}
	} while (g = g->next, g != sd->groups);
	if (!best || !local)
		return best;
	keep = keep_local(d, sd, local, &here, best, &there);
	EXPLAIN(d->s, .now = d->now, .cpu = d->from, .p = d->p,
		.step = STEP_FORK_GROUPS, .reason = keep ? d->reason : REASON_FORK_GROUPS,
		.candidate = best->first_cpu, .taken = !keep,
		.value = {here.type, here.idle_cpus, there.type, there.idle_cpus, here.nr_running,
			  sd->level});
	return keep ? NULL : best;
}

/* ---- the idlest CPU of a group (§5) ---- */

/* the idle CPU that is cheapest to wake; among equals the one that fell idle last */
struct shallowest {
	int cpu;
	u64 exit_latency, stamp;
};

static void consider_idle(struct shallowest *best, const struct rq *rq)
{
	bool known = rq->cstate_known;

	if (known && rq->exit_latency_ns < best->exit_latency) {
		best->exit_latency = rq->exit_latency_ns;
	} else if ((known && rq->exit_latency_ns != best->exit_latency) ||
		   rq->idle_stamp <= best->stamp) {
		return;
	}
	best->stamp = rq->idle_stamp;
	best->cpu = rq->cpu;
}

static int find_idlest_group_cpu(struct descent *d, const struct sched_group *g, int cpu)
{
	const struct sched *s = d->s;
	const struct task *p = d->p;
	bool sched_idle_free = s->k.rules.sched_idle_free_for_idle || p->policy != POLICY_IDLE;
	struct shallowest idle = {.cpu = -1, .exit_latency = UINT64_MAX};
	u64 min_load = UINT64_MAX;
	int least = cpu;

	if (g->weight == 1)
		return g->first_cpu;
	d->w->cpus[topo_distance(s->topo, d->from, g->first_cpu)] += g->weight;
	for (int i = g->lo_word; i <= g->hi_word; i++) {
		u64 span = g->span[i] & p->allowed[i];

		if (unlikely(s->nr_sched_idle) && sched_idle_free)
			for (u64 w = span & s->busy_mask[i]; w; w &= w - 1)
				if (sched_idle_cpu(s, i * 64 + __builtin_ctzll(w)))
					return i * 64 + __builtin_ctzll(w);
		for (u64 w = span & s->idle_mask[i]; w; w &= w - 1)
			consider_idle(&idle, cpu_rq(s, i * 64 + __builtin_ctzll(w)));
		if (idle.cpu >= 0)
			continue;
		for (u64 w = span & ~s->idle_mask[i]; w; w &= w - 1) {
			int c = i * 64 + __builtin_ctzll(w);
			u64 load = cpu_load(cpu_rq(s, c));

			if (load < min_load) {
				min_load = load;
				least = c;
			}
		}
	}
	return idle.cpu >= 0 ? idle.cpu : least;
}

/* ---- the descent (§2) ---- */

static const struct sched_domain *highest_with(const struct rq *rq, int sd_flag, int below_weight)
{
	const struct sched_domain *sd, *found = NULL;

	for_each_domain(rq, sd) {
		if (sd->weight >= below_weight)
			break;
		if (sd->flags & sd_flag)
			found = sd;
	}
	return found;
}

int find_idlest_cpu(const struct sched *s, u64 now, int cpu, const struct task *p, int sd_flag,
		    int *reason, struct sched_work *w)
{
	struct descent d = {s, now, cpu, p, w, REASON_FORK_LOCAL};
	const struct sched_domain *sd = highest_with(cpu_rq(s, cpu), sd_flag, INT_MAX);
	bool moved = false;
	int new = cpu;

	if (!sd || !(p->allowed_all || mask_intersects(sd->span, p->allowed, s->words))) {
		*reason = d.reason;
		return cpu;
	}
	while (sd) {
		const struct sched_group *g;
		int next;

		g = sd->flags & sd_flag ? find_idlest_group(&d, sd, new) : NULL;
		next = g ? find_idlest_group_cpu(&d, g, new) : new;
		if (next == new) {
			sd = sd->child;
			continue;
		}
		EXPLAIN(s, .now = now, .cpu = cpu, .p = p, .step = STEP_FORK_CPU,
			.reason = REASON_FORK_IDLEST, .candidate = next, .taken = true,
			.value = {g->first_cpu, g->weight, sd->level, new});
		moved = true;
		new = next;
		sd = highest_with(cpu_rq(s, new), sd_flag, sd->weight);
	}
	*reason = moved ? REASON_FORK_IDLEST : d.reason;
	return new;
}
