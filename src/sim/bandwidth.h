/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bandwidth.h - who gets how much of the memory system.
 *
 * Each CPU that streams is a flow. A flow loads resources - its core, the read
 * and write side of its LLC, the channels of the nodes its pages are on, the
 * links on the way there - each in proportion to its rate. Rates are max-min
 * fair: nobody can get more without taking from somebody who has no more than
 * he (spec 13 §4). They are found by progressive filling: all rates rise
 * together, and a flow stops rising when one of its resources is full.
 *
 * Only the connected part of the system in which something changed is solved
 * again. A rate is an integer in 2^-BW_SHIFT bytes per ns.
 */
#ifndef IDLEST_SIM_BANDWIDTH_H
#define IDLEST_SIM_BANDWIDTH_H

#include "base/arena.h"
#include "machine/machine.h"
#include "sim/rates.h"

#define BW_SHIFT 20
/* The rate of a flow that meets no known limit: 1 TB/s. */
#define BW_UNLIMITED ((u32)(1000 << BW_SHIFT))

struct bandwidth;

/** bandwidth_new() - no flow yet; NULL: out of memory */
struct bandwidth *bandwidth_new(struct arena *arena, const struct machine *m);

/**
 * bandwidth_add() - @cpu, which has no flow, streams from now on
 *
 * Return: 0 or -ENOMEM.
 */
int bandwidth_add(struct bandwidth *bw, int cpu, const struct traffic *t);
void bandwidth_del(struct bandwidth *bw, int cpu);

/**
 * bandwidth_solve() - rates as of all additions and removals since the last call
 *
 * Return: number of flows whose rate changed; bandwidth_changed() has their CPUs.
 */
int bandwidth_solve(struct bandwidth *bw);
const int *bandwidth_changed(const struct bandwidth *bw);

/** bandwidth_rate() - of the flow of @cpu as of the last solve; new ones have 0 */
u32 bandwidth_rate(const struct bandwidth *bw, int cpu);

/**
 * bandwidth_check() - recompute that no resource is overloaded and that every
 * flow has a full one on which nobody has more than it: the definition of fair
 *
 * Return: 0, or -EINVAL with the resource or flow in @err.
 */
int bandwidth_check(const struct bandwidth *bw, struct err *err);

#endif
