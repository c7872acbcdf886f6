// SPDX-License-Identifier: BSD-2-Clause
/* First-touch placement against a page-by-page model, and the prices of cold caches. */
#include "fixture.h"

#include <string.h>

#include "sim/memory.h"

#define PAGE 4096ULL
#define MB   (1ULL << 20)

static void slices(void **state)
{
	struct machine *m = make_machine((struct shape){ 2, 1, 8, 8, 1 });
	struct arena *arena = arena_new();
	struct memory *mem;
	struct sim_region *r;
	u32 p[2];
	size_t before;

	m->node_bytes = 256ULL << 30;
	mem = memory_new(arena, m);
	r = memory_region(mem, 1024 * MB, NULL);
	assert_int_equal(memory_region_bytes(r), 1024 * MB);
	memory_nodes(mem, r, 0, 1024 * MB, 1, p);
	assert_int_equal(p[0], 0); /* nothing placed: as if on the asker's node */
	assert_int_equal(p[1], 1000);
	before = arena_bytes(arena);
	for (int i = 0; i < 16; i++)
		assert_int_equal(memory_touch(mem, r, i * 64 * MB, 64 * MB, i / 12), 64 * MB);
	assert_int_equal(memory_touch(mem, r, 0, 1024 * MB, 1), 0);
	assert_int_equal(memory_region_node_bytes(r, 0), 768 * MB);
	assert_int_equal(memory_region_node_bytes(r, 1), 256 * MB);
	memory_nodes(mem, r, 0, 1024 * MB, 0, p);
	assert_int_equal(p[0], 750);
	assert_int_equal(p[1], 250);
	memory_nodes(mem, r, 736 * MB, 64 * MB, 0, p);
	assert_int_equal(p[0], 500);
	assert_true(arena_bytes(arena) - before < MB);
	arena_free(arena);
	drop_machine(m);
}

static void thirds_sum_to_1000(void **state)
{
	struct machine *m = make_machine((struct shape){ 1, 3, 1, 2, 1 });
	struct arena *arena = arena_new();
	struct memory *mem = memory_new(arena, m); /* node_bytes 0: no limit known */
	struct sim_region *r = memory_region(mem, 3 * PAGE, NULL);
	u32 p[3];

	for (int n = 0; n < 3; n++)
		assert_int_equal(memory_touch(mem, r, n * PAGE + 17, 1, n), PAGE);
	memory_nodes(mem, r, 0, 3 * PAGE, 0, p);
	assert_int_equal(p[0], 334);
	assert_int_equal(p[1], 333);
	assert_int_equal(p[2], 333);
	/* outside and empty ranges */
	memory_nodes(mem, r, 3 * PAGE, 1, 2, p);
	assert_int_equal(p[2], 1000);
	assert_int_equal(memory_touch(mem, r, 5 * PAGE, PAGE, 0), 0);
	assert_int_equal(memory_touch(mem, r, 0, 0, 0), 0);
	assert_int_equal(memory_touch(mem, r, 2 * PAGE, UINT64_MAX, 0), 0);
	arena_free(arena);
	drop_machine(m);
}

static void spill_to_the_nearest(void **state)
{
	struct machine *m = make_machine((struct shape){ 2, 2, 1, 2, 1 });
	struct arena *arena = arena_new();
	struct memory *mem;
	struct sim_region *r;
	struct err err = { 0 };

	m->node_bytes = 10 * MB;
	mem = memory_new(arena, m);
	r = memory_region(mem, 36 * MB + 1, &err);
	assert_non_null(r);
	assert_int_equal(memory_touch(mem, r, 0, 15 * MB, 3), 15 * MB);
	assert_int_equal(memory_region_node_bytes(r, 3), 10 * MB);
	assert_int_equal(memory_region_node_bytes(r, 2), 5 * MB); /* SLIT 12 */
	assert_int_equal(memory_touch(mem, r, 15 * MB, 16 * MB, 2), 16 * MB);
	assert_int_equal(memory_region_node_bytes(r, 2), 10 * MB);
	assert_int_equal(memory_region_node_bytes(r, 0), 10 * MB); /* 32, as far as node 1 */
	assert_int_equal(memory_region_node_bytes(r, 1), 1 * MB);

	/* what is promised can't be given twice: 40 MB in all, one page more than 36 */
	assert_null(memory_region(mem, 4 * MB, &err));
	assert_int_equal(err.code, -ENOMEM);
	assert_non_null(strstr(err.msg, "3 MB of memory left of 40 MB, and 4 MB"));
	assert_non_null(memory_region(mem, 4 * MB - PAGE, NULL));
	arena_free(arena);
	drop_machine(m);
}

