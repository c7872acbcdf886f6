// SPDX-License-Identifier: BSD-2-Clause
/*
 * bandwidth.c - max-min fair rates by progressive filling, solved by component.
 *
 * Resources and flows form a graph: a flow is joined to the resources that it
 * loads. What happens in one connected component of it says nothing about
 * another, so an addition or a removal marks the resources it touches, and a
 * solve walks from the marked ones.
 *
 * Inside a component no order matters: all resources that fill at one level
 * freeze their flows together, so the result depends on the set of flows only.
 */
#include "sim/bandwidth.h"

#include <errno.h>

#define COEF_SHIFT 16	/* of a flow's load on a resource per unit of its rate */
#define COEF_ONE   (1u << COEF_SHIFT)

/* One flow on one resource, on the resource's list of users. */
struct use {
	u32 coef;
	int res;
	int flow;
	struct use *next, **link;
};

struct resource {
	u64 cap;	/* 2^-BW_SHIFT bytes per ns; 0: no limit known */
	struct use *users;
	bool marked;	/* users changed since the last solve */
	u64 seen;	/* number of the solve that reached it */
	/* while solving */
	u64 room;	/* what frozen flows leave, times COEF_ONE */
	u64 load;	/* sum of the coefficients of the others */
};

struct flow {
	struct use *use; /* [nr_use], room for max_use */
	int nr_use;
	u32 rate;
	u32 next_rate;	/* while solving; 0: not frozen yet */
	u64 seen;
	bool active;
	bool loose;	/* is on that list */
};

struct bandwidth {
	struct arena *arena;
	const struct machine *m;
	struct resource *res;
	struct flow *flow;	/* [nr_cpus] */
	int nr_res, max_use;
	/* first resource of each kind; see add_uses() */
	int core, core_write, core_llc, llc_read, llc_write, llc_mixed, node, link, node_link;
	bool *smt;		/* [core] has more than one thread */
	int *package_of;	/* [node]; -1: no CPU there */
	int *marked;
	int nr_marked;
	int *loose;		/* new flows that load nothing with a known limit */
	int nr_loose;
	u64 solve;		/* number of the current solve */
	int *comp_res, *comp_flow; /* component being solved */
	int nr_comp_res, nr_comp_flow;
	int *changed;
	int nr_changed;
};

static int add_kind(struct bandwidth *bw, int n, u64 bytes_per_s, bool fill)
{
	int first = bw->nr_res;

	bw->nr_res += n;
	for (int i = first; fill && i < bw->nr_res; i++) {
		bw->res[i].cap = (u64)(((u128)bytes_per_s << BW_SHIFT) / NSEC_PER_SEC);
		if (bytes_per_s && !bw->res[i].cap)
			bw->res[i].cap = 1;
	}
	return first;
}

/* Number the resources; with @fill, set their capacities too. */
static void add_resources(struct bandwidth *bw, bool fill)
{
	const struct sched_topology *t = &bw->m->topo;
	const struct machine_bandwidth *b = &bw->m->bw;

	bw->nr_res = 0;
	bw->core = add_kind(bw, t->nr_cores, b->core, fill);
	bw->core_write = add_kind(bw, t->nr_cores, b->core_write, fill);
	bw->core_llc = add_kind(bw, t->nr_cores, b->core_llc, fill);
	bw->llc_read = add_kind(bw, t->nr_llcs, b->llc_read, fill);
	bw->llc_write = add_kind(bw, t->nr_llcs, b->llc_write, fill);
	bw->llc_mixed = add_kind(bw, t->nr_llcs, b->llc_mixed, fill);
	bw->node = add_kind(bw, t->nr_nodes, b->node, fill);
	bw->link = add_kind(bw, t->nr_packages * t->nr_packages, b->link, fill);
	bw->node_link = add_kind(bw, t->nr_nodes * t->nr_nodes, b->node_link, fill);
}

