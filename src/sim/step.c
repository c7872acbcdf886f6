/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * step.c - what a program says, done: one function a step, in one table.
 *
 * A step's function returns true if no time passed; otherwise it has started
 * a chain of segments that ends in step_next().
 */
#include <errno.h>
#include <string.h>

#include "sched/psi.h"
#include "sim/engine.h"

/* So many steps in one instant are a program that never lets time pass. */
#define MAX_STEPS_AT_ONCE 10000000

typedef bool (*step_fn)(struct sim *sim, struct sim_cpu *c, struct sim_task *t);

/* ---- running ---- */

static bool step_run(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct frame f = {
		.kind = FRAME_COMPUTE, .mode = CPU_USER, .left = t->step.ns, .fn = step_next,
	};

	if (!f.left)
		return true;
	frame_start(sim, c, &f);
	return false;
}

static bool step_syscall(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	u64 ns = max(t->step.value, 0) * sim->cost->syscall;

	if (!ns)
		return true;
	ns = rates_call_ns(sim->rates, c->id, ns);
	if (t->step.line)
		ns += line_write(sim, t->step.line, c->id);
	seg_wall(sim, c, CPU_KERNEL, ns, step_next);
	return false;
}

static bool step_run_wall(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct frame f = {
		.kind = FRAME_UNTIL, .mode = CPU_USER, .left = time_after(sim->now, t->step.ns),
		.fn = step_next,
	};

	if (!t->step.ns)
		return true;
	frame_start(sim, c, &f);
	return false;
}

static bool step_nop(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	return true;
}

/* ---- time ---- */

static void sleep_entered(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	u64 at = time_after(t->step.op == SIM_SLEEP ? sim->now : sim->start, t->step.ns);

	if (at <= sim->now)
		step_next(sim, c);
	else
		task_block_until(sim, c, time_after(at, timer_slack(sim, c, at)), "a timer",
				 step_next);
}

static bool step_sleep(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	seg_call(sim, c, CPU_ATOMIC, sim->cost->syscall, sleep_entered);
	return false;
}

static void irq_sleep_entered(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	u64 at = time_after(sim->start, t->step.ns);

	if (at <= sim->now)
		step_next(sim, c);
	else
		task_block_irq(sim, c, t->step.value < 0 ? c->id : t->step.value, at,
			       "an interrupt", step_next);
}

static bool step_sleep_irq(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	seg_call(sim, c, CPU_ATOMIC, t->step.bare ? 0 : sim->cost->syscall, irq_sleep_entered);
	return false;
}

static void io_submitted(struct sim *sim, struct sim_cpu *c)
{
	u64 ns = c->curr->step.ns;

	if (!ns) {
		step_next(sim, c);
		return;
	}
	sched_task_iowait(c->curr->p);
	task_block_until(sim, c, time_after(sim->now, ns), "a device", step_next);
}

static bool step_io(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	t->ret = (s64)t->step.bytes;
	seg_call(sim, c, CPU_KERNEL, sim->cost->syscall + copy_ns(sim, t->step.bytes), io_submitted);
	return false;
}

/* ---- the scheduler's own calls ---- */

static void yield_entered(struct sim *sim, struct sim_cpu *c)
{
	sched_yield_task(sim->sched, sim->now, c->id);
	handle_outs(sim);
	c->curr->frame = (struct frame){ .kind = FRAME_CALL, .mode = CPU_USER, .fn = step_next };
	schedule(sim, c);
}

static bool step_yield(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	seg_call(sim, c, CPU_ATOMIC, sim->cost->syscall + sim->cost->yield, yield_entered);
	return false;
}

static void attr_entered(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;
	const struct sim_step *st = &t->step;

	if (st->op == SIM_SET_NICE) {
		t->nice = clamp(st->value, -20, 19);
		t->policy = st->policy;
		sched_set_nice(sim->sched, sim->now, t->p, t->policy, t->nice);
	} else if (st->op == SIM_SET_SCHED) {
		t->ret = sched_set_attr(sim->sched, sim->now, t->p, st->attr);
	} else if (st->op == SIM_SET_SLICE) {
		t->slice_ns = st->ns;
		sched_set_slice(sim->sched, sim->now, t->p, st->ns);
	} else if (st->op == SIM_SET_GROUP) {
		t->ret = task_set_cgroup(sim, t, st->cgroup);
	} else {
		t->ret = task_set_affinity(sim, t, st->allowed);
	}
	handle_outs(sim);
	step_next(sim, c);
}

