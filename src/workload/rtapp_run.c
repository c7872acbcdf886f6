// SPDX-License-Identifier: BSD-2-Clause
/*
 * The threads of an rt-app file, and the main thread that creates them
 * (spec 15 §3, §4).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cpumask.h"
#include "workload/rtapp_run.h"

/* What a pass takes at least: an endless one of nothing must let time go on. */
#define EMPTY_PASS_NS 1000

static const struct sim_program thread_program = {"rt-app thread", rtapp_thread_next};

/* ---- properties ---- */

static enum sched_policy sim_policy(enum rtapp_policy policy)
{
	switch (policy) {
	case RTAPP_BATCH:
		return POLICY_BATCH;
	case RTAPP_IDLE:
		return POLICY_IDLE;
	case RTAPP_FIFO:
		return POLICY_FIFO;
	case RTAPP_RR:
		return POLICY_RR;
	case RTAPP_DEADLINE:
		return POLICY_DEADLINE;
	default:
		return POLICY_NORMAL;
	}
}

static bool set_affinity(struct rtapp_thread *th, const struct rtapp_list *cpus,
			 struct sim_step *step)
{
	if (!cpus->nr)
		cpus = th->def->cpus.nr ? &th->def->cpus : NULL;
	if (cpus == th->cpus)
		return false;
	th->cpus = cpus;
	step->op = SIM_SET_AFFINITY;
	step->allowed = cpus ? th->run->mask[cpus->number] : th->run->all_cpus;
	return true;
}

#define DEFAULT_RT_PRIORITY 10

static bool is_fair(enum rtapp_policy policy)
{
	return policy <= RTAPP_IDLE;
}

/* a change between fair policies is one of nice */
static void set_fair(struct rtapp_thread *th, struct sim_step *step)
{
	step->op = SIM_SET_NICE;
	step->value = th->policy == RTAPP_IDLE ? 0 : clamp(th->priority, -20, 19);
	step->policy = sim_policy(th->policy);
}

/* to or from a realtime or deadline policy: sched_setattr() */
static void set_attr(struct rtapp_thread *th, const struct rtapp_sched *s, struct sim_step *step)
{
	struct task_attr *a = &th->attr;

	*a = (struct task_attr){.policy = sim_policy(th->policy)};
	if (is_fair(th->policy)) {
		a->nice = th->priority;
		a->runtime = th->slice_us * NSEC_PER_USEC;
	} else if (th->policy == RTAPP_DEADLINE) {
		a->runtime = s->slice_us * NSEC_PER_USEC;
		a->deadline = s->deadline_us * NSEC_PER_USEC;
		a->period = s->period_us * NSEC_PER_USEC;
	} else {
		a->priority = th->priority;
	}
	step->op = SIM_SET_SCHED;
	step->attr = a;
	th->asked = true;
}

static bool set_policy(struct rtapp_thread *th, const struct rtapp_sched *s, struct sim_step *step)
{
	enum rtapp_policy policy = s->set_policy ? s->policy : th->policy, old = th->policy;
	int by_default = policy == RTAPP_FIFO || policy == RTAPP_RR ? DEFAULT_RT_PRIORITY : 0;
	int priority = s->set_priority ? s->priority : policy == old ? th->priority : by_default;

	if (policy == old && priority == th->priority)
		return false;
	th->policy = policy;
	th->priority = priority;
	if (is_fair(policy) && is_fair(old))
		set_fair(th, step);
	else
		set_attr(th, s, step);
	return true;
}

/* what was asked for last may have been refused: rt-app ends */
static void check_asked(struct rtapp_thread *th)
{
	struct rtapp_run *run = th->run;
	s64 rc = th->asked ? sim_task_ret(th->task) : 0;

	th->asked = false;
	if (!rc)
		return;
	err_set(&run->fail, -EINVAL,
		"%s:%d:%d: the kernel refuses the %s of \"%s\": %s", run->app->file, th->def->line,
		th->def->col,
		th->attr.flags ? "utilisation clamps (util_min, util_max)" : "policy or priority",
		th->def->name, strerror(-(int)rc));
	sim_stop(run->sim);
}

static bool set_slice(struct rtapp_thread *th, const struct rtapp_sched *s, struct sim_step *step)
{
	if (!s->set_slice || s->slice_us == th->slice_us || th->policy == RTAPP_IDLE ||
	    !is_fair(th->policy))
		return false;
	th->slice_us = s->slice_us;
	step->op = SIM_SET_SLICE;
	step->ns = s->slice_us * NSEC_PER_USEC;
	return true;
}

