/* SPDX-License-Identifier: BSD-2-Clause */
/* pelt.c, load.c, weights.c: the worked examples of spec 02 §2 and 03 §3-7. */
#include "fixture.h"

#define PERIOD (1024ULL * 1024) /* ns */
#define START  (5ULL << 30)

/* ---- weights (spec 02 §2) ---- */

static struct sched_entity entity_of(enum sched_policy policy, int nice)
{
	struct task p = { .policy = policy, .nice = nice };
	struct sched_entity se = { .load = task_weight(&p) };

	se.vload = se.load;
	return se;
}

static void test_vtime(void **state)
{
	static const struct {
		enum sched_policy policy;
		int nice;
		u64 want;
	} cases[] = {
		{ POLICY_NORMAL, 0, 1000000 },	 { POLICY_NORMAL, 5, 3056716 },
		{ POLICY_NORMAL, -5, 328099 },	 { POLICY_NORMAL, 19, 68266666 },
		{ POLICY_IDLE, 0, 341333333 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sched_entity se = entity_of(cases[i].policy, cases[i].nice);

		assert_int_equal(vtime(1000000, &se), cases[i].want);
		/* without an inverse the division is exact */
		se.vload.inv_weight = 0;
		assert_int_equal(vtime(1000000, &se), cases[i].want);
	}
}

/* nearest, but floored for 56, 45, 29, 23; SCHED_IDLE's is given */
static void test_inverses(void **state)
{
	for (int i = 0; i < 40; i++) {
		u64 w = sched_prio_to_weight[i], exact = (1ULL << 32) / w;
		bool floored = w == 56 || w == 45 || w == 29 || w == 23;
		u64 want = floored ? exact : ((1ULL << 33) / w + 1) / 2;

		assert_int_equal(sched_prio_to_wmult[i], want);
	}
	assert_int_equal(weight_inverse(&(struct load_weight){.weight = 1024 << 10}), UINT32_MAX / 1024);
	assert_int_equal(weight_inverse(&(struct load_weight){.weight = 0}), UINT32_MAX);
	assert_int_equal(weight_inverse(&(struct load_weight){.weight = 1}), UINT32_MAX / 2);
}

/* ---- one average (spec 03 §3) ---- */

static void advance(struct sched_avg *sa, u64 ns, bool running)
{
	u64 now = sa->last_update_time + ns;

	if (pelt_update_sum(now, sa, running, running, running))
		pelt_update_averages(sa, 1024);
}

static const int growth_periods[] = { 1, 4, 8, 10, 16, 32, 64, 100, 200, 345 };

static void test_growth_in_one_update(void **state)
{
	static const unsigned int want[] = { 21, 85, 162, 199, 299, 512, 768, 906, 1010, 1023 };

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		struct sched_avg sa = { .last_update_time = START };

		advance(&sa, growth_periods[i] * PERIOD, true);
		assert_int_equal(sa.util_avg, want[i]);
	}
}

static void test_growth_per_period(void **state)
{
	static const unsigned int want[] = { 21, 85, 163, 199, 300, 512, 768, 907, 1011, 1024 };

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		struct sched_avg sa = { .last_update_time = START };

		for (int n = 0; n < growth_periods[i]; n++)
			advance(&sa, PERIOD, true);
		assert_int_equal(sa.util_avg, want[i]);
	}
}

static void test_partial_period(void **state)
{
	struct sched_avg sa = { .last_update_time = START };

	advance(&sa, 10000000, true);
	assert_int_equal(sa.util_avg, 191);
	assert_int_equal(sa.period_contrib, 549);
	assert_int_equal(sa.load_avg, 191); /* nice 0, always runnable: the same */
	assert_int_equal(sa.runnable_avg, 191);
}

