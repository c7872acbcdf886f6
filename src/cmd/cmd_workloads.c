// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest workloads: the models there are; of one, its parameters and metrics.
 */
#include <argp.h>
#include <errno.h>
#include <string.h>

#include "base/nearest.h"
#include "cmd/cmd.h"
#include "report/json.h"
#include "workload/workload.h"

enum { OPT_JSON = 256 };

struct options {
	const char *name;
	bool json;
};

static const struct argp_option option_table[] = {
	{"json", OPT_JSON, NULL, 0, "as JSON", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_JSON:
		o->json = true;
		break;
	case ARGP_KEY_ARG:
		if (o->name)
			argp_error(state, "one workload at a time, not also '%s'", arg);
		o->name = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const char *const kind_names[] = {
	[PARAM_INT] = "integer", [PARAM_BYTES] = "bytes",   [PARAM_TIME_NS] = "time",
	[PARAM_FLAG] = "flag",	 [PARAM_STRING] = "string", [PARAM_CHOICE] = "choice",
	[PARAM_FILE] = "file",
};

static bool is_number(const struct workload_param *p)
{
	return p->kind == PARAM_INT || p->kind == PARAM_BYTES || p->kind == PARAM_TIME_NS;
}

/* A default outside the range means "not given". */
static bool has_default(const struct workload_param *p)
{
	return is_number(p) ? p->def >= p->min && p->def <= p->max : p->kind != PARAM_FILE;
}

/* The default as a user would write it. */
static const char *default_text(const struct workload_param *p, char *buf, size_t len)
{
	const char *word = p->choices;

	if (!has_default(p))
		return "";
	switch (p->kind) {
	case PARAM_INT:
	case PARAM_BYTES:
	case PARAM_TIME_NS:
		return grammar_format(p->kind, p->def, buf, len);
	case PARAM_FLAG:
		return p->def ? "yes" : "no";
	case PARAM_CHOICE:
		for (s64 i = 0; i < p->def; i++)
			word += strcspn(word, "|") + 1;
		snprintf(buf, len, "%.*s", (int)strcspn(word, "|"), word);
		return buf;
	default:
		return p->def_string ? p->def_string : "";
	}
}

static void range_text(const struct workload_param *p, char *buf, size_t len)
{
	char lo[32], hi[32];

	if (is_number(p))
		snprintf(buf, len, "%s … %s", grammar_format(p->kind, p->min, lo, sizeof(lo)),
			 grammar_format(p->kind, p->max, hi, sizeof(hi)));
	else if (p->kind == PARAM_CHOICE)
		snprintf(buf, len, "%s", p->choices);
	else if (p->kind == PARAM_FLAG && p->def_string)
		snprintf(buf, len, "%s|%s", p->name, p->def_string);
	else
		snprintf(buf, len, "%s", kind_names[p->kind]);
}

static void print_list(void)
{
	for (int i = 0; i < workload_nr_models(); i++) {
		const struct workload_model *m = workload_model_at(i);

		printf("  %-12s %s\n", m->name, m->doc);
	}
	printf("\nidlest workloads NAME lists the parameters of one: NAME:parameter=value,flag,…\n"
	       "A path that ends in .json is an rt-app file.\n");
}

/* "…" is one column of three bytes. */
static int columns(const char *range)
{
	return (int)strlen(range) - (strstr(range, "…") ? 2 : 0);
}

static void print_model(const struct workload_model *m)
{
	char def[64], range[96];
	int width = 28;

	for (const struct workload_param *p = m->params; p->name; p++) {
		range_text(p, range, sizeof(range));
		width = max(width, columns(range));
	}
	printf("%s: %s\n\nmetrics: %s\n\n", m->name, m->doc, m->metric_doc);
	printf("  %-10s %-9s range\n", "parameter", "default");
	for (const struct workload_param *p = m->params; p->name; p++) {
		range_text(p, range, sizeof(range));
		printf("  %-10s %-9s %s%*s %s\n", p->name, default_text(p, def, sizeof(def)), range,
		       width - columns(range), "", p->doc);
	}
}

static json_t *param_json(const struct workload_param *p)
{
	json_t *j = json_pack("{s:s, s:s, s:s}", "name", p->name, "kind", kind_names[p->kind],
			      "doc", p->doc);
	char buf[64];

	if (has_default(p)) {
		if (is_number(p))
			json_object_set_new(j, "default", json_integer(p->def));
		else if (p->kind == PARAM_FLAG)
			json_object_set_new(j, "default", json_boolean(p->def));
		else if (p->kind == PARAM_CHOICE || p->def_string)
			json_object_set_new(j, "default",
					    json_string(default_text(p, buf, sizeof(buf))));
	}
	if (is_number(p)) {
		json_object_set_new(j, "min", json_integer(p->min));
		json_object_set_new(j, "max", json_integer(p->max));
	}
	if (p->kind == PARAM_TIME_NS)
		json_object_set_new(j, "unit", json_string("ns"));
	if (p->kind == PARAM_FLAG && p->def_string)
		json_object_set_new(j, "opposite", json_string(p->def_string));
	if (p->kind == PARAM_CHOICE)
		json_object_set_new(j, "choices", json_string(p->choices));
	return j;
}

static json_t *model_json(const struct workload_model *m)
{
	json_t *params = json_array();

	for (const struct workload_param *p = m->params; p->name; p++)
		json_array_append_new(params, param_json(p));
	return json_pack("{s:s, s:s, s:s, s:o}", "name", m->name, "doc", m->doc, "metrics",
			 m->metric_doc, "parameters", params);
}

static const struct workload_model *find(const char *name, struct err *err)
{
	const char *names[64], *near;
	int n = min(workload_nr_models(), (int)ARRAY_SIZE(names));

	for (int i = 0; i < n; i++) {
		names[i] = workload_model_at(i)->name;
		if (!strcmp(names[i], name))
			return workload_model_at(i);
	}
	near = nearest_name(name, names, n);
	if (near)
		err_set(err, -ENOENT, "there is no workload \"%s\"; did you mean \"%s\"?", name,
			near);
	else
		err_set(err, -ENOENT, "there is no workload \"%s\"; idlest workloads lists them",
			name);
	return NULL;
}

int cmd_workloads(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.args_doc = "[NAME]",
		.doc = "List the workloads, or the parameters and metrics of one.",
	};
	const struct workload_model *m = NULL;
	struct options o = {0};
	struct err err = {0};
	json_t *all;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.name) {
		m = find(o.name, &err);
		if (!m)
			return cmd_fail("workloads", &err);
	}
	if (!o.json) {
		m ? print_model(m) : print_list();
		return 0;
	}
	if (m)
		return json_print(model_json(m), stdout) ? 2 : 0;
	all = json_array();
	for (int i = 0; i < workload_nr_models(); i++)
		json_array_append_new(all, model_json(workload_model_at(i)));
	return json_print(json_pack("{s:o}", "workloads", all), stdout) ? 2 : 0;
}
