// SPDX-License-Identifier: BSD-2-Clause
/*
 * Single passes on small machines: who may, what is taken in which order, what a failure leads to
 * (spec 06 §2, §3, §8, §9, and the second half of E1).
 */
#include "rig.h"

static struct balance_decision d;

static void decide(struct rig *r, int dst, const char *domain, enum cpu_idle_type kind)
{
	balance_decide(r->s, r->now, dst, rig_domain(r, dst, domain), kind, &d);
}

/* decide, commit, attach; the pass' tasks are back on queues afterwards */
static int pass(struct rig *r, int dst, const char *domain, enum cpu_idle_type kind)
{
	decide(r, dst, domain, kind);
	balance_commit(r->s, r->now, dst, &d);
	return balance_attach(r->s, r->now + d.cost_ns, dst);
}

static struct task *running(struct rig *r, int cpu, const u64 *allowed)
{
	struct task *p = rig_task(r, cpu, allowed);

	rig_schedule(r, cpu);
	rig_drop_requests(r);
	assert_ptr_equal(sched_current(r->s, cpu), p);
	return p;
}

/* four tasks against none: half of them, longest not run first, last taken attached first */
static void taken_from_the_tail(void **state)
{
	struct rig r;
	struct task *a, *b, *c, *e;
	const struct task *first;

	rig_start(&r, "v6.1", 1, 1, 2, 1);
	a = running(&r, 0, NULL);
	b = rig_task(&r, 0, NULL);
	c = rig_task(&r, 0, NULL);
	e = rig_task(&r, 0, NULL);
	rig_drop_requests(&r);
	r.now += NSEC_PER_MSEC;

	decide(&r, 1, "MC", CPU_IDLE);
	assert_int_equal(d.outcome, BALANCE_MOVED);
	assert_int_equal(d.type, MIGRATE_TASK);
	assert_int_equal(d.imbalance, 2);
	assert_int_equal(d.nr_looks, 3);
	assert_ptr_equal(d.look[0].p, a); /* picked before the others came */
	assert_false(d.look[0].taken);
	assert_ptr_equal(d.look[1].p, b);
	assert_ptr_equal(d.look[2].p, c);
	assert_int_equal(d.cost_ns, 200); /* two CPUs read */
	assert_int_equal(b->cpu, 0);	  /* nothing happened yet */

	balance_commit(r.s, r.now, 1, &d);
	assert_true(b->migrating && c->migrating && !b->on_rq);
	assert_int_equal(b->cpu, 1);
	first = list_first_entry(&cpu_rq(r.s, 1)->walk.held, struct task, list_node);
	assert_ptr_equal(first, c);
	assert_int_equal(balance_attach(r.s, r.now, 1), 2);
	assert_true(b->on_rq && c->on_rq);
	assert_int_equal(e->cpu, 0);
	assert_int_equal(a->cpu, 0);
	rig_check(&r);
	rig_stop(&r);
}

/* spec 06 E1: both tasks of a core on one thread, the core beside it empty, just gone idle */
static void e1_waiting_task_is_moved(void **state)
{
	struct rig r;
	struct task *b;

	rig_start(&r, "v6.6", 1, 1, 8, 2);
	running(&r, 0, NULL);
	b = rig_task(&r, 0, NULL);
	rig_drop_requests(&r);
	r.now += NSEC_PER_MSEC;
	assert_int_equal(pass(&r, 1, "MC", CPU_NEWLY_IDLE), 1);
	assert_int_equal(d.imbalance, 1);
	assert_int_equal(b->cpu, 1);
	r.now += d.cost_ns;
	rig_check(&r);
	rig_stop(&r);
}

/* a new-idle pass takes one task if the kernel may be preempted, else as many as fit */
static void new_idle_takes_one(void **state)
{
	struct rig r;

	rig_start(&r, "v6.1", 1, 1, 2, 1);
	running(&r, 0, NULL);
	for (int i = 0; i < 5; i++)
		rig_task(&r, 0, NULL);
	rig_drop_requests(&r);
	r.now += NSEC_PER_MSEC;
	decide(&r, 1, "MC", CPU_NEWLY_IDLE);
	assert_int_equal(d.nr_taken, 1);
	r.s->host.may_preempt_kernel = false;
	decide(&r, 1, "MC", CPU_NEWLY_IDLE);
	assert_int_equal(d.nr_taken, 3);
	rig_stop(&r);
}

