/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim.h - the event engine: simulated time, CPUs executing programs, and the
 * kernel objects that tasks block on (spec 14).
 *
 * A workload creates objects and tasks, then sim_run() lets time pass. A task
 * runs a program: a source of steps. When a step is done the engine asks for
 * the next one.
 */
#ifndef IDLEST_SIM_SIM_H
#define IDLEST_SIM_SIM_H

#include "base/arena.h"
#include "base/err.h"
#include "base/rng.h"
#include "machine/machine.h"
#include "sim/result.h"

struct sim;
struct sim_task;
struct sim_cgroup;	/* cgroup.h */
struct cgroup_tree;

/* ---- objects ---- */

struct sim_pipe;	/* pipe, or one direction between two sockets: read, written, polled */
struct sim_mutex;
struct sim_cond;
struct sim_sem;
struct sim_barrier;
struct sim_event;	/* suspend/resume: a wait queue without memory */
struct sim_completion;	/* "it is done": remembered, waiters woken in order */
struct sim_workqueue;	/* work that kernel threads do */
struct sim_region;	/* memory: pages placed by first touch */
struct sim_image;	/* files that processes of a program map: locks of fork, exec and exit */
struct sim_line;	/* a cache line that many write: the count of users of an open file */

enum sim_pipe_kind { PIPE_PIPE, PIPE_SOCKET, PIPE_UDP, PIPE_TCP };

/** sim_pipe_new() - a pipe, or one direction of a pair of stream sockets: bytes in order,
 * blocking both ways
 * @kind: PIPE_PIPE or PIPE_SOCKET
 */
struct sim_pipe *sim_pipe_new(struct sim *sim, enum sim_pipe_kind kind);

#define SIM_UDP_LARGEST 65507 /* bytes of a datagram */
#define SIM_UDP_RCVBUF	212992
#define SIM_TCP_SNDBUF	(4 << 20) /* to where the kernel lets them grow by itself */
#define SIM_TCP_RCVBUF	(6 << 20)

/**
 * sim_udp_new() - one direction between two datagram sockets of the loopback network
 * @rcvbuf: bytes that unread datagrams may take, their buffers included
 *
 * A write is a datagram of at most SIM_UDP_LARGEST bytes and never blocks: what comes while the
 * receive buffer is full is lost. A read takes one datagram; what it has no room for is lost.
 */
struct sim_pipe *sim_udp_new(struct sim *sim, u64 rcvbuf);

struct sim_tcp {
	u64 sndbuf;		/* bytes written but not acknowledged, of each side */
	u64 rcvbuf;		/* bytes received but not read: the window */
	bool nodelay;		/* what doesn't fill a segment isn't kept back (TCP_NODELAY) */
};

/**
 * sim_tcp_new() - a connection over loopback, established
 * @pair: result, a pipe for each direction
 *
 * Return: 0 or -ENOMEM.
 */
int sim_tcp_new(struct sim *sim, const struct sim_tcp *opt, struct sim_pipe *pair[2]);

/* Bytes of a PIPE_UDP or PIPE_TCP: sent is always the sum of the others. */
struct sim_net_stats {
	u64 sent, received, dropped, queued;
};
struct sim_net_stats sim_net_stats(const struct sim_pipe *p);
struct sim_mutex *sim_mutex_new(struct sim *sim);
struct sim_cond *sim_cond_new(struct sim *sim);
struct sim_sem *sim_sem_new(struct sim *sim, int value);
/**
 * sim_barrier_new() - a barrier of @users tasks
 * @spin_ns: how long an early arriver spins before it sleeps
 */
struct sim_barrier *sim_barrier_new(struct sim *sim, int users, u64 spin_ns);
struct sim_event *sim_event_new(struct sim *sim);
struct sim_completion *sim_completion_new(struct sim *sim);
/**
 * sim_workqueue_new() - work for the kworkers of the CPU that queues it
 * @unbound: … or for those of its node, which run on any CPU of that
 */
struct sim_workqueue *sim_workqueue_new(struct sim *sim, bool unbound);

struct sim_image *sim_image_new(struct sim *sim);
struct sim_line *sim_line_new(struct sim *sim);

