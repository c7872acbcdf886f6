// SPDX-License-Identifier: BSD-2-Clause
/*
 * bw.c - deadline bandwidth: who is admitted, what is active on a CPU, and what is left for
 * those who reclaim it (spec 08 §3, §6). Bandwidths are times 2^20.
 */
#include <errno.h>

#include "sched/dl/dl.h"
#include "sched/task.h"

#define BW_UNIT (1ULL << BW_SHIFT)

static u64 to_ratio(u64 period, u64 runtime)
{
	return (u64)(((u128)runtime << BW_SHIFT) / period);
}

/* ---- on one CPU ---- */

void dl_count(struct sched *s, struct rq *rq, struct task *p, bool running)
{
	struct sched_dl_entity *se = &p->dl;

	if (!se->counted_bw)
		rq->dl.this_bw += se->dl_bw;
	se->counted_bw = true;
	if (!running)
		return;
	if (!se->counted_running)
		rq->dl.running_bw += se->dl_bw;
	se->counted_running = true;
}

void dl_uncount_running(struct sched *s, struct task *p)
{
	if (p->dl.counted_running)
		cpu_rq(s, p->cpu)->dl.running_bw -= p->dl.dl_bw;
	p->dl.counted_running = false;
}

void dl_uncount(struct sched *s, struct task *p)
{
	dl_uncount_running(s, p);
	if (p->dl.counted_bw)
		cpu_rq(s, p->cpu)->dl.this_bw -= p->dl.dl_bw;
	p->dl.counted_bw = false;
}

/* the task goes to another CPU while it sleeps (its cpu is still the old one) */
void dl_leave_cpu(struct sched *s, struct task *p)
{
	if (p->dl.non_contending) {
		p->dl.non_contending = false;
		class_timer_cancel(s, &p->dl.inactive);
	}
	dl_uncount(s, p);
}

void dl_release_total(struct sched *s, struct task *p)
{
	struct root_domain *rd = &s->rd[p->dl.total_rd];

	if (!p->dl.counted_total)
		return;
	rd->total_bw -= p->dl.dl_bw;
	p->dl.counted_total = false;
	dl_spread(s, rd, -(s64)p->dl.dl_bw);
}

/* bandwidth given back or taken changes what is unallocated, by an equal part on each CPU */
void dl_spread(struct sched *s, const struct root_domain *rd, s64 bw)
{
	int c;

	for_each_cpu(c, rd->span, s->words)
		s->rq[c].dl.extra_bw -= bw / rd->nr_cpus;
}

static bool is_leaving(const struct task *p)
{
	return !is_dl(p) || p->state == TASK_DEAD;
}

void dl_inactive_timer(struct sched *s, struct class_timer *t)
{
	struct task *p = dl_task_of(container_of(t, struct sched_dl_entity, inactive));

	if (is_leaving(p)) {
		dl_uncount(s, p);
		dl_release_total(s, p);
	} else if (p->dl.non_contending) {
		dl_uncount_running(s, p);
	}
	p->dl.non_contending = false;
}

void dl_non_contending(struct sched *s, struct rq *rq, struct task *p)
{
	struct sched_dl_entity *se = &p->dl;
	s64 ahead; /* of the 0-lag time, ns */

	ahead = (s64)(se->deadline - rq->clock) -
		(s64)((s128)se->runtime * (s64)se->dl_period / (s64)se->dl_runtime);
	if (ahead <= 0) {
		dl_uncount_running(s, p);
		if (is_leaving(p)) {
			dl_uncount(s, p);
			dl_release_total(s, p);
		}
		return;
	}
	se->non_contending = true;
	class_timer_arm(s, rq, &se->inactive, rq->clock + ahead);
}

void dl_contending(struct sched *s, struct rq *rq, struct task *p)
{
	if (p->dl.non_contending) {
		p->dl.non_contending = false;
		class_timer_cancel(s, &p->dl.inactive);
	}
	dl_count(s, rq, p, true);
}

