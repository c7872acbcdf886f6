// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reading rt-app files: what they mean and what is said of bad ones (spec 15).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "workload/rtapp.h"

static struct rtapp *parse(const char *text, const struct rtapp_options *opt)
{
	struct err err = {0};
	struct rtapp *app;

	if (rtapp_parse(text, strlen(text), "f", opt, &app, &err))
		fail_msg("%s\n  gives %s", text, err.msg);
	return app;
}

static const struct rtapp_options endless = {.endless = true};

static void defaults(void **state)
{
	struct rtapp *app =
		parse("{\"tasks\":{\"t\":{\"loop\":1,\"run\":5}}}", &(struct rtapp_options){0});
	struct rtapp_task *t = &app->task[0];

	assert_int_equal(app->duration_s, -1);
	assert_int_equal(app->calibration_cpu, 0);
	assert_int_equal(app->calibration_ns, 0);
	assert_int_equal(app->mem_buffer_size, 4194304);
	assert_int_equal(app->nr_threads, 1);
	assert_int_equal(t->instances, 1);
	assert_int_equal(t->sched.policy, RTAPP_OTHER);
	assert_int_equal(t->sched.priority, 0);
	/* without phases the thread's loop is the phase's */
	assert_int_equal(t->loop, 1);
	assert_int_equal(t->phase->loop, 1);
	assert_int_equal(t->phase->event->type, RT_RUN);
	assert_int_equal(t->phase->event->value, 5);
	assert_null(t->phase->event->next);
	assert_null(t->phase->next);
	rtapp_free(app);
}

/* Spec 15 §1: any key that begins like an event is one. */
static void events_go_by_prefix(void **state)
{
	/* clang-format off */
	static const struct {
		const char *key, *value;
		enum rtapp_event_type type;
	} rows[] = {
		{ "run0", "1", RT_RUN },
		{ "running", "1", RT_RUN },
		{ "runtime7", "1", RT_RUNTIME },
		{ "sleepy", "1", RT_SLEEP },
		{ "timer_a", "{\"ref\":\"x\",\"period\":3}", RT_TIMER },
		{ "unlock2", "\"m\"", RT_UNLOCK },
		{ "signal_", "\"c\"", RT_SIGNAL },
		{ "broadcast", "\"c\"", RT_BROAD },
		{ "barrier9", "\"b\"", RT_BARRIER },
		{ "suspended", "\"t\"", RT_SUSPEND },
		{ "resume1", "\"t\"", RT_RESUME },
		{ "sem_post1", "\"s\"", RT_SEM_POST },
		{ "sem_wait1", "\"s\"", RT_SEM_WAIT },
		{ "memory", "9", RT_MEM },
		{ "memrun1", "{\"type\":\"read\",\"size\":64,\"count\":1}", RT_MEMRUN },
		{ "iorun1", "9", RT_IORUN },
		{ "yield1", "null", RT_YIELD },
		{ "fork1", "\"t\"", RT_FORK },
	};
	/* clang-format on */
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rtapp *app;
		struct rtapp_event *e;

		snprintf(text, sizeof(text),
			 "{\"tasks\":{\"t\":{\"loop\":1,\"lock\":\"m\",\"%s\":%s}}}", rows[i].key,
			 rows[i].value);
		app = parse(text, &endless);
		e = app->task[0].phase->event->next;
		assert_non_null(e);
		assert_int_equal(e->type, rows[i].type);
		assert_string_equal(e->key, rows[i].key);
		rtapp_free(app);
	}
}

static void resources_are_one_for_each_name(void **state)
{
	struct rtapp *app =
		parse("{\"tasks\":{"
		      "\"a\":{\"timer1\":{\"ref\":\"unique\",\"period\":1},"
		      "\"timer2\":{\"ref\":\"unique\",\"period\":2},"
		      "\"timer3\":{\"ref\":\"uniquely\",\"period\":2},"
		      "\"timer4\":{\"ref\":\"common\",\"period\":2}},"
		      "\"b\":{\"timer1\":{\"ref\":\"unique\",\"period\":1},"
		      "\"timer2\":{\"ref\":\"common\",\"period\":2,\"mode\":\"absolute\"},"
		      "\"barrier\":\"x\",\"instance\":3},"
		      "\"c\":{\"barrier1\":\"x\",\"barrier2\":\"y\",\"instance\":2}}}",
		      &endless);

	assert_int_equal(app->task[0].nr_timers, 2);
	assert_int_equal(app->task[1].nr_timers, 1);
	assert_int_equal(app->nr_shared_timers, 1);
	/* one absolute use makes all uses absolute */
	assert_true(app->resource[RTAPP_TIMER][app->task[0].phase->event->next->next->next->object]
			    .absolute);
	assert_false(app->resource[RTAPP_TIMER][app->task[0].phase->event->object].absolute);
	/* users of a barrier: uses times instances */
	assert_int_equal(app->resource[RTAPP_BARRIER][0].users, 5);
	assert_int_equal(app->resource[RTAPP_BARRIER][1].users, 2);
	assert_int_equal(app->nr_threads, 6);
	assert_int_equal(app->task[2].first_index, 4);
	rtapp_free(app);
}

