// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "workload/grammar.h"

enum { N, SIZE, PERIOD, PIPE, THREADS, PHASE, WORD, NR };

static const struct workload_param table[] = {
	[N] = {.name = "n", .kind = PARAM_INT, .def = 3, .min = 1, .max = 5000000},
	[SIZE] = {.name = "size", .kind = PARAM_BYTES, .def = 100, .min = 0, .max = 1 << 20},
	[PERIOD] = {.name = "period",
		    .kind = PARAM_TIME_NS,
		    .def = 7,
		    .min = 0,
		    .max = 10 * NSEC_PER_SEC},
	[PIPE] = {.name = "pipe", .kind = PARAM_FLAG, .def_string = "socket"},
	[THREADS] = {.name = "threads", .kind = PARAM_FLAG, .def = 1},
	[PHASE] = {.name = "phase", .kind = PARAM_CHOICE, .def = 1, .choices = "drawn|together"},
	[WORD] = {.name = "word", .kind = PARAM_STRING, .def_string = "some"},
	{.name = NULL},
};

static const struct workload_param file_table[] = {
	{.name = "file", .kind = PARAM_FILE},
	{.name = "quick", .kind = PARAM_FLAG},
	{.name = NULL},
};

static void defaults(void **state)
{
	struct workload_values v;
	struct err err = {0};

	assert_int_equal(grammar_read("m", "", table, &v, &err), 0);
	assert_int_equal(v.nr, NR);
	assert_int_equal(v.num[N], 3);
	assert_int_equal(v.num[SIZE], 100);
	assert_int_equal(v.num[PERIOD], 7);
	assert_int_equal(v.num[PIPE], 0);
	assert_int_equal(v.num[THREADS], 1);
	assert_int_equal(v.num[PHASE], 1);
	assert_string_equal(v.string[WORD], "some");
	for (int i = 0; i < NR; i++)
		assert_false(v.set[i]);
	grammar_free(&v);
}

static void values_that_are_read(void **state)
{
	/* clang-format off */
	static const struct {
		const char *items;
		int param;
		s64 value;
	} rows[] = {
		{ "n=12", N, 12 },
		{ "n=+12", N, 12 },
		{ "n=2K", N, 2000 },
		{ "n=1.5M", N, 1500000 },
		{ "size=0", SIZE, 0 },
		{ "size=64", SIZE, 64 },
		{ "size=4K", SIZE, 4096 },
		{ "size=1M", SIZE, 1 << 20 },
		{ "size=0.5K", SIZE, 512 },
		{ "period=0", PERIOD, 0 },
		{ "period=5ns", PERIOD, 5 },
		{ "period=4us", PERIOD, 4000 },
		{ "period=1.25ms", PERIOD, 1250000 },
		{ "period=.5s", PERIOD, 500000000 },
		{ "pipe", PIPE, 1 },
		{ "no-pipe", PIPE, 0 },
		{ "socket", PIPE, 0 },
		{ "pipe=yes", PIPE, 1 },
		{ "pipe=0", PIPE, 0 },
		{ "threads", THREADS, 1 },
		{ "no-threads", THREADS, 0 },
		{ "threads=off", THREADS, 0 },
		{ "phase=drawn", PHASE, 0 },
		{ "phase=together", PHASE, 1 },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_values v;
		struct err err = {0};

		if (grammar_read("m", rows[i].items, table, &v, &err))
			fail_msg("%s: %s", rows[i].items, err.msg);
		if (v.num[rows[i].param] != rows[i].value)
			fail_msg("%s: %lld, expected %lld", rows[i].items,
				 (long long)v.num[rows[i].param], (long long)rows[i].value);
		for (int j = 0; j < NR; j++)
			assert_int_equal(v.set[j], j == rows[i].param);
		grammar_free(&v);
	}
}

static void several_at_once(void **state)
{
	struct workload_values v;
	struct err err = {0};

	assert_int_equal(grammar_read("m", "n=4,pipe,no-threads,word=a\\,b=c", table, &v, &err), 0);
	assert_int_equal(v.num[N], 4);
	assert_int_equal(v.num[PIPE], 1);
	assert_int_equal(v.num[THREADS], 0);
	assert_string_equal(v.string[WORD], "a,b=c");
	grammar_free(&v);
}

