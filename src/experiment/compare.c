// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/compare.h"
#include "experiment/kernel_dump.h"

struct pool {
	struct compare *c;
	int nr_runs;
	atomic_int next, done, failed; /* failed: smallest run that did, or nr_runs */
	pthread_mutex_t lock;	       /* of err and progress */
	struct err *err;
};

static void show_progress(struct pool *pool, int done)
{
	pthread_mutex_lock(&pool->lock);
	fprintf(stderr, "\r%d of %d runs%s", done, pool->nr_runs, done == pool->nr_runs ? "\r\033[K" : "");
	fflush(stderr);
	pthread_mutex_unlock(&pool->lock);
}

static int run_cell(const struct compare *c, int run, struct err *err)
{
	const struct compare_spec *s = &c->spec;
	int seed = run % s->nr_seeds, rest = run / s->nr_seeds;
	int kernel = rest % s->nr_kernels, workload, machine;
	struct sim_params params = {
		.seed = s->first_seed + seed,
		.check = s->check,
	};
	int ret;

	rest /= s->nr_kernels;
	workload = rest % s->nr_workloads;
	machine = rest / s->nr_workloads;
	ret = workload_run(c->workload[workload], c->machine[machine], &c->kernel[kernel], &params,
			   &c->result[run], err);
	if (ret)
		err_prefix(err, "%s, %s, %s, seed %llu: ", s->machine_expr[machine],
			   s->workload_expr[workload], s->kernel_expr[kernel],
			   (unsigned long long)params.seed);
	return ret;
}

static void note_failure(struct pool *pool, int run, const struct err *err)
{
	pthread_mutex_lock(&pool->lock);
	if (run < atomic_load(&pool->failed)) {
		atomic_store(&pool->failed, run);
		*pool->err = *err;
	}
	pthread_mutex_unlock(&pool->lock);
}

/* Runs are handed out in order, so the first failure in order is always run. */
static void *worker(void *arg)
{
	struct pool *pool = arg;

	for (;;) {
		int run = atomic_fetch_add(&pool->next, 1);
		struct err err = { 0 };

		if (run >= pool->nr_runs || run > atomic_load(&pool->failed))
			return NULL;
		if (run_cell(pool->c, run, &err))
			note_failure(pool, run, &err);
		run = atomic_fetch_add(&pool->done, 1) + 1;
		if (pool->c->spec.progress)
			show_progress(pool, run);
	}
}

static int run_all(struct compare *c, int nr_runs, struct err *err)
{
	struct err first = { 0 };
	struct pool pool = { .c = c, .nr_runs = nr_runs, .err = &first };
	int jobs = c->spec.jobs > 0 ? c->spec.jobs : (int)sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t *threads;
	int started = 0;

	jobs = clamp(jobs, 1, nr_runs);
	threads = calloc(jobs, sizeof(*threads));
	if (!threads)
		return err_set(err, -ENOMEM, "out of memory");
	atomic_store(&pool.failed, nr_runs);
	pthread_mutex_init(&pool.lock, NULL);
	while (started < jobs - 1 && !pthread_create(&threads[started], NULL, worker, &pool))
		started++;
	worker(&pool);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&pool.lock);
	free(threads);
	if (first.code)
		return err_set(err, first.code, "%s", first.msg);
	return 0;
}

static int read_expressions(struct compare *c, struct err *err)
{
	const struct compare_spec *s = &c->spec;
	int ret = 0;

	for (int i = 0; i < s->nr_machines && !ret; i++)
		ret = machine_load(s->machine_expr[i], &c->machine[i], err);
	for (int i = 0; i < s->nr_workloads && !ret; i++)
		ret = workload_parse(s->workload_expr[i], &c->workload[i], err);
	for (int i = 0; i < s->nr_kernels && !ret; i++) {
		if (s->kernel)
			c->kernel[i] = s->kernel[i];
		else
			ret = kernel_load(s->kernel_expr[i], &c->kernel[i], err);
	}
	return ret;
}

int compare_run(const struct compare_spec *spec, struct compare **out, struct err *err)
{
	int nr_runs = spec->nr_machines * spec->nr_workloads * spec->nr_kernels * spec->nr_seeds;
	struct compare *c = calloc(1, sizeof(*c));
	int ret;

	*out = NULL;
	if (!c)
		return err_set(err, -ENOMEM, "out of memory");
	c->spec = *spec;
	c->machine = calloc(spec->nr_machines, sizeof(struct machine *));
	c->workload = calloc(spec->nr_workloads, sizeof(struct workload *));
	c->kernel = calloc(spec->nr_kernels, sizeof(*c->kernel));
	c->result = calloc(nr_runs, sizeof(*c->result));
	if (!c->machine || !c->workload || !c->kernel || !c->result)
		ret = err_set(err, -ENOMEM, "out of memory");
	else
		ret = read_expressions(c, err);
	if (!ret)
		ret = run_all(c, nr_runs, err);
	if (ret) {
		compare_free(c);
		return ret;
	}
	*out = c;
	return 0;
}

void compare_free(struct compare *c)
{
	if (!c)
		return;
	for (int i = 0; c->machine && i < c->spec.nr_machines; i++)
		machine_free(c->machine[i]);
	for (int i = 0; c->workload && i < c->spec.nr_workloads; i++)
		workload_free(c->workload[i]);
	free(c->machine);
	free(c->workload);
	free(c->kernel);
	free(c->result);
	free(c);
}

static const struct metric *find_metric(const struct result *r, int at, const char *name)
{
	if (at < r->nr_metrics && !strcmp(r->metric[at].name, name))
		return &r->metric[at];
	for (int i = 0; i < r->nr_metrics; i++)
		if (!strcmp(r->metric[i].name, name))
			return &r->metric[i];
	return NULL;
}

bool compare_values(const struct compare *c, int machine, int workload, int kernel, int metric,
		    double *values)
{
	const char *name = compare_result(c, machine, workload, 0, 0)->metric[metric].name;

	for (int i = 0; i < c->spec.nr_seeds; i++) {
		const struct metric *m =
			find_metric(compare_result(c, machine, workload, kernel, i), metric, name);

		if (!m)
			return false;
		values[i] = m->value;
	}
	return true;
}
