// SPDX-License-Identifier: BSD-2-Clause
/*
 * Two kernels in lockstep: where they part, and what is said of it.
 */
#include <errno.h>

#include "explain/diff.h"
#include "explain/run_stream.h"
#include "fixture.h"

static const char machine[] = "pack:2 l3:2 core:4 pu:2";
static const char workload[] = "hackbench:groups=2,loops=40";

static struct diff *diff_of(const char *a, const char *b)
{
	struct sched_kernel k[2] = {kernel_of(a), kernel_of(b)};
	struct setting s;
	struct err err = {0};
	struct diff *d;

	setting_new(&s, machine, workload);
	if (diff_run(s.w, s.m, k, 1, &d, &err))
		fail_msg("%s", err.msg);
	setting_free(&s);
	return d;
}

static char *printed(const struct diff *d, const char *a, const char *b)
{
	const char *const name[] = {a, b};
	struct setting s;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	setting_new(&s, machine, workload);
	diff_print(d, &s.m->topo, name, f);
	setting_free(&s);
	fclose(f);
	return text;
}

/* a kernel doesn't differ from itself, nor from one with a switch that decides nothing */
static void nothing_differs(void **state)
{
	static const char *const same[][2] = {{"v6.12", "v6.12"},
					      {"v6.1", "v6.1,WARN_DOUBLE_CLOCK"},
					      {"v5.7", "v5.7,+KWORKER_STACK"}};

	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		struct diff *d = diff_of(same[i][0], same[i][1]);
		char *text = printed(d, same[i][0], same[i][1]);

		assert_int_equal(d->how, DIFF_NONE);
		assert_true(d->same > 500);
		assert_int_equal(d->shift.nr, 0);
		assert_true(d->side[0].result.metric[0].value == d->side[1].result.metric[0].value);
		assert_non_null(strstr(text, "decisions are the same."));
		free(text);
		diff_free(d);
	}
}

/* the first decision that a switch changes is one that asked for it */
static void parts_where_the_switch_is_asked(void **state)
{
	static const struct {
		const char *a, *b;
		int step; /* that the base took and the variant didn't */
	} row[] = {{"v6.1", "v6.1,NO_WA_WEIGHT", STEP_WA_WEIGHT},
		   {"v6.1", "v6.1,NO_WA_IDLE", STEP_WA_IDLE}};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct diff *d = diff_of(row[i].a, row[i].b);
		const struct explain_decision *a = d->side[0].d, *b = d->side[1].d;
		bool taken = false;

		assert_int_equal(d->how, DIFF_CHOICE);
		assert_non_null(a);
		assert_non_null(b);
		assert_int_equal(a->kind, STEP_WAKEUP);
		assert_int_equal(a->pid, b->pid);
		assert_int_equal(a->now, b->now);
		assert_int_not_equal(a->target, b->target);
		for (int k = 0; k < a->nr_steps; k++)
			taken |= a->step[k].step == row[i].step && a->step[k].taken;
		for (int k = 0; k < b->nr_steps; k++)
			assert_int_not_equal(b->step[k].step, row[i].step);
		assert_true(taken);
		assert_int_equal(d->pid, a->pid);
		assert_true(d->side[0].nr_follow > 0);
		assert_int_equal(d->side[0].follow[0].target, a->target);
		diff_free(d);
	}
}

/* what is counted afterwards and what was the same before is the whole run */
static void the_rest_is_counted(void **state)
{
	struct diff *d = diff_of("v5.7", "v5.7,+OPTTTWU,+LOCALWAKELIST");

	assert_int_equal(d->how, DIFF_CHOICE);
	assert_int_equal(d->side[0].d->value[0], WAKE_SPIN);
	assert_int_equal(d->side[1].d->value[0], WAKE_ON_CPU_LIST);
	for (int i = 0; i < 2; i++) {
		u64 before = d->side[i].d->nr - 1;
		u64 after = d->side[i].after->nr_wakeups;
		u64 all = d->side[i].result.counter[CNT_wakeups];

		/* spinning wake-ups are counted where they end; one may be decided at the end */
		assert_in_range(before + after, all - 1, all);
	}
	diff_free(d);
}

static void same_bytes_each_time(void **state)
{
	char *text[2];

	for (int i = 0; i < 2; i++) {
		struct diff *d = diff_of("v6.1", "v6.12");

		text[i] = printed(d, "v6.1", "v6.12");
		diff_free(d);
	}
	assert_string_equal(text[0], text[1]);
	free(text[0]);
	free(text[1]);
}

/* a kernel that can't be run is an error, whichever of the two it is */
static void errors(void **state)
{
	struct setting s;

	setting_new(&s, machine, workload);
	for (int i = 0; i < 2; i++) {
		struct sched_kernel k[2] = {kernel_of("v6.12"), kernel_of("v6.12")};
		struct diff *d = NULL;
		struct err err = {0};

		k[i] = kernel_of("v6.12,NO_NONTASK_CAPACITY");
		assert_true(diff_run(s.w, s.m, k, 1, &d, &err));
		assert_null(d);
		assert_non_null(strstr(err.msg, "NONTASK_CAPACITY"));
	}
	setting_free(&s);
}

/* nobody needs to hear a run to its end */
static void left_early(void **state)
{
	struct sched_kernel k = kernel_of("v6.1");
	struct err err = {0};
	struct setting s;

	setting_new(&s, machine, "hackbench:groups=2,loops=100000");
	for (int n = 0; n < 200; n += 50) {
		struct run_stream *st = run_stream_start(s.w, s.m, &k, 1, &err);
		struct stream_item item;

		assert_non_null(st);
		for (int i = 0; i < n; i++) {
			run_stream_next(st, &item);
			assert_int_not_equal(item.kind, STREAM_END);
		}
		run_stream_free(st);
	}
	setting_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_differs),
		cmocka_unit_test(parts_where_the_switch_is_asked),
		cmocka_unit_test(the_rest_is_counted),
		cmocka_unit_test(same_bytes_each_time),
		cmocka_unit_test(errors),
		cmocka_unit_test(left_early),
	};

	return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
