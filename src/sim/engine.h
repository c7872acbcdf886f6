/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.h - the engine's own state (spec 14). Included by sim/ only.
 *
 * Three things make time pass: the next boundary of a CPU (one slot per CPU),
 * the next expiry of a timer (one per task), and the tick (one for all CPUs,
 * since their ticks share a phase). At equal times timers come first, by the
 * number of their task, then the tick, then the CPUs by number.
 *
 * What a CPU does is a chain of segments. A segment takes time and then calls
 * the function that goes on; decisions are taken between segments. The mode
 * says what may come between: interrupts suspend user and kernel segments and
 * wait for the end of an atomic one; a preemption happens in user mode only.
 *
 * A suspended segment is a frame. That of an interrupted CPU lies in the CPU,
 * that of a task which isn't running in the task.
 */
#ifndef IDLEST_SIM_ENGINE_H
#define IDLEST_SIM_ENGINE_H

#include "base/cpumask.h"
#include "base/due.h"
#include "base/heap.h"
#include "sim/memory.h"
#include "sim/rates.h"
#include "sim/sim.h"

#define NEVER UINT64_MAX

struct sim_cpu;
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
	FRAME_SPIN,	/* until somebody else ends it */
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
};

/* First come, first served. */
struct waitq {
	struct sim_task *head, *tail;
};

/* A lock that its waiters spin for, handed over in order of arrival. */
struct spinlock {
	struct sim_cpu *holder;
	struct sim_cpu *head, *tail;
	int last_cpu;		/* whose cache has the line */
};

/* A sleeping lock of the kernel: waiters spin unless they have to reschedule. */
struct kmutex {
	struct sim_task *owner;
	struct sim_cpu *head, *tail; /* spinning */
	struct waitq sleepers;
	bool waking;		/* one sleeper is on its way */
	int last_cpu;
};

#define IDLE_INTERVALS 8

