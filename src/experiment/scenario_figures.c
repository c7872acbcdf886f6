// SPDX-License-Identifier: BSD-2-Clause
#include "experiment/scenario_figures.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/stats.h"

static bool wanted(const struct scenario_measured *m, const struct scenario_expect *e, int task)
{
	return !e->of || watch_is(m->w->task[task].comm, e->of);
}

static bool on_wanted_cpu(const struct scenario_expect *e, int cpu)
{
	return !e->cpus || mask_test(e->cpus, cpu);
}

/* the part of @from … @to that counts */
static u64 counted(const struct scenario_expect *e, u64 from, u64 to)
{
	from = max(from, e->after);
	return to > from ? to - from : 0;
}

static void set(struct scenario_value *v, double value)
{
	v->known = true;
	v->v = value;
}

/* ---- lists of CPUs, a task each ---- */

static void list_cpus(const struct scenario_measured *m, const struct scenario_expect *e,
		      struct scenario_value *v, bool last)
{
	for (int i = 0; i < m->w->nr_tasks; i++) {
		const struct watch_task *t = &m->w->task[i];

		if (!wanted(m, e, i))
			continue;
		if (v->nr < SCENARIO_MAX_LIST)
			v->list[v->nr] = last ? t->last_cpu : t->first_cpu;
		v->nr++;
	}
	v->known = v->nr;
}

static void placement(const struct scenario_measured *m, const struct scenario_expect *e,
		      struct scenario_value *v)
{
	list_cpus(m, e, v, false);
}

static void last_cpus(const struct scenario_measured *m, const struct scenario_expect *e,
		      struct scenario_value *v)
{
	list_cpus(m, e, v, true);
}

/* ---- times on CPUs ---- */

/* of the wanted tasks on the wanted CPUs */
static double cpu_ns(const struct scenario_measured *m, const struct scenario_expect *e)
{
	double sum = 0;

	for (int i = 0; i < m->w->nr_stays; i++) {
		const struct watch_stay *s = &m->w->stay[i];

		if (wanted(m, e, s->task) && on_wanted_cpu(e, s->cpu))
			sum += counted(e, s->from, s->to);
	}
	return sum;
}

static double task_ns(const struct scenario_measured *m, const struct scenario_expect *e, int task)
{
	double sum = 0;

	for (int i = 0; i < m->w->nr_stays; i++) {
		const struct watch_stay *s = &m->w->stay[i];

		if (s->task == task && on_wanted_cpu(e, s->cpu))
			sum += counted(e, s->from, s->to);
	}
	return sum;
}

static void cpu_time(const struct scenario_measured *m, const struct scenario_expect *e,
		     struct scenario_value *v)
{
	set(v, cpu_ns(m, e));
}

static void extreme(const struct scenario_measured *m, const struct scenario_expect *e,
		    struct scenario_value *v, bool most)
{
	for (int i = 0; i < m->w->nr_tasks; i++) {
		double ns;

		if (!wanted(m, e, i))
			continue;
		ns = task_ns(m, e, i);
		if (!v->known || (most ? ns > v->v : ns < v->v))
			set(v, ns);
	}
}

static void least_cpu_time(const struct scenario_measured *m, const struct scenario_expect *e,
			   struct scenario_value *v)
{
	extreme(m, e, v, false);
}

static void most_cpu_time(const struct scenario_measured *m, const struct scenario_expect *e,
			  struct scenario_value *v)
{
	extreme(m, e, v, true);
}

/* of the CPU time that all tasks had */
static void share(const struct scenario_measured *m, const struct scenario_expect *e,
		  struct scenario_value *v)
{
	struct scenario_expect all = { .after = e->after, .cpus = e->cpus };
	double total = cpu_ns(m, &all);

	if (total > 0)
		set(v, 1000 * cpu_ns(m, e) / total);
}

/* the part of their CPU time that tasks had on some CPUs */
static void time_there(const struct scenario_measured *m, const struct scenario_expect *e,
		       struct scenario_value *v)
{
	struct scenario_expect anywhere = { .of = e->of, .after = e->after };
	double total = cpu_ns(m, &anywhere);

	if (total > 0)
		set(v, 1000 * cpu_ns(m, e) / total);
}

static int nr_cpus(const struct scenario_measured *m, const struct scenario_expect *e)
{
	int nr = m->s->machine->topo.nr_cpus;

	return e->cpus ? mask_weight(e->cpus, mask_words(nr)) : nr;
}

/* how much of the CPUs' time is used by the tasks */
static void busy(const struct scenario_measured *m, const struct scenario_expect *e,
		 struct scenario_value *v)
{
	double total = (double)nr_cpus(m, e) * counted(e, 0, m->r->simulated_ns);

	if (total > 0)
		set(v, 1000 * cpu_ns(m, e) / total);
}

/* what a CPU is a part of */
static int core_of(const struct topo_cpu *c, int cpu)
{
	return c->core;
}

