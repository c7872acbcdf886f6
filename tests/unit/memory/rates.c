// SPDX-License-Identifier: BSD-2-Clause
/* Progress of what CPUs do: closed forms, conservation, what settle reports. */
#include "fixture.h"

#include "sim/rates.h"

struct rig {
	struct arena *arena;
	struct machine *m;
	struct rates *r;
};

static struct rig rig(struct shape s)
{
	struct rig g = { .arena = arena_new(), .m = make_machine(s) };

	return g;
}

static void boot(struct rig *g)
{
	g->r = rates_new(g->arena, g->m);
	assert_non_null(g->r);
}

static void drop(struct rig *g)
{
	drop_machine(g->m);
	arena_free(g->arena);
}

static void add_boost(struct machine *m)
{
	m->max_mhz = 3600;
	m->nr_boost = 3;
	m->boost[0].cores = 2;
	m->boost[0].mhz = 3600;
	m->boost[1].cores = 3;
	m->boost[1].mhz = 3400;
	m->boost[2].cores = 4;
	m->boost[2].mhz = 2700;
}

static void wall_and_idle(void **state)
{
	struct rig g = rig((struct shape){ 1, 1, 1, 4, 1 });
	u64 left;

	boot(&g);
	assert_int_equal(rates_end(g.r, 2), RATES_NEVER);
	assert_int_equal(rates_settle(g.r, 0), 0);
	rates_start(g.r, 100, 2, ACT_WALL, 500, NULL);
	assert_int_equal(rates_end(g.r, 2), 600);
	assert_int_equal(rates_settle(g.r, 100), 1);
	assert_int_equal(rates_moved(g.r)[0], 2);
	assert_int_equal(rates_settle(g.r, 100), 0);
	rates_stop(g.r, 350, 2, &left);
	assert_int_equal(left, 250);
	assert_int_equal(rates_end(g.r, 2), RATES_NEVER);
	assert_int_equal(rates_settle(g.r, 350), 1);
	/* the same end again after a stop is news: whoever waited for it gave up */
	rates_start(g.r, 350, 2, ACT_WALL, 50, NULL);
	rates_settle(g.r, 350);
	rates_stop(g.r, 360, 2, &left);
	rates_start(g.r, 360, 2, ACT_WALL, left, NULL);
	assert_int_equal(rates_end(g.r, 2), 400);
	assert_int_equal(rates_settle(g.r, 360), 1);
	rates_start(g.r, 400, 2, ACT_IDLE, 0, NULL);
	assert_int_equal(rates_end(g.r, 2), RATES_NEVER);
	rates_start(g.r, 400, 3, ACT_WALL, RATES_NEVER, NULL);
	assert_int_equal(rates_end(g.r, 3), RATES_NEVER);
	drop(&g);
}

static void capacity_and_frequency(void **state)
{
	struct rig g = rig((struct shape){ 1, 1, 1, 4, 1 });
	u64 left;

	g.m->topo.cpu[3].capacity = 512;
	add_boost(g.m);
	boot(&g);
	rates_start(g.r, 0, 0, ACT_COMPUTE, 1000000, NULL);
	rates_start(g.r, 0, 3, ACT_COMPUTE, 1000000, NULL);
	assert_int_equal(rates_end(g.r, 0), 1000000);
	assert_int_equal(rates_end(g.r, 3), 2000000);
	assert_int_equal(rates_settle(g.r, 0), 2);

	/* four cores busy: 2700 of 3600 MHz, from the next tick on and not before */
	rates_start(g.r, 400000, 1, ACT_WALL, 9000000, NULL);
	rates_start(g.r, 400000, 2, ACT_WALL, 9000000, NULL);
	assert_int_equal(rates_freq_scale(g.r, 0), 1024);
	rates_frequency(g.r, 400000, 1);
	assert_int_equal(rates_freq_scale(g.r, 0), 768);
	assert_int_equal(rates_end(g.r, 0), 400000 + 600000 * 4 / 3);
	assert_int_equal(rates_end(g.r, 3), 400000 + 800000 * 2 * 4 / 3 + 1); /* rounded up */
	assert_int_equal(rates_end(g.r, 1), 9400000);
	assert_int_equal(rates_settle(g.r, 400000), 4);

	/* three cores: nothing within the same tick, 3400 MHz at the next */
	rates_start(g.r, 500000, 1, ACT_IDLE, 0, NULL);
	rates_frequency(g.r, 500000, 0);
	assert_int_equal(rates_freq_scale(g.r, 0), 768);
	rates_stop(g.r, 800000, 0, &left);
	assert_int_equal(left, 300000);
	rates_start(g.r, 800000, 0, ACT_IDLE, 0, NULL);
	rates_frequency(g.r, 4400000, 2);
	assert_int_equal(rates_freq_scale(g.r, 0), 1024);
	drop(&g);
}

