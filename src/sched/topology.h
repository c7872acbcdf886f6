/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * topology.h - what the scheduler is told about the hardware.
 *
 * A plain description, filled by machine/ (or a test) and owned by whoever
 * made it; the core only reads it. Ids are dense, from 0, machine-wide.
 */
#ifndef IDLEST_SCHED_TOPOLOGY_H
#define IDLEST_SCHED_TOPOLOGY_H

#include "base/types.h"

/* How far two CPUs are from each other, nearest first. */
enum topo_distance {
	DIST_SELF,    /* the same CPU */
	DIST_SMT,     /* threads of one core */
	DIST_CLUSTER, /* cores that share an L2 or an L3 tag partition */
	DIST_LLC,     /* same last level cache */
	DIST_NODE,    /* same NUMA node, other LLC */
	DIST_PACKAGE, /* same package, other node */
	DIST_REMOTE,  /* other package */
	NR_DISTANCES
};

struct topo_cpu {
	int core;     /* CPUs with equal core are SMT siblings */
	int cluster;  /* CPUs sharing the L2 (x86) or the cluster (arm64); -1: none known */
	int llc;      /* CPUs sharing the last level cache */
	int package;
	int node;     /* NUMA node */
	u32 capacity; /* arch capacity, 1024 = the biggest CPU of the machine */
};

struct sched_topology {
	int nr_cpus;
	int nr_cores, nr_clusters, nr_llcs, nr_packages, nr_nodes;
	struct topo_cpu *cpu;	/* [nr_cpus] */
	int *distance;		/* SLIT, [nr_nodes * nr_nodes], 10 = local */
	const u32 *priority;	/* [nr_cpus] for asymmetric packing, the more the better; NULL: none */
	int node_reclaim_distance; /* 30, or 32 on AMD Zen (spec 01 §3) */
	bool x86;		/* leaves DIE/PKG out where a package holds several nodes */
};

/** topo_distance() - the distance class of two CPUs */
static inline enum topo_distance topo_distance(const struct sched_topology *t, int a, int b)
{
	const struct topo_cpu *x = &t->cpu[a], *y = &t->cpu[b];

	if (a == b)
		return DIST_SELF;
	if (x->core == y->core)
		return DIST_SMT;
	if (x->cluster >= 0 && x->cluster == y->cluster)
		return DIST_CLUSTER;
	if (x->llc == y->llc)
		return DIST_LLC;
	if (x->node == y->node)
		return DIST_NODE;
	if (x->package == y->package)
		return DIST_PACKAGE;
	return DIST_REMOTE;
}

#endif