static bool set_clamps(struct rtapp_thread *th, const struct rtapp_sched *s, struct sim_step *step)
{
	struct task_attr *a = &th->attr;

	if (th->policy == RTAPP_DEADLINE) /* rt-app doesn't ask */
		return false;
	*a = (struct task_attr){.util_min = s->util_min, .util_max = s->util_max};
	if (s->util_min >= 0 && s->util_min != th->util_min)
		a->flags |= ATTR_UTIL_MIN;
	if (s->util_max >= 0 && s->util_max != th->util_max)
		a->flags |= ATTR_UTIL_MAX;
	if (!a->flags)
		return false;
	if (a->flags & ATTR_UTIL_MIN)
		th->util_min = s->util_min;
	if (a->flags & ATTR_UTIL_MAX)
		th->util_max = s->util_max;
	a->flags |= ATTR_KEEP_POLICY | ATTR_KEEP_PARAMS;
	step->op = SIM_SET_SCHED;
	step->attr = a;
	th->asked = true;
	return true;
}

/* Event-like: it stays until another phase sets it. */
static void set_membind(struct rtapp_thread *th, const struct rtapp_list *nodes)
{
	if (nodes->nr)
		th->membind = th->run->mask[nodes->number];
}

/* It stays until another phase sets it (spec 15 §4). */
static bool set_taskgroup(struct rtapp_thread *th, const struct rtapp_sched *s,
			  struct sim_step *step)
{
	if (!s->taskgroup || s->taskgroup == th->taskgroup || !is_fair(th->policy))
		return false;
	th->taskgroup = s->taskgroup;
	step->op = SIM_SET_GROUP;
	step->cgroup = th->run->group[s->taskgroup - 1];
	return true;
}

/* A system call for the next property that changes. Return: false when all are set. */
static bool property_step(struct rtapp_thread *th, const struct rtapp_list *cpus,
			  const struct rtapp_sched *s, struct sim_step *step)
{
	check_asked(th);
	while (th->property < 5)
		switch (th->property++) {
		case 0:
			if (set_affinity(th, cpus, step))
				return true;
			break;
		case 1:
			if (set_policy(th, s, step))
				return true;
			break;
		case 2:
			if (set_slice(th, s, step))
				return true;
			break;
		case 3:
			if (set_clamps(th, s, step))
				return true;
			break;
		case 4:
			if (set_taskgroup(th, s, step))
				return true;
			break;
		}
	return false;
}

/* ---- threads ---- */

/* <name>-<index>, forked <name>-<index>-<NNNN>; the kernel refuses more than 15 characters. */
static void thread_comm(struct rtapp_thread *th, int forks)
{
	int n;

	if (th->forked)
		n = snprintf(th->comm, sizeof(th->comm), "%s-%d-%04d", th->def->name, th->index,
			     forks);
	else
		n = snprintf(th->comm, sizeof(th->comm), "%s-%d", th->def->name, th->index);
	if (n > 15)
		strcpy(th->comm, "rt-app");
}

int rtapp_thread_init(struct rtapp_run *run, struct rtapp_thread *th, const struct rtapp_task *def,
		      int forks)
{
	th->run = run;
	th->def = def;
	th->index = run->next_index++;
	th->forked = forks >= 0;
	th->phase = def->phase;
	th->util_min = th->util_max = -1;
	thread_comm(th, forks);
	th->spawn = (struct sim_spawn){.comm = th->comm, .program = &thread_program, .arg = th};
	if (def->nr_timers) {
		th->timer = arena_array(sim_arena(run->sim), def->nr_timers, sizeof(u64));
		if (!th->timer)
			return -ENOMEM;
		for (int i = 0; i < def->nr_timers; i++)
			th->timer[i] = RTAPP_UNSET;
	}
	list_add_tail(&th->link, &run->threads);
	run->live++;
	return 0;
}

static void thread_exit(struct rtapp_thread *th, struct sim_step *step)
{
	struct rtapp_run *run = th->run;

	run->account[th->def - run->app->task].cpu_ns += sim_task_cpu_ns(th->task);
	list_del(&th->link);
	if (th->forked)
		list_add(&th->link, &run->free);
	step->op = SIM_EXIT;
	/* Nothing more will happen, however long the main thread would sleep. */
	if (!--run->live && run->duration)
		sim_stop(run->sim);
}

/* Where timers begin, and the delay. Return: whether it has to be slept. */
static bool thread_base(struct rtapp_thread *th, struct sim_step *step)
{
	th->start = th->forked ? sim_now(th->run->sim) : th->run->zero;
	th->start += th->def->delay_us * NSEC_PER_USEC;
	if (!th->def->delay_us)
		return false;
	step->op = SIM_SLEEP_UNTIL;
	step->ns = th->start;
	return true;
}

/* All meet, so that they start together; the first one says when that is. */
static bool thread_meet(struct rtapp_thread *th, struct sim_step *step)
{
	if (th->forked)
		return false;
	if (th == th->run->first)
		th->run->zero = sim_now(th->run->sim);
	step->op = SIM_BARRIER;
	step->barrier = th->run->meet;
	return true;
}

