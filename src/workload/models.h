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
