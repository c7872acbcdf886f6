// SPDX-License-Identifier: BSD-2-Clause
/* The expectations of a scenario file. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/scenario_figures.h"
#include "experiment/scenario_file.h"

#define MAX_VALUE 1000000000000000ULL

/* One expectation: where its values stand in the file. */
struct place {
	const struct scenario_reader *r;
	int i;
	char path[64];
};

static const char *at(struct place *p, const char *key)
{
	snprintf(p->path, sizeof(p->path), "expect[%d]%s%s", p->i, *key ? "." : "", key);
	return p->path;
}

#define FAIL(p, key, ...) yaml_fail((p)->r->doc, (p)->r->err, -EINVAL, at(p, key), __VA_ARGS__)

/* digits, at most one point: nothing else, so that no locale and no "nan" matters */
static int plain_number(const char *text, double *v, struct err *err)
{
	size_t n = strspn(text, "0123456789");
	const char *rest = text + n;

	if (n && *rest == '.')
		rest += 1 + strspn(rest + 1, "0123456789");
	if (!n || n > 15 || *rest || rest[-1] == '.')
		return err_set(err, -EINVAL, "'%.40s' is not a number; write it like '1.5'", text);
	*v = (double)strtoull(text, NULL, 10);
	if (text[n] == '.') {
		double scale = 0.1;

		for (const char *s = text + n + 1; *s; s++, scale /= 10)
			*v += (*s - '0') * scale;
	}
	return 0;
}

static int number(struct place *p, const char *key, const char *text,
		  const struct scenario_expect *e, double *v)
{
	enum quantity unit = e->figure->unit;
	u64 n;
	int ret;

	if (e->than >= 0 || unit == Q_COUNT) {
		ret = plain_number(text, v, p->r->err);
	} else {
		ret = quantity_parse(text, unit, 0, MAX_VALUE, &n, p->r->err);
		*v = ret ? 0 : (double)n;
	}
	return ret ? FAIL(p, key, "%s", "") : 0;
}

static int cpu_list(struct place *p, const char *text, struct scenario_expect *e)
{
	const char *s = text;

	while (*s) {
		char *end;
		long cpu = isdigit((unsigned char)*s) ? strtol(s, &end, 10) : -1;

		if (cpu < 0 || (*end && *end != ' '))
			return FAIL(p, "is", "'%.60s' is not a list of CPUs such as '8 9 10'",
				    text);
		if (cpu >= p->r->s->machine->topo.nr_cpus)
			return FAIL(p, "is", "CPU %ld doesn't exist, the machine has CPUs 0-%d",
				    cpu, p->r->s->machine->topo.nr_cpus - 1);
		if (e->nr_list == SCENARIO_MAX_LIST)
			return FAIL(p, "is", "more than %d CPUs", SCENARIO_MAX_LIST);
		e->list[e->nr_list++] = (int)cpu;
		s = end + strspn(end, " ");
	}
	return e->nr_list ? 0 : FAIL(p, "is", "an empty list");
}

static int list_limits(struct place *p, const struct scenario_file_expect *f,
		       struct scenario_expect *e)
{
	if (f->min || f->max)
		return FAIL(p, f->min ? "min" : "max",
			    "'%s' is a list of CPUs: say what it 'is', or 'within' which CPUs",
			    e->figure->name);
	if (f->than || f->seeds)
		return FAIL(p, f->than ? "than" : "seeds", "'%s' is a list of CPUs, not a number",
			    e->figure->name);
	if (!f->is && !f->within)
		return FAIL(p, "", "nothing is expected: give 'is' or 'within'");
	if (f->within) {
		e->within = scenario_mask(p->r, at(p, "within"), f->within);
		if (!e->within)
			return -EINVAL;
	}
	return f->is ? cpu_list(p, f->is, e) : 0;
}

