// SPDX-License-Identifier: BSD-2-Clause
/*
 * SIS_SHORT, version by version (spec 04 §9).
 */
#include "scene.h"

/* one LLC of 8 cores, SMT2, and a second one: weight 16, min_granularity 3 ms */
static const struct rig_machine two_llcs = RIG_MACHINE(1, 1, 2, 1, 8, 2);

static u64 after_bursts(const char *kernel, u64 burst_ns, int n)
{
	struct scene sc;
	u64 avg;

	scene_new(&sc, &two_llcs, kernel, 0, 1);
	for (int i = 0; i < n; i++) {
		sc.wakee->se.sum_exec_runtime += burst_ns;
		sis_short_account(sc.r.s, sc.wakee);
	}
	avg = sc.wakee->dur_avg;
	rig_free(&sc.r);
	return avg;
}

/* v2: a hog with 10 ms bursts is short after two of them, not after three */
static void average_of_bursts(void **state)
{
	const char *v2 = "v5.19-tip,+SIS_SHORT_V2", *v3 = "v5.19-tip,+SIS_SHORT_V3";

	assert_int_equal(after_bursts(v2, 10 * NSEC_PER_MSEC, 1), 1250000);
	assert_int_equal(after_bursts(v2, 10 * NSEC_PER_MSEC, 2), 2343750);
	assert_in_range(after_bursts(v2, 10 * NSEC_PER_MSEC, 3), 3300000, 3301000);
	assert_int_equal(after_bursts(v2, 2 * NSEC_PER_MSEC, 50), 0); /* never 3 ms off */
	assert_int_equal(after_bursts(v3, 2 * NSEC_PER_MSEC, 1), 250000);
	assert_int_equal(after_bursts("v5.19-tip", 10 * NSEC_PER_MSEC, 3), 0);
}

/* wake_affine: the waker's CPU, alone with a short task, comes after the idle previous CPU */
static void affine_v2(void **state)
{
	struct scene sc;

	scene_new(&sc, &two_llcs, "v5.19-tip,+SIS_SHORT_V2", 0, 8);
	set_load(&sc, 0, 9999); /* the loads would keep it away */
	assert_int_equal(where(&sc), 0);
	rig_set(&sc.r, 8, RIG_IDLE);
	assert_int_equal(where(&sc), 8);
	rig_set(&sc.r, 8, RIG_BUSY);
	sc.waker->dur_avg = 3000001;
	assert_int_equal(where(&sc), 8);
	sc.waker->dur_avg = 3000000;
	add_nr_running(sc.r.s, &sc.r.s->rq[0], 1);
	assert_int_equal(where(&sc), 8);
	rig_free(&sc.r);
}

/* v1: before the idle previous CPU, whoever else is queued */
static void affine_v1(void **state)
{
	struct scene sc;

	scene_new(&sc, &two_llcs, "v5.19-tip,+SIS_SHORT_V1", 0, 8);
	rig_set(&sc.r, 8, RIG_IDLE);
	add_nr_running(sc.r.s, &sc.r.s->rq[0], 1);
	sc.waker->nvcsw = 10;
	sc.waker->se.sum_exec_runtime = 30 * NSEC_PER_MSEC;
	assert_int_equal(where(&sc), 0);
	sc.waker->se.sum_exec_runtime++;
	assert_int_equal(where(&sc), 8);
	rig_free(&sc.r);
}

static void set_curr(struct scene *sc, int cpu, u64 dur_avg)
{
	struct task *t = rig_task(&sc->r, NULL);

	t->dur_avg = dur_avg;
	t->cpu = cpu;
	t->state = TASK_RUNNABLE;
	sc->r.s->rq[cpu].curr = t;
}

/* v2: 5·nr < 3·16 is a scan depth of 8 at most, the wakee need not be short */
static void stay_v2(void **state)
{
	struct scene sc;

	scene_new(&sc, &two_llcs, "v5.19-tip,+SIS_SHORT_V2,NO_WA_IDLE,NO_WA_WEIGHT", 0, 1);
	set_curr(&sc, 1, 1000);
	sc.wakee->dur_avg = 50 * NSEC_PER_MSEC;
	rig_set(&sc.r, 3, RIG_IDLE);
	sc.r.s->llc[0].nr_idle_scan = 9;
	expect_cpu(&sc, 3, IDLE_CPU);
	sc.r.s->llc[0].nr_idle_scan = 8;
	expect_cpu(&sc, 1, SHORT_TASK);
	sc.r.s->llc[0].nr_idle_scan = 0; /* given up before it is asked */
	expect_cpu(&sc, 1, SCAN_GIVEN_UP);
	sc.r.s->llc[0].nr_idle_scan = 8;
	sc.r.s->llc[0].has_idle_cores = true;
	expect_cpu(&sc, 3, IDLE_CPU);
	sc.r.s->llc[0].has_idle_cores = false;
	sc.r.s->rq[1].curr->dur_avg = 3000001;
	expect_cpu(&sc, 3, IDLE_CPU);
	sc.r.s->rq[1].curr->dur_avg = 1000;
	add_nr_running(sc.r.s, &sc.r.s->rq[1], 1);
	expect_cpu(&sc, 3, IDLE_CPU);
	rig_free(&sc.r);

	scene_new(&sc, &two_llcs, "v5.19-tip,+SIS_SHORT_V2,NO_SIS_SHORT,NO_WA_IDLE", 0, 1);
	set_curr(&sc, 1, 1000);
	rig_set(&sc.r, 3, RIG_IDLE);
	sc.r.s->llc[0].nr_idle_scan = 8;
	assert_int_equal(where(&sc), 3); /* the switch turns it off */
	rig_free(&sc.r);
}

/* v4: both short with a known average, 8·dur ≤ 3 ms, whatever the scan depth */
static void stay_v4(void **state)
{
	struct scene sc;

	scene_new(&sc, &two_llcs, "v5.19-tip,+SIS_SHORT_V4,NO_WA_IDLE,NO_WA_WEIGHT", 0, 1);
	set_curr(&sc, 1, 375000);
	rig_set(&sc.r, 3, RIG_IDLE);
	expect_cpu(&sc, 3, IDLE_CPU); /* the wakee's average isn't known */
	sc.wakee->dur_avg = 375000;
	expect_cpu(&sc, 1, SHORT_TASK);
	sc.wakee->dur_avg = 375001;
	expect_cpu(&sc, 3, IDLE_CPU);
	rig_free(&sc.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(average_of_bursts), cmocka_unit_test(affine_v2),
		cmocka_unit_test(affine_v1),	     cmocka_unit_test(stay_v2),
		cmocka_unit_test(stay_v4),
	};

	return cmocka_run_group_tests_name("short", tests, NULL, NULL);
}