static void slices(void **state)
{
	struct rtapp *app = parse("{\"tasks\":{"
				  "\"a\":{\"dl-runtime\":7,\"run\":1},"
				  "\"b\":{\"runtime\":8,\"phases\":{"
				  "\"p\":{\"dl-runtime\":9,\"run\":1},"
				  "\"q\":{\"dl-runtime\":9,\"priority\":0,\"run\":1}}},"
				  "\"c\":{\"runtime\":10},"
				  "\"d\":{\"runtime0\":11}}}",
				  &endless);

	assert_int_equal(app->task[0].sched.slice_us, 7);
	assert_int_equal(app->task[1].sched.slice_us, 8);
	assert_false(app->task[1].phase->sched.set_slice); /* needs a priority */
	assert_true(app->task[1].phase->next->sched.set_slice);
	/* the trap: an event that is also read as the slice */
	assert_int_equal(app->task[2].sched.slice_us, 10);
	assert_int_equal(app->task[2].phase->event->type, RT_RUNTIME);
	assert_false(app->task[3].sched.set_slice);
	assert_int_equal(app->nr_warnings, 2);
	rtapp_free(app);
}

static void suspend_waits_for(const struct rtapp_options *opt, const char *name, int warnings)
{
	struct rtapp *app = parse("{\"tasks\":{\"a\":{\"suspend\":\"x\"},"
				  "\"b\":{\"resume\":\"a\",\"sleep\":1}}}",
				  opt);
	struct rtapp_event *e = app->task[0].phase->event;

	assert_string_equal(app->resource[RTAPP_EVENT][e->object].name, name);
	assert_int_equal(app->nr_warnings, warnings);
	if (warnings)
		assert_non_null(strstr(app->warning[0],
				       "f:1:26: suspend name \"x\" differs from the task's name "
				       "\"a\""));
	rtapp_free(app);
}

static void suspend_in_both_meanings(void **state)
{
	suspend_waits_for(&endless, "a", 1);
	suspend_waits_for(&(struct rtapp_options){.endless = true, .named_suspend = true}, "x", 0);
}

#define TASK(events) "{\"tasks\":{\"t\":{" events "}}}"

