// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the core does at each event, and when others see it (spec 14).
 */
#include <errno.h>

#include "rig.h"

/* one LLC of 8 cores, no SMT, and a second one */
static const struct rig_machine flat = RIG_MACHINE(1, 1, 2, 1, 8, 1);
/* one LLC of 4 cores, SMT2: siblings are 4 apart */
static const struct rig_machine smt = RIG_MACHINE(1, 1, 1, 1, 4, 2);

/* an ordinary wake-up of @p by @cpu, carried out at once */
static struct wake_decision wake(struct rig *r, int cpu, struct task *p, bool sync)
{
	struct wake_query q = {.cpu = cpu, .p = p, .sync = sync, .in_task = true};
	struct wake_decision d;

	sched_wake_decide(r->s, r->now, &q, &d);
	sched_wake_commit(r->s, r->now, &q, &d, d.target);
	if (d.path == WAKE_DIRECT)
		sched_activate(r->s, r->now, cpu, p);
	else if (d.path == WAKE_LIST || d.path == WAKE_ON_CPU_LIST)
		sched_wake_list_add(r->s, r->now, cpu, p);
	else if (d.path == WAKE_QUEUED)
		sched_wake_queued(r->s, r->now, cpu, p);
	rig_check(r, "wake");
	return d;
}

/* ---- §2.3: a CPU is idle for searchers only after the switch to idle ---- */

static void idle_after_the_switch(void **state)
{
	struct task *p, *next;
	struct rig r;

	rig_new(&r, &smt, "v6.1");
	rig_boot(&r, 1);
	p = rig_start(&r, 2, NULL);
	assert_false(sched_cpu_idle(r.s, 2));
	assert_true(sched_task_on_cpu(p));
	sched_block(r.s, r.now, 2, false);
	assert_int_equal(sched_nr_running(r.s, 2), 0);
	assert_false(sched_cpu_idle(r.s, 2)); /* it blocks: neither idle nor loaded */
	assert_false(sched_pick(r.s, r.now, 2, true, &next));
	assert_false(sched_cpu_idle(r.s, 2)); /* …a new-idle pass */
	assert_true(sched_pick(r.s, r.now, 2, false, &next));
	assert_null(next);
	assert_false(sched_cpu_idle(r.s, 2)); /* …switches */
	assert_true(sched_task_on_cpu(p));
	sched_switch_done(r.s, r.now, 2, p);
	assert_true(sched_cpu_idle(r.s, 2));
	assert_false(sched_task_on_cpu(p));
	assert_true(mask_test(sched_idle_mask(r.s), 2));
	rig_check(&r, "idle");
	rig_free(&r);
}

static void idle_cores(void **state)
{
	struct task *p;
	struct rig r;
	struct llc *llc;

	rig_new(&r, &smt, "v6.1");
	rig_boot(&r, 1);
	llc = r.s->rq[2].llc;
	assert_true(llc->has_idle_cores);
	assert_int_equal(llc->nr_idle_scan, 8);
	assert_int_equal(llc->nr_busy_cpus, 0);
	rig_start(&r, 2, NULL);
	rig_start(&r, 6, NULL); /* the sibling */
	llc->has_idle_cores = false;
	assert_false(mask_test(llc->idle_core, 2));
	rig_sleep(&r, 2);
	assert_false(llc->has_idle_cores); /* the sibling still runs */
	rig_sleep(&r, 6);
	assert_true(llc->has_idle_cores);
	assert_true(mask_test(llc->idle_core, 2) && mask_test(llc->idle_core, 6));
	rig_check(&r, "cores");
	/* only the siblings are asked: with a wake-up pending a CPU goes idle, too */
	p = rig_start(&r, 2, NULL);
	llc->has_idle_cores = false;
	sched_block(r.s, r.now, 2, false);
	assert_int_equal(wake(&r, 0, p, false).path, WAKE_ON_CPU_LIST);
	assert_null(rig_schedule(&r, 2));
	assert_false(mask_test(llc->idle_core, 2));
	assert_true(llc->has_idle_cores);
	rig_free(&r);
}