/* Bound pages go to the nearest of their nodes, and elsewhere only when these are full. */
static void bound(void **state)
{
	struct machine *m = make_machine((struct shape){ 2, 2, 1, 2, 1 });
	struct arena *arena = arena_new();
	const u64 nodes = 1 << 2 | 1 << 1;
	struct memory *mem;
	struct sim_region *r;

	m->node_bytes = 10 * MB;
	mem = memory_new(arena, m);
	r = memory_region(mem, 40 * MB, NULL);
	memory_bind(r, &nodes);
	assert_int_equal(memory_touch(mem, r, 0, 4 * MB, 3), 4 * MB);
	assert_int_equal(memory_region_node_bytes(r, 2), 4 * MB); /* 12, the other 32 */
	assert_int_equal(memory_touch(mem, r, 4 * MB, 4 * MB, 0), 4 * MB);
	assert_int_equal(memory_region_node_bytes(r, 1), 4 * MB);
	assert_int_equal(memory_touch(mem, r, 8 * MB, 14 * MB, 3), 14 * MB);
	assert_int_equal(memory_region_node_bytes(r, 1), 10 * MB);
	assert_int_equal(memory_region_node_bytes(r, 2), 10 * MB);
	assert_int_equal(memory_region_node_bytes(r, 3), 2 * MB);
	memory_bind(r, NULL);
	assert_int_equal(memory_touch(mem, r, 22 * MB, MB, 0), MB);
	assert_int_equal(memory_region_node_bytes(r, 0), MB);
	arena_free(arena);
	drop_machine(m);
}

/* Random touches; each page must be where a model with one entry a page has it. */
static void against_a_page_table(void **state)
{
	enum { PAGES = 400, NODES = 4 };
	struct machine *m = make_machine((struct shape){ 2, 2, 1, 2, 1 });
	struct rng rng;

	m->node_bytes = 150 * PAGE;
	for (u64 seed = 1; seed <= 50; seed++) {
		struct arena *arena = arena_new();
		struct memory *mem = memory_new(arena, m);
		struct sim_region *r = memory_region(mem, PAGES * PAGE, NULL);
		int table[PAGES], used[NODES] = { 0 };

		memset(table, -1, sizeof(table));
		rng_init(&rng, seed, 0);
		for (int step = 0; step < 120; step++) {
			u64 offset = rng_below(&rng, PAGES * PAGE);
			u64 bytes = 1 + rng_below(&rng, rng_below(&rng, 2) ? PAGE : 40 * PAGE);
			int node = rng_below(&rng, NODES), placed = 0, count[NODES] = { 0 }, n = 0;
			static const int near[NODES][NODES] = {
				{ 0, 1, 2, 3 }, { 1, 0, 2, 3 }, { 2, 3, 0, 1 }, { 3, 2, 0, 1 } };
			u32 p[NODES];

			bytes = min(bytes, PAGES * PAGE - offset);
			for (u64 i = offset / PAGE; i <= (offset + bytes - 1) / PAGE; i++) {
				for (int k = 0; table[i] < 0; k++) {
					if (used[near[node][k]] == 150)
						continue;
					table[i] = near[node][k];
					used[table[i]]++;
					placed++;
				}
				count[table[i]]++;
				n++;
			}
			assert_int_equal(memory_touch(mem, r, offset, bytes, node), placed * PAGE);
			memory_nodes(mem, r, offset, bytes, node, p);
			for (int k = 0; k < NODES; k++) {
				if (abs((int)p[k] * n - count[k] * 1000) > NODES * n)
					fail_msg("seed %d step %d node %d: %u permille, want %d/%d",
						 (int)seed, step, k, p[k], count[k], n);
				assert_int_equal(memory_region_node_bytes(r, k), used[k] * PAGE);
			}
			assert_int_equal(p[0] + p[1] + p[2] + p[3], 1000);
		}
		arena_free(arena);
	}
	drop_machine(m);
}