struct bandwidth *bandwidth_new(struct arena *arena, const struct machine *m)
{
	const struct sched_topology *t = &m->topo;
	struct bandwidth *bw = arena_alloc(arena, sizeof(*bw));
	int *threads = arena_array(arena, t->nr_cores, sizeof(*threads));

	if (!bw || !threads)
		return NULL;
	bw->arena = arena;
	bw->m = m;
	add_resources(bw, false);
	bw->res = arena_array(arena, bw->nr_res, sizeof(*bw->res));
	bw->flow = arena_array(arena, t->nr_cpus, sizeof(*bw->flow));
	bw->smt = arena_array(arena, t->nr_cores, sizeof(*bw->smt));
	bw->marked = arena_array(arena, bw->nr_res, sizeof(*bw->marked));
	bw->loose = arena_array(arena, t->nr_cpus, sizeof(*bw->loose));
	bw->package_of = arena_array(arena, t->nr_nodes, sizeof(*bw->package_of));
	bw->comp_res = arena_array(arena, bw->nr_res, sizeof(*bw->comp_res));
	bw->comp_flow = arena_array(arena, t->nr_cpus, sizeof(*bw->comp_flow));
	bw->changed = arena_array(arena, t->nr_cpus, sizeof(*bw->changed));
	if (!bw->res || !bw->flow || !bw->smt || !bw->marked || !bw->loose || !bw->package_of ||
	    !bw->comp_res || !bw->comp_flow || !bw->changed)
		return NULL;
	add_resources(bw, true);
	for (int n = 0; n < t->nr_nodes; n++)
		bw->package_of[n] = -1;
	for (int c = 0; c < t->nr_cpus; c++) {
		bw->smt[t->cpu[c].core] = ++threads[t->cpu[c].core] > 1;
		bw->package_of[t->cpu[c].node] = t->cpu[c].package;
	}
	/* three of the core, three of the LLC, of each node its channels and a link both ways */
	bw->max_use = 6 + 3 * t->nr_nodes;
	return bw;
}

static void mark(struct bandwidth *bw, int res)
{
	struct resource *r = &bw->res[res];

	if (!r->marked) {
		r->marked = true;
		bw->marked[bw->nr_marked++] = res;
	}
}

/* Flow @f loads resource @res with @num / @den of its rate. */
static void add_use(struct bandwidth *bw, struct flow *f, int res, u64 num, u64 den)
{
	u32 coef = (u32)(((u128)num * COEF_ONE + den / 2) / den);
	struct resource *r = &bw->res[res];
	struct use *u;

	if (!coef || !r->cap)
		return;
	for (int i = 0; i < f->nr_use; i++) {
		if (f->use[i].res == res) {
			f->use[i].coef += coef;
			return;
		}
	}
	u = &f->use[f->nr_use++];
	u->coef = coef;
	u->res = res;
	u->flow = (int)(f - bw->flow);
	u->next = r->users;
	u->link = &r->users;
	if (u->next)
		u->next->link = &u->next;
	r->users = u;
	mark(bw, res);
}

/* The link that carries what goes from node @a to node @b; -1: they are one. */
static int link_between(const struct bandwidth *bw, int pa, int a, int pb, int b)
{
	if (pa != pb)
		return bw->link + pa * bw->m->topo.nr_packages + pb;
	if (a != b)
		return bw->node_link + a * bw->m->topo.nr_nodes + b;
	return -1;
}

static void add_memory_uses(struct bandwidth *bw, struct flow *f, const struct topo_cpu *at,
			    const struct traffic *t, u64 total)
{
	const struct sched_topology *topo = &bw->m->topo;

	for (int n = 0; n < topo->nr_nodes; n++) {
		u64 share = t->node_permille[n];
		int home, there, back;

		if (!share)
			continue;
		add_use(bw, f, bw->node + n, share, 1000);
		/* memory without CPUs: taken as next to whoever reads it */
		home = bw->package_of[n] >= 0 ? bw->package_of[n] : at->package;
		there = link_between(bw, at->package, at->node, home, n);
		back = link_between(bw, home, n, at->package, at->node);
		if (there < 0)
			continue;
		add_use(bw, f, back, share * t->read_bytes, 1000 * total);
		add_use(bw, f, there, share * t->write_bytes, 1000 * total);
	}
}

