/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sched.h - the scheduler core: events in, decisions out.
 *
 * The core is a state machine without I/O. The host (a simulation, a trace, a
 * test) tells it what happened and when; the core updates its state and queues
 * what the host must do (sched_next_out()). It reads no clock, allocates
 * nothing in an event, prints nothing and has no global variable.
 *
 * Deciding and committing are two steps. A *_decide() function takes the core
 * as const and answers with a choice and the effects of having looked; the
 * matching *_commit() applies them and carries a choice out, whoever made it.
 * Decisions take time: the answer names its cost, and the host carries it out
 * that much later (spec 14 §2).
 *
 * What a CPU of the host does, in the calls it makes:
 *
 *	wake-up		sched_wake_decide, _commit, then by path: sched_activate |
 *			sched_wake_list_add … sched_wake_list_run | sched_wake_queued
 *	fork		sched_task_new, sched_fork_decide, _commit, sched_activate_new
 *	exec		sched_exec_decide, then sched_stop_* to move
 *	block		sched_block, then schedule
 *	schedule	sched_pick; nothing fair left: sched_walk_begin(NEWIDLE), steps,
 *			sched_pick again; … sched_switch_done when the switch is over
 *	tick		sched_tick; the SOFTIRQ it asks for is sched_walk_begin(PERIODIC)
 *	idle		sched_nohz_enter when the tick stops, sched_nohz_exit
 *
 * A host that has a record of what another kernel chose uses forced.h as well.
 */
#ifndef IDLEST_SCHED_SCHED_H
#define IDLEST_SCHED_SCHED_H

#include "base/cpumask.h"
#include "base/err.h"
#include "base/rng.h"
#include "base/types.h"
#include "sched/kernel.h"
#include "sched/topology.h"

struct sched;
struct task;
struct task_group;

/* ---- what deciding costs ---- */

enum sched_work_kind {
	WORK_SELECT = 1, /* choosing a CPU for a wake-up, fork or exec */
	WORK_BALANCE,	/* a balancing pass */
};

/* Countable units of work of one decision; machine/ prices them. */
struct sched_work {
	enum sched_work_kind kind;
	u32 cpus[NR_DISTANCES];	 /* CPUs whose state was read, by distance from the deciding CPU */
	u32 locks[NR_DISTANCES]; /* run-queue locks taken */
	u32 tasks;		 /* tasks looked at or moved */
};

struct sched_host {
	void *ctx;
	/* price of @w done by @cpu, in ns; must be a pure function of its arguments */
	u64 (*price)(void *ctx, int cpu, const struct sched_work *w);
	/* told before a task that was placed once goes to another CPU; NULL: nobody listens */
	void (*migrate)(void *ctx, struct task *p, int from, int to);
	/* told when the number of runnable tasks of a CPU has changed, the stopper being one; NULL */
	void (*nr_running)(void *ctx, int cpu, int nr_running);
	int hz;			/* ticks per second */
	bool told_moves;	/* realtime and deadline tasks are pushed and pulled only by the
				 * host's word (a recorded one), never by the core's own rules */
	bool cpuidle;		/* idle CPUs publish their C-state (spec 05 §5) */
	bool may_preempt_kernel; /* CONFIG_PREEMPTION: a new-idle pass stops after one task */
};

/* ---- what the host must do ---- */

