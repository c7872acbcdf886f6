/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * internal.h - the state that the rooms of the core share.
 *
 * Included by sched/ and its unit tests only; everybody else uses sched.h.
 * Struct and field names are the kernel's where it has them.
 */
#ifndef IDLEST_SCHED_INTERNAL_H
#define IDLEST_SCHED_INTERNAL_H

#include "base/list.h"
#include "base/rbtree.h"
#include "sched/sched.h"

#define SCHED_CAPACITY_SCALE 1024
#define NICE_0_WEIGHT	     1024
#define WEIGHT_SHIFT	     10 /* load weights are kept times 1024 (spec 00 §3) */

/* ---- averages (spec 03) ---- */

struct sched_avg {
	u64 last_update_time;
	u64 load_sum;
	u64 runnable_sum;
	u32 util_sum;
	u32 period_contrib;
	unsigned long load_avg;
	unsigned long runnable_avg;
	unsigned long util_avg;
};

struct util_est {
	unsigned long enqueued;	/* two-value form; the one-value form keeps its value in ewma */
	unsigned long ewma;
};

/* ---- the fair class (spec 02) ---- */

struct load_weight {
	u64 weight;	/* times 1024 */
	u32 inv_weight;	/* 2^32 / down(weight); 0: not known, divide */
};

/* Ordered by cache line: what a tree descent reads, what deciding reads, the rest. */
struct sched_entity {
	struct rb_node run_node;
	u64 vruntime;
	u64 deadline;
	u64 min_vruntime;	/* of the subtree below run_node (EEVDF) */
	u64 slice;		/* ns */
	u64 min_slice;		/* of the subtree */
	u64 max_slice;		/* of the subtree */
	u64 key_weight;		/* weight in W and S: down(load), flat: vload.weight */
	s64 vlag;
	u64 vprot;		/* end of protection; PROTECT_DEADLINE: the deadline at pick */
	struct load_weight load;
	struct load_weight vload; /* of vtime(): load, flat: effective weight (spec 16 §3) */
	u64 exec_start;
	u64 sum_exec_runtime;
	u64 prev_sum_exec_runtime;
	struct sched_entity *parent;
	struct cfs_rq *cfs_rq;	/* queue it is (to be) queued on */
	struct cfs_rq *my_q;	/* queue it owns; NULL for a task */
	bool on_rq;
	bool sched_delayed;
	bool rel_deadline;
	bool custom_slice;
	bool idle_group;	/* cpu.idle */
	bool vruntime_relative;	/* CFS: the queue's min_vruntime is subtracted (spec 02 §4.6) */
	bool counted_idle;	/* counted in h_nr_idle */
	bool util_changed;	/* task: util_avg was updated since the estimate was */
	int depth;
	int runnable_weight;	/* group: runnable tasks below */
	struct sched_avg avg;
};

struct cfs_rq {
	struct rb_root_cached tasks_timeline;
	struct load_weight load;
	struct rq *rq;
	int nr_queued;		/* entities on this level, curr included */
	int nr_tree;		/* entities of the tree, curr included; flat: tasks below the root */
	int nr_idle;		/* entities of this level that are idle */
	int h_nr_queued;	/* tasks below, delayed ones included */
	int h_nr_runnable;	/* without delayed ones */
	int h_nr_idle;		/* SCHED_IDLE ones */
	s128 avg_vruntime;	/* S of spec 02 §5; a heavy task may be minutes from a light one */
	u64 avg_load;		/* W, without curr */
	u64 min_vruntime;	/* also v0 */
	struct sched_entity *curr;	/* entity of this level that runs */
	struct sched_entity *vcurr;	/* … that left the tree to run; flat: the task, at the root */
	struct sched_entity *next, *last;
	/* one line, read by balancing and placement from afar */
	struct sched_avg avg;
	unsigned long util_est;	/* of enqueued tasks */
	struct sched_entity *skip;
	struct {
		int nr;
		unsigned long load_avg, util_avg, runnable_avg;
	} removed;
	/* as part of a group */
	struct task_group *tg;
	struct sched_entity *my_se;	/* entity that stands for this queue; NULL at the root */
	unsigned long tg_load_avg_contrib, tg_runnable_avg_contrib;
	u64 last_update_tg_load_avg;
	bool propagate;
	long prop_runnable_sum;
	unsigned long h_load;
	u64 last_h_load_update;
	struct sched_entity *h_load_next;
	bool on_leaf_list;	/* something queued or left to decay, here or below */
	int nr_leaf_children;
	struct list_head leaf_node; /* in rq.leaf_cfs_rq_list: children before parents */
	bool throttled;
};

