// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest compare: two or more kernels on the same machines under the same workloads.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/timeline_args.h"
#include "report/ablation.h"
#include "report/comparison.h"
#include "report/json.h"

#define MAX_ITEMS     64
#define MAX_SEEDS     1000
#define DEFAULT_SEEDS 5

enum { OPT_BASE = 256, OPT_VARIANT, OPT_SEED, OPT_FORMAT, OPT_JSON, OPT_CSV, OPT_CHECK, OPT_ABLATE, OPT_CGROUPS };

enum format { FORMAT_LIST, FORMAT_MMTESTS, FORMAT_JSON, FORMAT_CSV };

static const char *const format_names[] = { "list", "mmtests", "json", "csv" };

struct items {
	const char *at[MAX_ITEMS];
	int nr;
};

struct options {
	struct items machines, workloads, variants;
	const char *base, *cgroups;
	u64 seeds, first_seed, jobs;
	enum format format;
	bool check, ablate;
	struct timeline_spec timeline;
};

static const struct argp_option option_table[] = {
	{ "machine", 'm', "MACHINE", 0, "preset[:option], machine file, hwloc XML file or synthetic string, or 'this' (repeatable)", 0 },
	{ "workload", 'w', "WORKLOAD", 0, "model[:key=value,...] or an rt-app file (repeatable)", 0 },
	{ "cgroups", OPT_CGROUPS, "FILE", 0, "control groups that there are in all runs: a YAML file (docs/cgroups.md)", 0 },
	{ "base", OPT_BASE, "KERNEL", 0, "kernel expression everything is compared with", 0 },
	{ "variant", OPT_VARIANT, "KERNEL", 0, "kernel expression to compare (repeatable)", 0 },
	{ "seeds", 'n', "N", 0, "runs of each cell, with N seeds (default 5)", 0 },
	{ "seed", OPT_SEED, "S", 0, "the first seed (default 1)", 0 },
	{ "jobs", 'j', "N", 0, "runs at once (default: one a CPU); changes no figure", 0 },
	{ "format", OPT_FORMAT, "FORMAT", 0, "list (default), mmtests, json or csv", 0 },
	{ "json", OPT_JSON, NULL, 0, "short for --format json", 0 },
	{ "csv", OPT_CSV, NULL, 0, "short for --format csv", 0 },
	{ "ablate", OPT_ABLATE, NULL, 0, "turn the differences between --base and --variant one at a time, both ways round: which one carries how much", 0 },
	{ "check", OPT_CHECK, NULL, 0, "check the scheduler's invariants at every event (slow)", 0 },
	{ 0 },
};

static void add_item(struct argp_state *state, struct items *items, const char *arg)
{
	if (items->nr == MAX_ITEMS)
		argp_error(state, "more than %d of one kind: compare in several calls", MAX_ITEMS);
	items->at[items->nr++] = arg;
}

