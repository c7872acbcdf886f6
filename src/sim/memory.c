// SPDX-License-Identifier: BSD-2-Clause
/*
 * memory.c - pages placed by first touch, and what cold caches cost.
 *
 * A region keeps runs of pages that lie on one node, sorted and merged: an
 * array that n threads initialise slice by slice is n runs, whatever its size.
 */
#include "sim/memory.h"

#include <errno.h>
#include <string.h>

#include "base/cpumask.h"

#define PAGE_SHIFT 12
#define LINE_BYTES 64

struct run {
	u64 first, end;	/* pages [first, end) */
	int node;
};

struct sim_region {
	u64 bytes;
	u64 nr_pages;
	struct run *run; /* ascending, disjoint; neighbours on one node are one run */
	size_t nr_runs, max_runs;
	u64 *node_pages; /* [nr_nodes] */
	const u64 *bind; /* nodes for what isn't placed yet; NULL: any */
};

struct memory {
	struct arena *arena;
	const struct machine *m;
	u64 node_pages;	/* of each node; 0: no limit known */
	u64 promised;	/* pages of all regions */
	u64 *used;	/* [nr_nodes] pages taken */
	int *near;	/* [nr_nodes * nr_nodes]: for each node all of them, nearest first */
};

/* Insertion sort by SLIT; equal ones stay in ascending order, the node itself first. */
static void sort_near(const struct sched_topology *t, int node, int *order)
{
	for (int n = 0; n < t->nr_nodes; n++) {
		int d = n == node ? 0 : t->distance[node * t->nr_nodes + n], i = n;

		for (; i > 0; i--) {
			int o = order[i - 1];

			if ((o == node ? 0 : t->distance[node * t->nr_nodes + o]) <= d)
				break;
			order[i] = o;
		}
		order[i] = n;
	}
}

struct memory *memory_new(struct arena *arena, const struct machine *m)
{
	int nr = m->topo.nr_nodes;
	struct memory *mem = arena_alloc(arena, sizeof(*mem));

	if (!mem)
		return NULL;
	mem->arena = arena;
	mem->m = m;
	mem->node_pages = m->node_bytes >> PAGE_SHIFT;
	mem->used = arena_array(arena, nr, sizeof(*mem->used));
	mem->near = arena_array(arena, (size_t)nr * nr, sizeof(*mem->near));
	if (!mem->used || !mem->near)
		return NULL;
	for (int n = 0; n < nr; n++)
		sort_near(&m->topo, n, mem->near + n * nr);
	return mem;
}

struct sim_region *memory_region(struct memory *mem, u64 bytes, struct err *err)
{
	int nr = mem->m->topo.nr_nodes;
	u64 pages = (bytes >> PAGE_SHIFT) + !!(bytes & ((1 << PAGE_SHIFT) - 1));
	u64 all = mem->node_pages * nr;
	struct sim_region *r;

	if (all && pages > all - mem->promised) {
		err_set(err, -ENOMEM,
			"%s has %llu MB of memory left of %llu MB, and %llu MB are asked for: "
			"make the data smaller or take a machine with more memory",
			mem->m->name, (unsigned long long)((all - mem->promised) >> 8),
			(unsigned long long)(all >> 8), (unsigned long long)(pages >> 8));
		return NULL;
	}
	r = arena_alloc(mem->arena, sizeof(*r));
	if (r)
		r->node_pages = arena_array(mem->arena, nr, sizeof(*r->node_pages));
	if (!r || !r->node_pages) {
		err_set(err, -ENOMEM, "out of memory");
		return NULL;
	}
	r->bytes = bytes;
	r->nr_pages = pages;
	mem->promised += pages;
	return r;
}

/* Index of the first run that ends after page @page. */
static size_t find_run(const struct sim_region *r, u64 page)
{
	size_t lo = 0, hi = r->nr_runs;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->run[mid].end > page)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static bool make_room(struct memory *mem, struct sim_region *r)
{
	size_t max = r->max_runs ? 2 * r->max_runs : 16;
	struct run *run;

	if (r->nr_runs < r->max_runs)
		return true;
	run = arena_array(mem->arena, max, sizeof(*run));
	if (!run)
		return false;
	if (r->nr_runs)
		memcpy(run, r->run, r->nr_runs * sizeof(*run));
	r->run = run;
	r->max_runs = max;
	return true;
}

/* Add the pages [@first, @end), of which none is placed, in front of run @i. */
static bool add_run(struct memory *mem, struct sim_region *r, size_t i, u64 first, u64 end,
		    int node)
{
	struct run *before = i > 0 ? &r->run[i - 1] : NULL;
	struct run *after = i < r->nr_runs ? &r->run[i] : NULL;
	bool left = before && before->end == first && before->node == node;
	bool right = after && after->first == end && after->node == node;

	if (left && right) {
		before->end = after->end;
		memmove(after, after + 1, (r->nr_runs - i - 1) * sizeof(*after));
		r->nr_runs--;
	} else if (left) {
		before->end = end;
	} else if (right) {
		after->first = first;
	} else {
		if (!make_room(mem, r))
			return false;
		memmove(&r->run[i + 1], &r->run[i], (r->nr_runs - i) * sizeof(*r->run));
		r->run[i] = (struct run){ first, end, node };
		r->nr_runs++;
	}
	mem->used[node] += end - first;
	r->node_pages[node] += end - first;
	return true;
}

