// SPDX-License-Identifier: BSD-2-Clause
/*
 * Running and sleeping: closed forms of how long things take.
 */
#include <errno.h>

#include "world.h"

/* A hog alone runs exactly its work; each tick takes what a tick costs. */
static void hog_runs_its_work(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");

	for (int tick = 0; tick <= 1000; tick += 1000) {
		struct script hog = SCRIPT({ .op = SIM_RUN, .ns = 100 * MS });
		struct sim *sim;
		u64 ticks;

		m->cost.tick = tick;
		sim = world_quiet(m, "v6.1");
		world_spawn(sim, &hog, NULL);
		world_run(sim);
		ticks = hog.exit_ns / (4 * MS) - hog.at[0] / (4 * MS);
		assert_int_equal(ticks, 25);
		assert_int_equal(hog.exit_ns - hog.at[0], 100 * MS + ticks * tick);
		assert_int_equal(hog.cpu_ns, 100 * MS + ticks * tick);
		sim_free(sim);
	}
	machine_free(m);
}

/* RUN_WALL ends at its time even if the task was preempted meanwhile. */
static void run_wall_counts_preemption(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	struct script a = SCRIPT({ .op = SIM_RUN_WALL, .ns = 200 * MS });
	struct script b = SCRIPT({ .op = SIM_RUN, .ns = 50 * MS });
	struct sim *sim = world_quiet(m, "v6.1");

	world_spawn(sim, &a, NULL);
	world_spawn(sim, &b, NULL);
	world_run(sim);
	assert_in_range(a.exit_ns - a.at[0], 200 * MS, 212 * MS);
	assert_in_range(a.cpu_ns, 148 * MS, 162 * MS);
	sim_free(sim);
	machine_free(m);
}

/* Two hogs share a CPU evenly, and switch when a slice is over. */
static void two_hogs_share(void **state)
{
	static const struct {
		const char *kernel;
		u64 most; /* ns that one is ahead at most: a slice, seen at a tick */
	} cases[] = {
		{ "v6.1", 8 * MS }, /* one CPU: latency 6 ms, slice 3 ms: a tick */
		{ "v6.6", 8 * MS },
		{ "v6.12.95", 8 * MS },
		{ "v7.3", 2 * MS }, /* HRTICK: 0.7 ms */
	};
	struct machine *m = world_machine("core:1 pu:1");

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct script a = SCRIPT({ .op = SIM_RUN, .ns = 400 * MS });
		struct script b = SCRIPT({ .op = SIM_RUN, .ns = 400 * MS });
		struct sim *sim = world_quiet(m, cases[i].kernel);
		u64 first, last;

		world_spawn(sim, &a, NULL);
		world_spawn(sim, &b, NULL);
		world_run(sim);
		first = min(a.exit_ns, b.exit_ns);
		last = max(a.exit_ns, b.exit_ns);
		assert_in_range(last - first, 0, cases[i].most);
		assert_in_range(last - min(a.at[0], b.at[0]), 800 * MS, 805 * MS);
		assert_in_range(world_counter(sim, CNT_preemptions), 50, 1200);
		sim_free(sim);
	}
	machine_free(m);
}

/* SMT: two hogs on one core each go at 60 %. */
static void siblings_slow_each_other(void **state)
{
	struct machine *m = world_machine("core:1 pu:2");
	struct script a = SCRIPT({ .op = SIM_RUN, .ns = 60 * MS });
	struct script b = SCRIPT({ .op = SIM_RUN, .ns = 60 * MS });
	struct sim *sim = world_quiet(m, "v6.1");

	world_spawn(sim, &a, NULL);
	world_spawn(sim, &b, NULL);
	world_run(sim);
	/* alone until b comes, and after a is done */
	assert_in_range(a.exit_ns - a.at[0], 99 * MS, 101 * MS);
	assert_in_range(b.exit_ns - b.at[0], 99 * MS, 101 * MS);
	sim_free(sim);
	machine_free(m);
}

/* Calls cost what they cost, each; none cost nothing. */
static void calls_add_up(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	struct script s = SCRIPT({ .op = SIM_SYSCALL, .value = 3 }, { .op = SIM_SYSCALL },
				 { .op = SIM_SYSCALL, .value = 1 }, { .op = SIM_NOP });
	struct sim *sim = world_quiet(m, "v6.1");

	world_spawn(sim, &s, NULL);
	world_run(sim);
	assert_int_equal(s.at[1] - s.at[0], 3 * m->cost.syscall);
	assert_int_equal(s.at[2], s.at[1]);
	assert_int_equal(s.at[3] - s.at[2], m->cost.syscall);
	sim_free(sim);
	machine_free(m);
}