/* ---- §2, the example: LLC with CPUs 4 and 6 idle, target 5, wakers on 0 and 1 ---- */

static void two_wakers(void **state)
{
	static const struct {
		const char *kernel;
		enum wake_path path;
		int second;
	} row[] = {{"v6.1,NO_WA_WEIGHT", WAKE_LIST, 4}, {"v5.18,NO_WA_WEIGHT", WAKE_DIRECT, 6}};

	for (int i = 0; i < 2; i++) {
		struct task *a, *b;
		struct wake_query qa, qb;
		struct wake_decision da, db;
		struct rig r;

		rig_new(&r, &flat, row[i].kernel);
		rig_boot(&r, 1);
		a = rig_start(&r, 5, NULL);
		rig_sleep(&r, 5);
		b = rig_start(&r, 5, NULL);
		rig_sleep(&r, 5);
		for (int c = 0; c < 8; c++)
			if (c != 4 && c != 6)
				rig_start(&r, c, NULL);
		qa = (struct wake_query){.cpu = 0, .p = a};
		qb = (struct wake_query){.cpu = 1, .p = b};
		a->recent_used_cpu = b->recent_used_cpu = 5;
		sched_wake_decide(r.s, r.now, &qa, &da);
		assert_int_equal(da.path, row[i].path);
		assert_int_equal(da.target, 6);
		sched_wake_commit(r.s, r.now, &qa, &da, da.target);
		if (da.path == WAKE_LIST) /* pending is set right after the selection */
			assert_true(sched_wake_list_add(r.s, r.now + 150, 0, a));
		sched_wake_decide(r.s, r.now + 250, &qb, &db);
		assert_int_equal(db.target, row[i].second);
		rig_free(&r);
	}
}

/* ---- §1, the test: blocker alone on CPU 3, woken while it is still on the CPU ---- */

