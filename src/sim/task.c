/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * task.c - tasks of the engine: slots, sleeping and going on, what may be asked.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine.h"


/* ---- slots ---- */

struct sim_task *slot_take(struct sim *sim)
{
	struct sim_task *t = sim->free_slots;
	u64 *allowed, *asked;
	u32 slot;

	if (t) {
		sim->free_slots = t->free_next;
		slot = t->slot;
		allowed = t->allowed_room;
		asked = t->asked_room;
		memset(t, 0, sizeof(*t));
		t->sim = sim;
		t->slot = slot;
		t->allowed_room = allowed;
		t->asked_room = asked;
		return t;
	}
	if (sim->nr_slots == sim->cap_slots && engine_grow(sim))
		return NULL;
	t = arena_alloc(sim->arena, sizeof(*t));
	if (!t)
		return NULL;
	t->sim = sim;
	t->slot = sim->nr_slots;
	sim->slot[sim->nr_slots++] = t;
	return t;
}

void slot_put(struct sim *sim, struct sim_task *t)
{
	t->stage = STAGE_DEAD;
	t->free_next = sim->free_slots;
	sim->free_slots = t;
}

bool is_common(const struct sim *sim, const u64 *cpus)
{
	return mask_equal(cpus, sim->common_cpus, sim->words);
}

int task_keep_allowed(struct sim *sim, struct sim_task *t, const u64 *allowed)
{
	if (!allowed || is_common(sim, allowed)) {
		t->allowed = NULL;
		return 0;
	}
	if (!t->allowed_room)
		t->allowed_room = arena_array(sim->arena, sim->words, sizeof(u64));
	if (!t->allowed_room)
		return -ENOMEM;
	t->allowed = t->allowed_room;
	mask_copy(t->allowed, allowed, sim->words);
	return 0;
}

void task_bind(struct sim *sim, struct sim_task *t, const u64 *cpus)
{
	bool waited = stop_waiting(sim, t);

	if (task_set_affinity(sim, t, cpus) == -ENOMEM)
		err_set(&sim->fail, -ENOMEM, "no memory for the CPUs of %s-%d", t->comm, t->pid);
	if (waited)
		count_waiting(sim, t);
	handle_outs(sim);
}

static void adopt(struct sim_task *parent, struct sim_task *t)
{
	t->parent = parent;
	t->sibling = parent->children;
	parent->children = t;
}

struct sim_task *task_alloc(struct sim *sim, const struct sim_spawn *what, struct sim_task *parent)
{
	struct sim_task *t = slot_take(sim);

	if (!t)
		return NULL;
	t->program = what->program;
	t->arg = what->arg;
	t->policy = what->policy;
	t->nice = what->nice;
	t->rt_priority = what->rt_priority;
	t->slice_ns = what->slice_ns;
	t->footprint = what->footprint;
	t->image = what->image;
	t->pid = first_pid(sim->nr_cpus) + sim->next_pid++;
	t->last_cpu = t->cache_cpu = -1;
	strncpy(t->comm, what->comm ? what->comm : "task", sizeof(t->comm) - 1);
	t->leader = what->process;
	if (what->kthread)
		t->mm = 0;
	else if (what->process)
		t->mm = ++sim->next_mm;
	else
		t->mm = parent ? parent->mm : 1;
	t->cgroup = what->cgroup ? what->cgroup : parent ? parent->cgroup : sim->place.cgroup;
	t->session = parent ? parent->session : sim->place.session;
	if (task_ask_cpus(sim, t,
			  what->allowed ? what->allowed
			  : parent	? task_inherited_cpus(parent)
					: sim->place.allowed)) {
		slot_put(sim, t);
		return NULL;
	}
	if (parent)
		adopt(parent, t);
	return t;
}

int task_create(struct sim *sim, struct sim_task *t, struct sim_task *parent)
{
	struct sched_task_attr attr = {
		.id = t->pid,
		.comm = t->comm,
		.policy = t->policy,
		.nice = t->nice,
		.rt_priority = t->rt_priority,
		.slice_ns = t->slice_ns,
		.allowed = t->allowed || !sim->some_isolated ? t->allowed : sim->common_cpus,
		.kthread = !t->mm,
		.parent = parent ? parent->p : NULL,
		.group = task_core_group(t),
		.host = t,
	};

	t->p = sched_task_new(sim->sched, &attr);
	if (!t->p)
		return -ENOMEM;
	t->stage = STAGE_NEW;
	t->start_ns = sim->now - sim->start;
	t->frame = (struct frame){ .kind = FRAME_CALL, .mode = CPU_USER, .fn = step_next };
	return 0;
}

