// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest reproduce: published tables, simulated and scored.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cmd/cmd.h"
#include "report/json.h"
#include "report/reproduction.h"

#define DEFAULT_SEEDS 3
#define MAX_SEEDS     1000

enum { OPT_JSON = 256, OPT_SEED, OPT_PUBLISHED };

struct options {
	const char *what, *published;
	u64 seeds, first_seed, jobs;
	bool json;
};

static const struct argp_option option_table[] = {
	{ "published", OPT_PUBLISHED, "FILE.csv", 0,
	  "where the published rows of EXPERIMENT are (else $IDLEST_PUBLISHED; else it is simulated only)", 0 },
	{ "seeds", 'n', "N", 0, "runs of each cell, with N seeds (default 3)", 0 },
	{ "seed", OPT_SEED, "S", 0, "the first seed (default 1)", 0 },
	{ "jobs", 'j', "N", 0, "rows at once (default: one a CPU); changes no figure", 0 },
	{ "json", OPT_JSON, NULL, 0, "rows and score as JSON", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_PUBLISHED:
		o->published = arg;
		break;
	case 'n':
		o->seeds = cmd_number(state, "-n", arg, 1, MAX_SEEDS);
		break;
	case OPT_SEED:
		o->first_seed = cmd_number(state, "--seed", arg, 0, INT64_MAX);
		break;
	case 'j':
		o->jobs = cmd_number(state, "-j", arg, 1, 1024);
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case ARGP_KEY_ARG:
		if (o->what)
			argp_error(state, "'%s': one EXPERIMENT or FILE.csv at a time", arg);
		o->what = arg;
		break;
	case ARGP_KEY_END:
		if (!o->what)
			argp_error(state, "nothing to reproduce: give an experiment or a CSV file of published rows");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static bool is_file(const char *what)
{
	size_t n = strlen(what);

	return strchr(what, '/') || (n > 4 && !strcmp(what + n - 4, ".csv"));
}

static int unknown_experiment(const struct registry *r, const char *what, struct err *err)
{
	const struct registry_file *f = registry_file(r);
	const char *names[64], *near;
	char list[512] = "";
	size_t len = 0;
	int n = 0;

	for (u32 i = 0; i < f->nr_experiments && n < (int)ARRAY_SIZE(names); i++) {
		names[n++] = f->experiments[i].name;
		if (len < sizeof(list))
			len += snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					f->experiments[i].name);
	}
	near = nearest_name(what, names, n);
	return err_set(err, -ENOENT,
		       "no experiment is called '%.60s'%s%s%s, there are %s (a file's name ends in .csv)",
		       what, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "",
		       list);
}

/* which file (NULL: the registry's own rows), and which of its rows */
static int choose(const struct options *o, const struct registry *r, const char **path,
		  const char **experiment, struct err *err)
{
	if (is_file(o->what)) {
		*path = o->what;
		*experiment = NULL;
		return 0;
	}
	if (!registry_find(r, o->what))
		return unknown_experiment(r, o->what, err);
	*experiment = o->what;
	*path = o->published ?: getenv("IDLEST_PUBLISHED");
	return 0;
}

static int print(const struct reproduction *x, bool json, struct err *err)
{
	json_t *j;
	int ret;

	if (!json) {
		ret = reproduction_print(x, stdout);
	} else {
		j = reproduction_json(x);
		ret = j ? 0 : -ENOMEM;
		if (j)
			json_print(j, stdout);
	}
	return ret ? err_set(err, ret, "out of memory") : 0;
}

static int reproduce(const struct options *o, const struct registry *r, struct arena *a,
		     struct err *err)
{
	struct reproduce_spec spec = {
		.nr_seeds = (int)o->seeds,
		.first_seed = o->first_seed,
		.jobs = (int)o->jobs,
		.progress = true,
	};
	struct reproduction *x = NULL;
	struct published p;
	const char *path = NULL;
	int ret;

	ret = choose(o, r, &path, &spec.experiment, err);
	if (!ret)
		ret = path && *path ? published_load(a, path, &p, err)
				    : reproduce_rows(registry_find(r, spec.experiment), a, &p, err);
	if (!ret)
		ret = reproduce_plan(r, &p, &spec, &x, err);
	if (!ret && !x->nr_rows)
		ret = err_set(err, -ENOENT, "%s has no row of the experiment %s", path,
			      spec.experiment);
	if (!ret)
		ret = reproduce_run(x, &spec, err);
	if (!ret)
		ret = print(x, o->json, err);
	reproduction_free(x);
	return ret;
}

int cmd_reproduce(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.args_doc = "EXPERIMENT | FILE.csv",
		.doc = "Simulate the rows of published tables, and print published and simulated "
		       "figures side by side, with a score (docs/reproduce.md).",
	};
	struct options o = { .seeds = DEFAULT_SEEDS, .first_seed = 1 };
	struct arena *a = arena_new();
	struct registry *r = NULL;
	struct err err = { 0 };
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	ret = a ? registry_load(&r, &err) : err_set(&err, -ENOMEM, "out of memory");
	if (!ret)
		ret = reproduce(&o, r, a, &err);
	registry_free(r);
	if (a)
		arena_free(a);
	return ret ? cmd_fail("reproduce", &err) : 0;
}
