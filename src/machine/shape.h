/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shape.h - how a machine's topology comes about.
 *
 * A struct shape says for each CPU in which core, cluster, cache, package and
 * node it is, in any numbers that tell groups apart. It comes from hwloc
 * (hwloc.c) or from the counts and lists of a machine file (spec.c);
 * shape_finish() makes it a checked struct sched_topology with dense ids.
 */
#ifndef IDLEST_MACHINE_SHAPE_H
#define IDLEST_MACHINE_SHAPE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/yaml_doc.h"
#include "machine/file.h"
#include "sched/topology.h"

#define MAX_CPUS  16384
#define MAX_NODES 1024 /* as many as a kernel can be built for */

struct shape {
	int nr_cpus;
	int *package, *llc, *cluster, *core, *node; /* [nr_cpus]; cluster -1: none */
	u32 *capacity;	 /* [nr_cpus] */
	u32 *speed;	 /* [nr_cpus], 1024: the fastest; NULL: as the capacities */
	u32 *priority;	 /* [nr_cpus], NULL: none */
	int nr_nodes;
	int *distance;	 /* [nr_nodes * nr_nodes], NULL: not known */
	u64 *node_bytes; /* [nr_nodes], NULL: not known */
	u64 l2_bytes, llc_bytes; /* 0: not known */
	bool arch_known, x86;
	char vendor[32]; /* of the processor, as CPUID says it; "" unknown */
	int family;
};

/* Room for @nr_cpus; all in one core, package and node, full capacity. -ENOMEM */
int shape_alloc(struct arena *a, struct shape *s, int nr_cpus, struct err *err);

/* Replace the ids of @id by 0, 1, … in the order of first CPUs. Return: how many, or -ENOMEM. */
int shape_dense(struct arena *a, int *id, int nr_cpus);

enum shape_source { SHAPE_XML, SHAPE_SYNTHETIC, SHAPE_THIS };

/**
 * shape_from_hwloc() - ask hwloc
 * @name: of the file, for messages
 * @text: XML (@len bytes and a zero byte) or the synthetic string
 *
 * Return: 0, -EINVAL (not readable: says why), -ENOTSUP (a version that this
 * hwloc can't read).
 */
int shape_from_hwloc(struct arena *a, enum shape_source source, const char *name, const char *text,
		     size_t len, struct shape *s, struct err *err);

/* Is this word the name of an hwloc level ("pack", "l3")? Else the nearest one, or NULL. */
bool synthetic_level(const char *word, size_t len, const char **nearest);
/* Check a synthetic string for what hwloc only calls "invalid argument". */
int synthetic_check(const char *text, struct err *err);

/* ---- the topology section of machine files ---- */

enum topology_key {
	/* one text each, in the order of spec.c's table */
	TOPO_ARCH, TOPO_HWLOC, TOPO_PACKAGES, TOPO_LLCS, TOPO_CLUSTERS, TOPO_CORES, TOPO_THREADS,
	TOPO_NUMBERING, TOPO_CPUS, TOPO_NODES_PER_PACKAGE, TOPO_PACKAGES_PER_NODE, TOPO_RECLAIM,
	TOPO_LOCAL, TOPO_SAME_PACKAGE, TOPO_OTHER_PACKAGE,
	NR_TOPO_TEXTS,
	/* lists */
	TOPO_PACKAGE_CPUS = NR_TOPO_TEXTS, TOPO_LLC_CPUS, TOPO_CLUSTER_CPUS, TOPO_CORE_CPUS,
	TOPO_NODES, TOPO_MATRIX, TOPO_CAPACITY,
	NR_TOPO_KEYS
};

/* What the layers say about topology, the last one to speak winning. */
struct shape_spec {
	const char *text[NR_TOPO_TEXTS];
	struct file_texts list[NR_TOPO_KEYS];	 /* indexed by key too; texts unused */
	const struct file_capacity *capacity;
	u32 nr_capacity;
	struct {
		const struct yaml_doc *doc;
		const char *prefix; /* path of the body: "" or "options[1]." */
		bool generic;	    /* said by the generic file: what hwloc knows goes first */
	} from[NR_TOPO_KEYS];
};

/**
 * spec_add() - lay one more topology section over what was said before
 *
 * A layer that gives a shape of its own (counts, cpus or hwloc) forgets the
 * CPU lists, nodes and matrix of those below. Return: -EINVAL if one layer
 * says a thing in two ways.
 */
int spec_add(struct shape_spec *spec, const struct yaml_doc *doc, const char *prefix, bool generic,
	     const struct file_topology *t, struct err *err);

/** spec_fail() - yaml_fail() at @key; @index: entry of a list, -1 none */
int spec_fail(const struct shape_spec *spec, struct err *err, int code, enum topology_key key,
	      int index, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/** spec_shape() - fill @s from counts or lists; -EINVAL */
int spec_shape(const struct shape_spec *spec, struct arena *a, struct shape *s, struct err *err);
/** spec_overlay() - CPU lists, nodes, distances and capacities over a shape of any origin */
int spec_overlay(const struct shape_spec *spec, struct arena *a, struct shape *s, struct err *err);

/**
 * shape_finish() - number the groups densely, check that they nest, fill @t
 *
 * Core, cluster, cache and package ids are in the order of their first CPUs;
 * node ids stay. Return: -EINVAL naming the CPUs that can't be so.
 */
int shape_finish(struct arena *a, struct shape *s, struct sched_topology *t, struct err *err);

#endif
