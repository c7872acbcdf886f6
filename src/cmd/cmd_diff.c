// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest diff: the same workload and seed under two kernels, decision by decision.
 */
#include <argp.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/run_args.h"
#include "experiment/kernel_dump.h"
#include "explain/diff.h"
#include "report/json.h"

enum { OPT_JSON = 256 };

struct options {
	struct run_args run;
	const char *kernel[2];
	int nr_kernels;
	bool json;
};

static const struct argp_option option_table[] = {
	{ "kernel", 'k', "KERNEL", 0, "kernel expression; given twice", 0 },
	{ "json", OPT_JSON, NULL, 0, "the same as JSON", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'k':
		if (o->nr_kernels == 2)
			argp_error(state, "a third kernel '%s': diff takes two", arg);
		o->kernel[o->nr_kernels++] = arg;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->run;
		break;
	case ARGP_KEY_END:
		if (o->nr_kernels != 2)
			argp_error(state, "diff takes two kernels: -k KERNEL -k KERNEL (idlest kernels lists the profiles)");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void print(const struct options *o, const struct diff *d, const struct machine *m)
{
	json_t *j;

	if (!o->json) {
		printf("%s on %s, seed %llu\n", o->run.workload, o->run.machine,
		       (unsigned long long)o->run.seed);
		diff_print(d, &m->topo, o->kernel, stdout);
		return;
	}
	j = diff_json(d, &m->topo, o->kernel);
	json_object_set_new(j, "machine", json_text(o->run.machine));
	json_object_set_new(j, "workload", json_text(o->run.workload));
	json_object_set_new(j, "seed", json_integer((json_int_t)o->run.seed));
	json_print(j, stdout);
}

int cmd_diff(int argc, char **argv)
{
	static const struct argp_child children[] = { { &run_args_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.args_doc = "-m MACHINE -w WORKLOAD -k KERNEL -k KERNEL",
		.doc = "Run one workload with one seed under two kernels and show the first decision in which they "
		       "differ, both explanations side by side, and what followed from it.",
		.children = children,
	};
	struct options o = { .run.seed = 1 };
	struct workload *w = NULL;
	struct machine *m = NULL;
	struct sched_kernel kernel[2];
	struct diff *d = NULL;
	struct err err = { 0 };
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	ret = machine_load(o.run.machine, &m, &err);
	for (int i = 0; i < 2 && !ret; i++)
		ret = kernel_load(o.kernel[i], &kernel[i], &err);
	if (!ret)
		ret = run_args_workload(&o.run, &w, &err);
	if (!ret) {
		cmd_workload_warnings("diff", w);
		ret = diff_run(w, m, kernel, o.run.seed, &d, &err);
	}
	if (!ret)
		print(&o, d, m);
	diff_free(d);
	workload_free(w);
	machine_free(m);
	return ret ? cmd_fail("diff", &err) : 0;
}
