// SPDX-License-Identifier: BSD-2-Clause
/*
 * The worked examples of spec 01 with their numbers, and invariants on random machines.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/rng.h"
#include "sched/domains.h"
#include "sched/internal.h"

/* ---- machines ---- */

struct shape {
	int packages, nodes, llcs, clusters, cores, threads; /* each per the one before */
	bool siblings_last;  /* second threads are numbered after all first ones */
	const int *distance; /* of all nodes; NULL: 10 own, 12 same package, 20 other */
	int reclaim;
};

static struct sched_topology *make(const struct shape *s)
{
	struct sched_topology *t = calloc(1, sizeof(*t));
	int nr, i = 0;

	t->nr_packages = s->packages;
	t->nr_nodes = t->nr_packages * s->nodes;
	t->nr_llcs = t->nr_nodes * s->llcs;
	t->nr_clusters = t->nr_llcs * s->clusters;
	t->nr_cores = t->nr_clusters * s->cores;
	t->nr_cpus = t->nr_cores * s->threads;
	t->cpu = calloc(t->nr_cpus, sizeof(*t->cpu));
	for (int core = 0; core < t->nr_cores; core++) {
		for (int thread = 0; thread < s->threads; thread++) {
			int cluster = core / s->cores, llc = cluster / s->clusters;
			int cpu = s->siblings_last ? thread * t->nr_cores + core : i++;

			t->cpu[cpu] = (struct topo_cpu){
				core, cluster, llc, llc / s->llcs / s->nodes, llc / s->llcs, 1024};
		}
	}
	nr = t->nr_nodes;
	t->distance = calloc(nr * nr, sizeof(int));
	for (i = 0; i < nr * nr; i++)
		t->distance[i] = s->distance				  ? s->distance[i]
				 : i / nr == i % nr			  ? 10
				 : i / nr / s->nodes == i % nr / s->nodes ? 12
									  : 20;
	t->node_reclaim_distance = s->reclaim ?: 30;
	t->x86 = true;
	return t;
}

static void drop(struct sched_topology *t)
{
	free(t->cpu);
	free(t->distance);
	free(t);
}

static struct sched_domains *domains_of(const struct sched_topology *t, const char *kernel)
{
	struct sched_domains *d;
	struct err err = {0};
	struct sched_kernel k;

	if (sched_kernel_parse(kernel, &k, &err))
		fail_msg("%s", err.msg);
	d = sched_domains_new(t, &k, &err);
	if (!d)
		fail_msg("%s", err.msg);
	return d;
}

/* "SMT2 MC16 DIE128 NUMA256" */
static void chain(const struct sched_domains *d, int cpu, char *buf, size_t len)
{
	struct sched_domain_view v;
	size_t n = 0;

	buf[0] = '\0';
	for (int i = 0; sched_domains_get(d, cpu, i, &v); i++)
		n += snprintf(buf + n, len - n, "%s%s%d", n ? " " : "", v.name, v.weight);
}

static void expect_chain(const struct sched_topology *t, const char *kernel, const char *want)
{
	struct sched_domains *d = domains_of(t, kernel);
	char buf[256];

	for (int c = 0; c < t->nr_cpus; c++) {
		chain(d, c, buf, sizeof(buf));
		assert_string_equal(buf, want);
	}
	sched_domains_free(d);
}

/* imb_numa_nr of CPU 0's domains from the first without SHARE_LLC on: "8 8" */
static void expect_imb(const struct sched_topology *t, const char *kernel, const char *want)
{
	struct sched_domains *d = domains_of(t, kernel);
	struct sched_domain_view v;
	char buf[128] = "";
	size_t n = 0;

	for (int i = 0; sched_domains_get(d, 0, i, &v); i++)
		if (!strstr(v.flags, "SHARE_LLC") && !strstr(v.flags, "SHARE_PKG"))
			n += snprintf(buf + n, sizeof(buf) - n, "%s%d", n ? " " : "",
				      v.imb_numa_nr);
	if (strcmp(buf, want))
		fail_msg("%s: imb_numa_nr expected %s, got %s", kernel, want, buf);
	sched_domains_free(d);
}

