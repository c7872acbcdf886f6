// SPDX-License-Identifier: BSD-2-Clause
/*
 * The rules for a waking task, each by the spec's own examples (spec 04).
 */
#include "scene.h"

/* one socket of 2 LLCs, 8 cores each, SMT2: LLC 0 is CPUs 0-7,16-23 */
static const struct rig_machine two_llcs = RIG_MACHINE(1, 1, 2, 1, 8, 2);
/* two nodes of 2 LLCs of 4 cores, no SMT: LLC 0 is CPUs 0-3 */
static const struct rig_machine flat = RIG_MACHINE(2, 1, 2, 1, 4, 1);

/* ---- §3 ---- */

static void wake_wide_examples(void **state)
{
	static const struct {
		unsigned int waker, wakee;
		bool wide;
	} example[] = {{16, 256, true},
		       {256, 16, true},
		       {15, 9999, false},
		       {20, 300, false},
		       {20, 320, true}};

	for (size_t i = 0; i < ARRAY_SIZE(example); i++) {
		struct scene sc;

		scene_new(&sc, &two_llcs, "v6.1", 0, 8);
		sc.q.sync = true; /* wake_affine would choose the waker's CPU */
		sc.waker->wakee_flips = example[i].waker;
		sc.wakee->wakee_flips = example[i].wakee;
		assert_int_equal(where(&sc), example[i].wide ? 8 : 0);
		rig_free(&sc.r);
	}
}

static void wakee_flips_decay(void **state)
{
	struct scene sc;
	struct sched *s;

	scene_new(&sc, &two_llcs, "v6.1", 0, 8);
	s = sc.r.s;
	sc.waker->wakee_flips = 40;
	record_wakee(s, sc.r.now, 0, sc.wakee); /* the last one again */
	assert_int_equal(sc.waker->wakee_flips, 40);
	record_wakee(s, sc.r.now, 0, sc.waker);
	assert_int_equal(sc.waker->wakee_flips, 41);
	record_wakee(s, sc.r.now + NSEC_PER_SEC, 0, sc.waker); /* not more than 1 s */
	assert_int_equal(sc.waker->wakee_flips, 41);
	record_wakee(s, sc.r.now + 9 * NSEC_PER_SEC, 0, sc.wakee); /* once, however long */
	assert_int_equal(sc.waker->wakee_flips, 21);
	s->rq[5].curr = NULL; /* the idle task keeps flips of its own */
	record_wakee(s, sc.r.now, 5, sc.wakee);
	assert_int_equal(s->rq[5].idle_wakee_flips, 1);
	rig_free(&sc.r);
}

/* deciding changes nothing; the commit does */
static void decide_is_pure(void **state)
{
	struct scene sc;
	struct task before;

	scene_new(&sc, &two_llcs, "v6.1", 0, 8);
	sc.waker->last_wakee = NULL;
	before = *sc.waker;
	where(&sc);
	assert_memory_equal(&before, sc.waker, sizeof(before));
	sched_wake_commit(sc.r.s, sc.r.now, &sc.q, &sc.d, sc.d.target);
	assert_ptr_equal(sc.waker->last_wakee, sc.wakee);
	assert_int_equal(sc.waker->wakee_flips, 1);
	rig_free(&sc.r);
}

/* ---- §4 ---- */

static void wake_affine_idle(void **state)
{
	struct scene sc;

	scene_new(&sc, &two_llcs, "v6.1", 0, 1);
	rig_set(&sc.r, 0, RIG_IDLE); /* an interrupt on an idle CPU */
	sc.r.s->rq[0].curr = NULL;
	expect_cpu(&sc, 0, TARGET_IDLE);
	rig_set(&sc.r, 1, RIG_IDLE); /* (a): the previous one is idle as well */
	expect_cpu(&sc, 1, TARGET_IDLE);
	rig_free(&sc.r);

	scene_new(&sc, &two_llcs, "v6.1", 0, 8);
	sc.q.sync = true; /* (b), before (c) */
	rig_set(&sc.r, 8, RIG_IDLE);
	expect_cpu(&sc, 0, NO_IDLE);
	assert_true(sc.d.move_affine);
	sc.q.sync = false;
	expect_cpu(&sc, 8, TARGET_IDLE); /* (c) */
	rig_free(&sc.r);

	scene_new(&sc, &two_llcs, "v5.10", 0, 8); /* no (c) before 5.11: the loads decide */
	rig_set(&sc.r, 8, RIG_IDLE);
	set_load(&sc, 8, 5000);
	expect_cpu(&sc, 0, NO_IDLE);
	rig_free(&sc.r);
}

