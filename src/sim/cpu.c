/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu.c - segments: what a CPU does until its next boundary.
 *
 * Work at a rate (COMPUTE, STREAM) is given to rates.c, which says when it
 * ends; everything else ends at a time known from the start. While one of its
 * functions runs a CPU is in atomic mode.
 */
#include "sim/engine.h"

static inline bool frame_rated(const struct frame *f)
{
	return f->kind == FRAME_COMPUTE || f->kind == FRAME_STREAM;
}

/* Enter the CPU's next boundary into the heap. */
void cpu_arm(struct sim *sim, struct sim_cpu *c)
{
	u64 at = c->seg_end;

	if (c->mode != CPU_ATOMIC) {
		at = min(at, c->irq_at);
		if (c->mode != CPU_IDLE)
			at = min(at, c->hrtick_at);
		at = max(at, sim->now);
	}
	if (at == c->armed)
		return;
	c->armed = at;
	due_set(&sim->cpus, c->id, at);
}

static inline void seg_until(struct sim *sim, struct sim_cpu *c, enum cpu_mode mode, u64 end,
			     cpu_fn fn)
{
	c->act.kind = FRAME_WALL;
	c->act.mode = c->mode = mode;
	c->act.fn = fn;
	c->seg_end = end;
	cpu_arm(sim, c);
}

void seg_wall(struct sim *sim, struct sim_cpu *c, enum cpu_mode mode, u64 ns, cpu_fn fn)
{
	ns += c->carry;
	c->carry = 0;
	seg_until(sim, c, mode, sim->now + ns, fn);
}

void seg_call(struct sim *sim, struct sim_cpu *c, enum cpu_mode mode, u64 ns, cpu_fn fn)
{
	seg_wall(sim, c, mode, rates_call_ns(sim->rates, c->id, ns), fn);
}

void seg_path(struct sim *sim, struct sim_cpu *c, u64 ns, cpu_fn fn)
{
	ns += c->carry;
	c->carry = 0;
	sim->counter[CNT_kernel_ns] += ns;
	seg_until(sim, c, CPU_ATOMIC, sim->now + ns, fn);
}

void seg_spin(struct sim *sim, struct sim_cpu *c, enum cpu_mode mode, cpu_fn fn)
{
	c->act.kind = FRAME_SPIN;
	c->act.left = sim->now; /* since when */
	c->act.mode = c->mode = mode;
	c->act.fn = fn;
	c->seg_end = NEVER;
	cpu_arm(sim, c);
}

void frame_start(struct sim *sim, struct sim_cpu *c, const struct frame *f)
{
	switch (f->kind) {
	case FRAME_CALL:
		f->fn(sim, c);
		return;
	case FRAME_WALL:
		seg_wall(sim, c, f->mode, f->left, f->fn);
		return;
	case FRAME_SPIN:
		seg_spin(sim, c, f->mode, f->fn);
		return;
	case FRAME_UNTIL:
		c->seg_end = max(f->left, sim->now);
		break;
	case FRAME_COMPUTE:
		rates_start(sim->rates, sim->now, c->id, ACT_COMPUTE, f->left, NULL);
		c->seg_end = rates_end(sim->rates, c->id);
		sim->rates_dirty = true;
		break;
	case FRAME_STREAM:
		stream_start(sim, c, f->left);
		c->seg_end = NEVER; /* until the rates are settled */
		sim->rates_dirty = true;
		break;
	case FRAME_IDLE:
		break;
	}
	c->act = *f;
	c->mode = f->mode;
	cpu_arm(sim, c);
}

void frame_suspend(struct sim *sim, struct sim_cpu *c, struct frame *f)
{
	*f = c->act;
	switch (f->kind) {
	case FRAME_WALL:
		f->left = c->seg_end > sim->now ? c->seg_end - sim->now : 0;
		break;
	case FRAME_STREAM:
		stream_stop(sim, c);
		/* fall through */
	case FRAME_COMPUTE:
		rates_stop(sim->rates, sim->now, c->id, &f->left);
		sim->rates_dirty = true;
		break;
	default:
		break;
	}
	c->mode = CPU_ATOMIC;
}

/*
 * The wait of @t, which spins, ends @ns from now: where it runs, where an
 * interrupt suspended it, or where it was preempted.
 */
void spin_end(struct sim *sim, struct sim_task *t, u64 ns)
{
	struct sim_cpu *c = &sim->cpu[t->last_cpu];
	struct frame *f = &t->frame;

	if (t->stage == STAGE_RUNNING && c->curr == t && c->running) {
		if (!c->in_irq) {
			seg_until(sim, c, c->act.mode, sim->now + ns, c->act.fn);
			return;
		}
		f = &c->saved;
	}
	f->kind = FRAME_WALL;
	f->left = ns;
}

void cpu_event(struct sim *sim, struct sim_cpu *c)
{
	sim->at_cpu = c->id;
	if (c->seg_end > sim->now) {
		irq_enter(sim, c);
		return;
	}
	if (frame_rated(&c->act)) {
		u64 left;

		if (c->act.kind == FRAME_STREAM)
			stream_stop(sim, c);
		rates_stop(sim->rates, sim->now, c->id, &left);
		sim->rates_dirty = true;
	}
	c->mode = CPU_ATOMIC;
	c->act.fn(sim, c);
}

bool return_to_user(struct sim *sim, struct sim_cpu *c, cpu_fn fn)
{
	struct frame f = { .kind = FRAME_CALL, .mode = CPU_USER, .fn = fn };

	if (unlikely(c->irq_at <= sim->now || c->irqs & IRQ_STOP)) {
		irq_enter_at(sim, c, &f);
		return true;
	}
	if (must_schedule(sim, c)) {
		c->curr->frame = f;
		schedule(sim, c);
		return true;
	}
	return false;
}

/* Ends that moved because rates changed (several CPUs, or STREAM that was not settled). */
void rates_apply(struct sim *sim)
{
	const int *moved;
	int n;

	sim->rates_dirty = false;
	if (!rates_disturbed(sim->rates))
		return;
	n = rates_settle(sim->rates, sim->now);
	moved = rates_moved(sim->rates);
	for (int i = 0; i < n; i++) {
		struct sim_cpu *c = &sim->cpu[moved[i]];
		u64 end = rates_end(sim->rates, c->id);

		if (!frame_rated(&c->act) || c->mode == CPU_ATOMIC || c->seg_end == end)
			continue;
		c->seg_end = end;
		cpu_arm(sim, c);
	}
}
