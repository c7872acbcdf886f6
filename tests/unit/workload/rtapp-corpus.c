// SPDX-License-Identifier: BSD-2-Clause
/*
 * The rt-app files of other people: each is read or refused with its place,
 * and cut or broken ones do no harm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "corpus.h"
#include "workload/rtapp.h"

static void need_corpus(void)
{
	if (corpus_path(""))
		return;
	print_message("no corpus of rt-app files (IDLEST_SHARED)\n");
	skip();
}

static void read_or_refused(void **state)
{
	struct rtapp_options opt = {0};

	need_corpus();
	for (int i = 0; i < NR_CORPUS; i++) {
		const struct corpus_file *f = &corpus[i];
		const char *path = corpus_path(f->name);
		struct err err = {0};
		struct rtapp *app;
		int rc = rtapp_read(path, &opt, &app, &err);

		if (rc != f->code)
			fail_msg("%s: %d, expected %d; %s", f->name, rc, f->code, err.msg);
		if (!rc)
			rtapp_free(app);
		else if (strncmp(err.msg, path, strlen(path)) ||
			 strncmp(err.msg + strlen(path), f->msg, strlen(f->msg)))
			fail_msg("%s\n  gives    %s\n  expected %s", f->name, err.msg, f->msg);
	}
}

static struct rtapp *read_file(const char *name, enum rjson_reading reading, bool named)
{
	struct rtapp_options opt = {.reading = reading, .named_suspend = named};
	struct err err = {0};
	struct rtapp *app;

	if (rtapp_read(corpus_path(name), &opt, &app, &err))
		fail_msg("%s", err.msg);
	return app;
}

static void expect_phases(enum rjson_reading reading, const char *const *name, const int *loop,
			  int n)
{
	struct rtapp *app = read_file("spreading-tasks.json", reading, false);
	const struct rtapp_phase *ph = app->task[1].phase;

	for (int i = 0; i < n; i++, ph = ph->next) {
		assert_non_null(ph);
		assert_string_equal(ph->name, name[i]);
		assert_int_equal(ph->loop, loop[i]);
	}
	assert_null(ph);
	rtapp_free(app);
}

/* Spec 15 §7: json-c loses one of thread2's four phases. */
static void spreading_tasks(void **state)
{
	static const char *const names[] = {"light1", "heavy1", "light2", "heavy11"};
	static const int loops[] = {900, 600, 300, 600};

	need_corpus();
	expect_phases(RJSON_C, names, loops, 3);
	expect_phases(RJSON_WORKGEN, names, loops, 4);
}

/* Spec 15 §7: valueless keys are legal for workgen only. */
static void video_needs_workgen(void **state)
{
	static const char *const files[] = {"video-long.json", "video-short.json"};

	need_corpus();
	for (int i = 0; i < 2; i++) {
		struct rtapp_options opt = {.reading = RJSON_C};
		struct err err = {0};
		struct rtapp *app;

		assert_int_equal(rtapp_read(corpus_path(files[i]), &opt, &app, &err), -EINVAL);
		assert_non_null(strstr(err.msg, ".json:6:13: expected a colon after the key "
						"\"suspend\""));
		rtapp_free(read_file(files[i], RJSON_WORKGEN, false));
	}
}

static bool warned(const struct rtapp *app, const char *text)
{
	for (int i = 0; i < app->nr_warnings; i++)
		if (strstr(app->warning[i], text))
			return true;
	return false;
}

/* Spec 15 §7: three threads of the browser never run again; the reader is told. */
static void browser_warns(void **state)
{
	struct rtapp *app;

	need_corpus();
	app = read_file("browser-short.json", RJSON_WORKGEN, false);
	assert_true(warned(app, "suspend name \"Browser\" differs from the task's name "
				"\"BrowserMain\""));
	assert_true(warned(app, "suspend name \"BrowserSub\" differs from the task's name "
				"\"BrowserSub1\""));
	assert_true(warned(app, "suspend name \"BrowserSub\" differs from the task's name "
				"\"BrowserSub2\""));
	assert_true(warned(app, "resume of \"BrowserSub\" wakes nobody"));
	rtapp_free(app);
	app = read_file("browser-short.json", RJSON_WORKGEN, true);
	assert_false(warned(app, "suspend"));
	assert_false(warned(app, "resume"));
	rtapp_free(app);
}