/* What a kworker does once for each SIM_QUEUE_WORK; lives at least until it is done. */
struct sim_work {
	struct sim_workqueue *wq;
	u64 run_ns;		/* work at nominal speed, in the kernel */
	u64 sleep_ns;		/* sleep in the middle of it: a device; 0: none */
	struct sim_completion *done; /* completed at its end; NULL: nobody waits */
};

/**
 * sim_region_new() - @bytes of address space, no page placed yet
 *
 * Return: NULL with @err filled if the machine hasn't that much memory left.
 */
struct sim_region *sim_region_new(struct sim *sim, u64 bytes, struct err *err);
/** sim_region_bind() - pages placed from now on lie on @nodes (kept by reference; NULL: any) */
void sim_region_bind(struct sim_region *r, const u64 *nodes);
/** sim_region_node_bytes() - bytes of @r placed on @node so far */
u64 sim_region_node_bytes(const struct sim_region *r, int node);

/* ---- programs ---- */

enum sim_op {
	SIM_RUN,	/* work_ns of computing at nominal speed */
	SIM_SYSCALL,	/* value system calls that do nothing but enter and leave the kernel, and write line */
	SIM_RUN_WALL,	/* spin until ns of wall time passed (preemption counts) */
	SIM_STREAM,	/* move bytes: reads and writes over pieces of regions */
	SIM_TOUCH,	/* first touch: write bytes of a region from offset on */
	SIM_SLEEP,	/* ns (timer slack applies) */
	SIM_SLEEP_UNTIL, /* absolute ns; in the past: no sleep */
	SIM_SLEEP_IRQ,	/* until an interrupt: absolute ns, taken by CPU `value` (-1: the own); exact */
	SIM_READ,	/* pipe: 1 … bytes, blocks while empty; task's ret = bytes */
	SIM_WRITE,	/* pipe: all bytes, blocks while full (but for datagrams) */
	SIM_POLL,	/* pipe: until it has something to read; takes nothing, all who poll wake */
	SIM_LOCK, SIM_UNLOCK,
	SIM_COND_WAIT,	/* cond + mutex */
	SIM_COND_SIGNAL, SIM_COND_BROADCAST,
	SIM_SEM_POST, SIM_SEM_WAIT,
	SIM_BARRIER,
	SIM_SUSPEND,	/* wait on an event */
	SIM_RESUME,	/* wake everybody who waits on an event */
	SIM_WAKE_PAIR,	/* wake the task `task` if it sleeps in SIM_SLEEP_FOREVER (else remember one) */
	SIM_SLEEP_FOREVER, /* until SIM_WAKE_PAIR */
	SIM_QUEUE_WORK,	/* work, at once or from an interrupt of this CPU in ns (a device, a timer) */
	SIM_COMPLETE, SIM_WAIT_COMPLETION,
	SIM_IO,		/* write bytes to a device: ns of CPU by size, may block io_ns */
	SIM_FORK,	/* create a child: spawn */
	SIM_EXEC,
	SIM_WAIT_CHILD,	/* until one child more has exited */
	SIM_YIELD,
	SIM_SET_NICE, SIM_SET_SLICE, SIM_SET_AFFINITY,
	SIM_SET_SCHED,	/* sched_setattr() of the task itself: attr; task's ret = 0 or -errno */
	SIM_SET_GROUP,	/* join a control group: cgroup */
	SIM_NOP,	/* asks for the next step at once */
	SIM_EXIT,
	SIM_WORKER_RUN, SIM_WORKER_IDLE, /* of kworkers; not for programs */
};

#define SIM_MAX_PIECES 4

/* One operand of SIM_STREAM: how much is read and written where. */
struct sim_piece {
	struct sim_region *region;
	u64 offset, bytes;	/* the range; the traffic is: */
	u64 read_bytes, write_bytes;
};

