// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest convert: a trace in another form, for tools that don't read its own.
 */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/trace_source.h"
#include "trace/write.h"

enum { OPT_FORMAT = 256 };

struct options {
	struct trace_source source;
	const char *output, *format;
};

static const struct argp_option option_table[] = {
	{ "output", 'o', "FILE", 0, "where the trace goes: Perfetto's packets if FILE ends with .pftrace, else ftrace text", 0 },
	{ "format", OPT_FORMAT, "FORMAT", 0, "ftrace or perfetto, whatever FILE is called", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->source;
		break;
	case 'o':
		o->output = arg;
		break;
	case OPT_FORMAT:
		o->format = arg;
		break;
	case ARGP_KEY_END:
		if (!o->output)
			argp_error(state, "no file to write to: give -o FILE");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* What was concluded isn't written: who reads the file may conclude it again. */
static int write_all(const struct options *o, const struct trace *t, struct trace_writing *how,
		     struct err *err)
{
	struct trace_writer *w;
	int ret = trace_writer_open(o->output, how, &w, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < t->nr; i++)
		if (!(t->event[i].context & TRACE_INFERRED))
			trace_write_event(w, t, &t->event[i]);
	return trace_writer_close(w, err);
}

int cmd_convert(int argc, char **argv)
{
	static const struct argp_child children[] = { { &trace_source_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = option_table,
		.parser = parse,
		.children = children,
		.args_doc = "-o FILE TRACE\n-o FILE -m MACHINE -w WORKLOAD [-k KERNEL]",
		.doc = "Write a trace, or a run's, as ftrace text or for the Perfetto viewer.",
	};
	struct options o = { 0 };
	struct trace_writing how = { 0 };
	struct trace *t;
	struct err err = { 0 };
	int ret;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	ret = trace_format_find(o.format, o.output, &how.format, &err);
	if (!ret)
		ret = trace_source_get("convert", &o.source, &t, &err);
	if (ret)
		return cmd_fail("convert", &err);
	how.nr_cpus = t->nr_cpus;
	how.kernel = o.source.path ? NULL : o.source.kernel;
	ret = write_all(&o, t, &how, &err);
	trace_free(t);
	return ret ? cmd_fail("convert", &err) : 0;
}
