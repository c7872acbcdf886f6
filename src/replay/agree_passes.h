/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * agree_passes.h - balancing passes, of a core that was led and of the kernel itself.
 *
 * Which passes a kernel made, no event tells; but it counts them in
 * /proc/schedstat. A core that balances when the kernel does comes near its
 * numbers: an independent check of intervals, kicks, budgets and outcomes.
 */
#ifndef IDLEST_REPLAY_AGREE_PASSES_H
#define IDLEST_REPLAY_AGREE_PASSES_H

#include "base/err.h"
#include "sched/sched.h"

#define AGREE_MAX_LEVELS 12

/* Sums over all CPUs. */
struct agree_passes {
	int nr_levels; /* of the CPU with most */
	struct sched_lb_counts at[AGREE_MAX_LEVELS][NR_SCHED_LB_KINDS];
};

/** agree_passes_made() - what @s counted so far */
void agree_passes_made(const struct sched *s, int nr_cpus, struct agree_passes *p);
/**
 * agree_passes_recorded() - what a kernel counted between two snapshots of /proc/schedstat
 * @path: a file with both, the earlier one first, plain or xz
 *
 * Return: 0; -EINVAL: not two snapshots of one machine; errors of reading.
 */
int agree_passes_recorded(const char *path, struct agree_passes *p, struct err *err);

#endif