int task_born_asleep(struct sim *sim, struct sim_task *t, int cpu)
{
	if (task_create(sim, t, NULL))
		return -ENOMEM;
	sched_task_asleep(sim->sched, t->p, cpu);
	t->last_cpu = cpu;
	t->stage = STAGE_BLOCKED;
	return 0;
}

void task_start_at(struct sim *sim, struct sim_task *t, int cpu, u64 at)
{
	t->timer_cpu = living_cpu(sim, cpu);
	heap_set(&sim->timers, t->slot, at);
	arm_others(sim);
}

/* ---- the end ---- */

static void leave_family(struct sim_task *t)
{
	struct sim_task **pp;

	for (pp = &t->parent->children; *pp != t; pp = &(*pp)->sibling)
		;
	*pp = t->sibling;
}

/* nobody will ask for @t any more */
static void drop(struct sim *sim, struct sim_task *t)
{
	if (t->is_gone)
		slot_put(sim, t);
	else
		t->parent = NULL; /* task_gone() does it */
}

/*
 * The core's task is recycled at once. The slot stays while somebody may ask
 * for the account: tasks of sim_spawn() for the whole run, children until
 * their parent has waited for them or is gone itself.
 */
void task_gone(struct sim *sim, struct sim_task *t)
{
	struct sim_task *z;

	stop_cancel(t);
	if (unlikely(sim->p.accounts) && !t->background && keep_account(sim, t))
		err_set(&sim->fail, -ENOMEM, "no memory for the accounts of tasks");
	sched_task_free(sim->sched, t->p);
	t->p = NULL;
	t->is_gone = true;
	for (z = t->children; z; z = z->sibling)
		z->parent = NULL;
	t->children = NULL;
	while ((z = waitq_take(&t->zombies)))
		drop(sim, z);
	if (t->last_reaped)
		slot_put(sim, t->last_reaped);
	t->last_reaped = NULL;
	if (!t->parent && !t->kept)
		slot_put(sim, t);
}

/* @t is what SIM_WAIT_CHILD gives: it stays readable until the parent's next one */
void task_reap(struct sim *sim, struct sim_task *t)
{
	struct sim_task *parent = t->parent;

	if (parent->last_reaped)
		drop(sim, parent->last_reaped);
	parent->last_reaped = NULL;
	if (t->is_gone)
		parent->last_reaped = t;
	else
		drop(sim, t);
}

static void exit_last_switch(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;

	t->stage = STAGE_DEAD;
	if (!t->background)
		sim->nr_live--;
	sched_block(sim->sched, sim->now, c->id, true);
	schedule(sim, c);
}

static void exit_notify(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr, *parent = t->parent;

	if (tracing(sim))
		trace_task(sim, TRACE_EXIT, c->id, t, -1, -1);
	if (!parent) {
		exit_last_switch(sim, c);
		return;
	}
	leave_family(t);
	waitq_add(&parent->zombies, t);
	if (parent->waits_child) {
		parent->waits_child = false;
		wake_task(sim, c, parent, false,
			  exit_last_switch); /* an exiting waker isn't sync */
	} else {
		exit_last_switch(sim, c);
	}
}

void task_exit(struct sim *sim, struct sim_cpu *c)
{
	image_work(sim, c, c->curr->step.bare ? 0 : sim->cost->exit, sim->m->locked.exit,
		   exit_notify);
}

/* ---- sleeping ---- */

static void block(struct sim *sim, struct sim_cpu *c, const char *what, cpu_fn fn)
{
	struct sim_task *t = c->curr;

	t->frame.kind = FRAME_CALL;
	t->frame.mode = CPU_KERNEL;
	t->frame.fn = fn;
	t->wait_what = what;
	t->stage = STAGE_BLOCKED;
	sched_block(sim->sched, sim->now, c->id, false);
	c->carry += sim->cost->block + queueing_extra(sim);
	schedule(sim, c);
}

