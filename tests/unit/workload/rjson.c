// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "workload/rjson.h"

/* A value as one line: objects {key:value …}, a key without a value stands alone. */
static void show(const struct rjson *v, char *buf, size_t len)
{
	size_t n = strlen(buf);

	switch (v->type) {
	case RJSON_NONE:
		break;
	case RJSON_NULL:
		snprintf(buf + n, len - n, "null");
		break;
	case RJSON_BOOL:
		snprintf(buf + n, len - n, v->integer ? "true" : "false");
		break;
	case RJSON_INT:
		snprintf(buf + n, len - n, "%lld", (long long)v->integer);
		break;
	case RJSON_FLOAT:
		snprintf(buf + n, len - n, "float");
		break;
	case RJSON_STRING:
		snprintf(buf + n, len - n, "'%s'", v->string);
		break;
	case RJSON_ARRAY:
	case RJSON_OBJECT:
		snprintf(buf + n, len - n, v->type == RJSON_ARRAY ? "[" : "{");
		for (const struct rjson *c = v->child; c; c = c->next) {
			n = strlen(buf);
			if (v->type == RJSON_OBJECT)
				snprintf(buf + n, len - n,
					 c->type == RJSON_NONE ? "%s" : "%s:", c->key);
			show(c, buf, len);
			n = strlen(buf);
			if (c->next)
				snprintf(buf + n, len - n, " ");
		}
		n = strlen(buf);
		snprintf(buf + n, len - n, v->type == RJSON_ARRAY ? "]" : "}");
		break;
	}
}

static void expect(const char *text, enum rjson_reading reading, const char *shown)
{
	struct arena *arena = arena_new();
	struct err err = {0};
	struct rjson *v = rjson_parse(text, strlen(text), "f", reading, arena, &err);
	char buf[1024] = "";

	if (v)
		show(v, buf, sizeof(buf));
	else
		snprintf(buf, sizeof(buf), "%s", err.msg);
	if (strcmp(buf, shown))
		fail_msg("%s\n  gives    %s\n  expected %s", text, buf, shown);
	arena_free(arena);
}

static void plain_values(void **state)
{
	expect("{}", RJSON_C, "{}");
	expect("[1, -2, +3, 4.5, 1e3, .5]", RJSON_C, "[1 -2 3 float float float]");
	expect("[true, FALSE, null]", RJSON_C, "[true false null]");
	expect("\"a\\n\\u00e4\\\"\"", RJSON_C, "'a\n\303\244\"'");
	expect("'single'", RJSON_C, "'single'");
	expect("{\"a\":{\"b\":[{}]}}", RJSON_C, "{a:{b:[{}]}}");
}

static void what_json_c_tolerates(void **state)
{
	expect("/* c */ {\"a\" : 1, // end\n} trailing text", RJSON_C, "{a:1}");
	expect("[1,2,]", RJSON_C, "[1 2]");
	expect("{\"a\":1,/**/}", RJSON_C, "{a:1}");
}

/* Spec 15 §1: {"run":1,"sleep":2,"run":3} is run 3, sleep 2 for json-c. */
static void repeated_keys(void **state)
{
	static const char text[] = "{\"run\":1,\"sleep\":2,\"run\":3,\"run\":4}";

	expect(text, RJSON_C, "{run:4 sleep:2}");
	expect(text, RJSON_WORKGEN, "{run:1 sleep:2 run1:3 run2:4}");
	expect("{\"run\":1,\"run1\":2,\"run\":3}", RJSON_WORKGEN, "{run:1 run1:2 run2:3}");
	expect("{\"heavy1\":1,\"heavy1\":2}", RJSON_WORKGEN, "{heavy1:1 heavy11:2}");
	/* each object counts for itself */
	expect("{\"a\":{\"a\":1,\"a\":2}}", RJSON_WORKGEN, "{a:{a:1 a1:2}}");
}

