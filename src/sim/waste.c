// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "sim/waste.h"

/* How many situations there are at the moment, and since when each: the last to begin ends first. */
struct stack {
	u64 *since;
	int nr;
	u8 level; /* enum topo_distance */
};

/* CPUs that are at most so far from each other. What it can't match goes to its parent. */
struct node {
	struct stack matched;
	int waiting, idle; /* that nothing smaller could match */
	int parent;	   /* -1: the whole machine */
};

struct waste {
	struct node *node;
	int nr_nodes;
	int *of_cpu;	/* the smallest node of each CPU; -1: the machine has one CPU */
	int left_idle;	/* that the whole machine can't match, or that are isolated */
	struct stack restricted[NR_DISTANCES];
	bool has_restricted;
	struct result_waste sum;
};

/* ---- how long ---- */

static int bucket(u64 ns)
{
	int b = 0;

	for (u64 limit = WASTE_FIRST_NS; b < NR_WASTE_BUCKETS - 1 && ns >= limit; limit *= 10)
		b++;
	return b;
}

static void add(struct result_waste *r, int level, u64 ns)
{
	struct result_lasted *l = &r->lasted[level][bucket(ns)];

	if (!ns)
		return;
	l->n++;
	l->ns += ns;
	r->ns[level] += ns;
}

static void set(struct waste *w, struct stack *s, u64 now, int nr)
{
	while (s->nr < nr)
		s->since[s->nr++] = now;
	while (s->nr > nr)
		add(&w->sum, s->level, now - s->since[--s->nr]);
}

/* ---- matching ---- */

static void change(struct waste *w, u64 now, int cpu, int waiting, int idle)
{
	for (int i = w->of_cpu[cpu]; i >= 0; i = w->node[i].parent) {
		struct node *n = &w->node[i];
		int before = n->matched.nr;

		n->waiting += waiting;
		n->idle += idle;
		set(w, &n->matched, now, min(n->waiting, n->idle));
		waiting -= n->matched.nr - before;
		idle -= n->matched.nr - before;
		if (!waiting && !idle)
			return;
	}
	w->left_idle += idle;
}

void waste_idle(struct waste *w, u64 now, int cpu, int by)
{
	change(w, now, cpu, 0, by);
}

void waste_idle_isolated(struct waste *w, int by)
{
	w->left_idle += by;
}

void waste_wait(struct waste *w, u64 now, int cpu, int by)
{
	change(w, now, cpu, by, 0);
}

void waste_restricted(struct waste *w, u64 from, const int *near)
{
	int left = w->left_idle;

	w->has_restricted = false;
	for (int d = 0; d < NR_DISTANCES; d++) {
		int nr = min(near[d], left);

		set(w, &w->restricted[d], from, nr);
		left -= nr;
		w->has_restricted |= nr > 0;
	}
}

bool waste_has_restricted(const struct waste *w)
{
	return w->has_restricted;
}

int waste_left_idle(const struct waste *w)
{
	return w->left_idle;
}

static void add_open(struct result_waste *r, const struct stack *s, u64 now)
{
	for (int i = 0; i < s->nr; i++)
		add(r, s->level, now - s->since[i]);
}

void waste_result(const struct waste *w, u64 now, struct result_waste *r)
{
	*r = w->sum;
	for (int i = 0; i < w->nr_nodes; i++)
		add_open(r, &w->node[i].matched, now);
	for (int d = 0; d < NR_DISTANCES; d++)
		add_open(r, &w->restricted[d], now);
}

/* ---- the tree ---- */

/* what CPUs at most @d from each other have in common; -1: this one has nothing of the kind */
static int key_of(const struct topo_cpu *c, enum topo_distance d)
{
	switch (d) {
	case DIST_SMT:
		return c->core;
	case DIST_CLUSTER:
		return c->cluster;
	case DIST_LLC:
		return c->llc;
	case DIST_NODE:
		return c->node;
	case DIST_PACKAGE:
		return c->package;
	default:
		return 0;
	}
}

static int nr_keys(const struct sched_topology *t)
{
	int n = max(max(t->nr_cpus, t->nr_cores), max(t->nr_clusters, t->nr_llcs));

	return max(n, max(t->nr_packages, t->nr_nodes));
}

