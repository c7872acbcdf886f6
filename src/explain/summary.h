/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * summary.h - the decisions of a run, counted: which rule decided how many wake-ups, how far they
 * took the task, and how long it waited then.
 */
#ifndef IDLEST_EXPLAIN_SUMMARY_H
#define IDLEST_EXPLAIN_SUMMARY_H

#include <jansson.h>
#include <stdio.h>

#include "base/hist.h"
#include "explain/explain.h"

/* What one rule decided. */
struct explain_rule {
	u64 count;
	u64 dist[NR_DISTANCES]; /* from the previous (fork: the parent's) CPU to the one chosen */
	u64 to_waker;		/* moved to the CPU that wakes */
	u64 to_idle;		/* the CPU was idle then */
	u64 read;		/* CPUs that searches read */
	u64 cost_ns;		/* of deciding */
	struct hist *wait;	/* ns from the decision until it ran; NULL: nobody ran */
};

struct explain_summary {
	const struct sched_topology *topo;
	struct explain_rule wakeup[NR_REASONS], fork[NR_REASONS];
	u64 nr_wakeups, nr_forks;
	u64 path[WAKE_DIRECT + 1]; /* how wakees reached their CPU */
	u64 spins;		   /* wake-ups that were decided anew */
	u64 affine[NR_REASONS];	   /* what wake_affine came to */
	u64 wide;		   /* wake-ups that didn't ask it */
	u64 pick[NR_REASONS];
	u64 preempts, preempts_not;
	u64 passes, pulls[NR_DISTANCES], pushes, execs, execs_away;
	bool lost;
};

/** explain_summary_new() - nothing counted yet; NULL: out of memory */
struct explain_summary *explain_summary_new(const struct sched_topology *topo);
void explain_summary_free(struct explain_summary *s);
void explain_summary_add(struct explain_summary *s, const struct explain_decision *d);
void explain_summary_ran(struct explain_summary *s, const struct explain_ran *r);
/** explain_summary_wait() - waiting times of all wake-ups together, in @all */
void explain_summary_wait(const struct explain_summary *s, struct hist *all);

void explain_summary_print(const struct explain_summary *s, FILE *f);
json_t *explain_summary_json(const struct explain_summary *s);

/**
 * explain_print() - one decision: the steps in their order, and what came of it
 * @narrow: for a column: nothing is aligned
 */
void explain_print(const struct explain_decision *d, int nr_cpus, bool narrow, FILE *f);
/** explain_print_ran() - the line below it: when the task ran */
void explain_print_ran(const struct explain_ran *r, FILE *f);
json_t *explain_json(const struct explain_decision *d, int nr_cpus);
json_t *explain_ran_json(const struct explain_ran *r);

#endif