static int llc_of(const struct topo_cpu *c, int cpu)
{
	return c->llc;
}

static int node_of(const struct topo_cpu *c, int cpu)
{
	return c->node;
}

static int cpu_of(const struct topo_cpu *c, int cpu)
{
	return cpu;
}

/* on how many CPUs, cores, … the tasks ran */
static void parts_used(const struct scenario_measured *m, const struct scenario_expect *e,
		       struct scenario_value *v, int (*part)(const struct topo_cpu *, int))
{
	const struct sched_topology *t = &m->s->machine->topo;
	int words = mask_words(t->nr_cpus);
	u64 used[words];

	mask_zero(used, words);
	for (int i = 0; i < m->w->nr_stays; i++) {
		const struct watch_stay *s = &m->w->stay[i];

		if (wanted(m, e, s->task) && on_wanted_cpu(e, s->cpu) && counted(e, s->from, s->to))
			mask_set(used, part(&t->cpu[s->cpu], s->cpu));
	}
	set(v, mask_weight(used, words));
}

#define PARTS_USED(name, part)                                                                     \
	static void name(const struct scenario_measured *m, const struct scenario_expect *e,       \
			 struct scenario_value *v)                                                 \
	{                                                                                          \
		parts_used(m, e, v, part);                                                         \
	}

PARTS_USED(cpus_used, cpu_of)
PARTS_USED(cores_used, core_of)
PARTS_USED(llcs_used, llc_of)
PARTS_USED(nodes_used, node_of)

/* ---- waiting ---- */

static void waited(const struct scenario_measured *m, const struct scenario_expect *e,
		   struct scenario_value *v)
{
	double sum = 0;

	for (int i = 0; i < m->w->nr_waits; i++)
		if (wanted(m, e, m->w->wait[i].task))
			sum += counted(e, m->w->wait[i].from, m->w->wait[i].to);
	set(v, sum);
}

/* Wake-ups from `after' on. */
static bool is_latency(const struct scenario_measured *m, const struct scenario_expect *e,
		       const struct watch_wait *w)
{
	return w->woken && w->from >= e->after && wanted(m, e, w->task);
}

static void latency_mean(const struct scenario_measured *m, const struct scenario_expect *e,
			 struct scenario_value *v)
{
	double sum = 0;
	int n = 0;

	for (int i = 0; i < m->w->nr_waits; i++) {
		const struct watch_wait *w = &m->w->wait[i];

		if (!is_latency(m, e, w))
			continue;
		sum += w->to - w->from;
		n++;
	}
	if (n)
		set(v, sum / n);
}

static void latency_max(const struct scenario_measured *m, const struct scenario_expect *e,
			struct scenario_value *v)
{
	for (int i = 0; i < m->w->nr_waits; i++) {
		const struct watch_wait *w = &m->w->wait[i];

		if (is_latency(m, e, w) && (!v->known || w->to - w->from > v->v))
			set(v, w->to - w->from);
	}
}

/* ---- the rest ---- */

static void migrations(const struct scenario_measured *m, const struct scenario_expect *e,
		       struct scenario_value *v)
{
	int n = 0;

	for (int i = 0; i < m->w->nr_moves; i++)
		n += m->w->move[i].at >= e->after && wanted(m, e, m->w->move[i].task);
	set(v, n);
}

/* when the last of them was done; unknown while one isn't */
static void finished(const struct scenario_measured *m, const struct scenario_expect *e,
		     struct scenario_value *v)
{
	for (int i = 0; i < m->w->nr_tasks; i++) {
		const struct watch_task *t = &m->w->task[i];

		if (!wanted(m, e, i))
			continue;
		if (t->exited == WATCH_NEVER) {
			v->known = false;
			return;
		}
		set(v, max(v->v, (double)t->exited));
	}
}

static void length(const struct scenario_measured *m, const struct scenario_expect *e,
		   struct scenario_value *v)
{
	set(v, m->r->simulated_ns);
}

static void waste(const struct scenario_measured *m, const struct scenario_expect *e,
		  struct scenario_value *v)
{
	double total = (double)nr_cpus(m, e) * m->r->simulated_ns;

	if (total > 0)
		set(v, 1000 * (double)m->r->counter[CNT_idle_while_waiting_ns] / total);
}

static void counter(const struct scenario_measured *m, const struct scenario_expect *e,
		    struct scenario_value *v)
{
	for (int c = 0; c < NR_COUNTERS; c++)
		if (!strcmp(counter_name(c), e->arg))
			set(v, m->r->counter[c]);
}

static void metric(const struct scenario_measured *m, const struct scenario_expect *e,
		   struct scenario_value *v)
{
	for (int i = 0; i < m->r->nr_metrics; i++)
		if (!strcmp(m->r->metric[i].name, e->arg))
			set(v, m->r->metric[i].value);
}

