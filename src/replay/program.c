// SPDX-License-Identifier: BSD-2-Clause
/*
 * program.c - one pass over the acts of a story: who did what, after how much work.
 */
#include "replay/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/rates.h"

/* More work than any stay on a CPU holds; what is left of it tells what was done. */
#define ENDLESS_WORK (1ULL << 42)
#define MAX_PRIO     100 /* below: real-time */
/* Nothing happens on a machine for so long only where one recording ends and another begins. */
#define SILENCE_NS   (600 * NSEC_PER_SEC)

/* What is known of a task while the acts go by. */
struct builder_task {
	u64 work;	/* since its last op */
	u32 open;	/* its sleep that nobody has ended yet: op + 1 */
	int cpu;	/* it runs there; -1 */
	bool started;	/* it has its first op, or a FORK of somebody */
	bool deadline;	/* it is one, or has been */
	bool over;
};

struct builder {
	struct replay *r;
	const struct story *s;
	const struct machine *from;	/* NULL, or with all CPUs of the trace */
	struct rates *rates;
	struct builder_task *task;
	struct replay_channels *channels;
	u64 *since;	/* by CPU, without rates: when the stay, or what follows an op, began */
	u32 *curr;	/* by CPU */
	u64 next_tick;
	bool no_memory;
};

struct replay_op *replay_add_op(struct replay_task *t, enum replay_op_kind kind)
{
	struct replay_op *op;

	if (t->nr == t->room) {
		u32 room = t->room ? t->room * 2 : 8;

		op = realloc(t->op, room * sizeof(*op));
		if (!op)
			return NULL;
		t->op = op;
		t->room = room;
	}
	op = &t->op[t->nr++];
	*op = (struct replay_op){ .kind = (u8)kind, .cpu = REPLAY_ANY_CPU };
	return op;
}

enum sched_policy replay_prio_policy(int prio)
{
	return prio < MAX_PRIO ? POLICY_FIFO : POLICY_NORMAL;
}

int replay_prio_nice(int prio)
{
	return prio < MAX_PRIO ? 0 : clamp(prio - 120, -20, 19);
}

int replay_prio_rt(int prio)
{
	return prio < MAX_PRIO ? clamp(MAX_PRIO - 1 - prio, 1, MAX_PRIO - 1) : 0;
}

/* ---- work ---- */

static void look_at_frequencies(struct builder *b, u64 now)
{
	u64 tick = NSEC_PER_SEC / (u64)b->from->hz;

	if (now < b->next_tick)
		return;
	b->next_tick = (now / tick + 1) * tick;
	for (int cpu = 0; cpu < b->s->nr_cpus; cpu++)
		rates_frequency(b->rates, now, cpu);
}

/* what runs on @cpu goes on with nothing done */
static void cpu_start(struct builder *b, u64 now, int cpu)
{
	b->since[cpu] = now;
	if (!b->rates)
		return;
	if (b->curr[cpu] == STORY_NONE)
		rates_start(b->rates, now, cpu, ACT_IDLE, 0, NULL);
	else
		rates_start(b->rates, now, cpu, ACT_COMPUTE, ENDLESS_WORK, NULL);
}

/* Add what has been done on @cpu since the last look to the task that runs there. */
static void cpu_take(struct builder *b, u64 now, int cpu)
{
	u64 done = now - b->since[cpu], left;

	if (b->curr[cpu] == STORY_NONE)
		return;
	if (b->rates) {
		rates_stop(b->rates, now, cpu, &left);
		done = ENDLESS_WORK - left;
	}
	b->task[b->curr[cpu]].work += done;
}

static void cpu_settle(struct builder *b, u64 now)
{
	if (!b->rates)
		return;
	look_at_frequencies(b, now);
	if (rates_disturbed(b->rates))
		rates_settle(b->rates, now);
}

/* @task is off its CPU @now, or at the trace's end */
static void stay_ends(struct builder *b, u64 now, u32 task)
{
	struct replay_task *t = &b->r->task[task];

	if (b->s->task[task].start == START_RUNNING && !t->last_ns)
		t->first_ns = now;
	t->last_ns = now;
}

static void cpu_switch(struct builder *b, u64 now, int cpu, u32 to)
{
	u32 from = b->curr[cpu];

	cpu_take(b, now, cpu);
	if (from != STORY_NONE) {
		b->task[from].cpu = -1;
		stay_ends(b, now, from);
	}
	b->curr[cpu] = to;
	if (to != STORY_NONE)
		b->task[to].cpu = cpu;
	cpu_start(b, now, cpu);
}

