// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "workload/rjson.h"

#define MAX_DEPTH 32 /* as json-c */

#define NR_CHAINS 8192

/* A key that an object has already. */
struct known {
	const struct rjson *object;
	struct rjson *member;
	struct known *next; /* of the same chain */
	int suffix;	    /* the next one to try when it is given again */
};

struct reader {
	const char *at, *end, *line_start;
	int line;
	const char *file;
	enum rjson_reading reading;
	struct arena *arena;
	struct err *err;
	struct known *known[NR_CHAINS];
};

static int column(const struct reader *r)
{
	return r->at - r->line_start + 1;
}

__attribute__((format(printf, 2, 3))) static void *fail(struct reader *r, const char *fmt, ...)
{
	char msg[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	err_set(r->err, -EINVAL, "%s:%d:%d: %s", r->file, r->line, column(r), msg);
	return NULL;
}

static void *nomem(struct reader *r)
{
	err_set(r->err, -ENOMEM, "%s: out of memory", r->file);
	return NULL;
}

static int peek(const struct reader *r)
{
	return r->at < r->end ? (unsigned char)*r->at : -1;
}

static void advance(struct reader *r)
{
	if (*r->at++ == '\n') {
		r->line++;
		r->line_start = r->at;
	}
}

static bool starts(const struct reader *r, const char *what)
{
	size_t n = strlen(what);

	return (size_t)(r->end - r->at) >= n && !memcmp(r->at, what, n);
}

/* Blanks and comments. Return: false for a comment that isn't closed. */
static bool skip(struct reader *r)
{
	for (;;) {
		if (starts(r, "//")) {
			while (r->at < r->end && *r->at != '\n')
				advance(r);
		} else if (starts(r, "/*")) {
			struct reader begin = *r;

			r->at += 2;
			while (r->at < r->end && !starts(r, "*/"))
				advance(r);
			if (r->at == r->end)
				return fail(&begin, "the comment is not closed by */");
			r->at += 2;
		} else if (peek(r) == ' ' || peek(r) == '\t' || peek(r) == '\n' ||
			   peek(r) == '\r' || peek(r) == '\v' || peek(r) == '\f') {
			advance(r);
		} else {
			return true;
		}
	}
}

static int hex4(const char *s, const char *end)
{
	int v = 0;

	for (int i = 0; i < 4; i++, s++) {
		if (s >= end)
			return -1;
		if (*s >= '0' && *s <= '9')
			v = v * 16 + *s - '0';
		else if ((*s | 32) >= 'a' && (*s | 32) <= 'f')
			v = v * 16 + (*s | 32) - 'a' + 10;
		else
			return -1;
	}
	return v;
}

/* \uXXXX as UTF-8; halves of surrogate pairs and NUL become "?". */
static char *put_utf8(char *to, int c)
{
	if (c == 0 || (c >= 0xd800 && c < 0xe000)) {
		*to++ = '?';
	} else if (c < 0x80) {
		*to++ = c;
	} else if (c < 0x800) {
		*to++ = 0xc0 | c >> 6;
		*to++ = 0x80 | (c & 63);
	} else {
		*to++ = 0xe0 | c >> 12;
		*to++ = 0x80 | (c >> 6 & 63);
		*to++ = 0x80 | (c & 63);
	}
	return to;
}

/* Behind a backslash. Return: the end of what was written, NULL: no such escape. */
static char *escape(struct reader *r, char *to)
{
	static const char from_to[] = "\"\"\\\\//'\'b\bf\fn\nr\rt\t";
	int c;

	if (peek(r) == 'u') {
		c = hex4(r->at + 1, r->end);
		if (c < 0)
			return fail(r, "\\u needs four hexadecimal digits");
		r->at += 5;
		return put_utf8(to, c);
	}
	for (const char *p = from_to; *p; p += 2)
		if (peek(r) == *p) {
			*to++ = p[1];
			r->at++;
			return to;
		}
	return fail(r, "unknown escape in a string");
}

/* A string in double or single quotes. */
static char *string(struct reader *r)
{
	const struct reader begin = *r;
	char quote = *r->at++, *s, *to;
	size_t room = 1;

	for (const char *p = r->at; p < r->end && *p != quote && *p != '\n'; p++) {
		room++;
		if (*p == '\\' && p + 1 < r->end)
			p++, room++;
	}
	s = to = arena_alloc(r->arena, room);
	if (!s)
		return nomem(r);
	while (peek(r) != quote) {
		if (peek(r) < 0 || peek(r) == '\n') {
			*r = begin;
			return fail(r, "the string is not closed on its line");
		}
		if (!peek(r))
			return fail(r, "a zero byte in a string");
		if (*r->at != '\\') {
			*to++ = *r->at++;
			continue;
		}
		r->at++;
		to = escape(r, to);
		if (!to)
			return NULL;
	}
	r->at++;
	return s;
}

static bool number(struct reader *r, struct rjson *v)
{
	const char *p = r->at;
	bool negative = *p == '-', digits = false;
	s64 n = 0;

	v->type = RJSON_INT;
	if (*p == '-' || *p == '+')
		p++;
	for (; p < r->end && *p >= '0' && *p <= '9'; p++, digits = true)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *p - '0', &n))
			return fail(r, "the number is too large");
	if (p < r->end && (*p == '.' || (digits && (*p | 32) == 'e'))) {
		v->type = RJSON_FLOAT;
		for (p++; p < r->end &&
			  ((*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || (*p | 32) == 'e');
		     p++)
			digits |= *p >= '0' && *p <= '9';
	}
	if (!digits)
		return fail(r, "expected a number");
	v->integer = negative ? -n : n;
	r->at = p;
	return true;
}

