// SPDX-License-Identifier: BSD-2-Clause
#include "experiment/scenario_tasks.h"

#include <errno.h>
#include <stdio.h>

#include "sim/cgroup.h"

#define LOOP_NS NSEC_PER_SEC /* work of one step of an endless loop */

/* One run of a scenario. */
struct tasks_run {
	const struct scenario *s;
	struct sim_cgroup **group;
	struct sim_task ***target; /* [entry][count]: who may be woken; NULL: a forked entry */
	struct task_state *spare;  /* of children that have ended */
	u64 *forked;		   /* [entry] so far */
	const u64 *all;		   /* every CPU */
};

struct task_state {
	struct tasks_run *run;
	const struct scenario_task *t;
	int number;	/* among those of its entry */
	int step;	/* the next one */
	u64 forks_left; /* of the present step; 0: it hasn't begun */
	u64 rounds;
	bool unbound; /* no longer bound to the CPU it started on */
	bool waited;  /* its time has come */
	struct task_state *next_spare;
	struct sim_spawn child; /* of the present step */
	char comm[24];
};

static struct task_state *new_state(struct tasks_run *run, struct sim *sim, int entry, u64 number)
{
	struct task_state *st = run->spare;

	if (st)
		run->spare = st->next_spare;
	else
		st = arena_alloc(sim_arena(sim), sizeof(*st));
	if (st)
		*st = (struct task_state){ .run = run,
					   .t = &run->s->task[entry],
					   .number = (int)(number % 10000) };
	return st;
}

static void program_next(struct sim *sim, struct sim_task *task, struct sim_step *step);

static const struct sim_program program = { "scenario", program_next };

static void fill_spawn(const struct scenario_task *t, struct task_state *st, const char *comm,
		       struct sim_spawn *what)
{
	*what = (struct sim_spawn){
		.comm = comm,
		.program = &program,
		.arg = st,
		.policy = t->policy,
		.nice = t->nice,
		.rt_priority = t->rt_priority,
		.slice_ns = t->slice_ns,
		.allowed = t->cpus,
		.process = !t->thread,
		.footprint = t->footprint,
		.cgroup = t->group >= 0 ? st->run->group[t->group] : NULL,
	};
}

/* ---- steps ---- */

static void fork_step(struct sim *sim, struct task_state *st, const struct scenario_step *s,
		      struct sim_step *step)
{
	struct tasks_run *run = st->run;
	u64 number = run->forked[s->task]++;
	struct task_state *child = new_state(run, sim, s->task, number);

	if (!child) {
		sim_cancel(sim);
		return;
	}
	snprintf(st->comm, sizeof(st->comm), "%s%d", child->t->name, child->number);
	fill_spawn(child->t, child, st->comm, &st->child);
	step->op = SIM_FORK;
	step->spawn = &st->child;
	if (!st->forks_left)
		st->forks_left = s->n;
	if (--st->forks_left)
		st->step--; /* once more */
}

static struct sim_task *target_of(const struct task_state *st, const struct scenario_step *s)
{
	return st->run->target[s->task][st->number % st->run->s->task[s->task].count];
}

/* Return: whether there is a step to do; else the program goes on with the next one */
static bool one_step(struct sim *sim, struct task_state *st, const struct scenario_step *s,
		     struct sim_step *step)
{
	switch (s->op) {
	case SCENARIO_RUN:
		step->op = SIM_RUN;
		step->ns = s->ns;
		break;
	case SCENARIO_SPIN:
		step->op = SIM_RUN_WALL;
		step->ns = s->ns;
		break;
	case SCENARIO_LOOP:
		st->step--;
		step->op = SIM_RUN;
		step->ns = LOOP_NS;
		break;
	case SCENARIO_SLEEP:
		step->op = SIM_SLEEP;
		step->ns = s->ns;
		break;
	case SCENARIO_YIELD:
		step->op = SIM_YIELD;
		break;
	case SCENARIO_EXEC:
		step->op = SIM_EXEC;
		break;
	case SCENARIO_AFFINITY:
		step->op = SIM_SET_AFFINITY;
		step->allowed = s->cpus;
		break;
	case SCENARIO_FORK:
		fork_step(sim, st, s, step);
		break;
	case SCENARIO_REAP:
		step->op = SIM_WAIT_CHILD;
		break;
	case SCENARIO_WAKE:
		step->op = SIM_WAKE_PAIR;
		step->task = target_of(st, s);
		break;
	case SCENARIO_AWAIT:
		step->op = SIM_SLEEP_FOREVER;
		break;
	case SCENARIO_REPEAT:
		if (!s->n || ++st->rounds < s->n)
			st->step = 0;
		return false;
	}
	return true;
}

