// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "explain/columns.h"

static void check(const char *left, const char *right, int width, const char *expected)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	columns_print(left, right, width, f);
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
}

static void side_by_side(void **state)
{
	check("", "", 10, "");
	check("a\nbb\n", "c\n", 4, "a    | c\nbb\n");
	check("a\n", "b\nc\n", 4, "a    | b\n     | c\n");
	check("no newline", "", 20, "no newline\n");
	/* an empty line of the right side stays one */
	check("a\nb\nc\n", "\nd\n", 3, "a   | \nb   | d\nc\n");
}

static void wrapped(void **state)
{
	check("one two three four\n", "x\n", 14, "one two three  | x\n        four\n");
	/* a word longer than the column is cut */
	check("aaaaaaaaaaaaaaaaaaaa\n", "", 12, "aaaaaaaaaaaa\n        aaaa\n        aaaa\n");
	/* characters count, not bytes */
	check("µµµµ\n", "x\n", 5, "µµµµ  | x\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(side_by_side),
		cmocka_unit_test(wrapped),
	};

	return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