/* spec 06 §8: refused for the destination, taken for its sibling */
static void sibling_takes_what_is_pinned(void **state)
{
	struct rig r;
	struct task *b, *c;
	u64 only_0_3 = 1 << 0 | 1 << 3;

	rig_start(&r, "v6.1", 1, 1, 2, 2); /* cores {0,2} and {1,3} */
	running(&r, 0, NULL);
	b = rig_task(&r, 0, &only_0_3);
	c = rig_task(&r, 0, &only_0_3);
	rig_drop_requests(&r);
	r.now += NSEC_PER_MSEC;
	decide(&r, 1, "MC", CPU_IDLE);
	assert_int_equal(d.imbalance, 1);
	assert_int_equal(d.nr_taken, 1);
	assert_int_equal(d.nr_looks, 5); /* the running one, b, c; the same for CPU 3 */
	assert_ptr_equal(d.look[1].p, b);
	assert_ptr_equal(d.look[2].p, c);
	assert_false(d.look[0].taken || d.look[1].taken || d.look[2].taken || d.look[3].taken);
	assert_ptr_equal(d.look[4].p, b);
	assert_int_equal(d.look[4].dst, 3);
	assert_true(d.look[4].taken);

	/* new-idle passes pull for the CPU itself only */
	decide(&r, 1, "MC", CPU_NEWLY_IDLE);
	assert_int_equal(d.nr_taken, 0);
	rig_stop(&r);
}

/* refused tasks go to the head, so that the next pass begins with others */
static void refused_tasks_rotate(void **state)
{
	struct rig r;
	struct task *b, *c;
	u64 only_0 = 1;

	rig_start(&r, "v6.1", 1, 2, 2, 1);
	running(&r, 0, NULL);
	b = rig_task(&r, 0, &only_0);
	c = rig_task(&r, 0, NULL);
	rig_drop_requests(&r);
	r.now += NSEC_PER_MSEC;
	assert_int_equal(pass(&r, 1, "MC", CPU_IDLE), 1);
	assert_int_equal(c->cpu, 1);
	assert_ptr_equal(list_first_entry(&cpu_rq(r.s, 0)->cfs_tasks, struct task, rq_node), b);
	rig_stop(&r);
}

/* every task of the first choice is pinned: the pass goes on with the next CPU */
static void all_pinned_tries_another(void **state)
{
	struct rig r;
	u64 only_0 = 1;

	rig_start(&r, "v6.1", 1, 1, 4, 1);
	running(&r, 0, &only_0);
	rig_task(&r, 0, &only_0);
	running(&r, 2, NULL);
	rig_task(&r, 2, NULL);
	rig_drop_requests(&r);
	r.now += NSEC_PER_MSEC;
	decide(&r, 1, "MC", CPU_IDLE); /* visits CPUs 1, 2, 3, 0: the first of equals is CPU 2 */
	assert_int_equal(d.src, 2);
	decide(&r, 3, "MC", CPU_NEWLY_IDLE); /* 3, 0, 1, 2 */
	assert_int_equal(d.outcome, BALANCE_MOVED);
	assert_int_equal(d.src, 2);
	assert_int_equal(d.look[0].p->cpu, 0);
	assert_false(d.look[0].taken);
	assert_true(d.look[d.nr_looks - 1].taken);
	rig_stop(&r);
}

/* nothing but pinned tasks: the interval doubles beyond max_interval, to 512 ms */
static void pinned_interval(void **state)
{
	struct rig r;
	struct sched_domain *sd;
	u64 only_0 = 1;

	rig_start(&r, "v6.1", 1, 1, 4, 1);
	sd = rig_domain(&r, 1, "MC");
	assert_int_equal(sd->balance_interval, 4);
	assert_int_equal(sd->max_interval, 8);
	pass(&r, 1, "MC", CPU_IDLE); /* nothing runs */
	pass(&r, 1, "MC", CPU_IDLE);
	pass(&r, 1, "MC", CPU_IDLE);
	assert_int_equal(sd->balance_interval, 8);
	running(&r, 0, &only_0);
	rig_task(&r, 0, &only_0);
	rig_drop_requests(&r);
	r.now += NSEC_PER_MSEC;
	for (int i = 0; i < 10; i++)
		assert_int_equal(pass(&r, 1, "MC", CPU_IDLE), 0);
	assert_int_equal(sd->balance_interval, 512);
	assert_int_equal(sd->nr_balance_failed, 0);
	rig_stop(&r);
}

