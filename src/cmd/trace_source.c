// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/trace_source.h"
#include "experiment/kernel_dump.h"
#include "trace/collect.h"
#include "workload/workload.h"

enum { OPT_SEED = 1024 };

static const struct argp_option option_table[] = {
	{ "machine", 'm', "MACHINE", 0, "instead of a recorded trace, run on this machine", 0 },
	{ "workload", 'w', "WORKLOAD", 0, "... this workload", 0 },
	{ "kernel", 'k', "KERNEL", 0, "... under this kernel (default " CMD_DEFAULT_KERNEL ")", 0 },
	{ "seed", OPT_SEED, "S", 0, "... with this seed (default 1)", 0 },
	{ 0 },
};

static void check(struct argp_state *state, const struct trace_source *s)
{
	bool run = s->machine || s->workload;

	if (s->path && run)
		argp_error(state, "either a trace or a run (-m, -w), not both");
	if (!s->path && !run)
		argp_error(
			state,
			"no trace: give a file, '-' for standard input, or -m MACHINE -w WORKLOAD");
	if (run && !s->machine)
		argp_error(state,
			   "no machine: give -m MACHINE (idlest machines lists the presets)");
	if (run && !s->workload)
		argp_error(state,
			   "no workload: give -w WORKLOAD (idlest workloads lists the models)");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct trace_source *s = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		s->kernel = CMD_DEFAULT_KERNEL;
		s->seed = 1;
		break;
	case 'm':
		s->machine = arg;
		break;
	case 'w':
		s->workload = arg;
		break;
	case 'k':
		s->kernel = arg;
		break;
	case OPT_SEED:
		s->seed = cmd_number(state, "--seed", arg, 0, INT64_MAX);
		break;
	case ARGP_KEY_ARG:
		if (s->path)
			argp_error(state, "'%s': one trace at a time", arg);
		s->path = arg;
		break;
	case ARGP_KEY_END:
		check(state, s);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp trace_source_argp = { .options = option_table, .parser = parse };

static int run(const struct trace_source *s, const struct workload *w, const struct machine *m,
	       const struct sched_kernel *k, struct trace **t, struct err *err)
{
	struct trace_collector *c = trace_collector_new(m->topo.nr_cpus, NULL, NULL);
	struct sim_params params = { .seed = s->seed, .trace = trace_collect, .trace_ctx = c };
	struct result result;
	int ret;

	if (!c)
		return err_set(err, -ENOMEM, "out of memory");
	ret = workload_run(w, m, k, &params, &result, err);
	if (ret) {
		trace_collector_end(c, NULL);
		return ret;
	}
	ret = trace_collector_end(c, t);
	return ret ? err_set(err, ret, "out of memory") : 0;
}

static int simulate(const char *command, const struct trace_source *s, struct trace **t,
		    struct err *err)
{
	struct workload *w = NULL;
	struct machine *m = NULL;
	struct sched_kernel k;
	int ret = machine_load(s->machine, &m, err);

	if (!ret)
		ret = kernel_load(s->kernel, &k, err);
	if (!ret)
		ret = workload_parse(s->workload, &w, err);
	if (!ret) {
		cmd_workload_warnings(command, w);
		ret = run(s, w, m, &k, t, err);
	}
	workload_free(w);
	machine_free(m);
	return ret;
}

int trace_source_get(const char *command, const struct trace_source *s, struct trace **t,
		     struct err *err)
{
	char note[256];
	int ret;

	if (!s->path)
		return simulate(command, s, t, err);
	ret = trace_read(s->path, t, err);
	if (ret)
		return ret;
	for (int i = 0; trace_note(*t, i, note, sizeof(note)); i++)
		fprintf(stderr, "idlest %s: %s: %s\n", command, s->path, note);
	return 0;
}
