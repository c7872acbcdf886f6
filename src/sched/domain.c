// SPDX-License-Identifier: BSD-2-Clause
/*
 * domain.c - scheduling domains of every CPU (spec 01, 16 §14).
 *
 * In the kernel's order: spans (domain_levels.c), flags, groups (domain_groups.c), imb_numa_nr on
 * the whole chains; then degenerate domains are taken out and what is left is attached
 * (domain_attach.c).
 */
#include <errno.h>
#include <stdio.h>

#include "sched/domain.h"

/* ---- flag names ---- */

static const struct {
	int flag;
	const char *name, *old_name;
} flag_names[] = {
	{SD_BALANCE_NEWIDLE, "SD_BALANCE_NEWIDLE", NULL},
	{SD_BALANCE_EXEC, "SD_BALANCE_EXEC", NULL},
	{SD_BALANCE_FORK, "SD_BALANCE_FORK", NULL},
	{SD_BALANCE_WAKE, "SD_BALANCE_WAKE", NULL},
	{SD_WAKE_AFFINE, "SD_WAKE_AFFINE", NULL},
	{SD_ASYM_CPUCAPACITY, "SD_ASYM_CPUCAPACITY", NULL},
	{SD_ASYM_CPUCAPACITY_FULL, "SD_ASYM_CPUCAPACITY_FULL", NULL},
	{SD_SHARE_CPUCAPACITY, "SD_SHARE_CPUCAPACITY", NULL},
	{SD_CLUSTER, "SD_CLUSTER", NULL},
	{SD_SHARE_LLC, "SD_SHARE_LLC", "SD_SHARE_PKG_RESOURCES"},
	{SD_SERIALIZE, "SD_SERIALIZE", NULL},
	{SD_ASYM_PACKING, "SD_ASYM_PACKING", NULL},
	{SD_PREFER_SIBLING, "SD_PREFER_SIBLING", NULL},
	{SD_OVERLAP, "SD_OVERLAP", NULL},
	{SD_NUMA, "SD_NUMA", NULL},
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
	u64 *cpus; /* [n * words] */
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

/* how many of them there are in @set */
static int count_capacities(const struct domain_build *b, const struct capacities *caps,
			    const struct cpu_set *set)
{
	int n = 0;

	for (int i = 0; i < caps->n; i++)
		n += mask_intersects(caps->cpus + (size_t)i * b->words, set->bits, b->words);
	return n;
}

/* spec 01 §8 */
static int asym_flags(const struct domain_build *b, const struct capacities *caps,
		      const struct cpu_set *span, const struct cpu_set *map)
{
	int n = count_capacities(b, caps, span);

	if (n < 2)
		return 0;
	return n < count_capacities(b, caps, map) ?
		       SD_ASYM_CPUCAPACITY :
		       SD_ASYM_CPUCAPACITY | SD_ASYM_CPUCAPACITY_FULL;
}

/* ≤5.13: the lowest level at which every CPU sees one of the biggest CPUs, -1: all are alike */
static int asym_level(const struct domain_build *b, const struct capacities *caps,
		      const struct cpu_set *map)
{
	int level = -1, c;

	if (caps->n < 2)
		return -1;
	for_each_cpu(c, map->bits, b->words) {
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

static void flag_partition(struct domain_build *b, const struct capacities *caps,
			   const struct cpu_set *map)
{
	bool classified = b->rules->asym_flag == ASYM_CLASSIFIED;
	int one_level = classified ? -1 : asym_level(b, caps, map);

	for (int l = 0; l < b->nr_levels; l++) {
		int c;

		for_each_cpu(c, map->bits, b->words) {
			struct cell *cell = cell_of(b, l, c);

			if (!cell->span)
				continue;
			cell->flags = base_flags(b, &b->level[l]);
			if (classified)
				cell->flags |= asym_flags(b, caps, cell->span, map);
			else if (l == one_level)
				cell->flags |= SD_ASYM_CPUCAPACITY;
			if (cell->flags & SD_ASYM_CPUCAPACITY) {
				b->s->asym_active = true;
				if (l)
					cell_of(b, l - 1, c)->flags &= ~SD_PREFER_SIBLING;
			}
		}
	}
}

static int flag_levels(struct domain_build *b)
{
	struct capacities caps;
	int ret = find_capacities(b, &caps);

	for (int i = 0; !ret && i < b->s->nr_rds; i++)
		flag_partition(b, &caps, b->all[i]);
	return ret;
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
			while (span_weight(b, numa, cpu) &&
			       !(cell_of(b, numa, cpu)->flags & SD_NUMA))
				numa++;
			imb_span = span_weight(b, numa, cpu) ?: weight;
		} else {
			cell->imb_numa_nr = imb * max(1, weight / imb_span);
		}
	}
}

/* ---- checks and the whole ---- */

static int bad_cpu(int cpu, const char *what, int id, int nr, struct err *err)
{
	return err_set(err, -EINVAL, "topology: CPU %d has %s %d, the machine has 0 … %d", cpu,
		       what, id, nr - 1);
}

static int check_topology(const struct sched_topology *t, struct err *err)
{
	if (t->nr_cpus < 1 || t->nr_nodes < 1 || t->nr_llcs < 1 || t->nr_cores < 1 ||
	    t->nr_packages < 1)
		return err_set(err, -EINVAL,
			       "topology: a machine needs a CPU, core, LLC, node and package");
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
			return err_set(err, -EINVAL, "topology: CPU %d has capacity %u, not 1 … %d",
				       c, cpu->capacity, SCHED_CAPACITY_SCALE);
	}
	for (int i = 0; i < t->nr_nodes; i++)
		for (int j = 0; j < t->nr_nodes; j++)
			if (t->distance[i * t->nr_nodes + j] < t->distance[i * t->nr_nodes + i])
				return err_set(
					err, -EINVAL,
					"topology: node %d is nearer to node %d than to itself", i,
					j);
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
	return domain_attach_all(b);
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

	s->dom_arena = arena_new();
	s->cluster_active = s->asym_active = false;
	if (!ret && !s->dom_arena)
		ret = err_set(err, -ENOMEM, "domains: out of memory");
	if (!ret) {
		ret = b.tmp ? build(&b) : -ENOMEM;
		if (ret == -E2BIG)
			err_set(err, ret, "topology: more than 64 different CPU capacities");
		else if (ret)
			err_set(err, ret, "domains: out of memory");
		s->smt_active = b.smt_online;
	}
	arena_free(b.tmp);
	return ret;
}