int bandwidth_add(struct bandwidth *bw, int cpu, const struct traffic *t)
{
	const struct topo_cpu *at = &bw->m->topo.cpu[cpu];
	struct flow *f = &bw->flow[cpu];
	u64 total = max(t->read_bytes + t->write_bytes, (u64)1);
	bool in_llc = t->in_llc && bw->res[bw->core_llc + at->core].cap;

	if (!f->use) {
		f->use = arena_array(bw->arena, bw->max_use, sizeof(*f->use));
		if (!f->use)
			return -ENOMEM;
	}
	f->rate = 0;
	f->nr_use = 0;
	/* Misses of a core share its line buffers; hits and misses its way to the LLC. */
	if (!in_llc)
		add_use(bw, f, bw->core + at->core, 1, 1);
	if (!t->in_llc)
		add_use(bw, f, bw->core_write + at->core, t->write_bytes, total);
	if (in_llc || bw->smt[at->core])
		add_use(bw, f, bw->core_llc + at->core, 1, 1);
	if (!t->in_llc) {
		add_use(bw, f, bw->llc_read + at->llc, t->read_bytes, total);
		add_use(bw, f, bw->llc_write + at->llc, t->write_bytes, total);
		add_use(bw, f, bw->llc_mixed + at->llc, 1, 1);
		add_memory_uses(bw, f, at, t, total);
	}
	if (!f->nr_use && !f->loose) {
		f->loose = true;
		bw->loose[bw->nr_loose++] = cpu;
	}
	f->active = true;
	return 0;
}

void bandwidth_del(struct bandwidth *bw, int cpu)
{
	struct flow *f = &bw->flow[cpu];

	for (int i = 0; i < f->nr_use; i++) {
		struct use *u = &f->use[i];

		*u->link = u->next;
		if (u->next)
			u->next->link = u->link;
		mark(bw, u->res);
	}
	f->nr_use = 0;
	f->rate = 0;
	f->active = false;
}

static void reach_res(struct bandwidth *bw, int res)
{
	struct resource *r = &bw->res[res];

	if (r->seen != bw->solve) {
		r->seen = bw->solve;
		bw->comp_res[bw->nr_comp_res++] = res;
	}
}

/* Everything connected to resource @res. */
static void find_component(struct bandwidth *bw, int res)
{
	bw->nr_comp_res = bw->nr_comp_flow = 0;
	reach_res(bw, res);
	for (int i = 0; i < bw->nr_comp_res; i++) {
		struct resource *r = &bw->res[bw->comp_res[i]];

		r->room = r->cap << COEF_SHIFT;
		r->load = 0;
		for (struct use *u = r->users; u; u = u->next) {
			struct flow *f = &bw->flow[u->flow];

			r->load += u->coef;
			if (f->seen == bw->solve)
				continue;
			f->seen = bw->solve;
			f->next_rate = 0;
			bw->comp_flow[bw->nr_comp_flow++] = u->flow;
			for (int k = 0; k < f->nr_use; k++)
				reach_res(bw, f->use[k].res);
		}
	}
}

static void freeze(struct bandwidth *bw, struct flow *f, u32 level)
{
	f->next_rate = level;
	for (int i = 0; i < f->nr_use; i++) {
		struct resource *r = &bw->res[f->use[i].res];
		u64 taken = (u64)f->use[i].coef * level;

		r->load -= f->use[i].coef;
		r->room -= min(taken, r->room);
	}
}

/*
 * The level at which the next resources fill, after dropping those that have
 * no rising flow any more. @full: set to how many of comp_res fill there; they
 * are moved to its front.
 */
