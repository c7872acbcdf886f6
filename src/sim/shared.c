/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shared.c - what processes share inside the kernel without meeting there.
 *
 * An image stands for the files that all processes of a program map: fork, exec
 * and exit enter or remove their mappings holding locks of those files. That is
 * a share of each that the machine's file gives (locked.*); one mutex stands for
 * all of the locks.
 *
 * A line is a cache line that many write: the count of users of an open file.
 * Whoever writes it waits for those who came before, then for its way here.
 */
#include "sim/engine.h"

struct sim_image {
	struct kmutex mappings;
};

struct sim_line {
	int cpu;	/* who has it, or will have it last */
	u64 free_at;
};

struct sim_image *sim_image_new(struct sim *sim)
{
	return arena_alloc(sim->arena, sizeof(struct sim_image));
}

struct sim_line *sim_line_new(struct sim *sim)
{
	return arena_alloc(sim->arena, sizeof(struct sim_line));
}

/**
 * line_write() - @cpu writes @l now
 *
 * Return: ns until that is done.
 */
u64 line_write(struct sim *sim, struct sim_line *l, int cpu)
{
	u64 ns = sim->m->line_ns[distance(sim, l->cpu, cpu)];

	l->free_at = max(sim->now, l->free_at) + ns;
	l->cpu = cpu;
	return l->free_at - sim->now;
}

static void image_over(struct sim *sim, struct sim_cpu *c)
{
	c->curr->image_then(sim, c);
}

static void image_unlock(struct sim *sim, struct sim_cpu *c)
{
	struct sim_task *sleeper = kmutex_unlock(sim, c, &c->curr->image->mappings);

	if (sleeper)
		wake_task(sim, c, sleeper, false, image_over);
	else
		image_over(sim, c);
}

static void image_locked(struct sim *sim, struct sim_cpu *c)
{
	seg_call(sim, c, CPU_KERNEL, c->curr->image_ns, image_unlock);
}

static void image_lock(struct sim *sim, struct sim_cpu *c)
{
	kmutex_lock(sim, c, &c->curr->image->mappings, image_locked);
}

void image_work(struct sim *sim, struct sim_cpu *c, u64 ns, u32 permille, cpu_fn then)
{
	struct sim_task *t = c->curr;
	u64 locked = ns * permille / 1000;

	if (likely(!t->image || !locked)) {
		seg_call(sim, c, CPU_KERNEL, ns, then);
		return;
	}
	t->image_ns = locked;
	t->image_then = then;
	seg_call(sim, c, CPU_KERNEL, ns - locked, image_lock);
}
