// SPDX-License-Identifier: BSD-2-Clause
/*
 * domain_levels.c - which levels a machine has, and the span of each CPU's domain there
 * (spec 01 §2-4).
 */
#include <errno.h>
#include <stdlib.h>

#include "sched/domain.h"

/* ---- sets ---- */

static u64 hash_bits(const u64 *bits, int words)
{
	u64 h = 0;

	for (int i = 0; i < words; i++)
		h = rng_mix(h ^ bits[i]);
	return h;
}

static bool grow_table(struct domain_build *b)
{
	size_t size = b->table_size ? 2 * b->table_size : 1024;
	struct cpu_set **table = arena_array(b->tmp, size, sizeof(*table));

	if (!table)
		return false;
	for (size_t i = 0; i < b->table_size; i++) {
		size_t at;

		if (!b->table[i])
			continue;
		at = hash_bits(b->table[i]->bits, b->words) & (size - 1);
		while (table[at])
			at = (at + 1) & (size - 1);
		table[at] = b->table[i];
	}
	b->table = table;
	b->table_size = size;
	return true;
}

/* which words of the set aren't zero */
static bool list_words(struct domain_build *b, struct cpu_set *set)
{
	set->word = arena_array(b->s->dom_arena, b->words, sizeof(*set->word));
	if (!set->word)
		return false;
	for (int i = 0; i < b->words; i++)
		if (set->bits[i])
			set->word[set->nr_words++] = i;
	if (set->nr_words) {
		set->lo_word = set->word[0];
		set->hi_word = set->word[set->nr_words - 1];
	}
	return true;
}

/* the one object for this set; NULL: out of memory */
struct cpu_set *domain_intern(struct domain_build *b, const u64 *bits)
{
	struct cpu_set *set;
	size_t at;

	if (2 * b->nr_sets >= b->table_size && !grow_table(b))
		return NULL;
	at = hash_bits(bits, b->words) & (b->table_size - 1);
	for (; b->table[at]; at = (at + 1) & (b->table_size - 1))
		if (mask_equal(b->table[at]->bits, bits, b->words))
			return b->table[at];
	set = arena_alloc(b->tmp, sizeof(*set));
	if (!set)
		return NULL;
	set->bits = arena_array(b->s->dom_arena, b->words, sizeof(u64));
	if (!set->bits)
		return NULL;
	mask_copy(set->bits, bits, b->words);
	set->weight = mask_weight(bits, b->words);
	set->first = mask_first(bits, b->words);
	if (!list_words(b, set))
		return NULL;
	b->table[at] = set;
	b->nr_sets++;
	return set;
}

/* ---- the machine's partitions ---- */

static u64 *partition(struct domain_build *b, int nr, size_t member)
{
	u64 *sets = arena_array(b->tmp, (size_t)max(nr, 1) * b->words, sizeof(u64));

	if (!sets)
		return NULL;
	for (int c = 0; c < b->nr_cpus; c++) {
		int id = *(const int *)((const char *)&b->t->cpu[c] + member);

		if (id >= 0)
			mask_set(sets + (size_t)id * b->words, c);
	}
	return sets;
}

static int partition_machine(struct domain_build *b)
{
	const struct sched_topology *t = b->t;

	b->cores = partition(b, t->nr_cores, offsetof(struct topo_cpu, core));
	b->clusters = partition(b, t->nr_clusters, offsetof(struct topo_cpu, cluster));
	b->llcs = partition(b, t->nr_llcs, offsetof(struct topo_cpu, llc));
	b->packages = partition(b, t->nr_packages, offsetof(struct topo_cpu, package));
	b->nodes = partition(b, t->nr_nodes, offsetof(struct topo_cpu, node));
	if (!b->cores || !b->clusters || !b->llcs || !b->packages || !b->nodes)
		return -ENOMEM;
	for (int c = 0; c < t->nr_cores; c++) {
		const u64 *core = b->cores + (size_t)c * b->words;

		if (mask_weight(core, b->words) > 1)
			b->smt = true;
		if (mask_weight_and(core, b->s->online, b->words) > 1)
			b->smt_online = true;
	}
	return 0;
}

static const u64 *set_of(const struct domain_build *b, const u64 *sets, int id)
{
	return sets + (size_t)id * b->words;
}

