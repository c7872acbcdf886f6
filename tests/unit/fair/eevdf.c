/* SPDX-License-Identifier: BSD-2-Clause */
/* eevdf.c, preempt.c: spec 02 §5 and its examples E3 to E5. Slice 3 ms: eight CPUs, v6.6. */
#include "fixture.h"

static const struct sched_task_attr nice0 = { .nice = 0 };

#define V0 (1ULL << 40)

/* an entity of nice 0 in a queue of its own, vruntime and deadline relative to V0 */
static struct sched_entity entity(s64 v_us, s64 deadline_us, u64 slice_us)
{
	struct task p = { .nice = 0 };
	struct sched_entity se = {
		.load = task_weight(&p),
		.vruntime = V0 + v_us * (s64)US,
		.deadline = V0 + deadline_us * (s64)US,
		.slice = slice_us * US,
		.key_weight = 1024,
		.on_rq = true,
	};

	se.vload = se.load;
	return se;
}

static void add(struct cfs_rq *q, struct sched_entity *se)
{
	se->cfs_rq = q;
	eevdf_insert(q, se);
	q->nr_tree++;
}

static void test_average(void **state)
{
	struct cfs_rq q = { .min_vruntime = V0 };
	struct sched_entity a = entity(0, 3000, 3000), b = entity(1, 3000, 3000),
			    c = entity(0, 3000, 3000);

	add(&q, &a);
	add(&q, &b);
	add(&q, &c);
	assert_int_equal(avg_vruntime(&q) - V0, 333); /* 1000 ns / 3, rounded down */
	/* the reference doesn't matter, not even behind the average */
	eevdf_remove(&q, &a);
	eevdf_remove(&q, &b);
	eevdf_remove(&q, &c);
	q.min_vruntime = V0 + 500;
	add(&q, &a);
	add(&q, &b);
	add(&q, &c);
	assert_int_equal(avg_vruntime(&q) - V0, 333);
	assert_true(entity_eligible(&q, &a));
	assert_false(entity_eligible(&q, &b));
	a.vruntime = V0 + 333; /* not in the sums: eligible by the exact average */
	assert_true(entity_eligible(&q, &a));
	a.vruntime = V0 + 334;
	assert_false(entity_eligible(&q, &a));
}

/* E4 */
static void test_lag_placement(void **state)
{
	struct cfs_rq q = { .min_vruntime = V0 };
	struct sched_entity a = entity(10000, 13000, 3000), b = a, p = entity(0, 0, 3000);
	struct world w;

	world_init(&w, "v6.6", 8, 250);
	add(&q, &a);
	add(&q, &b);
	p.vlag = 1 * MS;
	eevdf_place_entity(w.s, &q, &p, ENQUEUE_WAKEUP);
	assert_int_equal(p.vruntime - V0, 8500 * US);
	assert_int_equal(p.deadline - V0, 11500 * US);
	add(&q, &p);
	assert_int_equal(avg_vruntime(&q) - V0, 9500 * US);
	assert_int_equal(avg_vruntime(&q) - p.vruntime, 1 * MS);
	world_free(&w);

	/* a new task's first slice is halved, and it has no lag */
	world_init(&w, "v6.6", 8, 250);
	p.vlag = 0;
	eevdf_remove(&q, &p);
	eevdf_place_entity(w.s, &q, &p, ENQUEUE_INITIAL);
	assert_int_equal(p.vruntime - V0, 10 * MS);
	assert_int_equal(p.deadline - V0, 11500 * US);
	world_free(&w);
}