/* A pass of a phase is over. Loops end on equality: 0 and less never do. */
static void pass_done(struct rtapp_thread *th)
{
	if (++th->phase_loops != th->phase->loop) {
		th->phase_loops = min(th->phase_loops, INT32_MAX - 1);
		return;
	}
	th->phase_loops = 0;
	th->phase = th->phase->next;
	if (!th->phase) {
		th->phase = th->def->phase;
		th->loops = min(th->loops + 1, INT32_MAX - 1);
	}
}

/* Events from th->event on until one takes a step. Return: false at the end of the pass. */
static bool events_step(struct rtapp_thread *th, struct sim_step *step)
{
	for (; th->event; th->event = th->event->next) {
		if (rtapp_event_step(th, th->event, step)) {
			th->steps++;
			return true;
		}
		if (th->steps)
			rtapp_event_done(th, th->event);
		th->steps = 0;
		th->placing = false;
	}
	return false;
}

/* One move. Return: whether @step is filled. */
static bool thread_move(struct rtapp_thread *th, struct sim_step *step)
{
	switch (th->stage) {
	case STAGE_ATTRIBUTES:
		if (property_step(th, &th->def->cpus, &th->def->sched, step))
			return true;
		set_membind(th, &th->def->nodes);
		th->stage = STAGE_MEET;
		return false;
	case STAGE_MEET:
		th->stage = STAGE_BASE;
		return thread_meet(th, step);
	case STAGE_BASE:
		th->stage = STAGE_PASS;
		return thread_base(th, step);
	case STAGE_PASS:
		if (th->loops == th->def->loop) {
			thread_exit(th, step);
			return true;
		}
		th->pass_begin = sim_now(th->run->sim);
		th->property = 0;
		th->event = th->phase->event;
		th->stage = STAGE_PROPERTIES;
		return false;
	case STAGE_PROPERTIES:
		if (property_step(th, &th->phase->cpus, &th->phase->sched, step))
			return true;
		set_membind(th, &th->phase->nodes);
		th->stage = STAGE_EVENTS;
		return false;
	case STAGE_EVENTS:
		if (events_step(th, step))
			return true;
		pass_done(th);
		th->stage = STAGE_PASS;
		if (sim_now(th->run->sim) > th->pass_begin)
			return false;
		step->op = SIM_RUN;
		step->ns = EMPTY_PASS_NS;
		return true;
	}
	return false;
}

void rtapp_thread_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct rtapp_thread *th = sim_task_arg(t);

	th->task = t;
	while (!thread_move(th, step))
		;
}

/* ---- the main thread ---- */

static void main_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct rtapp_run *run = sim_task_arg(t);

	if (run->forked < run->app->nr_threads) {
		step->op = SIM_FORK;
		step->spawn = &run->first[run->forked++].spawn;
		return;
	}
	if (!run->duration) {
		if (run->reaped++ < run->app->nr_threads)
			step->op = SIM_WAIT_CHILD;
		return;
	}
	if (!run->slept) {
		run->slept = true;
		step->op = SIM_SLEEP;
		step->ns = run->duration;
		return;
	}
	sim_stop(sim);
}

static const struct sim_program main_program = {"rt-app", main_next};

/* ---- setting up ---- */

/* The set of @l, whose members must be below @nr. */
static int make_mask(struct rtapp_run *run, const struct rtapp_list *l, const char *what, int nr,
		     struct err *err)
{
	u64 *mask;

	if (!l->nr)
		return 0;
	mask = arena_array(sim_arena(run->sim), mask_words(nr), sizeof(u64));
	if (!mask)
		return -ENOMEM;
	for (int i = 0; i < l->nr; i++) {
		if (l->id[i] >= nr)
			return err_set(err, -EINVAL, "%s:%d:%d: %s %d is beyond the machine's %d",
				       run->app->file, l->line, l->col, what, l->id[i], nr);
		mask_set(mask, l->id[i]);
	}
	run->mask[l->number] = mask;
	return 0;
}