/* The whole message: it names the place, what is allowed and what was likely meant. */
static void values_that_are_refused(void **state)
{
	/* clang-format off */
	static const struct {
		const char *items, *msg;
	} rows[] = {
		{ "n=0", "m: n=0: expected an integer from 1 to 5M" },
		{ "n=", "m: n=: expected an integer from 1 to 5M" },
		{ "n=x", "m: n=x: expected an integer from 1 to 5M" },
		{ "n=1.5", "m: n=1.5: expected an integer from 1 to 5M" },
		{ "n=99999999999999999999999", "m: n=99999999999999999999999: expected an integer "
					       "from 1 to 5M" },
		{ "n=4s", "m: n=4s: expected an integer from 1 to 5M" },
		{ "n", "m: \"n\" needs a value (n=…)" },
		{ "size=2M", "m: size=2M: expected a number of bytes (64, 4K, 1M, 2G) from 0 to 1M" },
		{ "period=4", "m: period=4: expected a time with its unit (ns, us, ms, s) from 0 to "
			      "10s" },
		{ "period=-4ms", "m: period=-4ms: expected a time with its unit (ns, us, ms, s) from "
				 "0 to 10s" },
		{ "period=0.5ns", "m: period=0.5ns: expected a time with its unit (ns, us, ms, s) "
				  "from 0 to 10s" },
		{ "pipe=maybe", "m: pipe=maybe: a flag is yes or no (or just \"pipe\", \"no-pipe\")" },
		{ "phase=", "m: phase=: expected one of drawn|together" },
		{ "phase=draw", "m: phase=draw: expected one of drawn|together" },
		{ "word=", "m: word=: a value is missing" },
		{ "perid=4ms", "m has no parameter \"perid\"; did you mean \"period\"?" },
		{ "sockets", "m has no parameter \"sockets\"; did you mean \"socket\"?" },
		{ "zzzzzzzzzz=1", "m has no parameter \"zzzzzzzzzz\"; it has n, size, period, pipe, "
				  "socket, threads, phase, word" },
		{ "n=1,n=2", "m: \"n\" is given twice" },
		{ "pipe,socket", "m: \"pipe\" is given twice" },
		{ "n=1,,pipe", "m: nothing between two commas" },
		{ "n=1,", "m: nothing between two commas" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload_values v;
		struct err err = {0};

		assert_int_equal(grammar_read("m", rows[i].items, table, &v, &err), -EINVAL);
		assert_string_equal(err.msg, rows[i].msg);
	}
}

static void file_needs_no_name(void **state)
{
	static const char *const same[] = {"a.json,quick", "quick,a.json", "file=a.json,quick"};
	struct workload_values v;
	struct err err = {0};

	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		assert_int_equal(grammar_read("m", same[i], file_table, &v, &err), 0);
		assert_string_equal(v.string[0], "a.json");
		assert_int_equal(v.num[1], 1);
		grammar_free(&v);
	}
	assert_int_equal(grammar_read("m", "quick", file_table, &v, &err), -EINVAL);
	assert_string_equal(err.msg, "m: name a file: m:FILE");
	err_clear(&err);
	assert_int_equal(grammar_read("m", "a,b", file_table, &v, &err), -EINVAL);
	assert_string_equal(err.msg, "m has no parameter \"b\"; it has file, quick");
}

static void split_at_the_colon(void **state)
{
	char name[8];

	assert_string_equal(grammar_split("m:a=1:2", name, sizeof(name)), "a=1:2");
	assert_string_equal(name, "m");
	assert_string_equal(grammar_split("m", name, sizeof(name)), "");
	assert_string_equal(name, "m");
	assert_string_equal(grammar_split("longerthan:x", name, sizeof(name)), "x");
	assert_string_equal(name, "longert");
	assert_string_equal(grammar_split("", name, sizeof(name)), "");
	assert_string_equal(name, "");
}

static void formatted_values_read_back(void **state)
{
	static const enum param_kind kinds[] = {PARAM_INT, PARAM_BYTES, PARAM_TIME_NS};
	struct rng r;

	rng_init(&r, 3, 0);
	for (int i = 0; i < 3000; i++) {
		s64 value = rng_u64(&r) >> (1 + rng_below(&r, 62)), back;
		enum param_kind kind = kinds[i % 3];
		char buf[32];

		grammar_format(kind, value, buf, sizeof(buf));
		if (kind == PARAM_INT)
			assert_int_equal(grammar_int("x", buf, 0, INT64_MAX, &back, NULL), 0);
		else if (kind == PARAM_BYTES)
			assert_int_equal(grammar_bytes("x", buf, 0, INT64_MAX, &back, NULL), 0);
		else
			assert_int_equal(grammar_time("x", buf, 0, INT64_MAX, &back, NULL), 0);
		assert_int_equal(back, value);
	}
}

/* Random text is refused or read, and nothing worse (the sanitizers watch). */
static void noise_is_survived(void **state)
{
	static const char alphabet[] = "nsizeperodpwaht=,\\.-0123456789KMu";
	struct rng r;

	rng_init(&r, 4, 0);
	for (int i = 0; i < 20000; i++) {
		struct workload_values v;
		struct err err = {0};
		char text[24];
		int len = rng_below(&r, sizeof(text));

		for (int j = 0; j < len; j++)
			text[j] = alphabet[rng_below(&r, sizeof(alphabet) - 1)];
		text[len] = '\0';
		if (!grammar_read("m", text, table, &v, &err))
			grammar_free(&v);
		else
			assert_int_not_equal(err.msg[0], '\0');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(values_that_are_read),
		cmocka_unit_test(several_at_once),
		cmocka_unit_test(values_that_are_refused),
		cmocka_unit_test(file_needs_no_name),
		cmocka_unit_test(split_at_the_colon),
		cmocka_unit_test(formatted_values_read_back),
		cmocka_unit_test(noise_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
