/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uclamp.h - utilisation clamps: what tasks ask for, what groups and the system allow, what comes
 * of it on a CPU (spec 09 §3).
 *
 * Part of the core's face. A clamp is 0 … 1024, a whole CPU of the biggest kind. A task asks with
 * sched_set_attr(); util_min says that it wants to be treated as if it used that much at least,
 * util_max that it never counts for more. Nothing is counted, and nothing costs, until somebody
 * uses clamps for the first time (from 5.8 on; OUT_UCLAMP says when).
 */
#ifndef IDLEST_SCHED_UCLAMP_H
#define IDLEST_SCHED_UCLAMP_H

#include "sched/sched.h"

enum uclamp_id { UCLAMP_MIN, UCLAMP_MAX, NR_UCLAMP };

/** sched_uclamp_used() - clamps were used: tasks are counted by them from then on */
bool sched_uclamp_used(const struct sched *s);

/**
 * sched_group_set_uclamp() - cpu.uclamp.min or cpu.uclamp.max of a group (5.4+)
 * @value: 0 … 1024
 *
 * What the group and those below it get of it is limited by its parent's. Return: 0; -EINVAL: out
 * of range, the root group; -EOPNOTSUPP: a kernel without clamps; with the reason.
 */
int sched_group_set_uclamp(struct sched *s, u64 now, struct task_group *tg, enum uclamp_id id,
			   unsigned int value, struct err *err);

/** sched_group_uclamp() - effective value of a group's clamp; NULL: the root group */
unsigned int sched_group_uclamp(const struct sched *s, const struct task_group *tg,
				enum uclamp_id id);

/**
 * sched_uclamp_percent() - the text of cpu.uclamp.min and .max as a clamp
 * @text: "max", or percent with at most two decimals: "20", "33.33"
 *
 * Return: 0; -EINVAL: not such a text; -ERANGE: more than 100.
 */
int sched_uclamp_percent(const char *text, unsigned int *value);

/**
 * sched_set_util_clamp() - write sched_util_clamp_min, _max and _min_rt_default
 *
 * Return: 0; -EINVAL: min above max, or one above 1024; -EOPNOTSUPP: a kernel without clamps.
 */
int sched_set_util_clamp(struct sched *s, u64 now, unsigned int min, unsigned int max,
			 unsigned int min_rt_default);

/** sched_task_uclamp() - effective clamp: the request within the group's and the system's limits */
unsigned int sched_task_uclamp(const struct sched *s, const struct task *p, enum uclamp_id id);
/** sched_cpu_uclamp() - clamp of what is queued on @cpu; while clamps aren't used 0 and 1024 */
unsigned int sched_cpu_uclamp(const struct sched *s, int cpu, enum uclamp_id id);

/**
 * sched_cpu_util_with() - @util of @cpu within the clamps of what is queued there, and of @p
 * @p: a task that may be put there; NULL: nobody
 */
unsigned long sched_cpu_util_with(const struct sched *s, int cpu, unsigned long util,
				  const struct task *p);

/**
 * sched_cpu_freq_util() - the utilisation of @cpu that a frequency governor goes by (spec 10 §3)
 *
 * Without interrupt time; with clamps and deadline bandwidth. Return: 0 … capacity of @cpu.
 */
unsigned long sched_cpu_freq_util(const struct sched *s, int cpu);

#endif
