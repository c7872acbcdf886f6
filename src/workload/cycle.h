/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cycle.h - a task that works for a while every so often: what several models have in them.
 */
#ifndef IDLEST_WORKLOAD_CYCLE_H
#define IDLEST_WORKLOAD_CYCLE_H

#include "base/hist.h"
#include "sim/sim.h"

/* What the tasks of a run count together. */
struct cycle_tally {
	struct hist latency; /* ns from being woken to running */
	u64 done, missed;    /* periods; those whose work wasn't done at the next release */
};

struct cycle {
	u64 release, period, work; /* ns; the next release */
	u64 end;		   /* no release from here on */
	struct cycle_tally *tally;
	enum { CYCLE_START, CYCLE_SLEPT, CYCLE_WORKED } state;
	bool slept;
};

/**
 * cycle_next() - the next step: sleep until the release, or the work
 *
 * A task that is late drops no release, it doesn't sleep before the next.
 *
 * Return: false when the end is reached, with @step as it was.
 */
bool cycle_next(struct cycle *c, struct sim *sim, struct sim_task *t, struct sim_step *step);

#endif
