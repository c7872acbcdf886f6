// SPDX-License-Identifier: BSD-2-Clause
/*
 * write_text.c - ftrace text, the way tracefs prints it (spec 11 §1, §2).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/writer.h"

/* where the number of entries stands in the header, filled in at the end */
#define COUNT_FORMAT "# entries-in-buffer/entries-written: %-*s#P:%d\n"
#define COUNT_WIDTH  44
#define BEFORE_COUNT "# tracer: nop\n#\n"
#define COUNT_AT     (sizeof(BEFORE_COUNT) - 1)

struct text_writer {
	FILE *f;
	int nr_cpus;
	u64 nr;
};

static void count_line(struct text_writer *w)
{
	char n[COUNT_WIDTH];

	snprintf(n, sizeof(n), "%llu/%llu ", (unsigned long long)w->nr, (unsigned long long)w->nr);
	fprintf(w->f, COUNT_FORMAT, COUNT_WIDTH, n, w->nr_cpus);
}

static void header(struct text_writer *w)
{
	fputs(BEFORE_COUNT, w->f);
	count_line(w);
	fputs("#\n"
	      "#                                _-----=> irqs-off/BH-disabled\n"
	      "#                               / _----=> need-resched\n"
	      "#                              | / _---=> hardirq/softirq\n"
	      "#                              || / _--=> preempt-depth\n"
	      "#                              ||| / _-=> migrate-disable\n"
	      "#                              |||| /     delay\n"
	      "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
	      "#              | |         |   |||||     |         |\n",
	      w->f);
}

static void put_context(FILE *f, const struct trace_event *e)
{
	char flags[] = ".....";

	if (e->context & TRACE_IRQS_OFF)
		flags[0] = 'd';
	if (e->context & TRACE_NEED_RESCHED)
		flags[1] = 'N';
	else if (e->context & TRACE_LAZY_RESCHED)
		flags[1] = 'L';
	if (e->context & TRACE_HARDIRQ)
		flags[2] = e->context & TRACE_SOFTIRQ ? 'H' : 'h';
	else if (e->context & TRACE_SOFTIRQ)
		flags[2] = 's';
	if (e->preempt_depth)
		flags[3] = "0123456789abcdef"[min(e->preempt_depth, (u8)15)];
	fputs(flags, f);
}

#define MAX_STRING 255

/* Bytes as the kernel prints them, but for the one that would end the line. */
static const char *one_line(const struct trace *t, trace_str str, char buf[4 * MAX_STRING + 1])
{
	const char *s = trace_string(t, str);
	char *to = buf;

	if (!strchr(s, '\n'))
		return s;
	for (; *s; s++) {
		if (*s == '\n')
			to += sprintf(to, "\\x0a");
		else
			*to++ = *s;
	}
	*to = '\0';
	return buf;
}

static void put_head(FILE *f, const struct trace *t, const struct trace_event *e)
{
	/* the kernel rounds to the nearest */
	u64 us = (e->ns + NSEC_PER_USEC / 2) / NSEC_PER_USEC;
	char buf[4 * MAX_STRING + 1];
	const char *comm = e->curr_pid ? one_line(t, e->curr_comm, buf) : "<idle>";

	fprintf(f, "%16s-%-7d [%03d] ", *comm ? comm : "<...>", e->curr_pid, e->cpu);
	put_context(f, e);
	fprintf(f, " %5llu.%06llu: %s: ", (unsigned long long)(us / 1000000),
		(unsigned long long)(us % 1000000), trace_kind_name(e->kind));
}

static void put_state(FILE *f, u16 state)
{
	static const char letters[] = "SDTtXZPI";
	bool any = false;

	for (int i = 0; letters[i]; i++) {
		if (!(state & 1u << i))
			continue;
		fprintf(f, "%s%c", any ? "|" : "", letters[i]);
		any = true;
	}
	if (!any)
		fputc('R', f);
	if (state & TRACE_PREEMPTED)
		fputc('+', f);
}

static void put_text(FILE *f, const struct trace *t, const struct trace_event *e)
{
	char comm_buf[4 * MAX_STRING + 1], other_buf[4 * MAX_STRING + 1];
	const char *comm = one_line(t, e->comm, comm_buf);
	const char *curr = one_line(t, e->curr_comm, other_buf);

	switch ((enum trace_kind)e->kind) {
	case EV_SWITCH:
		fprintf(f, "prev_comm=%s prev_pid=%d prev_prio=%d prev_state=", curr, e->curr_pid,
			e->prev_prio);
		put_state(f, e->prev_state);
		fprintf(f, " ==> next_comm=%s next_pid=%d next_prio=%d", comm, e->pid, e->prio);
		break;
	case EV_WAKING:
	case EV_WAKEUP:
	case EV_WAKEUP_NEW:
		fprintf(f, "comm=%s pid=%d prio=%d target_cpu=%03d", comm, e->pid, e->prio,
			e->target_cpu);
		break;
	case EV_MIGRATE:
		fprintf(f, "comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d", comm, e->pid, e->prio,
			e->orig_cpu, e->target_cpu);
		break;
	case EV_FORK:
		fprintf(f, "comm=%s pid=%d child_comm=%s child_pid=%d", curr, e->curr_pid, comm,
			e->pid);
		break;
	case EV_EXEC:
		fprintf(f, "filename=%s pid=%d old_pid=%d", one_line(t, e->filename, other_buf), e->pid,
			e->old_pid);
		break;
	case EV_EXIT:
	case EV_FREE:
		fprintf(f, "comm=%s pid=%d prio=%d", comm, e->pid, e->prio);
		break;
	case EV_STAT_RUNTIME:
		fprintf(f, "comm=%s pid=%d runtime=%llu [ns]", comm, e->pid,
			(unsigned long long)e->value_ns);
		break;
	case EV_STAT_WAIT:
	case EV_STAT_SLEEP:
	case EV_STAT_IOWAIT:
	case EV_STAT_BLOCKED:
		fprintf(f, "comm=%s pid=%d delay=%llu [ns]", comm, e->pid,
			(unsigned long long)e->value_ns);
		break;
	case EV_WAKE_IDLE:
		fprintf(f, "cpu=%d", e->target_cpu);
		break;
	case EV_MARK:
		fputs(one_line(t, e->text, other_buf), f);
		break;
	case NR_TRACE_KINDS:
		break;
	}
	fputc('\n', f);
}

static int start(void **state, FILE *f, const struct trace_writing *how)
{
	struct text_writer *w = malloc(sizeof(*w));

	if (!w)
		return -ENOMEM;
	*w = (struct text_writer){ .f = f, .nr_cpus = how->nr_cpus };
	*state = w;
	header(w);
	return 0;
}

static void event(void *state, const struct trace *t, const struct trace_event *e)
{
	struct text_writer *w = state;

	put_head(w->f, t, e);
	put_text(w->f, t, e);
	w->nr++;
}

static int end(void *state)
{
	struct text_writer *w = state;

	if (!fseek(w->f, COUNT_AT, SEEK_SET))
		count_line(w);
	return 0;
}

const struct trace_format_ops trace_text_ops = {
	.name = "ftrace",
	.start = start,
	.event = event,
	.end = end,
	.free = free,
};
