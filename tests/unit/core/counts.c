// SPDX-License-Identifier: BSD-2-Clause
/*
 * What /proc/schedstat says of a CPU, counter by counter (spec 11 §4).
 */
#include "rig.h"

/* two LLCs of 4 cores */
static const struct rig_machine two = RIG_MACHINE(1, 1, 2, 1, 4, 1);

static struct sched_cpu_counts counts(const struct rig *r, int cpu)
{
	struct sched_cpu_counts n;

	sched_cpu_counts(r->s, cpu, &n);
	return n;
}

static void wake_onto(struct rig *r, int cpu, struct task *p, int target)
{
	struct wake_query q = {.cpu = cpu, .p = p, .in_task = true};
	struct wake_decision d;

	sched_wake_decide(r->s, r->now, &q, &d);
	d.path = WAKE_DIRECT;
	sched_wake_commit(r->s, r->now, &q, &d, target);
	sched_activate(r->s, r->now, cpu, p);
}

/* A runs 3 ms while B waits, B runs 2 ms while A waits, both sleep */
static void run_and_wait(void **state)
{
	struct sched_cpu_counts n;
	struct task *a, *b, *next;
	struct rig r;

	rig_new(&r, &two, "v6.1");
	rig_boot(&r, 1);
	a = rig_start(&r, 2, NULL);
	n = counts(&r, 2);
	assert_int_equal(n.sched_count, 1);
	assert_int_equal(n.sched_goidle, 0);
	assert_int_equal(n.pcount, 1);
	assert_int_equal(n.cpu_time, 0);
	assert_int_equal(n.run_delay, 0);
	b = rig_task(&r, NULL);
	sched_fork_commit(r.s, r.now, 2, b, &(struct fork_decision){.target = 2}, 2);
	sched_activate_new(r.s, r.now, 2, b);
	r.now += 3 * NSEC_PER_MSEC;
	assert_int_equal(counts(&r, 2).cpu_time, 0); /* the kernel adds at the switch, too */
	next = rig_schedule(&r, 2);
	assert_ptr_equal(next, b);
	n = counts(&r, 2);
	assert_int_equal(n.sched_count, 2);
	assert_int_equal(n.pcount, 2);
	assert_int_equal(n.cpu_time, 3 * NSEC_PER_MSEC);
	assert_int_equal(n.run_delay, 3 * NSEC_PER_MSEC);
	r.now += 2 * NSEC_PER_MSEC;
	rig_sleep(&r, 2);
	assert_ptr_equal(sched_current(r.s, 2), a);
	n = counts(&r, 2);
	assert_int_equal(n.cpu_time, 5 * NSEC_PER_MSEC);
	assert_int_equal(n.run_delay, 5 * NSEC_PER_MSEC); /* A's two */
	r.now += NSEC_PER_MSEC;
	rig_sleep(&r, 2);
	n = counts(&r, 2);
	assert_int_equal(n.sched_count, 4);
	assert_int_equal(n.sched_goidle, 1);
	assert_int_equal(n.pcount, 3);
	assert_int_equal(n.cpu_time, 6 * NSEC_PER_MSEC);
	assert_int_equal(n.run_delay, 5 * NSEC_PER_MSEC);
	rig_free(&r);
}

/* a task that goes on is scheduled, but not switched in */
static void yields(void **state)
{
	struct sched_cpu_counts n;
	struct rig r;

	rig_new(&r, &two, "v6.12");
	rig_boot(&r, 1);
	rig_start(&r, 1, NULL);
	for (int i = 0; i < 3; i++) {
		sched_yield_task(r.s, r.now, 1);
		rig_schedule(&r, 1);
	}
	n = counts(&r, 1);
	assert_int_equal(n.yld_count, 3);
	assert_int_equal(n.sched_count, 4);
	assert_int_equal(n.pcount, 1);
	assert_int_equal(counts(&r, 0).yld_count, 0);
	rig_free(&r);
}

/* a queued task that goes elsewhere leaves its waiting behind on the old CPU */
static void waiting_moves(void **state)
{
	struct task *b;
	struct rig r;

	rig_new(&r, &two, "v6.1");
	rig_boot(&r, 1);
	rig_start(&r, 0, NULL);
	rig_start(&r, 1, NULL);
	b = rig_task(&r, NULL);
	sched_fork_commit(r.s, r.now, 0, b, &(struct fork_decision){.target = 0}, 0);
	sched_activate_new(r.s, r.now, 0, b);
	r.now += 700;
	sched_stop_begin(r.s, r.now, 0); /* the running task waits as well now */
	r.now += 50;
	assert_true(sched_stop_migrate(r.s, r.now, 0, b, 1));
	sched_stop_end(r.s, r.now, 0);
	assert_int_equal(counts(&r, 0).run_delay, 750);
	assert_int_equal(counts(&r, 0).cpu_time, 750); /* 700 of the task, 50 of the stopper */
	assert_int_equal(counts(&r, 0).pcount, 2);
	r.now += 30;
	rig_schedule(&r, 0);
	assert_int_equal(counts(&r, 0).run_delay, 750 + 80);
	assert_int_equal(counts(&r, 0).pcount, 3);
	assert_int_equal(counts(&r, 1).run_delay, 0);
	rig_sleep(&r, 1);
	assert_int_equal(counts(&r, 1).run_delay, 30);
	rig_free(&r);
}

