// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names of tasks, as they may be and as they are printed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/types.h"
#include "report/escape.h"

static const struct {
	const char *name, *text;
	int columns;
	bool same_in_json;
} names[] = {
	{"", "", 0, true},
	{"kworker/0:1H-kblockd", "kworker/0:1H-kblockd", 20, true},
	{"caf\xc3\xa9", "caf\xc3\xa9", 4, true},
	{"\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7", 1, true},
	{"a\tb\n", "a\\x09b\\x0a", 10, true},
	{"\x1b[2J\x7f", "\\x1b[2J\\x7f", 11, true},
	{"back\\slash", "back\\x5cslash", 13, true},
	{"\xc2\x9b" "1m", "\\xc2\\x9b1m", 10, true},		   /* C1: a CSI in one character */
	{"\xe2\x80\xae" "gnp", "\\xe2\\x80\\xaegnp", 15, true},	   /* right to left */
	{"cut\xc3", "cut\\xc3", 7, false},
	{"\xff\xfe", "\\xff\\xfe", 8, false},
	{"\xc0\xaf", "\\xc0\\xaf", 8, false},			   /* overlong */
	{"\xed\xa0\x80", "\\xed\\xa0\\x80", 12, false},		   /* half a surrogate */
	{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", 16, false},   /* beyond the last one */
};

static void text(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char out[ESCAPED_SIZE(64)];
		int columns = escape_text(names[i].name, out);

		assert_string_equal(out, names[i].text);
		assert_int_equal(columns, names[i].columns);
	}
}

static void json(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		json_t *j = escape_json(names[i].name);

		assert_non_null(j);
		assert_string_equal(json_string_value(j),
				    names[i].same_in_json ? names[i].name : names[i].text);
		json_decref(j);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),
		cmocka_unit_test(json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
