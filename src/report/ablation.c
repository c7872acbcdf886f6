// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "report/ablation.h"
#include "report/comparison.h"
#include "report/json.h"

/* The values of one metric of all kernels. */
struct values {
	int n;
	double *at; /* [nr_kernels][n] */
	double *mean;
	bool higher;
};

static double *of(const struct values *v, int kernel)
{
	return v->at + (size_t)kernel * v->n;
}

static int read_values(const struct ablation *a, int machine, int workload, int metric,
		       struct values *v)
{
	const struct compare_spec *s = &a->c->spec;
	bool harmonic = v->higher;

	v->n = s->nr_seeds;
	v->at = calloc((size_t)s->nr_kernels * v->n, sizeof(double));
	v->mean = calloc(s->nr_kernels, sizeof(double));
	if (!v->at || !v->mean)
		return -ENOMEM;
	for (int k = 0; k < s->nr_kernels; k++) {
		if (!compare_values(a->c, machine, workload, k, metric, of(v, k)))
			return 0;
		harmonic &= stats_min(of(v, k), v->n) > 0;
	}
	for (int k = 0; k < s->nr_kernels; k++)
		v->mean[k] = harmonic ? stats_hmean(of(v, k), v->n) : stats_amean(of(v, k), v->n);
	return 1;
}

static struct effect effect_of(const struct values *v, int from, int to)
{
	double whole = v->mean[1] - v->mean[0];
	struct effect e = {
		.gain_pct = stats_gain_pct(v->mean[from], v->mean[to], v->higher),
		.share = whole != 0 ? (v->mean[to] - v->mean[from]) / whole : NAN,
		.p = stats_permutation_p(of(v, from), v->n, of(v, to), v->n),
		.none = !memcmp(of(v, from), of(v, to), v->n * sizeof(double)),
	};

	e.significant = e.p <= SIGNIFICANT_P;
	return e;
}

static double strength(const struct ablation_line *l)
{
	return fabs(l->with.gain_pct) + fabs(l->without.gain_pct);
}

static int stronger(const void *a, const void *b)
{
	const struct ablation_line *x = a, *y = b;

	if (strength(x) != strength(y))
		return strength(x) < strength(y) ? 1 : -1;
	return x->difference - y->difference;
}

int ablation_table(const struct ablation *a, int machine, int workload, int metric,
		   struct ablation_table *t)
{
	const struct result *first = compare_result(a->c, machine, workload, 0, 0);
	struct values v = { .higher = first->metric[metric].higher_is_better };
	int ret = read_values(a, machine, workload, metric, &v);

	*t = (struct ablation_table){ machine, workload, .what = &first->metric[metric] };
	if (ret > 0) {
		t->line = calloc(a->nr_differences, sizeof(*t->line));
		ret = t->line ? 1 : -ENOMEM;
	}
	for (int i = 0; ret > 0 && i < a->nr_differences; i++)
		t->line[i] =
			(struct ablation_line){ i, effect_of(&v, 0, ablation_base_with(i)),
						effect_of(&v, ablation_variant_without(i), 1) };
	if (ret > 0) {
		t->base = v.mean[0];
		t->variant = v.mean[1];
		t->whole = effect_of(&v, 0, 1);
		qsort(t->line, a->nr_differences, sizeof(*t->line), stronger);
	}
	free(v.at);
	free(v.mean);
	return ret;
}

void ablation_table_free(struct ablation_table *t)
{
	free(t->line);
}

/* ---- for people ---- */

/* two columns: the gain with its mark, the share */
static void format_effect(const struct effect *e, bool judged, bool shared, char *buf, size_t len)
{
	char share[16] = "-";

	if (e->none) {
		snprintf(buf, len, "  %10s  %8s", "same", "");
		return;
	}
	if (shared)
		snprintf(share, sizeof(share), "%.0f%%", e->share * 100);
	snprintf(buf, len, "  %+9.2f%% %c%8s", e->gain_pct,
		 !judged	  ? ' '
		 : e->significant ? '*'
				  : '~',
		 share);
}

static void print_line(const struct ablation *a, const struct ablation_table *t,
		       const struct ablation_line *l, bool judged, int width, FILE *f)
{
	/* shares of what may be noise would say nothing */
	bool shared = isfinite(t->whole.share) && (!judged || t->whole.significant);
	char with[48], without[48];
	size_t n;

	format_effect(&l->with, judged, shared, with, sizeof(with));
	format_effect(&l->without, judged, shared, without, sizeof(without));
	n = strlen(without);
	while (n && without[n - 1] == ' ')
		without[--n] = '\0';
	fprintf(f, "  %-*s%s%s\n", width, a->diff[l->difference].name, with, without);
}

static bool no_effect(const struct ablation_line *l)
{
	return l->with.none && l->without.none;
}

static void print_none(const struct ablation *a, const struct ablation_table *t, FILE *f)
{
	bool any = false;

	for (int i = 0; i < a->nr_differences; i++) {
		if (!no_effect(&t->line[i]))
			continue;
		fprintf(f, "%s%s",
			any ? ", " : "\n  No effect at all: ", a->diff[t->line[i].difference].name);
		any = true;
	}
	if (any)
		fputs(".\n", f);
}