enum sched_out_kind {
	OUT_RESCHED,	   /* @cpu must schedule: its need-resched flag was set */
	OUT_RESCHED_LAZY,  /* … at its next return to user mode; no IPI (spec 16 §6) */
	OUT_SOFTIRQ,	   /* @cpu: run sched_walk_begin(WALK_PERIODIC) after this tick */
	OUT_NOHZ_KICK,	   /* @cpu (idle): IPI, then sched_walk_begin(WALK_NOHZ) */
	OUT_ACTIVE_BALANCE, /* @cpu: run the stopper, which calls sched_active_balance() */
	OUT_STOP_MIGRATE,  /* @cpu: run the stopper, which calls sched_stop_migrate(@p, (int)@arg) */
	OUT_HRTICK,	   /* @cpu: call sched_hrtick() in @arg ns (replaces an earlier one) */
	OUT_TIMER,	   /* @cpu: call sched_timer() at the time @arg, idle or not (replaces an
			    * earlier one; UINT64_MAX: there is nothing to wait for) */
	OUT_THROTTLE,	   /* @cpu: at the next return of its task to user mode call
			    * sched_throttle_curr() (cgroup.h) */
	OUT_RT_PUSH,	   /* @cpu: IPI, then sched_rt_push() (spec 08 §2.7) */
	OUT_UCLAMP,	   /* from now on tasks are counted by their clamps wherever they are
			    * queued and dequeued, which takes its time (uclamp.h) */
	OUT_PSI,	   /* call sched_psi_update() at the time @arg (replaces an earlier one;
			    * UINT64_MAX: there is nothing to wait for; psi.h) */
	OUT_STOP_DRAIN,	   /* @cpu: run the stopper, which calls sched_stop_drain() */
};

struct sched_out {
	enum sched_out_kind kind;
	int cpu;
	int from;	/* CPU that asks: an IPI is needed where it differs from @cpu */
	struct task *p;
	u64 arg;
};

/**
 * sched_next_out() - take the oldest request of the last event(s)
 *
 * The host drains the requests after every call into the core.
 * Return: false when there are none.
 */
bool sched_next_out(struct sched *s, struct sched_out *out);

/* ---- life of a core ---- */

/**
 * sched_create() - a core for one machine and one kernel
 * @topo: kept by reference
 * @k: copied
 * @host: copied
 * @seed: of the draws the kernel itself makes (NI_RANDOM)
 *
 * All queues empty, all CPUs idle, all averages zero; sched_boot() makes it a
 * booted machine. Return: NULL with @err filled (a rule that isn't built yet,
 * memory).
 */
struct sched *sched_create(const struct sched_topology *topo, const struct sched_kernel *k,
			   const struct sched_host *host, u64 seed, struct err *err);
void sched_destroy(struct sched *s);

/**
 * sched_boot() - bring the core into the state of a booted, idle machine (spec 14 §0)
 * @now: ns; must leave room for idle stamps in the past (at least 5 s)
 * @rng: draws stamps, interval phases and costs
 */
void sched_boot(struct sched *s, u64 now, struct rng *rng);

/**
 * sched_check() - recount every invariant
 *
 * A task on exactly one queue, one running task a CPU, affinity kept, lag sums
 * to zero, counters and masks equal to a recount. Return: 0, or -EINVAL with
 * what is wrong in @err.
 */
int sched_check(const struct sched *s, u64 now, struct err *err);

/* ---- tasks ---- */

enum sched_policy {
	POLICY_NORMAL,
	POLICY_BATCH,
	POLICY_IDLE,
	POLICY_FIFO,
	POLICY_RR,
	POLICY_DEADLINE,
};

static inline bool policy_is_fair(enum sched_policy policy)
{
	return policy <= POLICY_IDLE;
}

static inline bool policy_is_rt(enum sched_policy policy)
{
	return policy == POLICY_FIFO || policy == POLICY_RR;
}

/* What became of the jobs of a deadline task: from a wake-up to a sleep or yield. */
struct sched_dl_stats {
	u64 jobs;		/* ended */
	u64 missed;		/* … after the deadline: wake-up + relative deadline */
	u64 max_tardiness, sum_tardiness; /* ns */
	u64 throttled;		/* times the budget was used up */
};

struct sched_task_attr {
	int id;			 /* pid: for traces and messages */
	const char *comm;	 /* copied, cut at 15 characters */
	enum sched_policy policy; /* POLICY_DEADLINE comes by sched_set_attr() only */
	int nice;		 /* -20 … 19 */
	int rt_priority;	 /* 1 … 99, FIFO and RR */
	u64 slice_ns;		 /* 0: the kernel's base slice */
	const u64 *allowed;	 /* NULL: every CPU */
	bool kthread;		 /* kernel thread (per-CPU if it may use one CPU only) */
	struct task *parent;	 /* NULL: none; recent_used and group are inherited */
	struct task_group *group; /* NULL: the parent's, or the root group */
	void *host;		 /* the host's own object */
};

