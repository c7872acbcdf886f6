/* SPDX-License-Identifier: BSD-2-Clause */
/* flat.c, group.c: 7.3's one tree a CPU (spec 16 §3-8), and group shares (spec 09 §1). */
#include "fixture.h"

static const struct sched_task_attr nice0 = { .nice = 0 };

static struct task_group *group(struct world *w, struct task_group *parent, u64 shares)
{
	struct err err = { 0 };
	struct task_group *tg = sched_group_new(w->s, parent, shares, &err);

	if (!tg)
		fail_msg("%s", err.msg);
	return tg;
}

static void ran_pct(const struct task *p, u64 total, u64 want)
{
	assert_in_range(p->se.sum_exec_runtime * 100 / total, want - 2, want + 2);
}

/* the share of a group whose members run everywhere (spec 16 §3.4) */
static void test_share_rules(void **state)
{
	static const struct {
		const char *kernel;
		long runnable;
		u64 want;
	} cases[] = {
		{ "v7.3", 2048, 2048 },	     /* two tasks: the example of spec 16 §3 */
		{ "v7.3", 2047, 1024 },	     /* all but two */
		{ "v7.3", 100, 1024 },
		{ "v7.3", 20 * 1024, 8192 }, /* not more than there are CPUs */
		{ "v6.18", 20 * 1024, 1024 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sched_task_attr attr = { .nice = 0 };
		struct world w;

		world_init(&w, cases[i].kernel, 8, 250);
		attr.group = group(&w, NULL, 1024);
		world_spawn(&w, 0, attr);
		world_spawn(&w, 0, attr);
		attr.group->runnable_avg = cases[i].runnable;
		attr.group->load_avg = attr.group->cfs_rq[0]->tg_load_avg_contrib;
		update_cfs_group(w.s, attr.group->se[0]);
		assert_int_equal(attr.group->se[0]->load.weight, cases[i].want * 1024);
		world_free(&w);
	}
}

/*
 * A task at the root beside a group: in 7.3 the group counts for as many tasks as
 * its runnable average says (which, updated in steps of 1/64, may say one less).
 */
static void test_concurrent_share(void **state)
{
	static const char *const kernels[] = { "v6.6", "v6.12", "v7.3" };

	for (size_t i = 0; i < ARRAY_SIZE(kernels) * 3; i++) {
		struct sched_task_attr attr = { .nice = 0 };
		bool concur = i % ARRAY_SIZE(kernels) == 2;
		u64 members = 2 + i / ARRAY_SIZE(kernels), before, n = 1;
		struct task *alone;
		struct world w;

		world_init(&w, kernels[i % ARRAY_SIZE(kernels)], 8, 250);
		alone = world_spawn(&w, 0, nice0);
		attr.group = group(&w, NULL, 1024);
		for (u64 m = 0; m < members; m++)
			world_spawn(&w, 0, attr);
		world_schedule(&w, 0);
		world_run(&w, 1000 * MS, 4 * MS); /* the averages settle */
		before = alone->se.sum_exec_runtime;
		world_run(&w, 6000 * MS, 4 * MS);
		alone->se.sum_exec_runtime -= before;
		if (concur) {
			n = attr.group->runnable_avg >> 10;
			assert_in_range(n, members - 1, members);
		}
		ran_pct(alone, 6000 * MS, 100 / (n + 1));
		world_check(&w);
		world_free(&w);
	}
}

/* H, by hand: the example of spec 16 §3 and a second level */
static void test_effective_weight(void **state)
{
	struct cfs_rq root = { .load.weight = 3 << 20 }, g = { .load.weight = 2 << 20 },
		      h = { .load.weight = 4 << 20 };
	struct sched_entity gse = { .load.weight = 2 << 20, .cfs_rq = &root, .my_q = &g };
	struct sched_entity a = { .load.weight = 1 << 20, .cfs_rq = &g, .parent = &gse };
	struct sched_entity hse = { .load.weight = 1 << 20, .cfs_rq = &g, .my_q = &h,
				    .parent = &gse };
	struct sched_entity b = { .load.weight = 3 << 20, .cfs_rq = &h, .parent = &hse };
	struct sched_entity tiny = { .load.weight = 3 << 10, .cfs_rq = &h, .parent = &hse };
	struct sched_entity r = { .load.weight = 335 << 10, .cfs_rq = &root };

	g.my_se = &gse;
	h.my_se = &hse;
	assert_int_equal(flat_effective_weight(&a), 1024 * 1024);
	gse.load.weight = 1 << 20; /* mode smp */
	assert_int_equal(flat_effective_weight(&a), 512 * 1024);
	assert_int_equal(flat_effective_weight(&r), 335 * 1024);
	/* 3/4 of h, which has half of g, whose weight is 1 */
	assert_int_equal(flat_effective_weight(&b), 384 * 1024);
	gse.load.weight = 2;
	assert_int_equal(flat_effective_weight(&tiny), 2);
}

/* spec 16 §4: A runs, B with a shorter slice is queued when A is picked */
static void protection(const char *kernel, u64 want_vprot)
{
	const u64 v0 = 1ULL << 40;
	struct task p = { .nice = 0 };
	struct sched_entity a = { .load = task_weight(&p), .vruntime = v0,
				  .deadline = v0 + 2800 * US, .slice = 2800 * US, .on_rq = true,
				  .key_weight = NICE_0_LOAD };
	struct sched_entity b = a;
	struct cfs_rq q = { .min_vruntime = v0, .nr_tree = 2 };
	struct world w;

	a.vload = b.vload = a.load;
	b.slice = 1 * MS;
	b.deadline = v0 + 1 * MS;
	world_init(&w, kernel, 8, 250);
	eevdf_insert(&q, &b);
	q.curr = q.vcurr = &a;
	eevdf_protect(w.s, &q, &a);
	assert_int_equal(a.vprot - v0, want_vprot);
	world_free(&w);
}

static void test_short_protection(void **state)
{
	protection("v7.3", 1);
	protection("v7.3,NO_PREEMPT_SHORT", 1 * MS);
	protection("v7.3,NO_PREEMPT_SHORT,NO_RUN_TO_PARITY", 700 * US);
	protection("v6.18", 1 * MS);
}

/* spec 16 §8: slices end on time; without HRTICK at ticks */
static void test_hrtick(void **state)
{
	struct sched_task_attr hog = { .nice = 0 };
	struct task *last;
	struct world w;
	u64 since;

	world_init(&w, "v7.3,NO_PLACE_DEADLINE_INITIAL", 8, 250);
	for (int i = 0; i < 3; i++)
		world_spawn(&w, 0, hog);
	last = world_schedule(&w, 0);
	since = w.now;
	for (int turns = 0; turns < 12;) {
		struct task *curr;

		world_run(&w, 100 * US, 4 * MS);
		curr = world_rq(&w, 0)->curr;
		if (curr == last)
			continue;
		assert_int_equal(w.now - since, 2800 * US);
		assert_int_equal(curr->id, ++turns % 3 + 1);
		last = curr;
		since = w.now;
	}
	world_free(&w);

	world_init(&w, "v7.3,NO_HRTICK", 8, 250);
	world_spawn(&w, 0, hog);
	world_spawn(&w, 0, hog);
	last = world_schedule(&w, 0);
	assert_int_equal(w.hrtick[0], 0);
	world_run(&w, 3900 * US, 4 * MS);
	assert_ptr_equal(world_rq(&w, 0)->curr, last);
	world_free(&w);
}

/* a task that is chosen again at the end of its slice gets another timer */
static void test_hrtick_again(void **state)
{
	struct sched_task_attr heavy = { .nice = -10 };
	struct world w;
	int again = 0;

	world_init(&w, "v7.3", 8, 250);
	world_spawn(&w, 0, heavy);
	world_spawn(&w, 0, nice0);
	world_schedule(&w, 0);
	for (int i = 0; i < 1000; i++) {
		u64 before = w.hrtick[0];
		struct task *curr = world_rq(&w, 0)->curr;

		assert_true(before > w.now);
		world_run(&w, 100 * US, 4 * MS);
		again += w.hrtick[0] != before && world_rq(&w, 0)->curr == curr;
	}
	assert_true(again > 10);
	world_free(&w);
}

/* weights far apart: sums that 64 bits don't hold */
static void test_far_apart(void **state)
{
	struct sched_task_attr light = { .policy = POLICY_IDLE }, heavy = { .nice = -20 };
	struct task *p, *q;
	struct world w;

	world_init(&w, "v7.3", 8, 250);
	p = world_spawn(&w, 0, heavy);
	world_spawn(&w, 0, light);
	world_spawn(&w, 0, light);
	world_schedule(&w, 0);
	for (int i = 0; i < 200; i++) {
		world_run(&w, 1 * MS, 4 * MS);
		q = world_rq(&w, 0)->curr;
		if (q && i % 3 == 0) {
			world_block(&w, 0);
			world_wake(&w, q, 0);
		}
		world_settle(&w);
		world_check(&w);
	}
	/* V is between the smallest and the largest vruntime, whatever they are */
	for (int i = 0; i < 2; i++) {
		struct cfs_rq *root = &world_rq(&w, 0)->cfs;
		s64 ahead = 0, behind = 0;
		struct task *t;

		list_for_each_entry(t, &world_rq(&w, 0)->cfs_tasks, rq_node) {
			s64 lag = avg_vruntime(root) - t->se.vruntime;

			ahead |= lag > 0;
			behind |= lag < 0;
		}
		assert_int_equal(ahead, behind);
	}
	assert_true(p->se.sum_exec_runtime > 100 * MS);
	world_free(&w);
}

/* the timer of a task that left the CPU does nothing to the next one */
static void test_stale_hrtick(void **state)
{
	struct world w;

	world_init(&w, "v7.3", 8, 250);
	world_spawn(&w, 0, nice0);
	world_spawn(&w, 0, nice0);
	world_schedule(&w, 0);
	assert_int_not_equal(w.hrtick[0], 0);
	w.now += 100 * US;
	sched_block(w.s, w.now, 0, true);
	world_schedule(&w, 0);
	sched_hrtick(w.s, w.now, 0);
	assert_false(sched_need_resched(w.s, 0));
	world_free(&w);
}

/* spec 16 §5.5: a forked child doesn't preempt by an earlier deadline; an idle one gives way */
static bool child_preempts(const char *kernel, enum sched_policy curr, u64 slice)
{
	struct sched_task_attr attr = { .policy = curr };
	struct world w;
	bool got;

	world_init(&w, kernel, 8, 250);
	world_spawn(&w, 0, attr);
	world_schedule(&w, 0);
	w.now += 1000 * US;
	attr = (struct sched_task_attr){ .slice_ns = slice };
	world_spawn(&w, 0, attr);
	got = sched_need_resched(w.s, 0) || sched_need_resched_lazy(w.s, 0);
	world_free(&w);
	return got;
}

static void test_fork_preemption(void **state)
{
	/* the parent's first deadline, half a slice, is 0.4 ms away; the child's 1.4 ms */
	assert_false(child_preempts("v7.3", POLICY_NORMAL, 0));
	assert_true(child_preempts("v7.3", POLICY_NORMAL, 500 * US));
	assert_true(child_preempts("v7.3", POLICY_IDLE, 0));
	assert_true(child_preempts("v6.12,NO_RUN_TO_PARITY", POLICY_NORMAL, 500 * US));
	assert_false(child_preempts("v7.3,NO_PREEMPT_SHORT", POLICY_NORMAL, 500 * US));
}

/* lazy: the flag of its own, until a tick makes it a normal one (spec 16 §6) */
static void test_lazy(void **state)
{
	struct sched_task_attr idle = { .policy = POLICY_IDLE };
	struct world w;

	world_init(&w, "v7.3", 8, 250);
	world_spawn(&w, 0, idle);
	world_schedule(&w, 0);
	world_spawn(&w, 0, nice0);
	assert_true(sched_need_resched_lazy(w.s, 0));
	assert_false(sched_need_resched(w.s, 0));
	w.now += 1 * MS;
	sched_tick(w.s, w.now, 0);
	assert_true(sched_need_resched(w.s, 0));
	world_free(&w);
}

/* ---- group shares (spec 09 §1) ---- */

/* equal loads on N CPUs: shares / N each */
static void test_share_is_divided(void **state)
{
	struct sched_task_attr attr = { .nice = 0 };
	struct world w;

	world_init(&w, "v6.12", 4, 250);
	attr.group = group(&w, NULL, 1024);
	for (int c = 0; c < 4; c++) {
		world_spawn(&w, c, attr);
		world_schedule(&w, c);
	}
	world_run(&w, 600 * MS, 4 * MS);
	for (int c = 0; c < 4; c++)
		assert_in_range(attr.group->se[c]->load.weight, 255 * 1024, 261 * 1024);
	assert_in_range(attr.group->load_avg, 4 * 1000, 4 * 1030);
	world_free(&w);
}

/*
 * sched-log-2020: A(102400) > B(2) > C(1024) against D > E > F (1024 each) on all of many CPUs.
 * B's entity weighs little, but A must keep its part: C wins by about 100 to 1.
 */
static void test_small_weight_below_big(void **state)
{
	struct sched_task_attr c_attr = { .nice = 0 }, f_attr = { .nice = 0 };
	struct task *c = NULL, *f = NULL;
	struct task_group *a;
	struct world w;

	world_init(&w, "v5.7", 16, 250);
	a = group(&w, NULL, 102400);
	c_attr.group = group(&w, group(&w, a, 2), 1024);
	f_attr.group = group(&w, group(&w, group(&w, NULL, 1024), 1024), 1024);
	for (int cpu = 0; cpu < 16; cpu++) {
		c = world_spawn(&w, cpu, c_attr);
		f = world_spawn(&w, cpu, f_attr);
		world_schedule(&w, cpu);
	}
	world_run(&w, 8000 * MS, 4 * MS);
	/* by the old rounding, A's part would have been 2 */
	for (int cpu = 0; cpu < 16; cpu++)
		assert_in_range(a->se[cpu]->load.weight, 5 << 20, 13 << 20);
	assert_true(c->se.sum_exec_runtime / f->se.sum_exec_runtime > 50);
	world_free(&w);
}

/* weights of groups side by side, also below other groups */
static void test_group_weights(void **state)
{
	static const char *const kernels[] = { "v6.1", "v6.6", "v6.12", "v6.18", "v7.3" };

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct sched_task_attr x = { .nice = 0 }, y = { .nice = 0 };
		struct task_group *top;
		struct task *a, *b;
		struct world w;

		world_init(&w, kernels[i], 1, 1000);
		top = group(&w, NULL, 512);
		x.group = group(&w, top, 2048);
		y.group = group(&w, top, 1024);
		a = world_spawn(&w, 0, x);
		b = world_spawn(&w, 0, y);
		world_schedule(&w, 0);
		world_run(&w, 6000 * MS, 1 * MS);
		ran_pct(a, 6000 * MS, 67);
		ran_pct(b, 6000 * MS, 33);
		world_check(&w);
		world_free(&w);
	}
}

