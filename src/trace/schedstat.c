// SPDX-License-Identifier: BSD-2-Clause
/*
 * schedstat.c - reading /proc/schedstat, plain or packed.
 */
#include <errno.h>
#include <limits.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/schedstat.h"

#define MAX_CPUS   65536
#define MAX_FIELDS 64
#define MAX_FILE   ((size_t)256 << 20)

static const struct schedstat_form forms[] = {
	{15, false, false, {SCHEDSTAT_IDLE, SCHEDSTAT_BUSY, SCHEDSTAT_NEWIDLE}},
	{16, false, false, {SCHEDSTAT_BUSY, SCHEDSTAT_IDLE, SCHEDSTAT_NEWIDLE}},
	{17, true, true, {SCHEDSTAT_BUSY, SCHEDSTAT_IDLE, SCHEDSTAT_NEWIDLE}},
};

const struct schedstat_form *schedstat_form(int version)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (forms[i].version == version)
			return &forms[i];
	return NULL;
}

struct parser {
	const char *name;
	const struct schedstat_form *form;
	struct schedstat *first, *last;
	struct schedstat_cpu *cpu; /* of the last cpu line */
	int room;
	int line;
	struct err *err;
};

static int bad(struct parser *p, const char *what)
{
	return err_set(p->err, -EINVAL, "%s:%d: %s", p->name, p->line, what);
}

static int no_memory(struct parser *p)
{
	return err_set(p->err, -ENOMEM, "%s: out of memory", p->name);
}

/* whole numbers, blanks between; Return: how many, -1: something else is there, or too many */
static int numbers(const char *s, u64 *v)
{
	int n = 0;

	for (;;) {
		char *end;

		s += strspn(s, " \t\r");
		if (!*s)
			return n;
		if (n == MAX_FIELDS || *s < '0' || *s > '9')
			return -1;
		errno = 0;
		v[n++] = strtoull(s, &end, 10);
		if (errno || (*end && !strchr(" \t\r", *end)))
			return -1;
		s = end;
	}
}

static int parse_version(struct parser *p, const char *rest)
{
	struct schedstat *s;
	u64 v[MAX_FIELDS];

	if (numbers(rest, v) != 1)
		return bad(p, "expected \"version\" and a number");
	p->form = v[0] <= INT_MAX ? schedstat_form((int)v[0]) : NULL;
	if (!p->form)
		return bad(p, "only versions 15 to 17 of schedstat are known");
	s = calloc(1, sizeof(*s));
	if (!s)
		return no_memory(p);
	s->version = p->form->version;
	*(p->last ? &p->last->next : &p->first) = s;
	p->last = s;
	p->cpu = NULL;
	p->room = 0;
	return 0;
}

static int parse_timestamp(struct parser *p, const char *rest)
{
	u64 v[MAX_FIELDS];

	if (numbers(rest, v) != 1)
		return bad(p, "expected \"timestamp\" and a number");
	p->last->timestamp = v[0];
	return 0;
}

static int room_for(struct parser *p, int cpu)
{
	struct schedstat *s = p->last;
	struct schedstat_cpu *c;
	int room = p->room ? p->room : 16;

	while (room <= cpu)
		room *= 2;
	if (room != p->room) {
		c = realloc(s->cpu, (size_t)room * sizeof(*c));
		if (!c)
			return no_memory(p);
		memset(c + p->room, 0, (size_t)(room - p->room) * sizeof(*c));
		s->cpu = c;
		p->room = room;
	}
	if (cpu >= s->nr_cpus)
		s->nr_cpus = cpu + 1;
	return 0;
}

/* "N a 0 c d e f g h i" */
static int parse_cpu(struct parser *p, const char *rest)
{
	u64 v[MAX_FIELDS];
	int rc;

	if (numbers(rest, v) != 10 || v[0] >= MAX_CPUS)
		return bad(p, "expected \"cpuN\" and nine numbers");
	rc = room_for(p, (int)v[0]);
	if (rc)
		return rc;
	p->cpu = &p->last->cpu[v[0]];
	*p->cpu = (struct schedstat_cpu){
		.present = true,
		.yield_count = v[1],
		.sched_count = v[3],
		.sched_goidle = v[4],
		.ttwu_count = v[5],
		.ttwu_local = v[6],
		.run_ns = v[7],
		.wait_ns = v[8],
		.slices = v[9],
	};
	return 0;
}

struct word {
	const char *at;
	size_t len;
};

static struct word take_word(const char **s)
{
	struct word w = {.at = *s + strspn(*s, " \t")};

