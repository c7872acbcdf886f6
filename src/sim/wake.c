/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * wake.c - wake-ups in time (spec 04, 14 §2).
 *
 * A wake-up is decided at t and carried out at t + cost: the wake list gets
 * the wakee right after the selection, the direct path takes the target's
 * run-queue lock first. The waker's CPU is busy until its part is done. If the
 * wakee is still switching out and the kernel spins for it, the waker does too
 * and decides anew.
 */
#include <errno.h>

#include "sim/engine.h"

static void wake_decide(struct sim *sim, struct sim_cpu *c);

/* ---- what it costs ---- */

static u64 enqueue_cost(const struct sim *sim, int cpu, int target)
{
	u64 cost = cpu == target ? sim->cost->wake_local :
				   sim->cost->wake_remote[distance(sim, cpu, target)];

	return cost + queueing_extra(sim);
}

/*
 * Half of an enqueue is done holding the run-queue lock of @target, which is
 * taken in turns (spec 14 §1.11). Return: ns until it is done.
 */
static u64 lock_and_enqueue(struct sim *sim, int cpu, int target)
{
	struct sim_cpu *rq = &sim->cpu[target];
	u64 cost = enqueue_cost(sim, cpu, target), half = cost / 2;
	u64 locked = max(sim->now + half, rq->rq_lock_free);

	rq->rq_lock_free = locked + (cost - half);
	return rq->rq_lock_free - sim->now;
}

/*
 * A CPU holds the lock of its own queue from the choice of the next task to the end
 * of the switch. Return: whether @c has to wait until then, to go on with @fn.
 */
static bool wait_for_switch(struct sim *sim, struct sim_cpu *c, int target, cpu_fn fn)
{
	u64 until = sim->cpu[target].switch_until;

	if (likely(until < sim->now))
		return false;
	seg_path(sim, c, until + 1 - sim->now, fn);
	return true;
}

/* ---- counters ---- */

static void count_wakeup(struct sim *sim, int prev, int target, int waker)
{
	static const enum counter by_distance[NR_DISTANCES] = {
		[DIST_SELF] = CNT_wakeups_same_cpu,
		[DIST_SMT] = CNT_wakeups_same_core,
		[DIST_CLUSTER] = CNT_wakeups_same_cluster,
		[DIST_LLC] = CNT_wakeups_same_llc,
		[DIST_NODE] = CNT_wakeups_same_node,
		[DIST_PACKAGE] = CNT_wakeups_other_node,
		[DIST_REMOTE] = CNT_wakeups_other_node,
	};

	count(sim, by_distance[distance(sim, prev, target)]);
	if (target == waker && prev != waker)
		count(sim, CNT_wakeups_waker_cpu);
	if (sched_cpu_idle(sim->sched, target))
		count(sim, CNT_wakeups_idle);
}

/* ---- end of a wake-up ---- */

static void wake_next(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = waitq_take(&c->wk.list);

	if (t)
		wake_task(sim, c, t, c->wk.sync, wake_next);
	else
		c->wk.list_then(sim, c);
}

static void wake_done(struct sim *sim, struct sim_cpu *c)
{
	c->wk.then(sim, c);
}

/* ---- direct: enqueue from here ---- */

static void wake_enqueued(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->wk.t;

	if (wait_for_switch(sim, c, sched_task_cpu(t->p), wake_enqueued))
		return;
	task_runnable(sim, t);
	sched_activate(sim->sched, sim->now, c->id, t->p);
	if (tracing(sim))
		trace_task(sim, TRACE_WAKEUP, c->id, t, sched_task_cpu(t->p), -1);
	handle_outs(sim);
	wake_done(sim, c);
}

/* ---- wake list ---- */

static void list_add(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct sim_cpu *target = &sim->cpu[sched_task_cpu(t->p)];
	bool first;

	count(sim, CNT_wakeups_list);
	task_runnable(sim, t);
	waitq_add(&target->wake_list, t);
	first = sched_wake_list_add(sim->sched, sim->now, c->id, t->p);
	if (first)
		kick(sim, c->id, target, IRQ_CALL);
	seg_path(sim, c, sim->cost->wake_list_push, wake_done);
}

u64 wake_list_run(struct sim *sim, struct sim_cpu *c)
{
	int n = sched_wake_list_run(sim->sched, sim->now, c->id);
	struct sim_task *t;

	while ((t = waitq_take(&c->wake_list)))
		if (tracing(sim))
			trace_task(sim, TRACE_WAKEUP, c->id, t, c->id, -1);
	handle_outs(sim);
	return n * (sim->cost->wake_local + queueing_extra(sim));
}

/* ---- still queued: delayed dequeue ---- */

static void wake_queued(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->wk.t;

	if (wait_for_switch(sim, c, sched_task_cpu(t->p), wake_queued))
		return;
	/* it may have been dequeued for good while this CPU got here: decide again */
	if (!sched_task_queued(t->p)) {
		wake_decide(sim, c);
		return;
	}
	count(sim, CNT_wakeups_queued);
	count_wakeup(sim, sched_task_cpu(t->p), sched_task_cpu(t->p), c->id);
	sched_wake_commit(sim->sched, sim->now, &c->wk.q, &c->wk.d, c->wk.d.target);
	task_runnable(sim, t);
	sched_wake_queued(sim->sched, sim->now, c->id, t->p);
	if (tracing(sim))
		trace_task(sim, TRACE_WAKEUP, c->id, t, sched_task_cpu(t->p), -1);
	handle_outs(sim);
	wake_done(sim, c);
}

