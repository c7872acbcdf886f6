// SPDX-License-Identifier: BSD-2-Clause
#include "report/replay_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "report/comparison.h"
#include "report/escape.h"
#include "report/json.h"

#define LABEL_WIDTH  26
#define COLUMN_WIDTH 26
#define MAX_NAME     256

/* A figure of a task, or of all of them, over the seeds. */
static double *values(const struct replays *r, int kernel, u32 task,
		      double (*value)(const struct figure *f), double *v)
{
	for (int s = 0; s < r->spec.nr_seeds; s++) {
		const struct figures *f = &r->figures[replays_at(r, kernel, s)];

		v[s] = value(task == STORY_NONE ? &f->all : &f->task[task]);
	}
	return v;
}

static const struct figure *recorded(const struct replays *r, u32 task)
{
	return task == STORY_NONE ? &r->recorded.all : &r->recorded.task[task];
}

/* ---- for people ---- */

/* four digits that mean something */
static int decimals(const struct replays_metric *m)
{
	return *m->unit ? 3 : 1;
}

static void print_kernel_cell(const struct replays *r, int kernel, u32 task,
			      const struct replays_metric *m, double *base, double *v, FILE *f)
{
	int n = r->spec.nr_seeds;
	double mean = stats_amean(values(r, kernel, task, m->value, v), n), was;
	char change[48] = "";

	if (kernel) {
		was = stats_amean(values(r, 0, task, m->value, base), n);
		if (was)
			snprintf(change, sizeof(change), " (%+.1f %%)", 100 * (mean - was) / was);
		if (n >= SIGNIFICANT_SEEDS)
			strcat(change, stats_permutation_p(base, n, v, n) <= SIGNIFICANT_P ? " *" :
											     " ~");
	}
	fprintf(f, " %12.*f%-*s", decimals(m), mean, COLUMN_WIDTH - 13, change);
}

static bool any(const struct replays *r, u32 task, const struct replays_metric *m, double *v)
{
	bool some = m->value(recorded(r, task));

	for (int k = 0; k < r->spec.nr_kernels && !some; k++)
		some = stats_max(values(r, k, task, m->value, v), r->spec.nr_seeds);
	return some;
}

static void print_figures(const struct replays *r, u32 task, double *v, FILE *f)
{
	for (int i = 0; i < replays_nr_metrics(); i++) {
		const struct replays_metric *m = replays_metric(i);
		char label[LABEL_WIDTH + 1];

		if (m->is_distance && !any(r, task, m, v))
			continue;
		snprintf(label, sizeof(label), " %s%s%s%s", m->is_distance ? "  " : "", m->name,
			 *m->unit ? " " : "", m->unit);
		fprintf(f, "%-*s %12.*f  ", LABEL_WIDTH, label, decimals(m),
			m->value(recorded(r, task)));
		for (int k = 0; k < r->spec.nr_kernels; k++)
			print_kernel_cell(r, k, task, m, v + r->spec.nr_seeds, v, f);
		fputc('\n', f);
	}
}

static void print_head(const struct replays *r, FILE *f)
{
	fprintf(f, "%-*s %12s  ", LABEL_WIDTH, "", "recorded");
	for (int k = 0; k < r->spec.nr_kernels; k++)
		fprintf(f, " %12s%-*s", r->spec.kernel_expr[k], COLUMN_WIDTH - 13, "");
	fputc('\n', f);
}

static const char *name_of(const struct replays *r, u32 task, char *buf, size_t size)
{
	char text[ESCAPED_SIZE(MAX_NAME)];

	escape_text(story_comm(r->story, task), text);
	snprintf(buf, size, "%s:%d", *text ? text : "<...>", r->story->task[task].pid);
	return buf;
}

struct by_wait {
	u32 task;
	u64 wait_ns;
};

static int longest_wait(const void *a, const void *b)
{
	const struct by_wait *x = a, *y = b;

	if (x->wait_ns != y->wait_ns)
		return x->wait_ns < y->wait_ns ? 1 : -1;
	return (x->task > y->task) - (x->task < y->task);
}

