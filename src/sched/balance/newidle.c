// SPDX-License-Identifier: BSD-2-Clause
/*
 * newidle.c - a CPU that is about to idle looks for work (spec 06 §11).
 *
 * The walk budgets itself: it stops where the time it expects to idle no longer
 * covers what the next level cost so far.
 */
#include "sched/balance/lb.h"

#define NEWIDLE_HORIZON	  NSEC_PER_SEC /* next_balance is pulled forward to at most this */
#define NEWIDLE_CAP_SLACK 200	       /* ns, spec 06 §11.3: cap of a failed pass' cost */
#define RATIO_SCALE	  1024

/* ---- entry test ---- */

static u64 fixed_cost(const struct sched *s, const struct sched_domain *sd)
{
	return max(s->migration_cost, (s64)0);
}

static u64 domain_cost(const struct sched *s, const struct sched_domain *sd)
{
	return sd->max_newidle_lb_cost;
}

static u64 (*const entry_cost[])(const struct sched *s, const struct sched_domain *sd) = {
	[NEWIDLE_FIXED_COST] = fixed_cost,   /* ≤5.15 */
	[NEWIDLE_DOMAIN_COST] = domain_cost, /* the lowest domain's */
};

static u64 next_pass(const struct sched *s, const struct sched_domain *sd)
{
	return sd->last_balance + domain_interval(s, sd, false);
}

/* a skipped walk pulls next_balance forward all the same, for the lowest domain */
static void pull_next_balance(struct sched *s, u64 now, struct rq *rq)
{
	u64 next;

	/* already as early as any interval allows: nothing to compute */
	if (rq->next_balance <= rq->sd->last_balance + s->tick_ns)
		return;
	next = min(next_pass(s, rq->sd), jiffy_of(s, now) + NEWIDLE_HORIZON);
	rq->next_balance = min(rq->next_balance, next);
}

bool newidle_worthwhile(const struct sched *s, const struct rq *rq)
{
	return rq->rd->overload && rq->avg_idle >= entry_cost[s->k.rules.newidle_entry](s, rq->sd);
}

static bool newidle_begin(struct sched *s, u64 now, int cpu, struct balance_walk *w, u64 *cost_ns)
{
	struct rq *rq = cpu_rq(s, cpu);

	if (rq->ttwu_pending || !rq->online || !rq->sd)
		return false;
	if (!newidle_worthwhile(s, rq)) {
		pull_next_balance(s, now, rq);
		nohz_newidle_stats(s, now, rq);
		return false;
	}
	update_rq_clock(s, rq, now);
	update_blocked_averages(s, rq);
	w->for_cpu = cpu;
	w->sd = rq->sd;
	w->pass_sd = NULL;
	w->serialized = false;
	w->spent_ns = 0;
	w->next_balance = jiffy_of(s, now) + NEWIDLE_HORIZON;
	return true;
}

/* ---- NI_RANDOM, NI_RATE ---- */

/**
 * newidle_count() - enter one call of @sd into its statistics
 * @success: 0, or the weight of a successful pass
 */
void newidle_count(struct sched *s, u64 now, struct sched_domain *sd, u32 success)
{
	sd->newidle_call++;
	sd->newidle_success += success;
	if (sd->newidle_call < RATIO_SCALE)
		return;
	sd->newidle_ratio = sd->newidle_success;
	if (feat(s, FEAT_NI_RATE)) {
		/* a level that is rarely tried costs little: 1 for each 4.19 ms */
		u64 slow = (now - sd->newidle_stamp) >> 22;

		sd->newidle_ratio = min((u64)RATIO_SCALE, sd->newidle_success + slow);
		sd->newidle_stamp = now;
	}
	sd->newidle_call /= 2;
	sd->newidle_success /= 2;
}

bool newidle_is_drawn(const struct sched *s, const struct sched_domain *sd)
{
	return feat(s, FEAT_NI_RANDOM) &&
	       !(feat(s, FEAT_NI_RATE) && sd->newidle_ratio >= RATIO_SCALE);
}

/**
 * newidle_draw() - is @sd tried this time?
 */
bool newidle_draw(struct sched *s, const struct sched_domain *sd)
{
	if (!newidle_is_drawn(s, sd))
		return true;
	return rng_below(&s->rng, RATIO_SCALE) <= 1 + sd->newidle_ratio;
}