/* Spec 15 §7: AudioOut does 275 + 4725 us; for json-c the first of the two is lost. */
static void mp3_work(void **state)
{
	static const s64 expected[] = {[RJSON_WORKGEN] = 275 + 4725, [RJSON_C] = 4725};

	need_corpus();
	for (int reading = RJSON_WORKGEN; reading <= RJSON_C; reading++) {
		struct rtapp *app = read_file("mp3-short.json", reading, false);
		s64 work = 0;

		assert_string_equal(app->task[1].name, "AudioOut");
		for (struct rtapp_event *e = app->task[1].phase->event; e; e = e->next)
			work += e->type == RT_RUN ? e->value : 0;
		assert_int_equal(work, expected[reading]);
		rtapp_free(app);
	}
}

static size_t slurp(const char *path, char *buf, size_t len)
{
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(buf, 1, len, f) : 0;

	if (f)
		fclose(f);
	assert_true(n > 0 && n < len);
	return n;
}

/* The bytes go into a block of just their size, so that a sanitizer sees any step beyond. */
static int read_bytes(const char *text, size_t len, enum rjson_reading reading)
{
	struct rtapp_options opt = {.reading = reading};
	struct err err = {0};
	struct rtapp *app;
	char *copy = malloc(len + !len);
	int rc;

	memcpy(copy, text, len);
	rc = rtapp_parse(copy, len, "f", &opt, &app, &err);
	if (!rc) {
		rtapp_free(app);
	} else {
		assert_true(rc == -EINVAL || rc == -ENOTSUP);
		/* the place is named */
		assert_int_equal(strncmp(err.msg, "f:", 2), 0);
		assert_true(err.msg[2] >= '1' && err.msg[2] <= '9');
	}
	free(copy);
	return rc;
}

static void cut_files(void **state)
{
	static char text[65536];

	need_corpus();
	for (int i = 0; i < NR_CORPUS; i++) {
		size_t len = slurp(corpus_path(corpus[i].name), text, sizeof(text));

		for (size_t cut = 0; cut < len; cut += 61)
			read_bytes(text, cut, cut & 1 ? RJSON_C : RJSON_WORKGEN);
	}
}

/* The same of our own files, which use what no file of others does. */
static void own_files_cut_and_broken(void **state)
{
	static const char *const files[] = {"all-events", "delay",  "idle-and-batch",
					    "loops",	  "timers", "membind"};
	static char text[65536], broken[65536];
	struct rng r;

	rng_init(&r, 6, 0);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char path[1200];
		size_t len;

		snprintf(path, sizeof(path), SOURCE_ROOT "/tests/data/rt-app/%s.json", files[i]);
		len = slurp(path, text, sizeof(text));
		assert_int_equal(read_bytes(text, len, RJSON_WORKGEN), 0);
		for (size_t cut = 0; cut < len; cut += 5)
			read_bytes(text, cut, RJSON_WORKGEN);
		for (int round = 0; round < 300; round++) {
			memcpy(broken, text, len);
			for (int flips = 1 + rng_below(&r, 4); flips > 0; flips--)
				broken[rng_below(&r, len)] ^= 1 << rng_below(&r, 8);
			read_bytes(broken, len, round & 1 ? RJSON_C : RJSON_WORKGEN);
		}
	}
}

static void broken_files(void **state)
{
	static char text[65536], broken[65536];
	struct rng r;

	need_corpus();
	rng_init(&r, 5, 0);
	for (int i = 0; i < NR_CORPUS; i++) {
		size_t len = slurp(corpus_path(corpus[i].name), text, sizeof(text));

		for (int round = 0; round < 60; round++) {
			memcpy(broken, text, len);
			for (int flips = 1 + rng_below(&r, 8); flips > 0; flips--)
				broken[rng_below(&r, len)] ^= 1 << rng_below(&r, 8);
			read_bytes(broken, len, round & 1 ? RJSON_C : RJSON_WORKGEN);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_or_refused),
		cmocka_unit_test(spreading_tasks),
		cmocka_unit_test(video_needs_workgen),
		cmocka_unit_test(browser_warns),
		cmocka_unit_test(mp3_work),
		cmocka_unit_test(cut_files),
		cmocka_unit_test(own_files_cut_and_broken),
		cmocka_unit_test(broken_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
