// SPDX-License-Identifier: BSD-2-Clause
/*
 * domain.c - scheduling domains of every CPU, and the shortcuts into them (spec 01, 16 §14).
 *
 * In the kernel's order: spans (domain_levels.c), flags, groups (domain_groups.c), imb_numa_nr on
 * the whole chains; then degenerate domains are taken out and what is left is attached.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sched/domain.h"

/* ---- flag names ---- */

static const struct {
	int flag;
	const char *name, *old_name;
} flag_names[] = {
	{ SD_BALANCE_NEWIDLE, "SD_BALANCE_NEWIDLE", NULL },
	{ SD_BALANCE_EXEC, "SD_BALANCE_EXEC", NULL },
	{ SD_BALANCE_FORK, "SD_BALANCE_FORK", NULL },
	{ SD_BALANCE_WAKE, "SD_BALANCE_WAKE", NULL },
	{ SD_WAKE_AFFINE, "SD_WAKE_AFFINE", NULL },
	{ SD_ASYM_CPUCAPACITY, "SD_ASYM_CPUCAPACITY", NULL },
	{ SD_ASYM_CPUCAPACITY_FULL, "SD_ASYM_CPUCAPACITY_FULL", NULL },
	{ SD_SHARE_CPUCAPACITY, "SD_SHARE_CPUCAPACITY", NULL },
	{ SD_CLUSTER, "SD_CLUSTER", NULL },
	{ SD_SHARE_LLC, "SD_SHARE_LLC", "SD_SHARE_PKG_RESOURCES" },
	{ SD_SERIALIZE, "SD_SERIALIZE", NULL },
	{ SD_ASYM_PACKING, "SD_ASYM_PACKING", NULL },
	{ SD_PREFER_SIBLING, "SD_PREFER_SIBLING", NULL },
	{ SD_OVERLAP, "SD_OVERLAP", NULL },
	{ SD_NUMA, "SD_NUMA", NULL },
};

char *sched_domain_flag_names(const struct sched *s, int flags, char *buf, size_t len)
{
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(flag_names); i++) {
		bool old = flag_names[i].old_name && !s->k.rules.share_llc_name;

		if (flags & flag_names[i].flag && n < len)
			n += snprintf(buf + n, len - n, "%s%s", n ? " " : "",
				      old ? flag_names[i].old_name : flag_names[i].name);
	}
	return buf;
}

/* ---- flags of new domains (spec 01 §3) ---- */

static int base_flags(const struct domain_build *b, const struct level *l)
{
	int flags = SD_BALANCE_NEWIDLE | SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE |
		    SD_PREFER_SIBLING | l->flags;

	if (l->kind != LEVEL_NUMA)
		return flags;
	flags &= ~SD_PREFER_SIBLING;
	flags |= SD_SERIALIZE;
	if (l->distance > b->t->node_reclaim_distance)
		flags &= ~(SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE);
	return flags;
}

/* Capacities of the machine: which CPUs have each. */
struct capacities {
	int n;
	u64 *cpus;	/* [n * words] */
};

static int find_capacities(const struct domain_build *b, struct capacities *caps)
{
	u32 known[64];

	caps->n = 0;
	caps->cpus = arena_array(b->tmp, ARRAY_SIZE(known) * b->words, sizeof(u64));
	if (!caps->cpus)
		return -ENOMEM;
	for (int c = 0; c < b->nr_cpus; c++) {
		int i = 0;

		while (i < caps->n && known[i] != b->t->cpu[c].capacity)
			i++;
		if (i == (int)ARRAY_SIZE(known))
			return -E2BIG;
		if (i == caps->n)
			known[caps->n++] = b->t->cpu[c].capacity;
		mask_set(caps->cpus + (size_t)i * b->words, c);
	}
	return 0;
}

/* spec 01 §8 */
static int asym_flags(const struct domain_build *b, const struct capacities *caps,
		      const struct cpu_set *span)
{
	int n = 0;

	for (int i = 0; i < caps->n; i++)
		n += mask_intersects(caps->cpus + (size_t)i * b->words, span->bits, b->words);
	if (n < 2)
		return 0;
	return n < caps->n ? SD_ASYM_CPUCAPACITY : SD_ASYM_CPUCAPACITY | SD_ASYM_CPUCAPACITY_FULL;
}

/* ≤5.13: the lowest level at which every CPU sees one of the biggest CPUs, -1: all are alike */
static int asym_level(const struct domain_build *b, const struct capacities *caps)
{
	int level = -1;

	for (int c = 0; caps->n > 1 && c < b->nr_cpus; c++) {
		u32 biggest = b->t->cpu[c].capacity;

		for (int l = 0; l < b->nr_levels && cell_of(b, l, c)->span; l++) {
			int j;

			if (l < level)
				continue;
			for_each_cpu(j, cell_of(b, l, c)->span->bits, b->words) {
				if (b->t->cpu[j].capacity <= biggest)
					continue;
				biggest = b->t->cpu[j].capacity;
				level = l;
			}
		}
	}
	return level;
}