static void expect_groups(const struct sched_topology *t, const char *kernel, int cpu, int level,
			  const char *want)
{
	struct sched_domains *d = domains_of(t, kernel);
	struct sched_domain_view v;
	struct sched_group_view g;
	char buf[1024] = "", set[256];
	size_t n = 0;

	assert_true(sched_domains_get(d, cpu, level, &v));
	while (sched_domains_next_group(&v, &g))
		n += snprintf(buf + n, sizeof(buf) - n, "%s%s", n ? " " : "",
			      mask_format(g.span, mask_words(t->nr_cpus), set, sizeof(set)));
	assert_string_equal(buf, want);
	sched_domains_free(d);
}

/* ---- E1: two-socket Zen 3 ---- */

static const int zen_nps1[] = {10, 32, 32, 10};
static const int zen_nps2[] = {10, 12, 32, 32, 12, 10, 32, 32, 32, 32, 10, 12, 32, 32, 12, 10};

static void zen_nps4(int *d)
{
	for (int i = 0; i < 64; i++)
		d[i] = i / 8 == i % 8 ? 10 : i / 32 == i % 8 / 4 ? 12 : 32;
}

static void e1_zen3(void **state)
{
	int nps4[64];
	struct shape s = {2, 1, 8, 8, 1, 2, true, zen_nps1, 32};
	struct sched_topology *t = make(&s);

	expect_chain(t, "v5.17", "SMT2 MC16 DIE128 NUMA256");
	expect_chain(t, "v6.12", "SMT2 MC16 PKG128 NUMA256");
	expect_imb(t, "v5.17", "0 0");
	expect_imb(t, "v5.17,+NUMA_IMB_V6", "8 8");
	expect_imb(t, "v5.18", "8 8");
	expect_imb(t, "v6.1", "8 8");
	expect_groups(t, "v6.1", 0, 1, "0,128 1,129 2,130 3,131 4,132 5,133 6,134 7,135");
	expect_groups(t, "v6.1", 130, 1, "2,130 3,131 4,132 5,133 6,134 7,135 0,128 1,129");
	expect_groups(t, "v6.1", 0, 3, "0-63,128-191 64-127,192-255");
	expect_groups(t, "v6.1", 64, 3, "64-127,192-255 0-63,128-191");
	drop(t);

	s = (struct shape){2, 2, 4, 8, 1, 2, true, zen_nps2, 32};
	t = make(&s);
	expect_chain(t, "v6.1", "SMT2 MC16 NODE64 NUMA128 NUMA256");
	expect_imb(t, "v5.18", "4 4 8");
	expect_imb(t, "v6.1", "4 4 8");
	drop(t);

	zen_nps4(nps4);
	s = (struct shape){2, 4, 2, 8, 1, 2, true, nps4, 32};
	t = make(&s);
	expect_chain(t, "v7.3", "SMT2 MC16 NODE32 NUMA128 NUMA256");
	expect_imb(t, "v5.18", "2 2 4");
	expect_imb(t, "v6.1", "2 2 4");
	expect_groups(t, "v6.1", 0, 3, "0-15,128-143 16-31,144-159 32-47,160-175 48-63,176-191");
	expect_groups(t, "v6.1", 0, 4, "0-63,128-191 64-127,192-255");
	/* L2 = core: no cluster survives */
	expect_chain(t, "v6.12", "SMT2 MC16 NODE32 NUMA128 NUMA256");
	drop(t);
}

