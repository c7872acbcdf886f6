// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest scenario: files that say what must come out.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "experiment/scenario_figures.h"
#include "report/json.h"
#include "report/scenario_verdicts.h"

enum { OPT_JSON = 256, OPT_CHECK, OPT_FIGURES };

struct options {
	char **file;
	int nr_files;
	u64 jobs;
	bool json, check, figures;
};

static const struct argp_option option_table[] = {
	{ "jobs", 'j', "N", 0, "runs at once (default: one a CPU)", 0 },
	{ "json", OPT_JSON, NULL, 0, "every figure of every seed, as a list of scenarios", 0 },
	{ "check", OPT_CHECK, NULL, 0, "check the scheduler's invariants at every event (slow)",
	  0 },
	{ "figures", OPT_FIGURES, NULL, 0, "list what an expectation can be about", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'j':
		o->jobs = cmd_number(state, "-j", arg, 1, 1024);
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_CHECK:
		o->check = true;
		break;
	case OPT_FIGURES:
		o->figures = true;
		break;
	case ARGP_KEY_ARGS:
		o->file = state->argv + state->next;
		o->nr_files = state->argc - state->next;
		break;
	case ARGP_KEY_END:
		if (!o->nr_files && !o->figures)
			argp_error(state, "no scenario: give one or more files");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void print_figures(void)
{
	for (int i = 0; i < scenario_nr_figures(); i++) {
		const struct scenario_figure *f = scenario_figure(i);

		printf("  %-16s %s%s%s%s%s\n", f->name, f->doc, f->of ? "; of" : "",
		       f->cpus ? (f->of ? ", cpus" : "; cpus") : "", f->after ? ", after" : "",
		       f->list ? "; is, within" : "");
	}
}

/* every file is read before the first one runs: a bad one costs no time */
static int load_all(const struct options *o, struct scenario **s, struct err *err)
{
	int ret = 0;

	for (int i = 0; i < o->nr_files && !ret; i++)
		ret = scenario_load(o->file[i], &s[i], err);
	return ret;
}

static int run_all(const struct options *o, struct scenario *const *s, int *failed, struct err *err)
{
	json_t *all = o->json ? json_array() : NULL;
	struct scenario_outcome *out;
	int ret = 0;

	for (int i = 0; i < o->nr_files && !ret; i++) {
		ret = scenario_run(s[i], (int)o->jobs, o->check, &out, err);
		if (ret)
			break;
		*failed += out->nr_failed;
		if (all)
			json_array_append_new(all, scenario_json(out));
		else
			scenario_print(out, stdout);
		scenario_outcome_free(out);
	}
	if (all && !ret)
		json_print(all, stdout);
	else
		json_decref(all);
	return ret;
}

int cmd_scenario(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.args_doc = "FILE...",
		.doc = "Run scenarios (a machine, kernels, tasks) and tell which of their "
		       "expectations hold. "
		       "The exit status is 1 if one doesn't.",
	};
	struct options o = { 0 };
	struct scenario **s;
	struct err err = { 0 };
	int ret, failed = 0;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.figures) {
		print_figures();
		return 0;
	}
	s = calloc(o.nr_files, sizeof(struct scenario *));
	ret = s ? load_all(&o, s, &err) : err_set(&err, -ENOMEM, "out of memory");
	if (!ret)
		ret = run_all(&o, s, &failed, &err);
	for (int i = 0; s && i < o.nr_files; i++)
		scenario_free(s[i]);
	free(s);
	if (ret)
		return cmd_fail("scenario", &err);
	return failed > 0;
}
