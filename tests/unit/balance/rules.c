// SPDX-License-Identifier: BSD-2-Clause
/*
 * The rules of a pass as closed forms: the worked examples of spec 06 §15 with their numbers, the
 * tables of §5 and §6, intervals, the idle scan limit and the arithmetic of NI_RANDOM and NI_RATE.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sched/balance/lb.h"

/* A domain of two groups, by hand: what the rules read and no machine behind it. */
struct fixture {
	struct sched s;
	struct rq rq[2];
	struct sched_domain child, sd;
	struct sched_group local, busiest;
	struct sched_group_capacity sgc[2];
	struct lb_env env;
	struct domain_stats sds;
};

static void setup_kernel(struct fixture *f, const char *kernel)
{
	struct err err = { 0 };

	memset(f, 0, sizeof(*f));
	assert_int_equal(sched_kernel_parse(kernel, &f->s.k, &err), 0);
	f->s.rq = f->rq;
	f->s.nr_cpus = f->s.nr_online = 256;
	f->s.host.hz = 250;
	f->s.tick_ns = 4 * NSEC_PER_MSEC;
	f->rq[0].cpu_capacity = f->rq[0].cpu_capacity_orig = 1024;
	f->rq[1].cpu = 1;
	f->rq[1].cpu_capacity = f->rq[1].cpu_capacity_orig = 1024;
	f->sd.child = &f->child;
	f->sd.groups = &f->local;
	f->sd.imbalance_pct = 117;
	f->sd.cache_nice_tries = 1;
	f->local.next = &f->busiest;
	f->busiest.next = &f->local;
	f->local.sgc = &f->sgc[0];
	f->busiest.sgc = &f->sgc[1];
	f->busiest.first_cpu = 1;
	f->env = (struct lb_env){ .s = &f->s, .sd = &f->sd, .kind = CPU_IDLE };
	f->sds.local = &f->local;
	f->sds.busiest = &f->busiest;
}

static void two_nodes_of_128(struct fixture *f, const char *kernel, int local, int busiest)
{
	setup_kernel(f, kernel);
	f->sd.flags = SD_NUMA | SD_SERIALIZE;
	f->sd.imb_numa_nr = 8;
	f->child.flags = f->busiest.flags = f->local.flags = SD_PREFER_SIBLING;
	f->local.weight = f->busiest.weight = 128;
	f->local.cores = f->busiest.cores = 64;
	f->sds.local_stat = (struct group_stats){ .weight = 128,
						  .sum_nr = local,
						  .sum_h_nr = local,
						  .idle_cpus = 128 - local,
						  .capacity = 128 * 1024 };
	f->sds.busiest_stat = (struct group_stats){ .weight = 128,
						    .sum_nr = busiest,
						    .sum_h_nr = busiest,
						    .idle_cpus = 128 - busiest,
						    .capacity = 128 * 1024 };
}

/* spec 06 E1: a core with two tasks beside an empty one, just gone idle */
static void e1_core_with_two_tasks(void **state)
{
	static const char *const kernels[] = {
		"v5.7", "v5.17", "v6.1", "v6.6", "v6.12.95", "v7.3"
	};
	struct fixture f;

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		setup_kernel(&f, kernels[i]);
		f.env.kind = CPU_NEWLY_IDLE;
		f.sd.flags = SD_SHARE_LLC;
		f.child.flags = f.local.flags = f.busiest.flags = f.sd.local_flags =
			SD_SHARE_CPUCAPACITY | SD_SHARE_LLC | SD_PREFER_SIBLING;
		f.local.cores = f.busiest.cores = 1;
		f.sds.local_stat =
			(struct group_stats){ .weight = 2, .idle_cpus = 1, .capacity = 2048 };
		f.sds.busiest_stat = (struct group_stats){ .weight = 2,
							   .sum_nr = 2,
							   .sum_h_nr = 2,
							   .idle_cpus = 1,
							   .capacity = 2048,
							   .util = 1024 };
		f.sds.busiest_stat.type = classify_group(&f.sds.busiest_stat, 117);
		assert_true(find_busiest_group(&f.env, &f.sds));
		assert_int_equal(f.env.type, MIGRATE_TASK);
		assert_int_equal(f.env.imbalance, 1);
	}
}