static void woken_while_switching_out(void **state)
{
	static const struct {
		const char *kernel;
		int others;
		enum wake_path near, far;
	} row[] = {
		{"v5.18", 0, WAKE_ON_CPU_LIST, WAKE_ON_CPU_LIST},
		{"v5.18", 1, WAKE_ON_CPU_LIST, WAKE_ON_CPU_LIST},
		{"v5.18", 2, WAKE_SPIN, WAKE_ON_CPU_LIST},
		{"v6.1", 0, WAKE_ON_CPU_LIST, WAKE_ON_CPU_LIST},
		{"v6.1", 1, WAKE_SPIN, WAKE_ON_CPU_LIST},
		{"v5.7", 0, WAKE_SPIN, WAKE_SPIN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct wake_decision d;
		struct wake_query q;
		struct task *b, *next;
		struct rig r;

		rig_new(&r, &flat, row[i].kernel);
		rig_boot(&r, 1);
		b = rig_start(&r, 3, NULL);
		for (int n = 0; n < row[i].others; n++) {
			struct task *p = rig_task(&r, NULL);
			struct fork_decision fd = {.target = 3};

			sched_fork_commit(r.s, r.now, 3, p, &fd, 3);
			sched_activate_new(r.s, r.now, 3, p);
			rig_drain(&r);
		}
		rig_start(&r, 5, NULL);
		rig_start(&r, 8, NULL);
		sched_block(r.s, r.now, 3, false);
		q = (struct wake_query){.cpu = 8, .p = b, .in_task = true};
		sched_wake_decide(r.s, r.now, &q, &d);
		assert_int_equal(d.path, row[i].far);
		q.cpu = 5;
		sched_wake_decide(r.s, r.now, &q, &d);
		assert_int_equal(d.path, row[i].near);
		sched_wake_commit(r.s, r.now, &q, &d, d.target);
		if (d.path == WAKE_ON_CPU_LIST) { /* it goes on where it was */
			sched_wake_list_add(r.s, r.now, 5, b);
			assert_true(sched_pick(r.s, r.now, 3, true, &next)); /* pending: no walk */
			sched_switch_done(r.s, r.now, 3, b);
			assert_false(sched_cpu_idle(r.s, 3));
			assert_int_equal(sched_wake_list_run(r.s, r.now, 3), 1);
			assert_int_equal(sched_task_cpu(b), 3);
			assert_true(sched_task_queued(b));
		} else { /* spun until it left, then an ordinary selection */
			rig_schedule(&r, 3);
			sched_wake_decide(r.s, r.now, &q, &d);
			assert_true(d.path == WAKE_DIRECT || d.path == WAKE_LIST);
		}
		rig_check(&r, "on_cpu");
		rig_free(&r);
	}
}

/* ---- wake lists ---- */

static void wake_list_is_fifo(void **state)
{
	struct task *p[3];
	struct rig r;

	rig_new(&r, &flat, "v6.1");
	rig_boot(&r, 1);
	for (int i = 0; i < 3; i++) {
		p[i] = rig_start(&r, 9, NULL);
		rig_sleep(&r, 9);
	}
	for (int i = 0; i < 3; i++) { /* by a CPU of the other LLC */
		struct wake_query q = {.cpu = 0, .p = p[i], .sync = true};
		struct wake_decision d;

		sched_wake_decide(r.s, r.now, &q, &d);
		d.path = WAKE_LIST;
		sched_wake_commit(r.s, r.now, &q, &d, 9);
		assert_int_equal(sched_wake_list_add(r.s, r.now, 0, p[i]), i == 0);
		assert_false(sched_cpu_idle(r.s, 9));
		rig_check(&r, "pending");
	}
	assert_int_equal(sched_wake_list_run(r.s, r.now, 9), 3);
	for (int i = 0; i < 3; i++) {
		assert_true(sched_task_queued(p[i]));
		assert_int_equal(p[i]->wake_flags & WF_SYNC, 0); /* the list carries no hint */
	}
	assert_ptr_equal(list_last_entry(&r.s->rq[9].cfs_tasks, struct task, rq_node), p[0]);
	rig_check(&r, "activated");
	rig_free(&r);
}

static void awake_already(void **state)
{
	struct wake_query q = {.cpu = 0};
	struct wake_decision d;
	struct rig r;

	rig_new(&r, &flat, "v6.1");
	rig_boot(&r, 1);
	q.p = rig_start(&r, 0, NULL);
	sched_wake_decide(r.s, r.now, &q, &d);
	assert_int_equal(d.path, WAKE_CURRENT);
	rig_free(&r);
}

/* ---- idle stamps and avg_idle (spec 04 §1.9) ---- */

static void avg_idle(void **state)
{
	struct rig r;
	struct rq *rq;
	struct task *p;

	rig_new(&r, &flat, "v6.1");
	rig_boot(&r, 1);
	rq = &r.s->rq[3];
	p = rig_start(&r, 3, NULL);
	assert_int_not_equal(rq->idle_stamp, 0); /* a fork keeps the old stamp */
	r.now += 50000;
	rig_sleep(&r, 3);
	rq->idle_stamp = r.now; /* as a pick with new-idle balancing sets it */
	r.now += 200000;
	wake(&r, 3, p, false);
	assert_int_equal(rq->idle_stamp, 0);
	assert_int_equal(rq->avg_idle, 1000000 + (200000 - 1000000) / 8);
	rig_schedule(&r, 3);
	rig_sleep(&r, 3);
	rq->idle_stamp = r.now;
	r.now += 900 * NSEC_PER_MSEC;
	wake(&r, 3, p, false);
	assert_int_equal(rq->avg_idle, 1000000); /* at most twice max_idle_balance_cost */
	rig_schedule(&r, 3);
	rq->idle_stamp = r.now; /* of a CPU whose task was forked: the stopper's wake-up ends it */
	r.now += 200000;
	sched_stop_begin(r.s, r.now, 3);
	assert_int_equal(rq->idle_stamp, 0);
	assert_int_equal(rq->avg_idle, 1000000 + (200000 - 1000000) / 8);
	rig_free(&r);

	rig_new(&r, &flat, "v7.3"); /* whenever the idle task is switched out */
	rig_boot(&r, 1);
	rq = &r.s->rq[3];
	rq->idle_stamp = r.now;
	r.now += 200000;
	rig_start(&r, 3, NULL);
	assert_int_equal(rq->idle_stamp, 0);
	assert_int_equal(rq->avg_idle, 1000000 + (200000 - 1000000) / 8);
	rig_free(&r);
}

static void stamp_set_before_the_walk(void **state)
{
	struct task *next;
	struct rig r;

	rig_new(&r, &flat, "v6.1");
	rig_boot(&r, 1);
	rig_start(&r, 3, NULL);
	r.now += 12345;
	sched_block(r.s, r.now, 3, false);
	assert_false(sched_pick(r.s, r.now, 3, true, &next));
	assert_int_equal(r.s->rq[3].idle_stamp, r.now);
	r.now += 999;
	assert_true(sched_pick(r.s, r.now, 3, false, &next));
	assert_int_equal(r.s->rq[3].idle_stamp, r.now - 999);
	rig_free(&r);
}

/* ---- boot (§0) ---- */

static void boot(void **state)
{
	struct rig r;

	rig_new(&r, &smt, "v6.12");
	rig_boot(&r, 3);
	for (int c = 0; c < 8; c++) {
		const struct rq *rq = &r.s->rq[c];

		assert_in_range(rq->idle_stamp, r.now - 4 * NSEC_PER_SEC - 1, r.now - 1);
		for (int o = 0; o < c; o++)
			assert_int_not_equal(rq->idle_stamp, r.s->rq[o].idle_stamp);
		assert_int_equal(rq->avg_idle, NSEC_PER_MSEC);
		assert_int_equal(rq->max_idle_balance_cost, 500 * NSEC_PER_USEC);
		assert_true(sched_cpu_idle(r.s, c));
		assert_true(mask_test(r.s->nohz_mask, c));
	}
	assert_false(r.s->rd[0].overload);
	rig_check(&r, "boot");
	rig_free(&r);
}

/* ---- counts, flags, requests ---- */

static void overload_from_one_to_two(void **state)
{
	struct rig r;

	rig_new(&r, &flat, "v6.1");
	rig_boot(&r, 1);
	rig_start(&r, 3, NULL);
	assert_false(r.s->rd[0].overload);
	rig_start(&r, 3, NULL);
	assert_true(r.s->rd[0].overload);
	rig_free(&r);
}

static void resched_is_asked_for_once(void **state)
{
	struct sched_out out;
	struct rig r;
	struct task *p, *q;

	rig_new(&r, &flat, "v6.1");
	rig_boot(&r, 1);
	p = rig_start(&r, 3, NULL);
	q = rig_start(&r, 4, NULL);
	rig_sleep(&r, 3);
	rig_sleep(&r, 4);
	set_task_cpu(r.s, q, 3);
	p->state = q->state = TASK_WAKING;
	sched_activate(r.s, r.now, 5, p);
	sched_activate(r.s, r.now, 5, q);
	assert_true(sched_need_resched(r.s, 3));
	assert_true(sched_next_out(r.s, &out));
	assert_int_equal(out.kind, OUT_RESCHED);
	assert_int_equal(out.cpu, 3);
	assert_int_equal(out.from, 5);
	assert_false(sched_next_out(r.s, &out));
	rig_schedule(&r, 3);
	assert_false(sched_need_resched(r.s, 3));
	rig_check(&r, "resched");
	rig_free(&r);
}

/* lazy until the next tick; an idle CPU always gets the normal flag (spec 16 §6) */
static void lazy_becomes_normal(void **state)
{
	struct sched_out out;
	struct rig r;
	struct rq *rq;

	rig_new(&r, &flat, "v7.3");
	rig_boot(&r, 1);
	rq = &r.s->rq[3];
	resched_curr_lazy(r.s, rq, 4);
	assert_true(sched_need_resched(r.s, 3));
	rig_start(&r, 3, NULL);
	resched_curr_lazy(r.s, rq, 4);
	assert_true(sched_need_resched_lazy(r.s, 3));
	assert_false(sched_need_resched(r.s, 3));
	assert_true(sched_next_out(r.s, &out));
	assert_int_equal(out.kind, OUT_RESCHED_LAZY);
	sched_tick(r.s, r.now, 3);
	assert_true(sched_need_resched(r.s, 3));
	assert_true(sched_next_out(r.s, &out));
	assert_int_equal(out.kind, OUT_RESCHED);
	rig_free(&r);

	rig_new(&r, &flat, "v6.1"); /* no lazy flag before 6.13 */
	rig_boot(&r, 1);
	rig_start(&r, 3, NULL);
	resched_curr_lazy(r.s, &r.s->rq[3], 4);
	assert_true(sched_need_resched(r.s, 3));
	rig_free(&r);
}

/* ---- the stopper ---- */

static void stopper(void **state)
{
	struct task *p;
	struct rig r;

	rig_new(&r, &flat, "v6.1");
	rig_boot(&r, 1);
	p = rig_start(&r, 3, NULL);
	sched_stop_begin(r.s, r.now, 3);
	assert_int_equal(sched_nr_running(r.s, 3), 2); /* the stopper counts */
	assert_false(sched_task_on_cpu(p));
	rig_check(&r, "stopper");
	assert_false(sched_stop_migrate(r.s, r.now, 3, p, 3));
	assert_true(sched_stop_migrate(r.s, r.now, 3, p, 6));
	assert_int_equal(sched_task_cpu(p), 6);
	assert_true(sched_need_resched(r.s, 6));
	sched_stop_end(r.s, r.now, 3);
	rig_check(&r, "moved");
	assert_null(rig_schedule(&r, 3));
	assert_true(sched_cpu_idle(r.s, 3));
	assert_ptr_equal(rig_schedule(&r, 6), p);
	sched_stop_begin(r.s, r.now, 3); /* from idle and back */
	assert_false(sched_cpu_idle(r.s, 3));
	sched_stop_end(r.s, r.now, 3);
	assert_null(rig_schedule(&r, 3));
	assert_true(sched_cpu_idle(r.s, 3));
	rig_check(&r, "end");
	rig_free(&r);
}

/* what a busy CPU's PELT clock lacks is lost as it goes idle, by way of the stopper too */
static void idle_after_the_stopper(void **state)
{
	struct task *p, *next;
	struct rig r;
	struct rq *rq;
	u32 goidle;
	u64 behind;

	rig_new(&r, &flat, "v6.1");
	rig_boot(&r, 1);
	rq = &r.s->rq[3];
	p = rig_start(&r, 3, NULL);
	sched_set_freq_scale(r.s, r.now, 3, 512);
	for (int i = 0; i < 500; i++) {
		r.now += 4 * NSEC_PER_MSEC;
		sched_tick(r.s, r.now, 3);
		rig_drain(&r);
	}
	behind = rq->clock_task - rq->clock_pelt;
	assert_in_range(behind, 999 * NSEC_PER_MSEC, 1001 * NSEC_PER_MSEC);
	goidle = rq->sched_goidle;
	sched_stop_begin(r.s, r.now, 3);
	assert_true(sched_stop_migrate(r.s, r.now, 3, p, 6));
	rq->cfs.avg.util_sum = 1024 * 47742; /* as if the rest of the load were blocked */
	sched_stop_end(r.s, r.now, 3);
	assert_false(sched_pick(r.s, r.now, 3, true, &next));
	r.now += 1000; /* a new-idle pass: the CPU isn't idle yet */
	assert_true(sched_pick(r.s, r.now, 3, false, &next));
	assert_null(next);
	assert_int_equal(rq->sched_goidle, goidle + 1);
	assert_int_equal(rq->lost_idle_time, behind + 500);
	assert_int_equal(rq->clock_pelt, rq->clock_task);
	assert_int_equal(rq->clock_idle, r.now);
	assert_false(sched_cpu_idle(r.s, 3)); /* it switches: neither idle nor loaded */
	sched_switch_done(r.s, r.now, 3, NULL);
	assert_true(sched_cpu_idle(r.s, 3));
	rig_free(&r);
}

/* a sleeper leaves a CPU that missed no decay: its stopper has run, nothing is picked yet */
static void sleeper_leaves_after_the_stopper(void **state)
{
	struct wake_decision d = {.path = WAKE_DIRECT, .target = 6, .new_recent_used = -1};
	struct wake_query q = {.cpu = 6, .in_task = true};
	struct rig r;

	for (int idle = 0; idle < 2; idle++) {
		rig_new(&r, &flat, "v6.1");
		rig_boot(&r, 1);
		q.p = rig_start(&r, 3, NULL);
		rig_sleep(&r, 3);
		q.p->se.avg.util_avg = 1000;
		q.p->se.avg.util_sum = 1000 * 47742;
		q.p->se.avg.last_update_time = r.s->rq[3].cfs.avg.last_update_time;
		if (!idle) {
			sched_stop_begin(r.s, r.now, 3);
			sched_stop_end(r.s, r.now, 3);
		}
		r.now += 32 << 20; /* 32 periods: half of it decays on an idle CPU */
		sched_wake_commit(r.s, r.now, &q, &d, 6);
		assert_in_range(q.p->se.avg.util_avg, idle ? 490 : 1000, idle ? 510 : 1000);
		rig_free(&r);
	}
}

static void affinity_of_a_running_task(void **state)
{
	u64 allowed[1] = {1ULL << 9};
	struct sched_out out;
	struct task *p;
	struct rig r;

	rig_new(&r, &flat, "v6.1");
	rig_boot(&r, 1);
	p = rig_start(&r, 3, NULL);
	assert_int_equal(sched_set_affinity(r.s, r.now, p, allowed), 0);
	assert_true(sched_next_out(r.s, &out));
	assert_int_equal(out.kind, OUT_STOP_MIGRATE);
	assert_int_equal(out.cpu, 3);
	assert_int_equal(out.arg, 9);
	rig_check(&r, "pending");
	sched_stop_begin(r.s, r.now, 3);
	assert_true(sched_stop_migrate(r.s, r.now, 3, out.p, (int)out.arg));
	sched_stop_end(r.s, r.now, 3);
	rig_schedule(&r, 3);
	assert_ptr_equal(rig_schedule(&r, 9), p);
	allowed[0] = 0;
	assert_int_equal(sched_set_affinity(r.s, r.now, p, allowed), -EINVAL);
	rig_check(&r, "moved");
	rig_free(&r);
}

/* a sleeper's new set counts when it wakes; one on a wake list is fetched from there */
static void affinity_of_a_waking_task(void **state)
{
	u64 allowed[1] = {1ULL << 2};
	struct wake_query q = {.cpu = 0};
	struct wake_decision d;
	struct sched_out out;
	struct rig r;

	rig_new(&r, &flat, "v6.1");
	rig_boot(&r, 1);
	q.p = rig_start(&r, 9, NULL);
	rig_sleep(&r, 9);
	rig_start(&r, 0, NULL);
	sched_wake_decide(r.s, r.now, &q, &d);
	assert_int_equal(d.path, WAKE_LIST);
	assert_int_equal(d.target, 9);
	sched_wake_commit(r.s, r.now, &q, &d, 9);
	sched_wake_list_add(r.s, r.now, 0, q.p);
	assert_int_equal(sched_set_affinity(r.s, r.now, q.p, allowed), 0);
	sched_wake_list_run(r.s, r.now, 9);
	rig_check(&r, "enqueued where it may not");
	while (sched_next_out(r.s, &out) && out.kind != OUT_STOP_MIGRATE)
		;
	assert_int_equal(out.kind, OUT_STOP_MIGRATE);
	assert_int_equal(out.arg, 2);
	rig_free(&r);
}

/* ---- attributes ---- */

static void attributes(void **state)
{
	static const char *const kernel[] = {"v6.1", "v6.6", "v6.12", "v7.3"};

	for (size_t k = 0; k < ARRAY_SIZE(kernel); k++) {
		struct task *p, *q, *sleeper;
		struct err err = {0};
		struct task_group *g;
		struct rig r;

		rig_new(&r, &flat, kernel[k]);
		rig_boot(&r, 1);
		p = rig_start(&r, 3, NULL);
		q = rig_start(&r, 3, NULL);
		sleeper = rig_start(&r, 4, NULL);
		rig_sleep(&r, 4);
		g = sched_group_new(r.s, NULL, 512, &err);
		assert_non_null(g);
		r.now += NSEC_PER_MSEC;
		sched_set_nice(r.s, r.now, p, POLICY_NORMAL, 5);
		rig_check(&r, "nice");
		sched_set_nice(r.s, r.now, q, POLICY_IDLE, 0);
		rig_check(&r, "idle policy");
		sched_set_nice(r.s, r.now, p, POLICY_IDLE, 0);
		rig_check(&r, "both idle");
		assert_int_equal(r.s->nr_sched_idle, 1);
		sched_set_nice(r.s, r.now, sleeper, POLICY_BATCH, -3);
		r.now += NSEC_PER_MSEC;
		sched_set_group(r.s, r.now, p, g);
		rig_check(&r, "group");
		sched_set_group(r.s, r.now, q, g);
		sched_set_group(r.s, r.now, sleeper, g);
		rig_check(&r, "groups");
		sched_set_slice(r.s, r.now, p, NSEC_PER_MSEC);
		rig_check(&r, "slice");
		wake(&r, 3, sleeper, false);
		r.now += NSEC_PER_MSEC;
		sched_yield_task(r.s, r.now, 3);
		rig_schedule(&r, 3);
		rig_check(&r, "yield");
		rig_free(&r);
	}
}

static void bad_shares(void **state)
{
	struct err err = {0};
	struct rig r;

	rig_new(&r, &flat, "v6.1");
	assert_null(sched_group_new(r.s, NULL, 1, &err));
	assert_string_equal(err.msg,
			    "group shares 1: allowed are 2 to 262144 (1024 is cpu.weight 100)");
	rig_free(&r);
}

/* slots are recycled: many tasks one after the other take one chunk */
/* What ran before the run left some utilisation, other for each seed; it decays (spec 14 §0). */
static void utilisation_at_boot(void **state)
{
	u64 sum[2] = {0};

	for (int seed = 0; seed < 2; seed++) {
		struct rig r;

		rig_new(&r, &flat, "v6.1");
		rig_boot(&r, seed + 1);
		for (int c = 0; c < r.s->nr_cpus; c++) {
			assert_in_range(cpu_rq(r.s, c)->cfs.avg.util_avg, 0, 20);
			sum[seed] = sum[seed] * 21 + cpu_rq(r.s, c)->cfs.avg.util_avg;
		}
		rig_check(&r, "boot");
		r.now += 500 * NSEC_PER_MSEC;
		for (int c = 0; c < r.s->nr_cpus; c++) {
			update_rq_clock(r.s, cpu_rq(r.s, c), r.now);
			assert_false(update_blocked_averages(r.s, cpu_rq(r.s, c)));
		}
		rig_check(&r, "decayed");
		rig_free(&r);
	}
	assert_true(sum[0] && sum[0] != sum[1]);
}

/* A task that slept since boot is woken where it ran, and preempts who has run for a while. */
static void asleep_since_boot(void **state)
{
	static const char *const kernels[] = {"v5.7", "v6.1", "v6.12", "v7.3"};

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct task *p, *hog;
		struct rig r;

		rig_new(&r, &flat, kernels[i]);
		rig_boot(&r, 1);
		p = rig_task(&r, NULL);
		sched_task_asleep(r.s, p, 3);
		rig_check(&r, "asleep");
		assert_int_equal(sched_task_cpu(p), 3);
		assert_int_equal(sched_task_util(p), 0);
		hog = rig_start(&r, 5, NULL);
		assert_int_equal(wake(&r, 5, p, false).target, 3);
		sched_wake_list_run(r.s, r.now, 3);
		assert_true(sched_task_queued(p));
		/* the same beside a hog, with nowhere else to go */
		p = rig_task(&r, &(u64){1 << 5});
		sched_task_asleep(r.s, p, 5);
		for (int t = 0; t < 5; t++) {
			r.now += 4 * NSEC_PER_MSEC;
			sched_tick(r.s, r.now, 5);
		}
		wake(&r, 5, p, false);
		assert_ptr_equal(sched_current(r.s, 5), hog);
		assert_ptr_equal(sched_pick_peek(r.s, r.now, 5), p);
		assert_true(sched_need_resched(r.s, 5) || sched_need_resched_lazy(r.s, 5));
		rig_check(&r, "woken");
		rig_free(&r);
	}
}

