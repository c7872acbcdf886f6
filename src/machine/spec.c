// SPDX-License-Identifier: BSD-2-Clause
/* The topology section of machine files: layers, counts and CPU lists. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cpumask.h"
#include "base/nearest.h"
#include "machine/quantity.h"
#include "machine/shape.h"

#define T(m) offsetof(struct file_topology, m)

static const struct {
	const char *path; /* below "topology." */
	size_t offset;	  /* in struct file_topology; the distances are looked up apart */
} keys[NR_TOPO_KEYS] = {
	[TOPO_ARCH] = { "arch", T(arch) },
	[TOPO_HWLOC] = { "hwloc", T(hwloc) },
	[TOPO_PACKAGES] = { "packages", T(packages) },
	[TOPO_LLCS] = { "llcs", T(llcs) },
	[TOPO_CLUSTERS] = { "clusters", T(clusters) },
	[TOPO_CORES] = { "cores", T(cores) },
	[TOPO_THREADS] = { "threads", T(threads) },
	[TOPO_NUMBERING] = { "numbering", T(numbering) },
	[TOPO_CPUS] = { "cpus", T(cpus) },
	[TOPO_NODES_PER_PACKAGE] = { "nodes_per_package", T(nodes_per_package) },
	[TOPO_PACKAGES_PER_NODE] = { "packages_per_node", T(packages_per_node) },
	[TOPO_RECLAIM] = { "node_reclaim_distance", T(node_reclaim_distance) },
	[TOPO_LOCAL] = { "distance.local", 0 },
	[TOPO_SAME_PACKAGE] = { "distance.same_package", 0 },
	[TOPO_OTHER_PACKAGE] = { "distance.other_package", 0 },
	[TOPO_PACKAGE_CPUS] = { "package_cpus", T(package_cpus) },
	[TOPO_LLC_CPUS] = { "llc_cpus", T(llc_cpus) },
	[TOPO_CLUSTER_CPUS] = { "cluster_cpus", T(cluster_cpus) },
	[TOPO_CORE_CPUS] = { "core_cpus", T(core_cpus) },
	[TOPO_NODES] = { "nodes", T(nodes) },
	[TOPO_MATRIX] = { "distance_matrix", T(distance_matrix) },
	[TOPO_CAPACITY] = { "capacity", 0 },
};

int spec_fail(const struct shape_spec *spec, struct err *err, int code, enum topology_key key,
	      int index, const char *fmt, ...)
{
	char path[128];
	va_list ap;

	va_start(ap, fmt);
	err_vset(err, code, fmt, ap);
	va_end(ap);
	err_prefix(err, "%s: ", keys[key].path);
	if (index >= 0)
		snprintf(path, sizeof(path), "%stopology.%s[%d]", spec->from[key].prefix,
			 keys[key].path, index);
	else
		snprintf(path, sizeof(path), "%stopology.%s", spec->from[key].prefix,
			 keys[key].path);
	return yaml_fail(spec->from[key].doc, err, code, path, "%s", "");
}

/* ---- layers ---- */

#define BIT(key)     (1u << (key))
#define COUNTS	     (BIT(TOPO_PACKAGES) | BIT(TOPO_LLCS) | BIT(TOPO_CLUSTERS) | BIT(TOPO_CORES) | \
		      BIT(TOPO_THREADS) | BIT(TOPO_NUMBERING))
#define CPU_LISTS    (BIT(TOPO_PACKAGE_CPUS) | BIT(TOPO_LLC_CPUS) | BIT(TOPO_CLUSTER_CPUS) |       \
		      BIT(TOPO_CORE_CPUS))
#define NODES	     (BIT(TOPO_NODES) | BIT(TOPO_NODES_PER_PACKAGE) | BIT(TOPO_PACKAGES_PER_NODE))
#define LISTS	     (CPU_LISTS | BIT(TOPO_NODES) | BIT(TOPO_MATRIX) | BIT(TOPO_CAPACITY))
#define SLIT	     (BIT(TOPO_LOCAL) | BIT(TOPO_SAME_PACKAGE) | BIT(TOPO_OTHER_PACKAGE))