/* spec 06 §2.3: pinned tasks stay and an imbalance is left: the parent is told */
static void parent_is_told(void **state)
{
	struct rig r;
	struct sched_domain *sd;
	u64 only_0 = 1;

	rig_start(&r, "v6.1", 1, 2, 2, 1);
	running(&r, 0, NULL);
	rig_task(&r, 0, &only_0);
	rig_drop_requests(&r);
	r.now += NSEC_PER_MSEC;
	sd = rig_domain(&r, 1, "MC");
	assert_int_equal(pass(&r, 1, "MC", CPU_IDLE), 0);
	assert_int_equal(d.outcome, BALANCE_FAILED);
	assert_true(sd->parent->groups->sgc->imbalance);
	/* seen from the other LLC that group is imbalanced now */
	decide(&r, 2, "DIE", CPU_IDLE);
	assert_int_equal(d.busiest_type, GROUP_IMBALANCED);
	assert_int_equal(d.imbalance, 1);
	/* a balanced pass forgets it */
	pass(&r, 3, "MC", CPU_NEWLY_IDLE);
	assert_true(sd->parent->groups->sgc->imbalance);
	sched_set_affinity(r.s, r.now, sched_current(r.s, 0), &only_0);
	sched_block(r.s, r.now, 0, false);
	pass(&r, 1, "MC", CPU_IDLE);
	assert_int_equal(d.outcome, BALANCE_NO_GROUP);
	assert_false(sd->parent->groups->sgc->imbalance);
	rig_stop(&r);
}

/* spec 06 §8: what ran in the last 0.5 ms stays until the pass has failed often enough */
static void hot_tasks_stay(void **state)
{
	struct rig r;
	struct task *b;
	struct sched_domain *sd;

	rig_start(&r, "v6.1", 1, 1, 2, 1);
	running(&r, 0, NULL);
	b = rig_task(&r, 0, NULL);
	rig_drop_requests(&r);
	sd = rig_domain(&r, 1, "MC");
	b->se.exec_start = cpu_rq(r.s, 0)->clock_task;
	r.now += 499999;
	assert_int_equal(sd->cache_nice_tries, 1);
	for (int failed = 0; failed < 2; failed++) {
		assert_int_equal(sd->nr_balance_failed, failed);
		assert_int_equal(pass(&r, 1, "MC", CPU_IDLE), 0);
	}
	decide(&r, 1, "MC", CPU_IDLE);
	assert_int_equal(d.nr_taken, 1);
	assert_int_equal(d.lb.hot_gained, 1);
	sd->nr_balance_failed = 0;
	r.now += 1;
	decide(&r, 1, "MC", CPU_IDLE);
	assert_int_equal(d.nr_taken, 1);
	assert_int_equal(d.lb.hot_gained, 0);
	rig_stop(&r);
}

/* spec 06 E1: two siblings with a task each; only a push helps, at the fourth failed IDLE pass */
static void e1_push_after_four(void **state)
{
	static const struct {
		const char *kernel;
		int failed_after;
	} rows[] = {{"v5.10", 2}, {"v5.17", 4}, {"v6.6", 4}, {"v7.3", 4}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig r;
		struct sched_domain *sd;
		struct sched_out out;

		rig_start(&r, rows[i].kernel, 1, 1, 2, 2);
		running(&r, 0, NULL);
		running(&r, 2, NULL);
		r.now += NSEC_PER_MSEC;
		sd = rig_domain(&r, 1, "MC");
		for (int n = 1; n <= 4; n++) {
			for (int k = 0; k < 3; k++)
				pass(&r, 1, "MC", CPU_NEWLY_IDLE); /* doesn't count */
			assert_int_equal(sd->nr_balance_failed, n - 1);
			pass(&r, 1, "MC", CPU_IDLE);
			assert_int_equal(d.outcome, BALANCE_FAILED);
			assert_int_equal(d.active_src >= 0, n == 4);
		}
		assert_int_equal(sd->nr_balance_failed, rows[i].failed_after);
		assert_true(sched_next_out(r.s, &out));
		assert_int_equal(out.kind, OUT_ACTIVE_BALANCE);
		assert_int_equal(out.cpu, d.src);
		rig_push(&r, out.cpu);
		assert_int_equal(r.pushed, 1);
		assert_int_equal(cpu_rq(r.s, 1)->nr_running, 1);
		assert_int_equal(cpu_rq(r.s, d.src)->nr_running, 0);
		assert_int_equal(sd->nr_balance_failed, 0);
		assert_int_equal(sd->alb_pushed, 1);
		rig_drop_requests(&r);
		rig_check(&r);
		rig_stop(&r);
	}
}

