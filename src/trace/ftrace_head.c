// SPDX-License-Identifier: BSD-2-Clause
/*
 * ftrace_head.c - what stands before an event's name (spec 11 §1).
 *
 *	comm-pid [(tgid)] [cpu] [flags] [delay] sec.frac:	ftrace, systrace
 *	comm pid[/tid] [cpu] sec.frac: [count]			perf script
 *	comm-pid cpuFLAGS microseconds us[mark]:		ftrace's latency format
 *
 * A comm may hold anything: blanks, dashes, colons, brackets, even what looks
 * like a time. So a colon with a number before it is only a candidate, and the
 * first one decides whose left side reads as a head, from right to left.
 */
#include <ctype.h>
#include <string.h>

#include "trace/internal.h"

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static void trim_right(struct span *s)
{
	while (s->end > s->p && blank(s->end[-1]))
		s->end--;
}

static void trim_left(struct span *s)
{
	while (s->p < s->end && blank(*s->p))
		s->p++;
}

/* The digits that @s ends with. */
static struct span digits_right(struct span s)
{
	struct span d = { s.end, s.end };

	while (d.p > s.p && digit(d.p[-1]))
		d.p--;
	return d;
}

/* Return: false if there are none, or the value exceeds @max */
static bool value(struct span d, u64 max, u64 *v)
{
	*v = 0;
	if (d.p == d.end)
		return false;
	for (; d.p < d.end; d.p++) {
		u64 next = *v * 10 + (u64)(*d.p - '0');

		if (*v > max / 10 || next > max)
			return false;
		*v = next;
	}
	return true;
}

/* ---- time ---- */

/* "sec.frac" up to @colon; moves @left's end to its beginning. */
static bool time_seconds(struct span *left, u64 *ns)
{
	struct span frac = digits_right(*left), sec;
	u64 f, s;
	size_t places = span_len(frac);

	if (!places || places > 9 || frac.p == left->p || frac.p[-1] != '.')
		return false;
	sec = digits_right((struct span){ left->p, frac.p - 1 });
	if (!value(sec, UINT64_MAX / NSEC_PER_SEC - 1, &s) || !value(frac, UINT32_MAX, &f))
		return false;
	for (; places < 9; places++)
		f *= 10;
	left->end = sec.p;
	if (left->end > left->p && !blank(left->end[-1]))
		return false;
	*ns = s * NSEC_PER_SEC + f;
	return true;
}

/* "10347726881us " or "...us+", "...us!" up to the colon */
static bool time_latency(struct span *left, u64 *ns)
{
	struct span s = *left, d;
	u64 us;

	trim_right(&s);
	if (s.end > s.p && !isalnum((unsigned char)s.end[-1]))
		s.end--; /* the delay's mark */
	if (span_len(s) < 3 || s.end[-1] != 's' || s.end[-2] != 'u')
		return false;
	s.end -= 2;
	d = digits_right(s);
	if (!value(d, UINT64_MAX / NSEC_PER_USEC, &us))
		return false;
	left->end = d.p;
	*ns = us * NSEC_PER_USEC;
	return true;
}

/* ---- context ---- */

/*
 * Columns by their number: irqs-off, need-resched, [lazy,] irq context,
 * preempt depth, [lazy depth,] [migrate-disable]. '.' is none of them.
 */
static bool parse_context(struct span s, struct ftrace_head *h)
{
	size_t n = span_len(s);
	bool lazy = n >= 6;
	char depth;

	if (n < 4 || n > 8)
		return false;
	for (const char *c = s.p; c < s.end; c++)
		if (!isalnum((unsigned char)*c) && *c != '.' && *c != '#')
			return false;
	h->context = TRACE_HAS_CONTEXT;
	if (s.p[0] == 'd' || s.p[0] == 'D')
		h->context |= TRACE_IRQS_OFF;
	if (strchr("NnB", s.p[1]))
		h->context |= TRACE_NEED_RESCHED;
	if (strchr("LlBb", lazy ? s.p[2] : s.p[1]))
		h->context |= TRACE_LAZY_RESCHED;
	if (strchr("hHzZ", s.p[lazy ? 3 : 2]))
		h->context |= TRACE_HARDIRQ;
	if (strchr("sH", s.p[lazy ? 3 : 2]))
		h->context |= TRACE_SOFTIRQ;
	depth = s.p[lazy ? 4 : 3];
	if (isxdigit((unsigned char)depth))
		h->preempt_depth = digit(depth) ? depth - '0' : (depth | 0x20) - 'a' + 10;
	return true;
}

/* ---- CPU ---- */

