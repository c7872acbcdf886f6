// SPDX-License-Identifier: BSD-2-Clause
/*
 * nohz.c - balancing for CPUs whose tick is stopped (spec 06 §12).
 *
 * A busy CPU's tick kicks an idle one, which walks all idle CPUs: it ages their
 * averages and makes the passes that are due on their behalf. When the next one
 * is due is known from the last walk; a CPU that joined since may be due
 * earlier. From 5.15 on that is a reason to walk, too (nohz_next_kick).
 */
#include "sched/balance/lb.h"

/*
 * Passes that cannot move anything are put together into steps of this length,
 * so that a large idle machine costs few events; the walk still notices work of
 * its own about when it would in a kernel.
 */
#define BUNDLE_NS (100 * NSEC_PER_USEC)

static bool stats_due(const struct sched *s, u64 now)
{
	return s->nohz_has_blocked && now >= s->nohz_next_blocked + s->tick_ns;
}

/* ---- the kick ---- */

static bool asym_idle_preferred(const struct sched *s, const struct rq *rq)
{
	const struct sched_domain *sd, *packing = NULL;

	if (!rq->sd || !(rq->sd->flags & SD_ASYM_PACKING))
		return false;
	for_each_domain(rq, sd)
		if (sd->flags & SD_ASYM_PACKING)
			packing = sd;
	for (int w = 0; w < s->words; w++)
		for (u64 m = packing->span[w] & s->nohz_mask[w]; m; m &= m - 1)
			if (asym_may_pull(s, packing, w * 64 + __builtin_ctzll(m), rq->cpu))
				return true;
	return false;
}

/* spec 06 §12: does a busy CPU want an idle one to balance? */
static bool wants_balance(const struct sched *s, const struct rq *rq)
{
	if (rq->nr_running >= 2)
		return true;
	if (fair_tasks(s, rq) && rq->sd && reduced_capacity(rq, rq->sd))
		return true;
	if (asym_idle_preferred(s, rq))
		return true;
	if (rq->sd_asym_cpucapacity)
		return rq->misfit_task_load;
	return rq->llc && rq->llc->nr_busy_cpus > 1;
}

/* the first idle CPU in the nohz set; 7.3 prefers one whose core is idle */
static int find_new_ilb(const struct sched *s, int self)
{
	int first = -1;

	for (int w = 0; w < s->words; w++) {
		u64 m = s->nohz_mask[w] & s->idle_mask[w];

		for (; m; m &= m - 1) {
			int cpu = w * 64 + __builtin_ctzll(m);

			if (cpu == self)
				continue;
			if (!s->k.rules.nohz_idle_core || core_idle(s, cpu))
				return cpu;
			if (first < 0)
				first = cpu;
		}
	}
	return first;
}

static void kick_ilb(struct sched *s, struct rq *rq, u32 flags)
{
	struct balance_walk *w;
	int ilb;
	bool kicked;

	if (flags & NOHZ_BALANCE_KICK)
		s->nohz_next_balance = jiffy_of(s, rq->clock) + s->tick_ns;
	ilb = find_new_ilb(s, rq->cpu);
	if (ilb < 0)
		return;
	w = &cpu_rq(s, ilb)->walk;
	kicked = w->kicked;
	w->kicked |= flags;
	if (!kicked)
		sched_push_out(s, OUT_NOHZ_KICK, ilb, rq->cpu, NULL, 0);
}

/**
 * nohz_balancer_kick() - at the tick of @rq: should an idle CPU balance for the idle ones?
 */
void nohz_balancer_kick(struct sched *s, struct rq *rq)
{
	u32 flags = 0;

	if (idle_cpu(s, rq->cpu) || unlikely(!rq->online || !rq->sd))
		return;
	nohz_balance_exit_idle(s, rq);
	if (mask_empty(s->nohz_mask, s->words))
		return;
	if (stats_due(s, rq->clock))
		flags = NOHZ_STATS_KICK;
	if (rq->clock >= s->nohz_next_balance && wants_balance(s, rq))
		flags = NOHZ_STATS_KICK | NOHZ_BALANCE_KICK;
	if (s->nohz_needs_update)
		flags |= NOHZ_NEXT_KICK;
	if (flags)
		kick_ilb(s, rq, flags);
}

/**
 * nohz_balance_exit_idle() - a CPU that left nohz idle has its first busy tick
 */
void nohz_balance_exit_idle(struct sched *s, struct rq *rq)
{
	if (!rq->nohz_idle)
		return;
	rq->nohz_idle = false;
	mask_clear(s->nohz_mask, rq->cpu);
	if (rq->llc && !rq->nohz_busy_counted)
		rq->llc->nr_busy_cpus++;
	rq->nohz_busy_counted = true;
}

/* ---- averages of idle CPUs ---- */

/* Return: whether anything is left to decay; at most one update a jiffy */
static bool update_idle_averages(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);
	u64 jiffy = jiffy_of(s, now);

	if (rq->last_blocked_update == jiffy)
		return true;
	rq->last_blocked_update = jiffy;
	update_rq_clock(s, rq, now);
	return update_blocked_averages(s, rq);
}

/**
 * nohz_newidle_stats() - a CPU that found nothing to pull ages the averages of the idle ones
 *
 * Done from its idle loop, if it expects to idle long enough and 32 ms passed.
 */
