// SPDX-License-Identifier: BSD-2-Clause
/*
 * detach.c - which tasks leave the busiest CPU, and how they change queues (spec 06 §8).
 */
#include "sched/balance/lb.h"
#include "sched/fair/bandwidth.h"

/* the source's task clock as it will be read under its lock */
static u64 clock_task_at(const struct rq *rq, u64 now)
{
	return rq->clock_task + (now > rq->clock ? now - rq->clock : 0);
}

/* spec 06 §8: has the task run so recently that its cache contents are worth more? */
static bool task_hot(const struct lb_env *env, const struct task *p)
{
	const struct sched *s = env->s;
	const struct rq *src = cpu_rq(s, env->src_cpu);

	if (p->policy == POLICY_IDLE || (env->sd->flags & SD_SHARE_CPUCAPACITY))
		return false;
	if (feat(s, FEAT_CACHE_HOT_BUDDY) && cpu_rq(s, env->dst_cpu)->nr_running &&
	    fair_task_hot_buddy(src, p))
		return true;
	if (s->migration_cost == -1)
		return true;
	if (s->migration_cost == 0)
		return false;
	return (s64)(clock_task_at(src, env->now) - p->se.exec_start) < s->migration_cost;
}

/* refusals that come before the affinity test and so leave ALL_PINNED as it is */
/* a throttled group's task isn't moved to where it can't run either (spec 16 §10.4) */
static bool throttled_lb_pair(const struct lb_env *env, const struct task *p)
{
	if (likely(!env->s->bandwidth_used))
		return false;
	return p->tg->cfs_rq[env->dst_cpu]->throttle_count ||
	       (!throttles_tasks(env->s) && p->se.cfs_rq->throttle_count);
}

static bool refused_outright(const struct lb_env *env, const struct task *p)
{
	const struct sched *s = env->s;

	if (unlikely(throttled_lb_pair(env, p)))
		return true;
	if (p->per_cpu_kthread)
		return true;
	if (!s->k.rules.refuse_delayed)
		return false;
	if (p->se.sched_delayed && env->type != MIGRATE_LOAD)
		return true;
	return feat(s, FEAT_PLACE_LAG) && !env->nr_balance_failed &&
	       cpu_rq(s, env->dst_cpu)->cfs.nr_queued && !fair_task_eligible(s, p);
}

/* the task may not run on the destination: perhaps on another CPU of the local group */
static void note_pinned(struct lb_env *env, const struct task *p)
{
	const struct sched_group *local = env->sd->groups;
	int w;

	env->flags |= LBF_SOME_PINNED;
	if (env->kind == CPU_NEWLY_IDLE || (env->flags & (LBF_DST_PINNED | LBF_ACTIVE_LB)))
		return;
	for_each_span_word(w, local) {
		u64 m = local->span[w] & env->cpus[w] & (p->allowed_all ? ~0ULL : p->allowed[w]);

		if (m) {
			env->flags |= LBF_DST_PINNED;
			env->new_dst_cpu = w * 64 + __builtin_ctzll(m);
			return;
		}
	}
}

/**
 * can_migrate_task() - may @p leave env->src_cpu for env->dst_cpu?
 *
 * The NUMA test (spec 06 §13) is neutral: no fault statistics are kept.
 */
enum move_verdict can_migrate_task(struct lb_env *env, const struct task *p)
{
	if (refused_outright(env, p))
		return MOVE_NO;
	if (!task_allowed(p, env->dst_cpu)) {
		note_pinned(env, p);
		return MOVE_NO;
	}
	env->flags &= ~LBF_ALL_PINNED;
	if (p->on_cpu)
		return MOVE_NO;
	if (env->flags & LBF_ACTIVE_LB)
		return MOVE_YES;
	if (!task_hot(env, p))
		return MOVE_YES;
	return env->nr_balance_failed > env->sd->cache_nice_tries ? MOVE_HOT : MOVE_NO;
}

static long shifted(long value, int failed)
{
	return value >> min(failed, 63);
}

/* Does @p fit into what is left of the imbalance? If so it is taken off it. */
static bool fits_imbalance(struct lb_env *env, const struct task *p)
{
	int failed = env->nr_balance_failed;
	long n;

	switch (env->type) {
	case MIGRATE_LOAD:
		n = max(task_h_load(env->s, p), 1ul);
		if (feat(env->s, FEAT_LB_MIN) && n < 16 && !failed)
			return false;
		if (shifted(n, failed) > env->imbalance)
			return false;
		env->imbalance -= n;
		return true;
	case MIGRATE_UTIL:
		n = task_util_est(env->s, p);
		if (shifted(n, failed) > env->imbalance)
			return false;
		env->imbalance -= n;
		return true;
	case MIGRATE_TASK:
		env->imbalance--;
		return true;
	case MIGRATE_MISFIT:
		if (task_fits_cpu(env->s, p, env->src_cpu) > 0)
			return false;
		env->imbalance = 0;
		return true;
	}
	return false;
}

