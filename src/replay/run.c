// SPDX-License-Identifier: BSD-2-Clause
/*
 * run.c - tasks of the engine that follow the programs of a trace.
 */
#include "replay/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/collect.h"

/* A task of the engine on its way through its program. */
struct actor {
	struct player *player;
	const struct replay_task *task;
	const struct replay_op *op;	/* next */
	struct sim_task *sim;
	struct sim_spawn spawn;
	int pid;
	const struct replay_op *sleeps; /* the sleep it is in, until a task ends it */
	u32 child;	/* being forked; STORY_NONE */
	bool worked;	/* the work before op is done */
	enum replay_op_kind last; /* what it did before, if that took time */
	bool slept;	/* ... and did really happen */
	u64 mark;	/* its CPU time when the last work was done */
	struct task_attr attr;	/* that it is about to set */
};

struct player {
	const struct replay_run *run;
	const struct replay *r;
	struct sim *sim;
	struct actor *actor;
	u32 *come;	/* wake-ups so far, by channel */
	u32 unfinished;
	/* who is who in the engine */
	struct pid_task { int pid; u32 task; } *who;
	u32 nr_who, room_who;
	u32 forking;	/* the child of the fork that is told next */
	struct trace_collector *collector;
	bool no_memory;
};

static void note_overhead(struct actor *a, u64 used)
{
	struct player *p = a->player;
	struct replay_overhead *o = p->run->overhead;

	if (!o || !a->slept)
		return;
	o += a->task - p->r->task;
	o->ns[a->last] += used - a->mark;
	o->nr[a->last]++;
}

static void finished(struct actor *a)
{
	if (!--a->player->unfinished)
		sim_stop(a->player->sim);
}

/* Return: whether @step takes time */
static bool wake(struct actor *a, const struct replay_op *op, struct sim_step *step)
{
	struct player *p = a->player;
	struct actor *w = &p->actor[op->whom];

	p->come[op->channel]++;
	if (!w->sleeps || w->sleeps->channel != op->channel || w->sleeps->nth > p->come[op->channel])
		return false; /* it isn't there yet, and won't have to sleep */
	w->sleeps = NULL;
	step->op = SIM_WAKE_PAIR;
	step->task = w->sim;
	step->value = op->sync && p->run->sync == REPLAY_SYNC_SEEN;
	return true;
}

/* by an interrupt of the CPU that had it, where the machine has that many */
static void sleep_until(struct actor *a, const struct replay_op *op, u64 at, struct sim_step *step)
{
	const struct machine *m = a->player->run->m;

	step->op = SIM_SLEEP_IRQ;
	step->ns = at;
	step->value = op->cpu == REPLAY_ANY_CPU ? -1 : op->cpu % m->topo.nr_cpus;
}

/* Return: whether @step takes time */
static bool do_op(struct actor *a, const struct replay_op *op, struct sim *sim,
		  struct sim_step *step)
{
	struct player *p = a->player;

	step->bare = true;
	switch ((enum replay_op_kind)op->kind) {
	case REPLAY_WAKE:
		return wake(a, op, step);
	case REPLAY_SLEEP:
		if (p->come[op->channel] >= op->nth)
			return false;
		a->sleeps = op;
		step->op = SIM_SLEEP_FOREVER;
		return true;
	case REPLAY_SLEEP_AT:
		sleep_until(a, op, op->ns, step);
		return op->ns > sim_now(sim);
	case REPLAY_SLEEP_FOR:
		sleep_until(a, op, sim_now(sim) + op->ns, step);
		return op->ns > 0;
	case REPLAY_FORK:
		a->child = op->whom;
		step->op = SIM_FORK;
		step->spawn = &p->actor[op->whom].spawn;
		return true;
	case REPLAY_EXEC:
		step->op = SIM_EXEC;
		return true;
	case REPLAY_PRIO:
		a->attr = (struct task_attr){
			.policy = replay_prio_policy(op->prio),
			.nice = replay_prio_nice(op->prio),
			.priority = replay_prio_rt(op->prio),
		};
		step->op = SIM_SET_SCHED;
		step->attr = &a->attr;
		return true;
	case REPLAY_EXIT:
		finished(a);
		step->op = SIM_EXIT;
		return true;
	case REPLAY_END:
	case NR_REPLAY_OPS:
		break;
	}
	finished(a);
	step->op = SIM_SLEEP_FOREVER;
	return true;
}

