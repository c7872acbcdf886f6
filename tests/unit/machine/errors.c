// SPDX-License-Identifier: BSD-2-Clause
/* What is wrong, where, and what is allowed there. */
#include "fixture.h"

#define SHAPE "topology: {cores: 4}\n"

static void keys(void **state)
{
	refuse(-EINVAL, SHAPE "costs:\n  sysc: 3 ns\n", ":3:3: unknown key 'sysc'",
	       "did you mean 'syscall'?", "allowed are source, syscall, switch_same_mm", NULL);
	refuse(-EINVAL, "topologie: {}\n", ":1:1: unknown key 'topologie'",
	       "did you mean 'topology'?", "allowed are name, description", NULL);
	refuse(-EINVAL, SHAPE "costs:\n  ipi: {llc: 1 us, ccx: 2 us}\n", ":3:20: unknown key 'ccx'",
	       "allowed are self, smt, cluster, llc, node, package, remote", NULL);
	refuse(-EINVAL, SHAPE "name: a\nname: b\n", ":3:1: key 'name' stands twice", NULL);
	refuse(-EINVAL, SHAPE "boost:\n- {cores: 2}\n", "key 'frequency' is missing", NULL);
}

static void kinds(void **state)
{
	refuse(-EINVAL, SHAPE "costs: 3\n", ":2:8: 'costs' must be a mapping (key: value)",
	       "it is a single value", NULL);
	refuse(-EINVAL, SHAPE "costs:\n  tick: [1, 2]\n", ":3:9: 'tick' must be a single value",
	       "it is a list", NULL);
	refuse(-EINVAL, SHAPE "boost: {cores: 3}\n", "'boost' must be a list", NULL);
	refuse(-EINVAL, "- a\n", ":1:1: the file must be a mapping", NULL);
	refuse(-EINVAL, "", "the file is empty", NULL);
	refuse(-EINVAL, "# nothing\n", "the file is empty", NULL);
	refuse(-EINVAL, SHAPE "---\nname: x\n", ":2:1: a second document", NULL);
	refuse(-EINVAL, "costs: {tick: 1 us\nname: x\n", ":2:", "not YAML", NULL);
	refuse(-EINVAL, "name: x\ncosts: \xff\n", ":2:8: not YAML", NULL);
	refuse(-EINVAL, "\tname: x\n", "not YAML", NULL);
}

static void values(void **state)
{
	refuse(-EINVAL, SHAPE "costs:\n  tick: 1500\n", ":3:9: tick: '1500' is not a time",
	       "like '1.2 us'", NULL);
	refuse(-EINVAL, SHAPE "kernel:\n  hz: 5\n", ":3:7: hz: '5' is out of range",
	       "allowed are 24 to 10000", NULL);
	refuse(-EINVAL, SHAPE "costs:\n  ipi:\n    llc: 1 us\n    node: soon\n",
	       ":5:11: node: 'soon' is not a time", NULL);
	refuse(-EINVAL, SHAPE "kernel: {cpuidle: maybe}\n",
	       ":2:19: cpuidle: 'maybe' is not yes or no", NULL);
	refuse(-EINVAL,
	       SHAPE "cstates:\n- {name: A, exit: 0, table_exit: 0, residency: 5 us}\n"
		     "- {name: B, exit: 0, table_exit: 0, residency: 4 us}\n",
	       ":4:48: residency: shorter than that of the state before", NULL);
	refuse(-EINVAL,
	       SHAPE "boost:\n- {cores: 2, frequency: 2 GHz}\n- {cores: 2, frequency: 1 GHz}\n",
	       ":4:3: boost: list more and more cores", NULL);
	refuse(-EINVAL, SHAPE "cpu: {base: 3 GHz, max: 2 GHz}\n", "above the maximum", NULL);
	refuse(-ENOENT, SHAPE "inherits: zenn\n", ":2:11: no preset is called 'zenn'",
	       "did you mean 'zen'?", NULL);
	refuse(-ENOENT, SHAPE "inherits: ./nowhere.yaml\n", ":2:11:", "nowhere.yaml: No such file",
	       NULL);
}