static void sync_minus_delayed(void **state)
{
	static const char *const kernel[] = {"v6.12", "v6.12.95"};

	for (int i = 0; i < 2; i++) {
		struct scene sc;
		struct rq *rq;

		scene_new(&sc, &two_llcs, kernel[i], 0, 8);
		rq = &sc.r.s->rq[0];
		add_nr_running(sc.r.s, rq, 1); /* one delayed task beside the waker */
		rq->cfs.h_nr_queued = 2;
		rq->cfs.h_nr_runnable = 1;
		set_load(&sc, 0, 1000);
		sc.q.sync = true;
		assert_int_equal(where(&sc), i ? 0 : 8);
		rig_free(&sc.r);
	}
}

/* "h" is the task's load times load/(load + 1) of its queue: 1 less than the round figure */
static void wake_affine_weight(void **state)
{
	struct scene sc;

	scene_new(&sc, &two_llcs, "v6.1", 0, 8);
	set_load(&sc, 0, 1000);
	set_load(&sc, 8, 2100);
	sc.wakee->se.avg.load_avg = 100;
	expect_cpu(&sc, 0, NO_IDLE); /* 1100·100 < 2000·108 */
	set_load(&sc, 0, 500);
	set_load(&sc, 8, 800);
	sc.wakee->se.avg.load_avg = 200;
	assert_int_equal(where(&sc), 8); /* 70000 ≥ 64800 */
	set_load(&sc, 0, 430);		 /* 630·100 < 600·108: the bias draws it */
	assert_int_equal(where(&sc), 0);
	rig_free(&sc.r);

	scene_new(&sc, &two_llcs, "v6.1,NO_WA_BIAS", 0, 8);
	set_load(&sc, 0, 430);
	set_load(&sc, 8, 800);
	sc.wakee->se.avg.load_avg = 200;
	assert_int_equal(where(&sc), 8); /* 630 ≥ 600 */
	rig_free(&sc.r);

	scene_new(&sc, &two_llcs, "v6.1,NO_WA_IDLE", 0, 8);
	sc.q.sync = true;
	set_load(&sc, 0, 800);
	set_load(&sc, 8, 0);
	sc.waker->se.avg.load_avg = 801; /* its 800 leave: 0 < 1, by the sync waker's + 1 */
	assert_int_equal(where(&sc), 0);
	sc.q.sync = false;
	assert_int_equal(where(&sc), 8);
	rig_free(&sc.r);
}

static void switches_off(void **state)
{
	struct scene sc;

	scene_new(&sc, &two_llcs, "v6.1,NO_WA_IDLE,NO_WA_WEIGHT", 0, 8);
	sc.q.sync = true;
	set_load(&sc, 8, 9999);
	assert_int_equal(where(&sc), 8);
	rig_free(&sc.r);
}

/* ---- §5 ---- */

static void early_tests(void **state)
{
	struct scene sc;

	scene_new(&sc, &two_llcs, "v6.1", 0, 1);
	sc.q.sync = true; /* target 0 */
	rig_set(&sc.r, 1, RIG_IDLE);
	rig_set(&sc.r, 2, RIG_IDLE);
	sc.wakee->recent_used_cpu = 2;
	expect_cpu(&sc, 1, PREV_IDLE);
	assert_int_equal(sc.d.new_recent_used, -1); /* step 4 wasn't reached */
	rig_set(&sc.r, 1, RIG_BUSY);
	expect_cpu(&sc, 2, RECENT_USED);
	assert_int_equal(sc.d.new_recent_used, 1);
	rig_set(&sc.r, 2, RIG_SCHED_IDLE);
	expect_cpu(&sc, 2, RECENT_USED);
	rig_set(&sc.r, 2, RIG_PENDING);
	assert_int_equal(where(&sc), 0);
	assert_int_equal(sc.d.new_recent_used, 1);
	rig_free(&sc.r);
}