static void test_decay(void **state)
{
	static const int periods[] = { 8, 16, 32, 64, 96 };
	static const unsigned int once[] = { 860, 723, 511, 255, 127 };
	static const unsigned int fixed_point[] = { 861, 724, 512, 256, 128 };

	for (size_t i = 0; i < ARRAY_SIZE(periods); i++) {
		struct sched_avg sa = { .last_update_time = START };

		advance(&sa, 345 * PERIOD, true);
		assert_int_equal(sa.util_avg, 1023);
		advance(&sa, periods[i] * PERIOD, false);
		assert_int_equal(sa.util_avg, once[i]);

		sa = (struct sched_avg){ .last_update_time = START };
		for (int n = 0; n < 500; n++)
			advance(&sa, PERIOD, true);
		assert_int_equal(sa.util_avg, 1024);
		advance(&sa, periods[i] * PERIOD, false);
		assert_int_equal(sa.util_avg, fixed_point[i]);
	}
}

static void duty(u64 step, unsigned int high, unsigned int low)
{
	struct sched_avg sa = { .last_update_time = START };

	for (int cycle = 0; cycle < 200; cycle++) {
		for (u64 t = 0; t < 2 * PERIOD; t += min(step, 2 * PERIOD))
			advance(&sa, min(step, 2 * PERIOD), true);
		if (cycle == 199)
			assert_int_equal(sa.util_avg, high);
		for (u64 t = 0; t < 6 * PERIOD; t += min(step, 6 * PERIOD))
			advance(&sa, min(step, 6 * PERIOD), false);
	}
	assert_int_equal(sa.util_avg, low);
}

static void test_duty_cycle(void **state)
{
	duty(6 * PERIOD, 272, 239); /* at the transitions only */
	duty(PERIOD, 273, 239);
}

/* updates that end inside a period add up to one that covers them all */
static void test_updates_add_up(void **state)
{
	struct sched_avg sa = { .last_update_time = START }, one = sa;
	struct rng rng;
	u64 total = 0;

	rng_init(&rng, 5, 0);
	while (total < 900 * 1024) {
		u64 ns = rng_below(&rng, 50000);

		if (total + ns >= 1024 * 1024)
			break;
		total += ns;
		pelt_update_sum(START + total, &sa, 1, 1, true);
	}
	pelt_update_sum(START + total, &one, 1, 1, true);
	assert_int_equal(sa.util_sum, one.util_sum);
	assert_int_equal(sa.load_sum, one.load_sum);
	assert_int_equal(sa.period_contrib, one.period_contrib);
}

static void test_decay_load(void **state)
{
	u64 v = 1024;

	assert_int_equal(decay_load(1024, 32), 511); /* lossy even for whole half-lives */
	assert_int_equal(decay_load(1ULL << 40, 2017), 0);
	/* LOAD_AVG_MAX is the fixed point of the recurrence */
	for (int i = 0; i < 400; i++)
		v = decay_load(v, 1) + 1024;
	assert_int_equal(v, LOAD_AVG_MAX);
}

/* ---- new tasks (spec 03 §4) ---- */

static unsigned long new_util(const char *kernel, unsigned long util, unsigned long load)
{
	struct sched_task_attr attr = { .id = 1 };
	struct world w;
	struct task *p;
	unsigned long got;

	world_init(&w, kernel, 1, 250);
	p = sched_task_new(w.s, &attr);
	world_rq(&w, 0)->cfs.avg.util_avg = util;
	world_rq(&w, 0)->cfs.avg.load_avg = load;
	fair_post_init_util(w.s, world_rq(&w, 0), p);
	got = p->se.avg.util_avg;
	assert_int_equal(p->se.avg.runnable_avg, got);
	assert_int_equal(p->se.avg.load_avg, 1024);
	world_free(&w);
	return got;
}

static void test_new_task(void **state)
{
	assert_int_equal(new_util("v6.6", 0, 0), 512);
	assert_int_equal(new_util("v6.6", 600, 2048), 212);
	assert_int_equal(new_util("v6.12", 600, 2048), 212);
	assert_int_equal(new_util("v6.6", 100, 1024), 462);
	assert_int_equal(new_util("v6.12", 100, 1024), 99);
	assert_int_equal(new_util("v6.12", 1024, 1024), 0);
}

/* ---- moving (spec 03 §5) ---- */

