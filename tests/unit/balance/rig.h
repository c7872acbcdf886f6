/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rig.h - a core on a small machine, and as much of a host as balancing needs.
 *
 * Time stands still except where a test lets it pass; a walk's own time passes
 * for everybody.
 */
#ifndef BALANCE_RIG_H
#define BALANCE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "sched/balance/lb.h"
#include "sched/forced.h"

#define RIG_START (10 * NSEC_PER_SEC)

struct rig {
	struct sched_topology topo;
	struct sched *s;
	u64 now;
	u64 cpu_price; /* ns for each CPU a pass reads */
	int nr_tasks;
	/* what other CPUs do while a pass of @cpu is under way; NULL: nothing */
	void (*between)(struct rig *r, int cpu);
	bool forced; /* picks are asked for and committed apart */
	u64 newidle_moved, periodic_moved, nohz_moved, pushed;
};

static inline u64 rig_price(void *ctx, int cpu, const struct sched_work *w)
{
	const struct rig *r = ctx;
	u64 n = 0;

	assert_true(w->kind == WORK_SELECT || w->kind == WORK_BALANCE);
	for (int i = 0; i < NR_DISTANCES; i++)
		n += w->cpus[i];
	return n * r->cpu_price;
}

/* @nodes packages of one node each, numbered siblings last as on x86 */
static inline void rig_topology(struct sched_topology *t, int nodes, int llcs, int cores, int smt)
{
	int nr_cores = nodes * llcs * cores;

	*t = (struct sched_topology){.nr_cpus = nr_cores * smt,
				     .nr_cores = nr_cores,
				     .nr_clusters = 0,
				     .nr_llcs = nodes * llcs,
				     .nr_packages = nodes,
				     .nr_nodes = nodes,
				     .node_reclaim_distance = 30,
				     .x86 = true};
	t->cpu = calloc(t->nr_cpus, sizeof(*t->cpu));
	t->distance = calloc(nodes * nodes, sizeof(int));
	for (int c = 0; c < t->nr_cpus; c++) {
		int core = c % nr_cores, node = core / (llcs * cores);

		t->cpu[c] = (struct topo_cpu){.core = core,
					      .cluster = -1,
					      .llc = core / cores,
					      .package = node,
					      .node = node,
					      .capacity = 1024};
	}
	for (int i = 0; i < nodes * nodes; i++)
		t->distance[i] = i / nodes == i % nodes ? 10 : 20;
}

/* @little: the first so many CPUs have a capacity of 446 */
static inline void rig_start_mixed(struct rig *r, const char *kernel, int nodes, int llcs,
				   int cores, int smt, int little)
{
	struct sched_kernel k;
	struct err err = {0};
	struct sched_host host = {
		.ctx = r, .price = rig_price, .hz = 250, .may_preempt_kernel = true};

	memset(r, 0, sizeof(*r));
	r->cpu_price = 100;
	r->now = RIG_START;
	rig_topology(&r->topo, nodes, llcs, cores, smt);
	for (int c = 0; c < little; c++)
		r->topo.cpu[c].capacity = 446;
	if (sched_kernel_parse(kernel, &k, &err))
		fail_msg("%s: %s", kernel, err.msg);
	r->s = sched_create(&r->topo, &k, &host, 1, &err);
	if (!r->s)
		fail_msg("%s: %s", kernel, err.msg);
}

static inline void rig_start(struct rig *r, const char *kernel, int nodes, int llcs, int cores,
			     int smt)
{
	rig_start_mixed(r, kernel, nodes, llcs, cores, smt, 0);
}

static inline void rig_stop(struct rig *r)
{
	sched_destroy(r->s);
	free(r->topo.cpu);
	free(r->topo.distance);
}

static inline void rig_check(struct rig *r)
{
	struct err err = {0};

	if (sched_check(r->s, r->now, &err))
		fail_msg("at %llu ns: %s", (unsigned long long)r->now, err.msg);
}

/* a new task on @cpu's queue; it runs if rig_schedule() says so */
static inline struct task *rig_task(struct rig *r, int cpu, const u64 *allowed)
{
	struct sched_task_attr attr = {.id = ++r->nr_tasks, .comm = "hog", .allowed = allowed};
	struct fork_decision d = {.target = cpu};
	struct task *p = sched_task_new(r->s, &attr);

	assert_non_null(p);
	sched_fork_commit(r->s, r->now, cpu, p, &d, cpu);
	sched_activate_new(r->s, r->now, cpu, p);
	return p;
}