static const struct scenario_figure figures[] = {
	{ "placement", "the CPU where each task was put first, in order", Q_COUNT, .list = true,
	  .of = true, .measure = placement },
	{ "last CPUs", "the CPU where each task was last, in the order of their placement", Q_COUNT,
	  .list = true, .of = true, .measure = last_cpus },
	{ "CPU time", "of the tasks together", Q_TIME, .of = true, .cpus = true, .after = true,
	  .measure = cpu_time },
	{ "least CPU time", "of the task that had the least", Q_TIME, .of = true, .cpus = true,
	  .after = true, .measure = least_cpu_time },
	{ "most CPU time", "of the task that had the most", Q_TIME, .of = true, .cpus = true,
	  .after = true, .measure = most_cpu_time },
	{ "share", "of the CPU time that all tasks had", Q_PERMILLE, .of = true, .cpus = true,
	  .after = true, .measure = share },
	{ "time there", "the part of the tasks' CPU time that they had on the CPUs given",
	  Q_PERMILLE, .of = true, .cpus = true, .after = true, .measure = time_there },
	{ "busy", "the part of the CPUs' time in which the tasks ran there", Q_PERMILLE, .of = true,
	  .cpus = true, .after = true, .measure = busy },
	{ "CPUs used", "number of CPUs on which any of the tasks ran", Q_COUNT, .of = true,
	  .cpus = true, .after = true, .measure = cpus_used },
	{ "cores used", "number of cores on which any of the tasks ran", Q_COUNT, .of = true,
	  .cpus = true, .after = true, .measure = cores_used },
	{ "LLCs used", "number of last level caches …", Q_COUNT, .of = true, .cpus = true,
	  .after = true, .measure = llcs_used },
	{ "nodes used", "number of NUMA nodes …", Q_COUNT, .of = true, .cpus = true, .after = true,
	  .measure = nodes_used },
	{ "waited", "time the tasks were runnable and didn't run, together", Q_TIME, .of = true,
	  .after = true, .measure = waited },
	{ "mean latency", "from wake-up to running", Q_TIME, .of = true, .after = true,
	  .measure = latency_mean },
	{ "max latency", "from wake-up to running", Q_TIME, .of = true, .after = true,
	  .measure = latency_max },
	{ "migrations", "changes of CPU, all causes", Q_COUNT, .of = true, .after = true,
	  .measure = migrations },
	{ "finished", "when the last of the tasks ended", Q_TIME, .of = true, .measure = finished },
	{ "length", "of the run", Q_TIME, .measure = length },
	{ "waste", "CPU time idle while a task waited that could have run there, of all CPU time",
	  Q_PERMILLE, .measure = waste },
	{ "counter", "followed by its name: a counter of `idlest run'", Q_COUNT, .arg = true,
	  .measure = counter },
	{ "metric", "followed by its name: what the workload states, in its own unit", Q_COUNT,
	  .arg = true, .measure = metric },
};

int scenario_nr_figures(void)
{
	return ARRAY_SIZE(figures);
}

const struct scenario_figure *scenario_figure(int i)
{
	return &figures[i];
}

static int check_counter(const char *name, struct err *err)
{
	const char *names[NR_COUNTERS], *near;

	for (int c = 0; c < NR_COUNTERS; c++) {
		names[c] = counter_name(c);
		if (!strcmp(names[c], name))
			return 0;
	}
	near = nearest_name(name, names, NR_COUNTERS);
	return err_set(err, -EINVAL, "there is no counter '%.40s'%s%s%s; `idlest run' prints them",
		       name, near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int no_such_figure(const char *text, struct err *err)
{
	const char *names[ARRAY_SIZE(figures)], *near;
	char list[400];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		names[i] = figures[i].name;
		if (n < sizeof(list))
			n += snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "", names[i]);
	}
	near = nearest_name(text, names, ARRAY_SIZE(figures));
	if (near)
		return err_set(err, -EINVAL, "there is no figure '%.40s', did you mean '%s'?", text,
			       near);
	return err_set(err, -EINVAL, "there is no figure '%.40s'; there are %s", text, list);
}

const struct scenario_figure *scenario_figure_find(const char *text, const char **arg,
						   struct err *err)
{
	*arg = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		const struct scenario_figure *f = &figures[i];
		size_t n = strlen(f->name);

		if (!f->arg) {
			if (!strcmp(text, f->name))
				return f;
			continue;
		}
		if (strncmp(text, f->name, n) || (text[n] && text[n] != ' '))
			continue;
		if (!text[n] || !text[n + 1]) {
			err_set(err, -EINVAL, "'%s' needs a name: write '%s NAME'", f->name,
				f->name);
			return NULL;
		}
		*arg = text + n + 1;
		if (f->measure == counter && check_counter(*arg, err))
			return NULL;
		return f;
	}
	no_such_figure(text, err);
	return NULL;
}