static int make_masks(struct rtapp_run *run, struct err *err)
{
	const struct sched_topology *topo = &sim_machine(run->sim)->topo;
	const struct rtapp *app = run->app;
	int rc = 0;

	run->mask = arena_array(sim_arena(run->sim), max(app->nr_lists, 1), sizeof(*run->mask));
	run->all_cpus = arena_array(sim_arena(run->sim), mask_words(topo->nr_cpus), sizeof(u64));
	run->node_package = arena_array(sim_arena(run->sim), topo->nr_nodes, sizeof(int));
	if (!run->mask || !run->all_cpus || !run->node_package)
		return -ENOMEM;
	mask_copy(run->all_cpus, sim_common_cpus(run->sim), mask_words(topo->nr_cpus));
	for (int c = 0; c < topo->nr_cpus; c++)
		run->node_package[topo->cpu[c].node] = topo->cpu[c].package;
	for (int i = 0; i < app->nr_tasks && !rc; i++) {
		const struct rtapp_task *t = &app->task[i];

		rc = make_mask(run, &t->cpus, "CPU", topo->nr_cpus, err);
		if (!rc)
			rc = make_mask(run, &t->nodes, "node", topo->nr_nodes, err);
		for (const struct rtapp_phase *ph = t->phase; ph && !rc; ph = ph->next) {
			rc = make_mask(run, &ph->cpus, "CPU", topo->nr_cpus, err);
			if (!rc)
				rc = make_mask(run, &ph->nodes, "node", topo->nr_nodes, err);
		}
	}
	if (!rc && app->calibration_cpu >= topo->nr_cpus)
		rc = err_set(err, -EINVAL, "%s: calibration on CPU %d, but the machine has %d",
			     app->file, app->calibration_cpu, topo->nr_cpus);
	return rc;
}

static int make_groups(struct rtapp_run *run, struct err *err)
{
	for (int i = 0; i < run->app->nr_groups; i++) {
		run->group[i] = sim_cgroup_get(run->sim, run->app->group[i], err);
		if (!run->group[i])
			return err->code;
	}
	return 0;
}

/* A barrier that only forked threads use counts nobody and never opens. */
static int barrier_users(const struct rtapp_resource *b)
{
	return b->users ? b->users : INT32_MAX;
}

#define MAKE(run, kind, field, expr)                                                               \
	({                                                                                         \
		int _n = (run)->app->nr_resources[kind];                                           \
		(run)->field =                                                                     \
			arena_array(sim_arena((run)->sim), max(_n, 1), sizeof(*(run)->field));     \
		for (int i = 0; (run)->field && i < _n; i++)                                       \
			(run)->field[i] = (expr);                                                  \
		(run)->field;                                                                      \
	})

static int make_objects(struct rtapp_run *run, struct err *err)
{
	const struct rtapp *app = run->app;
	struct sim *sim = run->sim;

	if (!MAKE(run, RTAPP_MUTEX, mutex, sim_mutex_new(sim)) ||
	    !MAKE(run, RTAPP_COND, cond, sim_cond_new(sim)) ||
	    !MAKE(run, RTAPP_SEM, sem, sim_sem_new(sim, 0)) ||
	    !MAKE(run, RTAPP_EVENT, event, sim_event_new(sim)) ||
	    !MAKE(run, RTAPP_BARRIER, barrier,
		  sim_barrier_new(sim, barrier_users(&app->resource[RTAPP_BARRIER][i]), 0)) ||
	    !MAKE(run, RTAPP_TIMER, timer, RTAPP_UNSET) ||
	    !MAKE(run, RTAPP_BUFFER, buffer_touched, 0) ||
	    !MAKE(run, RTAPP_BUFFER, buffer,
		  sim_region_new(sim, app->resource[RTAPP_BUFFER][i].bytes, err)))
		return -ENOMEM;
	run->meet = sim_barrier_new(sim, app->nr_threads, 0);
	return err->code;
}

static int make_threads(struct rtapp_run *run)
{
	const struct rtapp *app = run->app;
	struct arena *arena = sim_arena(run->sim);
	struct rtapp_thread *th;

	list_init(&run->threads);
	list_init(&run->free);
	run->account = arena_array(arena, app->nr_tasks, sizeof(*run->account));
	run->forks = arena_array(arena, app->nr_tasks, sizeof(*run->forks));
	run->first = th = arena_array(arena, app->nr_threads, sizeof(*run->first));
	if (!run->account || !run->forks || !run->first)
		return -ENOMEM;
	for (int i = 0; i < app->nr_tasks; i++)
		for (int j = 0; j < app->task[i].instances; j++)
			if (rtapp_thread_init(run, th++, &app->task[i], -1))
				return -ENOMEM;
	return 0;
}

int rtapp_run_new(struct sim *sim, const struct rtapp *app, u64 duration, struct rtapp_run **result,
		  struct err *err)
{
	struct rtapp_run *run = arena_alloc(sim_arena(sim), sizeof(*run));
	struct sim_spawn main = {.comm = "rt-app", .program = &main_program, .process = true};
	int rc = run ? 0 : -ENOMEM;

	if (run) {
		run->app = app;
		run->sim = sim;
		run->duration = duration;
		main.arg = run;
		*result = run;
	}
	if (!rc)
		rc = make_masks(run, err);
	if (!rc)
		rc = make_groups(run, err);
	if (!rc)
		rc = make_objects(run, err);
	if (!rc)
		rc = make_threads(run);
	if (!rc && !sim_spawn(sim, &main, err))
		rc = err->code;
	if (rc)
		err_set(err, rc, "%s: out of memory", app->file);
	return rc;
}
