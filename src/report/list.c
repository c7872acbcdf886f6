// SPDX-License-Identifier: BSD-2-Clause
/*
 * list.c - the table as people post it on the mailing list:
 *
 *	Test:          v5.17                    v5.18
 *	 Copy:   114470.18 (0.00 pct)     152806.94 (33.49 pct)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/comparison.h"

const char *format_pct_truncated(double pct, char *buf, size_t len)
{
	double hundredths = trunc(pct * 100);

	/* -0.00 would claim a direction */
	snprintf(buf, len, "%.2f", hundredths == 0 ? 0.0 : hundredths / 100);
	return buf;
}

static void format_cell(const struct comparison_cell *cell, bool base, bool judged, int decimals,
			char *buf, size_t len)
{
	char pct[32];

	format_pct_truncated(base ? 0 : cell->gain_pct, pct, sizeof(pct));
	snprintf(buf, len, "%10.*f (%s pct)%s", decimals, cell->mean, pct,
		 base || !judged ? "" : cell->significant ? " *" : " ~");
}

/* Two, as posted; more where the smallest value of that unit would lose its digits. */
static int unit_decimals(const struct comparison *t, int machine, const char *unit)
{
	double smallest = 1;
	int decimals = 2;

	for (int i = 0; i < t->nr_rows; i++) {
		const struct comparison_row *row = &t->row[i];

		if (row->machine != machine || strcmp(row->what->unit, unit))
			continue;
		for (int k = 0; k < t->c->spec.nr_kernels; k++)
			if (row->cell[k].mean > 0 && row->cell[k].mean < smallest)
				smallest = row->cell[k].mean;
	}
	while (decimals < 9 && smallest < 1) {
		smallest *= 10;
		decimals++;
	}
	return decimals;
}

static int label_width(const struct comparison *t, int machine)
{
	char label[ESCAPED_SIZE(COMPARISON_LABEL)];
	int width = 4;

	for (int i = 0; i < t->nr_rows; i++)
		if (t->row[i].machine == machine)
			width = max(width, comparison_label(&t->row[i], label));
	return width + 1; /* the colon */
}

static void print_line(FILE *f, const char *line)
{
	size_t n = strlen(line);

	while (n && line[n - 1] == ' ')
		n--;
	fprintf(f, "%.*s\n", (int)n, line);
}

static void print_machine(const struct comparison *t, int machine, FILE *f)
{
	const struct compare_spec *s = &t->c->spec;
	bool judged = s->nr_seeds >= SIGNIFICANT_SEEDS;
	int width = label_width(t, machine), column = 26;
	size_t len = (size_t)(s->nr_kernels + 3) * 512;
	char *line = malloc(len), cell[64], label[ESCAPED_SIZE(COMPARISON_LABEL)];
	const char *unit = NULL;
	int decimals = 2;
	size_t n;
	int pad;

	if (!line)
		return;
	for (int k = 0; k < s->nr_kernels; k++)
		column = max(column, (int)strlen(s->kernel_expr[k]) + 2);
	escape_pad(f, s->machine_expr[machine], 0);
	if (s->nr_workloads == 1) {
		fputs(", ", f);
		escape_pad(f, s->workload_expr[0], 0);
	}
	fputc('\n', f);
	n = snprintf(line, len, "%-*s", width + 2, "Test:");
	for (int k = 0; k < s->nr_kernels && n < len; k++)
		n += snprintf(line + n, len - n, " %*s%-*s", 4, "", column - 4, s->kernel_expr[k]);
	print_line(f, line);
	for (int i = 0; i < t->nr_rows; i++) {
		const struct comparison_row *row = &t->row[i];

		if (row->machine != machine)
			continue;
		if (!unit || strcmp(unit, row->what->unit)) {
			unit = row->what->unit;
			decimals = unit_decimals(t, machine, unit);
			fprintf(f, " (%s, %s is better)\n", unit,
				row->what->higher_is_better ? "higher" : "lower");
		}
		pad = width - comparison_label(row, label);
		n = snprintf(line, len, " %s:%*s", label, pad, "");
		for (int k = 0; k < s->nr_kernels && n < len; k++) {
			format_cell(&row->cell[k], k == 0, judged, decimals, cell, sizeof(cell));
			n += snprintf(line + n, len - n, " %-*s", column, cell);
		}
		print_line(f, line);
	}
	free(line);
}

void comparison_print_list(const struct comparison *t, FILE *f)
{
	const struct compare_spec *s = &t->c->spec;

	for (int m = 0; m < s->nr_machines; m++) {
		print_machine(t, m, f);
		fputc('\n', f);
	}
	if (s->nr_seeds >= SIGNIFICANT_SEEDS)
		fprintf(f, "Means of %d seeds; positive is better; * differs from %s (permutation test, p <= %.2f), ~ within the noise.\n",
			s->nr_seeds, s->kernel_expr[0], SIGNIFICANT_P);
	else
		fprintf(f, "Means of %d seed%s: too few to tell an effect from noise (-n %d or more does).\n",
			s->nr_seeds, s->nr_seeds == 1 ? "" : "s", SIGNIFICANT_SEEDS);
	if (t->left_out)
		fprintf(f, "Left out: %d metric%s that not every run states.\n", t->left_out,
			t->left_out == 1 ? "" : "s");
}
