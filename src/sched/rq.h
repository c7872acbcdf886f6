/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rq.h - a CPU's run queue, the core itself, and what is read of them without a call.
 *
 * Inside sched/ only.
 */
#ifndef IDLEST_SCHED_RQ_H
#define IDLEST_SCHED_RQ_H

#include "sched/sd.h"
#include "sched/entity.h"

struct tied_moves;

/* One walk of a CPU over its domains; balance/'s own (sched/balance/walk.c). */
struct balance_walk {
	bool active;
	enum walk_kind kind;
	/* the chain being walked */
	int for_cpu;		/* whose domains: the walker's, or an idle CPU's (NOHZ) */
	struct sched_domain *sd;	/* the next one; NULL: chain is done */
	struct sched_domain *pass_sd;	/* of the pass that waits for its attach */
	enum cpu_idle_type idle;
	bool keep_going, need_decay, update_next;
	bool serialized;	/* holds the SERIALIZE lock */
	u64 next_balance;	/* ns, minimum over the visited domains */
	u64 newidle_cost_sum;	/* ns, over the visited domains */
	u64 spent_ns;		/* new-idle */
	/* tasks between two queues, in the order they are attached */
	int nr_held;
	struct list_head held;
	int pulled;
	/* NOHZ */
	u32 kicked;		/* NOHZ_* that a kick asked for; set while no walk is active */
	u32 flags;		/* of this walk */
	int start, cursor;	/* first CPU of the round, next one; cursor -1: round is over */
	bool wrapped, stats_left;
	bool nohz_update;
	u64 nohz_next;
	/* what was moved in this walk, by a record: nothing else may; NULL: hands are free */
	struct tied_moves *tied;
};

/*
 * What a wake-up reads of CPUs that aren't its own comes first and fits one
 * cache line; then what every event on the CPU itself changes.
 */
struct rq {
	int cpu;
	int nr_running;
	int nr_above_fair;	/* runnable entities of the realtime and deadline classes */
	struct task *curr;	/* NULL: idle task (or stopper, see stop_running) */
	struct llc *llc;
	int llc_pos;		/* position in llc->cpus */
	int llc_id, share_id;
	int nr_siblings;
	int *siblings;		/* other threads of its core */
	bool stop_running;	/* the stopper is current */
	bool curr_above_fair;	/* what was picked last, or the stopper, comes before fair tasks */
	bool push_due;		/* somebody may be pushed away when the switch is over */
	bool curr_is_idle;	/* current is the idle task, the switch to it being over */
	bool switching;		/* between pick and switch_done */
	bool need_resched, need_resched_lazy;
	bool ttwu_pending;
	bool idle_visible;	/* bit of sched.idle_mask, cached */
	bool sched_idle_visible; /* bit of llc.sched_idle, cached */
	bool nohz_idle;		/* tick stopped, in the nohz mask */
	bool nohz_busy_counted;	/* its LLC's nr_busy_cpus counts it */
	bool cstate_known;
	bool active_balance;
	bool has_blocked_load;
	bool online;		/* takes tasks; bit of sched.online */
	bool dead;		/* nothing can run here */
	bool hrtick_armed;
	bool sums_stale;	/* its bit of llc.stale; always set where no sums are kept */
	int llc_size;
	int distribute_cursor;
	/* clocks, ns */
	u64 clock, clock_task, clock_pelt, lost_idle_time;
	u64 clock_pelt_idle;	/* of entering idle, for the estimate of missed decay */
	u64 clock_idle;
	u32 freq_scale;		/* 1024 = maximum */
	int push_cpu;
	unsigned long cpu_capacity, cpu_capacity_orig;
	unsigned long misfit_task_load;
	u64 idle_stamp;
	u64 avg_idle;
	u64 max_idle_balance_cost;
	u64 next_balance;	/* ns */
	u64 exit_latency_ns;
	u64 wake_stamp;		/* ns */
	u64 wake_avg_idle;
	u64 avg_scan_cost;	/* of its sd_llc (SIS_PROP) */
	struct list_head wake_list;
	/* the idle task as a waker (spec 04 §3) */
	struct task *idle_last_wakee;
	u64 idle_flip_decay_ts;
	unsigned int idle_wakee_flips;
	struct root_domain *rd;
	/* domains and shortcuts (spec 01 §6) */
	struct sched_domain *sd;	/* lowest; NULL: nobody balances with it */
	struct sched_domain *sd_llc, *sd_numa, *sd_asym_cpucapacity, *sd_cluster;
	struct asym_shared *asym_shared; /* asym_idle_cores: of sd_asym_cpucapacity; else NULL */
	struct cfs_rq cfs __attribute__((aligned(64)));
	struct list_head cfs_tasks;
	struct list_head leaf_cfs_rq_list;
	u64 last_blocked_update;
	struct task *push_task;
	/* the classes above fair */
	u64 busy_since;		/* ns: something has been queued since then */
	struct rt_rq rt;
	struct dl_rq dl;
	int cpupri;		/* level it stands in, CPUPRI_INVALID */
	struct list_head timers; /* struct class_timer, by time */
	u64 timer_asked;	/* what the host was asked to wait for last; UINT64_MAX: nothing */
	struct balance_walk walk;
	/* SIS_CACHE: idle, but kept for a short sleeper */
	const struct task *reserved_for;
	u64 reserved_until;
	/* statistics (spec 11 §4) */
	u32 yld_count, sched_count, sched_goidle, ttwu_count, ttwu_local;
	u64 rq_cpu_time, run_delay;
	u32 pcount;
	u64 stop_arrival;	/* the stopper was switched in */
	struct uclamp_rq *uclamp; /* [NR_UCLAMP]; NULL: this kernel has no clamps */
	struct task *psi_stopper; /* its stopper, as PSI counts it */
	bool uclamp_idle;	/* nothing is counted: util_max is held (spec 09 §3) */
} __attribute__((aligned(64)));

