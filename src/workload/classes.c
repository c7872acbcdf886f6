// SPDX-License-Identifier: BSD-2-Clause
/*
 * rt, dl - periodic realtime or deadline tasks among fair hogs.
 *
 * Every task sets its own policy first, as sched_setattr() does it; one that the kernel refuses
 * ends the run with the error. Deadline misses are counted by the jobs' own deadlines: from
 * being woken to going to sleep again.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "workload/cycle.h"
#include "workload/models.h"

enum kind { KIND_FAIR, KIND_FIRST, KIND_SECOND, NR_KINDS };

struct class_task {
	struct class_run *run;
	enum kind kind;
	struct cycle cycle;
	struct task_attr attr;
	bool set; /* its policy is */
};

struct class_run {
	u64 end, chunk;
	const char *const *name; /* of the kinds */
	int count[NR_KINDS];
	u64 cpu_ns[NR_KINDS];
	struct cycle_tally tally[NR_KINDS];
	struct sched_dl_stats dl[NR_KINDS];
	int refused;		 /* -errno of sched_setattr() */
	struct class_task *task;
};

/* ---- what a task does ---- */

static void add_stats(struct class_run *run, struct class_task *c, struct sim_task *t)
{
	const struct sched_dl_stats *st = sched_task_dl_stats(sim_task_sched(t));
	struct sched_dl_stats *sum = &run->dl[c->kind];

	run->cpu_ns[c->kind] += sim_task_cpu_ns(t);
	sum->jobs += st->jobs;
	sum->missed += st->missed;
	sum->sum_tardiness += st->sum_tardiness;
	sum->max_tardiness = max(sum->max_tardiness, st->max_tardiness);
	sum->throttled += st->throttled;
}

static void class_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct class_task *c = sim_task_arg(t);
	struct class_run *run = c->run;

	if (c->kind == KIND_FAIR) {
		if (sim_now(sim) < run->end) {
			step->op = SIM_RUN;
			step->ns = run->chunk;
			return;
		}
	} else if (!c->set) {
		c->set = true;
		step->op = SIM_SET_SCHED;
		step->attr = &c->attr;
		return;
	} else if (c->cycle.state == CYCLE_START && sim_task_ret(t)) {
		run->refused = sim_task_ret(t);
		sim_stop(sim);
	} else if (cycle_next(&c->cycle, sim, t, step)) {
		return;
	}
	add_stats(run, c, t); /* SIM_EXIT */
}

static const struct sim_program class_program = {"classes", class_next};

/* ---- creating them ---- */

static int spawn(struct sim *sim, struct class_run *run, struct class_task *c, int i,
		 struct err *err)
{
	char comm[32];
	const struct sim_spawn what = {
		.comm = comm,
		.program = &class_program,
		.arg = c,
		.process = true,
	};

	c->run = run;
	c->cycle.end = run->end;
	c->cycle.tally = &run->tally[c->kind];
	snprintf(comm, sizeof(comm), "%s%d", run->name[c->kind], i);
	return sim_spawn(sim, &what, err) ? 0 : err->code;
}

static struct class_run *new_run(const struct workload *w, struct sim *sim,
				 const char *const *name, int hogs, int first, int second)
{
	struct class_run *run = arena_alloc(sim_arena(sim), sizeof(*run));
	int nr = hogs + first + second;

	if (!run)
		return NULL;
	run->task = arena_array(sim_arena(sim), max(nr, 1), sizeof(*run->task));
	if (!run->task)
		return NULL;
	run->end = workload_int(w, "lead") + workload_int(w, "duration");
	run->chunk = workload_int(w, "chunk");
	run->name = name;
	run->count[KIND_FAIR] = hogs;
	run->count[KIND_FIRST] = first;
	run->count[KIND_SECOND] = second;
	return run;
}

static const char *const rt_names[NR_KINDS] = {"fair", "high", "low"};

static int rt_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	int hogs = workload_int(w, "hogs"), n = workload_int(w, "n"), rc = 0;
	struct class_run *run = new_run(w, sim, rt_names, hogs, n, n);

	if (!run)
		return model_nomem(err);
	*state = run;
	for (int i = 0; !rc && i < hogs; i++)
		rc = spawn(sim, run, &run->task[i], i, err);
	for (int i = 0; !rc && i < 2 * n; i++) {
		struct class_task *c = &run->task[hogs + i];
		bool low = i % 2;

		c->kind = low ? KIND_SECOND : KIND_FIRST;
		c->attr.policy = workload_int(w, "rr") ? POLICY_RR : POLICY_FIFO;
		c->attr.priority = workload_int(w, low ? "low" : "high");
		c->cycle.release = workload_int(w, "lead") + low * NSEC_PER_MSEC;
		c->cycle.period = workload_int(w, low ? "low_period" : "high_period");
		c->cycle.work = workload_int(w, low ? "low_run" : "high_run");
		rc = spawn(sim, run, c, i / 2, err);
	}
	return rc;
}

