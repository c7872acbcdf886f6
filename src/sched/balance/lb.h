/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lb.h - what the files of balance/ share among themselves.
 */
#ifndef IDLEST_SCHED_BALANCE_LB_H
#define IDLEST_SCHED_BALANCE_LB_H

#include "sched/balance/balance.h"

/* ---- one pass ---- */

/* Statistics of one group, over its CPUs that take part (spec 06 §4). */
struct group_stats {
	unsigned long load, util, runnable;
	unsigned long capacity;
	unsigned long avg_load; /* load · 1024 / capacity; 0 where no rule asked for it */
	unsigned long misfit_load;
	unsigned int sum_h_nr; /* fair tasks */
	unsigned int sum_nr;   /* all tasks */
	unsigned int idle_cpus;
	unsigned int weight;
	bool asym, smt, imbalance;
	enum group_type type;
};

/* What the CPUs of a group add up to; the sums may be kept ones. */
struct group_view {
	const struct load_sums *sums;
	struct load_sums own; /* where they are not */
	unsigned long misfit_load;
};

struct domain_stats {
	const struct sched_group *local, *busiest;
	struct group_stats local_stat, busiest_stat;
	unsigned long total_load, total_capacity, total_util;
	unsigned long avg_load;
	bool prefer_sibling;
	bool overload;
};

enum {
	LBF_ALL_PINNED = 1 << 0,
	LBF_SOME_PINNED = 1 << 1,
	LBF_DST_PINNED = 1 << 2,
	LBF_ACTIVE_LB = 1 << 3,
	LBF_HANDS_TIED = 1 << 4, /* a record says that nothing was moved, nor pushed */
	LBF_ALLOWED = 1 << 5,	 /* a record says that the pass was made: don't ask who may (§3) */
};

struct lb_env {
	const struct sched *s;
	u64 now;
	const struct sched_domain *sd;
	enum cpu_idle_type kind;
	int dst_cpu, new_dst_cpu, src_cpu;
	const u64 *cpus; /* take part; the domain's span until one is left out */
	u64 *own_cpus;	 /* where the reduced set goes */
	unsigned int flags;
	enum migration_type type;
	long imbalance;
	int nr_balance_failed;
};

static inline bool idle_kind(const struct lb_env *env)
{
	return env->kind != CPU_NOT_IDLE;
}

/* fair tasks of a CPU as balancing counts them (spec 16 §10.3) */
static inline unsigned int fair_tasks(const struct sched *s, const struct rq *rq)
{
	return s->k.rules.delayed_count == DELAYED_NOT_COUNTED ? rq->cfs.h_nr_runnable
							       : rq->cfs.h_nr_queued;
}

/* interrupts, realtime and heat leave less than imbalance_pct of the CPU */
static inline bool reduced_capacity(const struct rq *rq, const struct sched_domain *sd)
{
	return rq->cpu_capacity * sd->imbalance_pct < rq->cpu_capacity_orig * 100;
}

/* more than 5 % bigger */
static inline bool capacity_greater(unsigned long a, unsigned long b)
{
	return a * 1024 > b * 1078;
}

/* the other threads of @cpu's core are idle */
static inline bool core_idle(const struct sched *s, int cpu)
{
	const struct rq *rq = cpu_rq(s, cpu);

	for (int i = 0; i < rq->nr_siblings; i++)
		if (!idle_cpu(s, rq->siblings[i]))
			return false;
	return true;
}

/* CPUs of the domain whose passes say how far a wake-up may search there */
static inline int search_weight(const struct rq *rq)
{
	return unlikely(rq->asym_shared) ? rq->sd_asym_cpucapacity->weight : rq->llc_size;
}

/*
 * May @dst take from @src because it is the better CPU? From 6.5 on only if its whole core is idle,
 * but for the threads of one core among themselves.
 */
static inline bool asym_may_pull(const struct sched *s, const struct sched_domain *sd, int dst,
				 int src)
{
	if (s->k.rules.asym_idle_core && s->smt_active && !(sd->flags & SD_SHARE_CPUCAPACITY) &&
	    !core_idle(s, dst))
		return false;
	return asym_prefer(s, dst, src);
}

/* group stats: stats.c */
void collect_domain_stats(const struct lb_env *env, struct balance_decision *d,
			  struct domain_stats *sds);
void judge_group(const struct lb_env *env, const struct sched_group *g, bool local,
		 unsigned long capacity, const struct group_view *v, struct group_stats *gs);
bool plainly_less_busy(const struct lb_env *env, const struct sched_group *x,
		       const struct group_view *v, const struct domain_stats *sds);
enum group_type classify_group(const struct group_stats *gs, int imbalance_pct);
bool group_replaces_busiest(const struct lb_env *env, const struct sched_group *x,
			    const struct group_stats *xs, const struct domain_stats *sds);
int idle_scan_limit(unsigned long sum_util, int weight, int imbalance_pct);

/* busiest.c */
bool find_busiest_group(struct lb_env *env, struct domain_stats *sds);
int find_busiest_queue(const struct lb_env *env, const struct sched_group *busiest);
long sibling_imbalance(const struct lb_env *env, const struct domain_stats *sds);
long adjust_numa_imbalance(const struct lb_env *env, const struct domain_stats *sds, long n);

/* by_load.c: rules of before 5.5 */
void judge_by_load(const struct lb_env *env, const struct sched_group *g, struct group_stats *gs);
bool replaces_by_load(const struct group_stats *xs, const struct group_stats *bs);
bool find_by_load(struct lb_env *env, const struct domain_stats *sds);