u64 dl_reclaim(const struct sched *s, const struct rq *rq, const struct sched_dl_entity *se,
	       u64 delta)
{
	u64 inactive = rq->dl.this_bw - rq->dl.running_bw;
	u64 used = inactive + max(rq->dl.extra_bw, (s64)0);
	u64 least = se->dl_bw * s->rtd.bw_ratio >> 8;

	if (used + least > BW_UNIT)
		return delta * least >> BW_SHIFT;
	return delta * (BW_UNIT - used) >> BW_SHIFT;
}

void dl_forget(struct sched *s, struct task *p)
{
	class_timer_cancel(s, &p->dl.timer);
	class_timer_cancel(s, &p->dl.inactive);
	dl_uncount(s, p);
	dl_release_total(s, p);
}

bool dl_task_fits(const struct sched *s, const struct task *p, int cpu)
{
	return s->rq[cpu].cpu_capacity_orig >= p->dl.dl_density >> 10;
}

/* ---- admission ---- */

bool dl_attr_valid(const struct sched *s, const struct task_attr *a)
{
	s64 most = sched_tunable(&s->k, TUN_sched_deadline_period_max_us, s->nr_cpus);
	s64 least = sched_tunable(&s->k, TUN_sched_deadline_period_min_us, s->nr_cpus);
	u64 period = a->period ? a->period : a->deadline;

	if (!a->deadline || a->runtime < 1 << DL_GRAIN || a->deadline >> 63 || period >> 63)
		return false;
	if (period < a->deadline || a->deadline < a->runtime)
		return false;
	if (most != TUNABLE_NA && period > (u64)most * NSEC_PER_USEC)
		return false;
	return least == TUNABLE_NA || period >= (u64)least * NSEC_PER_USEC;
}

/* what may be given away on the CPUs of @span together */
static u64 bw_limit(const struct sched *s, const u64 *span)
{
	u64 cap = 0;
	int cpu;

	for_each_cpu(cpu, span, s->words)
		cap += s->k.rules.dl_capacity ? s->rq[cpu].cpu_capacity_orig :
						SCHED_CAPACITY_SCALE;
	return s->rtd.dl_bw * cap >> 10;
}

int dl_overflow(const struct sched *s, const struct root_domain *rd, int lost)
{
	u64 total = rd->total_bw, left[s->words];

	if (s->rtd.dl_bw == UINT64_MAX || total <= s->rtd.server_bw * rd->nr_cpus)
		return 0; /* no deadline tasks here */
	mask_copy(left, rd->span, s->words);
	if (lost >= 0) {
		mask_clear(left, lost);
		total -= s->rtd.server_bw;
	}
	return bw_limit(s, left) < total ? -EBUSY : 0;
}

/* the tasks of a root domain are admitted to its CPUs, which are others now */
void dl_recount_domains(struct sched *s)
{
	struct task_chunk *chunk;
	struct task *p;
	int c;

	for (int i = 0; i <= s->nr_rds; i++)
		s->rd[i].total_bw = s->rtd.server_bw * s->rd[i].nr_cpus;
	list_for_each_entry(chunk, &s->chunks, node) {
		for (p = chunk->task; p < chunk->task + TASKS_PER_CHUNK; p++) {
			if (!p->in_use || !p->dl.counted_total)
				continue;
			p->dl.total_rd = (int)(cpu_rq(s, p->cpu)->rd - s->rd);
			s->rd[p->dl.total_rd].total_bw += p->dl.dl_bw;
		}
	}
	for (int i = 0; i <= s->nr_rds; i++) {
		const struct root_domain *rd = &s->rd[i];
		u64 tasks = rd->total_bw - s->rtd.server_bw * rd->nr_cpus;

		for_each_cpu(c, rd->span, s->words)
			s->rq[c].dl.extra_bw = min(s->rtd.dl_bw, BW_UNIT) - s->rtd.server_bw -
					       tasks / rd->nr_cpus;
	}
}

