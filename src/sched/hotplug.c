// SPDX-License-Identifier: BSD-2-Clause
/*
 * hotplug.c - CPUs that go and come while the machine runs.
 *
 * A CPU goes in steps, as in a kernel:
 *
 *	down	it takes no more tasks: it leaves the masks, domains and bandwidth are counted without
 *		it. What is on its wake list or was under way to it still arrives
 *	drain	what is queued here goes elsewhere: until 5.10 all at once in the stopper; since 5.11
 *		each task when it is picked, by the stopper again. Kernel threads of this one CPU stay
 *		until they sleep
 *	dead	nothing is left: its timers go to another CPU
 *
 * Tasks go in the order in which they would have run, each to the CPU that select_fallback_rq()
 * names; a task that may run nowhere else loses its mask. Sleepers stay: they choose anew when they
 * wake. Throttled deadline tasks go when they have a budget again.
 */
#include <assert.h>
#include <errno.h>

#include "sched/class.h"
#include "sched/task.h"

#define DRAIN_BATCH 64 /* tasks of one sched_stop_drain(): requests for the host wait in a ring */

/* ---- down ---- */

static void set_online(struct sched *s, struct rq *rq, bool online)
{
	mask_assign(s->online, rq->cpu, online);
	rq->online = online;
	s->nr_online += online ? 1 : -1;
	root_domains_refresh(s);
}

/* the domains are others now: counts of the whole tree begin anew (spec 06 §11.2) */
static void domain_changed(struct sched *s, struct rq *rq)
{
	rq->rd->overload = false;
	rq->rd->rto_active = false;
	dl_recount_domains(s);
	cpupri_update(s, rq);
	rq_update_idle(s, rq);
}

int sched_cpu_down(struct sched *s, u64 now, int cpu, struct err *err)
{
	struct rq *rq = cpu_rq(s, cpu);
	int rc;

	if (!rq->online)
		return err_set(err, -EINVAL, "CPU %d is down already", cpu);
	if (s->nr_online == 1)
		return err_set(err, -EBUSY, "CPU %d is the last one that runs", cpu);
	if (dl_overflow(s, rq->rd, cpu))
		return err_set(err, -EBUSY, "CPU %d: deadline tasks need its bandwidth", cpu);
	update_rq_clock(s, rq, now);
	set_online(s, rq, false);
	s->hotplugged = true;
	rc = sched_rebuild_domains(s, now, err);
	if (rc) {
		set_online(s, rq, true);
		return rc;
	}
	nohz_balance_exit_idle(s, rq);
	rt_offline(s, rq);
	server_offline(s, rq);
	fair_rq_offline(s, rq, cpu);
	fair_domains_rebuilt(s, cpu);
	domain_changed(s, rq);
	if (s->k.rules.drain == DRAIN_AT_ONCE)
		sched_push_out(s, OUT_STOP_DRAIN, cpu, cpu, NULL, 0);
	else if (rq->nr_running)
		resched_curr(s, rq, cpu);
	return 0;
}

/* ---- drain ---- */

void drain_picked(struct sched *s, struct rq *rq, struct task *p)
{
	if (p->per_cpu_kthread || p->migration_pending)
		return;
	p->migration_pending = true;
	sched_push_out(s, OUT_STOP_MIGRATE, rq->cpu, rq->cpu, p, (u64)-1);
}

void move_to_fallback(struct sched *s, struct rq *src, struct task *p, int dst)
{
	struct rq *rq = cpu_rq(s, dst);

	update_rq_clock(s, src, s->now);
	update_rq_clock(s, rq, s->now);
	deactivate_task(s, src, p, 0);
	if (!task_allowed(p, dst))
		task_relax_allowed(s, p);
	set_task_cpu(s, p, dst);
	activate_task(s, rq, p, 0);
	check_preempt_curr(s, rq, p, 0, src->cpu);
}

static struct task *first_task(struct sched *s, struct rq *rq)
{
	struct task *p = rq->nr_above_fair ? pick_above_fair(s, rq) : NULL;

	return p || !rq->cfs.nr_queued ? p : fair_pick_task(s, rq);
}

bool sched_stop_drain(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);
	struct list_head stay;
	struct task *p = NULL;
	int n = 0;

	assert(rq->stop_running);
	if (rq->online) /* it came back meanwhile */
		return false;
	update_rq_clock(s, rq, now);
	list_init(&stay);
	while (n < DRAIN_BATCH && (p = first_task(s, rq))) {
		if (p->per_cpu_kthread) {
			deactivate_task(s, rq, p, DEQUEUE_SAVE);
			list_add_tail(&p->list_node, &stay);
			continue;
		}
		move_to_fallback(s, rq, p, select_fallback_rq(s, cpu, p));
		n++;
	}
	rq_update_idle(s, rq); /* delayed ones left the queue */
	while (!list_empty(&stay)) {
		struct task *kthread = list_first_entry(&stay, struct task, list_node);

		list_del(&kthread->list_node);
		activate_task(s, rq, kthread, ENQUEUE_RESTORE);
	}
	return p;
}

int fall_back(struct sched *s, struct task *p, int target)
{
	if (!s->rq[target].online)
		target = select_fallback_rq(s, p->cpu, p);
	if (!task_allowed(p, target))
		task_relax_allowed(s, p);
	return target;
}

struct rq *flee_dead_cpu(struct sched *s, struct task *p)
{
	int dst = fall_back(s, p, p->cpu);

	set_task_cpu(s, p, dst);
	return cpu_rq(s, dst);
}

/* ---- dead ---- */

static void move_timers(struct sched *s, struct rq *from, struct rq *to)
{
	while (!list_empty(&from->timers)) {
		struct class_timer *t = list_first_entry(&from->timers, struct class_timer, node);

		class_timer_arm(s, to, t, t->at);
	}
}

bool sched_cpu_dead(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);

	assert(!rq->online);
	if (rq->dead)
		return true;
	if (rq->nr_running || rq->ttwu_pending || !rq->curr_is_idle || rq->walk.active)
		return false;
	update_rq_clock(s, rq, now);
	rq->dead = true;
	rq->need_resched = rq->need_resched_lazy = false;
	rq->cstate_known = false;
	move_timers(s, rq, cpu_rq(s, mask_first(s->online, s->words)));
	return true;
}

bool sched_cpu_online(const struct sched *s, int cpu)
{
	return s->rq[cpu].online;
}

/* ---- up ---- */

int sched_cpu_up(struct sched *s, u64 now, int cpu, struct err *err)
{
	struct rq *rq = cpu_rq(s, cpu);
	int rc;

	if (rq->online)
		return err_set(err, -EINVAL, "CPU %d is up already", cpu);
	update_rq_clock(s, rq, now);
	set_online(s, rq, true);
	s->hotplugged = true;
	rc = sched_rebuild_domains(s, now, err);
	if (rc) {
		set_online(s, rq, false);
		return rc;
	}
	rq->dead = false;
	rt_online(s, rq);
	fair_rq_online(s, rq);
	fair_domains_rebuilt(s, cpu);
	domain_changed(s, rq);
	return 0;
}