static void boost_table(void **state)
{
	struct rig g = rig((struct shape){ 2, 1, 1, 6, 1 });
	static const u32 want[] = { 1024, 1024, 967, 768, 768, 768 };

	add_boost(g.m);
	boot(&g);
	for (int c = 0; c < 6; c++) {
		u64 now = (c + 1) * 4000000ULL;

		rates_start(g.r, now, c, ACT_WALL, NSEC_PER_SEC, NULL);
		rates_frequency(g.r, now, c);
		assert_int_equal(rates_freq_scale(g.r, 0), want[c]);
		assert_int_equal(rates_freq_scale(g.r, 6), 1024); /* the other package */
	}
	drop(&g);
}

static void smt(void **state)
{
	struct rig g = rig((struct shape){ 1, 1, 1, 2, 2 });
	u64 left;

	boot(&g);
	rates_start(g.r, 0, 0, ACT_COMPUTE, 1000000, NULL);
	rates_settle(g.r, 0);
	/* its sibling is 2; CPU 1 is another core */
	rates_start(g.r, 200000, 1, ACT_COMPUTE, 1000000, NULL);
	assert_int_equal(rates_settle(g.r, 200000), 1);
	rates_start(g.r, 400000, 2, ACT_WALL, 100000, NULL);
	assert_int_equal(rates_settle(g.r, 400000), 2);
	/* 600000 left at 0.62 */
	assert_in_range(rates_end(g.r, 0), 400000 + 967742, 400000 + 967743);
	rates_start(g.r, 500000, 2, ACT_IDLE, 0, NULL);
	rates_settle(g.r, 500000);
	/* 62000 done in between */
	assert_in_range(rates_end(g.r, 0), 500000 + 538000, 500000 + 538001);
	rates_stop(g.r, 600000, 0, &left);
	assert_in_range(left, 438000, 438001);
	/* busy with nothing is still busy: a computing sibling goes at 0.62 */
	rates_start(g.r, 600000, 2, ACT_COMPUTE, 620, NULL);
	assert_in_range(rates_end(g.r, 2), 601000, 601001);
	/* both computing, one becomes idle */
	rates_start(g.r, 600000, 0, ACT_COMPUTE, 1000, NULL);
	rates_settle(g.r, 600000);
	rates_start(g.r, 600500, 2, ACT_IDLE, 0, NULL);
	assert_int_equal(rates_settle(g.r, 600500), 2);
	assert_in_range(rates_end(g.r, 0), 600500 + 690, 600500 + 691);
	drop(&g);
}

/* A core of more threads: each one more adds, but less than the one before. */
static void smt_four(void **state)
{
	struct rig g = rig((struct shape){ 1, 1, 1, 1, 4 });
	u64 total = 1000, was = 1000;

	boot(&g);
	for (int c = 1; c < 4; c++)
		rates_start(g.r, 0, c - 1, ACT_WALL, 1000, NULL);
	rates_start(g.r, 0, 3, ACT_COMPUTE, 1000000, NULL);
	/* 1000 + 240 + 120 + 80 permille over four */
	assert_in_range(rates_end(g.r, 3), 1000000 / 0.36 - 20, 1000000 / 0.36 + 20);
	for (int c = 0; c < 3; c++) {
		rates_start(g.r, 0, c, ACT_IDLE, 0, NULL);
		total = 1000000000000ULL / rates_end(g.r, 3) * (3 - c) / 1000;
		assert_true(c == 0 || total < was);
		was = total;
	}
	assert_int_equal(rates_end(g.r, 3), 1000000);
	drop(&g);
}

/* Work interrupted at random ends when it would have ended otherwise. */
static void nothing_lost(void **state)
{
	struct rig g = rig((struct shape){ 1, 1, 1, 4, 2 });
	struct rng rng;

	g.m->topo.cpu[1].capacity = 777;
	add_boost(g.m);
	g.m->boost[0].mhz = 3333;
	boot(&g);
	rng_init(&rng, 7, 1);
	for (int round = 0; round < 200; round++) {
		u64 work = 1 + rng_below(&rng, 3000000), now = 1000, end, pause = 0, left = work;
		int cpu = 1;

		rates_start(g.r, now, cpu, ACT_COMPUTE, work, NULL);
		end = rates_end(g.r, cpu);
		while (rates_end(g.r, cpu) != RATES_NEVER) {
			u64 run = 1 + rng_below(&rng, 5000);

			if (now + run >= rates_end(g.r, cpu)) {
				now = rates_end(g.r, cpu);
				rates_stop(g.r, now, cpu, &left);
				assert_int_equal(left, 0);
				break;
			}
			now += run;
			rates_stop(g.r, now, cpu, &left);
			pause = rng_below(&rng, 2000);
			rates_start(g.r, now, cpu, ACT_WALL, pause, NULL);
			rates_settle(g.r, now);
			now += pause;
			end += pause;
			rates_start(g.r, now, cpu, ACT_COMPUTE, left, NULL);
			rates_settle(g.r, now);
		}
		/* rounding the last end up is all there is; a carry is less than one ns */
		if (now + 1 < end || now > end + 1)
			fail_msg("round %d (seed 7): %llu ns of work ended at %llu, not %llu", round,
				 (unsigned long long)work, (unsigned long long)now,
				 (unsigned long long)end);
	}
	drop(&g);
}