static u64 scaled(const struct replay_run *run, u64 ns)
{
	return (u64)((u128)ns * run->work_num / run->work_den);
}

static void actor_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct actor *a = sim_task_arg(t);

	a->sim = t;
	a->sleeps = NULL;
	for (;;) {
		const struct replay_op *op = a->op;
		u64 used = sim_task_cpu_ns(t);

		if (!a->worked) {
			note_overhead(a, used);
			a->worked = true;
			step->op = SIM_RUN;
			step->ns = scaled(a->player->run, op->work);
			if (step->ns)
				return;
		}
		a->mark = used;
		a->worked = false;
		a->op++;
		a->last = op->kind;
		a->slept = do_op(a, op, sim, step);
		if (a->slept)
			return;
		step->op = SIM_EXIT;
	}
}

static const struct sim_program actor_program = { .name = "replay", .next = actor_next };

/* ---- who is who ---- */

static void add_who(struct player *p, int pid, u32 task)
{
	if (p->nr_who == p->room_who) {
		u32 room = p->room_who ? p->room_who * 2 : 256;
		struct pid_task *who = realloc(p->who, room * sizeof(*who));

		if (!who) {
			p->no_memory = true;
			return;
		}
		p->who = who;
		p->room_who = room;
	}
	/* the engine gives pids in ascending order */
	p->who[p->nr_who++] = (struct pid_task){ pid, task };
}

