/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * result.h - what one run gives: named metrics with unit and direction, the
 * counters, the seed. Tables, JSON and CSV are all made from results.
 */
#ifndef IDLEST_SIM_RESULT_H
#define IDLEST_SIM_RESULT_H

#include "sched/topology.h"

#define MAX_METRICS 64

struct metric {
	char name[48];		/* "Copy", "time", "wakeup latency p99" */
	char unit[16];		/* "MB/s", "s", "us" */
	bool higher_is_better;
	double value;
};

enum counter {
#define COUNTER(name, doc) CNT_##name,
#include "sim/counters.def"
#undef COUNTER
	NR_COUNTERS
};

#define NR_WASTE_BUCKETS 8
#define WASTE_FIRST_NS	 1000 /* the first bucket is below this, each other one ten times as wide */

/* Situations of one length: a CPU idle, a task waiting that could have had it. */
struct result_lasted {
	u64 n, ns;
};

/*
 * CPU time idle while a task waited elsewhere that was allowed there, by how near that was
 * (enum topo_distance): each waiting task is matched with the nearest idle CPU that is left. All
 * together are the counter idle_while_waiting_ns.
 */
struct result_waste {
	bool measured;
	bool level[NR_DISTANCES]; /* the machine has CPUs that near */
	u64 ns[NR_DISTANCES];
	struct result_lasted lasted[NR_DISTANCES][NR_WASTE_BUCKETS];
};

struct result {
	u64 seed;
	u64 simulated_ns;	/* length of the run */
	int nr_metrics;
	struct metric metric[MAX_METRICS]; /* the headline metrics first, in the benchmark's order */
	u64 counter[NR_COUNTERS];
	struct result_waste waste; /* sim_params.waste */
};

const char *counter_name(enum counter c);
const char *counter_doc(enum counter c);

/** result_add() - append a metric; Return: 0 or -ENOSPC */
int result_add(struct result *r, const char *name, const char *unit, bool higher_is_better,
	       double value);

#endif
