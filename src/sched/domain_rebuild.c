// SPDX-License-Identifier: BSD-2-Clause
/*
 * domain_rebuild.c - domains of a running machine are built anew: CPUs came or went, or are divided
 * in another way (spec 01).
 *
 * A kernel takes down the trees of the partitions whose CPUs changed and leaves the others alone.
 * Here all trees are new, and a partition that is what it was gets back what its old one had learnt:
 * intervals, failures, costs, statistics.
 */
#include <errno.h>

#include "base/arena.h"
#include "sched/internal.h"

/* What a CPU has of domains. */
struct attached {
	struct sched_domain *sd, *sd_llc, *sd_numa, *sd_asym_cpucapacity, *sd_cluster;
	struct asym_shared *asym_shared;
	struct llc *llc;
	int llc_pos, llc_id, share_id, llc_size;
	int nr_siblings;
	int *siblings;
	bool sums_stale;
};

struct old_domains {
	struct arena *arena;
	struct llc *llc;
	int nr_llcs;
	bool smt_active, cluster_active, asym_active;
	struct attached *cpu; /* [nr_cpus] */
};

static void save_cpu(struct attached *a, const struct rq *rq)
{
	*a = (struct attached){
		.sd = rq->sd,
		.sd_llc = rq->sd_llc,
		.sd_numa = rq->sd_numa,
		.sd_asym_cpucapacity = rq->sd_asym_cpucapacity,
		.sd_cluster = rq->sd_cluster,
		.asym_shared = rq->asym_shared,
		.llc = rq->llc,
		.llc_pos = rq->llc_pos,
		.llc_id = rq->llc_id,
		.share_id = rq->share_id,
		.llc_size = rq->llc_size,
		.nr_siblings = rq->nr_siblings,
		.siblings = rq->siblings,
		.sums_stale = rq->sums_stale,
	};
}

static void restore_cpu(const struct attached *a, struct rq *rq)
{
	rq->sd = a->sd;
	rq->sd_llc = a->sd_llc;
	rq->sd_numa = a->sd_numa;
	rq->sd_asym_cpucapacity = a->sd_asym_cpucapacity;
	rq->sd_cluster = a->sd_cluster;
	rq->asym_shared = a->asym_shared;
	rq->llc = a->llc;
	rq->llc_pos = a->llc_pos;
	rq->llc_id = a->llc_id;
	rq->share_id = a->share_id;
	rq->llc_size = a->llc_size;
	rq->nr_siblings = a->nr_siblings;
	rq->siblings = a->siblings;
	rq->sums_stale = a->sums_stale;
}

static int save_all(struct sched *s, struct old_domains *old)
{
	*old = (struct old_domains){
		.arena = s->dom_arena,
		.llc = s->llc,
		.nr_llcs = s->nr_llcs,
		.smt_active = s->smt_active,
		.cluster_active = s->cluster_active,
		.asym_active = s->asym_active,
	};
	old->cpu = arena_array(old->arena, s->nr_cpus, sizeof(*old->cpu));
	if (!old->cpu)
		return -ENOMEM;
	for (int c = 0; c < s->nr_cpus; c++)
		save_cpu(&old->cpu[c], &s->rq[c]);
	return 0;
}

static void restore_all(struct sched *s, const struct old_domains *old)
{
	arena_free(s->dom_arena);
	s->dom_arena = old->arena;
	s->llc = old->llc;
	s->nr_llcs = old->nr_llcs;
	s->smt_active = old->smt_active;
	s->cluster_active = old->cluster_active;
	s->asym_active = old->asym_active;
	for (int c = 0; c < s->nr_cpus; c++)
		restore_cpu(&old->cpu[c], &s->rq[c]);
}

/* ---- what goes over to the new ones ---- */

static bool same_span(const struct sched *s, const struct sched_domain *a,
		      const struct sched_domain *b)
{
	return mask_equal(a->span, b->span, s->words);
}

/* the highest domain spans the partition */
static const struct sched_domain *top(const struct sched_domain *sd)
{
	while (sd && sd->parent)
		sd = sd->parent;
	return sd;
}

/* what the domains learn; what they are comes before and after it in the struct */
static void carry_domain(struct sched_domain *sd, const struct sched_domain *old)
{
	struct sched_group *g = sd->groups;
	const struct sched_group *og = old->groups;

	sd->last_balance = old->last_balance;
	sd->balance_interval = old->balance_interval;
	sd->max_newidle_lb_cost = old->max_newidle_lb_cost;
	sd->last_decay_max_lb_cost = old->last_decay_max_lb_cost;
	sd->nr_balance_failed = old->nr_balance_failed;
	sd->newidle_call = old->newidle_call;
	sd->newidle_ratio = old->newidle_ratio;
	sd->newidle_success = old->newidle_success;
	sd->newidle_stamp = old->newidle_stamp;
	memcpy(sd->lb, old->lb, sizeof(sd->lb));
	sd->alb_count = old->alb_count;
	sd->alb_failed = old->alb_failed;
	sd->alb_pushed = old->alb_pushed;
	sd->ttwu_wake_remote = old->ttwu_wake_remote;
	sd->ttwu_move_affine = old->ttwu_move_affine;
	do {
		*g->sgc = *og->sgc;
		g = g->next;
		og = og->next;
	} while (g != sd->groups);
}