struct task_group {
	struct task_group *parent;
	struct list_head node;	/* in sched.groups */
	u64 shares;		/* times 1024 */
	bool idle;
	long load_avg;
	long runnable_avg;	/* SHARE_CONCUR */
	struct cfs_rq **cfs_rq;	  /* [nr_cpus] */
	struct sched_entity **se; /* [nr_cpus]; NULL for the root group */
};

/* ---- tasks ---- */

enum task_state { TASK_NEW, TASK_RUNNABLE, TASK_SLEEPING, TASK_WAKING, TASK_DEAD };

struct task {
	struct sched_entity se;
	enum task_state state;
	bool on_cpu;		/* current, or not yet switched out */
	bool on_rq;		/* queued (delayed included) */
	bool kthread;
	bool per_cpu_kthread;
	bool allowed_all;	/* may run anywhere */
	bool affinity_changed;	/* was ever restricted (spec 05 §4) */
	bool on_wake_list;
	bool migrating;		/* in the hands of a balancing pass */
	bool wake_after_move;	/* a delayed task was woken while it was there */
	bool in_use;		/* the slot holds a task */
	bool migration_pending;	/* sits on a CPU it may not use until the stopper comes */
	int wake_flags;		/* WF_* from the choice of a CPU to the enqueue */
	int cpu;
	int nr_allowed;
	u64 *allowed;
	enum sched_policy policy;
	int nice;
	int id;
	void *host;
	/* wake-up placement (spec 04) */
	struct task *last_wakee;
	unsigned int wakee_flips;
	u64 wakee_flip_decay_ts; /* ns */
	int recent_used_cpu;
	u64 dur_avg;		/* SIS_SHORT */
	u64 prev_sleep_sum_runtime;
	u64 nvcsw;
	struct util_est util_est;
	struct task_group *tg;
	struct list_head rq_node;   /* in rq.cfs_tasks: head = newest, tail = longest not run */
	struct list_head list_node; /* in a wake list, a pass's hands, or the free list */
	char comm[16];
};

/* ---- domains (spec 01) ---- */

enum {
	SD_BALANCE_NEWIDLE = 1 << 0,
	SD_BALANCE_EXEC = 1 << 1,
	SD_BALANCE_FORK = 1 << 2,
	SD_BALANCE_WAKE = 1 << 3,
	SD_WAKE_AFFINE = 1 << 4,
	SD_ASYM_CPUCAPACITY = 1 << 5,
	SD_ASYM_CPUCAPACITY_FULL = 1 << 6,
	SD_SHARE_CPUCAPACITY = 1 << 7,
	SD_CLUSTER = 1 << 8,
	SD_SHARE_LLC = 1 << 9,
	SD_SERIALIZE = 1 << 10,
	SD_ASYM_PACKING = 1 << 11,
	SD_PREFER_SIBLING = 1 << 12,
	SD_OVERLAP = 1 << 13,
	SD_NUMA = 1 << 14,
};

enum cpu_idle_type { CPU_NOT_IDLE, CPU_IDLE, CPU_NEWLY_IDLE, NR_IDLE_TYPES };

