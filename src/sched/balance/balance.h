/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * balance.h - one load balancing pass, decided and committed apart (spec 06 §2).
 *
 * balance_decide() answers "what would the pass of this CPU move now?" from a
 * const core; balance_commit() carries the answer out. In between stands
 * nothing but the caller's wish: a walk commits at once, a tool that only asks
 * never does.
 */
#ifndef IDLEST_SCHED_BALANCE_BALANCE_H
#define IDLEST_SCHED_BALANCE_BALANCE_H

#include "sched/balance/kinds.h"
#include "sched/internal.h"

/* One task that the pass looked at, in the order of looking. */
struct balance_look {
	struct task *p;
	int dst;
	bool taken; /* otherwise refused: it goes to the head of its queue's list */
	u8 attempt; /* tasks of one attempt are attached last taken first */
};

/* A pass looks at nr_migrate (32) tasks for each CPU it tries for; there it stops at the latest. */
#define BALANCE_MAX_LOOKS 256

/*
 * What a pass would do. Everything above "effects" is the choice, the rest what
 * the looking itself changes (spec 14 §2.4).
 */
struct balance_decision {
	int dst;
	struct sched_domain *sd;
	enum cpu_idle_type kind;
	enum balance_outcome outcome;
	const struct sched_group *busiest; /* NULL: none */
	int src;			   /* busiest CPU, -1: none */
	enum group_type local_type, busiest_type;
	enum migration_type type;
	long imbalance; /* as sized, in units of @type */
	int nr_taken;
	int active_src; /* CPU whose running task is to be pushed to @dst, -1: none */
	bool trivial;	/* nothing runs in the whole span */

	/* effects */
	int nr_balance_failed;
	u64 balance_interval;  /* ms */
	int parent_imbalance;  /* 0 or 1: the new flag; -1: unchanged */
	int overload;	       /* of the root domain, likewise */
	int nr_idle_scan;      /* of the LLC, -1: unchanged */
	bool refresh_capacity; /* of the local group: */
	unsigned long capacity, min_capacity, max_capacity;
	u64 capacity_next_update;
	struct lb_stats lb; /* to be added */
	struct sched_work work;
	u64 cost_ns; /* time until what was taken can be attached */

	int nr_looks;
	struct balance_look look[BALANCE_MAX_LOOKS];
};

/**
 * balance_prepare() - bring the sums up to date that a pass of @dst over @sd will read
 *
 * Optional: only the time balance_decide() takes depends on it. Nothing is done
 * if the pass won't be allowed.
 */
void balance_prepare(struct sched *s, u64 now, int dst, const struct sched_domain *sd,
		     enum cpu_idle_type kind);

/**
 * balance_decide() - what the pass of @dst over @sd would do at @now
 * @now: ns
 * @dst: the CPU that pulls; @sd must be one of its domains
 * @kind: spec 06 §1
 * @d: result, wholly overwritten
 *
 * Averages of other CPUs are read as last updated, as a kernel does without
 * taking locks. Draws of NI_RANDOM belong to the walk, not to the pass.
 */
void balance_decide(const struct sched *s, u64 now, int dst, struct sched_domain *sd,
		    enum cpu_idle_type kind, struct balance_decision *d);

/**
 * balance_commit() - apply @d's effects and take the tasks off their queue
 * @cpu: that executes the pass (another than d->dst in a nohz walk)
 *
 * The taken tasks are appended to the held list of @cpu's walk, migrating, on
 * no queue, their CPU being the destination. An active push is requested from
 * the host.
 */
void balance_commit(struct sched *s, u64 now, int cpu, const struct balance_decision *d);

/**
 * balance_attach() - enqueue what @cpu's walk holds
 *
 * Return: tasks enqueued.
 */
int balance_attach(struct sched *s, u64 now, int cpu);

#endif
