// SPDX-License-Identifier: BSD-2-Clause
/*
 * distribute.c - choosing among several CPUs that are equally good (spec 06 §14).
 */
#include "sched/balance/lb.h"

/**
 * any_and_distribute() - successive CPUs of @a ∩ @b at successive calls
 * @cpu: caller; each has a cursor of its own
 *
 * Return: the next CPU after the cursor, wrapping, or -1 if there is none.
 */
int any_and_distribute(struct sched *s, int cpu, const u64 *a, const u64 *b)
{
	struct rq *rq = cpu_rq(s, cpu);
	int next = mask_next_and(a, b, rq->distribute_cursor + 1, s->words);

	if (next < 0)
		next = mask_next_and(a, b, 0, s->words);
	if (next >= 0)
		rq->distribute_cursor = next;
	return next;
}
