/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cgroup.h - task groups as an administrator sees them: the files of the cpu controller (spec 09).
 *
 * Part of the core's face: sched.h has sched_group_new() and sched_set_group(), here is what can
 * be written into a group's files and read from them.
 */
#ifndef IDLEST_SCHED_CGROUP_H
#define IDLEST_SCHED_CGROUP_H

#include "sched/sched.h"

#define CGROUP_WEIGHT_MIN     1
#define CGROUP_WEIGHT_MAX     10000
#define CGROUP_WEIGHT_DEFAULT 100
#define SCHED_SHARES_DEFAULT  1024

/** sched_weight_shares() - cpu.weight (1 … 10000) as shares: 100 is 1024, rounded to the nearest */
u64 sched_weight_shares(u64 weight);
/** sched_nice_shares() - cpu.weight.nice (-20 … 19) as shares: the weight of a task of that nice */
u64 sched_nice_shares(int nice);

/**
 * sched_group_set_shares() - cpu.shares, or what cpu.weight and cpu.weight.nice come to
 * @shares: 2 … 262144, 1024 by default
 *
 * Return: 0; -EINVAL: out of range, the root group, or a group with cpu.idle; with the reason.
 */
int sched_group_set_shares(struct sched *s, u64 now, struct task_group *tg, u64 shares,
			   struct err *err);

/**
 * sched_group_set_idle() - cpu.idle: the whole group counts as one SCHED_IDLE task (5.15+)
 *
 * Its weight becomes 3; that of a group which isn't idle any more is the default again.
 * Return: 0; -EINVAL: the root group; -EOPNOTSUPP: this kernel has no such file; with the reason.
 */
int sched_group_set_idle(struct sched *s, u64 now, struct task_group *tg, bool idle,
			 struct err *err);

#define SCHED_NO_QUOTA UINT64_MAX

/* CPU bandwidth: cpu.max and cpu.max.burst, or the cpu.cfs_… files. */
struct sched_bandwidth {
	u64 quota;	/* ns of CPU time per period, SCHED_NO_QUOTA: all */
	u64 period;	/* ns */
	u64 burst;	/* ns of what was left over that may be saved */
	bool legacy;	/* the first hierarchy: a child's part may not be more than its parent's */
};

/**
 * sched_group_set_bandwidth() - limit the CPU time of @tg and all below it (spec 09 §2)
 *
 * Return: 0; -EINVAL: the root group, or values that are out of range (1 ms <= period <= 1 s,
 * quota >= 1 ms, quota below 2^44 us from 5.8 on, burst <= quota) or don't fit the hierarchy;
 * -EOPNOTSUPP: this kernel has no burst; with the reason.
 */
int sched_group_set_bandwidth(struct sched *s, u64 now, struct task_group *tg,
			      const struct sched_bandwidth *b, struct err *err);

/* What cpu.stat says of it; times in ns. */
struct sched_bandwidth_stat {
	u64 nr_periods, nr_throttled, throttled_time, nr_bursts, burst_time;
};

void sched_group_bandwidth_stat(const struct sched *s, const struct task_group *tg,
				struct sched_bandwidth_stat *st);

/**
 * sched_throttle_curr() - the current task of @cpu returns to user mode, after OUT_THROTTLE
 *
 * If its group is still throttled it leaves its queue, though it stays runnable, and the host
 * schedules. Return: whether it left.
 */
bool sched_throttle_curr(struct sched *s, u64 now, int cpu);

/** sched_autogroup_enabled() - each session has a group of its own below the root group */
bool sched_autogroup_enabled(const struct sched *s);

/**
 * sched_autogroup_new() - the group of a session: it competes like one, but is no cgroup
 *
 * It limits no clamps, and its tasks' pressure is the root group's. Return: as sched_group_new().
 */
struct task_group *sched_autogroup_new(struct sched *s, struct err *err);

/** sched_group_usage() - CPU time used until @now by the tasks of @tg (not the root) and below, ns */
u64 sched_group_usage(const struct sched *s, u64 now, const struct task_group *tg);

#endif