struct sched_group_capacity {
	unsigned long capacity, min_capacity, max_capacity;
	u64 next_update;	/* ns */
	bool imbalance;		/* parent's "imbalance" flag (spec 06 §2.3) */
};

struct sched_group {
	struct sched_group *next; /* circular; a domain's first is the local one */
	u64 *span;
	u64 *balance_mask;
	struct sched_group_capacity *sgc;
	int weight;
	int cores;
	int flags;
	int balance_cpu;	/* first CPU of balance_mask */
	int first_cpu;		/* of span */
	int lo_word, hi_word;	/* words of span that aren't zero: [lo, hi] */
	const u16 *word;	/* … each of them, ascending: siblings may be far apart */
	int nr_words;
	struct group_sums *sums; /* of its CPUs, if whole LLCs (balance/sums.c); else NULL */
	bool sums_sought;
};

struct lb_stats {
	u32 count, balanced, failed, imbalance, gained, hot_gained, nobusyq, nobusyg;
};

/*
 * One per CPU and level. Spans, groups and capacities are shared between CPUs where equal.
 * By cache line, since a pass on a large machine finds none of them at hand: what every pass
 * reads; what it changes; what it costs; what it counts.
 */
struct sched_domain {
	struct sched_domain *parent, *child;
	struct sched_group *groups;
	u64 *span;
	const u16 *word;	/* as in struct sched_group */
	int nr_words;
	int weight;
	int flags;
	int local_flags;	/* of its local group: groups->flags is what others see of that */
	int imbalance_pct;
	int cache_nice_tries;
	/* changing */
	u64 last_balance;	/* ns */
	u64 balance_interval;	/* ms */
	u64 min_interval, max_interval; /* ms */
	u64 max_newidle_lb_cost; /* ns */
	u64 last_decay_max_lb_cost;
	int nr_balance_failed;
	int busy_factor;
	u32 newidle_call, newidle_ratio;

	u32 newidle_success;
	int imb_numa_nr;
	u64 newidle_stamp;
	u32 span_at[NR_DISTANCES]; /* CPUs of the span by distance; balance/ counts them */
	struct llc *shared;	/* the top SHARE_LLC level (sd_llc); NULL elsewhere */

	struct lb_stats lb[NR_IDLE_TYPES] __attribute__((aligned(64)));
	u32 alb_count, alb_failed, alb_pushed;
	u32 ttwu_wake_remote, ttwu_move_affine;
	int level;		/* index in the level list before removal */
	const char *name;
} __attribute__((aligned(64)));

/* What balancing reads of a CPU, or of several together (balance/sums.c). */
struct load_sums {
	unsigned long load, util, runnable;
	u32 h_nr;	/* fair tasks, as the profile's balancing counts them */
	u32 nr;		/* all tasks */
	u32 idle;	/* CPUs that are idle for searchers */
	u32 crowded;	/* CPUs with more than one task */
	u32 odd;	/* CPUs with a misfit task or a reduced capacity: to be read singly */
};

/* Kept sums of one set of CPUs, shared by all groups that span it. */
struct group_sums {
	struct load_sums sum;
	int nr_stale;	/* LLCs of it some CPU of which changed since */
	int nr_llcs;
	struct llc **llc;
	const u64 *span;
} __attribute__((aligned(64)));

#define LLC_MAX_SUMS 8

/*
 * What the CPUs of one sd_llc share (a CPU without sd_llc has one of its own). CPU sets inside are by
 * position in cpus[].
 */
struct llc {
	int id;			/* first CPU */
	int index;		/* 0 … nr_llcs - 1 */
	int nr_cpus;
	int words;		/* of the local sets */
	int *cpus;		/* ascending */
	u64 *idle;		/* local set: sched_cpu_idle() */
	u64 *idle_core;		/* local set: every thread of its core is idle */
	u64 *sched_idle;	/* local set: runs SCHED_IDLE tasks only */
	int nr_busy_cpus;	/* not in nohz idle */
	bool has_idle_cores;
	int nr_idle_scan;
	int nr_sched_idle;
	/* kept sums (balance/sums.c) */
	u64 *stale;		/* local set: CPUs that changed since they were counted */
	struct load_sums *part;	/* [nr_cpus] what was counted of each */
	int nr_sums;
	struct group_sums *sums[LLC_MAX_SUMS]; /* those the LLC is in */
};