static enum format parse_format(struct argp_state *state, const char *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(format_names); i++)
		if (!strcmp(arg, format_names[i]))
			return i;
	argp_error(state, "no format '%s': list, mmtests, json or csv", arg);
	return FORMAT_LIST;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->timeline;
		break;
	case 'm':
		add_item(state, &o->machines, arg);
		break;
	case 'w':
		add_item(state, &o->workloads, arg);
		break;
	case OPT_CGROUPS:
		o->cgroups = arg;
		break;
	case OPT_BASE:
		o->base = arg;
		break;
	case OPT_VARIANT:
		add_item(state, &o->variants, arg);
		break;
	case 'n':
		o->seeds = cmd_number(state, "-n", arg, 1, MAX_SEEDS);
		break;
	case 'j':
		o->jobs = cmd_number(state, "-j", arg, 1, 1024);
		break;
	case OPT_SEED:
		o->first_seed = cmd_number(state, "--seed", arg, 0, INT64_MAX);
		break;
	case OPT_FORMAT:
		o->format = parse_format(state, arg);
		break;
	case OPT_JSON:
		o->format = FORMAT_JSON;
		break;
	case OPT_CSV:
		o->format = FORMAT_CSV;
		break;
	case OPT_ABLATE:
		o->ablate = true;
		break;
	case OPT_CHECK:
		o->check = true;
		break;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is not an option: machines come with -m, workloads with -w", arg);
		break;
	case ARGP_KEY_END:
		if (!o->machines.nr)
			argp_error(state, "no machine: give -m MACHINE (idlest machines lists the presets)");
		if (!o->workloads.nr)
			argp_error(state, "no workload: give -w WORKLOAD (idlest workloads lists the models)");
		if (!o->base || !o->variants.nr)
			argp_error(state, "a comparison takes --base KERNEL and --variant KERNEL (idlest kernels lists the profiles)");
		if (o->ablate && o->variants.nr != 1)
			argp_error(state, "--ablate takes apart what one --variant does, not %d", o->variants.nr);
		if (o->ablate && o->format != FORMAT_LIST && o->format != FORMAT_JSON)
			argp_error(state, "--ablate prints a list or JSON, not %s", format_names[o->format]);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void print(const struct comparison *t, enum format format)
{
	switch (format) {
	case FORMAT_LIST:
		comparison_print_list(t, stdout);
		break;
	case FORMAT_MMTESTS:
		comparison_print_mmtests(t, stdout);
		break;
	case FORMAT_JSON:
		json_print(comparison_json(t), stdout);
		break;
	case FORMAT_CSV:
		comparison_print_csv(t, stdout);
		break;
	}
}

static int ablate(const struct compare_spec *spec, enum format format, struct err *err)
{
	struct ablation *a;
	json_t *j;
	int ret = ablation_run(spec, &a, err);

	if (ret)
		return ret;
	for (int i = 0; i < spec->nr_workloads; i++)
		cmd_workload_warnings("compare", a->c->workload[i]);
	if (format == FORMAT_JSON) {
		j = ablation_json(a);
		ret = j ? 0 : -ENOMEM;
		if (j)
			json_print(j, stdout);
	} else {
		ret = ablation_print(a, stdout);
	}
	if (ret)
		err_set(err, ret, "out of memory");
	ablation_free(a);
	return ret;
}

int cmd_compare(int argc, char **argv)
{
	static const struct argp_child children[] = { { &timeline_args_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = option_table,
		.children = children,
		.parser = parse,
		.args_doc = "-m MACHINE... -w WORKLOAD... --base KERNEL --variant KERNEL...",
		.doc = "Run every workload on every machine under every kernel and print the table people post: "
		       "base, variant, gain in per cent (positive is better).",
	};
	const char *kernels[MAX_ITEMS + 1];
	struct options o = { .seeds = DEFAULT_SEEDS, .first_seed = 1 };
	struct compare_spec spec;
	struct comparison *t;
	struct err err = { 0 };
	struct compare *c;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	kernels[0] = o.base;
	memcpy(kernels + 1, o.variants.at, o.variants.nr * sizeof(*kernels));
	spec = (struct compare_spec){
		.nr_machines = o.machines.nr,
		.nr_workloads = o.workloads.nr,
		.nr_kernels = o.variants.nr + 1,
		.machine_expr = o.machines.at,
		.workload_expr = o.workloads.at,
		.cgroups = o.cgroups,
		.kernel_expr = kernels,
		.nr_seeds = (int)o.seeds,
		.first_seed = o.first_seed,
		.jobs = (int)o.jobs,
		.check = o.check,
		.timeline = o.timeline,
		.progress = isatty(STDERR_FILENO),
	};
	if (o.ablate)
		return ablate(&spec, o.format, &err) ? cmd_fail("compare", &err) : 0;
	if (compare_run(&spec, &c, &err))
		return cmd_fail("compare", &err);
	t = comparison_new(c);
	if (!t) {
		err_set(&err, -ENOMEM, "out of memory");
		compare_free(c);
		return cmd_fail("compare", &err);
	}
	for (int i = 0; i < spec.nr_workloads; i++)
		cmd_workload_warnings("compare", c->workload[i]);
	print(t, o.format);
	comparison_free(t);
	compare_free(c);
	return 0;
}
