// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the workers and the messengers of schbench do (spec 12 §2; schbench.c).
 */
#include "workload/schbench.h"

static u64 now_us(const struct sim *sim)
{
	return sim_now(sim) / NSEC_PER_USEC;
}

/* ---- workers ---- */

static void post(struct sim_step *step, struct sim_sem *sem)
{
	step->op = SIM_SEM_POST;
	step->sem = sem;
}

static void wait_for(struct sim_step *step, struct sim_sem *sem)
{
	step->op = SIM_SEM_WAIT;
	step->sem = sem;
}

static void worker_queue(struct schbench_worker *w, struct sim_step *step)
{
	struct schbench_messenger *m = w->messenger;

	w->state = WORKER_WAIT;
	step->op = SIM_NOP;
	if (w->run->rps)
		return;
	w->next = m->list;
	m->list = w;
	if (m->posted)
		return;
	m->posted = true;
	post(step, m->sem);
}

static void worker_woken(struct schbench_worker *w, struct sim *sim)
{
	if (w->run->rps) {
		w->stamp = w->posted[w->first_posted];
		w->first_posted = (w->first_posted + 1) % SCHBENCH_MAX_PENDING;
		w->nr_posted--;
	} else {
		hist_add(&w->run->wakeup, now_us(sim) - w->stamp / NSEC_PER_USEC);
		w->stamp = sim_now(sim);
	}
}

static void worker_done(struct schbench_worker *w, struct sim *sim)
{
	struct schbench_run *run = w->run;
	u64 us = now_us(sim) - w->stamp / NSEC_PER_USEC, think = run->think / NSEC_PER_USEC;

	run->requests++;
	if (run->new)
		hist_add(&run->request, us);
	else if (run->rps)
		hist_add(&run->wakeup, us > think ? us - think : 0);
}

static void old_next(struct schbench_worker *w, struct sim_step *step)
{
	w->state = WORKER_DONE;
	step->op = SIM_RUN_WALL;
	step->ns = w->run->think;
}

static void new_next(struct schbench_worker *w, struct sim_task *t, struct sim_step *step)
{
	struct schbench_run *run = w->run;

	switch (w->state) {
	case WORKER_WOKEN:
		w->state = WORKER_LOCK;
		step->op = SIM_SLEEP;
		step->ns = run->sleep;
		return;
	case WORKER_LOCK:
		w->state = WORKER_WORK;
		w->mutex = run->mutex ? run->mutex[sim_task_cpu(t)] : NULL;
		step->op = w->mutex ? SIM_LOCK : SIM_NOP;
		step->mutex = w->mutex;
		return;
	case WORKER_WORK:
		w->state = WORKER_UNLOCK;
		step->op = SIM_RUN;
		step->ns = run->work;
		return;
	default:
		w->state = WORKER_DONE;
		step->op = w->mutex ? SIM_UNLOCK : SIM_NOP;
		step->mutex = w->mutex;
		return;
	}
}

static void worker_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct schbench_worker *w = sim_task_arg(t);

	if (w->state == WORKER_DONE) {
		worker_done(w, sim);
		w->state = WORKER_QUEUE;
	}
	switch (w->state) {
	case WORKER_QUEUE:
		worker_queue(w, step);
		return;
	case WORKER_WAIT:
		w->state = WORKER_WOKEN;
		wait_for(step, w->sem);
		return;
	case WORKER_WOKEN:
		worker_woken(w, sim);
		break;
	default:
		break;
	}
	if (w->run->new)
		new_next(w, t, step);
	else
		old_next(w, step);
}

/* ---- messengers ---- */

static void messenger_next(struct schbench_messenger *m, struct sim *sim, struct sim_step *step)
{
	struct schbench_run *run = m->run;

	switch (m->state) {
	case MESSENGER_TAKE:
		m->posted = false;
		m->waking = m->list;
		m->list = NULL;
		m->stamp = sim_now(sim);
		m->state = MESSENGER_WAKE;
		/* fall through */
	case MESSENGER_WAKE:
		if (m->waking) {
			struct schbench_worker *w = m->waking;

			m->waking = w->next;
			w->stamp = m->stamp;
			post(step, w->sem);
			return;
		}
		m->state = run->new ? MESSENGER_TAKE : MESSENGER_SPIN;
		wait_for(step, m->sem);
		return;
	case MESSENGER_SPIN:
		m->state = MESSENGER_SLEEP;
		step->op = SIM_RUN_WALL;
		step->ns = run->spin;
		return;
	case MESSENGER_SLEEP:
		m->state = MESSENGER_TAKE;
		step->op = SIM_SLEEP;
		step->ns = run->sleep +
			   (run->sleep >= 4 ? rng_below(sim_rng(sim), run->sleep / 4) : 0);
		return;
	}
}

/* A request that no worker has room for is forgotten. */
static void messenger_post(struct schbench_messenger *m, struct sim *sim, struct sim_step *step)
{
	struct schbench_run *run = m->run;

	if (sim_now(sim) < m->due) {
		step->op = SIM_SLEEP_UNTIL;
		step->ns = m->due;
		return;
	}
	m->due += run->period;
	step->op = SIM_NOP;
	for (int i = 0; i < run->workers; i++) {
		struct schbench_worker *w = &m->worker[m->next_worker];

		m->next_worker = (m->next_worker + 1) % run->workers;
		if (w->nr_posted == SCHBENCH_MAX_PENDING)
			continue;
		w->posted[(w->first_posted + w->nr_posted++) % SCHBENCH_MAX_PENDING] = sim_now(sim);
		post(step, w->sem);
		return;
	}
}

static void any_messenger_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct schbench_messenger *m = sim_task_arg(t);

	if (m->forked < m->run->workers) {
		step->op = SIM_FORK;
		step->spawn = &m->worker[m->forked++].spawn;
	} else if (m->run->rps) {
		if (!m->due)
			m->due = sim_now(sim);
		messenger_post(m, sim, step);
	} else {
		messenger_next(m, sim, step);
	}
}

const struct sim_program schbench_worker_program = { "worker", worker_next };
const struct sim_program schbench_messenger_program = { "messenger", any_messenger_next };