/* a group's slice goes on when one of its tasks takes over from the other (≤6.18) */
static void test_common_levels_go_on(void **state)
{
	struct sched_task_attr attr = { .nice = 0 };
	struct sched_entity *gse;
	struct task *a, *b;
	struct world w;
	u64 began;

	world_init(&w, "v6.1", 1, 250);
	attr.group = group(&w, NULL, 1024);
	a = world_spawn(&w, 0, attr);
	b = world_spawn(&w, 0, attr);
	if (world_schedule(&w, 0) == b) {
		b = a;
		a = world_rq(&w, 0)->curr;
	}
	gse = a->se.parent;
	began = gse->prev_sum_exec_runtime;
	w.now += 1 * MS;
	world_clock(&w, 0);
	fair_update_curr(w.s, world_rq(&w, 0));
	fair_put_prev_set_next(w.s, world_rq(&w, 0), a, b);
	assert_int_equal(gse->sum_exec_runtime, began + 1 * MS);
	assert_int_equal(gse->prev_sum_exec_runtime, began);
	assert_ptr_equal(world_rq(&w, 0)->cfs.curr, gse);
	assert_ptr_equal(gse->my_q->curr, &b->se);
	/* not so if the task is alone on its way: the group's slice ends with it */
	fair_put_prev_task(w.s, world_rq(&w, 0), b);
	fair_set_next_task(w.s, world_rq(&w, 0), b);
	assert_int_equal(gse->prev_sum_exec_runtime, began + 1 * MS);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_share_rules),
		cmocka_unit_test(test_concurrent_share),
		cmocka_unit_test(test_effective_weight),
		cmocka_unit_test(test_short_protection),
		cmocka_unit_test(test_hrtick),
		cmocka_unit_test(test_hrtick_again),
		cmocka_unit_test(test_far_apart),
		cmocka_unit_test(test_stale_hrtick),
		cmocka_unit_test(test_fork_preemption),
		cmocka_unit_test(test_lazy),
		cmocka_unit_test(test_share_is_divided),
		cmocka_unit_test(test_small_weight_below_big),
		cmocka_unit_test(test_group_weights),
		cmocka_unit_test(test_common_levels_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
