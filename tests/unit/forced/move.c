// SPDX-License-Identifier: BSD-2-Clause
/*
 * Pulls asked for, and moves and walks as a record has them.
 */
#include <errno.h>

#include "../balance/world.h"

/* CPU 0 runs one task, another two wait there, long enough to be cold */
static void crowd(struct rig *r, const char *kernel, struct task *p[3])
{
	rig_start(r, kernel, 1, 1, 4, 1);
	p[0] = rig_task(r, 0, NULL);
	rig_schedule(r, 0);
	p[1] = rig_task(r, 0, NULL);
	p[2] = rig_task(r, 0, NULL);
	rig_drop_requests(r);
	r->now += 2 * NSEC_PER_MSEC;
}

static void asked(void **state)
{
	struct pull_decision d;
	struct task *p[3];
	struct rig r;

	crowd(&r, "v6.1", p);
	sched_pull_prepare(r.s, r.now, 1);
	sched_pull_decide(r.s, r.now, 1, WALK_NEWIDLE, 0, &d);
	assert_int_equal(d.src, 0);
	assert_int_equal(d.level, 0);
	assert_int_equal(d.nr_tasks, 1);
	assert_ptr_equal(d.task[0], p[1]); /* the longest not run */
	assert_int_equal(d.dst[0], 1);
	assert_int_equal(d.outcome, BALANCE_MOVED);
	assert_int_equal(d.type, MIGRATE_TASK);
	assert_int_equal(sched_task_cpu(p[1]), 0); /* asked only */

	/* neither affordable nor due */
	cpu_rq(r.s, 1)->avg_idle = 10;
	cpu_rq(r.s, 1)->sd->max_newidle_lb_cost = 11;
	sched_pull_decide(r.s, r.now, 1, WALK_NEWIDLE, 0, &d);
	assert_int_equal(d.src, -1);
	assert_int_equal(d.nr_passes, 0);
	sched_pull_decide(r.s, r.now, 1, WALK_NEWIDLE, PULL_ANY_TIME, &d);
	assert_int_equal(d.src, 0);
	cpu_rq(r.s, 1)->sd->last_balance = r.now;
	sched_pull_decide(r.s, r.now, 1, WALK_NOHZ, 0, &d);
	assert_int_equal(d.nr_passes, 0);
	sched_pull_decide(r.s, r.now, 1, WALK_NOHZ, PULL_ANY_TIME, &d);
	assert_int_equal(d.src, 0);
	assert_int_equal(sched_pull_decide_level(r.s, r.now, 1, WALK_NOHZ, 0, 0, &d), 0);
	assert_int_equal(d.src, 0);
	assert_int_equal(sched_pull_decide_level(r.s, r.now, 1, WALK_NOHZ, 1, 0, &d), -EINVAL);
	assert_int_equal(sched_pull_level(r.s, 1, 0), 0);
	rig_stop(&r);
}

static void moved(void **state)
{
	struct task *p[3];
	struct sched_domain *sd;
	u64 only_0 = 1;
	struct rig r;

	crowd(&r, "v6.12.95", p);
	sd = cpu_rq(r.s, 1)->sd;
	sd->nr_balance_failed = 3;
	sd->balance_interval = sd->max_interval;
	cpu_rq(r.s, 1)->idle_stamp = r.now;
	assert_int_equal(sched_move_task(r.s, r.now, 1, p[0], 1, MOVER_NEWIDLE), -EBUSY);
	assert_int_equal(sched_move_task(r.s, r.now, 1, p[1], 0, MOVER_NEWIDLE), -EINVAL);
	assert_int_equal(sched_move_task(r.s, r.now, 1, p[2], 1, MOVER_NEWIDLE), 0);
	assert_int_equal(sched_task_cpu(p[2]), 1);
	assert_int_equal(sd->nr_balance_failed, 0);
	assert_int_equal(sd->balance_interval, sd->min_interval);
	assert_int_equal(sd->lb[CPU_NEWLY_IDLE].gained, 1);
	assert_int_equal(cpu_rq(r.s, 1)->idle_stamp, 0);
	rig_check(&r);

	sd = cpu_rq(r.s, 2)->sd;
	sd->nr_balance_failed = 5;
	sched_stop_begin(r.s, r.now, 0);
	assert_int_equal(sched_move_task(r.s, r.now, 0, p[0], 2, MOVER_PUSH), 0);
	sched_stop_end(r.s, r.now, 0);
	assert_int_equal(sd->alb_pushed, 1);
	assert_int_equal(sd->nr_balance_failed, 0);
	assert_int_equal(sched_task_cpu(p[0]), 2);

	sd = cpu_rq(r.s, 3)->sd;
	sched_stop_begin(r.s, r.now, 0);
	assert_int_equal(sched_move_task(r.s, r.now, 0, p[1], 3, MOVER_STOPPER), 0);
	sched_stop_end(r.s, r.now, 0);
	assert_int_equal(sd->alb_pushed + sd->lb[CPU_IDLE].gained, 0);
	sched_set_affinity(r.s, r.now, p[1], &only_0);
	assert_int_equal(sched_move_task(r.s, r.now, 0, p[1], 1, MOVER_STOPPER), -EPERM);
	rig_check(&r);
	rig_stop(&r);
}

