// SPDX-License-Identifier: BSD-2-Clause
/* Max-min shares: closed forms of each resource, then random sets of flows against the definition. */
#include "fixture.h"

#include <string.h>

#include "sim/bandwidth.h"

struct rig {
	struct arena *arena;
	struct machine *m;
	struct bandwidth *bw;
	u32 permille[64];
};

static struct rig rig(struct shape s)
{
	struct rig g = { .arena = arena_new(), .m = make_machine(s) };

	g.m->bw = (struct machine_bandwidth){
		.core = 16 * GB, .core_llc = 40 * GB,
		.llc_read = 48 * GB, .llc_write = 24 * GB, .llc_mixed = 64 * GB,
		.node = 160 * GB, .link = 60 * GB, .node_link = 50 * GB,
	};
	return g;
}

static void boot(struct rig *g)
{
	g->bw = bandwidth_new(g->arena, g->m);
	assert_non_null(g->bw);
}

static void drop(struct rig *g)
{
	drop_machine(g->m);
	arena_free(g->arena);
}

/* @cpu moves @rd : @wr with all its pages on @node (-1: in the LLC) */
static void stream(struct rig *g, int cpu, u64 rd, u64 wr, int node)
{
	struct traffic t = { rd, wr, node < 0, g->permille };

	memset(g->permille, 0, sizeof(g->permille));
	g->permille[max(node, 0)] = 1000;
	assert_int_equal(bandwidth_add(g->bw, cpu, &t), 0);
}

static void expect(struct rig *g, int cpu, double gbs)
{
	struct err err = { 0 };
	double got;

	bandwidth_solve(g->bw);
	if (bandwidth_check(g->bw, &err))
		fail_msg("%s", err.msg);
	got = bandwidth_rate(g->bw, cpu) / 1048576.0;
	if (got < gbs * 0.9999 - 0.00001 || got > gbs * 1.0001 + 0.00001)
		fail_msg("cpu %d: %.5f GB/s, not %.5f", cpu, got, gbs);
}

static void one_alone(void **state)
{
	struct rig g = rig((struct shape){ 2, 1, 2, 8, 1 });

	boot(&g);
	stream(&g, 3, 1, 1, 0);
	assert_int_equal(bandwidth_rate(g.bw, 3), 0);
	assert_int_equal(bandwidth_solve(g.bw), 1);
	assert_int_equal(bandwidth_changed(g.bw)[0], 3);
	assert_int_equal(bandwidth_rate(g.bw, 3), 16 << BW_SHIFT);
	assert_int_equal(bandwidth_solve(g.bw), 0);
	bandwidth_del(g.bw, 3);
	assert_int_equal(bandwidth_solve(g.bw), 0);
	stream(&g, 3, 0, 5, -1);
	expect(&g, 3, 40);
	drop(&g);

	/* a core that reads 20 but copies 15 (spec 13 §4); write-allocate: two reads a write */
	g = rig((struct shape){ 1, 1, 1, 4, 1 });
	g.m->bw.core = 20 * GB;
	g.m->bw.core_write = 15 * GB / 2;
	boot(&g);
	stream(&g, 0, 1, 0, 0);
	expect(&g, 0, 20);
	stream(&g, 1, 1, 1, 0);
	expect(&g, 1, 15);
	bandwidth_del(g.bw, 1);
	stream(&g, 1, 2, 1, 0);
	expect(&g, 1, 20);
	bandwidth_del(g.bw, 1);
	stream(&g, 1, 1, 1, -1);
	expect(&g, 1, 40);
	drop(&g);
}

static void in_one_llc(void **state)
{
	struct rig g = rig((struct shape){ 1, 1, 2, 8, 1 });

	boot(&g);
	/* two: 32 of reads, below the limit; four: 48 / 4 */
	stream(&g, 0, 1, 0, 0);
	stream(&g, 1, 1, 0, 0);
	expect(&g, 0, 16);
	stream(&g, 2, 1, 0, 0);
	stream(&g, 3, 1, 0, 0);
	expect(&g, 0, 12);
	/* another LLC isn't touched by that */
	stream(&g, 8, 1, 0, 0);
	expect(&g, 8, 16);
	expect(&g, 3, 12);
	/* a pure writer meets neither the read limit nor (64 - 48 left) the mixed one */
	stream(&g, 4, 0, 1, 0);
	expect(&g, 4, 16);
	/* two: the mixed limit is the tightest, for all six */
	stream(&g, 5, 0, 1, 0);
	expect(&g, 4, 64.0 / 6);
	expect(&g, 0, 64.0 / 6);
	drop(&g);
}

