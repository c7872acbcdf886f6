// SPDX-License-Identifier: BSD-2-Clause
/*
 * check.c - recounts what the realtime class keeps incrementally.
 */
#include <errno.h>

#include "sched/rt/rt.h"

#define FAIL(err, rq, fmt, ...)                                                                    \
	return err_set(err, -EINVAL, "CPU %d, realtime queue: " fmt, (rq)->cpu, __VA_ARGS__)

static int check_list(const struct rq *rq, int prio, int *nr, int *pushable, struct err *err)
{
	const struct task *p;

	list_for_each_entry(p, &rq->rt.queue[prio], rt.run_list) {
		bool waits = p != rq->curr && p->nr_allowed > 1;

		if (p->class_id != CLASS_RT || p->prio != prio || !p->on_rq || p->cpu != rq->cpu)
			FAIL(err, rq, "task %d in list %d has class %d, priority %d, CPU %d", p->id,
			     prio, p->class_id, p->prio, p->cpu);
		if (waits != !list_empty(&p->rt.pushable))
			FAIL(err, rq, "task %d waits and may move: %d, but is pushable: %d", p->id,
			     waits, !waits);
		*pushable += waits;
		(*nr)++;
	}
	return 0;
}

static int check_pushable(const struct sched *s, const struct rq *rq, int pushable, struct err *err)
{
	const struct task *p;
	int prio = -1;

	list_for_each_entry(p, &rq->rt.pushable, rt.pushable) {
		if (p->prio < prio)
			FAIL(err, rq, "pushable tasks out of order at task %d", p->id);
		prio = p->prio;
		pushable--;
	}
	if (pushable)
		FAIL(err, rq, "%d pushable tasks more than listed", pushable);
	if (mask_test(s->rtd.rt_overloaded, rq->cpu) != (prio >= 0))
		FAIL(err, rq, "overloaded says %d", mask_test(s->rtd.rt_overloaded, rq->cpu));
	return 0;
}

static int check_level(const struct sched *s, const struct rq *rq, struct err *err)
{
	int expected = rq->dl.nr_running      ? CPUPRI_HIGHER :
		       rq->rt.highest == RT_PRIO_NONE ? CPUPRI_NORMAL :
							RT_PRIO_NONE - rq->rt.highest;

	if (rq->online && rq->cpupri != expected)
		FAIL(err, rq, "stands in level %d instead of %d", rq->cpupri, expected);
	for (int l = 0; l < NR_CPUPRI; l++)
		if (mask_test(s->rtd.cpupri[l], rq->cpu) != (l == rq->cpupri))
			FAIL(err, rq, "level %d's set is wrong", l);
	return 0;
}

int rt_check(const struct sched *s, const struct rq *rq, struct err *err)
{
	const struct rt_rq *rt = &rq->rt;
	int nr = 0, pushable = 0, first = RT_PRIO_NONE, rc = 0;

	for (int prio = MAX_RT_PRIO - 1; !rc && prio >= 0; prio--) {
		if (!(rt->bitmap[prio / 64] >> prio % 64 & 1))
			continue;
		if (list_empty(&rt->queue[prio]))
			FAIL(err, rq, "list %d is empty, its bit is set", prio);
		first = prio;
		rc = check_list(rq, prio, &nr, &pushable, err);
	}
	if (rc)
		return rc;
	if (nr != rt->nr_running || first != rt->highest)
		FAIL(err, rq, "%d tasks, first priority %d; kept as %d, %d", nr, first,
		     rt->nr_running, rt->highest);
	rc = check_pushable(s, rq, pushable, err);
	return rc ? rc : check_level(s, rq, err);
}