static const char *const dl_names[NR_KINDS] = {"fair", "dl", "late"};

static int dl_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	int hogs = workload_int(w, "hogs"), n = workload_int(w, "n"), rc = 0;
	int late = workload_int(w, "late");
	struct class_run *run = new_run(w, sim, dl_names, hogs, n, late);

	if (!run)
		return model_nomem(err);
	*state = run;
	for (int i = 0; !rc && i < hogs; i++)
		rc = spawn(sim, run, &run->task[i], i, err);
	for (int i = 0; !rc && i < n + late; i++) {
		struct class_task *c = &run->task[hogs + i];
		bool is_late = i >= n;

		c->kind = is_late ? KIND_SECOND : KIND_FIRST;
		c->attr.policy = POLICY_DEADLINE;
		c->attr.runtime = workload_int(w, is_late ? "late_runtime" : "runtime");
		c->attr.deadline = workload_int(w, is_late ? "late_period" : "deadline");
		c->attr.period = workload_int(w, is_late ? "late_period" : "period");
		c->cycle.release = workload_int(w, "lead");
		c->cycle.period = c->attr.period;
		c->cycle.work = workload_int(w, is_late ? "late_run" : "run");
		rc = spawn(sim, run, c, is_late ? i - n : i, err);
	}
	return rc;
}

/* ---- results ---- */

static int refused(int rc, struct err *err)
{
	const char *why = rc == -EBUSY ? "no deadline bandwidth is left" :
			  rc == -EPERM ? "not permitted" :
					 "bad runtime, deadline or period";

	return err_set(err, -EINVAL, "the kernel refuses a task (%s): %s", strerror(-rc), why);
}

static void add_kind(struct result *r, const struct class_run *run, enum kind k)
{
	char name[64];

	if (!run->count[k])
		return;
	snprintf(name, sizeof(name), "CPU time %s", run->name[k]);
	result_add(r, name, "s", true, run->cpu_ns[k] / 1e9 / run->count[k]);
	if (k == KIND_FAIR)
		return;
	snprintf(name, sizeof(name), "missed %s", run->name[k]);
	result_add(r, name, "periods", false, run->tally[k].missed);
}

static int classes_finish(const struct class_run *run, struct result *r, struct err *err)
{
	if (run->refused)
		return refused(run->refused, err);
	for (int k = 0; k < NR_KINDS; k++)
		add_kind(r, run, k);
	return 0;
}

static int rt_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
		     struct err *err)
{
	struct class_run *run = state;
	int rc = classes_finish(run, r, err);

	if (!rc)
		rc = model_latencies(r, "wakeup latency high", &run->tally[KIND_FIRST].latency);
	return rc ? rc : model_latencies(r, "wakeup latency low", &run->tally[KIND_SECOND].latency);
}

static int dl_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
		     struct err *err)
{
	struct class_run *run = state;
	int rc = classes_finish(run, r, err);
	char name[64];

	for (int k = KIND_FIRST; !rc && k < NR_KINDS; k++) {
		const struct sched_dl_stats *st = &run->dl[k];

		if (!run->count[k])
			continue;
		snprintf(name, sizeof(name), "deadline misses %s", run->name[k]);
		result_add(r, name, "jobs", false, st->missed);
		snprintf(name, sizeof(name), "tardiness %s mean", run->name[k]);
		result_add(r, name, "us", false,
			   st->jobs ? st->sum_tardiness / 1e3 / st->jobs : 0);
		snprintf(name, sizeof(name), "tardiness %s max", run->name[k]);
		result_add(r, name, "us", false, st->max_tardiness / 1e3);
		snprintf(name, sizeof(name), "throttled %s", run->name[k]);
		rc = result_add(r, name, "times", false, st->throttled);
	}
	return rc;
}

const struct workload_model rt_model = {
	.name = "rt",
	.doc = "periodic realtime tasks of two priorities among fair hogs",
	.metric_doc = "CPU time in s of a task of each kind; missed periods; wake-up latency of the "
		      "realtime tasks p50, p99, max in us",
	.params = rt_params,
	.setup = rt_setup,
	.finish = rt_finish,
};

const struct workload_model dl_model = {
	.name = "dl",
	.doc = "periodic deadline tasks, some that want more than their runtime, among fair hogs",
	.metric_doc = "CPU time in s of a task of each kind; missed periods; jobs that ended after "
		      "their deadline, their tardiness in us, and how often a budget was used up",
	.params = dl_params,
	.setup = dl_setup,
	.finish = dl_finish,
};
