/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * group.c - task groups: a queue per CPU, an entity that stands for it on the
 * queue above, and the group's share there (spec 09 §1, 16 §3.4).
 */
#include <errno.h>

#include "base/arena.h"
#include "sched/fair/fair.h"

/* made below a group that has a limit, and may be throttled just now */
static void inherit_throttling(struct cfs_rq *cfs_rq, const struct cfs_rq *parent)
{
	cfs_rq->limited = parent->limited;
	cfs_rq->throttle_count = parent->throttle_count;
	if (!cfs_rq->throttle_count)
		return;
	cfs_rq->pelt_frozen = true;
	cfs_rq->pelt_frozen_at = rq_clock_pelt(cfs_rq->rq);
}

static void init_cfs_rq(const struct sched *s, struct rq *rq, struct cfs_rq *cfs_rq, struct task_group *tg)
{
	cfs_rq->rq = rq;
	cfs_rq->tg = tg;
	cfs_rq->load.truncates = s->k.rules.scale_down == SCALE_DOWN_TRUNCATES;
	/* far from zero, so that a difference below it doesn't wrap */
	cfs_rq->min_vruntime = 1ULL << 40;
	list_init(&cfs_rq->leaf_node);
	list_init(&cfs_rq->throttled_node);
	list_init(&cfs_rq->limbo);
	if (tg->parent)
		inherit_throttling(cfs_rq, tg->parent->cfs_rq[rq->cpu]);
}

void fair_init_rq(struct sched *s, struct rq *rq)
{
	init_cfs_rq(s, rq, &rq->cfs, &s->root_tg);
	list_init(&rq->cfs_tasks);
	list_init(&rq->leaf_cfs_rq_list);
}

static struct load_weight group_weight(const struct sched *s, u64 share)
{
	struct load_weight lw = {
		.weight = share,
		.truncates = s->k.rules.scale_down == SCALE_DOWN_TRUNCATES,
	};

	lw.inv_weight = share == NICE_0_LOAD ? 1U << 22 : weight_inverse(&lw);
	return lw;
}

static int init_group_queues(struct sched *s, struct task_group *tg)
{
	for (int cpu = 0; cpu < s->nr_cpus; cpu++) {
		struct sched_entity *se = arena_alloc(s->arena, sizeof(*se));
		struct cfs_rq *cfs_rq = arena_alloc(s->arena, sizeof(*cfs_rq));

		if (!se || !cfs_rq)
			return -ENOMEM;
		init_cfs_rq(s, cpu_rq(s, cpu), cfs_rq, tg);
		/* one tree for all levels: what a task runs is to be told to its groups */
		cpu_rq(s, cpu)->cfs.accounts |= is_flat(s);
		cfs_rq->my_se = se;
		se->my_q = cfs_rq;
		se->cfs_rq = tg->parent->cfs_rq[cpu];
		se->parent = tg->parent->se[cpu];
		se->depth = se->parent ? se->parent->depth + 1 : 0;
		se->slice = s->base_slice;
		se->idle_group = tg->idle;
		set_entity_load(s, se, group_weight(s, NICE_0_LOAD));
		tg->cfs_rq[cpu] = cfs_rq;
		tg->se[cpu] = se;
	}
	return 0;
}

/**
 * fair_group_init() - give @tg its queues and entities on every CPU
 *
 * tg->parent and tg->shares are set; the root group has no parent and takes the
 * run queues' own queues.
 *
 * Return: 0 or -ENOMEM.
 */
int fair_group_init(struct sched *s, struct task_group *tg, struct err *err)
{
	tg->cfs_rq = arena_array(s->arena, s->nr_cpus, sizeof(*tg->cfs_rq));
	tg->se = arena_array(s->arena, s->nr_cpus, sizeof(*tg->se));
	if (!tg->cfs_rq || !tg->se)
		return err_set(err, -ENOMEM, "no memory for a task group's queues");
	bandwidth_init(s, tg);
	if (tg->parent) {
		if (init_group_queues(s, tg))
			return err_set(err, -ENOMEM, "no memory for a task group's queues");
		return 0;
	}
	for (int cpu = 0; cpu < s->nr_cpus; cpu++)
		tg->cfs_rq[cpu] = &cpu_rq(s, cpu)->cfs;
	return 0;
}

