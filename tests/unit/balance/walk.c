// SPDX-License-Identifier: BSD-2-Clause
/*
 * Walks: the new-idle budget and its entry test, intervals of periodic passes, kicks and the walk
 * over idle CPUs (spec 06 §10 – §12).
 */
#include "rig.h"

static bool begin(struct rig *r, int cpu, enum walk_kind kind)
{
	u64 cost;

	return sched_walk_begin(r->s, r->now, cpu, kind, &cost);
}

/* one step with its attach; Return: its cost, 0 when the walk is over */
static u64 step(struct rig *r, int cpu)
{
	u64 cost;

	if (!sched_walk_step(r->s, r->now, cpu, &cost))
		return 0;
	r->now += cost;
	sched_walk_attach(r->s, r->now, cpu);
	return cost;
}

/* CPU 0 runs something that may not leave, so that others walk in vain */
static void overload_pinned(struct rig *r)
{
	u64 only_0 = 1;

	rig_task(r, 0, &only_0);
	rig_schedule(r, 0);
	rig_task(r, 0, &only_0);
	rig_drop_requests(r);
	r->now += NSEC_PER_MSEC;
}

static void newidle_entry(void **state)
{
	struct rig r;
	struct rq *rq;

	rig_start(&r, "v6.1", 2, 2, 2, 2);
	rq = cpu_rq(r.s, 1);
	rq->next_balance = r.now + 5 * NSEC_PER_SEC;
	rq->sd->last_balance = r.now;
	assert_false(begin(&r, 1, WALK_NEWIDLE)); /* nobody has two tasks */
	/* skipped or not, the bottom domain's interval pulls next_balance forward */
	assert_int_equal(rq->next_balance, r.now + r.s->tick_ns);

	overload_pinned(&r);
	rq->sd->max_newidle_lb_cost = 2000;
	rq->avg_idle = 1999;
	assert_false(begin(&r, 1, WALK_NEWIDLE));
	rq->avg_idle = 2000;
	rq->ttwu_pending = true;
	assert_false(begin(&r, 1, WALK_NEWIDLE));
	rq->ttwu_pending = false;
	assert_true(begin(&r, 1, WALK_NEWIDLE));
	assert_false(begin(&r, 1, WALK_PERIODIC)); /* one walk at a time */
	rig_stop(&r);

	rig_start(&r, "v5.10", 1, 1, 2, 2); /* a fixed half millisecond */
	overload_pinned(&r);
	rq = cpu_rq(r.s, 1);
	rq->avg_idle = 499999;
	assert_false(begin(&r, 1, WALK_NEWIDLE));
	rq->avg_idle = 500000;
	assert_true(begin(&r, 1, WALK_NEWIDLE));
	rig_stop(&r);
}

/* SMT2 MC4 DIE8 NUMA16 at 100 ns a CPU cost 200, 400, 800, 1600 */
static void newidle_budget(void **state)
{
	struct rig r;
	struct rq *rq;

	rig_start(&r, "v6.1", 2, 2, 2, 2);
	r.s->rd[0].overload = true;
	rq = cpu_rq(r.s, 1);
	rq->avg_idle = NSEC_PER_MSEC;
	rq->max_idle_balance_cost = 0;
	rq->idle_stamp = r.now;
	assert_true(begin(&r, 1, WALK_NEWIDLE));
	assert_int_equal(step(&r, 1), 200);
	assert_int_equal(step(&r, 1), 400);
	assert_int_equal(step(&r, 1), 800);
	assert_int_equal(step(&r, 1), 1600);
	assert_int_equal(step(&r, 1), 0);
	assert_int_equal(rq->sd->max_newidle_lb_cost, 200);
	assert_int_equal(rq->sd->parent->parent->parent->max_newidle_lb_cost, 1600);
	assert_int_equal(rq->max_idle_balance_cost, 3000);
	assert_int_not_equal(rq->idle_stamp, 0);

	/* 200 + 400 are spent before DIE, which is known to cost 800 */
	assert_false(r.s->rd[0].overload); /* the top pass saw that nothing runs */
	r.s->rd[0].overload = true;
	rq->avg_idle = 1399;
	assert_true(begin(&r, 1, WALK_NEWIDLE));
	assert_int_equal(step(&r, 1), 200);
	assert_int_equal(step(&r, 1), 400);
	assert_int_equal(step(&r, 1), 0);
	rq->avg_idle = 1400;
	assert_true(begin(&r, 1, WALK_NEWIDLE));
	for (int i = 0; i < 3; i++)
		assert_int_not_equal(step(&r, 1), 0);
	assert_int_equal(step(&r, 1), 0);
	rig_stop(&r);
}

