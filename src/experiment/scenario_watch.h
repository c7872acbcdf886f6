/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scenario_watch.h - what tasks did in a run, for the figures of a scenario: where they were
 * placed, their stays on CPUs, their waits, their moves.
 */
#ifndef IDLEST_EXPERIMENT_SCENARIO_WATCH_H
#define IDLEST_EXPERIMENT_SCENARIO_WATCH_H

#include "sim/sim.h"

#define WATCH_NEVER UINT64_MAX

struct watch_task {
	char comm[16];
	int first_cpu; /* where it was placed at first; -1 not yet */
	int last_cpu;
	u64 exited; /* ns; WATCH_NEVER */
	/* while the run lasts */
	u64 runnable_since, running_since; /* WATCH_NEVER: it isn't */
	bool woken;			   /* it waits since a wake-up, not since a preemption */
};

struct watch_stay {
	int task, cpu;
	u64 from, to;
};

struct watch_wait {
	int task;
	bool woken;
	u64 from, to;
};

struct watch_move {
	int task;
	u64 at;
};

struct watch {
	int nr_tasks, nr_stays, nr_waits, nr_moves;
	struct watch_task *task; /* in the order of their first placement */
	struct watch_stay *stay;
	struct watch_wait *wait;
	struct watch_move *move;
	/* inner */
	int room_tasks, room_stays, room_waits, room_moves, room_pids;
	int *by_pid; /* task + 1 */
	bool failed; /* out of memory */
};

/** watch_event() - a trace function (struct sim_params) with a struct watch as its context */
void watch_event(void *watch, const struct sim_trace_event *e);
/** watch_end() - close what is still open; Return: 0 or -ENOMEM (of any event) */
int watch_end(struct watch *w, u64 now);
void watch_free(struct watch *w);

/** watch_is() - is @comm a task called @name, or one of several ("name3", "name3.1")? */
bool watch_is(const char *comm, const char *name);

#endif