/* Before the program: free from where it started, and not before its time. */
static bool begin(struct sim *sim, struct task_state *st, struct sim_step *step)
{
	const struct scenario_task *t = st->t;

	if (t->start >= 0 && !st->unbound) {
		st->unbound = true;
		step->op = SIM_SET_AFFINITY;
		step->allowed = t->cpus ? t->cpus : st->run->all;
		return true;
	}
	if (t->start < 0 && t->at && !st->waited) {
		st->waited = true;
		step->op = SIM_SLEEP_UNTIL;
		step->ns = t->at;
		return true;
	}
	return false;
}

static void program_next(struct sim *sim, struct sim_task *task, struct sim_step *step)
{
	struct task_state *st = sim_task_arg(task);

	if (begin(sim, st, step))
		return;
	while (st->step < st->t->nr_steps)
		if (one_step(sim, st, &st->t->step[st->step++], step))
			return;
	if (st->t->forked) {
		st->next_spare = st->run->spare;
		st->run->spare = st;
	}
}

/* ---- the beginning ---- */

static u64 *one_cpu(struct sim *sim, int cpu)
{
	u64 *m = arena_array(sim_arena(sim), mask_words(sim_machine(sim)->topo.nr_cpus),
			     sizeof(u64));

	if (m)
		mask_set(m, cpu);
	return m;
}

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory for the tasks");
}

static int spawn_one(struct tasks_run *run, struct sim *sim, int entry, int number, struct err *err)
{
	const struct scenario_task *t = &run->s->task[entry];
	struct task_state *st = new_state(run, sim, entry, number);
	struct sim_task **target = &run->target[entry][number];
	struct sim_spawn what;
	char comm[24];

	if (!st)
		return no_memory(err);
	snprintf(comm, sizeof(comm), t->count > 1 ? "%s%d" : "%s", t->name, number);
	fill_spawn(t, st, comm, &what);
	if (t->start < 0) {
		*target = sim_spawn(sim, &what, err);
	} else {
		/* bound there until it runs: a wake-up could take it elsewhere */
		what.allowed = one_cpu(sim, t->start);
		if (!what.allowed)
			return no_memory(err);
		*target = sim_spawn_asleep(sim, &what, t->start, t->start, t->at, err);
	}
	return *target ? 0 : err->code;
}

static int make_groups(struct tasks_run *run, struct sim *sim, struct err *err)
{
	const struct scenario *s = run->s;
	int ret = 0;

	for (int i = 0; i < s->nr_groups && !ret; i++) {
		struct cgroup_files files = { .shares = s->group[i].shares };
		char path[256];

		snprintf(path, sizeof(path), "/%s", s->group[i].name);
		run->group[i] = sim_cgroup_get(sim, path, err);
		ret = run->group[i] ? sim_cgroup_write(sim, run->group[i], &files, err) : err->code;
	}
	return ret;
}

static int make_run(const struct scenario *s, struct sim *sim, struct tasks_run **out,
		    struct err *err)
{
	struct arena *a = sim_arena(sim);
	int nr_cpus = s->machine->topo.nr_cpus;
	struct tasks_run *run = arena_alloc(a, sizeof(*run));
	u64 *all = arena_array(a, mask_words(nr_cpus), sizeof(u64));

	if (!run || !all)
		return no_memory(err);
	mask_fill(all, nr_cpus);
	run->s = s;
	run->all = all;
	run->group = arena_array(a, max(s->nr_groups, 1), sizeof(*run->group));
	run->target = arena_array(a, s->nr_tasks, sizeof(struct sim_task **));
	run->forked = arena_array(a, s->nr_tasks, sizeof(u64));
	if (!run->group || !run->target || !run->forked)
		return no_memory(err);
	*out = run;
	return make_groups(run, sim, err);
}

int scenario_spawn(const struct scenario *s, struct sim *sim, struct err *err)
{
	struct tasks_run *run = NULL;
	int ret = make_run(s, sim, &run, err);

	for (int i = 0; i < s->nr_tasks && !ret; i++) {
		const struct scenario_task *t = &s->task[i];

		if (t->forked)
			continue;
		run->target[i] = arena_array(sim_arena(sim), t->count, sizeof(struct sim_task *));
		if (!run->target[i])
			return no_memory(err);
		for (int k = 0; k < t->count && !ret; k++)
			ret = spawn_one(run, sim, i, k, err);
	}
	return ret;
}
