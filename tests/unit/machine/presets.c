// SPDX-License-Identifier: BSD-2-Clause
/* The machines shipped inside the binary. */
#include "fixture.h"
#include "base/cpumask.h"

static void check_topology(const struct machine *m)
{
	const struct sched_topology *t = &m->topo;
	int *seen = calloc(t->nr_nodes, sizeof(int));

	assert_true(t->nr_cpus >= 1);
	for (int c = 0; c < t->nr_cpus; c++) {
		const struct topo_cpu *x = &t->cpu[c];

		assert_in_range(x->core, 0, t->nr_cores - 1);
		assert_in_range(x->llc, 0, t->nr_llcs - 1);
		assert_in_range(x->package, 0, t->nr_packages - 1);
		assert_in_range(x->node, 0, t->nr_nodes - 1);
		assert_in_range(x->cluster + 1, 0, t->nr_clusters);
		assert_in_range(x->capacity, 1, 1024);
		seen[x->node]++;
	}
	for (int i = 0; i < t->nr_nodes; i++) {
		assert_true(seen[i] > 0);
		assert_int_equal(t->distance[i * t->nr_nodes + i], 10);
		assert_true(m->node_mem[i] > 0);
		for (int j = 0; j < t->nr_nodes; j++)
			assert_int_equal(t->distance[i * t->nr_nodes + j],
					 t->distance[j * t->nr_nodes + i]);
	}
	free(seen);
}

/* Nothing is nearer to a CPU than what shares more with it. */
static void check_costs(const struct machine *m)
{
	const struct machine_costs *c = &m->cost;

	for (int d = DIST_SMT; d < NR_DISTANCES; d++) {
		assert_true(m->line_ns[d] >= m->line_ns[DIST_SMT]);
		assert_true(c->ipi[d] > 0 && c->ipi[d] <= c->ipi[DIST_REMOTE]);
		assert_true(c->wake_remote[d] >= c->wake_local);
		assert_true(c->inspect_cpu[d] >= c->inspect_cpu[d - 1]);
	}
	assert_true(m->dhrystone && c->syscall && c->switch_same_mm && c->fork && c->exec && c->pipe_write);
	assert_true(c->switch_other_mm >= c->switch_same_mm);
	assert_true(m->dram_ns[0] <= m->dram_ns[1] && m->dram_ns[1] <= m->dram_ns[2]);
	assert_true(m->nr_cstates > 0 && m->hz > 0 && m->max_mhz >= m->base_mhz);
	for (int i = 1; i < m->nr_boost; i++)
		assert_true(m->boost[i].cores > m->boost[i - 1].cores &&
			    m->boost[i].mhz <= m->boost[i - 1].mhz);
}

/* The names after "options" in a preset's line. */
static int for_each_option(const char *doc, void (*fn)(const char *option, void *), void *ctx)
{
	const char *p = strstr(doc, "; options ");
	char list[256], *save, *word;
	int n = 0;

	if (!p)
		return 0;
	snprintf(list, sizeof(list), "%s", p + strlen("; options "));
	for (word = strtok_r(list, ", ", &save); word; word = strtok_r(NULL, ", ", &save)) {
		if (word[0] == '(')
			continue;
		fn(word, ctx);
		n++;
	}
	return n;
}

static void check_option(const char *option, void *ctx)
{
	char what[128];
	struct machine *m;

	snprintf(what, sizeof(what), "%s:%s", (const char *)ctx, option);
	m = load(what);
	assert_string_equal(m->option, option);
	check_topology(m);
	check_costs(m);
	machine_free(m);
}

static void every_preset(void **state)
{
	assert_true(machine_nr_presets() >= 10);
	for (int i = 0; i < machine_nr_presets(); i++) {
		const char *name = machine_preset_name(i);
		struct machine *m = load(name);

		assert_string_equal(m->name, name);
		assert_memory_equal(m->description, machine_preset_doc(i), strlen(m->description));
		check_topology(m);
		check_costs(m);
		for_each_option(machine_preset_doc(i), check_option, (void *)name);
		machine_free(m);
	}
	assert_null(machine_preset_name(machine_nr_presets()));
	assert_null(machine_preset_doc(machine_nr_presets()));
}