struct sim_cpu {
	int id;
	enum cpu_mode mode;
	/* the segment */
	struct frame act;
	u64 seg_end;		/* NEVER: rated and not settled, spinning or idle */
	u64 armed;		/* the boundary that the engine waits for */
	u64 carry;		/* ns that the next segment takes longer */
	/* interrupts */
	u32 irqs;		/* enum irq_bit, sent or pending */
	bool in_irq;
	bool woken;		/* idle, but something is on its way here */
	bool resched, resched_lazy; /* need-resched flags, as the core set them */
	bool tick_stopped;
	bool polling;		/* idle: sees need-resched without an interrupt */
	bool stop_balance;	/* the stopper is to push a task */
	u64 irq_at;		/* when the first of irqs arrives */
	u64 hrtick_at;
	struct frame saved;	/* what the interrupt suspended */
	struct waitq timers;	/* expired: tasks to wake */
	struct waitq wake_list;	/* the core's wake list, in the same order */
	struct sim_task *stop;	/* tasks for the stopper to move, through stop_next */
	u64 rq_lock_free;	/* its run-queue lock is taken until then */
	/* scheduling */
	struct sim_task *curr;	/* NULL: idle task; as of the last switch that ended */
	struct sim_task *next;	/* while switching */
	struct sim_task *starting; /* queued here while nothing ran: on its way, not waiting */
	bool running;		/* curr's own segment is the CPU's (or saved by an interrupt) */
	bool stopping;		/* the stopper is current */
	int mm;			/* address space that is loaded */
	u32 freq_scale;		/* as the core was told */
	enum walk_kind walk_kind;
	cpu_fn walk_then;
	/* the wake-up in progress here */
	struct {
		struct sim_task *t;
		struct wake_query q;
		struct wake_decision d;
		struct fork_decision fork;
		cpu_fn then;
		struct waitq list; /* more to wake, one after the other */
		bool sync;
		cpu_fn list_then;
	} wk;
	struct sim_cpu *spin_next; /* in the queue of what it spins for */
	cpu_fn spin_then;	/* when the lock is its own */
	/* idle */
	u64 idle_since;
	u64 idle_exit_ns;	/* of the state it is in */
	u32 idle_us[IDLE_INTERVALS]; /* last idle durations */
	unsigned int idle_pos;
	bool idle_ticked;	/* the tick came: the prediction was too short */
	u64 timer_hint;		/* no timer of this CPU expires earlier, after now */
	/* caches */
	u64 touched;		/* bytes of working sets that ran here so far */
	u64 stream_bytes;	/* of the ranges that its STREAM goes over */
	/* background */
	struct sim_task *kworker;
	u64 kworker_due;
};

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
	struct sim *sim;
	enum task_stage stage;
	bool background;	/* isn't waited for */
	bool timed;		/* BLOCKED until a time, not by an object */
	bool pair_pending;	/* SIM_WAKE_PAIR came before SIM_SLEEP_FOREVER */
	bool pair_sleeping;
	bool kept;		/* its slot outlives it */
	bool is_gone;		/* switched out for the last time */
	bool released;		/* what it was about to wait for has come */
	bool spinning;		/* at a barrier */
	bool has_pieces;	/* its step's pieces were written */
	bool waited;		/* pipe: was asleep for this step */
	bool wake_peer;		/* pipe: the other side may be waiting */
	struct frame frame;	/* how to go on when it runs */
	struct sim_step step;
	u64 left, part;		/* of the step: bytes still to move, moved now */
	struct kmutex *lock;	/* that it spins or sleeps for */
	cpu_fn lock_then;
	struct stream stream;
	const struct sim_program *program;
	void *arg;
	/* links */
	struct sim_task *wait_next;  /* wait queue, expired timers, wake list or zombies */
	struct sim_task *stop_next;
	struct sim_cpu *stop_cpu;    /* whose stopper is to move it */
	struct sim_cpu *spinners, *spinners_tail; /* wait until it is switched out */
	int stop_dst;
	/* what it waits for, for messages */
	const char *wait_what;
	/* identity */
	u32 slot;
	int pid, nice;
	int mm;			/* address space; 0: kernel thread */
	enum sched_policy policy;
	u64 slice_ns;
	u64 footprint;
	char comm[16];
	/* accounts */
	u64 *allowed, *allowed_room; /* NULL: may run anywhere */
	struct sim_task *restricted_next, **restricted_pprev; /* while waiting, if it may not */
	struct sim_cpu *starts_on; /* whose "starting" it is */
	int last_cpu;		/* where it ran last; -1 never */
	int timer_cpu;		/* that takes its timer's interrupt */
	int cache_cpu;		/* whose caches have its working set */
	u64 touched_mark;	/* the CPU's "touched" when it left */
	u64 refill;		/* ns left of fetching its working set */
	u64 cpu_ns, switched_in;
	u64 runnable_since, woken_at, wake_latency, start_ns;
	u64 steps_at;		/* time of the last step, and how many at that time */
	u32 steps_now;
	s64 ret;
	/* family */
	struct sim_task *parent, *child;
	struct sim_task *children, *sibling; /* living ones */
	struct waitq zombies;	/* exited ones, oldest first */
	struct sim_task *last_reaped;
	bool waits_child;
	struct sim_task *free_next;
};

struct sim {
	u64 now;
	u64 start;		/* absolute time of the run's start */
	struct sim_cpu *cpu;	/* [nr_cpus] */
	int nr_cpus, words;
	struct sched *sched;
	struct rates *rates;
	const struct machine *m;
	const struct machine_costs *cost;
	const struct sched_topology *topo;
	struct due cpus;	/* next boundary of each CPU */
	struct heap timers;	/* by task slot */
	u64 tick_ns, next_tick;
	u64 other_at;		/* the first of timers and tick */
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
	/* waiting and idling */
	u64 acct_at;
	int nr_waiting;		/* runnable tasks that may run anywhere, not running */
	int nr_idle;		/* CPUs in the idle loop with nothing on its way */
	struct sim_task *restricted; /* waiting tasks that may not run anywhere */
	u64 counter[NR_COUNTERS];
	/* the rest */
	u64 copy_ps;		/* picoseconds to copy a byte inside the LLC */
	u64 rcu_due;
	struct sim_task *rcu;
	struct rng rng_workload, rng_noise, rng_slack;
	struct memory *mem;
	struct arena *arena;
	struct sim_params p;
	struct err fail;	/* first broken invariant */
};

/* ---- small things ---- */

static inline void count(struct sim *sim, enum counter what)
{
	sim->counter[what]++;
}

static inline enum topo_distance distance(const struct sim *sim, int a, int b)
{
	return topo_distance(sim->topo, a, b);
}

