// SPDX-License-Identifier: BSD-2-Clause
#include "machine/shape.h"

#include <errno.h>

int shape_alloc(struct arena *a, struct shape *s, int nr_cpus, struct err *err)
{
	int **column[] = {&s->package, &s->llc, &s->cluster, &s->core, &s->node};

	s->nr_cpus = nr_cpus;
	s->nr_nodes = 1;
	for (size_t i = 0; i < ARRAY_SIZE(column); i++) {
		*column[i] = arena_array(a, nr_cpus, sizeof(int));
		if (!*column[i])
			return err_set(err, -ENOMEM, "out of memory");
	}
	s->capacity = arena_array(a, nr_cpus, sizeof(u32));
	if (!s->capacity)
		return err_set(err, -ENOMEM, "out of memory");
	for (int c = 0; c < nr_cpus; c++) {
		s->cluster[c] = -1;
		s->core[c] = c;
		s->capacity[c] = 1024;
	}
	return 0;
}

int shape_dense(struct arena *a, int *id, int nr_cpus)
{
	int largest = 0, n = 0, *dense;

	for (int c = 0; c < nr_cpus; c++)
		largest = max(largest, id[c]);
	dense = arena_array(a, largest + 1, sizeof(int));
	if (!dense)
		return -ENOMEM;
	for (int c = 0; c < nr_cpus; c++) {
		if (id[c] < 0)
			continue;
		if (!dense[id[c]])
			dense[id[c]] = ++n;
		id[c] = dense[id[c]] - 1;
	}
	return n;
}

/* Every group of @inner (dense) lies in one of @outer. */
static int check_nested(struct arena *a, const int *inner, const char *inner_name, const int *outer,
			const char *outer_name, int nr_cpus, struct err *err)
{
	int *first = arena_array(a, nr_cpus, sizeof(int)); /* CPU + 1 of each inner group */

	if (!first)
		return err_set(err, -ENOMEM, "out of memory");
	for (int c = 0; c < nr_cpus; c++) {
		if (inner[c] < 0)
			continue;
		if (!first[inner[c]])
			first[inner[c]] = c + 1;
		else if (outer[first[inner[c]] - 1] != outer[c])
			return err_set(err, -EINVAL,
				       "CPUs %d and %d share a %s but not a %s, which can't be",
				       first[inner[c]] - 1, c, inner_name, outer_name);
	}
	return 0;
}

static int check_shape(struct arena *a, const struct shape *s, struct err *err)
{
	const struct {
		const int *inner, *outer;
		const char *inner_name, *outer_name;
	} rule[] = {
		{s->core, s->cluster, "core", "cluster"},
		{s->core, s->llc, "core", "last level cache"},
		{s->core, s->node, "core", "node"},
		{s->cluster, s->llc, "cluster", "last level cache"},
		{s->llc, s->package, "last level cache", "package"},
	};
	u32 biggest = 0;
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(rule); i++) {
		ret = check_nested(a, rule[i].inner, rule[i].inner_name, rule[i].outer,
				   rule[i].outer_name, s->nr_cpus, err);
		if (ret)
			return ret;
	}
	for (int c = 0; c < s->nr_cpus; c++)
		biggest = max(biggest, s->capacity[c]);
	if (biggest != 1024)
		return err_set(err, -EINVAL,
			       "the biggest CPU has capacity %u; it must be 1024, and others a "
			       "share of it",
			       biggest);
	return 0;
}

int shape_finish(struct arena *a, struct shape *s, struct sched_topology *t, struct err *err)
{
	int ret;

	t->nr_cpus = s->nr_cpus;
	t->nr_cores = shape_dense(a, s->core, s->nr_cpus);
	t->nr_clusters = shape_dense(a, s->cluster, s->nr_cpus);
	t->nr_llcs = shape_dense(a, s->llc, s->nr_cpus);
	t->nr_packages = shape_dense(a, s->package, s->nr_cpus);
	t->nr_nodes = s->nr_nodes;
	t->x86 = s->x86;
	t->distance = s->distance;
	t->priority = s->priority;
	t->cpu = arena_array(a, s->nr_cpus, sizeof(*t->cpu));
	if (!t->cpu || t->nr_cores < 0 || t->nr_clusters < 0 || t->nr_llcs < 0 ||
	    t->nr_packages < 0)
		return err_set(err, -ENOMEM, "out of memory");
	ret = check_shape(a, s, err);
	if (ret)
		return ret;
	for (int c = 0; c < s->nr_cpus; c++)
		t->cpu[c] = (struct topo_cpu){.core = s->core[c],
					      .cluster = s->cluster[c],
					      .llc = s->llc[c],
					      .package = s->package[c],
					      .node = s->node[c],
					      .capacity = s->capacity[c]};
	return 0;
}
