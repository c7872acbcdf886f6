// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest explain: why tasks went where they went in one run.
 */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/run_args.h"
#include "cmd/timeline_args.h"
#include "experiment/kernel_dump.h"
#include "explain/summary.h"
#include "report/json.h"
#include "workload/workload.h"

enum { OPT_JSON = 256, OPT_TASK, OPT_AT, OPT_WAKEUP, OPT_WAKEUPS, OPT_KINDS };

struct options {
	struct run_args run;
	struct timeline_spec timeline;
	const char *kernel, *task, *at;
	u64 wakeup;
	u64 kinds; /* bit STEP_…: decisions to show */
	s64 at_ns;
	bool json, summary;
};

static const struct argp_option option_table[] = {
	{ "kernel", 'k', "KERNEL", 0, "kernel expression (default " CMD_DEFAULT_KERNEL ")", 0 },
	{ "wakeups", OPT_WAKEUPS, NULL, 0, "how many wake-ups each rule decided (default)", 0 },
	{ "task", OPT_TASK, "T", 0, "every wake-up of this task: its pid, or the name of several", 0 },
	{ "at", OPT_AT, "TIME", 0, "with --task: only its first wake-up at TIME or later (1.5ms, 0.25s)", 0 },
	{ "wakeup", OPT_WAKEUP, "N", 0, "only the N-th wake-up of the run, or of --task", 0 },
	{ "kinds", OPT_KINDS, "LIST", 0, "with --task: decisions to show, of wakeup, fork, exec, pick, preempt, pull, pass, push, or all (default wakeup)", 0 },
	{ "json", OPT_JSON, NULL, 0, "the same as JSON", 0 },
	{ 0 },
};

static u64 parse_kinds(struct argp_state *state, const char *arg)
{
	u64 kinds = 0;

	for (const char *s = arg;; s++) {
		size_t n = strcspn(s, ",");
		char name[16];
		int kind;

		snprintf(name, sizeof(name), "%.*s", (int)n, s);
		kind = explain_kind(name);
		if (!strcmp(name, "all"))
			kinds = ~0ULL;
		else if (kind < 0)
			argp_error(state, "--kinds %s: no kind '%s'; there are wakeup, fork, exec, pick, preempt, pull, pass, push and all", arg, name);
		else
			kinds |= 1ULL << kind;
		s += n;
		if (!*s)
			return kinds;
	}
}

/* seconds as traces print them (0.004123), or with a unit */
static void parse_at(struct argp_state *state, struct options *o)
{
	struct err err = { 0 };
	double seconds;
	char *end;

	seconds = strtod(o->at, &end);
	if (end != o->at && !*end && strchr(o->at, '.') && seconds >= 0 && seconds < 1e9)
		o->at_ns = (s64)(seconds * NSEC_PER_SEC + 0.5);
	else if (grammar_time("--at", o->at, 0, INT64_MAX, &o->at_ns, &err))
		argp_error(state, "%s", err.msg);
}

