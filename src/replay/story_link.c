// SPDX-License-Identifier: BSD-2-Clause
/*
 * story_link.c - tasks of a trace, and the events that are parts of one thing.
 */
#include <stdlib.h>
#include <string.h>

#include "replay/story_link.h"
#include "trace/pids.h"

struct link_task {
	u32 waking;	   /* its sched_waking that waits for an end */
	u32 woken_running; /* the first one since it was switched in */
	u32 self_move;	   /* the last time the stopper took it where it asked to go */
	int cpu;	   /* it runs there; -1 */
	bool was_switched;
};

struct link_cpu {
	bool seen;
	u32 curr;
	u32 first_pull;	/* by the task that runs, for this CPU */
};

struct linker {
	struct story *s;
	const struct trace *t;
	struct story_link *link;
	struct pid_map pids;
	u32 *task_of_pid; /* the last task of each pid */
	u32 room_pids;
	struct link_task *task;
	u32 room_tasks;
	struct link_cpu *cpu;
	bool no_memory;
};

static bool grow(void *array, u32 *room, u32 nr, size_t size)
{
	void **a = array;
	u32 more = *room ? *room * 2 : 256;
	void *p;

	if (nr < *room)
		return true;
	p = realloc(*a, (size_t)more * size);
	if (!p)
		return false;
	*a = p;
	*room = more;
	return true;
}

static u32 new_task(struct linker *l, u32 pid_nr, s32 pid, u64 ns)
{
	struct story *s = l->s;
	u32 i = s->nr_tasks;

	if (!grow(&s->task, &s->room_tasks, i, sizeof(*s->task)) ||
	    !grow(&l->task, &l->room_tasks, i, sizeof(*l->task))) {
		l->no_memory = true;
		return STORY_NONE;
	}
	s->nr_tasks++;
	s->task[i] = (struct story_task){
		.pid = pid,
		.parent = STORY_NONE,
		.start_cpu = -1,
		.prio = 120,
		.bound_cpu = -1,
		.first_ns = ns,
	};
	l->task[i] = (struct link_task){ .cpu = -1 };
	l->task_of_pid[pid_nr] = i;
	return i;
}

/* Return: the number of @pid, with room for its task; STORY_NONE: out of memory */
static u32 pid_number(struct linker *l, s32 pid)
{
	u32 nr = pid_index(&l->pids, pid), old = l->room_pids;

	if (nr == UINT32_MAX || !grow(&l->task_of_pid, &l->room_pids, nr, sizeof(u32))) {
		l->no_memory = true;
		return STORY_NONE;
	}
	if (l->room_pids > old)
		memset(l->task_of_pid + old, 0xff, (l->room_pids - old) * sizeof(u32));
	return nr;
}

static void learn_comm(struct linker *l, u32 task, trace_str comm)
{
	struct story_task *p = &l->s->task[task];
	const char *name;

	if (!comm || comm == p->comm)
		return;
	name = trace_string(l->t, comm);
	p->comm = comm;
	p->stopper = !strncmp(name, "migration/", 10);
	if (!p->kthread && story_kthread_name(name, &p->bound_cpu))
		p->kthread = true;
}

/* a task that has not been met yet was @start on @cpu all the time */
static u32 met(struct linker *l, s32 pid, trace_str comm, const struct trace_event *e,
	       enum story_start start, int cpu)
{
	u32 nr, i;

	if (pid <= 0)
		return STORY_NONE;
	nr = pid_number(l, pid);
	if (nr == STORY_NONE)
		return STORY_NONE;
	i = l->task_of_pid[nr];
	if (i == STORY_NONE) {
		i = new_task(l, nr, pid, e->ns);
		if (i == STORY_NONE)
			return i;
		l->s->task[i].start = start;
		l->s->task[i].start_cpu = cpu;
		if (pid == 2)
			l->s->task[i].kthread = true;
		if (start == START_RUNNING)
			l->task[i].cpu = cpu;
	}
	learn_comm(l, i, comm);
	return i;
}

/* the priority that a task had when it was met first, as task number @before or later */
static void learn_prio(struct linker *l, u32 task, u32 before, s16 prio)
{
	if (task != STORY_NONE && task >= before)
		l->s->task[task].prio = prio;
}

static u32 born(struct linker *l, const struct trace_event *e, u32 parent)
{
	u32 nr = e->pid > 0 ? pid_number(l, e->pid) : STORY_NONE, i;

	if (nr == STORY_NONE)
		return STORY_NONE;
	i = new_task(l, nr, e->pid, e->ns);
	if (i == STORY_NONE)
		return i;
	l->s->task[i].start = START_ABSENT;
	l->s->task[i].parent = parent;
	l->s->task[i].kthread = parent != STORY_NONE && l->s->task[parent].pid == 2;
	if (parent != STORY_NONE)
		l->s->task[i].prio = l->s->task[parent].prio;
	learn_comm(l, i, e->comm);
	return i;
}

/* who runs on the CPU of @e: told by every event, known from the CPU's first one on */
static u32 current_of(struct linker *l, const struct trace_event *e)
{
	struct link_cpu *c = &l->cpu[e->cpu];
	u32 curr = met(l, e->curr_pid, e->curr_comm, e, START_RUNNING, e->cpu);

	if (!c->seen && curr != STORY_NONE && !l->task[curr].was_switched &&
	    l->s->task[curr].start != START_ABSENT) {
		/* perhaps it was met before, as somebody's wakee */
		l->s->task[curr].start = START_RUNNING;
		l->s->task[curr].start_cpu = e->cpu;
		l->task[curr].cpu = e->cpu;
	}
	c->seen = true;
	c->curr = curr;
	return curr;
}