/* a timer or the tick was set or is over */
static inline void arm_others(struct sim *sim)
{
	sim->other_at = min(heap_time(&sim->timers), sim->next_tick);
}

static inline void waitq_add(struct waitq *q, struct sim_task *t)
{
	t->wait_next = NULL;
	if (q->head)
		q->tail->wait_next = t;
	else
		q->head = t;
	q->tail = t;
}

static inline struct sim_task *waitq_take(struct waitq *q)
{
	struct sim_task *t = q->head;

	if (t)
		q->head = t->wait_next;
	return t;
}

static inline u64 copy_ns(const struct sim *sim, u64 bytes)
{
	return bytes * sim->copy_ps / 1000;
}

/* ---- engine.c ---- */

/* room for more tasks; Return: 0 or -ENOMEM */
int engine_grow(struct sim *sim);

/* ---- cpu.c: segments ---- */

void cpu_arm(struct sim *sim, struct sim_cpu *c);
/* @ns of wall time (and what is carried), then @fn */
void seg_wall(struct sim *sim, struct sim_cpu *c, enum cpu_mode mode, u64 ns, cpu_fn fn);
/* a path of the scheduler: atomic, counted as kernel_ns */
void seg_path(struct sim *sim, struct sim_cpu *c, u64 ns, cpu_fn fn);
void seg_spin(struct sim *sim, struct sim_cpu *c, enum cpu_mode mode, cpu_fn fn);
/* start or go on with a frame */
void frame_start(struct sim *sim, struct sim_cpu *c, const struct frame *f);
/* take what @c does off it and keep it in @f */
void frame_suspend(struct sim *sim, struct sim_cpu *c, struct frame *f);
/* the wait of the spinning task @t ends @ns from now, wherever it is at the moment */
void spin_end(struct sim *sim, struct sim_task *t, u64 ns);
void rates_apply(struct sim *sim);
void cpu_event(struct sim *sim, struct sim_cpu *c);
/* Return: true if something came first; @fn will be called later */
bool return_to_user(struct sim *sim, struct sim_cpu *c, cpu_fn fn);

/* ---- schedule.c ---- */

void schedule(struct sim *sim, struct sim_cpu *c);
/* drain what the core asked for */
void handle_outs(struct sim *sim);
void task_runnable(struct sim *sim, struct sim_task *t);
void account_waiting(struct sim *sim);

/* ---- idle.c ---- */

void idle_init(struct sim *sim, struct sim_cpu *c);
void idle_enter(struct sim *sim, struct sim_cpu *c);
/* an interrupt: out of the C-state, still the idle task */
void idle_leave(struct sim *sim, struct sim_cpu *c);
/* there is something to run: the tick goes on */
void idle_exit(struct sim *sim, struct sim_cpu *c);
/* an event is on its way to an idle CPU: it no longer counts as idle */
void idle_woken(struct sim *sim, struct sim_cpu *c);

/* ---- irq.c ---- */

void irq_enter(struct sim *sim, struct sim_cpu *c);
/* … between two segments: go on with @f afterwards */
void irq_enter_at(struct sim *sim, struct sim_cpu *c, const struct frame *f);
/* @from makes @c notice something; @bit 0: only the need-resched flag */
void kick(struct sim *sim, int from, struct sim_cpu *c, u32 bit);
void tick_all(struct sim *sim);
void tick_start(struct sim *sim, struct sim_cpu *c);
void timer_expired(struct sim *sim, struct sim_task *t);

/* ---- walk.c, stop.c ---- */

/* balance the domains of @c, then go on with @then */
void walk(struct sim *sim, struct sim_cpu *c, enum walk_kind kind, cpu_fn then);
void stop_queue(struct sim *sim, int from, struct sim_cpu *c, struct sim_task *t, int dst);
void stop_run(struct sim *sim, struct sim_cpu *c);
void stop_cancel(struct sim_task *t);

/* ---- wake.c ---- */

