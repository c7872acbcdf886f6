/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fixture.h - regular machines for the tests of this room, without hwloc.
 *
 * CPU numbers: all first threads of the cores in order, then all second ones.
 */
#ifndef IDLEST_TESTS_MEMORY_FIXTURE_H
#define IDLEST_TESTS_MEMORY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/rng.h"
#include "machine/machine.h"

#define GB 1000000000ULL

struct shape {
	int packages, nodes, llcs, cores, threads; /* each per the one before */
};

static inline struct machine *make_machine(struct shape s)
{
	struct machine *m = calloc(1, sizeof(*m));
	struct sched_topology *t = &m->topo;
	int nr_cores = s.packages * s.nodes * s.llcs * s.cores;

	t->nr_cpus = nr_cores * s.threads;
	t->nr_cores = nr_cores;
	t->nr_llcs = s.packages * s.nodes * s.llcs;
	t->nr_nodes = s.packages * s.nodes;
	t->nr_packages = s.packages;
	t->cpu = calloc(t->nr_cpus, sizeof(*t->cpu));
	t->distance = calloc((size_t)t->nr_nodes * t->nr_nodes, sizeof(int));
	for (int c = 0; c < t->nr_cpus; c++) {
		struct topo_cpu *p = &t->cpu[c];

		p->core = c % nr_cores;
		p->cluster = -1;
		p->llc = p->core / s.cores;
		p->node = p->llc / s.llcs;
		p->package = p->node / s.nodes;
		p->capacity = 1024;
	}
	for (int a = 0; a < t->nr_nodes; a++)
		for (int b = 0; b < t->nr_nodes; b++)
			t->distance[a * t->nr_nodes + b] =
				a == b ? 10 : a / s.nodes == b / s.nodes ? 12 : 32;
	snprintf(m->name, sizeof(m->name), "test");
	m->hz = 250;
	m->max_mhz = m->base_mhz = 3200;
	m->smt_permille = 620;
	m->mlp = 6;
	return m;
}

static inline void drop_machine(struct machine *m)
{
	free(m->topo.cpu);
	free(m->topo.distance);
	free(m);
}

#endif