/* ---- run queues ---- */

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
};

/*
 * What a wake-up reads of CPUs that aren't its own comes first and fits one
 * cache line; then what every event on the CPU itself changes.
 */
struct rq {
	int cpu;
	int nr_running;
	struct task *curr;	/* NULL: idle task (or stopper, see stop_running) */
	struct llc *llc;
	int llc_pos;		/* position in llc->cpus */
	int llc_id, share_id;
	int nr_siblings;
	int *siblings;		/* other threads of its core */
	bool stop_running;	/* the stopper is current */
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
	bool online;
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
	/* domains and shortcuts (spec 01 §6) */
	struct sched_domain *sd;	/* lowest */
	struct sched_domain *sd_llc, *sd_numa, *sd_asym_cpucapacity, *sd_cluster;
	struct cfs_rq cfs __attribute__((aligned(64)));
	struct list_head cfs_tasks;
	struct list_head leaf_cfs_rq_list;
	u64 last_blocked_update;
	struct task *push_task;
	struct balance_walk walk;
	/* statistics (spec 11 §4) */
	u32 yld_count, sched_count, sched_goidle, ttwu_count, ttwu_local;
	u64 rq_cpu_time, run_delay;
	u32 pcount;
} __attribute__((aligned(64)));

#define MAX_OUT 256

