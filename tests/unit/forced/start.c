// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tasks where a record has them: at its beginning, and corrections about sleepers.
 */
#include <errno.h>

#include "../balance/rig.h"

static struct task *unborn(struct rig *r, const u64 *allowed)
{
	struct sched_task_attr attr = {.id = ++r->nr_tasks, .comm = "old", .allowed = allowed};

	return sched_task_new(r->s, &attr);
}

static void at_the_beginning(void **state)
{
	struct task *a, *b, *c, *d;
	u64 only_1 = 2;
	struct rig r;

	rig_start(&r, "v6.12.95", 1, 1, 2, 1);
	a = unborn(&r, NULL);
	b = unborn(&r, NULL);
	c = unborn(&r, NULL);
	d = unborn(&r, &only_1);
	assert_int_equal(sched_task_start(r.s, r.now, a, 0, BEGIN_RUNNING), 0);
	assert_int_equal(sched_task_start(r.s, r.now, b, 0, BEGIN_RUNNING), -EBUSY);
	assert_int_equal(sched_task_start(r.s, r.now, b, 0, BEGIN_QUEUED), 0);
	assert_int_equal(sched_task_start(r.s, r.now, c, 1, BEGIN_ASLEEP), 0);
	assert_int_equal(sched_task_start(r.s, r.now, d, 0, BEGIN_ASLEEP), -EPERM);
	assert_ptr_equal(sched_current(r.s, 0), a);
	assert_int_equal(sched_nr_running(r.s, 0), 2);
	assert_false(sched_task_on_cpu(b));
	assert_true(sched_cpu_idle(r.s, 1));
	rig_check(&r);

	assert_int_equal(sched_task_set_cpu(r.s, r.now, c, 0), 0);
	assert_int_equal(sched_task_cpu(c), 0);
	assert_int_equal(sched_task_set_cpu(r.s, r.now, b, 1), -EBUSY);
	rig_check(&r);

	sched_set_kthread(r.s, d, true);
	assert_true(d->per_cpu_kthread);
	rig_stop(&r);
}

static void delayed_or_not(const char *kernel)
{
	struct task *a, *b;
	struct rig r;

	rig_start(&r, kernel, 1, 1, 2, 1);
	a = rig_task(&r, 0, NULL);
	rig_schedule(&r, 0);
	b = rig_task(&r, 0, NULL);
	rig_drop_requests(&r);
	r.now += 10 * NSEC_PER_MSEC;
	assert_int_equal(sched_task_leave(r.s, r.now, b), -EBUSY);
	assert_int_equal(sched_task_delay(r.s, r.now, b), -EBUSY);
	sched_block(r.s, r.now, 0, false);
	rig_schedule(&r, 0);
	assert_ptr_equal(sched_current(r.s, 0), b);
	assert_true(sched_task_delayed(a));

	assert_int_equal(sched_task_leave(r.s, r.now, a), 0);
	assert_false(sched_task_queued(a));
	assert_int_equal(sched_nr_running(r.s, 0), 1);
	assert_int_equal(sched_task_leave(r.s, r.now, a), 0);
	rig_check(&r);

	assert_int_equal(sched_task_delay(r.s, r.now, a), 0);
	assert_true(sched_task_delayed(a) && sched_task_queued(a));
	assert_int_equal(sched_nr_running(r.s, 0), 2);
	assert_int_equal(cpu_rq(r.s, 0)->cfs.h_nr_runnable, 1);
	assert_int_equal(sched_task_delay(r.s, r.now, a), 0);
	rig_check(&r);

	/* it wakes as one that never left */
	sched_wake_queued(r.s, r.now, 1, a);
	assert_false(sched_task_delayed(a));
	assert_int_equal(cpu_rq(r.s, 0)->cfs.h_nr_runnable, 2);
	rig_check(&r);
	rig_stop(&r);
}

static void corrections(void **state)
{
	struct task *p;
	struct rig r;

	delayed_or_not("v6.12.95");
	delayed_or_not("v7.3");

	rig_start(&r, "v6.1", 1, 1, 2, 1);
	p = unborn(&r, NULL);
	sched_task_start(r.s, r.now, p, 0, BEGIN_ASLEEP);
	assert_int_equal(sched_task_delay(r.s, r.now, p), -EOPNOTSUPP);
	rig_stop(&r);

	rig_start(&r, "v6.12.95", 1, 1, 2, 1);
	p = unborn(&r, NULL);
	sched_task_start(r.s, r.now, p, 0, BEGIN_ASLEEP);
	assert_int_equal(sched_task_delay(r.s, r.now, p), -EBUSY); /* an idle CPU keeps nobody */
	rig_stop(&r);
}

static void quiet(void **state)
{
	struct rng rng;
	struct rig r;

	rig_start(&r, "v7.3", 1, 2, 2, 2);
	rng_init(&rng, 1, 0);
	sched_boot(r.s, r.now, &rng);
	sched_quiet(r.s);
	for (int c = 0; c < r.s->nr_cpus; c++)
		assert_int_equal(cpu_util_cfs(r.s, c), 0);
	rig_check(&r);
	rig_stop(&r);
}

/* awake, but its group may not run: off the queue, and back without a wake-up */
static void held(const char *kernel)
{
	struct task *a, *b;
	struct rig r;

	rig_start(&r, kernel, 1, 1, 2, 1);
	a = rig_task(&r, 0, NULL);
	rig_schedule(&r, 0);
	b = rig_task(&r, 0, NULL);
	rig_drop_requests(&r);
	assert_int_equal(sched_task_release(r.s, r.now, b), -EBUSY);
	r.now += 10 * NSEC_PER_MSEC;
	assert_int_equal(sched_task_hold(r.s, r.now, b), 0);
	assert_int_equal(sched_task_hold(r.s, r.now, b), -EBUSY);
	assert_int_equal(sched_task_hold(r.s, r.now, a), 0); /* the one that runs */
	assert_int_equal(sched_task_release(r.s, r.now, a), -EBUSY);
	assert_int_equal(sched_pick_commit(r.s, r.now, 0, NULL), 0);
	sched_switch_done(r.s, r.now, 0, a);
	rig_drop_requests(&r);
	assert_true(sched_cpu_idle(r.s, 0));
	assert_false(sched_task_delayed(a));
	rig_check(&r);
	r.now += 50 * NSEC_PER_MSEC;
	assert_int_equal(sched_task_release(r.s, r.now, a), 0);
	assert_int_equal(sched_task_release(r.s, r.now, b), 0);
	assert_int_equal(sched_nr_running(r.s, 0), 2);
	rig_drop_requests(&r);
	rig_check(&r);
	rig_stop(&r);
}

static void throttled(void **state)
{
	held("v6.1.192");
	held("v6.12.95");
	held("v7.3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_the_beginning),
		cmocka_unit_test(throttled),
		cmocka_unit_test(corrections),
		cmocka_unit_test(quiet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
