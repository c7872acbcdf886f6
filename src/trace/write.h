/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write.h - a trace as a file that other people's tools read.
 */
#ifndef IDLEST_TRACE_WRITE_H
#define IDLEST_TRACE_WRITE_H

#include "trace/trace.h"

struct trace_writer;

enum trace_format {
	TRACE_FTRACE,	/* text, the way tracefs prints it (spec 11 §1, §2); times in microseconds */
	TRACE_PERFETTO, /* protobuf packets, with counters; times in nanoseconds */
	NR_TRACE_FORMATS
};

struct trace_writing {
	enum trace_format format;
	int nr_cpus;
	const char *kernel; /* that decided, "v6.12,NO_SIS_UTIL"; NULL: it isn't known */
};

/* What a CPU's run queue holds from a moment on. */
struct trace_load {
	u64 ns;
	int cpu;
	u32 nr_running;
	u32 util; /* of 1024 */
};

/**
 * trace_format_find() - by @name, or if that is NULL by what @path ends with
 *
 * Return: 0, or -EINVAL with @err listing the names.
 */
int trace_format_find(const char *name, const char *path, enum trace_format *f, struct err *err);

/**
 * trace_writer_open() - begin a trace that will stand in @path
 *
 * What is written goes to a new file beside it, which takes its name when the
 * trace is whole.
 *
 * Return: 0; -EINVAL when @path is there and isn't a regular file; errors of creating a file.
 */
int trace_writer_open(const char *path, const struct trace_writing *how, struct trace_writer **w,
		      struct err *err);
/**
 * trace_write_event() - one event more; times may not go back
 * @t: for the names
 *
 * A failure is kept until trace_writer_close().
 */
void trace_write_event(struct trace_writer *w, const struct trace *t, const struct trace_event *e);
/** trace_write_load() - likewise, for formats with counters; others leave it out */
void trace_write_load(struct trace_writer *w, const struct trace_load *l);
/**
 * trace_writer_close() - the trace is whole: name it; frees @w
 *
 * Return: 0, or -EIO, -ENOSPC, ...: then there is no new file, and an old one is as it was.
 */
int trace_writer_close(struct trace_writer *w, struct err *err);
/** trace_writer_drop() - leave no trace; NULL is fine */
void trace_writer_drop(struct trace_writer *w);

#endif
