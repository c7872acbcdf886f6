// SPDX-License-Identifier: BSD-2-Clause
/*
 * attr.c - changing what a living task is: nice, policy, slice, affinity, group.
 */
#include <assert.h>
#include <errno.h>

#include "sched/task.h"

/* A task taken off its queue for a change, as it stood before. */
struct saved {
	bool queued, running;
};

static struct saved save_task(struct sched *s, struct rq *rq, struct task *p)
{
	struct saved was = {.queued = p->on_rq, .running = rq->curr == p};

	if (p->se.sched_delayed) { /* its sleep is completed first */
		deactivate_task(s, rq, p, DEQUEUE_SLEEP | DEQUEUE_DELAYED);
		was.queued = false;
	}
	if (was.queued)
		deactivate_task(s, rq, p, DEQUEUE_SAVE);
	if (was.running)
		fair_put_prev_task(s, rq, p);
	return was;
}

static void restore_task(struct sched *s, struct rq *rq, struct task *p, struct saved was)
{
	if (was.queued)
		activate_task(s, rq, p, ENQUEUE_RESTORE);
	if (was.running)
		fair_set_next_task(s, rq, p);
}

void sched_set_nice(struct sched *s, u64 now, struct task *p, enum sched_policy policy, int nice)
{
	struct rq *rq = cpu_rq(s, p->cpu);
	int old = p->nice;
	struct saved was;

	assert(nice >= -20 && nice <= 19);
	if (p->nice == nice && p->policy == policy)
		return;
	update_rq_clock(s, rq, now);
	was = save_task(s, rq, p);
	p->policy = policy;
	p->nice = nice;
	fair_reweight_task(s, rq, p);
	restore_task(s, rq, p, was);
	if (was.running && nice > old && rq->nr_running > 1)
		resched_curr(s, rq, rq->cpu);
	else if (was.queued && !was.running)
		check_preempt_curr(s, rq, p, 0, rq->cpu);
}

/* the slice is read again at the next placement or new deadline (spec 02 §5.3) */
void sched_set_slice(struct sched *s, u64 now, struct task *p, u64 slice_ns)
{
	struct rq *rq = cpu_rq(s, p->cpu);
	struct saved was;

	update_rq_clock(s, rq, now);
	was = save_task(s, rq, p);
	task_set_slice(s, p, slice_ns);
	restore_task(s, rq, p, was);
}

int sched_set_affinity(struct sched *s, u64 now, struct task *p, const u64 *allowed)
{
	struct rq *rq = cpu_rq(s, p->cpu);
	int dst;

	if (!mask_intersects(allowed, s->online, s->words))
		return -EINVAL;
	update_rq_clock(s, rq, now);
	task_set_allowed(s, p, allowed);
	p->affinity_changed = true;
	if (task_allowed(p, p->cpu)) {
		p->migration_pending = false;
		return 0;
	}
	if (!p->on_rq || p->migrating) /* a sleeper chooses again when it wakes */
		return 0;
	dst = any_and_distribute(s, rq->cpu, s->online, p->allowed);
	p->migration_pending = true;
	sched_push_out(s, OUT_STOP_MIGRATE, rq->cpu, rq->cpu, p, dst);
	return 0;
}

int sched_set_group(struct sched *s, u64 now, struct task *p, struct task_group *g)
{
	struct rq *rq = cpu_rq(s, p->cpu);
	struct saved was;

	if (!g)
		g = &s->root_tg;
	if (p->tg == g)
		return 0;
	update_rq_clock(s, rq, now);
	was = save_task(s, rq, p);
	fair_change_group(s, p, g);
	restore_task(s, rq, p, was);
	if (was.running)
		resched_curr(s, rq, rq->cpu);
	else if (was.queued)
		check_preempt_curr(s, rq, p, 0, rq->cpu);
	return 0;
}