/* intervals, percentages and flags of spec 01 §3 on the same box */
static void e1_fields(void **state)
{
	struct shape s = {2, 1, 8, 8, 1, 2, true, zen_nps1, 32};
	struct sched_topology *t = make(&s);
	struct sched_domain_view v;
	struct sched_domains *d = domains_of(t, "v5.7");

	assert_true(sched_domains_get(d, 0, 3, &v));
	assert_int_equal(v.imbalance_pct, 125);
	assert_int_equal(v.busy_factor, 32);
	assert_int_equal(v.min_interval, 256);
	assert_int_equal(v.max_interval, 512);
	assert_int_equal(v.cache_nice_tries, 2);
	assert_string_equal(v.flags, "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK "
				     "SD_WAKE_AFFINE SD_SERIALIZE SD_OVERLAP SD_NUMA");
	sched_domains_get(d, 0, 0, &v);
	assert_int_equal(v.imbalance_pct, 110);
	assert_int_equal(v.cache_nice_tries, 0);
	assert_string_equal(v.flags,
			    "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE "
			    "SD_SHARE_CPUCAPACITY SD_SHARE_PKG_RESOURCES SD_PREFER_SIBLING");
	sched_domains_free(d);
	drop(t);

	/* farther than node_reclaim_distance: not for fork, exec and wake-up */
	s.reclaim = 30;
	t = make(&s);
	d = domains_of(t, "v6.12");
	sched_domains_get(d, 0, 3, &v);
	assert_string_equal(v.flags, "SD_BALANCE_NEWIDLE SD_SERIALIZE SD_OVERLAP SD_NUMA");
	assert_int_equal(v.imbalance_pct, 117);
	sched_domains_free(d);
	drop(t);
}

/* ---- E3, E5, E6 ---- */

static void e3_one_llc_per_socket(void **state)
{
	struct shape haswell = {2, 1, 1, 12, 1, 2, true, NULL, 0};
	struct shape broadwell = {2, 1, 1, 20, 1, 2, true, NULL, 0};
	struct sched_topology *t = make(&haswell);

	expect_chain(t, "v6.1", "SMT2 MC24 NUMA48");
	expect_imb(t, "v5.18", "6");
	expect_imb(t, "v6.1", "3");
	drop(t);
	t = make(&broadwell);
	expect_imb(t, "v5.18", "10");
	expect_imb(t, "v6.1", "5");
	drop(t);
}

static void e5_genoa(void **state)
{
	struct shape b = {2, 1, 12, 8, 1, 2, true, zen_nps1, 32};
	struct shape a = {1, 4, 2, 8, 1, 2, false, NULL, 32};
	struct sched_topology *t = make(&b);
	struct sched_domains *d;

	expect_chain(t, "v6.18", "SMT2 MC16 PKG192 NUMA384");
	expect_imb(t, "v6.18", "12 12");
	d = domains_of(t, "v6.18");
	assert_int_equal(sched_domains_llc_id(d, 207), 8);
	sched_domains_free(d);
	drop(t);
	t = make(&a);
	expect_chain(t, "v6.18", "SMT2 MC16 NODE32 NUMA128");
	expect_imb(t, "v6.18", "2 2");
	drop(t);
}

static void e6_two_llcs_in_a_node(void **state)
{
	struct shape s = {2, 1, 1, 30, 1, 2, true, NULL, 0};
	struct sched_topology *t = make(&s);

	/* memory interleaved: the sockets are one node */
	for (int c = 0; c < t->nr_cpus; c++)
		t->cpu[c].node = 0;
	t->nr_nodes = 1;
	expect_chain(t, "v6.12", "SMT2 MC60 PKG120");
	drop(t);
}

/* ---- E4: Kunpeng 920 ---- */

static void e4_kunpeng(void **state)
{
	static const int slit[] = {10, 12, 20, 22, 12, 10, 22, 24, 20, 22, 10, 12, 22, 24, 12, 10};
	struct shape s = {2, 2, 1, 8, 4, 1, false, slit, 0};
	struct sched_topology *t = make(&s);
	struct sched_domains *d;
	char buf[128];

	t->x86 = false;
	d = domains_of(t, "v6.12");
	chain(d, 5, buf, sizeof(buf));
	assert_string_equal(buf, "CLS4 MC32 NUMA64 NUMA96 NUMA128");
	assert_int_equal(sched_domains_share_id(d, 5), 4);
	assert_int_equal(sched_domains_llc_id(d, 5), 0);
	assert_int_equal(sched_domains_share_id(d, 7), 4);
	assert_int_equal(sched_domains_share_id(d, 8), 8);
	sched_domains_free(d);

	/* without the CLUSTER flag sharing means the LLC; 5.10 has no such level at all */
	d = domains_of(t, "v6.1");
	assert_int_equal(sched_domains_share_id(d, 5), 0);
	sched_domains_free(d);
	d = domains_of(t, "v5.10");
	chain(d, 5, buf, sizeof(buf));
	assert_string_equal(buf, "MC32 NUMA64 NUMA96 NUMA128");
	sched_domains_free(d);
	d = domains_of(t, "v5.19-tip,+CLUSTER_V7");
	assert_int_equal(sched_domains_share_id(d, 5), 4);
	sched_domains_free(d);
	drop(t);
}