static void zen3_numbering(void **state)
{
	struct machine *m = load("zen3-2s");
	const struct sched_topology *t = &m->topo;

	assert_string_equal(m->option, "nps1");
	assert_int_equal(t->nr_cpus, 256);
	assert_int_equal(t->nr_cores, 128);
	assert_int_equal(t->nr_llcs, 16);
	assert_int_equal(t->nr_nodes, 2);
	assert_int_equal(t->cpu[8].core, t->cpu[136].core);
	for (int c = 0; c < 256; c++) {
		assert_int_equal(t->cpu[c].core, c % 128);
		assert_int_equal(t->cpu[c].cluster, c % 128); /* L2: a core */
		assert_int_equal(t->cpu[c].llc, c % 128 / 8);
		assert_int_equal(t->cpu[c].package, c % 128 / 64);
		assert_int_equal(t->cpu[c].node, c % 128 / 64);
	}
	assert_int_equal(t->node_reclaim_distance, 32);
	assert_true(t->x86);
	assert_int_equal(topo_distance(t, 8, 136), DIST_SMT);
	assert_int_equal(topo_distance(t, 8, 15), DIST_LLC);
	assert_int_equal(topo_distance(t, 8, 16), DIST_NODE);
	assert_int_equal(topo_distance(t, 8, 64), DIST_REMOTE);
	machine_free(m);
}

static void check_node(const struct sched_topology *t, int node, const char *cpus)
{
	u64 m[4] = {0};
	char buf[128];

	for (int c = 0; c < t->nr_cpus; c++)
		if (t->cpu[c].node == node)
			mask_set(m, c);
	assert_string_equal(mask_format(m, 4, buf, sizeof(buf)), cpus);
}

static void zen3_nodes(void **state)
{
	static const int row[] = {10, 12, 12, 12, 32, 32, 32, 32};
	struct machine *m = load("zen3-2s:nps2");

	assert_int_equal(m->topo.nr_nodes, 4);
	check_node(&m->topo, 0, "0-31,128-159");
	check_node(&m->topo, 1, "32-63,160-191");
	check_node(&m->topo, 3, "96-127,224-255");
	assert_int_equal(m->topo.distance[1], 12);
	assert_int_equal(m->topo.distance[2], 32);
	assert_int_equal(topo_distance(&m->topo, 0, 32), DIST_PACKAGE);
	machine_free(m);

	/* the same lists as numactl prints on such a machine */
	m = load("zen3-2s:nps4");
	assert_int_equal(m->topo.nr_nodes, 8);
	check_node(&m->topo, 0, "0-15,128-143");
	check_node(&m->topo, 5, "80-95,208-223");
	assert_memory_equal(m->topo.distance, row, sizeof(row));
	assert_int_equal(m->node_bytes, 64ULL << 30);
	machine_free(m);
}

/* Spec 13 §4: the figures must be physically plausible, whatever a table says. */
static void zen3_bandwidth(void **state)
{
	static const struct {
		const char *what;
		u64 node;
	} mode[] = {{"zen3-2s:nps1", 165}, {"zen3-2s:nps2", 82}, {"zen3-2s:nps4", 41}};
	const u64 gb = 1000000000;

	for (size_t i = 0; i < ARRAY_SIZE(mode); i++) {
		struct machine *m = load(mode[i].what);
		int channels = 8 * 2 / m->topo.nr_nodes;

		assert_int_equal(m->bw.node, mode[i].node * gb);
		assert_in_range(m->bw.node, channels * 20 * gb, channels * 22 * gb);
		assert_in_range(m->bw.core, 20 * gb, 25 * gb);
		assert_in_range(m->bw.llc_read, 46 * gb, 52 * gb);
		assert_in_range(m->bw.llc_write, 23 * gb, 27 * gb);
		assert_in_range(m->bw.llc_mixed, 60 * gb, 70 * gb);
		assert_in_range(m->bw.link, 60 * gb, 75 * gb);
		machine_free(m);
	}
}

