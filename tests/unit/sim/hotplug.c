// SPDX-License-Identifier: BSD-2-Clause
/*
 * CPUs go and come under load, on machines of up to 512 CPUs, with every invariant recounted at
 * every event. No task is lost or runs where it may not; whoever is runnable runs within a bound;
 * nothing is balanced out of its domain. IDLEST_SEED=N runs one world alone.
 */
#include <stdlib.h>

#include "world.h"

#include "sched/internal.h"

#define MAX_TASKS   24
#define MAX_CHANGES 48
#define WORDS	    8
#define LOOPS	    12
#define RUN_NS	    (3 * MS) /* at most, of one loop */

/*
 * A task that is runnable waits at worst behind all others, on the one CPU to which the fallback
 * sent them: each runs for a slice (3 ms) and to the next tick (4 ms) before it is its turn, and
 * both threads of a core share it. Latencies of nice 0 tasks among equals, so no more than that.
 */
#define BOUND_NS(tasks) ((tasks) * 7 * MS * 10 / 6 + 20 * MS)

struct world {
	struct rng rng;
	struct sim *sim;
	u64 seed;
	int nr_tasks, nr_cpus;
	struct sim_change change[MAX_CHANGES];
	u64 mask[MAX_CHANGES + MAX_TASKS + 1][WORDS];
	u64 pulls;
};

struct worker {
	struct world *w;
	int left;
	bool slept;
	u64 ran, asked, worst;
};

static void worker_next(struct sim *sim, struct sim_task *t, struct sim_step *st)
{
	struct worker *k = sim_task_arg(t);
	struct world *w = k->w;

	if (!sched_task_allowed(sim_task_sched(t), sim_task_cpu(t)))
		fail_msg("seed %llu: task %d runs on CPU %d, which it may not use",
			 (unsigned long long)w->seed, sim_task_pid(t), sim_task_cpu(t));
	if (k->slept)
		k->worst = max(k->worst, sim_task_wake_latency(t));
	k->slept = false;
	if (k->left <= 0) {
		k->ran = sim_task_cpu_ns(t);
		return; /* SIM_EXIT */
	}
	if (k->left-- % 2) {
		st->op = SIM_RUN_WALL;
		st->ns = 1 + rng_below(&w->rng, RUN_NS);
		k->asked++;
	} else {
		st->op = SIM_SLEEP;
		st->ns = rng_below(&w->rng, 2 * MS);
		k->slept = true;
	}
}

static const struct sim_program worker_program = { .name = "worker", .next = worker_next };

/* what a pass took, it took inside a domain of CPUs that are online */
static void look_at_pull(void *ctx, const struct sched_record *r)
{
	struct world *w = ctx;
	const struct sched *s = sim_sched(w->sim);
	const struct sched_domain *sd;
	int src;

	if (r->step != STEP_PULL || r->reason != REASON_BALANCE_PULL)
		return;
	w->pulls++;
	src = (int)r->value[0];
	for_each_domain(cpu_rq(s, r->candidate), sd)
		if (mask_test(sd->span, src))
			break;
	if (!sd || !mask_subset(sd->span, s->online, s->words))
		fail_msg("seed %llu: pulled from CPU %d to CPU %d, which share no domain",
			 (unsigned long long)w->seed, src, r->candidate);
}

static void draw_mask(struct world *w, u64 *mask)
{
	int some = 1 + (int)rng_below(&w->rng, w->nr_cpus);

	if (rng_below(&w->rng, 2)) {
		mask_fill(mask, w->nr_cpus);
		return;
	}
	for (int i = 0; i < some; i++)
		mask_set(mask, rng_below(&w->rng, w->nr_cpus));
}