/* work that came meanwhile ends the walk; so does what it pulled, which also ends the idle time */
static void newidle_stops(void **state)
{
	struct rig r;
	struct rq *rq;

	rig_start(&r, "v6.1", 2, 2, 2, 2);
	overload_pinned(&r);
	rq = cpu_rq(r.s, 1);
	assert_true(begin(&r, 1, WALK_NEWIDLE));
	assert_int_equal(step(&r, 1), 200);
	rig_task(&r, 1, NULL);
	assert_int_equal(step(&r, 1), 0);
	rig_drop_requests(&r);
	rig_stop(&r);

	rig_start(&r, "v6.1", 2, 2, 2, 2);
	overload_pinned(&r);
	rq = cpu_rq(r.s, 1);
	rig_task(&r, 0, NULL);
	rq->idle_stamp = r.now;
	r.now += NSEC_PER_MSEC;
	assert_true(begin(&r, 1, WALK_NEWIDLE));
	assert_int_equal(step(&r, 1), 200);
	assert_int_equal(step(&r, 1), 400);
	assert_int_equal(rq->nr_running, 1);
	assert_int_equal(step(&r, 1), 0);
	assert_int_equal(rq->idle_stamp, 0);
	rig_check(&r);
	rig_stop(&r);
}

/* 6.17 – 6.18.0: a pass in vain raises the cost by half, up to migration_cost + 200 */
static void newidle_failed_costs(void **state)
{
	struct rig r;
	struct rq *rq;

	rig_start(&r, "v6.18", 1, 1, 2, 2);
	r.s->rd[0].overload = true;
	rq = cpu_rq(r.s, 1);
	rq->sd->max_newidle_lb_cost = 1000;
	assert_true(begin(&r, 1, WALK_NEWIDLE));
	step(&r, 1);
	assert_int_equal(rq->sd->max_newidle_lb_cost, 1500);
	while (step(&r, 1))
		;
	rq->sd->max_newidle_lb_cost = 400000;
	r.s->rd[0].overload = true;
	assert_true(begin(&r, 1, WALK_NEWIDLE));
	step(&r, 1);
	assert_int_equal(rq->sd->max_newidle_lb_cost, 500200);
	rig_stop(&r);
}

/* a level that is never worth it is left out, at no cost */
static void newidle_draws(void **state)
{
	struct rig r;
	struct rq *rq;
	struct sched_domain *mc;
	int passes = 0;

	rig_start(&r, "v6.12.95", 1, 1, 2, 2);
	rq = cpu_rq(r.s, 1);
	mc = rq->sd->parent;
	mc->newidle_ratio = mc->newidle_success = 0;
	mc->newidle_call = 0;
	for (int i = 0; i < 1000; i++) {
		r.s->rd[0].overload = true;
		rq->sd->newidle_ratio = 1024; /* the lowest level is always tried */
		assert_true(begin(&r, 1, WALK_NEWIDLE));
		assert_int_equal(step(&r, 1), 200);
		passes += step(&r, 1) == 400;
		while (step(&r, 1))
			;
	}
	assert_int_equal(mc->newidle_call, 1000);
	assert_in_range(passes, 0, 10);
	rig_stop(&r);
}

