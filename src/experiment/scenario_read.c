// SPDX-License-Identifier: BSD-2-Clause
/* A scenario file: what it says, checked and with everything it names. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/read_file.h"
#include "experiment/kernel_dump.h"
#include "experiment/scenario_file.h"
#include "machine/quantity.h"

#define MAX_SEEDS    1000
#define MAX_COUNT    10000
#define MAX_NAME     11 /* with a number behind it the engine keeps it whole */
#define MAX_DURATION (1000 * NSEC_PER_SEC)

static int no_memory(const struct scenario_reader *r)
{
	return err_set(r->err, -ENOMEM, "%s: out of memory", r->s->path);
}

#define FAIL(r, path, ...) yaml_fail((r)->doc, (r)->err, -EINVAL, path, __VA_ARGS__)

/* ---- single values ---- */

const u64 *scenario_mask(const struct scenario_reader *r, const char *path, const char *text)
{
	int nr = r->s->machine->topo.nr_cpus;
	u64 *m = arena_array(r->s->arena, mask_words(nr), sizeof(u64));

	if (!m) {
		no_memory(r);
		return NULL;
	}
	if (!strcmp(text, "all"))
		mask_fill(m, nr);
	else if (mask_parse(text, m, nr, r->err)) {
		FAIL(r, path, "%s", "");
		return NULL;
	}
	return m;
}

int scenario_find_task(const struct scenario_reader *r, const char *path, const char *name)
{
	for (u32 i = 0; i < r->f->nr_tasks; i++)
		if (!strcmp(r->f->tasks[i].name, name))
			return (int)i;
	return FAIL(r, path, "no task of this scenario is called '%.40s'", name);
}

/* a value that may be absent; -EINVAL with the place */
static int value(const struct scenario_reader *r, const char *path, const char *text,
		 enum quantity q, u64 lo, u64 hi, u64 def, u64 *v)
{
	*v = def;
	if (text && quantity_parse(text, q, lo, hi, v, r->err))
		return FAIL(r, path, "%s", "");
	return 0;
}

static const char *text(const struct scenario_reader *r, const char *s)
{
	return s ? arena_strdup(r->s->arena, s) : NULL;
}

/*
 * What the file names by a path is found from its own folder. A preset is a name, a synthetic
 * string has blanks in it, a workload may have parameters behind the path.
 */
static int from_folder(const struct scenario_reader *r, const char *expr, const char **out)
{
	const char *slash = strrchr(r->s->path, '/');
	size_t folder = slash ? (size_t)(slash + 1 - r->s->path) : 0, len = strlen(expr);
	size_t before = strncmp(expr, "rtapp:", 6) ? 0 : 6; /* the path comes behind it */
	bool path = strchr(expr, '/') || strstr(expr, ".yaml") || strstr(expr, ".xml") ||
		    strstr(expr, ".json");
	char *s;

	if (!path || expr[before] == '/' || strchr(expr, ' '))
		folder = 0;
	s = arena_alloc(r->s->arena, folder + len + 1);
	if (!s)
		return no_memory(r);
	memcpy(s, expr, before);
	memcpy(s + before, r->s->path, folder);
	memcpy(s + before + folder, expr + before, len - before);
	*out = s;
	return 0;
}

/* ---- kernels, groups ---- */

static int read_kernels(const struct scenario_reader *r)
{
	struct scenario *s = r->s;
	char path[48];

	s->nr_kernels = (int)r->f->nr_kernels;
	s->kernel = arena_array(s->arena, s->nr_kernels, sizeof(*s->kernel));
	if (!s->kernel)
		return no_memory(r);
	for (int i = 0; i < s->nr_kernels; i++) {
		const struct scenario_file_kernel *f = &r->f->kernels[i];
		struct scenario_kernel *k = &s->kernel[i];

		k->expr = text(r, f->kernel);
		k->name = f->name ? text(r, f->name) : k->expr;
		if (!k->expr || !k->name)
			return no_memory(r);
		snprintf(path, sizeof(path), "kernels[%d].kernel", i);
		if (kernel_load(k->expr, &k->k, r->err) || sched_kernel_check_built(&k->k, r->err))
			return FAIL(r, path, "%s", "");
		for (int j = 0; j < i; j++)
			if (!strcmp(s->kernel[j].name, k->name))
				return FAIL(r, path, "two kernels are called '%.60s'; name them",
					    k->name);
	}
	return 0;
}

