/* SPDX-License-Identifier: BSD-2-Clause */
/* cfs.c: spec 02 §4 and its examples E1, E2. Eight CPUs, all on CPU 0: tunables times 4. */
#include "fixture.h"

static const struct sched_task_attr nice0 = { .nice = 0 };

static void hogs(struct world *w, const char *kernel, int n, struct task **p)
{
	world_init(w, kernel, 8, 250);
	for (int i = 0; i < n; i++)
		p[i] = world_spawn(w, 0, nice0);
	world_schedule(w, 0);
}

static u64 slice_of(struct world *w, struct task *p)
{
	return sched_slice(w->s, p->se.cfs_rq, &p->se);
}

static void test_slices(void **state)
{
	struct sched_task_attr nice5 = { .nice = 5 };
	struct task *p[10], *q;
	struct world w;

	hogs(&w, "v6.1", 3, p);
	assert_in_range(slice_of(&w, p[0]), 8 * MS - 10, 8 * MS);
	world_free(&w);

	hogs(&w, "v6.1", 10, p);
	assert_in_range(slice_of(&w, p[0]), 3 * MS - 10, 3 * MS);
	world_free(&w);

	hogs(&w, "v6.1", 1, p);
	q = world_spawn(&w, 0, nice5);
	assert_in_range(slice_of(&w, p[0]), 18080 * US, 18090 * US);
	assert_in_range(slice_of(&w, q), 5910 * US, 5920 * US);
	world_free(&w);
}

/* ALT_PERIOD counts the hierarchy; before it, the queue */
static void test_alt_period(void **state)
{
	for (int alt = 0; alt < 2; alt++) {
		struct sched_task_attr attr = { .nice = 0 };
		struct err err = { 0 };
		struct task *p;
		struct world w;

		world_init(&w, alt ? "v6.1" : "v6.1,NO_ALT_PERIOD", 8, 250);
		attr.group = sched_group_new(w.s, NULL, 1024, &err);
		for (int i = 0; i < 16; i++)
			p = world_spawn(&w, 0, attr);
		/* 16 · 3 ms, or the group's: alone at the root */
		assert_in_range(slice_of(&w, p), 3 * MS - 20, 3 * MS);
		p = world_spawn(&w, 0, nice0);
		assert_in_range(slice_of(&w, p), alt ? 25 * MS : 11 * MS, alt ? 51 * MS : 24 * MS);
		world_free(&w);
	}
}

/* the tick that finds the slice over is the second one */
static void test_round_robin(void **state)
{
	struct task *p[3];
	struct world w;
	int order[6];

	hogs(&w, "v6.1", 3, p);
	world_run(&w, 480 * MS, 4 * MS); /* START_DEBIT is worked off */
	while (world_rq(&w, 0)->curr == p[0])
		world_run(&w, 4 * MS, 4 * MS);
	while (world_rq(&w, 0)->curr != p[0])
		world_run(&w, 4 * MS, 4 * MS);
	for (int i = 0; i < 6; i++) {
		order[i] = world_rq(&w, 0)->curr->id;
		world_run(&w, 4 * MS, 4 * MS);
		assert_int_equal(world_rq(&w, 0)->curr->id, order[i]);
		world_run(&w, 4 * MS, 4 * MS);
		assert_int_not_equal(world_rq(&w, 0)->curr->id, order[i]);
	}
	for (int i = 3; i < 6; i++)
		assert_int_equal(order[i], order[i - 3]);
	for (int i = 0; i < 3; i++)
		assert_in_range(p[i]->se.sum_exec_runtime, (w.now - BOOT) / 3 - 16 * MS,
				(w.now - BOOT) / 3 + 16 * MS);
	world_free(&w);
}

