// SPDX-License-Identifier: BSD-2-Clause
/* hwloc XML files of real machines: read, or refused with the reason. */
#include <dirent.h>

#include "base/cpumask.h"
#include "fixture.h"
#include "sched/domains.h"

#define NEED(name)                                                                                 \
	({                                                                                         \
		const char *_p = shared_path("corpus/topologies/" name);                           \
		if (!_p) {                                                                         \
			print_message("no corpus here\n");                                         \
			skip();                                                                    \
		}                                                                                  \
		_p;                                                                                \
	})

static void kunpeng(void **state)
{
	static const int row[] = {10, 16, 32, 33};
	struct machine *m = load(NEED("hwloc_v2_kunpeng920_generated.xml"));
	const struct sched_topology *t = &m->topo;

	assert_int_equal(t->nr_cpus, 128);
	assert_int_equal(t->nr_packages, 2);
	assert_int_equal(t->nr_nodes, 4);
	assert_int_equal(t->nr_llcs, 4);
	assert_int_equal(t->nr_clusters, 32);
	assert_int_equal(topo_distance(t, 4, 7), DIST_CLUSTER);
	assert_int_equal(topo_distance(t, 4, 8), DIST_LLC);
	assert_memory_equal(t->distance, row, sizeof(row));
	assert_int_equal(t->distance[5], 10);
	assert_int_equal(t->distance[6], 25);
	assert_false(t->x86);
	assert_int_equal(m->node_mem[0], 134894530560ULL);
	machine_free(m);
}

static void opteron(void **state)
{
	struct machine *m = load(NEED("hwloc_v2_opteron6272_relabelled.xml"));
	const struct sched_topology *t = &m->topo;
	int two_hops = 0;

	assert_int_equal(t->nr_cpus, 64);
	assert_int_equal(t->nr_nodes, 8);
	assert_int_equal(t->nr_packages, 4);
	assert_int_equal(t->nr_clusters, 32); /* two cores share an L2 */
	for (int i = 0; i < 64; i++) {
		assert_true(t->distance[i] == 10 || t->distance[i] == 16 || t->distance[i] == 22);
		two_hops += t->distance[i] == 22;
	}
	assert_true(two_hops > 0);
	assert_int_equal(t->node_reclaim_distance, 30);
	machine_free(m);
}

/* every domain of every CPU, and every group of it, in order */
static void same_domains(const struct machine *a, const struct machine *b, const char *kernel)
{
	int words = mask_words(a->topo.nr_cpus), cpu = 0, i = 0;
	struct sched_domain_view va, vb;
	struct sched_group_view ga, gb;
	struct sched_domains *da, *db;
	struct sched_kernel k;
	struct err err = {0};

	assert_int_equal(sched_kernel_parse(kernel, &k, &err), 0);
	da = sched_domains_new(&a->topo, &k, &err);
	db = sched_domains_new(&b->topo, &k, &err);
	assert_true(da && db);
	for (; cpu < a->topo.nr_cpus; cpu++) {
		assert_int_equal(sched_domains_count(da, cpu), sched_domains_count(db, cpu));
		for (i = 0; sched_domains_get(da, cpu, i, &va); i++) {
			assert_true(sched_domains_get(db, cpu, i, &vb));
			assert_string_equal(va.name, vb.name);
			assert_string_equal(va.flags, vb.flags);
			assert_true(mask_equal(va.span, vb.span, words));
			assert_int_equal(va.nr_groups, vb.nr_groups);
			assert_int_equal(va.imb_numa_nr, vb.imb_numa_nr);
			while (sched_domains_next_group(&va, &ga)) {
				assert_true(sched_domains_next_group(&vb, &gb));
				assert_true(mask_equal(ga.span, gb.span, words));
				assert_true(mask_equal(ga.balance_mask, gb.balance_mask, words));
			}
		}
	}
	assert_true(i >= 3);
	sched_domains_free(da);
	sched_domains_free(db);
}

/* the preset is that machine: same chains, same groups, whatever the kernel */
static void opteron_preset(void **state)
{
	struct machine *real = load(NEED("hwloc_v2_opteron6272_relabelled.xml"));
	struct machine *preset = load("opteron-4s-6272");

	assert_int_equal(real->topo.nr_cpus, preset->topo.nr_cpus);
	assert_memory_equal(real->topo.distance, preset->topo.distance, 64 * sizeof(int));
	for (int c = 0; c < 64; c++) {
		assert_int_equal(real->topo.cpu[c].node, preset->topo.cpu[c].node);
		assert_int_equal(real->topo.cpu[c].cluster, preset->topo.cpu[c].cluster);
	}
	same_domains(real, preset, "v5.7");
	same_domains(real, preset, "v6.1");
	same_domains(real, preset, "v6.12");
	same_domains(real, preset, "v7.3");
	machine_free(real);
	machine_free(preset);
}

/* Only the matrix with 10 on its diagonal is the SLIT; the first of the file isn't. */
static void version_1(void **state)
{
	struct machine *m = load(NEED("hwloc_v1_16amd64-4distances.xml"));
	const struct sched_topology *t = &m->topo;

	assert_int_equal(t->nr_cpus, 16);
	assert_int_equal(t->nr_nodes, 8);
	for (int i = 0; i < 64; i++)
		assert_int_equal(t->distance[i], i / 8 == i % 8 ? 10 : 20);
	assert_int_equal(m->node_mem[0], 0x1ffe24000ULL);
	assert_int_equal(m->node_mem[1], 8ULL << 30);
	machine_free(m);
}

