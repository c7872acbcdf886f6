/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * domains.h - the scheduling domains of a machine under a kernel, for looking at (spec 01).
 *
 * What /sys/kernel/debug/sched/domains and the kernel's boot log tell, without a core to run.
 */
#ifndef IDLEST_SCHED_DOMAINS_H
#define IDLEST_SCHED_DOMAINS_H

#include "base/cpumask.h"
#include "sched/kernel.h"
#include "sched/topology.h"

struct sched_domains;

struct sched_domain_view {
	const char *name; /* SMT, CLS, MC, DIE or PKG, NODE, NUMA */
	char flags[320];  /* as debugfs prints them: SD_BALANCE_NEWIDLE SD_… */
	const u64 *span;
	int weight; /* CPUs in the span */
	int level;  /* index in the list of levels before removal */
	int nr_groups;
	u64 min_interval, max_interval; /* ms */
	int busy_factor;
	int imbalance_pct;
	int cache_nice_tries;
	int imb_numa_nr;	 /* 0 where the kernel has none */
	char groups_flags[320];	 /* of the local group */
	const void *first_group; /* for sched_domains_group() */
	const void *next_group;
};

struct sched_group_view {
	const u64 *span;
	const u64 *balance_mask; /* CPUs that may balance on the group's behalf */
	int weight;
	unsigned long capacity; /* at boot */
	int balance_cpu;
};

/**
 * sched_domains_new() - build the domains of @topo as kernel @k would
 * @topo: kept by reference
 *
 * Rules that aren't built yet don't matter here. Return: NULL with @err filled.
 */
struct sched_domains *sched_domains_new(const struct sched_topology *topo,
					const struct sched_kernel *k, struct err *err);
void sched_domains_free(struct sched_domains *d);

int sched_domains_count(const struct sched_domains *d, int cpu);
/** sched_domains_get() - domain @i of @cpu, 0 = the lowest; Return: false past the last */
bool sched_domains_get(const struct sched_domains *d, int cpu, int i, struct sched_domain_view *v);
/** sched_domains_next_group() - walk the groups of @v, the local one first; Return: false at the
 * end */
bool sched_domains_next_group(struct sched_domain_view *v, struct sched_group_view *g);
size_t sched_domains_bytes(const struct sched_domains *d);
int sched_domains_llc_id(const struct sched_domains *d, int cpu);
int sched_domains_share_id(const struct sched_domains *d, int cpu);

#endif
