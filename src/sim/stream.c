/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stream.c - work that is moving bytes: STREAM and TOUCH.
 *
 * Where the pages are is looked up whenever the stream starts or goes on, so
 * that a task that was moved to another node pays for it from then on. Ranges
 * that fit a last level cache together are served from there, if the whole of
 * their regions could be in the caches: the first and the last thread to go over
 * its part of a large array are alone there for a while, and find nothing.
 */
#include "sim/engine.h"

/* A task that is moved while it touches memory places the next pages where it is. */
#define TOUCH_CHUNK (4ULL << 20)

struct sim_region *sim_region_new(struct sim *sim, u64 bytes, struct err *err)
{
	return memory_region(sim->mem, bytes, err);
}

void sim_region_bind(struct sim_region *r, const u64 *nodes)
{
	memory_bind(r, nodes);
}

u64 sim_region_node_bytes(const struct sim_region *r, int node)
{
	return memory_region_node_bytes(r, node);
}

static int node_of(const struct sim *sim, int cpu)
{
	return sim->topo->cpu[cpu].node;
}

/* node shares of all pieces together, by their traffic; sums to 1000 */
static void node_shares(struct sim *sim, const struct sim_step *st, int node, u64 total)
{
	u32 *sum = sim->permille, most = 0;
	s32 rest = 1000;

	for (int n = 0; n < sim->topo->nr_nodes; n++)
		sum[n] = 0;
	for (int i = 0; i < st->nr_pieces; i++) {
		const struct sim_piece *p = &st->piece[i];
		u64 traffic = p->read_bytes + p->write_bytes;

		if (!traffic)
			continue;
		memory_nodes(sim->mem, p->region, p->offset, p->bytes, node, sim->piece_permille);
		for (int n = 0; n < sim->topo->nr_nodes; n++)
			sum[n] += (u32)((u128)sim->piece_permille[n] * traffic / total);
	}
	for (int n = 0; n < sim->topo->nr_nodes; n++) {
		rest -= (s32)sum[n];
		if (sum[n] > sum[most])
			most = n;
	}
	sum[most] += rest;
}

void stream_start(struct sim *sim, struct sim_cpu *c, u64 left)
{
	struct sim_task *t = c->curr;
	const struct stream *s = &t->stream;
	u64 total = s->read + s->write;
	int llc = sim->topo->cpu[c->id].llc;
	struct traffic tr;

	node_shares(sim, &t->step, node_of(sim, c->id), total);
	c->stream_bytes = s->range;
	sim->llc_streams[llc] += s->range;
	tr.read_bytes = (u64)((u128)left * s->read / total);
	tr.write_bytes = left - tr.read_bytes;
	tr.in_llc = sim->llc_streams[llc] <= sim->m->llc_bytes &&
		    s->whole <= sim->m->llc_bytes * sim->topo->nr_llcs;
	tr.node_permille = sim->permille;
	rates_start(sim->rates, sim->now, c->id, ACT_STREAM, 0, &tr);
}

void stream_stop(struct sim *sim, struct sim_cpu *c)
{
	sim->llc_streams[sim->topo->cpu[c->id].llc] -= c->stream_bytes;
	c->stream_bytes = 0;
}

static bool begin(struct sim *sim, struct sim_cpu *c, struct sim_task *t, cpu_fn then)
{
	struct stream *s = &t->stream;
	struct frame f = { .kind = FRAME_STREAM, .mode = CPU_USER, .fn = then };

	s->read = s->write = s->range = s->whole = 0;
	for (int i = 0; i < t->step.nr_pieces; i++) {
		const struct sim_piece *p = &t->step.piece[i];

		s->read += p->read_bytes;
		s->write += p->write_bytes;
		s->whole += memory_region_bytes(p->region);
		/* TOUCH goes in chunks, but on and on through the caches */
		s->range += t->step.op == SIM_TOUCH ? memory_region_bytes(p->region) : p->bytes;
		if (p->write_bytes)
			memory_touch(sim->mem, p->region, p->offset, p->bytes, node_of(sim, c->id));
	}
	f.left = s->read + s->write;
	if (!f.left)
		return true;
	frame_start(sim, c, &f);
	return false;
}

bool step_stream(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	return begin(sim, c, t, step_next);
}

/* ---- first touch ---- */

static bool touch_chunk(struct sim *sim, struct sim_cpu *c, struct sim_task *t);

static void touched(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;

	t->step.piece[0].offset += t->step.piece[0].bytes;
	if (touch_chunk(sim, c, t))
		step_next(sim, c);
}

static bool touch_chunk(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct sim_piece *p = &t->step.piece[0];

	p->bytes = p->write_bytes = min(t->stream.touch_left, TOUCH_CHUNK);
	t->stream.touch_left -= p->bytes;
	return begin(sim, c, t, touched);
}

bool step_touch(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	t->step.nr_pieces = 1;
	t->step.piece[0].read_bytes = 0;
	t->stream.touch_left = t->step.piece[0].bytes;
	return touch_chunk(sim, c, t);
}
