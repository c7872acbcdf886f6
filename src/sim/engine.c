/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine.c - a run: its making, and the loop that lets time pass.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/psi.h"
#include "sim/engine.h"

/* Idle stamps lie up to 4 s in the past of the start (spec 14 §0). */
#define BOOT_NS	   (10 * NSEC_PER_SEC)
#define SLOTS_STEP 256

/* ---- making ---- */

int engine_grow(struct sim *sim)
{
	u32 cap = sim->cap_slots ? sim->cap_slots * 2 : SLOTS_STEP;
	struct sim_task **slot = realloc(sim->slot, cap * sizeof(*slot));
	u128 *key = realloc(sim->timers.key, cap * sizeof(*key));
	u32 *pos = realloc(sim->timers.pos, cap * sizeof(*pos));

	if (slot)
		sim->slot = slot;
	if (key)
		sim->timers.key = key;
	if (pos)
		sim->timers.pos = pos;
	if (!slot || !key || !pos)
		return -ENOMEM;
	memset(pos + sim->cap_slots, 0, (cap - sim->cap_slots) * sizeof(*pos));
	sim->timers.cap = sim->cap_slots = cap;
	return 0;
}

static int alloc_state(struct sim *sim)
{
	u128 *key;
	u32 *pos;

	sim->cpu = arena_array(sim->arena, sim->nr_cpus, sizeof(*sim->cpu));
	sim->tick_mask = arena_array(sim->arena, sim->words, sizeof(u64));
	sim->one_cpu = arena_array(sim->arena, sim->words, sizeof(u64));
	sim->cpuset_scratch = arena_array(sim->arena, sim->words, sizeof(u64));
	sim->common_cpus = arena_array(sim->arena, sim->words, sizeof(u64));
	sim->llc_streams = arena_array(sim->arena, sim->topo->nr_llcs, sizeof(u64));
	sim->permille = arena_array(sim->arena, sim->topo->nr_nodes, sizeof(u32));
	sim->piece_permille = arena_array(sim->arena, sim->topo->nr_nodes, sizeof(u32));
	sim->rates = rates_new(sim->arena, sim->m);
	sim->mem = memory_new(sim->arena, sim->m);
	if (!sim->cpu || !sim->tick_mask || !sim->one_cpu || !sim->cpuset_scratch ||
	    !sim->common_cpus || !sim->llc_streams || !sim->permille || !sim->piece_permille || !sim->rates ||
	    !sim->mem || cgroups_init(sim))
		return -ENOMEM;
	if (!due_init(&sim->cpus, sim->arena, sim->nr_cpus))
		return -ENOMEM;
	key = arena_array(sim->arena, sim->nr_cpus, sizeof(*key));
	pos = arena_array(sim->arena, sim->nr_cpus, sizeof(*pos));
	if (!key || !pos)
		return -ENOMEM;
	heap_init(&sim->class_timers, key, pos, sim->nr_cpus);
	return engine_grow(sim);
}

/* The run starts at a random phase of the tick (spec 14 §3). */
static void set_clock(struct sim *sim, u64 seed)
{
	struct rng phase;

	rng_init(&phase, seed, STREAM_PHASE);
	sim->tick_ns = NSEC_PER_SEC / sim->m->hz;
	sim->start = BOOT_NS;
	if (!sim->p.no_noise)
		sim->start += rng_below(&phase, sim->tick_ns);
	sim->now = sim->acct_at = sim->start;
	sim->next_tick = NEVER;
}

static u64 price(void *ctx, int cpu, const struct sched_work *w)
{
	const struct sim *sim = ctx;

	return machine_price((void *)sim->m, cpu, w);
}

/* isolated CPUs have no domains, and no tasks but those bound to them (isolcpus=) */
static int isolate(struct sim *sim, struct err *err)
{
	const u64 *common = sim->common_cpus;

	mask_fill(sim->common_cpus, sim->nr_cpus);
	if (!sim->p.isolated)
		return 0;
	mask_andnot(sim->common_cpus, sim->common_cpus, sim->p.isolated, sim->words);
	if (mask_empty(common, sim->words))
		return err_set(err, -EINVAL, "every CPU is isolated: leave one for the others");
	for (int i = 0; i < sim->nr_cpus; i++)
		sim->cpu[i].isolated = !mask_test(common, i);
	sim->some_isolated = true;
	return sched_set_partitions(sim->sched, 0, 1, &common, err);
}

static void nr_running(void *ctx, int cpu, int nr)
{
	struct sim *sim = ctx;

	sim->p.nr_running(sim->p.nr_running_ctx, sim->now - sim->start, cpu, nr);
}