/* until 5.13 recent_used moved on a hit only, and a waker noted its own CPU */
static void recent_used_on_hit(void **state)
{
	struct scene sc;

	scene_new(&sc, &two_llcs, "v5.10", 0, 1);
	sc.q.sync = true;
	sc.wakee->recent_used_cpu = 2;
	where(&sc);
	assert_int_equal(sc.d.new_recent_used, -1);
	assert_true(sc.d.waker_recent_used);
	rig_set(&sc.r, 2, RIG_IDLE);
	expect_cpu(&sc, 2, RECENT_USED);
	assert_int_equal(sc.d.new_recent_used, 1);
	sc.waker->recent_used_cpu = 7;
	sched_wake_commit(sc.r.s, sc.r.now, &sc.q, &sc.d, 2);
	assert_int_equal(sc.waker->recent_used_cpu, 0);
	assert_int_equal(sc.wakee->recent_used_cpu, 1);
	rig_free(&sc.r);
}

/* 7.3: a CPU of SCHED_IDLE tasks is no place for another one */
static void sched_idle_for_sched_idle(void **state)
{
	static const char *const kernel[] = {"v6.12.95", "v7.3"};

	for (int i = 0; i < 2; i++) {
		struct scene sc;

		scene_new(&sc, &two_llcs, kernel[i], 0, 1);
		rig_set(&sc.r, 1, RIG_SCHED_IDLE);
		expect_cpu(&sc, 1, TARGET_IDLE);
		sc.wakee->policy = POLICY_IDLE;
		where(&sc);
		assert_int_equal(sc.d.reason == REASON_TARGET_IDLE, i == 0);
		rig_free(&sc.r);
	}
}

static void kthread_stacking(void **state)
{
	struct scene sc;

	scene_new(&sc, &two_llcs, "v6.1", 0, 0);
	sc.waker->per_cpu_kthread = true;
	rig_set(&sc.r, 3, RIG_IDLE);
	expect_cpu(&sc, 0, KTHREAD_STACK);
	sc.q.in_task = false; /* an interrupt on top of it */
	expect_cpu(&sc, 3, IDLE_CPU);
	sc.q.in_task = true;
	add_nr_running(sc.r.s, &sc.r.s->rq[0], 1); /* not alone */
	expect_cpu(&sc, 3, IDLE_CPU);
	rig_free(&sc.r);
	scene_new(&sc, &two_llcs, "v6.1,+WITHOUT_KTHREAD_STACK", 0, 0);
	sc.waker->per_cpu_kthread = true;
	rig_set(&sc.r, 3, RIG_IDLE);
	expect_cpu(&sc, 3, IDLE_CPU);
	rig_free(&sc.r);
}

/* the SMT step: of the previous CPU, of the target and last, or none (5.12) */
static void smt_step(void **state)
{
	struct scene sc;

	scene_new(&sc, &two_llcs, "v6.1", 0, 1);
	sc.q.sync = true;
	rig_set(&sc.r, 17, RIG_IDLE); /* sibling of 1 */
	rig_set(&sc.r, 3, RIG_IDLE);
	expect_cpu(&sc, 17, SMT_SIBLING);
	rig_set(&sc.r, 17, RIG_BUSY);
	sc.r.s->llc[0].has_idle_cores = true; /* then a core is sought, none found */
	expect_cpu(&sc, 3, IDLE_CPU);
	assert_true(sc.d.clear_idle_cores);
	sched_wake_commit(sc.r.s, sc.r.now, &sc.q, &sc.d, 3);
	assert_false(sc.r.s->llc[0].has_idle_cores);
	rig_free(&sc.r);

	scene_new(&sc, &two_llcs, "v5.10", 0, 1); /* the scan may read 3 CPUs: 0, 1, 2 */
	sc.q.sync = true;
	sc.r.s->rq[0].avg_scan_cost = 1000000;
	rig_set(&sc.r, 17, RIG_IDLE);
	rig_set(&sc.r, 16, RIG_IDLE); /* sibling of the target */
	expect_cpu(&sc, 16, SMT_SIBLING);
	rig_set(&sc.r, 2, RIG_IDLE);
	expect_cpu(&sc, 2, IDLE_CPU);
	rig_free(&sc.r);
}

