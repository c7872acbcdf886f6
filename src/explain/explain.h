/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * explain.h - the decisions of a run as they come: what was asked, what was compared, what came of
 * it, and when the task ran.
 *
 * The core tells its sink single steps (sched.h); here they become decisions,
 * told to a listener one by one. Memory follows the number of tasks that wait,
 * never the length of the run.
 */
#ifndef IDLEST_EXPLAIN_EXPLAIN_H
#define IDLEST_EXPLAIN_EXPLAIN_H

#include "base/err.h"
#include "sched/sched.h"
#include "sim/sim.h"

#define EXPLAIN_MAX_STEPS 48

struct explain_step {
	int step, reason, candidate;
	bool taken;
	s64 value[SCHED_RECORD_VALUES];
	u64 *cpus; /* that a search read; NULL: none told */
};

struct explain_decision {
	int kind; /* enum sched_step, of those that end a decision: STEP_WAKEUP, STEP_FORK, … */
	u64 nr;	  /* the n-th of its kind; a wake-up that had to be decided anew keeps its number */
	bool again; /* … and is marked */
	u64 now;    /* ns since the run's start */
	int cpu;    /* that decided */
	int pid;    /* about whom; 0: nobody */
	char comm[16];
	int by_pid; /* what that CPU ran; 0: the idle task or a stopper */
	char by_comm[16];
	int target, reason;
	bool taken;
	bool target_idle; /* at that moment */
	s64 value[SCHED_RECORD_VALUES];
	int nr_steps, left_out; /* left out: more than EXPLAIN_MAX_STEPS */
	struct explain_step step[EXPLAIN_MAX_STEPS];
};

/* A task that was woken or forked runs. */
struct explain_ran {
	int kind; /* STEP_WAKEUP or STEP_FORK */
	u64 nr;	  /* of that decision */
	int reason;
	int pid;
	char comm[16];
	int from, target;		   /* previous CPU, the one chosen */
	int cpu;			   /* where it ran */
	u64 decided_at, queued_at, ran_at; /* ns since the run's start */
};

struct explain_listener {
	void *ctx;
	void (*decision)(void *ctx, const struct explain_decision *d);
	void (*ran)(void *ctx, const struct explain_ran *r); /* NULL: doesn't care */
};

struct explain;

/**
 * explain_new() - listen to a run
 * @nr_cpus: of its machine
 *
 * Return: NULL when out of memory.
 */
struct explain *explain_new(int nr_cpus, const struct explain_listener *l);
void explain_free(struct explain *e);
/** explain_attach() - let the run of @p be heard; it takes the trace hook of @p */
void explain_attach(struct explain *e, struct sim_params *p);
/** explain_stop() - nothing more has to be heard: the run ends with -ECANCELED */
void explain_stop(struct explain *e);
bool explain_stopped(const struct explain *e);
/** explain_error() - 0, or -ENOMEM if something got lost */
int explain_error(const struct explain *e);

/** explain_run_ns() - ns since the run's start */
u64 explain_run_ns(const struct explain *e);

/** explain_path_name() - how a wakee reached its CPU (enum wake_path), in words */
const char *explain_path_name(int path);
/** explain_value_text() - value @i of a step or an end in words ("has-spare"), or as a number */
const char *explain_value_text(int step, int i, s64 value, char *buf, size_t len);
/** explain_kind_name() - "wakeup", "fork", …; NULL: no decision ends with @step */
const char *explain_kind_name(int step);
/** explain_kind() - the other way round; -1: none */
int explain_kind(const char *name);
/** explain_cpu_list() - "0-3,8" of the set @cpus; cut with "…" if @len doesn't do */
const char *explain_cpu_list(const u64 *cpus, int nr_cpus, char *buf, size_t len);

/**
 * explain_copy() - a decision with its sets of CPUs
 * @masks: room for EXPLAIN_MAX_STEPS sets of @words words
 */
void explain_copy(struct explain_decision *to, const struct explain_decision *from, u64 *masks,
		  int words);

#endif