static int read_groups(const struct scenario_reader *r)
{
	struct scenario *s = r->s;
	char path[48];
	u64 weight;

	s->nr_groups = (int)r->f->nr_groups;
	s->group = arena_array(s->arena, max(s->nr_groups, 1), sizeof(*s->group));
	if (!s->group)
		return no_memory(r);
	for (int i = 0; i < s->nr_groups; i++) {
		const struct scenario_file_group *f = &r->f->groups[i];

		snprintf(path, sizeof(path), "groups[%d].weight", i);
		if (value(r, path, f->weight, Q_COUNT, 1, 10000, 100, &weight))
			return -EINVAL;
		s->group[i].name = text(r, f->name);
		if (!s->group[i].name)
			return no_memory(r);
		s->group[i].shares = max((weight * 1024 + 50) / 100, 2ULL); /* spec 09 §1 */
		for (int j = 0; j < i; j++)
			if (!strcmp(s->group[j].name, f->name))
				return FAIL(r, path, "two groups are called '%.40s'", f->name);
	}
	return 0;
}

/* ---- tasks ---- */

/* The place of a value of a task. */
struct task_place {
	const struct scenario_reader *r;
	int i;
	char path[64];
};

static const char *at(struct task_place *p, const char *key)
{
	snprintf(p->path, sizeof(p->path), "tasks[%d].%s", p->i, key);
	return p->path;
}

static int read_policy(struct task_place *p, const struct scenario_file_task *f,
		       struct scenario_task *t)
{
	static const char *const names[] = { "normal", "batch", "idle", "fifo", "rr" };
	s64 nice = 0;
	u64 v;

	while (f->policy && t->policy < (int)ARRAY_SIZE(names) &&
	       strcmp(f->policy, names[t->policy]))
		t->policy++;
	if (t->policy == ARRAY_SIZE(names))
		return FAIL(p->r, at(p, "policy"),
			    "'%.40s' is none of normal, batch, idle, fifo, rr", f->policy);
	if (f->nice && grammar_int("nice", f->nice, -20, 19, &nice, p->r->err))
		return FAIL(p->r, at(p, "nice"), "%s", "");
	t->nice = (int)nice;
	if (!!f->priority != policy_is_rt(t->policy))
		return FAIL(p->r, at(p, f->priority ? "priority" : "policy"),
			    "fifo and rr, and no others, have a priority from 1 to 99");
	if (value(p->r, at(p, "priority"), f->priority, Q_COUNT, 1, 99, 0, &v))
		return -EINVAL;
	t->rt_priority = (int)v;
	return value(p->r, at(p, "slice"), f->slice, Q_TIME, 100000, 100000000, 0, &t->slice_ns);
}

static int read_where(struct task_place *p, const struct scenario_file_task *f,
		      struct scenario_task *t)
{
	int nr = p->r->s->machine->topo.nr_cpus;
	u64 v;

	if (f->cpus) {
		t->cpus = scenario_mask(p->r, at(p, "cpus"), f->cpus);
		if (!t->cpus)
			return -EINVAL;
	}
	if (value(p->r, at(p, "start"), f->start, Q_COUNT, 0, nr - 1, 0, &v) ||
	    value(p->r, at(p, "at"), f->at, Q_TIME, 0, MAX_DURATION, 0, &t->at))
		return -EINVAL;
	t->start = f->start ? (int)v : -1;
	if (t->start >= 0 && t->cpus && !mask_test(t->cpus, t->start))
		return FAIL(p->r, at(p, "start"), "CPU %d isn't among the task's cpus, %.40s",
			    t->start, f->cpus);
	t->group = -1;
	for (int i = 0; f->group && i < p->r->s->nr_groups; i++)
		if (!strcmp(p->r->s->group[i].name, f->group))
			t->group = i;
	if (f->group && t->group < 0)
		return FAIL(p->r, at(p, "group"), "'groups' has no '%.40s'", f->group);
	return 0;
}

