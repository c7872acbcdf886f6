// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "workload/grammar.h"

struct suffix {
	const char *text;
	u64 factor;
};

static const struct suffix int_suffixes[] = {
	{"", 1}, {"K", 1000}, {"M", 1000000}, {"G", 1000000000}, {NULL, 0},
};

static const struct suffix byte_suffixes[] = {
	{"", 1},	   {"K", 1ULL << 10}, {"M", 1ULL << 20},
	{"G", 1ULL << 30}, {"T", 1ULL << 40}, {NULL, 0},
};

static const struct suffix time_suffixes[] = {
	{"ns", 1}, {"us", NSEC_PER_USEC}, {"ms", NSEC_PER_MSEC}, {"s", NSEC_PER_SEC}, {NULL, 0},
};

static const struct suffix *suffixes_of(enum param_kind kind)
{
	switch (kind) {
	case PARAM_BYTES:
		return byte_suffixes;
	case PARAM_TIME_NS:
		return time_suffixes;
	default:
		return int_suffixes;
	}
}

char *grammar_format(enum param_kind kind, s64 value, char *buf, size_t len)
{
	const struct suffix *s = suffixes_of(kind), *best = s;

	/* The largest unit that leaves a whole number. */
	for (; s->text; s++)
		if (value && value % (s64)s->factor == 0)
			best = s;
	snprintf(buf, len, "%" PRId64 "%s", value / (s64)best->factor, value ? best->text : "");
	return buf;
}

static int bad_number(enum param_kind kind, const char *what, const char *text, s64 lo, s64 hi,
		      struct err *err)
{
	static const char *const units[] = {
		[PARAM_INT] = "an integer",
		[PARAM_BYTES] = "a number of bytes (64, 4K, 1M, 2G)",
		[PARAM_TIME_NS] = "a time with its unit (ns, us, ms, s)",
	};
	char a[32], b[32];

	return err_set(err, -EINVAL, "%s=%s: expected %s from %s to %s", what, text, units[kind],
		       grammar_format(kind, lo, a, sizeof(a)),
		       grammar_format(kind, hi, b, sizeof(b)));
}

/*
 * Exact: digits before and after the point are scaled as integers; a fraction
 * that isn't a whole number of the smallest unit is refused.
 */
static bool scaled(const char *text, const struct suffix *s, s64 *value)
{
	bool negative = *text == '-', digits = false;
	u64 unit = 1;
	u128 n = 0;

	if (*text == '-' || *text == '+')
		text++;
	for (; *text >= '0' && *text <= '9'; text++, digits = true) {
		n = n * 10 + (*text - '0');
		if (n > INT64_MAX)
			return false;
	}
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++, digits = true) {
			n = n * 10 + (*text - '0');
			unit *= 10;
			if (n > INT64_MAX || unit > NSEC_PER_SEC * 1000)
				return false;
		}
	if (!digits)
		return false;
	for (; s->text; s++)
		if (!strcmp(text, s->text))
			break;
	/* Zero needs no unit. */
	if (!s->text && !(n == 0 && !*text))
		return false;
	n *= s->text ? s->factor : 1;
	if (n % unit || n / unit > INT64_MAX)
		return false;
	*value = negative ? -(s64)(n / unit) : (s64)(n / unit);
	return true;
}

static int number(enum param_kind kind, const char *what, const char *text, s64 lo, s64 hi,
		  s64 *value, struct err *err)
{
	if (!scaled(text, suffixes_of(kind), value) || *value < lo || *value > hi)
		return bad_number(kind, what, text, lo, hi, err);
	return 0;
}

int grammar_int(const char *what, const char *text, s64 lo, s64 hi, s64 *value, struct err *err)
{
	return number(PARAM_INT, what, text, lo, hi, value, err);
}

int grammar_bytes(const char *what, const char *text, s64 lo, s64 hi, s64 *value, struct err *err)
{
	return number(PARAM_BYTES, what, text, lo, hi, value, err);
}

int grammar_time(const char *what, const char *text, s64 lo, s64 hi, s64 *value, struct err *err)
{
	return number(PARAM_TIME_NS, what, text, lo, hi, value, err);
}

static int read_flag(const char *what, const char *text, s64 *value, struct err *err)
{
	static const struct {
		const char *word;
		bool on;
	} words[] = {{"1", true},  {"yes", true}, {"on", true},	  {"true", true},
		     {"0", false}, {"no", false}, {"off", false}, {"false", false}};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(text, words[i].word)) {
			*value = words[i].on;
			return 0;
		}
	return err_set(err, -EINVAL, "%s=%s: a flag is yes or no (or just \"%s\", \"no-%s\")", what,
		       text, what, what);
}

static int read_choice(const struct workload_param *p, const char *text, s64 *value,
		       struct err *err)
{
	size_t len = strlen(text);
	const char *word = p->choices;

	for (s64 i = 0; len; i++) {
		size_t n = strcspn(word, "|");

		if (n == len && !strncmp(word, text, n)) {
			*value = i;
			return 0;
		}
		if (!word[n])
			break;
		word += n + 1;
	}
	return err_set(err, -EINVAL, "%s=%s: expected one of %s", p->name, text, p->choices);
}

int grammar_find(const struct workload_param *table, const char *name)
{
	for (int i = 0; table[i].name; i++)
		if (!strcmp(table[i].name, name))
			return i;
	return -1;
}

