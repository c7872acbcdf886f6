// SPDX-License-Identifier: BSD-2-Clause
/*
 * figures.c - stays on CPUs and migrations of a trace, summed up by task.
 */
#include "replay/figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/stays.h"

/* One wake-up's way to a CPU. */
struct sample {
	u32 task;
	u64 ns;
};

struct measure {
	const struct figures_of *of;
	const struct replay *r;
	struct figures *f;
	struct sample *sample;
	size_t nr, room;
	bool no_memory;
};

static struct figure *figure_of(struct measure *m, s32 pid, u64 ns, u32 *task)
{
	u32 i = pid > 0 ? m->of->task_of(m->of->ctx, pid, ns) : STORY_NONE;

	if (i == STORY_NONE || m->r->task[i].skipped)
		return NULL;
	if (task)
		*task = i;
	return &m->f->task[i];
}

static void add_sample(struct measure *m, u32 task, u64 ns)
{
	if (m->nr == m->room) {
		size_t room = m->room ? m->room * 2 : 1024;
		struct sample *s = realloc(m->sample, room * sizeof(*s));

		if (!s) {
			m->no_memory = true;
			return;
		}
		m->sample = s;
		m->room = room;
	}
	m->sample[m->nr++] = (struct sample){ task, ns };
}

static void add_stay(void *ctx, const struct trace_stay *s)
{
	struct measure *m = ctx;
	u32 task;
	struct figure *f = figure_of(m, s->pid, s->in_ns, &task);
	u64 delay = trace_stay_delay(s), out = s->open ? max(s->out_ns, m->of->end_ns) : s->out_ns;

	if (!f)
		return;
	f->switches++;
	f->runtime_ns += out - s->in_ns;
	f->wait_ns += delay;
	f->end_ns = out - m->of->start_ns;
	if (!s->has_delay)
		return;
	if (s->was_preempted) {
		f->preemptions++;
		return;
	}
	f->wakeups++;
	f->max_ns = max(f->max_ns, delay);
	add_sample(m, task, delay);
}

static void add_migration(struct measure *m, const struct trace_event *e)
{
	const struct sched_topology *t = m->of->topo;
	struct figure *f = figure_of(m, e->pid, e->ns, NULL);

	if (!f)
		return;
	f->migrations++;
	if (t && e->orig_cpu < t->nr_cpus && e->target_cpu < t->nr_cpus)
		f->by_distance[topo_distance(t, e->orig_cpu, e->target_cpu)]++;
}

static int by_task(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return (x->ns > y->ns) - (x->ns < y->ns);
}

