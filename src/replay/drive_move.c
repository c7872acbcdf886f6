// SPDX-License-Identifier: BSD-2-Clause
/*
 * drive_move.c - moves of tasks that nobody woke, and the passes that make or don't make them.
 *
 * What one pass took is carried out together, as it detaches and attaches. A walk
 * that a tick asks for waits for the moves that the kernel made in it, if there
 * are any before the next tick; else it is made at once, and moves nothing.
 */
#include <errno.h>

#include "replay/drive.h"

#define SAME_PASS_NS (50 * NSEC_PER_USEC) /* from the first move of a pass to its last */

static const enum sched_mover mover_of[] = {
	[MOVE_NEWIDLE] = MOVER_NEWIDLE, [MOVE_PERIODIC] = MOVER_PERIODIC, [MOVE_NOHZ] = MOVER_NOHZ,
	[MOVE_ACTIVE] = MOVER_PUSH,	[MOVE_EXEC] = MOVER_STOPPER,	  [MOVE_SELF] = MOVER_STOPPER,
	[MOVE_CLASS] = MOVER_CLASS,	[MOVE_UNKNOWN] = MOVER_STOPPER,
};

bool drive_same_pass(const struct story_act *a, const struct story_act *b)
{
	return b->kind == STORY_MOVE && b->cpu == a->cpu && b->to == a->to && b->from == a->from &&
	       b->move == a->move && b->ns - a->ns <= SAME_PASS_NS;
}

/* @a and what the same pass moved after it: all those that are queued where it took them */
static int moves_of_pass(struct drive *d, const struct story_act *a, struct forced_move *m)
{
	const struct story_act *end = d->st->act + d->st->nr_acts;
	int nr = 0;

	m[nr++] = (struct forced_move){ .p = drive_task(d, a->task), .dst = a->to };
	if (!drive_is_pull(a) || a->move == MOVE_NEWIDLE || !drive_is_fair(m[0].p)) /* those take one */
		return nr;
	for (const struct story_act *b = a + 1; b < end && nr < PULL_MAX_TASKS; b++) {
		struct task *p;

		if (b->ns - a->ns > SAME_PASS_NS)
			break;
		if (b->cpu != a->cpu)
			continue;
		p = drive_same_pass(a, b) ? drive_task(d, b->task) : NULL;
		if (!p || !drive_is_fair(p) || sched_task_cpu(p) != b->from || !sched_task_queued(p))
			break;
		m[nr++] = (struct forced_move){ .p = p, .dst = b->to };
	}
	return nr;
}

/* the kernel moved it, so the core is to have it queued, and allowed there */
static void make_movable(struct drive *d, struct task *p, int dst)
{
	if (!sched_task_allowed(p, dst))
		drive_allow_all(d, p);
	if (!sched_task_queued(p) && !sched_task_delay(d->s, d->now, p))
		d->fixed_delayed++;
}

void drive_move(struct drive *d, const struct story_act *a)
{
	struct task *p = drive_task(d, a->task);
	struct forced_move m[PULL_MAX_TASKS];
	enum sched_mover mover = mover_of[a->move];
	int nr;

	if (!p || sched_task_cpu(p) == a->to)
		return;
	make_movable(d, p, a->to);
	nr = moves_of_pass(d, a, m);
	if (drive_is_fair(p) && a->move == MOVE_NEWIDLE)
		drive_into_idle(d, a->to, m, nr);
	else if (drive_is_fair(p))
		drive_late_walk(d, a->cpu, m, nr);
	else if (mover != MOVER_STOPPER) /* balancing leaves it alone */
		mover = MOVER_CLASS;
	sched_move_tasks(d->s, d->now, a->cpu, m, nr, mover);
	for (int i = 0; i < nr; i++) {
		if (m[i].error == -ENOENT)
			m[i].error = sched_task_set_cpu(d->s, d->now, m[i].p, m[i].dst);
		d->refused += m[i].error != 0;
	}
	if (a->binds)
		drive_bind(d, p, a->to);
	drive_drain(d);
}

/* ---- walks ---- */

static void make_walk(struct drive *d, int cpu, enum walk_kind kind, struct forced_move *m, int nr)
{
	int unmade;

	d->passes[kind] += sched_walk_forced(d->s, d->now, cpu, kind, m, nr, &unmade);
	d->unmade[kind] += unmade;
}

bool drive_go_empty(struct drive *d, int cpu)
{
	return !d->cpu[cpu].stop && !sched_pick_empty(d->s, d->now, cpu);
}

void drive_into_idle(struct drive *d, int cpu, struct forced_move *moves, int nr)
{
	struct drive_cpu *c = &d->cpu[cpu];

	/* what was pulled may be asleep, delayed: then the CPU looks once more */
	if ((nr || !c->looked) && drive_go_empty(d, cpu)) {
		c->looked = true;
		make_walk(d, cpu, WALK_NEWIDLE, moves, nr);
	}
	drive_drain(d);
}

/* does @cpu move something before the next tick? */
static bool moves_soon(const struct drive *d, int cpu)
{
	const struct story_act *a = d->st->act + d->at, *end = d->st->act + d->st->nr_acts;

	for (; a < end && a->ns + d->base < d->next_tick; a++)
		if (a->kind == STORY_MOVE && a->cpu == cpu &&
		    (a->move == MOVE_PERIODIC || a->move == MOVE_NOHZ))
			return true;
	return false;
}

void drive_walk(struct drive *d, int cpu, enum walk_kind kind)
{
	struct drive_cpu *c = &d->cpu[cpu];

	if (moves_soon(d, cpu)) {
		c->late_walk = true;
		c->late_kind = kind;
	} else {
		make_walk(d, cpu, kind, NULL, 0);
	}
}

void drive_late_walk(struct drive *d, int cpu, struct forced_move *moves, int nr)
{
	struct drive_cpu *c = &d->cpu[cpu];

	if (!c->late_walk)
		return;
	c->late_walk = false;
	make_walk(d, cpu, c->late_kind, moves, nr);
}
