// SPDX-License-Identifier: BSD-2-Clause
/*
 * periodic.c - the domains of one CPU by their intervals (spec 06 §10).
 *
 * The same chain of passes runs for the CPU of a tick and, in a nohz walk, on
 * behalf of each idle CPU. Times are jiffies, kept in ns.
 */
#include "sched/balance/lb.h"

#define NEXT_BALANCE_MAX (60 * NSEC_PER_SEC)

/**
 * clamp_interval() - between one jiffy and a tenth of a second per online CPU
 */
u64 clamp_interval(const struct sched *s, u64 interval_ns)
{
	u64 most = (u64)s->host.hz * s->nr_online / 10 * s->tick_ns;

	return clamp(interval_ns, s->tick_ns, most);
}

/**
 * domain_interval() - ns between two passes of @sd by its CPU
 * @busy: it has work other than SCHED_IDLE
 *
 * A busy CPU's interval is a jiffy short of the multiple, lest all levels run
 * out in the same tick.
 */
u64 domain_interval(const struct sched *s, const struct sched_domain *sd, bool busy)
{
	u64 ms = sd->balance_interval;
	u64 ns;

	if (busy)
		ms *= sd->busy_factor;
	ns = msecs_to_jiffies_ns(s, ms);
	if (busy)
		ns -= s->tick_ns;
	return clamp_interval(s, ns);
}

static bool chain_busy(const struct sched *s, const struct balance_walk *w)
{
	return w->idle != CPU_IDLE && !sched_idle_cpu(s, w->for_cpu);
}

void chain_begin(struct sched *s, u64 now, struct balance_walk *w, int cpu, enum cpu_idle_type idle)
{
	w->for_cpu = cpu;
	w->sd = cpu_rq(s, cpu)->sd;
	w->pass_sd = NULL;
	w->idle = idle;
	w->keep_going = true;
	w->need_decay = w->update_next = w->serialized = false;
	w->next_balance = jiffy_of(s, now) + NEXT_BALANCE_MAX;
	w->newidle_cost_sum = 0;
}

/* the measured cost of new-idle passes is forgotten by 1 % a second */
static bool decay_newidle_cost(const struct sched *s, u64 now, struct sched_domain *sd)
{
	if (now < sd->last_decay_max_lb_cost + NSEC_PER_SEC + s->tick_ns)
		return false;
	sd->max_newidle_lb_cost = sd->max_newidle_lb_cost * 253 / 256;
	sd->last_decay_max_lb_cost = jiffy_of(s, now);
	return true;
}

static void chain_end(struct sched *s, struct balance_walk *w)
{
	struct rq *rq = cpu_rq(s, w->for_cpu);

	if (w->update_next)
		rq->next_balance = w->next_balance;
	if (w->need_decay)
		rq->max_idle_balance_cost =
			max((u64)max(s->migration_cost, (s64)0), w->newidle_cost_sum);
}

static void note_next(struct balance_walk *w, u64 at)
{
	w->next_balance = min(w->next_balance, at);
	w->update_next = true;
}

/* whether the pass of @d holds the SERIALIZE lock until what it took is attached */
bool pass_holds_lock(const struct sched *s, const struct balance_decision *d)
{
	if (!(d->sd->flags & SD_SERIALIZE))
		return false;
	if (s->k.rules.serialize == SERIALIZE_PERIODIC)
		return d->kind != CPU_NEWLY_IDLE;
	return d->outcome != BALANCE_NOT_ALLOWED && d->outcome != BALANCE_LOCK_BUSY;
}

/* ≤6.12: the lock is tried before the due test; failing leaves the domain as it is */
static bool skip_for_lock(const struct sched *s, const struct sched_domain *sd)
{
	return s->k.rules.serialize == SERIALIZE_PERIODIC && (sd->flags & SD_SERIALIZE) &&
	       s->serialize_locked;
}

bool pass_due(const struct sched *s, u64 now, const struct sched_domain *sd, bool busy)
{
	return !skip_for_lock(s, sd) && now >= sd->last_balance + domain_interval(s, sd, busy);
}

/**
 * chain_step() - make the pass of the next domain that is due
 * @walker: CPU that executes it
 * @d: the pass made
 *
 * Return: false if the chain is over, with next_balance set. After true the
 * caller attaches and calls chain_attached().
 */
bool chain_step(struct sched *s, u64 now, int walker, struct balance_walk *w,
		struct balance_decision *d)
{
	while (w->sd) {
		struct sched_domain *sd = w->sd;
		u64 interval;

		w->sd = sd->parent;
		prefetch_domain(sd->parent, w->idle);
		w->need_decay |= decay_newidle_cost(s, now, sd);
		w->newidle_cost_sum += sd->max_newidle_lb_cost;
		if (!w->keep_going) {
			if (w->need_decay)
				continue;
			break;
		}
		interval = domain_interval(s, sd, chain_busy(s, w));
		if (skip_for_lock(s, sd) || now < sd->last_balance + interval) {
			note_next(w, sd->last_balance + interval);
			continue;
		}
		balance_prepare(s, now, w->for_cpu, sd, w->idle);
		decide_walk_pass(s, now, w, w->for_cpu, sd, w->idle, d);
		balance_commit(s, now, walker, d);
		if (pass_holds_lock(s, d))
			s->serialize_locked = w->serialized = true;
		w->keep_going = d->outcome != BALANCE_NOT_ALLOWED;
		w->pass_sd = sd;
		return true;
	}
	w->sd = NULL;
	chain_end(s, w);
	return false;
}

/**
 * chain_attached() - the pass of chain_step() is over
 */
void chain_attached(struct sched *s, u64 now, struct balance_walk *w, int moved)
{
	struct sched_domain *sd = w->pass_sd;

	if (moved)
		w->idle = idle_cpu(s, w->for_cpu) ? CPU_IDLE : CPU_NOT_IDLE;
	sd->last_balance = jiffy_of(s, now);
	if (w->serialized)
		s->serialize_locked = w->serialized = false;
	note_next(w, sd->last_balance + domain_interval(s, sd, chain_busy(s, w)));
	w->pass_sd = NULL;
}

/* ---- the walk of a tick's softirq ---- */

static bool periodic_begin(struct sched *s, u64 now, int cpu, struct balance_walk *w, u64 *cost_ns)
{
	struct rq *rq = cpu_rq(s, cpu);

	if (!rq->online || !rq->sd)
		return false;
	update_rq_clock(s, rq, now);
	update_blocked_averages(s, rq);
	chain_begin(s, now, w, cpu, idle_cpu(s, cpu) ? CPU_IDLE : CPU_NOT_IDLE);
	return true;
}

static bool periodic_step(struct sched *s, u64 now, int cpu, struct balance_walk *w, u64 *cost_ns)
{
	struct balance_decision d;

	if (!chain_step(s, now, cpu, w, &d))
		return false;
	*cost_ns = d.cost_ns;
	return true;
}

static void periodic_attached(struct sched *s, u64 now, int cpu, struct balance_walk *w, int moved)
{
	if (w->pass_sd) /* its domain may be gone */
		chain_attached(s, now, w, moved);
}

const struct walk_ops periodic_walk = {periodic_begin, periodic_step, periodic_attached};

/**
 * trigger_load_balance() - at the tick of @rq: is a walk of its own domains due?
 */
void trigger_load_balance(struct sched *s, struct rq *rq)
{
	if (!rq->online || !rq->sd)
		return;
	if (rq->clock >= rq->next_balance)
		sched_push_out(s, OUT_SOFTIRQ, rq->cpu, rq->cpu, NULL, 0);
}
