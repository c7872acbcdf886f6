/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check.c - the engine's invariants (--check), and who waits for what.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/engine.h"

static int check_cpu(const struct sim *sim, const struct sim_cpu *c, struct err *err)
{
	struct task *curr = sched_current(sim->sched, c->id);
	bool between = c->mode == CPU_ATOMIC; /* a switch or an interrupt may be under way */
	struct sim_task *t = c->curr;

	if (c->offline && (c->mode != CPU_IDLE || c->irqs || c->irq_at != NEVER || !c->woken))
		return err_set(err, -EINVAL, "CPU %d is off, but does something", c->id);
	if (c->mode == CPU_IDLE && (t || curr))
		return err_set(err, -EINVAL, "CPU %d idles though %s-%d is current", c->id,
			       t ? t->comm : sched_task_comm(curr),
			       t ? t->pid : sched_task_id(curr));
	if (!between && t && t->p != curr)
		return err_set(err, -EINVAL, "CPU %d runs %s-%d, the core says %s-%d", c->id,
			       t->comm, t->pid, curr ? sched_task_comm(curr) : "swapper",
			       curr ? sched_task_id(curr) : 0);
	if (!between && t && t->stage != STAGE_RUNNING)
		return err_set(err, -EINVAL, "CPU %d runs %s-%d, which is in stage %d", c->id,
			       t->comm, t->pid, t->stage);
	if (!between && c->resched != sched_need_resched(sim->sched, c->id))
		return err_set(err, -EINVAL, "CPU %d: need-resched is %d here, %d in the core",
			       c->id, c->resched, !c->resched);
	/* no lost wake-up: where something is queued the CPU runs or will be told */
	if (c->mode == CPU_IDLE && sched_nr_running(sim->sched, c->id) && c->irq_at == NEVER)
		return err_set(err, -EINVAL,
			       "CPU %d idles with %d tasks queued and nothing on its way", c->id,
			       sched_nr_running(sim->sched, c->id));
	if (c->mode != CPU_IDLE && c->mode != CPU_ATOMIC && c->act.kind != FRAME_SPIN &&
	    c->seg_end == NEVER && !sim->rates_dirty)
		return err_set(err, -EINVAL, "CPU %d does something that never ends", c->id);
	return 0;
}

static int check_tasks(const struct sim *sim, struct err *err)
{
	int live = 0, blocked = 0, waiting = 0;

	for (u32 i = 0; i < sim->nr_slots; i++) {
		const struct sim_task *t = sim->slot[i];
		bool here = t->stage != STAGE_DEAD && t->p;

		live += here && !t->background;
		blocked += here && !t->background && t->stage == STAGE_BLOCKED && !t->timed;
		waiting += here && t->stage == STAGE_RUNNABLE && !t->starts_on;
		if (here && t->stage == STAGE_BLOCKED && t->timed && !sim->timers.pos[i] &&
		    !(sim->cpu[t->timer_cpu].irqs & IRQ_TIMER) && !sim->cpu[t->timer_cpu].in_irq)
			return err_set(err, -EINVAL,
				       "%s-%d sleeps until a time that nobody watches", t->comm,
				       t->pid);
	}
	for (int i = sim->next_spawned; i < sim->nr_spawned; i++)
		live++;
	for (const struct sim_task *t = sim->restricted; t; t = t->restricted_next)
		waiting--;
	if (live != sim->nr_live || blocked != sim->nr_blocked || waiting != sim->nr_waiting)
		return err_set(err, -EINVAL,
			       "live, blocked, waiting tasks are %d, %d, %d, counted %d, %d, %d",
			       live, blocked, waiting, sim->nr_live, sim->nr_blocked,
			       sim->nr_waiting);
	return 0;
}

int check_engine(struct sim *sim, struct err *err)
{
	int rc = sched_check(sim->sched, sim->now, err);
	struct sched_out out;
	int idle = 0;

	if (sched_next_out(sim->sched, &out))
		return err_set(err, -EINVAL,
			       "a request of the core (kind %d, CPU %d) was overlooked", out.kind,
			       out.cpu);
	for (int i = 0; !rc && i < sim->nr_cpus; i++) {
		const struct sim_cpu *c = &sim->cpu[i];

		rc = check_cpu(sim, c, err);
		idle += c->mode == CPU_IDLE && !c->woken;
	}
	if (!rc && idle != sim->nr_idle)
		rc = err_set(err, -EINVAL, "%d CPUs idle, counted %d", idle, sim->nr_idle);
	if (!rc)
		rc = check_tasks(sim, err);
	if (rc)
		err_prefix(err, "seed %llu, at %llu ns: ", (unsigned long long)sim->p.seed,
			   (unsigned long long)(sim->now - sim->start));
	return rc;
}

/* Every task of the workload waits for an object that only another of them could give. */
void deadlock_message(const struct sim *sim, struct err *err)
{
	char list[700] = "";
	size_t n = 0;
	int more = 0;

	for (u32 i = 0; i < sim->nr_slots; i++) {
		const struct sim_task *t = sim->slot[i];

		if (t->stage != STAGE_BLOCKED || t->background)
			continue;
		if (n + 80 > sizeof(list))
			more++;
		else
			n += snprintf(list + n, sizeof(list) - n, "%s%s-%d waits for %s",
				      n ? ", " : "", t->comm, t->pid, t->wait_what);
	}
	if (more)
		snprintf(list + n, sizeof(list) - n, ", and %d more", more);
	err_set(err, -EDEADLK, "at %llu ns nothing can ever run again: %s",
		(unsigned long long)(sim->now - sim->start), list);
}