/* @c wakes @t, which is on no wait queue any more, then goes on with @then */
void wake_task(struct sim *sim, struct sim_cpu *c, struct sim_task *t, bool sync, cpu_fn then);
/* … everybody on @list, one after the other */
void wake_all(struct sim *sim, struct sim_cpu *c, struct waitq *list, bool sync, cpu_fn then);
/* first wake-up of a new task, from @c */
void wake_new(struct sim *sim, struct sim_cpu *c, struct sim_task *t, cpu_fn then);
/* account for @t, which the stopper preempts; NULL: idle */
void stop_switched_out(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
/* @t was switched out: go on, whoever spins for it */
void wake_spinners(struct sim *sim, struct sim_task *t);
/* @c takes its wake list; Return: ns that it takes */
u64 wake_list_run(struct sim *sim, struct sim_cpu *c);

/* ---- task.c, fork.c ---- */

/* a slot filled from @what; NULL: out of memory */
struct sim_task *task_alloc(struct sim *sim, const struct sim_spawn *what, struct sim_task *parent);
/* the core's part, when it is forked; Return: 0 or -ENOMEM */
int task_create(struct sim *sim, struct sim_task *t, struct sim_task *parent);
/* a new task that the timer of @cpu starts at @at, without a parent */
void task_start_at(struct sim *sim, struct sim_task *t, int cpu, u64 at);
int task_keep_allowed(struct sim *sim, struct sim_task *t, const u64 *allowed);
/* the current task of @c goes to sleep and goes on with @fn when woken */
void task_block(struct sim *sim, struct sim_cpu *c, struct waitq *q, const char *what, cpu_fn fn);
/* … until the time @at */
void task_block_until(struct sim *sim, struct sim_cpu *c, u64 at, const char *what, cpu_fn fn);
/* the current task of @c goes on, after a switch to it */
void task_resume(struct sim *sim, struct sim_cpu *c);
/* the preempted task of @c goes on later with what the interrupt suspended */
void task_keep_frame(struct sim_cpu *c);
void task_exit(struct sim *sim, struct sim_cpu *c);
/* its parent has waited for @t */
void task_reap(struct sim *sim, struct sim_task *t);
/* after the last switch away from an exited task */
void task_gone(struct sim *sim, struct sim_task *t);

/* ---- step.c and the objects: a step that took no time returns true ---- */

/* the current task's step is over: ask for the next one */
void step_next(struct sim *sim, struct sim_cpu *c);
bool step_read(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_write(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_poll(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_lock(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_unlock(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_cond_wait(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_cond_wake(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_sem_post(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_sem_wait(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_barrier(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_suspend(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_resume(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_wake_pair(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_sleep_forever(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
int init_start(struct sim *sim);
bool step_fork(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_exec(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_wait_child(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_stream(struct sim *sim, struct sim_cpu *c, struct sim_task *t);
bool step_touch(struct sim *sim, struct sim_cpu *c, struct sim_task *t);

/* ---- spin.c: locks of the kernel ---- */

void spin_lock(struct sim *sim, struct sim_cpu *c, struct spinlock *l, cpu_fn then);
void spin_unlock(struct sim *sim, struct sim_cpu *c, struct spinlock *l);
/* the current task of @c takes @l, then goes on with @then */
void kmutex_lock(struct sim *sim, struct sim_cpu *c, struct kmutex *l, cpu_fn then);
/* Return: a sleeper that the caller must wake, or NULL */
struct sim_task *kmutex_unlock(struct sim *sim, struct sim_cpu *c, struct kmutex *l);
/* @c has to reschedule while it spins: its task goes to sleep instead */
void kmutex_give_up(struct sim *sim, struct sim_cpu *c);

/* ---- stream.c ---- */

void stream_start(struct sim *sim, struct sim_cpu *c, u64 left);
void stream_stop(struct sim *sim, struct sim_cpu *c);

/* ---- noise.c ---- */

int noise_init(struct sim *sim);
/* from the tick of @c: background threads whose time has come join c->timers */
void noise_tick(struct sim *sim, struct sim_cpu *c);
u64 timer_slack(struct sim *sim, struct sim_cpu *c, u64 at);
u64 irq_jitter(struct sim *sim);

/* ---- trace.c ---- */

void trace_task(struct sim *sim, enum sim_trace_kind kind, int cpu, const struct sim_task *t,
		int dest, int orig);
void trace_switch(struct sim *sim, int cpu, const struct sim_task *prev,
		  const struct sim_task *next, bool preempted);
static inline bool tracing(const struct sim *sim)
{
	return unlikely(sim->p.trace);
}

/* ---- check.c ---- */

int check_engine(struct sim *sim, struct err *err);
void deadlock_message(const struct sim *sim, struct err *err);

#endif
