// SPDX-License-Identifier: BSD-2-Clause
/*
 * boot.c - the balancing state of a machine that has been idle since boot (spec 14 §0).
 */
#include "sched/balance/lb.h"

static void boot_domain(struct sched *s, u64 now, struct rq *rq, struct sched_domain *sd,
			struct rng *rng)
{
	struct sched_work w = {.kind = WORK_BALANCE};
	u64 interval, cost;

	memcpy(w.cpus, sd->span_at, sizeof(w.cpus));
	cost = balance_price(s, rq->cpu, &w);
	/* somewhere in its decay since the last pass that raised it */
	sd->max_newidle_lb_cost = cost - rng_below(rng, cost / 4 + 1);
	sd->last_decay_max_lb_cost = jiffy_of(s, now - rng_below(rng, NSEC_PER_SEC));

	sd->balance_interval = sd->max_interval;
	sd->nr_balance_failed = 0;
	interval = min(domain_interval(s, sd, false), now);
	sd->last_balance = jiffy_of(s, now - rng_below(rng, interval));
	rq->next_balance = min(rq->next_balance, sd->last_balance + interval);

	sd->newidle_call = sd->newidle_ratio = 512;
	sd->newidle_success = 256;
	sd->newidle_stamp = now;
}

/**
 * balance_boot() - intervals backed off, phases spread, costs about those of one pass
 * @rng: draws phases and costs
 */
void balance_boot(struct sched *s, u64 now, struct rng *rng)
{
	for (int cpu = 0; cpu < s->nr_cpus; cpu++) {
		struct rq *rq = cpu_rq(s, cpu);
		struct sched_domain *sd;

		count_domains(s, rq);
		rq->next_balance = jiffy_of(s, now) + NSEC_PER_SEC;
		for_each_domain(rq, sd)
			boot_domain(s, now, rq, sd, rng);
	}
	for (int i = 0; i < s->nr_llcs; i++)
		s->llc[i].nr_idle_scan = s->llc[i].nr_cpus;
	s->nohz_next_balance = s->nohz_next_blocked = jiffy_of(s, now);
	s->nohz_needs_update = false;
	for (int i = 0; i <= s->nr_rds; i++)
		s->rd[i].overload = false;
}
