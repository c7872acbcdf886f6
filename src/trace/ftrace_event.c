// SPDX-License-Identifier: BSD-2-Clause
/*
 * ftrace_event.c - an event's name and text (spec 11 §2).
 *
 * Every spelling of a text is a line of a table. A comm may hold blanks, '='
 * or the name of the next field; it is the shortest beginning with which the
 * rest of the spelling fits.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "trace/internal.h"

/*
 * Spellings: C c are curr's and the task's comm, P p their pids, R r their
 * prios, s the state, t the target CPU, o the original one, v nanoseconds,
 * k success, f a file name, x anything up to what follows, each behind a '%'.
 * A blank stands for one or more, but after a comm for exactly one, since a comm may end with some.
 * What follows the end of a spelling is newer than it and ignored.
 */
#define SWITCH(between)                                                                            \
	"prev_comm=%C prev_pid=%P prev_prio=%R prev_state=%s " between                             \
	"next_comm=%c next_pid=%p next_prio=%r"
#define SWITCH_COMMAS                                                                              \
	"prev_comm=%C, prev_pid=%P, prev_prio=%R, prev_state=%s, "                                 \
	"next_comm=%c, next_pid=%p, next_prio=%r"
#define TASK "comm=%c pid=%p "
#define WAKE_TEXTS                                                                                 \
	{                                                                                          \
		TASK "prio=%r target_cpu=%t", TASK "prio=%r success=%k target_cpu=%t",             \
			"%c:%p [%r] success=%k CPU:%t", "%c:%p [%r]%x CPU:%t",                     \
			"comm=%c, pid=%p, prio=%r, target_cpu=%t"                                  \
	}

static const struct spelling {
	const char *name;
	enum trace_kind kind;
	const char *text[5];
} spellings[] = {
	{"sched_switch", EV_SWITCH, {SWITCH("==> "), SWITCH(""), "%C:%P [%R] %s ==> %c:%p [%r]", SWITCH_COMMAS}},
	{"sched_waking", EV_WAKING, WAKE_TEXTS},
	{"sched_wakeup", EV_WAKEUP, WAKE_TEXTS},
	{"sched_wakeup_new", EV_WAKEUP_NEW, WAKE_TEXTS},
	{"sched_migrate_task", EV_MIGRATE, {TASK "prio=%r orig_cpu=%o dest_cpu=%t"}},
	{"sched_process_fork", EV_FORK, {"comm=%C pid=%P child_comm=%c child_pid=%p"}},
	{"sched_process_exec", EV_EXEC, {"filename=%f pid=%p old_pid=%o"}},
	{"sched_process_exit", EV_EXIT, {TASK "prio=%r"}},
	{"sched_process_free", EV_FREE, {TASK "prio=%r"}},
	{"sched_stat_runtime", EV_STAT_RUNTIME, {TASK "runtime=%v"}},
	{"sched_stat_wait", EV_STAT_WAIT, {TASK "delay=%v"}},
	{"sched_stat_sleep", EV_STAT_SLEEP, {TASK "delay=%v"}},
	{"sched_stat_iowait", EV_STAT_IOWAIT, {TASK "delay=%v"}},
	{"sched_stat_blocked", EV_STAT_BLOCKED, {TASK "delay=%v"}},
	{"sched_wake_idle_without_ipi", EV_WAKE_IDLE, {"cpu=%t"}},
};

struct fields {
	struct span comm[2], state, file; /* curr, task */
	s64 pid[2], prio[2], target, orig, success;
	u64 value;
};

/* ---- matching ---- */

static bool starts(struct span s, const char *word)
{
	size_t len = strlen(word);

	return span_len(s) >= len && !memcmp(s.p, word, len);
}

static void skip_blanks(struct span *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t'))
		s->p++;
}

static bool number(struct span *s, s64 *v)
{
	bool minus = s->p < s->end && *s->p == '-';
	const char *p = s->p + minus, *first = p;
	s64 n = 0;

	for (; p < s->end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *p - '0', &n))
			return false;
	if (p == first)
		return false;
	s->p = p;
	*v = minus ? -n : n;
	return true;
}

static bool match(const char *spelling, struct span s, struct fields *f, bool after_comm);

/* Something of any bytes: the shortest with which the rest fits. */
static bool match_open(const char *rest, struct span s, struct fields *f, struct span *to,
		       bool comm)
{
	for (const char *end = s.p; end <= s.end && end - s.p <= TRACE_MAX_STRING; end++) {
		if (*rest && (end == s.end || *end != *rest))
			continue;
		if (match(rest, (struct span){end, s.end}, f, comm)) {
			*to = (struct span){s.p, end};
			return true;
		}
	}
	return false;
}