/**
 * sched_task_new() - a new task, not yet on any queue
 *
 * The only call that allocates. Return: NULL when out of memory.
 */
struct task *sched_task_new(struct sched *s, const struct sched_task_attr *attr);

/**
 * sched_task_asleep() - @p, which is new, has been there for long: it sleeps, and ran on @cpu last
 *
 * For what lives since boot, a kernel thread or a daemon: its first wake-up is
 * one like all others, not a fork.
 */
void sched_task_asleep(struct sched *s, struct task *p, int cpu);

/**
 * sched_task_free() - recycle a task that exited and was switched out (or never ran)
 */
void sched_task_free(struct sched *s, struct task *p);

void *sched_task_host(const struct task *p);
int sched_task_id(const struct task *p);
const char *sched_task_comm(const struct task *p);
int sched_task_cpu(const struct task *p);	/* last CPU or the one chosen */
bool sched_task_on_cpu(const struct task *p);	/* running, or not yet switched out */
bool sched_task_queued(const struct task *p);	/* on a run queue (delayed ones are) */
bool sched_task_allowed(const struct task *p, int cpu);
const u64 *sched_task_cpus(const struct task *p); /* that it may use */
enum sched_policy sched_task_policy(const struct task *p);
/** sched_task_prio() - as traces show it: 120 + nice, 99 - realtime priority, -1 deadline */
int sched_task_prio(const struct task *p);
/** sched_task_dl_stats() - of the deadline task that it is, or was */
const struct sched_dl_stats *sched_task_dl_stats(const struct task *p);
/** sched_task_waits() - ns that it waited for a CPU, and how often it got one */
void sched_task_waits(const struct task *p, u64 *wait_ns, u64 *slices);
u64 sched_task_runtime(const struct task *p);	/* ns of CPU so far, as last accounted */
unsigned long sched_task_util(const struct task *p); /* util_avg, 0 … 1024 */

/**
 * sched_group_new() - a task group (cgroup) below @parent (NULL: the root group)
 * @shares: 1024 = cpu.weight 100
 */
struct task_group *sched_group_new(struct sched *s, struct task_group *parent, u64 shares,
				   struct err *err);

/* ---- wake-up (spec 04) ---- */

enum wake_path {
	WAKE_CURRENT,	 /* it is the caller itself, or awake already: nothing to do */
	WAKE_QUEUED,	 /* still queued (delayed dequeue): sched_wake_queued(). If a balancing pass
			  * has it in hands or dequeued it for good meanwhile, sched_task_queued() is
			  * false: decide again */
	WAKE_ON_CPU_LIST, /* still switching out: to its own CPU's wake list */
	WAKE_SPIN,	 /* still switching out: wait until sched_switch_done(), decide again */
	WAKE_LIST,	 /* chosen CPU's wake list: sched_wake_list_add() */
	WAKE_DIRECT,	 /* enqueue from here: sched_activate() */
};

struct wake_query {
	int cpu;	/* T, the CPU that wakes */
	struct task *p;
	bool sync;	/* the waker says that it is about to sleep */
	bool in_task;	/* woken from task context, not from an interrupt */
	bool current_cpu; /* seccomp-like: wake on this CPU */
};

struct wake_decision {
	enum wake_path path;
	int target;
	int reason;	 /* enum sched_reason: the rule that decided */
	u64 cost_ns;	 /* time until the choice can be carried out */
	/* effects of having looked (spec 14 §2.4) */
	bool clear_idle_cores; /* of the target's LLC */
	int idle_cores_llc;
	bool clear_asym_cores; /* of this CPU's mixed-capacity domain: */
	int asym_cores_cpu;
	int new_recent_used;   /* of the wakee; -1: unchanged */
	bool waker_recent_used; /* ≤5.13: the waker's becomes its own CPU */
	u64 scan_ns;	       /* SIS_PROP: measured; 0: no scan */
	bool prop_scan;
	bool record_wakee;
	bool move_affine;      /* wake_affine chose the waker's CPU (schedstat) */
	bool moves_cursor;     /* realtime and deadline: the any-and-distribute cursor of the */
	int cursor;	       /* waker's CPU stands there afterwards */
};

