// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "experiment/compare.h"
#include "experiment/kernel_dump.h"

static int run_cell(void *compare, int run, struct err *err)
{
	const struct compare *c = compare;
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
	timeline_apply(c->timeline[machine], &params);
	ret = workload_run(c->workload[workload], c->machine[machine], &c->kernel[kernel], &params,
			   &c->result[run], err);
	if (ret)
		err_prefix(err, "%s, %s, %s, seed %llu: ", s->machine_expr[machine],
			   s->workload_expr[workload], s->kernel_expr[kernel],
			   (unsigned long long)params.seed);
	return ret;
}

static int read_expressions(struct compare *c, struct err *err)
{
	const struct compare_spec *s = &c->spec;
	int ret = 0;

	for (int i = 0; i < s->nr_machines && !ret; i++) {
		ret = machine_load(s->machine_expr[i], &c->machine[i], err);
		if (!ret)
			ret = timeline_new(&s->timeline, c->machine[i]->topo.nr_cpus,
					   &c->timeline[i], err);
	}
	for (int i = 0; i < s->nr_workloads && !ret; i++) {
		ret = workload_parse(s->workload_expr[i], &c->workload[i], err);
		if (!ret && s->cgroups)
			ret = workload_cgroups_load(c->workload[i], s->cgroups, err);
	}
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
	c->timeline = calloc(spec->nr_machines, sizeof(struct timeline *));
	c->workload = calloc(spec->nr_workloads, sizeof(struct workload *));
	c->kernel = calloc(spec->nr_kernels, sizeof(*c->kernel));
	c->result = calloc(nr_runs, sizeof(*c->result));
	if (!c->machine || !c->timeline || !c->workload || !c->kernel || !c->result)
		ret = err_set(err, -ENOMEM, "out of memory");
	else
		ret = read_expressions(c, err);
	if (!ret)
		ret = pool_run(nr_runs, spec->jobs, spec->progress, run_cell, c, err);
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
	for (int i = 0; c->timeline && i < c->spec.nr_machines; i++)
		timeline_free(c->timeline[i]);
	for (int i = 0; c->workload && i < c->spec.nr_workloads; i++)
		workload_free(c->workload[i]);
	free(c->machine);
	free(c->timeline);
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