static void idle_core_before_cpu(void **state)
{
	struct scene sc;

	scene_new(&sc, &two_llcs, "v6.1", 0, 1);
	sc.q.sync = true;
	rig_set(&sc.r, 3, RIG_IDLE);
	rig_set(&sc.r, 6, RIG_IDLE);
	rig_set(&sc.r, 22, RIG_IDLE);
	sc.r.s->llc[0].has_idle_cores = true;
	sc.r.s->llc[0].nr_idle_scan = 1; /* doesn't limit the search for a core */
	expect_cpu(&sc, 6, IDLE_CORE);
	assert_false(sc.d.clear_idle_cores);
	sc.r.s->llc[0].nr_idle_scan = 0; /* but forbids it altogether */
	expect_cpu(&sc, 0, SCAN_GIVEN_UP);
	assert_false(sc.d.clear_idle_cores);
	rig_free(&sc.r);
}

/* ---- §8: Kunpeng, clusters of 4, LLC 0-31; target 5 busy, P = 9 free, CPU 6 free ---- */

static void cluster_example(void **state)
{
	static const struct rig_machine kunpeng = RIG_MACHINE(1, 4, 1, 8, 4, 1, .arm = true);
	static const struct {
		const char *kernel;
		int cpu;
	} row[] = {{"v5.19-tip,+CLUSTER_V7", 6}, {"v6.12", 6}, {"v5.19-tip", 9}};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct scene sc;

		scene_new(&sc, &kunpeng, row[i].kernel, 5, 9);
		sc.q.sync = true;
		rig_set(&sc.r, 9, RIG_IDLE);
		rig_set(&sc.r, 6, RIG_IDLE);
		assert_int_equal(where(&sc), row[i].cpu);
		rig_free(&sc.r);
	}
}

/* merged form: the previous CPU, then the recent one, are kept for the end */
static void cluster_fallbacks(void **state)
{
	static const struct rig_machine kunpeng = RIG_MACHINE(1, 4, 1, 8, 4, 1, .arm = true);
	struct scene sc;

	scene_new(&sc, &kunpeng, "v6.12", 5, 9);
	sc.q.sync = true;
	sc.wakee->recent_used_cpu = 13;
	sc.r.s->llc[0].nr_idle_scan = 3; /* 6, 7, 4: no farther */
	rig_set(&sc.r, 9, RIG_IDLE);
	rig_set(&sc.r, 13, RIG_IDLE);
	expect_cpu(&sc, 9, PREV_FALLBACK);
	rig_set(&sc.r, 9, RIG_BUSY);
	expect_cpu(&sc, 13, RECENT_FALLBACK);
	rig_set(&sc.r, 13, RIG_BUSY);
	expect_cpu(&sc, 5, SCAN_GIVEN_UP);
	sc.r.s->llc[0].nr_idle_scan = 32;
	expect_cpu(&sc, 5, NO_IDLE);
	rig_set(&sc.r, 4, RIG_IDLE);
	expect_cpu(&sc, 4, CLUSTER_IDLE);
	rig_free(&sc.r);
}

/* ---- §5.5: mixed capacities, CPUs 0-3 of 500, 4-7 of 1024 ---- */