static void print_table(const struct ablation *a, const struct ablation_table *t, FILE *f)
{
	const struct compare_spec *s = &a->c->spec;
	bool judged = s->nr_seeds >= SIGNIFICANT_SEEDS;
	int width = (int)max(strlen(s->kernel_expr[0]), strlen(s->kernel_expr[1]));

	width = max(width, 10);
	for (int i = 0; i < a->nr_differences; i++)
		width = max(width, (int)strlen(a->diff[i].name));
	fprintf(f, "%s, %s: %s (%s, %s is better), %d seed%s\n\n", s->machine_expr[t->machine],
		s->workload_expr[t->workload], t->what->name, t->what->unit,
		t->what->higher_is_better ? "higher" : "lower", s->nr_seeds,
		s->nr_seeds == 1 ? "" : "s");
	fprintf(f, "  %-*s  %14.6g\n", width, s->kernel_expr[0], t->base);
	fprintf(f, "  %-*s  %14.6g  %+.2f%% %s\n\n", width, s->kernel_expr[1], t->variant,
		t->whole.gain_pct,
		!judged		       ? ""
		: t->whole.significant ? "*"
				       : "~");
	fprintf(f, "  %-*s  %10s  %8s  %10s  %8s\n", width, "difference", "base + it", "share",
		"by it", "share");
	for (int i = 0; i < a->nr_differences; i++)
		if (!no_effect(&t->line[i]))
			print_line(a, t, &t->line[i], judged, width, f);
	print_none(a, t, f);
	fputc('\n', f);
}

static void print_notes(const struct ablation *a, FILE *f)
{
	const struct compare_spec *s = &a->c->spec;

	fputs("What each difference is\n\n", f);
	for (int i = 0; i < a->nr_differences; i++)
		fprintf(f, "  %s: %s\n", a->diff[i].name, a->diff[i].what);
	fprintf(f,
		"\nPositive is better. \"base + it\": %s with this difference alone; \"by it\": "
		"what %s gains over itself\n"
		"without it; each with its share of the whole difference. Where the two disagree, "
		"differences work together:\n"
		"one alone does little, or takes away what another gives.\n",
		s->kernel_expr[0], s->kernel_expr[1]);
	if (s->nr_seeds >= SIGNIFICANT_SEEDS)
		fprintf(f,
			"* more than noise (permutation test, p <= %.2f), ~ within it; of %d tests "
			"without any effect, about %d would have a star.\n",
			SIGNIFICANT_P, 2 * a->nr_differences,
			(int)(2 * a->nr_differences * SIGNIFICANT_P + 0.5));
	else
		fprintf(f,
			"%d seed%s are too few to tell an effect from noise (-n %d or more do).\n",
			s->nr_seeds, s->nr_seeds == 1 ? "" : "s", SIGNIFICANT_SEEDS);
}

int ablation_print(const struct ablation *a, FILE *f)
{
	const struct compare_spec *s = &a->c->spec;

	for (int m = 0; m < s->nr_machines; m++) {
		for (int w = 0; w < s->nr_workloads; w++) {
			struct ablation_table t;
			int ret = ablation_table(a, m, w, 0, &t);

			if (ret > 0)
				print_table(a, &t, f);
			else if (!ret)
				fprintf(f, "%s, %s: not every run states %s\n\n",
					s->machine_expr[m], s->workload_expr[w], t.what->name);
			ablation_table_free(&t);
			if (ret < 0)
				return ret;
		}
	}
	print_notes(a, f);
	return 0;
}

/* ---- for programs ---- */

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *effect_json(const struct effect *e)
{
	return json_pack("{s:o, s:o, s:f, s:b, s:b}", "gain_pct", number(e->gain_pct), "share",
			 number(e->share), "p", e->p, "significant", e->significant, "same",
			 e->none);
}

static json_t *table_json(const struct ablation *a, const struct ablation_table *t)
{
	const struct compare_spec *s = &a->c->spec;
	json_t *lines = json_array();

	for (int i = 0; i < a->nr_differences; i++) {
		const struct ablation_line *l = &t->line[i];

		json_array_append_new(lines, json_pack("{s:s, s:o, s:o}", "difference",
						       a->diff[l->difference].name, "base_with",
						       effect_json(&l->with), "variant_without",
						       effect_json(&l->without)));
	}
	return json_pack("{s:o, s:o, s:o, s:s, s:s, s:f, s:f, s:o, s:o}", "machine",
			 json_text(s->machine_expr[t->machine]), "workload",
			 json_text(s->workload_expr[t->workload]), "metric",
			 json_text(t->what->name), "unit", t->what->unit, "better",
			 t->what->higher_is_better ? "higher" : "lower", "base_mean", t->base,
			 "variant_mean", t->variant, "whole", effect_json(&t->whole), "differences",
			 lines);
}

json_t *ablation_json(const struct ablation *a)
{
	const struct compare_spec *s = &a->c->spec;
	json_t *tables = json_array(), *differences = json_array();

	for (int i = 0; i < a->nr_differences; i++)
		json_array_append_new(differences, json_pack("{s:s, s:o}", "name", a->diff[i].name,
							     "what", json_text(a->diff[i].what)));
	for (int m = 0; m < s->nr_machines; m++) {
		for (int w = 0; w < s->nr_workloads; w++) {
			const struct result *first = compare_result(a->c, m, w, 0, 0);

			for (int i = 0; i < first->nr_metrics; i++) {
				struct ablation_table t;

				if (ablation_table(a, m, w, i, &t) > 0)
					json_array_append_new(tables, table_json(a, &t));
				ablation_table_free(&t);
			}
		}
	}
	return json_pack("{s:o, s:o, s:i, s:I, s:o, s:o}", "base", json_text(s->kernel_expr[0]),
			 "variant", json_text(s->kernel_expr[1]), "seeds", s->nr_seeds,
			 "first_seed", (json_int_t)s->first_seed, "differences", differences,
			 "tables", tables);
}