/* ---- ops ---- */

/*
 * A task that has left its queue may still do something on its way out. That
 * was before it slept, and has to stay so: others' sleeps end by it.
 */
static struct replay_op *before_sleep(struct builder *b, u32 task)
{
	struct replay_task *t = &b->r->task[task];
	struct builder_task *bt = &b->task[task];
	struct replay_op *op = &t->op[bt->open - 1], *sleep = op + 1;

	memmove(sleep, op, (size_t)(t->nr - bt->open) * sizeof(*op));
	*op = (struct replay_op){ .cpu = REPLAY_ANY_CPU, .recorded = sleep->recorded };
	sleep->recorded = sleep->work = 0;
	bt->open++;
	return op;
}

static struct replay_op *add(struct builder *b, u64 now, u32 task, enum replay_op_kind kind)
{
	struct builder_task *t = &b->task[task];
	struct replay_op *op;

	if (t->cpu >= 0) {
		cpu_take(b, now, t->cpu);
		cpu_start(b, now, t->cpu);
	}
	op = replay_add_op(&b->r->task[task], kind);
	if (!op) {
		b->no_memory = true;
		return NULL;
	}
	if (t->open) {
		op = before_sleep(b, task);
		op->kind = (u8)kind;
	}
	op->recorded += t->work;
	op->work = op->recorded;
	t->work = 0;
	return op;
}

static bool skipped(const struct builder *b, u32 task)
{
	return task == STORY_NONE || b->r->task[task].skipped || b->task[task].over;
}

static void falls_asleep(struct builder *b, u64 now, u32 task, bool io)
{
	struct builder_task *t = &b->task[task];
	struct replay_op *op = add(b, now, task, REPLAY_SLEEP);

	if (!op)
		return;
	op->channel = STORY_NONE;
	op->since = now;
	op->io = io;
	t->open = b->r->task[task].nr;
}

/* A task that was there at the start sleeps in front of its first act. */
static void there_since_start(struct builder *b, u32 task)
{
	struct builder_task *t = &b->task[task];

	if (t->started)
		return;
	t->started = true;
	b->r->task[task].birth = REPLAY_ASLEEP;
	falls_asleep(b, 0, task, false);
}

/* how long an interrupt took to wake @cpu: the state it was in is the deepest that paid */
static u64 idle_exit(const struct builder *b, u64 now, int cpu)
{
	const struct machine *m = b->from;
	u64 exit_ns = 0;

	if (!m || cpu < 0 || b->curr[cpu] != STORY_NONE)
		return 0;
	for (int i = 0; i < m->nr_cstates; i++)
		if (!i || m->cstate[i].residency_ns <= now - b->since[cpu])
			exit_ns = m->cstate[i].exit_ns;
	return exit_ns;
}

/* its sleep ends @now, by an interrupt of @cpu; what that takes itself lies before */
static void ends_by_irq(struct builder *b, u64 now, u32 task, int cpu, bool own, bool unseen)
{
	struct builder_task *t = &b->task[task];
	struct replay_op *op = &b->r->task[task].op[t->open - 1];
	u64 before = b->from ? b->from->cost.timer_irq : 0;

	before += idle_exit(b, now, cpu);
	op->kind = REPLAY_SLEEP_AT;
	op->ns = now > before ? now - before : 0;
	op->unseen = unseen;
	op->cpu = own || cpu < 0 ? REPLAY_ANY_CPU : (u16)cpu;
	t->open = 0;
}

static bool wakes(const struct builder *b, const struct story_act *a)
{
	return !a->irq && !skipped(b, a->other) && b->task[a->other].cpu >= 0 &&
	       a->other != a->task;
}

/* Many traces tell only the end of a wake-up: it was seen all the same. */
static bool unseen(const struct builder *b, const struct story_act *a)
{
	return a->made_up && b->s->trace->event[a->event].kind != EV_WAKEUP;
}