static void check(struct argp_state *state, struct options *o)
{
	if (o->at && !o->task)
		argp_error(state, "--at needs --task: whose wake-up at that time?");
	if (o->at && o->wakeup)
		argp_error(state, "--at and --wakeup are two ways to choose one wake-up: give one");
	if (o->kinds && !o->task)
		argp_error(state, "--kinds needs --task; without it the summary counts all kinds");
	if (o->kinds && (o->at || o->wakeup))
		argp_error(state, "--kinds is for every decision about a task, without --at and --wakeup");
	if (o->summary && (o->task || o->wakeup))
		argp_error(state, "--wakeups is the summary of the run; --task and --wakeup show single wake-ups");
	o->summary = !o->task && !o->wakeup;
	if (!o->kinds)
		o->kinds = 1ULL << STEP_WAKEUP;
	if (o->at)
		parse_at(state, o);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'k':
		o->kernel = arg;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_TASK:
		o->task = arg;
		break;
	case OPT_AT:
		o->at = arg;
		break;
	case OPT_WAKEUP:
		o->wakeup = cmd_number(state, "--wakeup", arg, 1, INT64_MAX);
		break;
	case OPT_WAKEUPS:
		o->summary = true;
		break;
	case OPT_KINDS:
		o->kinds = parse_kinds(state, arg);
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->run;
		state->child_inputs[1] = &o->timeline;
		break;
	case ARGP_KEY_END:
		check(state, o);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* What is heard goes here: into the summary, or out at once. */
struct listening {
	const struct options *o;
	struct explain *e;
	struct explain_summary *summary;
	struct timeline *timeline;
	int nr_cpus;
	u64 wakeups;	/* of the tasks asked for */
	u64 shown;	/* decisions */
	u64 wanted;	/* number of the wake-up asked for, once it is known */
	bool is_pid;
};

static bool about(const struct listening *l, int pid, const char *comm)
{
	if (!l->o->task)
		return true;
	return l->is_pid ? pid == atoi(l->o->task) : pid && !strcmp(comm, l->o->task);
}

/* in front of the first decision, so that an error stands alone */
static void print_head(const struct options *o)
{
	if (o->json)
		fputs("{\n \"decisions\": [", stdout);
	else
		printf("%s on %s, %s, seed %llu\n\n", o->run.workload, o->run.machine, o->kernel,
		       (unsigned long long)o->run.seed);
}

static void show(struct listening *l, json_t *j)
{
	fputs(l->shown++ ? ",\n" : "\n", stdout);
	json_dumpf(j, stdout, JSON_COMPACT);
	json_decref(j);
}

static void show_decision(struct listening *l, const struct explain_decision *d)
{
	if (!l->shown)
		print_head(l->o);
	if (l->o->json) {
		show(l, explain_json(d, l->nr_cpus));
		return;
	}
	if (l->shown++)
		putchar('\n');
	explain_print(d, l->nr_cpus, false, stdout);
}

static bool one_only(const struct options *o)
{
	return o->wakeup || o->at;
}

/* is it the one wake-up that was asked for? */
static bool is_wanted(struct listening *l, const struct explain_decision *d)
{
	const struct options *o = l->o;

	if (l->wanted)
		return d->nr == l->wanted;
	if (!d->again && (o->wakeup ? l->wakeups == o->wakeup : d->now >= (u64)o->at_ns))
		l->wanted = d->nr;
	return l->wanted;
}

static void decided(void *ctx, const struct explain_decision *d)
{
	struct listening *l = ctx;

	if (l->summary) {
		explain_summary_add(l->summary, d);
		return;
	}
	if (!(l->o->kinds >> d->kind & 1) || !about(l, d->pid, d->comm))
		return;
	l->wakeups += d->kind == STEP_WAKEUP && !d->again;
	if (!one_only(l->o) || is_wanted(l, d))
		show_decision(l, d);
}

static void ran(void *ctx, const struct explain_ran *r)
{
	struct listening *l = ctx;

	if (l->summary) {
		explain_summary_ran(l->summary, r);
		return;
	}
	if (!(l->o->kinds >> r->kind & 1) || !about(l, r->pid, r->comm))
		return;
	if (one_only(l->o) && (!l->wanted || r->nr != l->wanted))
		return;
	if (l->o->json)
		show(l, json_pack("{s:s, s:s, s:I, s:o}", "kind", "ran", "of",
				  explain_kind_name(r->kind), "nr", (json_int_t)r->nr, "ran",
				  explain_ran_json(r)));
	else
		explain_print_ran(r, stdout);
	if (one_only(l->o))
		explain_stop(l->e);
}

static void print_tail(const struct options *o)
{
	json_t *j[] = { json_text(o->run.machine), json_text(o->run.workload), json_text(o->kernel) };
	static const char *const name[] = { "machine", "workload", "kernel" };

	fputs("\n ]", stdout);
	for (int i = 0; i < 3; i++) {
		printf(",\n \"%s\": ", name[i]);
		json_dumpf(j[i], stdout, JSON_ENCODE_ANY);
		json_decref(j[i]);
	}
	printf(",\n \"seed\": %llu\n}\n", (unsigned long long)o->run.seed);
}

static void print_summary(const struct listening *l, const struct result *r)
{
	const struct options *o = l->o;
	json_t *j;

	if (!o->json) {
		printf("%s on %s, %s, seed %llu: %.6f s simulated, %llu wake-ups\n\n", o->run.workload,
		       o->run.machine, o->kernel, (unsigned long long)o->run.seed,
		       (double)r->simulated_ns / NSEC_PER_SEC,
		       (unsigned long long)l->summary->nr_wakeups);
		explain_summary_print(l->summary, stdout);
		return;
	}
	j = explain_summary_json(l->summary);
	json_object_set_new(j, "machine", json_text(o->run.machine));
	json_object_set_new(j, "workload", json_text(o->run.workload));
	json_object_set_new(j, "kernel", json_text(o->kernel));
	json_object_set_new(j, "seed", json_integer((json_int_t)o->run.seed));
	json_print(j, stdout);
}

/* nothing came out: say why */
static int nothing(const struct listening *l, struct err *err)
{
	const struct options *o = l->o;

	if (o->task && !l->wakeups)
		return err_set(err, -ENOENT,
			       "task '%s' takes part in no such decision: give a pid or the name of a task (idlest run --trace shows them)",
			       o->task);
	if (o->wakeup)
		return err_set(err, -ENOENT, "there is no wake-up %llu%s%s: the last one is %llu",
			       (unsigned long long)o->wakeup, o->task ? " of task " : "",
			       o->task ?: "", (unsigned long long)l->wakeups);
	return err_set(err, -ENOENT, "task '%s' isn't woken at %s or later", o->task, o->at);
}

static int listen(struct listening *l, const struct workload *w, const struct machine *m,
		  const struct sched_kernel *k, struct err *err)
{
	const struct explain_listener ear = { .ctx = l, .decision = decided, .ran = ran };
	struct sim_params params = { .seed = l->o->run.seed };
	struct result result;
	int ret;

	l->nr_cpus = m->topo.nr_cpus;
	ret = timeline_new(&l->o->timeline, l->nr_cpus, &l->timeline, err);
	if (ret)
		return ret;
	timeline_apply(l->timeline, &params);
	l->e = explain_new(l->nr_cpus, &ear);
	if (l->o->summary)
		l->summary = explain_summary_new(&m->topo);
	if (!l->e || (l->o->summary && !l->summary))
		return err_set(err, -ENOMEM, "out of memory");
	explain_attach(l->e, &params);
	ret = workload_run(w, m, k, &params, &result, err);
	if (ret == -ECANCELED && explain_stopped(l->e))
		ret = 0;
	if (!ret && (explain_error(l->e) || (l->summary && l->summary->lost)))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (!ret && l->summary)
		print_summary(l, &result);
	else if (!ret && !l->shown)
		ret = nothing(l, err);
	return ret;
}

int cmd_explain(int argc, char **argv)
{
	static const struct argp_child children[] = { { &run_args_argp, 0, NULL, 0 }, { &timeline_args_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.args_doc = "-m MACHINE -w WORKLOAD [-k KERNEL]",
		.doc = "Run one workload once and tell why tasks went where they went: how many wake-ups each rule "
		       "decided, or step by step for single ones.",
		.children = children,
	};
	struct options o = { .run.seed = 1, .kernel = CMD_DEFAULT_KERNEL };
	struct listening l = { .o = &o };
	struct workload *w = NULL;
	struct machine *m = NULL;
	struct sched_kernel kernel;
	struct err err = { 0 };
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	l.is_pid = o.task && o.task[strspn(o.task, "0123456789")] == '\0';
	ret = machine_load(o.run.machine, &m, &err);
	if (!ret)
		ret = kernel_load(o.kernel, &kernel, &err);
	if (!ret)
		ret = run_args_workload(&o.run, &w, &err);
	if (!ret) {
		cmd_workload_warnings("explain", w);
		ret = listen(&l, w, m, &kernel, &err);
	}
	if (!ret && o.json && !o.summary)
		print_tail(&o);
	explain_free(l.e);
	timeline_free(l.timeline);
	explain_summary_free(l.summary);
	workload_free(w);
	machine_free(m);
	return ret ? cmd_fail("explain", &err) : 0;
}