/* ---- mixed capacity (spec 01 §8) ---- */

static void mixed_capacity(void **state)
{
	struct shape s = {1, 1, 3, 1, 2, 1, false, NULL, 0};
	struct sched_topology *t = make(&s);
	struct sched_domain_view v;
	struct sched_group_view g;
	struct sched_domains *d;

	/* LLCs of two small, one small and one middle, two big CPUs */
	for (int c = 0; c < 6; c++)
		t->cpu[c].capacity = c < 3 ? 400 : c == 3 ? 700 : 1024;
	t->x86 = false;
	d = domains_of(t, "v6.12");
	assert_true(sched_domains_get(d, 0, 0, &v));
	assert_string_equal(v.name, "MC");
	assert_null(strstr(v.flags, "ASYM"));
	/* the parent sees all capacities: its children don't prefer siblings */
	assert_null(strstr(v.flags, "PREFER_SIBLING"));
	sched_domains_get(d, 2, 0, &v);
	assert_non_null(strstr(v.flags, "SD_ASYM_CPUCAPACITY"));
	assert_null(strstr(v.flags, "SD_ASYM_CPUCAPACITY_FULL"));
	assert_true(sched_domains_get(d, 0, 1, &v));
	assert_string_equal(v.name, "PKG");
	assert_non_null(strstr(v.flags, "SD_ASYM_CPUCAPACITY SD_ASYM_CPUCAPACITY_FULL"));
	assert_true(sched_domains_next_group(&v, &g));
	assert_int_equal(g.capacity, 800);
	assert_true(sched_domains_next_group(&v, &g));
	assert_int_equal(g.capacity, 1100);
	assert_true(sched_domains_next_group(&v, &g));
	assert_int_equal(g.capacity, 2048);
	assert_false(sched_domains_next_group(&v, &g));
	sched_domains_free(d);
	/* 5.10: one flag, at the level where everybody sees a biggest CPU */
	d = domains_of(t, "v5.10");
	sched_domains_get(d, 2, 0, &v);
	assert_null(strstr(v.flags, "ASYM"));
	sched_domains_get(d, 0, 1, &v);
	assert_non_null(strstr(v.flags, "SD_ASYM_CPUCAPACITY"));
	assert_null(strstr(v.flags, "FULL"));
	sched_domains_free(d);
	drop(t);
}

/* ---- corners ---- */

static void one_cpu(void **state)
{
	struct shape s = {1, 1, 1, 1, 1, 1, false, NULL, 0};
	struct sched_topology *t = make(&s);
	struct sched_domains *d = domains_of(t, "v6.12");

	assert_int_equal(sched_domains_count(d, 0), 0);
	assert_int_equal(sched_domains_llc_id(d, 0), 0);
	sched_domains_free(d);
	drop(t);
}

/* nodes of one CPU: the bottom domain is a NUMA one, nobody shares a cache */
static void lonely_cpus(void **state)
{
	struct shape s = {4, 1, 1, 1, 1, 1, false, NULL, 0};
	struct sched_topology *t = make(&s);
	struct sched_domains *d = domains_of(t, "v6.12");

	assert_int_equal(sched_domains_llc_id(d, 3), 3);
	sched_domains_free(d);
	expect_chain(t, "v6.12", "NUMA4");
	drop(t);
}

