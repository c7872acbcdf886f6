// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/comparison.h"
#include "report/json.h"
#include "report/waste.h"

int json_print(json_t *j, FILE *f)
{
	int ret = json_dumpf(j, f, JSON_INDENT(1) | JSON_REAL_PRECISION(12));

	fputc('\n', f);
	json_decref(j);
	return ret || fflush(f) ? -EIO : 0;
}

json_t *json_text(const char *s)
{
	static const char replacement[] = "\xef\xbf\xbd";
	json_t *j = json_string(s), *one;
	char *text, *out;

	if (j)
		return j;
	out = text = malloc(3 * strlen(s) + 1);
	if (!text)
		return NULL;
	while (*s) {
		size_t n = 4; /* bytes of the next character, as jansson sees it */

		while (n && (strnlen(s, n) < n || !(one = json_stringn(s, n))))
			n--;
		if (n)
			json_decref(one);
		memcpy(out, n ? s : replacement, n ?: 3);
		out += n ?: 3;
		s += n ?: 1;
	}
	*out = '\0';
	j = json_string(text);
	free(text);
	return j;
}

static const char *direction(const struct metric *m)
{
	return m->higher_is_better ? "higher" : "lower";
}

json_t *result_json(const struct result *r)
{
	json_t *metrics = json_array(), *counters = json_object(), *j;

	for (int i = 0; i < r->nr_metrics; i++) {
		const struct metric *m = &r->metric[i];

		json_array_append_new(metrics, json_pack("{s:o, s:f, s:s, s:s}", "name",
							 json_text(m->name), "value", m->value, "unit", m->unit,
							 "better", direction(m)));
	}
	for (int c = 0; c < NR_COUNTERS; c++)
		json_object_set_new(counters, counter_name(c), json_integer((json_int_t)r->counter[c]));
	j = json_pack("{s:I, s:I, s:o, s:o, s:f}", "seed", (json_int_t)r->seed, "simulated_ns",
		      (json_int_t)r->simulated_ns, "metrics", metrics, "counters", counters,
		      "work_conservation", work_conservation(r));
	if (r->waste.measured)
		json_object_set_new(j, "waste", waste_json(r));
	return j;
}

static json_t *cell_json(const struct comparison *t, const struct comparison_row *row, int kernel)
{
	const struct comparison_cell *cell = &row->cell[kernel];
	json_t *values = json_array(), *j;

	for (int i = 0; i < t->c->spec.nr_seeds; i++)
		json_array_append_new(values, json_real(cell->values[i]));
	j = json_pack("{s:o, s:f, s:f, s:o}", "kernel", json_text(t->c->spec.kernel_expr[kernel]), "mean",
		      cell->mean, "stddev", cell->stddev, "values", values);
	if (kernel) {
		bool finite = isfinite(cell->gain_pct);

		json_object_set_new(j, "gain_pct",
				    finite ? json_real(cell->gain_pct) : json_null());
		json_object_set_new(j, "p", json_real(cell->p));
		json_object_set_new(j, "significant", json_boolean(cell->significant));
	}
	return j;
}

json_t *comparison_json(const struct comparison *t)
{
	const struct compare_spec *s = &t->c->spec;
	json_t *rows = json_array();

	for (int i = 0; i < t->nr_rows; i++) {
		const struct comparison_row *row = &t->row[i];
		json_t *variants = json_array();

		for (int k = 1; k < s->nr_kernels; k++)
			json_array_append_new(variants, cell_json(t, row, k));
		json_array_append_new(
			rows, json_pack("{s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:o}", "machine",
					json_text(s->machine_expr[row->machine]), "workload",
					json_text(s->workload_expr[row->workload]), "label",
					json_text(row->label), "metric", json_text(row->what->name), "unit", row->what->unit, "better",
					direction(row->what), "base", cell_json(t, row, 0), "variants",
					variants));
	}
	return json_pack("{s:o, s:i, s:I, s:o}", "base", json_text(s->kernel_expr[0]), "seeds", s->nr_seeds,
			 "first_seed", (json_int_t)s->first_seed, "rows", rows);
}