/* Spec 01 E3, E4, E5 (b), E6 */
static void other_shapes(void **state)
{
	struct machine *m = load("kunpeng920-2s");
	const struct sched_topology *t = &m->topo;

	assert_false(t->x86);
	assert_int_equal(t->nr_nodes, 4);
	assert_int_equal(t->cpu[5].cluster, t->cpu[4].cluster);
	assert_int_equal(topo_distance(t, 4, 7), DIST_CLUSTER);
	assert_int_equal(topo_distance(t, 4, 8), DIST_LLC);
	assert_int_equal(topo_distance(t, 4, 32), DIST_PACKAGE);
	assert_int_equal(t->distance[3], 22);
	machine_free(m);

	m = load("spr-2s");
	t = &m->topo;
	assert_int_equal(t->nr_cpus, 120);
	assert_int_equal(t->nr_nodes, 1);
	assert_int_equal(t->nr_llcs, 2);
	assert_int_equal(topo_distance(t, 0, 30), DIST_NODE);
	assert_int_equal(m->line_ns[DIST_NODE], 140);
	machine_free(m);
	m = load("spr-2s:2n");
	assert_int_equal(m->topo.distance[1], 21);
	machine_free(m);

	m = load("genoa-2s");
	assert_int_equal(m->topo.cpu[8].llc, m->topo.cpu[207].llc); /* 8-15,200-207 */
	assert_int_equal(m->topo.nr_llcs, 24);
	machine_free(m);

	m = load("raptorlake-1370p"); /* alike for kernels, but ranked, and not alike in speed */
	t = &m->topo;
	assert_int_equal(t->nr_cores, 14);
	assert_int_equal(topo_distance(t, 12, 15), DIST_CLUSTER);
	assert_int_equal(topo_distance(t, 15, 16), DIST_LLC);
	assert_int_equal(t->cpu[12].capacity, 1024);
	assert_int_equal(m->speed[0], 1024);
	assert_int_equal(m->speed[12], 594); /* 58 % */
	assert_true(t->priority[0] > t->priority[4] && t->priority[4] > t->priority[19]);
	machine_free(m);
	m = load("raptorlake-1370p:unranked");
	assert_null(m->topo.priority);
	assert_int_equal(m->speed[12], 594);
	machine_free(m);

	m = load("juno-r0");
	assert_int_equal(m->topo.cpu[0].capacity, 446);
	assert_int_equal(m->topo.cpu[1].capacity, 1024);
	assert_null(m->topo.priority);
	assert_null(m->speed);
	machine_free(m);

	m = load("numa-48c"); /* a machine that inherits from a whole other one */
	assert_int_equal(m->topo.nr_cpus, 48);
	assert_string_equal(m->name, "numa-48c");
	assert_int_equal(m->boost[0].mhz, 3100);
	assert_int_equal(topo_distance(&m->topo, 0, 12), DIST_REMOTE);
	machine_free(m);
}

/* Spec 13 §7: what a balancing pass and a search cost on Zen3. */
static void prices(void **state)
{
	struct machine *m = load("zen3-2s");
	struct sched_work mc = {.kind = WORK_BALANCE, .cpus = {1, 1, 0, 14}};
	struct sched_work all = {.kind = WORK_BALANCE, .cpus = {1, 1, 0, 14, 112, 0, 128}};
	struct sched_work scan = {.kind = WORK_SELECT, .cpus = {[DIST_LLC] = 10}};
	struct sched_work lock = {.kind = WORK_BALANCE, .locks = {[DIST_REMOTE] = 2}, .tasks = 3};
	struct sched_work none = {.kind = WORK_SELECT};

	assert_in_range(machine_price(m, 0, &mc), 2000, 3000);
	assert_in_range(machine_price(m, 0, &all), 30000, 60000);
	assert_int_equal(machine_price(m, 0, &none), m->cost.select_base);
	assert_int_equal(machine_price(m, 0, &scan), m->cost.select_base + 300);
	assert_int_equal(machine_price(m, 7, &scan), machine_price(m, 0, &scan));
	assert_int_equal(machine_price(m, 0, &lock),
			 m->cost.balance_base + 2 * 205 + 3 * m->cost.balance_task);
	machine_free(m);
}

static void scale(void **state)
{
	struct machine *m = load("uma-8c"), *q = load("qemu:m8");

	assert_int_equal(q->kernel_scale, 350);
	assert_int_equal(q->cost.fork, m->cost.fork * 350 / 100);
	assert_int_equal(q->cost.ipi[DIST_LLC], m->cost.ipi[DIST_LLC] * 350 / 100);
	assert_false(q->cpuidle);
	machine_free(m);
	machine_free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_preset), cmocka_unit_test(zen3_numbering),
		cmocka_unit_test(zen3_nodes),	cmocka_unit_test(zen3_bandwidth),
		cmocka_unit_test(other_shapes), cmocka_unit_test(prices),
		cmocka_unit_test(scale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