static void draw_changes(struct world *w)
{
	u64 at = 0;

	for (int i = 0; i < MAX_CHANGES; i++) {
		u64 kind = rng_below(&w->rng, 7);

		at += rng_below(&w->rng, MS);
		draw_mask(w, w->mask[i]);
		w->change[i] = (struct sim_change){
			.at = at,
			.kind = kind < 4 ? SIM_CPU_DOWN : kind < 6 ? SIM_CPU_UP : SIM_BIND,
			/* low numbers: there the tasks are that lost their CPU */
			.cpu = (int)rng_below(&w->rng, rng_below(&w->rng, 2) ? w->nr_cpus : 8) %
			       w->nr_cpus,
			.comm = i % 2 ? "worker" : "worker-1",
			.cpus = w->mask[i],
		};
	}
}

static u64 one_world(u64 seed)
{
	static const char *const shapes[] = { "core:2 pu:2", "pack:2 l3:2 core:3 pu:1",
					      "pack:2 numa:2 l3:2 core:8 pu:2",
					      "pack:2 numa:2 l3:4 core:16 pu:2" };
	static const char *const kernels[] = { "v5.7", "v5.10", "v6.1.192", "v6.6", "v6.12", "v7.3" };
	const char *shape = shapes[seed % ARRAY_SIZE(shapes)];
	const char *kernel = kernels[seed % ARRAY_SIZE(kernels)];
	struct worker worker[MAX_TASKS] = { 0 };
	struct machine *m = world_machine(shape);
	struct world w = { .seed = seed, .nr_cpus = m->topo.nr_cpus };
	struct err err = { 0 };
	u64 pulls;

	rng_init(&w.rng, seed, 5);
	draw_changes(&w);
	draw_mask(&w, w.mask[MAX_CHANGES]);
	w.nr_tasks = 4 + (int)rng_below(&w.rng, MAX_TASKS - 3);
	w.sim = world_new(m, kernel,
			  &(struct sim_params){ .seed = seed,
						.check = true,
						.max_ns = 10 * NSEC_PER_SEC,
						.change = w.change,
						.nr_changes = MAX_CHANGES });
	sched_set_sink(sim_sched(w.sim), look_at_pull, &w);
	for (int i = 0; i < w.nr_tasks; i++) {
		u64 *mask = w.mask[MAX_CHANGES + 1 + i];

		worker[i] = (struct worker){ .w = &w, .left = 2 * LOOPS };
		draw_mask(&w, mask);
		assert_non_null(sim_spawn(w.sim,
					  &(struct sim_spawn){ .comm = i % 3 ? "worker" : "worker-1",
							       .program = &worker_program,
							       .arg = &worker[i],
							       .process = true,
							       .allowed = mask },
					  &err));
	}
	if (sim_run(w.sim, &err))
		fail_msg("seed %llu (%s, %s): %s", (unsigned long long)seed, shape, kernel, err.msg);
	for (int i = 0; i < w.nr_tasks; i++) {
		if (worker[i].left > 0 || worker[i].asked != LOOPS || !worker[i].ran)
			fail_msg("seed %llu (%s, %s): task %d was lost", (unsigned long long)seed,
				 shape, kernel, i);
		if (worker[i].worst > BOUND_NS(w.nr_tasks))
			fail_msg("seed %llu (%s, %s): one of %d tasks waited %llu ns",
				 (unsigned long long)seed, shape, kernel, w.nr_tasks,
				 (unsigned long long)worker[i].worst);
	}
	pulls = w.pulls;
	sim_free(w.sim);
	machine_free(m);
	return pulls;
}

static void worlds(void **state)
{
	const char *seed = getenv("IDLEST_SEED");
	u64 pulls = 0;

	if (seed) {
		one_world(strtoull(seed, NULL, 10));
		return;
	}
	for (u64 i = 1; i <= 24; i++)
		pulls += one_world(i);
	assert_true(pulls > 100); /* else nothing was looked at */
}

/* ---- numbers ---- */

static u64 set_of(int a, int b)
{
	return 1ULL << a | 1ULL << b;
}

