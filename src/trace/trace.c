// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace.c - the array of events: growing, sorting, and what is said about it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/internal.h"
#include "trace/strings.h"

struct trace *trace_new(void)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (t)
		t->strings = trace_strings_new();
	if (t && !t->strings) {
		free(t);
		return NULL;
	}
	return t;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	trace_strings_free(t->strings);
	free(t->event);
	free(t);
}

struct trace_event *trace_add(struct trace *t)
{
	struct trace_event *e;

	if (t->nr == t->room) {
		size_t room = t->room ? t->room + t->room / 2 : 1024;

		e = realloc(t->event, room * sizeof(*e));
		if (!e)
			return NULL;
		t->event = e;
		t->room = room;
	}
	e = &t->event[t->nr++];
	memset(e, 0, sizeof(*e));
	return e;
}

trace_str trace_intern(struct trace *t, const char *s, size_t len)
{
	return trace_strings_intern(t->strings, s, min(len, (size_t)TRACE_MAX_STRING));
}

const char *trace_string(const struct trace *t, trace_str s)
{
	return trace_strings_at(t->strings, s);
}

void trace_skipped(struct trace *t, enum trace_skip why)
{
	if (!t->skip[why].count++)
		t->skip[why].first_line = t->lines;
}

/* ---- sorting: a stable merge of the runs that are there, since most traces are one run ---- */

static size_t run_end(const struct trace_event *e, size_t i, size_t nr)
{
	while (i + 1 < nr && e[i].ns <= e[i + 1].ns)
		i++;
	return i + 1;
}

static void merge(const struct trace_event *from, size_t a, size_t b, size_t end,
		  struct trace_event *to)
{
	size_t middle = b;

	for (size_t k = a; k < end; k++)
		to[k] = b >= end || (a < middle && from[a].ns <= from[b].ns) ? from[a++]
									     : from[b++];
}

/* Merge neighbouring runs once; Return: whether one run was all. */
static bool merge_pass(const struct trace_event *from, struct trace_event *to, size_t nr)
{
	bool one = true;

	for (size_t a = 0, b, end; a < nr; a = end) {
		b = run_end(from, a, nr);
		end = b < nr ? run_end(from, b, nr) : nr;
		if (b < nr)
			one = false;
		merge(from, a, b, end, to);
	}
	return one;
}

int trace_sort(struct trace *t)
{
	struct trace_event *other, *old;
	bool done;

	for (size_t i = 1; i < t->nr; i++)
		t->out_of_order += t->event[i].ns < t->event[i - 1].ns;
	if (!t->out_of_order)
		return 0;
	other = malloc(t->nr * sizeof(*other));
	if (!other)
		return -ENOMEM;
	do {
		done = merge_pass(t->event, other, t->nr);
		old = t->event;
		t->event = other;
		other = old;
	} while (!done);
	free(other);
	t->room = t->nr;
	return 0;
}

static void count_cpus(struct trace *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		const struct trace_event *e = &t->event[i];
		int top = e->cpu;

		if (e->kind == EV_WAKEUP || e->kind == EV_WAKEUP_NEW || e->kind == EV_MIGRATE ||
		    e->kind == EV_WAKING)
			top = max(top, max(e->target_cpu, e->orig_cpu));
		t->nr_cpus = max(t->nr_cpus, top + 1);
		t->count[e->kind]++;
	}
}

int trace_finish(struct trace *t)
{
	int ret = trace_sort(t);

	if (ret)
		return ret;
	trace_resolve_states(t);
	ret = trace_infer_migrations(t);
	count_cpus(t);
	return ret;
}

/* ---- words ---- */

