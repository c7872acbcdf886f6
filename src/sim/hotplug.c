/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hotplug.c - what is done to the machine while it runs: CPUs go and come, tasks are bound.
 *
 * The steps of a kernel's hot-plug thread are taken by the CPU's stopper, which doesn't wait its
 * turn; what they cost besides moving tasks isn't modelled. A CPU is off when its idle loop finds
 * nothing left: no task, no interrupt on its way, no wake-up that another CPU is carrying there.
 * Timers that it had set go to the first CPU that is online.
 */
#include <string.h>

#include "sim/engine.h"

/* ---- kernel threads of one CPU ---- */

/* they lose their CPU, or get it back */
static void bind_kthreads(struct sim *sim, int cpu, bool bind)
{
	for (u32 i = 0; i < sim->nr_slots; i++) {
		struct sim_task *t = sim->slot[i];

		if (!t->p || t->home_cpu != cpu + 1)
			continue;
		mask_zero(sim->one_cpu, sim->words);
		if (bind)
			mask_set(sim->one_cpu, cpu);
		else
			mask_copy(sim->one_cpu, sim->common_cpus, sim->words);
		task_bind(sim, t, sim->one_cpu);
	}
}

/* ---- down ---- */

static void request_down(struct sim *sim, struct sim_cpu *c)
{
	if (c->leaving || c->offline)
		return;
	c->stop_down = true;
	stop_queue(sim, c->id, c, NULL, 0);
}

void hotplug_down(struct sim *sim, struct sim_cpu *c)
{
	c->stop_down = false;
	if (sched_cpu_down(sim->sched, sim->now, c->id, NULL)) {
		count(sim, CNT_hotplug_refused);
		return;
	}
	count(sim, CNT_cpus_down);
	c->leaving = true;
	handle_outs(sim);
	bind_kthreads(sim, c->id, false);
}

static void move_timers(struct sim *sim, const struct sim_cpu *c)
{
	for (u32 i = 0; i < sim->nr_slots; i++)
		if (sim->timers.pos[i] && sim->slot[i]->timer_cpu == c->id)
			sim->slot[i]->timer_cpu = living_cpu(sim, c->id);
}

int living_cpu(const struct sim *sim, int cpu)
{
	for (int i = 0; sim->cpu[cpu].offline && i < sim->nr_cpus; i++)
		if (!sim->cpu[i].offline && !sim->cpu[i].leaving)
			return i;
	return cpu;
}

bool hotplug_off(struct sim *sim, struct sim_cpu *c)
{
	if (c->irqs & ~IRQ_TICK || c->timers.head || c->starting || wake_under_way(sim, c))
		return false;
	if (!sched_cpu_dead(sim->sched, sim->now, c->id))
		return false;
	c->leaving = false;
	c->offline = true;
	handle_outs(sim);
	account_waiting(sim);
	sim->nr_offline++;
	c->irqs = 0;
	c->irq_at = c->hrtick_at = NEVER;
	c->tick_stopped = true;
	mask_clear(sim->tick_mask, c->id);
	move_timers(sim, c);
	return true;
}

/* ---- up ---- */

static void cpu_up(struct sim *sim, struct sim_cpu *c)
{
	bool was_off = c->offline;

	c->stop_down = false;
	if (!c->leaving && !c->offline)
		return;
	if (sched_cpu_up(sim->sched, sim->now, c->id, NULL)) {
		count(sim, CNT_hotplug_refused);
		return;
	}
	count(sim, CNT_cpus_up);
	c->leaving = c->offline = false;
	handle_outs(sim);
	bind_kthreads(sim, c->id, true);
	if (!was_off)
		return;
	account_waiting(sim);
	sim->nr_offline--;
	c->woken = false;
	c->mode = CPU_ATOMIC;
	c->tick_stopped = false;
	tick_start(sim, c);
	idle_enter(sim, c);
}

/* ---- affinity ---- */

static bool named(const struct sim_task *t, const char *comm)
{
	return !strncmp(t->comm, comm, strlen(comm));
}

static void bind_tasks(struct sim *sim, const struct sim_change *ch)
{
	for (u32 i = 0; i < sim->nr_slots; i++) {
		struct sim_task *t = sim->slot[i];

		if (t->p && t->mm && named(t, ch->comm))
			task_bind(sim, t, ch->cpus);
	}
}

/* ---- the timeline ---- */

u64 change_time(const struct sim *sim)
{
	if (sim->next_change == sim->p.nr_changes)
		return NEVER;
	return time_after(sim->start, sim->p.change[sim->next_change].at);
}

void change_due(struct sim *sim)
{
	const struct sim_change *ch = &sim->p.change[sim->next_change++];
	struct sim_cpu *c = &sim->cpu[ch->cpu];

	sim->at_cpu = living_cpu(sim, ch->cpu);
	switch (ch->kind) {
	case SIM_CPU_DOWN:
		request_down(sim, c);
		break;
	case SIM_CPU_UP:
		cpu_up(sim, c);
		break;
	case SIM_BIND:
		bind_tasks(sim, ch);
		break;
	}
}
