/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * comparison.h - a comparison as rows, and its forms: the mailing list's
 * table, MMTests', JSON, CSV.
 */
#ifndef IDLEST_REPORT_COMPARISON_H
#define IDLEST_REPORT_COMPARISON_H

#include <jansson.h>
#include <stdio.h>

#include "experiment/compare.h"
#include "report/escape.h"

#define SIGNIFICANT_P 0.05
/* fewest seeds with which a permutation test can reach SIGNIFICANT_P */
#define SIGNIFICANT_SEEDS 4

#define COMPARISON_LABEL 128

/* One kernel's values of one metric. */
struct comparison_cell {
	double *values;		/* [nr_seeds] */
	double mean;
	double stddev;
	double gain_pct;	/* against the base, positive is better; infinite from 0 */
	double p;		/* that it differs from the base by chance */
	bool significant;
};

struct comparison_row {
	char label[COMPARISON_LABEL];		/* what differs: "4-groups", "Copy" */
	int machine, workload, metric;
	const struct metric *what; /* name, unit, direction */
	bool harmonic;		/* a rate: means are harmonic */
	struct comparison_cell *cell; /* [nr_kernels], the base first */
};

struct comparison {
	const struct compare *c;
	int nr_rows, left_out;	/* left out: metrics that not every run states */
	struct comparison_row *row; /* by machine, then workload, then metric */
};

/** comparison_new() - the rows of @c, which must outlive them; NULL: out of memory */
struct comparison *comparison_new(const struct compare *c);
void comparison_free(struct comparison *t);

/** comparison_print_list() - as tables are posted on the mailing list (spec 12 §10) */
void comparison_print_list(const struct comparison *t, FILE *f);
/** comparison_print_mmtests() - Min, mean, Stddev, CoeffVar, Max, BAmean-99 */
void comparison_print_mmtests(const struct comparison *t, FILE *f);
void comparison_print_csv(const struct comparison *t, FILE *f);
json_t *comparison_json(const struct comparison *t);

/** comparison_label() - the row's label as a terminal may have it; Return: columns */
static inline int comparison_label(const struct comparison_row *row,
				   char out[ESCAPED_SIZE(COMPARISON_LABEL)])
{
	return escape_text(row->label, out);
}

/** format_pct_truncated() - "%.2f" of @pct, truncated toward zero, never "-0.00" */
const char *format_pct_truncated(double pct, char *buf, size_t len);

#endif