/* Copy without and with write-allocate: 1:1 and 2:1 reads to writes (spec 13 §4). */
static void mixes(void **state)
{
	struct rig g = rig((struct shape){ 1, 1, 1, 8, 1 });

	boot(&g);
	for (int c = 0; c < 4; c++)
		stream(&g, c, 1, 1, 0);
	expect(&g, 0, 24 / 4 * 2); /* half of each is written: 24 in all */
	for (int c = 0; c < 4; c++)
		bandwidth_del(g.bw, c);
	for (int c = 0; c < 5; c++)
		stream(&g, c, 2, 1, 0);
	expect(&g, 0, 64.0 / 5); /* reads 42.7, writes 21.3, together the mixed limit */
	drop(&g);
}

static void channels_of_a_node(void **state)
{
	struct rig g = rig((struct shape){ 1, 4, 2, 8, 1 });

	g.m->bw.node = 41 * GB;
	boot(&g);
	for (int c = 0; c < 8; c++)
		stream(&g, c * 16 / 8, 1, 0, 0); /* four in each LLC of node 0 */
	expect(&g, 0, 41.0 / 8);
	/* one that leaves gives its share to the others */
	bandwidth_del(g.bw, 14);
	expect(&g, 0, 41.0 / 7);
	/* half on the next node, and that one free */
	g.permille[0] = g.permille[1] = 500;
	struct traffic t = { 1, 0, false, g.permille };
	assert_int_equal(bandwidth_add(g.bw, 14, &t), 0);
	expect(&g, 14, 41.0 / 7.5);
	expect(&g, 0, 41.0 / 7.5);
	drop(&g);
}

static void links(void **state)
{
	struct rig g = rig((struct shape){ 2, 2, 4, 4, 1 });

	boot(&g);
	/* from the other package: reads come over one direction, writes go over the other */
	for (int c = 0; c < 5; c++)
		stream(&g, c * 4 % 20, 1, 0, 2 + c % 2);
	expect(&g, 0, 12);
	bandwidth_del(g.bw, 16);
	expect(&g, 0, 15);
	stream(&g, 16, 0, 1, 2);
	expect(&g, 16, 16);
	/* the other way round is a link of its own */
	stream(&g, 40, 1, 0, 0);
	expect(&g, 40, 16);
	expect(&g, 0, 15);
	for (int c = 0; c < 5; c++)
		bandwidth_del(g.bw, c * 4);
	/* from the other node of the package: 50 per direction */
	for (int c = 0; c < 5; c++)
		stream(&g, c % 4 * 4 + c / 4, 1, 0, 1);
	expect(&g, 0, 10);
	drop(&g);
}

/* Siblings share what their core can have in flight. */
static void smt(void **state)
{
	struct rig g = rig((struct shape){ 1, 1, 1, 4, 2 });

	boot(&g);
	stream(&g, 0, 1, 0, 0);
	stream(&g, 4, 1, 0, 0);
	expect(&g, 0, 8);
	bandwidth_del(g.bw, 4);
	stream(&g, 4, 1, 0, -1);
	expect(&g, 0, 16);
	expect(&g, 4, 24);
	drop(&g);
}

