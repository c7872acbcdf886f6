// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/stats.h"
#include "experiment/compare.h"
#include "experiment/reproduce.h"

struct run {
	struct reproduction *x;
	pthread_mutex_t lock; /* of the arena and the reasons of rows whose runs failed */
};

static int find_metric(const struct result *r, const char *name)
{
	for (int i = 0; i < r->nr_metrics; i++)
		if (!strcmp(r->metric[i].name, name))
			return i;
	return -1;
}

static double mean(const double *x, int n, bool higher_is_better)
{
	/* as tables have it: rates by their harmonic mean (spec 12 §10) */
	return higher_is_better && stats_min(x, n) > 0 ? stats_hmean(x, n) : stats_amean(x, n);
}

/* The figures of one seed. Return: why there are none, or NULL */
static const char *take_figures(const struct compare *c, struct reproduce_row *row, int seed)
{
	const struct result *first = compare_result(c, 0, 0, 0, 0);
	int metric = find_metric(first, row->metric);

	if (metric < 0 ||
	    !compare_values(c, 0, 0, row->base, metric, &row->value[REPRODUCE_BASE][seed]) ||
	    !compare_values(c, 0, 0, row->variant, metric, &row->value[REPRODUCE_VARIANT][seed]))
		return "the simulated benchmark reports no such figure";
	if (!seed)
		row->higher_is_better = first->metric[metric].higher_is_better;
	return NULL;
}

static void take_means(struct reproduction *x, struct reproduce_row *row)
{
	const struct published_row *pub = row->published;
	/* a table may have its own view of what is better */
	bool higher = pub->figures ? pub->higher_is_better : row->higher_is_better;
	double base = mean(row->value[REPRODUCE_BASE], x->nr_seeds, higher);
	double variant = mean(row->value[REPRODUCE_VARIANT], x->nr_seeds, higher);

	if (!(base > 0)) {
		row->why = "nothing was done under the base kernel";
		row->score.scored = false;
		return;
	}
	/* where the table has ratios to the base, the base is what it is */
	row->score.simulated_base = row->score.relative ? pub->base_value
							: base * registry_scale(row->benchmark);
	row->score.simulated_gain_pct = stats_gain_pct(base, variant, higher);
	row->score.simulated = true;
}

/* of several seeds that fail the first one is the reason, whichever ends first */
static void give_reason(struct run *run, struct reproduce_row *row, int seed, const char *why)
{
	pthread_mutex_lock(&run->lock);
	if (!row->failed || seed + 1 < row->failed) {
		row->failed = seed + 1;
		row->why = arena_strdup(run->x->arena, why) ?: "out of memory";
		row->score.scored = false;
	}
	pthread_mutex_unlock(&run->lock);
}

static int run_seed(void *ctx, int i, struct err *err)
{
	struct run *run = ctx;
	struct reproduction *x = run->x;
	int group = i / x->nr_seeds, seed = i % x->nr_seeds;
	const struct reproduce_group *g = &x->group[group];
	struct compare_spec spec = {
		.nr_machines = 1,
		.nr_workloads = 1,
		.nr_kernels = g->nr_kernels,
		.machine_expr = &g->machine,
		.workload_expr = &g->workload,
		.kernel_expr = g->kernel,
		.nr_seeds = 1,
		.first_seed = x->first_seed + seed,
		.jobs = 1,
	};
	struct compare *c = NULL;
	struct err failed = { 0 };
	const char *why = NULL;

	if (compare_run(&spec, &c, &failed))
		why = failed.msg;
	for (int k = 0; k < x->nr_rows; k++) {
		struct reproduce_row *row = &x->row[k];
		const char *not = row->group != group ? NULL : why ?: take_figures(c, row, seed);

		if (not)
			give_reason(run, row, seed, not);
	}
	compare_free(c);
	return 0;
}

int reproduce_run(struct reproduction *x, const struct reproduce_spec *spec, struct err *err)
{
	struct run run = { .x = x };
	int ret;

	for (int i = 0; i < x->nr_rows; i++)
		for (int k = 0; k < REPRODUCE_KINDS; k++) {
			x->row[i].value[k] = arena_array(x->arena, x->nr_seeds, sizeof(double));
			if (!x->row[i].value[k])
				return err_set(err, -ENOMEM, "out of memory");
		}
	pthread_mutex_init(&run.lock, NULL);
	ret = pool_run(x->nr_groups * x->nr_seeds, spec->jobs, spec->progress, run_seed, &run, err);
	pthread_mutex_destroy(&run.lock);
	for (int i = 0; i < x->nr_rows && !ret; i++)
		if (x->row[i].group >= 0 && !x->row[i].failed)
			take_means(x, &x->row[i]);
	return ret;
}

int reproduce_score(const struct reproduction *x, const char *name, struct score *s)
{
	struct score_row *rows = calloc(max(x->nr_rows, 1), sizeof(*rows));
	int n = 0, ret;

	if (!rows)
		return -ENOMEM;
	for (int i = 0; i < x->nr_rows; i++)
		if (!name || !strcmp(x->row[i].published->experiment, name))
			rows[n++] = x->row[i].score;
	ret = score_rows(rows, n, s);
	free(rows);
	return ret;
}
