// SPDX-License-Identifier: BSD-2-Clause
/*
 * Pressure and utilisation clamps in time: what the engine tells the core, and what it costs.
 */
#include "sched/psi.h"
#include "sched/uclamp.h"
#include "sim/cgroup.h"
#include "world.h"

static const struct sim_params measured = {.no_noise = true, .check = true, .pressure = true};

static struct sched_psi pressure(struct sim *sim, enum psi_res res)
{
	struct sched_psi psi;

	assert_int_equal(sched_psi_read(sim_sched(sim), sim_uptime(sim), NULL, res, &psi), 0);
	return psi;
}

/* two hogs on one CPU: one of them always waits */
static void two_hogs(void **state)
{
	static const char *const kernels[] = {"v5.10", "v6.1", "v6.12.95", "v7.3"};
	struct machine *m = world_machine("core:1 pu:1");

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct script a = SCRIPT({.op = SIM_RUN_WALL, .ns = 10000 * MS});
		struct script b = SCRIPT({.op = SIM_RUN_WALL, .ns = 10000 * MS});
		struct sim *sim = world_new(m, kernels[i], &measured);
		struct sched_psi psi;

		world_spawn(sim, &a, NULL);
		world_spawn(sim, &b, NULL);
		world_run(sim);
		psi = pressure(sim, PSI_CPU);
		assert_in_range(psi.some.total_us, 9980000, 10020000);
		/* 4 whole periods of the 10 s; in the first one init took its time to start them */
		assert_in_range(psi.some.avg10, 5400, 5504);
		assert_in_range(psi.some.avg60, 1200, 1245);
		assert_int_equal(psi.full.total_us, 0);
		assert_int_equal(pressure(sim, PSI_IO).some.total_us, 0);
		sim_free(sim);
	}
	machine_free(m);
}

/* a device is waited for, beside nothing and beside a hog on the same CPU */
static void device(void **state)
{
	for (int hog = 0; hog < 2; hog++) {
		struct machine *m = world_machine("core:1 pu:1");
		struct script io = SCRIPT({.op = SIM_IO, .bytes = 4096, .ns = 50 * MS});
		struct script busy = SCRIPT({.op = SIM_RUN_WALL, .ns = 800 * MS});
		struct sim *sim = world_new(m, "v6.1", &measured);
		struct sched_psi psi;

		io.loops = 10;
		world_spawn(sim, &io, NULL);
		if (hog)
			world_spawn(sim, &busy, NULL);
		world_run(sim);
		psi = pressure(sim, PSI_IO);
		assert_in_range(psi.some.total_us, 499000, 501000);
		assert_in_range(psi.full.total_us, hog ? 0 : 499000, hog ? 1000 : 501000);
		sim_free(sim);
		machine_free(m);
	}
}

/* 20 of 100 ms for a hog alone: it waits for the other 80, and with it all of its group */
static void quota(void **state)
{
	static const struct cgroup_files limit = {
		.bandwidth = {.quota = 20 * MS, .period = 100 * MS}};
	static const char *const kernels[] = {"v5.10", "v6.1", "v6.12", "v6.18", "v7.3"};
	struct machine *m = world_machine("core:2 pu:1");

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct script hog = SCRIPT({.op = SIM_RUN_WALL, .ns = 2000 * MS});
		struct sim *sim = world_new(m, kernels[i], &measured);
		struct sim_place place = {0};
		struct task_group *tg;
		struct err err = {0};
		struct sched_psi psi;

		place.cgroup = sim_cgroup_get(sim, "/limited", &err);
		assert_non_null(place.cgroup);
		tg = sim_cgroup_sched(place.cgroup);
		assert_int_equal(sim_cgroup_write(sim, place.cgroup, &limit, &err), 0);
		sim_set_place(sim, &place);
		world_spawn(sim, &hog, NULL);
		world_run(sim);
		assert_int_equal(sched_psi_read(sim_sched(sim), sim_uptime(sim), tg, PSI_CPU, &psi),
				 0);
		if (psi.some.total_us < 1500000 || psi.some.total_us > 1700000)
			fail_msg("%s: %llu us of 2 s", kernels[i],
				 (unsigned long long)psi.some.total_us);
		if (psi.has_full)
			assert_int_equal(psi.full.total_us, psi.some.total_us);
		/* the system as a whole has nothing full, but somebody waits there as well */
		assert_in_range(pressure(sim, PSI_CPU).some.total_us, 1500000, 1700000);
		assert_int_equal(pressure(sim, PSI_CPU).full.total_us, 0);
		sim_free(sim);
	}
	machine_free(m);
}

/* who is watched does the same, noise included */
static void watching_changes_nothing(void **state)
{
	struct machine *m = world_machine("core:2 pu:2");
	struct result r[2];
	u64 end[2];

	memset(r, 0, sizeof(r));
	for (int i = 0; i < 2; i++) {
		struct sim_params p = {.seed = 3, .pressure = i};
		struct script s[6];
		struct sim *sim = world_new(m, "v6.12", &p);

		for (int t = 0; t < 6; t++) {
			s[t] = (struct script)SCRIPT({.op = SIM_RUN, .ns = 3 * MS},
						     {.op = SIM_SLEEP, .ns = 1 * MS},
						     {.op = SIM_IO, .bytes = 512, .ns = 1 * MS});
			s[t].loops = 300;
			world_spawn(sim, &s[t], NULL);
		}
		world_run(sim);
		sim_counters(sim, &r[i]);
		end[i] = sim_now(sim);
		if (i)
			assert_true(pressure(sim, PSI_CPU).some.total_us > 0);
		sim_free(sim);
	}
	assert_int_equal(end[0], end[1]);
	assert_memory_equal(&r[0], &r[1], sizeof(r[0]));
	machine_free(m);
}

/* an enqueue takes longer once clamps were used, and not before */
static void clamps_cost(void **state)
{
	static const struct task_attr clamped = {
		.flags = ATTR_KEEP_POLICY | ATTR_KEEP_PARAMS | ATTR_UTIL_MAX, .util_max = 512};
	struct machine *m = world_machine("core:1 pu:1");
	struct script s = SCRIPT({.op = SIM_SLEEP, .ns = 1 * MS}, {.op = SIM_RUN, .ns = 100 * US},
				 {.op = SIM_SET_SCHED, .attr = &clamped},
				 {.op = SIM_SLEEP, .ns = 1 * MS}, {.op = SIM_RUN, .ns = 100 * US});
	struct sim *sim;
	u64 wake;

	m->cost.uclamp = 33;
	sim = world_quiet(m, "v6.12");
	world_spawn(sim, &s, NULL);
	world_run(sim);
	wake = m->cost.timer_irq + m->cost.wake_local + m->cost.switch_same_mm;
	assert_int_equal(s.at[1] - s.at[0], m->cost.syscall + 1 * MS + wake);
	assert_int_equal(s.at[4] - s.at[3], m->cost.syscall + 1 * MS + wake + m->cost.uclamp);
	assert_true(sched_uclamp_used(sim_sched(sim)));
	sim_free(sim);
	machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_hogs),
		cmocka_unit_test(device),
		cmocka_unit_test(quota),
		cmocka_unit_test(watching_changes_nothing),
		cmocka_unit_test(clamps_cost),
	};

	return cmocka_run_group_tests_name("sim-pressure", tests, NULL, NULL);
}