struct builder {
	const struct sched_topology *topo;
	struct arena *arena;
	int *group;	/* [nr_cpus] union-find: CPUs at most so far apart */
	int *size;	/* [nr_cpus] of the group that a CPU stands for */
	int *node_of;	/* [nr_cpus] its node at this level; -1: none */
	int *top;	/* [nr_cpus] the largest node around a CPU so far; -1: none */
	int *around;	/* [nr_cpus] CPUs of that one */
	int *first;	/* [nr_keys()] the first CPU with this key */
};

static int find(int *group, int cpu)
{
	while (group[cpu] != cpu)
		cpu = group[cpu] = group[group[cpu]];
	return cpu;
}

/* Groups stay nested, even where a cache is shared by two nodes. */
static void join(struct builder *b, enum topo_distance d)
{
	int nr_cpus = b->topo->nr_cpus;

	memset(b->first, 0xff, nr_keys(b->topo) * sizeof(*b->first));
	memset(b->size, 0, nr_cpus * sizeof(*b->size));
	for (int c = 0; c < nr_cpus; c++) {
		int key = key_of(&b->topo->cpu[c], d);

		if (key >= 0 && b->first[key] < 0)
			b->first[key] = c;
		else if (key >= 0)
			b->group[find(b->group, c)] = find(b->group, b->first[key]);
	}
	for (int c = 0; c < nr_cpus; c++)
		b->size[find(b->group, c)]++;
}

static int new_node(struct waste *w, struct builder *b, enum topo_distance d, int size)
{
	struct node *n = &w->node[w->nr_nodes];

	n->matched.level = d;
	n->matched.since = arena_array(b->arena, size, sizeof(u64));
	n->parent = -1;
	return n->matched.since ? w->nr_nodes++ : -1;
}

/* nodes for the groups that grew at this level */
static bool add_level(struct waste *w, struct builder *b, enum topo_distance d)
{
	join(b, d);
	memset(b->node_of, 0xff, b->topo->nr_cpus * sizeof(*b->node_of));
	for (int c = 0; c < b->topo->nr_cpus; c++) {
		int g = find(b->group, c), *node = &b->node_of[g];

		if (b->size[g] == b->around[c])
			continue;
		if (*node < 0)
			*node = new_node(w, b, d, b->size[g]);
		if (*node < 0)
			return false;
		*(b->top[c] < 0 ? &w->of_cpu[c] : &w->node[b->top[c]].parent) = *node;
		b->top[c] = *node;
		b->around[c] = b->size[g];
	}
	return true;
}

static bool build(struct waste *w, struct builder *b)
{
	int nr_cpus = b->topo->nr_cpus;
	int **arrays[] = {&b->group, &b->size, &b->node_of, &b->top, &b->around, &w->of_cpu};

	b->first = arena_array(b->arena, nr_keys(b->topo), sizeof(int));
	w->node = arena_array(b->arena, nr_cpus, sizeof(*w->node));
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++)
		*arrays[i] = arena_array(b->arena, nr_cpus, sizeof(int));
	if (!b->first || !w->node || !b->group || !b->size || !b->node_of || !b->top ||
	    !b->around || !w->of_cpu)
		return false;
	for (int c = 0; c < nr_cpus; c++) {
		b->group[c] = c;
		b->around[c] = 1;
		b->top[c] = w->of_cpu[c] = -1;
	}
	for (int d = DIST_SMT; d < NR_DISTANCES; d++)
		if (!add_level(w, b, d))
			return false;
	return true;
}

struct waste *waste_new(struct arena *arena, const struct sched_topology *topo)
{
	struct waste *w = arena_alloc(arena, sizeof(*w));
	struct builder b = {.topo = topo, .arena = arena};

	if (!w || !build(w, &b))
		return NULL;
	w->sum.measured = true;
	for (int d = 0; d < NR_DISTANCES; d++) {
		w->restricted[d].level = d;
		w->restricted[d].since = arena_array(arena, topo->nr_cpus, sizeof(u64));
		if (!w->restricted[d].since)
			return NULL;
	}
	for (int i = 0; i < w->nr_nodes; i++)
		w->sum.level[w->node[i].matched.level] = true;
	return w;
}
