/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin.c - locks of the kernel as contention in time.
 *
 * A spinlock keeps its waiters' CPUs busy and is handed over in order of
 * arrival. A mutex does the same while its owner runs (it always does here:
 * the paths that hold one don't sleep), but a spinner that has to reschedule
 * goes to sleep, and an unlock wakes the first sleeper, who competes again.
 */
#include "sim/engine.h"

static void queue_cpu(struct sim_cpu **head, struct sim_cpu **tail, struct sim_cpu *c)
{
	c->spin_next = NULL;
	if (*head)
		(*tail)->spin_next = c;
	else
		*head = c;
	*tail = c;
}

void spin_lock(struct sim *sim, struct sim_cpu *c, struct spinlock *l, cpu_fn then)
{
	if (likely(!l->holder)) {
		l->holder = c;
		then(sim, c);
		return;
	}
	queue_cpu(&l->head, &l->tail, c);
	seg_spin(sim, c, CPU_ATOMIC, then);
}

void spin_unlock(struct sim *sim, struct sim_cpu *c, struct spinlock *l)
{
	struct sim_cpu *next = l->head;

	l->holder = next;
	if (likely(!next))
		return;
	l->head = next->spin_next;
	seg_wall(sim, next, CPU_ATOMIC, sim->cost->lock_handover[distance(sim, c->id, next->id)],
		 next->act.fn);
}

/* ---- mutex ---- */

static void kmutex_retry(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;

	t->lock->waking = false;
	kmutex_lock(sim, c, t->lock, t->lock_then);
}

static void kmutex_sleep(struct sim *sim, struct sim_cpu *c, struct kmutex *l)
{
	task_block(sim, c, &l->sleepers, "a lock of the kernel", kmutex_retry);
}

static void kmutex_granted(struct sim *sim, struct sim_cpu *c)
{
	c->curr->lock_then(sim, c);
}

void kmutex_lock(struct sim *sim, struct sim_cpu *c, struct kmutex *l, cpu_fn then)
{
	struct sim_task *t = c->curr;

	if (likely(!l->owner)) {
		l->owner = t;
		then(sim, c);
		return;
	}
	t->lock = l;
	t->lock_then = then;
	if (c->resched) {
		kmutex_sleep(sim, c, l);
		return;
	}
	queue_cpu(&l->head, &l->tail, c);
	seg_spin(sim, c, CPU_KERNEL, kmutex_granted);
}

struct sim_task *kmutex_unlock(struct sim *sim, struct sim_cpu *c, struct kmutex *l)
{
	struct sim_cpu *next = l->head;
	struct sim_task *sleeper = NULL;

	l->owner = NULL;
	if (unlikely(l->sleepers.head && !l->waking)) {
		sleeper = waitq_take(&l->sleepers);
		l->waking = true;
	}
	if (next) {
		l->head = next->spin_next;
		l->owner = next->curr;
		spin_end(sim, next->curr, sim->cost->lock_handover[distance(sim, c->id, next->id)]);
	}
	return sleeper;
}

void kmutex_give_up(struct sim *sim, struct sim_cpu *c)
{
	struct kmutex *l = c->curr->lock;
	struct sim_cpu **pp, *prev = NULL;

	for (pp = &l->head; *pp != c; pp = &(*pp)->spin_next)
		prev = *pp;
	*pp = c->spin_next;
	if (l->tail == c)
		l->tail = prev;
	kmutex_sleep(sim, c, l);
}