#define NR_CPUPRI 101 /* levels, spec 08 §2.5 */

/*
 * CPUs that share their tasks: those of a partition, which have domain trees of their own, or all
 * that belong to none and have no domains at all (root_domain.c).
 */
struct root_domain {
	u64 *cpus;		/* that belong to it, online or not */
	u64 *span;		/* … those of them that take tasks */
	int nr_cpus;		/* in span */
	bool whole;		/* span is every CPU of the machine */
	bool has_domains;
	bool overload;		/* some CPU has more than one task (spec 06 §11.2) */
	u64 total_bw;		/* deadline bandwidth given away, times 2^20 */
	/* RT_PUSH_IPI: one round of push requests at a time */
	int rto_cpu;
	u32 rto_loop, rto_loop_next;
	bool rto_active;
};

/* What the classes above fair keep of all CPUs; a search looks at those of one root domain. */
struct rt_domain {
	u64 *cpupri[NR_CPUPRI];	/* CPUs by level */
	int nr_cpupri[NR_CPUPRI];
	u64 *rt_overloaded;	/* CPUs with realtime tasks to push */
	u64 *dl_overloaded;
	u64 *dl_free;		/* CPUs without deadline tasks */
	u64 *mask;		/* scratch of a search */
	/* realtime throttling */
	u64 rt_period, rt_runtime; /* ns; runtime UINT64_MAX: none */
	struct class_timer period_timer;
	int rr_timeslice;	/* ticks */
	/* deadline bandwidth, times 2^20 */
	u64 dl_bw;		/* limit of one CPU; UINT64_MAX: none */
	u64 server_bw;		/* of the fair server of one CPU */
	u64 bw_ratio;		/* period by runtime, times 256 */
	u64 server_runtime, server_period; /* ns; 0: no fair server */
};

#define MAX_OUT 256

/* Who wants to hear of every task that comes, goes and runs; usually nobody. */
enum { TRACK_UCLAMP = 1 << 0, TRACK_PSI = 1 << 1 };

