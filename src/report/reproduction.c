// SPDX-License-Identifier: BSD-2-Clause
#include "report/reproduction.h"

#include <errno.h>
#include <string.h>

#include "report/comparison.h"
#include "report/escape.h"
#include "report/json.h"

/* ---- for people ---- */

static void print_pct(FILE *f, double pct)
{
	char buf[32];

	fprintf(f, " %8s %%", format_pct_truncated(pct, buf, sizeof(buf)));
}

static void print_row(const struct reproduce_row *row, int label, int variant, FILE *f)
{
	const struct published_row *p = row->published;
	const struct score_row *s = &row->score;
	char name[512];

	snprintf(name, sizeof(name), "%s %s", p->benchmark, p->param);
	fputs("  ", f);
	escape_pad(f, name, label);
	fputs("  ", f);
	escape_pad(f, p->variant, variant);
	if (p->figures) {
		fprintf(f, " %14.2f", p->base_value);
		print_pct(f, p->gain_pct);
		fprintf(f, " %-7s", gain_class_name(gain_class(p->gain_pct)));
	} else {
		fprintf(f, " %14s %10s %-7s", "-", "-", "-");
	}
	if (!s->simulated) {
		fputs("  not simulated: ", f);
		escape_pad(f, row->why, 0);
		fputc('\n', f);
		return;
	}
	fprintf(f, " %14.2f", s->simulated_base);
	print_pct(f, s->simulated_gain_pct);
	fprintf(f, " %-7s", gain_class_name(gain_class(s->simulated_gain_pct)));
	if (!s->scored) {
		fputs("  not scored: ", f);
		escape_pad(f, row->why, 0);
		fputc('\n', f);
		return;
	}
	fputs(gain_class(p->gain_pct) == gain_class(s->simulated_gain_pct) ? "  agrees\n"
									     : "  DIFFERS\n", f);
}

static void print_share(FILE *f, int part, int of)
{
	fprintf(f, "%d of %d", part, of);
	if (of)
		fprintf(f, " (%.1f %%)", 100.0 * part / of);
}

static void print_score(const char *what, const struct score *s, FILE *f)
{
	fprintf(f, "%s: %d row%s, %d scored", what, s->all, s->all == 1 ? "" : "s", s->rows);
	if (s->not_simulated)
		fprintf(f, ", %d not simulated", s->not_simulated);
	fputs("; same class ", f);
	print_share(f, s->class_agree, s->rows);
	fputs("; effects within a factor of 2 ", f);
	print_share(f, s->effects_within_2x, s->effects);
	if (s->bases)
		fprintf(f, "; median error of the base value %.1f %%", s->base_median_error_pct);
	fputc('\n', f);
}

static void print_head(const struct reproduce_row *first, FILE *f)
{
	const struct registry_experiment *e = first->experiment;

	escape_pad(f, first->published->experiment, 0);
	if (e)
		fprintf(f, ": %s", e->description);
	fputc('\n', f);
}

static void print_experiment(const struct reproduction *x, const char *name, FILE *f)
{
	const char *machine = NULL, *base = NULL;
	int label = 0, variant = 7;

	for (int i = 0; i < x->nr_rows; i++) {
		const struct published_row *p = x->row[i].published;

		if (strcmp(p->experiment, name))
			continue;
		label = max(label, (int)(strlen(p->benchmark) + strlen(p->param) + 1));
		variant = max(variant, (int)strlen(p->variant));
	}
	for (int i = 0; i < x->nr_rows; i++) {
		const struct published_row *p = x->row[i].published;

		if (strcmp(p->experiment, name))
			continue;
		if (!machine || strcmp(machine, p->machine) || strcmp(base, p->base)) {
			machine = p->machine;
			base = p->base;
			fputs(" ", f);
			escape_pad(f, machine, 0);
			fputs(", base ", f);
			escape_pad(f, base, 0);
			fprintf(f, "\n  %*s %14s %10s %-7s %14s %10s\n", label + 2 + variant, "",
				"published", "gain", "", "simulated", "gain");
		}
		print_row(&x->row[i], label, variant, f);
	}
}

/* the first row of an experiment speaks for it */
static bool is_first(const struct reproduction *x, int i)
{
	for (int k = 0; k < i; k++)
		if (!strcmp(x->row[k].published->experiment, x->row[i].published->experiment))
			return false;
	return true;
}

int reproduction_print(const struct reproduction *x, FILE *f)
{
	struct score s;

	for (int i = 0; i < x->nr_rows; i++) {
		const char *name = x->row[i].published->experiment;

		if (!is_first(x, i))
			continue;
		print_head(&x->row[i], f);
		print_experiment(x, name, f);
		if (reproduce_score(x, name, &s))
			return -ENOMEM;
		print_score(" score", &s, f);
		fputc('\n', f);
	}
	fprintf(f, "Means of %d seed%s; gains in per cent, positive is better, up to %g %% neutral.\n",
		x->nr_seeds, x->nr_seeds == 1 ? "" : "s", SCORE_NEUTRAL_PCT);
	if (reproduce_score(x, NULL, &s))
		return -ENOMEM;
	print_score("Score of all", &s, f);
	return 0;
}

/* ---- JSON ---- */

static json_t *real_or_null(bool known, double v)
{
	return known ? json_real(v) : json_null();
}

static json_t *row_json(const struct reproduce_row *row)
{
	const struct published_row *p = row->published;
	const struct score_row *s = &row->score;
	bool both = s->simulated && p->figures;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "experiment",
			 json_text(p->experiment), "benchmark", json_text(p->benchmark), "machine",
			 json_text(p->machine), "param", json_text(p->param), "variant",
			 json_text(p->variant), "published_base",
			 real_or_null(p->figures, p->base_value), "published_gain_pct",
			 real_or_null(p->figures, p->gain_pct), "simulated_base",
			 real_or_null(s->simulated, s->simulated_base), "simulated_gain_pct",
			 real_or_null(s->simulated, s->simulated_gain_pct), "scored", s->scored,
			 "class_agrees",
			 both ? json_boolean(gain_class(p->gain_pct) ==
					     gain_class(s->simulated_gain_pct))
			      : json_null());
}

json_t *reproduction_json(const struct reproduction *x)
{
	json_t *rows = json_array();
	struct score s;

	if (reproduce_score(x, NULL, &s)) {
		json_decref(rows);
		return NULL;
	}
	for (int i = 0; i < x->nr_rows; i++)
		json_array_append_new(rows, row_json(&x->row[i]));
	return json_pack("{s:o, s:{s:i, s:o, s:i, s:o, s:o}}", "rows", rows, "score", "rows",
			 s.rows, "class_agreement",
			 real_or_null(s.rows, (double)s.class_agree / max(s.rows, 1)), "effects",
			 s.effects, "effects_within_2x",
			 real_or_null(s.effects,
				      (double)s.effects_within_2x / max(s.effects, 1)),
			 "base_median_error_pct", real_or_null(s.bases, s.base_median_error_pct));
}
