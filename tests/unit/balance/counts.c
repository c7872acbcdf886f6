// SPDX-License-Identifier: BSD-2-Clause
/*
 * What /proc/schedstat says of balancing passes, counter by counter (spec 06 §2, 11 §4).
 */
#include "rig.h"

static struct balance_decision d;

static struct sched_lb_counts counts(struct rig *r, int cpu, enum sched_lb_kind kind)
{
	struct sched_lb_counts n;

	assert_true(sched_lb_counts(r->s, cpu, 0, kind, &n));
	return n;
}

static void pass(struct rig *r, int cpu, enum cpu_idle_type kind)
{
	balance_decide(r->s, r->now, cpu, cpu_rq(r->s, cpu)->sd, kind, &d);
	balance_commit(r->s, r->now, cpu, &d);
	list_init(&cpu_rq(r->s, cpu)->walk.held);
}

static void walk_pass(struct rig *r, int cpu, enum cpu_idle_type kind)
{
	struct balance_walk *w = &cpu_rq(r->s, cpu)->walk;

	list_init(&w->held);
	w->nr_held = 0;
	balance_decide(r->s, r->now, cpu, cpu_rq(r->s, cpu)->sd, kind, &d);
	balance_commit(r->s, r->now, cpu, &d);
	balance_attach(r->s, r->now, cpu);
	rig_drop_requests(r);
}

static void running(struct rig *r, int cpu, int waiting, const u64 *allowed)
{
	rig_task(r, cpu, allowed);
	rig_schedule(r, cpu);
	for (int i = 0; i < waiting; i++)
		rig_task(r, cpu, allowed);
	rig_drop_requests(r);
}

/* nobody has anything, or too little to give: balanced, no busiest group */
static void balanced(void **state)
{
	struct sched_lb_counts n;
	struct rig r;

	rig_start(&r, "v6.1", 1, 1, 4, 1);
	pass(&r, 0, CPU_IDLE);
	running(&r, 1, 0, NULL);
	pass(&r, 0, CPU_IDLE);
	n = counts(&r, 0, SCHED_LB_IDLE);
	assert_int_equal(n.count, 2);
	assert_int_equal(n.balanced, 2);
	assert_int_equal(n.nobusyg, 2);
	assert_int_equal(n.failed + n.nobusyq + n.gained + n.imbalance, 0);
	assert_int_equal(counts(&r, 0, SCHED_LB_BUSY).count, 0);
	assert_int_equal(counts(&r, 0, SCHED_LB_NEWIDLE).count, 0);
	assert_int_equal(counts(&r, 1, SCHED_LB_IDLE).count, 0); /* a domain a CPU */
	rig_stop(&r);
}

/* another CPU balances this domain: the pass is counted, and says "balanced" */
static void not_mine(void **state)
{
	struct sched_lb_counts n;
	struct rig r;

	rig_start(&r, "v6.1", 1, 2, 4, 1);
	for (int c = 0; c < 4; c++)
		running(&r, c, 0, NULL);
	balance_decide(r.s, r.now, 3, cpu_rq(r.s, 3)->sd->parent, CPU_NOT_IDLE, &d);
	assert_int_equal(d.outcome, BALANCE_NOT_ALLOWED);
	balance_commit(r.s, r.now, 3, &d);
	assert_true(sched_lb_counts(r.s, 3, 1, SCHED_LB_BUSY, &n));
	assert_int_equal(n.count, 1);
	assert_int_equal(n.balanced, 1);
	assert_int_equal(n.nobusyg, 0);
	rig_stop(&r);
}

/* a new-idle pass gains the waiting task, the imbalance being counted in tasks */
static void gains(void **state)
{
	struct sched_lb_counts n;
	struct rig r;

	rig_start(&r, "v6.1", 1, 1, 2, 1);
	running(&r, 0, 1, NULL);
	r.now += NSEC_PER_MSEC;
	sched_tick(r.s, r.now, 0);
	rig_drop_requests(&r);
	r.now += NSEC_PER_MSEC;
	walk_pass(&r, 1, CPU_NEWLY_IDLE);
	assert_int_equal(d.type, MIGRATE_TASK);
	n = counts(&r, 1, SCHED_LB_NEWIDLE);
	assert_int_equal(n.count, 1);
	assert_int_equal(n.gained, 1);
	assert_int_equal(n.hot_gained, 0);
	assert_int_equal(n.balanced + n.failed, 0);
	assert_int_equal(n.imbalance, d.imbalance);
	assert_int_equal(n.imbalance_of[SCHED_IMB_TASK], d.imbalance);
	assert_int_equal(n.imbalance_of[SCHED_IMB_LOAD], 0);
	rig_stop(&r);
}