/* two hogs on two CPUs, one of which goes: they share the other, and have both when it is back */
static void the_work_goes_on(void **state)
{
	static const struct sim_change change[] = {
		{ .at = 20 * MS, .kind = SIM_CPU_DOWN, .cpu = 1 },
		{ .at = 60 * MS, .kind = SIM_CPU_UP, .cpu = 1 },
	};
	struct script s[2] = { SCRIPT({ .op = SIM_RUN, .ns = 100 * MS }),
			       SCRIPT({ .op = SIM_RUN, .ns = 100 * MS }) };
	struct machine *m = world_machine("core:2 pu:1");
	struct sim *sim = world_new(m, "v6.12",
				    &(struct sim_params){ .no_noise = true,
							  .check = true,
							  .change = change,
							  .nr_changes = 2 });
	u64 last;

	world_spawn(sim, &s[0], NULL);
	world_spawn(sim, &s[1], NULL);
	world_run(sim);
	/* 200 ms of work: 20 ms on two CPUs, 40 on one, the rest on two again, from the next pass on */
	last = max(s[0].exit_ns, s[1].exit_ns);
	assert_in_range(last, 119 * MS, 136 * MS);
	assert_int_equal(world_counter(sim, CNT_cpus_down), 1);
	assert_int_equal(world_counter(sim, CNT_cpus_up), 1);
	sim_free(sim);
	machine_free(m);
}

/* isolated CPUs stay empty but for those who were bound to them */
static void isolated(void **state)
{
	const u64 away = set_of(2, 3), there = 1 << 3;
	struct sim_change bind = { .at = 10 * MS, .kind = SIM_BIND, .comm = "script", .cpus = &there };
	static const struct sim_step hog = { .op = SIM_RUN, .ns = 20 * MS };
	static const struct sim_step short_hog = { .op = SIM_RUN, .ns = 4 * MS };
	struct script s[4], pinned;
	struct machine *m = world_machine("core:4 pu:1");

	for (int moved = 0; moved < 2; moved++) {
		struct sim *sim = world_new(m, "v6.12",
					    &(struct sim_params){ .no_noise = true,
								  .check = true,
								  .isolated = &away,
								  .change = &bind,
								  .nr_changes = moved });

		for (int i = 0; i < 4; i++) {
			s[i] = (struct script){ .step = &hog, .nr = 1 };
			world_spawn(sim, &s[i], NULL);
		}
		pinned = (struct script){ .step = &short_hog, .nr = 1 };
		world_spawn(sim, &pinned, &there);
		world_run(sim);
		assert_int_equal(pinned.cpu, 3);
		for (int i = 0; i < 4; i++)
			assert_true(moved ? s[i].cpu == 3 : s[i].cpu < 2);
		sim_free(sim);
	}
	machine_free(m);
}

/* a sleeper's timer moves with the CPU that set it */
static void timers_move(void **state)
{
	static const struct sim_change change[] = {
		{ .at = 5 * MS, .kind = SIM_CPU_DOWN, .cpu = 1 },
	};
	const u64 only_1 = 1 << 1;
	struct script s = SCRIPT({ .op = SIM_SLEEP, .ns = 20 * MS }, { .op = SIM_RUN, .ns = MS });
	struct machine *m = world_machine("core:2 pu:1");
	struct sim *sim = world_new(m, "v6.12",
				    &(struct sim_params){ .no_noise = true,
							  .check = true,
							  .change = change,
							  .nr_changes = 1 });

	world_spawn(sim, &s, &only_1);
	world_run(sim);
	assert_int_equal(s.cpu, 0); /* it lost its mask */
	assert_in_range(s.at[1] - s.at[0], 20 * MS, 20 * MS + 100 * US);
	sim_free(sim);
	machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_work_goes_on),
		cmocka_unit_test(isolated),
		cmocka_unit_test(timers_move),
		cmocka_unit_test(worlds),
	};

	return cmocka_run_group_tests_name("sim hotplug", tests, NULL, NULL);
}
