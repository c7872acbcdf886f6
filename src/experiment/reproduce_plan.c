// SPDX-License-Identifier: BSD-2-Clause
/* Rows of published tables: what each asks for, and which share their runs. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "experiment/kernel_dump.h"
#include "experiment/reproduce.h"

#define MAX_EXPR 512

struct plan {
	struct reproduction *x;
	const struct registry *r;
	bool no_memory;
};

static const char *text(struct plan *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* a formatted string in the plan's arena */
static const char *text(struct plan *p, const char *fmt, ...)
{
	char buf[MAX_EXPR];
	const char *s;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	s = arena_strdup(p->x->arena, buf);
	p->no_memory |= !s;
	return s;
}

/* What a word of the table stands for; NULL with the row's reason if nothing. */
static const char *meaning(struct plan *p, struct reproduce_row *row, const char *kind,
			   const struct registry_word *list, u32 nr, const char *label)
{
	const struct registry_word *w = registry_find_word(list, nr, label);

	if (!w)
		row->why = text(p, "the registry doesn't know the %s '%.60s'", kind, label);
	else if (!w->is)
		row->why = w->missing;
	return w ? w->is : NULL;
}

/* a kernel expression that can run; else NULL with the row's reason */
static const char *kernel(struct plan *p, struct reproduce_row *row, const char *label)
{
	const struct registry_experiment *e = row->experiment;
	const char *expr = meaning(p, row, "kernel", e->kernels, e->nr_kernels, label);
	struct sched_kernel k;
	struct err err = { 0 };

	if (!expr || (!kernel_load(expr, &k, &err) && !sched_kernel_check_built(&k, &err)))
		return expr;
	row->why = text(p, "%s", err.msg);
	return NULL;
}

static int find_group(struct plan *p, const char *machine, const char *workload)
{
	struct reproduction *x = p->x;
	int i = 0;

	while (i < x->nr_groups && (strcmp(x->group[i].machine, machine) ||
				    strcmp(x->group[i].workload, workload)))
		i++;
	if (i == x->nr_groups)
		x->group[x->nr_groups++] = (struct reproduce_group){ .machine = machine,
								     .workload = workload };
	return i;
}

static int find_kernel(struct reproduce_group *g, const char *expr)
{
	for (int i = 0; i < g->nr_kernels; i++)
		if (!strcmp(g->kernel[i], expr))
			return i;
	if (g->nr_kernels == REPRODUCE_KERNELS)
		return -1;
	g->kernel[g->nr_kernels] = expr;
	return g->nr_kernels++;
}

static const char *expand(struct plan *p, struct reproduce_row *row, const char *what)
{
	char buf[MAX_EXPR];
	int ret = registry_expand(what, row->published->param, buf, sizeof(buf));

	if (!ret)
		return text(p, "%s", buf);
	row->why = ret == -EINVAL ? text(p, "param '%.60s' has no number in it",
					 row->published->param)
				  : text(p, "param '%.60s…' is too long", row->published->param);
	return NULL;
}

static void plan_runs(struct plan *p, struct reproduce_row *row)
{
	const struct registry_file *f = registry_file(p->r);
	const struct published_row *pub = row->published;
	const char *machine, *base, *variant, *workload;
	struct reproduce_group *g;

	if (!(machine = meaning(p, row, "machine", f->machines, f->nr_machines, pub->machine)) ||
	    !(base = kernel(p, row, pub->base)) || !(variant = kernel(p, row, pub->variant)) ||
	    !(workload = expand(p, row, row->benchmark->workload)) ||
	    !(row->metric = expand(p, row, row->benchmark->metric)))
		return;
	row->group = find_group(p, machine, workload);
	g = &p->x->group[row->group];
	row->base = find_kernel(g, base);
	row->variant = find_kernel(g, variant);
	if (row->base >= 0 && row->variant >= 0)
		return;
	row->group = -1;
	row->why = text(p, "more than %d kernels with one machine and workload", REPRODUCE_KERNELS);
}