static bool node_has_cpus(const struct domain_build *b, int node)
{
	return !mask_empty(set_of(b, b->nodes, node), b->words);
}

/* x86 doesn't build PKG if a package holds several nodes (spec 01 §2) */
static bool numa_in_package(const struct domain_build *b)
{
	const struct sched_topology *t = b->t;

	for (int c = 1; c < b->nr_cpus; c++) {
		int first = mask_first(set_of(b, b->packages, t->cpu[c].package), b->words);

		if (t->cpu[first].node != t->cpu[c].node)
			return true;
	}
	return false;
}

/* ---- the list of levels ---- */

static void add_level(struct domain_build *b, enum level_kind kind, const char *name, int flags,
		      int distance)
{
	b->level[b->nr_levels++] = (struct level){kind, name, flags, distance};
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* the distinct distances between nodes with CPUs, ascending; Return: how many */
static int node_distances(const struct domain_build *b, int *d)
{
	int nr = b->t->nr_nodes, n = 0, distinct = 0;

	for (int i = 0; i < nr; i++)
		for (int j = 0; j < nr; j++)
			if (node_has_cpus(b, i) && node_has_cpus(b, j))
				d[n++] = b->t->distance[i * nr + j];
	qsort(d, n, sizeof(*d), compare_ints);
	for (int i = 0; i < n; i++)
		if (!i || d[i] != d[i - 1])
			d[distinct++] = d[i];
	return distinct;
}

static int list_levels(struct domain_build *b)
{
	const struct sched_rules *r = b->rules;
	int nr = b->t->nr_nodes;
	int *d = arena_array(b->tmp, (size_t)nr * nr, sizeof(int));
	int itmt = b->s->asym_priority ? SD_ASYM_PACKING : 0;
	bool numa = r->numa_levels_kept || !b->s->hotplugged;
	int nr_distances;

	if (!d)
		return -ENOMEM;
	nr_distances = node_distances(b, d);
	b->level = arena_array(b->tmp, 4 + nr_distances, sizeof(*b->level));
	if (!b->level)
		return -ENOMEM;
	if (b->smt || !r->smt_level_if_smt)
		add_level(b, LEVEL_SMT, "SMT", SD_SHARE_CPUCAPACITY | SD_SHARE_LLC | itmt, 0);
	if (r->cluster_level)
		add_level(b, LEVEL_CLS, "CLS",
			  SD_SHARE_LLC | itmt | (r->cluster_flag ? SD_CLUSTER : 0), 0);
	add_level(b, LEVEL_MC, "MC", SD_SHARE_LLC | itmt, 0);
	if (!b->t->x86 || !numa_in_package(b))
		add_level(b, LEVEL_PKG, r->pkg_names ? "PKG" : "DIE", 0, 0);
	add_level(b, LEVEL_NODE, "NODE", 0, d[0]);
	for (int i = 1; i < nr_distances && numa; i++)
		add_level(b, LEVEL_NUMA, "NUMA", SD_NUMA | (r->overlap_flag ? SD_OVERLAP : 0),
			  d[i]);
	return 0;
}

/* ---- spans ---- */

/* x86 never lets a core or cache reach over a node */
static void within_node(const struct domain_build *b, u64 *out, const u64 *set, int cpu)
{
	if (b->t->x86)
		mask_and(out, set, set_of(b, b->nodes, b->t->cpu[cpu].node), b->words);
	else
		mask_copy(out, set, b->words);
}

/* elsewhere MC is the smallest of node, package and LLC, in this order */
static void coregroup_mask(const struct domain_build *b, int cpu, u64 *out)
{
	const struct topo_cpu *c = &b->t->cpu[cpu];
	const u64 *set = set_of(b, b->nodes, c->node);
	const u64 *package = set_of(b, b->packages, c->package), *llc = set_of(b, b->llcs, c->llc);

	if (b->t->x86) {
		within_node(b, out, llc, cpu);
		return;
	}
	if (mask_subset(package, set, b->words))
		set = package;
	if (mask_subset(llc, set, b->words))
		set = llc;
	mask_copy(out, set, b->words);
}

static void cluster_mask(const struct domain_build *b, int cpu, u64 *out)
{
	const struct topo_cpu *c = &b->t->cpu[cpu];

	within_node(b, out, set_of(b, b->cores, c->core), cpu);
	if (c->cluster < 0)
		return;
	if (!b->t->x86) {
		/* a cluster that is all of MC says nothing */
		coregroup_mask(b, cpu, b->scratch);
		if (mask_subset(b->scratch, set_of(b, b->clusters, c->cluster), b->words))
			return;
	}
	within_node(b, out, set_of(b, b->clusters, c->cluster), cpu);
}

static void numa_mask(const struct domain_build *b, int cpu, int distance, u64 *out)
{
	int nr = b->t->nr_nodes, node = b->t->cpu[cpu].node;

	mask_zero(out, b->words);
	for (int j = 0; j < nr; j++)
		if (b->t->distance[node * nr + j] <= distance)
			mask_or(out, out, set_of(b, b->nodes, j), b->words);
}

static void level_mask(const struct domain_build *b, const struct level *l, int cpu, u64 *out)
{
	const struct topo_cpu *c = &b->t->cpu[cpu];

	switch (l->kind) {
	case LEVEL_SMT:
		within_node(b, out, set_of(b, b->cores, c->core), cpu);
		break;
	case LEVEL_CLS:
		cluster_mask(b, cpu, out);
		break;
	case LEVEL_MC:
		coregroup_mask(b, cpu, out);
		break;
	case LEVEL_PKG:
		mask_copy(out, set_of(b, b->nodes, c->node), b->words);
		break;
	case LEVEL_NODE:
	case LEVEL_NUMA:
		numa_mask(b, cpu, l->distance, out);
		break;
	}
}

/*
 * The nodes' own CPUs have equal NUMA spans: one computation a node. @done keeps, per node, the
 * span of the level being built, as the partition @map sees it.
 */
static struct cpu_set *level_span(struct domain_build *b, int level, int cpu, u64 *mask,
				  const struct cpu_set *map, struct cpu_set **done)
{
	const struct level *l = &b->level[level];
	bool by_node = l->kind >= LEVEL_PKG;
	struct cpu_set **known = &done[b->t->cpu[cpu].node];
	struct cpu_set *set;

	if (by_node && *known)
		return *known;
	level_mask(b, l, cpu, mask);
	mask_and(mask, mask, map->bits, b->words);
	if (level) /* a level never spans less than the one below */
		mask_or(mask, mask, cell_of(b, level - 1, cpu)->span->bits, b->words);
	set = domain_intern(b, mask);
	if (by_node)
		*known = set;
	return set;
}

/* one level of the CPUs of one partition, which may be cut out of the machine anywhere */
static int span_level(struct domain_build *b, int level, const struct cpu_set *map, u64 *mask,
		      struct cpu_set **done)
{
	int c;

	for (int i = 0; i < b->t->nr_nodes; i++)
		done[i] = NULL;
	for_each_cpu(c, map->bits, b->words) {
		const struct cpu_set *below = level ? cell_of(b, level - 1, c)->span : NULL;

		/* nothing above the first domain that spans the partition */
		if (level && (!below || below == map))
			continue;
		cell_of(b, level, c)->span = level_span(b, level, c, mask, map, done);
		if (!cell_of(b, level, c)->span)
			return -ENOMEM;
	}
	return 0;
}

static int span_levels(struct domain_build *b)
{
	u64 *mask = arena_array(b->tmp, b->words, sizeof(u64));
	struct cpu_set **done = arena_array(b->tmp, b->t->nr_nodes, sizeof(*done));
	int nr = b->s->nr_rds, rc = 0;

	b->all = arena_array(b->tmp, nr + 1, sizeof(struct cpu_set *));
	if (!mask || !done || !b->all)
		return -ENOMEM;
	for (int i = 0; i < nr; i++) {
		b->all[i] = domain_intern(b, b->s->rd[i].span);
		if (!b->all[i])
			return -ENOMEM;
		for (int l = 0; !rc && l < b->nr_levels; l++)
			rc = span_level(b, l, b->all[i], mask, done);
	}
	return rc;
}

int domain_build_levels(struct domain_build *b)
{
	int ret = partition_machine(b);

	if (!ret)
		ret = domain_priorities(b);
	if (!ret)
		ret = list_levels(b);
	if (ret)
		return ret;
	b->cell = arena_array(b->tmp, (size_t)b->nr_levels * b->nr_cpus, sizeof(*b->cell));
	if (!b->cell)
		return -ENOMEM;
	return span_levels(b);
}
