/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bandwidth.c - CPU bandwidth of a group: so much run time a period, handed to its CPUs in slices
 * (spec 09 §2).
 *
 * The pool is filled when a period ends. A CPU whose queue has used up what it had takes another
 * slice; one that gets none is throttled until the pool has time again. A queue that becomes
 * empty keeps a little and gives the rest back, from which throttled ones are served a little
 * later. Four overruns of the timer within one handler, which a machine under attack may see,
 * don't happen where handlers take no time: the period isn't stretched.
 */
#include <errno.h>

#include "sched/cgroup.h"
#include "sched/class.h"
#include "sched/fair/bandwidth.h"
#include "sched/fair/fair.h"

#define KEPT_RUNTIME   NSEC_PER_MSEC	   /* stays with a queue that became empty */
#define SLACK_PERIOD   (5 * NSEC_PER_MSEC) /* returned time is handed out that much later */
#define MIN_EXPIRATION (2 * NSEC_PER_MSEC) /* unless a period ends so soon */

static inline struct cfs_bandwidth *bandwidth_of(const struct cfs_rq *cfs_rq)
{
	return &cfs_rq->tg->bw;
}

static u64 slice_ns(const struct sched *s)
{
	return (u64)s->k.tunable[TUN_sched_cfs_bandwidth_slice_us] * NSEC_PER_USEC;
}

void bandwidth_init(struct sched *s, struct task_group *tg)
{
	struct cfs_bandwidth *bw = &tg->bw;

	bw->quota = NO_QUOTA;
	bw->period = DEFAULT_CFS_PERIOD;
	list_init(&bw->throttled);
	class_timer_init(&bw->period_timer, TIMER_CFS_PERIOD);
	class_timer_init(&bw->slack_timer, TIMER_CFS_SLACK);
}

/* ---- the period ---- */

/* periods end on a grid; the first one may be anywhere in it (spec 16 §13.6) */
static void start_period(struct sched *s, struct cfs_bandwidth *bw, struct rq *rq)
{
	if (bw->period_active)
		return;
	bw->period_active = true;
	if (!bw->phased && s->k.rules.period_phase)
		bw->expires = rng_below(&s->rng, bw->period);
	bw->phased = true;
	if (s->now >= bw->expires)
		bw->expires += ((s->now - bw->expires) / bw->period + 1) * bw->period;
	class_timer_arm(s, rq, &bw->period_timer, bw->expires);
}

static void refill(struct sched *s, struct cfs_bandwidth *bw)
{
	s64 burst;

	if (bw->quota == NO_QUOTA)
		return;
	bw->runtime += bw->quota;
	burst = (s64)(bw->runtime_snap - bw->runtime);
	if (burst > 0) {
		bw->burst_time += burst;
		bw->nr_burst++;
	}
	bw->runtime = min(bw->runtime, bw->quota + bw->burst);
	bw->runtime_snap = bw->runtime;
	/* CFS_SLICE_EXPIRY: what CPUs hold is of the period before */
	bw->runtime_expires = s->now + bw->period;
	bw->expires_seq++;
}

/* throttled queues get what they owe and one ns, in the order in which they were throttled */
static void distribute(struct sched *s, struct cfs_bandwidth *bw, int cpu)
{
	struct cfs_rq *cfs_rq, *next, *local = NULL;

	list_for_each_entry_safe(cfs_rq, next, &bw->throttled, throttled_node) {
		u64 need = -cfs_rq->runtime_remaining + 1, amount;

		if (!bw->runtime)
			break;
		if (cfs_rq->runtime_remaining > 0) /* served, its CPU comes last */
			continue;
		amount = min(need, bw->runtime);
		bw->runtime -= amount;
		cfs_rq->runtime_remaining += (s64)amount;
		if (cfs_rq->runtime_remaining <= 0)
			continue;
		if (throttles_tasks(s) && cfs_rq->rq->cpu == cpu)
			local = cfs_rq;
		else
			unthrottle_cfs_rq(s, cfs_rq, cpu);
	}
	if (local)
		unthrottle_cfs_rq(s, local, cpu);
}

/* Return: whether the timer may stop: nobody used anything for two periods */
static bool period_ended(struct sched *s, struct cfs_bandwidth *bw, u64 overrun, int cpu)
{
	bool throttled = !list_empty(&bw->throttled);

	if (bw->quota == NO_QUOTA)
		return true;
	bw->nr_periods += overrun;
	refill(s, bw);
	if (bw->idle && !throttled)
		return true;
	if (!throttled) {
		bw->idle = true;
		return false;
	}
	bw->nr_throttled += overrun;
	/* whoever was served may have used it up again while others were */
	while (bw->runtime && !list_empty(&bw->throttled))
		distribute(s, bw, cpu);
	bw->idle = false;
	return false;
}

