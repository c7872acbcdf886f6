// SPDX-License-Identifier: BSD-2-Clause
/*
 * Wake-ups in time (spec 04 §7, 14 §2): what they take, and by which path.
 */
#include "world.h"

static void pin(u64 *mask, int cpu)
{
	mask[0] = 1ULL << cpu;
}

/* Two tasks that wake each other in turn, @run ns of work each; on CPUs @a and @b. */
struct pingpong {
	struct script s[2];
	struct sim_step step[2][4];
	u64 mask[2][1];
};

static void pingpong_init(struct pingpong *p, u64 run, int loops)
{
	memset(p, 0, sizeof(*p));
	for (int i = 0; i < 2; i++) {
		struct sim_step *st = p->step[i];

		st[i ? 1 : 0] = (struct sim_step){ .op = SIM_RUN, .ns = run };
		st[i ? 2 : 1] = (struct sim_step){ .op = SIM_WAKE_PAIR };
		st[i ? 0 : 2] = (struct sim_step){ .op = SIM_SLEEP_FOREVER };
		p->s[i] = (struct script){ .step = st, .nr = 3, .loops = loops };
	}
}

static void pingpong_spawn(struct pingpong *p, struct sim *sim, int a, int b)
{
	struct sim_task *t[2];

	pin(p->mask[0], a);
	pin(p->mask[1], b);
	t[0] = world_spawn(sim, &p->s[0], p->mask[0]);
	t[1] = world_spawn(sim, &p->s[1], p->mask[1]);
	p->step[0][1].task = t[1];
	p->step[1][2].task = t[0];
}

/*
 * One round on two polling CPUs of one LLC, each half: run, futex wake, (CPU
 * selection: pinned, free), enqueue there, the idle CPU notices, switch.
 */
static u64 half_round(const struct machine *m, u64 run)
{
	return run + m->cost.futex_wake + m->cost.wake_remote[0] + m->cost.poll_wake +
	       m->cost.switch_other_mm;
}

static void round_is_the_sum_of_its_parts(void **state)
{
	struct machine *m = world_machine("core:3 pu:1");
	struct pingpong p;
	struct sim *sim;

	m->cost.switch_other_mm = m->cost.switch_same_mm;
	pingpong_init(&p, 20 * US, 51);
	sim = world_new(m, "v5.7", &(struct sim_params){ .no_noise = true, .check = true });
	pingpong_spawn(&p, sim, 1, 2);
	world_run(sim);
	assert_int_equal(p.s[0].at[2] - p.s[0].at[0],
			 20 * US + m->cost.futex_wake + m->cost.wake_remote[0]);
	/* the script keeps the last round's times: task 1 starts its run half a round after task 0
	 */
	assert_int_equal(p.s[1].at[1] - p.s[0].at[0], half_round(m, 20 * US));
	assert_int_equal(p.s[0].at[3] - p.s[0].at[0], 2 * half_round(m, 20 * US));
	sim_free(sim);
	machine_free(m);
}

/* The same through the wake list of an idle CPU (6.0+): push, then the target enqueues. */
static void wake_list_moves_the_work(void **state)
{
	struct machine *m = world_machine("core:3 pu:1");
	struct pingpong p;
	struct sim *sim;

	m->cost.switch_other_mm = m->cost.switch_same_mm;
	pingpong_init(&p, 20 * US, 50);
	sim = world_new(m, "v6.1", &(struct sim_params){ .no_noise = true, .check = true });
	pingpong_spawn(&p, sim, 1, 2);
	world_run(sim);
	/* the waker's part ends after the push, the wakee starts without waiting for that */
	assert_int_equal(p.s[0].at[2] - p.s[0].at[1], m->cost.futex_wake + m->cost.wake_list_push);
	assert_int_equal(p.s[1].at[1] - p.s[0].at[1], m->cost.futex_wake + m->cost.poll_wake +
							      m->cost.wake_local +
							      m->cost.switch_same_mm);
	assert_in_range(world_counter(sim, CNT_wakeups_list), 95, 105);
	sim_free(sim);
	machine_free(m);
}

/* HLT: the flag isn't seen, an IPI is needed. */
static void ipi_where_nobody_polls(void **state)
{
	struct machine *m = world_machine("core:3 pu:1");
	struct pingpong p;
	struct sim *sim;

	m->cost.switch_other_mm = m->cost.switch_same_mm;
	m->cstate[0].polling = false;
	pingpong_init(&p, 20 * US, 50);
	sim = world_new(m, "v6.1", &(struct sim_params){ .no_noise = true, .check = true });
	pingpong_spawn(&p, sim, 1, 2);
	world_run(sim);
	assert_int_equal(p.s[1].at[1] - p.s[0].at[1], m->cost.futex_wake + m->cost.ipi[0] +
							      m->cost.wake_local +
							      m->cost.switch_same_mm);
	assert_int_equal(world_counter(sim, CNT_polling_wakes), 0);
	sim_free(sim);
	machine_free(m);
}

/* One CPU for both: the wakee runs when the waker has blocked. */
static void same_cpu(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	struct pingpong p;
	struct sim *sim;

	m->cost.switch_other_mm = m->cost.switch_same_mm;
	pingpong_init(&p, 20 * US, 50);
	sim = world_new(m, "v6.1,NO_WAKEUP_PREEMPTION",
			&(struct sim_params){ .no_noise = true, .check = true });
	pingpong_spawn(&p, sim, 0, 0);
	world_run(sim);
	assert_int_equal(p.s[1].at[1] - p.s[0].at[1], m->cost.futex_wake + m->cost.wake_local +
							      m->cost.futex_wait + m->cost.block +
							      m->cost.switch_same_mm);
	sim_free(sim);
	machine_free(m);
}