static int boot(struct sim *sim, const struct sched_kernel *k, struct err *err)
{
	struct sched_host host = {
		.ctx = sim,
		.price = price,
		.migrate = task_migrates,
		.nr_running = sim->p.nr_running ? nr_running : NULL,
		.hz = sim->m->hz,
		.cpuidle = sim->m->cpuidle,
		.may_preempt_kernel = true,
	};
	u64 seed = sim->p.no_noise ? 0 : sim->p.seed;
	struct rng rng;

	rng_init(&rng, seed, STREAM_BOOT);
	rng_init(&sim->rng_noise, seed, STREAM_NOISE);
	rng_init(&sim->rng_slack, seed, STREAM_SLACK);
	rng_init(&sim->rng_workload, sim->p.seed, STREAM_WORKLOAD);
	sim->sched = sched_create(sim->topo, k, &host, seed, err);
	if (!sim->sched)
		return err ? err->code : -EINVAL;
	if (isolate(sim, err))
		return -EINVAL;
	set_clock(sim, seed);
	sched_boot(sim->sched, sim->now, &rng);
	for (int i = 0; i < sim->nr_cpus; i++) {
		sim->cpu[i].id = i;
		idle_init(sim, &sim->cpu[i]);
	}
	handle_outs(sim);
	sim->next_mm = 1; /* threads of the workload share this one */
	if (noise_init(sim))
		return err_set(err, -ENOMEM, "no memory for background tasks");
	return 0;
}

static int alloc_busy_costs(struct sim *sim)
{
	if (!sim->m->kernel_busy_scale)
		return 0;
	sim->busy_cost = arena_array(sim->arena, sim->nr_cpus + 1, sizeof(*sim->busy_cost));
	if (!sim->busy_cost)
		return -ENOMEM;
	for (int busy = 0; busy <= sim->nr_cpus; busy++)
		machine_busy_costs(sim->m, busy, &sim->busy_cost[busy]);
	return 0;
}

struct sim *sim_new(const struct machine *m, const struct sched_kernel *k,
		    const struct sim_params *p, struct err *err)
{
	struct arena *arena = arena_new();
	struct sim *sim = arena ? arena_alloc(arena, sizeof(*sim)) : NULL;

	if (!sim) {
		arena_free(arena);
		err_set(err, -ENOMEM, "no memory for a simulation");
		return NULL;
	}
	sim->arena = arena;
	sim->m = m;
	sim->cost = &m->cost;
	sim->topo = &m->topo;
	sim->p = *p;
	sim->nr_cpus = m->topo.nr_cpus;
	sim->words = mask_words(sim->nr_cpus);
	sim->copy_ps = m->bw.core_llc ? 1000 * NSEC_PER_SEC / m->bw.core_llc : 0;
	for (int d = 0; d < NR_DISTANCES; d++)
		sim->data_line_ps[d] = m->line_ns[d] * 1000ULL / max(m->mlp, 1u);
	if (p->waste)
		sim->waste = waste_new(arena, sim->topo);
	if (alloc_busy_costs(sim) || alloc_state(sim) || (p->waste && !sim->waste)) {
		err_set(err, -ENOMEM, "no memory to simulate %d CPUs", sim->nr_cpus);
		goto fail;
	}
	sim->psi_at = NEVER;
	if (boot(sim, k, err))
		goto fail;
	if (p->pressure && sched_psi_enable(sim->sched, sim->now, err))
		goto fail;
	if (p->cgroups && sim_cgroup_tree(sim, p->cgroups, err))
		goto fail;
	if (p->begin)
		p->begin(p->begin_ctx, sim);
	return sim;
fail:
	sim_free(sim);
	return NULL;
}

void sim_free(struct sim *sim)
{
	if (!sim)
		return;
	sched_destroy(sim->sched);
	free(sim->slot);
	free(sim->timers.key);
	free(sim->timers.pos);
	free(sim->spawned);
	free(sim->account);
	arena_free(sim->arena);
}

struct sim_task *sim_spawn(struct sim *sim, const struct sim_spawn *what, struct err *err)
{
	struct sim_task *t;

	if (sim->nr_spawned == sim->cap_spawned) {
		int cap = sim->cap_spawned ? sim->cap_spawned * 2 : SLOTS_STEP;
		struct sim_task **more = realloc(sim->spawned, cap * sizeof(*more));

		if (!more)
			goto no_memory;
		sim->spawned = more;
		sim->cap_spawned = cap;
	}
	if (what->allowed && mask_empty(what->allowed, sim->words)) {
		err_set(err, -EINVAL, "task %s may run on no CPU: give it at least one of %d",
			what->comm ? what->comm : "", sim->nr_cpus);
		return NULL;
	}
	t = task_alloc(sim, what, NULL);
	if (!t)
		goto no_memory;
	t->kept = true;
	sim->spawned[sim->nr_spawned++] = t;
	sim->nr_live++;
	return t;
no_memory:
	err_set(err, -ENOMEM, "no memory for task %d", sim->nr_spawned + 1);
	return NULL;
}

