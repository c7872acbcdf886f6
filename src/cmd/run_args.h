/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run_args.h - what every command takes that simulates one workload on one machine.
 */
#ifndef IDLEST_CMD_RUN_ARGS_H
#define IDLEST_CMD_RUN_ARGS_H

#include "cmd/cmd.h"

struct workload;

struct run_args {
	const char *machine, *workload;
	const char *cgroups;	/* file of control groups; NULL: none */
	u64 seed;	/* set it to its default first */
};

/*
 * Options -m, -w, --cgroups and --seed as a child parser, which wants a struct run_args as its input. It refuses
 * words that aren't options, and misses the machine and the workload.
 */
extern const struct argp run_args_argp;

/* the workload with its control groups; Return: 0 or a negative errno with @err filled */
int run_args_workload(const struct run_args *a, struct workload **w, struct err *err);

#endif