static void test_attach_detach(void **state)
{
	struct sched_task_attr attr = { .nice = 0 };
	struct world w;
	struct task *a, *b;
	const struct sched_avg *q;

	world_init(&w, "v6.12", 2, 250);
	q = &world_rq(&w, 0)->cfs.avg;
	a = world_spawn(&w, 0, attr);
	b = world_spawn(&w, 0, attr);
	assert_int_equal(q->load_avg, 2048);
	assert_int_equal(q->util_avg, a->se.avg.util_avg + b->se.avg.util_avg);
	/* a queued task takes its averages along at once */
	world_schedule(&w, 0);
	assert_ptr_equal(world_rq(&w, 0)->curr, a);
	deactivate_task(w.s, world_rq(&w, 0), b, 0);
	assert_int_equal(q->load_avg, 1024);
	assert_int_equal(b->se.avg.last_update_time, 0);
	set_task_cpu(w.s, b, 1);
	activate_task(w.s, world_clock(&w, 1), b, 0);
	assert_int_equal(world_rq(&w, 1)->cfs.avg.load_avg, 1024);
	world_check(&w);
	world_free(&w);
}

static void test_removed(void **state)
{
	struct sched_task_attr attr = { .nice = 0 };
	struct world w;
	struct task *p;
	struct rq *rq;

	world_init(&w, "v6.1", 2, 250);
	rq = world_rq(&w, 0);
	p = world_spawn(&w, 0, attr);
	world_schedule(&w, 0);
	w.now += 20 * MS;
	world_block(&w, 0);
	assert_true(rq->cfs.avg.load_avg > 900);
	/* it wakes on the other CPU: its own queue hears of it at its next update */
	world_wake(&w, p, 1);
	assert_int_equal(rq->cfs.removed.nr, 1);
	assert_true(rq->cfs.avg.load_avg > 900);
	w.now += 5000;
	update_blocked_averages(w.s, world_clock(&w, 0));
	assert_int_equal(rq->cfs.avg.load_avg, 0);
	assert_int_equal(rq->cfs.avg.util_avg, 0);
	assert_int_equal(rq->cfs.removed.nr, 0);
	world_free(&w);
}

/* a CPU idle for long: the decay that its queue missed is made up (5.19+) */
static unsigned long util_after_long_idle(const char *kernel)
{
	struct sched_task_attr attr = { .nice = 0 };
	struct world w;
	struct task *p;
	unsigned long util;

	world_init(&w, kernel, 2, 250);
	p = world_spawn(&w, 0, attr);
	world_schedule(&w, 0);
	w.now += 400 * MS;
	world_block(&w, 0);
	w.now += 32 * PERIOD;
	world_wake(&w, p, 1);
	util = p->se.avg.util_avg;
	world_free(&w);
	return util;
}

static void test_missed_decay(void **state)
{
	assert_in_range(util_after_long_idle("v5.18"), 1020, 1024);
	assert_in_range(util_after_long_idle("v6.1"), 508, 513);
}

static void test_h_load(void **state)
{
	struct sched_task_attr attr = { .nice = 0 };
	struct err err = { 0 };
	struct world w;
	struct task *a, *b;

	world_init(&w, "v6.12", 1, 250);
	attr.group = sched_group_new(w.s, NULL, 1024, &err);
	a = world_spawn(&w, 0, (struct sched_task_attr){ .nice = 0 });
	assert_int_equal(task_h_load(w.s, a), 1024 * 1024 / 1025);
	b = world_spawn(&w, 0, attr);
	world_spawn(&w, 0, attr);
	world_schedule(&w, 0);
	world_run(&w, 400 * MS, 4 * MS);
	/* half of the group's entity, which has a nice-0 task's load */
	assert_in_range(b->se.parent->avg.load_avg, 1000, 1024);
	assert_in_range(task_h_load(w.s, b), 490, 512);
	assert_in_range(task_h_load(w.s, a), 1010, 1024);
	world_free(&w);
}

