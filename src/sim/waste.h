/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waste.h - CPU time that was idle while a task waited elsewhere that could have had it.
 *
 * Waiting tasks and idle CPUs are matched, the nearest first: of the CPUs of a core as many as
 * possible, what is left over in the cluster, then in the LLC, and so on up to the machine. So a
 * tree of groups of CPUs is kept, in which a change costs the way up from one CPU, however many
 * there are. Tasks that may not run anywhere are looked at one by one, and take what the others
 * leave.
 */
#ifndef IDLEST_SIM_WASTE_H
#define IDLEST_SIM_WASTE_H

#include "base/arena.h"
#include "sched/topology.h"
#include "sim/result.h"

struct waste;

/** waste_new() - nobody waits, no CPU is idle; NULL: out of memory */
struct waste *waste_new(struct arena *arena, const struct sched_topology *topo);

/** waste_idle() - @cpu goes idle (@by 1) or is no longer (-1) */
void waste_idle(struct waste *w, u64 now, int cpu, int by);
/** waste_idle_isolated() - the same of a CPU that only tasks bound to it may use */
void waste_idle_isolated(struct waste *w, int by);
/** waste_wait() - a task that may run anywhere begins (1) or ends (-1) to wait on @cpu */
void waste_wait(struct waste *w, u64 now, int cpu, int by);
/**
 * waste_restricted() - since @from, so many tasks with an affinity waited
 * @near: [NR_DISTANCES], by their distance to the nearest idle CPU that they may use; none: left out
 */
void waste_restricted(struct waste *w, u64 from, const int *near);
/** waste_has_restricted() - the last waste_restricted() had some */
bool waste_has_restricted(const struct waste *w);
/** waste_left_idle() - idle CPUs for which no task is left that may run anywhere, isolated ones too */
int waste_left_idle(const struct waste *w);
/** waste_result() - all up to @now */
void waste_result(const struct waste *w, u64 now, struct result_waste *r);

#endif
