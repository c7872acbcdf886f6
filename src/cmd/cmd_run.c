// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest run: one workload, once, on one machine under one kernel.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/run_args.h"
#include "cmd/run_outputs.h"
#include "cmd/timeline_args.h"
#include "experiment/kernel_dump.h"
#include "report/escape.h"
#include "report/json.h"
#include "report/waste.h"
#include "workload/workload.h"

enum {
	OPT_JSON = 256, OPT_CHECK, OPT_TRACE, OPT_TRACE_FORMAT, OPT_SCHEDSTAT, OPT_PRESSURE, OPT_CGROUP_STAT,
	OPT_WASTE, OPT_HEATMAP
};

struct options {
	struct run_args run;
	struct timeline_spec timeline;
	struct run_files files;
	const char *kernel;
	bool json, check, waste;
};

static const struct argp_option option_table[] = {
	{ "kernel", 'k', "KERNEL", 0, "kernel expression (default " CMD_DEFAULT_KERNEL ")", 0 },
	{ "trace", OPT_TRACE, "FILE", 0,
	  "write what the scheduler did: as ftrace text, or for the Perfetto viewer if FILE ends with .pftrace",
	  0 },
	{ "trace-format", OPT_TRACE_FORMAT, "FORMAT", 0, "ftrace or perfetto, whatever FILE is called", 0 },
	{ "schedstat", OPT_SCHEDSTAT, "FILE", 0,
	  "write the counters at the end as /proc/schedstat has them, in the version of the kernel", 0 },
	{ "cgroup-stat", OPT_CGROUP_STAT, "DIR", 0,
	  "write at the end what each control group used, as its cpu.stat and pressure files, and what each task did", 0 },
	{ "pressure", OPT_PRESSURE, "DIR", 0,
	  "measure how long tasks waited, and write it at the end as the files of /proc/pressure", 0 },
	{ "heatmap", OPT_HEATMAP, "FILE", 0,
	  "draw the number of runnable tasks of each CPU over time, as SVG", 0 },
	{ "waste", OPT_WASTE, NULL, 0,
	  "where CPU time was idle while tasks waited elsewhere: how near, and how long each time", 0 },
	{ "json", OPT_JSON, NULL, 0, "metrics and counters as JSON", 0 },
	{ "check", OPT_CHECK, NULL, 0, "check the scheduler's invariants at every event (slow)", 0 },
	{ 0 },
};

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
	case OPT_CHECK:
		o->check = true;
		break;
	case OPT_TRACE:
		o->files.trace = arg;
		break;
	case OPT_TRACE_FORMAT:
		o->files.trace_format = arg;
		break;
	case OPT_HEATMAP:
		o->files.heatmap = arg;
		break;
	case OPT_WASTE:
		o->waste = true;
		break;
	case OPT_SCHEDSTAT:
		o->files.schedstat = arg;
		break;
	case OPT_PRESSURE:
		o->files.pressure = arg;
		break;
	case OPT_CGROUP_STAT:
		o->files.cgroup_stat = arg;
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->run;
		state->child_inputs[1] = &o->timeline;
		break;
	case ARGP_KEY_END:
		if (o->files.trace_format && !o->files.trace)
			argp_error(state, "--trace-format says how --trace FILE is written: give a file, too");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void print_result(const struct options *o, const struct result *r)
{
	escape_pad(stdout, o->run.workload, 0);
	fputs(" on ", stdout);
	escape_pad(stdout, o->run.machine, 0);
	printf(", %s, seed %llu: %.6f s simulated\n\n", o->kernel,
	       (unsigned long long)r->seed, (double)r->simulated_ns / NSEC_PER_SEC);
	for (int i = 0; i < r->nr_metrics; i++) {
		fputs("  ", stdout);
		escape_pad(stdout, r->metric[i].name, 32);
		printf(" %16.3f %s\n", r->metric[i].value, r->metric[i].unit);
	}
	putchar('\n');
	for (int c = 0; c < NR_COUNTERS; c++)
		if (r->counter[c])
			printf("  %-24s %16llu  %s\n", counter_name(c),
			       (unsigned long long)r->counter[c], counter_doc(c));
	putchar('\n');
	waste_print(stdout, r);
}

static void print_json(const struct options *o, const struct result *r)
{
	json_t *j = result_json(r), *events = json_array();

	json_object_set_new(j, "machine", json_text(o->run.machine));
	json_object_set_new(j, "workload", json_text(o->run.workload));
	json_object_set_new(j, "kernel", json_text(o->kernel));
	if (o->timeline.isolcpus)
		json_object_set_new(j, "isolcpus", json_text(o->timeline.isolcpus));
	for (int i = 0; i < o->timeline.nr; i++)
		json_array_append_new(events, json_text(o->timeline.at[i]));
	if (json_array_size(events))
		json_object_set(j, "events", events);
	json_decref(events);
	json_print(j, stdout);
}

static int run(const struct options *o, const struct workload *w, const struct machine *m,
	       const struct sched_kernel *k, struct result *result, struct err *err)
{
	struct sim_params params = { .seed = o->run.seed, .check = o->check, .waste = o->waste };
	struct run_files files = o->files;
	struct run_outputs *outputs;
	struct timeline *timeline;
	char *title;
	int ret = timeline_new(&o->timeline, m->topo.nr_cpus, &timeline, err);

	if (ret)
		return ret;
	timeline_apply(timeline, &params);
	if (asprintf(&title, "%s on %s, %s, seed %llu", o->run.workload, o->run.machine, o->kernel,
		     (unsigned long long)o->run.seed) < 0) {
		timeline_free(timeline);
		return err_set(err, -ENOMEM, "out of memory");
	}
	files.title = title;
	ret = run_outputs_open(&files, m, k, o->kernel, &params, &outputs, err);
	if (!ret) {
		ret = workload_run(w, m, k, &params, result, err);
		ret = run_outputs_close(outputs, ret, err);
	}
	free(title);
	timeline_free(timeline);
	return ret;
}

int cmd_run(int argc, char **argv)
{
	static const struct argp_child children[] = { { &run_args_argp, 0, NULL, 0 }, { &timeline_args_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.args_doc = "-m MACHINE -w WORKLOAD [-k KERNEL]",
		.doc = "Run one workload once and print its metrics and what the scheduler did.",
		.children = children,
	};
	struct options o = { .run.seed = 1, .kernel = CMD_DEFAULT_KERNEL };
	struct workload *w = NULL;
	struct machine *m = NULL;
	struct sched_kernel kernel;
	struct result result;
	struct err err = { 0 };
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	ret = machine_load(o.run.machine, &m, &err);
	if (!ret)
		ret = kernel_load(o.kernel, &kernel, &err);
	if (!ret)
		ret = run_args_workload(&o.run, &w, &err);
	if (!ret) {
		cmd_workload_warnings("run", w);
		ret = run(&o, w, m, &kernel, &result, &err);
	}
	if (!ret && o.json)
		print_json(&o, &result);
	else if (!ret)
		print_result(&o, &result);
	workload_free(w);
	machine_free(m);
	return ret ? cmd_fail("run", &err) : 0;
}
