// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/run_args.h"
#include "workload/workload.h"

enum { OPT_SEED = 1024, OPT_CGROUPS }; /* apart from the commands' own */

static const struct argp_option option_table[] = {
	{ "machine", 'm', "MACHINE", 0, "preset[:option], machine file, hwloc XML file or synthetic string, or 'this'", 0 },
	{ "workload", 'w', "WORKLOAD", 0, "model[:key=value,...] or an rt-app file", 0 },
	{ "cgroups", OPT_CGROUPS, "FILE", 0, "control groups that there are: a YAML file (docs/cgroups.md)", 0 },
	{ "seed", OPT_SEED, "S", 0, "seed of everything that varies (default 1)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_args *a = state->input;

	switch (key) {
	case 'm':
		a->machine = arg;
		break;
	case 'w':
		a->workload = arg;
		break;
	case OPT_CGROUPS:
		a->cgroups = arg;
		break;
	case OPT_SEED:
		a->seed = cmd_number(state, "--seed", arg, 0, INT64_MAX);
		break;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is not an option: the machine comes with -m, the workload with -w", arg);
		break;
	case ARGP_KEY_END:
		if (!a->machine)
			argp_error(state, "no machine: give -m MACHINE (idlest machines lists the presets)");
		if (!a->workload)
			argp_error(state, "no workload: give -w WORKLOAD (idlest workloads lists the models)");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp run_args_argp = { option_table, parse, NULL, NULL, NULL, NULL, NULL };

int run_args_workload(const struct run_args *a, struct workload **w, struct err *err)
{
	int ret = workload_parse(a->workload, w, err);

	if (!ret && a->cgroups)
		ret = workload_cgroups_load(*w, a->cgroups, err);
	return ret;
}