struct sched {
	const struct sched_topology *topo;
	struct sched_kernel k;
	struct sched_host host;
	int nr_cpus, words;
	u64 now;		/* of the last event that looked at a clock */
	u64 tick_ns;
	struct rq *rq;		/* [nr_cpus] */
	u64 *online;
	u64 *idle_mask;		/* idle(c), spec 00 §6 */
	u64 *busy_mask;		/* nr_running > 0 */
	u64 *load_mask;		/* leaf_cfs_rq_list not empty: load queued or left to decay */
	u64 *nohz_mask;		/* idle, tick stopped */
	u64 *scratch[4];	/* [words] each, for one event */
	struct llc *llc;
	int nr_llcs;
	bool smt_active, cluster_active, asym_active;
	struct { bool overload, overutilized; } rd;
	bool serialize_locked;
	int nr_sched_idle;	/* CPUs that run SCHED_IDLE tasks only */
	u64 nohz_next_balance, nohz_next_blocked;
	bool nohz_has_blocked;
	int nr_online;
	/* effective tunables */
	u64 sysctl_latency, sysctl_min_granularity, sysctl_wakeup_granularity;
	u64 sysctl_idle_min_granularity, base_slice, base_slice_normalised;
	s64 migration_cost;
	int nr_migrate;
	struct task_group root_tg;
	struct list_head groups;
	struct rng rng;
	struct sched_out out[MAX_OUT];
	unsigned int out_head, out_tail;
	sched_sink_fn sink;
	void *sink_ctx;
	struct list_head free_tasks;
	struct list_head chunks;
	int nr_tasks;
	u64 nr_passes[NR_IDLE_TYPES];	/* balancing passes made so far */
	struct arena *arena;	/* everything built at creation */
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

/* every fair task is (or is below) SCHED_IDLE */
static inline bool sched_idle_rq(const struct rq *rq)
{
	return unlikely(rq->nr_running && rq->nr_running == rq->cfs.h_nr_idle);
}

static inline bool sched_idle_cpu(const struct sched *s, int cpu)
{
	return sched_idle_rq(&s->rq[cpu]);
}

/* load weight as PELT sees it (spec 00 §3) */
static inline u64 scale_load_down(u64 w)
{
	return w ? max(w >> WEIGHT_SHIFT, (u64)2) : 0;
}

/* ---- core.c: shared by all rooms ---- */

void update_rq_clock(struct sched *s, struct rq *rq, u64 now);
/* @rq's bit in the idle sets, or in those of SCHED_IDLE CPUs, is wrong: turn it */
void rq_idle_changed(struct sched *s, struct rq *rq);
void rq_sched_idle_changed(struct sched *s, struct rq *rq);

void rq_sums_stale(struct rq *rq);

/*
 * Something that balancing reads of @rq changes: its averages, the estimate,
 * its counts of tasks, idle_visible, its capacity or its misfit load.
 */
static inline void rq_load_changed(struct rq *rq)
{
	if (!rq->sums_stale)
		rq_sums_stale(rq);
}

/* bring masks and LLC sets in line with curr, nr_running and ttwu_pending */
static inline void rq_update_idle(struct sched *s, struct rq *rq)
{
	bool idle = rq->curr_is_idle && !rq->nr_running && !rq->ttwu_pending && rq->online;

	if (idle != rq->idle_visible)
		rq_idle_changed(s, rq);
	if (unlikely(sched_idle_rq(rq) != rq->sched_idle_visible))
		rq_sched_idle_changed(s, rq);
}

/* nr_running += count, with overload flag and busy_mask (spec 06 §11.2) */
static inline void add_nr_running(struct sched *s, struct rq *rq, int count)
{
	int old = rq->nr_running;

	rq->nr_running = old + count;
	rq_load_changed(rq);
	if (count > 0 && old < 2 && rq->nr_running >= 2)
		s->rd.overload = true;
	if (!old != !rq->nr_running)
		mask_flip(s->busy_mask, rq->cpu);
}

void resched_curr(struct sched *s, struct rq *rq, int from);
void resched_curr_lazy(struct sched *s, struct rq *rq, int from);
void sched_push_out(struct sched *s, enum sched_out_kind kind, int cpu, int from, struct task *p,
		    u64 arg);
void activate_task(struct sched *s, struct rq *rq, struct task *p, int flags);
/* Return: false if the task stays queued (delayed dequeue) */
bool deactivate_task(struct sched *s, struct rq *rq, struct task *p, int flags);
void check_preempt_curr(struct sched *s, struct rq *rq, struct task *p, int flags, int from);
/* the task's CPU becomes @cpu: averages and vruntime leave the old queue where due */
void set_task_cpu(struct sched *s, struct task *p, int cpu);
/* the idle stamp's interval enters avg_idle, the stamp is cleared (spec 04 §1.9) */
void update_avg_idle(struct sched *s, struct rq *rq);

enum {
	ENQUEUE_WAKEUP = 1 << 0,
	ENQUEUE_INITIAL = 1 << 1,
	ENQUEUE_MIGRATED = 1 << 2,
	ENQUEUE_RESTORE = 1 << 3,
	ENQUEUE_DELAYED = 1 << 4,
	DEQUEUE_SLEEP = 1 << 8,
	DEQUEUE_SAVE = 1 << 9,
	DEQUEUE_SPECIAL = 1 << 10,
	DEQUEUE_DELAYED = 1 << 11,
	WF_SYNC = 1 << 16,
	WF_FORK = 1 << 17,
	WF_MIGRATED = 1 << 18,
	WF_TTWU = 1 << 19,
	WF_EXEC = 1 << 20,
	WF_RQ_SELECTED = 1 << 21,
};

/* explain: one predictable branch when nobody listens */
void sched_emit(const struct sched *s, const struct sched_record *r);
#define EXPLAIN(s, ...)                                                                            \
	do {                                                                                       \
		if (unlikely((s)->sink))                                                           \
			sched_emit((s), &(struct sched_record){ __VA_ARGS__ });                    \
	} while (0)

/* ---- domain.c ---- */

/**
 * sched_build_domains() - domains, groups, LLC objects and shortcuts of every CPU (spec 01)
 *
 * Uses s->topo, s->k.rules, s->arena; fills rq->sd … rq->nr_siblings, s->llc,
 * s->smt_active, s->cluster_active, s->asym_active.
 */
int sched_build_domains(struct sched *s, struct err *err);
/* flag names as debugfs prints them, space separated; Return: @buf */
char *sched_domain_flag_names(const struct sched *s, int flags, char *buf, size_t len);

/* ---- fair/ ---- */

/*
 * Who keeps what between core and fair/:
 *
 * The class calls add_nr_running() and links rq_node into rq.cfs_tasks where it
 * enqueues and dequeues; for a task whose delayed dequeue it completes (in a
 * pick, too) it also clears on_rq. Otherwise on_rq and state are the core's.
 * A task that changes its CPU while runnable has task.migrating set from
 * deactivate_task(0) to activate_task(); set_task_cpu() calls
 * fair_migrate_task_rq() and then sets se.cfs_rq, se.parent and se.depth.
 * rq.curr is set by the core after fair_put_prev_task(old) and
 * fair_set_next_task(new), neither of which is called when old == new.
 * sched_create() allocates root_tg.cfs_rq (= each rq.cfs) and root_tg.se (all
 * NULL); fair_group_init() is called for other groups only.
 * The averages of a queue that become nonzero set its bit in load_mask where
 * they are attached; update_blocked_averages() clears it.
 */

void fair_init_rq(struct sched *s, struct rq *rq);
void fair_init_task(struct sched *s, struct task *p);
void fair_forget_past(struct sched *s, struct task *p);
void fair_boot_util(struct sched *s, struct rq *rq, u32 util);
void fair_enqueue_task(struct sched *s, struct rq *rq, struct task *p, int flags);
bool fair_dequeue_task(struct sched *s, struct rq *rq, struct task *p, int flags);
/* chooses; dequeues delayed entities it meets; NULL: no fair task is runnable */
struct task *fair_pick_task(struct sched *s, struct rq *rq);
/* the same without effects, as of the clocks of the last update */
const struct task *fair_pick_peek(const struct sched *s, const struct rq *rq);
/* … as of @clock_task */
const struct task *fair_pick_peek_at(const struct sched *s, const struct rq *rq, u64 clock_task);
/*
 * @prev stops and @next starts running (NULL: no fair task); call it after the
 * pick. Levels that both have in common go on running; nothing happens if they
 * are the same. The two halves are for a task that changes while it runs.
 */
void fair_put_prev_set_next(struct sched *s, struct rq *rq, struct task *prev, struct task *next);
void fair_put_prev_task(struct sched *s, struct rq *rq, struct task *p);
void fair_set_next_task(struct sched *s, struct rq *rq, struct task *p);
void fair_task_tick(struct sched *s, struct rq *rq, struct task *p, bool hrtick);
void fair_check_preempt(struct sched *s, struct rq *rq, struct task *p, int flags, int from);
void fair_yield_task(struct sched *s, struct rq *rq);
void fair_update_curr(struct sched *s, struct rq *rq);
/* fork: place beside the parent (CFS: parent's vruntime first) */
void fair_task_fork(struct sched *s, struct rq *rq, struct task *p);
/* initial utilisation, before the first enqueue (spec 03 §4) */
void fair_post_init_util(struct sched *s, struct rq *rq, struct task *p);
/*
 * The task's CPU becomes @new_cpu (called while p->cpu is the old one): a sleeping
 * task's averages and vruntime leave the old queue (spec 03 §5.2, 02 §4.6); those
 * of a queued one left when it was dequeued without DEQUEUE_SLEEP. Sets se.cfs_rq.
 */
void fair_migrate_task_rq(struct sched *s, struct task *p, int new_cpu);
/* nice or policy changed, queued or not */
void fair_reweight_task(struct sched *s, struct rq *rq, struct task *p);
/* @p is not queued; sets p->tg */
void fair_change_group(struct sched *s, struct task *p, struct task_group *g);
int fair_group_init(struct sched *s, struct task_group *tg, struct err *err);
bool fair_task_hot_buddy(const struct rq *rq, const struct task *p); /* next or last buddy */
bool fair_task_eligible(const struct sched *s, const struct task *p);
int fair_check(const struct sched *s, const struct rq *rq, struct err *err);

/* ---- fair/pelt.c, util_est: what placement and balancing read ---- */

static inline u64 rq_clock_pelt(const struct rq *rq)
{
	return rq->clock_pelt - rq->lost_idle_time;
}
/* clock_task went on by @delta ns: clock_pelt by what capacity and frequency make of it */
void update_rq_clock_pelt(struct rq *rq, u64 delta);
void rq_clock_pelt_enter_idle(struct sched *s, struct rq *rq);
/* ages every queue of @rq; Return: whether anything is left to decay */
bool update_blocked_averages(struct sched *s, struct rq *rq);
/* utilisation of the CPU by fair tasks, expected or real (spec 03 §6) */
static inline unsigned long cpu_util_cfs(const struct sched *s, int cpu)
{
	const struct rq *rq = cpu_rq(s, cpu);
	unsigned long util = rq->cfs.avg.util_avg;

	if (feat(s, FEAT_UTIL_EST))
		util = max(util, rq->cfs.util_est);
	return min(util, rq->cpu_capacity_orig);
}

static inline unsigned long cpu_load(const struct rq *rq)
{
	return rq->cfs.avg.load_avg;
}

static inline unsigned long cpu_runnable(const struct rq *rq)
{
	return rq->cfs.avg.runnable_avg;
}

static inline unsigned long task_util(const struct task *p)
{
	return p->se.avg.util_avg;
}

unsigned long task_util_est(const struct sched *s, const struct task *p);
/* pure: uses the h_load values of the queues as last refreshed or computes them fresh */
unsigned long task_h_load(const struct sched *s, const struct task *p);

/* ---- place/ ---- */

/* spec 04 §2 for TTWU; fills target, reason, effects and adds its work to @w */
int select_task_rq_fair(const struct sched *s, u64 now, const struct wake_query *q,
			struct wake_decision *d, struct sched_work *w);
/* spec 05; flag is SD_BALANCE_FORK or SD_BALANCE_EXEC */
int find_idlest_cpu(const struct sched *s, u64 now, int cpu, const struct task *p, int sd_flag,
		    int *reason, struct sched_work *w);
void record_wakee(struct sched *s, u64 now, int waker_cpu, struct task *p);
/* spec 04 §1.6 */
int select_fallback_rq(const struct sched *s, int cpu, const struct task *p);
bool ttwu_queue_cond(const struct sched *s, int waker_cpu, const struct task *p, int cpu, bool on_cpu);

/* ---- balance/ ---- */

void balance_boot(struct sched *s, u64 now, struct rng *rng);
void trigger_load_balance(struct sched *s, struct rq *rq);	/* from the tick */
void nohz_balancer_kick(struct sched *s, struct rq *rq);
void nohz_balance_exit_idle(struct sched *s, struct rq *rq);
int any_and_distribute(struct sched *s, int cpu, const u64 *a, const u64 *b);

/* balance/sums.c */
int group_sums_build(struct sched *s);
/* count what changed in the groups of @sd anew */
void group_sums_refresh(struct sched *s, const struct sched_domain *sd);
int group_sums_check(const struct sched *s, struct err *err);

/* the sums of @g's CPUs; NULL: not kept or not fresh, they are to be read one by one */
static inline const struct load_sums *group_load(const struct sched_group *g)
{
	return g->sums && !g->sums->nr_stale ? &g->sums->sum : NULL;
}

#endif