/* detach.c */
enum move_verdict { MOVE_NO, MOVE_YES, MOVE_HOT }; /* HOT: cache hot, but moved all the same */
enum move_verdict can_migrate_task(struct lb_env *env, const struct task *p);
void detach_tasks(struct lb_env *env, struct balance_decision *d);
void detach_task(struct sched *s, struct task *p, int dst);
void attach_task(struct sched *s, u64 now, struct task *p, int from);

/* active.c: the lowest domain of @cpu that reaches @other, NULL: none */
struct sched_domain *domain_with(const struct sched *s, int cpu, int other);

/* pass.c */
/* balance_decide() with LBF_* set from the beginning */
void decide_pass(const struct sched *s, u64 now, int dst, struct sched_domain *sd,
		 enum cpu_idle_type kind, unsigned int flags, struct balance_decision *d);
void end_moved(const struct sched_domain *sd, struct balance_decision *d);
void leave_out(struct lb_env *env, int cpu);
bool should_we_balance(const struct lb_env *env);
u64 balance_price(const struct sched *s, int cpu, const struct sched_work *w);
void count_domains(const struct sched *s, struct rq *rq);
void count_span(const struct sched *s, int cpu, const struct sched_domain *sd,
		u32 at[NR_DISTANCES]);

/* a walk will come to @sd next: thousands of CPUs' domains fit no cache */
static inline void prefetch_domain(const struct sched_domain *sd, enum cpu_idle_type kind)
{
	if (!sd)
		return;
	__builtin_prefetch(sd);
	__builtin_prefetch(&sd->last_balance);
	__builtin_prefetch(&sd->span_at);
	__builtin_prefetch(&sd->lb[kind], 1);
}

/* ---- walks with tied hands (tied.c) ---- */

struct tied_moves {
	struct forced_move *move;
	int nr;
	int unmade; /* passes that would have moved something, though nothing was */
};

/* make what @d decided agree with what was moved */
void tie_pass(const struct sched *s, u64 now, struct tied_moves *tied, struct balance_decision *d);

bool tied_draw(struct sched *s, u64 now, int dst, struct sched_domain *sd, struct tied_moves *tied);

static inline void decide_walk_pass(const struct sched *s, u64 now, const struct balance_walk *w,
				    int dst, struct sched_domain *sd, enum cpu_idle_type kind,
				    struct balance_decision *d)
{
	balance_decide(s, now, dst, sd, kind, d);
	if (unlikely(w->tied))
		tie_pass(s, now, w->tied, d);
}

/* ---- when passes are due ---- */

/* newidle.c: may a new-idle walk of @rq begin? */
bool newidle_worthwhile(const struct sched *s, const struct rq *rq);
/* periodic.c: is the pass of @sd due that its interval asks for? */
bool pass_due(const struct sched *s, u64 now, const struct sched_domain *sd, bool busy);

/* ---- time ---- */

/*
 * The jiffy of @t, in ns. Whether a jiffy has come needs no division: all due
 * times are whole jiffies, so that jiffy_of(t) >= due is t >= due.
 */
static inline u64 jiffy_of(const struct sched *s, u64 t)
{
	return t - t % s->tick_ns;
}

static inline u64 msecs_to_jiffies_ns(const struct sched *s, u64 ms)
{
	return (ms * NSEC_PER_MSEC + s->tick_ns - 1) / s->tick_ns * s->tick_ns;
}

/* periodic.c */
bool pass_holds_lock(const struct sched *s, const struct balance_decision *d);
u64 domain_interval(const struct sched *s, const struct sched_domain *sd, bool busy);
u64 clamp_interval(const struct sched *s, u64 interval_ns);

/* ---- walks: one table of functions a kind, walk.c ---- */

struct walk_ops {
	bool (*begin)(struct sched *s, u64 now, int cpu, struct balance_walk *w, u64 *cost_ns);
	bool (*step)(struct sched *s, u64 now, int cpu, struct balance_walk *w, u64 *cost_ns);
	void (*attached)(struct sched *s, u64 now, int cpu, struct balance_walk *w, int moved);
};

extern const struct walk_ops newidle_walk, periodic_walk, nohz_walk;

/* the domains of one CPU, bottom up (periodic.c); also on behalf of idle CPUs */
void chain_begin(struct sched *s, u64 now, struct balance_walk *w, int cpu,
		 enum cpu_idle_type idle);
bool chain_step(struct sched *s, u64 now, int walker, struct balance_walk *w,
		struct balance_decision *d);
void chain_attached(struct sched *s, u64 now, struct balance_walk *w, int moved);

/* nohz.c */
#define NOHZ_BALANCE_KICK 1u
#define NOHZ_STATS_KICK	  2u
#define NOHZ_NEXT_KICK	  4u /* only find out when the next pass is due */
#define NOHZ_STATS_PERIOD (32 * NSEC_PER_MSEC)
void nohz_newidle_stats(struct sched *s, u64 now, struct rq *rq);

/* newidle.c */
void newidle_count(struct sched *s, u64 now, struct sched_domain *sd, u32 success);
/* is there a draw for @sd at all? */
bool newidle_is_drawn(const struct sched *s, const struct sched_domain *sd);
bool newidle_draw(struct sched *s, const struct sched_domain *sd);
u32 newidle_success_weight(const struct sched *s, const struct sched_domain *sd);

#endif
