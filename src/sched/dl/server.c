// SPDX-License-Identifier: BSD-2-Clause
/*
 * server.c - the fair server of a CPU: a deadline entity that runs fair tasks (spec 08 §5,
 * 16 §12).
 *
 * It is deferred: while fair tasks, or nobody, use up its budget by themselves, nothing happens.
 * That needs no counting as long as nothing above fair is about. So the server is woken only when
 * a task of a higher class is picked while fair ones wait: where it stands by then follows from
 * how long the CPU has been busy, since without such tasks one budget follows the other.
 */
#include "sched/dl/dl.h"

#define RESOLUTION NSEC_PER_MSEC /* a timer that fires earlier than that is set again */

static bool enabled(const struct sched *s)
{
	return s->rtd.server_runtime;
}

static void arm(struct sched *s, struct rq *rq)
{
	struct sched_dl_entity *se = &rq->dl.server;

	class_timer_arm(s, rq, &se->timer, max(se->deadline - (u64)se->runtime, rq->clock));
}

/*
 * The budget was used up while deferred, at the latest now: a new period began with each time.
 */
static void used_up_deferred(struct sched *s, struct rq *rq)
{
	struct sched_dl_entity *se = &rq->dl.server;
	u64 over = -se->runtime, left = over % se->dl_runtime;

	se->deadline = rq->clock - left + se->dl_period;
	se->runtime = se->dl_runtime - left;
	arm(s, rq);
}

static void used_up_running(struct sched *s, struct rq *rq)
{
	struct sched_dl_entity *se = &rq->dl.server;

	se->throttled = true;
	dl_entity_out(s, rq, se);
	class_timer_arm(s, rq, &se->timer, max(se->deadline, rq->clock));
	resched_curr(s, rq, rq->cpu);
}

/* since the mark the CPU ran what it runs now; fair tasks and idling use the budget */
void server_sync(struct sched *s, struct rq *rq)
{
	struct sched_dl_entity *se = &rq->dl.server;
	u64 span = rq->clock - rq->dl.server_mark;

	rq->dl.server_mark = rq->clock;
	if (rq->curr_above_fair)
		return;
	se->runtime -= span;
	if (se->runtime > 0)
		return;
	if (se->queued)
		used_up_running(s, rq);
	else if (rq->dl.server_deferred)
		used_up_deferred(s, rq);
}

static void serve(struct sched *s, struct rq *rq)
{
	struct sched_dl_entity *se = &rq->dl.server;

	se->throttled = false;
	rq->dl.server_deferred = false;
	dl_entity_in(s, rq, se);
	if (rq->stop_running)
		return;
	if (!is_dl(rq->curr) || dl_before(se->deadline, rq->curr->dl.deadline))
		resched_curr(s, rq, rq->cpu);
}

void server_stop(struct sched *s, struct rq *rq)
{
	dl_entity_out(s, rq, &rq->dl.server);
	class_timer_cancel(s, &rq->dl.server.timer);
	rq->dl.server_active = rq->dl.server_deferred = rq->dl.server.throttled = false;
}

void server_offline(struct sched *s, struct rq *rq)
{
	if (rq->dl.server_active)
		server_stop(s, rq);
}

/*
 * A fair task waits while a higher class is about. @since: the CPU has been busy, or there was
 * nothing to do for it, from then on.
 */
void server_start(struct sched *s, struct rq *rq, u64 since)
{
	struct sched_dl_entity *se = &rq->dl.server;

	if (!enabled(s) || rq->dl.server_active || !rq->cfs.h_nr_queued || !rq->online)
		return;
	rq->dl.server_active = true;
	rq->dl.server_mark = rq->clock;
	rq->dl.server_deferred = true;
	if (dl_before(se->deadline, rq->clock) || since != rq->clock) {
		u64 used = (rq->clock - since) % se->dl_runtime;

		se->deadline = rq->clock - used + se->dl_period;
		se->runtime = se->dl_runtime - used;
	}
	arm(s, rq);
}

void server_timer(struct sched *s, struct rq *rq)
{
	struct sched_dl_entity *se = &rq->dl.server;

	server_sync(s, rq);
	if (se->timer.armed) /* its budget was used up meanwhile */
		return;
	if (!rq->cfs.h_nr_queued || (!rq->nr_above_fair && !rq->curr_above_fair)) {
		server_stop(s, rq);
		return;
	}
	if (rq->dl.server_deferred) {
		if (dl_before(rq->clock + RESOLUTION, se->deadline - (u64)se->runtime)) {
			arm(s, rq);
			return;
		}
	} else {
		dl_replenish(rq, se);
	}
	serve(s, rq);
}

/* a fair task runs at a tick, and the server may be why */
void server_tick(struct sched *s, struct rq *rq)
{
	if (rq->dl.server.queued)
		server_sync(s, rq);
}

bool server_first(const struct rq *rq)
{
	const struct sched_dl_entity *se = dl_first(rq);

	return se && se->is_server && rq->cfs.h_nr_runnable;
}

struct task *server_pick(struct sched *s, struct rq *rq)
{
	struct task *p = rq->cfs.nr_queued ? fair_pick_task(s, rq) : NULL;

	rq_update_idle(s, rq); /* delayed ones may have left */
	if (!p)
		server_stop(s, rq);
	return p;
}