/* Spec 13 §8, with the latencies of §3 and six lines in flight. */
static void refill(void **state)
{
	struct machine *m = make_machine((struct shape){ 2, 1, 2, 2, 2 });

	m->l2_bytes = 512 << 10;
	m->llc_bytes = 32 << 20;
	m->line_ns[DIST_CLUSTER] = 21;
	m->line_ns[DIST_LLC] = 21;
	m->line_ns[DIST_NODE] = 100;
	m->line_ns[DIST_REMOTE] = 200;
	assert_int_equal(memory_refill_ns(m, 0, 0, MB), 0);
	assert_int_equal(memory_refill_ns(m, 0, 8, MB), 0);		  /* its sibling */
	assert_int_equal(memory_refill_ns(m, 0, 1, 4096), 64 * 21 / 6);   /* 0.2 µs */
	assert_int_equal(memory_refill_ns(m, 0, 1, 256 << 10), 14336);	  /* 14 µs */
	assert_int_equal(memory_refill_ns(m, 0, 1, 512 << 10), 28672);	  /* 28 µs */
	assert_int_equal(memory_refill_ns(m, 0, 1, 8 * MB), 28672);	  /* L2 only */
	assert_in_range(memory_refill_ns(m, 0, 2, 256 << 10), 60000, 100000);
	assert_in_range(memory_refill_ns(m, 0, 2, 8 * MB), 1500000, 2500000);
	assert_int_equal(memory_refill_ns(m, 0, 2, 64 * MB), memory_refill_ns(m, 0, 2, 32 * MB));
	assert_int_equal(memory_refill_ns(m, 0, 4, 8 * MB), 131072 * 200 / 6); /* twice */
	assert_int_equal(memory_refill_ns(m, 0, 4, 0), 0);

	/* a cluster shares its L2 on x86, and only the L3's tags on arm64 */
	m->topo.cpu[0].cluster = m->topo.cpu[1].cluster = 0;
	assert_int_equal(memory_refill_ns(m, 0, 1, 256 << 10), 14336);
	m->topo.x86 = true;
	assert_int_equal(memory_refill_ns(m, 0, 1, 256 << 10), 0);
	drop_machine(m);
}

static void chill(void **state)
{
	struct machine *m = make_machine((struct shape){ 1, 1, 1, 2, 1 });
	u64 l2 = 512 << 10, all = 8192 * 21 / 6;

	m->l2_bytes = l2;
	m->line_ns[DIST_LLC] = 21;
	assert_int_equal(memory_chill_ns(m, 0, MB, 0), 0);
	assert_int_equal(memory_chill_ns(m, 0, MB, 100 * l2), all);
	/* 1 - 1/e and 1 - exp(-2) of it */
	assert_in_range(memory_chill_ns(m, 0, MB, l2), all * 0.631, all * 0.634);
	assert_in_range(memory_chill_ns(m, 0, MB, 2 * l2), all * 0.863, all * 0.866);
	assert_in_range(memory_chill_ns(m, 0, l2 / 2, l2), all / 2 * 0.631, all / 2 * 0.634);
	assert_int_equal(memory_chill_ns(m, 0, 0, l2), 0);
	for (u64 b = 0, was = 0; b < 12 * l2; b += 5000) {
		u64 ns = memory_chill_ns(m, 0, MB, b);

		assert_true(ns >= was && ns <= all);
		was = ns;
	}
	drop_machine(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices),
		cmocka_unit_test(thirds_sum_to_1000),
		cmocka_unit_test(spill_to_the_nearest),
		cmocka_unit_test(bound),
		cmocka_unit_test(against_a_page_table),
		cmocka_unit_test(refill),
		cmocka_unit_test(chill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
