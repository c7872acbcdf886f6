// SPDX-License-Identifier: BSD-2-Clause
/* QEMU's command line for a machine: what kernels were recorded under, and shapes that it can't do. */
#include <errno.h>

#include "fixture.h"
#include "machine/qemu.h"

#define NODE(n, size, cpus)                                                                        \
	" -object memory-backend-ram,id=m" n ",size=" size " -numa node,nodeid=" n ",cpus=" cpus       \
	",memdev=m" n
#define TWO_NODES(first, second)                                                                   \
	NODE("0", "1G", first) NODE("1", "1G", second) " -numa dist,src=0,dst=1,val=20"
#define L2_OF_MODULE                                                                               \
	" -machine smp-cache.0.cache=l2,smp-cache.0.topology=module,"                              \
	"smp-cache.1.cache=l3,smp-cache.1.topology=die"

static void recorded_machines(void **state)
{
	/* clang-format off */
	static const struct { const char *machine, *args; } rows[] = {
		{ "qemu:m8", "-m 2G -smp 8,sockets=2,cores=4,threads=1" TWO_NODES("0-3", "4-7") },
		{ "qemu:m16smt", "-m 2G -smp 16,sockets=2,dies=2,cores=2,threads=2" TWO_NODES("0-7", "8-15") },
		{ "qemu:m16cls", "-m 2G -smp 16,sockets=2,modules=2,cores=4,threads=1" L2_OF_MODULE
				 TWO_NODES("0-7", "8-15") },
		{ "qemu:m16cls1", "-m 2G -smp 16,sockets=1,modules=4,cores=4,threads=1" L2_OF_MODULE },
		{ "qemu:m32nps1", "-m 3G -smp 32,sockets=1,dies=4,cores=4,threads=2" },
		{ "qemu:m18odd", "-m 1536M -smp 18,sockets=3,cores=3,threads=2"
				 NODE("0", "512M", "0-5") NODE("1", "512M", "6-11") NODE("2", "512M", "12-17")
				 " -numa dist,src=0,dst=1,val=20 -numa dist,src=0,dst=2,val=20"
				 " -numa dist,src=1,dst=2,val=20" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct machine *m = load(rows[i].machine);
		struct err err = {0};
		char *args = NULL;

		assert_int_equal(machine_qemu(m, &args, &err), 0);
		assert_string_equal(args, rows[i].args);
		free(args);
		machine_free(m);
	}
}

/* Every second CPU in a node; distances that depend on the direction. */
static void scattered_and_lopsided(void **state)
{
	struct machine *m = load("pack:2 core:2 pu:1");
	struct sched_topology *t = &m->topo;
	struct err err = {0};
	char *args = NULL;
	int distance[] = {10, 20, 30, 10}, *whole = t->distance;
	u64 mem[] = {1ULL << 30, 256ULL << 20}, *own = m->node_mem;

	for (int c = 0; c < 4; c++)
		t->cpu[c].node = c % 2;
	t->nr_nodes = 2;
	t->distance = distance;
	m->node_mem = mem;
	assert_int_equal(machine_qemu(m, &args, &err), 0);
	assert_string_equal(args,
			    "-m 1280M -smp 4,sockets=2,cores=2,threads=1" NODE("0", "1G", "0,cpus=2")
				    NODE("1", "256M", "1,cpus=3") " -numa dist,src=0,dst=1,val=20"
								  " -numa dist,src=1,dst=0,val=30");
	free(args);
	t->nr_nodes = 1;
	t->distance = whole;
	m->node_mem = own;
	machine_free(m);
}

static void impossible_shapes(void **state)
{
	/* siblings far apart; nothing regular at all */
	static const char *const machines[] = {"zen3-2s", SOURCE_ROOT
					       "/tests/data/machines/biglittle.yaml"};

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct machine *m = load(machines[i]);
		struct err err = {0};
		char *args = NULL;

		assert_int_equal(machine_qemu(m, &args, &err), -ENOTSUP);
		assert_non_null(strstr(err.msg, "CPU "));
		assert_null(args);
		machine_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_machines),
		cmocka_unit_test(scattered_and_lopsided),
		cmocka_unit_test(impossible_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
