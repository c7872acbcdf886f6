/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reproduce.h - rows of published tables, simulated.
 *
 * Rows that ask for the same machine and workload are one comparison; the
 * comparisons' seeds run side by side. Every figure is simulated, with the same seeds for both
 * kernels of a row; nothing is kept between calls.
 */
#ifndef IDLEST_EXPERIMENT_REPRODUCE_H
#define IDLEST_EXPERIMENT_REPRODUCE_H

#include "experiment/published.h"
#include "experiment/registry.h"
#include "experiment/score.h"

#define REPRODUCE_KERNELS 16 /* of one machine and workload */

/* One machine under one workload, with all the kernels that rows want there. */
struct reproduce_group {
	const char *machine, *workload, *kernel[REPRODUCE_KERNELS];
	int nr_kernels;
};

enum reproduce_kind { REPRODUCE_BASE, REPRODUCE_VARIANT, REPRODUCE_KINDS };

struct reproduce_row {
	const struct published_row *published;
	const struct registry_experiment *experiment; /* NULL: unknown */
	const struct registry_benchmark *benchmark;   /* NULL: unknown */
	const char *metric;
	int group, base, variant; /* kernels of the group; group -1: not simulated */
	const char *why;	  /* not simulated, or not scored: the reason; else NULL */
	double *value[REPRODUCE_KINDS]; /* [nr_seeds] of the metric, not scaled */
	bool higher_is_better;	  /* of the simulated metric */
	int failed;		  /* 1 + the first seed whose run did; 0: none */
	struct score_row score;	  /* what came out */
};

struct reproduction {
	struct arena *arena;
	const struct published *published;
	int nr_seeds, nr_rows, nr_groups;
	u64 first_seed;
	struct reproduce_row *row; /* in the order of the file */
	struct reproduce_group *group;
};

struct reproduce_spec {
	const char *experiment; /* only its rows; NULL: all */
	int nr_seeds;
	u64 first_seed;
	int jobs;	/* 0: one a CPU */
	bool progress;	/* on standard error */
};

/**
 * reproduce_rows() - the rows that the registry itself knows of an experiment, without figures
 * @a: what they are in
 *
 * Each benchmark with its params, each kernel but the first as variant. Return: 0 or -ENOMEM.
 */
int reproduce_rows(const struct registry_experiment *e, struct arena *a, struct published *p,
		   struct err *err);
/**
 * reproduce_plan() - which rows need which runs; nothing is run yet
 * @r, @p: outlive the result
 *
 * A row that the registry has no word for, or that it says isn't modelled, is
 * there with its reason. Return: 0 or -ENOMEM.
 */
int reproduce_plan(const struct registry *r, const struct published *p,
		   const struct reproduce_spec *spec, struct reproduction **out, struct err *err);
/**
 * reproduce_run() - simulate what was planned
 *
 * A comparison that fails gives its rows the reason. Return: 0 or -ENOMEM.
 */
int reproduce_run(struct reproduction *x, const struct reproduce_spec *spec, struct err *err);
void reproduction_free(struct reproduction *x);

/**
 * reproduce_score() - of the rows of one experiment
 * @name: NULL: of all
 *
 * Return: 0 or -ENOMEM.
 */
int reproduce_score(const struct reproduction *x, const char *name, struct score *s);

#endif