/* The whole message, or the beginning of a long one. */
static void bad_files(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text;
		int code;
		const char *msg;
	} rows[] = {
		{ "[]", -EINVAL, "f:1:1: an rt-app file is an object ({…}), not an array" },
		{ "{}", -EINVAL, "f:1:1: the file has no \"tasks\"" },
		{ "{\"tasks\":1}", -EINVAL, "f:1:10: \"tasks\" must be an object ({…}), not an "
					    "integer" },
		{ "{\"tasks\":{}}", -EINVAL, "f:1:10: \"tasks\" is empty" },
		{ "{\"tasks\":{\"t\":[]}}", -EINVAL, "f:1:15: \"t\" must be an object" },
		{ TASK("\"run\":1.5"), -EINVAL,
		  "f:1:22: \"run\" must be an integer, not a number with a fraction" },
		{ TASK("\"run\":\"1\""), -EINVAL, "f:1:22: \"run\" must be an integer, not a string" },
		{ TASK("\n\"sleep\":\n -1"), -EINVAL,
		  "f:3:2: \"sleep\" must be an integer from 0 to 2147483647, not -1" },
		{ TASK("\"run\":2147483648"), -EINVAL, "f:1:22: \"run\" must be an integer from 0 to "
						       "2147483647, not 2147483648" },
		{ TASK("\"loop\":true"), -EINVAL, "f:1:23: \"loop\" must be an integer, not a boolean" },
		{ TASK("\"instance\":-1"), -EINVAL, "f:1:27: \"instance\" must be an integer from 0" },
		{ TASK("\"priority\":20"), -EINVAL, "f:1:27: \"priority\" must be an integer from -20 "
						    "to 19, not 20" },
		{ TASK("\"policy\":\"FIFO\""), -EINVAL, "f:1:25: \"policy\" is SCHED_OTHER," },
		{ TASK("\"policy\":\"SCHED_RR\",\"priority\":0"), -EINVAL,
		  "f:1:47: \"priority\" must be an integer from 1 to 99, not 0" },
		{ TASK("\"policy\":\"SCHED_FIFO\",\"priority\":100"), -EINVAL,
		  "f:1:49: \"priority\" must be an integer from 1 to 99, not 100" },
		{ TASK("\"util_min\":-2"), -EINVAL, "f:1:27: \"util_min\" must be an integer from -1 "
						    "to 1024" },
		{ TASK("\"util_max\":2000"), -EINVAL, "f:1:27: \"util_max\" must be an integer from -1 "
						      "to 1024" },
		{ TASK("\"taskgroup\":\"/a/../b\""), -EINVAL, "f:1:28: \"taskgroup\" is no path" },
		{ TASK("\"policy\":\"SCHED_RR\",\"priority\":1,\"taskgroup\":\"/a\""), -EINVAL,
		  "f:1:61: \"taskgroup\" is for SCHED_OTHER, SCHED_BATCH and SCHED_IDLE, not for "
		  "SCHED_RR" },
		{ TASK("\"taskgroup\":\"a\""), -EINVAL, "f:1:28: \"taskgroup\" must begin with \"/\"" },
		{ TASK("\"cpus\":0"), -EINVAL, "f:1:23: \"cpus\" must be an array of integers, not an "
					       "integer" },
		{ TASK("\"cpus\":[]"), -EINVAL, "f:1:23: \"cpus\" is empty" },
		{ TASK("\"cpus\":[0,\"1\"]"), -EINVAL, "f:1:26: \"element\" must be an integer" },
		{ TASK("\"phases\":{}"), -EINVAL, "f:1:25: \"phases\" is empty" },
		{ TASK("\"phases\":{\"p\":3}"), -EINVAL, "f:1:30: \"p\" must be an object" },
		{ TASK("\"lock\":1"), -EINVAL, "f:1:23: \"lock\" must be a string, not an integer" },
		{ TASK("\"lock\""), -EINVAL, "f:1:16: \"lock\" must be a string, not without a value" },
		{ TASK("\"timer\":3"), -EINVAL, "f:1:24: \"timer\" must be an object" },
		{ TASK("\"timer\":{}"), -EINVAL, "f:1:24: \"timer\" needs \"ref\"" },
		{ TASK("\"timer\":{\"ref\":\"a\"}"), -EINVAL, "f:1:24: \"timer\" needs \"period\"" },
		{ TASK("\"timer\":{\"ref\":\"a\",\"period\":1,\"mode\":\"abs\"}"), -EINVAL,
		  "f:1:53: \"mode\" is \"relative\" or \"absolute\", not \"abs\"" },
		{ TASK("\"wait\":{\"ref\":\"c\"}"), -EINVAL, "f:1:23: \"wait\" needs \"mutex\"" },
		{ TASK("\"memrun\":{\"type\":\"x\"}"), -EINVAL, "f:1:33: \"type\" is \"read\"," },
		{ TASK("\"memrun\":{\"type\":\"read\",\"size\":0,\"count\":1}"), -EINVAL,
		  "f:1:47: \"size\" must be an integer from 1" },
		{ TASK("\"memrun\":{\"type\":\"read\",\"size\":8,\"count\":1,\"ref\":\"a\"},"
		       "\"memrun2\":{\"type\":\"read\",\"size\":9,\"count\":1,\"ref\":\"a\"}"),
		  -EINVAL, "f:1:120: the buffer \"a\" has another size (8 bytes)" },
		{ TASK("\"fork\":\"u\""), -EINVAL, "f:1:23: fork: no task is called \"u\"" },
		{ TASK("\"lock_order\":[]"), -EINVAL, "f:1:29: \"lock_order\" is of rt-app's grammar "
						      "of 2012" },
		{ TASK("\"run\":1"), -EINVAL, "f:1:11: task \"t\" loops for ever and the file has no "
					      "duration: add one, as in rtapp:f,duration=2s" },
		{ TASK("\"instance\":0,\"loop\":1,\"run\":1"), -EINVAL,
		  "f:1:11: no task has an instance" },
		{ TASK("\"loop\":1,\"unlock\":\"m\""), -EINVAL,
		  "f:1:25: \"unlock\": \"m\" must have been locked by a lock event before" },
		{ TASK("\"loop\":1,\"wait\":{\"ref\":\"c\",\"mutex\":\"m\"}"), -EINVAL,
		  "f:1:25: \"wait\": \"m\" must have been locked" },
		{ TASK("\"loop\":2,\"lock\":\"m\""), -EINVAL,
		  "f:1:25: \"lock\": the thread holds \"m\" already" },
		{ "{\"tasks\":{\"t\":{\"loop\":1}},\"global\":3}", -EINVAL,
		  "f:1:36: \"global\" must be an object" },
		{ "{\"tasks\":{\"t\":{\"loop\":1}},\"global\":{\"ftrace\":\"main,run\"}}", -EINVAL,
		  "f:1:46: \"ftrace\" lists main, task, loop, event, stats, or is none; rt-app refuses "
		  "\"run\"" },
		{ "{\"tasks\":{\"t\":{\"loop\":1}},\"global\":{\"calibration\":\"CPU\"}}", -EINVAL,
		  "f:1:51: \"calibration\" is \"CPU\" and a number" },
		{ "{\"tasks\":{\"t\":{\"loop\":1}},\"global\":{\"calibration\":0}}", -EINVAL,
		  "f:1:51: \"calibration\" must be an integer from 1" },
		{ "{\"tasks\":{\"t\":{\"loop\":1}},\"global\":{\"log_size\":\"Disable\"}}", -EINVAL,
		  "f:1:48: \"log_size\" is an integer (MB)" },
		{ "{\"tasks\":{\"t\":{\"loop\":1}},\"global\":{\"gnuplot\":1}}", -EINVAL,
		  "f:1:47: \"gnuplot\" must be true or false, not an integer" },
		/* the range of a thread's priority goes by the default policy */
		{ "{\"global\":{\"default_policy\":\"SCHED_FIFO\"},\"tasks\":{\"t\":{\"priority\":-5}}}",
		  -EINVAL, "f:1:68: \"priority\" must be an integer from 1 to 99, not -5" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rtapp_options opt = {0};
		struct err err = {0};
		struct rtapp *app;
		int rc = rtapp_parse(rows[i].text, strlen(rows[i].text), "f", &opt, &app, &err);

		if (!rc)
			fail_msg("%s is accepted", rows[i].text);
		if (rc != rows[i].code || strncmp(err.msg, rows[i].msg, strlen(rows[i].msg)))
			fail_msg("%s\n  gives    %d %s\n  expected %d %s", rows[i].text, rc,
				 err.msg, rows[i].code, rows[i].msg);
	}
}