/* E5 */
static void test_lag_clamp(void **state)
{
	static const struct {
		const char *kernel;
		u64 limit;
	} cases[] = {
		{ "v6.6", 6 * MS },	    /* max(2 · 3 ms, 4 ms) */
		{ "v6.12.95", 5600 * US }, /* 2 · 2.8 ms */
		{ "v7.3", 24 * MS },	    /* the largest slice, 20 ms, and a tick */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cfs_rq q = { .min_vruntime = V0 };
		struct sched_entity a = entity(0, 20000, 20000), b = entity(100000, 103000, 3000);
		struct world w;

		world_init(&w, cases[i].kernel, 8, 250);
		a.slice = 20 * MS;
		b.slice = w.s->base_slice;
		add(&q, &a);
		add(&q, &b);
		eevdf_update_lag(w.s, &q, &b);
		assert_int_equal(b.vlag, -(s64)cases[i].limit);
		/* the longer slice of a itself allows it more */
		eevdf_update_lag(w.s, &q, &a);
		assert_int_equal(a.vlag, i < 2 ? 40 * MS : 24 * MS);
		b.vruntime = V0 + 100; /* alone it would have none */
		q.nr_tree = 1;
		eevdf_update_lag(w.s, &q, &b);
		assert_int_equal(b.vlag, 0);
		world_free(&w);
	}
}

/* E3, with slice ends seen at once, and at ticks of 4 ms */
static void test_round_robin(void **state)
{
	static const u64 step[] = { 3 * MS, 4 * MS };

	for (size_t i = 0; i < ARRAY_SIZE(step); i++) {
		struct world w;

		world_init(&w, "v6.6,NO_PLACE_DEADLINE_INITIAL", 8, 250);
		for (int n = 0; n < 3; n++)
			world_spawn(&w, 0, nice0);
		world_schedule(&w, 0);
		for (int n = 0; n < 12; n++) {
			assert_int_equal(world_rq(&w, 0)->curr->id, n % 3 + 1);
			world_run(&w, step[i], step[i]);
			world_check(&w);
		}
		world_free(&w);
	}
}

static struct sched_entity *pick(struct sched *s, struct cfs_rq *q, bool protect)
{
	struct eevdf_view view;

	eevdf_view_of(q, &view);
	return eevdf_pick(s, &view, protect);
}

/* against a plain search over random queues */
static void test_pick_finds_earliest_eligible(void **state)
{
	static struct sched_entity se[64];
	struct world w;
	struct rng rng;

	world_init(&w, "v6.6", 8, 250);
	rng_init(&rng, 3, 0);
	for (int round = 0; round < 300; round++) {
		struct cfs_rq q = { .min_vruntime = V0 };
		int n = 2 + rng_below(&rng, 62);
		struct sched_entity *best = NULL;

		for (int i = 0; i < n; i++) {
			s64 v = rng_below(&rng, 9000);

			se[i] = entity(v, v + 100 + rng_below(&rng, 5000), 3000);
			se[i].key_weight = 15 + rng_below(&rng, 5000);
			add(&q, &se[i]);
		}
		for (int i = 0; i < n; i++)
			if (entity_eligible(&q, &se[i]) &&
			    (!best || se[i].deadline < best->deadline))
				best = &se[i];
		assert_non_null(best);
		assert_int_equal(pick(w.s, &q, true)->deadline, best->deadline);
	}
	world_free(&w);
}

/* ---- the running entity's protection (spec 02 §5.8) ---- */

/* A (3 ms) runs beside B (1 ms): how long does it keep the CPU against an earlier deadline? */
static u64 protected_for(const char *kernel)
{
	struct cfs_rq q = { .min_vruntime = V0 };
	struct sched_entity a = entity(0, 3000, 3000), b = entity(0, 1000, 1000);
	struct world w;
	u64 v = 0;

	world_init(&w, kernel, 8, 250);
	add(&q, &b);
	q.nr_tree++;
	q.curr = q.vcurr = &a;
	eevdf_protect(w.s, &q, &a);
	/* V moves along with a: keep it eligible by a light b */
	while (v < 3 * MS && eevdf_protected(w.s, &a)) {
		v += 100 * US;
		a.vruntime = V0 + v;
		eevdf_update_deadline(w.s, &a);
	}
	world_free(&w);
	return v;
}

static void test_protection(void **state)
{
	assert_int_equal(protected_for("v6.12"), 3 * MS);
	assert_int_equal(protected_for("v6.12,NO_RUN_TO_PARITY"), 0);
	assert_int_equal(protected_for("v6.18"), 1 * MS);
	assert_int_equal(protected_for("v6.18,NO_RUN_TO_PARITY"), 700 * US);
	/* a final value is normalised by the factor of 8 CPUs, 4 */
	assert_int_equal(protected_for("v6.18,NO_RUN_TO_PARITY,base_slice_ns=2800000"), 700 * US);
}