void cfs_period_timer(struct sched *s, struct rq *rq, struct class_timer *t)
{
	struct cfs_bandwidth *bw = container_of(t, struct cfs_bandwidth, period_timer);
	u64 overrun = (s->now - bw->expires) / bw->period + 1;

	bw->expires += overrun * bw->period;
	if (period_ended(s, bw, overrun, rq->cpu))
		bw->period_active = false;
	else
		class_timer_arm(s, rq, t, bw->expires);
}

/* ---- slices ---- */

bool assign_cfs_rq_runtime(struct sched *s, struct cfs_rq *cfs_rq, u64 target)
{
	struct cfs_bandwidth *bw = bandwidth_of(cfs_rq);
	u64 amount = (u64)((s64)target - cfs_rq->runtime_remaining);

	if (bw->quota != NO_QUOTA) {
		start_period(s, bw, cfs_rq->rq);
		amount = min(amount, bw->runtime);
		bw->runtime -= amount;
		if (amount)
			bw->idle = false;
	}
	cfs_rq->runtime_remaining += (s64)amount;
	cfs_rq->runtime_expires = bw->runtime_expires;
	cfs_rq->expires_seq = bw->expires_seq;
	return cfs_rq->runtime_remaining > 0;
}

/* before 2019's repair: time of a period that is over is lost (CFS_SLICE_EXPIRY) */
static void expire_slice(struct sched *s, struct cfs_rq *cfs_rq)
{
	if ((s64)(cfs_rq->rq->clock - cfs_rq->runtime_expires) < 0 ||
	    cfs_rq->runtime_remaining < 0)
		return;
	if (cfs_rq->expires_seq == bandwidth_of(cfs_rq)->expires_seq)
		cfs_rq->runtime_expires += s->tick_ns; /* the CPU's clock is ahead */
	else
		cfs_rq->runtime_remaining = 0;
}

void account_cfs_rq_runtime(struct sched *s, struct cfs_rq *cfs_rq, u64 delta)
{
	u64 target = slice_ns(s);
	bool runs = cfs_rq->curr;

	if (!cfs_rq->runtime_enabled)
		return;
	cfs_rq->runtime_remaining -= (s64)delta;
	if (unlikely(s->k.rules.slice_expiry))
		expire_slice(s, cfs_rq);
	if (cfs_rq->runtime_remaining > 0 || cfs_rq->throttled)
		return;
	if (throttles_tasks(s) && !(runs && cfs_rq->curr->on_rq))
		target = 1;
	if (assign_cfs_rq_runtime(s, cfs_rq, target))
		return;
	if (throttles_tasks(s))
		throttle_tasks(s, cfs_rq);
	else if (runs)
		resched_curr(s, cfs_rq->rq, cfs_rq->rq->cpu);
}

/* ---- slack ---- */

static bool period_ends_within(const struct sched *s, const struct cfs_bandwidth *bw, u64 ns)
{
	return bw->period_active && bw->expires < s->now + ns;
}

static void start_slack(struct sched *s, struct cfs_bandwidth *bw, struct rq *rq)
{
	if (bw->slack_timer.armed || period_ends_within(s, bw, SLACK_PERIOD + MIN_EXPIRATION))
		return;
	class_timer_arm(s, rq, &bw->slack_timer, s->now + SLACK_PERIOD);
}

void return_cfs_rq_runtime(struct sched *s, struct cfs_rq *cfs_rq)
{
	struct cfs_bandwidth *bw = bandwidth_of(cfs_rq);
	s64 slack = cfs_rq->runtime_remaining - (s64)KEPT_RUNTIME;

	if (!cfs_rq->runtime_enabled || slack <= 0)
		return;
	cfs_rq->runtime_remaining -= slack;
	if (s->k.rules.slice_expiry && cfs_rq->expires_seq != bw->expires_seq)
		return;
	bw->runtime += slack;
	if (bw->runtime > slice_ns(s) && !list_empty(&bw->throttled))
		start_slack(s, bw, cfs_rq->rq);
}

void cfs_slack_timer(struct sched *s, struct rq *rq, struct class_timer *t)
{
	struct cfs_bandwidth *bw = container_of(t, struct cfs_bandwidth, slack_timer);

	if (bw->quota == NO_QUOTA || period_ends_within(s, bw, MIN_EXPIRATION))
		return;
	if (bw->runtime > slice_ns(s))
		distribute(s, bw, rq->cpu);
}