/* ---- the wakee was not switched out yet ---- */

static void wake_spin(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->wk.t;

	count(sim, CNT_wakeups_spun);
	c->spin_next = NULL;
	if (t->spinners)
		t->spinners_tail->spin_next = c;
	else
		t->spinners = c;
	t->spinners_tail = c;
	seg_spin(sim, c, CPU_ATOMIC, wake_decide);
}

void wake_spinners(struct sim *sim, struct sim_task *t)
{
	struct sim_cpu *c = t->spinners, *next;

	t->spinners = NULL;
	for (; c; c = next) {
		next = c->spin_next;
		sim->counter[CNT_kernel_ns] += sim->now - c->act.left;
		seg_path(sim, c, sim->m->line_ns[distance(sim, c->id, t->last_cpu)], wake_decide);
	}
}

/* ---- selection is over ---- */

static void wake_selected(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->wk.t;
	const struct wake_decision *d = &c->wk.d;
	int prev = sched_task_cpu(t->p), target = d->target;

	count_wakeup(sim, prev, target, c->id);
	sched_wake_commit(sim->sched, sim->now, &c->wk.q, d, target);
	if (d->path == WAKE_DIRECT)
		seg_path(sim, c, lock_and_enqueue(sim, c->id, target), wake_enqueued);
	else
		list_add(sim, c, t);
}

static void wake_decide(struct sim *sim, struct sim_cpu *c)
{
	struct wake_decision *d = &c->wk.d;

	sched_wake_decide(sim->sched, sim->now, &c->wk.q, d);
	switch (d->path) {
	case WAKE_LIST:
	case WAKE_DIRECT:
		seg_path(sim, c, d->cost_ns, wake_selected);
		break;
	case WAKE_ON_CPU_LIST:
		wake_selected(sim, c);
		break;
	case WAKE_QUEUED:
		seg_path(sim, c, enqueue_cost(sim, c->id, sched_task_cpu(c->wk.t->p)), wake_queued);
		break;
	case WAKE_SPIN:
		wake_spin(sim, c);
		break;
	case WAKE_CURRENT:
		err_set(&sim->fail, -EINVAL, "%s-%d is woken by itself while it sleeps",
			c->wk.t->comm, c->wk.t->pid);
		wake_done(sim, c);
		break;
	}
}

/**
 * wake_task() - try-to-wake-up of @t by @c, in task context or in an interrupt
 */
void wake_task(struct sim *sim, struct sim_cpu *c, struct sim_task *t, bool sync, cpu_fn then)
{
	count(sim, CNT_wakeups);
	count(sim, CNT_events);
	if (!t->background && !t->timed)
		sim->nr_blocked--;
	t->stage = STAGE_WAKING;
	t->woken_at = sim->now;
	c->wk.t = t;
	c->wk.then = then;
	c->wk.q.cpu = c->id;
	c->wk.q.p = t->p;
	c->wk.q.sync = sync;
	c->wk.q.in_task = !(c->in_irq | c->in_softirq);
	if (tracing(sim))
		trace_task(sim, TRACE_WAKING, c->id, t, sched_task_cpu(t->p), -1);
	wake_decide(sim, c);
}

void wake_all(struct sim *sim, struct sim_cpu *c, struct waitq *list, bool sync, cpu_fn then)
{
	c->wk.list = *list;
	list->head = NULL;
	c->wk.sync = sync;
	c->wk.list_then = then;
	wake_next(sim, c);
}

/* ---- first wake-up of a new task (spec 05) ---- */

static void new_enqueued(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->wk.t;

	if (wait_for_switch(sim, c, sched_task_cpu(t->p), new_enqueued))
		return;
	task_runnable(sim, t);
	sched_activate_new(sim->sched, sim->now, c->id, t->p);
	if (tracing(sim))
		trace_task(sim, TRACE_WAKEUP_NEW, c->id, t, sched_task_cpu(t->p), -1);
	handle_outs(sim);
	wake_done(sim, c);
}

static void new_selected(struct sim *sim, struct sim_cpu *c)
{
	const struct fork_decision *d = &c->wk.fork;
	enum topo_distance dist = distance(sim, c->id, d->target);

	if (dist >= DIST_NODE)
		count(sim, CNT_forks_other_llc);
	if (dist >= DIST_PACKAGE)
		count(sim, CNT_forks_other_node);
	sched_fork_commit(sim->sched, sim->now, c->id, c->wk.t->p, d, d->target);
	handle_outs(sim);
	seg_path(sim, c, lock_and_enqueue(sim, c->id, d->target), new_enqueued);
}

void wake_new(struct sim *sim, struct sim_cpu *c, struct sim_task *t, cpu_fn then)
{
	count(sim, CNT_forks);
	c->wk.t = t;
	c->wk.then = then;
	sched_fork_decide(sim->sched, sim->now, c->id, t->p, &c->wk.fork);
	seg_path(sim, c, c->wk.fork.cost_ns, new_selected);
}

bool wake_under_way(const struct sim *sim, const struct sim_cpu *c)
{
	for (int i = 0; i < sim->nr_cpus; i++) {
		const struct sim_cpu *o = &sim->cpu[i];
		bool at_it = o->act.fn == wake_enqueued || o->act.fn == new_enqueued;

		if (at_it && o->mode == CPU_ATOMIC && sched_task_cpu(o->wk.t->p) == c->id)
			return true;
	}
	return false;
}
