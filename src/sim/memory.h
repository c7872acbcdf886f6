/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory.h - where pages are, and how warm a cache is.
 */
#ifndef IDLEST_SIM_MEMORY_H
#define IDLEST_SIM_MEMORY_H

#include "base/arena.h"
#include "base/err.h"
#include "machine/machine.h"

struct memory;	/* all regions of a run; keeps how much of each node is taken */
struct sim_region;

struct memory *memory_new(struct arena *arena, const struct machine *m);

/** memory_region() - NULL with @err filled if the machine hasn't @bytes left in all */
struct sim_region *memory_region(struct memory *mem, u64 bytes, struct err *err);

/**
 * memory_touch() - place what isn't placed yet of [@offset, @offset + @bytes)
 * @node: of the CPU that touches; a full node spills to the nearest one with room
 *	  by SLIT, of equally near ones to the lowest number
 *
 * Whole pages are placed; what lies beyond the region is ignored.
 * Return: bytes placed now.
 */
u64 memory_touch(struct memory *mem, struct sim_region *r, u64 offset, u64 bytes, int node);

/**
 * memory_bind() - place what isn't placed yet on one of @nodes (set_mempolicy's MPOL_BIND)
 * @nodes: a set that stays as it is, kept by reference; NULL: wherever it is touched
 *
 * Takes the one nearest to the CPU that touches; with all of them full, any node.
 */
void memory_bind(struct sim_region *r, const u64 *nodes);

/**
 * memory_nodes() - where the pages of a range are
 * @permille: [nr_nodes], sums to 1000 (not yet placed ones count as on @node)
 */
void memory_nodes(const struct memory *mem, const struct sim_region *r, u64 offset, u64 bytes,
		  int node, u32 *permille);

/** memory_region_bytes() - size as asked for; _node_bytes(): what is placed on @node */
u64 memory_region_bytes(const struct sim_region *r);
u64 memory_region_node_bytes(const struct sim_region *r, int node);

/**
 * memory_refill_ns() - what a task loses to cold caches by coming to @cpu
 * @from: CPU whose caches hold its working set
 * @footprint: bytes of working set
 *
 * Spec 13 §8: nothing on the same core, L2 within an LLC, everything beyond.
 */
u64 memory_refill_ns(const struct machine *m, int from, int cpu, u64 footprint);

/**
 * memory_chill_ns() - what a task loses by coming back to its own CPU after others ran there
 * @footprint: bytes of its working set
 * @touched: bytes of cache that others have used there meanwhile
 *
 * Spec 13 §8: of what lay in the L2, exp(-touched / L2 size) is still there;
 * the rest comes from the LLC.
 */
u64 memory_chill_ns(const struct machine *m, int cpu, u64 footprint, u64 touched);

#endif
