/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfetto.h - reading Perfetto's traces, packet by packet. Inside trace/ only.
 *
 * A packet holds what one CPU recorded for a while, so events come in no order
 * of time, and some say only half of what happened: a compact switch doesn't
 * name who leaves, an event's head has a pid and no name. They are added as
 * they are; when the file is over they are sorted and then completed.
 */
#ifndef IDLEST_TRACE_PERFETTO_H
#define IDLEST_TRACE_PERFETTO_H

#include "trace/internal.h"
#include "trace/perfetto.pb-c.h"

/* a longer packet is skipped; the recorder's own are below 1 MiB */
#define PERFETTO_MAX_PACKET (64u << 20)

struct perfetto_reader;

/** perfetto_begins() - whether a file that begins with these @len bytes is one */
bool perfetto_begins(const u8 *data, size_t len);
struct perfetto_reader *perfetto_reader_new(struct trace *t);
/** perfetto_feed() - the next @len bytes; Return: 0 or -ENOMEM */
int perfetto_feed(struct perfetto_reader *r, const u8 *data, size_t len);
/** perfetto_end() - the file is over: events are sorted and complete; frees @r; Return: 0 or -ENOMEM */
int perfetto_end(struct perfetto_reader *r);

/* ---- between the reader's files ---- */

/* events that are there until the others are complete */
#define KIND_NAME (NR_TRACE_KINDS + 0) /* from now on task pid is called comm */
#define KIND_GAP  (NR_TRACE_KINDS + 1) /* events of this CPU were lost here */
/* curr_pid: who ran on the CPU, as its last switch tells */
#define CURR_UNKNOWN (-1)

/** perfetto_add_bundle() - events of one CPU; Return: 0 or -ENOMEM */
int perfetto_add_bundle(struct trace *t, const Perfetto__FtraceEventBundle *b);
/** perfetto_add_name() - @tid is called @name at @ns; Return: 0 or -ENOMEM */
int perfetto_add_name(struct trace *t, u64 ns, s64 tid, const char *name);
/** perfetto_complete() - fill in what events didn't say, in a sorted trace; Return: 0 or -ENOMEM */
int perfetto_complete(struct trace *t);

/** perfetto_add_event() - one event; in perfetto_event.c; Return: 0 or -ENOMEM */
int perfetto_add_event(struct trace *t, int cpu, const Perfetto__FtraceEvent *f);
struct trace_event *perfetto_new_event(struct trace *t, u64 ns, int cpu, int kind, u32 flags,
				       bool has_flags);
trace_str perfetto_string(struct trace *t, const char *s);

static inline bool perfetto_task_ok(s64 pid, s64 prio)
{
	return pid >= 0 && pid <= INT32_MAX && prio >= -1 && prio <= 255;
}

static inline bool perfetto_cpu_ok(s64 cpu)
{
	return cpu >= 0 && cpu < UINT16_MAX;
}

#endif