/* spec 06 §10: due by interval, bottom-up, the interval backs off; busy CPUs 16 times as rare */
static void periodic_intervals(void **state)
{
	struct rig r;
	struct rq *rq;
	struct sched_domain *smt, *mc;
	const u64 tick = 4 * NSEC_PER_MSEC;

	rig_start(&r, "v6.1", 1, 1, 8, 2);
	rq = cpu_rq(r.s, 0);
	smt = rq->sd;
	mc = smt->parent;
	r.now = 12 * NSEC_PER_SEC;
	assert_true(begin(&r, 0, WALK_PERIODIC));
	assert_int_equal(step(&r, 0), 200);
	assert_int_equal(step(&r, 0), 1600);
	assert_int_equal(step(&r, 0), 0);
	assert_int_equal(mc->balance_interval, 32); /* balanced: 16 backs off */
	assert_int_equal(mc->last_balance, 12 * NSEC_PER_SEC);
	assert_int_equal(smt->balance_interval, 4);
	assert_int_equal(rq->next_balance, 12 * NSEC_PER_SEC + tick);

	r.now = 12 * NSEC_PER_SEC + 7 * tick; /* MC is due at 8 ticks */
	assert_true(begin(&r, 0, WALK_PERIODIC));
	assert_int_equal(step(&r, 0), 200);
	assert_int_equal(step(&r, 0), 0);
	r.now = 12 * NSEC_PER_SEC + 8 * tick;
	assert_true(begin(&r, 0, WALK_PERIODIC));
	assert_int_equal(step(&r, 0), 200);
	assert_int_equal(step(&r, 0), 1600);
	assert_int_equal(step(&r, 0), 0);

	/* busy: 32 · 16 ms = 128 jiffies, less one; and CPU 1 is idle, so this one may not */
	rig_task(&r, 0, NULL);
	rig_schedule(&r, 0);
	rig_drop_requests(&r);
	r.now = 12 * NSEC_PER_SEC + 8 * tick + 127 * tick - 10000;
	assert_true(begin(&r, 0, WALK_PERIODIC));
	while (step(&r, 0))
		assert_int_equal(mc->last_balance, 12 * NSEC_PER_SEC + 8 * tick);
	assert_int_equal(rq->next_balance, 12 * NSEC_PER_SEC + 135 * tick); /* MC comes first */
	rig_stop(&r);
}

/* ≤6.12: a taken lock leaves a SERIALIZE domain for later; the walk's own is given back */
static void periodic_serialize(void **state)
{
	struct rig r;
	struct sched_domain *numa;

	rig_start(&r, "v6.12", 2, 1, 2, 1);
	numa = rig_domain(&r, 0, "NUMA");
	numa->last_balance = 1 * NSEC_PER_SEC;
	r.s->serialize_locked = true;
	assert_true(begin(&r, 0, WALK_PERIODIC));
	assert_int_equal(step(&r, 0), 200); /* MC */
	assert_int_equal(step(&r, 0), 0);
	assert_int_equal(numa->last_balance, 1 * NSEC_PER_SEC);
	r.s->serialize_locked = false;
	assert_true(begin(&r, 0, WALK_PERIODIC));
	assert_int_equal(step(&r, 0), 400);
	assert_false(r.s->serialize_locked);
	assert_int_equal(numa->last_balance, jiffy_of(r.s, r.now));
	rig_stop(&r);
}

/* a second later the cost of new-idle passes has lost 3/256 */
static void newidle_cost_decays(void **state)
{
	struct rig r;
	struct rq *rq;

	rig_start(&r, "v6.1", 1, 1, 4, 1);
	rq = cpu_rq(r.s, 0);
	rq->sd->max_newidle_lb_cost = 2560000;
	rq->sd->last_decay_max_lb_cost = r.now - NSEC_PER_SEC - r.s->tick_ns;
	assert_true(begin(&r, 0, WALK_PERIODIC));
	while (step(&r, 0))
		;
	assert_int_equal(rq->sd->max_newidle_lb_cost, 2530000);
	assert_int_equal(rq->max_idle_balance_cost, 2530000);
	assert_true(begin(&r, 0, WALK_PERIODIC));
	while (step(&r, 0))
		;
	assert_int_equal(rq->sd->max_newidle_lb_cost, 2530000);
	rig_stop(&r);
}

