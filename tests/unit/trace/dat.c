// SPDX-License-Identifier: BSD-2-Clause
/*
 * trace.dat: a recording against what trace-cmd itself printed of it, and damaged.
 */
#include <errno.h>
#include <unistd.h>

#include "base/rng.h"
#include "samples.h"

#define DAT    "corpus/traces/lisa_juno_rtapp_ramp.dat"
#define REPORT "corpus/traces/lisa_juno_rtapp_ramp.report.txt"

static char path[] = "/tmp/idlest-dat-XXXXXX";

static struct trace *must_read(const char *name)
{
	struct trace *t;
	struct err err = { 0 };

	if (trace_read(recording(name), &t, &err))
		fail_msg("%s", err.msg);
	return t;
}

static void need_recordings(void)
{
	if (!recording(DAT) || !recording(REPORT)) {
		print_message("no recordings here\n");
		skip();
	}
}

/* The report is in microseconds, and says neither context nor what numbers states have. */
static void compare(const struct trace *a, const struct trace_event *x, const struct trace *b,
		    const struct trace_event *y)
{
	u64 apart = x->ns > y->ns ? x->ns - y->ns : y->ns - x->ns;

	assert_int_equal(x->kind, y->kind);
	assert_true(apart <= 500);
	assert_int_equal(x->cpu, y->cpu);
	assert_int_equal(x->curr_pid, y->curr_pid);
	assert_int_equal(x->pid, y->pid);
	assert_int_equal(x->prio, y->prio);
	assert_string_equal(trace_string(a, x->comm), trace_string(b, y->comm));
	switch (x->kind) {
	case EV_SWITCH:
		assert_int_equal(x->prev_prio, y->prev_prio);
		assert_int_equal(trace_state_letter(x->prev_state),
				 trace_state_letter(y->prev_state));
		assert_string_equal(trace_string(a, x->curr_comm), trace_string(b, y->curr_comm));
		break;
	case EV_MARK:
		assert_string_equal(trace_string(a, x->text), trace_string(b, y->text));
		break;
	default:
		assert_int_equal(x->target_cpu, y->target_cpu);
	}
}

static void as_reported(void **state)
{
	struct trace *a, *b;

	need_recordings();
	a = must_read(DAT);
	b = must_read(REPORT);
	assert_int_equal(a->nr, b->nr);
	assert_int_equal(a->nr_cpus, b->nr_cpus);
	assert_int_equal(a->others, b->others);
	assert_int_equal(a->count[EV_SWITCH], 1552);
	assert_int_equal(a->count[EV_MARK], 14);
	for (size_t i = 0; i < a->nr; i++)
		compare(a, &a->event[i], b, &b->event[i]);
	trace_free(a);
	trace_free(b);
}

static void store(const char *data, size_t len)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	fclose(f);
}

static int read_stored(void)
{
	struct trace *t;
	struct err err = { 0 };
	int ret = trace_read(path, &t, &err);

	if (!ret)
		trace_free(t);
	else if (!strstr(err.msg, path))
		fail_msg("'%s' doesn't name the file", err.msg);
	return ret;
}

static void cut_file(const char *name)
{
	size_t len;
	char *data = sample_load(name, &len);

	assert_non_null(data);
	for (size_t n = 16; n < len; n += len / 11)
		if (store(data, n), read_stored() != -EBADMSG)
			fail_msg("%s: %zu of %zu bytes were taken for a whole trace", name, n, len);
	store(data, len - 1);
	assert_int_equal(read_stored(), -EBADMSG);
	free(data);
}

static void cut_off(void **state)
{
	cut_file(SAMPLES "small.dat");
	if (recording(DAT))
		cut_file(recording(DAT));
}

/* It can't be told from a good one, but nothing crashes. */
static void flip_file(const char *name, int flips)
{
	struct rng rng;
	size_t len;
	char *data = sample_load(name, &len);

	assert_non_null(data);
	rng_init(&rng, 1, 0);
	for (int i = 0; i < flips; i++) {
		size_t at = rng_below(&rng, i % 2 ? len : len / 3);
		int ret;

		data[at] = (char)rng_below(&rng, 256);
		store(data, len);
		ret = read_stored();
		if (ret && ret != -EBADMSG && ret != -EINVAL)
			fail_msg("%s, byte %zu: %d", name, at, ret);
	}
	free(data);
}

static void flipped_bytes(void **state)
{
	flip_file(SAMPLES "small.dat", 200);
	if (recording(DAT))
		flip_file(recording(DAT), 12);
}

/* what begins like one */
static void garbage(void **state)
{
	static const char head[] = "\x17\x08\x44tracing6\0\0\1\4\0\20\0\0";

	store(head, sizeof(head) - 1);
	assert_int_equal(read_stored(), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_reported),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(flipped_bytes),
		cmocka_unit_test(garbage),
	};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
