/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scenario.h - a machine, kernels, tasks, and what must come out of it, in one small file
 * (docs/scenarios.md).
 *
 * A scenario is read once, with everything it names; it is run under each of its kernels with each
 * of its seeds; then every expectation is held against the figures of those runs.
 */
#ifndef IDLEST_EXPERIMENT_SCENARIO_H
#define IDLEST_EXPERIMENT_SCENARIO_H

#include "base/err.h"
#include "experiment/timeline.h"
#include "machine/machine.h"
#include "sched/sched.h"
#include "workload/workload.h"

#define SCENARIO_MAX_LIST 64 /* CPUs in a list that an expectation gives */

/* ---- what the file says ---- */

struct scenario_kernel {
	const char *name; /* by which expectations speak of it */
	const char *expr;
	struct sched_kernel k;
};

struct scenario_group {
	const char *name;
	u64 shares;
};

enum scenario_op {
	SCENARIO_RUN,
	SCENARIO_SPIN,
	SCENARIO_LOOP,
	SCENARIO_SLEEP,
	SCENARIO_YIELD,
	SCENARIO_EXEC,
	SCENARIO_AFFINITY,
	SCENARIO_FORK,
	SCENARIO_REAP,
	SCENARIO_WAKE,
	SCENARIO_AWAIT,
	SCENARIO_REPEAT,
};

struct scenario_step {
	enum scenario_op op;
	u64 ns;		 /* RUN, SPIN, SLEEP */
	u64 n;		 /* FORK: children; REPEAT: rounds in all, 0 without end */
	int task;	 /* FORK, WAKE: index into the tasks */
	const u64 *cpus; /* AFFINITY */
};

/* An entry of the task list: one task, or some that are alike. */
struct scenario_task {
	const char *name;
	int count;
	struct scenario_step *step;
	int nr_steps;
	enum sched_policy policy;
	int nice, rt_priority;
	u64 slice_ns;
	int group;	 /* -1: none */
	const u64 *cpus; /* where it may run; NULL: everywhere, or where its parent may */
	int start;	 /* CPU it starts on, -1: forked by init like any process */
	u64 at;		 /* ns */
	bool thread;	 /* shares the address space of its parent */
	u64 footprint;	 /* bytes */
	bool forked;	 /* by a step of another task */
};

struct scenario_figure; /* scenario_figures.h */

struct scenario_expect {
	const struct scenario_figure *figure;
	const char *arg; /* of counters and metrics: which one */
	const char *of;	 /* name of tasks; NULL: all */
	const u64 *cpus; /* NULL: all */
	u64 after;	 /* ns: what was before doesn't count */
	int kernel;	 /* -1: each */
	int than;	 /* the figure over that of this kernel; -1: the figure itself */
	bool mean;	 /* of the seeds; else each seed must hold */
	bool has_min, has_max;
	double min, max; /* in the figure's unit; with than: a ratio */
	int nr_list;	 /* figures that are lists of CPUs */
	int list[SCENARIO_MAX_LIST];
	const u64 *within; /* … and all of these */
};

struct scenario {
	struct arena *arena;
	const char *path, *name, *description;
	struct machine *machine;
	const char *machine_expr;
	int nr_kernels, nr_groups, nr_tasks, nr_expects;
	struct scenario_kernel *kernel;
	struct scenario_group *group;
	struct scenario_task *task;
	struct scenario_expect *expect;
	struct workload *workload; /* NULL: the tasks */
	u64 duration;		   /* ns; 0: the workload says */
	struct timeline *timeline; /* what is done to the machine; NULL: nothing */
	int nr_seeds;
	bool noise;
};

/**
 * scenario_load() - read a file
 *
 * Machine files and rt-app files that it names by a path are found from its folder.
 *
 * Return: 0, or a negative errno with place, cause and what is allowed.
 */
int scenario_load(const char *path, struct scenario **s, struct err *err);
/** scenario_parse() - read @text as scenario_load() does; @path names it */
int scenario_parse(const char *path, const char *text, size_t len, struct scenario **s,
		   struct err *err);
void scenario_free(struct scenario *s);

/* ---- what came of it ---- */

/* A figure of one run. */
struct scenario_value {
	bool known; /* there was something to measure */
	double v;
	int nr; /* lists: their length, which may be above what list[] holds */
	int list[SCENARIO_MAX_LIST];
};

/* An expectation under one kernel. */
struct scenario_verdict {
	const struct scenario_expect *expect;
	int kernel;
	struct scenario_value *value; /* [nr_seeds] */
	struct scenario_value mean;
	int worst; /* the first seed that failed; -1 none */
	bool holds;
};

struct scenario_outcome {
	const struct scenario *scenario;
	struct arena *arena;
	int nr, nr_failed;
	struct scenario_verdict *verdict;
};

/**
 * scenario_run() - run it and judge
 * @jobs: runs at once; 0: one a CPU
 * @check: the scheduler's invariants at every event
 *
 * Return: 0 (also where expectations fail), or the first error of a run, with the run named.
 */
int scenario_run(const struct scenario *s, int jobs, bool check, struct scenario_outcome **out,
		 struct err *err);
void scenario_outcome_free(struct scenario_outcome *o);

#endif
