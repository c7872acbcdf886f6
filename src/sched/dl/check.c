// SPDX-License-Identifier: BSD-2-Clause
/*
 * check.c - recounts what the deadline class keeps incrementally.
 */
#include <errno.h>

#include "sched/dl/dl.h"
#include "sched/task.h"

#define FAIL(err, rq, fmt, ...)                                                                    \
	return err_set(err, -EINVAL, "CPU %d, deadline queue: " fmt, (rq)->cpu, __VA_ARGS__)

static int check_entity(const struct rq *rq, const struct sched_dl_entity *se, int *pushable,
			struct err *err)
{
	const struct task *p;
	bool waits;

	if (!se->queued || se->throttled)
		FAIL(err, rq, "an entity of the tree has queued %d, throttled %d", se->queued,
		     se->throttled);
	if (se->is_server)
		return 0;
	p = dl_task_of(se);
	waits = p != rq->curr && p->nr_allowed > 1;
	if (!is_dl(p) || !p->on_rq || p->cpu != rq->cpu || p->prio != MAX_DL_PRIO - 1)
		FAIL(err, rq, "task %d in the tree has class %d, queued %d, CPU %d", p->id,
		     p->class_id, p->on_rq, p->cpu);
	if (waits != se->pushable)
		FAIL(err, rq, "task %d waits and may move: %d, but is pushable: %d", p->id, waits,
		     se->pushable);
	*pushable += waits;
	return 0;
}

/* bandwidth of the tasks whose CPU this is */
static int check_bw(const struct sched *s, const struct rq *rq, struct err *err)
{
	u64 this_bw = rq->dl.this_bw, running_bw = rq->dl.running_bw;
	const struct task_chunk *chunk;
	const struct task *p;

	this_bw -= s->rtd.server_bw;
	for_each_task_slot(s, chunk, p) {
		if (!p->in_use || p->cpu != rq->cpu)
			continue;
		if (p->dl.counted_bw)
			this_bw -= p->dl.dl_bw;
		if (p->dl.counted_running)
			running_bw -= p->dl.dl_bw;
		if (is_dl(p) && p->on_rq && !(p->dl.counted_bw && p->dl.counted_running))
			FAIL(err, rq, "task %d is queued but not counted", p->id);
	}
	if (this_bw || running_bw)
		FAIL(err, rq, "this_bw and running_bw are off by %lld and %lld", (long long)this_bw,
		     (long long)running_bw);
	return 0;
}

int dl_check(const struct sched *s, const struct rq *rq, struct err *err)
{
	const struct sched_dl_entity *last = NULL;
	int nr = rb_check(&rq->dl.root), waiting = rb_check(&rq->dl.pushable), pushable = 0;

	if (nr != rq->dl.nr_running)
		FAIL(err, rq, "%d entities, kept as %d", nr, rq->dl.nr_running);
	for (struct rb_node *n = rb_first(&rq->dl.root); n; n = rb_next(n)) {
		const struct sched_dl_entity *se = container_of(n, struct sched_dl_entity, node);
		int rc = check_entity(rq, se, &pushable, err);

		if (rc)
			return rc;
		if (last && dl_before(se->deadline, last->deadline))
			FAIL(err, rq, "out of order%s", "");
		last = se;
	}
	if (waiting != pushable || mask_test(s->rtd.dl_overloaded, rq->cpu) != (waiting > 0))
		FAIL(err, rq, "%d tasks may move, %d are pushable, overloaded is %d", pushable,
		     waiting, mask_test(s->rtd.dl_overloaded, rq->cpu));
	if (mask_test(s->rtd.dl_free, rq->cpu) != !nr)
		FAIL(err, rq, "free of deadline tasks: %d", mask_test(s->rtd.dl_free, rq->cpu));
	return check_bw(s, rq, err);
}

int dl_check_total(const struct sched *s, struct err *err)
{
	u64 total[s->nr_rds + 1];
	const struct task_chunk *chunk;
	const struct task *p;

	for (int i = 0; i <= s->nr_rds; i++)
		total[i] = s->rd[i].total_bw - s->rtd.server_bw * s->rd[i].nr_cpus;
	for_each_task_slot(s, chunk, p) {
		if (!p->in_use)
			continue;
		if (is_dl(p) && p->state != TASK_DEAD && !p->dl.counted_total)
			return err_set(err, -EINVAL, "task %d: its bandwidth isn't counted", p->id);
		if (p->dl.counted_total)
			total[p->dl.total_rd] -= p->dl.dl_bw;
	}
	for (int i = 0; i <= s->nr_rds; i++)
		if (total[i])
			return err_set(err, -EINVAL, "deadline bandwidth is off by %lld",
				       (long long)total[i]);
	return 0;
}