static void tasks_are_recycled(void **state)
{
	struct task *first;
	struct rig r;

	rig_new(&r, &flat, "v6.1");
	rig_boot(&r, 1);
	first = rig_start(&r, 3, NULL);
	sched_block(r.s, r.now, 3, true);
	rig_schedule(&r, 3);
	sched_task_free(r.s, first);
	for (int i = 0; i < 1000; i++) {
		struct task *p = rig_start(&r, 3, NULL);

		assert_ptr_equal(p, first);
		assert_int_equal(p->wakee_flips, 0);
		sched_block(r.s, r.now, 3, true);
		rig_schedule(&r, 3);
		sched_task_free(r.s, p);
	}
	assert_int_equal(r.s->nr_tasks, 0);
	rig_check(&r, "recycled");
	rig_free(&r);
}

/* a check that can't fail checks nothing */
static void check_finds_faults(void **state)
{
	struct err err = {0};
	struct task *p;
	struct rig r;

	rig_new(&r, &flat, "v6.1");
	rig_boot(&r, 1);
	p = rig_start(&r, 3, NULL);
	rig_check(&r, "sound");
	mask_set(r.s->idle_mask, 3);
	assert_int_equal(sched_check(r.s, r.now, &err), -EINVAL);
	assert_string_equal(err.msg, "CPU 3: idle is 0, the idle mask says 1");
	mask_clear(r.s->idle_mask, 3);
	r.s->rq[3].nr_running++;
	err_clear(&err);
	assert_int_equal(sched_check(r.s, r.now, &err), -EINVAL);
	assert_string_equal(err.msg, "CPU 3: 1 tasks queued, nr_running 2");
	r.s->rq[3].nr_running--;
	p->on_wake_list = true;
	err_clear(&err);
	assert_int_equal(sched_check(r.s, r.now, &err), -EINVAL);
	p->on_wake_list = false;
	p->allowed_all = false;
	mask_clear(p->allowed, 3);
	err_clear(&err);
	assert_int_equal(sched_check(r.s, r.now, &err), -EINVAL);
	p->allowed_all = true;
	rig_check(&r, "sound again");
	err_clear(&err);
	assert_int_equal(sched_check(r.s, r.now - 1, &err), -EINVAL); /* time went back */
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_after_the_switch),
		cmocka_unit_test(idle_cores),
		cmocka_unit_test(two_wakers),
		cmocka_unit_test(woken_while_switching_out),
		cmocka_unit_test(wake_list_is_fifo),
		cmocka_unit_test(awake_already),
		cmocka_unit_test(avg_idle),
		cmocka_unit_test(stamp_set_before_the_walk),
		cmocka_unit_test(boot),
		cmocka_unit_test(overload_from_one_to_two),
		cmocka_unit_test(resched_is_asked_for_once),
		cmocka_unit_test(lazy_becomes_normal),
		cmocka_unit_test(stopper),
		cmocka_unit_test(idle_after_the_stopper),
		cmocka_unit_test(sleeper_leaves_after_the_stopper),
		cmocka_unit_test(affinity_of_a_running_task),
		cmocka_unit_test(affinity_of_a_waking_task),
		cmocka_unit_test(attributes),
		cmocka_unit_test(bad_shares),
		cmocka_unit_test(utilisation_at_boot),
		cmocka_unit_test(asleep_since_boot),
		cmocka_unit_test(tasks_are_recycled),
		cmocka_unit_test(check_finds_faults),
	};

	return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