static void bad_topologies(void **state)
{
	struct shape s = {2, 1, 1, 2, 1, 2, false, NULL, 0};
	struct sched_topology *t = make(&s);
	struct sched_kernel k;
	struct err err = {0};

	assert_int_equal(sched_kernel_parse("v6.12", &k, NULL), 0);
	t->cpu[3].llc = 2;
	assert_null(sched_domains_new(t, &k, &err));
	assert_string_equal(err.msg, "topology: CPU 3 has LLC 2, the machine has 0 … 1");
	t->cpu[3].llc = 0;
	t->cpu[5].capacity = 1025;
	err_clear(&err);
	assert_null(sched_domains_new(t, &k, &err));
	assert_string_equal(err.msg, "topology: CPU 5 has capacity 1025, not 1 … 1024");
	t->cpu[5].capacity = 1024;
	t->distance[1] = 5;
	err_clear(&err);
	assert_null(sched_domains_new(t, &k, &err));
	assert_string_equal(err.msg, "topology: node 0 is nearer to node 1 than to itself");
	drop(t);
}

/* ---- random machines ---- */

/* what holds for every machine under every kernel */
static void check_invariants(const struct sched_topology *t, const char *kernel, u64 seed)
{
	struct sched_domains *d = domains_of(t, kernel);
	int words = mask_words(t->nr_cpus);
	u64 covered[words];

	for (int c = 0; c < t->nr_cpus; c++) {
		struct sched_domain_view v, below = {0};
		struct sched_group_view g;

		for (int i = 0; sched_domains_get(d, c, i, &v); i++) {
			bool first = true, numa = !strcmp(v.name, "NUMA");

			mask_zero(covered, words);
			if (!mask_test(v.span, c) || v.weight < 2 ||
			    (i &&
			     (!mask_subset(below.span, v.span, words) || below.weight == v.weight)))
				fail_msg("seed %llu %s: cpu %d %s: bad span",
					 (unsigned long long)seed, kernel, c, v.name);
			below = v;
			while (sched_domains_next_group(&v, &g)) {
				if ((first && !mask_test(g.span, c)) || g.weight < 1 ||
				    (!numa && mask_intersects(covered, g.span, words)) ||
				    !mask_subset(g.span, v.span, words) ||
				    !mask_subset(g.balance_mask, g.span, words) ||
				    g.balance_cpu != mask_first(g.balance_mask, words))
					fail_msg("seed %llu %s: cpu %d %s: bad group",
						 (unsigned long long)seed, kernel, c, v.name);
				mask_or(covered, covered, g.span, words);
				first = false;
			}
			if (!mask_equal(covered, v.span, words))
				fail_msg("seed %llu %s: cpu %d %s: groups don't cover the span",
					 (unsigned long long)seed, kernel, c, v.name);
		}
	}
	sched_domains_free(d);
}

/* symmetric distances by hops of a random connected graph */
static void random_distances(struct rng *rng, int *d, int n)
{
	for (int i = 0; i < n * n; i++)
		d[i] = i / n == i % n ? 10 : 100;
	for (int i = 1; i < n; i++) {
		int j = rng_below(rng, i);

		d[i * n + j] = d[j * n + i] = 20;
		j = rng_below(rng, n);
		if (j != i)
			d[i * n + j] = d[j * n + i] = 20;
	}
	for (int k = 0; k < n; k++)
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j] - 10);
}

static void random_machines(void **state)
{
	for (u64 seed = 0; seed < 100; seed++) {
		struct sched_topology *t;
		struct rng rng;
		struct shape s;
		int d[64];

		rng_init(&rng, seed, 1);
		s = (struct shape){.packages = 1 + rng_below(&rng, 4),
				   .nodes = 1 + rng_below(&rng, 2),
				   .llcs = 1 + rng_below(&rng, 3),
				   .clusters = 1 + rng_below(&rng, 3),
				   .cores = 1 + rng_below(&rng, 3),
				   .threads = 1 + rng_below(&rng, 2),
				   .siblings_last = rng_below(&rng, 2),
				   .distance = d};
		random_distances(&rng, d, s.packages * s.nodes);
		t = make(&s);
		t->x86 = rng_below(&rng, 2);
		if (rng_below(&rng, 3) == 0) /* nodes that ignore packages and caches */
			for (int c = 0; c < t->nr_cpus; c++)
				t->cpu[c].node =
					t->x86 ? (int)rng_below(&rng, t->nr_nodes) : t->cpu[c].node;
		for (int p = 0; p < sched_nr_profiles(); p++)
			check_invariants(t, sched_profile_name(p), seed);
		drop(t);
	}
}