/* ---- wake-ups (spec 02 §5.9) ---- */

/* a task wakes beside a hog that began a slice half a millisecond ago */
static bool short_task_preempts(const char *kernel, u64 slice)
{
	struct sched_task_attr attr = { .slice_ns = slice };
	struct task *p, *hog;
	struct world w;
	bool got;

	world_init(&w, kernel, 8, 250);
	p = world_spawn(&w, 0, attr);
	world_schedule(&w, 0);
	world_block(&w, 0);
	hog = world_spawn(&w, 0, nice0);
	world_schedule(&w, 0);
	world_block(&w, 0);
	world_wake(&w, hog, 0);
	world_schedule(&w, 0);
	w.now += 500 * US;
	got = world_wake(&w, p, 0);
	world_check(&w);
	world_free(&w);
	return got;
}

static void test_preempt_short(void **state)
{
	assert_true(short_task_preempts("v6.12", 1 * MS));
	assert_false(short_task_preempts("v6.12", 0));
	assert_false(short_task_preempts("v6.12,NO_PREEMPT_SHORT", 1 * MS));
	/* without protection the earlier deadline wins */
	assert_true(short_task_preempts("v6.12,NO_PREEMPT_SHORT,NO_RUN_TO_PARITY", 1 * MS));
	assert_false(short_task_preempts("v6.12,NO_WAKEUP_PREEMPTION", 1 * MS));
	assert_true(short_task_preempts("v6.18", 1 * MS));
	assert_true(short_task_preempts("v7.3", 1 * MS));
	assert_false(short_task_preempts("v7.3", 0));
	assert_false(short_task_preempts("v7.3", 10 * MS));
}

/* ---- delayed dequeue (spec 02 §5.10) ---- */

/* two tasks, the first used more than its share and blocks */
static struct task *delay_one(struct world *w, const char *kernel)
{
	struct task *a, *b;

	world_init(w, kernel, 8, 250);
	a = world_spawn(w, 0, nice0);
	b = world_spawn(w, 0, nice0);
	assert_ptr_equal(world_schedule(w, 0), a);
	w->now += 1 * MS;
	sched_block(w->s, w->now, 0, false);
	assert_ptr_equal(world_schedule(w, 0), b);
	world_check(w);
	return a;
}

static void test_delayed(void **state)
{
	static const char *const kernels[] = { "v6.12", "v6.12.95", "v6.18", "v7.3" };

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct world w;
		struct task *a = delay_one(&w, kernels[i]);
		const struct cfs_rq *q = &world_rq(&w, 0)->cfs;

		assert_true(a->on_rq && a->se.on_rq && a->se.sched_delayed);
		assert_int_equal(world_rq(&w, 0)->nr_running, 2);
		assert_int_equal(q->h_nr_queued, 2);
		assert_int_equal(q->h_nr_runnable, 1);
		assert_int_equal(q->load.weight, 2 * NICE_0_LOAD);
		/* once b has run as much, the pick takes a out and goes on with b */
		world_run(&w, 20 * MS, 4 * MS);
		assert_false(a->on_rq);
		assert_false(a->se.sched_delayed);
		assert_int_equal(world_rq(&w, 0)->nr_running, 1);
		assert_true(a->se.vlag <= 0);
		world_check(&w);
		world_free(&w);
	}
}

static void test_not_delayed(void **state)
{
	static const char *const kernels[] = { "v6.6", "v6.12,NO_DELAY_DEQUEUE" };

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct world w;
		struct task *a = delay_one(&w, kernels[i]);

		assert_false(a->on_rq);
		assert_int_equal(world_rq(&w, 0)->nr_running, 1);
		world_free(&w);
	}
}

/* a task that dies isn't kept */
static void test_dead_leaves(void **state)
{
	struct world w;
	struct task *a;

	world_init(&w, "v6.12", 8, 250);
	a = world_spawn(&w, 0, nice0);
	world_spawn(&w, 0, nice0);
	world_schedule(&w, 0);
	w.now += 1 * MS;
	sched_block(w.s, w.now, 0, true);
	assert_false(a->on_rq);
	world_free(&w);
}

