// SPDX-License-Identifier: BSD-2-Clause
/* Shapes: machine files, and what real kernels saw on the same machines. */
#include "fixture.h"
#include "base/cpumask.h"

/* The CPUs that are in one group with @cpu, as a list. */
static const char *group(const struct sched_topology *t, int cpu, size_t member)
{
	static char buf[256];
	u64 m[64] = {0};
	int id = *(const int *)((const char *)&t->cpu[cpu] + member);

	for (int c = 0; c < t->nr_cpus; c++)
		if (*(const int *)((const char *)&t->cpu[c] + member) == id)
			mask_set(m, c);
	return mask_format(m, mask_words(t->nr_cpus), buf, sizeof(buf));
}

static void check_group(const struct sched_topology *t, int cpu, size_t member, const char *line,
			const char *key)
{
	const char *p = strstr(line, key);
	char want[64];

	assert_non_null(p);
	assert_int_equal(sscanf(p + strlen(key), "%63[0-9,-]", want), 1);
	if (strcmp(want, group(t, cpu, member)))
		fail_msg("CPU %d:%s%s, not %s", cpu, key, want, group(t, cpu, member));
}

/* One line of a dump: "cpu5 … smt=4-5 cluster=4-5 … package=0-7 … L3=4-7", "node0 … distance=10 20"
 */
static bool check_line(const struct sched_topology *t, const char *line)
{
	int id, n;

	if (sscanf(line, "cpu%d physical_package_id=%n", &id, &n) == 1 && strstr(line, " smt=")) {
		check_group(t, id, offsetof(struct topo_cpu, core), line, " smt=");
		check_group(t, id, offsetof(struct topo_cpu, cluster), line, " cluster=");
		check_group(t, id, offsetof(struct topo_cpu, package), line, " package=");
		check_group(t, id, offsetof(struct topo_cpu, llc), line, " L3=");
		return true;
	}
	if (sscanf(line, "node%d cpus=", &id) == 1 && strstr(line, " distance=")) {
		const char *p = strstr(line, "distance=") + strlen("distance=");

		for (int j = 0; j < t->nr_nodes; j++) {
			assert_int_equal(t->distance[id * t->nr_nodes + j],
					 strtol(p, (char **)&p, 10));
		}
		for (int c = 0; c < t->nr_cpus; c++)
			if (t->cpu[c].node == id) {
				check_group(t, c, offsetof(struct topo_cpu, node), line, " cpus=");
				break;
			}
	}
	return false;
}

static void check_dump(const char *what, const char *dump)
{
	struct machine *m = load(what);
	FILE *f = fopen(dump, "r");
	char *line = NULL;
	size_t size = 0;
	int cpus = 0;

	assert_non_null(f);
	while (getline(&line, &size, f) > 0)
		cpus += check_line(&m->topo, line);
	assert_int_equal(cpus, m->topo.nr_cpus);
	free(line);
	fclose(f);
	machine_free(m);
}

/* The kernels of the recordings saw what the files (and the preset's options) say. */
static void as_real_kernels_saw(void **state)
{
	static const char *const machines[] = {"m8", "m16smt", "m16cls", "m16cls1", "m32nps1"};
	static const char *const kernels[] = {"v6.1", "v6.12", "v7.3"};

	if (!shared_path("kernel-truth/dumps")) {
		print_message("no recordings here\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
			char dump[64], file[32], preset[32];

			snprintf(dump, sizeof(dump), "kernel-truth/dumps/%s_%s.txt", kernels[k],
				 machines[i]);
			snprintf(file, sizeof(file), "%s.yaml", machines[i]);
			snprintf(preset, sizeof(preset), "qemu:%s", machines[i]);
			check_dump(data_path(file), shared_path(dump));
			check_dump(preset, shared_path(dump));
		}
}

static void ring_of_nodes(void **state)
{
	struct machine *m = load(data_path("ring.yaml"));
	const struct sched_topology *t = &m->topo;

	assert_int_equal(t->nr_nodes, 6);
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 6; j++) {
			int hops = min(abs(i - j), 6 - abs(i - j));

			assert_int_equal(t->distance[i * 6 + j], 10 + 5 * hops);
		}
	machine_free(m);
}

