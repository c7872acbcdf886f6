// SPDX-License-Identifier: BSD-2-Clause
/*
 * stop.c - the stopper: the highest class, one thread a CPU.
 *
 * It preempts whatever runs, counts in nr_running (so an active balance finds
 * two where one task ran, spec 06 §9) and moves tasks nobody else may touch.
 */
#include <assert.h>

#include "sched/info.h"
#include "sched/internal.h"

void sched_stop_begin(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);
	struct task *curr = rq->curr;

	assert(!rq->stop_running);
	update_rq_clock(s, rq, now);
	if (rq->dl.server_active)
		server_sync(s, rq);
	if (curr) {
		if (task_is_fair(curr))
			fair_put_prev_task(s, rq, curr);
		else
			put_prev_above_fair(s, rq, curr);
		curr->on_cpu = false;
		info_depart(rq, curr);
	}
	if (unlikely(s->tracks & TRACK_PSI))
		psi_stopper_begins(s, rq, curr);
	rq->sched_count++;
	rq->pcount++;
	rq->stop_arrival = rq->clock;
	/* the stopper is woken like any task, and the idle task is switched out (spec 04 §1.9) */
	if (rq->curr_is_idle || s->k.rules.idle_stamp == STAMP_UNTIL_WAKE)
		update_avg_idle(s, rq);
	rq->curr = NULL;
	rq->curr_is_idle = false;
	rq->stop_running = rq->curr_above_fair = true;
	rq->need_resched = rq->need_resched_lazy = false;
	add_nr_running(s, rq, 1);
	rq_update_idle(s, rq);
}

bool sched_stop_migrate(struct sched *s, u64 now, int cpu, struct task *p, int dst)
{
	struct rq *src = cpu_rq(s, cpu);

	assert(src->stop_running);
	if (p->cpu != cpu)
		return false;
	p->migration_pending = false;
	if (!p->on_rq)
		return false;
	update_rq_clock(s, src, now);
	if (p->se.sched_delayed) { /* asleep in all but name: it wakes where it may */
		deactivate_task(s, src, p, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
		return false;
	}
	/* its affinity or the CPUs changed again meanwhile */
	if (dst < 0 || !task_allowed(p, dst) || !s->rq[dst].online) {
		if (src->online && task_allowed(p, cpu))
			return false;
		dst = fall_back(s, p, select_fallback_rq(s, cpu, p));
	}
	if (dst == cpu)
		return false;
	move_to_fallback(s, src, p, dst);
	return true;
}

void sched_stop_end(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);

	assert(rq->stop_running);
	update_rq_clock(s, rq, now);
	rq->stop_running = false;
	if (unlikely(s->tracks & TRACK_PSI))
		psi_stopper_ends(rq);
	rq->rq_cpu_time += rq->clock - rq->stop_arrival;
	add_nr_running(s, rq, -1);
	rq_update_idle(s, rq);
}
