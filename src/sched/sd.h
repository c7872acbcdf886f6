/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sd.h - domains, their groups, and what the CPUs of an LLC share (spec 01).
 *
 * Inside sched/ only; others see domains through domains.h.
 */
#ifndef IDLEST_SCHED_SD_H
#define IDLEST_SCHED_SD_H

#include "sched/balance/kinds.h"
#include "sched/sched.h"

enum {
	SD_BALANCE_NEWIDLE = 1 << 0,
	SD_BALANCE_EXEC = 1 << 1,
	SD_BALANCE_FORK = 1 << 2,
	SD_BALANCE_WAKE = 1 << 3,
	SD_WAKE_AFFINE = 1 << 4,
	SD_ASYM_CPUCAPACITY = 1 << 5,
	SD_ASYM_CPUCAPACITY_FULL = 1 << 6,
	SD_SHARE_CPUCAPACITY = 1 << 7,
	SD_CLUSTER = 1 << 8,
	SD_SHARE_LLC = 1 << 9,
	SD_SERIALIZE = 1 << 10,
	SD_ASYM_PACKING = 1 << 11,
	SD_PREFER_SIBLING = 1 << 12,
	SD_OVERLAP = 1 << 13,
	SD_NUMA = 1 << 14,
};

enum cpu_idle_type { CPU_NOT_IDLE, CPU_IDLE, CPU_NEWLY_IDLE, NR_IDLE_TYPES };

struct sched_group_capacity {
	unsigned long capacity, min_capacity, max_capacity;
	u64 next_update;	/* ns */
	bool imbalance;		/* parent's "imbalance" flag (spec 06 §2.3) */
};

struct sched_group {
	struct sched_group *next; /* circular; a domain's first is the local one */
	u64 *span;
	u64 *balance_mask;
	struct sched_group_capacity *sgc;
	int weight;
	int cores;
	int flags;
	int balance_cpu;	/* first CPU of balance_mask */
	int first_cpu;		/* of span */
	int asym_prefer_cpu;	/* whom packing prefers: the highest priority, else the first */
	int lo_word, hi_word;	/* words of span that aren't zero: [lo, hi] */
	const u16 *word;	/* … each of them, ascending: siblings may be far apart */
	int nr_words;
	struct group_sums *sums; /* of its CPUs, if whole LLCs (balance/sums.c); else NULL */
	bool sums_sought;
};

struct lb_stats {
	u32 count, balanced, failed, gained, hot_gained, nobusyq, nobusyg;
	u32 imbalance[NR_MIGRATION_TYPES]; /* sum of what passes set out to move */
};

/*
 * One per CPU and level. Spans, groups and capacities are shared between CPUs where equal.
 * By cache line, since a pass on a large machine finds none of them at hand: what every pass
 * reads; what it changes; what it costs; what it counts.
 */
struct sched_domain {
	struct sched_domain *parent, *child;
	struct sched_group *groups;
	u64 *span;
	const u16 *word;	/* as in struct sched_group */
	int nr_words;
	int weight;
	int flags;
	int local_flags;	/* of its local group: groups->flags is what others see of that */
	int imbalance_pct;
	int cache_nice_tries;
	/* changing */
	u64 last_balance;	/* ns */
	u64 balance_interval;	/* ms */
	u64 min_interval, max_interval; /* ms */
	u64 max_newidle_lb_cost; /* ns */
	u64 last_decay_max_lb_cost;
	int nr_balance_failed;
	int busy_factor;
	u32 newidle_call, newidle_ratio;

	u32 newidle_success;
	int imb_numa_nr;
	u64 newidle_stamp;
	u32 span_at[NR_DISTANCES]; /* CPUs of the span by distance; balance/ counts them */
	struct llc *shared;	/* the top SHARE_LLC level (sd_llc); NULL elsewhere */

	struct lb_stats lb[NR_IDLE_TYPES] __attribute__((aligned(64)));
	u32 alb_count, alb_failed, alb_pushed;
	u32 ttwu_wake_remote, ttwu_move_affine;
	int level;		/* index in the level list before removal */
	const char *name;
} __attribute__((aligned(64)));

/* What balancing reads of a CPU, or of several together (balance/sums.c). */
struct load_sums {
	unsigned long load, util, runnable;
	u32 h_nr;	/* fair tasks, as the profile's balancing counts them */
	u32 nr;		/* all tasks */
	u32 idle;	/* CPUs that are idle for searchers */
	u32 crowded;	/* CPUs with more than one task */
	u32 odd;	/* CPUs with a misfit task or a reduced capacity: to be read singly */
};

/* Kept sums of one set of CPUs, shared by all groups that span it. */
struct group_sums {
	struct load_sums sum;
	int nr_stale;	/* LLCs of it some CPU of which changed since */
	int nr_llcs;
	struct llc **llc;
	const u64 *span;
} __attribute__((aligned(64)));

#define LLC_MAX_SUMS 8

/*
 * What the CPUs of one sd_llc share (a CPU without sd_llc has one of its own). CPU sets inside are by
 * position in cpus[].
 */
struct llc {
	int id;			/* first CPU */
	int index;		/* 0 … nr_llcs - 1 */
	int nr_cpus;
	int words;		/* of the local sets */
	int *cpus;		/* ascending */
	u64 *idle;		/* local set: sched_cpu_idle() */
	u64 *idle_core;		/* local set: every thread of its core is idle */
	u64 *sched_idle;	/* local set: runs SCHED_IDLE tasks only */
	int nr_busy_cpus;	/* not in nohz idle */
	bool has_idle_cores;
	int nr_idle_scan;
	int nr_sched_idle;
	/* kept sums (balance/sums.c) */
	u64 *stale;		/* local set: CPUs that changed since they were counted */
	struct load_sums *part;	/* [nr_cpus] what was counted of each */
	int nr_sums;
	struct group_sums *sums[LLC_MAX_SUMS]; /* those the LLC is in */
};

/* What the CPUs of one mixed-capacity domain share for their searches (spec 16 §9.3). */
struct asym_shared {
	bool has_idle_cores;
	int nr_idle_scan;
};

#endif