/**
 * sched_wake_decide() - where and how a wakee goes
 */
void sched_wake_decide(const struct sched *s, u64 now, const struct wake_query *q,
		       struct wake_decision *d);

/**
 * sched_wake_commit() - apply the effects of @d and take the wakee to @target
 * @target: d->target, or another CPU that somebody else chose
 *
 * For WAKE_LIST and WAKE_DIRECT the wakee's CPU is @target from now on (its
 * averages leave the old queue); it is queued by the call its path names.
 */
void sched_wake_commit(struct sched *s, u64 now, const struct wake_query *q,
		       const struct wake_decision *d, int target);

/** sched_activate() - enqueue the wakee on its CPU from @cpu, and look whether it preempts */
void sched_activate(struct sched *s, u64 now, int cpu, struct task *p);
/** sched_wake_queued() - wake a task that never left its queue */
void sched_wake_queued(struct sched *s, u64 now, int cpu, struct task *p);
/** sched_wake_list_add() - put it on its CPU's wake list; Return: whether the list was empty (kick) */
bool sched_wake_list_add(struct sched *s, u64 now, int cpu, struct task *p);
/** sched_wake_list_run() - @cpu takes its wake list, oldest first; Return: tasks activated */
int sched_wake_list_run(struct sched *s, u64 now, int cpu);

/* ---- fork, exec (spec 05) ---- */

struct fork_decision {
	int target;
	int reason;
	u64 cost_ns;
	bool moves_cursor;
	int cursor;
};

void sched_fork_decide(const struct sched *s, u64 now, int cpu, const struct task *p,
		       struct fork_decision *d);
void sched_fork_commit(struct sched *s, u64 now, int cpu, struct task *p,
		       const struct fork_decision *d, int target);
/** sched_activate_new() - first enqueue of a forked task */
void sched_activate_new(struct sched *s, u64 now, int cpu, struct task *p);

/**
 * sched_exec_decide() - where the current task of @cpu goes at exec
 *
 * The target is @cpu, or the host runs the stopper with sched_stop_migrate(). Ages the task's
 * averages first.
 */
void sched_exec_decide(struct sched *s, u64 now, int cpu, struct fork_decision *d);

/* ---- running and not ---- */

/** sched_block() - the current task of @cpu stops being runnable (or exits: @dead) */
void sched_block(struct sched *s, u64 now, int cpu, bool dead);
/** sched_yield_task() - the current task of @cpu yields; the host then schedules */
void sched_yield_task(struct sched *s, u64 now, int cpu);

/**
 * sched_pick() - choose and set the next task of @cpu
 * @may_balance: the queue may still be filled by a new-idle walk
 * @next: result; NULL = the idle task
 *
 * Return: false if nothing is runnable and @may_balance: the host runs a
 * new-idle walk and calls again. Otherwise true: *@next is the current task,
 * and the old one is switched out when sched_switch_done() is called (unless
 * it is the same one, which is told by *@next being the old current; from the
 * stopper to the idle task is a switch, too).
 */
bool sched_pick(struct sched *s, u64 now, int cpu, bool may_balance, struct task **next);
/** sched_switch_done() - the switch away from @prev (NULL: idle) on @cpu is over */
void sched_switch_done(struct sched *s, u64 now, int cpu, struct task *prev);
/** sched_pick_peek() - what sched_pick() would choose, without effects; NULL: idle */
const struct task *sched_pick_peek(const struct sched *s, u64 now, int cpu);

struct task *sched_current(const struct sched *s, int cpu);	/* NULL: idle task */
bool sched_need_resched(const struct sched *s, int cpu);
bool sched_need_resched_lazy(const struct sched *s, int cpu);
int sched_nr_running(const struct sched *s, int cpu);
/** sched_cpu_util() - util_avg of @cpu's tasks as of its last update, 0 … 1024 and more */
unsigned long sched_cpu_util(const struct sched *s, int cpu);
bool sched_cpu_idle(const struct sched *s, int cpu);		/* spec 00 §6 */
const u64 *sched_idle_mask(const struct sched *s);		/* CPUs for which sched_cpu_idle() */

