// SPDX-License-Identifier: BSD-2-Clause
/*
 * spawn.c - fork and exec as the host calls them; the choice is place/'s (spec 05).
 */
#include <assert.h>

#include "sched/class.h"
#include "sched/place/place.h"

static int select_above_fair(const struct sched *s, int cpu, const struct task *p,
			     struct fork_decision *d, struct sched_work *w)
{
	struct class_choice c = {.cpu = cpu, .cursor = -1, .w = w};
	int target = class_of(p)->select(s, p, true, &c);

	d->reason = c.reason;
	d->moves_cursor = c.cursor >= 0;
	d->cursor = c.cursor;
	return target;
}

static void decide(const struct sched *s, u64 now, int cpu, const struct task *p, int sd_flag,
		   struct fork_decision *d)
{
	*d = (struct fork_decision){.target = cpu};
	if (p->nr_allowed > 1) {
		struct sched_work w = {.kind = WORK_SELECT};

		if (task_is_fair(p))
			d->target = find_idlest_cpu(s, now, cpu, p, sd_flag, &d->reason, &w);
		else if (sd_flag == SD_BALANCE_FORK)
			d->target = select_above_fair(s, cpu, p, d, &w);
		else
			d->reason = REASON_RT_STAYS; /* an exec moves fair tasks only */
		d->cost_ns = work_price(s, cpu, &w);
	} else {
		d->target = mask_first(p->allowed, s->words);
		d->reason = REASON_PINNED;
	}
	if (unlikely(!task_allowed(p, d->target) || !s->rq[d->target].online)) {
		d->target = select_fallback_rq(s, cpu, p);
		d->reason = REASON_FALLBACK;
	}
	EXPLAIN(s, .now = now, .cpu = cpu, .p = p,
		.step = sd_flag == SD_BALANCE_FORK ? STEP_FORK : STEP_EXEC, .reason = d->reason,
		.candidate = d->target, .taken = true, .final = true,
		.value = {WAKE_DIRECT, (s64)d->cost_ns, cpu});
}

void sched_fork_decide(const struct sched *s, u64 now, int cpu, const struct task *p,
		       struct fork_decision *d)
{
	decide(s, now, cpu, p, SD_BALANCE_FORK, d);
}

void sched_fork_commit(struct sched *s, u64 now, int cpu, struct task *p,
		       const struct fork_decision *d, int target)
{
	struct rq *rq = cpu_rq(s, cpu);

	assert(p->state == TASK_NEW);
	update_rq_clock(s, rq, now);
	set_task_cpu(s, p, cpu);
	if (task_is_fair(p))
		fair_task_fork(s, rq, p);
	if (d->moves_cursor)
		rq->distribute_cursor = d->cursor;
	p->recent_used_cpu = cpu; /* spec 05 §6 */
	if (unlikely(!s->rq[target].online || d->reason == REASON_FALLBACK))
		target = fall_back(s, p, target);
	set_task_cpu(s, p, target);
}

void sched_activate_new(struct sched *s, u64 now, int cpu, struct task *p)
{
	struct rq *rq = living_rq(s, p);

	assert(p->state == TASK_NEW);
	update_rq_clock(s, rq, now);
	if (task_is_fair(p))
		fair_post_init_util(s, rq, p);
	activate_task(s, rq, p, ENQUEUE_INITIAL);
	p->state = TASK_RUNNABLE;
	check_preempt_curr(s, rq, p, WF_FORK, cpu);
	if (!task_is_fair(p))
		class_of(p)->woken(s, rq, p, cpu);
}

void sched_task_asleep(struct sched *s, struct task *p, int cpu)
{
	assert(p->state == TASK_NEW && task_allowed(p, cpu));
	set_task_cpu(s, p, cpu);
	p->recent_used_cpu = cpu;
	p->state = TASK_SLEEPING;
	fair_forget_past(s, p);
}

void sched_exec_decide(struct sched *s, u64 now, int cpu, struct fork_decision *d)
{
	struct task *p = s->rq[cpu].curr;

	assert(p);
	if (task_is_fair(p))
		fair_sync_task(p);
	decide(s, now, cpu, p, SD_BALANCE_EXEC, d);
	if (d->target != cpu)
		count_wakeup(cpu_rq(s, cpu), cpu); /* of the stopper */
}