static void test_wakeup_preemption(void **state)
{
	struct sched_entity curr = { .vruntime = 100 * MS }, woken = { .vruntime = 97 * MS };
	struct task *p[2], *sleeper;
	struct world w;

	curr.vload.weight = woken.vload.weight = NICE_0_LOAD;
	hogs(&w, "v6.1", 2, p);
	assert_false(cfs_should_preempt(w.s, &curr, &woken));
	woken.vruntime = 96 * MS; /* 4 ms is not more than 4 ms */
	assert_false(cfs_should_preempt(w.s, &curr, &woken));
	woken.vruntime--;
	assert_true(cfs_should_preempt(w.s, &curr, &woken));

	/* a long sleeper comes back 12 ms before min_vruntime and preempts */
	sleeper = world_rq(&w, 0)->curr;
	world_block(&w, 0);
	w.now += 100 * MS;
	assert_true(world_wake(&w, sleeper, 0));
	assert_int_equal(world_rq(&w, 0)->cfs.min_vruntime - sleeper->se.vruntime, 12 * MS);
	assert_ptr_equal(world_rq(&w, 0)->cfs.next, &sleeper->se);
	assert_ptr_equal(world_schedule(&w, 0), sleeper);
	assert_null(world_rq(&w, 0)->cfs.next);
	world_free(&w);
}

static void preempts(enum sched_policy curr, enum sched_policy woken, bool want)
{
	struct sched_task_attr attr = { .policy = woken };
	struct world w;
	struct task *p;

	world_init(&w, "v6.1", 8, 250);
	p = world_spawn(&w, 0, attr);
	world_schedule(&w, 0);
	world_block(&w, 0);
	attr.policy = curr;
	world_spawn(&w, 0, attr);
	world_schedule(&w, 0);
	w.now += 100 * MS;
	assert_int_equal(world_wake(&w, p, 0), want);
	world_free(&w);
}

static void test_policies(void **state)
{
	preempts(POLICY_NORMAL, POLICY_NORMAL, true);
	preempts(POLICY_NORMAL, POLICY_BATCH, false);
	preempts(POLICY_NORMAL, POLICY_IDLE, false);
	preempts(POLICY_BATCH, POLICY_NORMAL, true);
	preempts(POLICY_IDLE, POLICY_NORMAL, true);
	preempts(POLICY_IDLE, POLICY_BATCH, true);
	preempts(POLICY_IDLE, POLICY_IDLE, false);
}

/* a sleeper's credit: half of latency, all of it, min_granularity for SCHED_IDLE */
static u64 credit(const char *kernel, enum sched_policy policy)
{
	struct sched_task_attr attr = { .policy = policy };
	struct world w;
	struct task *p;
	u64 got;

	world_init(&w, kernel, 8, 250);
	p = world_spawn(&w, 0, attr);
	world_schedule(&w, 0);
	world_block(&w, 0);
	world_spawn(&w, 0, nice0);
	world_schedule(&w, 0);
	world_run(&w, 100 * MS, 4 * MS);
	p->se.vruntime = 0; /* far behind */
	world_wake(&w, p, 0);
	got = world_rq(&w, 0)->cfs.min_vruntime - p->se.vruntime;
	world_free(&w);
	return got;
}

static void test_sleeper_credit(void **state)
{
	assert_int_equal(credit("v6.1", POLICY_NORMAL), 12 * MS);
	assert_int_equal(credit("v6.1,NO_GENTLE_FAIR_SLEEPERS", POLICY_NORMAL), 24 * MS);
	assert_int_equal(credit("v6.1", POLICY_IDLE), 1500 * US);
}

/* a sleep of 2^53 ns leaves a vruntime that can't be compared (stable kernels) */
static void test_long_sleeper(void **state)
{
	for (int stable = 0; stable < 2; stable++) {
		struct world w;
		struct task *p;
		struct rq *rq;

		world_init(&w, stable ? "v6.1.192" : "v6.1", 8, 250);
		p = world_spawn(&w, 0, nice0);
		world_schedule(&w, 0);
		world_block(&w, 0);
		p->se.vruntime += 1000 * MS;
		rq = world_clock(&w, 0);
		w.now += INT64_MAX / 1024 + 2;
		update_rq_clock(w.s, rq, w.now);
		world_wake(&w, p, 0);
		assert_int_equal(rq->cfs.min_vruntime - p->se.vruntime == 12 * MS, stable);
		world_free(&w);
	}
}

static void test_fork(void **state)
{
	struct sched_task_attr attr = { .nice = 0 };
	struct task *p[2], *child;
	struct world w;

	hogs(&w, "v6.1", 2, p);
	w.now += 3 * MS;
	attr.parent = world_rq(&w, 0)->curr;
	child = world_spawn(&w, 0, attr);
	/* one slice (of three) behind the queue */
	assert_int_equal(attr.parent->se.exec_start, w.now);
	assert_in_range(child->se.vruntime - world_rq(&w, 0)->cfs.min_vruntime, 8 * MS - 10,
			8 * MS);
	world_free(&w);

	hogs(&w, "v6.1,child_runs_first=1", 1, p);
	w.now += 3 * MS;
	attr.parent = p[0];
	child = world_spawn(&w, 0, attr);
	assert_true(sched_need_resched(w.s, 0));
	assert_ptr_equal(world_schedule(&w, 0), child);
	world_free(&w);
}