static u64 bw_of(const struct task_attr *a)
{
	return to_ratio(a->period ? a->period : a->deadline, a->runtime);
}

void dl_take_bw(struct sched *s, struct task *p, const struct task_attr *a)
{
	struct root_domain *rd = cpu_rq(s, p->cpu)->rd;
	u64 bw = bw_of(a);

	class_timer_cancel(s, &p->dl.inactive);
	p->dl.non_contending = false;
	dl_release_total(s, p);
	rd->total_bw += bw;
	dl_spread(s, rd, (s64)bw);
	p->dl.counted_total = true;
	p->dl.total_rd = (int)(rd - s->rd);
}

int dl_admit(struct sched *s, struct task *p, const struct task_attr *a)
{
	struct root_domain *rd = cpu_rq(s, p->cpu)->rd;
	bool here = p->dl.counted_total && &s->rd[p->dl.total_rd] == rd;
	u64 old = is_dl(p) && here ? p->dl.dl_bw : 0, new = bw_of(a);

	if (s->rtd.dl_bw != UINT64_MAX) {
		if (!s->rtd.dl_bw || !mask_subset(rd->span, p->allowed, s->words))
			return -EPERM;
		if (!(is_dl(p) && old == new) && bw_limit(s, rd->span) < rd->total_bw - old + new)
			return -EBUSY;
	}
	dl_take_bw(s, p, a);
	return 0;
}

/* @p is not queued; what it counted for by its old parameters is undone */
void dl_set_params(struct task *p, const struct task_attr *a)
{
	struct sched_dl_entity *se = &p->dl;

	if (!is_dl(p))
		se->deadline = se->runtime = 0;
	se->dl_runtime = a->runtime;
	se->dl_deadline = a->deadline;
	se->dl_period = a->period ? a->period : a->deadline;
	se->dl_bw = to_ratio(se->dl_period, se->dl_runtime);
	se->dl_density = to_ratio(se->dl_deadline, se->dl_runtime);
	se->flags = a->flags;
}

int dl_init(struct sched *s, struct err *err)
{
	struct rt_domain *d = &s->rtd;
	s64 runtime = sched_tunable(&s->k, TUN_fair_server_runtime_ns, s->nr_cpus);
	s64 period = sched_tunable(&s->k, TUN_fair_server_period_ns, s->nr_cpus);
	u64 server = 0;

	d->dl_bw = d->rt_runtime == UINT64_MAX ? UINT64_MAX : to_ratio(d->rt_period, d->rt_runtime);
	d->bw_ratio = d->rt_runtime == UINT64_MAX || !d->rt_runtime ?
			      1 << 8 :
			      to_ratio(d->rt_runtime, d->rt_period) >> (BW_SHIFT - 8);
	if (runtime > 0 && period > 0) {
		if (runtime > period)
			return err_set(err, -EINVAL,
				       "fair_server_runtime_ns is %lld, more than "
				       "fair_server_period_ns, %lld",
				       (long long)runtime, (long long)period);
		server = to_ratio(period, runtime);
		d->server_runtime = runtime;
		d->server_period = period;
	}
	d->server_bw = server;
	dl_recount_domains(s);
	if (d->dl_bw != UINT64_MAX && bw_limit(s, s->online) < server * s->nr_cpus)
		return err_set(err, -EINVAL,
			       "the fair servers need more than sched_rt_runtime_us leaves: set "
			       "fair_server_runtime_ns=0 or a larger sched_rt_runtime_us");
	for (int c = 0; c < s->nr_cpus; c++) {
		struct rq *rq = &s->rq[c];

		mask_set(d->dl_free, c);
		rq->dl.this_bw = server;
		rq->dl.server.is_server = true;
		rq->dl.server.dl_runtime = d->server_runtime;
		rq->dl.server.dl_deadline = rq->dl.server.dl_period = d->server_period;
		class_timer_init(&rq->dl.server.timer, TIMER_SERVER);
	}
	return 0;
}