static const char *text_of(const struct file_topology *t, enum topology_key key)
{
	const struct file_slit *d = t->distance;

	switch (key) {
	case TOPO_LOCAL:
		return d ? d->local : NULL;
	case TOPO_SAME_PACKAGE:
		return d ? d->same_package : NULL;
	case TOPO_OTHER_PACKAGE:
		return d ? d->other_package : NULL;
	default:
		return *(char *const *)((const char *)t + keys[key].offset);
	}
}

static u32 keys_said(const struct file_topology *t)
{
	u32 said = 0;

	for (int k = 0; k < NR_TOPO_TEXTS; k++)
		if (text_of(t, k))
			said |= BIT(k);
	for (int k = NR_TOPO_TEXTS; k < TOPO_CAPACITY; k++)
		if (((const struct file_texts *)((const char *)t + keys[k].offset))->nr)
			said |= BIT(k);
	return t->nr_capacity ? said | BIT(TOPO_CAPACITY) : said;
}

static void forget(struct shape_spec *spec, u32 which)
{
	for (int k = 0; k < NR_TOPO_KEYS; k++) {
		if (!(which & BIT(k)))
			continue;
		if (k < NR_TOPO_TEXTS)
			spec->text[k] = NULL;
		spec->list[k].nr = 0;
	}
	if (which & BIT(TOPO_CAPACITY))
		spec->nr_capacity = 0;
}

/* Ways of saying one thing that exclude each other; within a layer that is an error. */
static const struct {
	u32 way[3];
	u32 forgets[3]; /* beside the other ways */
} exclusive[] = {
	{ { COUNTS & ~BIT(TOPO_NUMBERING), BIT(TOPO_CPUS), BIT(TOPO_HWLOC) },
	  { LISTS, LISTS | NODES, LISTS | NODES } },
	{ { BIT(TOPO_NODES), BIT(TOPO_NODES_PER_PACKAGE), BIT(TOPO_PACKAGES_PER_NODE) },
	  { BIT(TOPO_MATRIX), BIT(TOPO_MATRIX), BIT(TOPO_MATRIX) } },
	{ { SLIT, BIT(TOPO_MATRIX), 0 }, { 0 } },
};

static int check_exclusive(struct shape_spec *spec, u32 said, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(exclusive); i++) {
		u32 all = exclusive[i].way[0] | exclusive[i].way[1] | exclusive[i].way[2];

		for (int w = 0; w < 3; w++) {
			u32 mine = said & exclusive[i].way[w], others = said & all & ~mine;

			if (!mine)
				continue;
			if (others & ~exclusive[i].way[w])
				return spec_fail(spec, err, -EINVAL, __builtin_ctz(mine), -1,
						 "says the same as '%s' in another way; keep one",
						 keys[__builtin_ctz(others)].path);
			forget(spec, (all & ~exclusive[i].way[w]) | exclusive[i].forgets[w]);
		}
	}
	return 0;
}

int spec_add(struct shape_spec *spec, const struct yaml_doc *doc, const char *prefix, bool generic,
	     const struct file_topology *t, struct err *err)
{
	u32 said = keys_said(t);
	int ret;

	for (int k = 0; k < NR_TOPO_KEYS; k++) {
		if (!(said & BIT(k)))
			continue;
		spec->from[k].doc = doc;
		spec->from[k].prefix = prefix;
		spec->from[k].generic = generic;
	}
	ret = check_exclusive(spec, said, err);
	if (ret)
		return ret;
	for (int k = 0; k < NR_TOPO_TEXTS; k++)
		if (said & BIT(k))
			spec->text[k] = text_of(t, k);
	for (int k = NR_TOPO_TEXTS; k < TOPO_CAPACITY; k++)
		if (said & BIT(k))
			spec->list[k] =
				*(const struct file_texts *)((const char *)t + keys[k].offset);
	if (t->nr_capacity) {
		spec->capacity = t->capacity;
		spec->nr_capacity = t->nr_capacity;
	}
	return 0;
}

