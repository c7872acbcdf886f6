/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * internal.h - what the readers share. Nothing outside trace/ includes it.
 */
#ifndef IDLEST_TRACE_INTERNAL_H
#define IDLEST_TRACE_INTERNAL_H

#include "trace/pids.h"
#include "trace/trace.h"

#define TRACE_MAX_STRING 255
/* prev_state while reading: a number whose meaning depends on the kernel, see state.c */
#define TRACE_STATE_RAW	 0x8000

struct trace *trace_new(void);
/** trace_add() - room for one event more, zeroed; NULL: out of memory */
struct trace_event *trace_add(struct trace *t);
/** trace_intern() - number of the string of @len bytes at @s; 0 if empty or out of memory */
trace_str trace_intern(struct trace *t, const char *s, size_t len);
void trace_skipped(struct trace *t, enum trace_skip why);
/** trace_finish() - sort, resolve states, infer migrations, count; Return: 0 or -ENOMEM */
int trace_finish(struct trace *t);
/** trace_sort() - by time, equal times as they came; counts what was out of order; Return: 0 or -ENOMEM */
int trace_sort(struct trace *t);
void trace_resolve_states(struct trace *t);
int trace_infer_migrations(struct trace *t);

/* ---- text ---- */

struct span {
	const char *p, *end;
};

static inline size_t span_len(struct span s)
{
	return (size_t)(s.end - s.p);
}

/* A line up to the event's name. */
struct ftrace_head {
	u64 ns;
	s32 pid;
	struct span comm;
	u32 cpu;
	u8 context, preempt_depth;
};

/**
 * ftrace_parse_head() - everything before the event's name
 * @line: the line; moved behind the time's colon and the blanks after it
 *
 * Return: 0, or -(1 + enum trace_skip).
 */
int ftrace_parse_head(struct span *line, struct ftrace_head *h);

/**
 * ftrace_parse_event() - name and text
 *
 * Adds the event to @t, or counts why it didn't. Return: 0 or -ENOMEM.
 */
int ftrace_parse_event(struct trace *t, const struct ftrace_head *h, struct span text);

struct ftrace_reader;
struct ftrace_reader *ftrace_reader_new(struct trace *t);
/** ftrace_feed() - the next @len bytes of the text; Return: 0 or -ENOMEM */
int ftrace_feed(struct ftrace_reader *r, const char *data, size_t len);
/** ftrace_end() - the text is over; frees @r; Return: 0 or -ENOMEM */
int ftrace_end(struct ftrace_reader *r);

#endif