static bool step_attr(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	seg_call(sim, c, CPU_ATOMIC, sim->cost->syscall, attr_entered);
	return false;
}

static bool step_exit(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	task_exit(sim, c);
	return false;
}

/* ---- dispatch ---- */

static const step_fn steps[] = {
	[SIM_RUN] = step_run,
	[SIM_SYSCALL] = step_syscall,
	[SIM_RUN_WALL] = step_run_wall,
	[SIM_STREAM] = step_stream,
	[SIM_TOUCH] = step_touch,
	[SIM_SLEEP] = step_sleep,
	[SIM_SLEEP_UNTIL] = step_sleep,
	[SIM_SLEEP_IRQ] = step_sleep_irq,
	[SIM_READ] = step_read,
	[SIM_WRITE] = step_write,
	[SIM_POLL] = step_poll,
	[SIM_LOCK] = step_lock,
	[SIM_UNLOCK] = step_unlock,
	[SIM_COND_WAIT] = step_cond_wait,
	[SIM_COND_SIGNAL] = step_cond_wake,
	[SIM_COND_BROADCAST] = step_cond_wake,
	[SIM_SEM_POST] = step_sem_post,
	[SIM_SEM_WAIT] = step_sem_wait,
	[SIM_BARRIER] = step_barrier,
	[SIM_SUSPEND] = step_suspend,
	[SIM_RESUME] = step_resume,
	[SIM_WAKE_PAIR] = step_wake_pair,
	[SIM_SLEEP_FOREVER] = step_sleep_forever,
	[SIM_IO] = step_io,
	[SIM_FORK] = step_fork,
	[SIM_EXEC] = step_exec,
	[SIM_WAIT_CHILD] = step_wait_child,
	[SIM_YIELD] = step_yield,
	[SIM_SET_NICE] = step_attr,
	[SIM_SET_SLICE] = step_attr,
	[SIM_SET_AFFINITY] = step_attr,
	[SIM_SET_SCHED] = step_attr,
	[SIM_SET_GROUP] = step_attr,
	[SIM_NOP] = step_nop,
	[SIM_QUEUE_WORK] = step_queue_work,
	[SIM_COMPLETE] = step_complete,
	[SIM_WAIT_COMPLETION] = step_wait_completion,
	[SIM_WORKER_RUN] = step_worker_run,
	[SIM_WORKER_IDLE] = step_worker_idle,
	[SIM_EXIT] = step_exit,
};

/* A step is big because of its pieces; they are cleared only after they were used. */
static void clear_step(struct sim_task *t)
{
	struct sim_step *st = &t->step;

	if (unlikely(t->has_pieces)) {
		memset(st, 0, sizeof(*st));
		t->has_pieces = false;
	} else {
		memset(st, 0, offsetof(struct sim_step, piece) + 2 * sizeof(void *));
	}
	st->op = SIM_EXIT;
}

static bool endless(struct sim *sim, struct sim_task *t)
{
	if (t->steps_at != sim->now) {
		t->steps_at = sim->now;
		t->steps_now = 0;
	}
	if (likely(++t->steps_now < MAX_STEPS_AT_ONCE))
		return false;
	err_set(&sim->fail, -EINVAL,
		"%s-%d (program %s) does step after step without letting time pass", t->comm,
		t->pid, t->program->name);
	return true;
}

void step_next(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *t = c->curr;

	do {
		if (return_to_user(sim, c, step_next))
			return;
		if (unlikely(endless(sim, t)))
			return;
		clear_step(t);
		t->program->next(sim, t, &t->step);
		if (t->step.op == SIM_STREAM || t->step.op == SIM_TOUCH)
			t->has_pieces = true;
	} while (steps[t->step.op](sim, c, t));
}