	w.len = strcspn(w.at, " \t");
	*s = w.at + w.len;
	return w;
}

/* the mask that the same domain of the CPU before has, which mostly is the same */
static const char *mask_before(const struct parser *p, int level)
{
	const struct schedstat_cpu *before = p->cpu - 1;

	return p->cpu > p->last->cpu && level < before->nr_domains ? before->span[level].mask :
								     NULL;
}

/* the words before the numbers: N [name] mask */
static int parse_span(struct parser *p, const char **rest, int level)
{
	struct schedstat_span *span = &p->cpu->span[level];
	struct word w = take_word(rest);

	if (p->form->named) {
		w = take_word(rest);
		if (!w.len || w.len >= sizeof(span->name))
			return bad(p, "a domain line without a name that is one");
		memcpy(span->name, w.at, w.len);
	}
	w = take_word(rest);
	if (!w.len || strspn(w.at, "0123456789abcdef,") < w.len)
		return bad(p, "a domain line without a mask of CPUs in hex");
	span->mask = schedstat_keep_mask(p->last, w.at, w.len, mask_before(p, level));
	return span->mask ? 0 : no_memory(p);
}

static const u64 *take_lb(const struct schedstat_form *f, const u64 *v, struct schedstat_lb *lb)
{
	lb->count = *v++;
	lb->balanced = *v++;
	lb->failed = *v++;
	if (f->four_kinds) {
		for (int i = 0; i < 4; i++)
			lb->imbalance += lb->imbalance_of[i] = *v++;
	} else {
		lb->imbalance = *v++;
	}
	lb->gained = *v++;
	lb->hot_gained = *v++;
	lb->nobusyq = *v++;
	lb->nobusyg = *v++;
	return v;
}

static int parse_domain(struct parser *p, const char *rest)
{
	const struct schedstat_form *f = p->form;
	int expected = NR_SCHEDSTAT_IDLE * (f->four_kinds ? 11 : 8) + 12;
	struct schedstat_domain *d;
	const u64 *at;
	u64 v[MAX_FIELDS];
	int rc;

	if (!p->cpu)
		return bad(p, "a domain line without a cpu line before it");
	if (p->cpu->nr_domains == SCHEDSTAT_MAX_DOMAINS)
		return bad(p, "more domains than any machine has");
	rc = parse_span(p, &rest, p->cpu->nr_domains);
	if (rc)
		return rc;
	if (numbers(rest, v) != expected)
		return bad(p, "a domain line with more or fewer numbers than its version has");
	d = &p->cpu->domain[p->cpu->nr_domains++];
	at = v;
	for (int i = 0; i < NR_SCHEDSTAT_IDLE; i++)
		at = take_lb(f, at, &d->lb[f->order[i]]);
	d->alb_count = at[0];
	d->alb_failed = at[1];
	d->alb_pushed = at[2];
	d->sbe_count = at[3];
	d->sbe_balanced = at[4];
	d->sbe_pushed = at[5];
	d->sbf_count = at[6];
	d->sbf_balanced = at[7];
	d->sbf_pushed = at[8];
	d->ttwu_wake_remote = at[9];
	d->ttwu_move_affine = at[10];
	d->ttwu_move_balance = at[11];
	return 0;
}

static int parse_line(struct parser *p, const char *s)
{
	static const struct {
		const char *word;
		int (*parse)(struct parser *p, const char *rest);
	} kinds[] = {
		{"timestamp", parse_timestamp},
		{"cpu", parse_cpu},
		{"domain", parse_domain},
	};

	if (!*s || *s == '#')
		return 0;
	if (!strncmp(s, "version", 7))
		return parse_version(p, s + 7);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i].word);

		if (strncmp(s, kinds[i].word, len))
			continue;
		if (!p->last)
			return bad(p, "expected the \"version\" line first");
		return kinds[i].parse(p, s + len);
	}
	return bad(p, "not a line of /proc/schedstat");
}

int schedstat_read_text(const char *name, const char *text, size_t len, struct schedstat **first,
			struct err *err)
{
	struct parser p = {.name = name, .err = err};
	const char *end = text + len;
	char line[4096];
	int rc = 0;

