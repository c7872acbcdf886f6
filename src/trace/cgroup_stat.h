/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cgroup_stat.h - what control groups and tasks used, as the kernel's files say it.
 */
#ifndef IDLEST_TRACE_CGROUP_STAT_H
#define IDLEST_TRACE_CGROUP_STAT_H

#include "sim/cgroup.h"

/**
 * cgroup_stat_write() - the groups of @sim as a tree of directories below @dir, which is there
 *
 * In each one cpu.stat and, if pressure is measured, its files; in @dir itself, which is the root
 * group, also tasks.schedstat: pid, name and what /proc/PID/schedstat says (ns run, ns waited,
 * times run) of all tasks of the workload, exited ones included.
 *
 * Return: 0, or a negative errno with the file's name.
 */
int cgroup_stat_write(const char *dir, struct sim *sim, const struct sched_kernel *k,
		      struct err *err);

#endif