/*
 * The nearest node to @node of those in @bind with a free page, and how many it
 * has; -1: all are full.
 */
static int node_with_room(const struct memory *mem, const u64 *bind, int node, u64 *room)
{
	int nr = mem->m->topo.nr_nodes;

	for (int i = 0; i < nr; i++) {
		int n = mem->near[node * nr + i];

		if (bind && !mask_test(bind, n))
			continue;
		*room = mem->node_pages ? mem->node_pages - mem->used[n] : UINT64_MAX;
		if (*room)
			return n;
	}
	return -1;
}

static bool clip(const struct sim_region *r, u64 offset, u64 bytes, u64 *first, u64 *end)
{
	if (offset >= r->bytes || !bytes)
		return false;
	bytes = min(bytes, r->bytes - offset);
	*first = offset >> PAGE_SHIFT;
	*end = ((offset + bytes - 1) >> PAGE_SHIFT) + 1;
	return true;
}

u64 memory_touch(struct memory *mem, struct sim_region *r, u64 offset, u64 bytes, int node)
{
	u64 page, end, placed = 0;

	if (!clip(r, offset, bytes, &page, &end))
		return 0;
	while (page < end) {
		size_t i = find_run(r, page);
		u64 stop = end, room;
		int n;

		if (i < r->nr_runs && r->run[i].first <= page) {
			page = r->run[i].end;
			continue;
		}
		if (i < r->nr_runs)
			stop = min(stop, r->run[i].first);
		n = node_with_room(mem, r->bind, node, &room);
		if (n < 0 && r->bind)
			n = node_with_room(mem, NULL, node, &room);
		if (n < 0)
			break;
		stop = min(stop, page + min(room, stop - page));
		if (!add_run(mem, r, i, page, stop, n))
			break;
		placed += stop - page;
		page = stop;
	}
	return placed << PAGE_SHIFT;
}

/* Shares of @total as permille that sum to 1000: what rounding leaves goes to the largest. */
static void to_permille(u32 *permille, const u64 *pages, u64 total, int nr)
{
	u32 sum = 0;
	int most = 0;

	for (int n = 0; n < nr; n++) {
		permille[n] = (u32)((u128)pages[n] * 1000 / total);
		sum += permille[n];
		if (pages[n] > pages[most])
			most = n;
	}
	permille[most] += 1000 - sum;
}

void memory_nodes(const struct memory *mem, const struct sim_region *r, u64 offset, u64 bytes,
		  int node, u32 *permille)
{
	int nr = mem->m->topo.nr_nodes;
	u64 pages[nr], first, end, placed = 0;

	if (!clip(r, offset, bytes, &first, &end)) {
		memset(permille, 0, nr * sizeof(*permille));
		permille[node] = 1000;
		return;
	}
	memset(pages, 0, sizeof(pages));
	for (size_t i = find_run(r, first); i < r->nr_runs && r->run[i].first < end; i++) {
		u64 n = min(end, r->run[i].end) - max(first, r->run[i].first);

		pages[r->run[i].node] += n;
		placed += n;
	}
	pages[node] += end - first - placed;
	to_permille(permille, pages, end - first, nr);
}

void memory_bind(struct sim_region *r, const u64 *nodes)
{
	r->bind = nodes;
}

u64 memory_region_bytes(const struct sim_region *r)
{
	return r->bytes;
}

u64 memory_region_node_bytes(const struct sim_region *r, int node)
{
	return r->node_pages[node] << PAGE_SHIFT;
}

static u64 lines_ns(const struct machine *m, u64 bytes, enum topo_distance d)
{
	u64 lines = (bytes + LINE_BYTES - 1) / LINE_BYTES;

	return lines * m->line_ns[d] / max(m->mlp, 1u);
}

u64 memory_refill_ns(const struct machine *m, int from, int cpu, u64 footprint)
{
	enum topo_distance d = topo_distance(&m->topo, from, cpu);

	if (d <= DIST_SMT)
		return 0;
	if (d == DIST_CLUSTER && m->topo.x86)
		return 0; /* they share the L2 */
	if (d <= DIST_LLC)
		return lines_ns(m, min(footprint, m->l2_bytes), d);
	return lines_ns(m, min(footprint, m->llc_bytes), d);
}

/* 2^16 * exp(-@num / @den) by squaring: exp(-x) = (1 - x / 1024)^1024 within x²/2048. */
static u64 exp_neg(u64 num, u64 den)
{
	u64 x, e;

	if (num >= 11 * den)
		return 0;
	x = (u64)(((u128)num << 22) / den); /* 2^32 * x / 1024 */
	e = (1ULL << 32) - x;
	for (int i = 0; i < 10; i++)
		e = (u64)(((u128)e * e) >> 32);
	return e >> 16;
}

u64 memory_chill_ns(const struct machine *m, int cpu, u64 footprint, u64 touched)
{
	u64 w = min(footprint, m->l2_bytes);

	if (!w)
		return 0;
	w -= (w * exp_neg(touched, m->l2_bytes)) >> 16;
	return lines_ns(m, w, DIST_LLC);
}