/* Without noise a sleep is exact but for what it costs to wake. */
static void sleep_is_exact(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	struct script s =
		SCRIPT({ .op = SIM_SLEEP, .ns = 1 * MS }, { .op = SIM_RUN, .ns = 100 * US });
	struct sim *sim = world_quiet(m, "v6.1");
	u64 wake;

	world_spawn(sim, &s, NULL);
	world_run(sim);
	wake = m->cost.timer_irq + m->cost.wake_local + m->cost.switch_same_mm;
	assert_int_equal(s.at[1] - s.at[0], m->cost.syscall + 1 * MS + wake);
	assert_int_equal(s.exit_ns - s.at[1], 100 * US);
	sim_free(sim);
	machine_free(m);
}

/* Timer slack makes a sleep up to 50 us late, differently each time. */
static void slack_is_drawn(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	u64 exact = 0, late[8];
	int different = 0;

	for (int seed = 0; seed < 8; seed++) {
		struct script s = SCRIPT({ .op = SIM_SLEEP, .ns = 1 * MS });
		struct sim *sim =
			world_new(m, "v6.1", &(struct sim_params){ .seed = seed, .check = true });

		world_spawn(sim, &s, NULL);
		world_run(sim);
		exact = m->cost.syscall + 1 * MS + m->cost.timer_irq + m->cost.wake_local +
			m->cost.switch_same_mm;
		late[seed] = s.exit_ns - s.at[0] - exact;
		assert_in_range(late[seed], 0, 50 * US);
		different += late[seed] != late[0];
		sim_free(sim);
	}
	assert_true(different >= 6);
	machine_free(m);
}

static void sleep_until(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	struct script s = SCRIPT({ .op = SIM_SLEEP_UNTIL, .ns = 5 * MS },
				 { .op = SIM_SLEEP_UNTIL, .ns = 4 * MS }, { .op = SIM_NOP });
	struct sim *sim = world_quiet(m, "v6.1");

	world_spawn(sim, &s, NULL);
	world_run(sim);
	assert_in_range(s.at[1], 5 * MS, 5 * MS + 3 * US);
	assert_int_equal(s.at[2] - s.at[1], m->cost.syscall); /* in the past */
	sim_free(sim);
	machine_free(m);
}

/* Device time passes while the CPU is free; the copy takes the task's own. */
static void io_blocks(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	struct script s = SCRIPT({ .op = SIM_IO, .bytes = 10000, .ns = 300 * US });
	struct sim *sim;

	m->bw.core_llc = 10000000000; /* 0.1 ns a byte */
	sim = world_quiet(m, "v6.1");
	world_spawn(sim, &s, NULL);
	world_run(sim);
	assert_int_equal(s.exit_ns - s.at[0], m->cost.syscall + 1000 + 300 * US +
						      m->cost.timer_irq + m->cost.wake_local +
						      m->cost.switch_same_mm);
	assert_int_equal(s.ret[1], 10000);
	sim_free(sim);
	machine_free(m);
}

/* An idle CPU leaves its C-state before it does anything. */
static void idle_exit_takes_time(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	struct script s = SCRIPT({ .op = SIM_SLEEP, .ns = 50 * MS });
	struct sim *sim;

	m->nr_cstates = 2;
	m->cstate[1] = (struct machine_cstate){ .exit_ns = 30000,
						.table_exit_ns = 40000,
						.residency_ns = 80000 };
	sim = world_quiet(m, "v6.1");
	world_spawn(sim, &s, NULL);
	world_run(sim);
	assert_int_equal(s.exit_ns - s.at[0], m->cost.syscall + 50 * MS + 30000 +
						      m->cost.timer_irq + m->cost.wake_local +
						      m->cost.switch_same_mm);
	sim_free(sim);
	machine_free(m);
}

static void max_ns_ends_a_run(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	struct script s = SCRIPT({ .op = SIM_RUN, .ns = NSEC_PER_SEC });
	struct sim *sim =
		world_new(m, "v6.1", &(struct sim_params){ .max_ns = 7 * MS, .check = true });

	world_spawn(sim, &s, NULL);
	world_run(sim);
	assert_int_equal(sim_now(sim), 7 * MS);
	assert_int_equal(sim_nr_tasks(sim), 1);
	sim_free(sim);
	machine_free(m);
}

