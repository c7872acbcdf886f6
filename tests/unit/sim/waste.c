// SPDX-License-Identifier: BSD-2-Clause
/*
 * Idle CPUs matched with tasks that wait: by hand, and against a matching made anew at each instant.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "sim/waste.h"

#define NR_CPUS 32

struct scene {
	struct sched_topology topo;
	struct arena *arena;
	struct waste *w;
	struct result_waste r;
};

/* 2 packages of 2 nodes of 2 LLCs of 2 cores of 2 threads, siblings next to each other */
static void begin(struct scene *s)
{
	s->topo = (struct sched_topology){
		.nr_cpus = NR_CPUS, .nr_cores = 16, .nr_llcs = 8, .nr_nodes = 4, .nr_packages = 2};
	s->topo.cpu = calloc(NR_CPUS, sizeof(*s->topo.cpu));
	for (int c = 0; c < NR_CPUS; c++)
		s->topo.cpu[c] = (struct topo_cpu){.core = c / 2,
						   .cluster = -1,
						   .llc = c / 4,
						   .node = c / 8,
						   .package = c / 16,
						   .capacity = 1024};
	s->arena = arena_new();
	s->w = waste_new(s->arena, &s->topo);
	assert_non_null(s->w);
}

static void end(struct scene *s)
{
	arena_free(s->arena);
	free(s->topo.cpu);
}

static u64 at(struct scene *s, u64 now, enum topo_distance d)
{
	waste_result(s->w, now, &s->r);
	return s->r.ns[d];
}

static u64 total(const struct result_waste *r)
{
	u64 ns = 0;

	for (int d = 0; d < NR_DISTANCES; d++)
		ns += r->ns[d];
	return ns;
}

static void levels_of_the_machine(void **state)
{
	struct scene s;

	begin(&s);
	at(&s, 0, DIST_SMT);
	assert_true(s.r.measured);
	for (int d = 0; d < NR_DISTANCES; d++)
		assert_int_equal(s.r.level[d], d != DIST_SELF && d != DIST_CLUSTER);
	assert_int_equal(total(&s.r), 0);
	end(&s);
}

/* one task waits for 500 ns on CPU 0, CPU @idle has nothing to do for 200 of them */
static void nearest_level(void **state)
{
	static const struct {
		int idle;
		enum topo_distance d;
	} rows[] = {{1, DIST_SMT}, {2, DIST_LLC}, {5, DIST_NODE}, {8, DIST_PACKAGE}, {16, DIST_REMOTE}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct scene s;

		begin(&s);
		waste_wait(s.w, 1000, 0, 1);
		waste_idle(s.w, 1300, rows[i].idle, 1);
		assert_int_equal(at(&s, 1400, rows[i].d), 100); /* so far */
		waste_wait(s.w, 1500, 0, -1);
		waste_idle(s.w, 9000, rows[i].idle, -1);
		assert_int_equal(at(&s, 9000, rows[i].d), 200);
		assert_int_equal(total(&s.r), 200);
		assert_int_equal(s.r.lasted[rows[i].d][0].n, 1);
		assert_int_equal(s.r.lasted[rows[i].d][0].ns, 200);
		end(&s);
	}
}

/* a task that could have an idle CPU of its core leaves the other LLC's to the next task */
static void near_ones_first(void **state)
{
	struct scene s;

	begin(&s);
	waste_idle(s.w, 0, 1, 1);
	waste_idle(s.w, 0, 4, 1);
	waste_idle(s.w, 0, 20, 1);
	waste_wait(s.w, 0, 0, 1);
	assert_int_equal(waste_left_idle(s.w), 2);
	waste_wait(s.w, 100, 0, 1);
	waste_wait(s.w, 300, 0, 1);
	waste_wait(s.w, 600, 0, 1); /* there is none left */
	assert_int_equal(waste_left_idle(s.w), 0);
	assert_int_equal(at(&s, 1000, DIST_SMT), 1000);
	assert_int_equal(s.r.ns[DIST_NODE], 900);
	assert_int_equal(s.r.ns[DIST_REMOTE], 700);
	/* the near CPU takes one: those that are left move up */
	waste_idle(s.w, 1000, 1, -1);
	waste_wait(s.w, 1000, 0, -1);
	assert_int_equal(at(&s, 1500, DIST_SMT), 1000);
	assert_int_equal(s.r.ns[DIST_NODE], 1400);
	assert_int_equal(s.r.ns[DIST_REMOTE], 1200);
	end(&s);
}