struct sim_spawn {
	const char *comm;
	const struct sim_program *program;
	void *arg;		/* the program's own state */
	enum sched_policy policy; /* DEADLINE: by SIM_SET_SCHED only */
	int nice;
	int rt_priority;	/* FIFO and RR: 1 … 99 */
	u64 slice_ns;
	const u64 *allowed;	/* NULL: parent's */
	bool process;		/* own address space: costs more to switch to */
	bool kthread;		/* a kernel thread: without one */
	struct sim_image *image; /* shared with others; NULL: nobody's locks are in the way */
	u64 footprint;		/* bytes of working set, for cache refill after a migration */
	struct sim_cgroup *cgroup; /* NULL: the parent's, or that of its place */
};

struct sim_step {
	enum sim_op op;
	/*
	 * WAKE_PAIR, SLEEP_FOREVER, SLEEP_IRQ, FORK, EXEC, EXIT: only what the scheduler does
	 * takes time; the system call around it is part of what the program says it runs.
	 */
	bool bare;
	/* RUN, RUN_WALL, SLEEP, SLEEP_UNTIL, SLEEP_IRQ, SET_SLICE, QUEUE_WORK; IO: device time */
	u64 ns;
	u64 bytes;		/* READ, WRITE, IO */
	int value;		/* SYSCALL, SET_NICE, SLEEP_IRQ; WAKE_PAIR: 1 is a sync wake-up */
	enum sched_policy policy; /* SET_NICE */
	union {
		struct sim_pipe *pipe;
		struct sim_mutex *mutex;
		struct sim_sem *sem;
		struct sim_barrier *barrier;
		struct sim_event *event;
		struct sim_completion *completion;
		const struct sim_work *work;
		struct sim_task *task;
		const struct sim_spawn *spawn;
		struct sim_line *line; /* SYSCALL; NULL: none */
		const u64 *allowed;
		const struct task_attr *attr;
		struct sim_cgroup *cgroup;
		struct {
			struct sim_cond *cond;
			struct sim_mutex *cond_mutex;
		};
		struct {
			struct sim_piece piece[SIM_MAX_PIECES];
			int nr_pieces;
		};
	};
};

struct sim_program {
	const char *name;
	/**
	 * next() - fill @step with what the task does next
	 *
	 * Called at the simulated time the last step ended. May create objects
	 * and spawn tasks. @step comes zeroed but for its op (SIM_EXIT).
	 */
	void (*next)(struct sim *sim, struct sim_task *t, struct sim_step *step);
};

void *sim_task_arg(const struct sim_task *t);
/** sim_task_ret() - result of the last step: bytes read, the forked child's pid */
s64 sim_task_ret(const struct sim_task *t);
struct sim_task *sim_task_child(const struct sim_task *t); /* of the last SIM_FORK */
int sim_task_pid(const struct sim_task *t);
int sim_task_cpu(const struct sim_task *t);	/* where it runs or ran last */
int sim_task_node(const struct sim_task *t);
u64 sim_task_cpu_ns(const struct sim_task *t);	/* CPU time used */
u64 sim_task_start_ns(const struct sim_task *t);
/** sim_task_wake_latency() - ns between the last wake-up and running */
u64 sim_task_wake_latency(const struct sim_task *t);
/** sim_task_sched() - the core's task; NULL once it is gone */
const struct task *sim_task_sched(const struct sim_task *t);

/* ---- a run ---- */

enum sim_trace_kind { TRACE_WAKING, TRACE_WAKEUP, TRACE_WAKEUP_NEW, TRACE_SWITCH, TRACE_MIGRATE, TRACE_FORK,
		      TRACE_EXEC, TRACE_EXIT };

struct sim_trace_event {
	enum sim_trace_kind kind;
	u64 now;
	int cpu;
	int pid, prio;
	const char *comm;
	int dest_cpu, orig_cpu;
	/* TRACE_SWITCH: pid, prio, comm are the old task's; TRACE_FORK: the parent's, next_ the child's */
	int next_pid, next_prio;
	const char *next_comm;
	char prev_state;	/* as spec 11 §2: R S D I X Z */
	bool preempted;
	bool irq;		/* in an interrupt */
	bool softirq;		/* in a softirq, on top of the current task */
	bool sync;		/* TRACE_WAKING, TRACE_WAKEUP: the waker says that it is about to sleep */
};

/* What is done to the machine during a run. */
enum sim_change_kind {
	SIM_CPU_DOWN,	/* @cpu goes offline */
	SIM_CPU_UP,	/* … and comes back */
	SIM_BIND,	/* tasks whose name begins with @comm may use @cpus only */
};

