/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.h - the engine's own state. Included by engine.h only.
 *
 * What a CPU does is a chain of segments. A segment takes time and then calls
 * the function that goes on; decisions are taken between segments. The mode
 * says what may come between: interrupts suspend user and kernel segments and
 * wait for the end of an atomic one; a preemption happens in user mode only.
 *
 * A suspended segment is a frame. That of an interrupted CPU lies in the CPU,
 * that of a task which isn't running in the task.
 */
#ifndef IDLEST_SIM_STATE_H
#define IDLEST_SIM_STATE_H

#include "base/due.h"
#include "base/heap.h"
#include "sim/memory.h"
#include "sim/cgroup.h"
#include "sim/rates.h"
#include "sim/sim.h"

#define NEVER UINT64_MAX

struct sim_cpu;
struct waste;
typedef void (*cpu_fn)(struct sim *sim, struct sim_cpu *c);

enum cpu_mode {
	CPU_IDLE,	/* the idle loop */
	CPU_USER,	/* interruptible, preemptible */
	CPU_KERNEL,	/* interruptible; a preemption waits for the return to user mode */
	CPU_ATOMIC,	/* interrupts off */
};

enum frame_kind {
	FRAME_CALL,	/* nothing left: go on with fn */
	FRAME_IDLE,	/* the idle loop */
	FRAME_WALL,	/* left ns of wall time */
	FRAME_UNTIL,	/* until the time left */
	FRAME_COMPUTE,	/* left ns of work at nominal speed */
	FRAME_STREAM,	/* left bytes of the task's stream */
	FRAME_SPIN,	/* until somebody else ends it; left: since when */
};

struct frame {
	enum frame_kind kind;
	enum cpu_mode mode;
	u64 left;
	cpu_fn fn;
};

enum irq_bit {
	IRQ_TICK = 1 << 0,
	IRQ_TIMER = 1 << 1,	/* tasks in timer_head */
	IRQ_CALL = 1 << 2,	/* the wake list */
	IRQ_RESCHED = 1 << 3,
	IRQ_NOHZ = 1 << 4,	/* balance on behalf of idle CPUs */
	IRQ_STOP = 1 << 5,	/* work for the stopper */
	IRQ_SOFTIRQ = 1 << 6,	/* periodic balance */
	IRQ_CLASS = 1 << 7,	/* a timer of the core */
	IRQ_RT_PUSH = 1 << 8,	/* push realtime tasks away */
};

/* First come, first served. */
struct waitq {
	struct sim_task *head, *tail;
};

/* A lock that its waiters spin for, handed over in order of arrival. */
struct spinlock {
	struct sim_cpu *holder;
	struct sim_cpu *head, *tail;
};

/* A sleeping lock of the kernel: waiters spin unless they have to reschedule. */
struct kmutex {
	struct sim_task *owner;
	struct sim_cpu *head, *tail; /* spinning */
	struct waitq sleepers;
	bool waking;		/* one sleeper is on its way */
};

/* A wake-up in progress. */
struct waking {
	struct sim_task *t;
	cpu_fn then;
	struct wake_query q;
	struct wake_decision d;
	struct fork_decision fork;
	struct waitq list;	/* more to wake, one after the other */
	bool sync;
	cpu_fn list_then;
};

#define IDLE_INTERVALS 8

/* By cache line, from what every event touches down to what few do. */
struct sim_cpu {
	int id;
	enum cpu_mode mode;
	struct frame act;	/* the segment */
	u64 seg_end;		/* NEVER: rated and not settled, spinning or idle */
	u64 armed;		/* the boundary that the engine waits for */
	u64 irq_at;		/* when the first of irqs arrives */
	u32 irqs;		/* enum irq_bit, sent or pending */
	bool in_irq;
	bool woken;		/* idle, but something is on its way here */
	bool resched, resched_lazy; /* need-resched flags, as the core set them */
	bool throttle;		/* its task has to leave at its return to user mode */

