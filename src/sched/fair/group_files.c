/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * group_files.c - what is written into a group's files, and read from them (spec 09 §1).
 */
#include <errno.h>

#include "sched/cgroup.h"
#include "sched/fair/fair.h"
#include "sched/task.h"

u64 sched_weight_shares(u64 weight)
{
	return (weight * NICE_0_WEIGHT + CGROUP_WEIGHT_DEFAULT / 2) / CGROUP_WEIGHT_DEFAULT;
}

u64 sched_nice_shares(int nice)
{
	return sched_prio_to_weight[clamp(nice, -20, 19) + 20];
}

bool sched_autogroup_enabled(const struct sched *s)
{
	return s->k.tunable[TUN_sched_autogroup_enabled] > 0;
}

/* ---- shares ---- */

/* the new weight is shared out on every CPU, and so up to the root */
static void reshare(struct sched *s, u64 now, struct task_group *tg, u64 shares)
{
	tg->shares = shares;
	for (int cpu = 0; cpu < s->nr_cpus; cpu++) {
		struct sched_entity *se = tg->se[cpu];

		update_rq_clock(s, cpu_rq(s, cpu), now);
		for_each_sched_entity(se)
			refresh_entity(s, se);
	}
}

int sched_group_set_shares(struct sched *s, u64 now, struct task_group *tg, u64 shares,
			   struct err *err)
{
	if (!tg || !tg->parent)
		return err_set(err, -EINVAL, "the root group has no weight");
	if (tg->idle)
		return err_set(err, -EINVAL, "an idle group's weight can't be changed");
	if (shares < MIN_SHARES || shares > MAX_SHARES)
		return err_set(err, -EINVAL,
			       "group shares %llu: allowed are %d to %d (1024 is cpu.weight 100)",
			       (unsigned long long)shares, MIN_SHARES, MAX_SHARES);
	if (tg->shares != shares << WEIGHT_SHIFT)
		reshare(s, now, tg, shares << WEIGHT_SHIFT);
	return 0;
}

/* ---- cpu.idle ---- */

/* the tasks of one CPU's queue count as idle from its entity upwards, or don't any more */
static void recount_idle(struct cfs_rq *cfs_rq, bool idle)
{
	struct sched_entity *se = cfs_rq->my_se;
	int sign = idle ? 1 : -1, nr = sign * (cfs_rq->h_nr_queued - cfs_rq->h_nr_idle);

	se->idle_group = idle;
	if (!se->on_rq)
		return;
	se->cfs_rq->nr_idle += sign;
	for_each_sched_entity(se) {
		se->cfs_rq->h_nr_idle += nr;
		if (se->cfs_rq->tg->idle || se->cfs_rq->parked)
			return;
	}
}

int sched_group_set_idle(struct sched *s, u64 now, struct task_group *tg, bool idle,
			 struct err *err)
{
	if (!tg || !tg->parent)
		return err_set(err, -EINVAL, "the root group can't be idle");
	if (!s->k.rules.group_idle)
		return err_set(err, -EOPNOTSUPP, "this kernel's groups have no cpu.idle (5.15+)");
	if (tg->idle == idle)
		return 0;
	tg->idle = idle;
	for (int cpu = 0; cpu < s->nr_cpus; cpu++) {
		recount_idle(tg->cfs_rq[cpu], idle);
		rq_update_idle(s, cpu_rq(s, cpu));
	}
	reshare(s, now, tg, idle ? WEIGHT_IDLEPRIO << WEIGHT_SHIFT : NICE_0_LOAD);
	return 0;
}

/* ---- CPU time ---- */

/* what runs on @rq below @tg, and since when that isn't accounted yet */
static u64 unaccounted(const struct sched *s, const struct rq *rq, u64 now,
		       const struct task_group *tg)
{
	u64 clock_task = rq->clock_task + (now > rq->clock ? now - rq->clock : 0), since;
	const struct task *p = rq->curr;

	if (!p || !group_is_below(p->tg, tg))
		return 0;
	since = p->se.exec_start;
	if (task_is_fair(p) && !is_flat(s))
		since = tg->se[rq->cpu]->exec_start;
	return clock_task > since ? clock_task - since : 0;
}

u64 sched_group_usage(const struct sched *s, u64 now, const struct task_group *tg)
{
	const struct task_group *t;
	u64 ns = 0;

	for (int cpu = 0; cpu < s->nr_cpus; cpu++)
		ns += tg->se[cpu]->sum_exec_runtime + unaccounted(s, cpu_rq(s, cpu), now, tg);
	list_for_each_entry(t, &s->groups, node)
		if (group_is_below(t, tg))
			ns += t->exec_above_fair;
	return ns;
}