static bool match_blank(struct span *s, bool exactly_one)
{
	if (s->p == s->end || *s->p != ' ')
		return false;
	s->p++;
	while (!exactly_one && s->p < s->end && *s->p == ' ')
		s->p++;
	return true;
}

static bool match_value(char what, struct span *s, struct fields *f)
{
	switch (what) {
	case 'P':
		return number(s, &f->pid[0]);
	case 'p':
		return number(s, &f->pid[1]);
	case 'R':
		return number(s, &f->prio[0]);
	case 'r':
		return number(s, &f->prio[1]);
	case 't':
		return number(s, &f->target);
	case 'o':
		return number(s, &f->orig);
	case 'k':
		return number(s, &f->success);
	case 'v':
		return number(s, (s64 *)&f->value);
	case 's':
		f->state = (struct span){s->p, s->p};
		while (f->state.end < s->end && *f->state.end != ' ' && *f->state.end != ',')
			f->state.end++;
		s->p = f->state.end;
		return span_len(f->state) > 0;
	}
	return false;
}

static bool match(const char *spelling, struct span s, struct fields *f, bool after_comm)
{
	struct span dropped;

	for (; *spelling; spelling++) {
		if (*spelling == '%') {
			switch (*++spelling) {
			case 'C':
				return match_open(spelling + 1, s, f, &f->comm[0], true);
			case 'c':
				return match_open(spelling + 1, s, f, &f->comm[1], true);
			case 'f':
				return match_open(spelling + 1, s, f, &f->file, true);
			case 'x':
				return match_open(spelling + 1, s, f, &dropped, false);
			}
			if (!match_value(*spelling, &s, f))
				return false;
		} else if (*spelling == ' ') {
			if (!match_blank(&s, after_comm))
				return false;
		} else {
			if (s.p == s.end || *s.p != *spelling)
				return false;
			s.p++;
		}
		after_comm = false;
	}
	return s.p == s.end || *s.p == ' ' || s.p[-1] == ']';
}

/* ---- filling ---- */

/* trace-cmd's raw fields, "0x402" */
static bool hex_number(struct span *s, s64 *v)
{
	const char *first = s->p += 2;

	for (*v = 0; s->p < s->end && isxdigit((unsigned char)*s->p) && s->p - first < 15; s->p++)
		*v = *v * 16 + (*s->p <= '9' ? *s->p - '0' : (*s->p | 0x20) - 'a' + 10);
	return s->p > first;
}

static u16 state_bits(struct span s)
{
	static const char letters[] = "SDTtXZPI";
	u16 bits = 0;
	s64 raw;

	if (*s.p >= '0' && *s.p <= '9') {
		if (!(starts(s, "0x") ? hex_number(&s, &raw) : number(&s, &raw)))
			return TRACE_STATE_OTHER;
		bits = TRACE_STATE_RAW | (u16)(raw & 0x1fff);
		return s.p < s.end && *s.p == '+' ? TRACE_PREEMPTED : bits;
	}
	for (; s.p < s.end; s.p++) {
		const char *at = strchr(letters, *s.p);

		if (*s.p == '+')
			bits |= TRACE_PREEMPTED;
		else if (*s.p == 'x')
			bits |= TRACE_STATE_X;
		else if (*s.p && at)
			bits |= (u16)(1u << (at - letters));
		else if (*s.p != 'R' && *s.p != '|')
			bits |= TRACE_STATE_OTHER;
	}
	return bits;
}

static bool in_range(enum trace_kind kind, const struct fields *f)
{
	for (int i = 0; i < 2; i++)
		if (f->pid[i] < 0 || f->pid[i] > INT32_MAX || f->prio[i] < -1 || f->prio[i] > 255)
			return false;
	if (f->target < 0 || f->target >= UINT16_MAX || (s64)f->value < 0)
		return false;
	return f->orig >= 0 && f->orig < (kind == EV_EXEC ? INT32_MAX : UINT16_MAX);
}

static trace_str intern(struct trace *t, struct span s)
{
	return trace_intern(t, s.p, span_len(s));
}

static void fill(struct trace *t, struct trace_event *e, const struct fields *f)
{
	e->pid = (s32)f->pid[1];
	e->comm = intern(t, f->comm[1]);
	switch (e->kind) {
	case EV_SWITCH:
		e->prev_prio = (s16)f->prio[0];
		e->prev_state = state_bits(f->state);
		/* fallthrough */
	case EV_FORK: /* who acts is named better in the text than in the head */
		e->curr_pid = (s32)f->pid[0];
		e->curr_comm = intern(t, f->comm[0]);
		e->prio = (s16)f->prio[1];
		break;
	case EV_EXEC:
		e->filename = intern(t, f->file);
		e->old_pid = (s32)f->orig;
		e->comm = e->curr_comm;
		break;
	case EV_STAT_RUNTIME:
	case EV_STAT_WAIT:
	case EV_STAT_SLEEP:
	case EV_STAT_IOWAIT:
	case EV_STAT_BLOCKED:
		e->value_ns = f->value;
		break;
	default:
		e->prio = (s16)f->prio[1];
		e->target_cpu = (u16)f->target;
		e->orig_cpu = (u16)f->orig;
	}
}