/* ---- 4096 CPUs ---- */

static void four_thousand_cpus(void **state)
{
	struct shape s = {16, 2, 8, 8, 1, 2, true, NULL, 0};
	struct shape flat = {1, 1, 512, 4, 1, 2, false, NULL, 0};
	const struct shape *shapes[] = {&s, &flat};

	for (int i = 0; i < 2; i++) {
		struct sched_topology *t = make(shapes[i]);
		struct timespec from, to;
		struct sched_domains *d;
		double seconds;

		assert_int_equal(t->nr_cpus, 4096);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		d = domains_of(t, "v6.12");
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		seconds = to.tv_sec - from.tv_sec + (to.tv_nsec - from.tv_nsec) / 1e9;
		print_message("4096 CPUs: %.3f s, %zu MiB\n", seconds,
			      sched_domains_bytes(d) >> 20);
		assert_true(sched_domains_bytes(d) < 64UL << 20);
		sched_domains_free(d);
		drop(t);
	}
}

static u64 free_of_charge(void *ctx, int cpu, const struct sched_work *w)
{
	return 0;
}

/* how many domains CPU 0 has once CPU @cpu was off and on again */
static int domains_after(const struct sched_topology *t, const char *kernel, int cpu,
			 const char **top)
{
	struct sched_host host = {.hz = 250, .price = free_of_charge};
	u64 now = 10 * NSEC_PER_SEC;
	struct sched_kernel k;
	struct err err = {0};
	struct sched *s;
	struct rng rng;
	int n = 0;

	assert_int_equal(sched_kernel_parse(kernel, &k, &err), 0);
	s = sched_create(t, &k, &host, 1, &err);
	assert_non_null(s);
	rng_init(&rng, 1, 1);
	sched_boot(s, now, &rng);
	if (cpu >= 0) {
		assert_int_equal(sched_cpu_down(s, now, cpu, &err), 0);
		assert_true(sched_cpu_dead(s, now, cpu));
		assert_int_equal(sched_cpu_up(s, now, cpu, &err), 0);
	}
	for (const struct sched_domain *sd = s->rq[0].sd; sd; sd = sd->parent) {
		*top = sd->name;
		n++;
	}
	sched_destroy(s);
	return n;
}

/* the fault of 2016: domains end at the node once a CPU came or went */
static void missing_domains(void **state)
{
	const struct shape s = {2, 1, 2, 1, 2, 2, .reclaim = 30};
	struct sched_topology *t = make(&s);
	const char *top;
	int n = domains_after(t, "v6.12", -1, &top);

	assert_string_equal(top, "NUMA");
	assert_int_equal(domains_after(t, "v6.12", 9, &top), n);
	assert_string_equal(top, "NUMA");
	assert_int_equal(domains_after(t, "v6.12,+MISSING_DOMAINS", -1, &top), n);
	assert_string_equal(top, "NUMA");
	assert_int_equal(domains_after(t, "v6.12,+MISSING_DOMAINS", 9, &top), n - 1);
	assert_string_equal(top, "PKG");
	drop(t);
}