/* lengths go into the bucket whose limit they don't reach; ends that coincide don't count */
static void how_long(void **state)
{
	static const u64 ns[] = {999, 1000, 9999, 10000, 500000, 1000000, 20000000, 300000000, 1000000000, 5000000000};
	static const int bucket[] = {0, 1, 1, 2, 3, 4, 5, 6, 7, 7};
	struct result_lasted expected[NR_WASTE_BUCKETS] = {0};
	struct scene s;
	u64 now = 0;

	begin(&s);
	waste_idle(s.w, now, 1, 1);
	for (size_t i = 0; i < ARRAY_SIZE(ns); i++) {
		waste_wait(s.w, now, 0, 1);
		waste_wait(s.w, now, 0, 1); /* nothing for this one */
		waste_wait(s.w, now, 0, -1);
		waste_wait(s.w, now += ns[i], 0, -1);
		waste_wait(s.w, now, 0, 1);
		waste_wait(s.w, now, 0, -1);
		expected[bucket[i]].n++;
		expected[bucket[i]].ns += ns[i];
		now += 7;
	}
	at(&s, now, DIST_SMT);
	assert_memory_equal(s.r.lasted[DIST_SMT], expected, sizeof(expected));
	end(&s);
}

/* tasks with an affinity get what the others leave */
static void restricted(void **state)
{
	int near[NR_DISTANCES] = {[DIST_LLC] = 1, [DIST_REMOTE] = 2}, none[NR_DISTANCES] = {0};
	struct scene s;

	begin(&s);
	waste_idle(s.w, 0, 1, 1);
	waste_idle(s.w, 0, 2, 1);
	waste_idle(s.w, 0, 3, 1);
	waste_wait(s.w, 0, 0, 1);
	waste_restricted(s.w, 0, near); /* two are left */
	waste_idle(s.w, 100, 3, -1);
	waste_restricted(s.w, 100, near); /* one is */
	waste_restricted(s.w, 150, none);
	at(&s, 200, DIST_SMT);
	assert_int_equal(s.r.ns[DIST_SMT], 200);
	assert_int_equal(s.r.ns[DIST_LLC], 150);
	assert_int_equal(s.r.ns[DIST_REMOTE], 100);
	end(&s);
}

/* ---- against a matching made anew ---- */

static int group(int cpu, enum topo_distance d)
{
	static const int size[NR_DISTANCES] = {1, 2, 2, 4, 8, 16, 32};

	return cpu / size[d];
}

static void match(const int *waiting, const int *idle, int *pairs)
{
	int w[NR_CPUS], i[NR_CPUS];

	memcpy(w, waiting, sizeof(w));
	memcpy(i, idle, sizeof(i));
	memset(pairs, 0, NR_DISTANCES * sizeof(*pairs));
	for (int d = DIST_SMT; d < NR_DISTANCES; d++)
		for (int a = 0; a < NR_CPUS; a++)
			for (int b = 0; b < NR_CPUS; b++)
				while (group(a, d) == group(b, d) && w[a] && i[b]) {
					w[a]--;
					i[b]--;
					pairs[d]++;
				}
}

static void as_if_made_anew(void **state)
{
	int waiting[NR_CPUS] = {0}, idle[NR_CPUS] = {0}, pairs[NR_DISTANCES];
	u64 now = 0, ns[NR_DISTANCES] = {0};
	struct scene s;
	struct rng rng;

	begin(&s);
	rng_init(&rng, 7, 1);
	for (int step = 0; step < 20000; step++) {
		int cpu = (int)rng_below(&rng, NR_CPUS), by;
		u64 after = rng_below(&rng, 3000);

		if (rng_below(&rng, 2)) {
			by = idle[cpu] ? -1 : 1;
			idle[cpu] += by;
			waste_idle(s.w, now, cpu, by);
		} else {
			by = waiting[cpu] && rng_below(&rng, 5) ? -1 : 1;
			waiting[cpu] += by;
			waste_wait(s.w, now, cpu, by);
		}
		match(waiting, idle, pairs);
		for (int d = 0; d < NR_DISTANCES; d++)
			ns[d] += pairs[d] * after;
		now += after;
	}
	at(&s, now, DIST_SMT);
	for (int d = 0; d < NR_DISTANCES; d++) {
		u64 sum = 0;

		assert_int_equal(s.r.ns[d], ns[d]);
		for (int b = 0; b < NR_WASTE_BUCKETS; b++)
			sum += s.r.lasted[d][b].ns;
		assert_int_equal(sum, ns[d]);
	}
	assert_true(ns[DIST_SMT] && ns[DIST_LLC] && ns[DIST_REMOTE]);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_of_the_machine),
		cmocka_unit_test(nearest_level),
		cmocka_unit_test(near_ones_first),
		cmocka_unit_test(how_long),
		cmocka_unit_test(restricted),
		cmocka_unit_test(as_if_made_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
