/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer.h - what a format does to be written. Inside trace/ only.
 */
#ifndef IDLEST_TRACE_WRITER_H
#define IDLEST_TRACE_WRITER_H

#include <stdio.h>

#include "trace/write.h"

struct trace_format_ops {
	const char *name;
	/* Return: 0 or -ENOMEM. An error of the file itself is kept in it. */
	int (*start)(void **state, FILE *f, const struct trace_writing *how);
	void (*event)(void *state, const struct trace *t, const struct trace_event *e);
	/* NULL: it has no place for that */
	void (*load)(void *state, const struct trace_load *l);
	/* Return: 0 or -ENOMEM, of any call before, too */
	int (*end)(void *state);
	void (*free)(void *state);
};

extern const struct trace_format_ops trace_text_ops, trace_perfetto_ops;

#endif