/* ---- limits ---- */

/* how much of a CPU, times 2^20 */
static u64 ratio(u64 period, u64 quota)
{
	return quota == NO_QUOTA ? NO_QUOTA : (u64)(((u128)quota << 20) / period);
}

/* of the first hierarchy: a group can't have more than the one above (spec 09 §2) */
static bool fits_hierarchy(const struct sched *s, const struct task_group *tg,
			   const struct sched_bandwidth *b)
{
	u64 own = ratio(b->period, b->quota);
	const struct task_group *t, *up = tg->parent;

	if (own != NO_QUOTA && up->parent && up->bw.quota != NO_QUOTA &&
	    own > ratio(up->bw.period, up->bw.quota))
		return false;
	list_for_each_entry(t, &s->groups, node)
		if (t->parent == tg && t->bw.quota != NO_QUOTA &&
		    ratio(t->bw.period, t->bw.quota) > own)
			return false;
	return true;
}

static int check_limits(const struct sched *s, const struct task_group *tg,
			const struct sched_bandwidth *b, struct err *err)
{
	if (!tg || !tg->parent)
		return err_set(err, -EINVAL, "the root group has no quota");
	if (b->period < MIN_CFS_PERIOD || b->period > MAX_CFS_PERIOD)
		return err_set(err, -EINVAL, "a period of %llu us: allowed are 1000 to 1000000",
			       (unsigned long long)b->period / 1000);
	if (b->quota < MIN_CFS_PERIOD)
		return err_set(err, -EINVAL, "a quota of %llu us: at least 1000, or max",
			       (unsigned long long)b->quota / 1000);
	if (b->burst && !s->k.rules.bandwidth_burst)
		return err_set(err, -EOPNOTSUPP, "this kernel's groups have no burst (5.14+)");
	if (b->quota != NO_QUOTA && s->k.rules.bandwidth_cap && b->quota > MAX_CFS_RUNTIME)
		return err_set(err, -EINVAL, "a quota of %llu us is more than %llu",
			       (unsigned long long)b->quota / 1000, MAX_CFS_RUNTIME / 1000ULL);
	if (b->burst && (b->quota == NO_QUOTA || b->burst > b->quota ||
			 b->burst + b->quota > MAX_CFS_RUNTIME))
		return err_set(err, -EINVAL, "a burst of %llu us is more than the quota",
			       (unsigned long long)b->burst / 1000);
	if (b->legacy && !fits_hierarchy(s, tg, b))
		return err_set(err, -EINVAL,
			       "a quota that is a larger part of its period than the parent's, "
			       "or a smaller one than a child's");
	return 0;
}

static void set_limit(struct sched *s, struct cfs_rq *cfs_rq, bool enabled)
{
	update_rq_clock(s, cfs_rq->rq, s->now);
	fair_update_curr(s, cfs_rq->rq);
	cfs_rq->runtime_enabled = enabled;
	cfs_rq->runtime_remaining = 0;
	if (!is_flat(s))
		cfs_rq->accounts = enabled;
	if (cfs_rq->throttled)
		unthrottle_cfs_rq(s, cfs_rq, cfs_rq->rq->cpu);
}

int sched_group_set_bandwidth(struct sched *s, u64 now, struct task_group *tg,
			      const struct sched_bandwidth *b, struct err *err)
{
	int rc = check_limits(s, tg, b, err);
	struct cfs_bandwidth *bw;

	if (rc)
		return rc;
	s->now = now;
	bw = &tg->bw;
	bw->period = b->period;
	bw->quota = b->quota;
	bw->burst = b->burst;
	refill(s, bw);
	if (bw->quota != NO_QUOTA) {
		s->bandwidth_used = true;
		limit_subtree(s, tg);
		/* a running timer keeps its grid, from now on with the new period */
		class_timer_cancel(s, &bw->period_timer);
		bw->period_active = false;
		start_period(s, bw, cpu_rq(s, mask_first(s->online, s->words)));
	}
	for (int cpu = 0; cpu < s->nr_cpus; cpu++)
		set_limit(s, tg->cfs_rq[cpu], bw->quota != NO_QUOTA);
	return 0;
}

void sched_group_bandwidth_stat(const struct sched *s, const struct task_group *tg,
				struct sched_bandwidth_stat *st)
{
	const struct cfs_bandwidth *bw = &tg->bw;

	*st = (struct sched_bandwidth_stat){
		.nr_periods = bw->nr_periods,
		.nr_throttled = bw->nr_throttled,
		.throttled_time = bw->throttled_time,
		.nr_bursts = bw->nr_burst,
		.burst_time = bw->burst_time,
	};
}
