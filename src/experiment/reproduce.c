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
	pthread_mutex_t arena; /* guards it: reasons of failed runs are kept there */
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

/* Return: why not, or NULL */
static const char *take_figures(const struct compare *c, struct reproduce_row *row, double *values)
{
	const struct published_row *pub = row->published;
	int metric = find_metric(compare_result(c, 0, 0, 0, 0), row->metric);
	double base, variant;
	bool higher;

	if (metric < 0)
		return "the simulated benchmark reports no such figure";
	/* a table may have its own view of what is better */
	higher = pub->figures ? pub->higher_is_better
			      : compare_result(c, 0, 0, 0, 0)->metric[metric].higher_is_better;
	if (!compare_values(c, 0, 0, row->base, metric, values))
		return "the simulated benchmark reports no such figure";
	base = mean(values, c->spec.nr_seeds, higher);
	if (!compare_values(c, 0, 0, row->variant, metric, values))
		return "the simulated benchmark reports no such figure";
	variant = mean(values, c->spec.nr_seeds, higher);
	if (!(base > 0))
		return "nothing was done under the base kernel";
	/* where the table has ratios to the base, the base is what it is */
	row->score.simulated_base = row->score.relative ? pub->base_value
							: base * registry_scale(row->benchmark);
	row->score.simulated_gain_pct = stats_gain_pct(base, variant, higher);
	row->score.simulated = true;
	return NULL;
}

static void give_reason(struct run *run, struct reproduce_row *row, const char *why)
{
	const char *copy;

	pthread_mutex_lock(&run->arena);
	copy = arena_strdup(run->x->arena, why);
	pthread_mutex_unlock(&run->arena);
	row->why = copy ?: "out of memory";
	row->score.scored = false;
}

static int run_group(void *ctx, int i, struct err *err)
{
	struct run *run = ctx;
	struct reproduction *x = run->x;
	const struct reproduce_group *g = &x->group[i];
	struct compare_spec spec = {
		.nr_machines = 1,
		.nr_workloads = 1,
		.nr_kernels = g->nr_kernels,
		.machine_expr = &g->machine,
		.workload_expr = &g->workload,
		.kernel_expr = g->kernel,
		.nr_seeds = x->nr_seeds,
		.first_seed = x->first_seed,
		.jobs = 1,
	};
	double *values = calloc(x->nr_seeds, sizeof(*values));
	struct compare *c = NULL;
	struct err failed = { 0 };
	const char *why = NULL;

	if (!values)
		return err_set(err, -ENOMEM, "out of memory");
	if (compare_run(&spec, &c, &failed))
		why = failed.msg;
	for (int k = 0; k < x->nr_rows; k++) {
		struct reproduce_row *row = &x->row[k];
		const char *not = row->group != i ? NULL : why ?: take_figures(c, row, values);

		if (not)
			give_reason(run, row, not);
	}
	compare_free(c);
	free(values);
	return 0;
}

int reproduce_run(struct reproduction *x, const struct reproduce_spec *spec, struct err *err)
{
	struct run run = { .x = x };
	int ret;

	pthread_mutex_init(&run.arena, NULL);
	ret = pool_run(x->nr_groups, spec->jobs, spec->progress, run_group, &run, err);
	pthread_mutex_destroy(&run.arena);
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