void task_block(struct sim *sim, struct sim_cpu *c, struct waitq *q, const char *what, cpu_fn fn)
{
	struct sim_task *t = c->curr;

	if (q)
		waitq_add(q, t);
	t->timed = t->exact = false;
	if (!t->background)
		sim->nr_blocked++;
	block(sim, c, what, fn);
}

void task_block_until(struct sim *sim, struct sim_cpu *c, u64 at, const char *what, cpu_fn fn)
{
	struct sim_task *t = c->curr;

	if (unlikely(at == NEVER)) {
		task_block(sim, c, NULL, what, fn);
		return;
	}
	t->timed = true;
	t->exact = false;
	t->timer_cpu = c->id;
	if (at < c->timer_hint || c->timer_hint <= sim->now)
		c->timer_hint = at;
	heap_set(&sim->timers, t->slot, at);
	arm_others(sim);
	block(sim, c, what, fn);
}

void task_block_irq(struct sim *sim, struct sim_cpu *c, int irq_cpu, u64 at, const char *what,
		    cpu_fn fn)
{
	struct sim_task *t = c->curr;

	if (unlikely(at == NEVER)) {
		task_block(sim, c, NULL, what, fn);
		return;
	}
	t->timed = true;
	t->exact = true;
	task_start_at(sim, t, irq_cpu, at);
	block(sim, c, what, fn);
}

/* ---- going on ---- */

static void task_go(struct sim *sim, struct sim_cpu *c)
{
	struct frame f = c->curr->frame;

	c->curr->refill = 0;
	if (f.mode == CPU_USER && must_schedule(sim, c)) {
		schedule(sim, c);
		return;
	}
	c->running = true;
	frame_start(sim, c, &f);
}

/*
 * What the working set costs at first: nothing where it is warm, else to fetch
 * it from where the task ran, or what others pushed out meanwhile (spec 13 §8).
 */
static u64 refill_ns(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	u64 others = c->touched - t->touched_mark, ns = 0;

	if (t->cache_cpu < 0) {
		c->touched += t->footprint;
	} else if (t->cache_cpu != c->id) {
		ns = memory_refill_ns(sim->m, t->cache_cpu, c->id, t->footprint);
		c->touched += t->footprint;
	} else if (others) {
		ns = memory_chill_ns(sim->m, c->id, t->footprint, others);
		c->touched += t->footprint;
	}
	t->cache_cpu = c->id;
	t->touched_mark = c->touched;
	return ns;
}

void task_resume(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;

	if (t->footprint) {
		t->refill += refill_ns(sim, c, t);
		if (t->refill) {
			seg_wall(sim, c, CPU_USER, t->refill, task_go);
			return;
		}
	}
	task_go(sim, c);
}

void task_keep_frame(struct sim_cpu *c)
{
	if (c->saved.fn == task_go) /* its own frame still waits behind the refill */
		c->curr->refill = c->saved.left;
	else
		c->curr->frame = c->saved;
}

/* ---- what a workload may ask ---- */

void *sim_task_arg(const struct sim_task *t)
{
	return t->arg;
}

s64 sim_task_ret(const struct sim_task *t)
{
	return t->ret;
}

struct sim_task *sim_task_child(const struct sim_task *t)
{
	return t->child;
}

int sim_task_pid(const struct sim_task *t)
{
	return t->pid;
}

int sim_task_cpu(const struct sim_task *t)
{
	return t->last_cpu;
}

int sim_task_node(const struct sim_task *t)
{
	return t->sim->topo->cpu[max(t->last_cpu, 0)].node;
}

u64 sim_task_cpu_ns(const struct sim_task *t)
{
	const struct sim_cpu *c = &t->sim->cpu[max(t->last_cpu, 0)];

	return t->cpu_ns + (c->curr == t ? t->sim->now - t->switched_in : 0);
}

u64 sim_task_start_ns(const struct sim_task *t)
{
	return t->start_ns;
}

const struct task *sim_task_sched(const struct sim_task *t)
{
	return t->p;
}

u64 sim_task_wake_latency(const struct sim_task *t)
{
	return t->wake_latency;
}
