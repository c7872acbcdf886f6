// SPDX-License-Identifier: BSD-2-Clause
/*
 * Passes driven by a small host: hogs spread out, and whatever random worlds do, nothing is lost,
 * nothing lands where it may not, and a pass stays inside its domain.
 */
#include "world.h"

static const char *const kernels[] = {"v5.7",	   "v5.10",    "v5.17",	   "v5.18",
				      "v5.19-tip", "v6.1",     "v6.1.192", "v6.6",
				      "v6.12",	   "v6.12.95", "v6.18",	   "v7.3"};

static int busiest_cpu(const struct rig *r)
{
	int most = 0;

	for (int c = 0; c < r->s->nr_cpus; c++)
		most = max(most, r->s->rq[c].nr_running);
	return most;
}

static int busy_cores(const struct rig *r)
{
	int n = 0;

	for (int c = 0; c < r->topo.nr_cores; c++) {
		bool busy = false;

		for (int t = c; t < r->s->nr_cpus; t += r->topo.nr_cores)
			busy |= r->s->rq[t].nr_running > 0;
		n += busy;
	}
	return n;
}

/* as many hogs as CPUs, all started on CPU 0 of an idle machine: soon one a CPU */
static void one_hog_a_cpu(void **state)
{
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		struct rig r;
		struct rng rng;
		int ticks = 0;

		rig_start(&r, kernels[k], 2, 2, 4, 2);
		rng_init(&rng, 5, k);
		sched_boot(r.s, r.now, &rng);
		for (int i = 0; i < r.s->nr_cpus; i++)
			rig_task(&r, 0, NULL);
		rig_handle_requests(&r);
		/* 2 s */
		while (busiest_cpu(&r) > 1 && ticks < 500) {
			rig_tick(&r);
			ticks++;
		}
		rig_check(&r);
		if (busiest_cpu(&r) > 1)
			fail_msg("%s: after %d ticks a CPU still has %d tasks", kernels[k], ticks,
				 busiest_cpu(&r));
		print_message("%-10s spread after %d ticks; new-idle %d, periodic %d, nohz %d, "
			      "pushed %d\n",
			      kernels[k], ticks, (int)r.newidle_moved, (int)r.periodic_moved,
			      (int)r.nohz_moved, (int)r.pushed);
		rig_stop(&r);
	}
}

/* half as many hogs as CPUs on one node: each gets a core, so active balance separates siblings */
static void one_hog_a_core(void **state)
{
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		struct rig r;
		struct rng rng;
		int ticks = 0;

		rig_start(&r, kernels[k], 1, 1, 8, 2);
		rng_init(&rng, 6, k);
		sched_boot(r.s, r.now, &rng);
		/* both threads of cores 0 … 3 */
		for (int c = 0; c < 4; c++) {
			rig_task(&r, c, NULL);
			rig_task(&r, c + 8, NULL);
		}
		rig_handle_requests(&r);
		while (busy_cores(&r) < 8 && ticks < 2500) {
			rig_tick(&r);
			ticks++;
		}
		rig_check(&r);
		if (busy_cores(&r) < 8)
			fail_msg("%s: after %d ticks %d cores are busy, expected 8", kernels[k],
				 ticks, busy_cores(&r));
		assert_true(r.pushed > 0);
		print_message("%-10s cores after %d ticks; pushed %d\n", kernels[k], ticks,
			      (int)r.pushed);
		rig_stop(&r);
	}
}

/* ---- random worlds ---- */

/* what a pass says it would do, before it does it */
static void check_decision(struct world *w)
{
	struct sched *s = w->r.s;
	int cpu = draw(w, s->nr_cpus);
	struct balance_decision d;
	struct sched_domain *sd;

	for_each_domain(cpu_rq(s, cpu), sd) {
		balance_decide(s, w->r.now, cpu, sd, draw(w, NR_IDLE_TYPES), &d);
		assert_true(d.src < 0 || mask_test(sd->span, d.src));
		assert_true(d.src < 0 || !mask_test(sd->groups->span, d.src));
		assert_true(d.nr_taken <= d.nr_looks);
		for (int i = 0; i < d.nr_looks; i++) {
			const struct balance_look *l = &d.look[i];

			/* of an earlier source, if all its tasks were pinned */
			assert_true(l->p->cpu == d.src || !l->taken);
			assert_true(mask_test(sd->span, l->p->cpu));
			assert_false(mask_test(sd->groups->span, l->p->cpu));
			assert_true(mask_test(sd->groups->span, l->dst));
			assert_true(!l->taken || task_allowed(l->p, l->dst));
			assert_true(!l->taken || !l->p->on_cpu);
			for (int j = 0; l->taken && j < i; j++)
				assert_false(d.look[j].taken && d.look[j].p == l->p);
		}
	}
}

static void random_worlds(void **state)
{
	u64 newidle = 0, periodic = 0, nohz = 0, pushed = 0;
	static const int shape[][4] = {{1, 1, 2, 1}, {1, 2, 2, 2}, {2, 2, 4, 2},
				       {4, 2, 4, 2}, {2, 1, 1, 1}, {3, 3, 2, 1}};

	for (int seed = 0; seed < 72; seed++) {
		const char *kernel = kernels[seed % ARRAY_SIZE(kernels)];
		const int *m = shape[seed / 12 % ARRAY_SIZE(shape)];
		struct world w = {0};
		struct rng boot;

		rig_start(&w.r, kernel, m[0], m[1], m[2], m[3]);
		w.r.between = meanwhile;
		rng_init(&w.rng, seed, 1);
		rng_init(&boot, seed, 2);
		sched_boot(w.r.s, w.r.now, &boot);
		for (int i = 0; i < 800; i++) {
			struct err err = {0};

			random_event(&w);
			if (sched_check(w.r.s, w.r.now, &err))
				fail_msg("seed %d (%s), event %d: %s", seed, kernel, i, err.msg);
			if (i % 8 == 0)
				check_decision(&w);
		}
		newidle += w.r.newidle_moved;
		periodic += w.r.periodic_moved;
		nohz += w.r.nohz_moved;
		pushed += w.r.pushed;
		rig_stop(&w.r);
	}
	print_message("moved: new-idle %d, periodic %d, nohz %d, pushed %d\n", (int)newidle,
		      (int)periodic, (int)nohz, (int)pushed);
	assert_true(newidle && periodic && nohz && pushed);
}

/* a decision leaves the core as it was */
static void deciding_changes_nothing(void **state)
{
	struct world w = {0};
	struct rng boot;

	rig_start(&w.r, "v6.12", 2, 2, 4, 2);
	rng_init(&w.rng, 99, 1);
	rng_init(&boot, 99, 2);
	sched_boot(w.r.s, w.r.now, &boot);
	for (int i = 0; i < 400; i++) {
		struct sched *s = w.r.s;
		size_t bytes = s->nr_cpus * sizeof(*s->rq);
		struct sched before;
		struct rq *rq = malloc(bytes);

		random_event(&w);
		before = *s;
		memcpy(rq, s->rq, bytes);
		check_decision(&w);
		assert_memory_equal(rq, s->rq, bytes);
		assert_memory_equal(&before, s, sizeof(before));
		free(rq);
	}
	rig_stop(&w.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_hog_a_cpu),
		cmocka_unit_test(one_hog_a_core),
		cmocka_unit_test(random_worlds),
		cmocka_unit_test(deciding_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
