/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeline.h - what is done to a machine: CPUs isolated from the start, and changes during a run.
 *
 *	--isolcpus 8-15
 *	--event 100ms:cpu_down:2,3 --event 200ms:cpu_up:2,3 --event 50ms:affinity:worker:0-3
 */
#ifndef IDLEST_EXPERIMENT_TIMELINE_H
#define IDLEST_EXPERIMENT_TIMELINE_H

#include "base/err.h"
#include "sim/sim.h"

#define TIMELINE_MAX 256 /* words */

/* As given by the user. */
struct timeline_spec {
	const char *isolcpus; /* CPU list; NULL: none */
	const char *at[TIMELINE_MAX];
	int nr;
};

struct timeline; /* the same for one machine */

/**
 * timeline_new() - read @spec for a machine of @nr_cpus CPUs
 *
 * Return: 0, or a negative errno with the option, the part that is wrong and what is expected.
 */
int timeline_new(const struct timeline_spec *spec, int nr_cpus, struct timeline **out,
		 struct err *err);
void timeline_free(struct timeline *t);
/** timeline_apply() - a run with @p, which keeps references into @t, has the changes of @t */
void timeline_apply(const struct timeline *t, struct sim_params *p);

#endif