static bool literal(struct reader *r, struct rjson *v)
{
	static const struct {
		const char *word;
		enum rjson_type type;
		int value;
	} words[] = {
		{"true", RJSON_BOOL, 1},
		{"false", RJSON_BOOL, 0},
		{"null", RJSON_NULL, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i].word);

		if ((size_t)(r->end - r->at) < n || strncasecmp(r->at, words[i].word, n))
			continue;
		v->type = words[i].type;
		v->integer = words[i].value;
		r->at += n;
		return true;
	}
	if (peek(r) < 0)
		return fail(r, "the file ends where a value is expected");
	return fail(r, "expected a value: a number, a string, true, false, null, [ or {");
}

static bool value(struct reader *r, struct rjson *v, int depth);

static struct rjson *find(struct rjson *first, const char *key)
{
	while (first && strcmp(first->key, key))
		first = first->next;
	return first;
}

/* A file may have a hundred thousand keys: those that are there are found by object and name. */
static struct known **chain_of(struct reader *r, const struct rjson *object, const char *key)
{
	u64 h = (uintptr_t)object >> 4;

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 0x100000001b3ull;
	return &r->known[(h ^ h >> 32) % NR_CHAINS];
}

static struct known *known(struct reader *r, const struct rjson *object, const char *key)
{
	struct known *k = *chain_of(r, object, key);

	while (k && (k->object != object || strcmp(k->member->key, key)))
		k = k->next;
	return k;
}

static bool remember(struct reader *r, const struct rjson *object, struct rjson *member)
{
	struct known **chain = chain_of(r, object, member->key);
	struct known *k = arena_alloc(r->arena, sizeof(*k));

	if (!k)
		return nomem(r);
	*k = (struct known){ object, member, *chain, 1 };
	*chain = k;
	return true;
}

/* The key that workgen would have made of one that is there already. */
static const char *renamed(struct reader *r, const struct rjson *object, struct known *k)
{
	size_t room = strlen(k->member->key) + 12;
	char *name = arena_alloc(r->arena, room);

	if (!name)
		return nomem(r);
	do
		snprintf(name, room, "%s%d", k->member->key, k->suffix++);
	while (known(r, object, name));
	return name;
}

/* The key, the colon; leaves r before the value. Return: whether one follows. */
static bool member_value(struct reader *r, struct rjson *m, int depth)
{
	if (!skip(r))
		return false;
	if (peek(r) == ':') {
		r->at++;
		return skip(r) && value(r, m, depth);
	}
	if (peek(r) != ',' && peek(r) != '}')
		return fail(r, "expected a colon after the key \"%s\"", m->key);
	if (r->reading == RJSON_C)
		return fail(r,
			    "expected a colon after the key \"%s\" (json-c needs a value for "
			    "each key; workgen doesn't)",
			    m->key);
	m->type = RJSON_NONE;
	m->line = m->key_line;
	m->col = m->key_col;
	return true;
}