/* the running task may not come: no push, and the interval backs off */
static void push_needs_affinity(void **state)
{
	struct rig r;
	struct sched_domain *sd;
	u64 core_0 = 1 << 0 | 1 << 2;

	rig_start(&r, "v6.1", 1, 1, 2, 2);
	running(&r, 0, &core_0);
	running(&r, 2, &core_0);
	sd = rig_domain(&r, 1, "MC");
	sd->nr_balance_failed = 7;
	pass(&r, 1, "MC", CPU_IDLE);
	assert_int_equal(d.active_src, -1);
	assert_int_equal(sd->nr_balance_failed, 8);
	assert_int_equal(sd->balance_interval, 8);
	rig_stop(&r);
}

/* spec 06 §3 */
static void who_may_balance(void **state)
{
	struct rig r;

	/* LLCs {0,1,4,5} and {2,3,6,7}; 4 is busy, so core 0 is half idle */
	rig_start(&r, "v6.1", 1, 2, 2, 2);
	running(&r, 4, NULL);
	running(&r, 2, NULL);
	decide(&r, 0, "DIE", CPU_IDLE);
	assert_int_not_equal(d.outcome, BALANCE_NOT_ALLOWED);
	decide(&r, 1, "DIE", CPU_IDLE);
	assert_int_equal(d.outcome, BALANCE_NOT_ALLOWED);
	decide(&r, 1, "DIE", CPU_NEWLY_IDLE);
	assert_int_not_equal(d.outcome, BALANCE_NOT_ALLOWED);
	cpu_rq(r.s, 1)->ttwu_pending = true;
	decide(&r, 1, "DIE", CPU_NEWLY_IDLE);
	assert_int_equal(d.outcome, BALANCE_NOT_ALLOWED);
	rig_stop(&r);

	rig_start(&r, "v6.6", 1, 2, 2, 2);
	running(&r, 4, NULL);
	decide(&r, 0, "DIE", CPU_IDLE);
	assert_int_equal(d.outcome, BALANCE_NOT_ALLOWED);
	decide(&r, 1, "DIE", CPU_IDLE); /* the first whose core is idle */
	assert_int_not_equal(d.outcome, BALANCE_NOT_ALLOWED);
	running(&r, 1, NULL); /* no core is idle: the first idle one */
	decide(&r, 0, "DIE", CPU_IDLE);
	assert_int_not_equal(d.outcome, BALANCE_NOT_ALLOWED);
	running(&r, 0, NULL);
	running(&r, 5, NULL); /* nobody is idle: the group's first CPU */
	decide(&r, 0, "DIE", CPU_NOT_IDLE);
	assert_int_not_equal(d.outcome, BALANCE_NOT_ALLOWED);
	decide(&r, 1, "DIE", CPU_NOT_IDLE);
	assert_int_equal(d.outcome, BALANCE_NOT_ALLOWED);
	rig_stop(&r);
}

/* overload is cleared by a pass of the top domain and by nothing else; spec 06 §11.2 */
static void overload_flag(void **state)
{
	struct rig r;
	struct task *b;

	rig_start(&r, "v6.1", 2, 1, 2, 1);
	running(&r, 0, NULL);
	assert_false(r.s->rd[0].overload);
	b = rig_task(&r, 0, NULL);
	rig_drop_requests(&r);
	assert_true(r.s->rd[0].overload);
	decide(&r, 2, "NUMA", CPU_IDLE);
	assert_int_equal(d.overload, 1);
	r.now += NSEC_PER_MSEC;
	assert_int_equal(pass(&r, 1, "MC", CPU_IDLE), 1);
	assert_int_equal(b->cpu, 1);
	assert_int_equal(d.overload, -1);
	assert_true(r.s->rd[0].overload);
	pass(&r, 2, "NUMA", CPU_IDLE);
	assert_false(r.s->rd[0].overload);
	rig_stop(&r);
}

