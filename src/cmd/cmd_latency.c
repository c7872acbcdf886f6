// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest latency: how long tasks waited for a CPU, as perf sched latency tells it.
 */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/trace_source.h"
#include "report/json.h"
#include "report/trace_tables.h"

enum { OPT_JSON = 256 };

struct options {
	struct trace_source source;
	bool json, by_pid;
};

static const struct argp_option option_table[] = {
	{ "pids", 'p', NULL, 0, "each thread by itself, not those of one name together", 0 },
	{ "json", OPT_JSON, NULL, 0, "as JSON", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->source;
		break;
	case 'p':
		o->by_pid = true;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int cmd_latency(int argc, char **argv)
{
	static const struct argp_child children[] = { { &trace_source_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.children = children,
		.args_doc = TRACE_SOURCE_ARGS,
		.doc = "How long each task waited for a CPU after it was woken or preempted.",
	};
	struct options o = { 0 };
	struct latency l;
	struct trace *t;
	struct err err = { 0 };
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (trace_source_get("latency", &o.source, &t, &err))
		return cmd_fail("latency", &err);
	ret = trace_latency(t, o.by_pid, &l);
	if (ret)
		err_set(&err, ret, "out of memory");
	else if (o.json)
		json_print(latency_json(t, &l), stdout);
	else
		latency_print(t, &l, stdout);
	latency_free(&l);
	trace_free(t);
	return ret ? cmd_fail("latency", &err) : 0;
}
