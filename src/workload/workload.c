// SPDX-License-Identifier: BSD-2-Clause
/*
 * Which models there are, and reading an expression into one of them.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "workload/cgroup_file.h"
#include "workload/models.h"
#include "workload/prefix.h"

/* One of several that run at once, or the only one. */
struct workload {
	char *expr;	 /* of the first one: all of it */
	struct prefixes prefixes;
	struct workload *next;
	struct cgroup_tree *cgroups; /* of the first one; NULL: none */
	const struct workload_model *model;
	struct workload_values values;
	void *parsed;
};

/* In the order of `idlest workloads`. */
static const struct workload_model *const models[] = {
	&hackbench_model, &stream_model, &periodic_model, &pingpong_model, &hog_model, &forks_model,
	&pipeline_model,  &mix_model,	 &share_model, &rt_model, &dl_model,	  &rtapp_model,
	&netperf_model,	  &tbench_model, &schbench_model, &unixbench_model,
	&yield_model,
};

int workload_nr_models(void)
{
	return ARRAY_SIZE(models);
}

const struct workload_model *workload_model_at(int i)
{
	return models[i];
}

static const struct workload_model *find_model(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (!strcmp(models[i]->name, name))
			return models[i];
	return NULL;
}

/* Does a workload begin here, after a prefix or a plus? A file in a folder needs its rtapp: */
static bool begins_workload(const char *expr)
{
	size_t n = strcspn(expr, ":,+/ ");
	char name[64];

	if (expr[n] == '/')
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)min(n, sizeof(name) - 1), expr);
	return find_model(name) || (n > 5 && !strncmp(expr + n - 5, ".json", 5));
}

/* "dir/file.json" or "dir/file.json,parameter=…" means rtapp:… */
static bool names_json_file(const char *expr)
{
	size_t n = strcspn(expr, ",");

	return n > 5 && !strncmp(expr + n - 5, ".json", 5);
}

static int unknown_model(const char *name, struct err *err)
{
	const char *names[ARRAY_SIZE(models)], *near;
	char all[512] = "";
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		names[i] = models[i]->name;
	near = nearest_name(name, names, ARRAY_SIZE(models));
	if (near)
		return err_set(err, -ENOENT, "there is no workload \"%s\"; did you mean \"%s\"?",
			       name, near);
	for (size_t i = 0; i < ARRAY_SIZE(models) && len < sizeof(all); i++)
		len += snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "", names[i]);
	return err_set(err, -ENOENT,
		       "there is no workload \"%s\"; there are %s, and files ending in .json", name,
		       all);
}

/* One workload with its prefixes. */
static int parse_one(struct workload *w, const char *text, struct err *err)
{
	const char *items, *expr = prefixes_read(text, begins_workload, &w->prefixes, err);
	char name[64];
	int rc;

	if (!expr)
		return err ? err->code : -EINVAL;
	items = grammar_split(expr, name, sizeof(name));
	w->model = find_model(name);
	if (!w->model && names_json_file(expr)) {
		w->model = &rtapp_model;
		items = expr;
	}
	if (!w->model)
		return unknown_model(name, err);
	rc = grammar_read(w->model->name, items, w->model->params, &w->values, err);
	if (!rc && w->model->check)
		rc = w->model->check(w, &w->parsed, err);
	return rc;
}

/* The plus before the next workload; NULL: this is the last one. */
static const char *next_plus(const char *text)
{
	while ((text = strchr(text, '+'))) {
		const char *next = text + 1 + strspn(text + 1, " ");

		if (begins_workload(next) || prefix_begins(next))
			return text;
		text++;
	}
	return NULL;
}

int workload_parse(const char *expr, struct workload **result, struct err *err)
{
	struct workload *first = NULL, **end = &first;
	const char *rest = expr;
	int rc = 0;

	while (!rc && rest) {
		const char *plus = next_plus(rest);
		size_t len = plus ? (size_t)(plus - rest) : strlen(rest);
		char *text;

		while (plus && len && rest[len - 1] == ' ')
			len--;
		text = strndup(rest, len);
		*end = calloc(1, sizeof(**end));
		if (*end)
			(*end)->expr = strdup(end == &first ? expr : text ? text : "");
		rc = *end && (*end)->expr && text ? parse_one(*end, text, err) :
						    err_set(err, -ENOMEM, "out of memory");
		free(text);
		if (*end)
			end = &(*end)->next;
		rest = plus ? plus + 1 + strspn(plus + 1, " ") : NULL;
	}
	if (rc) {
		workload_free(first);
		return rc;
	}
	*result = first;
	return 0;
}

void workload_free(struct workload *w)
{
	struct workload *next;

	for (; w; w = next) {
		next = w->next;
		if (w->parsed && w->model->free_parsed)
			w->model->free_parsed(w->parsed);
		grammar_free(&w->values);
		prefixes_free(&w->prefixes);
		cgroup_file_free(w->cgroups);
		free(w->expr);
		free(w);
	}
}

int workload_cgroups_load(struct workload *w, const char *path, struct err *err)
{
	return cgroup_file_load(path, &w->cgroups, err);
}

const struct cgroup_tree *workload_cgroups(const struct workload *w)
{
	return w->cgroups;
}

const struct workload *workload_next(const struct workload *w)
{
	return w->next;
}

const struct prefixes *workload_prefixes(const struct workload *w)
{
	return &w->prefixes;
}

const char *workload_expr(const struct workload *w)
{
	return w->expr;
}

const struct workload_model *workload_model(const struct workload *w)
{
	return w->model;
}

static int param_index(const struct workload *w, const char *param)
{
	int i = grammar_find(w->model->params, param);

	assert(i >= 0);
	return i;
}

s64 workload_int(const struct workload *w, const char *param)
{
	return w->values.num[param_index(w, param)];
}

bool workload_is_set(const struct workload *w, const char *param)
{
	return w->values.set[param_index(w, param)];
}

const char *workload_string(const struct workload *w, const char *param)
{
	return w->values.string[param_index(w, param)];
}

void *workload_parsed(const struct workload *w)
{
	return w->parsed;
}

const char *workload_warning(const struct workload *w, int i)
{
	const char *text;
	int n;

	for (; w; w = w->next) {
		for (n = 0; w->parsed && w->model->warning; n++) {
			text = w->model->warning(w->parsed, n);
			if (!text)
				break;
			if (n == i)
				return text;
		}
		i -= n;
	}
	return NULL;
}