const char *trace_kind_name(enum trace_kind kind)
{
	static const char *const name[NR_TRACE_KINDS] = {
		[EV_SWITCH] = "sched_switch",
		[EV_WAKING] = "sched_waking",
		[EV_WAKEUP] = "sched_wakeup",
		[EV_WAKEUP_NEW] = "sched_wakeup_new",
		[EV_MIGRATE] = "sched_migrate_task",
		[EV_FORK] = "sched_process_fork",
		[EV_EXEC] = "sched_process_exec",
		[EV_EXIT] = "sched_process_exit",
		[EV_FREE] = "sched_process_free",
		[EV_STAT_RUNTIME] = "sched_stat_runtime",
		[EV_STAT_WAIT] = "sched_stat_wait",
		[EV_STAT_SLEEP] = "sched_stat_sleep",
		[EV_STAT_IOWAIT] = "sched_stat_iowait",
		[EV_STAT_BLOCKED] = "sched_stat_blocked",
		[EV_WAKE_IDLE] = "sched_wake_idle_without_ipi",
		[EV_MARK] = "tracing_mark_write",
	};

	return name[kind];
}

const char *trace_skip_doc(enum trace_skip skip)
{
	static const char *const doc[NR_TRACE_SKIPS] = {
		[SKIP_NOT_A_LINE] = "not a line of a trace",
		[SKIP_NO_CPU] = "no task and CPU in front of the time",
		[SKIP_TEXT] = "the event's text isn't as any known kernel or tool prints it",
		[SKIP_UNPARSED] = "[FAILED TO PARSE] by the tool that wrote the trace",
		[SKIP_RANGE] = "a number is out of range",
		[SKIP_CUT] = "the last line is cut off",
		[SKIP_LONG] = "longer than 64 KiB",
		[SKIP_FAILED_WAKE] = "a wake-up that woke nobody (success=0)",
		[SKIP_DAMAGED] = "the packet is damaged",
		[SKIP_REST] = "no packet begins there; the rest of the file is left out",
		[SKIP_CUT_PACKET] = "the last packet is cut off",
		[SKIP_LONG_PACKET] = "longer than 64 MiB",
		[SKIP_NO_PREV] = "a compact event at a time when it isn't known who ran on its CPU",
		[SKIP_MACHINE] = "recorded on another machine than the rest",
	};

	return doc[skip];
}

static void skip_note(const struct trace *t, enum trace_skip s, char *buf, size_t size)
{
	unsigned long long n = t->skip[s].count, first = t->skip[s].first_line;

	if (!t->packets)
		snprintf(buf, size, "%llu line%s skipped, first line %llu: %s", n, n == 1 ? "" : "s",
			 first, trace_skip_doc(s));
	else if (first)
		snprintf(buf, size, "%llu time%s something skipped, first in packet %llu: %s", n,
			 n == 1 ? "" : "s", first, trace_skip_doc(s));
	else
		snprintf(buf, size, "%llu event%s skipped: %s", n, n == 1 ? "" : "s",
			 trace_skip_doc(s));
}

bool trace_note(const struct trace *t, int i, char *buf, size_t size)
{
	for (int s = 0; s < NR_TRACE_SKIPS; s++) {
		if (t->skip[s].count && !i--) {
			skip_note(t, s, buf, size);
			return true;
		}
	}
	if (t->gaps && !i--) {
		char n[32] = "it doesn't say how many";

		if (t->lost)
			snprintf(n, sizeof(n), "%llu", (unsigned long long)t->lost);
		snprintf(buf, size, "the recorder lost events at %llu place%s (%s)",
			 (unsigned long long)t->gaps, t->gaps == 1 ? "" : "s", n);
		return true;
	}
	if (t->out_of_order && !i--) {
		snprintf(buf, size, "%llu event%s out of order in time: sorted",
			 (unsigned long long)t->out_of_order,
			 t->out_of_order == 1 ? " was" : "s were");
		return true;
	}
	if (t->inferred && !i--) {
		snprintf(buf, size,
			 "%llu migration%s not recorded: inferred from where tasks next ran",
			 (unsigned long long)t->inferred, t->inferred == 1 ? " was" : "s were");
		return true;
	}
	return false;
}