/* what is hot stays until passes have failed; then it comes, and is counted as hot */
static void hot(void **state)
{
	struct sched_lb_counts n;
	struct rig r;

	rig_start(&r, "v6.1", 1, 1, 2, 1);
	running(&r, 0, 0, NULL);
	rig_task(&r, 0, NULL)->se.exec_start = cpu_rq(r.s, 0)->clock_task;
	rig_drop_requests(&r);
	r.now += 1000;
	for (int i = 0; i < 3; i++)
		walk_pass(&r, 1, CPU_IDLE);
	n = counts(&r, 1, SCHED_LB_IDLE);
	assert_int_equal(n.count, 3);
	assert_int_equal(n.failed, 2); /* cache_nice_tries is 1 */
	assert_int_equal(n.gained, 1);
	assert_int_equal(n.hot_gained, 1);
	assert_int_equal(n.imbalance_of[SCHED_IMB_TASK], 3);
	rig_stop(&r);
}

/* two tasks, both bound to their CPU: nothing can be moved, nobody else can give */
static void pinned(void **state)
{
	struct sched_lb_counts n;
	u64 only_0 = 1;
	struct rig r;

	rig_start(&r, "v6.1", 1, 1, 2, 1);
	running(&r, 0, 1, &only_0);
	r.now += NSEC_PER_MSEC;
	walk_pass(&r, 1, CPU_IDLE);
	n = counts(&r, 1, SCHED_LB_IDLE);
	assert_int_equal(n.count, 1);
	assert_int_equal(n.failed + n.gained, 0);
	assert_int_equal(n.balanced, 1);
	rig_stop(&r);
}

/* alb_count, alb_failed, alb_pushed: a push that finds its task, and one that finds none */
static void pushes(void **state)
{
	struct sched_domain_counts n;
	u64 only_0 = 1;
	struct rig r;

	rig_start(&r, "v6.1", 1, 1, 2, 1);
	running(&r, 0, 0, NULL);
	for (int bound = 0; bound < 2; bound++) {
		if (bound) {
			rig_task(&r, 0, NULL);
			rig_schedule(&r, 0);
			sched_set_affinity(r.s, r.now, sched_current(r.s, 0), &only_0);
		}
		cpu_rq(r.s, 0)->active_balance = true;
		cpu_rq(r.s, 0)->push_cpu = 1;
		rig_push(&r, 0);
		rig_drop_requests(&r);
		assert_true(sched_domain_counts(r.s, 1, 0, &n));
		assert_int_equal(n.alb_count, 1 + bound);
		assert_int_equal(n.alb_pushed, 1);
		assert_int_equal(n.alb_failed, bound);
		assert_int_equal(counts(&r, 1, SCHED_LB_IDLE).gained, 1);
	}
	rig_stop(&r);
}

/* each kind of imbalance goes into its own number, and into the sum */
static void kinds_of_imbalance(void **state)
{
	struct sched_lb_counts n;
	struct lb_stats *lb;
	struct rig r;

	rig_start(&r, "v7.3", 1, 1, 2, 1);
	lb = &cpu_rq(r.s, 0)->sd->lb[CPU_NOT_IDLE];
	lb->imbalance[MIGRATE_LOAD] = 1;
	lb->imbalance[MIGRATE_UTIL] = 20;
	lb->imbalance[MIGRATE_TASK] = 300;
	lb->imbalance[MIGRATE_MISFIT] = 4000;
	n = counts(&r, 0, SCHED_LB_BUSY);
	assert_int_equal(n.imbalance_of[SCHED_IMB_LOAD], 1);
	assert_int_equal(n.imbalance_of[SCHED_IMB_UTIL], 20);
	assert_int_equal(n.imbalance_of[SCHED_IMB_TASK], 300);
	assert_int_equal(n.imbalance_of[SCHED_IMB_MISFIT], 4000);
	assert_int_equal(n.imbalance, 4321);
	rig_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(balanced),
		cmocka_unit_test(not_mine),
		cmocka_unit_test(gains),
		cmocka_unit_test(hot),
		cmocka_unit_test(pinned),
		cmocka_unit_test(pushes),
		cmocka_unit_test(kinds_of_imbalance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
