// SPDX-License-Identifier: BSD-2-Clause
/*
 * csv.c - a comparison as rows of comma separated values, in the columns that
 * the published tables are kept in, plus what tells noise from effect.
 */
#include <stdlib.h>
#include <string.h>

#include "report/comparison.h"
#include "report/escape.h"

/* A break of line within quotes is allowed, but few readers expect it. */
static void field(FILE *f, const char *name)
{
	char *text = malloc(ESCAPED_SIZE(strlen(name))), *s = text;

	if (!text)
		return;
	escape_text(name, text);
	if (!strpbrk(s, ",\"")) {
		fputs(s, f);
		free(text);
		return;
	}
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"')
			fputc('"', f);
		fputc(*s, f);
	}
	fputc('"', f);
	free(text);
}

void comparison_print_csv(const struct comparison *t, FILE *f)
{
	const struct compare_spec *s = &t->c->spec;

	fputs("workload,machine,param,base,base_value,variant,variant_value,gain_pct,unit,better,seeds,p,significant\n", f);
	for (int i = 0; i < t->nr_rows; i++) {
		const struct comparison_row *row = &t->row[i];

		for (int k = 1; k < s->nr_kernels; k++) {
			const struct comparison_cell *cell = &row->cell[k];

			field(f, s->workload_expr[row->workload]);
			fputc(',', f);
			field(f, s->machine_expr[row->machine]);
			fputc(',', f);
			field(f, row->label);
			fputc(',', f);
			field(f, s->kernel_expr[0]);
			fprintf(f, ",%.6g,", row->cell[0].mean);
			field(f, s->kernel_expr[k]);
			fprintf(f, ",%.6g,%.2f,", cell->mean, cell->gain_pct + 0.0);
			field(f, row->what->unit);
			fprintf(f, ",%s,%d,%.4f,%s\n", row->what->higher_is_better ? "higher" : "lower",
				s->nr_seeds, cell->p, cell->significant ? "yes" : "no");
		}
	}
}
