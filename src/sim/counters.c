/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters.c - names of the counters, and results.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/engine.h"

static const struct {
	const char *name, *doc;
} counters[NR_COUNTERS] = {
#define COUNTER(name, doc) [CNT_##name] = { #name, doc },
#include "sim/counters.def"
#undef COUNTER
};

const char *counter_name(enum counter c)
{
	return counters[c].name;
}

const char *counter_doc(enum counter c)
{
	return counters[c].doc;
}

int result_add(struct result *r, const char *name, const char *unit, bool higher_is_better,
	       double value)
{
	struct metric *m;

	if (r->nr_metrics == MAX_METRICS)
		return -ENOSPC;
	m = &r->metric[r->nr_metrics++];
	snprintf(m->name, sizeof(m->name), "%s", name);
	snprintf(m->unit, sizeof(m->unit), "%s", unit);
	m->higher_is_better = higher_is_better;
	m->value = value;
	return 0;
}

void sim_counters(const struct sim *sim, struct result *r)
{
	memcpy(r->counter, sim->counter, sizeof(r->counter));
	r->simulated_ns = sim->now - sim->start;
	r->seed = sim->p.seed;
}