/* a change of nice takes a task off its queue and puts it back: it waits on */
static void waits_on(void **state)
{
	struct task *b;
	struct rig r;

	rig_new(&r, &two, "v6.12");
	rig_boot(&r, 1);
	rig_start(&r, 0, NULL);
	b = rig_task(&r, NULL);
	sched_fork_commit(r.s, r.now, 0, b, &(struct fork_decision){.target = 0}, 0);
	sched_activate_new(r.s, r.now, 0, b);
	r.now += 400;
	sched_set_nice(r.s, r.now, b, POLICY_NORMAL, 5);
	assert_int_equal(counts(&r, 0).run_delay, 0);
	r.now += 100;
	rig_sleep(&r, 0);
	assert_ptr_equal(sched_current(r.s, 0), b);
	assert_int_equal(counts(&r, 0).run_delay, 500);
	rig_free(&r);
}

/* with delayed dequeue a sleeper is still queued, and waits for nothing */
static void delayed_waits_for_nothing(void **state)
{
	struct task *a;
	struct rig r;

	rig_new(&r, &two, "v6.12");
	rig_boot(&r, 1);
	a = rig_start(&r, 0, NULL);
	rig_start(&r, 0, NULL);
	if (sched_current(r.s, 0) != a)
		rig_schedule(&r, 0);
	r.now += 4 * NSEC_PER_MSEC; /* far beyond its share: not eligible */
	a = sched_current(r.s, 0);
	sched_tick(r.s, r.now, 0);
	sched_block(r.s, r.now, 0, false);
	rig_drain(&r);
	assert_true(a->se.sched_delayed);
	assert_int_equal(a->last_queued, 0);
	r.now += 100;
	sched_wake_queued(r.s, r.now, 1, a);
	assert_int_equal(a->last_queued, r.now);
	rig_free(&r);
}

/* ttwu_local, and remote wake-ups at the lowest domain both CPUs share */
static void wakeups(void **state)
{
	struct sched_domain_counts mc, die;
	struct task *p[3];
	struct rig r;

	rig_new(&r, &two, "v6.1");
	rig_boot(&r, 1);
	for (int i = 0; i < 3; i++) {
		p[i] = rig_start(&r, 1 + i, NULL);
		rig_sleep(&r, 1 + i);
	}
	rig_start(&r, 0, NULL);
	wake_onto(&r, 0, p[0], 0);
	wake_onto(&r, 0, p[1], 2);
	wake_onto(&r, 0, p[2], 5);
	rig_drain(&r);
	assert_int_equal(counts(&r, 0).ttwu_count, 3);
	assert_int_equal(counts(&r, 0).ttwu_local, 1);
	assert_int_equal(counts(&r, 2).ttwu_count, 0);
	assert_true(sched_domain_counts(r.s, 0, 0, &mc));
	assert_true(sched_domain_counts(r.s, 0, 1, &die));
	assert_false(sched_domain_counts(r.s, 0, 2, &(struct sched_domain_counts){0}));
	assert_string_equal(mc.name, "MC");
	assert_string_equal(die.name, "DIE");
	assert_true(mask_test(mc.span, 3) && !mask_test(mc.span, 4));
	assert_int_equal(mc.ttwu_wake_remote, 1);
	assert_int_equal(die.ttwu_wake_remote, 1);
	rig_free(&r);
}

/* wake_affine takes a wakee to the waker's CPU: counted where both CPUs meet */
static void affine(void **state)
{
	struct wake_decision d = {.path = WAKE_DIRECT, .new_recent_used = -1, .move_affine = true};
	struct sched_domain_counts mc, die;
	struct wake_query q = {.cpu = 0, .in_task = true};
	struct rig r;

	rig_new(&r, &two, "v6.1");
	rig_boot(&r, 1);
	q.p = rig_start(&r, 6, NULL);
	rig_sleep(&r, 6);
	sched_wake_commit(r.s, r.now, &q, &d, 0);
	assert_true(sched_domain_counts(r.s, 0, 0, &mc));
	assert_true(sched_domain_counts(r.s, 0, 1, &die));
	assert_int_equal(mc.ttwu_move_affine, 0);
	assert_int_equal(die.ttwu_move_affine, 1);
	rig_free(&r);
}

/* the stopper is woken as any task is */
static void stopper_wakeup(void **state)
{
	u64 only_3 = 1 << 3;
	struct sched_out out;
	struct task *p;
	struct rig r;

	rig_new(&r, &two, "v6.1");
	rig_boot(&r, 1);
	p = rig_start(&r, 2, NULL);
	assert_int_equal(sched_set_affinity(r.s, r.now, p, &only_3), 0);
	assert_true(sched_next_out(r.s, &out));
	assert_int_equal(out.kind, OUT_STOP_MIGRATE);
	assert_int_equal(counts(&r, 2).ttwu_count, 1);
	assert_int_equal(counts(&r, 2).ttwu_local, 1);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_and_wait),
		cmocka_unit_test(yields),
		cmocka_unit_test(waiting_moves),
		cmocka_unit_test(waits_on),
		cmocka_unit_test(delayed_waits_for_nothing),
		cmocka_unit_test(wakeups),
		cmocka_unit_test(affine),
		cmocka_unit_test(stopper_wakeup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
