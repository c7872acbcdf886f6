// SPDX-License-Identifier: BSD-2-Clause
#include "report/scenario_verdicts.h"

#include <string.h>

#include "experiment/scenario_figures.h"
#include "report/escape.h"
#include "report/json.h"

#define MAX_TEXT 512

/* ---- values as text ---- */

static const char *number(const struct scenario_expect *e, double v, char *buf, size_t len)
{
	if (e->than >= 0)
		snprintf(buf, len, "%.2f times", v);
	else if (e->figure->unit == Q_PERMILLE)
		snprintf(buf, len, "%.1f %%", v / 10);
	else if (e->figure->unit == Q_TIME && v < NSEC_PER_MSEC)
		snprintf(buf, len, "%.1f us", v / NSEC_PER_USEC);
	else if (e->figure->unit == Q_TIME)
		snprintf(buf, len, "%.3f ms", v / NSEC_PER_MSEC);
	else
		snprintf(buf, len, "%.10g", v);
	return buf;
}

static void list(const int *cpus, int nr, char *buf, size_t len)
{
	size_t n = 0;

	buf[0] = '\0';
	for (int i = 0; i < nr && i < SCENARIO_MAX_LIST && n < len; i++)
		n += snprintf(buf + n, len - n, "%s%d", i ? " " : "", cpus[i]);
	if (nr > SCENARIO_MAX_LIST && n < len)
		snprintf(buf + n, len - n, " and %d more", nr - SCENARIO_MAX_LIST);
}

static void value(const struct scenario_expect *e, const struct scenario_value *v, char *buf,
		  size_t len)
{
	if (!v->known)
		snprintf(buf, len, "nothing to measure");
	else if (e->figure->list)
		list(v->list, v->nr, buf, len);
	else
		number(e, v->v, buf, len);
}

/* "at least 45.0 %", "8 9 10 11" */
static void wanted(const struct scenario_outcome *o, const struct scenario_expect *e, char *buf,
		   size_t len)
{
	char a[64], b[64];

	if (e->figure->list && e->nr_list) {
		list(e->list, e->nr_list, buf, len);
	} else if (e->figure->list) {
		size_t n = snprintf(buf, len, "all of ");

		mask_format(e->within, mask_words(o->scenario->machine->topo.nr_cpus), buf + n,
			    len - n);
	} else if (e->has_min && e->has_max && e->min == e->max) {
		snprintf(buf, len, "%s", number(e, e->min, a, sizeof(a)));
	} else if (e->has_min && e->has_max) {
		snprintf(buf, len, "%s to %s", number(e, e->min, a, sizeof(a)),
			 number(e, e->max, b, sizeof(b)));
	} else {
		snprintf(buf, len, "%s %s", e->has_min ? "at least" : "at most",
			 number(e, e->has_min ? e->min : e->max, a, sizeof(a)));
	}
}

/* "placement of child under before", "share of make on CPUs 0-7 under fixed against broken" */
static void what(const struct scenario_outcome *o, const struct scenario_verdict *d, char *buf,
		 size_t len)
{
	const struct scenario *s = o->scenario;
	const struct scenario_expect *e = d->expect;
	char cpus[128] = "";

	if (e->cpus)
		mask_format(e->cpus, mask_words(s->machine->topo.nr_cpus), cpus, sizeof(cpus));
	snprintf(buf, len, "%s%s%s%s%s%s%s under %s%s%s", e->figure->name, e->arg ? " " : "",
		 e->arg ? e->arg : "", e->of ? " of " : "", e->of ? e->of : "",
		 e->cpus ? " on CPUs " : "", cpus, s->kernel[d->kernel].name,
		 e->than >= 0 ? " against " : "", e->than >= 0 ? s->kernel[e->than].name : "");
}

/* ---- for people ---- */

/* the smallest and largest of the seeds, where there are several */
static void spread(const struct scenario_outcome *o, const struct scenario_verdict *d, FILE *f)
{
	const struct scenario_value *lo = &d->value[0], *hi = lo;
	char a[64], b[64];
	int n = o->scenario->nr_seeds;

	for (int i = 1; i < n; i++) {
		lo = d->value[i].v < lo->v ? &d->value[i] : lo;
		hi = d->value[i].v > hi->v ? &d->value[i] : hi;
	}
	number(d->expect, lo->v, a, sizeof(a));
	number(d->expect, hi->v, b, sizeof(b));
	if (n > 1 && d->mean.known && strcmp(a, b))
		fprintf(f, " (%s to %s)", a, b);
}

