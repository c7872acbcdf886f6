// SPDX-License-Identifier: BSD-2-Clause
/*
 * boot.c - a booted, idle machine: runs start here, not from zeros (spec 14 §0).
 */
#include <assert.h>

#include "sched/internal.h"

#define STAMP_SPAN (4 * NSEC_PER_SEC)
#define UTIL_SPAN  21

/*
 * Idle stamps decide which idle CPU a fork takes (spec 05 §5), so no two may be
 * equal: the CPUs draw, in a random order, one slot each of the last 4 s.
 */
static void draw_idle_stamps(struct sched *s, u64 now, struct rng *rng)
{
	u64 slot = STAMP_SPAN / s->nr_cpus;

	for (int c = 0; c < s->nr_cpus; c++)
		s->rq[c].idle_stamp = c;
	for (int c = s->nr_cpus - 1; c > 0; c--) {
		int other = (int)rng_below(rng, c + 1);
		u64 t = s->rq[c].idle_stamp;

		s->rq[c].idle_stamp = s->rq[other].idle_stamp;
		s->rq[other].idle_stamp = t;
	}
	for (int c = 0; c < s->nr_cpus; c++)
		s->rq[c].idle_stamp = now - 1 - s->rq[c].idle_stamp * slot - rng_below(rng, slot);
}

void sched_boot(struct sched *s, u64 now, struct rng *rng)
{
	assert(now > STAMP_SPAN + NSEC_PER_SEC);
	draw_idle_stamps(s, now, rng);
	for (int c = 0; c < s->nr_cpus; c++) {
		struct rq *rq = cpu_rq(s, c);

		update_rq_clock(s, rq, now);
		rq_clock_pelt_enter_idle(s, rq);
		rq->wake_stamp = now;
		sched_nohz_enter(s, now, c);
		/* what daemons and kernel threads left: it breaks ties between groups */
		fair_boot_util(s, rq, (u32)rng_below(rng, UTIL_SPAN));
	}
	for (int c = 0; c < s->nr_cpus; c++) {
		if (!s->rq[c].asym_shared)
			continue;
		s->rq[c].asym_shared->has_idle_cores = s->smt_active;
		s->rq[c].asym_shared->nr_idle_scan = s->rq[c].sd_asym_cpucapacity->weight;
	}
	for (int i = 0; i < s->nr_llcs; i++) {
		s->llc[i].has_idle_cores = s->smt_active;
		s->llc[i].nr_idle_scan = s->llc[i].nr_cpus;
	}
	balance_boot(s, now, rng);
}