/* ---- values ---- */

static int get_count(const struct shape_spec *spec, enum topology_key key, int lo, int hi, int def,
		     int *v, struct err *err)
{
	u64 n;

	*v = def;
	if (!spec->text[key])
		return 0;
	if (quantity_parse(spec->text[key], Q_COUNT, lo, hi, &n, err))
		return spec_fail(spec, err, -EINVAL, key, -1, "%s", "");
	*v = (int)n;
	return 0;
}

/* One of @words; Return: its index or -EINVAL. */
static int get_word(const struct shape_spec *spec, enum topology_key key,
		    const char *const words[2], int def, struct err *err)
{
	if (!spec->text[key])
		return def;
	for (int i = 0; i < 2; i++)
		if (!strcmp(spec->text[key], words[i]))
			return i;
	return spec_fail(spec, err, -EINVAL, key, -1, "'%.40s' is unknown, allowed are %s, %s",
			 spec->text[key], words[0], words[1]);
}

static int get_arch(const struct shape_spec *spec, struct shape *s, struct err *err)
{
	static const char *const words[] = { "x86", "arm64" };
	int arch;

	/* what hwloc found out goes before what is only a default */
	if (s->arch_known && (!spec->text[TOPO_ARCH] || spec->from[TOPO_ARCH].generic))
		return 0;
	arch = get_word(spec, TOPO_ARCH, words, 0, err);
	if (arch < 0)
		return arch;
	s->x86 = arch == 0;
	s->arch_known = true;
	return 0;
}

/* ---- a regular shape ---- */

struct counts {
	int packages, llcs, clusters, cores, threads;
	bool threads_last;
};

static int get_counts(const struct shape_spec *spec, struct counts *n, struct err *err)
{
	static const char *const words[] = { "threads_adjacent", "threads_last" };
	int ret, order;

	if ((ret = get_count(spec, TOPO_PACKAGES, 1, MAX_CPUS, 1, &n->packages, err)) ||
	    (ret = get_count(spec, TOPO_LLCS, 1, MAX_CPUS, 1, &n->llcs, err)) ||
	    (ret = get_count(spec, TOPO_CLUSTERS, 1, MAX_CPUS, 0, &n->clusters, err)) ||
	    (ret = get_count(spec, TOPO_CORES, 1, MAX_CPUS, 1, &n->cores, err)) ||
	    (ret = get_count(spec, TOPO_THREADS, 1, 128, 1, &n->threads, err)))
		return ret;
	order = get_word(spec, TOPO_NUMBERING, words, 0, err);
	if (order < 0)
		return order;
	n->threads_last = order == 1;
	return 0;
}

static int shape_from_counts(const struct shape_spec *spec, struct arena *a, struct shape *s,
			     struct err *err)
{
	struct counts n;
	int ret = get_counts(spec, &n, err), per_llc;
	u64 cores;

	if (ret)
		return ret;
	per_llc = max(n.clusters, 1) * n.cores;
	cores = (u64)n.packages * n.llcs;
	if (n.clusters > MAX_CPUS / n.cores || cores > MAX_CPUS ||
	    cores * per_llc * n.threads > MAX_CPUS)
		return spec_fail(spec, err, -EINVAL, TOPO_CORES, -1,
				 "more than %d CPUs in all, the most there may be", MAX_CPUS);
	cores *= per_llc;
	ret = shape_alloc(a, s, (int)cores * n.threads, err);
	if (ret)
		return ret;
	for (int core = 0; core < (int)cores; core++)
		for (int t = 0; t < n.threads; t++) {
			int c = n.threads_last ? t * (int)cores + core : core * n.threads + t;

			s->core[c] = core;
			s->cluster[c] = n.clusters ? core / n.cores : -1;
			s->llc[c] = core / per_llc;
			s->package[c] = core / per_llc / n.llcs;
		}
	return 0;
}

