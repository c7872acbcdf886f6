// SPDX-License-Identifier: BSD-2-Clause
/*
 * start.c - tasks where a record has them: at its beginning, and when it proves the core wrong
 * about one that sleeps (forced.h).
 */
#include <assert.h>
#include <errno.h>

#include "sched/fair/fair.h"
#include "sched/forced.h"
#include "sched/task.h"

void sched_quiet(struct sched *s)
{
	for (int c = 0; c < s->nr_cpus; c++) {
		struct rq *rq = cpu_rq(s, c);

		rq->cfs.avg.util_avg = 0;
		rq->cfs.avg.util_sum = 0;
		rq_load_changed(rq);
	}
}

int sched_task_start(struct sched *s, u64 now, struct task *p, int cpu, enum sched_begin how)
{
	struct rq *rq = cpu_rq(s, cpu);

	assert(p->state == TASK_NEW);
	if (!task_allowed(p, cpu))
		return -EPERM;
	if (how == BEGIN_ASLEEP) {
		sched_task_asleep(s, p, cpu);
		if (task_is_fair(p))
			eevdf_lag_unseen(s, &p->se);
		return 0;
	}
	if (how == BEGIN_RUNNING && (rq->curr || rq->stop_running))
		return -EBUSY;
	update_rq_clock(s, rq, now);
	sched_task_asleep(s, p, cpu); /* until just now */
	activate_task(s, rq, p, ENQUEUE_WAKEUP);
	p->state = TASK_RUNNABLE;
	if (how == BEGIN_QUEUED)
		return 0;
	set_picked(s, rq, p);
	sched_switch_done(s, now, cpu, NULL);
	return 0;
}

static bool sleeps(const struct task *p)
{
	return p->state == TASK_SLEEPING && !p->migrating;
}

int sched_task_set_cpu(struct sched *s, u64 now, struct task *p, int cpu)
{
	if (!sleeps(p) || p->on_rq || p->on_cpu)
		return -EBUSY;
	s->now = now;
	if (p->cpu != cpu)
		set_task_cpu(s, p, cpu);
	return 0;
}

bool sched_task_delayed(const struct task *p)
{
	return p->se.sched_delayed;
}

int sched_task_leave(struct sched *s, u64 now, struct task *p)
{
	struct rq *rq = cpu_rq(s, p->cpu);

	if (!sleeps(p))
		return -EBUSY;
	if (!p->se.sched_delayed)
		return 0;
	update_rq_clock(s, rq, now);
	deactivate_task(s, rq, p, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
	return 0;
}

int sched_task_delay(struct sched *s, u64 now, struct task *p)
{
	struct rq *rq = cpu_rq(s, p->cpu);

	if (!task_is_fair(p) || s->k.rules.delay == DELAY_NONE || !feat(s, FEAT_DELAY_DEQUEUE))
		return -EOPNOTSUPP;
	if (p->se.sched_delayed)
		return 0;
	if (!sleeps(p) || p->on_cpu || rq_runs_idle(rq) || !task_allowed(p, p->cpu))
		return -EBUSY;
	update_rq_clock(s, rq, now);
	activate_task(s, rq, p, ENQUEUE_WAKEUP);
	fair_delay_task(s, rq, p);
	p->last_queued = 0; /* it is asleep */
	if (unlikely(s->tracks))
		track_dequeued(s, rq, p, DEQUEUE_SLEEP);
	rq_update_idle(s, rq);
	return 0;
}

void sched_set_kthread(struct sched *s, struct task *p, bool kthread)
{
	p->kthread = kthread;
	p->per_cpu_kthread = kthread && p->nr_allowed == 1;
}

bool sched_task_is_kthread(const struct task *p)
{
	return p->kthread;
}
