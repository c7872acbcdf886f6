/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entity.h - what is scheduled: tasks, groups, the queues they stand on, their averages.
 *
 * Inside sched/ only. Struct and field names are the kernel's where it has them.
 */
#ifndef IDLEST_SCHED_ENTITY_H
#define IDLEST_SCHED_ENTITY_H

#include "base/list.h"
#include "base/rbtree.h"
#include "sched/rtdl.h"
#include "sched/sched.h"
#include "sched/uclamp.h"

struct rq;

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
	bool truncates;	/* down() may give 0, as before 5.7 (SCALE_DOWN_TRUNCATES) */
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
	s64 slack;		/* how far off vruntime may be, if a record tells less (forced.h) */
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
	bool accounts;		/* run time is charged to somebody: charge_groups() */
	/* CPU bandwidth */
	bool limited;		/* its group has a limit, or one above has: it may be throttled */
	bool runtime_enabled;	/* its group has one */
	bool throttled;		/* no run time: in cfs_bandwidth.throttled */
	bool parked;		/* … and its entity was taken off the queue above */
	bool pelt_frozen;
	int throttle_count;	/* throttled queues from here upwards */
	s64 runtime_remaining;	/* ns */
	u64 throttled_clock;	/* since when somebody has been waiting for run time; 0: nobody */
	u64 pelt_frozen_at, pelt_lost; /* PELT clock: where it stands, what it stood for */
	u64 runtime_expires;	/* CFS_SLICE_EXPIRY */
	u32 expires_seq;
	struct list_head throttled_node;
	struct list_head limbo;	/* tasks that throttled themselves, through rq_node; newest first */
};

/* ---- utilisation clamps (spec 09 §3) ---- */

/* A clamp of a task: as it was asked for, or as its run queue counts it. */
struct uclamp_se {
	u16 value;		/* 0 … 1024 */
	u8 bucket;
	bool active;		/* counted in its run queue's bucket */
	bool user_defined;	/* somebody asked for it */
};

#define MAX_UCLAMP_BUCKETS 20

/* What one clamp comes to on a CPU. */
struct uclamp_rq {
	unsigned int value;
	struct {
		u32 tasks;
		u32 value;	/* the largest since the bucket was empty */
	} bucket[MAX_UCLAMP_BUCKETS];
};

/* ---- CPU bandwidth of a group (spec 09 §2) ---- */

#define NO_QUOTA	   UINT64_MAX
#define DEFAULT_CFS_PERIOD (100 * NSEC_PER_MSEC)
#define MIN_CFS_PERIOD	   NSEC_PER_MSEC
#define MAX_CFS_PERIOD	   NSEC_PER_SEC
#define MAX_CFS_RUNTIME	   (((1ULL << 44) - 1) * NSEC_PER_USEC)

struct cfs_bandwidth {
	u64 quota, period, burst; /* ns */
	u64 runtime;		/* left in the pool */
	u64 runtime_snap;	/* … when it was last filled */
	u64 expires;		/* end of the period, absolute */
	bool phased;		/* where periods begin is known */
	bool period_active;
	bool idle;		/* nothing was taken in the last period */
	u32 expires_seq;
	u64 runtime_expires;	/* CFS_SLICE_EXPIRY */
	struct list_head throttled; /* queues, the first to be throttled first */
	struct class_timer period_timer, slack_timer;
	u64 nr_periods, nr_throttled, throttled_time, nr_burst, burst_time;
};

struct task_group {
	struct task_group *parent;
	struct list_head node;	/* in sched.groups */
	u64 shares;		/* times 1024 */
	bool idle;
	long load_avg;
	long runnable_avg;	/* SHARE_CONCUR */
	u16 uclamp_req[NR_UCLAMP], uclamp[NR_UCLAMP]; /* asked for, effective */
	struct cfs_bandwidth bw;
	u64 exec_above_fair;	/* ns that its realtime and deadline tasks ran */
	bool autogroup;		/* of a session: no cgroup */
	struct psi_group *psi;	/* NULL: pressure isn't measured; autogroup: the root's */
	struct cfs_rq **cfs_rq;	  /* [nr_cpus] */
	struct sched_entity **se; /* [nr_cpus]; NULL for the root group */
};

/* ---- tasks ---- */

enum task_state { TASK_NEW, TASK_RUNNABLE, TASK_SLEEPING, TASK_WAKING, TASK_DEAD };

struct task {
	struct sched_entity se;
	enum task_state state;
	u8 class_id;		/* enum sched_class_id */
	bool reset_on_fork;
	bool on_cpu;		/* current, or not yet switched out */
	bool on_rq;		/* queued (delayed included) */
	bool kthread;
	bool per_cpu_kthread;
	bool allowed_all;	/* may run anywhere */
	bool affinity_changed;	/* was ever restricted (spec 05 §4) */
	bool on_wake_list;
	bool throttled;		/* took itself off its queue: in its limbo */
	bool migrating;		/* in the hands of a balancing pass */
	bool wake_after_move;	/* a delayed task was woken while it was there */
	bool in_use;		/* the slot holds a task */
	u8 psi_flags;		/* what PSI counts it as, TSK_… (psi_group.h) */
	bool in_iowait;		/* its next, or present, sleep is for I/O */
	bool in_memstall;
	bool migration_pending;	/* sits on a CPU it may not use until the stopper comes */
	int wake_flags;		/* WF_* from the choice of a CPU to the enqueue */
	u64 last_queued;	/* ns: waits since then; 0: it doesn't (info.h) */
	u64 last_arrival;	/* ns: switched in */
	u64 run_delay, pcount;	/* ns waited, times switched in */
	int cpu;
	int nr_allowed;
	u64 *allowed;
	enum sched_policy policy;
	int nice;
	int prio;		/* rtdl.h; a fair task's is 120 + nice */
	int id;
	void *host;
	/* wake-up placement (spec 04) */
	struct task *last_wakee;
	unsigned int wakee_flips;
	u64 wakee_flip_decay_ts; /* ns */
	int recent_used_cpu;
	u64 dur_avg;		/* SIS_SHORT, SIS_CURRENT */
	u64 prev_sleep_sum_runtime;
	u64 nvcsw;
	u64 sleep_start, sleep_avg; /* SIS_CACHE, ns */
	struct util_est util_est;
	struct task_group *tg;
	struct list_head rq_node;   /* in rq.cfs_tasks: head = newest, tail = longest not run */
	struct list_head list_node; /* in a wake list, a pass's hands, or the free list */
	char comm[16];
	struct sched_rt_entity rt;
	struct sched_dl_entity dl;
	struct uclamp_se uclamp_req[NR_UCLAMP], uclamp[NR_UCLAMP];
};

static inline bool task_is_fair(const struct task *p)
{
	return likely(p->class_id == CLASS_FAIR);
}

#endif
