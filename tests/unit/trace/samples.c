// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every spelling of tests/data/traces gives the events written beside it, and
 * none of them, however cut or damaged, leads the reader out of its memory.
 */
#include <errno.h>

#include "base/rng.h"
#include "samples.h"

static char *printed(const struct trace *t)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	sample_print(f, t);
	fclose(f);
	return text;
}

static void every_spelling(void **state)
{
	for (size_t i = 0; i < NR_SAMPLES; i++) {
		char path[4096], expect_path[4200], *expect, *text;
		struct trace *t;
		struct err err = {0};
		size_t len;

		snprintf(path, sizeof(path), SAMPLES "%s", sample_files[i]);
		if (trace_read(path, &t, &err))
			fail_msg("%s: %s", path, err.msg);
		snprintf(expect_path, sizeof(expect_path), "%s.expect", path);
		expect = sample_load(expect_path, &len);
		if (!expect)
			fail_msg("%s is missing", expect_path);
		text = printed(t);
		if (strcmp(text, expect))
			fail_msg("%s: expected\n%s\ngot\n%s", sample_files[i], expect, text);
		free(text);
		free(expect);
		trace_free(t);
	}
}

/* What must hold of any trace, whatever it was read from. */
static void check_sane(const struct trace *t, const char *what, size_t at)
{
	u64 skipped = 0;

	for (int s = 0; s < NR_TRACE_SKIPS; s++)
		skipped += t->skip[s].count;
	for (size_t i = 0; i < t->nr; i++) {
		const struct trace_event *e = &t->event[i];

		if ((i && e->ns < e[-1].ns) || e->cpu >= t->nr_cpus || e->kind >= NR_TRACE_KINDS ||
		    strlen(trace_string(t, e->comm)) > 255)
			fail_msg("%s, at %zu: event %zu of %zu is wrong", what, at, i, t->nr);
	}
	if (t->nr - t->inferred + skipped + t->others + t->comments + t->gaps < t->lines)
		fail_msg("%s, at %zu: %llu lines, of which some are neither kept nor counted", what,
			 at, (unsigned long long)t->lines);
}

/* The bytes in a block of exactly their size, so that a step beyond is seen. */
static void read_exactly(const char *text, size_t len, const char *what, size_t at)
{
	char *copy = malloc(len ? len : 1);
	struct trace *t;
	struct err err = {0};

	assert_non_null(copy);
	memcpy(copy, text, len);
	if (trace_read_text(copy, len, &t, &err))
		fail_msg("%s, at %zu: %s", what, at, err.msg);
	check_sane(t, what, at);
	trace_free(t);
	free(copy);
}

static void every_truncation(void **state)
{
	for (size_t i = 0; i < NR_SAMPLES; i++) {
		char path[4096], *text;
		size_t len;

		snprintf(path, sizeof(path), SAMPLES "%s", sample_files[i]);
		text = sample_load(path, &len);
		assert_non_null(text);
		for (size_t n = 0; n < len; n += n < 200 ? 1 : 7)
			read_exactly(text, n, sample_files[i], n);
		free(text);
	}
}

static void flipped_bytes(void **state)
{
	struct rng rng;

	rng_init(&rng, 1, 0);
	for (size_t i = 0; i < NR_SAMPLES; i++) {
		char path[4096], *text;
		size_t len;

		snprintf(path, sizeof(path), SAMPLES "%s", sample_files[i]);
		text = sample_load(path, &len);
		assert_non_null(text);
		for (int n = 0; n < 300; n++) {
			size_t at = rng_below(&rng, len);

			text[at] = (char)rng_below(&rng, 256);
			read_exactly(text, len, sample_files[i], at);
		}
		free(text);
	}
}

static void long_lines(void **state)
{
	static const char line[] = "               a-1     [000] d..2.     5.000001: sched_wakeup: "
				   "comm=b pid=2 prio=120 target_cpu=000\n";
	size_t len = 300000;
	char *text = malloc(len + 2 * sizeof(line));
	struct trace *t;
	struct err err = {0};

	memcpy(text, line, sizeof(line) - 1);
	memset(text + sizeof(line) - 1, 'x', len);
	text[sizeof(line) - 1 + len] = '\n';
	memcpy(text + sizeof(line) + len, line, sizeof(line) - 1);
	assert_int_equal(trace_read_text(text, len + 2 * sizeof(line) - 1, &t, &err), 0);
	assert_int_equal(t->nr, 2);
	assert_int_equal(t->lines, 3);
	assert_int_equal(t->skip[SKIP_LONG].count, 1);
	assert_int_equal(t->skip[SKIP_LONG].first_line, 2);
	trace_free(t);
	free(text);
}

static void nothing_at_all(void **state)
{
	struct trace *t;
	struct err err = {0};

	assert_int_equal(trace_read_text("", 0, &t, &err), 0);
	assert_int_equal(t->nr, 0);
	trace_free(t);
	assert_int_equal(trace_read("/nonexistent/trace", &t, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/trace"));
	err_clear(&err);
	assert_int_equal(trace_read("/dev/null", &t, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "empty"));
	err_clear(&err);
	assert_int_equal(trace_read(SAMPLES "README.md", &t, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "not a line of a trace"));
}

static int print_one(const char *path)
{
	struct trace *t;
	struct err err = {0};

	if (trace_read(path, &t, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 2;
	}
	sample_print(stdout, t);
	trace_free(t);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_spelling), cmocka_unit_test(every_truncation),
		cmocka_unit_test(flipped_bytes),  cmocka_unit_test(long_lines),
		cmocka_unit_test(nothing_at_all),
	};

	if (argc > 1)
		return print_one(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
