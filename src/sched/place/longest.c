// SPDX-License-Identifier: BSD-2-Clause
/*
 * longest.c - a wakee goes to the CPU that has been idle longest, wherever it is.
 *
 * The remedy for overload on wake-up of "The Linux scheduler: a decade of wasted cores" (2016), in
 * no kernel: the previous CPU if that is idle, else whichever idle CPU the task may use and which
 * has been idle longest. With no idle CPU the kernel's own rules decide.
 */
#include "sched/place/place.h"

int longest_idle_cpu(const struct wake_ctx *c)
{
	const struct sched *s = c->s;
	int cpu, best = -1;

	if (task_allowed(c->p, c->prev) && idle_cpu(s, c->prev)) {
		c->d->reason = REASON_PREV_IDLE;
		return c->prev;
	}
	for (cpu = mask_next_and(c->p->allowed, s->idle_mask, 0, s->words); cpu >= 0;
	     cpu = mask_next_and(c->p->allowed, s->idle_mask, cpu + 1, s->words))
		if (best < 0 || s->rq[cpu].idle_stamp < s->rq[best].idle_stamp)
			best = cpu;
	if (best < 0)
		return -1;
	/* the kernel would keep idle CPUs in a list: it reads the first */
	work_inspect(s, c->w, c->q->cpu, best);
	c->d->reason = REASON_LONGEST_IDLE;
	return best;
}