static struct trace_event *add(struct trace *t, const struct ftrace_head *h, enum trace_kind kind)
{
	struct trace_event *e = trace_add(t);

	if (!e)
		return NULL;
	e->ns = h->ns;
	e->kind = (u8)kind;
	e->cpu = (u16)h->cpu;
	e->context = h->context;
	e->preempt_depth = h->preempt_depth;
	e->curr_pid = h->pid;
	e->curr_comm = intern(t, h->comm);
	return e;
}

static int parse_spelling(struct trace *t, const struct ftrace_head *h, const struct spelling *sp,
			  struct span text)
{
	struct fields f;
	struct trace_event *e;

	for (size_t i = 0; i < ARRAY_SIZE(sp->text) && sp->text[i]; i++) {
		f = (struct fields){.success = 1};
		if (!match(sp->text[i], text, &f, false))
			continue;
		if (!in_range(sp->kind, &f)) {
			trace_skipped(t, SKIP_RANGE);
			return 0;
		}
		if (!f.success) {
			trace_skipped(t, SKIP_FAILED_WAKE);
			return 0;
		}
		e = add(t, h, sp->kind);
		if (!e)
			return -ENOMEM;
		fill(t, e, &f);
		return 0;
	}
	trace_skipped(t, SKIP_TEXT);
	return 0;
}

/* ---- the name ---- */

/* perf's count before an event's name, "          1 " */
static void skip_count(struct span *s)
{
	const char *p = s->p;

	while (p < s->end && *p >= '0' && *p <= '9')
		p++;
	if (p < s->end && p > s->p && *p == ' ')
		s->p = p;
	skip_blanks(s);
}

/* what perf script --show-lost-events says: "PERF_RECORD_LOST lost 48" */
static bool lost_record(struct trace *t, struct span s)
{
	static const char head[] = "PERF_RECORD_LOST";
	s64 n;

	skip_count(&s);
	if (!starts(s, head))
		return false;
	t->gaps++;
	s.p += sizeof(head) - 1;
	for (skip_blanks(&s); s.p < s.end && *s.p >= 'a' && *s.p <= 'z'; s.p++)
		;
	skip_blanks(&s);
	if (number(&s, &n) && n > 0)
		t->lost += (u64)n;
	return true;
}

/* "name:", "system:name:", with perf's count before it; moves @s behind it */
static bool event_name(struct span *s, struct span *name)
{
	const char *p;

	skip_count(s);
	for (int part = 0; part < 2; part++) {
		for (p = s->p; p < s->end && *p != ' ' && *p != ':'; p++)
			;
		if (p == s->p || p == s->end || *p != ':')
			return part > 0;
		*name = (struct span){s->p, p};
		s->p = p + 1;
		if (s->p < s->end && *s->p == ' ')
			break;
	}
	skip_blanks(s);
	return true;
}

static int add_mark(struct trace *t, const struct ftrace_head *h, struct span text)
{
	struct trace_event *e = add(t, h, EV_MARK);

	if (!e)
		return -ENOMEM;
	e->pid = e->curr_pid;
	e->comm = e->curr_comm;
	e->text = intern(t, text);
	return 0;
}

int ftrace_parse_event(struct trace *t, const struct ftrace_head *h, struct span text)
{
	struct span name;

	if (lost_record(t, text))
		return 0;
	if (!event_name(&text, &name)) {
		t->others++; /* the function tracer's lines have no name */
		return 0;
	}
	if (starts(name, "print") && span_len(name) == 5 && starts(text, "tracing_mark_write: ")) {
		name = (struct span){text.p, text.p + strlen("tracing_mark_write")};
		text.p += strlen("tracing_mark_write: ");
	}
	if (span_len(name) == strlen("tracing_mark_write") && starts(name, "tracing_mark_write"))
		return add_mark(t, h, text);
	/* what most lines of a large trace are is told by a few bytes */
	if (!starts(name, "sched_")) {
		t->others++;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		if (span_len(name) != strlen(spellings[i].name) || !starts(name, spellings[i].name))
			continue;
		if (starts(text, "[FAILED TO PARSE]")) {
			trace_skipped(t, SKIP_UNPARSED);
			return 0;
		}
		return parse_spelling(t, h, &spellings[i], text);
	}
	t->others++;
	return 0;
}
