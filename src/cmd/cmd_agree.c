// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest agree: at each decision of a recorded kernel, what would the core have chosen?
 */
#include <errno.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "experiment/kernel_dump.h"
#include "report/agree_tables.h"
#include "report/json.h"

enum { OPT_JSON = 256, OPT_WHY, OPT_HZ, OPT_SCHEDSTAT, OPT_CHECK };

#define MAX_WHY 100000

struct options {
	const char *path, *machine, *kernel, *schedstat;
	struct agree_options agree;
	bool json;
};

static const struct argp_option option_table[] = {
	{ "machine", 'm', "MACHINE", 0, "the machine that it was recorded on", 0 },
	{ "kernel", 'k', "KERNEL", 0, "the kernel that is asked: to judge it, the recorded one", 0 },
	{ "why", OPT_WHY, "N", 0, "tell the N worst disagreements, with what the core looked at", 0 },
	{ "hz", OPT_HZ, "HZ", 0, "ticks per second (default: the machine's)", 0 },
	{ "schedstat", OPT_SCHEDSTAT, "FILE", 0,
	  "compare balancing passes, too: /proc/schedstat before and after the trace", 0 },
	{ "json", OPT_JSON, NULL, 0, "as JSON", 0 },
	{ "check", OPT_CHECK, NULL, 0, "check the scheduler's invariants at every event (slow)", 0 },
	{ 0 },
};

static void check(struct argp_state *state, const struct options *o)
{
	if (!o->path)
		argp_error(state, "no trace: give a file, or '-' for standard input");
	if (!o->machine)
		argp_error(state,
			   "no machine: give -m MACHINE, the one of the trace (idlest machines lists "
			   "the presets)");
	if (!o->kernel)
		argp_error(state, "no kernel: give -k KERNEL (idlest kernels lists them)");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'm':
		o->machine = arg;
		break;
	case 'k':
		o->kernel = arg;
		break;
	case OPT_SCHEDSTAT:
		o->schedstat = arg;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_CHECK:
		o->agree.check = true;
		break;
	case OPT_WHY:
		o->agree.why = (int)cmd_number(state, "--why", arg, 0, MAX_WHY);
		break;
	case OPT_HZ:
		o->agree.hz = (int)cmd_number(state, "--hz", arg, 10, 10000);
		break;
	case ARGP_KEY_ARG:
		if (o->path)
			argp_error(state, "'%s': one trace at a time", arg);
		o->path = arg;
		break;
	case ARGP_KEY_END:
		check(state, o);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int agree(const struct options *o, struct agree *a, struct err *err)
{
	struct machine *m = NULL;
	struct trace *t = NULL;
	struct sched_kernel k;
	char note[256];
	int ret = machine_load(o->machine, &m, err);

	if (!ret)
		ret = kernel_load(o->kernel, &k, err);
	if (!ret)
		ret = trace_read(o->path, &t, err);
	for (int i = 0; !ret && trace_note(t, i, note, sizeof(note)); i++)
		fprintf(stderr, "idlest agree: %s: %s\n", o->path, note);
	if (!ret)
		ret = agree_run(t, m, &k, &o->agree, a, err);
	trace_free(t);
	machine_free(m);
	return ret;
}

int cmd_agree(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.args_doc = "TRACE -m MACHINE -k KERNEL",
		.doc = "Lead the core through a recorded trace, ask it at each wake-up, fork, pick and "
		       "pull what it would do, and count how often the kernel did that.",
	};
	struct options o = { 0 };
	struct err err = { 0 };
	struct agree_passes kernel;
	struct agree a;
	json_t *j;
	int ret = 0;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.schedstat && agree_passes_recorded(o.schedstat, &kernel, &err))
		return cmd_fail("agree", &err);
	if (agree(&o, &a, &err))
		return cmd_fail("agree", &err);
	if (!o.json) {
		agree_print(&a, stdout);
		if (o.schedstat)
			agree_print_passes(&a.passes, &kernel, stdout);
	} else {
		j = agree_json(&a);
		if (j && o.schedstat)
			json_object_set_new(j, "passes",
					    json_pack("{s:o, s:o}", "kernel",
						      agree_passes_json(&kernel), "core",
						      agree_passes_json(&a.passes)));
		ret = j ? json_print(j, stdout) : err_set(&err, -ENOMEM, "out of memory");
	}
	agree_free(&a);
	return ret ? cmd_fail("agree", &err) : 0;
}