struct sched {
	const struct sched_topology *topo;
	struct sched_kernel k;
	struct sched_host host;
	int nr_cpus, words;
	u64 now;		/* of the last event that looked at a clock */
	u64 tick_ns;
	struct rq *rq;		/* [nr_cpus] */
	u64 *online;		/* CPUs that take tasks: online and not on their way out */
	u64 *idle_mask;		/* idle(c), spec 00 §6 */
	u64 *busy_mask;		/* nr_running > 0 */
	u64 *load_mask;		/* leaf_cfs_rq_list not empty: load queued or left to decay */
	u64 *nohz_mask;		/* idle, tick stopped */
	u64 *scratch[4];	/* [words] each, for one event */
	struct llc *llc;
	int nr_llcs;
	u32 *asym_priority;	/* [nr_cpus] of asymmetric packing; NULL: the machine has none */
	bool hotplugged;	/* CPUs came or went since boot */
	bool smt_active, cluster_active, asym_active;
	u8 tracks;		/* TRACK_… */
	unsigned long max_capacity;	/* of the biggest CPU */
	struct root_domain *rd;	/* [nr_rds + 1]: the partitions, then the CPUs of none */
	int nr_rds;
	struct rt_domain rtd;
	bool serialize_locked;
	int nr_sched_idle;	/* CPUs that run SCHED_IDLE tasks only */
	u64 nohz_next_balance, nohz_next_blocked;
	bool nohz_has_blocked;
	bool nohz_needs_update;	/* nohz_next_balance may be too late for a CPU that joined */
	int nr_online;		/* of online */
	/* effective tunables */
	u64 sysctl_latency, sysctl_min_granularity, sysctl_wakeup_granularity;
	u64 sysctl_idle_min_granularity, base_slice, base_slice_normalised;
	s64 migration_cost;
	int nr_migrate;
	struct task_group root_tg;
	struct list_head groups;
	bool bandwidth_used;	/* a group has, or had, a quota */
	struct rng rng;
	struct sched_out out[MAX_OUT];
	unsigned int out_head, out_tail;
	sched_sink_fn sink;
	void *sink_ctx;
	struct list_head free_tasks;
	struct list_head chunks;
	int nr_tasks;
	u64 nr_passes[NR_IDLE_TYPES];	/* balancing passes made so far */
	u64 nr_rt_pushes, nr_rt_pulls, nr_dl_pushes, nr_dl_pulls;
	u16 uclamp_default[NR_UCLAMP]; /* sysctl: no task's clamp counts for more */
	u16 uclamp_min_rt_default;
	int uclamp_buckets;
	u64 psi_at;		/* what the host was asked to wait for; UINT64_MAX: nothing */
	struct arena *arena;	/* everything built at creation */
	struct arena *rd_arena;	/* root domains, built anew when the partitions change */
	struct arena *dom_arena; /* domains, groups, LLCs: built anew when CPUs come or go, too */
};

#define for_each_domain(cpu_rq, sd)	for ((sd) = (cpu_rq)->sd; (sd); (sd) = (sd)->parent)
/* the words of a group's or domain's span that aren't zero */
#define for_each_span_word(w, x)                                                                   \
	for (const u16 *w_ = (x)->word, *end_ = w_ + (x)->nr_words;                                \
	     w_ < end_ && ((w) = *w_, true); w_++)
#define for_each_sched_entity(se)	for (; (se); (se) = (se)->parent)

static inline struct rq *cpu_rq(const struct sched *s, int cpu)
{
	return &s->rq[cpu];
}

static inline struct task *task_of(const struct sched_entity *se)
{
	return container_of(se, struct task, se);
}

static inline bool entity_is_task(const struct sched_entity *se)
{
	return !se->my_q;
}

static inline bool feat(const struct sched *s, enum sched_feat f)
{
	return sched_feat(&s->k, f);
}

static inline bool cpus_share_cache(const struct sched *s, int a, int b)
{
	return s->rq[a].llc_id == s->rq[b].llc_id;
}

static inline bool cpus_share_resources(const struct sched *s, int a, int b)
{
	return s->rq[a].share_id == s->rq[b].share_id;
}

static inline bool task_allowed(const struct task *p, int cpu)
{
	return p->allowed_all || mask_test(p->allowed, cpu);
}

static inline bool idle_cpu(const struct sched *s, int cpu)
{
	return s->rq[cpu].idle_visible;
}

/* the idle task is current, its switch over or not; after the stopper nothing may be picked yet */
static inline bool rq_runs_idle(const struct rq *rq)
{
	return !rq->curr && (rq->curr_is_idle || rq->switching);
}

/* every other thread of the core is idle */
static inline bool siblings_idle(const struct sched *s, const struct rq *rq)
{
	for (int i = 0; i < rq->nr_siblings; i++)
		if (!idle_cpu(s, rq->siblings[i]))
			return false;
	return true;
}

/* every fair task is (or is below) SCHED_IDLE */
static inline bool sched_idle_rq(const struct rq *rq)
{
	return unlikely(rq->nr_running && rq->nr_running == rq->cfs.h_nr_idle);
}

static inline bool sched_idle_cpu(const struct sched *s, int cpu)
{
	return sched_idle_rq(&s->rq[cpu]);
}

/* load weight as PELT sees it (spec 00 §3); that of a task, which is never less than 3 */
static inline u64 scale_load_down(u64 w)
{
	return w ? max(w >> WEIGHT_SHIFT, (u64)2) : 0;
}

/* the same of an entity or queue that may be a group's small share (spec 09 §1) */
static inline u64 load_down(const struct load_weight *lw)
{
	return lw->truncates ? lw->weight >> WEIGHT_SHIFT : scale_load_down(lw->weight);
}

#endif
