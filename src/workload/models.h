/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * models.h - the models there are, and what several of them need.
 */
#ifndef IDLEST_WORKLOAD_MODELS_H
#define IDLEST_WORKLOAD_MODELS_H

#include "base/hist.h"
#include "workload/tables.h"
#include "workload/workload.h"

extern const struct workload_model dl_model;
extern const struct workload_model forks_model;
extern const struct workload_model hackbench_model;
extern const struct workload_model hog_model;
extern const struct workload_model mix_model;
extern const struct workload_model netperf_model;
extern const struct workload_model periodic_model;
extern const struct workload_model pingpong_model;
extern const struct workload_model pipeline_model;
extern const struct workload_model rt_model;
extern const struct workload_model rtapp_model;
extern const struct workload_model schbench_model;
extern const struct workload_model share_model;
extern const struct workload_model stream_model;
extern const struct workload_model tbench_model;
extern const struct workload_model unixbench_model;
extern const struct workload_model yield_model;

/*
 * Tasks that do the same again and again, and are counted together once the last
 * of them has begun: a real benchmark counts for so long that it doesn't matter
 * when each of them was started, a simulated one doesn't.
 */
struct model_count {
	int nr;		  /* tasks that are to come … */
	int nr_there;	  /* … and that have */
	u64 duration;	  /* ns to count for */
	u64 began, ended; /* when the first and the last counted loop began and ended */
	u64 loops;
};

/**
 * model_loop() - a task is between two of its loops
 * @there: of the task, false at first
 * @loops: how many have ended since the last call (not those before the first)
 *
 * Return: whether it is to go on.
 */
bool model_loop(struct model_count *count, u64 now, bool *there, u64 loops);

/**
 * model_rate() - loops per second of all together
 * @model, @loop: for messages: "unixbench", "loop of execl"
 *
 * Return: 0, or -ETIME with @err filled: the run was stopped too early, or no loop ended.
 */
int model_rate(const struct model_count *count, const struct sim *sim, const char *model,
	       const char *loop, double *rate, struct err *err);

/**
 * model_latencies() - add the metrics "<what> p50", "… p99" and "… max" in µs
 * @h: of nanoseconds; nothing is added if it is empty
 */
int model_latencies(struct result *r, const char *what, const struct hist *h);

/** model_one_cpu() - a set of @cpu alone, from the run's arena; NULL: out of memory */
u64 *model_one_cpu(struct sim *sim, int cpu);

/** model_nomem() - the error for an exhausted arena */
int model_nomem(struct err *err);

#endif