static int number_limits(struct place *p, const struct scenario_file_expect *f,
			 struct scenario_expect *e)
{
	if (f->within)
		return FAIL(p, "within", "'%s' is a number: give 'min', 'max' or 'is'",
			    e->figure->name);
	if (f->is && (f->min || f->max))
		return FAIL(p, "is", "'is' goes without 'min' and 'max'");
	if (!f->is && !f->min && !f->max)
		return FAIL(p, "", "nothing is expected: give 'min', 'max' or 'is'");
	e->has_min = f->is || f->min;
	e->has_max = f->is || f->max;
	if (e->has_min && number(p, f->is ? "is" : "min", f->is ? f->is : f->min, e, &e->min))
		return -EINVAL;
	if (e->has_max && number(p, f->is ? "is" : "max", f->is ? f->is : f->max, e, &e->max))
		return -EINVAL;
	if (e->has_min && e->has_max && e->min > e->max)
		return FAIL(p, "min", "nothing is at least %.40s and at most %.40s", f->min,
			    f->max);
	return 0;
}

static int find_kernel(struct place *p, const char *key, const char *name, int *kernel)
{
	const struct scenario *s = p->r->s;

	*kernel = -1;
	for (int i = 0; name && i < s->nr_kernels; i++)
		if (!strcmp(s->kernel[i].name, name))
			*kernel = i;
	if (name && *kernel < 0)
		return FAIL(p, key, "no kernel of this scenario is called '%.60s'", name);
	return 0;
}

/* does a task of the scenario have that name? Those of a workload aren't known before it runs. */
static int check_of(struct place *p, const struct scenario_expect *e)
{
	const struct scenario *s = p->r->s;

	for (int i = 0; i < s->nr_tasks; i++) {
		size_t n = strlen(s->task[i].name);

		if (!strncmp(e->of, s->task[i].name, n) &&
		    !e->of[n + strspn(e->of + n, "0123456789")])
			return 0;
	}
	return s->nr_tasks ? FAIL(p, "of", "no task of this scenario is called '%.40s'", e->of) : 0;
}

/* keys that mean nothing to the figure */
static int check_keys(struct place *p, const struct scenario_file_expect *f,
		      const struct scenario_figure *fig)
{
	const struct {
		const char *key, *value;
		bool allowed;
	} keys[] = { { "of", f->of, fig->of },
		     { "cpus", f->cpus, fig->cpus },
		     { "after", f->after, fig->after } };

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].value && !keys[i].allowed)
			return FAIL(p, keys[i].key, "'%s' means nothing to '%s'", keys[i].key,
				    fig->name);
	return 0;
}

static int read_scope(struct place *p, const struct scenario_file_expect *f,
		      struct scenario_expect *e)
{
	e->of = f->of ? arena_strdup(p->r->s->arena, f->of) : NULL;
	if (f->of && !e->of)
		return err_set(p->r->err, -ENOMEM, "out of memory");
	if (e->of && check_of(p, e))
		return -EINVAL;
	if (f->cpus) {
		e->cpus = scenario_mask(p->r, at(p, "cpus"), f->cpus);
		if (!e->cpus)
			return -EINVAL;
	}
	if (f->after && quantity_parse(f->after, Q_TIME, 0, MAX_VALUE, &e->after, p->r->err))
		return FAIL(p, "after", "%s", "");
	if (find_kernel(p, "kernel", f->kernel, &e->kernel) ||
	    find_kernel(p, "than", f->than, &e->than))
		return -EINVAL;
	if (f->than && (e->kernel < 0 || e->kernel == e->than))
		return FAIL(p, "than", "to compare with '%.40s' name another 'kernel'", f->than);
	if (f->seeds && strcmp(f->seeds, "mean") && strcmp(f->seeds, "each"))
		return FAIL(p, "seeds", "'%.40s' is neither 'each' nor 'mean'", f->seeds);
	e->mean = f->seeds && !strcmp(f->seeds, "mean");
	return 0;
}

int scenario_read_expect(const struct scenario_reader *r, int i)
{
	const struct scenario_file_expect *f = &r->f->expect[i];
	struct scenario_expect *e = &r->s->expect[i];
	struct place p = { .r = r, .i = i };
	const char *arg;

	e->figure = scenario_figure_find(f->figure, &arg, r->err);
	if (!e->figure)
		return FAIL(&p, "figure", "%s", "");
	if (arg) {
		e->arg = arena_strdup(r->s->arena, arg);
		if (!e->arg)
			return err_set(r->err, -ENOMEM, "out of memory");
	}
	if (check_keys(&p, f, e->figure) || read_scope(&p, f, e))
		return -EINVAL;
	return e->figure->list ? list_limits(&p, f, e) : number_limits(&p, f, e);
}
