// SPDX-License-Identifier: BSD-2-Clause
/*
 * Classes above fair as a record has them: what they would push and pull, and deadline tasks of
 * unseen parameters.
 */
#include "../core/rig.h"
#include "sched/forced.h"

static const struct rig_machine four = RIG_MACHINE(1, 1, 1, 1, 4, 1);

static void told(struct rig *r, const char *kernel)
{
	rig_new(r, &four, kernel);
	r->s->host.told_moves = true;
	rig_boot(r, 1);
}

static struct task *queue(struct rig *r, int cpu, enum sched_policy policy, int priority)
{
	const struct task_attr a = {.policy = policy, .priority = priority};
	struct task *p = rig_task(r, NULL);

	if (policy == POLICY_DEADLINE) {
		sched_task_start(r->s, r->now, p, cpu, BEGIN_QUEUED);
		sched_set_unseen_deadline(r->s, r->now, p);
	} else {
		assert_int_equal(sched_set_attr(r->s, r->now, p, &a), 0);
		sched_task_start(r->s, r->now, p, cpu, BEGIN_QUEUED);
	}
	rig_drain(r);
	return p;
}

static void go_on_with(struct rig *r, int cpu, struct task *p)
{
	struct task *prev = sched_current(r->s, cpu);

	assert_int_equal(sched_pick_commit(r->s, r->now, cpu, p), 0);
	sched_switch_done(r->s, r->now, cpu, prev);
	rig_drain(r);
}

/* CPU 0 runs the first, the second waits; of the CPUs that do less, CPU 1 can't be better than 2 */
static void pushes(void **state)
{
	struct class_move_decision d;
	struct task *high, *low;
	struct rig r;

	told(&r, "v6.12.95");
	high = queue(&r, 0, POLICY_FIFO, 60);
	sched_class_push_decide(r.s, 0, &d);
	assert_null(d.p); /* the idle task runs: it will be picked */
	go_on_with(&r, 0, high);
	low = queue(&r, 0, POLICY_FIFO, 40);
	go_on_with(&r, 1, queue(&r, 1, POLICY_FIFO, 50));
	go_on_with(&r, 3, queue(&r, 3, POLICY_FIFO, 50));
	sched_class_push_decide(r.s, 0, &d);
	assert_ptr_equal(d.p, low);
	assert_int_equal(d.from, 0);
	assert_int_equal(d.to, 2);
	assert_int_equal(sched_task_cpu(low), 0); /* nobody moved it */
	rig_check(&r, "asked");

	assert_int_equal(sched_move_task(r.s, r.now, 0, low, 2, MOVER_CLASS), 0);
	sched_class_push_decide(r.s, 0, &d);
	assert_null(d.p);
	rig_check(&r, "pushed");
	rig_free(&r);
}

/* CPUs that do as little are taken in turn, also where the record made the moves */
static void pushes_in_turn(void **state)
{
	struct class_move_decision d;
	struct task *low;
	struct rig r;

	told(&r, "v6.12.95");
	go_on_with(&r, 0, queue(&r, 0, POLICY_FIFO, 60));
	low = queue(&r, 0, POLICY_FIFO, 40);
	r.s->rq[0].distribute_cursor = 0;
	sched_class_push_decide(r.s, 0, &d);
	assert_int_equal(d.to, 1);
	assert_int_equal(sched_move_task(r.s, r.now, 0, low, 2, MOVER_CLASS), 0);
	queue(&r, 0, POLICY_FIFO, 30);
	sched_class_push_decide(r.s, 0, &d);
	assert_int_equal(d.to, 3);
	rig_free(&r);
}

static void pulls(void **state)
{
	struct class_move_decision d;
	struct task *low;
	struct rig r;

	told(&r, "v7.3");
	go_on_with(&r, 2, queue(&r, 2, POLICY_FIFO, 60));
	low = queue(&r, 2, POLICY_FIFO, 40);
	sched_class_pull_decide(r.s, 1, &d);
	assert_ptr_equal(d.p, low);
	assert_int_equal(d.from, 2);
	assert_int_equal(d.to, 1);
	go_on_with(&r, 3, queue(&r, 3, POLICY_FIFO, 40));
	sched_class_pull_decide(r.s, 3, &d);
	assert_null(d.p); /* what runs there isn't less */
	sched_class_pull_decide(r.s, 2, &d);
	assert_null(d.p); /* its own */
	rig_check(&r, "asked");
	rig_free(&r);
}

/* the record shows a fair task picked: the deadline task has no budget left, until it is back */
static void budgets(void **state)
{
	struct pick_decision d;
	struct task *dl, *fair;
	struct rig r;

	told(&r, "v6.12.95");
	fair = queue(&r, 0, POLICY_NORMAL, 0);
	dl = queue(&r, 0, POLICY_DEADLINE, 0);
	assert_int_equal(sched_task_prio(dl), -1);
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_ptr_equal(d.next, dl);
	go_on_with(&r, 0, dl);
	rig_check(&r, "running");

	r.now += 3 * NSEC_PER_MSEC;
	sched_dl_used_up(r.s, r.now, 0);
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_ptr_equal(d.next, fair);
	assert_int_equal(d.nr_runnable, 1);
	go_on_with(&r, 0, fair);
	rig_check(&r, "used up");

	sched_dl_refill(r.s, r.now, dl);
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_ptr_equal(d.next, dl);
	assert_int_equal(d.nr_runnable, 2);
	rig_check(&r, "refilled");
	rig_free(&r);
}

/* of two the first one woken comes first; which one was picked shows another order */
static void unseen_deadlines(void **state)
{
	struct class_move_decision m;
	struct pick_decision d;
	struct task *a, *b;
	struct rig r;

	told(&r, "v6.1.192");
	a = queue(&r, 0, POLICY_DEADLINE, 0);
	r.now += NSEC_PER_MSEC;
	b = queue(&r, 0, POLICY_DEADLINE, 0);
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_ptr_equal(d.next, a);
	sched_dl_picked(r.s, r.now, b);
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_ptr_equal(d.next, b);
	go_on_with(&r, 0, b);
	sched_class_push_decide(r.s, 0, &m);
	assert_ptr_equal(m.p, a);
	rig_check(&r, "picked");

	/* asleep, and an ordinary task again */
	sched_block(r.s, r.now, 0, false);
	go_on_with(&r, 0, a);
	sched_set_attr(r.s, r.now, b, &(struct task_attr){.policy = POLICY_NORMAL});
	sched_set_attr(r.s, r.now, a, &(struct task_attr){.policy = POLICY_FIFO, .priority = 1});
	rig_check(&r, "no longer");
	rig_free(&r);
}

/* more than any admission would allow, on CPUs that it wouldn't allow */
static void nobody_admits(void **state)
{
	u64 only_0[1] = {1};
	struct rig r;

	told(&r, "v6.12");
	for (int i = 0; i < 20; i++) {
		struct task *p = rig_task(&r, i % 2 ? only_0 : NULL);

		sched_task_start(r.s, r.now, p, i % 2 ? 0 : i % 4, BEGIN_QUEUED);
		sched_set_unseen_deadline(r.s, r.now, p);
	}
	rig_check(&r, "twenty");
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushes),	    cmocka_unit_test(pushes_in_turn),
		cmocka_unit_test(pulls),	    cmocka_unit_test(budgets),
		cmocka_unit_test(unseen_deadlines), cmocka_unit_test(nobody_admits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