static void act_wake(struct builder *b, u64 now, const struct story_act *a)
{
	struct builder_task *t = &b->task[a->task];
	struct replay_notes *n = &b->r->notes;
	bool lost = unseen(b, a);
	struct replay_op *op;
	u32 channel, nth;

	there_since_start(b, a->task);
	if (!t->open) {
		n->wakes_lost++;
		return;
	}
	if (lost || !wakes(b, a)) {
		*(lost ? &n->wakes_unseen : &n->wakes_irq) += 1;
		ends_by_irq(b, now, a->task, lost ? -1 : a->cpu, a->cpu == a->from, lost);
		return;
	}
	n->wakes_task++;
	channel = replay_channel(b->channels, a->other, a->task, &nth);
	op = &b->r->task[a->task].op[t->open - 1];
	op->channel = channel;
	op->nth = nth;
	t->open = 0;
	op = add(b, now, a->other, REPLAY_WAKE);
	if (!op || channel == UINT32_MAX) {
		b->no_memory = true;
		return;
	}
	op->whom = a->task;
	op->channel = channel;
	op->nth = nth;
	op->sync = a->sync;
}

static void act_fork(struct builder *b, u64 now, const struct story_act *a)
{
	struct replay_op *op;

	if (b->task[a->task].started)
		return;
	if (skipped(b, a->other) || b->task[a->other].cpu < 0)
		return; /* it starts by itself */
	b->task[a->task].started = true;
	b->r->task[a->task].birth = REPLAY_FORKED;
	op = add(b, now, a->other, REPLAY_FORK);
	if (op)
		op->whom = a->task;
}

/* A new task whose parent wasn't seen comes by an interrupt. */
static void act_start(struct builder *b, u64 now, const struct story_act *a)
{
	if (b->task[a->task].started)
		return;
	there_since_start(b, a->task);
	b->r->task[a->task].cpu = a->to;
	if (!b->no_memory)
		ends_by_irq(b, now, a->task, -1, true, false);
}

/* somebody who acts must be awake, whatever the trace lost */
static void must_be_awake(struct builder *b, u64 now, u32 task)
{
	there_since_start(b, task);
	if (!b->task[task].open || b->no_memory)
		return;
	b->r->notes.wakes_unseen++;
	ends_by_irq(b, now, task, -1, false, true);
}

static void act_switch(struct builder *b, u64 now, const struct story_act *a)
{
	u32 to = skipped(b, a->task) ? STORY_NONE : a->task;

	if (to != STORY_NONE) {
		must_be_awake(b, now, to);
		if (b->task[to].cpu >= 0 && b->task[to].cpu != a->cpu)
			cpu_switch(b, now, b->task[to].cpu, STORY_NONE);
	}
	cpu_switch(b, now, a->cpu, to);
}

static void note_deadline(struct builder *b, u32 task, int prio)
{
	if (prio >= 0 || b->task[task].deadline)
		return;
	b->task[task].deadline = true;
	b->r->notes.deadline++;
}

static bool uninterruptible(const struct builder *b, const struct story_act *a)
{
	const struct trace_event *e = &b->s->trace->event[a->event];

	return e->kind == EV_SWITCH && e->prev_state & TRACE_STATE_D;
}

static void act(struct builder *b, const struct story_act *a)
{
	u64 now = a->ns - b->r->start_ns;
	struct replay_op *op;

	cpu_settle(b, now);
	if (a->kind == STORY_SWITCH) {
		act_switch(b, now, a);
		return;
	}
	if (skipped(b, a->task))
		return;
	switch (a->kind) {
	case STORY_BLOCK:
		must_be_awake(b, now, a->task);
		if (!a->dead) {
			falls_asleep(b, now, a->task, uninterruptible(b, a));
			break;
		}
		add(b, now, a->task, REPLAY_EXIT);
		b->task[a->task].over = true;
		break;
	case STORY_WAKE:
		if (a->path == PATH_AWAKE)
			b->r->notes.wakes_lost++;
		else
			act_wake(b, now, a);
		break;
	case STORY_FORK:
		act_fork(b, now, a);
		break;
	case STORY_START:
		act_start(b, now, a);
		break;
	case STORY_EXEC:
		must_be_awake(b, now, a->task);
		add(b, now, a->task, REPLAY_EXEC);
		break;
	case STORY_PRIO:
		there_since_start(b, a->task);
		if (b->task[a->task].open)
			break; /* a sleeper's next switch tells it again */
		op = add(b, now, a->task, REPLAY_PRIO);
		if (op)
			op->prio = a->prio;
		note_deadline(b, a->task, a->prio);
		break;
	default:
		break;
	}
}

/* ---- before and after ---- */

