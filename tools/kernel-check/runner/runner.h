/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runner.h - workloads of the grammar, executed by real threads and processes.
 *
 *	idlest-wl [--seed=N] hackbench:groups=2,fds=4,loops=300,pipe
 *
 * The same expression describes the same tasks as in `idlest run -w`. Work is
 * burnt by the thread's own CPU clock, ends are points of the monotonic clock,
 * and chance comes from the seed by the same streams as in the simulation. So
 * it makes no difference how fast the machine is or how often a task waits.
 */
#ifndef IDLEST_RUNNER_H
#define IDLEST_RUNNER_H

#include <pthread.h>
#include <sys/types.h>

#include "base/rng.h"
#include "workload/tables.h"

/* What is to run, and when the timed part begins and ends. */
struct job {
	const struct kind *kind;
	struct workload_values values;
	u64 seed;
	struct rng rng;
	u64 begin, end; /* CLOCK_MONOTONIC, ns */
	struct tally *tally;
};

/* What all tasks of a job count, in memory that they share. */
struct tally {
	u64 done, missed; /* pieces of work; those that were late */
	u64 cpu_ns;	  /* of all tasks */
};

struct kind {
	const char *name;
	const struct workload_param *params;
	void (*run)(struct job *job);
	const char *done; /* what tally.done counts; NULL: nothing to print */
};

void run_bandwidth(struct job *job);
void run_deadline(struct job *job);
void run_forks(struct job *job);
void run_hackbench(struct job *job);
void run_hog(struct job *job);
void run_mix(struct job *job);
void run_periodic(struct job *job);
void run_pingpong(struct job *job);
void run_pipeline(struct job *job);
void run_realtime(struct job *job);
void run_share(struct job *job);

/* ---- options ---- */

/** opt() - value of an INT, BYTES, TIME_NS, FLAG or CHOICE of the job's table */
s64 opt(const struct job *job, const char *name);
bool opt_given(const struct job *job, const char *name);
const char *opt_text(const struct job *job, const char *name);

/* ---- time ---- */

u64 now_ns(void);    /* CLOCK_MONOTONIC */
u64 cpu_ns(void);    /* this thread's CPU time */
void burn(u64 work); /* compute for so much CPU time of this thread */
void sleep_until(u64 t);

/** window() - the timed part begins the job's lead from now (0 without) and lasts its duration */
void window(struct job *job);

/** hog_until_end() - compute in pieces of @chunk ns until the timed part is over */
void hog_until_end(const struct job *job, u64 chunk);

/** periodic_until_end() - from @release on, work for @run every @period; late work is caught up */
void periodic_until_end(const struct job *job, u64 release, u64 period, u64 run);

/* ---- tasks ---- */

/* Tasks that were started together: processes, or threads of this one. */
struct crew {
	struct job *job;
	bool threads;
	int nr, max;
	struct member *member;
};

struct crew crew_new(struct job *job, int max, bool threads);
/**
 * crew_add() - start a task named @name that executes @fn(@job, @index)
 */
void crew_add(struct crew *crew, void (*fn)(struct job *job, long index), long index,
	      const char *name, ...) __attribute__((format(printf, 4, 5)));
void crew_wait(struct crew *crew); /* until all have ended; frees */

void task_name(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void task_pin(int cpu);
void task_nice(int nice);

/* ---- channels ---- */

void channel_new(int fd[2], bool pipes); /* fd[0] to read, fd[1] to write */
void put(int fd, const void *buf, size_t len);
void get(int fd, void *buf, size_t len);

/* ---- the rest ---- */

void *shared_memory(size_t bytes); /* also of children forked later; zeroed */
void *must_alloc(size_t nr, size_t size);
void count(u64 *counter, u64 n); /* add to a counter that others add to */
/** mark() - put a line into the kernel's trace, if one can */
void mark(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** die() - say what failed and why, and end with status 1 */
void die(const char *what) __attribute__((noreturn));

#endif
