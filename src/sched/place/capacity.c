// SPDX-License-Identifier: BSD-2-Clause
/*
 * capacity.c - mixed capacities: an idle CPU with room for the task (spec 04 §5.5, 16 §9.3).
 *
 * Machines with CPUs of several sizes are small: the domain is walked CPU by CPU.
 */
#include "sched/place/place.h"

/*
 * How good a free CPU is: an idle core comes first, then room, then room but for the performance
 * that the task would like, then size.
 */
struct candidate {
	int cpu; /* -1: none */
	bool idle_core;
	int fits; /* as util_fits_cpu() has it */
	unsigned long capacity;
};

/* A walk from the target on. */
struct walk {
	struct wake_ctx *c;
	unsigned long util;
	bool cores;    /* an idle core beats everything else */
	bool has_core; /* … and there may be one: no limit then */
	int left;      /* CPUs that may be read */
	int read;
	struct candidate best;
};

/* 1, -1, 0 in this order */
static int fit_rank(int fits)
{
	return fits > 0 ? 2 : -fits;
}

static bool better(const struct candidate *a, const struct candidate *b)
{
	if (b->cpu < 0)
		return true;
	if (a->idle_core != b->idle_core)
		return a->idle_core;
	if (a->fits != b->fits)
		return fit_rank(a->fits) > fit_rank(b->fits);
	return a->capacity > b->capacity;
}

/* Return: true if @cpu ends the walk, being as good as can be or one too many */
static bool visit(struct walk *w, int cpu)
{
	const struct sched *s = w->c->s;
	struct candidate cand = { .cpu = cpu };

	if (!w->has_core && !w->left--)
		return true;
	work_inspect(s, w->c->w, w->c->q->cpu, cpu);
	w->read++;
	if (!cpu_is_free(w->c, cpu))
		return false;
	cand.idle_core = !w->cores || siblings_idle(s, cpu_rq(s, cpu));
	cand.fits = util_fits_cpu(w->c, w->util, cpu);
	cand.capacity = cand.fits < 0 ? s->rq[cpu].cpu_capacity_orig : s->rq[cpu].cpu_capacity;
	if (better(&cand, &w->best))
		w->best = cand;
	return cand.idle_core && cand.fits > 0;
}

static void walk(struct walk *w, const struct sched_domain *sd, int target)
{
	const struct sched *s = w->c->s;
	const u64 *allowed = w->c->p->allowed;
	int cpu;

	for (cpu = mask_next_and(sd->span, allowed, target, s->words); cpu >= 0;
	     cpu = mask_next_and(sd->span, allowed, cpu + 1, s->words))
		if (visit(w, cpu))
			return;
	for (cpu = mask_next_and(sd->span, allowed, 0, s->words); cpu >= 0 && cpu < target;
	     cpu = mask_next_and(sd->span, allowed, cpu + 1, s->words))
		if (visit(w, cpu))
			return;
}

static int chosen_by_capacity(const struct walk *w, int target)
{
	struct wake_ctx *c = w->c;
	int cpu = w->best.cpu >= 0 ? w->best.cpu : target;
	int reason = w->best.cpu < 0 ? REASON_NO_IDLE
		     : w->best.fits > 0 ? REASON_CAPACITY_FIT
				     : REASON_IDLE_CPU;

	EXPLAIN(c->s, .now = c->now, .cpu = c->q->cpu, .p = c->p, .step = STEP_CAPACITY,
		.reason = reason, .candidate = cpu, .taken = w->best.cpu >= 0,
		.value = { w->read, (s64)w->util, w->has_core });
	return chosen(c, cpu, reason);
}

int select_idle_capacity(struct wake_ctx *c, int target, unsigned long util)
{
	const struct sched *s = c->s;
	const struct asym_shared *shared = s->rq[target].asym_shared;
	struct walk w = { .c = c, .util = util, .left = INT_MAX, .best = { .cpu = -1 } };

	if (shared) { /* 7.3 */
		w.cores = s->smt_active;
		w.has_core = s->smt_active && shared->has_idle_cores;
		if (feat(s, FEAT_SIS_UTIL)) {
			w.left = shared->nr_idle_scan;
			if (!w.left) {
				EXPLAIN(s, .now = c->now, .cpu = c->q->cpu, .p = c->p,
					.step = STEP_LIMIT, .reason = REASON_SCAN_GIVEN_UP,
					.candidate = target, .taken = true,
					.value = { 0, -1, 0, w.has_core });
				return chosen(c, target, REASON_SCAN_GIVEN_UP);
			}
		}
	}
	walk(&w, s->rq[target].sd_asym_cpucapacity, target);
	if (w.has_core && !(w.best.cpu >= 0 && w.best.idle_core)) {
		c->d->clear_asym_cores = true;
		c->d->asym_cores_cpu = target;
	}
	return chosen_by_capacity(&w, target);
}
