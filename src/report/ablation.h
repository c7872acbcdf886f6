/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ablation.h - which difference carries how much, for people and programs.
 */
#ifndef IDLEST_REPORT_ABLATION_H
#define IDLEST_REPORT_ABLATION_H

#include <jansson.h>
#include <stdio.h>

#include "experiment/ablate.h"

/* Two sets of runs against each other. */
struct effect {
	double gain_pct; /* positive is better */
	double share;	 /* of the whole difference, 1 = all of it; NAN where that is 0 */
	double p;
	bool significant;
	bool none; /* every seed gives the same value */
};

struct ablation_line {
	int difference;
	struct effect with;    /* base with it, against the base */
	struct effect without; /* the variant, against itself without it */
};

/* One metric of one workload on one machine. */
struct ablation_table {
	int machine, workload;
	const struct metric *what;
	double base, variant; /* means */
	struct effect whole;
	struct ablation_line *line; /* [nr_differences], the strongest first */
};

/**
 * ablation_table() - for metric @metric of one cell
 *
 * Return: 1; 0: not every run states this metric; -ENOMEM.
 */
int ablation_table(const struct ablation *a, int machine, int workload, int metric,
		   struct ablation_table *t);
void ablation_table_free(struct ablation_table *t);

/** ablation_print() - the first metric of every workload */
int ablation_print(const struct ablation *a, FILE *f);
/** ablation_json() - all metrics; NULL: out of memory */
json_t *ablation_json(const struct ablation *a);

#endif
