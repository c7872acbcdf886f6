// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "report/comparison.h"

/* The model of a workload expression: up to the colon, without a folder before it. */
static void model_name(const char *expr, char *buf, size_t len)
{
	size_t n = strcspn(expr, ":");
	const char *slash = memrchr(expr, '/', n);
	const char *start = slash ? slash + 1 : expr;

	snprintf(buf, len, "%.*s", (int)(n - (start - expr)), start);
}

static bool has_item(const char *expr, const char *item, size_t n)
{
	const char *s = strchr(expr, ':');

	while (s) {
		size_t m = strcspn(++s, ",");

		if (m == n && !strncmp(s, item, n))
			return true;
		s = s[m] ? s + m : NULL;
	}
	return false;
}

/*
 * What sets workload @i apart from the others: its items that not all have.
 * "groups=4" is written 4-groups, as the posted tables do.
 */
static void workload_label(const struct compare_spec *spec, int i, char *buf, size_t len)
{
	const char *expr = spec->workload_expr[i], *s = strchr(expr, ':');
	bool same_model = true;
	size_t used = 0;
	char name[64], other[64];

	model_name(expr, name, sizeof(name));
	for (int j = 0; j < spec->nr_workloads; j++) {
		model_name(spec->workload_expr[j], other, sizeof(other));
		same_model &= !strcmp(name, other);
	}
	buf[0] = '\0';
	if (!same_model)
		used = snprintf(buf, len, "%s", name);
	while (s && used < len) {
		size_t n = strcspn(++s, ",");
		const char *eq = memchr(s, '=', n);
		bool shared = true;

		for (int j = 0; j < spec->nr_workloads; j++)
			shared &= has_item(spec->workload_expr[j], s, n);
		if (!shared && eq)
			used += snprintf(buf + used, len - used, "%s%.*s-%.*s", used ? " " : "",
					 (int)(n - (eq + 1 - s)), eq + 1, (int)(eq - s), s);
		else if (!shared)
			used += snprintf(buf + used, len - used, "%s%.*s", used ? " " : "", (int)n, s);
		s = s[n] ? s + n : NULL;
	}
	if (!used)
		snprintf(buf, len, "%s", name);
}

/* Return: 1; 0: some run doesn't state this metric; -1: out of memory */
static int fill_values(const struct compare *c, struct comparison_row *row)
{
	const struct compare_spec *s = &c->spec;

	row->cell = calloc(s->nr_kernels, sizeof(*row->cell));
	if (!row->cell)
		return -1;
	/* a rate of nothing, or a signed figure, has no harmonic mean */
	row->harmonic = row->what->higher_is_better;
	for (int k = 0; k < s->nr_kernels; k++) {
		double *values = calloc(s->nr_seeds, sizeof(*values));

		row->cell[k].values = values;
		if (!values)
			return -1;
		if (!compare_values(c, row->machine, row->workload, k, row->metric, values))
			return 0;
		row->harmonic &= stats_min(values, s->nr_seeds) > 0;
	}
	return 1;
}

static int fill_cells(const struct compare *c, struct comparison_row *row)
{
	int n = c->spec.nr_seeds, ret = fill_values(c, row);

	for (int k = 0; ret > 0 && k < c->spec.nr_kernels; k++) {
		struct comparison_cell *cell = &row->cell[k], *base = &row->cell[0];
		bool h = row->harmonic;

		cell->mean = h ? stats_hmean(cell->values, n) : stats_amean(cell->values, n);
		cell->stddev = h ? stats_hstddev(cell->values, n) : stats_stddev(cell->values, n);
		cell->gain_pct = stats_gain_pct(base->mean, cell->mean, row->what->higher_is_better);
		cell->p = k ? stats_permutation_p(base->values, n, cell->values, n) : 1;
		cell->significant = cell->p <= SIGNIFICANT_P;
	}
	return ret;
}

static void free_cells(const struct comparison *t, struct comparison_row *row)
{
	for (int k = 0; row->cell && k < t->c->spec.nr_kernels; k++)
		free(row->cell[k].values);
	free(row->cell);
	row->cell = NULL;
}

static int fill_rows(struct comparison *t)
{
	const struct compare *c = t->c;
	const struct compare_spec *s = &c->spec;

	for (int m = 0; m < s->nr_machines; m++) {
		for (int w = 0; w < s->nr_workloads; w++) {
			const struct result *first = compare_result(c, m, w, 0, 0);

			for (int i = 0; i < first->nr_metrics; i++) {
				struct comparison_row *row = &t->row[t->nr_rows++];
				char label[64];
				int ret;

				row->machine = m;
				row->workload = w;
				row->metric = i;
				row->what = &first->metric[i];
				workload_label(s, w, label, sizeof(label));
				if (s->nr_workloads == 1)
					snprintf(row->label, sizeof(row->label), "%s", row->what->name);
				else if (first->nr_metrics == 1)
					snprintf(row->label, sizeof(row->label), "%s", label);
				else
					snprintf(row->label, sizeof(row->label), "%s %s", label,
						 row->what->name);
				ret = fill_cells(c, row);
				if (ret < 0)
					return -1;
				if (!ret) {
					free_cells(t, row);
					t->nr_rows--;
					t->left_out++;
				}
			}
		}
	}
	return 0;
}

struct comparison *comparison_new(const struct compare *c)
{
	struct comparison *t = calloc(1, sizeof(*t));
	size_t rows = 0;

	if (!t)
		return NULL;
	t->c = c;
	for (int m = 0; m < c->spec.nr_machines; m++)
		for (int w = 0; w < c->spec.nr_workloads; w++)
			rows += compare_result(c, m, w, 0, 0)->nr_metrics;
	t->row = calloc(rows ? rows : 1, sizeof(*t->row));
	if (!t->row || fill_rows(t)) {
		comparison_free(t);
		return NULL;
	}
	return t;
}

void comparison_free(struct comparison *t)
{
	if (!t)
		return;
	for (int i = 0; i < t->nr_rows; i++)
		free_cells(t, &t->row[i]);
	free(t->row);
	free(t);
}
