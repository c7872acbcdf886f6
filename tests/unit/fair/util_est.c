/* SPDX-License-Identifier: BSD-2-Clause */
/* util_est.c: spec 03 §6. */
#include "fixture.h"

struct case_ {
	unsigned long util, runnable;	/* at the sleep */
	unsigned long enqueued, ewma;	/* before */
	unsigned long want_enqueued, want_ewma;
};

static void sleep_with(struct world *w, const struct case_ *c)
{
	struct task p = { .se.avg = { .util_avg = c->util, .runnable_avg = c->runnable },
			  .se.util_changed = true,
			  .util_est = { .enqueued = c->enqueued, .ewma = c->ewma } };

	util_est_update(w->s, world_rq(w, 0), &p);
	assert_int_equal(p.util_est.ewma, c->want_ewma);
	assert_int_equal(p.util_est.enqueued, c->want_enqueued);
	/* nothing new since: another sleep changes nothing */
	p.se.avg.util_avg = 0;
	util_est_update(w->s, world_rq(w, 0), &p);
	assert_int_equal(p.util_est.ewma, c->want_ewma);
	assert_int_equal(p.util_est.enqueued, c->want_enqueued);
}

static void sleep_cases(const char *kernel, unsigned int capacity, const struct case_ *c, size_t n)
{
	struct world w;

	world_init(&w, kernel, 1, 250);
	world_rq(&w, 0)->cpu_capacity_orig = capacity;
	for (; n--; c++)
		sleep_with(&w, c);
	world_free(&w);
}

static void test_two_values(void **state)
{
	static const struct case_ cases[] = {
		{ 500, 500, 100, 400, 500, 500 }, /* fast up */
		{ 300, 300, 400, 400, 300, 375 }, /* (4 · 400 - 100) / 4 */
		{ 395, 395, 200, 400, 395, 400 }, /* within 1 %: the last value is refreshed */
		{ 395, 395, 390, 400, 390, 400 }, /* … unless it is near, too */
	};
	static const struct case_ small_cpu[] = {
		{ 300, 300, 400, 400, 400, 400 }, /* more than the CPU has */
		{ 500, 500, 100, 400, 500, 500 },
	};

	sleep_cases("v6.6", 1024, cases, ARRAY_SIZE(cases));
	sleep_cases("v6.6", 256, small_cpu, ARRAY_SIZE(small_cpu));
}

static void test_no_fastup(void **state)
{
	static const struct case_ cases[] = {
		{ 500, 500, 100, 400, 500, 425 },
	};

	sleep_cases("v6.6,NO_UTIL_EST_FASTUP", 1024, cases, ARRAY_SIZE(cases));
}

static void test_one_value(void **state)
{
	static const struct case_ cases[] = {
		{ 500, 500, 0, 400, 0, 500 },
		{ 300, 300, 0, 400, 0, 375 },
		{ 300, 320, 0, 400, 0, 400 }, /* it waited: it would have run more */
		{ 300, 310, 0, 400, 0, 375 },
		{ 391, 391, 0, 400, 0, 400 },
	};
	static const struct case_ small_cpu[] = { { 300, 300, 0, 400, 0, 400 } };
	static const struct case_ no_cap[] = { { 300, 300, 0, 400, 0, 375 } };

	sleep_cases("v6.12", 1024, cases, ARRAY_SIZE(cases));
	sleep_cases("v6.12", 256, small_cpu, ARRAY_SIZE(small_cpu));
	sleep_cases("v7.3", 256, no_cap, ARRAY_SIZE(no_cap));
}

static void test_queue_sum(void **state)
{
	struct sched_task_attr attr = { .nice = 0 };
	struct world w;
	struct task *p;
	struct rq *rq;

	world_init(&w, "v6.12", 1, 250);
	rq = world_rq(&w, 0);
	p = world_spawn(&w, 0, attr);
	assert_int_equal(rq->cfs.util_est, 0);
	world_schedule(&w, 0);
	w.now += 40 * MS;
	world_block(&w, 0);
	assert_int_equal(p->util_est.ewma, p->se.avg.util_avg);
	assert_true(p->util_est.ewma > 500);
	assert_int_equal(rq->cfs.util_est, 0);
	w.now += 500 * MS;
	world_wake(&w, p, 0);
	assert_int_equal(rq->cfs.util_est, p->util_est.ewma);
	assert_true(task_util(p) < 10);
	assert_int_equal(task_util_est(w.s, p), p->util_est.ewma);
	assert_int_equal(cpu_util_cfs(w.s, 0), p->util_est.ewma);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_values),
		cmocka_unit_test(test_no_fastup),
		cmocka_unit_test(test_one_value),
		cmocka_unit_test(test_queue_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
