// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is learnt from picks and placements that the core would not have made: lags of before the
 * record, and by how little a queue is changed; what searches go by.
 */
#include "../balance/rig.h"

static struct task *asleep(struct rig *r)
{
	struct sched_task_attr attr = {.id = ++r->nr_tasks, .comm = "old"};
	struct task *p = sched_task_new(r->s, &attr);

	assert_int_equal(sched_task_start(r->s, r->now, p, 0, BEGIN_ASLEEP), 0);
	return p;
}

static void wake(struct rig *r, struct task *p)
{
	struct wake_query q = {.cpu = 0, .p = p};
	struct wake_decision d;

	sched_wake_decide(r->s, r->now, &q, &d);
	d.path = WAKE_DIRECT;
	sched_wake_commit(r->s, r->now, &q, &d, 0);
	sched_activate(r->s, r->now, 0, p);
}

static void go_on_with(struct rig *r, struct task *next, u64 ns)
{
	struct task *prev = sched_current(r->s, 0);

	assert_int_equal(sched_pick_commit(r->s, r->now, 0, next), 0);
	sched_switch_done(r->s, r->now, 0, prev);
	rig_drop_requests(r);
	r->now += ns;
	if (next)
		sched_block(r->s, r->now, 0, false);
}

/* @late and then @early are woken on an idle CPU; Return: whom the core would pick */
static const struct task *round_of(struct rig *r, struct task *late, struct task *early,
				   bool early_first)
{
	struct pick_decision d;

	r->now += 4 * NSEC_PER_MSEC;
	wake(r, late);
	wake(r, early);
	sched_pick_decide(r->s, r->now, 0, &d);
	go_on_with(r, early_first ? early : late, (early_first ? 10 : 500) * NSEC_PER_USEC);
	sched_task_leave(r->s, r->now, early_first ? early : late);
	go_on_with(r, early_first ? late : early, (early_first ? 500 : 10) * NSEC_PER_USEC);
	sched_task_leave(r->s, r->now, early_first ? late : early);
	go_on_with(r, NULL, 0);
	rig_check(r);
	return d.next;
}

/* one that slept since before the record has a lag that shows once, and lasts */
static void unseen_lag(const char *kernel)
{
	struct task *a, *b;
	struct rig r;

	rig_start(&r, kernel, 1, 1, 2, 1);
	a = asleep(&r);
	b = asleep(&r);
	/* of two that are as good the first one woken is picked */
	assert_ptr_equal(round_of(&r, a, b, true), a);
	for (int i = 0; i < 20; i++)
		assert_ptr_equal(round_of(&r, a, b, true), b);
	rig_stop(&r);
}

static void unseen_lags(void **state)
{
	unseen_lag("v6.6");
	unseen_lag("v6.12.95");
	unseen_lag("v7.3");
}

/* where all is known, two tasks change places by as little as they can, and the average stays */
static void known_lags(void **state)
{
	struct pick_decision d;
	struct task *a, *b;
	struct rig r;
	u64 sum;

	rig_start(&r, "v6.12.95", 1, 1, 2, 1);
	a = rig_task(&r, 0, NULL);
	b = rig_task(&r, 0, NULL);
	assert_int_equal(a->se.deadline, b->se.deadline);
	sum = a->se.vruntime + b->se.vruntime;
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_ptr_equal(d.next, a);
	assert_int_equal(sched_pick_commit(r.s, r.now, 0, b), 0);
	assert_int_equal(a->se.deadline - b->se.deadline, 1);
	assert_in_range(sum - a->se.vruntime - b->se.vruntime, 0, 1);
	rig_stop(&r);
}

/* one that runs in the midst of its slice and must leave has been ahead of the average */
static void protected_leaves(void **state)
{
	struct pick_decision d;
	struct task *a, *b;
	struct rig r;

	rig_start(&r, "v6.12.95", 1, 1, 2, 1);
	a = rig_task(&r, 0, NULL);
	rig_schedule(&r, 0);
	b = rig_task(&r, 0, NULL);
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_ptr_equal(d.next, a);
	assert_int_equal(d.reason, REASON_PICK_PROTECTED);
	assert_int_equal(sched_pick_commit(r.s, r.now, 0, b), 0);
	assert_in_range(a->se.vruntime - b->se.vruntime, 1, 8);
	rig_stop(&r);
}

/* every CPU of one LLC runs a task but @idle; @p, last on CPU 0, is woken from there */
static void busy_but(struct rig *r, const char *kernel, int idle, struct wake_query *q)
{
	rig_start(r, kernel, 1, 1, 8, 1);
	q->p = asleep(r);
	for (int c = 0; c < 8; c++) {
		u64 only = 1ull << c;

		if (c == idle)
			continue;
		rig_task(r, c, &only);
		rig_schedule(r, c);
	}
	rig_drop_requests(r);
}

static void search_depth(void **state)
{
	struct wake_query q = {.cpu = 0};
	struct wake_decision d, better;
	struct rig r;
	struct llc *llc;

	busy_but(&r, "v6.12.95", 5, &q);
	llc = cpu_rq(r.s, 0)->llc;
	llc->nr_idle_scan = 1;
	sched_wake_decide(r.s, r.now, &q, &d);
	assert_int_equal(d.target, 0);
	assert_int_equal(sched_wake_learn(r.s, r.now, &q, 5, &better), LESSON_DEPTH);
	assert_int_equal(better.target, 5);
	assert_int_equal(llc->nr_idle_scan, 5); /* CPU 5 is the fifth that is looked at */
	/* and the other way round: the search ended before */
	llc->nr_idle_scan = 8;
	assert_int_equal(sched_wake_learn(r.s, r.now, &q, 0, &better), LESSON_DEPTH);
	assert_int_equal(better.target, 0);
	assert_int_equal(llc->nr_idle_scan, 4);
	/* nothing leads to a CPU that is busy: all stays as it is */
	assert_int_equal(sched_wake_learn(r.s, r.now, &q, 3, &better), LESSON_NONE);
	assert_int_equal(llc->nr_idle_scan, 4);
	assert_int_equal(q.p->wakee_flips, 0);
	rig_stop(&r);
}

/* without a limit to learn, that waker and wakee have many partners explains why it stayed */
static void flips(void **state)
{
	struct wake_query q = {.cpu = 2, .sync = true, .in_task = true};
	struct wake_decision d, better;
	struct rig r;

	busy_but(&r, "v5.10", -1, &q);
	cpu_rq(r.s, 2)->curr->wakee_flips = 1000;
	sched_wake_decide(r.s, r.now, &q, &d);
	assert_int_equal(d.target, 2);
	assert_int_equal(sched_wake_learn(r.s, r.now, &q, 0, &better), LESSON_FLIPS);
	assert_int_equal(better.target, 0);
	assert_int_equal(q.p->wakee_flips, 8);
	assert_int_equal(sched_wake_learn(r.s, r.now, &q, 2, &better), LESSON_FLIPS);
	assert_int_equal(q.p->wakee_flips, 7);
	rig_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unseen_lags),
		cmocka_unit_test(known_lags),
		cmocka_unit_test(protected_leaves),
		cmocka_unit_test(search_depth),
		cmocka_unit_test(flips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