static void mixed_capacity(void **state)
{
	static const struct rig_machine mixed =
		RIG_MACHINE(1, 1, 1, 1, 8, 1, .arm = true, .little = 500);
	struct scene sc;

	scene_new(&sc, &mixed, "v6.1,NO_WA_IDLE,NO_WA_WEIGHT", 4, 1);
	assert_true(sc.r.s->asym_active);
	sc.wakee->se.avg.util_avg = 300; /* 300·1280 < 500·1024: fits everywhere */
	rig_set(&sc.r, 2, RIG_IDLE);
	rig_set(&sc.r, 6, RIG_IDLE);
	expect_cpu(&sc, 2, CAPACITY_FIT);
	sc.wakee->se.avg.util_avg = 450; /* needs a big one */
	expect_cpu(&sc, 6, CAPACITY_FIT);
	rig_set(&sc.r, 1, RIG_IDLE); /* an idle target without room isn't taken early */
	expect_cpu(&sc, 6, CAPACITY_FIT);
	rig_set(&sc.r, 6, RIG_BUSY); /* none fits: the biggest, first one */
	expect_cpu(&sc, 1, IDLE_CPU);
	sc.wakee->cpu = 2;
	rig_set(&sc.r, 3, RIG_IDLE);
	expect_cpu(&sc, 2, IDLE_CPU);
	sc.r.s->rq[3].cpu_capacity = 510;
	expect_cpu(&sc, 3, IDLE_CPU);
	for (int c = 0; c < 4; c++)
		rig_set(&sc.r, c, RIG_BUSY);
	expect_cpu(&sc, 2, NO_IDLE);
	rig_free(&sc.r);
}

/* spec 16 §9.3: an idle core beats an idle thread, then room, then size; SIS_UTIL limits */
static void mixed_capacity_7_3(void **state)
{
	/* 8 cores of 2 threads: CPUs 0-7 and 8-15; cores 0-3 of 500, 4-7 of 1024 */
	static const struct rig_machine smt =
		RIG_MACHINE(1, 1, 1, 1, 8, 2, .arm = true, .little = 500);
	struct asym_shared *shared;
	struct scene sc;

	scene_new(&sc, &smt, "v7.3,NO_WA_IDLE,NO_WA_WEIGHT", 4, 1);
	assert_true(sc.r.s->asym_active && sc.r.s->smt_active);
	shared = sc.r.s->rq[1].asym_shared;
	assert_non_null(shared);
	assert_ptr_equal(shared, sc.r.s->rq[15].asym_shared);
	shared->nr_idle_scan = 16;
	sc.wakee->se.avg.util_avg = 300; /* fits everywhere */
	rig_set(&sc.r, 1, RIG_IDLE);	 /* the target, but its sibling 9 is busy */
	rig_set(&sc.r, 2, RIG_IDLE);
	rig_set(&sc.r, 3, RIG_IDLE);
	rig_set(&sc.r, 11, RIG_IDLE); /* core 3 is idle */
	expect_cpu(&sc, 3, CAPACITY_FIT);
	rig_set(&sc.r, 9, RIG_IDLE);
	expect_cpu(&sc, 1, TARGET_IDLE);
	rig_set(&sc.r, 9, RIG_BUSY);
	rig_set(&sc.r, 11, RIG_BUSY); /* no idle core: the first of those that fit */
	expect_cpu(&sc, 1, CAPACITY_FIT);
	assert_false(sc.d.clear_asym_cores);
	shared->has_idle_cores = true; /* that was wrong */
	expect_cpu(&sc, 1, CAPACITY_FIT);
	assert_true(sc.d.clear_asym_cores);
	sched_wake_commit(sc.r.s, sc.r.now, &sc.q, &sc.d, 1);
	assert_false(shared->has_idle_cores);
	rig_free(&sc.r);

	scene_new(&sc, &smt, "v7.3,NO_WA_IDLE,NO_WA_WEIGHT", 4, 1);
	shared = sc.r.s->rq[1].asym_shared;
	sc.wakee->se.avg.util_avg = 450; /* needs a big CPU */
	rig_set(&sc.r, 3, RIG_IDLE);
	rig_set(&sc.r, 11, RIG_IDLE);
	rig_set(&sc.r, 6, RIG_IDLE);
	shared->nr_idle_scan = 16;
	expect_cpu(&sc, 3, IDLE_CPU); /* an idle core without room beats a thread with it */
	shared->nr_idle_scan = 2;     /* 1 and 2 */
	expect_cpu(&sc, 1, NO_IDLE);
	shared->has_idle_cores = true; /* no limit then */
	expect_cpu(&sc, 3, IDLE_CPU);
	shared->nr_idle_scan = 0;
	expect_cpu(&sc, 1, SCAN_GIVEN_UP);
	rig_free(&sc.r);

	scene_new(&sc, &smt, "v6.18,NO_WA_IDLE,NO_WA_WEIGHT", 4, 1); /* none of it before */
	assert_null(sc.r.s->rq[1].asym_shared);
	sc.wakee->se.avg.util_avg = 300;
	rig_set(&sc.r, 1, RIG_IDLE);
	expect_cpu(&sc, 1, TARGET_IDLE);
	rig_free(&sc.r);
}

