/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scenario_figures.h - what an expectation can be about.
 */
#ifndef IDLEST_EXPERIMENT_SCENARIO_FIGURES_H
#define IDLEST_EXPERIMENT_SCENARIO_FIGURES_H

#include "experiment/scenario.h"
#include "experiment/scenario_watch.h"
#include "machine/quantity.h"

/* What is measured: one run of one scenario. */
struct scenario_measured {
	const struct scenario *s;
	const struct watch *w;
	const struct result *r;
};

struct scenario_figure {
	const char *name;
	const char *doc;
	enum quantity unit;   /* Q_TIME: in ns; Q_PERMILLE: in tenths of a percent; Q_COUNT */
	bool list;	      /* CPUs, not a number */
	bool arg;	      /* the name is followed by which one: "counter migrations" */
	bool of, cpus, after; /* keys that mean something */
	void (*measure)(const struct scenario_measured *m, const struct scenario_expect *e,
			struct scenario_value *v);
};

int scenario_nr_figures(void);
const struct scenario_figure *scenario_figure(int i);

/**
 * scenario_figure_find() - by its name
 * @arg: result: what follows the name, or NULL; a part of @text
 *
 * Return: NULL with @err filled.
 */
const struct scenario_figure *scenario_figure_find(const char *text, const char **arg,
						   struct err *err);

#endif