/*
 * Spec 14 §1, test: B has just blocked on CPU 3 and is still on it when W on
 * CPU 5 of the same LLC wakes it. 5.8 and newer queue it to CPU 3, 5.7 spins.
 * The switch to idle takes long enough here for W to come in the middle of it.
 */
static void wakee_still_switching_out(void **state)
{
	static const struct {
		const char *kernel;
		int list, spun;
	} cases[] = { { "v5.7", 0, 1 }, { "v5.10", 1, 0 }, { "v6.1", 1, 0 } };
	struct machine *m = world_machine("core:8 pu:1");

	m->cost.switch_same_mm = m->cost.switch_other_mm = 50 * US;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct script b =
			SCRIPT({ .op = SIM_SLEEP_UNTIL, .ns = 10 * MS },
			       { .op = SIM_SLEEP_FOREVER }, { .op = SIM_RUN, .ns = 1000 });
		struct sim_step steps[2] = { { .op = SIM_SLEEP_UNTIL, .ns = 10 * MS + 20 * US },
					     { .op = SIM_WAKE_PAIR } };
		struct script w = { .step = steps, .nr = 2 };
		u64 cpu3[1], cpu5[1];
		struct sim *sim = world_quiet(m, cases[i].kernel);

		pin(cpu3, 3);
		pin(cpu5, 5);
		steps[1].task = world_spawn(sim, &b, cpu3);
		world_spawn(sim, &w, cpu5);
		world_run(sim);
		assert_int_equal(world_counter(sim, CNT_wakeups_spun), cases[i].spun);
		assert_int_equal(b.cpu, 3);
		/* it ran after the switch away from it was over: one more switch to come back */
		assert_in_range(b.at[2] - b.at[1], 100 * US, 105 * US);
		if (cases[i].spun)
			assert_true(w.exit_ns > b.at[1] + 50 * US);
		else
			assert_in_range(world_counter(sim, CNT_wakeups_list), cases[i].list, 4);
		sim_free(sim);
	}
	machine_free(m);
}

/*
 * Spec 14 §2, example: two wakers choose at almost the same time, and CPU 2 is
 * the first choice of both. The wake list makes the first choice visible right
 * after the selection; on the direct path the second waker still sees an idle
 * CPU while the first is enqueueing, and one of the two tasks waits there.
 */
static void collision_window(void **state)
{
	struct machine *m = world_machine("core:4 pu:1");
	u64 only2[1] = { 1 << 2 }, or3[1] = { 3 << 2 };

	m->cost.wake_remote[DIST_LLC] = 20 * US; /* a wide window */
	for (int direct = 0; direct < 2; direct++) {
		struct script sleeper[2];
		struct script waker[2];
		struct sim_step steps[2][3];
		u64 mask[2][1];
		struct sim *sim = world_quiet(m, direct ? "v6.1,NO_TTWU_QUEUE" : "v6.1");

		for (int i = 0; i < 2; i++) {
			sleeper[i] = (struct script)SCRIPT(
				{ .op = SIM_SET_AFFINITY, .allowed = only2 },
				{ .op = SIM_RUN, .ns = 1000 },
				{ .op = SIM_SET_AFFINITY, .allowed = or3 },
				{ .op = SIM_SLEEP_FOREVER }, { .op = SIM_RUN, .ns = 500 * US });
			steps[i][0] =
				(struct sim_step){ .op = SIM_SLEEP_UNTIL, .ns = 21 * MS + i * US };
			steps[i][1] =
				(struct sim_step){ .op = SIM_WAKE_PAIR,
						   .task = world_spawn(sim, &sleeper[i], only2) };
			steps[i][2] = (struct sim_step){ .op = SIM_RUN, .ns = 10 * MS };
			waker[i] = (struct script){ .step = steps[i], .nr = 3 };
			pin(mask[i], i);
			world_spawn(sim, &waker[i], mask[i]);
		}
		world_run(sim);
		if (direct) {
			assert_int_equal(sleeper[0].cpu, 2);
			assert_int_equal(sleeper[1].cpu, 2);
		} else {
			assert_int_equal(sleeper[0].cpu + sleeper[1].cpu, 2 + 3);
		}
		sim_free(sim);
	}
	machine_free(m);
}

/* A wake-up that comes early is remembered, once. */
static void early_wake_is_remembered(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	struct script b = SCRIPT({ .op = SIM_RUN, .ns = 5 * MS }, { .op = SIM_SLEEP_FOREVER },
				 { .op = SIM_SLEEP_FOREVER }, { .op = SIM_NOP });
	struct sim_step steps[4] = { { .op = SIM_WAKE_PAIR },
				     { .op = SIM_WAKE_PAIR },
				     { .op = SIM_SLEEP_UNTIL, .ns = 20 * MS },
				     { .op = SIM_WAKE_PAIR } };
	struct script a = { .step = steps, .nr = 4 };
	struct sim *sim = world_quiet(m, "v6.1");

	steps[0].task = steps[1].task = steps[3].task = world_spawn(sim, &b, NULL);
	world_spawn(sim, &a, NULL);
	world_run(sim);
	assert_int_equal(b.at[2], b.at[1]); /* took no time */
	assert_true(b.at[3] >= 20 * MS);    /* the second early one is not kept */
	sim_free(sim);
	machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_is_the_sum_of_its_parts),
		cmocka_unit_test(wake_list_moves_the_work),
		cmocka_unit_test(ipi_where_nobody_polls),
		cmocka_unit_test(same_cpu),
		cmocka_unit_test(wakee_still_switching_out),
		cmocka_unit_test(collision_window),
		cmocka_unit_test(early_wake_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
