// SPDX-License-Identifier: BSD-2-Clause
/*
 * ftrace.c - text, line by line: comments, headers, notes of loss, pages around a trace.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "trace/internal.h"

#define MAX_LINE 65536

struct ftrace_reader {
	struct trace *t;
	bool page;	 /* a systrace page: events stand in one part of it only */
	bool in_data;	 /* of a page */
	bool quoted;	 /* the old page has its trace in a string: lines end with \n\ */
	bool overlong;	 /* inside a line that is too long */
	u64 failed_line; /* the last one that wasn't understood */
	enum trace_skip failed_why;
	size_t carried;
	char carry[MAX_LINE]; /* the beginning of a line that isn't whole yet */
};

struct ftrace_reader *ftrace_reader_new(struct trace *t)
{
	struct ftrace_reader *r = malloc(sizeof(*r));

	if (r) {
		memset(r, 0, offsetof(struct ftrace_reader, carry));
		r->t = t;
	}
	return r;
}

static const char *find(struct span s, const char *word)
{
	return memmem(s.p, span_len(s), word, strlen(word));
}

static bool starts(struct span s, const char *word)
{
	size_t len = strlen(word);

	return span_len(s) >= len && !strncasecmp(s.p, word, len);
}

static u64 digits(const char *p, const char *end)
{
	u64 v = 0;

	for (; p < end && *p >= '0' && *p <= '9' && v < UINT64_MAX / 100; p++)
		v = v * 10 + (u64)(*p - '0');
	return v;
}

/* "# entries-in-buffer/entries-written: 5934/6000   #P:8" and "cpus=6" tell loss and CPUs. */
static void read_comment(struct trace *t, struct span s)
{
	const char *at = find(s, "#P:"), *slash;
	u64 cpus = at ? digits(at + 3, s.end) : 0, in, written;

	t->comments++;
	if (starts(s, "cpus="))
		cpus = digits(s.p + 5, s.end);
	if (cpus && cpus < UINT16_MAX)
		t->nr_cpus = max(t->nr_cpus, (int)cpus);
	at = find(s, "entries-written:");
	slash = at ? memchr(at + 16, '/', (size_t)(s.end - at - 16)) : NULL;
	if (!slash)
		return;
	for (at += 16; at < slash && *at == ' '; at++)
		;
	in = digits(at, slash);
	written = digits(slash + 1, s.end);
	if (written > in) {
		t->lost += written - in;
		t->gaps++;
	}
}

/* "CPU:1 [LOST 12570412 EVENTS]", "CPU:3 [EVENTS DROPPED]" */
static bool read_loss(struct trace *t, struct span s)
{
	const char *cpu = find(s, "CPU:"), *lost = find(s, "[LOST ");

	if (!cpu || !(lost || find(s, "EVENTS DROPPED]")))
		return false;
	if (lost)
		t->lost += digits(lost + 6, s.end);
	t->gaps++;
	return true;
}

/* Return: whether the line belongs to the page, not to the trace in it */
static bool read_page(struct ftrace_reader *r, struct span *s)
{
	struct span text = *s;

	while (text.p < text.end && (*text.p == ' ' || *text.p == '\t'))
		text.p++;
	if (!r->in_data) {
		r->quoted = find(text, "linuxPerfData") != NULL;
		r->in_data = r->quoted || find(text, "class=\"trace-data\"");
		return true;
	}
	/* another tool's data follows in a part of its own, as JSON */
	if (starts(text, "</script>") || starts(text, "{") || starts(text, "\";")) {
		r->in_data = false;
		return true;
	}
	if (r->quoted && span_len(*s) >= 3 && !memcmp(s->end - 3, "\\n\\", 3))
		s->end -= 3;
	return false;
}

static void failed(struct ftrace_reader *r, enum trace_skip why)
{
	r->failed_line = r->t->lines;
	r->failed_why = why;
}

/* what tracefs and trace-cmd report print beside the events */
static bool comment(struct span s)
{
	if (s.p == s.end || *s.p == '#')
		return true;
	if (*s.p == ' ') /* nearly every line of an event */
		return false;
	return starts(s, "version = ") || starts(s, "cpus=") ||
	       (starts(s, "CPU ") && find(s, " is empty"));
}

static int read_line(struct ftrace_reader *r, struct span s)
{
	struct trace *t = r->t;
	struct ftrace_head h;
	u64 texts = t->skip[SKIP_TEXT].count;
	int ret;

	t->lines++;
	if (s.end > s.p && s.end[-1] == '\r')
		s.end--;
	if (t->lines == 1 && (starts(s, "<!DOCTYPE html") || starts(s, "<html")))
		r->page = true;
	if (r->page && read_page(r, &s)) {
		t->comments++;
		return 0;
	}
	if (comment(s)) {
		read_comment(t, s);
		return 0;
	}
	ret = ftrace_parse_head(&s, &h);
	if (ret && read_loss(t, s))
		return 0;
	if (ret) {
		failed(r, (enum trace_skip)(-ret - 1));
		trace_skipped(t, r->failed_why);
		return 0;
	}
	ret = ftrace_parse_event(t, &h, s);
	if (t->skip[SKIP_TEXT].count > texts)
		failed(r, SKIP_TEXT);
	return ret;
}

static void too_long(struct ftrace_reader *r)
{
	r->t->lines++;
	trace_skipped(r->t, SKIP_LONG);
	r->carried = 0;
	r->overlong = true;
}

/* The end of a line whose beginning was carried. */
static int carry_end(struct ftrace_reader *r, struct span s)
{
	int ret = 0;

	if (r->overlong) {
		r->overlong = false;
		return 0;
	}
	if (span_len(s) > sizeof(r->carry) - r->carried) {
		too_long(r);
		r->overlong = false;
		return 0;
	}
	if (!r->carried)
		return read_line(r, s);
	memcpy(r->carry + r->carried, s.p, span_len(s));
	ret = read_line(r, (struct span){ r->carry, r->carry + r->carried + span_len(s) });
	r->carried = 0;
	return ret;
}

int ftrace_feed(struct ftrace_reader *r, const char *data, size_t len)
{
	struct span s = { data, data + len };

	while (s.p < s.end) {
		const char *nl = memchr(s.p, '\n', span_len(s));
		int ret;

		if (!nl)
			break;
		ret = carry_end(r, (struct span){ s.p, nl });
		if (ret)
			return ret;
		s.p = nl + 1;
	}
	if (r->overlong)
		return 0;
	if (span_len(s) > sizeof(r->carry) - r->carried) {
		too_long(r);
		return 0;
	}
	if (span_len(s))
		memcpy(r->carry + r->carried, s.p, span_len(s));
	r->carried += span_len(s);
	return 0;
}

int ftrace_end(struct ftrace_reader *r)
{
	struct trace *t = r->t;
	bool no_newline = r->carried;
	int ret = 0;

	if (r->carried)
		ret = carry_end(r, (struct span){ r->carry, r->carry });
	/* copies are often cut within a line */
	if (r->failed_line && r->failed_line == t->lines &&
	    (no_newline || r->failed_why == SKIP_TEXT)) {
		t->skip[r->failed_why].count--;
		trace_skipped(t, SKIP_CUT);
	}
	free(r);
	return ret;
}