/* the lead over the old queue is the lead over the new one */
static void test_migration(void **state)
{
	struct task *p[2];
	struct world w;
	s64 lead;

	hogs(&w, "v6.1", 2, p);
	world_run(&w, 40 * MS, 4 * MS);
	world_spawn(&w, 1, nice0);
	world_schedule(&w, 1);
	world_run(&w, 500 * MS, 4 * MS);
	if (world_rq(&w, 0)->curr == p[1])
		p[1] = p[0];
	world_clock(&w, 0);
	fair_update_curr(w.s, world_rq(&w, 0));
	lead = world_rq(&w, 0)->cfs.min_vruntime - p[1]->se.vruntime;
	deactivate_task(w.s, world_rq(&w, 0), p[1], 0);
	set_task_cpu(w.s, p[1], 1);
	activate_task(w.s, world_clock(&w, 1), p[1], 0);
	assert_int_equal(world_rq(&w, 1)->cfs.min_vruntime - p[1]->se.vruntime, lead);
	world_check(&w);
	world_free(&w);
}

static void test_yield(void **state)
{
	struct task *p[3];
	struct world w;

	hogs(&w, "v6.1", 1, p);
	sched_yield_task(w.s, w.now, 0);
	assert_null(world_rq(&w, 0)->cfs.skip);
	assert_ptr_equal(world_schedule(&w, 0), p[0]);
	world_free(&w);

	hogs(&w, "v6.1", 3, p);
	for (int i = 0; i < 6; i++) {
		struct task *curr = world_rq(&w, 0)->curr;

		w.now += 100 * US;
		sched_yield_task(w.s, w.now, 0);
		assert_ptr_not_equal(world_schedule(&w, 0), curr);
	}
	world_free(&w);
}

/* ten tasks: the one that a wake-up preempts goes on when the wakee sleeps */
static void test_last_buddy(void **state)
{
	struct task *p[10], *sleeper, *victim;
	struct world w;

	hogs(&w, "v6.1", 10, p);
	sleeper = world_rq(&w, 0)->curr;
	world_block(&w, 0);
	world_run(&w, 60 * MS, 4 * MS);
	victim = world_rq(&w, 0)->curr;
	w.now += 100 * US;
	assert_true(world_wake(&w, sleeper, 0));
	assert_ptr_equal(world_rq(&w, 0)->cfs.last, &victim->se);
	assert_ptr_equal(world_schedule(&w, 0), sleeper);
	w.now += 50 * US;
	world_block(&w, 0);
	assert_ptr_equal(world_rq(&w, 0)->curr, victim);
	world_free(&w);
}

/* one level of groups: a group's tasks share what one task would have */
static void test_group_share(void **state)
{
	struct sched_task_attr attr = { .nice = 0 };
	struct err err = { 0 };
	struct task *alone, *a, *b;
	struct world w;

	world_init(&w, "v6.1", 8, 250);
	attr.group = sched_group_new(w.s, NULL, 1024, &err);
	alone = world_spawn(&w, 0, nice0);
	a = world_spawn(&w, 0, attr);
	b = world_spawn(&w, 0, attr);
	world_schedule(&w, 0);
	world_run(&w, 4000 * MS, 4 * MS);
	assert_in_range(alone->se.sum_exec_runtime, 1950 * MS, 2050 * MS);
	assert_in_range(a->se.sum_exec_runtime, 970 * MS, 1030 * MS);
	assert_in_range(b->se.sum_exec_runtime, 970 * MS, 1030 * MS);
	world_check(&w);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_alt_period),
		cmocka_unit_test(test_round_robin),
		cmocka_unit_test(test_wakeup_preemption),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_sleeper_credit),
		cmocka_unit_test(test_long_sleeper),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_migration),
		cmocka_unit_test(test_yield),
		cmocka_unit_test(test_last_buddy),
		cmocka_unit_test(test_group_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
