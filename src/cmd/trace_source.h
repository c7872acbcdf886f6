/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_source.h - the trace a command looks at: a recorded one, or a run's.
 */
#ifndef IDLEST_CMD_TRACE_SOURCE_H
#define IDLEST_CMD_TRACE_SOURCE_H

#include <argp.h>

#include "trace/trace.h"

struct trace_source {
	const char *path; /* or these: */
	const char *machine, *workload, *kernel;
	u64 seed;
};

/* an argp child parses the options below for a struct trace_source in child_inputs[0] */
extern const struct argp trace_source_argp;

#define TRACE_SOURCE_ARGS "TRACE\n-m MACHINE -w WORKLOAD [-k KERNEL]"

/**
 * trace_source_get() - read the trace, or run and record; notes go to standard error
 * @command: for messages
 */
int trace_source_get(const char *command, const struct trace_source *s, struct trace **t,
		     struct err *err);

#endif