int spec_shape(const struct shape_spec *spec, struct arena *a, struct shape *s, struct err *err)
{
	int n, ret;

	if (!spec->text[TOPO_CPUS])
		return shape_from_counts(spec, a, s, err);
	ret = get_count(spec, TOPO_CPUS, 1, MAX_CPUS, 1, &n, err);
	return ret ? ret : shape_alloc(a, s, n, err);
}

/* ---- CPU lists ---- */

/* @id of each CPU becomes the number of the entry of list @key that holds it. */
static int take_lists(const struct shape_spec *spec, struct arena *a, enum topology_key key,
		      int nr_cpus, int *id, bool all, struct err *err)
{
	u64 *m = arena_array(a, mask_words(nr_cpus), sizeof(u64));
	int c, words = mask_words(nr_cpus);

	if (!m)
		return err_set(err, -ENOMEM, "out of memory");
	for (c = 0; c < nr_cpus; c++)
		id[c] = -1;
	for (int i = 0; i < (int)spec->list[key].nr; i++) {
		if (mask_parse(spec->list[key].text[i], m, nr_cpus, err))
			return spec_fail(spec, err, -EINVAL, key, i, "%s", "");
		for_each_cpu(c, m, words) {
			if (id[c] >= 0)
				return spec_fail(spec, err, -EINVAL, key, i,
						 "CPU %d is in entry %d of the list already", c,
						 id[c] + 1);
			id[c] = i;
		}
	}
	for (c = 0; all && c < nr_cpus; c++)
		if (id[c] < 0)
			return spec_fail(spec, err, -EINVAL, key, -1, "CPU %d is in no entry", c);
	return 0;
}

static int overlay_lists(const struct shape_spec *spec, struct arena *a, struct shape *s,
			 struct err *err)
{
	const struct {
		enum topology_key key;
		int *id;
		bool all;
	} lists[] = {
		{ TOPO_PACKAGE_CPUS, s->package, true },
		{ TOPO_LLC_CPUS, s->llc, true },
		{ TOPO_CLUSTER_CPUS, s->cluster, false },
		{ TOPO_CORE_CPUS, s->core, true },
	};
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		if (!spec->list[lists[i].key].nr)
			continue;
		ret = take_lists(spec, a, lists[i].key, s->nr_cpus, lists[i].id, lists[i].all, err);
		if (ret)
			return ret;
		/* without word on caches, a package is one */
		if (lists[i].key == TOPO_PACKAGE_CPUS && spec->text[TOPO_CPUS])
			memcpy(s->llc, s->package, s->nr_cpus * sizeof(int));
	}
	/* On x86 a cluster is who shares the L2: a core at least (spec 01 §2). */
	for (int c = 0; s->x86 && c < s->nr_cpus; c++)
		if (s->cluster[c] < 0)
			s->cluster[c] = s->nr_cpus + s->core[c];
	return 0;
}

/* ---- nodes and distances ---- */

/* Split each package into @n nodes of equally many cores, in their order. */
static int split_packages(const struct shape_spec *spec, struct arena *a, struct shape *s, int n,
			  struct err *err)
{
	int *cores = arena_array(a, s->nr_cpus, sizeof(int)); /* of a package */
	int *rank = arena_array(a, s->nr_cpus, sizeof(int));  /* of a core in it, + 1 */

	if (!cores || !rank)
		return err_set(err, -ENOMEM, "out of memory");
	for (int c = 0; c < s->nr_cpus; c++)
		if (!rank[s->core[c]])
			rank[s->core[c]] = ++cores[s->package[c]];
	for (int c = 0; c < s->nr_cpus; c++) {
		if (cores[s->package[c]] % n)
			return spec_fail(spec, err, -EINVAL, TOPO_NODES_PER_PACKAGE, -1,
					 "%d cores of a package can't be split into %d equal nodes",
					 cores[s->package[c]], n);
		s->node[c] = s->package[c] * n +
			     (rank[s->core[c]] - 1) / (cores[s->package[c]] / n);
		s->nr_nodes = max(s->nr_nodes, s->node[c] + 1);
	}
	return 0;
}