static void carry_cpu(struct sched *s, struct rq *rq, const struct attached *old)
{
	const struct sched_domain *osd = old->sd;
	struct sched_domain *sd;

	for_each_domain(rq, sd) {
		carry_domain(sd, osd);
		osd = osd->parent;
	}
	rq->llc->has_idle_cores = old->llc->has_idle_cores;
	rq->llc->nr_idle_scan = old->llc->nr_idle_scan;
	if (rq->asym_shared && old->asym_shared)
		*rq->asym_shared = *old->asym_shared;
}

/* a domain begins as if it had just been balanced (spec 01 §3) */
static void begin_cpu(struct sched *s, u64 now, struct rq *rq)
{
	u64 jiffy = now - now % s->tick_ns;
	struct sched_domain *sd;

	for_each_domain(rq, sd) {
		sd->last_balance = sd->last_decay_max_lb_cost = jiffy;
		sd->newidle_stamp = now;
	}
	rq->nohz_busy_counted = true;
}

/* Return: whether the CPU's partition has the CPUs that it had */
static bool carry_or_begin(struct sched *s, u64 now, struct rq *rq, const struct attached *old)
{
	const struct sched_domain *was = top(old->sd), *is = top(rq->sd);
	bool same = was && is ? same_span(s, was, is) : was == is;

	if (same && is)
		carry_cpu(s, rq, old);
	else if (!same)
		begin_cpu(s, now, rq);
	return same;
}

/* the sets and counts of LLCs, from what their CPUs are */
static void fill_llc(struct sched *s, struct llc *llc)
{
	llc->nr_busy_cpus = llc->nr_sched_idle = 0;
	for (int i = 0; i < llc->nr_cpus; i++) {
		const struct rq *rq = &s->rq[llc->cpus[i]];

		mask_assign(llc->idle, i, rq->idle_visible);
		mask_assign(llc->idle_core, i, rq->idle_visible && siblings_idle(s, rq));
		mask_assign(llc->sched_idle, i, rq->sched_idle_visible);
		llc->nr_busy_cpus += rq->nohz_busy_counted;
		llc->nr_sched_idle += rq->sched_idle_visible;
	}
}

/* ---- walks that were under way ---- */

/* the domain of @rq that is what @old was, NULL: none is */
static struct sched_domain *counterpart(const struct sched *s, const struct rq *rq,
					const struct sched_domain *old)
{
	struct sched_domain *sd;

	for_each_domain(rq, sd)
		if (old && sd->level == old->level && same_span(s, sd, old))
			return sd;
	return NULL;
}

/* A walk goes on where its partition stayed; otherwise it is over when its tasks are attached. */
static void redirect_walk(struct sched *s, struct balance_walk *w, const u64 *unchanged)
{
	const struct rq *rq = w->for_cpu >= 0 ? &s->rq[w->for_cpu] : NULL;

	if (!w->active || !rq)
		return;
	if (!mask_test(unchanged, rq->cpu)) {
		w->sd = w->pass_sd = NULL;
		if (w->serialized)
			s->serialize_locked = w->serialized = false;
		return;
	}
	w->sd = counterpart(s, rq, w->sd);
	w->pass_sd = counterpart(s, rq, w->pass_sd);
}

int sched_rebuild_domains(struct sched *s, u64 now, struct err *err)
{
	struct old_domains old;
	u64 unchanged[s->words];
	int rc;

	if (save_all(s, &old))
		return err_set(err, -ENOMEM, "domains: out of memory");
	for (int c = 0; c < s->nr_cpus; c++)
		s->rq[c].sums_stale = true; /* until there are sums again */
	rc = sched_build_domains(s, err);
	if (!rc && group_sums_build(s))
		rc = err_set(err, -ENOMEM, "domains: out of memory");
	if (rc) {
		restore_all(s, &old);
		return rc;
	}
	mask_zero(unchanged, s->words);
	for (int c = 0; c < s->nr_cpus; c++)
		mask_assign(unchanged, c, carry_or_begin(s, now, &s->rq[c], &old.cpu[c]));
	for (int i = 0; i < s->nr_llcs; i++)
		fill_llc(s, &s->llc[i]);
	for (int c = 0; c < s->nr_cpus; c++)
		redirect_walk(s, &s->rq[c].walk, unchanged);
	arena_free(old.arena);
	return 0;
}
