/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * noise.c - what differs from run to run on a real machine (spec 14 §3).
 *
 * Threads of the background are tasks like others. The kernel's own ones hang
 * on the ticks of busy CPUs, as deferrable timers do: an idle machine of any
 * size costs nothing.
 */
#include <errno.h>

#include "sim/engine.h"

#define BURST_MIN_NS	    (2 * NSEC_PER_USEC)	 /* of a kernel thread */
#define BURST_SPAN_NS	    (8 * NSEC_PER_USEC)
#define KWORKER_MIN_NS	    (NSEC_PER_SEC / 2)	 /* about one a second and CPU */
#define KWORKER_SPAN_NS	    NSEC_PER_SEC
#define RCU_MIN_NS	    (3 * NSEC_PER_MSEC)
#define RCU_SPAN_NS	    (6 * NSEC_PER_MSEC)
#define RARE_IRQ	    512			 /* one interrupt in so many … */
#define RARE_IRQ_FACTOR	    10			 /* … may be late by so many times the jitter */
#define NR_DAEMONS	    3			 /* together 0.3 % of one CPU */
#define DAEMON_SLEEP_MIN_NS (50 * NSEC_PER_MSEC)
#define DAEMON_SLEEP_SPAN_NS (900 * NSEC_PER_MSEC)
#define DAEMON_RUN_MIN_NS   (100 * NSEC_PER_USEC)
#define DAEMON_RUN_SPAN_NS  (800 * NSEC_PER_USEC)

u64 timer_slack(struct sim *sim, struct sim_cpu *c, u64 at)
{
	u64 slack = sim->m->timer_slack_ns;

	/* realtime and deadline tasks sleep to the point (spec 14 §1.5) */
	if (sim->p.no_noise || !slack || !policy_is_fair(sched_task_policy(c->curr->p)))
		return 0;
	if (c->timer_hint >= at && c->timer_hint <= at + slack)
		return c->timer_hint - at; /* merged with one that is armed already */
	return rng_below(&sim->rng_slack, slack + 1);
}

/* An interrupt is a little late, rarely much. */
u64 irq_jitter(struct sim *sim)
{
	u64 jitter = sim->m->irq_jitter_ns;

	if (sim->p.no_noise || !jitter)
		return 0;
	if (!rng_below(&sim->rng_slack, RARE_IRQ))
		jitter *= RARE_IRQ_FACTOR;
	return rng_below(&sim->rng_slack, jitter + 1);
}

/* The CPUs of an emulator run in turn: an interrupt waits for as many turns as CPUs are busy. */
u64 irq_turn(struct sim *sim)
{
	int busy = sim->nr_cpus - sim->nr_offline - sim->nr_idle;
	u64 mean = sim->m->irq_turn_ns * busy / sim->nr_cpus;

	return sim->p.no_noise ? mean : rng_below(&sim->rng_slack, 2 * mean + 1);
}

/* ---- kernel threads: a burst for each time they are woken ---- */

static void kthread_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	bool woken = t->left;

	t->left = !t->left;
	if (woken) {
		step->op = SIM_SLEEP_FOREVER;
		return;
	}
	step->op = SIM_RUN;
	step->ns = BURST_MIN_NS + rng_below(&sim->rng_noise, BURST_SPAN_NS);
}

static const struct sim_program kthread_program = { .name = "kernel thread", .next = kthread_next };

static int born_asleep(struct sim *sim, struct sim_task *t, int cpu)
{
	t->background = true;
	return task_born_asleep(sim, t, cpu);
}

struct sim_task *kthread_new(struct sim *sim, const char *comm, const struct sim_program *program,
			     void *arg, const u64 *allowed, int cpu)
{
	struct sim_spawn what = {
		.comm = comm, .program = program, .arg = arg, .allowed = allowed, .kthread = true,
	};
	struct sim_task *t = task_alloc(sim, &what, NULL);

	if (!t)
		return NULL;
	t->wait_what = "work";
	if (allowed && mask_weight(allowed, sim->words) == 1)
		t->home_cpu = mask_first(allowed, sim->words) + 1;
	return born_asleep(sim, t, cpu) ? NULL : t;
}