static void print_tasks(const struct replays *r, double *v, FILE *f)
{
	u32 nr = r->replay->nr_tasks, n = 0;
	struct by_wait *order = calloc((size_t)nr + 1, sizeof(*order));
	char name[ESCAPED_SIZE(MAX_NAME) + 16];

	if (!order)
		return;
	for (u32 i = 0; i < nr; i++)
		if (!r->replay->task[i].skipped)
			order[n++] = (struct by_wait){ i, r->recorded.task[i].wait_ns };
	qsort(order, n, sizeof(*order), longest_wait);
	for (u32 i = 0; i < n; i++) {
		const struct replay_task *t = &r->replay->task[order[i].task];

		fprintf(f, "\n%s%s", name_of(r, order[i].task, name, sizeof(name)),
			t->kthread ? ", kernel thread" : "");
		if (t->only_cpu >= 0)
			fprintf(f, ", on CPU %d only", t->only_cpu);
		fputs("\n", f);
		print_figures(r, order[i].task, v, f);
	}
	free(order);
}

static void print_foot(const struct replays *r, FILE *f)
{
	const struct replays_spec *s = &r->spec;

	fprintf(f, "\nMeans of %d seed%s", s->nr_seeds, s->nr_seeds == 1 ? "" : "s");
	if (s->nr_kernels == 1)
		fputs(".\n", f);
	else if (s->nr_seeds >= SIGNIFICANT_SEEDS)
		fprintf(f, "; change against %s; * differs from it (permutation test, p <= %.2f), ~ within the noise.\n",
			s->kernel_expr[0], SIGNIFICANT_P);
	else
		fprintf(f, "; change against %s, too few to tell an effect from noise (-n %d or more does).\n",
			s->kernel_expr[0], SIGNIFICANT_SEEDS);
}

void replay_print(const struct replays *r, bool tasks, FILE *f)
{
	double *v = calloc(2 * (size_t)r->spec.nr_seeds, sizeof(*v));
	const struct replay_notes *n = &r->replay->notes;

	if (!v)
		return;
	fprintf(f, "%s on %s: %u tasks (%u kernel threads), %.6f s\n\n", r->spec.trace_path,
		r->spec.machine_expr, n->tasks, n->kthreads,
		(double)r->replay->length_ns / NSEC_PER_SEC);
	print_head(r, f);
	print_figures(r, STORY_NONE, v, f);
	if (tasks)
		print_tasks(r, v, f);
	print_foot(r, f);
	free(v);
}

static void note(const char *prefix, u64 n, const char *one, const char *many, FILE *f)
{
	if (n)
		fprintf(f, "%s%llu %s\n", prefix, (unsigned long long)n, n == 1 ? one : many);
}

void replay_print_notes(const struct replays *r, const char *prefix, FILE *f)
{
	const struct replay_notes *n = &r->replay->notes;

	note(prefix, n->wakes_unseen, "sleep ended though the trace shows nobody who ended it: it takes as long as recorded",
	     "sleeps ended though the trace shows nobody who ended them: they take as long as recorded", f);
	note(prefix, n->deadline, "deadline task runs as FIFO 99: what it may use isn't in a trace",
	     "deadline tasks run as FIFO 99: what they may use isn't in a trace", f);
	note(prefix, n->pinned, "task waited on one CPU while others were idle: it may run there only",
	     "tasks waited on one CPU while others were idle: they may run there only", f);
	if (r->from_machine->topo.nr_cpus < r->story->nr_cpus)
		fprintf(f, "%s%s has %d CPUs, the trace %d: what ran beside a task when it was recorded isn't known (--from-machine tells)\n",
			prefix, r->spec.from_machine_expr ? r->spec.from_machine_expr : r->spec.machine_expr,
			r->from_machine->topo.nr_cpus, r->story->nr_cpus);
	if (!r->story->has_context)
		fprintf(f, "%sthe trace has no flags: interrupts that came while a task ran count as that task's doing\n",
			prefix);
}

/* ---- JSON ---- */