static void booted(struct rig *r, const char *kernel, int nodes, int llcs, int cores, int smt)
{
	struct rng rng;

	rig_start(r, kernel, nodes, llcs, cores, smt);
	rng_init(&rng, 3, 3);
	sched_boot(r->s, r->now, &rng);
	r->s->nohz_has_blocked = false;
}

/* spec 06 §12: a CPU with two tasks kicks the first idle one, once a jiffy */
static void kick(void **state)
{
	struct rig r;
	struct sched *s;
	struct sched_out out;
	u64 both = 1;

	booted(&r, "v6.1", 1, 1, 8, 2);
	s = r.s;
	rig_task(&r, 0, &both);
	rig_schedule(&r, 0);
	rig_drop_requests(&r);
	r.now += s->tick_ns;
	sched_tick(s, r.now, 0);
	assert_false(cpu_rq(s, 0)->nohz_idle); /* its first busy tick */
	assert_int_equal(cpu_rq(s, 0)->llc->nr_busy_cpus, 1);
	while (sched_next_out(s, &out))
		assert_int_not_equal(out.kind, OUT_NOHZ_KICK); /* one task, one busy CPU */

	rig_task(&r, 0, &both);
	rig_drop_requests(&r);
	r.now += s->tick_ns;
	sched_tick(s, r.now, 0);
	do
		assert_true(sched_next_out(s, &out));
	while (out.kind != OUT_NOHZ_KICK);
	assert_int_equal(out.cpu, 1);
	assert_int_equal(out.from, 0);
	assert_int_equal(s->nohz_next_balance, jiffy_of(s, r.now) + s->tick_ns);
	rig_drop_requests(&r);
	sched_tick(s, r.now, 0); /* same jiffy */
	while (sched_next_out(s, &out))
		assert_int_not_equal(out.kind, OUT_NOHZ_KICK);
	rig_stop(&r);

	booted(&r, "v7.3", 1, 1, 8, 2); /* prefers a core that is idle: 1 has a busy sibling */
	s = r.s;
	rig_task(&r, 9, NULL);
	rig_schedule(&r, 9);
	rig_task(&r, 0, &both);
	rig_schedule(&r, 0);
	rig_task(&r, 0, &both);
	rig_drop_requests(&r);
	r.now += s->tick_ns;
	sched_tick(s, r.now, 0);
	do
		assert_true(sched_next_out(s, &out));
	while (out.kind != OUT_NOHZ_KICK);
	assert_int_equal(out.cpu, 2);
	rig_stop(&r);
}

/* the walk that CPU 0's tick asks for, if it does */
static bool kicked_walk(struct rig *r)
{
	struct sched_out out;
	bool kicked = false;

	r->now += r->s->tick_ns;
	sched_tick(r->s, r->now, 0);
	while (sched_next_out(r->s, &out))
		if (out.kind == OUT_NOHZ_KICK) {
			kicked = true;
			assert_true(begin(r, out.cpu, WALK_NOHZ));
			while (step(r, out.cpu))
				;
		}
	return kicked;
}

/* a CPU that joins the idle mask is due before the others: from 5.15 on it doesn't wait for them */
static void next_kick(void **state)
{
	static const struct {
		const char *kernel;
		bool kicks;
	} row[] = { { "v5.10", false },		     { "v5.17", true },
		    { "v6.1,+WITHOUT_NEXT_KICK", false }, { "v6.1", true },
		    { "v5.10,+NEXT_KICK", true },    { "v7.3", true } };

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct rig r;
		struct sched *s;
		u64 due, own = 1;

		booted(&r, row[i].kernel, 1, 1, 8, 1);
		s = r.s;
		rig_task(&r, 0, &own);
		rig_schedule(&r, 0);
		rig_drop_requests(&r);
		/* CPU 3 was busy until now; the others are due in a second */
		cpu_rq(s, 3)->nohz_idle = false;
		mask_clear(s->nohz_mask, 3);
		for (int c = 0; c < s->nr_cpus; c++)
			cpu_rq(s, c)->next_balance = r.now + NSEC_PER_SEC;
		s->nohz_next_balance = r.now + NSEC_PER_SEC;
		s->nohz_next_blocked = r.now + NSEC_PER_SEC;
		assert_false(kicked_walk(&r));
		due = r.now + 5 * s->tick_ns;
		cpu_rq(s, 3)->next_balance = due;
		sched_nohz_enter(s, r.now, 3);
		assert_int_equal(kicked_walk(&r), row[i].kicks);
		assert_int_equal(s->nohz_next_balance == due, row[i].kicks);
		/* once is enough */
		assert_false(kicked_walk(&r));
		rig_stop(&r);
	}
}

