/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * latency.h - how long tasks waited for a CPU, task by task (spec 11 §7).
 */
#ifndef IDLEST_TRACE_LATENCY_H
#define IDLEST_TRACE_LATENCY_H

#include "trace/trace.h"

struct latency_row {
	trace_str comm;
	int nr_tasks;		/* threads of the same name, together */
	s32 pid;		/* of the first one */
	u64 runtime_ns;		/* of stays that begin and end within the trace */
	u64 switches;		/* times it waited, runnable, before it ran */
	u64 delay_ns;		/* all of that together */
	u64 max_delay_ns, max_start_ns, max_end_ns;
};

struct latency {
	struct latency_row *row;
	size_t nr;
	u64 runtime_ns, switches; /* all rows */
};

/**
 * trace_latency() - one row a task that waited at least once, longest mean delay first
 * @by_pid: each thread its own row, else threads of the same name share one
 *
 * Return: 0 or -ENOMEM.
 */
int trace_latency(const struct trace *t, bool by_pid, struct latency *l);
void latency_free(struct latency *l);

#endif
