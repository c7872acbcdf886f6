/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prefix.h - what stands before a workload and says where it runs, as a shell user would start it.
 *
 *	cgexec:/build/jobs/hackbench:groups=4	its tasks are in the control group /build/jobs
 *	taskset:0-3,8/hog:n=4			they may use these CPUs, unless they ask for others
 *	session/hog:n=4				they are a session of their own (setsid)
 *
 * Prefixes can follow each other; the last one of a kind counts. A value goes up to the slash
 * before the next prefix or the workload's name.
 */
#ifndef IDLEST_WORKLOAD_PREFIX_H
#define IDLEST_WORKLOAD_PREFIX_H

#include "base/err.h"
#include "sim/cgroup.h"

struct prefixes {
	char *cgroup; /* path; NULL: not given */
	char *cpus;   /* CPU list */
	bool session;
};

/**
 * prefixes_read() - take the prefixes off @expr
 * @is_workload: whether an expression begins with a workload's name
 *
 * Return: what follows them; NULL with @err filled. Free @p with prefixes_free() in either case.
 */
const char *prefixes_read(const char *expr, bool (*is_workload)(const char *expr),
			  struct prefixes *p, struct err *err);
/** prefix_begins() - @expr begins with a prefix's name */
bool prefix_begins(const char *expr);
void prefixes_free(struct prefixes *p);

/** prefixes_place() - the group, CPUs and session in @sim; Return: 0 or a negative errno */
int prefixes_place(const struct prefixes *p, struct sim *sim, struct sim_place *place,
		   struct err *err);

#endif