static u32 who_is(const void *ctx, s32 pid, u64 ns)
{
	const struct player *p = ctx;
	u32 lo = 0, hi = p->nr_who;

	while (lo < hi) {
		u32 mid = (lo + hi) / 2;

		if (p->who[mid].pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->nr_who && p->who[lo].pid == pid ? p->who[lo].task : STORY_NONE;
}

/* A fork tells the child's pid before anything else of it is told. */
static void event(void *ctx, const struct sim_trace_event *e)
{
	struct player *p = ctx;

	if (e->kind == TRACE_FORK) {
		u32 parent = who_is(p, e->pid, 0);

		if (parent != STORY_NONE)
			add_who(p, e->next_pid, p->actor[parent].child);
	}
	trace_collect(p->collector, e);
}

/* ---- making ---- */

static void prepare(struct player *p, u32 i, const u64 *only)
{
	const struct replay *r = p->r;
	const struct replay_task *t = &r->task[i];
	struct actor *a = &p->actor[i];

	*a = (struct actor){
		.player = p,
		.task = t,
		.op = t->op,
		.child = STORY_NONE,
		.last = REPLAY_FORK,
		.spawn = {
			.comm = story_comm(r->story, i),
			.program = &actor_program,
			.arg = a,
			.policy = replay_prio_policy(t->prio),
			.nice = replay_prio_nice(t->prio),
			.rt_priority = replay_prio_rt(t->prio),
			.process = !t->kthread,
			.kthread = t->kthread,
			.allowed = only,
		},
	};
}

static u64 *one_cpu(struct sim *sim, int cpu)
{
	int nr = sim_machine(sim)->topo.nr_cpus;
	u64 *mask = arena_array(sim_arena(sim), mask_words(nr), sizeof(u64));

	if (mask)
		mask_set(mask, cpu % nr);
	return mask;
}

/* A task that sleeps when the trace begins: what it waits for is its first op. */
static int start_asleep(struct player *p, u32 i, struct err *err)
{
	struct actor *a = &p->actor[i];
	const struct replay_op *first = a->task->op;
	int nr = p->run->m->topo.nr_cpus, cpu = a->task->cpu % nr, irq_cpu;
	u64 at = first->kind == REPLAY_SLEEP_AT ? first->ns : UINT64_MAX;

	if (first->kind == REPLAY_END) {
		p->unfinished--; /* it never wakes */
		return 0;
	}
	if (first->kind == REPLAY_SLEEP)
		a->sleeps = first;
	if (a->task->only_cpu >= 0)
		cpu = a->task->only_cpu % nr;
	irq_cpu = first->cpu == REPLAY_ANY_CPU ? cpu : first->cpu % nr;
	a->op++;
	a->sim = sim_spawn_asleep(p->sim, &a->spawn, cpu, irq_cpu, at, err);
	if (!a->sim)
		return err->code;
	add_who(p, sim_task_pid(a->sim), i);
	return 0;
}

static int setup(struct player *p, struct err *err)
{
	const struct replay *r = p->r;
	struct arena *arena = sim_arena(p->sim);

	p->actor = arena_array(arena, (size_t)r->nr_tasks + 1, sizeof(*p->actor));
	p->come = arena_array(arena, (size_t)r->nr_channels + 1, sizeof(*p->come));
	if (!p->actor || !p->come)
		return err_set(err, -ENOMEM, "out of memory");
	for (u32 i = 0; i < r->nr_tasks; i++) {
		const struct replay_task *t = &r->task[i];
		const u64 *only = NULL;
		int ret = 0;

		if (t->skipped || !t->nr)
			continue;
		if (t->only_cpu >= 0) {
			only = one_cpu(p->sim, t->only_cpu);
			if (!only)
				return err_set(err, -ENOMEM, "out of memory");
		}
		prepare(p, i, only);
		p->unfinished++;
		if (t->birth == REPLAY_ASLEEP)
			ret = start_asleep(p, i, err);
		if (ret)
			return ret;
	}
	if (p->unfinished)
		return 0;
	return err_set(err, -EINVAL, "nothing to replay: the trace shows no task that does anything");
}

/* ---- the run ---- */

static int finish(struct player *p, struct figures *f, struct result *result, struct trace **keep,
		  int ret, struct err *err)
{
	struct trace *t = NULL;

	if (trace_collector_end(p->collector, ret ? NULL : &t) || p->no_memory)
		ret = ret ? ret : err_set(err, -ENOMEM, "out of memory");
	if (!ret) {
		struct figures_of of = {
			.trace = t,
			.topo = &p->run->m->topo,
			.end_ns = sim_now(p->sim),
			.nr_tasks = p->r->nr_tasks,
			.task_of = who_is,
			.ctx = p,
		};

		result->seed = p->run->seed;
		result->simulated_ns = sim_now(p->sim);
		sim_counters(p->sim, result);
		if (figures_measure(&of, p->r, f))
			ret = err_set(err, -ENOMEM, "out of memory");
	}
	if (!ret && keep)
		*keep = t;
	else
		trace_free(t);
	return ret;
}

int replay_run(const struct replay_run *run, struct figures *f, struct result *result,
	       struct trace **trace, struct err *err)
{
	struct player p = { .run = run, .r = run->r };
	struct sim_params params = {
		.seed = run->seed,
		.check = run->check,
		.no_background = true,
		.trace = event,
		.trace_ctx = &p,
	};
	int ret;

	memset(result, 0, sizeof(*result));
	*f = (struct figures){ 0 };
	p.collector = trace_collector_new(run->m->topo.nr_cpus, NULL, NULL);
	if (!p.collector)
		return err_set(err, -ENOMEM, "out of memory");
	p.sim = sim_new(run->m, run->k, &params, err);
	ret = p.sim ? setup(&p, err) : err->code;
	if (!ret)
		ret = sim_run(p.sim, err);
	ret = finish(&p, f, result, trace, ret, err);
	sim_free(p.sim);
	free(p.who);
	return ret;
}
