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

struct result {
	u64 seed;
	u64 simulated_ns;	/* length of the run */
	int nr_metrics;
	struct metric metric[MAX_METRICS]; /* the headline metrics first, in the benchmark's order */
	u64 counter[NR_COUNTERS];
};

const char *counter_name(enum counter c);
const char *counter_doc(enum counter c);

/** result_add() - append a metric; Return: 0 or -ENOSPC */
int result_add(struct result *r, const char *name, const char *unit, bool higher_is_better,
	       double value);

#endif