static json_t *figure_json(const struct figure *f)
{
	json_t *j = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
			      "wakeups", (json_int_t)f->wakeups,
			      "latency_p50_ns", (json_int_t)f->p50_ns,
			      "latency_p95_ns", (json_int_t)f->p95_ns,
			      "latency_p99_ns", (json_int_t)f->p99_ns,
			      "latency_max_ns", (json_int_t)f->max_ns,
			      "wait_ns", (json_int_t)f->wait_ns,
			      "runtime_ns", (json_int_t)f->runtime_ns,
			      "switches", (json_int_t)f->switches,
			      "preemptions", (json_int_t)f->preemptions,
			      "migrations", (json_int_t)f->migrations,
			      "end_ns", (json_int_t)f->end_ns);
	static const char *const names[NR_DISTANCES] = {
		[DIST_SMT] = "smt", [DIST_CLUSTER] = "cluster", [DIST_LLC] = "llc",
		[DIST_NODE] = "node", [DIST_PACKAGE] = "package", [DIST_REMOTE] = "remote",
	};
	json_t *d = json_object();

	for (int i = DIST_SMT; i < NR_DISTANCES; i++)
		json_object_set_new(d, names[i], json_integer((json_int_t)f->by_distance[i]));
	json_object_set_new(j, "migrations_by_distance", d);
	return j;
}

static json_t *tasks_json(const struct replays *r)
{
	json_t *tasks = json_array();

	for (u32 i = 0; i < r->replay->nr_tasks; i++) {
		const struct replay_task *t = &r->replay->task[i];
		json_t *j, *kernels;

		if (t->skipped)
			continue;
		kernels = json_array();
		for (int k = 0; k < r->spec.nr_kernels; k++) {
			json_t *seeds = json_array();

			for (int s = 0; s < r->spec.nr_seeds; s++)
				json_array_append_new(seeds, figure_json(&r->figures[replays_at(r, k, s)].task[i]));
			json_array_append_new(kernels, seeds);
		}
		j = json_pack("{s:o, s:i, s:b, s:i, s:o, s:o}",
			      "comm", escape_json(story_comm(r->story, i)),
			      "pid", r->story->task[i].pid, "kernel_thread", t->kthread,
			      "only_cpu", t->only_cpu,
			      "recorded", figure_json(&r->recorded.task[i]), "replayed", kernels);
		json_array_append_new(tasks, j);
	}
	return tasks;
}

static json_t *kernels_json(const struct replays *r)
{
	json_t *kernels = json_array();

	for (int k = 0; k < r->spec.nr_kernels; k++) {
		json_t *runs = json_array();

		for (int s = 0; s < r->spec.nr_seeds; s++) {
			int at = replays_at(r, k, s);
			json_t *run = result_json(&r->result[at]);

			json_object_set_new(run, "figures", figure_json(&r->figures[at].all));
			json_array_append_new(runs, run);
		}
		json_array_append_new(kernels, json_pack("{s:o, s:o}", "kernel",
							 json_text(r->spec.kernel_expr[k]),
							 "runs", runs));
	}
	return kernels;
}

static json_t *notes_json(const struct replay_notes *n)
{
	return json_pack("{s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:i}",
			 "tasks", (int)n->tasks, "kernel_threads", (int)n->kthreads,
			 "stoppers", (int)n->stoppers, "pinned", (int)n->pinned,
			 "deadline", (int)n->deadline,
			 "sleeps_ended_by_tasks", (json_int_t)n->wakes_task,
			 "sleeps_ended_by_interrupts", (json_int_t)n->wakes_irq,
			 "of_these_relative", (json_int_t)n->wakes_timer,
			 "sleeps_ended_unseen", (json_int_t)n->wakes_unseen,
			 "wakeups_without_sleep", (json_int_t)n->wakes_lost,
			 "asleep_at_the_end", (int)n->endless);
}

json_t *replay_json(const struct replays *r)
{
	const struct replays_spec *s = &r->spec;
	const char *from = s->from_machine_expr ? s->from_machine_expr : s->machine_expr;
	const char *from_kernel = s->from_kernel_expr ? s->from_kernel_expr : s->kernel_expr[0];

	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:i, s:I, s:s, s:b, s:b, s:o, s:I, s:o, s:o, s:o}",
			 "trace", json_text(s->trace_path), "machine", json_text(s->machine_expr),
			 "from_machine", json_text(from), "from_kernel", json_text(from_kernel),
			 "first_seed", (json_int_t)s->first_seed, "seeds", s->nr_seeds,
			 "speed_permille", (json_int_t)(1000 * r->work_den / r->work_num),
			 "sync", s->sync == REPLAY_SYNC_SEEN ? "seen" : "never",
			 "no_pins", s->no_pins, "raw", s->raw,
			 "notes", notes_json(&r->replay->notes),
			 "length_ns", (json_int_t)r->replay->length_ns,
			 "recorded", figure_json(&r->recorded.all), "kernels", kernels_json(r),
			 "tasks", tasks_json(r));
}