void nohz_newidle_stats(struct sched *s, u64 now, struct rq *rq)
{
	bool left = false;

	if (!stats_due(s, now) || (s64)rq->avg_idle < s->migration_cost)
		return;
	for (int w = 0; w < s->words; w++)
		for (u64 m = s->nohz_mask[w] & s->idle_mask[w] & s->load_mask[w]; m; m &= m - 1)
			left |= update_idle_averages(s, now, w * 64 + __builtin_ctzll(m));
	s->nohz_has_blocked = left;
	s->nohz_next_blocked = jiffy_of(s, now) + NOHZ_STATS_PERIOD;
}

/* ---- the walk of the kicked CPU ---- */

static bool nohz_begin(struct sched *s, u64 now, int cpu, struct balance_walk *w, u64 *cost_ns)
{
	struct rq *rq = cpu_rq(s, cpu);

	w->flags = w->kicked;
	w->kicked = 0;
	if (!w->flags || !rq->online || !rq->sd || !idle_cpu(s, cpu) || rq->need_resched)
		return false;
	if (w->flags & NOHZ_STATS_KICK)
		s->nohz_has_blocked = false;
	if (w->flags & NOHZ_NEXT_KICK)
		s->nohz_needs_update = false;
	w->start = w->cursor = cpu + 1;
	w->wrapped = w->stats_left = w->nohz_update = false;
	w->nohz_next = jiffy_of(s, now) + 60 * NSEC_PER_SEC;
	w->sd = w->pass_sd = NULL;
	w->for_cpu = -1;
	return true;
}

/* the next idle CPU of the round, -1: it is over */
static int next_idle(const struct sched *s, struct balance_walk *w)
{
	int cpu = -1;

	if (!w->wrapped) {
		cpu = mask_next_and(s->nohz_mask, s->idle_mask, w->cursor, s->words);
		if (cpu < 0) {
			w->wrapped = true;
			w->cursor = 0;
		}
	}
	if (w->wrapped) {
		cpu = mask_next_and(s->nohz_mask, s->idle_mask, w->cursor, s->words);
		if (cpu >= w->start)
			cpu = -1;
	}
	w->cursor = cpu + 1;
	return cpu;
}

static void leave_chain(const struct sched *s, struct balance_walk *w)
{
	if (w->for_cpu < 0)
		return;
	w->nohz_next = min(w->nohz_next, cpu_rq(s, w->for_cpu)->next_balance);
	w->nohz_update = true;
	w->for_cpu = -1;
}

/* one idle CPU: age its averages, start its chain if it is due */
static void visit_idle(struct sched *s, u64 now, struct balance_walk *w, int cpu)
{
	const struct rq *rq = cpu_rq(s, cpu);

	if ((w->flags & NOHZ_STATS_KICK) && mask_test(s->load_mask, cpu))
		w->stats_left |= update_idle_averages(s, now, cpu);
	w->for_cpu = cpu;
	if ((w->flags & NOHZ_BALANCE_KICK) && now >= rq->next_balance && rq->sd)
		chain_begin(s, now, w, cpu, CPU_IDLE);
	else
		leave_chain(s, w);
}

static void round_over(struct sched *s, u64 now, struct balance_walk *w)
{
	if (w->nohz_update)
		s->nohz_next_balance = w->nohz_next;
	if (w->flags & NOHZ_STATS_KICK)
		s->nohz_next_blocked = jiffy_of(s, now) + NOHZ_STATS_PERIOD;
	s->nohz_has_blocked |= w->stats_left;
}

/* the walker got work: what is left stays for the next kick */
static void round_aborted(struct sched *s, struct balance_walk *w)
{
	s->nohz_has_blocked = true;
	s->nohz_needs_update |= !!(w->flags & NOHZ_NEXT_KICK);
}

static bool cannot_move(const struct balance_decision *d)
{
	return d->trivial || d->outcome == BALANCE_NOT_ALLOWED || d->outcome == BALANCE_LOCK_BUSY;
}

static bool nohz_step(struct sched *s, u64 now, int cpu, struct balance_walk *w, u64 *cost_ns)
{
	const struct rq *rq = cpu_rq(s, cpu);
	struct sched_work visited = {.kind = WORK_BALANCE};
	struct balance_decision d;
	u64 cost = 0;
	u32 nr_visited = 0;
	int c;

	if (w->cursor < 0)
		return false;
	while (cost < BUNDLE_NS) {
		if (w->for_cpu >= 0) {
			if (chain_step(s, now, cpu, w, &d)) {
				cost += d.cost_ns;
				if (!cannot_move(&d))
					break;
				chain_attached(s, now, w, 0);
				continue;
			}
			leave_chain(s, w);
		}
		if (rq->nr_running || rq->need_resched) {
			round_aborted(s, w);
			w->cursor = -1;
			break;
		}
		c = next_idle(s, w);
		if (c < 0) {
			round_over(s, now, w);
			w->cursor = -1;
			break;
		}
		visited.cpus[topo_distance(s->topo, cpu, c)]++;
		nr_visited++;
		visit_idle(s, now, w, c);
	}
	if (nr_visited)
		cost += balance_price(s, cpu, &visited);
	*cost_ns = cost;
	return cost || w->cursor >= 0;
}

static void nohz_attached(struct sched *s, u64 now, int cpu, struct balance_walk *w, int moved)
{
	if (w->pass_sd)
		chain_attached(s, now, w, moved);
}

const struct walk_ops nohz_walk = {nohz_begin, nohz_step, nohz_attached};
