/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * story.h - a trace as what happened to its tasks.
 *
 * A kernel spreads one wake-up over up to three lines (sched_waking where the
 * waker runs, sched_migrate_task if the CPU changes, sched_wakeup where the
 * wakee is enqueued), says of a task that blocks only that it was switched out,
 * and of a move not what moved it. The story joins what belongs together, once,
 * for everybody who replays a trace: a list of acts in the order in which they
 * happened, each fit for the state that the acts before it left. Where the
 * trace lost something, an act is made up for it and marked.
 */
#ifndef IDLEST_REPLAY_STORY_H
#define IDLEST_REPLAY_STORY_H

#include "base/err.h"
#include "trace/trace.h"

#define STORY_NONE UINT32_MAX /* the idle task, nobody, no act */

/* Where a task was when the trace began. */
enum story_start {
	START_ABSENT,	/* it is forked later */
	START_ASLEEP,
	START_QUEUED,
	START_RUNNING,
};

struct story_task {
	s32 pid;
	trace_str comm;		/* the last one seen */
	u32 parent;		/* STORY_NONE: not known */
	enum story_start start;
	int start_cpu;
	s16 prio;		/* the first one seen: 120 + nice, 99 - rt, -1 deadline */
	bool kthread;
	bool stopper;		/* migration/N */
	int bound_cpu;		/* kernel thread of one CPU: which; -1 */
	u64 first_ns;
};

enum story_kind {
	STORY_SWITCH,	/* @cpu from @other to @task (STORY_NONE: idle); @other stays runnable if @preempted */
	STORY_BLOCK,	/* @task, which runs on @cpu, leaves its queue: it is switched out next; @dead */
	STORY_WAKE,	/* @other on @cpu wakes @task, last on @from; ends on @to */
	STORY_ENQUEUE,	/* ... and now it is on the queue of @to, put there by @cpu; @wake: that act */
	STORY_FORK,	/* @other on @cpu makes @task */
	STORY_START,	/* @task, new, is put on the queue of @to by @cpu; @other: its parent */
	STORY_MOVE,	/* @task from queue @from to queue @to, by @cpu; @move: why */
	STORY_EXEC,	/* @task */
	STORY_EXIT,	/* @task, running on @cpu, begins to exit */
	STORY_PRIO,	/* @task's priority is @prio from now on */
	NR_STORY_KINDS
};

/* How a wake-up went. */
enum story_path {
	PATH_AWAKE,	/* there was nothing to do: it ran, waited or was being woken */
	PATH_HERE,	/* enqueued by the waker's CPU (or still queued, as a delayed dequeue leaves it) */
	PATH_LIST,	/* by the CPU it goes to, which took it from its wake list */
	PATH_LOST,	/* the trace doesn't show the end */
};

/* What moved a task that nobody woke. */
enum story_move {
	MOVE_NEWIDLE,	/* pulled by @to, whose task had just blocked */
	MOVE_PERIODIC,	/* pulled by @to in the softirq of its tick */
	MOVE_NOHZ,	/* pulled for the idle CPU @to by an idle CPU that was kicked */
	MOVE_ACTIVE,	/* pushed by the stopper for a balancing pass */
	MOVE_EXEC,	/* by the stopper, at exec */
	MOVE_SELF,	/* by the stopper, which the task woke itself: affinity, preferred node */
	MOVE_CLASS,	/* a realtime or deadline task, pushed or pulled by its class */
	MOVE_UNKNOWN,	/* concluded from where it ran next */
};

struct story_act {
	u64 ns;
	u32 event;	/* of the trace, that tells it */
	u32 task, other;
	union {
		struct {	/* STORY_WAKE */
			u32 enqueue;	/* act; STORY_NONE */
			u32 select;	/* event of its sched_migrate_task; STORY_NONE */
		};
		u32 wake;	/* STORY_ENQUEUE: act; STORY_NONE: not seen */
	};
	u16 cpu, from, to;
	s16 prio;
	u8 kind;
	u8 path;	/* STORY_WAKE */
	u8 move;	/* STORY_MOVE */
	bool preempted : 1;	/* STORY_SWITCH */
	bool dead : 1;		/* STORY_BLOCK */
	bool early : 1;		/* STORY_BLOCK: earlier than its switch, for others acted on it */
	bool on_cpu : 1;	/* STORY_WAKE: it had blocked but was not switched out yet */
	bool sync : 1;		/* STORY_WAKE: within the lock of a wait queue, from task context */
	bool irq : 1;		/* in an interrupt or softirq */
	bool made_up : 1;	/* not in the trace, but must have been */
	bool binds : 1;		/* STORY_MOVE: by the task's own wish, and then it was nowhere else */
};

/* Where in a period of the tick its interrupts lie. */
struct story_tick {
	u64 period_ns, phase_ns;
	u32 hits, all;	/* events that the tick causes, near that phase and in all */
	bool sure;	/* they stand out; otherwise the phase is 0 */
	u32 slices, slices_near; /* times that a task left for no wake-up; most of them near one phase */
	bool reads_time;	/* they lie anywhere: tasks read their CPU time, which ends slices, too */
};

struct story {
	const struct trace *trace;
	int nr_cpus;
	u64 first_ns, last_ns;
	struct story_task *task;
	u32 nr_tasks;
	struct story_act *act;
	u32 nr_acts;
	u32 made_up;		/* acts */
	u32 wakes_lost;		/* wake-ups whose end the trace doesn't show */
	bool has_context;	/* the trace has flags: interrupts and wait queues are told apart */
	u32 room_tasks, room_acts;
};

/**
 * story_build() - the story of a trace
 * @t: kept by reference; with at least one event
 *
 * Return: 0 or -ENOMEM.
 */
int story_build(const struct trace *t, struct story **story, struct err *err);
void story_free(struct story *s);

static inline const char *story_comm(const struct story *s, u32 task)
{
	return task == STORY_NONE ? "swapper" : trace_string(s->trace, s->task[task].comm);
}

/**
 * story_find_tick() - the phase of the tick, from what it causes
 * @hz: ticks per second
 *
 * Looks where in a period softirqs wake somebody and tasks are preempted.
 *
 * Return: 0 or -ENOMEM.
 */
int story_find_tick(const struct story *s, int hz, struct story_tick *k);

/**
 * story_kthread_name() - is @comm a name that only kernel threads have?
 * @cpu: the one CPU it is for, -1 if it isn't one of a CPU
 */
bool story_kthread_name(const char *comm, int *cpu);

const char *story_kind_name(enum story_kind kind);
const char *story_move_name(enum story_move move);

#endif
