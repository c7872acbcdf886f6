/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run.h - one replay: the programs of a trace on a machine under a kernel.
 */
#ifndef IDLEST_REPLAY_RUN_H
#define IDLEST_REPLAY_RUN_H

#include "replay/figures.h"
#include "replay/program.h"
#include "sim/sim.h"

/* What the engine itself took on the CPU of each task, by the op it belongs to. */
struct replay_overhead {
	u64 ns[NR_REPLAY_OPS];
	u32 nr[NR_REPLAY_OPS];
};

struct replay_run {
	const struct replay *r;
	const struct machine *m;
	const struct sched_kernel *k;
	u64 seed;
	/*
	 * Work for the machine: what took a ns where it was recorded takes
	 * work_num / work_den ns at the nominal speed of @m.
	 */
	u64 work_num, work_den;
	enum replay_sync { REPLAY_SYNC_SEEN, REPLAY_SYNC_NEVER } sync;
	bool check;
	struct replay_overhead *overhead; /* [nr_tasks], added to; NULL: not asked for */
};

/**
 * replay_run() - let the tasks go through their programs
 * @f: what a trace of it shows
 * @result: simulated time, counters and seed; no metrics
 * @trace: the trace itself; NULL: only the figures
 *
 * The run ends when every program is over.
 */
int replay_run(const struct replay_run *run, struct figures *f, struct result *result,
	       struct trace **trace, struct err *err);

/**
 * replay_calibrate() - take from the recorded CPU time what the engine adds to it
 * @from: machine and kernel of the recording, as far as known
 *
 * Recorded CPU time contains the scheduler's own paths: the switch to the task,
 * what it takes to wake others, to block, the ticks. A replay adds them anew,
 * at the price of the kernel and the machine it runs on. So programs are run
 * once, what was added to each kind of op of each task is averaged, and taken off
 * the recorded time; what is more than a piece of work lasted is taken off the
 * next one. Replay_op.work is set.
 */
int replay_calibrate(struct replay *r, const struct replay_run *from, struct err *err);

#endif