static void shapes(void **state)
{
	refuse(-EINVAL, "name: x\n", "no file gives topology.cores", NULL);
	refuse(-EINVAL, "topology:\n  cores: 4\n  nodes: [0-1, 2-4]\n",
	       ":3:16: nodes: CPU list '2-4': CPU 4 doesn't exist, the machine has CPUs 0-3", NULL);
	refuse(-EINVAL, "topology:\n  cores: 4\n  nodes: [0-2, 2-3]\n",
	       ":3:16: nodes: CPU 2 is in entry 1 of the list already", NULL);
	refuse(-EINVAL, "topology:\n  cores: 4\n  nodes: [0-1, 3]\n", "nodes: CPU 2 is in no entry",
	       NULL);
	refuse(-EINVAL, "topology:\n  cores: 4\n  nodes: [0-1, 2x]\n",
	       ":3:16: nodes: CPU list '2x'", NULL);
	refuse(-EINVAL, "topology:\n  cores: 2\n  threads: 2\n  nodes: ['0,2', '1,3']\n",
	       "CPUs 0 and 1 share a core but not a node", NULL);
	refuse(-EINVAL, "topology:\n  cores: 3\n  nodes_per_package: 2\n",
	       ":3:22: nodes_per_package: 3 cores of a package can't be split into 2", NULL);
	refuse(-EINVAL, "topology:\n  cores: 4\n  cpus: 4\n", "says the same as", NULL);
	refuse(-EINVAL, "topology:\n  cores: 4\n  arch: vax\n",
	       ":3:9: arch: 'vax' is unknown, allowed are x86, arm64", NULL);
	refuse(-EINVAL, "topology:\n  cores: 9999\n  packages: 9\n", "more than 16384 CPUs", NULL);
	refuse(-EINVAL, "topology:\n  cores: 99999\n", ":2:10: cores: '99999' is out of range",
	       NULL);
	refuse(-EINVAL, "topology:\n  cores: 2\n  capacity: [{cpus: 0-1, capacity: 2000}]\n",
	       "capacity: '2000' is out of range, allowed are 1 to 1024", NULL);
	refuse(-EINVAL, "topology:\n  cores: 2\n  capacity: [{cpus: 0-1}]\n",
	       "give a capacity, a speed or a priority", NULL);
	refuse(-EINVAL, "topology:\n  cores: 2\n  capacity: [{cpus: 0-1, speed: 101 %}]\n",
	       "allowed are 0.1 % to 100 %", NULL);
	refuse(-EINVAL, "topology:\n  cores: 2\n  capacity: [{cpus: 0-1, priority: -1}]\n",
	       "is not a whole number", NULL);
	refuse(-EINVAL, "topology:\n  cores: 2\n  capacity: [{cpus: 0-1, capacity: 500}]\n",
	       "it must be 1024", NULL);
	refuse(-EINVAL, "topology:\n  cpus: 4\n  core_cpus: [0-1, 2-3]\n  llc_cpus: ['0', 1-3]\n",
	       "share a core but not a", NULL);
}

static void distances(void **state)
{
#define NODES "topology:\n  cores: 2\n  nodes: ['0', '1']\n  distance_matrix:\n"
	refuse(-EINVAL, NODES "  - 10 20\n", "1 rows for 2 nodes", NULL);
	refuse(-EINVAL, NODES "  - 10 20\n  - 20\n",
	       ":6:5: distance_matrix: row '20' must be 2 numbers", NULL);
	refuse(-EINVAL, NODES "  - 10 20\n  - 20 10 9\n", "nothing more", NULL);
	refuse(-EINVAL, NODES "  - 10 20\n  - 20 11\n",
	       ":6:5:", "distance 11 from node 1 to node 1, allowed are 10", NULL);
	refuse(-EINVAL, NODES "  - 10 256\n  - 20 10\n", ":5:5:", "allowed are 11 to 255", NULL);
	refuse(-EINVAL, NODES "  - [10, 20]\n  - [20, 10]\n",
	       ":5:5: entry 1 of the list must be a single value", NULL);
	refuse(-EINVAL, "topology:\n  cores: 2\n  distance: {local: 10, other_package: 5}\n",
	       ":3:40: distance.other_package: '5' is out of range", NULL);
}

static void asymmetric_is_allowed(void **state)
{
	const char *text = NODES "  - 10 20\n  - 30 10\n", *path = temp_file(text, strlen(text));
	struct machine *m = load(path);

	assert_int_equal(m->topo.distance[1], 20);
	assert_int_equal(m->topo.distance[2], 30);
	machine_free(m);
	unlink(path);
}