/* woken while delayed: no gain from the time in the queue, unless DELAY_ZERO is off */
static s64 lag_after_delay(const char *kernel, u64 slept)
{
	struct world w;
	struct task *a = delay_one(&w, kernel);
	s64 lag;

	w.now += slept;
	world_wake(&w, a, 0);
	assert_false(a->se.sched_delayed);
	assert_int_equal(world_rq(&w, 0)->cfs.h_nr_runnable, 2);
	lag = avg_vruntime(&world_rq(&w, 0)->cfs) - a->se.vruntime;
	world_check(&w);
	world_free(&w);
	return lag;
}

static void test_delay_zero(void **state)
{
	/* a ran 1 ms, b 0.4 ms so far: still behind */
	assert_int_equal(lag_after_delay("v6.12", 400 * US), -300 * (s64)US);
	assert_int_equal(lag_after_delay("v7.3", 400 * US), -300 * (s64)US);
	/* b ran 1.6 ms: a would be 0.3 ms ahead */
	assert_in_range(lag_after_delay("v7.3", 1600 * US) + 1, 0, 2);
	assert_int_equal(lag_after_delay("v6.12,NO_DELAY_ZERO", 1600 * US), 300 * US);
}

/* 6.12 takes the running task as it was last accounted: a isn't ahead of that, or starts there */
static void test_delay_zero_stale(void **state)
{
	struct world w;
	struct task *a;

	assert_int_equal(lag_after_delay("v6.12", 1600 * US), 300 * US);
	a = delay_one(&w, "v6.12");
	w.now += 1200 * US;
	world_tick(&w);
	w.now += 200 * US;
	world_wake(&w, a, 0);
	/* a was put where b stood at the tick, and b ran on for 0.2 ms */
	assert_int_equal(avg_vruntime(&world_rq(&w, 0)->cfs) - a->se.vruntime, 100 * US);
	world_check(&w);
	world_free(&w);
}

/* ---- slices, yield, weights ---- */

static void test_custom_slice(void **state)
{
	struct sched_task_attr attr = { .slice_ns = 5 * MS };
	struct world w;
	struct task *p;

	world_init(&w, "v6.12", 8, 250);
	p = world_spawn(&w, 0, attr);
	assert_int_equal(p->se.deadline - p->se.vruntime, 2500 * US);
	world_schedule(&w, 0);
	world_run(&w, 8 * MS, 4 * MS);
	assert_int_equal(p->se.slice, 5 * MS);
	world_free(&w);

	world_init(&w, "v6.6", 8, 250); /* can't be asked for yet */
	p = world_spawn(&w, 0, attr);
	assert_int_equal(p->se.slice, 3 * MS);
	world_free(&w);
}

static void test_yield(void **state)
{
	struct task *p;
	struct world w;
	u64 v, deadline;

	world_init(&w, "v6.6", 8, 250);
	p = world_spawn(&w, 0, nice0);
	world_schedule(&w, 0);
	deadline = p->se.deadline;
	sched_yield_task(w.s, w.now, 0); /* alone: nothing */
	assert_int_equal(p->se.deadline, deadline);
	world_spawn(&w, 0, nice0);
	sched_yield_task(w.s, w.now, 0);
	assert_int_equal(p->se.deadline, deadline + 3 * MS);
	world_free(&w);

	world_init(&w, "v6.12.95", 8, 250);
	p = world_spawn(&w, 0, nice0);
	world_schedule(&w, 0);
	world_spawn(&w, 0, nice0);
	deadline = p->se.deadline;
	sched_yield_task(w.s, w.now, 0);
	assert_int_equal(p->se.vruntime, deadline);
	assert_int_equal(p->se.deadline, deadline + 2800 * US);
	/* now it isn't eligible any more: a second one does nothing */
	v = p->se.vruntime;
	sched_yield_task(w.s, w.now, 0);
	assert_int_equal(p->se.vruntime, v);
	world_free(&w);
}

