/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * published.h - rows of published tables, from a CSV file.
 *
 * The first line names the columns; experiment, benchmark, machine, param,
 * base, base_value, variant, gain_pct and better are needed, note and unit are
 * read, others are passed over. Fields may be quoted, as RFC 4180 has it.
 */
#ifndef IDLEST_EXPERIMENT_PUBLISHED_H
#define IDLEST_EXPERIMENT_PUBLISHED_H

#include "base/arena.h"
#include "base/err.h"

struct published_row {
	int line; /* in the file */
	const char *experiment, *benchmark, *machine, *param, *base, *variant, *unit, *note;
	bool figures;		/* base_value and gain_pct are there */
	double base_value;	/* above 0 */
	double gain_pct;	/* positive: the variant is better */
	bool higher_is_better;
};

struct published {
	const char *path;
	int nr_rows;
	struct published_row *row;
};

/**
 * published_parse() - read rows
 * @a: what the rows are in
 * @path: of the file, for messages
 *
 * Return: 0, -EINVAL with file, line and column of the field, -ENOMEM.
 */
int published_parse(struct arena *a, const char *path, const char *text, size_t len,
		    struct published *p, struct err *err);
int published_load(struct arena *a, const char *path, struct published *p, struct err *err);

#endif
