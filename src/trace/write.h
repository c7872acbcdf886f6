/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write.h - a trace as ftrace text, the way tracefs prints it (spec 11 §1, §2).
 */
#ifndef IDLEST_TRACE_WRITE_H
#define IDLEST_TRACE_WRITE_H

#include "trace/trace.h"

struct trace_writer;

/**
 * trace_writer_open() - begin a trace that will stand in @path
 * @nr_cpus: for the header
 *
 * What is written goes to a new file beside it, which takes its name when the
 * trace is whole.
 *
 * Return: 0; -EINVAL when @path is there and isn't a regular file; errors of creating a file.
 */
int trace_writer_open(const char *path, int nr_cpus, struct trace_writer **w, struct err *err);
/**
 * trace_write_event() - one event more; times may not go back
 * @t: for the names
 *
 * A failure is kept until trace_writer_close(). Times are rounded to microseconds.
 */
void trace_write_event(struct trace_writer *w, const struct trace *t, const struct trace_event *e);
/**
 * trace_writer_close() - the trace is whole: name it; frees @w
 *
 * Return: 0, or -EIO, -ENOSPC, ...: then there is no new file, and an old one is as it was.
 */
int trace_writer_close(struct trace_writer *w, struct err *err);
/** trace_writer_drop() - leave no trace; NULL is fine */
void trace_writer_drop(struct trace_writer *w);

#endif