static void epycs(void **state)
{
	struct machine *m = load(NEED("hwloc_v2_epyc7451_from-utillinux_generated.xml"));
	const struct sched_topology *t = &m->topo;

	assert_int_equal(t->nr_cpus, 96);
	assert_int_equal(t->nr_nodes, 8);
	assert_int_equal(t->nr_llcs, 16);
	assert_int_equal(t->cpu[0].core, t->cpu[48].core);
	assert_int_equal(t->distance[1], 20); /* none in the file: as a kernel assumes */
	machine_free(m);

	m = load(NEED("hwloc_v2_AMD-19h-Zen3-2xEpyc-7763.xml"));
	t = &m->topo;
	assert_int_equal(t->nr_cpus, 128);
	assert_int_equal(t->nr_llcs, 16);
	assert_int_equal(t->cpu[15].llc, 1);
	assert_int_equal(t->node_reclaim_distance, 32); /* its family's base file */
	assert_int_equal(m->line_ns[DIST_REMOTE], 205);
	assert_int_equal(m->l2_bytes, 512 << 10);
	machine_free(m);
}

static void every_file(void **state)
{
	char folder[512], path[1024], word[64];
	int read = 0, refused = 0;
	struct dirent *e;
	DIR *d;

	snprintf(folder, sizeof(folder), "%s", NEED("."));
	d = opendir(folder);
	assert_non_null(d);
	snprintf(word, sizeof(word), "written by hwloc 3.0, the hwloc");
	while ((e = readdir(d))) {
		struct machine *m = NULL;
		struct err err = {0};
		int ret;

		if (!strstr(e->d_name, ".xml"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		ret = machine_load(path, &m, &err);
		if (ret) {
			assert_int_equal(ret, -ENOTSUP);
			assert_non_null(strstr(err.msg, word));
			assert_non_null(strstr(err.msg, e->d_name));
			refused++;
		} else {
			machine_free(m);
			read++;
		}
	}
	closedir(d);
	assert_true(read >= 5);
	assert_int_equal(read + refused, 10);
}

/* "numactl -H" is text, not XML: not a machine, but a clear message. */
static void not_a_topology(void **state)
{
	struct machine *m = NULL;
	struct err err = {0};
	const char *path = NEED("numactl-H_epyc-2x64c-smt2-nps4_rocm-blog.txt");

	assert_int_equal(machine_load(path, &m, &err), -EINVAL);
	assert_non_null(strstr(err.msg, path));
	assert_non_null(strstr(err.msg, "numactl -H"));
	refuse(-EINVAL, "<html></html>\n", ":1:1: not an hwloc XML file", NULL);
	refuse(-EINVAL, "<topology version=\"2.0\">\n<object",
	       ":2: the file ends without </topology>", NULL);
	refuse(-EINVAL, "<topology version=\"2.0\"></topology>", "cannot make a topology", NULL);
}

/* An object without its CPU set kills hwloc 2.9; it must not kill us. */
static void damaged_xml(void **state)
{
	refuse(-EINVAL,
	       "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n"
	       "<object type=\"Machine\" os_index=\"0\" cpuset=\"0x3\" complete_cpuset=\"0x3\" "
	       "nodeset=\"0x1\" complete_nodeset=\"0x1\">\n"
	       "<object type=\"Package\" nodeset=\"0x1\" complete_nodeset=\"0x1\"/>\n"
	       "<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" nodeset=\"0x1\"/>\n"
	       "</object>\n</topology>\n",
	       "hwloc", NULL);
}

/* A node beside CPUs that the file doesn't have. */
static void cpus_from_nowhere(void **state)
{
	refuse(-EINVAL,
	       "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n"
	       "<object type=\"Machine\" os_index=\"0\" cpuset=\"0x100001\" complete_cpuset=\"0x100001\" "
	       "allowed_cpuset=\"0x100001\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
	       "allowed_nodeset=\"0x1\">\n"
	       "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x100001\" complete_cpuset=\"0x100001\" "
	       "nodeset=\"0x1\" complete_nodeset=\"0x1\"/>\n"
	       "<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" "
	       "complete_nodeset=\"0x1\"/>\n"
	       "</object>\n</topology>\n",
	       "CPUs that aren't there", NULL);
}

/* Cut anywhere: a message, no crash, and nothing from hwloc on stderr. */
static void truncated_xml(void **state)
{
	const char *file = NEED("hwloc_v1_16amd64-4distances.xml");
	FILE *f = fopen(file, "r"), *printed = tmpfile();
	char *text = NULL;
	size_t size = 0, len;
	int saved = dup(STDERR_FILENO);

	assert_non_null(f);
	assert_non_null(printed);
	len = getdelim(&text, &size, '\0', f);
	fclose(f);
	dup2(fileno(printed), STDERR_FILENO);
	for (size_t n = 0; n < len; n += 97) {
		const char *path = temp_file(text, n);
		struct machine *m = NULL;
		struct err err = {0};

		if (!machine_load(path, &m, &err)) {
			machine_free(m);
			dup2(saved, STDERR_FILENO);
			fail_msg("cut at %zu of %zu, yet read", n, len);
		}
		if (!strstr(err.msg, path)) {
			dup2(saved, STDERR_FILENO);
			fail_msg("cut at %zu: no file in '%s'", n, err.msg);
		}
		unlink(path);
	}
	dup2(saved, STDERR_FILENO);
	close(saved);
	assert_int_equal(lseek(fileno(printed), 0, SEEK_END), 0);
	fclose(printed);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kunpeng),     cmocka_unit_test(opteron),
		cmocka_unit_test(opteron_preset),
		cmocka_unit_test(version_1),   cmocka_unit_test(epycs),
		cmocka_unit_test(every_file),  cmocka_unit_test(not_a_topology),
		cmocka_unit_test(damaged_xml),
		cmocka_unit_test(cpus_from_nowhere), cmocka_unit_test(truncated_xml),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
