/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cgroup.h - the tree of control groups of a run: which there are, what their files say, who is in
 * which (spec 09).
 *
 * A group is known by its path, "/build/jobs"; "/" is the root, where every task is that nobody
 * put elsewhere. Children are in their parent's group. Groups live as long as the run.
 */
#ifndef IDLEST_SIM_CGROUP_H
#define IDLEST_SIM_CGROUP_H

#include "sched/cgroup.h"
#include "sched/uclamp.h"
#include "sim/sim.h"

struct sim_cgroup;

enum cgroup_partition {
	PARTITION_MEMBER,   /* shares the CPUs of the partition above it */
	PARTITION_ROOT,	    /* its CPUs are its own, with scheduling domains of their own */
	PARTITION_ISOLATED, /* … without any */
};

/* What is written into a group's files; what is zero is left as it is. */
struct cgroup_files {
	u64 shares;		/* cpu.shares; cpu.weight and cpu.weight.nice as shares */
	bool idle;		/* cpu.idle */
	const char *cpus;	/* cpuset.cpus: a CPU list */
	enum cgroup_partition partition; /* cpuset.cpus.partition */
	struct sched_bandwidth bandwidth; /* cpu.max, cpu.max.burst; period 0: left */
	bool clamps[NR_UCLAMP]; /* cpu.uclamp.min, .max: given */
	unsigned int clamp[NR_UCLAMP]; /* 0 … 1024 */
};

struct cgroup_spec {
	const char *path;
	struct cgroup_files files;
};

/* A tree as it is before the run begins. */
struct cgroup_tree {
	const char *name;	/* of its file, for messages */
	struct cgroup_spec *group; /* parents before children, or made with defaults */
	int nr;
};

/**
 * sim_cgroup_get() - the group at @path, made if there is none, and so are those above it
 *
 * Return: NULL with @err filled: a bad path, memory.
 */
struct sim_cgroup *sim_cgroup_get(struct sim *sim, const char *path, struct err *err);

/**
 * sim_cgroup_write() - write into its files
 *
 * Return: 0, or a negative errno with the file's name and why this kernel or machine refuses.
 */
int sim_cgroup_write(struct sim *sim, struct sim_cgroup *cg, const struct cgroup_files *files,
		     struct err *err);

/** sim_cgroup_tree() - make all groups of @tree; Return: 0 or a negative errno */
int sim_cgroup_tree(struct sim *sim, const struct cgroup_tree *tree, struct err *err);

/* Where tasks spawned before the run start: as their shell's prefixes say. */
struct sim_place {
	struct sim_cgroup *cgroup; /* NULL: the root */
	struct sim_cgroup *session; /* of sim_session_new(); NULL: that of init */
	const u64 *allowed;	   /* where they don't ask for CPUs; NULL: all */
};

/**
 * sim_session_new() - a session (setsid), whose tasks have a group of their own while they are in
 * the root group and the kernel has autogroups (sched_autogroup_enabled)
 *
 * Return: NULL with @err filled: memory.
 */
struct sim_cgroup *sim_session_new(struct sim *sim, struct err *err);

/** sim_set_place() - of tasks that are spawned from now on; NULL: nothing special */
void sim_set_place(struct sim *sim, const struct sim_place *place);

struct sim_cgroup *sim_task_cgroup(const struct sim_task *t); /* NULL: the root */

/* ---- what the groups used ---- */

/** sim_cgroup_next() - the one made after @cg (NULL: the first, which isn't the root) */
struct sim_cgroup *sim_cgroup_next(const struct sim *sim, const struct sim_cgroup *cg);
const char *sim_cgroup_path(const struct sim_cgroup *cg);
/** sim_cgroup_usage() - CPU time that its tasks and those below have used, ns */
u64 sim_cgroup_usage(const struct sim *sim, const struct sim_cgroup *cg);
struct sim_cgroup_times {
	u64 usage_ns;		/* as sim_cgroup_usage() */
	u64 user_ticks, nice_ticks, system_ticks; /* what its tasks did when a tick came */
	u64 tick_ns;
};

/** sim_cgroup_times() - of @cg and all below it; NULL: the root group, all tasks */
void sim_cgroup_times(const struct sim *sim, const struct sim_cgroup *cg,
		      struct sim_cgroup_times *t);

/* What /proc/PID/schedstat says. */
struct sim_task_account {
	int pid;
	char comm[16];
	u64 run_ns, wait_ns, slices;
};

/**
 * sim_task_accounts() - call @fn for each task of the workload, in the order of pids
 *
 * Those that have exited are known if sim_params.accounts was set.
 */
void sim_task_accounts(const struct sim *sim,
		       void (*fn)(void *ctx, const struct sim_task_account *a), void *ctx);

struct task_group *sim_cgroup_sched(const struct sim_cgroup *cg); /* NULL: the root group */

#endif
