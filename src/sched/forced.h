/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * forced.h - the core driven by what another kernel did.
 *
 * A host that has a record of decisions asks the core at each of them, and then
 * commits what the record says. Wake-ups and forks are asked and committed by
 * sched.h; here is the rest: picks, pulls, walks whose outcome is known, where
 * tasks are when the record begins, and corrections of what it shows later.
 *
 * A call that the core's state contradicts returns a negative errno and changes
 * nothing: to bring the task where the record has it is the host's job.
 */
#ifndef IDLEST_SCHED_FORCED_H
#define IDLEST_SCHED_FORCED_H

#include "sched/balance/kinds.h"
#include "sched/sched.h"

/* ---- picks ---- */

struct pick_decision {
	const struct task *next; /* NULL: the idle task */
	int reason;		 /* enum sched_reason, PICK_… */
	int nr_runnable;	 /* tasks to choose from, the running one included */
};

/**
 * sched_pick_decide() - what sched_pick() would choose at @now, and why
 *
 * With groups the reason is that of the lowest level on which there was a
 * choice. While the stopper runs there is nothing to decide: NULL.
 */
void sched_pick_decide(const struct sched *s, u64 now, int cpu, struct pick_decision *d);

/**
 * sched_pick_commit() - @cpu goes on with @next, whoever chose it
 * @next: NULL: the idle task
 *
 * Has the effects of a pick that chose it: the running task is accounted,
 * delayed tasks that the choice met are dequeued, buddies are cleared, @next is
 * set and protected. If an EEVDF queue would have chosen another task, lags are
 * corrected: by as little as makes it choose @next, or, where a lag of before the
 * record is in play, to the middle of what is possible from then on.
 * sched_switch_done() follows as after sched_pick(), if the task changed.
 *
 * Return: 0; -ENOENT: @next isn't queued on @cpu (wake it or sched_move_task()
 * it first); -EAGAIN: it is queued there but asleep, delayed (wake it first);
 * -EBUSY: @next is NULL, but sched_pick_decide() counts runnable tasks.
 */
int sched_pick_commit(struct sched *s, u64 now, int cpu, struct task *next);

/**
 * sched_pick_empty() - @cpu finds nothing to run and is going to balance
 *
 * As sched_pick() that returns false: delayed tasks leave, the idle stamp is
 * set. A new-idle walk follows, then sched_pick_commit().
 *
 * Return: 0; 1 if a wake-up is pending, so that there is no walk; -EBUSY if a
 * task is runnable.
 */
int sched_pick_empty(struct sched *s, u64 now, int cpu);

/* ---- moves of queued tasks ---- */

/* Who moved a task. */
enum sched_mover {
	MOVER_NEWIDLE,	/* a new-idle pass of the destination */
	MOVER_PERIODIC, /* a periodic one */
	MOVER_NOHZ,	/* a pass on behalf of the destination, which idles */
	MOVER_PUSH,	/* an active balance: the source's stopper, for a pass of the destination */
	MOVER_STOPPER,	/* the source's stopper, for a change of affinity or an exec */
	MOVER_CLASS,	/* the realtime or deadline class pushed or pulled it */
};

struct forced_move {
	struct task *p;
	int dst;
	int error;	/* result: why it couldn't be made, as sched_move_task() returns it */
	bool done;	/* result; a move that is done already is left out */
};

/**
 * sched_move_task() - move a queued task that doesn't run to @dst
 * @by: CPU that does it
 *
 * With the accounting of the one pass that must have moved it, in the domain of
 * @dst that reaches the source: lb_count, lb_gained, nr_balance_failed = 0,
 * the interval, last_balance; a new-idle pass also counts as a success for
 * NI_RANDOM, and the destination's idle stamp is cleared. Whoever knows the walk
 * calls sched_walk_forced() instead. A running task must be put first:
 * sched_stop_begin() on its CPU, as the stopper does.
 *
 * Moved by a stopper, a delayed task completes its sleep and is asleep on @dst.
 *
 * Return: 0; -ENOENT: not queued; -EBUSY: it runs; -EPERM: @dst isn't allowed
 * (sched_set_affinity() first); -EINVAL: @dst is its CPU already, or offline.
 */
int sched_move_task(struct sched *s, u64 now, int by, struct task *p, int dst,
		    enum sched_mover mover);