static int overlay_nodes(const struct shape_spec *spec, struct arena *a, struct shape *s,
			 struct err *err)
{
	int ret, n;

	if (!spec->list[TOPO_NODES].nr && !spec->text[TOPO_NODES_PER_PACKAGE] &&
	    !spec->text[TOPO_PACKAGES_PER_NODE])
		return 0;
	s->distance = NULL;
	s->node_bytes = NULL;
	if (shape_dense(a, s->package, s->nr_cpus) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	if (spec->list[TOPO_NODES].nr) {
		s->nr_nodes = (int)spec->list[TOPO_NODES].nr;
		return take_lists(spec, a, TOPO_NODES, s->nr_cpus, s->node, true, err);
	}
	s->nr_nodes = 1;
	if (spec->text[TOPO_NODES_PER_PACKAGE]) {
		ret = get_count(spec, TOPO_NODES_PER_PACKAGE, 1, 1024, 1, &n, err);
		return ret ? ret : split_packages(spec, a, s, n, err);
	}
	ret = get_count(spec, TOPO_PACKAGES_PER_NODE, 1, 1024, 1, &n, err);
	for (int c = 0; !ret && c < s->nr_cpus; c++) {
		s->node[c] = s->package[c] / n;
		s->nr_nodes = max(s->nr_nodes, s->node[c] + 1);
	}
	return ret;
}

static int parse_row(const struct shape_spec *spec, int i, int n, int *row, struct err *err)
{
	const char *p = spec->list[TOPO_MATRIX].text[i];
	char rest;

	for (int j = 0; j < n; j++) {
		int used = 0;

		if (sscanf(p, " %4d%n", &row[j], &used) != 1)
			return spec_fail(spec, err, -EINVAL, TOPO_MATRIX, i,
					 "row '%.60s' must be %d numbers with blanks between",
					 spec->list[TOPO_MATRIX].text[i], n);
		p += used;
		if (i == j ? row[j] != 10 : row[j] <= 10 || row[j] > 255)
			return spec_fail(spec, err, -EINVAL, TOPO_MATRIX, i,
					 "distance %d from node %d to node %d, allowed are %s", row[j],
					 i, j, i == j ? "10, a node to itself" : "11 to 255");
	}
	if (sscanf(p, " %c", &rest) == 1)
		return spec_fail(spec, err, -EINVAL, TOPO_MATRIX, i,
				 "row '%.60s' must be %d numbers with blanks between, nothing more",
				 spec->list[TOPO_MATRIX].text[i], n);
	return 0;
}

static int take_matrix(const struct shape_spec *spec, struct shape *s, struct err *err)
{
	int ret = 0;

	if ((int)spec->list[TOPO_MATRIX].nr != s->nr_nodes)
		return spec_fail(spec, err, -EINVAL, TOPO_MATRIX, -1,
				 "%u rows for %d nodes; write one for each", spec->list[TOPO_MATRIX].nr,
				 s->nr_nodes);
	for (int i = 0; !ret && i < s->nr_nodes; i++)
		ret = parse_row(spec, i, s->nr_nodes, s->distance + (size_t)i * s->nr_nodes, err);
	return ret;
}

static int overlay_distances(const struct shape_spec *spec, struct arena *a, struct shape *s,
			     struct err *err)
{
	int local, same, other, ret, n = s->nr_nodes;
	int *package;

