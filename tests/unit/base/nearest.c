// SPDX-License-Identifier: BSD-2-Clause
/* nearest_name(): what a mistyped name was meant to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/nearest.h"
#include "base/types.h"

static const char *const presets[] = {"zen3-2s", "genoa-2s",	  NULL,
				      "spr-2s",	 "kunpeng920-2s", "uma-8c"};

#define NEAREST(what) nearest_name(what, presets, ARRAY_SIZE(presets))

static void typos(void **state)
{
	assert_string_equal(NEAREST("zen3-2s"), "zen3-2s");
	assert_string_equal(NEAREST("zen3-s"), "zen3-2s");
	assert_string_equal(NEAREST("zen3_2s"), "zen3-2s");
	assert_string_equal(NEAREST("ZEN32-s"), "zen3-2s"); /* swapped letters count one */
	assert_string_equal(NEAREST("genao-2s"), "genoa-2s");
	assert_string_equal(NEAREST("kunpeng-2s"), "kunpeng920-2s");
	assert_string_equal(NEAREST("kun"), "kunpeng920-2s"); /* the beginning of a name */
}

static void nothing_near(void **state)
{
	assert_null(NEAREST("bulldozer"));
	assert_null(NEAREST(""));
	assert_null(nearest_name("zen3", presets, 0));
}

static void long_names(void **state)
{
	char a[300], b[300];
	const char *names[] = {b};

	for (int i = 0; i < 299; i++)
		a[i] = b[i] = 'a' + i % 26;
	a[299] = b[299] = '\0';
	a[3] = 'X';
	assert_ptr_equal(nearest_name(a, names, 1), b);
}

static void ties(void **state)
{
	static const char *const names[] = {"abcd1", "abcd2"};

	assert_string_equal(nearest_name("abcd3", names, 2), "abcd1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(typos),
		cmocka_unit_test(nothing_near),
		cmocka_unit_test(long_names),
		cmocka_unit_test(ties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
