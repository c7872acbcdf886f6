// SPDX-License-Identifier: BSD-2-Clause
/*
 * fork_stats.c - statistics of a group for fork and exec (spec 05 §3).
 *
 * An idle CPU whose averages have decayed to zero adds nothing but its bit, so
 * only CPUs with tasks or load are visited; the idle ones are counted by words.
 */
#include "sched/place/fork.h"

/* the CPUs the statistics range over, word by word */
static u64 stats_word(const struct sched *s, const struct sched_group *g, const struct task *p,
		      int word)
{
	if (s->k.rules.fork_stats == FORK_STATS_MASKED && !p->allowed_all)
		return g->span[word] & p->allowed[word];
	return g->span[word];
}

/* @a - @b, not below zero */
static u64 without(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

static void add_cpu(const struct sched *s, int cpu, const struct task *p, struct fork_stats *st)
{
	const struct rq *rq = cpu_rq(s, cpu);
	u64 load = cpu_load(rq), util = cpu_util_cfs(s, cpu), runnable = cpu_runnable(rq);
	int nr = rq->nr_running;

	if (unlikely(p->on_rq && p->cpu == cpu)) { /* exec: as if it weren't here */
		load = without(load, task_h_load(s, p));
		util = cpu_util_without(s, cpu, p);
		runnable = without(runnable, p->se.avg.runnable_avg);
		if (!--nr && rq->curr == p && !rq->ttwu_pending)
			st->idle_cpus++;
	}
	st->load += load;
	st->util += util;
	st->runnable += runnable;
	st->nr_running += nr;
}

static bool any_cpu_fits(const struct sched *s, const struct sched_group *g, const struct task *p)
{
	for (int i = g->lo_word; i <= g->hi_word; i++)
		for (u64 w = stats_word(s, g, p, i); w; w &= w - 1)
			if (task_fits_cpu(s, p, i * 64 + __builtin_ctzll(w)) > 0)
				return true;
	return false;
}

/* the classification of spec 06 §4; packing and smt types arise in balancing only */
static enum fork_group_type classify(const struct sched_group *g, int pct,
				     const struct fork_stats *st)
{
	u64 capacity = g->sgc->capacity;
	bool runnable_high = capacity * pct < st->runnable * 100;

	if (st->nr_running > g->weight && (capacity * 100 < st->util * pct || runnable_high))
		return FORK_OVERLOADED;
	if (g->sgc->imbalance)
		return FORK_IMBALANCED;
	if (st->misfit)
		return FORK_MISFIT;
	if (st->nr_running < g->weight || (!runnable_high && capacity * 100 > st->util * pct))
		return FORK_HAS_SPARE;
	return FORK_FULLY_BUSY;
}

void fork_group_stats(const struct sched *s, const struct sched_domain *sd,
		      const struct sched_group *g, const struct task *p, struct fork_stats *st)
{
	*st = (struct fork_stats){0};
	for (int i = g->lo_word; i <= g->hi_word; i++) {
		u64 span = stats_word(s, g, p, i);

		st->idle_cpus += __builtin_popcountll(span & s->idle_mask[i]);
		for (u64 w = span & (s->busy_mask[i] | s->load_mask[i]); w; w &= w - 1)
			add_cpu(s, i * 64 + __builtin_ctzll(w), p, st);
	}
	if (sd->flags & SD_ASYM_CPUCAPACITY)
		st->misfit = !any_cpu_fits(s, g, p);
	st->type = classify(g, sd->imbalance_pct, st);
	if (st->type == FORK_FULLY_BUSY || st->type == FORK_OVERLOADED)
		st->avg_load = st->load * SCHED_CAPACITY_SCALE / g->sgc->capacity;
}
