/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fixture.h - a small machine under one kernel, driven by hand through the core.
 */
#ifndef TEST_FAIR_FIXTURE_H
#define TEST_FAIR_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sched/fair/fair.h"

#define MAX_CPUS 16
#define US	 1000ULL
#define MS	 1000000ULL
#define BOOT	 (10 * NSEC_PER_SEC)

struct world {
	struct sched_topology topo;
	struct topo_cpu cpu[MAX_CPUS];
	int distance[1];
	struct sched *s;
	u64 now;
	int next_id;
	u64 hrtick[MAX_CPUS];	/* when the CPU's slice timer fires, 0: never */
	struct task *granted[MAX_CPUS];
};

void world_init(struct world *w, const char *kernel, int nr_cpus, int hz);
void world_free(struct world *w);
/* take what the core asked for; reschedules are left in need_resched */
void world_drain(struct world *w);
void world_check(const struct world *w);
/* a new task queued on @cpu, placed beside whatever runs on CPU 0 */
struct task *world_spawn(struct world *w, int cpu, struct sched_task_attr attr);
/* @cpu schedules: peek and pick must agree; Return: what runs now */
struct task *world_schedule(struct world *w, int cpu);
/* reschedule wherever it is asked for */
void world_settle(struct world *w);
void world_block(struct world *w, int cpu);
/* wake @p on @cpu; Return: whether preemption was asked for */
bool world_wake(struct world *w, struct task *p, int cpu);
void world_tick(struct world *w);
/* @cpu runs on with ticks every @tick ns (and its slice timer) for @ns; schedules as asked */
void world_run(struct world *w, u64 ns, u64 tick);

static inline struct rq *world_rq(struct world *w, int cpu)
{
	return cpu_rq(w->s, cpu);
}

/* the clocks of @cpu as of now */
static inline struct rq *world_clock(struct world *w, int cpu)
{
	update_rq_clock(w->s, cpu_rq(w->s, cpu), w->now);
	return cpu_rq(w->s, cpu);
}

#endif