static void warnings(void **state)
{
	/* clang-format off */
	static const struct {
		const char *text, *msg;
	} rows[] = {
		{ TASK("\"run\":1,\"frag\":1"), "f:1:24: unknown key \"frag\" is ignored" },
		{ TASK("\"run\":1,\"loop\":1,\"loop\":2"),
		  "f:1:33: \"loop\" is given again; this one becomes \"loop1\" and is ignored" },
		{ TASK("\"run\":1,\"phases\":{\"p\":{\"run\":2}}"),
		  "f:1:16: the event \"run\" is ignored: \"t\" has phases" },
		{ TASK("\"resume\":\"nobody\",\"sleep\":1"),
		  "f:1:25: resume of \"nobody\" wakes nobody: no task has this name" },
		{ TASK("\"barrier\":\"b\",\"barrier1\":\"b\""),
		  "f:1:30: barrier \"b\" is used more than once by \"t\": each use counts as one that "
		  "must arrive" },
		{ "{\"tasks\":{\"t\":{\"sleep\":1},\"u\":{\"instance\":0,\"run\":1}}}",
		  "f:1:27: task \"u\" has no instance and nobody forks it" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rtapp *app = parse(rows[i].text, &endless);

		assert_int_equal(app->nr_warnings, 1);
		assert_string_equal(app->warning[0], rows[i].msg);
		rtapp_free(app);
	}
}

/* A file with thousands of oddities gives a bounded list. */
static void warnings_are_bounded(void **state)
{
	char *text = malloc(100000), *p = text;
	struct rtapp *app;

	p += sprintf(p, "{\"tasks\":{\"t\":{\"sleep\":1");
	for (int i = 0; i < 1000; i++)
		p += sprintf(p, ",\"odd%d\":1", i);
	sprintf(p, "}}}");
	app = parse(text, &endless);
	assert_int_equal(app->nr_warnings, RTAPP_MAX_WARNINGS);
	assert_string_equal(app->warning[RTAPP_MAX_WARNINGS - 1], "more warnings are left out");
	rtapp_free(app);
	free(text);
}

static void unreadable_files(void **state)
{
	struct rtapp_options opt = {0};
	struct err err = {0};
	struct rtapp *app;

	assert_int_equal(rtapp_read("/nonexistent/f.json", &opt, &app, &err), -ENOENT);
	assert_string_equal(err.msg, "/nonexistent/f.json: No such file or directory");
	err_clear(&err);
	assert_int_equal(rtapp_read("/", &opt, &app, &err), -EISDIR);
	err_clear(&err);
	assert_int_equal(rtapp_read("/dev/zero", &opt, &app, &err), -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(events_go_by_prefix),
		cmocka_unit_test(resources_are_one_for_each_name),
		cmocka_unit_test(slices),
		cmocka_unit_test(suspend_in_both_meanings),
		cmocka_unit_test(bad_files),
		cmocka_unit_test(warnings),
		cmocka_unit_test(warnings_are_bounded),
		cmocka_unit_test(unreadable_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