static bool bad_run(const char *note)
{
	return strcasestr(note, "bad-run") || strcasestr(note, "bad run");
}

static void plan_row(struct plan *p, struct reproduce_row *row)
{
	const struct published_row *pub = row->published;
	const struct registry_benchmark *b;

	row->group = -1;
	row->score.published_base = pub->base_value;
	row->score.published_gain_pct = pub->gain_pct;
	row->score.relative = !strcmp(pub->unit, "ratio") || !strncmp(pub->unit, "% of", 4);
	row->experiment = registry_find(p->r, pub->experiment);
	if (!row->experiment) {
		row->why = text(p, "the registry doesn't know the experiment '%.60s'",
				pub->experiment);
		return;
	}
	b = row->benchmark = registry_find_benchmark(row->experiment, pub->benchmark, pub->param,
						     pub->note);
	if (!b)
		row->why = text(p, "the registry doesn't know the benchmark '%.60s' here",
				pub->benchmark);
	else if (b->missing)
		row->why = b->missing;
	else
		plan_runs(p, row);
	if (row->group < 0)
		return;
	if (!pub->figures)
		row->why = "no published figure";
	else if (bad_run(pub->note))
		row->why = "noted as a bad run";
	else
		row->why = registry_unscored(b, pub->param);
	row->score.scored = !row->why;
}

static void add_rows(const struct registry_experiment *e, const struct registry_benchmark *b,
		     const char *param, struct published *p)
{
	for (u32 k = 1; k < e->nr_kernels; k++)
		p->row[p->nr_rows++] = (struct published_row){
			.experiment = e->name,
			.benchmark = b->label,
			.machine = e->machine,
			.param = param,
			.base = e->kernels[0].label,
			.variant = e->kernels[k].label,
			.unit = "",
			.note = b->note ?: "",
		};
}

int reproduce_rows(const struct registry_experiment *e, struct arena *a, struct published *p,
		   struct err *err)
{
	size_t nr = 0;

	for (u32 i = 0; i < e->nr_benchmarks; i++)
		nr += (size_t)max(e->benchmarks[i].nr_params, 1U) * e->nr_kernels;
	*p = (struct published){ .path = e->name };
	p->row = arena_array(a, max(nr, (size_t)1), sizeof(*p->row));
	if (!p->row)
		return err_set(err, -ENOMEM, "out of memory");
	for (u32 i = 0; i < e->nr_benchmarks; i++) {
		const struct registry_benchmark *b = &e->benchmarks[i];

		for (u32 k = 0; k < b->nr_params; k++)
			add_rows(e, b, b->params[k], p);
		if (!b->nr_params)
			add_rows(e, b, "", p);
	}
	return 0;
}

int reproduce_plan(const struct registry *r, const struct published *pub,
		   const struct reproduce_spec *spec, struct reproduction **out, struct err *err)
{
	struct arena *arena = arena_new();
	struct reproduction *x = arena ? arena_alloc(arena, sizeof(*x)) : NULL;
	struct plan p = { .x = x, .r = r };

	*out = NULL;
	if (!x) {
		arena_free(arena);
		return err_set(err, -ENOMEM, "out of memory");
	}
	x->arena = arena;
	x->published = pub;
	x->nr_seeds = spec->nr_seeds;
	x->first_seed = spec->first_seed;
	x->row = arena_array(arena, max(pub->nr_rows, 1), sizeof(*x->row));
	x->group = arena_array(arena, max(pub->nr_rows, 1), sizeof(*x->group));
	p.no_memory = !x->row || !x->group;
	for (int i = 0; i < pub->nr_rows && !p.no_memory; i++) {
		if (spec->experiment && strcmp(pub->row[i].experiment, spec->experiment))
			continue;
		x->row[x->nr_rows].published = &pub->row[i];
		plan_row(&p, &x->row[x->nr_rows++]);
	}
	if (p.no_memory) {
		reproduction_free(x);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*out = x;
	return 0;
}

void reproduction_free(struct reproduction *x)
{
	if (x)
		arena_free(x->arena);
}