void sched_tick(struct sched *s, u64 now, int cpu);
void sched_hrtick(struct sched *s, u64 now, int cpu);
/** sched_dl_bandwidth() - given away to deadline tasks and fair servers, all CPUs, times 2^20 */
u64 sched_dl_bandwidth(const struct sched *s);
/** sched_timer() - the time of an OUT_TIMER has come */
void sched_timer(struct sched *s, u64 now, int cpu);
/** sched_rt_push() - @cpu was asked to push realtime tasks to CPUs that lowered their priority */
void sched_rt_push(struct sched *s, u64 now, int cpu);
/** sched_idle_state() - the C-state @cpu published; exit latency in ns, 0 on leaving */
void sched_idle_state(struct sched *s, int cpu, bool known, u64 exit_latency_ns);
void sched_nohz_enter(struct sched *s, u64 now, int cpu);
void sched_nohz_exit(struct sched *s, u64 now, int cpu);
/** sched_set_freq_scale() - 1024 = the CPU runs at its maximum frequency */
void sched_set_freq_scale(struct sched *s, u64 now, int cpu, u32 scale);

/* ---- balancing (spec 06) ---- */

enum walk_kind { WALK_NEWIDLE, WALK_PERIODIC, WALK_NOHZ };

/**
 * sched_walk_begin() - start walking the domains of @cpu
 * @cost_ns: what the beginning itself took
 *
 * One walk a CPU at a time. Return: false if there is nothing to do.
 */
bool sched_walk_begin(struct sched *s, u64 now, int cpu, enum walk_kind kind, u64 *cost_ns);

/**
 * sched_walk_step() - the next balancing pass of the walk
 * @cost_ns: time it takes; the tasks it took are on no queue meanwhile
 *
 * Return: false when the walk is over (it did nothing). After true the host
 * calls sched_walk_attach() @cost_ns later, then steps again.
 */
bool sched_walk_step(struct sched *s, u64 now, int cpu, u64 *cost_ns);
/** sched_walk_attach() - enqueue what the pass took; Return: tasks moved */
int sched_walk_attach(struct sched *s, u64 now, int cpu);

/** sched_nr_passes() - balancing passes made so far; @newidle: those of CPUs going idle only */
u64 sched_nr_passes(const struct sched *s, bool newidle);

/* ---- what /proc/schedstat counts (spec 11 §4) ---- */

struct sched_cpu_counts {
	u64 yld_count;	  /* sched_yield() */
	u64 sched_count;  /* schedule(), also where the task that ran goes on */
	u64 sched_goidle; /* … that left the CPU idle */
	u64 ttwu_count, ttwu_local; /* wake-ups by this CPU; … of which onto itself */
	u64 cpu_time;	  /* ns that tasks ran here, those that left the CPU since */
	u64 run_delay;	  /* ns that tasks waited in this queue, likewise */
	u64 pcount;	  /* times a task was switched in */
};

/* Counters of one CPU: each of its CPUs has a domain of its own. */
struct sched_domain_counts {
	const char *name;
	const u64 *span;
	u64 alb_count, alb_failed, alb_pushed; /* pushes of running tasks, by their new CPU */
	u64 ttwu_wake_remote; /* wake-ups onto another CPU whose lowest common domain this is */
	u64 ttwu_move_affine; /* … drawn to the waker's CPU by wake_affine */
};

/* Passes of one domain by one kind of idleness of its CPU. */
enum sched_lb_kind { SCHED_LB_BUSY, SCHED_LB_IDLE, SCHED_LB_NEWIDLE, NR_SCHED_LB_KINDS };

/* The kinds of imbalance, in version 17's order. */
enum sched_imbalance { SCHED_IMB_LOAD, SCHED_IMB_UTIL, SCHED_IMB_TASK, SCHED_IMB_MISFIT,
		       NR_SCHED_IMBALANCES };

