// SPDX-License-Identifier: BSD-2-Clause
/* A scenario run under its kernels with its seeds, and what it expects held against that. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "base/stats.h"
#include "experiment/scenario_figures.h"
#include "experiment/scenario_tasks.h"

/* All runs of one scenario. */
struct cells {
	const struct scenario *s;
	struct scenario_value *value; /* [nr_expects][nr_kernels][nr_seeds] */
	bool check;
};

static struct scenario_value *value_of(const struct cells *c, int expect, int kernel, int seed)
{
	const struct scenario *s = c->s;

	return &c->value[((size_t)expect * s->nr_kernels + kernel) * s->nr_seeds + seed];
}

static bool concerns(const struct scenario_expect *e, int kernel)
{
	return e->kernel < 0 || e->kernel == kernel || e->than == kernel;
}

/* ---- one run ---- */

static int run_tasks(const struct scenario *s, const struct sched_kernel *k,
		     const struct sim_params *p, struct result *r, struct err *err)
{
	struct sim *sim = sim_new(s->machine, k, p, err);
	int ret;

	if (!sim)
		return err->code;
	memset(r, 0, sizeof(*r));
	ret = scenario_spawn(s, sim, err);
	if (!ret)
		ret = sim_run(sim, err);
	if (!ret)
		sim_counters(sim, r);
	sim_free(sim);
	return ret;
}

static int run_cell(void *cells, int i, struct err *err)
{
	const struct cells *c = cells;
	const struct scenario *s = c->s;
	int kernel = i / s->nr_seeds, seed = i % s->nr_seeds;
	struct watch w = { 0 };
	struct result r;
	struct sim_params p = {
		.seed = seed + 1,
		.check = c->check,
		.no_noise = !s->noise,
		.max_ns = s->duration,
		.trace = watch_event,
		.trace_ctx = &w,
	};
	struct scenario_measured m = { s, &w, &r };
	int ret;

	if (s->timeline)
		timeline_apply(s->timeline, &p);
	if (s->workload)
		ret = workload_run(s->workload, s->machine, &s->kernel[kernel].k, &p, &r, err);
	else
		ret = run_tasks(s, &s->kernel[kernel].k, &p, &r, err);
	if (!ret && watch_end(&w, r.simulated_ns))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (ret)
		err_prefix(err, "%s: under %s, seed %d: ", s->path, s->kernel[kernel].name,
			   seed + 1);
	for (int e = 0; e < s->nr_expects && !ret; e++)
		if (concerns(&s->expect[e], kernel))
			s->expect[e].figure->measure(&m, &s->expect[e],
						     value_of(c, e, kernel, seed));
	watch_free(&w);
	return ret;
}

/* ---- judging ---- */

static bool list_holds(const struct scenario_expect *e, const struct scenario_value *v)
{
	if (!v->known || v->nr > SCENARIO_MAX_LIST)
		return false;
	if (e->nr_list && (v->nr != e->nr_list || memcmp(v->list, e->list, v->nr * sizeof(int))))
		return false;
	for (int i = 0; e->within && i < v->nr; i++)
		if (!mask_test(e->within, v->list[i]))
			return false;
	return true;
}

static bool holds(const struct scenario_expect *e, const struct scenario_value *v)
{
	if (e->figure->list)
		return list_holds(e, v);
	return v->known && (!e->has_min || v->v >= e->min) && (!e->has_max || v->v <= e->max);
}

/* the figure, or how many times it is that of another kernel */
static void take_value(const struct cells *c, int expect, int kernel, int seed,
		       struct scenario_value *v)
{
	const struct scenario_expect *e = &c->s->expect[expect];
	const struct scenario_value *base;

	*v = *value_of(c, expect, kernel, seed);
	if (e->than < 0)
		return;
	base = value_of(c, expect, e->than, seed);
	v->known = v->known && base->known && base->v > 0;
	if (v->known)
		v->v /= base->v;
}

static void take_mean(const struct scenario_verdict *d, int nr_seeds, struct scenario_value *mean)
{
	*mean = (struct scenario_value){ .known = true };
	for (int i = 0; i < nr_seeds; i++) {
		mean->known &= d->value[i].known;
		mean->v += d->value[i].v / nr_seeds;
	}
}

static int judge(const struct cells *c, struct scenario_outcome *o, int expect, int kernel)
{
	const struct scenario *s = c->s;
	struct scenario_verdict *d = &o->verdict[o->nr++];

	d->expect = &s->expect[expect];
	d->kernel = kernel;
	d->worst = -1;
	d->value = arena_array(o->arena, s->nr_seeds, sizeof(*d->value));
	if (!d->value)
		return -ENOMEM;
	for (int i = 0; i < s->nr_seeds; i++) {
		take_value(c, expect, kernel, i, &d->value[i]);
		if (d->worst < 0 && !holds(d->expect, &d->value[i]))
			d->worst = i;
	}
	take_mean(d, s->nr_seeds, &d->mean);
	d->holds = d->expect->mean ? holds(d->expect, &d->mean) : d->worst < 0;
	o->nr_failed += !d->holds;
	return 0;
}

static int judge_all(const struct cells *c, struct scenario_outcome *o)
{
	const struct scenario *s = c->s;
	int ret = 0;

	for (int e = 0; e < s->nr_expects; e++)
		for (int k = 0; k < s->nr_kernels && !ret; k++)
			if (s->expect[e].kernel < 0 || s->expect[e].kernel == k)
				ret = judge(c, o, e, k);
	return ret;
}

int scenario_run(const struct scenario *s, int jobs, bool check, struct scenario_outcome **out,
		 struct err *err)
{
	struct cells c = { .s = s, .check = check };
	struct arena *arena = arena_new();
	struct scenario_outcome *o = arena ? arena_alloc(arena, sizeof(*o)) : NULL;
	int ret;

	if (!o) {
		arena_free(arena);
		return err_set(err, -ENOMEM, "%s: out of memory", s->path);
	}
	o->arena = arena;
	o->scenario = s;
	o->verdict = arena_array(arena, (size_t)s->nr_expects * s->nr_kernels, sizeof(*o->verdict));
	c.value = arena_array(arena, (size_t)s->nr_expects * s->nr_kernels * s->nr_seeds,
			      sizeof(*c.value));
	ret = o->verdict && c.value
		      ? pool_run(s->nr_kernels * s->nr_seeds, jobs, false, run_cell, &c, err)
		      : -ENOMEM;
	if (!ret)
		ret = judge_all(&c, o);
	if (ret) {
		arena_free(arena);
		return err_set(err, ret, "%s: out of memory", s->path);
	}
	*out = o;
	return 0;
}

void scenario_outcome_free(struct scenario_outcome *o)
{
	if (o)
		arena_free(o->arena);
}
