// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest - a laboratory for CPU schedulers: idlest COMMAND [OPTION...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cmd/cmd.h"

static const struct command commands[] = {
	{"topo", "MACHINE [-k KERNEL]...", "the machine and its scheduling domains", cmd_topo},
	{"run", "-m MACHINE -w WORKLOAD", "run one workload once", cmd_run},
	{"compare", "-m MACHINE... -w WORKLOAD... --base KERNEL --variant KERNEL...",
	 "the same workloads under several kernels, side by side", cmd_compare},
	{"explain", "-m MACHINE -w WORKLOAD [--task T [--at TIME] | --wakeup N]",
	 "why each wake-up went where it went", cmd_explain},
	{"diff", "-m MACHINE -w WORKLOAD -k KERNEL -k KERNEL",
	 "the first decision in which two kernels differ, and what follows", cmd_diff},
	{"scenario", "FILE...", "scenarios: does what must come out come out?", cmd_scenario},
	{"replay", "TRACE -m MACHINE -k KERNEL...",
	 "a recorded trace on a machine under several kernels", cmd_replay},
	{"reproduce", "EXPERIMENT | FILE.csv",
	 "published tables, simulated and scored", cmd_reproduce},
	{"latency", "TRACE", "how long tasks waited for a CPU", cmd_latency},
	{"timehist", "TRACE", "every stay of a task on a CPU, with the wait before it", cmd_timehist},
	{"convert", "TRACE -o FILE", "a trace as ftrace text or for the Perfetto viewer", cmd_convert},
	{"agree", "TRACE -m MACHINE -k KERNEL",
	 "would the core have decided as the kernel of a trace did?", cmd_agree},
	{"kernels", "", "the kernels and patch series that can be named", cmd_kernels},
	{"features", "", "scheduler features and which kernel has them", cmd_features},
	{"tunables", "", "scheduler tunables and their defaults", cmd_tunables},
	{"machines", "", "the machines shipped with idlest", cmd_machines},
	{"workloads", "[NAME]", "the workload models and their parameters", cmd_workloads},
};

const char *argp_program_version = "idlest " IDLEST_VERSION;

static void usage(FILE *f)
{
	fputs("usage: idlest COMMAND [OPTION...]\n\n", f);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].doc);
	fputs("\n'idlest help COMMAND' tells what a command takes; --version the version.\n", f);
}

static const struct command *find_command(const char *name)
{
	const char *names[ARRAY_SIZE(commands)], *near;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
		names[i] = commands[i].name;
	}
	near = nearest_name(name, names, ARRAY_SIZE(commands));
	if (near)
		fprintf(stderr, "idlest: no command '%s'; did you mean %s?\n", name, near);
	else
		fprintf(stderr, "idlest: no command '%s' ('idlest help' lists them)\n", name);
	return NULL;
}

/* as "idlest NAME", so that messages and usage say it */
static int run(const struct command *c, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "idlest %s", c->name);
	argv[0] = name;
	argp_err_exit_status = 2;
	return c->run(argc, argv);
}

static int help(int argc, char **argv)
{
	static char option[] = "--help", empty[] = "";
	char *args[] = {empty, option, NULL};
	const struct command *c;

	if (argc < 2) {
		usage(stdout);
		return 0;
	}
	c = find_command(argv[1]);
	return c ? run(c, 2, args) : 2;
}

static int dispatch(int argc, char **argv)
{
	const struct command *c;

	if (!strcmp(argv[1], "--version")) {
		puts(argp_program_version);
		return 0;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help(argc - 1, argv + 1);
	c = find_command(argv[1]);
	return c ? run(c, argc - 1, argv + 1) : 2;
}

/* however the program ends: argp exits by itself after --help */
static void close_stdout(void)
{
	if (fflush(stdout) || ferror(stdout)) {
		fputs("idlest: can't write to standard output\n", stderr);
		_exit(2);
	}
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	atexit(close_stdout);
	return dispatch(argc, argv);
}