	struct sim_task *curr;	/* NULL: idle task; as of the last switch that ended */
	struct sim_task *next;	/* while switching */
	struct sim_task *starting; /* queued here while nothing ran: on its way, not waiting */
	u64 carry;		/* ns that the next segment takes longer */
	u64 hrtick_at;
	u64 rq_lock_free;	/* its run-queue lock is taken until then */
	u64 switch_until;	/* ... by itself: it switches; 0: it doesn't */
	bool running;		/* curr's own segment is the CPU's (or saved by an interrupt) */
	bool stopping;		/* the stopper is current */
	bool out_preempted, out_stopper; /* while switching: what is told of who leaves */
	bool tick_stopped;
	bool polling;		/* idle: sees need-resched without an interrupt */
	bool stop_balance;	/* the stopper is to push a task */
	bool stop_down, stop_drain; /* … to take the CPU down, to empty it */
	bool leaving, offline;	/* it takes no more tasks; it is off */
	bool isolated;		/* only tasks that were bound to it come here */
	bool idle_ticked;	/* the tick came: the prediction was too short */
	int mm;			/* address space that is loaded */
	bool in_softirq;	/* that the current task raised: its packets arrive */
	struct waitq wake_list;	/* the core's wake list, in the same order */
	struct frame saved;	/* what the interrupt suspended */
	struct waking wk;
	cpu_fn walk_then;
	u32 freq_scale;		/* as the core was told */
	struct waitq timers;	/* expired: tasks to wake */
	struct sim_task *stop;	/* tasks for the stopper to move, through stop_next */
	struct sim_cpu *spin_next; /* in the queue of what it spins for */
	/* idle */
	u64 idle_since;
	u64 idle_exit_ns;	/* of the state it is in */
	u32 idle_us[IDLE_INTERVALS]; /* last idle durations */
	unsigned int idle_pos;
	u64 timer_hint;		/* when one of this CPU's timers expires: the next, as far as known */
	/* caches */
	u64 touched;		/* bytes of working sets that ran here so far */
	u64 stream_bytes;	/* of the ranges that its STREAM goes over */
	/* background */
	struct sim_task *kworker;
	u64 kworker_due;
	u64 irq_since;		/* the interrupt began; for pressure */
} __attribute__((aligned(64)));

enum task_stage {
	STAGE_NEW,	/* not on any queue yet */
	STAGE_RUNNABLE,	/* waits for a CPU */
	STAGE_RUNNING,	/* picked */
	STAGE_BLOCKED,	/* waits for an object or a time */
	STAGE_WAKING,	/* somebody is at waking it */
	STAGE_DEAD,
};

/* What STREAM and TOUCH go over. */
struct stream {
	u64 read, write;	/* bytes of traffic */
	u64 range;		/* bytes of address space */
	u64 whole;		/* … of all of the regions, the parts of others included */
	u64 touch_left;		/* TOUCH: bytes after this chunk */
};

struct sim_task {
	struct task *p;
	enum task_stage stage;
	int last_cpu;		/* where it ran last; -1 never */
	int mm;			/* address space; 0: kernel thread */
	bool background;	/* isn't waited for */
	bool leader;		/* of a process */
	bool timed;		/* BLOCKED until a time, not by an object */
	bool exact;		/* … that an interrupt keeps to the ns */
	bool pair_pending;	/* SIM_WAKE_PAIR came before SIM_SLEEP_FOREVER */
	bool pair_sleeping;
	bool released;		/* what it was about to wait for has come */
	bool spinning;		/* at a barrier */
	bool has_pieces;	/* its step's pieces were written */
	bool waited;		/* pipe: was asleep for this step */
	bool wake_peer;		/* pipe: the other side may be waiting */
	bool kept;		/* its slot outlives it */
	bool is_gone;		/* switched out for the last time */
	bool waits_child;
	struct frame frame;	/* how to go on when it runs */

	const struct sim_program *program;
	void *arg;
	u64 left, part;		/* of the step: bytes still to move, moved now */
	s64 ret;
	u64 steps_at;		/* time of the last step, and how many at that time */
	u32 steps_now;
	u32 slot;
	u64 footprint;

	struct sim_step step __attribute__((aligned(64)));