static void keys_without_value(void **state)
{
	expect("{\"suspend\", \"run\":1}", RJSON_WORKGEN, "{suspend run:1}");
	expect("{\"suspend\"}", RJSON_WORKGEN, "{suspend}");
	expect("{\n\t\"suspend\",\n}", RJSON_C,
	       "f:2:11: expected a colon after the key \"suspend\" (json-c needs a value for each "
	       "key; workgen doesn't)");
}

static void messages_name_the_place(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text, *msg;
	} rows[] = {
		{ "", "f:1:1: the file ends where a value is expected" },
		{ "\n  ", "f:2:3: the file ends where a value is expected" },
		{ "{", "f:1:2: the file ends inside an object" },
		{ "{\"a\":1", "f:1:7: the file ends inside an object opened at line 1" },
		{ "[1", "f:1:3: the file ends inside an array opened at line 1" },
		{ "{a:1}", "f:1:2: expected a key in quotes or }" },
		{ "{\"a\" 1}", "f:1:6: expected a colon after the key \"a\"" },
		{ "{\"a\":1 \"b\":2}", "f:1:8: expected a comma or }" },
		{ "[1 2]", "f:1:4: expected a comma or ]" },
		{ "{\"a\":1,,}", "f:1:8: expected a key in quotes or }" },
		{ "{\"a\":__X__}", "f:1:6: expected a value: a number, a string, true, false, null, [ "
				   "or {" },
		{ "\n\"abc\n\"", "f:2:1: the string is not closed on its line" },
		{ "\"\\q\"", "f:1:3: unknown escape in a string" },
		{ "\"\\u12\"", "f:1:3: \\u needs four hexadecimal digits" },
		{ " /* x", "f:1:2: the comment is not closed by */" },
		{ "-", "f:1:1: expected a number" },
		{ "99999999999999999999", "f:1:1: the number is too large" },
		{ "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "f:1:34: more than 32 levels of brackets" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect(rows[i].text, RJSON_WORKGEN, rows[i].msg);
}

static void values_know_their_place(void **state)
{
	static const char text[] = "{\n  \"a\": 1,\n  \"b\": [\n7]}";
	struct arena *arena = arena_new();
	struct rjson *v = rjson_parse(text, sizeof(text) - 1, "f", RJSON_C, arena, NULL);
	const struct rjson *b = rjson_get(v, "b");

	assert_int_equal(rjson_get(v, "a")->line, 2);
	assert_int_equal(rjson_get(v, "a")->col, 8);
	assert_int_equal(rjson_get(v, "a")->key_col, 3);
	assert_int_equal(b->line, 3);
	assert_int_equal(b->child->line, 4);
	assert_int_equal(b->child->col, 1);
	assert_null(rjson_get(v, "c"));
	arena_free(arena);
}

/* No file is so long that it isn't read in a moment; square time would take minutes here. */
static void many_keys(void **state)
{
	const int n = 100000;
	char *text = NULL, name[32];
	size_t len;
	FILE *f = open_memstream(&text, &len);
	struct arena *arena = arena_new();
	struct rjson *top;
	const struct rjson *v;
	int i = 0;

	fputc('{', f);
	for (int k = 0; k < n; k++)
		fprintf(f, "\"t\":%d,\"u%d\":1,", k, k);
	fputc('}', f);
	fclose(f);
	top = rjson_parse(text, len, "f", RJSON_WORKGEN, arena, NULL);
	assert_non_null(top);
	for (v = top->child; v; v = v->next->next, i++) {
		snprintf(name, sizeof(name), i ? "t%d" : "t", i);
		assert_string_equal(v->key, name);
		assert_int_equal(v->integer, i);
	}
	assert_int_equal(i, n);
	top = rjson_parse(text, len, "f", RJSON_C, arena, NULL);
	assert_non_null(top);
	assert_string_equal(top->child->key, "t");
	assert_int_equal(top->child->integer, n - 1);
	arena_free(arena);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_values),
		cmocka_unit_test(what_json_c_tolerates),
		cmocka_unit_test(repeated_keys),
		cmocka_unit_test(keys_without_value),
		cmocka_unit_test(messages_name_the_place),
		cmocka_unit_test(values_know_their_place),
		cmocka_unit_test(many_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
