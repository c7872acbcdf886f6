// SPDX-License-Identifier: BSD-2-Clause
/*
 * held.c - tasks that are awake and can't run, as far as a record shows (forced.h).
 */
#include <errno.h>

#include "sched/forced.h"
#include "sched/internal.h"

int sched_task_hold(struct sched *s, u64 now, struct task *p)
{
	struct rq *rq = cpu_rq(s, p->cpu);

	if (!task_is_fair(p) || !p->on_rq || p->migrating || p->state != TASK_RUNNABLE)
		return -EBUSY;
	update_rq_clock(s, rq, now);
	p->state = TASK_SLEEPING;
	deactivate_task(s, rq, p, DEQUEUE_SLEEP | DEQUEUE_SPECIAL);
	return 0;
}

int sched_task_release(struct sched *s, u64 now, struct task *p)
{
	struct rq *rq = cpu_rq(s, p->cpu);

	if (p->state != TASK_SLEEPING || p->on_rq || p->on_cpu || p->migrating)
		return -EBUSY;
	update_rq_clock(s, rq, now);
	activate_task(s, rq, p, ENQUEUE_WAKEUP);
	p->state = TASK_RUNNABLE;
	return 0;
}
