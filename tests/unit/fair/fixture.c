/* SPDX-License-Identifier: BSD-2-Clause */
#include "fixture.h"

static u64 free_of_charge(void *ctx, int cpu, const struct sched_work *w)
{
	return 0;
}

/* one package, one LLC, one thread a core, all CPUs equal */
static void flat_topology(struct world *w, int nr_cpus)
{
	w->topo = (struct sched_topology){
		.nr_cpus = nr_cpus,
		.nr_cores = nr_cpus,
		.nr_clusters = 0,
		.nr_llcs = 1,
		.nr_packages = 1,
		.nr_nodes = 1,
		.cpu = w->cpu,
		.distance = w->distance,
		.node_reclaim_distance = 30,
		.x86 = true,
	};
	w->distance[0] = 10;
	for (int c = 0; c < nr_cpus; c++)
		w->cpu[c] = (struct topo_cpu){ .core = c, .cluster = -1, .capacity = 1024 };
}

void world_init(struct world *w, const char *kernel, int nr_cpus, int hz)
{
	struct sched_host host = { .price = free_of_charge, .hz = hz, .may_preempt_kernel = true };
	struct sched_kernel k;
	struct err err = { 0 };
	struct rng rng;

	*w = (struct world){ .now = BOOT };
	flat_topology(w, nr_cpus);
	if (sched_kernel_parse(kernel, &k, &err))
		fail_msg("%s: %s", kernel, err.msg);
	w->s = sched_create(&w->topo, &k, &host, 1, &err);
	if (!w->s)
		fail_msg("%s: %s", kernel, err.msg);
	rng_init(&rng, 1, 1);
	sched_boot(w->s, w->now, &rng);
	for (int c = 0; c < nr_cpus; c++) /* sums are to be those of the tasks */
		w->s->rq[c].cfs.avg.util_avg = w->s->rq[c].cfs.avg.util_sum = 0;
	world_drain(w);
}

void world_free(struct world *w)
{
	sched_destroy(w->s);
}

void world_drain(struct world *w)
{
	struct sched_out out;

	while (sched_next_out(w->s, &out))
		if (out.kind == OUT_HRTICK)
			w->hrtick[out.cpu] = w->now + out.arg;
}

void world_check(const struct world *w)
{
	struct err err = { 0 };

	if (sched_check(w->s, w->now, &err))
		fail_msg("at %llu: %s", (unsigned long long)w->now, err.msg);
}

struct task *world_spawn(struct world *w, int cpu, struct sched_task_attr attr)
{
	struct fork_decision d = { .target = cpu };
	struct task *p;

	attr.id = ++w->next_id;
	p = sched_task_new(w->s, &attr);
	assert_non_null(p);
	sched_fork_commit(w->s, w->now, attr.parent ? attr.parent->cpu : cpu, p, &d, cpu);
	sched_activate_new(w->s, w->now, cpu, p);
	world_drain(w);
	return p;
}

/* on every level */
static int nr_entities(const struct world *w, int cpu)
{
	int nr = cpu_rq(w->s, cpu)->cfs.nr_queued;
	struct task_group *g;

	list_for_each_entry(g, &w->s->groups, node)
		nr += g->cfs_rq[cpu]->nr_queued;
	return nr;
}

struct task *world_schedule(struct world *w, int cpu)
{
	const struct task *peeked = sched_pick_peek(w->s, w->now, cpu);
	struct task *prev = sched_current(w->s, cpu), *next = NULL;
	int nr = nr_entities(w, cpu);
	bool exact;

	assert_true(sched_pick(w->s, w->now, cpu, false, &next));
	/* a peek doesn't know the shares of groups that delayed entities left on the way */
	exact = nr == nr_entities(w, cpu) || list_empty(&w->s->groups) ||
		w->s->k.rules.delay != DELAY_ENTITIES;
	if (exact && peeked != next)
		fail_msg("%s at %llu: peek says task %d, pick task %d", w->s->k.expr,
			 (unsigned long long)w->now, peeked ? peeked->id : 0, next ? next->id : 0);
	if (next != prev)
		sched_switch_done(w->s, w->now, cpu, prev);
	world_drain(w);
	return next;
}

void world_settle(struct world *w)
{
	for (int c = 0; c < w->topo.nr_cpus; c++)
		if (sched_need_resched(w->s, c) || sched_need_resched_lazy(w->s, c))
			world_schedule(w, c);
}

void world_block(struct world *w, int cpu)
{
	sched_block(w->s, w->now, cpu, false);
	world_drain(w);
	world_schedule(w, cpu);
}

bool world_wake(struct world *w, struct task *p, int cpu)
{
	struct wake_query q = { .cpu = cpu, .p = p, .in_task = true };
	struct wake_decision d = { .path = WAKE_DIRECT, .target = cpu, .new_recent_used = -1 };
	bool preempts;

	if (p->on_rq)
		d = (struct wake_decision){ .path = WAKE_QUEUED, .target = p->cpu,
					    .new_recent_used = -1 };
	sched_wake_commit(w->s, w->now, &q, &d, d.target);
	if (d.path == WAKE_QUEUED)
		sched_wake_queued(w->s, w->now, cpu, p);
	else
		sched_activate(w->s, w->now, cpu, p);
	preempts = sched_need_resched(w->s, p->cpu) || sched_need_resched_lazy(w->s, p->cpu);
	world_drain(w);
	return preempts;
}

void world_tick(struct world *w)
{
	for (int c = 0; c < w->topo.nr_cpus; c++)
		sched_tick(w->s, w->now, c);
	world_drain(w);
}

static void fire_hrticks(struct world *w)
{
	for (int c = 0; c < w->topo.nr_cpus; c++)
		if (w->hrtick[c] && w->hrtick[c] <= w->now) {
			w->hrtick[c] = 0;
			sched_hrtick(w->s, w->now, c);
		}
	world_drain(w);
}

void world_run(struct world *w, u64 ns, u64 tick)
{
	u64 end = w->now + ns, next_tick = w->now + tick;

	while (w->now < end) {
		u64 t = min(end, next_tick);

		for (int c = 0; c < w->topo.nr_cpus; c++)
			if (w->hrtick[c] && w->hrtick[c] < t)
				t = w->hrtick[c];
		w->now = t;
		fire_hrticks(w);
		if (t == next_tick) {
			world_tick(w);
			next_tick += tick;
		}
		world_settle(w);
	}
}