/**
 * sched_move_tasks() - the same for what one pass moved
 * @moves: in the order in which they were taken; they are attached as a pass does it
 *
 * Return: how many were moved.
 */
int sched_move_tasks(struct sched *s, u64 now, int by, struct forced_move *moves, int nr,
		     enum sched_mover mover);

/* ---- pulls ---- */

#define PULL_MAX_TASKS 32

enum {
	/* somebody did make the pass: it is due, can be afforded, and this CPU's to make */
	PULL_ANY_TIME = 1 << 0,
};

/* What a walk would do first that moves something. */
struct pull_decision {
	int src;		/* CPU to pull from, -1: no pass would move a task */
	int level;		/* of the domain, 0 = lowest; that of the last pass where nothing moves */
	int nr_passes;		/* looked at; 0: the walk would not begin, or nothing is due */
	int nr_tasks;
	const struct task *task[PULL_MAX_TASKS]; /* as they would be taken */
	int dst[PULL_MAX_TASKS];		 /* differs from the asking CPU if that is forbidden */
	int push_src;		/* CPU whose running task would be pushed here, -1: none */
	int push_level;
	/* of the pass at @level; valid if nr_passes > 0 */
	enum balance_outcome outcome;
	enum group_type local_type, busiest_type;
	enum migration_type type;
	long imbalance;
	int busiest_src;	/* CPU that was found busiest, -1: none */
};

/**
 * sched_pull_decide() - what a walk of @kind for @cpu would move at @now
 * @flags: PULL_ANY_TIME
 *
 * Passes are asked bottom up as the kernel would make them; the draws of
 * NI_RANDOM all succeed. A pass that moves nothing is taken to change nothing
 * for the next one.
 */
void sched_pull_decide(const struct sched *s, u64 now, int cpu, enum walk_kind kind,
		       unsigned int flags, struct pull_decision *d);

/**
 * sched_pull_decide_level() - the same for the one pass of @cpu's domain @level
 * @flags: PULL_ANY_TIME: don't ask whether it is this CPU's to make
 *
 * Return: 0, or -EINVAL if @cpu has no such domain.
 */
int sched_pull_decide_level(const struct sched *s, u64 now, int cpu, enum walk_kind kind,
			    int level, unsigned int flags, struct pull_decision *d);

/** sched_pull_level() - of the pass by which @dst pulls from @src; -1: there is none */
int sched_pull_level(const struct sched *s, int dst, int src);

/**
 * sched_pull_prepare() - age the averages that a walk of @cpu ages before it looks
 *
 * For who asks outside of a walk.
 */
void sched_pull_prepare(struct sched *s, u64 now, int cpu);

/* ---- realtime and deadline tasks ---- */

/* What a class would do: task @p, which waits on CPU @from, goes to @to. */
struct class_move_decision {
	const struct task *p; /* NULL: nothing */
	int from, to;
};

/**
 * sched_class_push_decide() - what @cpu would push away first, if it pushed now
 *
 * Deadline tasks come before realtime ones. With sched_host.told_moves this is how the host
 * learns what the core would have done; the same holds for pulls.
 */
void sched_class_push_decide(const struct sched *s, int cpu, struct class_move_decision *d);
/** sched_class_pull_decide() - what @cpu would take first from elsewhere, if it looked now */
void sched_class_pull_decide(const struct sched *s, int cpu, struct class_move_decision *d);

/**
 * sched_set_unseen_deadline() - @p is a deadline task; nobody knows of what parameters
 *
 * Nobody admits it, and its budget outlasts what it is going to run; that a record shows it
 * throttled, the next two calls say. Among such tasks the first one woken comes first.
 */
void sched_set_unseen_deadline(struct sched *s, u64 now, struct task *p);

/**
 * sched_dl_used_up() - deadline tasks wait on @cpu, and yet a lesser one was picked there
 *
 * So they have used up their budgets. That the fair server was why is left out of account.
 */
void sched_dl_used_up(struct sched *s, u64 now, int cpu);
/** sched_dl_refill() - @p, if it is throttled, has a new budget: it was seen to move */
void sched_dl_refill(struct sched *s, u64 now, struct task *p);
/** sched_dl_picked() - @p was seen to be picked: it has a budget, and the first deadline there */
void sched_dl_picked(struct sched *s, u64 now, struct task *p);

/* ---- walks with tied hands ---- */