/* spec 06 §8: taken tail first, attached last taken first, so the tail is the last one taken */
static void several(void **state)
{
	struct forced_move m[2];
	struct task *p[3];
	struct rig r;

	crowd(&r, "v6.1", p);
	m[0] = (struct forced_move){.p = p[1], .dst = 1};
	m[1] = (struct forced_move){.p = p[2], .dst = 1};
	assert_int_equal(sched_move_tasks(r.s, r.now, 1, m, 2, MOVER_NOHZ), 2);
	assert_ptr_equal(cpu_rq(r.s, 1)->cfs_tasks.prev, &p[2]->rq_node);
	assert_int_equal(cpu_rq(r.s, 1)->sd->lb[CPU_IDLE].count, 1);
	assert_int_equal(cpu_rq(r.s, 1)->sd->lb[CPU_IDLE].gained, 2);
	rig_check(&r);
	rig_stop(&r);

	/* a walk that makes them attaches them alike */
	crowd(&r, "v6.1", p);
	m[0] = (struct forced_move){.p = p[1], .dst = 1};
	m[1] = (struct forced_move){.p = p[2], .dst = 1};
	r.now += NSEC_PER_SEC;
	assert_int_equal(sched_walk_forced(r.s, r.now, 1, WALK_PERIODIC, m, 2, NULL), 1);
	assert_ptr_equal(cpu_rq(r.s, 1)->cfs_tasks.prev, &p[2]->rq_node);
	assert_int_equal(cpu_rq(r.s, 1)->sd->lb[CPU_IDLE].gained, 2);
	rig_check(&r);
	rig_stop(&r);
}

/* the same walk, free, tied with nothing moved, tied with another task moved */
static void tied(void **state)
{
	struct forced_move m = {.dst = 1};
	struct sched_lb_counts n;
	struct sched_domain *sd;
	int unmade;
	struct task *p[3];
	struct rig r;

	crowd(&r, "v6.1", p);
	sd = cpu_rq(r.s, 1)->sd;
	assert_int_equal(sched_walk_forced(r.s, r.now, 1, WALK_NEWIDLE, NULL, 0, &unmade), 1);
	assert_int_equal(unmade, 1);
	assert_int_equal(sched_nr_running(r.s, 1), 0);
	assert_true(sched_lb_counts(r.s, 1, 0, SCHED_LB_NEWIDLE, &n));
	assert_int_equal(n.count, 1);
	assert_int_equal(n.failed, 1);
	assert_int_equal(n.gained, 0);
	assert_false(sched_lb_counts(r.s, 1, 1, SCHED_LB_NEWIDLE, &n));

	m.p = p[2];
	assert_int_equal(sched_walk_forced(r.s, r.now, 1, WALK_NEWIDLE, &m, 1, &unmade), 1);
	assert_int_equal(unmade, 0);
	assert_true(m.done);
	assert_int_equal(sched_task_cpu(p[2]), 1);
	assert_int_equal(sd->lb[CPU_NEWLY_IDLE].gained, 1);
	assert_int_equal(sched_task_cpu(p[1]), 0);
	rig_check(&r);

	/* a periodic pass sets what it sets: here, the scan limit of the LLC */
	cpu_rq(r.s, 2)->llc->nr_idle_scan = -1;
	r.now += NSEC_PER_SEC;
	assert_int_equal(sched_walk_forced(r.s, r.now, 2, WALK_PERIODIC, NULL, 0, NULL), 1);
	assert_true(cpu_rq(r.s, 2)->llc->nr_idle_scan >= 0);
	assert_int_equal(sched_nr_running(r.s, 2), 0);
	assert_int_equal(cpu_rq(r.s, 2)->sd->nr_balance_failed, 1);

	/* a move that no pass of the walk can make is made all the same */
	m = (struct forced_move){.p = p[1], .dst = 2};
	assert_int_equal(sched_walk_forced(r.s, r.now, 2, WALK_PERIODIC, &m, 1, NULL), 0);
	assert_true(m.done);
	assert_int_equal(sched_task_cpu(p[1]), 2);
	rig_check(&r);
	rig_stop(&r);
}