/**
 * newidle_success_weight() - what a success counts: as much as it was unlikely to be tried
 */
u32 newidle_success_weight(const struct sched *s, const struct sched_domain *sd)
{
	u32 chance = 1 + sd->newidle_ratio;

	return feat(s, FEAT_NI_RANDOM) ? (RATIO_SCALE + chance / 2) / chance : 1;
}

/* ---- the walk ---- */

static void enter_cost(struct sched *s, u64 now, struct sched_domain *sd,
		       const struct balance_decision *d)
{
	u64 cost = d->cost_ns;

	if (s->k.rules.newidle_failed_costs && !d->nr_taken)
		cost = sd->max_newidle_lb_cost * 3 / 2;
	if (cost <= sd->max_newidle_lb_cost)
		return;
	if (s->k.rules.newidle_failed_costs)
		cost = min(cost, (u64)max(s->migration_cost, (s64)0) + NEWIDLE_CAP_SLACK);
	sd->max_newidle_lb_cost = cost;
	sd->last_decay_max_lb_cost = jiffy_of(s, now);
}

static void newidle_end(struct sched *s, u64 now, struct rq *rq, struct balance_walk *w)
{
	rq->max_idle_balance_cost = max(rq->max_idle_balance_cost, w->spent_ns);
	rq->next_balance = min(rq->next_balance, w->next_balance);
	if (w->pulled || rq->cfs.h_nr_queued)
		rq->idle_stamp = 0;
	else
		nohz_newidle_stats(s, now, rq);
}

static void newidle_pass(struct sched *s, u64 now, struct rq *rq, struct balance_walk *w,
			 struct sched_domain *sd, u64 *cost_ns)
{
	struct balance_decision d;

	balance_prepare(s, now, rq->cpu, sd, CPU_NEWLY_IDLE);
	decide_walk_pass(s, now, w, rq->cpu, sd, CPU_NEWLY_IDLE, &d);
	balance_commit(s, now, rq->cpu, &d);
	if (pass_holds_lock(s, &d))
		s->serialize_locked = w->serialized = true;
	if (d.outcome == BALANCE_NOT_ALLOWED && s->k.rules.newidle_refusal_ends)
		w->sd = NULL;
	if (d.cost_ns)
		newidle_count(s, now, sd, d.nr_taken ? newidle_success_weight(s, sd) : 0);
	enter_cost(s, now, sd, &d);
	w->spent_ns += d.cost_ns;
	*cost_ns = d.cost_ns;
}

static bool is_tried(struct sched *s, u64 now, int cpu, const struct balance_walk *w,
		     struct sched_domain *sd)
{
	if (unlikely(w->tied) && newidle_is_drawn(s, sd))
		return tied_draw(s, now, cpu, sd, w->tied);
	return newidle_draw(s, sd);
}

static bool newidle_step(struct sched *s, u64 now, int cpu, struct balance_walk *w, u64 *cost_ns)
{
	struct rq *rq = cpu_rq(s, cpu);

	if (w->pulled || rq->nr_running || rq->ttwu_pending)
		w->sd = NULL;
	while (w->sd) {
		struct sched_domain *sd = w->sd;

		w->next_balance = min(w->next_balance, next_pass(s, sd));
		if (rq->avg_idle < w->spent_ns + sd->max_newidle_lb_cost)
			break;
		w->sd = sd->parent;
		prefetch_domain(sd->parent, CPU_NEWLY_IDLE);
		if (!(sd->flags & SD_BALANCE_NEWIDLE))
			continue;
		if (!is_tried(s, now, cpu, w, sd)) {
			newidle_count(s, now, sd, 0);
			continue;
		}
		newidle_pass(s, now, rq, w, sd, cost_ns);
		return true;
	}
	newidle_end(s, now, rq, w);
	return false;
}

static void newidle_attached(struct sched *s, u64 now, int cpu, struct balance_walk *w, int moved)
{
	w->pulled += moved;
	if (w->serialized)
		s->serialize_locked = w->serialized = false;
}

const struct walk_ops newidle_walk = {newidle_begin, newidle_step, newidle_attached};