static void nodes_across_packages(void **state)
{
	struct machine *m = load(data_path("crossed.yaml"));
	const struct sched_topology *t = &m->topo;

	assert_string_equal(group(t, 2, offsetof(struct topo_cpu, node)), "2-5");
	assert_int_equal(t->cpu[2].node, 0);
	assert_string_equal(group(t, 7, offsetof(struct topo_cpu, node)), "0-1,6-7");
	assert_string_equal(group(t, 2, offsetof(struct topo_cpu, llc)), "0-3");
	machine_free(m);
}

static void mixed_capacity(void **state)
{
	struct machine *m = load(data_path("biglittle.yaml"));
	const struct sched_topology *t = &m->topo;

	assert_int_equal(t->nr_cpus, 6);
	assert_false(t->x86);
	assert_int_equal(t->cpu[3].capacity, 446);
	assert_int_equal(t->cpu[4].capacity, 1024);
	assert_int_equal(t->nr_clusters, 2);
	assert_int_equal(topo_distance(t, 0, 4), DIST_NODE);
	machine_free(m);
}

/* The file's last word over what hwloc gives, and over what it inherits. */
static void hwloc_with_overrides(void **state)
{
	struct machine *m = load(data_path("synthetic.yaml"));
	const struct sched_topology *t = &m->topo;

	assert_string_equal(m->name, "synthetic");
	assert_int_equal(t->nr_cpus, 32);
	assert_int_equal(t->nr_llcs, 4);
	assert_int_equal(t->nr_nodes, 2);
	assert_int_equal(t->distance[1], 21);
	assert_int_equal(m->l2_bytes, 2 << 20);
	machine_free(m);
}

static void synthetic_strings(void **state)
{
	struct machine *m = load("pack:2 l3:8 core:8 pu:2");

	assert_int_equal(m->topo.nr_cpus, 256);
	assert_int_equal(m->topo.nr_llcs, 16);
	assert_int_equal(topo_distance(&m->topo, 0, 1), DIST_SMT); /* threads adjacent */
	machine_free(m);

	m = load("pack:2 numa:2 l3:2 core:4 pu:1");
	assert_int_equal(m->topo.nr_nodes, 4);
	assert_int_equal(topo_distance(&m->topo, 0, 8), DIST_PACKAGE);
	machine_free(m);

	m = load("pack:1 l3:2 group:2 core:4 pu:1");
	assert_int_equal(m->topo.nr_clusters, 4);
	machine_free(m);

	m = load("numa:2(memory=4GB) l3:1(size=16MB) core:2 pu:1");
	assert_true(m->node_mem[1] == 4ULL << 30 || m->node_mem[1] == 4000000000ULL);
	assert_true(m->llc_bytes == 16ULL << 20 || m->llc_bytes == 16000000ULL);
	machine_free(m);

	m = load("pack:4 numa:4 l3:16 core:8 pu:2");
	assert_int_equal(m->topo.nr_cpus, 4096);
	assert_int_equal(m->topo.nr_nodes, 16);
	machine_free(m);
}

static void this_machine(void **state)
{
	struct machine *m = load("this");

	assert_true(m->topo.nr_cpus >= 1);
	assert_string_equal(m->name, "this");
	for (int c = 0; c < m->topo.nr_cpus; c++)
		assert_true(m->topo.cpu[c].core < m->topo.nr_cores);
	machine_free(m);
}

/* The example of docs/machine-files.md: what stands between its ```yaml fences first. */
static void example_of_the_manual(void **state)
{
	char *text = NULL, *begin, *end;
	size_t size = 0;
	FILE *f = fopen(SOURCE_ROOT "/docs/machine-files.md", "r");
	const char *path;
	struct machine *m;

	assert_non_null(f);
	assert_true(getdelim(&text, &size, '\0', f) > 0);
	fclose(f);
	begin = strstr(text, "```yaml\n");
	assert_non_null(begin);
	begin += strlen("```yaml\n");
	end = strstr(begin, "```");
	assert_non_null(end);
	path = temp_file(begin, end - begin);
	m = load(path);
	assert_string_equal(m->name, "two-chips");
	assert_int_equal(m->topo.nr_cpus, 64);
	assert_int_equal(m->topo.nr_nodes, 4);
	assert_string_equal(m->option, "split");
	machine_free(m);
	unlink(path);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_real_kernels_saw),	 cmocka_unit_test(ring_of_nodes),
		cmocka_unit_test(nodes_across_packages), cmocka_unit_test(mixed_capacity),
		cmocka_unit_test(hwloc_with_overrides),	 cmocka_unit_test(synthetic_strings),
		cmocka_unit_test(this_machine),		 cmocka_unit_test(example_of_the_manual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
