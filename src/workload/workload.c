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
#include "workload/models.h"

struct workload {
	char *expr;
	const struct workload_model *model;
	struct workload_values values;
	void *parsed;
};

/* In the order of `idlest workloads`. */
static const struct workload_model *const models[] = {
	&hackbench_model, &stream_model, &periodic_model, &pingpong_model, &hog_model, &forks_model,
	&pipeline_model,  &mix_model,	 &share_model, &rt_model, &dl_model,	  &rtapp_model,
	&netperf_model,	  &tbench_model, &schbench_model,
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

int workload_parse(const char *expr, struct workload **result, struct err *err)
{
	const struct workload_model *model;
	const char *items;
	struct workload *w;
	char name[64];
	int rc;

	items = grammar_split(expr, name, sizeof(name));
	model = find_model(name);
	if (!model && names_json_file(expr)) {
		model = &rtapp_model;
		items = expr;
	}
	if (!model)
		return unknown_model(name, err);
	w = calloc(1, sizeof(*w));
	if (!w)
		return err_set(err, -ENOMEM, "out of memory");
	w->model = model;
	w->expr = strdup(expr);
	rc = w->expr ? grammar_read(model->name, items, model->params, &w->values, err) : -ENOMEM;
	if (!rc && model->check)
		rc = model->check(w, &w->parsed, err);
	if (rc) {
		workload_free(w);
		return rc;
	}
	*result = w;
	return 0;
}

void workload_free(struct workload *w)
{
	if (!w)
		return;
	if (w->parsed && w->model->free_parsed)
		w->model->free_parsed(w->parsed);
	grammar_free(&w->values);
	free(w->expr);
	free(w);
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
	return w->parsed && w->model->warning ? w->model->warning(w->parsed, i) : NULL;
}