/* spec 06 E2, variant C: 12 against 10 tasks moves one, 7 against 5 is allowed */
static void e2_two_nodes(void **state)
{
	struct fixture f;

	two_nodes_of_128(&f, "v6.1", 10, 12);
	assert_true(find_busiest_group(&f.env, &f.sds));
	assert_int_equal(f.env.type, MIGRATE_TASK);
	assert_int_equal(f.env.imbalance, 1);

	two_nodes_of_128(&f, "v6.1", 5, 7);
	assert_false(find_busiest_group(&f.env, &f.sds));

	/* one more on the busiest: n = 3 is more than a pair */
	two_nodes_of_128(&f, "v6.1", 5, 8);
	assert_true(find_busiest_group(&f.env, &f.sds));
	assert_int_equal(f.env.imbalance, 1);
}

/* spec 06 §6: what the four variants leave of @n tasks more on the busiest group */
static void numa_adjust_variants(void **state)
{
	static const struct {
		const char *kernel;
		int local, busiest;
		long moved;
	} rows[] = {
		{ "v5.10", 0, 2, 0 },				/* the pair stays, whatever it is */
		{ "v5.10", 0, 3, 1 },				/* 3 >> 1 */
		{ "v5.10", 2, 12, 5 },	  { "v5.17", 0, 4, 0 }, /* 4 >> 1 = 2, 4 < 32 */
		{ "v5.17", 0, 6, 3 },	  { "v5.17", 26, 30, 0 }, /* 30 < 128 / 4 */
		{ "v5.17", 28, 32, 2 },	  { "v5.18", 5, 9, 0 }, /* halved first: 2 is a pair; 6 <= 8
								 */
		{ "v5.18", 8, 12, 2 },				/* 9 > 8 */
		{ "v5.19-tip", 5, 9, 2 },			/* not halved yet: 4 is no pair */
		{ "v5.19-tip", 5, 7, 0 }, { "v6.12", 7, 9, 0 },	  { "v6.12", 8, 10, 1 },
	};
	struct fixture f;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		two_nodes_of_128(&f, rows[i].kernel, rows[i].local, rows[i].busiest);
		find_busiest_group(&f.env, &f.sds);
		if (f.env.imbalance != rows[i].moved)
			fail_msg("%s, %d against %d tasks: moves %ld, expected %ld", rows[i].kernel,
				 rows[i].local, rows[i].busiest, f.env.imbalance, rows[i].moved);
	}
}

/* spec 06 E3: two overloaded groups meet at the average */
static void e3_overloaded(void **state)
{
	struct fixture f;

	setup_kernel(&f, "v6.1");
	f.env.kind = CPU_NOT_IDLE;
	f.sds.local_stat = (struct group_stats){ .type = GROUP_OVERLOADED,
						 .capacity = 2048,
						 .load = 3072,
						 .avg_load = 1536,
						 .weight = 2,
						 .sum_nr = 3,
						 .sum_h_nr = 3 };
	f.sds.busiest_stat = (struct group_stats){ .type = GROUP_OVERLOADED,
						   .capacity = 2048,
						   .load = 6144,
						   .avg_load = 3072,
						   .weight = 2,
						   .sum_nr = 6,
						   .sum_h_nr = 6 };
	f.sds.total_load = 9216;
	f.sds.total_capacity = 4096;
	assert_true(find_busiest_group(&f.env, &f.sds));
	assert_int_equal(f.sds.avg_load, 2304);
	assert_int_equal(f.env.type, MIGRATE_LOAD);
	assert_int_equal(f.env.imbalance, 1536);

	/* within imbalance_pct of each other: balanced */
	f.sds.busiest_stat.avg_load = 1536 * 117 / 100;
	f.sds.total_load = 3072 + 3594;
	assert_false(find_busiest_group(&f.env, &f.sds));
}

