// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest replay: the tasks of a recorded trace on a machine under several kernels.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "report/json.h"
#include "report/replay_tables.h"

#define MAX_KERNELS 64
#define MAX_SEEDS   1000

enum {
	OPT_SEED = 256, OPT_JSON, OPT_TASKS, OPT_CHECK, OPT_FROM_MACHINE, OPT_FROM_KERNEL,
	OPT_SPEED, OPT_NO_SYNC, OPT_NO_PINS, OPT_RAW,
};

struct options {
	struct replays_spec spec;
	const char *kernel[MAX_KERNELS];
	bool json, tasks;
};

static const struct argp_option option_table[] = {
	{ "machine", 'm', "MACHINE", 0, "to run on: preset[:option], machine file, hwloc XML file or synthetic string, or 'this'", 0 },
	{ "kernel", 'k', "KERNEL", 0, "kernel expression to run under (repeatable; the others are compared with the first)", 0 },
	{ "seeds", 'n', "N", 0, "runs of each kernel, with N seeds (default 1)", 0 },
	{ "seed", OPT_SEED, "S", 0, "the first seed (default 1)", 0 },
	{ "tasks", OPT_TASKS, NULL, 0, "each task by itself, too", 0 },
	{ "json", OPT_JSON, NULL, 0, "everything as JSON", 0 },
	{ "from-machine", OPT_FROM_MACHINE, "MACHINE", 0, "where it was recorded, if that isn't the machine of -m", 1 },
	{ "from-kernel", OPT_FROM_KERNEL, "KERNEL", 0, "under which it was recorded, if that isn't the first one", 1 },
	{ "speed", OPT_SPEED, "PERCENT", 0, "how fast the machine's CPUs are against those of the recording (default: as their frequencies)", 1 },
	{ "no-sync", OPT_NO_SYNC, NULL, 0, "no wake-up is a sync one", 1 },
	{ "no-pins", OPT_NO_PINS, NULL, 0, "don't conclude from waiting beside idle CPUs that a task is pinned", 1 },
	{ "raw", OPT_RAW, NULL, 0, "recorded CPU time is all work of the task: don't take the scheduler's part out", 1 },
	{ "jobs", 'j', "N", 0, "runs at once (default: one a CPU); changes no figure", 2 },
	{ "check", OPT_CHECK, NULL, 0, "check the scheduler's invariants at every event (slow)", 2 },
	{ 0 },
};

static void parse_end(struct argp_state *state, const struct options *o)
{
	if (!o->spec.trace_path)
		argp_error(state, "no trace: give a file, or '-' for standard input");
	if (!o->spec.machine_expr)
		argp_error(state, "no machine: give -m MACHINE (idlest machines lists the presets)");
	if (!o->spec.nr_kernels)
		argp_error(state, "no kernel: give -k KERNEL (idlest kernels lists the profiles)");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct replays_spec *s = &o->spec;

	switch (key) {
	case 'm':
		s->machine_expr = arg;
		break;
	case 'k':
		if (s->nr_kernels == MAX_KERNELS)
			argp_error(state, "more than %d kernels: replay in several calls", MAX_KERNELS);
		o->kernel[s->nr_kernels++] = arg;
		break;
	case 'n':
		s->nr_seeds = (int)cmd_number(state, "-n", arg, 1, MAX_SEEDS);
		break;
	case 'j':
		s->jobs = (int)cmd_number(state, "-j", arg, 1, 1024);
		break;
	case OPT_SEED:
		s->first_seed = cmd_number(state, "--seed", arg, 0, INT64_MAX);
		break;
	case OPT_TASKS:
		o->tasks = true;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_FROM_MACHINE:
		s->from_machine_expr = arg;
		break;
	case OPT_FROM_KERNEL:
		s->from_kernel_expr = arg;
		break;
	case OPT_SPEED:
		s->speed_permille = 10 * cmd_number(state, "--speed", arg, 1, 100000);
		break;
	case OPT_NO_SYNC:
		s->sync = REPLAY_SYNC_NEVER;
		break;
	case OPT_NO_PINS:
		s->no_pins = true;
		break;
	case OPT_RAW:
		s->raw = true;
		break;
	case OPT_CHECK:
		s->check = true;
		break;
	case ARGP_KEY_ARG:
		if (s->trace_path)
			argp_error(state, "'%s': one trace at a time", arg);
		s->trace_path = arg;
		break;
	case ARGP_KEY_END:
		parse_end(state, o);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int cmd_replay(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.args_doc = "TRACE -m MACHINE -k KERNEL...",
		.doc = "Make programs of the tasks in a recorded trace, run them under each kernel, and print "
		       "what they waited, ran and moved beside what was recorded.",
	};
	struct options o = { .spec = { .nr_seeds = 1, .first_seed = 1 } };
	struct trace *t = NULL;
	struct replays *r = NULL;
	struct err err = { 0 };
	char note[256];

	o.spec.kernel_expr = o.kernel;
	o.spec.progress = isatty(STDERR_FILENO);
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (trace_read(o.spec.trace_path, &t, &err))
		return cmd_fail("replay", &err);
	for (int i = 0; trace_note(t, i, note, sizeof(note)); i++)
		fprintf(stderr, "idlest replay: %s: %s\n", o.spec.trace_path, note);
	if (replays_run(&o.spec, t, &r, &err)) {
		trace_free(t);
		return cmd_fail("replay", &err);
	}
	replay_print_notes(r, "idlest replay: ", stderr);
	if (o.json)
		json_print(replay_json(r), stdout);
	else
		replay_print(r, o.tasks, stdout);
	replays_free(r);
	trace_free(t);
	return 0;
}
