// SPDX-License-Identifier: BSD-2-Clause
/*
 * run.c - what runs: block, yield, pick, switch, and the CPU's way into idle.
 *
 * Classes in order: the stopper (which the host runs, stop.c), deadline and realtime (class.c),
 * fair, idle.
 */
#include <assert.h>

#include "sched/class.h"
#include "sched/forced.h"
#include "sched/info.h"
#include "sched/place/place.h"

void sched_block(struct sched *s, u64 now, int cpu, bool dead)
{
	struct rq *rq = cpu_rq(s, cpu);
	struct task *p = rq->curr;

	assert(p && p->on_rq);
	update_rq_clock(s, rq, now);
	p->state = dead ? TASK_DEAD : TASK_SLEEPING;
	p->nvcsw++;
	deactivate_task(s, rq, p, DEQUEUE_SLEEP | (dead ? DEQUEUE_SPECIAL : 0));
	if (unlikely(sis_short_on(s) || sis_current_on(s)))
		sis_short_account(s, p);
	if (unlikely(sis_cache_on(s)))
		sis_cache_sleep(rq, p);
}

void sched_yield_task(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);

	update_rq_clock(s, rq, now);
	rq->yld_count++;
	if (rq->curr && task_is_fair(rq->curr))
		fair_yield_task(s, rq);
	else if (rq->curr)
		class_of(rq->curr)->yield(s, rq, rq->curr);
}

/* @rq's idle task is switched out (spec 04 §1.9, 7.3 form) */
static void leave_idle(struct sched *s, struct rq *rq)
{
	rq->curr_is_idle = false;
	if (s->k.rules.idle_stamp == STAMP_UNTIL_IDLE_EXIT)
		update_avg_idle(s, rq);
}

/* @rq's idle task is picked */
static void go_idle(struct sched *s, struct rq *rq)
{
	rq->sched_goidle++;
	rq_clock_pelt_enter_idle(s, rq);
}

/* @rq's idle task runs, the switch is over: searchers see it from now on */
static void enter_idle(struct sched *s, struct rq *rq)
{
	rq->curr_is_idle = true;
	rq_update_idle(s, rq);
	/* @rq's own state isn't asked: with a wake-up pending it goes idle all the same */
	if (s->smt_active && rq->llc && !rq->llc->has_idle_cores && siblings_idle(s, rq))
		rq->llc->has_idle_cores = true; /* spec 04 §6 */
	if (unlikely(rq->asym_shared) && siblings_idle(s, rq))
		rq->asym_shared->has_idle_cores = true;
}

/* one of both is of a class above fair */
static __attribute__((noinline)) void
put_prev_set_next(struct sched *s, struct rq *rq, struct task *prev, struct task *next)
{
	if (rq->dl.server_active)
		server_sync(s, rq);
	rq->curr_above_fair = next && !task_is_fair(next);
	if (prev && task_is_fair(prev))
		fair_put_prev_task(s, rq, prev);
	else if (prev)
		class_of(prev)->put_prev(s, rq, prev);
	if (next && task_is_fair(next))
		fair_set_next_task(s, rq, next);
	else if (next)
		class_of(next)->set_next(s, rq, next);
	if (rq->curr_above_fair && rq->cfs.h_nr_queued)
		server_start(s, rq, rq->busy_since);
}

static void switch_to(struct sched *s, struct rq *rq, struct task *prev, struct task *next)
{
	if (likely(!rq->curr_above_fair && (!next || task_is_fair(next))))
		fair_put_prev_set_next(s, rq, prev, next);
	else
		put_prev_set_next(s, rq, prev, next);
	if (prev)
		info_depart(rq, prev);
	if (next) {
		info_arrive(rq, next);
		if (rq->curr_is_idle)
			leave_idle(s, rq);
		next->on_cpu = true;
	}
	rq->curr = next;
	rq->switching = true;
	if (!next) {
		if (unlikely(sis_cache_on(s)) && prev)
			sis_cache_idle(s, rq, prev);
		go_idle(s, rq);
	}
}

void set_picked(struct sched *s, struct rq *rq, struct task *next)
{
	struct task *prev = rq->curr;

	rq->sched_count++;
	if (unlikely(s->tracks & TRACK_PSI))
		psi_picked(s, rq, next);
	if (next && task_is_fair(next))
		list_move(&next->rq_node, &rq->cfs_tasks); /* spec 14 §1.8 */
	if (next && task_is_fair(next) && unlikely(next->se.cfs_rq->throttle_count))
		task_throttle_work(s, rq, next);
	if (next != prev) {
		switch_to(s, rq, prev, next);
	} else if (!next && !rq->curr_is_idle) { /* from the stopper */
		rq->curr_above_fair = false;
		rq->switching = true;
		go_idle(s, rq);
	}
	rq->need_resched = rq->need_resched_lazy = false;
}