/* ---- the events ---- */

static void link_switch(struct linker *l, u32 i, const struct trace_event *e, struct story_link *k)
{
	struct link_cpu *c = &l->cpu[e->cpu];

	k->task = met(l, e->pid, e->comm, e, START_QUEUED, e->cpu);
	if (k->curr != STORY_NONE) {
		struct link_task *p = &l->task[k->curr];
		u32 early = c->first_pull;

		if (p->woken_running && (!early || p->woken_running < early))
			early = p->woken_running;
		if (early && story_state_sleeps(e->prev_state)) {
			k->partner = early;
			l->link[early - 1].block = i + 1;
		}
		p->cpu = -1;
		p->woken_running = 0;
		p->was_switched = true;
	}
	if (k->task != STORY_NONE) {
		l->task[k->task].cpu = e->cpu;
		l->task[k->task].woken_running = 0;
		l->task[k->task].was_switched = true;
	}
	c->first_pull = 0;
	c->curr = k->task;
}

static void link_waking(struct linker *l, u32 i, const struct trace_event *e, struct story_link *k)
{
	struct link_task *p;

	k->task = met(l, e->pid, e->comm, e, START_ASLEEP, e->target_cpu);
	if (k->task == STORY_NONE)
		return;
	p = &l->task[k->task];
	if (k->task == k->curr)
		return;
	p->waking = i + 1;
	if (p->cpu >= 0 && !p->woken_running)
		p->woken_running = i + 1;
}

static void link_wakeup(struct linker *l, u32 i, const struct trace_event *e, struct story_link *k)
{
	struct link_task *p;

	k->task = met(l, e->pid, e->comm, e, e->kind == EV_WAKEUP ? START_ASLEEP : START_ABSENT,
		      e->target_cpu);
	if (k->task == STORY_NONE)
		return;
	p = &l->task[k->task];
	if (e->kind == EV_WAKEUP_NEW || !p->waking)
		return;
	k->partner = p->waking;
	l->link[p->waking - 1].partner = i + 1;
	p->waking = 0;
	if (p->cpu >= 0) /* it had not blocked: nothing but its state changed */
		p->woken_running = 0;
}

static void link_migrate(struct linker *l, u32 i, const struct trace_event *e, struct story_link *k)
{
	struct link_cpu *c = &l->cpu[e->cpu];
	struct link_task *p;

	k->task = met(l, e->pid, e->comm, e, START_QUEUED, e->orig_cpu);
	if (k->task == STORY_NONE || e->context & TRACE_INFERRED)
		return;
	p = &l->task[k->task];
	if (p->waking)
		return;
	if (k->curr != STORY_NONE && l->s->task[k->curr].stopper)
		p->self_move = i + 1;
	else if (e->target_cpu == e->cpu && k->curr != STORY_NONE && !story_in_irq(e) &&
		 !c->first_pull)
		c->first_pull = i + 1;
}

static void link_exec(struct linker *l, u32 i, const struct trace_event *e, struct story_link *k)
{
	k->task = met(l, e->pid, e->comm, e, START_RUNNING, e->cpu);
	if (k->task == STORY_NONE || !l->task[k->task].self_move)
		return;
	l->link[l->task[k->task].self_move - 1].partner = i + 1;
	l->task[k->task].self_move = 0;
}

static void link_event(struct linker *l, u32 i)
{
	const struct trace_event *e = &l->t->event[i];
	struct story_link *k = &l->link[i];
	u32 before = l->s->nr_tasks;

	k->curr = current_of(l, e);
	k->task = STORY_NONE;
	switch (e->kind) {
	case EV_SWITCH:
		learn_prio(l, k->curr, before, e->prev_prio);
		before = l->s->nr_tasks;
		link_switch(l, i, e, k);
		break;
	case EV_WAKING:
		link_waking(l, i, e, k);
		break;
	case EV_WAKEUP:
	case EV_WAKEUP_NEW:
		link_wakeup(l, i, e, k);
		break;
	case EV_MIGRATE:
		link_migrate(l, i, e, k);
		break;
	case EV_FORK:
		k->task = born(l, e, k->curr);
		return;
	case EV_EXEC:
		link_exec(l, i, e, k);
		return;
	case EV_EXIT:
		k->task = met(l, e->pid, e->comm, e, START_RUNNING, e->cpu);
		break;
	default:
		return;
	}
	learn_prio(l, k->task, before, e->prio);
}

struct story_link *story_link(struct story *s)
{
	struct linker l = { .s = s, .t = s->trace };

	l.link = calloc(s->trace->nr, sizeof(*l.link));
	l.cpu = calloc((size_t)s->nr_cpus, sizeof(*l.cpu));
	l.no_memory = !l.link || !l.cpu;
	for (u32 i = 0; i < s->trace->nr && !l.no_memory; i++)
		link_event(&l, i);
	pid_map_free(&l.pids);
	free(l.task_of_pid);
	free(l.task);
	free(l.cpu);
	if (l.no_memory) {
		free(l.link);
		return NULL;
	}
	return l.link;
}