struct sched_lb_counts {
	u64 count, balanced, failed, gained, hot_gained, nobusyq, nobusyg;
	u64 imbalance; /* of all kinds, in mixed units */
	u64 imbalance_of[NR_SCHED_IMBALANCES];
};

void sched_cpu_counts(const struct sched *s, int cpu, struct sched_cpu_counts *n);

/**
 * sched_domain_counts() - of the domain @level of @cpu, 0 = the lowest
 *
 * Return: false if @cpu has no such domain.
 */
bool sched_domain_counts(const struct sched *s, int cpu, int level, struct sched_domain_counts *n);

/**
 * sched_lb_counts() - of the domain @level of @cpu, 0 = the lowest
 *
 * Return: false if @cpu has no such domain.
 */
bool sched_lb_counts(const struct sched *s, int cpu, int level, enum sched_lb_kind kind,
		     struct sched_lb_counts *n);

/** sched_stop_begin() - the stopper of @cpu preempts whatever runs there */
void sched_stop_begin(struct sched *s, u64 now, int cpu);
/** sched_active_balance() - inside the stopper of @cpu: push one task; Return: moved */
bool sched_active_balance(struct sched *s, u64 now, int cpu);
/**
 * sched_stop_migrate() - inside the stopper of @cpu: move @p to @dst if it is still here
 * @dst: -1, or a CPU that no longer will do: the fallback CPU of this moment
 */
bool sched_stop_migrate(struct sched *s, u64 now, int cpu, struct task *p, int dst);
/** sched_stop_drain() - inside the stopper of @cpu, which goes down; Return: whether to call again */
bool sched_stop_drain(struct sched *s, u64 now, int cpu);
/** sched_stop_end() - the stopper sleeps again; the host then schedules */
void sched_stop_end(struct sched *s, u64 now, int cpu);

/* ---- CPUs that go and come, and how they are divided ---- */

/**
 * sched_cpu_down() - @cpu takes no more tasks: it leaves the masks, and domains are built without it
 *
 * What is queued there goes elsewhere by the stopper, as OUT_RESCHED, OUT_STOP_MIGRATE and
 * OUT_STOP_DRAIN ask for; sleepers choose another CPU when they wake. When nothing is left
 * sched_cpu_dead() ends it. Not inside other events; allocates. Return: 0; -EINVAL: it is down;
 * -EBUSY: it is the last one, or deadline tasks need its bandwidth; -ENOMEM: all is as it was.
 */
int sched_cpu_down(struct sched *s, u64 now, int cpu, struct err *err);
/** sched_cpu_dead() - nothing runs on @cpu any more; Return: false if something is left there */
bool sched_cpu_dead(struct sched *s, u64 now, int cpu);
/** sched_cpu_up() - @cpu takes tasks again, being idle or not yet dead; otherwise as sched_cpu_down() */
int sched_cpu_up(struct sched *s, u64 now, int cpu, struct err *err);
bool sched_cpu_online(const struct sched *s, int cpu); /* takes tasks */

/**
 * sched_set_partitions() - divide the CPUs: each set has domain trees of its own (spec 09 §4)
 * @sets: [@n], disjoint; CPUs in none of them are isolated, they have no domains
 *
 * Where tasks may run is not touched: their masks are the caller's. Not inside other events;
 * allocates. Return: 0; -EINVAL: sets overlap or are empty; -EBUSY: deadline tasks have more
 * bandwidth than the CPUs of their set; -ENOMEM. All is as it was then.
 */
int sched_set_partitions(struct sched *s, u64 now, int n, const u64 *const *sets, struct err *err);

/* ---- attributes ---- */

/* As in struct sched_attr of the kernel. */
enum task_attr_flag {
	ATTR_RESET_ON_FORK = 0x01,
	ATTR_RECLAIM = 0x02,	  /* deadline: uses what others leave (GRUB) */
	ATTR_DL_OVERRUN = 0x04,  /* deadline: wants a signal; no effect here */
	ATTR_KEEP_POLICY = 0x08,
	ATTR_KEEP_PARAMS = 0x10,
	ATTR_UTIL_MIN = 0x20,	  /* util_min is given */
	ATTR_UTIL_MAX = 0x40,
};

