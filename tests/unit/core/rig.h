/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rig.h - a core on a machine made by hand, for tests of core and placement.
 *
 * A regular machine from a few numbers, and the short forms of what a host
 * does in several calls. Included by one test each.
 */
#ifndef IDLEST_TESTS_RIG_H
#define IDLEST_TESTS_RIG_H

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sched/internal.h"

struct rig_machine {
	int packages, nodes, llcs, clusters, cores,
		smt;		       /* each per next bigger one; nodes per package */
	bool adjacent;		       /* threads of a core have neighbouring numbers */
	int slit_package, slit_remote; /* 0: 12 and 32 */
	bool arm;
	u32 little; /* capacity of the first half of the cores, 0: all are equal */
};

#define RIG_MACHINE(packages_, nodes_, llcs_, clusters_, cores_, smt_, ...)                        \
	{                                                                                          \
		.packages = packages_, .nodes = nodes_, .llcs = llcs_, .clusters = clusters_,      \
		.cores = cores_, .smt = smt_, __VA_ARGS__                                          \
	}

struct rig {
	struct sched_topology topo;
	struct sched *s;
	u64 now;
	int next_id;
};

#define RIG_START (10 * NSEC_PER_SEC)
#define RIG_PRICE 30 /* ns for each CPU read */

static inline u64 rig_price(void *ctx, int cpu, const struct sched_work *w)
{
	u64 n = 0;

	assert(w->kind == WORK_SELECT || w->kind == WORK_BALANCE);
	for (int i = 0; i < NR_DISTANCES; i++)
		n += w->cpus[i];
	return n * RIG_PRICE;
}

static inline void rig_topology(struct sched_topology *t, const struct rig_machine *m)
{
	int near = m->slit_package ? m->slit_package : 12,
	    far = m->slit_remote ? m->slit_remote : 32;

	t->nr_packages = m->packages;
	t->nr_nodes = t->nr_packages * m->nodes;
	t->nr_llcs = t->nr_nodes * m->llcs;
	t->nr_clusters = t->nr_llcs * m->clusters;
	t->nr_cores = t->nr_clusters * m->cores;
	t->nr_cpus = t->nr_cores * m->smt;
	t->node_reclaim_distance = m->arm ? 30 : 32;
	t->x86 = !m->arm;
	t->cpu = calloc(t->nr_cpus, sizeof(*t->cpu));
	t->distance = calloc((size_t)t->nr_nodes * t->nr_nodes, sizeof(int));
	for (int c = 0; c < t->nr_cpus; c++) {
		int core = m->adjacent ? c / m->smt : c % t->nr_cores;
		int cluster = core / m->cores, llc = cluster / m->clusters, node = llc / m->llcs;

		t->cpu[c] = (struct topo_cpu){
			.core = core,
			.cluster = m->clusters > 1 ? cluster : -1,
			.llc = llc,
			.node = node,
			.package = node / m->nodes,
			.capacity = m->little && core < t->nr_cores / 2 ? m->little : 1024,
		};
	}
	for (int a = 0; a < t->nr_nodes; a++)
		for (int b = 0; b < t->nr_nodes; b++)
			t->distance[a * t->nr_nodes + b] = a == b			  ? 10
							   : a / m->nodes == b / m->nodes ? near
											  : far;
}

static inline void rig_new(struct rig *r, const struct rig_machine *m, const char *kernel)
{
	struct sched_host host = {.price = rig_price, .hz = 250, .may_preempt_kernel = true};
	struct sched_kernel k;
	struct err err = {0};

	*r = (struct rig){.now = RIG_START, .next_id = 100};
	rig_topology(&r->topo, m);
	if (sched_kernel_parse(kernel, &k, &err))
		fail_msg("%s: %s", kernel, err.msg);
	r->s = sched_create(&r->topo, &k, &host, 1, &err);
	if (!r->s)
		fail_msg("%s: %s", kernel, err.msg);
}

static inline void rig_boot(struct rig *r, u64 seed)
{
	struct rng rng;

	rng_init(&rng, seed, 1);
	sched_boot(r->s, r->now, &rng);
}

static inline void rig_free(struct rig *r)
{
	sched_destroy(r->s);
	free(r->topo.cpu);
	free(r->topo.distance);
}

static inline void rig_check(struct rig *r, const char *where)
{
	struct err err = {0};

	if (sched_check(r->s, r->now, &err))
		fail_msg("%s at %llu: %s", where, (unsigned long long)r->now, err.msg);
}

static inline struct task *rig_task(struct rig *r, const u64 *allowed)
{
	struct sched_task_attr attr = {.id = r->next_id++, .comm = "test", .allowed = allowed};

	return sched_task_new(r->s, &attr);
}

static inline void rig_drain(struct rig *r)
{
	struct sched_out out;

	while (sched_next_out(r->s, &out))
		;
}

/* @cpu schedules as often as it is asked to; no new-idle balancing */
static inline struct task *rig_schedule(struct rig *r, int cpu)
{
	struct task *prev = sched_current(r->s, cpu), *next;

	assert_true(sched_pick(r->s, r->now, cpu, false, &next));
	sched_switch_done(r->s, r->now, cpu, prev != next ? prev : NULL);
	rig_drain(r);
	return next;
}

/* a new task is born on @cpu, without the slow path, and runs if it is picked */
static inline struct task *rig_start(struct rig *r, int cpu, const u64 *allowed)
{
	struct task *p = rig_task(r, allowed);
	struct fork_decision d = {.target = cpu};

	sched_fork_commit(r->s, r->now, cpu, p, &d, cpu);
	sched_activate_new(r->s, r->now, cpu, p);
	rig_schedule(r, cpu);
	return p;
}

/* @cpu forks: decided, carried out, and scheduled where the child went */
static inline struct task *rig_fork(struct rig *r, int cpu, const u64 *allowed)
{
	struct task *p = rig_task(r, allowed);
	struct fork_decision d;

	sched_fork_decide(r->s, r->now, cpu, p, &d);
	sched_fork_commit(r->s, r->now, cpu, p, &d, d.target);
	sched_activate_new(r->s, r->now, cpu, p);
	if (sched_need_resched(r->s, d.target) || !sched_current(r->s, d.target))
		rig_schedule(r, d.target);
	rig_drain(r);
	return p;
}

/* the current task of @cpu goes to sleep */
static inline void rig_sleep(struct rig *r, int cpu)
{
	sched_block(r->s, r->now, cpu, false);
	rig_schedule(r, cpu);
}

/* ---- states made by hand, for tests of the choice alone ---- */

enum rig_state { RIG_IDLE, RIG_BUSY, RIG_SCHED_IDLE, RIG_PENDING };

static inline void rig_set(struct rig *r, int cpu, enum rig_state state)
{
	struct rq *rq = &r->s->rq[cpu];

	add_nr_running(r->s, rq, (state == RIG_BUSY || state == RIG_SCHED_IDLE) - rq->nr_running);
	rq->cfs.h_nr_idle = state == RIG_SCHED_IDLE;
	rq->ttwu_pending = state == RIG_PENDING;
	rq_update_idle(r->s, rq);
}

static inline void rig_set_all(struct rig *r, enum rig_state state)
{
	for (int c = 0; c < r->s->nr_cpus; c++)
		rig_set(r, c, state);
}

#endif
