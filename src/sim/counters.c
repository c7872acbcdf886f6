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

/* The end finds tasks running and waiting: that time is in no counter yet. */
static void count_unfinished(const struct sim *sim, u64 *counter)
{
	for (int i = 0; i < sim->nr_cpus; i++)
		if (sim->cpu[i].curr)
			counter[CNT_busy_ns] += sim->now - sim->cpu[i].curr->switched_in;
	for (u32 i = 0; i < sim->nr_slots; i++)
		if (sim->slot[i]->stage == STAGE_RUNNABLE)
			counter[CNT_wait_ns] += sim->now - sim->slot[i]->runnable_since;
}

void sim_counters(const struct sim *sim, struct result *r)
{
	memcpy(r->counter, sim->counter, sizeof(r->counter));
	count_unfinished(sim, r->counter);
	r->counter[CNT_balance_passes] = sched_nr_passes(sim->sched, false);
	r->counter[CNT_balance_newidle] = sched_nr_passes(sim->sched, true);
	r->counter[CNT_events] += r->counter[CNT_balance_passes];
	if (sim->waste)
		waste_result(sim->waste, sim->now, &r->waste);
	r->simulated_ns = sim->now - sim->start;
	r->seed = sim->p.seed;
}