static int read_task(const struct scenario_reader *r, int i)
{
	const struct scenario_file_task *f = &r->f->tasks[i];
	struct scenario_task *t = &r->s->task[i];
	struct task_place p = { .r = r, .i = i };
	u64 count, thread;

	t->name = text(r, f->name);
	if (!t->name)
		return no_memory(r);
	if (strlen(f->name) > MAX_NAME || strpbrk(f->name, " ,"))
		return FAIL(r, at(&p, "name"), "a name is at most %d characters, without blanks",
			    MAX_NAME);
	if (value(r, at(&p, "count"), f->count, Q_COUNT, 1, MAX_COUNT, 1, &count) ||
	    value(r, at(&p, "thread"), f->thread, Q_BOOL, 0, 1, 0, &thread) ||
	    value(r, at(&p, "footprint"), f->footprint, Q_BYTES, 0, 1ULL << 40, 0, &t->footprint))
		return -EINVAL;
	t->count = (int)count;
	t->thread = thread;
	if (read_policy(&p, f, t) || read_where(&p, f, t))
		return -EINVAL;
	for (int j = 0; j < i; j++)
		if (!strcmp(r->s->task[j].name, t->name))
			return FAIL(r, at(&p, "name"), "two tasks are called '%s'", t->name);
	return 0;
}

/* do the programs of entry @i, or of what it forks, fork entry @what? */
static bool forks(const struct scenario *s, int i, int what, int depth)
{
	for (int k = 0; k < s->task[i].nr_steps && depth <= s->nr_tasks; k++) {
		const struct scenario_step *step = &s->task[i].step[k];

		if (step->op == SCENARIO_FORK &&
		    (step->task == what || forks(s, step->task, what, depth + 1)))
			return true;
	}
	return depth > s->nr_tasks;
}

/* What only shows once every program is read. */
static int check_task(const struct scenario_reader *r, int i)
{
	const struct scenario_task *t = &r->s->task[i];
	struct task_place p = { .r = r, .i = i };
	char path[64];

	if (t->forked && (t->start >= 0 || r->f->tasks[i].at))
		return FAIL(r, at(&p, t->start >= 0 ? "start" : "at"),
			    "'%s' is forked by another task: where and when is that one's choice",
			    t->name);
	if (t->forked && r->f->tasks[i].count)
		return FAIL(r, at(&p, "count"),
			    "'%s' is forked by another task, as often as that says", t->name);
	if (forks(r->s, i, i, 0))
		return FAIL(r, at(&p, "program"), "'%s' would fork itself without end", t->name);
	for (int k = 0; k < t->nr_steps; k++) {
		const struct scenario_step *step = &t->step[k];

		snprintf(path, sizeof(path), "tasks[%d].program[%d]", i, k);
		if (step->op == SCENARIO_WAKE && r->s->task[step->task].forked)
			return FAIL(r, path,
				    "'%s' is forked by a task; only those can be woken that are "
				    "there from the start",
				    r->s->task[step->task].name);
	}
	return 0;
}

static int read_tasks(const struct scenario_reader *r)
{
	struct scenario *s = r->s;
	int ret = 0;

	s->nr_tasks = (int)r->f->nr_tasks;
	s->task = arena_array(s->arena, max(s->nr_tasks, 1), sizeof(*s->task));
	if (!s->task)
		return no_memory(r);
	for (int i = 0; i < s->nr_tasks && !ret; i++)
		ret = read_task(r, i);
	for (int i = 0; i < s->nr_tasks && !ret; i++)
		ret = scenario_read_program(r, i);
	for (int i = 0; i < s->nr_tasks && !ret; i++)
		ret = check_task(r, i);
	return ret;
}

/* ---- the whole ---- */

static int read_load(const struct scenario_reader *r)
{
	const struct scenario_file *f = r->f;
	struct scenario *s = r->s;
	const char *expr;

	if (!f->workload == !f->nr_tasks)
		return FAIL(r, f->workload ? "workload" : "", "give either a workload or tasks");
	if (f->workload) {
		if (f->duration)
			return FAIL(r, "duration", "a workload says itself how long it takes");
		if (from_folder(r, f->workload, &expr))
			return -ENOMEM;
		if (workload_parse(expr, &s->workload, r->err))
			return FAIL(r, "workload", "%s", "");
		return 0;
	}
	if (!f->duration)
		return FAIL(r, "tasks",
			    "tasks need a 'duration', at which the run ends at the latest");
	if (value(r, "duration", f->duration, Q_TIME, 1, MAX_DURATION, 0, &s->duration))
		return -EINVAL;
	return read_tasks(r);
}