/* spec 06 §9: set by the pass over the LLC's span, not by new-idle ones */
static void idle_scan_feedback(void **state)
{
	struct rig r;
	struct llc *llc;

	rig_start(&r, "v6.1", 1, 2, 8, 1);
	llc = cpu_rq(r.s, 0)->llc;
	llc->nr_idle_scan = 77;
	pass(&r, 0, "MC", CPU_NEWLY_IDLE);
	pass(&r, 0, "DIE", CPU_IDLE);
	assert_int_equal(llc->nr_idle_scan, 77);
	pass(&r, 0, "MC", CPU_IDLE);
	assert_int_equal(llc->nr_idle_scan, 8);
	/* half of the LLC's capacity in use: 674·8/1024 */
	for (int c = 1; c < 5; c++) {
		running(&r, c, NULL);
		cpu_rq(r.s, c)->cfs.avg.util_avg = 1024;
		cpu_rq(r.s, c)->cfs.util_est = 0;
	}
	pass(&r, 0, "MC", CPU_IDLE);
	assert_int_equal(llc->nr_idle_scan, 5);
	rig_stop(&r);

	rig_start(&r, "v5.18", 1, 2, 8, 1);
	llc = cpu_rq(r.s, 0)->llc;
	llc->nr_idle_scan = 77;
	pass(&r, 0, "MC", CPU_IDLE);
	assert_int_equal(llc->nr_idle_scan, 77);
	rig_stop(&r);
}

/* spec 16 §10.2 against ≤6.12: what a taken SERIALIZE lock does to a pass */
static void serialize_inside_the_pass(void **state)
{
	struct rig r;
	struct sched_domain *sd;

	rig_start(&r, "v7.3", 2, 1, 2, 1);
	running(&r, 2, NULL);
	rig_task(&r, 2, NULL);
	r.s->serialize_locked = true;
	sd = rig_domain(&r, 0, "NUMA");
	sd->nr_balance_failed = 3;
	pass(&r, 0, "NUMA", CPU_NEWLY_IDLE);
	assert_int_equal(d.outcome, BALANCE_LOCK_BUSY);
	assert_int_equal(sd->balance_interval, 4);
	assert_int_equal(sd->nr_balance_failed, 0);
	pass(&r, 0, "NUMA", CPU_IDLE);
	assert_int_equal(sd->balance_interval, 8);
	assert_int_equal(sd->lb[CPU_IDLE].balanced, 1);
	rig_stop(&r);

	rig_start(&r, "v6.12", 2, 1, 2, 1);
	r.s->serialize_locked = true;
	decide(&r, 0, "NUMA", CPU_NEWLY_IDLE);
	assert_int_not_equal(d.outcome, BALANCE_LOCK_BUSY);
	rig_stop(&r);
}