static void very_long_work(void **state)
{
	struct rig g = rig((struct shape){ 1, 1, 1, 2, 1 });
	u64 work = 1ULL << 50, left;

	g.m->topo.cpu[0].capacity = 512;
	boot(&g);
	rates_start(g.r, 5, 0, ACT_COMPUTE, work, NULL);
	assert_int_equal(rates_end(g.r, 0), 5 + 2 * work);
	rates_stop(g.r, 5 + work, 0, &left);
	assert_int_equal(left, work / 2);
	rates_start(g.r, 5 + work, 0, ACT_COMPUTE, UINT64_MAX, NULL);
	assert_int_equal(rates_end(g.r, 0), RATES_NEVER);
	rates_stop(g.r, 5 + work + 4, 0, &left);
	assert_int_equal(left, UINT64_MAX - 2);
	drop(&g);
}

static void streams(void **state)
{
	struct rig g = rig((struct shape){ 1, 1, 1, 2, 1 });
	static const u32 here[] = { 1000 };
	struct traffic t = { .read_bytes = 1000000, .write_bytes = 500000, .node_permille = here };
	u64 left;

	g.m->bw.core = 16 * GB;
	g.m->bw.node = 20 * GB;
	boot(&g);
	rates_start(g.r, 0, 0, ACT_STREAM, 0, &t);
	assert_int_equal(rates_settle(g.r, 0), 1);
	assert_int_equal(rates_end(g.r, 0), 93750);
	/* a second one: 10 each; the first has 1260000 left */
	rates_start(g.r, 15000, 1, ACT_STREAM, 0, &t);
	assert_int_equal(rates_settle(g.r, 15000), 2);
	assert_int_equal(rates_end(g.r, 0), 15000 + 126000);
	assert_int_equal(rates_end(g.r, 1), 15000 + 150000);
	rates_stop(g.r, 65000, 1, &left);
	assert_int_equal(left, 1000000);
	assert_int_equal(rates_settle(g.r, 65000), 2);
	assert_int_equal(rates_end(g.r, 0), 65000 + 760000 / 16);
	/* interrupted and going on within one instant: nothing changes */
	rates_stop(g.r, 70000, 0, &left);
	assert_int_equal(left, 680000);
	t.read_bytes = 453334;
	t.write_bytes = left - t.read_bytes;
	rates_start(g.r, 70000, 0, ACT_STREAM, 0, &t);
	assert_int_equal(rates_settle(g.r, 70000), 1);
	assert_int_equal(rates_end(g.r, 0), 112500);
	/* nothing to move */
	t.read_bytes = t.write_bytes = 0;
	rates_start(g.r, 80000, 1, ACT_STREAM, 0, &t);
	rates_settle(g.r, 80000);
	assert_int_equal(rates_end(g.r, 1), 80000);
	drop(&g);
}

/* A system call is slower beside a busy sibling and on a small core. */
static void calls(void **state)
{
	struct rig g = rig((struct shape){ 1, 1, 1, 2, 2 });

	g.m->smt_permille = 625;
	g.m->topo.cpu[3].capacity = 512;
	boot(&g);
	rates_start(g.r, 0, 0, ACT_WALL, 1000, NULL);
	assert_int_equal(rates_call_ns(g.r, 0, 1000), 1000);
	for (int c = 1; c < 4; c++)
		rates_start(g.r, 0, c, ACT_WALL, 1000, NULL);
	for (int c = 0; c < 4; c++)
		assert_int_equal(rates_call_ns(g.r, c, 1000), c == 3 ? 3200 : 1600);
	drop(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wall_and_idle), cmocka_unit_test(capacity_and_frequency),
		cmocka_unit_test(boost_table),	 cmocka_unit_test(smt),
		cmocka_unit_test(smt_four),	 cmocka_unit_test(nothing_lost),
		cmocka_unit_test(very_long_work), cmocka_unit_test(streams),
		cmocka_unit_test(calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