/* who listens hears why, before anything changes */
static void explain_pick(const struct sched *s, u64 now, int cpu)
{
	struct pick_decision d;

	sched_pick_decide(s, now, cpu, &d);
	EXPLAIN(s, .now = now, .cpu = cpu, .p = d.next, .step = STEP_PICK, .reason = d.reason,
		.candidate = cpu, .taken = true, .final = true,
		.value = {d.nr_runnable, s->rq[cpu].curr ? s->rq[cpu].curr->id : 0});
}

bool sched_pick(struct sched *s, u64 now, int cpu, bool may_balance, struct task **next)
{
	struct rq *rq = cpu_rq(s, cpu);
	struct task *p = NULL;
	bool resched = rq->need_resched;

	assert(!rq->stop_running);
	update_rq_clock(s, rq, now);
	if (unlikely(s->sink))
		explain_pick(s, now, cpu);
	rq->need_resched = true; /* what accounting asks for in here is being done already */
	if (unlikely(rq->nr_above_fair || rq->curr_above_fair))
		p = pick_above_fair(s, rq);
	if (likely(!p) && rq->cfs.nr_queued) { /* perhaps by a delayed group only, to be taken out */
		int nr = rq->nr_running;

		p = fair_pick_task(s, rq);
		if (rq->nr_running != nr) /* delayed ones left the queue */
			rq_update_idle(s, rq);
	}
	if (!p || task_is_fair(p))
		update_misfit_status(s, rq, p);
	if (!p && may_balance && !rq->ttwu_pending) {
		rq->idle_stamp = rq->clock; /* spec 06 §11.1; a pull clears it */
		rq->need_resched = resched;
		return false;
	}
	*next = p;
	set_picked(s, rq, p);
	if (unlikely(!rq->online) && p)
		drain_picked(s, rq, p);
	return true;
}

void sched_switch_done(struct sched *s, u64 now, int cpu, struct task *prev)
{
	struct rq *rq = cpu_rq(s, cpu);

	update_rq_clock(s, rq, now);
	rq->switching = false;
	if (prev && prev != rq->curr)
		prev->on_cpu = false;
	if (!rq->curr && !rq->stop_running && !rq->curr_is_idle)
		enter_idle(s, rq);
	if (unlikely(rq->push_due))
		push_above_fair(s, rq);
}

const struct task *sched_pick_peek(const struct sched *s, u64 now, int cpu)
{
	const struct rq *rq = cpu_rq(s, cpu);

	if (!rq->nr_running)
		return NULL;
	if (unlikely(rq->nr_above_fair)) {
		const struct task *p = peek_above_fair(rq);

		if (p)
			return p;
	}
	return fair_pick_peek_at(s, rq, rq->clock_task + (now > rq->clock ? now - rq->clock : 0));
}

/* ---- what the host may ask about a CPU ---- */

struct task *sched_current(const struct sched *s, int cpu)
{
	return s->rq[cpu].curr;
}

bool sched_need_resched(const struct sched *s, int cpu)
{
	return s->rq[cpu].need_resched;
}

bool sched_need_resched_lazy(const struct sched *s, int cpu)
{
	return s->rq[cpu].need_resched_lazy;
}

int sched_nr_running(const struct sched *s, int cpu)
{
	return s->rq[cpu].nr_running;
}

unsigned long sched_cpu_util(const struct sched *s, int cpu)
{
	return s->rq[cpu].cfs.avg.util_avg;
}

bool sched_cpu_idle(const struct sched *s, int cpu)
{
	return idle_cpu(s, cpu);
}

const u64 *sched_idle_mask(const struct sched *s)
{
	return s->idle_mask;
}

/* ---- idle states and frequency ---- */

void sched_idle_state(struct sched *s, int cpu, bool known, u64 exit_latency_ns)
{
	struct rq *rq = cpu_rq(s, cpu);

	rq->cstate_known = known && s->host.cpuidle;
	rq->exit_latency_ns = exit_latency_ns;
}

/*
 * The CPU joins the idle mask when its tick stops, but leaves it only at its
 * next busy tick (spec 06 §12): nohz_balance_exit_idle() does that.
 */
void sched_nohz_enter(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);

	if (unlikely(!rq->online))
		return;
	rq->has_blocked_load = true;
	if (rq->nohz_idle || unlikely(!rq->sd)) {
		s->nohz_has_blocked |= rq->nohz_idle;
		return;
	}
	s->nohz_has_blocked = true;
	rq->nohz_idle = true;
	mask_set(s->nohz_mask, cpu);
	s->nohz_needs_update = s->k.rules.nohz_next_kick;
	if (rq->nohz_busy_counted) {
		rq->nohz_busy_counted = false;
		if (rq->llc)
			rq->llc->nr_busy_cpus--;
	}
}

void sched_nohz_exit(struct sched *s, u64 now, int cpu)
{
	update_rq_clock(s, cpu_rq(s, cpu), now);
}

void sched_set_freq_scale(struct sched *s, u64 now, int cpu, u32 scale)
{
	struct rq *rq = cpu_rq(s, cpu);

	update_rq_clock(s, rq, now);
	rq->freq_scale = scale;
}