static bool parse_bracket_cpu(struct span *left, struct ftrace_head *h)
{
	struct span d;
	u64 cpu;

	if (left->end == left->p || left->end[-1] != ']')
		return false;
	d = digits_right((struct span){ left->p, left->end - 1 });
	if (d.p == left->p || d.p[-1] != '[' || !value(d, UINT16_MAX - 1, &cpu))
		return false;
	h->cpu = (u32)cpu;
	left->end = d.p - 1;
	return true;
}

/* the longest word before a time: a CPU's number with its context, "65534DNLh321" */
#define MAX_WORD 16

/* What is longer comes back cut, and is none of the words looked for. */
static struct span last_word(struct span s)
{
	struct span w = { s.end, s.end };

	while (w.p > s.p && !blank(w.p[-1]) && w.end - w.p <= MAX_WORD)
		w.p--;
	return w;
}

/* "[cpu]", "[cpu] flags", "[cpu] flags delay" */
static bool parse_cpu(struct span *left, struct ftrace_head *h)
{
	struct span w;

	trim_right(left);
	if (parse_bracket_cpu(left, h))
		return true;
	w = last_word(*left);
	if (span_len(w) == 1 && strchr("+!#*@$", *w.p)) {
		left->end = w.p;
		trim_right(left);
		w = last_word(*left);
	}
	if (!parse_context(w, h))
		return false;
	left->end = w.p;
	trim_right(left);
	return parse_bracket_cpu(left, h);
}

/* "1DNh3." */
static bool parse_latency_cpu(struct span *left, struct ftrace_head *h)
{
	struct span w, cpu;
	u64 v;

	trim_right(left);
	w = last_word(*left);
	cpu = (struct span){ w.p, w.p };
	while (cpu.end < w.end && digit(*cpu.end))
		cpu.end++;
	if (!value(cpu, UINT16_MAX - 1, &v) || !parse_context((struct span){ cpu.end, w.end }, h))
		return false;
	h->cpu = (u32)v;
	left->end = w.p;
	return true;
}

/* ---- task ---- */

static void drop_tgid(struct span *left)
{
	const char *p = left->end;

	trim_right(left);
	p = left->end;
	if (p == left->p || p[-1] != ')')
		return;
	for (p--; p > left->p && (digit(p[-1]) || blank(p[-1]) || p[-1] == '-'); p--)
		;
	if (p > left->p && p[-1] == '(')
		left->end = p - 1;
	trim_right(left);
}

static bool parse_task(struct span left, struct ftrace_head *h)
{
	struct span pid;
	u64 v;

	drop_tgid(&left);
	pid = digits_right(left);
	if (!value(pid, INT32_MAX, &v))
		return false;
	h->pid = (s32)v;
	left.end = pid.p;
	trim_left(&left);
	if (left.p >= left.end) { /* perf without the comm */
		left.end = left.p;
	} else if (left.end[-1] == '-') {
		left.end--;
	} else if (left.end[-1] == '/') { /* perf: pid/tid, what counts is the thread */
		left.end--;
		left.end = digits_right(left).p;
		trim_right(&left);
	} else if (blank(left.end[-1])) {
		trim_right(&left);
	} else {
		return false;
	}
	h->comm = left;
	if ((span_len(left) == 5 && !memcmp(left.p, "<...>", 5)) ||
	    (span_len(left) == 6 && !memcmp(left.p, "<idle>", 6)))
		h->comm.end = h->comm.p;
	return true;
}

/* "[10363.677935] " of a kernel log in front */
static void drop_log_stamp(struct span *line)
{
	const char *p = line->p;

	trim_left(line);
	p = line->p;
	if (p == line->end || *p++ != '[')
		return;
	while (p < line->end && (digit(*p) || *p == '.' || blank(*p)))
		p++;
	if (p < line->end && *p == ']' && memchr(line->p, '.', (size_t)(p - line->p)))
		line->p = p + 1;
}

int ftrace_parse_head(struct span *line, struct ftrace_head *h)
{
	bool time_seen = false;
	const char *colon;

	drop_log_stamp(line);
	for (const char *from = line->p; from < line->end; from = colon + 1) {
		struct span left = { line->p, NULL };

		colon = memchr(from, ':', (size_t)(line->end - from));
		if (!colon)
			break;
		*h = (struct ftrace_head){ 0 };
		left.end = colon;
		if (time_seconds(&left, &h->ns)) {
			time_seen = true;
			if (!parse_cpu(&left, h))
				continue;
		} else if (time_latency(&left, &h->ns)) {
			time_seen = true;
			if (!parse_latency_cpu(&left, h))
				continue;
		} else {
			continue;
		}
		if (!parse_task(left, h))
			continue;
		line->p = colon + 1;
		trim_left(line);
		return 0;
	}
	return -(1 + (int)(time_seen ? SKIP_NO_CPU : SKIP_NOT_A_LINE));
}
