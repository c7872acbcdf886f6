/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd.h - what the subcommands share. One file a subcommand: parse arguments,
 * call, print; nothing below writes to standard output.
 *
 * Exit status: 0 done, 1 the answer is no, 2 usage or bad input.
 */
#ifndef IDLEST_CMD_CMD_H
#define IDLEST_CMD_CMD_H

#include <argp.h>

#include "base/err.h"
#include "base/types.h"

#define CMD_DEFAULT_KERNEL "v6.12"

struct command {
	const char *name;
	const char *args; /* what comes after the name, for the list */
	const char *doc;  /* one line */
	/* argv[0] is "idlest NAME" */
	int (*run)(int argc, char **argv);
};

/** cmd_fail() - print "idlest NAME: message" to standard error; Return: exit status 2 */
int cmd_fail(const char *name, const struct err *err);

/** cmd_number() - a whole number in [@lo, @hi], or usage error and exit status 2 */
u64 cmd_number(struct argp_state *state, const char *option, const char *arg, u64 lo, u64 hi);

struct workload;
/** cmd_workload_warnings() - say on standard error what the reader of @w noticed */
void cmd_workload_warnings(const char *name, const struct workload *w);

int cmd_topo(int argc, char **argv);
int cmd_kernels(int argc, char **argv);
int cmd_features(int argc, char **argv);
int cmd_tunables(int argc, char **argv);
int cmd_machines(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_scenario(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_agree(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_latency(int argc, char **argv);
int cmd_timehist(int argc, char **argv);
int cmd_workloads(int argc, char **argv);

#endif