/*
 * The overloaded group has less than the average of the domain, for a heavy task runs alone
 * elsewhere: only what the local group lacks limits the move. Recorded kernels (6.1, 6.12, 7.3) pull
 * then: CPUs of 1208, 1024 (local), 1079 (two tasks) and 3206.
 */
static void below_the_average(void **state)
{
	struct fixture f;

	setup_kernel(&f, "v6.12.95");
	f.env.kind = CPU_NOT_IDLE;
	f.sds.local_stat = (struct group_stats){ .type = GROUP_FULLY_BUSY,
						 .capacity = 1024,
						 .load = 1024,
						 .weight = 1,
						 .sum_nr = 1,
						 .sum_h_nr = 1 };
	f.sds.busiest_stat = (struct group_stats){ .type = GROUP_OVERLOADED,
						   .capacity = 1024,
						   .load = 1079,
						   .avg_load = 1079,
						   .weight = 1,
						   .sum_nr = 2,
						   .sum_h_nr = 2 };
	f.sds.total_load = 1208 + 1024 + 1079 + 3206;
	f.sds.total_capacity = 4096;
	assert_true(find_busiest_group(&f.env, &f.sds));
	assert_int_equal(f.env.type, MIGRATE_LOAD);
	assert_int_equal(f.env.imbalance, 1629 - 1024);
}

/* spec 06 E4 and the types of §4 */
static void e4_overloaded_or_not(void **state)
{
	struct group_stats g = { .capacity = 16384, .util = 14100, .sum_nr = 17, .weight = 16 };

	assert_int_equal(classify_group(&g, 117), GROUP_OVERLOADED);
	g.util = 14000;
	assert_int_equal(classify_group(&g, 117), GROUP_HAS_SPARE);
	g.runnable = 19169;
	assert_int_equal(classify_group(&g, 117), GROUP_HAS_SPARE);
	g.runnable = 19170;
	assert_int_equal(classify_group(&g, 117), GROUP_OVERLOADED);
	/* not more tasks than CPUs: full at most */
	g.sum_nr = 16;
	assert_int_equal(classify_group(&g, 117), GROUP_FULLY_BUSY);
	g.misfit_load = 1;
	assert_int_equal(classify_group(&g, 117), GROUP_MISFIT_TASK);
	g.smt = true;
	assert_int_equal(classify_group(&g, 117), GROUP_SMT_BALANCE);
	g.asym = true;
	assert_int_equal(classify_group(&g, 117), GROUP_ASYM_PACKING);
	g.imbalance = true;
	assert_int_equal(classify_group(&g, 117), GROUP_IMBALANCED);
	g.sum_nr = 17;
	assert_int_equal(classify_group(&g, 117), GROUP_OVERLOADED);
	g = (struct group_stats){ .capacity = 16384, .util = 16384, .sum_nr = 15, .weight = 16 };
	assert_int_equal(classify_group(&g, 117), GROUP_HAS_SPARE);
}