static struct sim_task *new_kthread(struct sim *sim, const char *comm, const u64 *allowed, int cpu)
{
	struct sim_task *t = kthread_new(sim, comm, &kthread_program, NULL, allowed, cpu);

	if (t)
		t->pair_sleeping = true;
	return t;
}

/* @t joins the tasks that the timer interrupt of @c wakes, unless it is awake */
static void wake_kthread(struct sim_cpu *c, struct sim_task *t)
{
	if (t->stage != STAGE_BLOCKED || !t->pair_sleeping)
		return;
	t->pair_sleeping = false;
	waitq_add(&c->timers, t);
	c->irqs |= IRQ_TIMER;
}

static void kworker_tick(struct sim *sim, struct sim_cpu *c)
{
	u64 *only = sim->one_cpu;

	c->kworker_due = sim->now + KWORKER_MIN_NS + rng_below(&sim->rng_noise, KWORKER_SPAN_NS);
	if (!c->kworker) {
		mask_zero(only, sim->words);
		mask_set(only, c->id);
		c->kworker = new_kthread(sim, "kworker", only, c->id);
	}
	if (c->kworker)
		wake_kthread(c, c->kworker);
}

static void rcu_tick(struct sim *sim, struct sim_cpu *c)
{
	sim->rcu_due = sim->now + RCU_MIN_NS + rng_below(&sim->rng_noise, RCU_SPAN_NS);
	wake_kthread(c, sim->rcu);
}

void noise_tick(struct sim *sim, struct sim_cpu *c)
{
	if (sim->now >= sim->rcu_due)
		rcu_tick(sim, c);
	if (sim->now >= c->kworker_due)
		kworker_tick(sim, c);
}

/* ---- daemons ---- */

int draw_cpu(struct sim *sim)
{
	int n = (int)rng_below(&sim->rng_noise, mask_weight(sim->common_cpus, sim->words));
	int cpu = mask_first(sim->common_cpus, sim->words);

	while (n--)
		cpu = mask_next(sim->common_cpus, cpu + 1, sim->words);
	return cpu;
}

static void daemon_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	t->left = !t->left;
	if (t->left) {
		step->op = SIM_RUN;
		step->ns = DAEMON_RUN_MIN_NS + rng_below(&sim->rng_noise, DAEMON_RUN_SPAN_NS);
	} else {
		step->op = SIM_SLEEP;
		step->ns = DAEMON_SLEEP_MIN_NS + rng_below(&sim->rng_noise, DAEMON_SLEEP_SPAN_NS);
	}
}

static const struct sim_program daemon_program = { .name = "daemon", .next = daemon_next };

static int start_daemons(struct sim *sim)
{
	const struct sim_spawn what = {
		.comm = "daemon", .program = &daemon_program, .process = true,
	};

	for (int i = 0; i < NR_DAEMONS; i++) {
		int cpu = draw_cpu(sim);
		struct sim_task *t = task_alloc(sim, &what, NULL);

		if (!t || born_asleep(sim, t, cpu))
			return -ENOMEM;
		t->timed = true;
		t->wait_what = "a timer";
		task_start_at(sim, t, cpu, sim->now + rng_below(&sim->rng_noise, DAEMON_SLEEP_SPAN_NS));
	}
	return 0;
}

/**
 * noise_init() - the background of a booted machine, before anything runs
 */
int noise_init(struct sim *sim)
{
	sim->rcu_due = NEVER;
	for (int i = 0; i < sim->nr_cpus; i++)
		sim->cpu[i].kworker_due = NEVER;
	if (sim->p.no_noise || sim->p.no_background)
		return 0;
	for (int i = 0; i < sim->nr_cpus; i++)
		sim->cpu[i].kworker_due =
			sim->now + rng_below(&sim->rng_noise, KWORKER_MIN_NS + KWORKER_SPAN_NS);
	sim->rcu = new_kthread(sim, "rcu_preempt", NULL, draw_cpu(sim));
	if (!sim->rcu)
		return -ENOMEM;
	sim->rcu_due = sim->now + rng_below(&sim->rng_noise, RCU_SPAN_NS);
	return start_daemons(sim);
}
