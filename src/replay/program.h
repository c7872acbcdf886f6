/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * program.h - the tasks of a recorded trace as programs.
 *
 * A program is a list of ops, each with the work that comes before it. What
 * another task did to this one is kept as a dependency: a sleep that a task
 * ended ends when that task gets to the same place in its own program, however
 * long that takes. What came from outside (an interrupt, a timer) is a time.
 *
 * A task that reads what many write doesn't care whose message comes first. So
 * its wake-ups are counted rather than told apart, by kinds of wakers: those
 * whose names differ in digits only are of one kind, a channel to the wakee.
 * The n-th sleep that such a waker ended ends with the n-th wake-up of the
 * channel, and is none if that came before.
 *
 * Nothing can make a replay stand still. Of all ops that are next in their
 * programs, take the one that was recorded first. Everything recorded before it
 * has been done; so if it follows a sleep, all wake-ups of its channel up to its
 * own number have come.
 */
#ifndef IDLEST_REPLAY_PROGRAM_H
#define IDLEST_REPLAY_PROGRAM_H

#include "base/cpumask.h"
#include "machine/machine.h"
#include "replay/story.h"

enum replay_op_kind {
	REPLAY_WAKE,	/* @whom, by @channel */
	REPLAY_SLEEP,	/* until @nth wake-up by @channel */
	REPLAY_SLEEP_AT, /* until @ns since the trace's start: an interrupt of @cpu */
	REPLAY_SLEEP_FOR, /* for @ns, until an interrupt of @cpu */
	REPLAY_FORK,	/* @whom */
	REPLAY_EXEC,
	REPLAY_PRIO,	/* @prio from now on */
	REPLAY_EXIT,
	REPLAY_END,	/* the trace tells no more of it */
	NR_REPLAY_OPS
};

#define REPLAY_ANY_CPU UINT16_MAX /* the CPU on which it went to sleep */

struct replay_op {
	u64 recorded;	/* CPU time before it, ns at the nominal speed of the recording machine */
	u64 work;	/* ... less what the scheduler takes of it: see replay_calibrate() */
	u64 ns;
	u64 since;	/* sleeps: when the recorded one began, ns since the trace's start */
	u32 whom, channel, nth;
	u16 cpu;
	s16 prio;
	u8 kind;
	bool sync;	/* WAKE */
	bool io;	/* sleeps: uninterruptible */
	bool unseen;	/* sleeps: nobody was seen to end it */
};

enum replay_birth {
	REPLAY_FORKED,	/* by another task's FORK */
	REPLAY_ASLEEP,	/* there since the start: its first op is the sleep it is in */
};

struct replay_task {
	struct replay_op *op;
	u32 nr, room;
	enum replay_birth birth;
	int cpu;	/* where it ran last before the start */
	int only_cpu;	/* it may run there only; -1: anywhere */
	s16 prio;
	bool kthread;
	bool skipped;	/* a stopper: the engine has its own */
	bool pinned;	/* only_cpu was concluded from what it did, not from its name */
	u64 first_ns;	/* how long it went on running after the start */
	u64 last_ns;	/* when it was on a CPU last, since the start */
};

/* How the trace was understood, for the user. */
struct replay_notes {
	u32 tasks, kthreads, stoppers, pinned, deadline;
	u64 wakes_task, wakes_irq;	/* sleeps that a task, an interrupt ended */
	u64 wakes_unseen;		/* ... that ended though nobody was seen to end it */
	u64 wakes_timer;		/* of wakes_irq: taken as relative to going to sleep */
	u64 wakes_lost;			/* wake-ups of a task that wasn't asleep: nothing to do */
	u32 endless;			/* tasks asleep when the trace ended */
};

struct replay {
	const struct story *story;
	struct replay_task *task;	/* by the story's numbers */
	u32 nr_tasks, nr_channels;
	u64 start_ns, length_ns;	/* on the trace's clock; of the trace */
	int nr_cpus;			/* the trace's */
	struct replay_notes notes;
};

struct replay_build {
	const struct machine *from;	/* the machine of the recording; NULL: not known */
	bool no_pins;			/* don't conclude from behaviour who may run where */
};

/**
 * replay_build() - programs from a story
 * @s: kept by reference
 *
 * CPU time is turned into work by what @from gives a CPU at that moment (SMT
 * siblings busy, boost), so that the same machine gives it back. With fewer CPUs
 * than the trace, or none, a ns is a ns.
 *
 * Return: 0; -EINVAL: it is several recordings in one, far apart; -ENOMEM.
 */
int replay_build(const struct story *s, const struct replay_build *how, struct replay **r,
		 struct err *err);
void replay_free(struct replay *r);

/* Kinds of wakers of each task, numbered. */
struct replay_channels;
struct replay_channels *replay_channels_new(const struct story *s);
void replay_channels_free(struct replay_channels *c);
/**
 * replay_channel() - by which @waker wakes @wakee
 * @nth: how many wake-ups of it there are with this one
 *
 * Return: its number; UINT32_MAX: out of memory.
 */
u32 replay_channel(struct replay_channels *c, u32 waker, u32 wakee, u32 *nth);
u32 replay_nr_channels(const struct replay_channels *c);

/** replay_classify_timers() - which sleeps that interrupts end are relative; Return: 0 or -ENOMEM */
int replay_classify_timers(struct replay *r);
/** replay_conclude_pins() - who may run on one CPU only; Return: 0 or -ENOMEM */
int replay_conclude_pins(struct replay *r);

/** replay_add_op() - one op more of @t, zeroed; NULL: out of memory */
struct replay_op *replay_add_op(struct replay_task *t, enum replay_op_kind kind);

/*
 * What a priority as traces show it means. Round robin isn't told from FIFO, and
 * what a deadline task may use isn't shown: it is the first of the FIFO ones.
 */
enum sched_policy replay_prio_policy(int prio);
int replay_prio_nice(int prio);
int replay_prio_rt(int prio);

#endif
