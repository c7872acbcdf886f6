/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drive.h - a core led through a story: whatever it would do itself, it is made
 * to do what the kernel did.
 *
 * Inside replay/ only. The driver keeps the core's tasks and CPUs where the
 * story has them, lets ticks and balancing passes leave behind what they leave
 * (with their hands tied), and asks nothing: that is agree.c's part, which looks
 * at the core before each act is carried out.
 */
#ifndef IDLEST_REPLAY_DRIVE_H
#define IDLEST_REPLAY_DRIVE_H

#include "machine/machine.h"
#include "replay/story.h"
#include "sched/forced.h"

/* How a wake-up that was begun will be ended. */
enum drive_wake { DRIVE_NONE, DRIVE_QUEUED, DRIVE_DIRECT, DRIVE_LIST, DRIVE_ON_CPU_LIST };

struct drive_task {
	struct task *p; /* NULL: not there (any more), or a stopper */
	enum drive_wake wake;
	bool exiting, dead;
	bool held; /* its group is throttled */
};

struct drive_cpu {
	u32 curr;	/* STORY_NONE: idle */
	bool stop;	/* the stopper runs */
	bool looked;	/* the new-idle walk of this way into idle is made */
	bool late_walk;	/* a walk is due that waits for the moves made in it */
	enum walk_kind late_kind;
	bool idle_tick;	/* it idles, but its tick runs on */
	u64 last_act;	/* core time of the last one on it or for its queue */
	u64 hrtick;	/* when the running task's slice ends by a timer; 0: none */
	u64 timer;	/* when a timer of a class runs out; 0: none */
};

struct drive {
	const struct story *st;
	const struct machine *m;
	struct sched *s;
	struct drive_task *task;
	struct drive_cpu *cpu;
	struct story_tick tick;
	u64 base;	/* core time = trace time + base */
	u64 now;	/* core time */
	u64 next_tick;
	u32 at;		/* act that comes next */
	/* where the core had to be corrected, for what happened proved it wrong */
	u64 fixed_delayed;	/* a sleeper that was still queued */
	u64 fixed_left;		/* one that wasn't */
	u64 held;		/* tasks that couldn't run, times */
	u64 fixed_placing;	/* what searches and wake_wide go by, see sched_wake_learn() */
	u64 fixed_affinity;	/* it went where it was not thought to be allowed */
	u64 refused;		/* what could not be carried out all the same */
	/* by enum walk_kind: passes made; those that would have moved a task although none was */
	u64 passes[3], unmade[3];
};

/**
 * drive_start() - a booted core in the state in which @st begins
 * @hz: ticks per second; 0: the machine's
 */
int drive_start(struct drive *d, const struct story *st, const struct machine *m,
		const struct sched_kernel *k, int hz, struct err *err);
void drive_end(struct drive *d);

/** drive_until() - time passes to @ns of the trace, with the ticks on the way */
void drive_until(struct drive *d, u64 ns);
/** drive_done() - act @a has been carried out */
void drive_done(struct drive *d, const struct story_act *a);
/** drive_drain() - serve or drop what the core asks its host to do */
void drive_drain(struct drive *d);
/** drive_rest() - @cpu is idle: its tick stops, unless a timer of its own is near */
void drive_rest(struct drive *d, int cpu);

/* the core's task; NULL: a stopper, the idle task, or it isn't there */
static inline struct task *drive_task(const struct drive *d, u32 task)
{
	return task == STORY_NONE ? NULL : d->task[task].p;
}

static inline bool drive_is_fair(const struct task *p)
{
	return policy_is_fair(sched_task_policy(p));
}

static inline bool drive_is_dl(const struct task *p)
{
	return p && sched_task_policy(p) == POLICY_DEADLINE;
}

/** drive_make_task() - the core's task for task @i of the story; NULL: out of memory, a stopper */
struct task *drive_make_task(struct drive *d, u32 i);
/** drive_allow_all() - @p went where it wasn't thought to be allowed */
void drive_allow_all(struct drive *d, struct task *p);
/** drive_bind() - @p may run on @cpu only from now on */
void drive_bind(struct drive *d, struct task *p, int cpu);

/* ---- acts, carried out ---- */

void drive_block(struct drive *d, const struct story_act *a);
/** drive_before_pick() - what the pick of @a shows of the state in which it was made */
void drive_before_pick(struct drive *d, const struct story_act *a);
void drive_switch(struct drive *d, const struct story_act *a);
/** drive_choose_freely() - the story's choice can't be had: @cpu goes on as the core would */
void drive_choose_freely(struct drive *d, int cpu);
/** drive_wake_commit() - the wake-up of @a goes as the kernel did it, @dec being the core's own */
void drive_wake_commit(struct drive *d, const struct story_act *a, const struct wake_query *q,
		       struct wake_decision *dec);
void drive_enqueue(struct drive *d, const struct story_act *a);
void drive_fork(struct drive *d, const struct story_act *a);
void drive_start_new(struct drive *d, const struct story_act *a, const struct fork_decision *dec);
void drive_prio(struct drive *d, const struct story_act *a);

/* ---- moves and walks: drive_move.c ---- */

void drive_move(struct drive *d, const struct story_act *a);
/* did a pass make the move @a, if it is of a fair task? */
static inline bool drive_is_pull(const struct story_act *a)
{
	return a->move == MOVE_NEWIDLE || a->move == MOVE_PERIODIC || a->move == MOVE_NOHZ;
}
/** drive_same_pass() - did the pass that made the pull @a make @b, too? It came later */
bool drive_same_pass(const struct story_act *a, const struct story_act *b);
/** drive_go_empty() - @cpu has nothing to run, for the delayed ones don't count; Return: it looks */
bool drive_go_empty(struct drive *d, int cpu);
/** drive_into_idle() - @cpu found nothing to run: its new-idle walk, with @moves made in it */
void drive_into_idle(struct drive *d, int cpu, struct forced_move *moves, int nr);
/** drive_walk() - @cpu is to walk its domains: now, or when it moves something */
void drive_walk(struct drive *d, int cpu, enum walk_kind kind);
/** drive_late_walk() - the walk that waited, if there is one, with @moves made in it */
void drive_late_walk(struct drive *d, int cpu, struct forced_move *moves, int nr);

#endif
