// SPDX-License-Identifier: BSD-2-Clause
/*
 * domain_attach.c - which domains stay, and the shortcuts into them (spec 01 §5, §6).
 */
#include <errno.h>
#include <string.h>

#include "sched/domain.h"

/* ---- degenerate domains (spec 01 §5) ---- */

static bool single_group(const struct cell *cell)
{
	return cell->groups == cell->groups->next;
}

static bool degenerate(const struct cell *cell)
{
	if (cell->span->weight == 1)
		return true;
	if (cell->flags & ~SD_WAKE_AFFINE && !single_group(cell))
		return false;
	return !(cell->flags & SD_WAKE_AFFINE);
}

static bool parent_degenerate(const struct cell *cell, const struct cell *parent)
{
	int needed = parent->flags;

	if (degenerate(parent))
		return true;
	if (cell->span != parent->span)
		return false;
	if (single_group(parent))
		needed &= SD_WAKE_AFFINE;
	return !(needed & ~cell->flags);
}

/*
 * A level below went: the CPU's own group at @level has other flags now. Below NUMA the group is
 * one for all CPUs; at NUMA levels a kernel has one for each CPU, and the others don't see it.
 */
static void change_group_flags(struct domain_build *b, int level, int cpu, int flags)
{
	struct cell *cell = cell_of(b, level, cpu);

	cell->local_flags = flags;
	if (b->level[level].kind != LEVEL_NUMA)
		cell->groups->flags = flags;
}

/* @chain: levels of @cpu that stay, bottom up; Return: how many */
static int remove_degenerate(struct domain_build *b, int cpu, int *chain)
{
	int n = 0;

	for (int l = 0; l < b->nr_levels && cell_of(b, l, cpu)->span; l++) {
		struct cell *cell = cell_of(b, l, cpu), *child;

		child = n ? cell_of(b, chain[n - 1], cpu) : NULL;
		if (child && parent_degenerate(child, cell)) {
			bool last = l + 1 == b->nr_levels || !cell_of(b, l + 1, cpu)->span;

			if (!last && b->rules->group_flags_follow)
				change_group_flags(b, l + 1, cpu, child->flags);
			child->flags |= cell->flags & SD_PREFER_SIBLING;
			continue;
		}
		chain[n++] = l;
	}
	if (n && degenerate(cell_of(b, chain[0], cpu))) {
		n--;
		memmove(chain, chain + 1, n * sizeof(*chain));
		if (n)
			change_group_flags(b, chain[0], cpu, 0);
	}
	return n;
}

/* ---- attaching ---- */

static void init_domain(const struct domain_build *b, struct sched_domain *sd, int level, int cpu)
{
	const struct sched_rules *r = b->rules;
	const struct cell *cell = cell_of(b, level, cpu);

	sd->groups = cell->groups;
	sd->span = cell->span->bits;
	sd->weight = cell->span->weight;
	sd->word = cell->span->word;
	sd->nr_words = cell->span->nr_words;
	sd->flags = cell->flags;
	sd->local_flags = cell->local_flags;
	sd->level = level;
	sd->name = b->level[level].name;
	sd->min_interval = sd->weight;
	sd->max_interval = 2 * (u64)sd->weight;
	sd->balance_interval = sd->weight;
	sd->busy_factor = r->busy_factor;
	sd->imb_numa_nr = cell->imb_numa_nr;
	if (sd->flags & SD_SHARE_CPUCAPACITY) {
		sd->imbalance_pct = 110;
	} else if (sd->flags & SD_SHARE_LLC) {
		sd->imbalance_pct = 117;
		sd->cache_nice_tries = 1;
	} else {
		sd->imbalance_pct = r->pkg_imbalance_pct;
		sd->cache_nice_tries = sd->flags & SD_NUMA ? 2 : 1;
	}
	sd->newidle_call = 512;
	sd->newidle_success = 256;
	sd->newidle_ratio = 512;
}

static int attach_chain(struct domain_build *b, int cpu, const int *chain, int n)
{
	struct sched_domain *sd;

	cpu_rq(b->s, cpu)->sd = NULL;
	if (!n)
		return 0;
	sd = arena_array(b->s->dom_arena, n, sizeof(*sd));
	if (!sd)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		init_domain(b, &sd[i], chain[i], cpu);
		sd[i].child = i ? &sd[i - 1] : NULL;
		sd[i].parent = i + 1 < n ? &sd[i + 1] : NULL;
	}
	cpu_rq(b->s, cpu)->sd = sd;
	return 0;
}

/* ---- shortcuts (spec 01 §6) ---- */

static struct sched_domain *lowest_flag_domain(struct rq *rq, int flag)
{
	struct sched_domain *sd;

	for_each_domain(rq, sd)
		if (sd->flags & flag)
			return sd;
	return NULL;
}