/* a group with one always-running task has that task's averages */
static void test_propagation(void **state)
{
	struct sched_task_attr attr = { .nice = 0 };
	struct err err = { 0 };
	struct world w;
	struct task *p;
	const struct rq *rq;

	world_init(&w, "v6.12", 2, 250);
	rq = world_rq(&w, 1);
	attr.group = sched_group_new(w.s, NULL, 1024, &err);
	attr.group = sched_group_new(w.s, attr.group, 1024, &err);
	p = world_spawn(&w, 0, attr);
	world_schedule(&w, 0);
	world_run(&w, 400 * MS, 4 * MS);
	assert_in_range(world_rq(&w, 0)->cfs.avg.util_avg, 1020, 1024);
	/* moved while it sleeps: all levels of the new CPU gain, those of the old one lose */
	world_block(&w, 0);
	world_wake(&w, p, 1);
	world_schedule(&w, 1);
	assert_in_range(rq->cfs.avg.util_avg, 1015, 1024);
	/* the group's load is believed to be on the old CPU, too, until that one is updated */
	assert_in_range(rq->cfs.avg.load_avg, 300, 600);
	update_blocked_averages(w.s, world_clock(&w, 0));
	w.now += 2 * PERIOD;
	update_blocked_averages(w.s, world_clock(&w, 0));
	assert_in_range(world_rq(&w, 0)->cfs.avg.util_avg, 0, 2);
	world_run(&w, 100 * MS, 4 * MS);
	assert_in_range(rq->cfs.avg.util_avg, 1020, 1024);
	assert_in_range(rq->cfs.avg.load_avg, 1010, 1024);
	world_check(&w);
	world_free(&w);
}

/* ---- the clock (spec 03 §7) ---- */

/* a third of the CPU at full speed is the same at half speed, though it takes two thirds */
static void test_frequency_invariance(void **state)
{
	unsigned long util[2];

	for (int half = 0; half < 2; half++) {
		struct sched_task_attr attr = { .nice = 0 };
		struct world w;
		struct task *p;

		world_init(&w, "v6.12", 1, 250);
		sched_set_freq_scale(w.s, w.now, 0, half ? 512 : 1024);
		p = world_spawn(&w, 0, attr);
		world_schedule(&w, 0);
		for (int i = 0; i < 100; i++) {
			w.now += half ? 8 * MS : 4 * MS;
			world_block(&w, 0);
			w.now += half ? 4 * MS : 8 * MS;
			world_wake(&w, p, 0);
			world_schedule(&w, 0);
		}
		util[half] = p->se.avg.util_avg;
		world_free(&w);
	}
	assert_in_range(util[0], 290, 341);
	assert_in_range(util[1] - util[0] + 8, 0, 16);
}

/* an always busy slow CPU has no idle time to make up for */
static void test_lost_idle_time(void **state)
{
	struct sched_task_attr attr = { .nice = 0 };
	struct world w;
	struct rq *rq;

	world_init(&w, "v6.12", 1, 250);
	rq = world_rq(&w, 0);
	sched_set_freq_scale(w.s, w.now, 0, 512);
	world_spawn(&w, 0, attr);
	world_schedule(&w, 0);
	w.now += 2000 * MS; /* 1000 ms of work: always running in PELT time */
	world_block(&w, 0);
	assert_in_range(rq->lost_idle_time, 999 * MS, 1001 * MS);
	assert_int_equal(rq->clock_pelt, rq->clock_task);
	assert_in_range(rq->cfs.avg.util_avg, 1022, 1024);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vtime),
		cmocka_unit_test(test_inverses),
		cmocka_unit_test(test_growth_in_one_update),
		cmocka_unit_test(test_growth_per_period),
		cmocka_unit_test(test_partial_period),
		cmocka_unit_test(test_decay),
		cmocka_unit_test(test_duty_cycle),
		cmocka_unit_test(test_updates_add_up),
		cmocka_unit_test(test_decay_load),
		cmocka_unit_test(test_new_task),
		cmocka_unit_test(test_attach_detach),
		cmocka_unit_test(test_removed),
		cmocka_unit_test(test_missed_decay),
		cmocka_unit_test(test_h_load),
		cmocka_unit_test(test_propagation),
		cmocka_unit_test(test_frequency_invariance),
		cmocka_unit_test(test_lost_idle_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