/* the kicked CPU makes the due passes of all idle CPUs, itself last; few steps, no event a CPU */
static void nohz_walk_serves_all(void **state)
{
	struct rig r;
	struct sched *s;
	int steps = 0;

	booted(&r, "v6.1", 4, 4, 16, 2); /* 512 CPUs */
	s = r.s;
	r.now += 3 * NSEC_PER_SEC; /* all are due */
	cpu_rq(s, 7)->walk.kicked = NOHZ_BALANCE_KICK | NOHZ_STATS_KICK;
	assert_true(begin(&r, 7, WALK_NOHZ));
	while (step(&r, 7))
		steps++;
	for (int c = 0; c < s->nr_cpus; c++) {
		assert_true(cpu_rq(s, c)->next_balance > RIG_START + 3 * NSEC_PER_SEC);
		assert_true(cpu_rq(s, c)->sd->last_balance >= RIG_START + 3 * NSEC_PER_SEC);
	}
	assert_true(s->nohz_next_balance > RIG_START + 3 * NSEC_PER_SEC);
	/* 512 SMT and MC passes and a few above, at 100 µs a step */
	assert_in_range(steps, 10, 60);
	rig_check(&r);

	/* it gets work on the way: the rest stays due */
	r.now += 3 * NSEC_PER_SEC;
	cpu_rq(s, 7)->walk.kicked = NOHZ_BALANCE_KICK | NOHZ_STATS_KICK;
	assert_true(begin(&r, 7, WALK_NOHZ));
	step(&r, 7);
	rig_task(&r, 7, NULL);
	rig_drop_requests(&r);
	while (step(&r, 7))
		;
	assert_true(cpu_rq(s, 300)->next_balance < r.now);
	assert_true(s->nohz_has_blocked);
	rig_stop(&r);
}

/* the walk pulls for others: the hogs of CPU 0 land on idle CPUs other than the walker */
static void nohz_walk_pulls_for_others(void **state)
{
	struct rig r;
	struct sched *s;

	booted(&r, "v6.1", 1, 1, 8, 1);
	s = r.s;
	for (int i = 0; i < 3; i++)
		rig_task(&r, 0, NULL);
	rig_schedule(&r, 0);
	rig_drop_requests(&r);
	r.now += NSEC_PER_SEC;
	cpu_rq(s, 4)->walk.kicked = NOHZ_BALANCE_KICK | NOHZ_STATS_KICK;
	rig_walk(&r, 4, WALK_NOHZ);
	/* CPU 5 comes first: 3 >> 1 = 1 task; CPU 6: 2 >> 1 = 1; the walker is the last */
	assert_int_equal(s->rq[5].nr_running, 1);
	assert_int_equal(s->rq[6].nr_running, 1);
	assert_int_equal(s->rq[0].nr_running, 1);
	rig_handle_requests(&r);
	rig_check(&r);
	rig_stop(&r);
}

/* a kick that meets another walk of its CPU is asked for again at that walk's end */
static void kick_meets_a_walk(void **state)
{
	struct rig r;
	struct sched_out out;

	booted(&r, "v6.1", 1, 1, 4, 1);
	r.now += NSEC_PER_SEC;
	assert_true(begin(&r, 2, WALK_PERIODIC));
	cpu_rq(r.s, 2)->walk.kicked = NOHZ_BALANCE_KICK;
	assert_false(begin(&r, 2, WALK_NOHZ));
	while (step(&r, 2))
		;
	assert_true(sched_next_out(r.s, &out));
	assert_int_equal(out.kind, OUT_NOHZ_KICK);
	assert_int_equal(out.cpu, 2);
	assert_int_equal(out.from, 2);
	assert_true(begin(&r, 2, WALK_NOHZ));
	assert_int_equal(cpu_rq(r.s, 2)->walk.kicked, 0);
	rig_stop(&r);
}

