// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest timehist: every stay of a task on a CPU, as perf sched timehist tells it.
 */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/trace_source.h"
#include "report/trace_tables.h"

enum { OPT_JSON = 256 };

struct options {
	struct trace_source source;
	bool json;
};

static const struct argp_option option_table[] = {
	{ "json", OPT_JSON, NULL, 0, "as a JSON array", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->source;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int cmd_timehist(int argc, char **argv)
{
	static const struct argp_child children[] = { { &trace_source_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.children = children,
		.args_doc = TRACE_SOURCE_ARGS,
		.doc = "Every time a task leaves a CPU: how long it had been away before (wait "
		       "time), how "
		       "long of that runnable (sch delay), how long it ran.",
	};
	struct options o = { 0 };
	struct trace *t;
	struct err err = { 0 };
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (trace_source_get("timehist", &o.source, &t, &err))
		return cmd_fail("timehist", &err);
	ret = timehist_print(t, o.json, stdout);
	if (ret)
		err_set(&err, ret, "out of memory");
	trace_free(t);
	return ret ? cmd_fail("timehist", &err) : 0;
}
