// SPDX-License-Identifier: BSD-2-Clause
/*
 * reserve.c - SIS_CACHE: an idle CPU is kept for the short sleeper that left it (spec 04 §10).
 *
 * A patch series of 2023, never merged. Nothing is locked: other wakees' search
 * of the LLC passes the CPU by until the sleeper is overdue; the tests before
 * the search know nothing of it.
 */
#include "sched/place/place.h"

void sis_cache_sleep(struct rq *rq, struct task *p)
{
	p->sleep_start = rq->clock;
}

void sis_cache_wake(const struct rq *rq, struct task *p)
{
	if (!p->sleep_start || rq->clock < p->sleep_start)
		return;
	p->sleep_avg += ((s64)(rq->clock - p->sleep_start) - (s64)p->sleep_avg) / 8;
	p->sleep_start = 0;
}

void sis_cache_idle(const struct sched *s, struct rq *rq, const struct task *prev)
{
	if (prev->state != TASK_SLEEPING || (s64)prev->sleep_avg >= s->migration_cost)
		return;
	rq->reserved_for = prev;
	rq->reserved_until = rq->clock + prev->sleep_avg;
}

u64 sis_cache_unreserved(const struct wake_ctx *c, const struct llc *llc, int word, u64 bits,
			 bool whole_core)
{
	for (u64 left = bits; left; left &= left - 1) {
		int bit = __builtin_ctzll(left);
		const struct rq *rq = cpu_rq(c->s, llc->cpus[word * 64 + bit]);
		bool kept = sis_cache_reserved(c, rq->cpu);

		for (int i = 0; whole_core && !kept && i < rq->nr_siblings; i++)
			kept = sis_cache_reserved(c, rq->siblings[i]);
		if (kept)
			bits &= ~(1ULL << bit);
	}
	return bits;
}