/* the distances that neighbours copy are those a count gives */
static void distances(void **state)
{
	struct rig r;

	booted(&r, "v6.1", 2, 3, 4, 2);
	for (int c = 0; c < r.s->nr_cpus; c++) {
		struct sched_domain *sd;

		for_each_domain(cpu_rq(r.s, c), sd) {
			u32 at[NR_DISTANCES];

			count_span(r.s, c, sd, at);
			assert_memory_equal(at, sd->span_at, sizeof(at));
		}
	}
	assert_int_equal(cpu_rq(r.s, 5)->sd->parent->parent->span_at[DIST_NODE], 16);
	rig_stop(&r);
}

/* what a delayed task's waker does while a pass has the task in its hands */
static void woken_while_held(void **state)
{
	struct rig r;
	struct sched *s;
	struct task *p = NULL;
	struct wake_query q = {.cpu = 0};
	struct wake_decision d;
	u64 cost;

	booted(&r, "v6.12", 1, 1, 2, 1);
	s = r.s;
	for (int i = 0; i < 4; i++)
		rig_task(&r, 0, NULL);
	rig_schedule(&r, 0);
	rig_drop_requests(&r);
	/* run them in turn until one that has run ahead blocks, and stays queued */
	for (int i = 0; i < 40 && !p; i++) {
		struct task *curr = sched_current(s, 0);

		r.now += NSEC_PER_MSEC;
		sched_block(s, r.now, 0, false);
		if (curr->se.sched_delayed)
			p = curr;
		rig_schedule(&r, 0);
		if (!p)
			sched_wake_queued(s, r.now, 0, curr);
		rig_drop_requests(&r);
	}
	assert_non_null(p);
	if (!p->on_rq || !p->se.sched_delayed)
		skip();
	r.now += 10 * NSEC_PER_MSEC;
	list_move_tail(&p->rq_node, &s->rq[0].cfs_tasks);
	for (struct sched_domain *sd = s->rq[1].sd; sd; sd = sd->parent)
		sd->last_balance = 0;
	assert_true(begin(&r, 1, WALK_PERIODIC));
	while (!p->migrating)
		assert_true(sched_walk_step(s, r.now, 1, &cost));
	q.p = p;
	sched_wake_decide(s, r.now, &q, &d);
	assert_int_equal(d.path, WAKE_QUEUED);
	sched_wake_commit(s, r.now, &q, &d, d.target);
	sched_wake_queued(s, r.now, 0, p);
	sched_wake_decide(s, r.now, &q, &d); /* a second waker comes too late */
	assert_int_equal(d.path, WAKE_CURRENT);
	sched_walk_attach(s, r.now + cost, 1);
	r.now += cost;
	assert_int_equal(p->state, TASK_RUNNABLE);
	assert_int_equal(p->cpu, 1);
	assert_true(p->on_rq && !p->se.sched_delayed && !p->wake_after_move);
	rig_handle_requests(&r);
	rig_check(&r);
	rig_stop(&r);
}

/* spec 14 §0 */
static void boot_state(void **state)
{
	struct rig r;
	u64 sum = 0;

	booted(&r, "v6.12.95", 2, 2, 4, 2);
	for (int c = 0; c < r.s->nr_cpus; c++) {
		struct rq *rq = cpu_rq(r.s, c);
		struct sched_domain *sd;

		for_each_domain(rq, sd) {
			u64 pass = sd->weight * r.cpu_price;

			assert_int_equal(sd->balance_interval, sd->max_interval);
			assert_int_equal(sd->nr_balance_failed, 0);
			assert_int_equal(sd->newidle_ratio, 512);
			assert_in_range(sd->max_newidle_lb_cost, pass * 3 / 4 - 1, pass);
			assert_true(sd->last_balance <= r.now);
			assert_true(sd->last_balance + domain_interval(r.s, sd, false) +
					    r.s->tick_ns >
				    r.now);
			assert_true(rq->next_balance <=
				    sd->last_balance + domain_interval(r.s, sd, false));
			sum += sd->last_balance;
		}
		assert_int_equal(rq->llc->nr_idle_scan, 8);
	}
	assert_int_not_equal(sum, 0);
	rig_check(&r);
	rig_stop(&r);
}