/* spec 06 §5 – §9 on mixed capacity: a task too big for its CPU is pushed to a bigger one */
static void misfit(void **state)
{
	static const struct {
		const char *kernel;
		int failed_after;
		u64 interval_after_vain_pass;
	} rows[] = {{"v6.1", 1, 8}, {"v6.12", 0, 4}, {"v7.3", 0, 4}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct rig r;
		struct sched_domain *sd;
		struct task *p;
		struct sched_out out;
		u64 little = 0x3;

		rig_start_mixed(&r, rows[i].kernel, 1, 1, 4, 1, 2);
		p = running(&r, 0, NULL);
		sd = rig_domain(&r, 2, "MC");
		assert_true(sd->flags & SD_ASYM_CPUCAPACITY_FULL);
		cpu_rq(r.s, 0)->misfit_task_load = 600;

		/* not from a CPU of the same size */
		decide(&r, 1, "MC", CPU_IDLE);
		assert_int_equal(d.outcome, BALANCE_NO_GROUP);

		pass(&r, 2, "MC", CPU_IDLE);
		assert_int_equal(d.busiest_type, GROUP_MISFIT_TASK);
		assert_int_equal(d.type, MIGRATE_MISFIT);
		assert_int_equal(d.imbalance, 1);
		assert_int_equal(d.overload, 1);
		assert_int_equal(d.active_src, 0);
		assert_int_equal(sd->nr_balance_failed, rows[i].failed_after);
		while (sched_next_out(r.s, &out) && out.kind != OUT_ACTIVE_BALANCE)
			;
		rig_push(&r, 0);
		assert_int_equal(p->cpu, 2);
		rig_drop_requests(&r);
		rig_stop(&r);

		/* it may not come: the interval backs off where misfit passes count */
		rig_start_mixed(&r, rows[i].kernel, 1, 1, 4, 1, 2);
		running(&r, 0, &little);
		cpu_rq(r.s, 0)->misfit_task_load = 600;
		sd = rig_domain(&r, 2, "MC");
		pass(&r, 2, "MC", CPU_IDLE);
		assert_int_equal(d.outcome, BALANCE_FAILED);
		assert_int_equal(d.active_src, -1);
		assert_int_equal(sd->balance_interval, rows[i].interval_after_vain_pass);
		rig_stop(&r);
	}
}

/* a bigger CPU with a single task has nothing for a smaller one */
static void little_leaves_big_alone(void **state)
{
	static const char *const kernels[] = {"v5.10", "v6.1", "v6.1.192", "v6.12", "v7.3"};

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct rig r;

		rig_start_mixed(&r, kernels[i], 1, 1, 4, 1, 2);
		running(&r, 2, NULL);
		cpu_rq(r.s, 2)->nr_running++; /* a second one, of another class */
		decide(&r, 0, "MC", CPU_IDLE);
		assert_int_equal(d.nr_taken, 0);
		assert_int_equal(d.active_src, -1);
		cpu_rq(r.s, 2)->nr_running--;
		rig_stop(&r);
	}
}

/* what interrupts or realtime left of a CPU is too little: its only task is pushed */
static void reduced_capacity_push(void **state)
{
	struct rig r;
	struct sched_domain *sd;
	struct rq *rq;

	rig_start(&r, "v6.1", 1, 1, 2, 1);
	running(&r, 0, NULL);
	rq = cpu_rq(r.s, 0);
	rq->cfs.avg.load_avg = 1024;
	sd = rig_domain(&r, 1, "MC");
	rq->cpu_capacity = 876; /* 876 · 117 > 102400 */
	decide(&r, 1, "MC", CPU_IDLE);
	assert_int_equal(d.outcome, BALANCE_NO_GROUP);
	rq->cpu_capacity = 875;
	decide(&r, 1, "MC", CPU_IDLE);
	assert_int_equal(d.busiest_type, GROUP_MISFIT_TASK);
	assert_int_equal(d.type, MIGRATE_LOAD);
	assert_int_equal(d.imbalance, 1024);
	assert_int_equal(d.active_src, 0);
	decide(&r, 1, "MC", CPU_NOT_IDLE);
	assert_int_equal(d.active_src, -1);
	assert_int_equal(sd->imbalance_pct, 117);
	rig_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken_from_the_tail),
		cmocka_unit_test(e1_waiting_task_is_moved),
		cmocka_unit_test(new_idle_takes_one),
		cmocka_unit_test(sibling_takes_what_is_pinned),
		cmocka_unit_test(refused_tasks_rotate),
		cmocka_unit_test(all_pinned_tries_another),
		cmocka_unit_test(pinned_interval),
		cmocka_unit_test(parent_is_told),
		cmocka_unit_test(hot_tasks_stay),
		cmocka_unit_test(e1_push_after_four),
		cmocka_unit_test(push_needs_affinity),
		cmocka_unit_test(who_may_balance),
		cmocka_unit_test(overload_flag),
		cmocka_unit_test(idle_scan_feedback),
		cmocka_unit_test(serialize_inside_the_pass),
		cmocka_unit_test(misfit),
		cmocka_unit_test(little_leaves_big_alone),
		cmocka_unit_test(reduced_capacity_push),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