static void refuse_name(int code, const char *what, ...)
{
	struct machine *m = NULL;
	struct err err = {0};
	const char *part;
	va_list ap;

	assert_int_equal(machine_load(what, &m, &err), code);
	va_start(ap, what);
	while ((part = va_arg(ap, const char *)))
		if (!strstr(err.msg, part))
			fail_msg("'%s' is not in '%s'", part, err.msg);
	va_end(ap);
}

static void names(void **state)
{
	refuse_name(-ENOENT, "zen3-s", "no machine 'zen3-s' (did you mean 'zen3-2s'?)", NULL);
	refuse_name(-ENOENT, "zen3_2s:nps4", "did you mean 'zen3-2s'?", NULL);
	refuse_name(-ENOENT, "", "no machine ''", NULL);
	refuse_name(-ENOENT, "generic", "no machine 'generic'", NULL); /* a base, not a machine */
	refuse_name(-EINVAL, "zen3-2s:nps8", "no option 'nps8'", "allowed are nps1, nps2, nps4",
		    NULL);
	refuse_name(-EINVAL, "uma-8c:fast", "it has none at all", NULL);
	refuse_name(-ENOENT, "/nowhere/m.yaml", "/nowhere/m.yaml: No such file", NULL);
	refuse_name(-EINVAL, "/tmp", "/tmp: not a file", NULL);
}

static void synthetic(void **state)
{
	refuse_name(-EINVAL, "pack:2 l3:8 cor:8 pu:2", "word 3 'cor:8' (did you mean 'core'?)",
		    "expected TYPE:COUNT", "'pack:2 l3:8 core:8 pu:2'", NULL);
	refuse_name(-EINVAL, "pck:2 core:4 pu:1", "did you mean 'pack'?", NULL);
	refuse_name(-EINVAL, "pack:2 core pu:2", "word 2 has no count", NULL);
	refuse_name(-EINVAL, "pack:2 core:4", "the last level must be pu:COUNT", NULL);
	refuse_name(-EINVAL, "pack:2 core:0 pu:1", "word 2 is not well formed", NULL);
	refuse_name(-EINVAL, "pack:2 core:4x pu:1", "word 2 is not well formed", NULL);
	refuse_name(-EINVAL, "pack:2 core:99999999 pu:2", "more than 16384 CPUs", NULL);
	refuse_name(-EINVAL, "pack:2 core:4(size=1 pu:2", "word 2 is not well formed", NULL);
	refuse(-EINVAL, "topology:\n  hwloc: 'pack:2 cores:2 pu:2'\n", ":2:10: hwloc:", "word 2",
	       NULL);
}

/* A machine file cut anywhere is refused or read, never worse. */
static void truncated_yaml(void **state)
{
	char *text = NULL;
	size_t size = 0, len;
	FILE *f = fopen(data_path("../../../src/machine/presets/zen3-2s.yaml"), "r");

	assert_non_null(f);
	len = getdelim(&text, &size, '\0', f);
	fclose(f);
	for (size_t n = 0; n < len; n += 97) {
		const char *path = temp_file(text, n);
		struct machine *m = NULL;
		struct err err = {0};
		int ret = machine_load(path, &m, &err);

		if (ret && !strstr(err.msg, path))
			fail_msg("cut at %zu: no place in '%s'", n, err.msg);
		if (!ret)
			machine_free(m);
		unlink(path);
	}
	free(text);
}

/* As for what one would never write: refused in a moment. */
static void too_many(void **state)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs("name: x\ntopology: {cpus: 2048, nodes: [", f);
	for (int i = 0; i < 2048; i++)
		fprintf(f, "%s\"%d\"", i ? "," : "", i);
	fputs("]}\n", f);
	fclose(f);
	refuse(-EINVAL, text, "2048 nodes, at most 1024", NULL);
	free(text);

	f = open_memstream(&text, &len);
	for (int i = 0; i < 100000; i++)
		fprintf(f, "k%d: 1\n", i);
	fputs("k7: 1\n", f);
	fclose(f);
	refuse(-EINVAL, text, ":100001:1: key 'k7' stands twice", NULL);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),		  cmocka_unit_test(kinds),
		cmocka_unit_test(values),	  cmocka_unit_test(shapes),
		cmocka_unit_test(distances),	  cmocka_unit_test(asymmetric_is_allowed),
		cmocka_unit_test(names),	  cmocka_unit_test(synthetic),
		cmocka_unit_test(truncated_yaml),	  cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
