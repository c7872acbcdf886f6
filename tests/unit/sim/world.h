/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * world.h - small machines with round costs, and programs written as lists of
 * steps, for the tests of the engine.
 */
#ifndef IDLEST_TESTS_SIM_WORLD_H
#define IDLEST_TESTS_SIM_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/sim.h"

#define US NSEC_PER_USEC
#define MS NSEC_PER_MSEC

/* Every cost is another number, so that a sum tells what is in it. */
static inline struct machine *world_machine(const char *shape)
{
	struct machine *m;
	struct err err = { 0 };

	if (machine_load(shape, &m, &err))
		fail_msg("%s", err.msg);
	memset(&m->cost, 0, sizeof(m->cost));
	m->cost.syscall = 100;
	m->cost.switch_same_mm = 1000;
	m->cost.switch_other_mm = 1300;
	m->cost.wake_local = 400;
	m->cost.wake_list_push = 300;
	m->cost.block = 50;
	m->cost.yield = 40;
	m->cost.poll_wake = 350;
	m->cost.fork = 60000;
	m->cost.exec = 120000;
	m->cost.exit = 40000;
	m->cost.timer_irq = 700;
	m->cost.futex_wake = 210;
	m->cost.futex_wait = 230;
	m->cost.pipe_write = 500;
	m->cost.pipe_read = 450;
	m->cost.sock_write = 600;
	m->cost.sock_read = 550;
	m->cost.udp_send = 810;
	m->cost.udp_rx = 620;
	m->cost.udp_read = 730;
	m->cost.tcp_write = 310;
	m->cost.tcp_xmit = 720;
	m->cost.tcp_rx = 930;
	m->cost.tcp_read = 540;
	m->cost.tcp_ack = 650;
	m->cost.net_kib = 128;
	for (int d = 0; d < NR_DISTANCES; d++) {
		m->cost.wake_remote[d] = 800;
		m->cost.ipi[d] = 900;
		m->cost.lock_handover[d] = 60;
		m->line_ns[d] = d ? 20 : 0;
	}
	m->nr_boost = 0;
	m->max_mhz = m->base_mhz = 1000;
	m->hz = 250;
	m->nr_cstates = 1;
	m->cstate[0] = (struct machine_cstate){ .name = "POLL", .polling = true };
	m->cpuidle = true;
	m->timer_slack_ns = 50 * US;
	m->irq_jitter_ns = 0;
	m->smt_permille = 600;
	m->bw = (struct machine_bandwidth){ 0 };
	m->mlp = 4;
	return m;
}

/* A program that goes through its steps @loops times (0: once) and exits. */
struct script {
	const struct sim_step *step;
	int nr, loops;
	/* changing */
	int pos, done;
	u64 at[64];		/* when the step at this position began, last time */
	s64 ret[64];		/* what the step before it gave */
	u64 exit_ns, cpu_ns;
	int cpu;
};

static inline void script_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct script *s = sim_task_arg(t);

	s->at[s->pos] = sim_now(sim);
	s->ret[s->pos] = sim_task_ret(t);
	s->cpu = sim_task_cpu(t);
	s->cpu_ns = sim_task_cpu_ns(t);
	if (s->pos == s->nr) {
		if (++s->done >= s->loops) {
			s->exit_ns = sim_now(sim);
			return; /* SIM_EXIT */
		}
		s->pos = 0;
		s->at[0] = sim_now(sim);
	}
	*step = s->step[s->pos++];
}

static const struct sim_program script_program = { .name = "script", .next = script_next };

#define SCRIPT(...)                                                                                \
	{                                                                                          \
		.step = (const struct sim_step[]){ __VA_ARGS__ },                                  \
		.nr = sizeof((const struct sim_step[]){ __VA_ARGS__ }) / sizeof(struct sim_step),  \
	}

static inline struct sim *world_new(const struct machine *m, const char *kernel,
				    const struct sim_params *p)
{
	struct sched_kernel k;
	struct err err = { 0 };
	struct sim *sim;

	if (sched_kernel_parse(kernel, &k, &err))
		fail_msg("%s", err.msg);
	sim = sim_new(m, &k, p, &err);
	if (!sim)
		fail_msg("%s", err.msg);
	return sim;
}

static inline struct sim *world_quiet(const struct machine *m, const char *kernel)
{
	return world_new(m, kernel, &(struct sim_params){ .no_noise = true, .check = true });
}

static inline struct sim_task *world_spawn(struct sim *sim, struct script *s, const u64 *allowed)
{
	struct err err = { 0 };
	struct sim_task *t = sim_spawn(sim,
				       &(struct sim_spawn){ .comm = "script",
							    .program = &script_program,
							    .arg = s,
							    .allowed = allowed },
				       &err);

	if (!t)
		fail_msg("%s", err.msg);
	return t;
}

static inline void world_run(struct sim *sim)
{
	struct err err = { 0 };

	if (sim_run(sim, &err))
		fail_msg("%s", err.msg);
}

static inline u64 world_counter(struct sim *sim, enum counter c)
{
	struct result r;

	memset(&r, 0, sizeof(r));
	sim_counters(sim, &r);
	return r.counter[c];
}

#endif