/* ---- affinity (§1.6) ---- */

static void affinity(void **state)
{
	struct scene sc;
	u64 *allowed;

	scene_new(&sc, &flat, "v6.1", 0, 1);
	allowed = sc.wakee->allowed;
	sc.wakee->allowed_all = false;
	mask_zero(allowed, sc.r.s->words);
	mask_set(allowed, 12);
	sc.wakee->nr_allowed = 1;
	expect_cpu(&sc, 12, PINNED);
	assert_int_equal(sc.d.cost_ns, 0);
	mask_set(allowed, 6); /* the previous CPU left the set: nearest by node, lowest number */
	sc.wakee->nr_allowed = 2;
	expect_cpu(&sc, 6, FALLBACK);
	mask_clear(allowed, 6);
	mask_set(allowed, 13);
	expect_cpu(&sc, 12, FALLBACK);
	mask_set(allowed, 1); /* the waker's CPU isn't in the set: no wake_affine */
	sc.wakee->nr_allowed = 3;
	sc.q.sync = true;
	assert_int_equal(where(&sc), 1);
	rig_free(&sc.r);
}

static void current_cpu(void **state)
{
	struct scene sc;

	scene_new(&sc, &flat, "v6.12", 2, 9);
	rig_set(&sc.r, 9, RIG_IDLE);
	sc.q.current_cpu = true;
	expect_cpu(&sc, 2, CURRENT_CPU);
	rig_free(&sc.r);
}

/* ---- §7 ---- */

struct list_row {
	const char *kernel;
	enum wake_path same, near_idle, near_one, near_two, far;	/* after selection */
	enum wake_path on_near_empty, on_near_one, on_near_two, on_far; /* p still on that CPU */
};

static const struct list_row list_rows[] = {
#define D WAKE_DIRECT
#define L WAKE_LIST
#define O WAKE_ON_CPU_LIST
#define S WAKE_SPIN
	{"v5.7", D, D, D, D, L, S, S, S, S},
	{"v5.7,+OPTTTWU", D, D, D, D, L, S, S, S, O},
	{"v5.7,+OPTTTWU,+LOCALWAKELIST", D, D, D, D, L, O, O, S, O},
	{"v5.10", D, D, D, D, L, O, O, S, O},
	{"v5.18", D, D, D, D, L, O, O, S, O},
	{"v6.1", D, L, D, D, L, O, S, S, O},
	{"v7.3", D, L, D, D, L, O, S, S, O},
	{"v6.1,NO_TTWU_QUEUE", D, D, D, D, D, S, S, S, S},
#undef D
#undef L
#undef O
#undef S
};

static enum wake_path path_to(const char *kernel, int cpu, int nr_running, bool on_cpu)
{
	enum wake_path path;
	struct scene sc;
	u64 allowed[1] = {0};

	scene_new(&sc, &flat, kernel, 0, cpu);
	add_nr_running(sc.r.s, &sc.r.s->rq[cpu], nr_running - sc.r.s->rq[cpu].nr_running);
	mask_set(allowed, cpu);
	mask_copy(sc.wakee->allowed, allowed, 1);
	sc.wakee->allowed_all = false;
	sc.wakee->nr_allowed = 1;
	sc.wakee->on_cpu = on_cpu;
	assert_int_equal(where(&sc), cpu);
	path = sc.d.path;
	rig_free(&sc.r);
	return path;
}

