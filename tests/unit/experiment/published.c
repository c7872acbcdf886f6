// SPDX-License-Identifier: BSD-2-Clause
/* CSV files of published rows: what is read, and what is said of those that can't be. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "experiment/published.h"

#define HEAD "experiment,benchmark,machine,param,base,base_value,variant,gain_pct,better,note\n"
#define ROW  "e,b,m,1,x,2.5,y,-3,lower,\n"

static void rows(void **state)
{
	static const char text[] =
		"\xef\xbb\xbfnote,better,gain_pct,variant,base_value,base,param,machine,benchmark,experiment,more\r\n"
		"\"two,\n\"\"lines\"\"\",higher,1.5,y,1e3,x,,m,b,e,\r\n"
		"\n"
		",lower,-2,y,7,x,4-groups,m,b,e,z";
	struct arena *a = arena_new();
	struct published p;
	struct err err = { 0 };

	assert_int_equal(published_parse(a, "t.csv", text, sizeof(text) - 1, &p, &err), 0);
	assert_int_equal(p.nr_rows, 2);
	assert_string_equal(p.row[0].note, "two,\n\"lines\"");
	assert_true(p.row[0].higher_is_better);
	assert_float_equal(p.row[0].base_value, 1000, 0);
	assert_float_equal(p.row[0].gain_pct, 1.5, 0);
	assert_string_equal(p.row[0].param, "");
	assert_string_equal(p.row[0].unit, "");
	assert_string_equal(p.row[0].experiment, "e");
	assert_int_equal(p.row[1].line, 5);
	assert_string_equal(p.row[1].param, "4-groups");
	assert_false(p.row[1].higher_is_better);
	arena_free(a);
}

static void faults(void **state)
{
	static const struct {
		const char *text, *place, *cause;
	} cases[] = {
		{ "", "t.csv:1:1:", "empty" },
		{ "\n\n", "t.csv:1:1:", "empty" },
		{ HEAD, "t.csv:2:1:", "no row" },
		{ "a,b\n1,2\n", "t.csv:1:1:", "no column experiment" },
		{ "experimnet,benchmark\n", "t.csv:1:1:", "is it 'experimnet'?" },
		{ "note," HEAD ROW, "t.csv:1:81:", "note is there twice" },
		{ HEAD ROW "e,b,m,1\n", "t.csv:3:1:", "4 fields" },
		{ HEAD "e,b,m,1,x,fast,y,-3,lower,\n", "t.csv:2:11:", "base_value: expected a number" },
		{ HEAD "e,b,m,1,x,0,y,-3,lower,\n", "t.csv:2:11:", "above 0" },
		{ HEAD "e,b,m,1,x,nan,y,-3,lower,\n", "t.csv:2:11:", "expected a number" },
		{ HEAD "e,b,m,1,x,2,y,,lower,\n", "t.csv:2:15:", "gain_pct: expected a number" },
		{ HEAD "e,b,m,1,x,2,y,3,less,\n", "t.csv:2:17:", "higher or lower" },
		{ HEAD ",b,m,1,x,2,y,3,lower,\n", "t.csv:2:1:", "experiment is empty" },
		{ HEAD "e,\"b,m,1\nx", "t.csv:2:3:", "no end" },
		{ HEAD "e,\"b\"c,m\n", "t.csv:2:6:", "a comma has to come" },
	};
	struct published p;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *a = arena_new();
		struct err err = { 0 };

		assert_int_equal(published_parse(a, "t.csv", cases[i].text, strlen(cases[i].text),
						 &p, &err), -EINVAL);
		if (strncmp(err.msg, cases[i].place, strlen(cases[i].place)) ||
		    !strstr(err.msg, cases[i].cause))
			fail_msg("case %zu: %s", i, err.msg);
		arena_free(a);
	}
}

/* cut anywhere, or with a zero byte anywhere: an error or rows, and no read beyond the end */
static void cut(void **state)
{
	static const char text[] = HEAD ROW "e,\"b\"\"\",m,1,x,2.5,y,-3,higher,\"n\"\n";
	struct published p;

	for (size_t n = 0; n < sizeof(text); n++) {
		char *copy = malloc(n ? n : 1);
		struct arena *a = arena_new();
		struct err err = { 0 };
		int ret;

		assert_non_null(copy);
		memcpy(copy, text, n);
		ret = published_parse(a, "t.csv", copy, n, &p, &err);
		assert_true(ret ? err.msg[0] != 0 : p.nr_rows > 0);
		if (n) {
			copy[n / 2] = '\0';
			err_clear(&err);
			assert_int_equal(published_parse(a, "t.csv", copy, n, &p, &err), -EINVAL);
		}
		arena_free(a);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(faults),
		cmocka_unit_test(cut),
	};

	return cmocka_run_group_tests_name("published", tests, NULL, NULL);
}