static int by_ns(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* the smallest value that @permille of the sorted ones don't exceed */
static u64 percentile(const struct sample *s, size_t n, int permille)
{
	return n ? s[(n * permille + 999) / 1000 - 1].ns : 0;
}

static void set_percentiles(struct figure *f, const struct sample *s, size_t n)
{
	f->p50_ns = percentile(s, n, 500);
	f->p95_ns = percentile(s, n, 950);
	f->p99_ns = percentile(s, n, 990);
}

static void add_figure(struct figure *sum, const struct figure *f)
{
	sum->wakeups += f->wakeups;
	sum->max_ns = max(sum->max_ns, f->max_ns);
	sum->wait_ns += f->wait_ns;
	sum->runtime_ns += f->runtime_ns;
	sum->switches += f->switches;
	sum->preemptions += f->preemptions;
	sum->migrations += f->migrations;
	for (int d = 0; d < NR_DISTANCES; d++)
		sum->by_distance[d] += f->by_distance[d];
	sum->end_ns = max(sum->end_ns, f->end_ns);
}

static bool only_kthreads(const struct replay *r)
{
	for (u32 i = 0; i < r->nr_tasks; i++)
		if (!r->task[i].skipped && !r->task[i].kthread)
			return false;
	return true;
}

/* A trace doesn't show the beginning of stays that had begun before it; they were there. */
static void add_first_stays(struct measure *m)
{
	for (u32 i = 0; i < m->of->nr_tasks; i++) {
		const struct replay_task *t = &m->r->task[i];

		if (t->skipped)
			continue;
		m->f->task[i].runtime_ns += t->first_ns;
		m->f->task[i].end_ns = max(m->f->task[i].end_ns, t->last_ns);
	}
}

static void sum_up(struct measure *m)
{
	bool kthreads = only_kthreads(m->r);
	size_t n = 0;

	if (m->nr)
		qsort(m->sample, m->nr, sizeof(*m->sample), by_task);
	for (size_t i = 0, k; i < m->nr; i = k) {
		for (k = i; k < m->nr && m->sample[k].task == m->sample[i].task; k++)
			;
		set_percentiles(&m->f->task[m->sample[i].task], m->sample + i, k - i);
	}
	for (u32 i = 0; i < m->of->nr_tasks; i++)
		if (kthreads || !m->r->task[i].kthread)
			add_figure(&m->f->all, &m->f->task[i]);
	for (size_t i = 0; i < m->nr; i++)
		if (kthreads || !m->r->task[m->sample[i].task].kthread)
			m->sample[n++] = m->sample[i];
	if (n)
		qsort(m->sample, n, sizeof(*m->sample), by_ns);
	set_percentiles(&m->f->all, m->sample, n);
}

int figures_measure(const struct figures_of *of, const struct replay *r, struct figures *f)
{
	struct measure m = { .of = of, .r = r, .f = f };
	int ret;

	*f = (struct figures){ .nr_tasks = of->nr_tasks };
	f->task = calloc((size_t)of->nr_tasks + 1, sizeof(*f->task));
	if (!f->task)
		return -ENOMEM;
	ret = trace_stays(of->trace, add_stay, &m);
	for (size_t i = 0; i < of->trace->nr && !ret; i++)
		if (of->trace->event[i].kind == EV_MIGRATE)
			add_migration(&m, &of->trace->event[i]);
	if (of->recorded)
		add_first_stays(&m);
	if (!ret && !m.no_memory)
		sum_up(&m);
	free(m.sample);
	if (ret || m.no_memory) {
		figures_free(f);
		return -ENOMEM;
	}
	return 0;
}

void figures_free(struct figures *f)
{
	free(f->task);
	*f = (struct figures){ 0 };
}

/* ---- of the recording: pids, which may have been used twice ---- */

struct by_pid {
	s32 pid;
	u32 task;
	u64 first_ns;
};

struct pids {
	struct by_pid *at;
	u32 nr;
};

static int pid_order(const void *a, const void *b)
{
	const struct by_pid *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->task > y->task) - (x->task < y->task);
}

/* the last task of the pid that had been met by then, else its first */
static u32 task_by_pid(const void *ctx, s32 pid, u64 ns)
{
	const struct pids *p = ctx;
	u32 lo = 0, hi = p->nr;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (p->at[mid].pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == p->nr || p->at[lo].pid != pid)
		return STORY_NONE;
	while (lo + 1 < p->nr && p->at[lo + 1].pid == pid && p->at[lo + 1].first_ns <= ns)
		lo++;
	return p->at[lo].task;
}

int figures_recorded(const struct replay *r, const struct sched_topology *topo, struct figures *f)
{
	struct pids pids = { .nr = r->nr_tasks };
	struct figures_of of = {
		.trace = r->story->trace,
		.topo = topo,
		.start_ns = r->start_ns,
		.end_ns = r->start_ns + r->length_ns,
		.nr_tasks = r->nr_tasks,
		.recorded = true,
		.task_of = task_by_pid,
		.ctx = &pids,
	};
	int ret;

	*f = (struct figures){ 0 };
	pids.at = calloc((size_t)r->nr_tasks + 1, sizeof(*pids.at));
	if (!pids.at)
		return -ENOMEM;
	for (u32 i = 0; i < r->nr_tasks; i++) {
		const struct story_task *t = &r->story->task[i];

		pids.at[i] = (struct by_pid){ t->pid, i, t->first_ns };
	}
	if (pids.nr)
		qsort(pids.at, pids.nr, sizeof(*pids.at), pid_order);
	ret = figures_measure(&of, r, f);
	free(pids.at);
	return ret;
}