static int read_head(const struct scenario_reader *r)
{
	const struct scenario_file *f = r->f;
	struct scenario *s = r->s;
	u64 seeds, noise;

	s->name = text(r, f->name);
	s->description = text(r, f->description);
	s->machine_expr = text(r, f->machine);
	if (!s->name || !s->description || !s->machine_expr)
		return no_memory(r);
	if (value(r, "seeds", f->seeds, Q_COUNT, 1, MAX_SEEDS, 1, &seeds) ||
	    value(r, "noise", f->noise, Q_BOOL, 0, 1, 1, &noise))
		return -EINVAL;
	s->nr_seeds = (int)seeds;
	s->noise = noise;
	return 0;
}

/* CPUs that go and come (docs/hotplug.md) */
static int read_timeline(const struct scenario_reader *r)
{
	struct timeline_spec spec = { .isolcpus = r->f->isolcpus };

	if (r->f->nr_events > TIMELINE_MAX)
		return FAIL(r, "events", "more than %d events", TIMELINE_MAX);
	for (u32 i = 0; i < r->f->nr_events; i++)
		spec.at[spec.nr++] = r->f->events[i];
	if (!spec.nr && !spec.isolcpus)
		return 0;
	if (!timeline_new(&spec, r->s->machine->topo.nr_cpus, &r->s->timeline, r->err))
		return 0;
	return FAIL(r, spec.nr ? "events" : "isolcpus", "%s", "");
}

static int read_all(const struct scenario_reader *r)
{
	struct scenario *s = r->s;
	const char *machine;
	int ret = read_head(r);

	if (!ret)
		ret = from_folder(r, s->machine_expr, &machine);
	if (!ret) {
		ret = machine_load(machine, &s->machine, r->err);
		if (ret)
			FAIL(r, "machine", "%s", "");
	}
	if (!ret)
		ret = read_kernels(r);
	if (!ret)
		ret = read_groups(r);
	if (!ret)
		ret = read_timeline(r);
	if (!ret)
		ret = read_load(r);
	s->nr_expects = (int)r->f->nr_expect;
	s->expect = arena_array(s->arena, s->nr_expects, sizeof(*s->expect));
	if (!ret && !s->expect)
		ret = no_memory(r);
	for (int i = 0; i < s->nr_expects && !ret; i++)
		ret = scenario_read_expect(r, i);
	return ret;
}

int scenario_parse(const char *path, const char *yaml, size_t len, struct scenario **out,
		   struct err *err)
{
	struct arena *arena = arena_new();
	struct scenario *s = arena ? arena_alloc(arena, sizeof(*s)) : NULL;
	struct scenario_reader r = { .s = s, .err = err };
	struct yaml_doc *doc = NULL;
	int ret;

	if (!s) {
		arena_free(arena);
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	}
	s->arena = arena;
	s->path = arena_strdup(arena, path);
	ret = s->path ? yaml_doc_load(path, yaml, len, &scenario_file_schema, &doc, err)
		      : err_set(err, -ENOMEM, "%s: out of memory", path);
	if (!ret) {
		r.doc = doc;
		r.f = yaml_doc_root(doc);
		ret = read_all(&r);
	}
	yaml_doc_free(doc);
	if (ret) {
		scenario_free(s);
		return ret;
	}
	*out = s;
	return 0;
}

int scenario_load(const char *path, struct scenario **s, struct err *err)
{
	struct arena *scratch = arena_new();
	const char *yaml;
	size_t len;
	int ret;

	if (!scratch)
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	ret = read_whole_file(scratch, path, &yaml, &len, err);
	if (!ret)
		ret = scenario_parse(path, yaml, len, s, err);
	arena_free(scratch);
	return ret;
}

void scenario_free(struct scenario *s)
{
	if (!s)
		return;
	workload_free(s->workload);
	timeline_free(s->timeline);
	machine_free(s->machine);
	arena_free(s->arena);
}