	*first = NULL;
	while (!rc && text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((nl ? nl : end) - text);

		p.line++;
		if (n >= sizeof(line) || memchr(text, '\0', n)) {
			rc = bad(&p, "not a line of /proc/schedstat");
			break;
		}
		memcpy(line, text, n);
		line[n] = '\0';
		rc = parse_line(&p, line);
		text += n + 1;
	}
	if (!rc && !p.first)
		rc = err_set(err, -EINVAL, "%s: no snapshot of /proc/schedstat in it", name);
	if (rc) {
		schedstat_free(p.first);
		return rc;
	}
	*first = p.first;
	return 0;
}

/* ---- masks ---- */

struct schedstat_mask {
	struct schedstat_mask *next;
	char text[];
};

const char *schedstat_keep_mask(struct schedstat *s, const char *mask, size_t len,
				const char *like)
{
	struct schedstat_mask *m;

	if (like && !strncmp(like, mask, len) && !like[len])
		return like;
	m = malloc(sizeof(*m) + len + 1);
	if (!m)
		return NULL;
	memcpy(m->text, mask, len);
	m->text[len] = '\0';
	m->next = s->masks;
	s->masks = m;
	return m->text;
}

static void free_masks(struct schedstat *s)
{
	while (s->masks) {
		struct schedstat_mask *m = s->masks;

		s->masks = m->next;
		free(m);
	}
}

void schedstat_free(struct schedstat *s)
{
	while (s) {
		struct schedstat *next = s->next;

		free_masks(s);
		free(s->cpu);
		free(s);
		s = next;
	}
}

/* ---- files ---- */

struct buffer {
	char *data;
	size_t len, room;
};

static int append(struct buffer *b, const void *data, size_t len, const char *path, struct err *err)
{
	size_t room = b->room ? b->room : 65536;
	char *p;

	while (room < b->len + len)
		room *= 2;
	if (room > MAX_FILE)
		return err_set(err, -EINVAL, "%s: too long for a /proc/schedstat", path);
	if (room != b->room) {
		p = realloc(b->data, room);
		if (!p)
			return err_set(err, -ENOMEM, "%s: out of memory", path);
		b->data = p;
		b->room = room;
	}
	memcpy(b->data + b->len, data, len);
	b->len += len;
	return 0;
}

static int slurp(FILE *f, struct buffer *b, const char *path, struct err *err)
{
	char chunk[16384];
	size_t n;
	int rc = 0;

	while (!rc && (n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		rc = append(b, chunk, n, path, err);
	if (!rc && ferror(f))
		rc = err_set(err, -EIO, "%s: can't be read", path);
	return rc;
}

static int unpack_xz(struct buffer *b, const char *path, struct err *err)
{
	lzma_stream z = LZMA_STREAM_INIT;
	struct buffer out = {0};
	lzma_ret status = LZMA_OK;
	u8 chunk[16384];
	int rc = 0;

	if (lzma_stream_decoder(&z, 1 << 28, LZMA_CONCATENATED) != LZMA_OK)
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	z.next_in = (const u8 *)b->data;
	z.avail_in = b->len;
	while (!rc && status == LZMA_OK) {
		z.next_out = chunk;
		z.avail_out = sizeof(chunk);
		status = lzma_code(&z, LZMA_FINISH);
		if (status != LZMA_OK && status != LZMA_STREAM_END)
			rc = err_set(err, -EBADMSG, "%s: the xz data is damaged or cut off", path);
		else
			rc = append(&out, chunk, sizeof(chunk) - z.avail_out, path, err);
	}
	lzma_end(&z);
	free(b->data);
	*b = out;
	return rc;
}

int schedstat_read(const char *path, struct schedstat **first, struct err *err)
{
	struct buffer b = {0};
	FILE *f = fopen(path, "re");
	int rc;

	*first = NULL;
	if (!f)
		return err_set(err, -errno, "%s: can't be opened: %s", path, strerror(errno));
	rc = slurp(f, &b, path, err);
	fclose(f);
	if (!rc && b.len > 6 && !memcmp(b.data, "\xfd" "7zXZ\0", 6))
		rc = unpack_xz(&b, path, err);
	if (!rc)
		rc = schedstat_read_text(path, b.data ? b.data : "", b.len, first, err);
	free(b.data);
	return rc;
}

void schedstat_diff(struct schedstat_domain *d, const struct schedstat_domain *a,
		    const struct schedstat_domain *b)
{
	const u64 *x = (const u64 *)a, *y = (const u64 *)b;
	u64 *z = (u64 *)d;

	_Static_assert(sizeof(*d) % sizeof(u64) == 0, "a domain is counters and nothing else");
	for (size_t i = 0; i < sizeof(*d) / sizeof(u64); i++)
		z[i] = y[i] - x[i];
}
