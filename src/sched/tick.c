// SPDX-License-Identifier: BSD-2-Clause
/*
 * tick.c - the timer tick of a CPU, and the timer that ends slices (spec 14 §1.4).
 */
#include "sched/class.h"

void sched_tick(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);

	update_rq_clock(s, rq, now);
	if (rq->need_resched_lazy) { /* spec 16 §6.2 */
		rq->need_resched_lazy = false;
		resched_curr(s, rq, cpu);
	}
	if (unlikely(rq->curr_above_fair)) {
		if (rq->curr && rq->curr->on_rq)
			class_of(rq->curr)->tick(s, rq, rq->curr);
	} else if (rq->curr && rq->curr->on_rq) {
		if (unlikely(rq->nr_above_fair))
			server_tick(s, rq);
		fair_task_tick(s, rq, rq->curr, false);
		update_misfit_status(s, rq, rq->curr);
	}
	trigger_load_balance(s, rq);
	nohz_balancer_kick(s, rq);
}

void sched_hrtick(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);

	if (!rq->hrtick_armed) /* of a task that stopped running */
		return;
	update_rq_clock(s, rq, now);
	rq->hrtick_armed = false;
	if (!rq->curr || !rq->curr->on_rq)
		return;
	if (task_is_fair(rq->curr))
		fair_task_tick(s, rq, rq->curr, true);
	else
		class_of(rq->curr)->tick(s, rq, rq->curr);
}