/* the task is to be queued on @cpu, in its group */
void set_task_rq(struct sched *s, struct task *p, int cpu)
{
	struct task_group *tg = p->tg;

	if (!tg || !tg->parent) {
		p->se.cfs_rq = &cpu_rq(s, cpu)->cfs;
		p->se.parent = NULL;
		p->se.depth = 0;
		return;
	}
	p->se.cfs_rq = tg->cfs_rq[cpu];
	p->se.parent = tg->se[cpu];
	p->se.depth = p->se.parent->depth + 1;
}

/* ---- the group's load over all CPUs (spec 03 §5.4, 16 §15) ---- */

static bool moved_enough(long now, long contrib)
{
	long delta = now - contrib;

	return (delta < 0 ? -delta : delta) > contrib / 64;
}

void update_tg_load_avg(struct sched *s, struct cfs_rq *cfs_rq)
{
	struct task_group *tg = cfs_rq->tg;
	long load = cfs_rq->avg.load_avg, runnable = 0;

	if (!cfs_rq->my_se)
		return;
	if (s->k.rules.share == SHARE_CONCUR)
		runnable = cfs_rq->avg.runnable_avg;
	if (!moved_enough(load, cfs_rq->tg_load_avg_contrib) &&
	    !moved_enough(runnable, cfs_rq->tg_runnable_avg_contrib))
		return;
	if (s->k.rules.tg_load_rate_limit) {
		u64 now = cfs_rq->rq->clock;

		if (now - cfs_rq->last_update_tg_load_avg < NSEC_PER_MSEC)
			return;
		cfs_rq->last_update_tg_load_avg = now;
	}
	tg->load_avg += load - (long)cfs_rq->tg_load_avg_contrib;
	cfs_rq->tg_load_avg_contrib = load;
	tg->runnable_avg += runnable - (long)cfs_rq->tg_runnable_avg_contrib;
	cfs_rq->tg_runnable_avg_contrib = runnable;
}

/* ---- shares ---- */

/* the group's weight is shared out by where its load is */
static u64 share_of_load(const struct task_group *tg, const struct cfs_rq *cfs_rq, u64 shares)
{
	u64 load = max(load_down(&cfs_rq->load), (u64)cfs_rq->avg.load_avg);
	s64 total = tg->load_avg - (s64)cfs_rq->tg_load_avg_contrib + (s64)load;
	u64 share = shares * load;

	if (total > 0)
		share = (u64)((u128)shares * load / (u64)total);
	return clamp(share, (u64)MIN_SHARES, shares);
}

static u64 group_share(const struct sched *s, const struct cfs_rq *cfs_rq)
{
	const struct task_group *tg = cfs_rq->tg;
	u64 tasks, n = 1;

	if (s->k.rules.share == SHARE_CONCUR) {
		tasks = max(tg->runnable_avg >> 10, 1L);
		n = min(tasks, (u64)max(s->nr_online, 1));
	}
	return share_of_load(tg, cfs_rq, n * tg->shares);
}

/**
 * update_cfs_group() - new share of a group entity (spec 09 §1)
 *
 * Called where load below it changed; a queue without load keeps the old one.
 */
void update_cfs_group(struct sched *s, struct sched_entity *se)
{
	struct cfs_rq *gcfs_rq = se->my_q;
	u64 share;

	if (!gcfs_rq || !gcfs_rq->load.weight || gcfs_rq->throttle_count)
		return;
	share = group_share(s, gcfs_rq);
	if (share != se->load.weight)
		reweight_entity(s, se->cfs_rq, se, group_weight(s, share));
}
