/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * schbench.h - what a run of schbench consists of. Included by schbench.c and schbench_threads.c.
 */
#ifndef IDLEST_WORKLOAD_SCHBENCH_H
#define IDLEST_WORKLOAD_SCHBENCH_H

#include "base/hist.h"
#include "sim/sim.h"

#define SCHBENCH_MAX_PENDING 128 /* requests that a worker hasn't taken up */

struct schbench_run;

struct schbench_worker {
	struct schbench_run *run;
	struct schbench_messenger *messenger;
	struct sim_spawn spawn;
	struct sim_sem *sem;
	struct schbench_worker *next; /* on the messenger's list */
	enum { WORKER_QUEUE, WORKER_WAIT, WORKER_WOKEN, WORKER_LOCK, WORKER_WORK, WORKER_UNLOCK,
	       WORKER_DONE } state;
	struct sim_mutex *mutex; /* that it holds */
	u64 stamp;		 /* when it was woken, or its request was posted */
	u64 started;
	u64 *posted;		 /* [SCHBENCH_MAX_PENDING] times */
	u32 first_posted, nr_posted;
};

struct schbench_messenger {
	struct schbench_run *run;
	struct sim_spawn spawn;
	struct sim_sem *sem;
	struct schbench_worker *worker, *list; /* [workers]; last one first */
	struct schbench_worker *waking;
	bool posted;	/* somebody has woken it since it last took the list */
	int forked;
	enum { MESSENGER_TAKE, MESSENGER_WAKE, MESSENGER_SPIN, MESSENGER_SLEEP } state;
	u64 stamp;
	/* rps */
	u64 due;
	int next_worker;
};

struct schbench_run {
	bool new, rps;
	int messages, workers;
	u64 think, spin, sleep, work;
	u64 period;		 /* rps: of a messenger's requests */
	struct sim_mutex **mutex; /* [nr_cpus]; NULL: nobody locks */
	struct schbench_messenger *messenger;
	/* main */
	int forked;
	u64 duration, interval;
	u64 end, looked;	 /* when the rate was counted last; 0: not yet */
	u64 requests, last_requests;
	struct hist wakeup, request, rate;
};

extern const struct sim_program schbench_worker_program;
extern const struct sim_program schbench_messenger_program;

#endif