/* Who asks, where it isn't root: his limits. */
struct sched_cred {
	int rlimit_nice;	/* 1 … 40: nice down to 20 - rlimit */
	int rlimit_rtprio;	/* 0 … 99 */
};

struct task_attr {
	enum sched_policy policy;
	u32 flags;		/* enum task_attr_flag */
	int nice;		/* fair policies; clamped to -20 … 19 */
	int priority;		/* FIFO and RR: 1 … 99; otherwise 0 */
	u64 runtime;		/* ns. Deadline: budget; fair: a slice of its own, 0 none */
	u64 deadline, period;	/* ns; period 0: the deadline */
	int util_min, util_max;	/* 0 … 1024; -1: back to what a task has that never asked (5.11+) */
	const struct sched_cred *cred; /* NULL: root */
};

/**
 * sched_set_attr() - policy and parameters of @p, as sched_setattr() does (spec 08 §3)
 *
 * Return: 0; -EINVAL: bad policy, priority, deadline parameters or clamps; -EBUSY: no deadline
 * bandwidth left; -EPERM: not allowed to @attr->cred, or a deadline task that may not use every
 * CPU; -EOPNOTSUPP: clamps of a kernel that has none.
 */
int sched_set_attr(struct sched *s, u64 now, struct task *p, const struct task_attr *attr);

/**
 * sched_inherit() - fill in what a child of @parent starts with: policy, nice, priority, slice
 *
 * Return: 0, or -EAGAIN: deadline tasks can't fork unless they reset on fork.
 */
int sched_inherit(const struct task *parent, struct sched_task_attr *attr);

void sched_set_nice(struct sched *s, u64 now, struct task *p, enum sched_policy policy, int nice);
void sched_set_slice(struct sched *s, u64 now, struct task *p, u64 slice_ns);
/**
 * sched_set_affinity() - change where a task may run
 *
 * A running or queued task that must leave its CPU comes back as
 * OUT_STOP_MIGRATE (spec 09 §4). Return: 0; -EINVAL for an empty set; -EBUSY: a
 * deadline task must be allowed on every CPU.
 */
int sched_set_affinity(struct sched *s, u64 now, struct task *p, const u64 *allowed);
int sched_set_group(struct sched *s, u64 now, struct task *p, struct task_group *g);

/* ---- explain ---- */

#define SCHED_RECORD_VALUES 6

/* One step of one decision: what was looked at (steps.def) and what came of it (reasons.def). */
struct sched_record {
	u64 now;
	int cpu;		/* that decides */
	const struct task *p;	/* about whom; NULL for passes */
	int step;		/* enum sched_step */
	int reason;		/* enum sched_reason; REASON_NONE: the step came to nothing */
	int candidate;		/* a CPU, -1 none */
	bool taken;
	bool final;		/* what came of the decision */
	s64 value[SCHED_RECORD_VALUES];	/* as the step's line names them */
	const u64 *cpus;	/* CPUs that a search read, valid during the call; NULL: told by value */
};

typedef void (*sched_sink_fn)(void *ctx, const struct sched_record *r);
void sched_set_sink(struct sched *s, sched_sink_fn fn, void *ctx);

enum sched_reason {
#define REASON(name, doc) REASON_##name,
#include "sched/reasons.def"
#undef REASON
	NR_REASONS
};
const char *sched_reason_name(int reason);
const char *sched_reason_doc(int reason);

enum sched_step {
#define STEP(name, ...) STEP_##name,
#include "sched/steps.def"
#undef STEP
	NR_STEPS
};
const char *sched_step_name(int step);
const char *sched_step_doc(int step);
/** sched_step_value() - the name of value @i of records of @step; NULL: they have no such value */
const char *sched_step_value(int step, int i);

/* ---- domains, for `idlest topo` (spec 01) ---- */

struct sched_domain;
struct sched_group;

#endif