/* A flag by its own name, "no-name" or the name of its opposite; *on tells which. */
static int find_flag(const struct workload_param *table, const char *word, bool *on)
{
	for (int i = 0; table[i].name; i++) {
		if (table[i].kind != PARAM_FLAG)
			continue;
		*on = !strcmp(word, table[i].name);
		if (*on || (!strncmp(word, "no-", 3) && !strcmp(word + 3, table[i].name)) ||
		    (table[i].def_string && !strcmp(word, table[i].def_string)))
			return i;
	}
	return -1;
}

static int unknown_param(const char *model, const char *name, const struct workload_param *table,
			 struct err *err)
{
	const char *names[2 * MAX_PARAMS] = {NULL}, *near;
	char all[512] = "";
	size_t len = 0;
	int n = 0;

	for (int i = 0; table[i].name; i++) {
		names[n++] = table[i].name;
		if (table[i].kind == PARAM_FLAG && table[i].def_string)
			names[n++] = table[i].def_string;
	}
	near = nearest_name(name, names, n);
	if (near)
		return err_set(err, -EINVAL, "%s has no parameter \"%s\"; did you mean \"%s\"?",
			       model, name, near);
	for (int i = 0; i < n && len < sizeof(all); i++)
		len += snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "", names[i]);
	return err_set(err, -EINVAL, "%s has no parameter \"%s\"; it has %s", model, name,
		       n ? all : "none");
}

static int replace_string(char **s, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*s);
	*s = copy;
	return 0;
}

static int read_value(const struct workload_param *p, const char *text, struct workload_values *v,
		      int i, struct err *err)
{
	switch (p->kind) {
	case PARAM_INT:
	case PARAM_BYTES:
	case PARAM_TIME_NS:
		return number(p->kind, p->name, text, p->min, p->max, &v->num[i], err);
	case PARAM_FLAG:
		return read_flag(p->name, text, &v->num[i], err);
	case PARAM_CHOICE:
		return read_choice(p, text, &v->num[i], err);
	case PARAM_STRING:
	case PARAM_FILE:
		if (!*text)
			return err_set(err, -EINVAL, "%s=: a value is missing", p->name);
		return replace_string(&v->string[i], text);
	}
	return -EINVAL;
}

/* One item between commas. */
static int read_item(const char *model, char *item, const struct workload_param *table,
		     struct workload_values *v, struct err *err)
{
	char *value = strchr(item, '=');
	bool on = false;
	int i, rc = 0;

	if (!*item)
		return err_set(err, -EINVAL, "%s: nothing between two commas", model);
	if (value) {
		*value++ = '\0';
		i = grammar_find(table, item);
	} else {
		i = find_flag(table, item, &on);
		if (i < 0 && table[0].name && table[0].kind == PARAM_FILE && !v->set[0]) {
			i = 0;
			value = item;
		}
	}
	if (i < 0) {
		if (!value && grammar_find(table, item) >= 0)
			return err_set(err, -EINVAL, "%s: \"%s\" needs a value (%s=…)", model, item,
				       item);
		return unknown_param(model, item, table, err);
	}
	if (v->set[i])
		return err_set(err, -EINVAL, "%s: \"%s\" is given twice", model, table[i].name);
	v->set[i] = true;
	if (!value) {
		v->num[i] = on;
		return 0;
	}
	rc = read_value(&table[i], value, v, i, err);
	if (rc)
		err_prefix(err, "%s: ", model);
	return rc;
}

/* Cuts the item at the front of *rest off, with "\," made ",". */
static char *next_item(char **rest)
{
	char *item = *rest, *to = item, *from = item;

	if (!item)
		return NULL;
	for (; *from && *from != ','; from++) {
		if (from[0] == '\\' && from[1] == ',')
			from++;
		*to++ = *from;
	}
	*rest = *from ? from + 1 : NULL;
	*to = '\0';
	return item;
}

static int set_defaults(const struct workload_param *table, struct workload_values *v)
{
	*v = (struct workload_values){0};
	for (; table[v->nr].name; v->nr++) {
		const struct workload_param *p = &table[v->nr];

		v->num[v->nr] = p->def;
		if ((p->kind == PARAM_STRING || p->kind == PARAM_FILE) && p->def_string &&
		    replace_string(&v->string[v->nr], p->def_string))
			return -ENOMEM;
	}
	return 0;
}

int grammar_read(const char *model, const char *items, const struct workload_param *table,
		 struct workload_values *v, struct err *err)
{
	char *copy = strdup(items), *rest = *items ? copy : NULL, *item;
	int rc = set_defaults(table, v);

	if (!copy)
		rc = -ENOMEM;
	while (!rc && (item = next_item(&rest)))
		rc = read_item(model, item, table, v, err);
	for (int i = 0; !rc && table[i].name; i++)
		if (table[i].kind == PARAM_FILE && !v->set[i])
			rc = err_set(err, -EINVAL, "%s: name a file: %s:FILE", model, model);
	if (rc == -ENOMEM)
		err_set(err, rc, "%s: out of memory", model);
	if (rc)
		grammar_free(v);
	free(copy);
	return rc;
}

void grammar_free(struct workload_values *v)
{
	for (int i = 0; i < v->nr; i++)
		free(v->string[i]);
	*v = (struct workload_values){0};
}

const char *grammar_split(const char *expr, char *model, size_t len)
{
	size_t n = strcspn(expr, ":");

	snprintf(model, len, "%.*s", (int)min(n, len - 1), expr);
	return expr[n] ? expr + n + 1 : expr + n;
}