	/* accounts */
	u64 switched_in __attribute__((aligned(64)));
	u64 cpu_ns, runnable_since, woken_at, wake_latency;
	u64 *allowed;		/* NULL: may run on all CPUs that aren't isolated */
	bool counted;		/* in nr_waiting */
	int waits_on;		/* … on this CPU, for waste */
	struct sim_task **restricted_pprev, *restricted_next; /* while waiting, if it may not */
	struct sim_cpu *starts_on; /* whose "starting" it is */
	/* waiting */
	struct sim_task *wait_next;  /* wait queue, expired timers, wake list or zombies */
	struct sim_cpu *spinners, *spinners_tail; /* wait until it is switched out */
	struct kmutex *lock;	/* that it spins or sleeps for */
	cpu_fn lock_then;
	struct sim_image *image; /* NULL: nobody else maps what it maps */
	u64 image_ns;		/* to hold its locks for */
	cpu_fn image_then;
	const char *wait_what;	/* what it waits for, for messages */
	int timer_cpu;		/* that takes its timer's interrupt */
	int home_cpu;		/* kernel thread of that CPU - 1; 0: of none */
	/* caches and memory */
	int cache_cpu;		/* whose caches have its working set */
	u64 touched_mark;	/* the CPU's "touched" when it left */
	u64 refill;		/* ns left of fetching its working set */
	struct stream stream;
	/* identity */
	struct sim *sim;
	int pid, nice, rt_priority;
	enum sched_policy policy;
	u64 slice_ns;
	char comm[16];
	u64 *allowed_room;
	struct sim_cgroup *cgroup, *session; /* NULL: the root, none */
	u64 *asked, *asked_room; /* CPUs it asked for, where cpusets may change them; NULL: any */
	u64 start_ns;
	/* to be moved by a stopper */
	struct sim_task *stop_next;
	struct sim_cpu *stop_cpu;
	int stop_dst;
	/* family */
	struct sim_task *parent, *child;
	struct sim_task *children, *sibling; /* living ones */
	struct waitq zombies;	/* exited ones, oldest first */
	struct sim_task *last_reaped;
	struct sim_task *free_next;
};

struct sim {
	u64 now;
	u64 start;		/* absolute time of the run's start */
	struct sim_cpu *cpu;	/* [nr_cpus] */
	int nr_cpus, words;
	int at_cpu;		/* whose event it is, for traces */
	struct sched *sched;
	struct rates *rates;
	const struct machine *m;
	const struct machine_costs *cost;
	struct machine_costs *busy_cost; /* by busy CPUs, where that matters; else NULL */
	const struct sched_topology *topo;
	struct due cpus;	/* next boundary of each CPU */
	struct heap timers;	/* by task slot */
	struct heap class_timers; /* of the core, by CPU */
	u64 tick_ns, next_tick;
	u64 other_at;		/* the first of changes, timers and tick */
	int next_change;	/* of the timeline */
	u64 *common_cpus;	/* that are neither isolated nor in a partition */
	bool some_isolated;	/* some are */
	u64 *tick_mask;		/* CPUs whose tick runs */
	bool rates_dirty;
	bool stopped;
	/* tasks */
	struct sim_task **slot;	/* [nr_slots] */
	u32 nr_slots, cap_slots;
	struct sim_task *free_slots;
	int nr_live, nr_blocked; /* of the workload */
	int next_pid, next_mm;
	struct sim_task **spawned; /* to be forked by init, in order */
	int nr_spawned, cap_spawned, next_spawned;
	u64 *llc_streams;	/* per LLC: bytes that the streams there go over */
	u32 *permille, *piece_permille; /* [nr_nodes], scratch */
	u64 *one_cpu;		/* scratch */
	u64 psi_at;		/* averages of pressure are due */
	bool counts_clamps;	/* a queueing and a dequeueing take longer for it */
	struct sim_cgroup *cgroups; /* the root, then the others as they were made */
	struct sim_place place;	/* of tasks spawned now */
	u64 *cpuset_scratch;
	bool has_cpusets, has_quotas;
	struct sim_task_account *account; /* of exited tasks, where they are kept */
	int nr_accounts, cap_accounts;
	struct workqueues *workqueues; /* NULL: nobody has one */
	int nr_works;		/* queued or to be queued, not done */
	/* waiting and idling */
	u64 acct_at;
	int nr_waiting;		/* runnable tasks that may run on all common CPUs, not running */
	int nr_idle;		/* CPUs in the idle loop with nothing on its way */
	struct waste *waste;	/* NULL: nobody wants to know */
	int nr_isolated_idle;	/* … of them isolated */
	int nr_offline;
	struct sim_task *restricted; /* waiting tasks that were bound */
	u64 counter[NR_COUNTERS];
	/* the rest */
	u64 copy_ps;		/* picoseconds to copy a byte inside the LLC */
	u64 data_line_ps[NR_DISTANCES]; /* a line of data, several in flight */
	u64 rcu_due;
	struct sim_task *rcu;
	struct rng rng_workload, rng_noise, rng_slack;
	struct memory *mem;
	struct arena *arena;
	struct sim_params p;
	struct err fail;	/* first broken invariant */
};

#endif