/*
 * The source's list as the pass sees it: what it hasn't looked at yet from the
 * tail on, then what it refused before, for refused tasks go to the head.
 */
struct task_cursor {
	const struct rq *src;
	const struct list_head *next;
	int refused; /* next look of this source to be looked at again */
};

static struct task *next_task(struct task_cursor *c, const struct balance_decision *d)
{
	if (c->next != &c->src->cfs_tasks) {
		struct task *p = list_entry(c->next, struct task, rq_node);

		c->next = c->next->prev;
		return p;
	}
	while (c->refused < d->nr_looks) {
		const struct balance_look *l = &d->look[c->refused++];

		if (!l->taken)
			return l->p;
	}
	return NULL;
}

struct detach_state {
	struct task_cursor cursor;
	int left; /* tasks still on the source */
	int loop_max;
	u8 attempt;
};

/* one attempt: for one destination CPU */
static void detach_for_dst(struct lb_env *env, struct balance_decision *d, struct detach_state *st)
{
	const struct sched *s = env->s;

	if (unlikely(env->flags & LBF_HANDS_TIED)) {
		env->flags &= ~LBF_ALL_PINNED;
		return;
	}
	for (int loop = 0; loop < st->loop_max && d->nr_looks < BALANCE_MAX_LOOKS; loop++) {
		enum move_verdict v = MOVE_NO;
		struct task *p;

		if (idle_kind(env) && st->left <= 1)
			break;
		p = next_task(&st->cursor, d);
		if (!p)
			break;
		v = can_migrate_task(env, p);
		if (v != MOVE_NO && !fits_imbalance(env, p))
			v = MOVE_NO;
		d->look[d->nr_looks++] = (struct balance_look){
			.p = p, .dst = env->dst_cpu, .taken = v != MOVE_NO, .attempt = st->attempt};
		d->work.tasks++;
		if (v == MOVE_NO)
			continue;
		d->nr_taken++;
		d->lb.gained++;
		d->lb.hot_gained += v == MOVE_HOT;
		st->left--;
		if (env->kind == CPU_NEWLY_IDLE && s->host.may_preempt_kernel)
			break;
		if (env->imbalance <= 0)
			break;
	}
}

/**
 * detach_tasks() - choose the tasks that leave env->src_cpu
 *
 * Tasks that the destination's affinity refuses are tried for other CPUs of the
 * local group, each of them once.
 */
void detach_tasks(struct lb_env *env, struct balance_decision *d)
{
	const struct rq *src = cpu_rq(env->s, env->src_cpu);
	struct detach_state st = {
		.cursor = {src, src->cfs_tasks.prev, d->nr_looks},
		.left = src->nr_running,
		.loop_max = min(env->s->nr_migrate, src->nr_running),
	};

	for (;;) {
		detach_for_dst(env, d, &st);
		if (!(env->flags & LBF_DST_PINNED) || env->imbalance <= 0 ||
		    d->nr_looks == BALANCE_MAX_LOOKS)
			return;
		leave_out(env, env->dst_cpu);
		env->dst_cpu = env->new_dst_cpu;
		env->flags &= ~LBF_DST_PINNED;
		st.attempt++;
	}
}

/**
 * detach_task() - take @p off its queue on the way to @dst
 *
 * The source's clock must be up to date.
 */
void detach_task(struct sched *s, struct task *p, int dst)
{
	deactivate_task(s, cpu_rq(s, p->cpu), p, 0);
	set_task_cpu(s, p, dst);
}

/**
 * attach_task() - enqueue a detached task on its new CPU, and look whether it preempts
 * @from: CPU that does it
 */
void attach_task(struct sched *s, u64 now, struct task *p, int from)
{
	struct rq *rq = living_rq(s, p);

	update_rq_clock(s, rq, now);
	activate_task(s, rq, p, 0);
	if (unlikely(p->wake_after_move)) { /* its waker waited for the queue's lock */
		p->wake_after_move = false;
		sched_wake_queued(s, now, from, p);
		return;
	}
	check_preempt_curr(s, rq, p, 0, from);
}
