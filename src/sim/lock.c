/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lock.c - mutex, condition variable and semaphore on futexes.
 *
 * Free ones are taken in user mode. Who has to wait sleeps in the kernel at
 * once; a wake-up has no sync hint, and the woken competes again: somebody who
 * runs may be faster.
 */
#include "sim/engine.h"

struct sim_mutex {
	struct sim_task *owner;
	struct waitq waiters;
	int last_cpu; /* whose cache has its line */
};

struct sim_cond {
	struct waitq waiters;
};

struct sim_sem {
	int value;
	struct waitq waiters;
	int last_cpu;
};

struct sim_mutex *sim_mutex_new(struct sim *sim)
{
	return arena_alloc(sim->arena, sizeof(struct sim_mutex));
}

struct sim_cond *sim_cond_new(struct sim *sim)
{
	return arena_alloc(sim->arena, sizeof(struct sim_cond));
}

struct sim_sem *sim_sem_new(struct sim *sim, int value)
{
	struct sim_sem *s = arena_alloc(sim->arena, sizeof(*s));

	if (s)
		s->value = value;
	return s;
}

/* The line of a futex comes over from the CPU that had it last; true: no time passed. */
static bool fetch_line(struct sim *sim, struct sim_cpu *c, int *last_cpu)
{
	u64 ns = *last_cpu == c->id ? 0 : sim->m->line_ns[distance(sim, *last_cpu, c->id)];

	*last_cpu = c->id;
	if (!ns)
		return true;
	seg_wall(sim, c, CPU_USER, ns, step_next);
	return false;
}

/* ---- mutex ---- */

static struct sim_mutex *mutex_of(const struct sim_task *t)
{
	return t->step.op == SIM_COND_WAIT ? t->step.cond_mutex : t->step.mutex;
}

/* in the kernel: the value is looked at again before going to sleep */
static void lock_or_sleep(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	struct sim_mutex *m = mutex_of(t);

	if (m->owner) {
		task_block(sim, c, &m->waiters, "a mutex", lock_or_sleep);
		return;
	}
	m->owner = t;
	m->last_cpu = c->id;
	step_next(sim, c);
}

bool step_lock(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct sim_mutex *m = t->step.mutex;

	if (likely(!m->owner)) {
		m->owner = t;
		return fetch_line(sim, c, &m->last_cpu);
	}
	seg_call(sim, c, CPU_ATOMIC, sim->cost->futex_wait, lock_or_sleep);
	return false;
}

/* wake one waiter of @q and go on with @then; true: nobody waits */
static bool futex_wake_one(struct sim *sim, struct sim_cpu *c, struct waitq *q, cpu_fn then)
{
	struct sim_task *w = waitq_take(q);

	if (!w)
		return true;
	c->carry += sim->cost->futex_wake;
	wake_task(sim, c, w, false, then);
	return false;
}

bool step_unlock(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct sim_mutex *m = t->step.mutex;

	m->owner = NULL;
	return futex_wake_one(sim, c, &m->waiters, step_next);
}

/* ---- condition variable ---- */

/* A signal that comes between giving the mutex up and going to sleep isn't lost. */
static void cond_or_sleep(struct sim *sim, struct sim_cpu *c)
{
	if (c->curr->released)
		lock_or_sleep(sim, c);
	else
		task_block(sim, c, NULL, "a condition", lock_or_sleep);
}

static void cond_enter(struct sim *sim, struct sim_cpu *c)
{
	seg_call(sim, c, CPU_ATOMIC, sim->cost->futex_wait, cond_or_sleep);
}

bool step_cond_wait(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct sim_mutex *m = t->step.cond_mutex;

	t->released = false;
	waitq_add(&t->step.cond->waiters, t);
	m->owner = NULL;
	if (m->waiters.head) /* t stays linked in the condition's queue meanwhile */
		futex_wake_one(sim, c, &m->waiters, cond_enter);
	else
		cond_enter(sim, c);
	return false;
}

/* take waiters off the condition: those asleep are to be woken, others find out themselves */
static void cond_release(struct sim_cond *cond, bool all, struct waitq *asleep)
{
	struct sim_task *w;

	while ((w = waitq_take(&cond->waiters))) {
		if (w->stage == STAGE_BLOCKED)
			waitq_add(asleep, w);
		else
			w->released = true;
		if (!all)
			break;
	}
}

bool step_cond_wake(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct waitq asleep = { 0 };

	cond_release(t->step.cond, t->step.op == SIM_COND_BROADCAST, &asleep);
	if (!asleep.head)
		return true;
	c->carry += sim->cost->futex_wake;
	wake_all(sim, c, &asleep, false, step_next);
	return false;
}

/* ---- semaphore ---- */

static void sem_or_sleep(struct sim *sim, struct sim_cpu *c)
{
	struct sim_sem *s = c->curr->step.sem;

	if (!s->value) {
		task_block(sim, c, &s->waiters, "a semaphore", sem_or_sleep);
		return;
	}
	s->value--;
	s->last_cpu = c->id;
	step_next(sim, c);
}

bool step_sem_wait(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct sim_sem *s = t->step.sem;

	if (s->value > 0) {
		s->value--;
		return fetch_line(sim, c, &s->last_cpu);
	}
	seg_call(sim, c, CPU_ATOMIC, sim->cost->futex_wait, sem_or_sleep);
	return false;
}

bool step_sem_post(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct sim_sem *s = t->step.sem;

	s->value++;
	if (s->waiters.head)
		return futex_wake_one(sim, c, &s->waiters, step_next);
	return fetch_line(sim, c, &s->last_cpu);
}