static inline void rig_drop_requests(struct rig *r)
{
	struct sched_out out;

	while (sched_next_out(r->s, &out))
		;
}

/* what the host does after every event: nothing is left to do when it returns */
static inline void rig_handle_requests(struct rig *r);

static inline int rig_walk(struct rig *r, int cpu, enum walk_kind kind)
{
	u64 cost;
	int moved = 0;

	if (!sched_walk_begin(r->s, r->now, cpu, kind, &cost))
		return 0;
	r->now += cost;
	while (sched_walk_step(r->s, r->now, cpu, &cost)) {
		r->now += cost;
		if (r->between)
			r->between(r, cpu);
		moved += sched_walk_attach(r->s, r->now, cpu);
	}
	return moved;
}

/* sched_pick() in two steps */
static inline bool rig_pick_forced(struct rig *r, int cpu, bool may_balance, struct task **next)
{
	struct pick_decision d;

	sched_pick_decide(r->s, r->now, cpu, &d);
	assert_int_equal(!d.next, d.nr_runnable == 0);
	if (!d.next && may_balance && !sched_pick_empty(r->s, r->now, cpu))
		return false;
	*next = (struct task *)d.next;
	assert_int_equal(sched_pick_commit(r->s, r->now, cpu, *next), 0);
	return true;
}

static inline bool rig_pick(struct rig *r, int cpu, bool may_balance, struct task **next)
{
	if (r->forced)
		return rig_pick_forced(r, cpu, may_balance, next);
	return sched_pick(r->s, r->now, cpu, may_balance, next);
}

/* the CPU goes through schedule() once; going idle it looks for work and stops its tick */
static inline void rig_schedule(struct rig *r, int cpu)
{
	struct task *prev = sched_current(r->s, cpu), *next;

	if (!rig_pick(r, cpu, true, &next)) {
		r->newidle_moved += rig_walk(r, cpu, WALK_NEWIDLE);
		assert_true(rig_pick(r, cpu, false, &next));
	}
	sched_switch_done(r->s, r->now, cpu, next != prev ? prev : NULL);
	if (!next)
		sched_nohz_enter(r->s, r->now, cpu);
}

static inline void rig_push(struct rig *r, int cpu)
{
	sched_stop_begin(r->s, r->now, cpu);
	r->pushed += sched_active_balance(r->s, r->now, cpu);
	sched_stop_end(r->s, r->now, cpu);
	rig_schedule(r, cpu);
}

static inline void rig_migrate(struct rig *r, const struct sched_out *out)
{
	sched_stop_begin(r->s, r->now, out->cpu);
	sched_stop_migrate(r->s, r->now, out->cpu, out->p, (int)out->arg);
	sched_stop_end(r->s, r->now, out->cpu);
	rig_schedule(r, out->cpu);
}

static inline void rig_handle_requests(struct rig *r)
{
	struct sched_out out;

	while (sched_next_out(r->s, &out)) {
		switch (out.kind) {
		case OUT_RESCHED:
		case OUT_RESCHED_LAZY:
			rig_schedule(r, out.cpu);
			break;
		case OUT_SOFTIRQ:
			r->periodic_moved += rig_walk(r, out.cpu, WALK_PERIODIC);
			break;
		case OUT_NOHZ_KICK:
			r->nohz_moved += rig_walk(r, out.cpu, WALK_NOHZ);
			break;
		case OUT_ACTIVE_BALANCE:
			rig_push(r, out.cpu);
			break;
		case OUT_STOP_MIGRATE:
			rig_migrate(r, &out);
			break;
		case OUT_STOP_DRAIN:
		case OUT_TIMER:
		case OUT_RT_PUSH:
		case OUT_HRTICK:
		case OUT_THROTTLE:
		case OUT_UCLAMP:
		case OUT_PSI:
			break;
		}
	}
}

/* one tick of every CPU whose tick runs */
static inline void rig_tick(struct rig *r)
{
	struct sched *s = r->s;

	r->now = (r->now / s->tick_ns + 1) * s->tick_ns;
	for (int c = 0; c < s->nr_cpus; c++) {
		if (!s->rq[c].nr_running && s->rq[c].nohz_idle)
			continue;
		sched_tick(s, r->now, c);
		rig_handle_requests(r);
	}
}

static inline struct sched_domain *rig_domain(struct rig *r, int cpu, const char *name)
{
	struct sched_domain *sd;

	for_each_domain(cpu_rq(r->s, cpu), sd)
		if (!strcmp(sd->name, name))
			return sd;
	fail_msg("CPU %d has no domain %s", cpu, name);
	return NULL;
}

#endif
