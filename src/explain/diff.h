/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * diff.h - the same workload and seed under two kernels: where they part, and what follows.
 */
#ifndef IDLEST_EXPLAIN_DIFF_H
#define IDLEST_EXPLAIN_DIFF_H

#include "explain/summary.h"
#include "workload/workload.h"

#define DIFF_FOLLOW 8 /* decisions about the task in question that are kept */

/* One decision about the task afterwards. */
struct diff_follow {
	int kind, target, reason;
	u64 nr, now,
		waited; /* waited: until it ran, ns; UINT64_MAX: it didn't, or it isn't that kind */
};

struct diff_side {
	struct explain_decision *d; /* first one that differs; NULL: this run had ended */
	u64 *masks;
	struct explain_summary *after; /* from that decision on */
	int nr_follow;
	struct diff_follow follow[DIFF_FOLLOW];
	struct result result;
};

enum diff_how {
	DIFF_NONE,   /* every choice is the same */
	DIFF_CHOICE, /* the same question, another answer */
	DIFF_ORDER,  /* another question comes next */
	DIFF_END,    /* one run is over */
};

struct diff {
	enum diff_how how;
	u64 same; /* decisions before it that are the same */
	/* the first decision whose time or cost differs though the choice doesn't; nr 0: none */
	struct {
		u64 nr, now[2], cost[2];
	} shift;
	struct diff_side side[2];
	int pid; /* the task that is followed; 0: none */
	char comm[16];
};

/**
 * diff_run() - run both kernels in lockstep
 * @k: two kernels
 *
 * Memory doesn't grow with the length of the runs.
 * Return: 0 or the error of the first kernel that has one.
 */
int diff_run(const struct workload *w, const struct machine *m, const struct sched_kernel *k,
	     u64 seed, struct diff **out, struct err *err);
void diff_free(struct diff *d);

/** diff_print() - for people; @name: both kernels as the user wrote them */
void diff_print(const struct diff *d, const struct sched_topology *topo, const char *const *name,
		FILE *f);
json_t *diff_json(const struct diff *d, const struct sched_topology *topo, const char *const *name);

#endif
