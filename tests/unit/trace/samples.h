/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * samples.h - files of tests/data/traces, and a trace as text to compare by.
 */
#ifndef TESTS_TRACE_SAMPLES_H
#define TESTS_TRACE_SAMPLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/trace.h"

#define SAMPLES SOURCE_ROOT "/tests/data/traces/"

static const char *const sample_files[] = {
	"all-events.txt",	  "old-kernel.txt",	"tgid.txt",
	"realtime-kernel.txt",	  "numeric-old.txt",	"numeric-shifted.txt",
	"numeric-new.txt",	  "perf-script.txt",	"perf-sched-script.txt",
	"trace-cmd-report.txt",	  "latency-format.txt", "page.html",
	"old-page.html",	  "comms.txt",		"bad-lines.txt",
	"control-characters.txt", "crlf.txt",		"unsorted-cut.txt",
	"inferred.txt",		  "small.dat",		"small.pftrace",
	"compact.pftrace",	  "odd-lines.txt",
};

#define NR_SAMPLES (sizeof(sample_files) / sizeof(sample_files[0]))

/* The whole file, to be freed; NULL if it can't be read */
static inline char *sample_load(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *text;

	*len = 0;
	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	*len = (size_t)ftell(f);
	rewind(f);
	text = malloc(*len + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, *len, f), *len);
	text[*len] = '\0';
	fclose(f);
	return text;
}

static inline void sample_print_event(FILE *f, const struct trace *t, const struct trace_event *e)
{
	fprintf(f, "%llu.%09llu cpu%d %s%s curr='%s':%d task='%s':%d prio=%d",
		(unsigned long long)(e->ns / NSEC_PER_SEC),
		(unsigned long long)(e->ns % NSEC_PER_SEC), e->cpu, trace_kind_name(e->kind),
		e->context & TRACE_INFERRED ? "(inferred)" : "", trace_string(t, e->curr_comm),
		e->curr_pid, trace_string(t, e->comm), e->pid, e->prio);
	switch (e->kind) {
	case EV_SWITCH:
		fprintf(f, " prev_prio=%d state=%c%s bits=%x", e->prev_prio,
			trace_state_letter(e->prev_state),
			e->prev_state & TRACE_PREEMPTED ? "+" : "", e->prev_state);
		break;
	case EV_WAKING:
	case EV_WAKEUP:
	case EV_WAKEUP_NEW:
	case EV_WAKE_IDLE:
		fprintf(f, " target=%d", e->target_cpu);
		break;
	case EV_MIGRATE:
		fprintf(f, " %d->%d", e->orig_cpu, e->target_cpu);
		break;
	case EV_EXEC:
		fprintf(f, " file='%s' old_pid=%d", trace_string(t, e->filename), e->old_pid);
		break;
	case EV_MARK:
		fprintf(f, " text='%s'", trace_string(t, e->text));
		break;
	case EV_STAT_RUNTIME:
	case EV_STAT_WAIT:
	case EV_STAT_SLEEP:
	case EV_STAT_IOWAIT:
	case EV_STAT_BLOCKED:
		fprintf(f, " ns=%llu", (unsigned long long)e->value_ns);
		break;
	default:
		break;
	}
	if (e->context & TRACE_HAS_CONTEXT)
		fprintf(f, " [%s%s%s%s%s depth %d]",
			e->context & TRACE_IRQS_OFF ? "irqs-off" : "irqs-on",
			e->context & TRACE_NEED_RESCHED ? " resched" : "",
			e->context & TRACE_LAZY_RESCHED ? " lazy" : "",
			e->context & TRACE_HARDIRQ ? " hardirq" : "",
			e->context & TRACE_SOFTIRQ ? " softirq" : "", e->preempt_depth);
	fputc('\n', f);
}

static inline void sample_print(FILE *f, const struct trace *t)
{
	char note[256];

	for (size_t i = 0; i < t->nr; i++)
		sample_print_event(f, t, &t->event[i]);
	fprintf(f, "%d CPUs, %llu lines, %llu comments, %llu other events\n", t->nr_cpus,
		(unsigned long long)t->lines, (unsigned long long)t->comments,
		(unsigned long long)t->others);
	for (int i = 0; trace_note(t, i, note, sizeof(note)); i++)
		fprintf(f, "note: %s\n", note);
}

/* A file of the recordings; NULL: they aren't there. */
static inline const char *recording(const char *name)
{
	static char path[4096];
	const char *shared = getenv("IDLEST_SHARED");
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", shared ? shared : SOURCE_ROOT "/../shared", name);
	f = fopen(path, "r");
	if (!f)
		return NULL;
	fclose(f);
	return path;
}

#endif