static int flag_levels(struct domain_build *b)
{
	struct capacities caps;
	int one_level, ret = find_capacities(b, &caps);

	if (ret)
		return ret;
	one_level = b->rules->asym_flag == ASYM_ONE_LEVEL ? asym_level(b, &caps) : -1;
	for (int l = 0; l < b->nr_levels; l++) {
		for (int c = 0; c < b->nr_cpus; c++) {
			struct cell *cell = cell_of(b, l, c);

			if (!cell->span)
				continue;
			cell->flags = base_flags(b, &b->level[l]);
			if (b->rules->asym_flag == ASYM_CLASSIFIED)
				cell->flags |= asym_flags(b, &caps, cell->span);
			else if (l == one_level)
				cell->flags |= SD_ASYM_CPUCAPACITY;
			if (cell->flags & SD_ASYM_CPUCAPACITY) {
				b->s->asym_active = true;
				if (l)
					cell_of(b, l - 1, c)->flags &= ~SD_PREFER_SIBLING;
			}
		}
	}
	return 0;
}

/* ---- imb_numa_nr (spec 01 §7) ---- */

static int span_weight(const struct domain_build *b, int level, int cpu)
{
	const struct cell *cell = level < b->nr_levels ? cell_of(b, level, cpu) : NULL;

	return cell && cell->span ? cell->span->weight : 0;
}

/* what may stay on one node, at the first domain above the LLC */
static int llc_imbalance(const struct domain_build *b, int weight, int llc_weight)
{
	bool eighth = b->rules->imb_numa_nr == IMB_NUMA_EIGHTH;
	int nr_llcs = weight / llc_weight;
	int imb = nr_llcs > 1 ? nr_llcs : weight / (eighth ? 8 : 4);

	return eighth ? max(imb, 1) : imb;
}

static void numa_imbalance(struct domain_build *b, int cpu)
{
	int imb = 0, imb_span = 1, weight;

	for (int l = 0; (weight = span_weight(b, l, cpu)); l++) {
		struct cell *cell = cell_of(b, l, cpu);
		const struct cell *child = l ? cell_of(b, l - 1, cpu) : NULL;

		if (child && child->flags & SD_SHARE_LLC && !(cell->flags & SD_SHARE_LLC)) {
			int numa = l + 1;

			imb = llc_imbalance(b, weight, child->span->weight);
			cell->imb_numa_nr = imb;
			while (span_weight(b, numa, cpu) && !(cell_of(b, numa, cpu)->flags & SD_NUMA))
				numa++;
			imb_span = span_weight(b, numa, cpu) ?: weight;
		} else {
			cell->imb_numa_nr = imb * max(1, weight / imb_span);
		}
	}
}

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
				cell_of(b, l + 1, cpu)->groups->flags = child->flags;
			child->flags |= cell->flags & SD_PREFER_SIBLING;
			continue;
		}
		chain[n++] = l;
	}
	if (n && degenerate(cell_of(b, chain[0], cpu))) {
		n--;
		memmove(chain, chain + 1, n * sizeof(*chain));
		if (n)
			cell_of(b, chain[0], cpu)->groups->flags = 0;
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
	sd->lo_word = cell->span->lo_word;
	sd->hi_word = cell->span->hi_word;
	sd->word = cell->span->word;
	sd->nr_words = cell->span->nr_words;
	sd->flags = cell->flags;
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
	struct sched_domain *sd = arena_array(b->s->arena, n, sizeof(*sd));

	if (!sd)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		init_domain(b, &sd[i], chain[i], cpu);
		sd[i].child = i ? &sd[i - 1] : NULL;
		sd[i].parent = i + 1 < n ? &sd[i + 1] : NULL;
	}
	cpu_rq(b->s, cpu)->sd = n ? sd : NULL;
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

	for (sd = rq->sd; sd && sd->flags & SD_SHARE_LLC; sd = sd->parent)
		rq->sd_llc = sd;
	rq->llc_id = rq->sd_llc ? mask_first(rq->sd_llc->span, b->words) : rq->cpu;
	rq->llc_size = rq->sd_llc ? rq->sd_llc->weight : 1;
	rq->sd_numa = lowest_flag_domain(rq, SD_NUMA);
	rq->sd_asym_cpucapacity = lowest_flag_domain(rq, one_level ? SD_ASYM_CPUCAPACITY :
							   SD_ASYM_CPUCAPACITY_FULL);
	rq->sd_cluster = lowest_flag_domain(rq, SD_CLUSTER);
	if (rq->sd_cluster)
		b->s->cluster_active = true;
	rq->share_id = rq->sd_cluster ? mask_first(rq->sd_cluster->span, b->words) : rq->llc_id;
}

