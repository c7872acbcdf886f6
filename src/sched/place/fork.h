/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fork.h - between the slow path (fork.c) and its statistics (fork_stats.c).
 */
#ifndef IDLEST_SCHED_FORK_H
#define IDLEST_SCHED_FORK_H

#include "sched/place/place.h"

/* Types of a group in the order of spec 05 §4: a lower one is a better place. */
enum fork_group_type {
	FORK_HAS_SPARE,
	FORK_FULLY_BUSY,
	FORK_MISFIT,
	FORK_IMBALANCED,
	FORK_OVERLOADED
};

struct fork_stats {
	enum fork_group_type type;
	u64 load, util, runnable; /* sums, without the task's own part */
	u64 avg_load;		  /* fully busy and overloaded groups only */
	int nr_running;
	int idle_cpus;
	bool misfit; /* mixed capacities: no CPU fits the task */
};

/**
 * fork_group_stats() - what a fork or exec sees of a group (spec 05 §3)
 * @p: the task; its own contribution counts nowhere
 *
 * Costs the words of the span and the CPUs in it that aren't idle and decayed.
 */
void fork_group_stats(const struct sched *s, const struct sched_domain *sd,
		      const struct sched_group *g, const struct task *p, struct fork_stats *st);

#endif
