// SPDX-License-Identifier: BSD-2-Clause
/*
 * counts.c - what a kernel shows in /proc/schedstat, as the core counted it (spec 11 §4).
 *
 * Counters are as wide as the kernel's: events 32 bits, times 64.
 */
#include "sched/internal.h"

void sched_cpu_counts(const struct sched *s, int cpu, struct sched_cpu_counts *n)
{
	const struct rq *rq = cpu_rq(s, cpu);

	*n = (struct sched_cpu_counts){
		.yld_count = rq->yld_count,
		.sched_count = rq->sched_count,
		.sched_goidle = rq->sched_goidle,
		.ttwu_count = rq->ttwu_count,
		.ttwu_local = rq->ttwu_local,
		.cpu_time = rq->rq_cpu_time,
		.run_delay = rq->run_delay,
		.pcount = rq->pcount,
	};
}

static const struct sched_domain *domain_at(const struct sched *s, int cpu, int level)
{
	const struct sched_domain *sd = cpu_rq(s, cpu)->sd;

	while (sd && level-- > 0)
		sd = sd->parent;
	return sd;
}

bool sched_domain_counts(const struct sched *s, int cpu, int level, struct sched_domain_counts *n)
{
	const struct sched_domain *sd = domain_at(s, cpu, level);

	if (!sd)
		return false;
	*n = (struct sched_domain_counts){
		.name = sd->name,
		.span = sd->span,
		.alb_count = sd->alb_count,
		.alb_failed = sd->alb_failed,
		.alb_pushed = sd->alb_pushed,
		.ttwu_wake_remote = sd->ttwu_wake_remote,
		.ttwu_move_affine = sd->ttwu_move_affine,
	};
	return true;
}

bool sched_lb_counts(const struct sched *s, int cpu, int level, enum sched_lb_kind kind,
		     struct sched_lb_counts *n)
{
	static const enum cpu_idle_type kinds[] = {
		[SCHED_LB_BUSY] = CPU_NOT_IDLE,
		[SCHED_LB_IDLE] = CPU_IDLE,
		[SCHED_LB_NEWIDLE] = CPU_NEWLY_IDLE,
	};
	static const enum migration_type types[] = {
		[SCHED_IMB_LOAD] = MIGRATE_LOAD,
		[SCHED_IMB_UTIL] = MIGRATE_UTIL,
		[SCHED_IMB_TASK] = MIGRATE_TASK,
		[SCHED_IMB_MISFIT] = MIGRATE_MISFIT,
	};
	const struct sched_domain *sd = domain_at(s, cpu, level);
	const struct lb_stats *lb;

	if (!sd)
		return false;
	lb = &sd->lb[kinds[kind]];
	*n = (struct sched_lb_counts){
		.count = lb->count,
		.balanced = lb->balanced,
		.failed = lb->failed,
		.gained = lb->gained,
		.hot_gained = lb->hot_gained,
		.nobusyq = lb->nobusyq,
		.nobusyg = lb->nobusyg,
	};
	for (int i = 0; i < NR_SCHED_IMBALANCES; i++) {
		n->imbalance_of[i] = lb->imbalance[types[i]];
		n->imbalance += n->imbalance_of[i];
	}
	return true;
}