/**
 * sched_walk_forced() - a walk that moves what the record says and nothing else
 * @moves: what was moved in it, in this order; @nr may be 0
 * @unmade: result: passes that would have moved a task, though none was (drawn or not); may be
 *	NULL
 *
 * All passes are made at @now, with all that they leave behind: statistics,
 * nr_idle_scan, intervals, failures, costs, the overload flag. A pass that would
 * move something although nothing was, failed to find a movable task; where
 * NI_RANDOM draws, it wasn't tried. Moves that belong to no pass of the walk are
 * made at its end by sched_move_tasks().
 *
 * Return: passes made; 0 also if the walk didn't begin.
 */
int sched_walk_forced(struct sched *s, u64 now, int cpu, enum walk_kind kind,
		      struct forced_move *moves, int nr, int *unmade);

/* ---- start and corrections ---- */

/**
 * sched_quiet() - a booted machine has no utilisation left of what ran before
 *
 * sched_boot() draws a little, which breaks ties between groups as it may happen to
 * anybody; of a record's machine, zero is the best guess. No task has run yet.
 */
void sched_quiet(struct sched *s);

enum sched_begin { BEGIN_ASLEEP, BEGIN_QUEUED, BEGIN_RUNNING };

/**
 * sched_task_start() - a new task that lives already: on @cpu when the record begins
 *
 * Nobody is asked to reschedule. No record tells the averages: they are those of a task that
 * slept for long.
 * Return: 0; -EBUSY: BEGIN_RUNNING, but something runs there; -EPERM: @cpu isn't allowed.
 */
int sched_task_start(struct sched *s, u64 now, struct task *p, int cpu, enum sched_begin how);

/**
 * sched_task_set_cpu() - a sleeping task ran on @cpu last
 *
 * Its averages leave the old CPU. Return: 0; -EBUSY: it is queued or still on its CPU.
 */
int sched_task_set_cpu(struct sched *s, u64 now, struct task *p, int cpu);

/**
 * sched_task_leave() - a sleeping task is not queued as delayed any more
 *
 * Return: 0, also if it had left; -EBUSY: it is awake.
 */
int sched_task_leave(struct sched *s, u64 now, struct task *p);

/**
 * sched_task_delay() - a sleeping task that the core let go is still queued, delayed
 *
 * It stands where its lag puts it. Return: 0, also if it is so; -EBUSY: it is
 * awake or on its way, or its CPU is idle; -EOPNOTSUPP: the kernel delays nothing.
 */
int sched_task_delay(struct sched *s, u64 now, struct task *p);

/** sched_task_delayed() - queued, but asleep */
bool sched_task_delayed(const struct task *p);

/**
 * sched_task_hold() - @p, queued, is awake and yet can't run: a record tells no cgroups, and no
 * other reason there is for a CPU to go idle beside it than that its group is throttled
 *
 * It leaves its queue as if it slept.
 *
 * Return: 0; -EBUSY: it isn't a fair task that waits or runs.
 */
int sched_task_hold(struct sched *s, u64 now, struct task *p);
/** sched_task_release() - it is queued again. Return: 0; -EBUSY: it isn't held */
int sched_task_release(struct sched *s, u64 now, struct task *p);

/* What placing goes by that a record doesn't tell. */
enum wake_lesson {
	LESSON_NONE,
	LESSON_DEPTH,	/* how many CPUs of the LLC a search may look at (spec 04 §5.6) */
	LESSON_CORES,	/* whether the LLC has idle cores, as far as is known (spec 04 §6) */
	LESSON_FLIPS,	/* how often the wakee changed its own wakee (spec 04 §3) */
};

/**
 * sched_wake_learn() - the wake-up @q went to @to, which the core would not have chosen
 * @d: if something is learnt: what the core decides now, for @to
 *
 * The first of these with which the core would have gone there, and if it is a number the
 * nearest one, is taken to be so from now on, until the rules change it.
 */
enum wake_lesson sched_wake_learn(struct sched *s, u64 now, const struct wake_query *q, int to,
				  struct wake_decision *d);

/**
 * sched_account() - the fair task that runs on @cpu is accounted, as when it reads its CPU time
 * @now: an earlier time than that of the last event there changes nothing
 */
void sched_account(struct sched *s, u64 now, int cpu);

bool sched_task_is_kthread(const struct task *p);
/** sched_set_kthread() - it turned out to be a kernel thread, or not to be one */
void sched_set_kthread(struct sched *s, struct task *p, bool kthread);

#endif