static void begin_task(struct builder *b, u32 i)
{
	const struct story_task *p = &b->s->task[i];
	struct replay_task *t = &b->r->task[i];
	struct replay_notes *n = &b->r->notes;

	t->only_cpu = p->bound_cpu;
	t->prio = p->prio;
	t->kthread = p->kthread;
	t->skipped = p->stopper;
	t->cpu = max(p->start_cpu, 0);
	b->task[i].cpu = -1;
	n->stoppers += p->stopper;
	if (t->skipped)
		return;
	n->tasks++;
	n->kthreads += p->kthread;
	note_deadline(b, i, p->prio);
	if (p->start == START_ABSENT)
		return;
	there_since_start(b, i);
	if (p->start == START_ASLEEP || b->no_memory)
		return;
	ends_by_irq(b, 0, i, -1, false, false);
	if (p->start == START_RUNNING && b->curr[t->cpu] == STORY_NONE)
		cpu_switch(b, 0, t->cpu, i);
}

static void end_task(struct builder *b, u64 now, u32 i)
{
	struct replay_task *t = &b->r->task[i];
	struct builder_task *bt = &b->task[i];

	if (bt->cpu >= 0)
		stay_ends(b, now, i);
	if (t->skipped || bt->over)
		return;
	there_since_start(b, i);
	if (b->no_memory)
		return;
	if (!bt->open) {
		add(b, now, i, REPLAY_END);
		return;
	}
	/* asleep for ever: that is its end */
	b->r->notes.endless++;
	t->op[bt->open - 1].kind = REPLAY_END;
}

static int builder_init(struct builder *b, struct arena *arena)
{
	const struct story *s = b->s;
	size_t cpus = (size_t)max(s->nr_cpus, 1);

	b->task = calloc((size_t)s->nr_tasks + 1, sizeof(*b->task));
	b->since = calloc(cpus, sizeof(*b->since));
	b->curr = calloc(cpus, sizeof(*b->curr));
	b->channels = replay_channels_new(s);
	if (!b->task || !b->since || !b->curr || !b->channels)
		return -ENOMEM;
	for (size_t i = 0; i < cpus; i++)
		b->curr[i] = STORY_NONE;
	if (!b->from || b->from->topo.nr_cpus < s->nr_cpus) {
		b->from = NULL;
		return 0;
	}
	b->rates = rates_new(arena, b->from);
	return b->rates ? 0 : -ENOMEM;
}

static void build(struct builder *b)
{
	const struct story *s = b->s;
	u64 end = b->r->length_ns;

	for (u32 i = 0; i < s->nr_tasks && !b->no_memory; i++)
		begin_task(b, i);
	for (u32 i = 0; i < s->nr_acts && !b->no_memory; i++)
		act(b, &s->act[i]);
	for (u32 i = 0; i < s->nr_tasks && !b->no_memory; i++)
		end_task(b, end, i);
}

static int one_recording(const struct story *s, struct err *err)
{
	for (u32 i = 1; i < s->nr_acts; i++) {
		u64 silence = s->act[i].ns - s->act[i - 1].ns;

		if (silence > SILENCE_NS)
			return err_set(err, -EINVAL,
				       "after %.6f s nothing happens for %.0f s: these are several "
				       "recordings; cut the trace there and replay one",
				       (double)s->act[i - 1].ns / NSEC_PER_SEC,
				       (double)silence / NSEC_PER_SEC);
	}
	return 0;
}

int replay_build(const struct story *s, const struct replay_build *how, struct replay **out,
		 struct err *err)
{
	struct builder b = { .s = s, .from = how->from };
	struct arena *arena;
	struct replay *r;

	*out = NULL;
	if (one_recording(s, err))
		return err->code;
	arena = arena_new();
	b.r = r = calloc(1, sizeof(*r));
	if (r) {
		r->story = s;
		r->nr_tasks = s->nr_tasks;
		r->nr_cpus = s->nr_cpus;
		r->start_ns = s->first_ns;
		r->length_ns = s->last_ns - s->first_ns;
		r->task = calloc((size_t)s->nr_tasks + 1, sizeof(*r->task));
	}
	b.no_memory = !r || !r->task || !arena || builder_init(&b, arena);
	if (!b.no_memory)
		build(&b);
	if (!b.no_memory)
		b.no_memory = (!how->no_pins && replay_conclude_pins(r)) || replay_classify_timers(r);
	if (!b.no_memory)
		r->nr_channels = replay_nr_channels(b.channels);
	replay_channels_free(b.channels);
	free(b.task);
	free(b.since);
	free(b.curr);
	arena_free(arena);
	if (b.no_memory) {
		replay_free(r);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*out = r;
	return 0;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	for (u32 i = 0; r->task && i < r->nr_tasks; i++)
		free(r->task[i].op);
	free(r->task);
	free(r);
}