static void find_shortcuts(struct domain_build *b, struct rq *rq)
{
	bool one_level = b->rules->asym_flag == ASYM_ONE_LEVEL;
	struct sched_domain *sd;

	rq->sd_llc = NULL;
	for (sd = rq->sd; sd && sd->flags & SD_SHARE_LLC; sd = sd->parent)
		rq->sd_llc = sd;
	rq->llc_id = rq->sd_llc ? mask_first(rq->sd_llc->span, b->words) : rq->cpu;
	rq->llc_size = rq->sd_llc ? rq->sd_llc->weight : 1;
	rq->sd_numa = lowest_flag_domain(rq, SD_NUMA);
	rq->sd_asym_cpucapacity =
		lowest_flag_domain(rq, one_level ? SD_ASYM_CPUCAPACITY : SD_ASYM_CPUCAPACITY_FULL);
	rq->sd_cluster = lowest_flag_domain(rq, SD_CLUSTER);
	if (rq->sd_cluster)
		b->s->cluster_active = true;
	rq->share_id = rq->sd_cluster ? mask_first(rq->sd_cluster->span, b->words) : rq->llc_id;
}

static int find_siblings(struct domain_build *b, struct rq *rq)
{
	const u64 *core = b->cores + (size_t)b->t->cpu[rq->cpu].core * b->words;
	const u64 *online = b->s->online;
	int n = mask_weight_and(core, online, b->words) - 1, c;

	rq->nr_siblings = 0;
	if (n <= 0 || !mask_test(online, rq->cpu))
		return 0;
	rq->siblings = arena_array(b->s->dom_arena, n, sizeof(int));
	if (!rq->siblings)
		return -ENOMEM;
	for_each_cpu(c, core, b->words)
		if (c != rq->cpu && mask_test(online, c))
			rq->siblings[rq->nr_siblings++] = c;
	return 0;
}

static int init_llc(struct domain_build *b, struct llc *llc, int first)
{
	struct arena *a = b->s->dom_arena;
	const struct sched_domain *sd = cpu_rq(b->s, first)->sd_llc;
	int n = sd ? sd->weight : 1, c;

	llc->id = first;
	llc->index = llc - b->s->llc;
	llc->words = mask_words(n);
	llc->nr_busy_cpus = n;
	llc->cpus = arena_array(a, n, sizeof(int));
	llc->idle = arena_array(a, llc->words, sizeof(u64));
	llc->idle_core = arena_array(a, llc->words, sizeof(u64));
	llc->sched_idle = arena_array(a, llc->words, sizeof(u64));
	if (!llc->cpus || !llc->idle || !llc->idle_core || !llc->sched_idle)
		return -ENOMEM;
	if (!sd) {
		llc->cpus[llc->nr_cpus++] = first;
		return 0;
	}
	for_each_cpu(c, sd->span, b->words)
		llc->cpus[llc->nr_cpus++] = c;
	return 0;
}

/* ids 0 … n - 1 in the order of the first CPUs */
static int build_llcs(struct domain_build *b)
{
	struct sched *s = b->s;
	int n = 0;

	s->nr_llcs = 0;
	for (int c = 0; c < b->nr_cpus; c++)
		s->nr_llcs += cpu_rq(s, c)->llc_id == c;
	s->llc = arena_array(s->dom_arena, s->nr_llcs, sizeof(*s->llc));
	if (!s->llc)
		return -ENOMEM;
	for (int c = 0; c < b->nr_cpus; c++) {
		struct rq *rq = cpu_rq(s, c);

		if (rq->llc_id == c) {
			if (init_llc(b, &s->llc[n], c))
				return -ENOMEM;
			for (int i = 0; i < s->llc[n].nr_cpus; i++) {
				struct rq *member = cpu_rq(s, s->llc[n].cpus[i]);

				member->llc = &s->llc[n];
				member->llc_pos = i;
				if (member->sd_llc)
					member->sd_llc->shared = &s->llc[n];
			}
			n++;
		}
	}
	return 0;
}

/* one object for the CPUs of each mixed-capacity domain (spec 16 §9.3) */
static int build_asym_shared(struct domain_build *b)
{
	struct sched *s = b->s;

	for (int c = 0; c < b->nr_cpus && b->rules->asym_idle_cores; c++) {
		struct rq *rq = cpu_rq(s, c);
		const struct sched_domain *sd = rq->sd_asym_cpucapacity;
		int first = sd ? mask_first(sd->span, b->words) : -1;

		rq->asym_shared = NULL;
		if (first < 0)
			continue;
		if (first == c) {
			rq->asym_shared = arena_alloc(s->dom_arena, sizeof(*rq->asym_shared));
			if (!rq->asym_shared)
				return -ENOMEM;
		}
		rq->asym_shared = cpu_rq(s, first)->asym_shared;
	}
	return 0;
}

int domain_attach_all(struct domain_build *b)
{
	int *chain = arena_array(b->tmp, b->nr_levels, sizeof(int));

	if (!chain)
		return -ENOMEM;
	for (int c = 0; c < b->nr_cpus; c++) {
		struct rq *rq = cpu_rq(b->s, c);

		rq->cpu = c;
		if (attach_chain(b, c, chain, remove_degenerate(b, c, chain)))
			return -ENOMEM;
		find_shortcuts(b, rq);
		if (find_siblings(b, rq))
			return -ENOMEM;
	}
	for (int c = 0; c < b->nr_cpus; c++) {
		struct sched_domain *sd;

		for_each_domain(cpu_rq(b->s, c), sd)
			if (b->level[sd->level].kind != LEVEL_NUMA)
				sd->local_flags = sd->groups->flags;
	}
	return build_asym_shared(b) ?: build_llcs(b);
}