struct sim_task *sim_spawn_asleep(struct sim *sim, const struct sim_spawn *what, int cpu,
				  int irq_cpu, u64 at, struct err *err)
{
	struct sim_task *t = task_alloc(sim, what, NULL);

	if (!t || task_born_asleep(sim, t, cpu)) {
		err_set(err, -ENOMEM, "no memory for task %d", sim->nr_slots + 1);
		return NULL;
	}
	t->kept = true;
	sim->nr_live++;
	if (at == NEVER) {
		t->pair_sleeping = true;
		t->wait_what = "being woken by another task";
		sim->nr_blocked++;
	} else {
		t->timed = t->exact = true;
		t->wait_what = "an interrupt";
		task_start_at(sim, t, irq_cpu, time_after(sim->start, at));
	}
	return t;
}

/* ---- running ---- */

/* Changes come first, and timers before the tick. */
static void other_event(struct sim *sim)
{
	if (unlikely(change_time(sim) == sim->now)) {
		change_due(sim);
	} else if (heap_time(&sim->timers) == sim->now) {
		struct sim_task *t = sim->slot[heap_id(&sim->timers)];

		heap_remove(&sim->timers, t->slot);
		timer_expired(sim, t);
	} else if (heap_time(&sim->class_timers) == sim->now) {
		u32 cpu = heap_id(&sim->class_timers);

		heap_remove(&sim->class_timers, cpu);
		class_timer_expired(sim, &sim->cpu[cpu]);
	} else if (sim->psi_at == sim->now) {
		sim->psi_at = NEVER;
		sched_psi_update(sim->sched, sim->now);
		handle_outs(sim);
	} else {
		tick_all(sim);
	}
	arm_others(sim);
}

/* What may come after any event but rarely does. Return: 1: go on, 0: the end, or an error */
static int after_event(struct sim *sim, struct err *err)
{
	if (sim->p.check && !sim->fail.code)
		check_engine(sim, &sim->fail);
	if (sim->fail.code)
		return err_set(err, sim->fail.code, "%s", sim->fail.msg);
	if (!sim->nr_live || sim->stopped)
		return 0;
	if (sim->nr_blocked < sim->nr_live || sim->nr_works)
		return 1;
	deadlock_message(sim, err);
	return -EDEADLK;
}

static int run(struct sim *sim, struct err *err)
{
	u64 end = sim->p.max_ns ? sim->start + sim->p.max_ns : NEVER;
	int rc = sim->nr_live && !sim->stopped;

	arm_others(sim);
	while (likely(rc > 0)) {
		u64 at = due_time(&sim->cpus);
		bool other = sim->other_at <= at;

		if (other)
			at = sim->other_at;
		if (sim->rates_dirty && at > sim->now) {
			rates_apply(sim);
			continue;
		}
		if (unlikely(at >= end)) {
			sim->now = end;
			return 0;
		}
		sim->now = at;
		if (unlikely(other))
			other_event(sim);
		else
			cpu_event(sim, &sim->cpu[due_id(&sim->cpus)]);
		if (unlikely(sim->p.check || sim->stopped || sim->fail.code ||
			     sim->nr_blocked == sim->nr_live))
			rc = after_event(sim, err);
	}
	return rc;
}

int sim_run(struct sim *sim, struct err *err)
{
	int rc;

	if (sim->nr_spawned && init_start(sim))
		return err_set(err, -ENOMEM, "no memory for init");
	rc = run(sim, err);
	account_waiting(sim);
	return rc;
}

void sim_stop(struct sim *sim)
{
	sim->stopped = true;
}

void sim_cancel(struct sim *sim)
{
	if (!sim->fail.code)
		err_set(&sim->fail, -ECANCELED, "the run was stopped from outside");
}

u64 sim_now(const struct sim *sim)
{
	return sim->now - sim->start;
}

u64 sim_uptime(const struct sim *sim)
{
	return sim->now;
}

const u64 *sim_common_cpus(const struct sim *sim)
{
	return sim->common_cpus;
}

struct arena *sim_arena(struct sim *sim)
{
	return sim->arena;
}

struct rng *sim_rng(struct sim *sim)
{
	return &sim->rng_workload;
}

const struct machine *sim_machine(const struct sim *sim)
{
	return sim->m;
}

struct sched *sim_sched(struct sim *sim)
{
	return sim->sched;
}

int sim_nr_tasks(const struct sim *sim)
{
	return sim->nr_live;
}
