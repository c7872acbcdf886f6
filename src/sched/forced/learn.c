// SPDX-License-Identifier: BSD-2-Clause
/*
 * learn.c - what a wake-up that went elsewhere shows of what placing goes by (forced.h).
 */
#include "sched/forced.h"
#include "sched/internal.h"

static bool goes_to(const struct sched *s, u64 now, const struct wake_query *q, int to,
		    struct wake_decision *d)
{
	sched_wake_decide(s, now, q, d);
	return d->target == to;
}

/* the nearest depth of the search in @llc with which it ends at @to */
static bool learn_depth(const struct sched *s, u64 now, const struct wake_query *q, int to,
			struct llc *llc, struct wake_decision *d)
{
	int was = llc->nr_idle_scan;

	if (!feat(s, FEAT_SIS_UTIL))
		return false;
	for (int by = 1; by <= llc->nr_cpus; by++) {
		llc->nr_idle_scan = was + by;
		if (llc->nr_idle_scan <= llc->nr_cpus && goes_to(s, now, q, to, d))
			return true;
		llc->nr_idle_scan = was - by;
		if (llc->nr_idle_scan >= 0 && goes_to(s, now, q, to, d))
			return true;
	}
	llc->nr_idle_scan = was;
	return false;
}

static bool learn_cores(const struct sched *s, u64 now, const struct wake_query *q, int to,
			struct llc *llc, struct wake_decision *d)
{
	if (!s->smt_active)
		return false;
	llc->has_idle_cores = !llc->has_idle_cores;
	if (goes_to(s, now, q, to, d))
		return true;
	llc->has_idle_cores = !llc->has_idle_cores;
	return false;
}

/* as few flips more or less as part it from its waker, or join them */
static bool learn_flips(const struct sched *s, u64 now, const struct wake_query *q, int to,
			struct wake_decision *d)
{
	unsigned int was = q->p->wakee_flips, factor = (unsigned int)cpu_rq(s, q->cpu)->llc_size;

	q->p->wakee_flips = was < factor ? factor : factor - 1;
	if (goes_to(s, now, q, to, d))
		return true;
	q->p->wakee_flips = was;
	return false;
}

enum wake_lesson sched_wake_learn(struct sched *s, u64 now, const struct wake_query *q, int to,
				  struct wake_decision *d)
{
	enum wake_lesson lesson = LESSON_NONE;
	struct llc *llc = cpu_rq(s, to)->llc;
	sched_sink_fn sink = s->sink;

	s->sink = NULL; /* these aren't decisions */
	if (llc && learn_depth(s, now, q, to, llc, d))
		lesson = LESSON_DEPTH;
	else if (llc && learn_cores(s, now, q, to, llc, d))
		lesson = LESSON_CORES;
	else if (learn_flips(s, now, q, to, d))
		lesson = LESSON_FLIPS;
	s->sink = sink;
	return lesson;
}
