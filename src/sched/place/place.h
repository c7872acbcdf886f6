/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * place.h - the placement room's own: where a waking, forked or exec'ing task goes.
 *
 *	select.c	the order of the rules for a wake-up (spec 04 §2), wake_wide,
 *			the wake list's condition, the fallback
 *	affine.c	wake_affine: the waker's CPU or the previous one (§4)
 *	idle.c		select_idle_sibling: the early tests (§5)
 *	capacity.c	mixed capacities: a CPU with room (§5.5)
 *	prop.c		SIS_PROP's limit of a search (§6.1)
 *	scan.c		select_idle_cpu: searching an LLC (§6, §8)
 *	longest.c	WAKE_LONGEST_IDLE: whichever CPU has been idle longest
 *	short.c		SIS_SHORT, SIS_CURRENT: stay where a short task runs (§9, §10)
 *	reserve.c	SIS_CACHE: a CPU is kept for its short sleeper (§10)
 *	fork.c		the slow path: descent, groups compared (spec 05)
 *	fork_stats.c	the groups' statistics
 *
 * Everything here reads the core as const. What a search costs is what a kernel
 * would have visited, noted in struct sched_work, whatever way the answer was
 * computed.
 */
#ifndef IDLEST_SCHED_PLACE_H
#define IDLEST_SCHED_PLACE_H

#include <limits.h>

#include "sched/internal.h"

/* One choice of a CPU for a wakee, as it goes from rule to rule. */
struct wake_ctx {
	const struct sched *s;
	u64 now;
	const struct wake_query *q;
	struct wake_decision *d; /* reason and effects */
	struct sched_work *w;
	const struct task *p;
	int prev;	      /* the wakee's last CPU */
	unsigned int util_min, util_max; /* what the wakee asks for; set where clamps are used */
	bool sched_idle_free; /* a sched-idle CPU is free for this wakee (spec 04 §5) */
};

static inline u64 work_price(const struct sched *s, int cpu, const struct sched_work *w)
{
	return s->host.price(s->host.ctx, cpu, w);
}

/* one CPU's state was read, by the CPU that decides */
static inline void work_inspect(const struct sched *s, struct sched_work *w, int from, int cpu)
{
	w->cpus[topo_distance(s->topo, from, cpu)]++;
}

/* "free(c)" of spec 04 §5 */
static inline bool cpu_is_free(const struct wake_ctx *c, int cpu)
{
	return idle_cpu(c->s, cpu) || (c->sched_idle_free && sched_idle_cpu(c->s, cpu));
}

/* the fit of spec 06 §8, with what the wakee asks for (spec 09 §3); Return: 1, 0, -1 */
static inline int util_fits_cpu(const struct wake_ctx *c, unsigned long util, int cpu)
{
	if (likely(!(c->s->tracks & TRACK_UCLAMP)))
		return util_fits_capacity(util, c->s->rq[cpu].cpu_capacity);
	return util_fits_clamped(c->s, util, c->util_min, c->util_max, cpu);
}

static inline int chosen(struct wake_ctx *c, int cpu, int reason)
{
	c->d->reason = reason;
	return cpu;
}

/* domain in which a wakee that ran on @prev may be drawn to @rq's CPU; NULL: none */
struct sched_domain *wake_affine_domain(const struct rq *rq, int prev);
/* spec 04 §4; Return: q->cpu or c->prev */
int wake_affine(struct wake_ctx *c, const struct sched_domain *sd);
/* spec 04 §5 */
int select_idle_sibling(struct wake_ctx *c, int target);

/* spec 04 §5.5; the target's sd_asym_cpucapacity exists */
int select_idle_capacity(struct wake_ctx *c, int target, unsigned long util);

enum scan_result {
	SCAN_FOUND,
	SCAN_NOTHING, /* every candidate was looked at */
	SCAN_GAVE_UP, /* the limit was reached, or no scan allowed */
};

/* spec 04 §6; @cpu: the CPU found, also a remembered one without idle core */
enum scan_result select_idle_cpu(struct wake_ctx *c, int target, bool has_core, int *cpu);
/* first free sibling of @cpu that the wakee may use, -1: none (§5.7) */
int select_idle_smt(struct wake_ctx *c, int cpu, const struct sched_domain *sd);
static inline bool sis_short_on(const struct sched *s)
{
	return s->k.rules.sis_short != SIS_SHORT_NONE && feat(s, FEAT_SIS_SHORT);
}

static inline bool sis_current_on(const struct sched *s)
{
	return s->k.rules.sis_current && feat(s, FEAT_SIS_CURRENT);
}

/* @p blocks: its burst enters the average */
void sis_short_account(const struct sched *s, struct task *p);
/* wake_affine: the waker's CPU runs a short task; asked at the sync test and after the last one */
bool sis_short_affine(const struct wake_ctx *c, bool sync_step);
/* no idle core: stay on @target; asked before and in the search of the LLC */
bool sis_short_stays(const struct wake_ctx *c, int target, bool in_scan);
/* waker and wakee are a short pair that wakes each other in turn: stay on the waker's CPU */
bool sis_current_stays(const struct wake_ctx *c);
/* WAKE_LONGEST_IDLE's choice, -1: no CPU is idle */
int longest_idle_cpu(const struct wake_ctx *c);

static inline bool sis_cache_on(const struct sched *s)
{
	return s->k.rules.sis_cache && feat(s, FEAT_SIS_CACHE);
}

/* @p falls asleep, is woken; @prev left @rq, which goes idle */
void sis_cache_sleep(struct rq *rq, struct task *p);
void sis_cache_wake(const struct rq *rq, struct task *p);
void sis_cache_idle(const struct sched *s, struct rq *rq, const struct task *prev);

/* @cpu is kept for somebody else than this wakee */
static inline bool sis_cache_reserved(const struct wake_ctx *c, int cpu)
{
	const struct rq *rq = cpu_rq(c->s, cpu);

	return rq->reserved_until > c->now && rq->reserved_for != c->p;
}

/* @bits of @word of @llc's local sets without reserved CPUs, or those of cores with one */
u64 sis_cache_unreserved(const struct wake_ctx *c, const struct llc *llc, int word, u64 bits,
			 bool whole_core);

/* "nr" that SIS_PROP grants a search of @weight CPUs by @rq's; at most one less is inspected */
int sis_prop_nr(const struct wake_ctx *c, const struct rq *rq, int weight);
/* SIS_PROP: a scan of @rq's CPU took @scan_ns (§6.6) */
void sis_prop_account(struct sched *s, u64 now, struct rq *rq, u64 scan_ns);

#endif
