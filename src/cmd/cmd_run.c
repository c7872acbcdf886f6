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
#include "experiment/kernel_dump.h"
#include "report/escape.h"
#include "report/json.h"
#include "trace/collect.h"
#include "trace/write.h"
#include "workload/workload.h"

enum { OPT_JSON = 256, OPT_CHECK, OPT_TRACE, OPT_TRACE_FORMAT };

struct options {
	struct run_args run;
	const char *kernel, *trace, *trace_format;
	bool json, check;
};

static const struct argp_option option_table[] = {
	{ "kernel", 'k', "KERNEL", 0, "kernel expression (default " CMD_DEFAULT_KERNEL ")", 0 },
	{ "trace", OPT_TRACE, "FILE", 0,
	  "write what the scheduler did: as ftrace text, or for the Perfetto viewer if FILE ends with .pftrace",
	  0 },
	{ "trace-format", OPT_TRACE_FORMAT, "FORMAT", 0, "ftrace or perfetto, whatever FILE is called", 0 },
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
		o->trace = arg;
		break;
	case OPT_TRACE_FORMAT:
		o->trace_format = arg;
		break;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->run;
		break;
	case ARGP_KEY_END:
		if (o->trace_format && !o->trace)
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
}

static void print_json(const struct options *o, const struct result *r)
{
	json_t *j = result_json(r);

	json_object_set_new(j, "machine", json_text(o->run.machine));
	json_object_set_new(j, "workload", json_text(o->run.workload));
	json_object_set_new(j, "kernel", json_text(o->kernel));
	json_print(j, stdout);
}

static void write_load(void *writer, const struct trace_load *l)
{
	trace_write_load(writer, l);
}

static void write_event(void *writer, const struct trace *t, const struct trace_event *e)
{
	trace_write_event(writer, t, e);
}

/* With a trace: it is there only if the run came to its end. */
static int run_traced(const struct options *o, const struct workload *w, const struct machine *m,
		      const struct sched_kernel *k, struct sim_params *params,
		      struct result *result, struct err *err)
{
	struct trace_writing how = { .nr_cpus = m->topo.nr_cpus, .kernel = o->kernel };
	struct trace_writer *writer;
	struct trace_collector *c;
	int ret = trace_format_find(o->trace_format, o->trace, &how.format, err);

	if (!ret)
		ret = trace_writer_open(o->trace, &how, &writer, err);
	if (ret)
		return ret;
	c = trace_collector_new(m->topo.nr_cpus, write_event, writer);
	if (!c) {
		trace_writer_drop(writer);
		return err_set(err, -ENOMEM, "out of memory");
	}
	trace_on_load(c, write_load);
	params->trace = trace_collect;
	params->trace_load = trace_collect_load;
	params->trace_ctx = c;
	ret = workload_run(w, m, k, params, result, err);
	if (trace_collector_end(c, NULL) && !ret)
		ret = err_set(err, -ENOMEM, "out of memory");
	if (ret)
		trace_writer_drop(writer);
	else
		ret = trace_writer_close(writer, err);
	return ret;
}

int cmd_run(int argc, char **argv)
{
	static const struct argp_child children[] = { { &run_args_argp, 0, NULL, 0 }, { 0 } };
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
	struct sim_params params;
	struct result result;
	struct err err = { 0 };
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	params = (struct sim_params){ .seed = o.run.seed, .check = o.check };
	ret = machine_load(o.run.machine, &m, &err);
	if (!ret)
		ret = kernel_load(o.kernel, &kernel, &err);
	if (!ret)
		ret = workload_parse(o.run.workload, &w, &err);
	if (!ret) {
		cmd_workload_warnings("run", w);
		ret = o.trace ? run_traced(&o, w, m, &kernel, &params, &result, &err) :
				workload_run(w, m, &kernel, &params, &result, &err);
	}
	if (!ret && o.json)
		print_json(&o, &result);
	else if (!ret)
		print_result(&o, &result);
	workload_free(w);
	machine_free(m);
	return ret ? cmd_fail("run", &err) : 0;
}
