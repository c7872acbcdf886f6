// SPDX-License-Identifier: BSD-2-Clause
/*
 * mmtests.c - the table in the manner of MMTests' compare-kernels (spec 12 §10).
 *
 * A mean in stars differs from the base by more than chance; the other rows
 * are never judged.
 */
#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "report/comparison.h"

#define NAME_WIDTH 12
#define CELL_WIDTH 25

enum statistic { ST_MIN, ST_MEAN, ST_STDDEV, ST_COEFFVAR, ST_MAX, ST_BMEAN, NR_STATISTICS };

static const char *statistic_name(enum statistic st, bool harmonic)
{
	switch (st) {
	case ST_MIN:
		return "Min";
	case ST_MEAN:
		return harmonic ? "Hmean" : "Amean";
	case ST_STDDEV:
		return harmonic ? "HStddev" : "Stddev";
	case ST_COEFFVAR:
		return harmonic ? "HCoeffVar" : "CoeffVar";
	case ST_MAX:
		return "Max";
	default:
		return harmonic ? "BHmean-99" : "BAmean-99";
	}
}

static double statistic(const struct comparison_cell *cell, int n, enum statistic st,
			const struct comparison_row *row)
{
	switch (st) {
	case ST_MIN:
		return stats_min(cell->values, n);
	case ST_MEAN:
		return cell->mean;
	case ST_STDDEV:
		return cell->stddev;
	case ST_COEFFVAR:
		return cell->mean != 0 ? cell->stddev * 100 / fabs(cell->mean) : 0;
	case ST_MAX:
		return stats_max(cell->values, n);
	default:
		return stats_best_mean(cell->values, n, 99, row->what->higher_is_better,
				       row->harmonic);
	}
}

/* A bigger spread is worse whatever the unit's direction. */
static double statistic_gain(double base, double value, enum statistic st, bool rate)
{
	bool spread = st == ST_STDDEV || st == ST_COEFFVAR;
	double pct = stats_gain_pct(base, value, rate && !spread);

	if (isinf(pct))
		return copysign(99, pct); /* as MMTests does where the base is 0 */
	return fabs(pct) < 0.005 ? 0 : pct; /* -0.00 would claim a direction */
}

static void print_row(const struct comparison *t, const struct comparison_row *row,
		      enum statistic st, int label_width, FILE *f)
{
	int n = t->c->spec.nr_seeds;
	bool rate = row->what->higher_is_better;
	double base = statistic(&row->cell[0], n, st, row);

	fprintf(f, "%-*s", NAME_WIDTH, statistic_name(st, row->harmonic));
	escape_pad(f, row->label, label_width);
	for (int k = 0; k < t->c->spec.nr_kernels; k++) {
		const struct comparison_cell *cell = &row->cell[k];
		double value = statistic(cell, n, st, row);
		bool star = k && st == ST_MEAN && n >= SIGNIFICANT_SEEDS && cell->significant;

		fprintf(f, " %12.4f %c%8.2f%%%c", value, star ? '*' : '(',
			k ? statistic_gain(base, value, st, rate) : 0.0, star ? '*' : ')');
	}
	fputc('\n', f);
}

static void print_machine(const struct comparison *t, int machine, FILE *f)
{
	const struct compare_spec *s = &t->c->spec;
	char label[ESCAPED_SIZE(COMPARISON_LABEL)];
	int width = 0;

	for (int i = 0; i < t->nr_rows; i++)
		if (t->row[i].machine == machine)
			width = max(width, comparison_label(&t->row[i], label));
	escape_pad(f, s->machine_expr[machine], 0);
	fprintf(f, "\n%*s", NAME_WIDTH + width, "");
	for (int k = 0; k < s->nr_kernels; k++)
		fprintf(f, " %*s", CELL_WIDTH - 1, s->kernel_expr[k]);
	fputc('\n', f);
	for (enum statistic st = ST_MIN; st < NR_STATISTICS; st++)
		for (int i = 0; i < t->nr_rows; i++)
			if (t->row[i].machine == machine)
				print_row(t, &t->row[i], st, width, f);
}

void comparison_print_mmtests(const struct comparison *t, FILE *f)
{
	for (int m = 0; m < t->c->spec.nr_machines; m++) {
		if (m)
			fputc('\n', f);
		print_machine(t, m, f);
	}
}