/* asymmetric packing: the rank of a core's second thread differs by kernel (domain_prefer.c) */
static void packing(void **state)
{
	const struct shape s = {1, 1, 1, 1, 3, 2, .reclaim = 30};
	static const u32 priority[] = {40, 40, 50, 50, 30, 30};
	static const struct {
		const char *kernel;
		u32 rank[6];
	} row[] = {
		{"v6.1", {80, 20, 100, 25, 60, 15}}, /* twice the priority over 1², 2² */
		{"v6.12", {40, 40, 50, 50, 30, 30}},
	};
	struct sched_topology *t = make(&s);
	struct sched_host host = {.hz = 250, .price = free_of_charge};

	t->priority = priority;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct sched_kernel k;
		struct sched *core;
		struct err err = {0};

		assert_int_equal(sched_kernel_parse(row[i].kernel, &k, &err), 0);
		core = sched_create(t, &k, &host, 1, &err);
		assert_non_null(core);
		assert_memory_equal(core->asym_priority, row[i].rank, sizeof(row[i].rank));
		assert_true(asym_prefer(core, 2, 0) && !asym_prefer(core, 4, 0));
		for (const struct sched_domain *sd = core->rq[0].sd; sd; sd = sd->parent)
			assert_true(sd->flags & SD_ASYM_PACKING);
		assert_int_equal(core->rq[0].sd->parent->groups->asym_prefer_cpu, 0);
		assert_int_equal(core->rq[0].sd->parent->groups->next->asym_prefer_cpu, 2);
		sched_destroy(core);
	}
	drop(t);
	t = make(&s); /* nobody ranked them */
	for (int i = 0; i < 2; i++) {
		struct sched_domains *d = domains_of(t, row[i].kernel);
		struct sched_domain_view v;

		for (int l = 0; sched_domains_get(d, 0, l, &v); l++)
			assert_null(strstr(v.flags, "SD_ASYM_PACKING"));
		sched_domains_free(d);
	}
	drop(t);
}

/* the groups of @cpu's highest domain, as bits of nodes of 4 CPUs, in order; Return: how many */
static int top_groups(const struct sched_domains *d, int cpu, int nodes[8])
{
	struct sched_domain_view v;
	struct sched_group_view g;
	int n = 0;

	assert_true(sched_domains_get(d, cpu, sched_domains_count(d, cpu) - 1, &v));
	while (sched_domains_next_group(&v, &g)) {
		nodes[n] = 0;
		for (int c = 0; c < 16; c++)
			nodes[n] |= mask_test(g.span, c) << c / 4;
		n++;
	}
	return n;
}

/* four nodes in a ring: opposite ones share every group if all see the first CPU's (spec 01 §4.3) */
static void groups_of_first_cpu(void **state)
{
	static const int ring[] = {10, 20, 30, 20, 20, 10, 20, 30, 30, 20, 10, 20, 20, 30, 20, 10};
	const struct shape s = {4, 1, 1, 1, 4, 1, .distance = ring};
	struct sched_topology *t = make(&s);
	struct sched_domains *own = domains_of(t, "v6.12");
	struct sched_domains *first = domains_of(t, "v6.12,+GROUPS_OF_FIRST_CPU");
	int nodes[8];

	for (int cpu = 0; cpu < 16; cpu++) {
		int node = cpu / 4;

		assert_int_equal(top_groups(own, cpu, nodes), 2);
		/* the own node and its neighbours, then those around the opposite one */
		assert_int_equal(nodes[0], 0xf & ~(1 << (node + 2) % 4));
		assert_int_equal(nodes[1], 0xf & ~(1 << node));
		assert_int_equal(top_groups(first, cpu, nodes), 2);
		/* nodes 1 and 3, opposite each other, are in both */
		assert_int_equal(nodes[0], node == 2 ? 0xe : 0xb);
		assert_int_equal(nodes[1], node == 2 ? 0xb : 0xe);
	}
	sched_domains_free(own);
	sched_domains_free(first);
	drop(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(e1_zen3),
		cmocka_unit_test(e1_fields),
		cmocka_unit_test(e3_one_llc_per_socket),
		cmocka_unit_test(e4_kunpeng),
		cmocka_unit_test(e5_genoa),
		cmocka_unit_test(e6_two_llcs_in_a_node),
		cmocka_unit_test(mixed_capacity),
		cmocka_unit_test(one_cpu),
		cmocka_unit_test(lonely_cpus),
		cmocka_unit_test(bad_topologies),
		cmocka_unit_test(random_machines),
		cmocka_unit_test(groups_of_first_cpu),
		cmocka_unit_test(missing_domains),
		cmocka_unit_test(packing),
		cmocka_unit_test(four_thousand_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