struct sim_change {
	u64 at;		/* ns since the run's start */
	enum sim_change_kind kind;
	int cpu;
	const char *comm;
	const u64 *cpus;
};

struct sim_params {
	u64 seed;
	bool check;		/* invariants at every event */
	bool no_noise;		/* tests: nothing is drawn, no background tasks */
	bool waste;		/* measure result.waste */
	bool no_background;	/* no background tasks: the workload brings its own */
	const struct cgroup_tree *cgroups; /* groups that there are before the run; NULL: none */
	bool accounts;		/* what exited tasks used is kept: sim_task_accounts() */
	bool pressure;		/* pressure is measured (sched/psi.h) */
	u64 max_ns;		/* stop here at the latest; 0: when the workload ends */
	const u64 *isolated;	/* CPUs without domains, where only bound tasks run; NULL: none */
	const struct sim_change *change; /* in the order of their times */
	int nr_changes;
	/* called at every event that a trace shows; NULL: none */
	void (*trace)(void *ctx, const struct sim_trace_event *e);
	/* what @cpu's queue holds after an event that changed it; NULL: nobody wants to know */
	void (*trace_load)(void *ctx, u64 now, int cpu, int nr_running, unsigned long util);
	void *trace_ctx;
	/* called whenever a CPU has another number of runnable tasks; NULL: nobody wants to know */
	void (*nr_running)(void *ctx, u64 now, int cpu, int nr_running);
	void *nr_running_ctx;
	/* called once the machine is booted, before there are tasks of the workload; NULL: none */
	void (*begin)(void *ctx, struct sim *sim);
	void *begin_ctx;
	/* called when the run has come to its end and everything is still there; NULL: none */
	void (*end)(void *ctx, struct sim *sim);
	void *end_ctx;
};

/**
 * sim_new() - a booted machine with nothing running on it but its background
 * @m: kept by reference
 * @k: copied
 */
struct sim *sim_new(const struct machine *m, const struct sched_kernel *k,
		    const struct sim_params *p, struct err *err);
void sim_free(struct sim *sim);

/**
 * sim_spawn() - a task of the workload, forked by init at the start of the run
 *
 * Before sim_run() only; inside programs SIM_FORK does it. The run ends when
 * every task spawned (and their children) has exited.
 */
struct sim_task *sim_spawn(struct sim *sim, const struct sim_spawn *what, struct err *err);

/**
 * sim_spawn_asleep() - a task that is there since boot: it sleeps, and ran on @cpu last
 * @at: ns since the run's start of the interrupt of @irq_cpu that wakes it;
 *	UINT64_MAX: it is in SIM_SLEEP_FOREVER
 *
 * Its first step comes after that. Otherwise as sim_spawn().
 */
struct sim_task *sim_spawn_asleep(struct sim *sim, const struct sim_spawn *what, int cpu,
				  int irq_cpu, u64 at, struct err *err);

/**
 * sim_run() - let time pass until the workload has ended or max_ns is over
 *
 * Return: 0; -EDEADLK: nothing can ever run again (names who waits for what);
 * -EINVAL: an invariant is broken (--check), with the state in @err.
 */
int sim_run(struct sim *sim, struct err *err);

void sim_stop(struct sim *sim);	/* the workload says that it is over */
/** sim_cancel() - nobody wants to know how it ends: sim_run() returns -ECANCELED */
void sim_cancel(struct sim *sim);
u64 sim_now(const struct sim *sim);	/* ns since the run's start */
u64 sim_uptime(const struct sim *sim);	/* ns since the machine was booted */
struct arena *sim_arena(struct sim *sim);
/** sim_common_cpus() - those that aren't isolated, where a task may run that nobody bound */
const u64 *sim_common_cpus(const struct sim *sim);
struct rng *sim_rng(struct sim *sim);	/* the workload's own stream */
const struct machine *sim_machine(const struct sim *sim);
struct sched *sim_sched(struct sim *sim);
void sim_counters(const struct sim *sim, struct result *r);
int sim_nr_tasks(const struct sim *sim);

#endif