static struct {
	const struct task *p;
	int dst;
} log[8];
static int nr_log;

static void log_pull(void *ctx, const struct sched_record *rec)
{
	if (rec->reason == REASON_BALANCE_PULL && nr_log < 8) {
		log[nr_log].p = rec->p;
		log[nr_log++].dst = rec->candidate;
	}
}

/* with draws, a level that would have pulled but didn't wasn't tried; one that did was */
static void drawn(void **state)
{
	struct forced_move m = {.dst = 1};
	struct sched_domain *sd;
	struct task *p[3];
	struct rig r;
	u32 calls;
	int unmade;

	crowd(&r, "v6.1.192", p);
	sd = cpu_rq(r.s, 1)->sd;
	calls = sd->newidle_call;
	sd->newidle_ratio = 1023; /* every draw succeeds */
	assert_int_equal(sched_walk_forced(r.s, r.now, 1, WALK_NEWIDLE, NULL, 0, &unmade), 0);
	assert_int_equal(unmade, 1);
	assert_int_equal(sd->lb[CPU_NEWLY_IDLE].count, 0);
	assert_int_equal(sd->newidle_call, calls + 1);
	sd->newidle_ratio = 0; /* hardly one does */
	m.p = p[1];
	assert_int_equal(sched_walk_forced(r.s, r.now, 1, WALK_NEWIDLE, &m, 1, &unmade), 1);
	assert_true(m.done);
	assert_int_equal(unmade, 0);
	assert_int_equal(sd->lb[CPU_NEWLY_IDLE].gained, 1);
	rig_check(&r);
	rig_stop(&r);
}

/* a record of what the core itself does leads to the same places */
static void free_equals_tied(void **state)
{
	struct world a, b;
	int several = 0;

	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	rig_start(&a.r, "v6.1.192,NO_NI_RANDOM", 1, 2, 2, 2);
	rig_start(&b.r, "v6.1.192,NO_NI_RANDOM", 1, 2, 2, 2);
	a.r.cpu_price = b.r.cpu_price = 0;
	rng_init(&a.rng, 3, 0);
	rng_init(&b.rng, 3, 0);
	for (int i = 0; i < 3000; i++) {
		struct forced_move m[8];
		int cpu = i % 8, nr = 0;

		random_event(&a);
		random_event(&b);
		a.r.now += 20 * NSEC_PER_MSEC; /* passes become due */
		b.r.now = a.r.now;
		if (!a.r.s->rq[cpu].nr_running)
			continue;
		nr_log = 0;
		sched_set_sink(a.r.s, log_pull, NULL);
		rig_walk(&a.r, cpu, WALK_PERIODIC);
		sched_set_sink(a.r.s, NULL, NULL);
		for (int i = 0; i < nr_log; i++)
			for (int t = 0; t < a.nr; t++)
				if (a.task[t] == log[i].p)
					m[nr++] = (struct forced_move){b.task[t], log[i].dst, 0,
								       false};
		several += nr > 1;
		sched_walk_forced(b.r.s, b.r.now, cpu, WALK_PERIODIC, m, nr, NULL);
		for (int t = 0; t < a.nr; t++)
			assert_int_equal(a.task[t]->cpu, b.task[t]->cpu);
		for (int k = 0; k < NR_IDLE_TYPES; k++) {
			assert_int_equal(a.r.s->rq[cpu].sd->lb[k].count,
					 b.r.s->rq[cpu].sd->lb[k].count);
			assert_int_equal(a.r.s->rq[cpu].sd->lb[k].gained,
					 b.r.s->rq[cpu].sd->lb[k].gained);
		}
		rig_drop_requests(&a.r);
		rig_drop_requests(&b.r);
		for (int c = 0; c < a.r.s->nr_cpus; c++) /* the pushes that were dropped, too */
			cpu_rq(a.r.s, c)->active_balance = false;
		rig_check(&b.r);
	}
	assert_true(several > 3); /* worth comparing */
	rig_stop(&a.r);
	rig_stop(&b.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asked),
		cmocka_unit_test(moved),
		cmocka_unit_test(several),
		cmocka_unit_test(tied),
		cmocka_unit_test(drawn),
		cmocka_unit_test(free_equals_tied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