/* The shape of the published STREAM runs: 16 threads on one socket, or one on each LLC. */
static void one_socket_or_two(void **state)
{
	struct rig g = rig((struct shape){ 2, 1, 8, 8, 2 });
	double total = 0;

	g.m->bw.node = 165 * GB;
	boot(&g);
	for (int c = 0; c < 16; c++)
		stream(&g, c * 4, 1, 1, 0);
	expect(&g, 0, 165.0 / 16);
	for (int c = 0; c < 16; c++)
		bandwidth_del(g.bw, c * 4);
	for (int c = 0; c < 16; c++)
		stream(&g, c * 8, 1, 1, c / 8);
	expect(&g, 0, 16);
	for (int c = 0; c < 16; c++)
		total += bandwidth_rate(g.bw, c * 8) / 1048576.0;
	assert_in_range((int)total, 255, 256);
	drop(&g);
}

static void unknown_limits(void **state)
{
	struct rig g = rig((struct shape){ 1, 1, 1, 4, 1 });

	memset(&g.m->bw, 0, sizeof(g.m->bw));
	boot(&g);
	stream(&g, 0, 1, 1, 0);
	assert_int_equal(bandwidth_solve(g.bw), 1);
	assert_int_equal(bandwidth_rate(g.bw, 0), BW_UNLIMITED);
	for (int i = 0; i < 20; i++) {
		bandwidth_del(g.bw, 0);
		stream(&g, 0, 1, 1, -1);
	}
	assert_int_equal(bandwidth_solve(g.bw), 1);
	drop(&g);
}

static void random_flow(struct rig *g, struct rng *rng, int cpu)
{
	struct traffic t = { rng_below(rng, 3), rng_below(rng, 3), !rng_below(rng, 6), g->permille };
	int nr = g->m->topo.nr_nodes;

	memset(g->permille, 0, sizeof(g->permille));
	for (int left = 1000; left;) {
		int part = min(left, 1 + (int)rng_below(rng, 1000));

		g->permille[rng_below(rng, nr)] += part;
		left -= part;
	}
	if (!t.read_bytes && !t.write_bytes)
		t.read_bytes = 1;
	assert_int_equal(bandwidth_add(g->bw, cpu, &t), 0);
}

/*
 * Fair at every step, and what is solved piece by piece is what a solver that
 * sees the same flows for the first time gives, in whatever order they come.
 */
static void random_flows(void **state)
{
	static const struct shape shapes[] = {
		{ 1, 1, 1, 8, 1 }, { 2, 1, 4, 4, 2 }, { 2, 4, 2, 4, 1 }, { 4, 2, 1, 4, 2 } };

	for (u64 seed = 1; seed <= 40; seed++) {
		struct rig g = rig(shapes[seed % ARRAY_SIZE(shapes)]);
		int nr = g.m->topo.nr_cpus;
		u64 flow_seed[128] = { 0 };
		struct rng rng, one;
		struct err err = { 0 };

		boot(&g);
		rng_init(&rng, seed, 0);
		for (int step = 0; step < 150; step++) {
			int cpu = rng_below(&rng, nr);

			if (flow_seed[cpu]) {
				bandwidth_del(g.bw, cpu);
				flow_seed[cpu] = 0;
			} else {
				flow_seed[cpu] = rng_u64(&rng) | 1;
				rng_init(&one, flow_seed[cpu], 0);
				random_flow(&g, &one, cpu);
			}
			if (rng_below(&rng, 3))
				continue;
			bandwidth_solve(g.bw);
			if (bandwidth_check(g.bw, &err))
				fail_msg("seed %d step %d: %s", (int)seed, step, err.msg);
		}
		bandwidth_solve(g.bw);

		struct rig h = g;
		boot(&h);
		for (int c = nr - 1; c >= 0; c--) {
			if (!flow_seed[c])
				continue;
			rng_init(&one, flow_seed[c], 0);
			random_flow(&h, &one, c);
		}
		bandwidth_solve(h.bw);
		for (int c = 0; c < nr; c++)
			assert_int_equal(bandwidth_rate(g.bw, c), bandwidth_rate(h.bw, c));
		drop(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_alone),	     cmocka_unit_test(in_one_llc),
		cmocka_unit_test(mixes),	     cmocka_unit_test(channels_of_a_node),
		cmocka_unit_test(links),	     cmocka_unit_test(smt),
		cmocka_unit_test(one_socket_or_two), cmocka_unit_test(unknown_limits),
		cmocka_unit_test(random_flows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