static void sleep_for_ever(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	struct script s = SCRIPT({ .op = SIM_SLEEP, .ns = UINT64_MAX });
	struct sim *sim = world_quiet(m, "v6.1");
	struct err err = { 0 };

	world_spawn(sim, &s, NULL);
	assert_int_equal(sim_run(sim, &err), -EDEADLK);
	assert_non_null(strstr(err.msg, "waits for a timer"));
	sim_free(sim);
	machine_free(m);
}

static void endless_program_is_named(void **state)
{
	struct machine *m = world_machine("core:1 pu:1");
	struct script s = SCRIPT({ .op = SIM_NOP });
	struct sim *sim = world_quiet(m, "v6.1");
	struct err err = { 0 };

	s.loops = 1 << 30;
	world_spawn(sim, &s, NULL);
	assert_int_equal(sim_run(sim, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "without letting time pass"));
	sim_free(sim);
	machine_free(m);
}

/*
 * An interrupt's time has neither slack nor jitter, whatever the seed, and the
 * CPU that takes it may be another. Then: the interrupt, the wake-up on the own
 * or from the other CPU, the switch.
 */
static void sleep_until_interrupt(void **state)
{
	struct machine *m = world_machine("core:2 pu:1");
	u64 *one = (u64[]){ 1 };

	m->irq_jitter_ns = 5 * US;
	for (int cpu = -1; cpu < 2; cpu++) {
		u64 at[2];

		for (int seed = 0; seed < 2; seed++) {
			struct script s = SCRIPT(
				{ .op = SIM_SLEEP_IRQ, .ns = 2 * MS, .value = cpu, .bare = true },
				{ .op = SIM_SLEEP_IRQ, .ns = 1 * MS, .bare = true });
			struct sim *sim = world_new(m, "v6.12",
						    &(struct sim_params){ .seed = 1 + (u64)seed,
									  .check = true,
									  .no_background = true });

			world_spawn(sim, &s, one);
			world_run(sim);
			at[seed] = s.at[1];
			assert_int_equal(s.exit_ns, s.at[1]); /* in the past: no sleep, and bare */
			sim_free(sim);
		}
		assert_int_equal(at[0], at[1]);
		if (cpu < 1)
			assert_int_equal(at[0], 2 * MS + 700 + 400 + 1000);
		else
			assert_in_range(at[0], 2 * MS + 700 + 300 + 350 + 1000, 2 * MS + 4000);
	}
	machine_free(m);
}

/* Who is there since boot takes no step before it is woken, where it was. */
static void asleep_since_boot(void **state)
{
	struct machine *m = world_machine("core:4 pu:1");
	struct script by_irq = SCRIPT({ .op = SIM_RUN, .ns = 10 * US });
	struct script by_task = SCRIPT({ .op = SIM_RUN, .ns = 20 * US });
	struct sim_step wake[] = { { .op = SIM_WAKE_PAIR, .bare = true } };
	struct script waker = { .step = wake, .nr = 1 };
	struct sim *sim = world_quiet(m, "v6.12");
	struct sim_spawn what = { .comm = "old", .program = &script_program, .kthread = true };
	struct err err = { 0 };

	what.arg = &by_task;
	wake[0].task = sim_spawn_asleep(sim, &what, 3, 3, UINT64_MAX, &err);
	assert_non_null(wake[0].task);
	what.arg = &by_irq;
	assert_non_null(sim_spawn_asleep(sim, &what, 2, 2, 5 * MS, &err));
	what.arg = &waker;
	assert_non_null(sim_spawn_asleep(sim, &what, 1, 1, 8 * MS, &err));
	world_run(sim);
	assert_int_equal(by_irq.at[0], 5 * MS + 700 + 400 + 1000);
	assert_int_equal(by_irq.cpu, 2);
	assert_int_equal(waker.at[0], 8 * MS + 700 + 400 + 1000);
	assert_true(by_task.at[0] > waker.at[0]);
	assert_int_equal(by_task.cpu, 3);
	sim_free(sim);
	machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hog_runs_its_work),
		cmocka_unit_test(run_wall_counts_preemption),
		cmocka_unit_test(two_hogs_share),
		cmocka_unit_test(siblings_slow_each_other),
		cmocka_unit_test(calls_add_up),
		cmocka_unit_test(sleep_is_exact),
		cmocka_unit_test(slack_is_drawn),
		cmocka_unit_test(sleep_until),
		cmocka_unit_test(io_blocks),
		cmocka_unit_test(idle_exit_takes_time),
		cmocka_unit_test(max_ns_ends_a_run),
		cmocka_unit_test(sleep_for_ever),
		cmocka_unit_test(endless_program_is_named),
		cmocka_unit_test(sleep_until_interrupt),
		cmocka_unit_test(asleep_since_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