static void print_verdict(const struct scenario_outcome *o, const struct scenario_verdict *d,
			  FILE *f)
{
	const struct scenario_expect *e = d->expect;
	bool one_seed = e->figure->list || (!d->holds && !e->mean);
	const struct scenario_value *shown = &d->mean;
	char text[MAX_TEXT];

	if (one_seed)
		shown = &d->value[max(d->worst, 0)];
	what(o, d, text, sizeof(text));
	fputs(d->holds ? "  ok    " : "  FAIL  ", f);
	escape_pad(f, text, 0);
	value(e, shown, text, sizeof(text));
	fprintf(f, ": %s", text);
	if (!one_seed)
		spread(o, d, f);
	if (!d->holds) {
		wanted(o, e, text, sizeof(text));
		fprintf(f, ", expected %s", text);
		if (one_seed && o->scenario->nr_seeds > 1)
			fprintf(f, " (seed %d)", d->worst + 1);
	}
	fputc('\n', f);
}

void scenario_print(const struct scenario_outcome *o, FILE *f)
{
	escape_pad(f, o->scenario->path, 0);
	fputs(": ", f);
	escape_pad(f, o->scenario->name, 0);
	fputc('\n', f);
	for (int i = 0; i < o->nr; i++)
		print_verdict(o, &o->verdict[i], f);
}

/* ---- JSON ---- */

static json_t *json_value(const struct scenario_expect *e, const struct scenario_value *v)
{
	json_t *j;

	if (!v->known)
		return json_null();
	if (!e->figure->list)
		return json_real(v->v);
	j = json_array();
	for (int i = 0; i < v->nr && i < SCENARIO_MAX_LIST; i++)
		json_array_append_new(j, json_integer(v->list[i]));
	return j;
}

static const char *unit(const struct scenario_expect *e)
{
	if (e->than >= 0)
		return "times";
	if (e->figure->list)
		return "CPUs";
	return e->figure->unit == Q_TIME ? "ns" : e->figure->unit == Q_PERMILLE ? "permille" : "";
}

static json_t *json_verdict(const struct scenario_outcome *o, const struct scenario_verdict *d)
{
	const struct scenario *s = o->scenario;
	const struct scenario_expect *e = d->expect;
	json_t *j = json_object(), *seeds = json_array();
	char text[MAX_TEXT];

	json_object_set_new(j, "figure", json_text(e->figure->name));
	if (e->arg)
		json_object_set_new(j, "which", json_text(e->arg));
	if (e->of)
		json_object_set_new(j, "of", json_text(e->of));
	json_object_set_new(j, "kernel", json_text(s->kernel[d->kernel].name));
	if (e->than >= 0)
		json_object_set_new(j, "than", json_text(s->kernel[e->than].name));
	json_object_set_new(j, "unit", json_string(unit(e)));
	for (int i = 0; i < s->nr_seeds; i++)
		json_array_append_new(seeds, json_value(e, &d->value[i]));
	json_object_set_new(j, "values", seeds);
	if (!e->figure->list && d->mean.known)
		json_object_set_new(j, "mean", json_real(d->mean.v));
	wanted(o, e, text, sizeof(text));
	json_object_set_new(j, "expected", json_text(text));
	json_object_set_new(j, "holds", json_boolean(d->holds));
	return j;
}

json_t *scenario_json(const struct scenario_outcome *o)
{
	const struct scenario *s = o->scenario;
	json_t *j = json_object(), *kernels = json_object(), *verdicts = json_array();

	json_object_set_new(j, "file", json_text(s->path));
	json_object_set_new(j, "name", json_text(s->name));
	json_object_set_new(j, "description", json_text(s->description));
	json_object_set_new(j, "machine", json_text(s->machine_expr));
	for (int i = 0; i < s->nr_kernels; i++)
		json_object_set_new(kernels, s->kernel[i].name, json_text(s->kernel[i].expr));
	json_object_set_new(j, "kernels", kernels);
	if (s->workload)
		json_object_set_new(j, "workload", json_text(workload_expr(s->workload)));
	json_object_set_new(j, "seeds", json_integer(s->nr_seeds));
	for (int i = 0; i < o->nr; i++)
		json_array_append_new(verdicts, json_verdict(o, &o->verdict[i]));
	json_object_set_new(j, "expectations", verdicts);
	json_object_set_new(j, "failed", json_integer(o->nr_failed));
	return j;
}
