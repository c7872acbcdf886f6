// SPDX-License-Identifier: BSD-2-Clause
/*
 * active.c - pushing the task that was running, from its CPU's stopper (spec 06 §9).
 */
#include "sched/balance/lb.h"

struct sched_domain *domain_with(const struct sched *s, int cpu, int other)
{
	struct sched_domain *sd;

	for_each_domain(cpu_rq(s, cpu), sd)
		if (mask_test(sd->span, other))
			return sd;
	return NULL;
}

/* the task that hasn't run for longest, of those that may go */
static struct task *choose_task(struct lb_env *env, const struct rq *src, bool *hot)
{
	for (struct list_head *l = src->cfs_tasks.prev; l != &src->cfs_tasks; l = l->prev) {
		struct task *p = list_entry(l, struct task, rq_node);

		enum move_verdict v = can_migrate_task(env, p);

		*hot = v == MOVE_HOT;
		if (v != MOVE_NO)
			return p;
	}
	return NULL;
}

static struct task *push_over(struct sched *s, u64 now, struct rq *src, struct sched_domain *sd)
{
	struct lb_env env = {
		.s = s,
		.now = now,
		.sd = sd,
		.kind = CPU_IDLE,
		.dst_cpu = src->push_cpu,
		.src_cpu = src->cpu,
		.cpus = sd->span,
		.own_cpus = s->scratch[3],
		.type = MIGRATE_TASK,
		.nr_balance_failed = sd->nr_balance_failed,
		.flags = s->k.rules.push == PUSH_EXEMPT ? LBF_ACTIVE_LB : LBF_DST_PINNED,
	};
	bool hot = false;
	struct task *p = choose_task(&env, src, &hot);

	sd->alb_count++;
	if (!p) {
		sd->alb_failed++;
		return NULL;
	}
	sd->alb_pushed++;
	sd->lb[CPU_IDLE].gained++;
	sd->lb[CPU_IDLE].hot_gained += hot;
	sd->nr_balance_failed = 0;
	detach_task(s, p, src->push_cpu);
	return p;
}

bool sched_active_balance(struct sched *s, u64 now, int cpu)
{
	struct rq *src = cpu_rq(s, cpu);
	struct sched_domain *sd;
	struct task *p = NULL;

	if (!src->active_balance)
		return false;
	src->active_balance = false;
	/* the stopper itself is one of them */
	if (src->nr_running <= 1 || src->push_cpu == cpu || !cpu_rq(s, src->push_cpu)->online)
		return false;
	update_rq_clock(s, src, now);
	sd = domain_with(s, src->push_cpu, cpu);
	if (sd)
		p = push_over(s, now, src, sd);
	if (!p)
		return false;
	EXPLAIN(s, .now = now, .cpu = cpu, .p = p, .step = STEP_PUSH,
		.reason = REASON_ACTIVE_PUSH, .candidate = src->push_cpu, .taken = true,
		.final = true, .value = {cpu});
	attach_task(s, now, p, cpu);
	return true;
}
