// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/timeline_args.h"

enum { OPT_ISOLCPUS = 1100, OPT_EVENT }; /* apart from the commands' own and run_args.c's */

static const struct argp_option option_table[] = {
	{ "isolcpus", OPT_ISOLCPUS, "CPUS", 0, "CPUs without scheduling domains, where only tasks run that were bound to them, such as 8-15", 0 },
	{ "event", OPT_EVENT, "TIME:EVENT", 0, "do something to the machine during the run (repeatable): cpu_down:CPUS, cpu_up:CPUS, or affinity:NAME:CPUS for tasks whose name begins with NAME (docs/hotplug.md)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct timeline_spec *t = state->input;

	switch (key) {
	case OPT_ISOLCPUS:
		t->isolcpus = arg;
		break;
	case OPT_EVENT:
		if (t->nr == TIMELINE_MAX)
			argp_error(state, "more than %d --event: leave some out", TIMELINE_MAX);
		t->at[t->nr++] = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp timeline_args_argp = { option_table, parse, NULL, NULL, NULL, NULL, NULL };