/* spec 06 §5, the table of equal types */
static void equal_types(void **state)
{
	struct fixture f;
	struct group_stats x = { .sum_h_nr = 4, .sum_nr = 4 };

	setup_kernel(&f, "v6.1");
	f.sds.busiest_stat = x;

#define REPLACES() group_replaces_busiest(&f.env, &f.local, &x, &f.sds)
#define TYPE(t)	   (x.type = f.sds.busiest_stat.type = (t))
	TYPE(GROUP_OVERLOADED);
	x.avg_load = f.sds.busiest_stat.avg_load = 10;
	assert_false(REPLACES());
	x.avg_load = 11;
	assert_true(REPLACES());
	TYPE(GROUP_IMBALANCED);
	assert_false(REPLACES());
	TYPE(GROUP_MISFIT_TASK);
	assert_true(REPLACES()); /* both 0: equal is enough up to 6.6 */
	setup_kernel(&f, "v6.12");
	f.sds.busiest_stat = x;
	assert_false(REPLACES());
	f.s.k.rules.smt_balance = false;

	TYPE(GROUP_FULLY_BUSY);
	x.avg_load = f.sds.busiest_stat.avg_load = 0;
	assert_false(REPLACES()); /* ≤6.5: the first is kept */
	f.s.k.rules.smt_balance = true;
	assert_true(REPLACES()); /* 6.6+: the last wins … */
	f.busiest.flags = SD_SHARE_CPUCAPACITY;
	assert_false(REPLACES()); /* … above SMT level */

	TYPE(GROUP_HAS_SPARE); /* B is an SMT core, X is not */
	assert_true(REPLACES());
	f.busiest.flags = 0;
	f.local.flags = SD_SHARE_CPUCAPACITY;
	x.sum_h_nr = 1; /* X is one, with a single task */
	assert_false(REPLACES());
	f.local.flags = 0;
	x.idle_cpus = 3;
	f.sds.busiest_stat.idle_cpus = 4;
	assert_true(REPLACES());
	x.idle_cpus = 4;
	assert_false(REPLACES());
	x.sum_nr = 5;
	assert_true(REPLACES());
	x.sum_h_nr = 0; /* nothing to give */
	assert_false(REPLACES());

	x.sum_h_nr = 4;
	x.type = GROUP_OVERLOADED;
	assert_true(REPLACES());
	x.type = GROUP_HAS_SPARE;
	f.sds.busiest_stat.type = GROUP_FULLY_BUSY;
	assert_false(REPLACES());
#undef REPLACES
#undef TYPE
}

/* spec 06 §6, sibling_imbalance of 6.6+ */
static void sibling_imbalance_by_cores(void **state)
{
	static const struct {
		int cl, cb, local, busiest;
		long n;
	} rows[] = {
		{ 1, 1, 0, 2, 2 }, { 1, 1, 3, 2, 0 }, { 4, 2, 4, 4, 3 }, /* (2·8 + 6) / 6 */
		{ 2, 4, 4, 4, 1 }, /* nothing too many: rounding gives 1 */
		{ 1, 4, 0, 2, 2 }, /* (2·2 + 5) / 5 = 1, but empty against two */
		{ 4, 4, 0, 0, 0 },
	};
	struct fixture f;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		setup_kernel(&f, "v6.6");
		f.local.cores = rows[i].cl;
		f.busiest.cores = rows[i].cb;
		f.sds.local_stat.sum_nr = rows[i].local;
		f.sds.busiest_stat.sum_nr = rows[i].busiest;
		assert_int_equal(sibling_imbalance(&f.env, &f.sds), rows[i].n);
		f.env.kind = CPU_NOT_IDLE;
		assert_int_equal(sibling_imbalance(&f.env, &f.sds), 0);
	}
}

/* spec 06 §10's example, and its clamps */
static void intervals(void **state)
{
	struct fixture f;
	const u64 tick = 4 * NSEC_PER_MSEC;

	setup_kernel(&f, "v6.1");
	f.sd.balance_interval = 16;
	f.sd.busy_factor = 16;
	assert_int_equal(domain_interval(&f.s, &f.sd, false), 4 * tick);
	assert_int_equal(domain_interval(&f.s, &f.sd, true), 63 * tick);
	f.sd.balance_interval = 32;
	assert_int_equal(domain_interval(&f.s, &f.sd, false), 8 * tick);
	f.sd.balance_interval = 2; /* rounds up to one jiffy */
	assert_int_equal(domain_interval(&f.s, &f.sd, false), tick);
	f.s.nr_online = 4; /* HZ · online / 10 = 100 jiffies */
	f.sd.balance_interval = 256;
	assert_int_equal(domain_interval(&f.s, &f.sd, true), 100 * tick);
}

