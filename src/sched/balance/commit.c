// SPDX-License-Identifier: BSD-2-Clause
/*
 * commit.c - carrying out what a pass decided: effects, tasks off their queue, a push asked for;
 * later, the tasks onto their new queues.
 */
#include "sched/balance/lb.h"

static void add_lb_stats(struct lb_stats *to, const struct lb_stats *n)
{
	to->count += n->count;
	to->balanced += n->balanced;
	to->failed += n->failed;
	for (int i = 0; i < NR_MIGRATION_TYPES; i++)
		to->imbalance[i] += n->imbalance[i];
	to->gained += n->gained;
	to->hot_gained += n->hot_gained;
	to->nobusyq += n->nobusyq;
	to->nobusyg += n->nobusyg;
}

static void commit_effects(struct sched *s, const struct balance_decision *d)
{
	struct sched_domain *sd = d->sd;
	struct sched_group_capacity *sgc = sd->groups->sgc;
	struct rq *dst = cpu_rq(s, d->dst);

	add_lb_stats(&sd->lb[d->kind], &d->lb);
	s->nr_passes[d->kind]++;
	sd->nr_balance_failed = d->nr_balance_failed;
	sd->balance_interval = d->balance_interval;
	if (d->parent_imbalance >= 0)
		sd->parent->groups->sgc->imbalance = d->parent_imbalance;
	if (d->overload >= 0)
		cpu_rq(s, d->dst)->rd->overload = d->overload;
	if (unlikely(d->nr_idle_scan >= 0 && dst->asym_shared))
		dst->asym_shared->nr_idle_scan = d->nr_idle_scan;
	else if (d->nr_idle_scan >= 0)
		dst->llc->nr_idle_scan = d->nr_idle_scan;
	if (d->refresh_capacity) {
		sgc->capacity = d->capacity;
		sgc->min_capacity = d->min_capacity;
		sgc->max_capacity = d->max_capacity;
		sgc->next_update = d->capacity_next_update;
		if (!sd->child && dst->cpu_capacity != d->capacity) {
			dst->cpu_capacity = d->capacity;
			rq_load_changed(dst);
		}
	}
}

static void commit_looks(struct sched *s, u64 now, int cpu, const struct balance_decision *d)
{
	struct balance_walk *w = &cpu_rq(s, cpu)->walk;
	struct list_head *point = w->held.prev; /* the last task of earlier attempts */
	int attempt = 0;

	if (d->nr_taken)
		update_rq_clock(s, cpu_rq(s, d->src), now);
	for (int i = 0; i < d->nr_looks; i++) {
		const struct balance_look *l = &d->look[i];

		if (!l->taken) {
			list_move(&l->p->rq_node, &cpu_rq(s, l->p->cpu)->cfs_tasks);
			continue;
		}
		if (l->attempt != attempt) {
			attempt = l->attempt;
			point = w->held.prev;
		}
		EXPLAIN(s, .now = now, .cpu = cpu, .p = l->p, .step = STEP_PULL,
			.reason = REASON_BALANCE_PULL, .candidate = l->dst, .taken = true,
			.final = true,
			.value = {d->src, d->sd->level, d->type, d->imbalance, d->kind});
		detach_task(s, l->p, l->dst);
		list_link(&l->p->list_node, point, point->next);
		w->nr_held++;
	}
}

static void commit_push(struct sched *s, int cpu, const struct balance_decision *d)
{
	struct rq *src = cpu_rq(s, d->active_src);

	count_wakeup(cpu_rq(s, cpu), src->cpu); /* of the stopper */
	src->active_balance = true;
	src->push_cpu = d->dst;
	sched_push_out(s, OUT_ACTIVE_BALANCE, d->active_src, cpu, NULL, d->dst);
}

void balance_commit(struct sched *s, u64 now, int cpu, const struct balance_decision *d)
{
	if (!d->nr_taken)
		EXPLAIN(s, .now = now, .cpu = cpu, .step = STEP_PASS,
			.reason = REASON_BALANCE_NONE, .candidate = d->src, .final = true,
			.value = {d->outcome, d->sd->level, d->local_type, d->busiest_type,
				  d->imbalance, d->kind});
	commit_effects(s, d);
	commit_looks(s, now, cpu, d);
	if (d->active_src >= 0)
		commit_push(s, cpu, d);
}

int balance_attach(struct sched *s, u64 now, int cpu)
{
	struct balance_walk *w = &cpu_rq(s, cpu)->walk;
	int moved = 0;

	while (w->nr_held) {
		struct task *p = list_first_entry(&w->held, struct task, list_node);

		list_del(&p->list_node);
		w->nr_held--;
		attach_task(s, now, p, cpu);
		moved++;
	}
	return moved;
}

/* ---- names ---- */

const char *balance_outcome_name(enum balance_outcome o)
{
	static const char *const names[] = {
		[BALANCE_NOT_ALLOWED] = "not-allowed",
		[BALANCE_LOCK_BUSY] = "lock-busy",
		[BALANCE_NO_GROUP] = "no-group",
		[BALANCE_NO_QUEUE] = "no-queue",
		[BALANCE_ALL_PINNED] = "all-pinned",
		[BALANCE_FAILED] = "failed",
		[BALANCE_MOVED] = "moved",
	};

	return names[o];
}

const char *group_type_name(enum group_type t)
{
	static const char *const names[] = {
		[GROUP_HAS_SPARE] = "has-spare",       [GROUP_FULLY_BUSY] = "fully-busy",
		[GROUP_MISFIT_TASK] = "misfit",	       [GROUP_SMT_BALANCE] = "smt-balance",
		[GROUP_ASYM_PACKING] = "asym-packing", [GROUP_IMBALANCED] = "imbalanced",
		[GROUP_OVERLOADED] = "overloaded",
	};

	return names[t];
}

const char *migration_type_name(enum migration_type t)
{
	static const char *const names[] = {
		[MIGRATE_LOAD] = "load",
		[MIGRATE_UTIL] = "util",
		[MIGRATE_TASK] = "task",
		[MIGRATE_MISFIT] = "misfit",
	};

	return names[t];
}
