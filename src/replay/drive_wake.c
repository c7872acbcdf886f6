// SPDX-License-Identifier: BSD-2-Clause
/*
 * drive_wake.c - wake-ups and forks, carried out as the kernel did.
 *
 * What happened may prove that the core was wrong about the wakee: one that was
 * given a CPU can't have been queued any more, and one that its waker enqueued
 * although kernels leave that to a wake list must still have been queued, its
 * dequeue being delayed. The core is put right before it goes on.
 */
#include "replay/drive.h"

/* the wakee was given a CPU, so it was not queued */
static void must_have_left(struct drive *d, const struct wake_query *q, struct wake_decision *dec)
{
	if (dec->path != WAKE_QUEUED || sched_task_leave(d->s, d->now, q->p))
		return;
	d->fixed_left++;
	drive_drain(d);
	sched_wake_decide(d->s, d->now, q, dec);
}

/* what the core would have done with a wakee that was given the CPU where it slept */
static bool would_list(struct drive *d, const struct story_act *a)
{
	int llc = d->m->topo.cpu[a->cpu].llc;

	if (a->cpu == a->to)
		return false;
	return d->m->topo.cpu[a->to].llc != llc || !sched_nr_running(d->s, a->to);
}

static enum drive_wake way_of(struct drive *d, const struct story_act *a,
			      const struct wake_query *q, struct wake_decision *dec)
{
	if (a->path == PATH_LIST) {
		if (dec->path == WAKE_ON_CPU_LIST && a->select == STORY_NONE)
			return DRIVE_ON_CPU_LIST;
		must_have_left(d, q, dec);
		return DRIVE_LIST;
	}
	if (a->select != STORY_NONE) {
		must_have_left(d, q, dec);
		return DRIVE_DIRECT;
	}
	if (dec->path == WAKE_QUEUED)
		return DRIVE_QUEUED;
	if (would_list(d, a) && !sched_task_delay(d->s, d->now, q->p)) {
		d->fixed_delayed++;
		return DRIVE_QUEUED;
	}
	return DRIVE_DIRECT;
}

void drive_wake_commit(struct drive *d, const struct story_act *a, const struct wake_query *q,
		       struct wake_decision *dec)
{
	static const enum wake_path path_of[] = {
		[DRIVE_QUEUED] = WAKE_QUEUED,
		[DRIVE_DIRECT] = WAKE_DIRECT,
		[DRIVE_LIST] = WAKE_LIST,
		[DRIVE_ON_CPU_LIST] = WAKE_ON_CPU_LIST,
	};
	struct drive_task *x = &d->task[a->task];

	if (sched_task_queued(q->p) && !sched_task_delayed(q->p))
		return; /* the core has it awake */
	x->wake = way_of(d, a, q, dec);
	/* off its CPU when the kernel chose, but not yet in the core */
	if (sched_task_on_cpu(q->p) && (x->wake == DRIVE_DIRECT || x->wake == DRIVE_LIST)) {
		drive_choose_freely(d, sched_task_cpu(q->p));
		sched_wake_decide(d->s, d->now, q, dec);
		if (sched_task_on_cpu(q->p)) { /* the stopper keeps the CPU as it is */
			x->wake = DRIVE_NONE;
			d->refused++;
			return;
		}
	}
	dec->path = path_of[x->wake];
	sched_wake_commit(d->s, d->now, q, dec, x->wake == DRIVE_QUEUED ? sched_task_cpu(q->p) :
									   a->to);
	if (x->wake == DRIVE_LIST || x->wake == DRIVE_ON_CPU_LIST)
		sched_wake_list_add(d->s, d->now, a->cpu, q->p);
	drive_drain(d);
}

/* the kernel has enqueued @p, of whose wake-up the core made nothing */
static void wake_after_all(struct drive *d, const struct story_act *a, struct task *p)
{
	struct wake_query q = { .cpu = a->cpu, .p = p };
	struct wake_decision dec;

	if (sched_task_queued(p) && !sched_task_delayed(p))
		return;
	if (sched_task_on_cpu(p))
		drive_choose_freely(d, sched_task_cpu(p));
	sched_wake_decide(d->s, d->now, &q, &dec);
	must_have_left(d, &q, &dec);
	if (dec.path != WAKE_DIRECT && dec.path != WAKE_LIST) {
		d->refused++;
		return;
	}
	dec.path = WAKE_DIRECT;
	sched_wake_commit(d->s, d->now, &q, &dec, a->to);
	sched_activate(d->s, d->now, a->cpu, p);
}

#define READING_NS 1000 /* from one reading of a clock to the next */

/* what runs on @cpu was accounted just now, if it looks at its CPU time all along */
static void reading_its_time(struct drive *d, int cpu)
{
	struct task *curr = sched_current(d->s, cpu);

	if (d->tick.reads_time && curr && !d->cpu[cpu].stop && drive_is_fair(curr) &&
	    !sched_task_is_kthread(curr))
		sched_account(d->s, d->now - READING_NS, cpu);
}

void drive_enqueue(struct drive *d, const struct story_act *a)
{
	struct drive_task *x = &d->task[a->task];
	struct task *p = drive_task(d, a->task);

	if (!p)
		return;
	switch (x->wake) {
	case DRIVE_NONE:
		wake_after_all(d, a, p);
		break;
	case DRIVE_QUEUED:
		reading_its_time(d, sched_task_cpu(p));
		sched_wake_queued(d->s, d->now, a->cpu, p);
		break;
	case DRIVE_DIRECT:
		if (sched_task_on_cpu(p))
			drive_choose_freely(d, sched_task_cpu(p));
		sched_activate(d->s, d->now, a->cpu, p);
		break;
	case DRIVE_LIST:
	case DRIVE_ON_CPU_LIST:
		/* the CPU takes the whole list: perhaps this one is queued already */
		if (!sched_task_queued(p))
			sched_wake_list_run(d->s, d->now, sched_task_cpu(p));
		break;
	}
	x->wake = DRIVE_NONE;
	drive_drain(d);
}

/* ---- forks ---- */

void drive_fork(struct drive *d, const struct story_act *a)
{
	struct drive_task *x = &d->task[a->task];

	if (d->st->task[a->task].stopper)
		return;
	if (!x->p)
		x->p = drive_make_task(d, a->task);
	if (!x->p)
		d->refused++;
}

void drive_start_new(struct drive *d, const struct story_act *a, const struct fork_decision *dec)
{
	struct task *p = drive_task(d, a->task);

	if (!p)
		return;
	if (!sched_task_allowed(p, a->to))
		drive_allow_all(d, p);
	sched_fork_commit(d->s, d->now, a->cpu, p, dec, a->to);
	sched_activate_new(d->s, d->now, a->cpu, p);
	if (d->st->task[a->task].prio < 0)
		sched_set_unseen_deadline(d->s, d->now, p);
	drive_drain(d);
}
