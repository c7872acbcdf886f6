// SPDX-License-Identifier: BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/yaml_doc.h"
#include "base/yaml_schema.h"
#include "experiment/registry.h"

/* ---- schema ---- */

#define ENTRY(s, fields)                                                                           \
	{                                                                                          \
		CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, s, fields)                                 \
	}

static const cyaml_schema_field_t word_fields[] = {
	NEEDED(struct registry_word, label),
	TEXT(struct registry_word, is),
	TEXT(struct registry_word, missing),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t word_schema = ENTRY(struct registry_word, word_fields);

static const cyaml_schema_field_t unscored_fields[] = {
	TEXT(struct registry_unscored, from),
	TEXT(struct registry_unscored, to),
	NEEDED(struct registry_unscored, why),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t unscored_schema = ENTRY(struct registry_unscored, unscored_fields);

static const cyaml_schema_field_t benchmark_fields[] = {
	NEEDED(struct registry_benchmark, label),
	TEXT(struct registry_benchmark, note),
	TEXT(struct registry_benchmark, from),
	TEXT(struct registry_benchmark, to),
	TEXT(struct registry_benchmark, workload),
	TEXT(struct registry_benchmark, metric),
	TEXT(struct registry_benchmark, scale),
	TEXT(struct registry_benchmark, because),
	TEXT(struct registry_benchmark, missing),
	LIST(struct registry_benchmark, params, OPT, text_schema),
	LIST(struct registry_benchmark, unscored, OPT, unscored_schema),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t benchmark_schema =
	ENTRY(struct registry_benchmark, benchmark_fields);

static const cyaml_schema_field_t experiment_fields[] = {
	NEEDED(struct registry_experiment, name),
	NEEDED(struct registry_experiment, description),
	TEXT(struct registry_experiment, source),
	NEEDED(struct registry_experiment, machine),
	LIST(struct registry_experiment, kernels, 0, word_schema),
	LIST(struct registry_experiment, benchmarks, 0, benchmark_schema),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t experiment_schema =
	ENTRY(struct registry_experiment, experiment_fields);

static const cyaml_schema_field_t file_fields[] = {
	LIST(struct registry_file, machines, 0, word_schema),
	LIST(struct registry_file, experiments, 0, experiment_schema),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t file_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct registry_file, file_fields),
};

/* ---- reading ---- */

struct registry {
	struct yaml_doc *doc;
	const struct registry_file *f;
};

#define FAIL(doc, err, path, ...) yaml_fail(doc, err, -EINVAL, path, __VA_ARGS__)

/* each word has a meaning or a reason why not, and means one thing */
static int check_words(const struct yaml_doc *doc, const struct registry_word *w, u32 nr,
		       const char *list, struct err *err)
{
	char path[96];

	for (u32 i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), "%s[%u]", list, i);
		if (!w[i].is == !w[i].missing)
			return FAIL(doc, err, path, "'%.40s' needs either 'is' or 'missing'",
				    w[i].label);
		if (registry_find_word(w, i, w[i].label))
			return FAIL(doc, err, path, "'%.40s' is given twice", w[i].label);
	}
	return 0;
}

static bool number(const char *text, double *v)
{
	char *end;

	*v = strtod(text, &end);
	return end != text && !*end && isfinite(*v);
}

static int check_number(const struct yaml_doc *doc, const char *text, const char *path,
			const char *key, struct err *err)
{
	char at[192];
	double v;

	if (!text || (number(text, &v) && v > 0))
		return 0;
	snprintf(at, sizeof(at), "%s.%s", path, key);
	return FAIL(doc, err, at, "%s: expected a number above 0, not '%.40s'", key, text);
}

static int check_benchmark(const struct yaml_doc *doc, const struct registry_benchmark *b,
			   const char *path, struct err *err)
{
	char at[160];
	int ret = 0;

	if (!b->workload == !b->missing)
		return FAIL(doc, err, path, "'%.40s' needs either 'workload' or 'missing'",
			    b->label);
	if (!b->workload != !b->metric)
		return FAIL(doc, err, path, "'%.40s': a workload and a metric go together",
			    b->label);
	if ((ret = check_number(doc, b->scale, path, "scale", err)) ||
	    (ret = check_number(doc, b->from, path, "from", err)) ||
	    (ret = check_number(doc, b->to, path, "to", err)))
		return ret;
	for (u32 i = 0; i < b->nr_unscored && !ret; i++) {
		snprintf(at, sizeof(at), "%s.unscored[%u]", path, i);
		ret = check_number(doc, b->unscored[i].from, at, "from", err);
		if (!ret)
			ret = check_number(doc, b->unscored[i].to, at, "to", err);
	}
	return ret;
}

static int check_experiment(const struct yaml_doc *doc, const struct registry_file *f, u32 i,
			    struct err *err)
{
	const struct registry_experiment *e = &f->experiments[i];
	char path[96];
	int ret;

	for (u32 j = 0; j < i; j++)
		if (!strcmp(f->experiments[j].name, e->name)) {
			snprintf(path, sizeof(path), "experiments[%u].name", i);
			return FAIL(doc, err, path, "'%.40s' is given twice", e->name);
		}
	if (!registry_find_word(f->machines, f->nr_machines, e->machine)) {
		snprintf(path, sizeof(path), "experiments[%u].machine", i);
		return FAIL(doc, err, path, "'machines' has no '%.40s'", e->machine);
	}
	snprintf(path, sizeof(path), "experiments[%u].kernels", i);
	ret = check_words(doc, e->kernels, e->nr_kernels, path, err);
	for (u32 j = 0; j < e->nr_benchmarks && !ret; j++) {
		snprintf(path, sizeof(path), "experiments[%u].benchmarks[%u]", i, j);
		ret = check_benchmark(doc, &e->benchmarks[j], path, err);
	}
	return ret;
}

int registry_parse(const char *name, const char *yaml, size_t len, struct registry **out,
		   struct err *err)
{
	struct registry *r = calloc(1, sizeof(*r));
	int ret;

	*out = NULL;
	if (!r)
		return err_set(err, -ENOMEM, "%s: out of memory", name);
	ret = yaml_doc_load(name, yaml, len, &file_schema, &r->doc, err);
	if (ret) {
		free(r);
		return ret;
	}
	r->f = yaml_doc_root(r->doc);
	ret = check_words(r->doc, r->f->machines, r->f->nr_machines, "machines", err);
	for (u32 i = 0; i < r->f->nr_experiments && !ret; i++)
		ret = check_experiment(r->doc, r->f, i, err);
	if (ret) {
		registry_free(r);
		return ret;
	}
	*out = r;
	return 0;
}

int registry_load(struct registry **r, struct err *err)
{
	return registry_parse("published.yaml", registry_text, registry_text_len, r, err);
}

void registry_free(struct registry *r)
{
	if (!r)
		return;
	yaml_doc_free(r->doc);
	free(r);
}

const struct registry_file *registry_file(const struct registry *r)
{
	return r->f;
}

/* ---- asking ---- */

const struct registry_experiment *registry_find(const struct registry *r, const char *name)
{
	for (u32 i = 0; i < r->f->nr_experiments; i++)
		if (!strcmp(r->f->experiments[i].name, name))
			return &r->f->experiments[i];
	return NULL;
}

const struct registry_word *registry_find_word(const struct registry_word *list, u32 nr,
					       const char *label)
{
	for (u32 i = 0; i < nr; i++)
		if (!strcmp(list[i].label, label))
			return &list[i];
	return NULL;
}

/* the digits in @param: the first ones; Return: how many */
static int digits(const char *param, const char **first)
{
	*first = param + strcspn(param, "0123456789");
	return (int)strspn(*first, "0123456789");
}

/* a param without a number is in no range but the unlimited one */
static bool in_range(const char *from, const char *to, const char *param)
{
	const char *first;

	if (!from && !to)
		return true;
	if (!digits(param, &first))
		return false;
	return (!from || strtod(first, NULL) >= strtod(from, NULL)) &&
	       (!to || strtod(first, NULL) <= strtod(to, NULL));
}

const struct registry_benchmark *registry_find_benchmark(const struct registry_experiment *e,
							 const char *benchmark, const char *param,
							 const char *note)
{
	for (u32 i = 0; i < e->nr_benchmarks; i++) {
		const struct registry_benchmark *b = &e->benchmarks[i];

		if (!strcmp(b->label, benchmark) && in_range(b->from, b->to, param) &&
		    (!b->note || !strncmp(note, b->note, strlen(b->note))))
			return b;
	}
	return NULL;
}

const char *registry_unscored(const struct registry_benchmark *b, const char *param)
{
	for (u32 i = 0; i < b->nr_unscored; i++)
		if (in_range(b->unscored[i].from, b->unscored[i].to, param))
			return b->unscored[i].why;
	return NULL;
}

double registry_scale(const struct registry_benchmark *b)
{
	return b->scale ? strtod(b->scale, NULL) : 1;
}

int registry_expand(const char *text, const char *param, char *buf, size_t len)
{
	size_t used = 0;

	while (*text) {
		const char *with = text;
		int n = 1, skip = 1;

		if (!strncmp(text, "{param}", 7)) {
			with = param;
			n = (int)strlen(param);
			skip = 7;
		} else if (!strncmp(text, "{n}", 3)) {
			n = digits(param, &with);
			skip = 3;
			if (!n)
				return -EINVAL;
		}
		if (used + n >= len)
			return -ENOSPC;
		memcpy(buf + used, with, n);
		used += n;
		text += skip;
	}
	buf[used] = '\0';
	return 0;
}