/* a stats-only pass ages idle CPUs, not one that is busy but had no tick yet (spec 06 §12) */
static void newidle_stats_of_idle(void **state)
{
	struct rig r;
	struct sched *s;
	struct rq *busy, *idle;
	u64 clock;

	booted(&r, "v6.1", 1, 1, 4, 1);
	s = r.s;
	busy = cpu_rq(s, 1);
	idle = cpu_rq(s, 2);
	rig_task(&r, 1, NULL);
	rig_task(&r, 2, NULL);
	rig_schedule(&r, 1);
	rig_schedule(&r, 2);
	sched_block(s, r.now, 2, false);
	rig_schedule(&r, 2);
	rig_drop_requests(&r);
	assert_true(mask_test(s->nohz_mask, 1) && mask_test(s->nohz_mask, 2));
	clock = busy->clock;
	r.now += 100 * NSEC_PER_MSEC;
	nohz_newidle_stats(s, r.now, cpu_rq(s, 0));
	assert_int_equal(idle->clock, r.now);
	assert_int_equal(busy->clock, clock);
	rig_stop(&r);
}

/* a hog that outgrows its little CPU (util · 1280 ≥ 446 · 1024) is noted, kicked for and pushed */
static void misfit_leaves_little(void **state)
{
	static const char *const kernels[] = {"v5.10", "v6.1", "v6.12", "v7.3"};

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct rig r;
		struct task *p, *pinned, *big;
		struct rq *little;
		u64 own = 1u << 1;
		bool seen = false;

		rig_start_mixed(&r, kernels[i], 1, 1, 4, 1, 2);
		balance_boot(r.s, r.now, &r.s->rng);
		for (int c = 0; c < 4; c++)
			sched_nohz_enter(r.s, r.now, c);
		little = cpu_rq(r.s, 0);
		p = rig_task(&r, 0, NULL);
		pinned = rig_task(&r, 1, &own);
		big = rig_task(&r, 3, NULL);
		rig_handle_requests(&r);
		/* half of the little one's capacity: it fits */
		assert_int_equal(task_util(p), 223);
		assert_int_equal(little->misfit_task_load, 0);
		for (int n = 0; n < 200 && p->cpu == 0; n++) {
			rig_tick(&r);
			if (p->cpu || little->misfit_task_load) {
				assert_in_range(task_util(p), 357, 446);
				seen = true;
			}
		}
		assert_true(seen);
		assert_int_equal(p->cpu, 2);
		/* nothing too big is left behind; nowhere to go, or no bigger CPU: no misfit */
		assert_int_equal(little->misfit_task_load, 0);
		for (int n = 0; n < 50; n++)
			rig_tick(&r);
		assert_true(task_util(pinned) > 357 && task_util(big) > 820);
		for (int c = 0; c < 4; c++)
			assert_int_equal(cpu_rq(r.s, c)->misfit_task_load, 0);
		rig_check(&r);
		rig_stop(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newidle_entry),
		cmocka_unit_test(newidle_budget),
		cmocka_unit_test(newidle_stops),
		cmocka_unit_test(newidle_failed_costs),
		cmocka_unit_test(newidle_draws),
		cmocka_unit_test(periodic_intervals),
		cmocka_unit_test(periodic_serialize),
		cmocka_unit_test(newidle_cost_decays),
		cmocka_unit_test(kick),
		cmocka_unit_test(next_kick),
		cmocka_unit_test(nohz_walk_serves_all),
		cmocka_unit_test(nohz_walk_pulls_for_others),
		cmocka_unit_test(kick_meets_a_walk),
		cmocka_unit_test(distances),
		cmocka_unit_test(woken_while_held),
		cmocka_unit_test(boot_state),
		cmocka_unit_test(misfit_leaves_little),
		cmocka_unit_test(newidle_stats_of_idle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