/* V stays; what is owed in real time stays (spec 02 §5.12) */
static void test_reweight(void **state)
{
	struct task *a, *b;
	struct world w;
	struct cfs_rq *q;
	s64 lag, left;
	u64 avg;

	world_init(&w, "v6.12", 8, 250);
	q = &world_rq(&w, 0)->cfs;
	a = world_spawn(&w, 0, nice0);
	b = world_spawn(&w, 0, nice0);
	assert_ptr_equal(world_schedule(&w, 0), a);
	world_run(&w, 1 * MS, 1 * MS);
	avg = avg_vruntime(q);
	lag = avg - b->se.vruntime;
	left = b->se.deadline - b->se.vruntime;
	b->nice = 5;
	fair_reweight_task(w.s, world_rq(&w, 0), b);
	assert_in_range(avg_vruntime(q) - avg + 2, 0, 3);
	assert_in_range(avg - b->se.vruntime - lag * 1024 / 335 + 2, 0, 4);
	assert_in_range(b->se.deadline - b->se.vruntime - left * 1024 / 335 + 2, 0, 4);
	world_check(&w);
	world_free(&w);
}

static void shares(const char *kernel, int nice, u64 want_pct)
{
	struct sched_task_attr attr = { .nice = nice };
	struct task *a, *b;
	struct world w;

	world_init(&w, kernel, 8, 1000);
	a = world_spawn(&w, 0, nice0);
	b = world_spawn(&w, 0, attr);
	world_schedule(&w, 0);
	world_run(&w, 5000 * MS, 1 * MS);
	assert_in_range(b->se.sum_exec_runtime * 1000 / (a->se.sum_exec_runtime +
		b->se.sum_exec_runtime), want_pct - 5, want_pct + 5);
	world_free(&w);
}

static void test_shares(void **state)
{
	static const char *const kernels[] = { "v5.7", "v6.1", "v6.6", "v6.12", "v6.18", "v7.3" };

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		shares(kernels[i], 0, 500);
		shares(kernels[i], 5, 1000 * 335 / 1359);
		shares(kernels[i], -5, 1000 * 3121 / 4145);
	}
}

/* a task that moves while queued keeps lag and the rest of its deadline */
static void test_migration(void **state)
{
	struct task *a, *b;
	struct world w;
	s64 lag, left;

	world_init(&w, "v6.12", 8, 250);
	a = world_spawn(&w, 0, nice0);
	b = world_spawn(&w, 0, nice0);
	assert_ptr_equal(world_schedule(&w, 0), a);
	w.now += 1 * MS;
	world_spawn(&w, 1, nice0);
	world_schedule(&w, 1);
	world_clock(&w, 0);
	fair_update_curr(w.s, world_rq(&w, 0));
	lag = avg_vruntime(&world_rq(&w, 0)->cfs) - b->se.vruntime;
	left = b->se.deadline - b->se.vruntime;
	assert_int_equal(lag, 500 * US);
	deactivate_task(w.s, world_rq(&w, 0), b, 0);
	assert_true(b->se.rel_deadline);
	set_task_cpu(w.s, b, 1);
	activate_task(w.s, world_clock(&w, 1), b, 0);
	assert_int_equal(avg_vruntime(&world_rq(&w, 1)->cfs) - b->se.vruntime, lag);
	assert_int_equal(b->se.deadline - b->se.vruntime, left);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_average),
		cmocka_unit_test(test_lag_placement),
		cmocka_unit_test(test_lag_clamp),
		cmocka_unit_test(test_round_robin),
		cmocka_unit_test(test_pick_finds_earliest_eligible),
		cmocka_unit_test(test_protection),
		cmocka_unit_test(test_preempt_short),
		cmocka_unit_test(test_delayed),
		cmocka_unit_test(test_not_delayed),
		cmocka_unit_test(test_dead_leaves),
		cmocka_unit_test(test_delay_zero),
		cmocka_unit_test(test_delay_zero_stale),
		cmocka_unit_test(test_custom_slice),
		cmocka_unit_test(test_yield),
		cmocka_unit_test(test_reweight),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_migration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