	if (n > MAX_NODES)
		return err_set(err, -EINVAL, "%d nodes, at most %d are possible", n, MAX_NODES);
	if (!spec->list[TOPO_MATRIX].nr && s->distance && spec->from[TOPO_OTHER_PACKAGE].generic)
		return 0; /* hwloc's */
	s->distance = arena_array(a, (size_t)n * n, sizeof(int));
	package = arena_array(a, n, sizeof(int));
	if (!s->distance || !package)
		return err_set(err, -ENOMEM, "out of memory");
	if (spec->list[TOPO_MATRIX].nr)
		return take_matrix(spec, s, err);
	if ((ret = get_count(spec, TOPO_LOCAL, 10, 10, 10, &local, err)) ||
	    (ret = get_count(spec, TOPO_OTHER_PACKAGE, 11, 255, 20, &other, err)) ||
	    (ret = get_count(spec, TOPO_SAME_PACKAGE, 11, 255, other, &same, err)))
		return ret;
	for (int c = s->nr_cpus - 1; c >= 0; c--)
		package[s->node[c]] = s->package[c];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			s->distance[i * n + j] = i == j			    ? local :
						 package[i] == package[j] ? same :
									    other;
	return 0;
}

/* one entry: what the kernel takes the CPUs for, how fast they are, how much it prefers them */
static int take_capacity(const struct file_capacity *f, const u64 *m, struct shape *s,
			 struct err *err)
{
	u64 v;
	int c;

	if (!f->capacity && !f->speed && !f->priority)
		return err_set(err, -EINVAL, "give a capacity, a speed or a priority");
	if (f->capacity) {
		if (quantity_parse(f->capacity, Q_COUNT, 1, 1024, &v, err))
			return -EINVAL;
		for_each_cpu(c, m, mask_words(s->nr_cpus))
			s->capacity[c] = (u32)v;
	}
	if (f->speed) {
		if (quantity_parse(f->speed, Q_PERMILLE, 1, 1000, &v, err))
			return -EINVAL;
		for_each_cpu(c, m, mask_words(s->nr_cpus))
			s->speed[c] = (u32)((v * 1024 + 500) / 1000);
	}
	if (f->priority) {
		if (quantity_parse(f->priority, Q_COUNT, 0, 10000, &v, err))
			return -EINVAL;
		for_each_cpu(c, m, mask_words(s->nr_cpus))
			s->priority[c] = (u32)v;
	}
	return 0;
}

/* speeds that nobody gave are those of the capacities; priorities are there if anybody gave one */
static int overlay_capacity(const struct shape_spec *spec, struct arena *a, struct shape *s,
			    struct err *err)
{
	u64 *m = arena_array(a, mask_words(s->nr_cpus), sizeof(u64));
	bool speeds = false, priorities = false;

	s->speed = arena_array(a, s->nr_cpus, sizeof(u32));
	s->priority = arena_array(a, s->nr_cpus, sizeof(u32));
	if (!m || !s->speed || !s->priority)
		return err_set(err, -ENOMEM, "out of memory");
	for (u32 i = 0; i < spec->nr_capacity; i++) {
		const struct file_capacity *f = &spec->capacity[i];

		if (mask_parse(f->cpus, m, s->nr_cpus, err) || take_capacity(f, m, s, err))
			return spec_fail(spec, err, -EINVAL, TOPO_CAPACITY, i, "%s", "");
		speeds |= !!f->speed;
		priorities |= !!f->priority;
	}
	for (int c = 0; c < s->nr_cpus; c++)
		s->speed[c] = s->speed[c] ? s->speed[c] : s->capacity[c];
	if (!speeds)
		s->speed = NULL;
	if (!priorities)
		s->priority = NULL;
	return 0;
}

int spec_overlay(const struct shape_spec *spec, struct arena *a, struct shape *s, struct err *err)
{
	int ret;

	if ((ret = get_arch(spec, s, err)) || (ret = overlay_lists(spec, a, s, err)) ||
	    (ret = overlay_nodes(spec, a, s, err)) || (ret = overlay_distances(spec, a, s, err)))
		return ret;
	return overlay_capacity(spec, a, s, err);
}
