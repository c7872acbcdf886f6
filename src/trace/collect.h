/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect.h - a simulated run as a trace.
 */
#ifndef IDLEST_TRACE_COLLECT_H
#define IDLEST_TRACE_COLLECT_H

#include "sim/sim.h"
#include "trace/trace.h"

struct trace_collector;

/**
 * trace_collector_new() - for a machine of @nr_cpus
 * @each: called with every event instead of keeping it; NULL: they are kept
 */
struct trace_collector *trace_collector_new(int nr_cpus,
					    void (*each)(void *ctx, const struct trace *t,
							 const struct trace_event *e),
					    void *ctx);
/** trace_collect() - for sim_params.trace, with the collector as its trace_ctx */
void trace_collect(void *collector, const struct sim_trace_event *e);
struct trace_load;
/** trace_collect_load() - for sim_params.trace_load; hands it to what trace_on_load() named */
void trace_collect_load(void *collector, u64 now, int cpu, int nr_running, unsigned long util);
/** trace_on_load() - call @load with what queues hold, with the ctx of trace_collector_new() */
void trace_on_load(struct trace_collector *c, void (*load)(void *ctx, const struct trace_load *l));
/**
 * trace_collector_end() - frees the collector
 * @t: the trace, if events were kept; NULL: drop it
 *
 * Return: 0 or -ENOMEM (also of any event before).
 */
int trace_collector_end(struct trace_collector *c, struct trace **t);

#endif