static bool member(struct reader *r, struct rjson *object, struct rjson **last, int depth)
{
	struct rjson *m = arena_alloc(r->arena, sizeof(*m));
	struct known *old;

	if (!m)
		return nomem(r);
	if (peek(r) != '"' && peek(r) != '\'')
		return fail(r, peek(r) < 0 ? "the file ends inside an object"
					   : "expected a key in quotes or }");
	m->key_line = r->line;
	m->key_col = column(r);
	m->key = m->written = string(r);
	if (!m->key || !member_value(r, m, depth))
		return false;
	old = known(r, object, m->key);
	if (old && r->reading == RJSON_C) {
		m->next = old->member->next;
		*old->member = *m;
		return true;
	}
	if (old)
		m->key = renamed(r, object, old);
	if (!m->key || !remember(r, object, m))
		return false;
	if (*last)
		(*last)->next = m;
	else
		object->child = m;
	*last = m;
	return true;
}

static bool element(struct reader *r, struct rjson *array, struct rjson **last, int depth)
{
	struct rjson *v = arena_alloc(r->arena, sizeof(*v));

	if (!v)
		return nomem(r);
	if (!value(r, v, depth))
		return false;
	if (*last)
		(*last)->next = v;
	else
		array->child = v;
	*last = v;
	return true;
}

/* An array or object, from behind its opening bracket. A trailing comma is fine. */
static bool container(struct reader *r, struct rjson *v, int depth)
{
	int close = v->type == RJSON_OBJECT ? '}' : ']';
	struct rjson *last = NULL;

	if (depth > MAX_DEPTH)
		return fail(r, "more than %d levels of brackets", MAX_DEPTH);
	for (;;) {
		if (!skip(r))
			return false;
		if (peek(r) == close)
			break;
		if (!(v->type == RJSON_OBJECT ? member : element)(r, v, &last, depth))
			return false;
		if (!skip(r))
			return false;
		if (peek(r) == ',')
			r->at++;
		else if (peek(r) < 0)
			return fail(r, "the file ends inside an %s opened at line %d",
				    close == '}' ? "object" : "array", v->line);
		else if (peek(r) != close)
			return fail(r, "expected a comma or %c", close);
	}
	r->at++;
	return true;
}

static bool value(struct reader *r, struct rjson *v, int depth)
{
	int c = peek(r);

	v->line = r->line;
	v->col = column(r);
	if (c == '{' || c == '[') {
		v->type = c == '{' ? RJSON_OBJECT : RJSON_ARRAY;
		r->at++;
		return container(r, v, depth + 1);
	}
	if (c == '"' || c == '\'') {
		v->type = RJSON_STRING;
		v->string = string(r);
		return v->string;
	}
	if (c == '-' || c == '+' || c == '.' || (c >= '0' && c <= '9'))
		return number(r, v);
	return literal(r, v);
}

struct rjson *rjson_parse(const char *text, size_t len, const char *file,
			  enum rjson_reading reading, struct arena *arena, struct err *err)
{
	struct reader r = {
		.at = text,
		.end = text + len,
		.line_start = text,
		.line = 1,
		.file = file,
		.reading = reading,
		.arena = arena,
		.err = err,
	};
	struct rjson *top = arena_alloc(arena, sizeof(*top));

	if (!top)
		return nomem(&r);
	if (!skip(&r) || !value(&r, top, 0))
		return NULL;
	return top;
}

const struct rjson *rjson_get(const struct rjson *object, const char *key)
{
	return find(object->child, key);
}

const char *rjson_type_name(enum rjson_type type)
{
	static const char *const names[] = {
		[RJSON_NONE] = "without a value",
		[RJSON_NULL] = "null",
		[RJSON_BOOL] = "a boolean",
		[RJSON_INT] = "an integer",
		[RJSON_FLOAT] = "a number with a fraction",
		[RJSON_STRING] = "a string",
		[RJSON_ARRAY] = "an array",
		[RJSON_OBJECT] = "an object",
	};

	return names[type];
}