static void wake_list_table(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(list_rows); i++) {
		const struct list_row *row = &list_rows[i];

		assert_int_equal(path_to(row->kernel, 0, 1, false), row->same);
		assert_int_equal(path_to(row->kernel, 1, 0, false), row->near_idle);
		assert_int_equal(path_to(row->kernel, 1, 1, false), row->near_one);
		assert_int_equal(path_to(row->kernel, 1, 2, false), row->near_two);
		assert_int_equal(path_to(row->kernel, 4, 5, false), row->far);
		assert_int_equal(path_to(row->kernel, 1, 0, true), row->on_near_empty);
		assert_int_equal(path_to(row->kernel, 1, 1, true), row->on_near_one);
		assert_int_equal(path_to(row->kernel, 1, 2, true), row->on_near_two);
		assert_int_equal(path_to(row->kernel, 4, 5, true), row->on_far);
	}
}

/* what was selected costs the price of the CPUs read */
static void cost(void **state)
{
	struct scene sc;

	scene_new(&sc, &flat, "v6.1", 0, 1);
	rig_set(&sc.r, 1, RIG_IDLE);
	where(&sc);
	assert_int_equal(sc.d.cost_ns, 1 * RIG_PRICE); /* the target alone */
	rig_set(&sc.r, 1, RIG_BUSY);
	sc.r.s->llc[0].nr_idle_scan = 2;
	where(&sc);
	assert_int_equal(sc.d.cost_ns, (1 + 2) * RIG_PRICE); /* …and two of the scan */
	rig_free(&sc.r);
}

/* every decision ends with one final record that says what came of it; listening changes nothing */
struct log {
	int nr, nr_final;
	struct sched_record last;
	bool seen[NR_REASONS];
};

static void note(void *ctx, const struct sched_record *rec)
{
	struct log *log = ctx;

	log->nr++;
	log->nr_final += rec->final;
	log->seen[rec->reason] = true;
	log->last = *rec;
}

static void explained(void **state)
{
	struct log log = {0};
	struct wake_decision silent;
	struct scene sc;

	scene_new(&sc, &two_llcs, "v6.1", 0, 8);
	sc.q.sync = true;
	where(&sc);
	silent = sc.d;
	sched_set_sink(sc.r.s, note, &log);
	where(&sc);
	assert_int_equal(sc.d.target, silent.target);
	assert_int_equal(sc.d.path, silent.path);
	assert_int_equal(sc.d.reason, silent.reason);
	assert_int_equal(sc.d.cost_ns, silent.cost_ns);
	assert_int_equal(log.nr_final, 1);
	assert_true(log.last.final && log.last.taken);
	assert_int_equal(log.last.candidate, sc.d.target);
	assert_int_equal(log.last.reason, sc.d.reason);
	assert_ptr_equal(log.last.p, sc.wakee);
	assert_true(log.seen[REASON_WA_SYNC] && log.seen[REASON_TARGET_IDLE] &&
		    log.seen[REASON_NO_IDLE]);
	for (int i = 0; i < NR_REASONS; i++) {
		assert_string_not_equal(sched_reason_name(i), "?");
		assert_true(strlen(sched_reason_doc(i)) > 5);
	}
	assert_string_equal(sched_reason_name(NR_REASONS), "?");
	rig_free(&sc.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wake_wide_examples),
		cmocka_unit_test(wakee_flips_decay),
		cmocka_unit_test(decide_is_pure),
		cmocka_unit_test(wake_affine_idle),
		cmocka_unit_test(sync_minus_delayed),
		cmocka_unit_test(wake_affine_weight),
		cmocka_unit_test(switches_off),
		cmocka_unit_test(early_tests),
		cmocka_unit_test(recent_used_on_hit),
		cmocka_unit_test(sched_idle_for_sched_idle),
		cmocka_unit_test(kthread_stacking),
		cmocka_unit_test(smt_step),
		cmocka_unit_test(idle_core_before_cpu),
		cmocka_unit_test(cluster_example),
		cmocka_unit_test(cluster_fallbacks),
		cmocka_unit_test(mixed_capacity),
		cmocka_unit_test(mixed_capacity_7_3),
		cmocka_unit_test(affinity),
		cmocka_unit_test(current_cpu),
		cmocka_unit_test(wake_list_table),
		cmocka_unit_test(cost),
		cmocka_unit_test(explained),
	};

	return cmocka_run_group_tests_name("wake", tests, NULL, NULL);
}