static int find_siblings(struct domain_build *b, struct rq *rq)
{
	const u64 *core = b->cores + (size_t)b->t->cpu[rq->cpu].core * b->words;
	int n = mask_weight(core, b->words) - 1, c;

	if (!n)
		return 0;
	rq->siblings = arena_array(b->s->arena, n, sizeof(int));
	if (!rq->siblings)
		return -ENOMEM;
	for_each_cpu(c, core, b->words)
		if (c != rq->cpu)
			rq->siblings[rq->nr_siblings++] = c;
	return 0;
}

static int init_llc(struct domain_build *b, struct llc *llc, int first)
{
	struct arena *a = b->s->arena;
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

	for (int c = 0; c < b->nr_cpus; c++)
		s->nr_llcs += cpu_rq(s, c)->llc_id == c;
	s->llc = arena_array(s->arena, s->nr_llcs, sizeof(*s->llc));
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

static int attach_all(struct domain_build *b)
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
	return build_llcs(b);
}

/* ---- checks and the whole ---- */

static int bad_cpu(int cpu, const char *what, int id, int nr, struct err *err)
{
	return err_set(err, -EINVAL, "topology: CPU %d has %s %d, the machine has 0 … %d", cpu, what, id,
		       nr - 1);
}

static int check_topology(const struct sched_topology *t, struct err *err)
{
	if (t->nr_cpus < 1 || t->nr_nodes < 1 || t->nr_llcs < 1 || t->nr_cores < 1 || t->nr_packages < 1)
		return err_set(err, -EINVAL, "topology: a machine needs a CPU, core, LLC, node and package");
	for (int c = 0; c < t->nr_cpus; c++) {
		const struct topo_cpu *cpu = &t->cpu[c];

		if (cpu->core < 0 || cpu->core >= t->nr_cores)
			return bad_cpu(c, "core", cpu->core, t->nr_cores, err);
		if (cpu->cluster < -1 || cpu->cluster >= t->nr_clusters)
			return bad_cpu(c, "cluster", cpu->cluster, t->nr_clusters, err);
		if (cpu->llc < 0 || cpu->llc >= t->nr_llcs)
			return bad_cpu(c, "LLC", cpu->llc, t->nr_llcs, err);
		if (cpu->package < 0 || cpu->package >= t->nr_packages)
			return bad_cpu(c, "package", cpu->package, t->nr_packages, err);
		if (cpu->node < 0 || cpu->node >= t->nr_nodes)
			return bad_cpu(c, "node", cpu->node, t->nr_nodes, err);
		if (cpu->capacity < 1 || cpu->capacity > SCHED_CAPACITY_SCALE)
			return err_set(err, -EINVAL, "topology: CPU %d has capacity %u, not 1 … %d", c,
				       cpu->capacity, SCHED_CAPACITY_SCALE);
	}
	for (int i = 0; i < t->nr_nodes; i++)
		for (int j = 0; j < t->nr_nodes; j++)
			if (t->distance[i * t->nr_nodes + j] < t->distance[i * t->nr_nodes + i])
				return err_set(err, -EINVAL,
					       "topology: node %d is nearer to node %d than to itself", i, j);
	return 0;
}

static int build(struct domain_build *b)
{
	int ret;

	b->scratch = arena_array(b->tmp, b->words, sizeof(u64));
	if (!b->scratch)
		return -ENOMEM;
	ret = domain_build_levels(b);
	if (!ret)
		ret = flag_levels(b);
	if (!ret)
		ret = domain_build_groups(b);
	if (ret)
		return ret;
	if (b->rules->imb_numa_nr != IMB_NUMA_NONE)
		for (int c = 0; c < b->nr_cpus; c++)
			numa_imbalance(b, c);
	return attach_all(b);
}

int sched_build_domains(struct sched *s, struct err *err)
{
	struct domain_build b = {
		.s = s,
		.t = s->topo,
		.rules = &s->k.rules,
		.tmp = arena_new(),
		.nr_cpus = s->topo->nr_cpus,
		.words = mask_words(s->topo->nr_cpus),
	};
	int ret = check_topology(s->topo, err);

	if (!ret) {
		ret = b.tmp ? build(&b) : -ENOMEM;
		if (ret == -E2BIG)
			err_set(err, ret, "topology: more than 64 different CPU capacities");
		else if (ret)
			err_set(err, ret, "domains: out of memory");
		s->smt_active = b.smt;
	}
	arena_free(b.tmp);
	return ret;
}
