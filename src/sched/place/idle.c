// SPDX-License-Identifier: BSD-2-Clause
/*
 * idle.c - select_idle_sibling: the CPUs tried before a search, in order (spec 04 §5).
 */
#include "sched/place/place.h"

/* mixed capacities: an early choice must have room for the task too, since 7.3 an idle core */
static bool asym_fits(const struct wake_ctx *c, unsigned long util, int cpu)
{
	if (likely(!c->s->asym_active))
		return true;
	return util_fits_cpu(c, util, cpu) > 0 &&
	       (!c->s->k.rules.asym_idle_cores || siblings_idle(c->s, cpu_rq(c->s, cpu)));
}

/* nearness that lets the previous and the recent CPU be taken at once */
static bool shares_for_early_test(const struct sched *s, int a, int b)
{
	return s->k.rules.cluster == CLUSTER_V7 ? cpus_share_resources(s, a, b)
						: cpus_share_cache(s, a, b);
}

/* merged form: a CPU of another cluster is only remembered (spec 04 §8) */
static bool in_reach(const struct sched *s, int cpu, int target)
{
	return s->k.rules.cluster != CLUSTER_MERGED || !s->cluster_active ||
	       cpus_share_resources(s, cpu, target);
}

static bool try_early(struct wake_ctx *c, int cpu, unsigned long util, int step, int reason)
{
	bool take = cpu_is_free(c, cpu) && asym_fits(c, util, cpu);

	work_inspect(c->s, c->w, c->q->cpu, cpu);
	EXPLAIN(c->s, .now = c->now, .cpu = c->q->cpu, .p = c->p, .step = step, .reason = reason,
		.candidate = cpu, .taken = take,
		.value = {idle_cpu(c->s, cpu), c->s->rq[cpu].nr_running});
	return take;
}

/*
 * The wakee of a per-CPU kernel thread is usually the task that gave it the
 * work and sleeps until it is done: the thread makes room at once (§5.3).
 */
static bool stacks_on_kthread(const struct wake_ctx *c)
{
	const struct rq *rq = cpu_rq(c->s, c->q->cpu);
	bool kthread = rq->stop_running || (rq->curr && rq->curr->per_cpu_kthread), stacks;

	if (likely(!kthread) || !c->s->k.rules.kthread_stack)
		return false;
	stacks = c->q->in_task && c->prev == rq->cpu && rq->nr_running <= 1;
	EXPLAIN(c->s, .now = c->now, .cpu = rq->cpu, .p = c->p, .step = STEP_KTHREAD,
		.reason = REASON_KTHREAD_STACK, .candidate = rq->cpu, .taken = stacks,
		.value = {rq->nr_running});
	return stacks;
}

/* spec 04 §5.4. Return: the recent CPU if it may be taken or kept, -1 */
static int recent_cpu(struct wake_ctx *c, int target, unsigned long util)
{
	const struct sched *s = c->s;
	int recent = c->p->recent_used_cpu;
	bool ok;

	ok = recent != c->prev && recent != target && shares_for_early_test(s, recent, target) &&
	     task_allowed(c->p, recent) &&
	     try_early(c, recent, util, STEP_RECENT, REASON_RECENT_USED);
	if (s->k.rules.recent_used == RECENT_ALWAYS)
		c->d->new_recent_used = c->prev;
	else if (ok) /* until 5.13 only a hit moved it */
		c->d->new_recent_used = c->prev;
	return ok ? recent : -1;
}

int select_idle_smt(struct wake_ctx *c, int cpu, const struct sched_domain *sd)
{
	const struct rq *rq = cpu_rq(c->s, cpu);

	for (int i = 0; i < rq->nr_siblings; i++) {
		int sibling = rq->siblings[i];

		work_inspect(c->s, c->w, c->q->cpu, sibling);
		if (task_allowed(c->p, sibling) && mask_test(sd->span, sibling) &&
		    cpu_is_free(c, sibling)) {
			EXPLAIN(c->s, .now = c->now, .cpu = c->q->cpu, .p = c->p, .step = STEP_SMT,
				.reason = REASON_SMT_SIBLING, .candidate = sibling, .taken = true,
				.value = {cpu});
			return sibling;
		}
	}
	EXPLAIN(c->s, .now = c->now, .cpu = c->q->cpu, .p = c->p, .step = STEP_SMT,
		.reason = REASON_SMT_SIBLING, .candidate = -1, .value = {cpu});
	return -1;
}

/* the search of the target's LLC (§5.6-5.9) */
static int search_llc(struct wake_ctx *c, int target, int prev_kept, int recent_kept)
{
	const struct sched *s = c->s;
	const struct sched_domain *sd = s->rq[target].sd_llc;
	bool has_core = false;
	enum scan_result res;
	int cpu = -1;

	if (!sd)
		return chosen(c, target, REASON_NO_IDLE);
	if (s->smt_active && !s->k.rules.idle_core_first) {
		has_core = s->rq[target].llc->has_idle_cores;
		if (s->k.rules.smt_step == SMT_PREV && !has_core &&
		    cpus_share_cache(s, c->prev, target)) {
			cpu = select_idle_smt(c, c->prev, sd);
			if (cpu >= 0)
				return chosen(c, cpu, REASON_SMT_SIBLING);
		}
	}
	if (unlikely(sis_short_on(s)) && !has_core && sis_short_stays(c, target, false))
		return chosen(c, target, REASON_SHORT_TASK);
	res = select_idle_cpu(c, target, has_core, &cpu);
	if (res == SCAN_FOUND)
		return cpu;
	if (s->smt_active && s->k.rules.smt_step == SMT_TARGET_LAST) { /* it isn't free itself */
		cpu = select_idle_smt(c, target, sd);
		if (cpu >= 0)
			return chosen(c, cpu, REASON_SMT_SIBLING);
	}
	if (prev_kept >= 0)
		return chosen(c, prev_kept, REASON_PREV_FALLBACK);
	if (recent_kept >= 0)
		return chosen(c, recent_kept, REASON_RECENT_FALLBACK);
	return chosen(c, target, res == SCAN_GAVE_UP ? REASON_SCAN_GIVEN_UP : REASON_NO_IDLE);
}

int select_idle_sibling(struct wake_ctx *c, int target)
{
	const struct sched *s = c->s;
	unsigned long util = s->asym_active ? task_util_est(s, c->p) : 0;
	int prev = c->prev, prev_kept = -1, recent;

	if (unlikely(s->asym_active && s->tracks & TRACK_UCLAMP)) {
		c->util_min = uclamp_eff_value(s, c->p, UCLAMP_MIN);
		c->util_max = uclamp_eff_value(s, c->p, UCLAMP_MAX);
	}
	if (try_early(c, target, util, STEP_TARGET, REASON_TARGET_IDLE))
		return chosen(c, target, REASON_TARGET_IDLE);
	if (prev != target && shares_for_early_test(s, prev, target) &&
	    try_early(c, prev, util, STEP_PREV, REASON_PREV_IDLE)) {
		if (in_reach(s, prev, target))
			return chosen(c, prev, REASON_PREV_IDLE);
		prev_kept = prev;
	}
	if (stacks_on_kthread(c) && asym_fits(c, util, prev))
		return chosen(c, prev, REASON_KTHREAD_STACK);
	recent = recent_cpu(c, target, util);
	if (recent >= 0 && in_reach(s, recent, target))
		return chosen(c, recent, REASON_RECENT_USED);
	if (unlikely(s->asym_active) && s->rq[target].sd_asym_cpucapacity)
		return select_idle_capacity(c, target, util);
	return search_llc(c, target, prev_kept, recent);
}
