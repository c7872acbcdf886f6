// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cpumask.h"
#include "machine/qemu.h"

struct smp {
	int sockets, dies, modules, cores, threads;
};

/* whether some CPUs share an L2 that aren't threads of one core */
static bool has_modules(const struct sched_topology *t)
{
	return t->nr_clusters > 0 && t->nr_clusters < t->nr_cores;
}

static struct smp count(const struct sched_topology *t)
{
	int modules = has_modules(t) ? t->nr_clusters : t->nr_llcs;

	return (struct smp){
		.sockets = t->nr_packages,
		.dies = t->nr_llcs / t->nr_packages,
		.modules = modules / t->nr_llcs,
		.cores = t->nr_cores / modules,
		.threads = t->nr_cpus / t->nr_cores,
	};
}

/* The counts are whole only for a regular shape: see what QEMU would make of them. */
static int check_shape(const struct sched_topology *t, const struct smp *s, struct err *err)
{
	for (int c = 0; c < t->nr_cpus; c++) {
		const struct topo_cpu *x = &t->cpu[c];
		int core = c / s->threads, module = s->cores ? core / s->cores : -1;
		int die = s->modules ? module / s->modules : -1;

		if (x->core != core || x->llc != die || !s->dies || x->package != die / s->dies ||
		    (has_modules(t) && x->cluster != module))
			return err_set(err, -ENOTSUP,
				       "CPU %d lies where QEMU's -smp can't put it: every package "
				       "needs as many LLCs, clusters, cores and threads as the "
				       "others, and CPUs must be numbered with siblings side by side",
				       c);
		if (x->capacity != 1024)
			return err_set(err, -ENOTSUP,
				       "CPU %d has a capacity of %u: QEMU's CPUs are all alike", c,
				       x->capacity);
	}
	return 0;
}

static void print_size(FILE *f, u64 bytes)
{
	if (bytes % (1ULL << 30) == 0)
		fprintf(f, "%lluG", (unsigned long long)(bytes >> 30));
	else
		fprintf(f, "%lluM", (unsigned long long)max(bytes >> 20, 1ULL));
}

static void print_node(FILE *f, const struct machine *m, int node)
{
	const struct sched_topology *t = &m->topo;

	fprintf(f, " -object memory-backend-ram,id=m%d,size=", node);
	print_size(f, m->node_mem[node]);
	fprintf(f, " -numa node,nodeid=%d", node);
	for (int c = 0, last; c < t->nr_cpus; c = last + 1) {
		last = c;
		if (t->cpu[c].node != node)
			continue;
		while (last + 1 < t->nr_cpus && t->cpu[last + 1].node == node)
			last++;
		fprintf(f, last > c ? ",cpus=%d-%d" : ",cpus=%d", c, last);
	}
	fprintf(f, ",memdev=m%d", node);
}

/* A pair whose distance is the same both ways is given once. */
static void print_distances(FILE *f, const struct sched_topology *t)
{
	int n = t->nr_nodes;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			if (i < j || (i > j && t->distance[i * n + j] != t->distance[j * n + i]))
				fprintf(f, " -numa dist,src=%d,dst=%d,val=%d", i, j,
					t->distance[i * n + j]);
}

static void print_args(FILE *f, const struct machine *m, const struct smp *s)
{
	const struct sched_topology *t = &m->topo;
	u64 bytes = 0;

	for (int i = 0; i < t->nr_nodes; i++)
		bytes += m->node_mem[i];
	fputs("-m ", f);
	print_size(f, bytes);
	fprintf(f, " -smp %d,sockets=%d", t->nr_cpus, s->sockets);
	if (s->dies > 1)
		fprintf(f, ",dies=%d", s->dies);
	if (has_modules(t))
		fprintf(f, ",modules=%d", s->modules);
	fprintf(f, ",cores=%d,threads=%d", s->cores, s->threads);
	if (has_modules(t))
		fputs(" -machine smp-cache.0.cache=l2,smp-cache.0.topology=module,"
		      "smp-cache.1.cache=l3,smp-cache.1.topology=die",
		      f);
	if (t->nr_nodes == 1)
		return;
	for (int i = 0; i < t->nr_nodes; i++)
		print_node(f, m, i);
	print_distances(f, t);
}

int machine_qemu(const struct machine *m, char **args, struct err *err)
{
	struct smp s = count(&m->topo);
	int rc = check_shape(&m->topo, &s, err);
	size_t len;
	FILE *f;

	if (rc)
		return rc;
	f = open_memstream(args, &len);
	if (!f)
		return err_set(err, -ENOMEM, "out of memory");
	print_args(f, m, &s);
	if (fclose(f))
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}