static u32 next_level(struct bandwidth *bw, int *full)
{
	u64 level = BW_UNLIMITED;
	int n = 0;

	*full = 0;
	for (int i = 0; i < bw->nr_comp_res; i++) {
		int res = bw->comp_res[i];
		struct resource *r = &bw->res[res];
		u64 l;

		if (!r->load)
			continue;
		bw->comp_res[n] = res;
		l = r->room / r->load;
		if (l < level) {
			level = l;
			*full = 0;
		}
		if (l == level) {
			bw->comp_res[n] = bw->comp_res[*full];
			bw->comp_res[(*full)++] = res;
		}
		n++;
	}
	bw->nr_comp_res = n;
	return max(level, (u64)1);
}

static void fill_component(struct bandwidth *bw)
{
	int full;

	for (;;) {
		u32 level = next_level(bw, &full);

		if (!bw->nr_comp_res)
			break;
		if (!full) { /* nothing limits the rest */
			for (int i = 0; i < bw->nr_comp_flow; i++)
				if (!bw->flow[bw->comp_flow[i]].next_rate)
					freeze(bw, &bw->flow[bw->comp_flow[i]], level);
			break;
		}
		for (int i = 0; i < full; i++)
			for (struct use *u = bw->res[bw->comp_res[i]].users; u; u = u->next)
				if (!bw->flow[u->flow].next_rate)
					freeze(bw, &bw->flow[u->flow], level);
	}
	for (int i = 0; i < bw->nr_comp_flow; i++) {
		struct flow *f = &bw->flow[bw->comp_flow[i]];

		if (f->rate != f->next_rate) {
			f->rate = f->next_rate;
			bw->changed[bw->nr_changed++] = bw->comp_flow[i];
		}
	}
}

int bandwidth_solve(struct bandwidth *bw)
{
	bw->solve++;
	bw->nr_changed = 0;
	for (int i = 0; i < bw->nr_loose; i++) {
		struct flow *f = &bw->flow[bw->loose[i]];

		f->loose = false;
		if (f->active && !f->nr_use) {
			f->rate = BW_UNLIMITED;
			bw->changed[bw->nr_changed++] = bw->loose[i];
		}
	}
	bw->nr_loose = 0;
	for (int i = 0; i < bw->nr_marked; i++) {
		bw->res[bw->marked[i]].marked = false;
		if (bw->res[bw->marked[i]].seen == bw->solve)
			continue;
		find_component(bw, bw->marked[i]);
		fill_component(bw);
	}
	bw->nr_marked = 0;
	return bw->nr_changed;
}

const int *bandwidth_changed(const struct bandwidth *bw)
{
	return bw->changed;
}

u32 bandwidth_rate(const struct bandwidth *bw, int cpu)
{
	return bw->flow[cpu].rate;
}

/*
 * Rounding: each flow is within one unit below its fair level, and a
 * coefficient within half of 2^-COEF_SHIFT.
 */
int bandwidth_check(const struct bandwidth *bw, struct err *err)
{
	for (int c = 0; c < bw->m->topo.nr_cpus; c++) {
		const struct flow *f = &bw->flow[c];
		bool bound = !f->nr_use || f->rate == BW_UNLIMITED;

		for (int i = 0; i < f->nr_use; i++) {
			const struct resource *r = &bw->res[f->use[i].res];
			u64 used = 0, load = 0;
			u32 most = 0;

			for (const struct use *u = r->users; u; u = u->next) {
				used += (u64)u->coef * bw->flow[u->flow].rate;
				load += u->coef;
				most = max(most, bw->flow[u->flow].rate);
			}
			/* a flow that got nothing still goes on at the smallest rate */
			if (used > (r->cap << COEF_SHIFT) + load)
				return err_set(err, -EINVAL, "resource %d has %llu of %llu used",
					       f->use[i].res,
					       (unsigned long long)(used >> COEF_SHIFT),
					       (unsigned long long)r->cap);
			if (used + 2 * load > r->cap << COEF_SHIFT && f->rate + 2 >= most)
				bound = true;
		}
		if (!bound)
			return err_set(err, -EINVAL, "cpu %d could have more than %u", c, f->rate);
	}
	return 0;
}