/* spec 04 §6's table of nr_idle_scan: LLC of 16, 128 and 24 CPUs at pct 117 */
static void idle_scan_table(void **state)
{
	static const int percent[] = { 0, 10, 25, 40, 50, 60, 70, 80, 85 };
	static const struct {
		int weight;
		int limit[9];
	} rows[] = {
		{ 16, { 16, 15, 14, 12, 10, 8, 5, 2, 0 } },
		{ 128, { 128, 126, 117, 100, 84, 65, 42, 16, 1 } },
		{ 24, { 24, 23, 21, 18, 15, 12, 7, 3, 0 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t j = 0; j < ARRAY_SIZE(percent); j++) {
			unsigned long util =
				(unsigned long)rows[i].weight * 1024 * percent[j] / 100;
			int got = idle_scan_limit(util, rows[i].weight, 117);

			if (got != rows[i].limit[j])
				fail_msg("LLC of %d at %d %%: %d, expected %d", rows[i].weight,
					 percent[j], got, rows[i].limit[j]);
		}
}

/* spec 06 §11.3: ratio 512, counters halved at 1024 calls, a success weighs its improbability */
static void ni_random(void **state)
{
	struct fixture f;
	struct sched_domain *sd;
	int run = 0;

	setup_kernel(&f, "v6.12.95");
	sd = &f.sd;
	sd->newidle_call = sd->newidle_ratio = 512;
	sd->newidle_success = 256;
	assert_int_equal(newidle_success_weight(&f.s, sd), (1024 + 256) / 513);
	for (int i = 0; i < 511; i++)
		newidle_count(&f.s, 0, sd, 0);
	assert_int_equal(sd->newidle_call, 1023);
	assert_int_equal(sd->newidle_ratio, 512);
	newidle_count(&f.s, 0, sd, 0);
	assert_int_equal(sd->newidle_ratio, 256);
	assert_int_equal(sd->newidle_call, 512);
	assert_int_equal(sd->newidle_success, 128);

	/* never a success: still two draws of 1024, and a success then counts 1024 */
	sd->newidle_ratio = 0;
	assert_int_equal(newidle_success_weight(&f.s, sd), 1024);
	rng_init(&f.s.rng, 1, 1);
	for (int i = 0; i < 1024 * 1000; i++)
		run += newidle_draw(&f.s, sd);
	assert_in_range(run, 1850, 2150);

	f.s.k.features &= ~(1ULL << FEAT_NI_RANDOM);
	assert_true(newidle_draw(&f.s, sd));
	assert_int_equal(newidle_success_weight(&f.s, sd), 1);
}

/* spec 16 §11's example: success 100; 512 calls in 1 s, or in 5 s */
static void ni_rate(void **state)
{
	struct fixture f;
	struct sched_domain *sd;
	int run = 0;

	setup_kernel(&f, "v7.3");
	sd = &f.sd;
	sd->newidle_call = 1023;
	sd->newidle_success = 100;
	sd->newidle_stamp = NSEC_PER_SEC;
	newidle_count(&f.s, 2 * NSEC_PER_SEC, sd, 0);
	assert_int_equal(sd->newidle_ratio, 338);
	assert_int_equal(sd->newidle_stamp, 2 * NSEC_PER_SEC);
	assert_int_equal(sd->newidle_success, 50);
	rng_init(&f.s.rng, 7, 1);
	for (int i = 0; i < 1024 * 100; i++)
		run += newidle_draw(&f.s, sd);
	assert_in_range(run, 33400, 34600); /* 340 of 1024 */

	sd->newidle_call = 1023;
	sd->newidle_success = 100;
	newidle_count(&f.s, 7 * NSEC_PER_SEC, sd, 0);
	assert_int_equal(sd->newidle_ratio, 1024);
	for (int i = 0; i < 1000; i++)
		assert_true(newidle_draw(&f.s, sd));
}

/* spec 06 §14 */
static void distribute(void **state)
{
	struct fixture f;
	u64 a = 0x2d, b = 0xfe; /* 0 2 3 5 and 1 … 7 */

	setup_kernel(&f, "v6.1");
	f.s.words = 1;
	assert_int_equal(any_and_distribute(&f.s, 0, &a, &b), 2);
	assert_int_equal(any_and_distribute(&f.s, 0, &a, &b), 3);
	assert_int_equal(any_and_distribute(&f.s, 1, &a, &b), 2); /* a cursor each */
	assert_int_equal(any_and_distribute(&f.s, 0, &a, &b), 5);
	assert_int_equal(any_and_distribute(&f.s, 0, &a, &b), 2);
	b = 0x10;
	assert_int_equal(any_and_distribute(&f.s, 0, &a, &b), -1);
	assert_int_equal(f.rq[0].distribute_cursor, 2);
}

/* what is told from counts alone is what the rules say, whatever the groups are */
static void plainly_less_busy_is_refused(void **state)
{
	static const char *const kernels[] = { "v5.10", "v6.1", "v6.6", "v6.12.95", "v7.3" };
	static const int flags[] = { 0, SD_ASYM_PACKING, SD_ASYM_CPUCAPACITY, SD_NUMA };
	int refused = 0, replaced = 0;
	struct fixture f;
	struct rng rng;

	rng_init(&rng, 11, 0);
	for (int i = 0; i < 200000; i++) {
		struct group_view v = { .sums = &v.own };
		struct group_stats x;
		bool plain, replaces;

		setup_kernel(&f, kernels[i % ARRAY_SIZE(kernels)]);
		f.sd.flags = flags[rng_below(&rng, ARRAY_SIZE(flags))];
		f.env.kind = rng_below(&rng, NR_IDLE_TYPES);
		f.local.weight = 1 + rng_below(&rng, 4);
		f.local.flags = rng_below(&rng, 4) ? 0 : SD_SHARE_CPUCAPACITY;
		f.busiest.flags = rng_below(&rng, 4) ? 0 : SD_SHARE_CPUCAPACITY;
		f.sgc[0].imbalance = !rng_below(&rng, 8);
		f.sgc[0].capacity = f.local.weight * 1024;
		v.misfit_load = rng_below(&rng, 8) ? 0 : 600;
		v.own.nr = rng_below(&rng, 7);
		v.own.h_nr = rng_below(&rng, v.own.nr + 1);
		v.own.idle = rng_below(&rng, f.local.weight + 1);
		v.own.util = rng_below(&rng, 4096);
		v.own.load = rng_below(&rng, 4096);
		v.own.runnable = rng_below(&rng, 4096);
		if (rng_below(&rng, 4)) {
			f.sds.busiest_stat.type = rng_below(&rng, GROUP_OVERLOADED + 1);
			f.sds.busiest_stat.idle_cpus = rng_below(&rng, 5);
			f.sds.busiest_stat.sum_nr = rng_below(&rng, 7);
			f.sds.busiest_stat.avg_load = rng_below(&rng, 3000);
		} else {
			f.sds.busiest = NULL;
			f.sds.busiest_stat.idle_cpus = ~0u;
		}
		judge_group(&f.env, &f.local, false, f.sgc[0].capacity, &v, &x);
		plain = plainly_less_busy(&f.env, &f.local, &v, &f.sds);
		replaces = group_replaces_busiest(&f.env, &f.local, &x, &f.sds);
		assert_false(plain && replaces);
		refused += plain;
		replaced += replaces;
	}
	assert_true(refused > 10000 && replaced > 10000);
}

/* a node with one heavy task and 7 idle CPUs, another with 9 light ones, under each way to compare */
static bool hidden_by_a_heavy_task(struct fixture *f, const char *kernel)
{
	bool least;

	setup_kernel(f, kernel);
	f->sd.flags = SD_NUMA | SD_SERIALIZE;
	f->local.weight = f->busiest.weight = f->local.cores = f->busiest.cores = 8;
	f->sds.local_stat = (struct group_stats){
		.load = 1024, .util = 1024, .runnable = 1024, .capacity = 8192, .sum_h_nr = 1,
		.sum_nr = 1, .idle_cpus = 7, .weight = 8};
	f->sds.busiest_stat = (struct group_stats){
		.load = 144, .util = 8192, .runnable = 9216, .capacity = 8192, .sum_h_nr = 9,
		.sum_nr = 9, .weight = 8};
	f->sds.total_load = 1024 + 144;
	f->sds.total_capacity = 16384;
	least = f->s.k.rules.busiest == BUSIEST_BY_LEAST_LOAD;
	if (f->s.k.rules.busiest == BUSIEST_BY_TYPE) {
		f->sds.local_stat.type = classify_group(&f->sds.local_stat, 117);
		f->sds.busiest_stat.type = classify_group(&f->sds.busiest_stat, 117);
	} else {
		f->sds.local_stat.type = GROUP_FULLY_BUSY;
		f->sds.busiest_stat.type = GROUP_OVERLOADED;
		f->sds.local_stat.avg_load = least ? 0 : 128;
		f->sds.busiest_stat.avg_load = least ? 16 : 18;
	}
	return find_busiest_group(&f->env, &f->sds);
}

static void by_load(void **state)
{
	struct group_stats x = {.sum_h_nr = 1, .avg_load = 10, .type = GROUP_FULLY_BUSY};
	struct group_stats b = {.sum_h_nr = 1, .avg_load = 20, .type = GROUP_FULLY_BUSY};
	struct fixture f;

	assert_true(hidden_by_a_heavy_task(&f, "v6.1"));
	assert_false(hidden_by_a_heavy_task(&f, "v6.1,+GROUP_LOAD_AVERAGE"));
	assert_true(hidden_by_a_heavy_task(&f, "v6.1,+GROUP_LOAD_LEAST"));
	assert_int_equal(f.env.type, MIGRATE_TASK);
	assert_int_equal(f.env.imbalance, 1);

	/* two nodes of light tasks, E3's figures: as among overloaded groups */
	hidden_by_a_heavy_task(&f, "v5.7,+GROUP_LOAD_AVERAGE");
	f.sds.local_stat = (struct group_stats){.load = 3072, .capacity = 2048, .avg_load = 1536,
						.sum_nr = 3, .sum_h_nr = 3, .weight = 2,
						.type = GROUP_OVERLOADED};
	f.sds.busiest_stat = (struct group_stats){.load = 6144, .capacity = 2048, .avg_load = 3072,
						  .sum_nr = 6, .sum_h_nr = 6, .weight = 2,
						  .type = GROUP_OVERLOADED};
	f.sds.total_load = 9216;
	f.sds.total_capacity = 4096;
	assert_true(find_busiest_group(&f.env, &f.sds));
	assert_int_equal(f.env.type, MIGRATE_LOAD);
	assert_int_equal(f.env.imbalance, 1536);
	/* a third node, idle but for a heavy task, lifts the average above both: one task is moved */
	f.sds.total_load = 9216 + 65536;
	f.sds.total_capacity = 6144;
	assert_true(find_busiest_group(&f.env, &f.sds));
	assert_int_equal(f.env.imbalance, 1024);
	f.sds.local_stat.avg_load = 2561; /* a task would make ours the busier one */
	assert_false(find_busiest_group(&f.env, &f.sds));

	assert_false(replaces_by_load(&x, &b));
	x.avg_load = 21;
	assert_true(replaces_by_load(&x, &b));
	b.type = GROUP_OVERLOADED;
	assert_false(replaces_by_load(&x, &b));
	x.type = GROUP_OVERLOADED;
	x.sum_h_nr = 0;
	assert_false(replaces_by_load(&x, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plainly_less_busy_is_refused),
		cmocka_unit_test(e1_core_with_two_tasks),
		cmocka_unit_test(e2_two_nodes),
		cmocka_unit_test(numa_adjust_variants),
		cmocka_unit_test(e3_overloaded),
		cmocka_unit_test(below_the_average),
		cmocka_unit_test(e4_overloaded_or_not),
		cmocka_unit_test(equal_types),
		cmocka_unit_test(sibling_imbalance_by_cores),
		cmocka_unit_test(by_load),
		cmocka_unit_test(intervals),
		cmocka_unit_test(idle_scan_table),
		cmocka_unit_test(ni_random),
		cmocka_unit_test(ni_rate),
		cmocka_unit_test(distribute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
