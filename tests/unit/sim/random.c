// SPDX-License-Identifier: BSD-2-Clause
/*
 * Random worlds: every kind of step and object, all kernels, several shapes of
 * machine, with the invariants recounted at every event. A failure names its
 * seed; a run of the same seed repeats it. Some worlds are large, many are small:
 * IDLEST_RANDOM_WORLDS and IDLEST_SMALL_WORLDS say how many, IDLEST_RANDOM_FIRST
 * the first seed.
 */
#include <stdlib.h>

#include "world.h"

#define NR_OBJECTS  4
#define MAX_CHANGES 16
#define MAX_WORDS   8
#define MAX_TASKS  24

/* checking each event is slow without optimisation, slower with a sanitizer */
#if defined(__SANITIZE_ADDRESS__)
#define SLOW_CHECKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLOW_CHECKS 1
#endif
#endif
#if defined(SLOW_CHECKS) || !defined(__OPTIMIZE__)
#define SMALL_WORLDS 300
#else
#define SMALL_WORLDS 10000
#endif

struct world {
	struct rng rng;
	const struct machine *m;
	struct sim_pipe *pipe[NR_OBJECTS];
	struct sim_mutex *mutex[NR_OBJECTS];
	struct sim_cond *cond;
	struct sim_sem *sem;
	struct sim_event *event;
	struct sim_barrier *barrier;
	struct sim_region *region;
	u64 *mask;
	int users;
	struct sim_spawn child;
	struct sim_workqueue *wq[2]; /* bound, unbound */
};

struct actor {
	struct world *w;
	struct actor *partner;
	struct sim_task *task;
	int role, left, phase, forks;
	int locked; /* mutex held, -1 none */
	bool helper;
	bool queued; /* work that it will wait for */
	struct sim_work work;
};

static u64 below(struct world *w, u64 n)
{
	return rng_below(&w->rng, n);
}

/* what needs no partner */
static void free_step(struct actor *a, struct sim_step *st)
{
	struct world *w = a->w;
	int words = mask_words(w->m->topo.nr_cpus), cpu;

	switch (below(w, 15)) {
	case 0:
		st->op = SIM_SLEEP;
		st->ns = below(w, 3 * MS);
		break;
	case 1:
		st->op = SIM_YIELD;
		break;
	case 2:
		st->op = SIM_SET_NICE;
		st->value = (int)below(w, 40) - 20;
		st->policy = (enum sched_policy)below(w, 3);
		break;
	case 3:
		st->op = SIM_SET_AFFINITY;
		mask_zero(w->mask, words);
		cpu = (int)below(w, w->m->topo.nr_cpus);
		for (int i = 0; i <= (int)below(w, 4); i++)
			mask_set(w->mask, (cpu + i) % w->m->topo.nr_cpus);
		if (!below(w, 3))
			mask_fill(w->mask, w->m->topo.nr_cpus);
		st->allowed = w->mask;
		break;
	case 4:
		st->op = SIM_IO;
		st->bytes = below(w, 10000);
		st->ns = below(w, 2) * below(w, 200 * US);
		break;
	case 5:
		st->op = SIM_EXEC;
		break;
	case 6:
		st->op = SIM_RUN_WALL;
		st->ns = below(w, 100 * US);
		break;
	case 7:
		st->op = SIM_SET_SLICE;
		st->ns = 100 * US + below(w, 5 * MS);
		break;
	case 8:
		st->op = SIM_RESUME;
		st->event = w->event;
		break;
	case 9:
		if (a->helper)
			break;
		st->op = a->forks++ & 1 ? SIM_WAIT_CHILD : SIM_FORK;
		st->spawn = &w->child;
		break;
	case 10:
		st->op = below(w, 2) ? SIM_STREAM : SIM_TOUCH;
		st->nr_pieces = 1;
		st->piece[0].region = w->region;
		st->piece[0].offset = below(w, 4) << 20;
		st->piece[0].bytes = 1 << 20;
		st->piece[0].read_bytes = below(w, 1 << 20);
		st->piece[0].write_bytes = below(w, 1 << 20);
		break;
	case 11:
		st->op = SIM_QUEUE_WORK;
		st->work = &a->work;
		st->ns = below(w, 2) * below(w, 100 * US);
		a->queued = true;
		break;
	default:
		st->op = SIM_RUN;
		st->ns = below(w, below(w, 10) ? 50 * US : 10 * MS);
		break;
	}
	if (st->op == SIM_EXIT)
		st->op = SIM_NOP;
}

static void pipe_step(struct actor *a, struct sim_step *st, bool reads)
{
	struct world *w = a->w;

	st->pipe = w->pipe[(a->role / 2) % NR_OBJECTS];
	st->bytes = 100;
	st->op = reads ? SIM_READ : SIM_WRITE;
}

static void pair_step(struct actor *a, struct sim_step *st)
{
	st->op = a->phase++ % 2 == (a->role & 1) ? SIM_SLEEP_FOREVER : SIM_WAKE_PAIR;
	st->task = a->partner->task;
}

static void lock_step(struct actor *a, struct sim_step *st)
{
	if (a->locked >= 0) {
		st->op = SIM_UNLOCK;
		st->mutex = a->w->mutex[a->locked];
		a->locked = -1;
	} else {
		a->locked = (int)below(a->w, NR_OBJECTS);
		st->op = SIM_LOCK;
		st->mutex = a->w->mutex[a->locked];
	}
}

static void sem_step(struct actor *a, struct sim_step *st)
{
	st->op = a->role & 1 ? SIM_SEM_POST : SIM_SEM_WAIT;
	st->sem = a->w->sem;
}

/* Every task does as many steps of its own as its partner, so that nothing hangs. */
static void actor_next(struct sim *sim, struct sim_task *t, struct sim_step *st)
{
	struct actor *a = sim_task_arg(t);
	int kind = (a->role / 2) % 6;

	if (a->queued && below(a->w, 2)) {
		a->queued = false;
		st->op = SIM_WAIT_COMPLETION;
		st->completion = a->work.done;
		return;
	}
	if (a->locked >= 0 && below(a->w, 2)) {
		lock_step(a, st);
		return;
	}
	if (a->helper ? a->left-- <= 0 : a->left <= 0) {
		if (a->locked >= 0)
			lock_step(a, st);
		return; /* SIM_EXIT */
	}
	if (a->locked >= 0 || a->helper || below(a->w, 3)) {
		if (kind == 2 && below(a->w, 2))
			lock_step(a, st);
		else
			free_step(a, st);
		return;
	}
	a->left--;
	switch (kind) {
	case 0:
	case 1:
		pipe_step(a, st, a->role & 1);
		break;
	case 2:
		lock_step(a, st);
		break;
	case 3:
		sem_step(a, st);
		break;
	case 4:
		st->op = SIM_BARRIER;
		st->barrier = a->w->barrier;
		break;
	default:
		pair_step(a, st);
		break;
	}
}

static const struct sim_program actor_program = { .name = "actor", .next = actor_next };

static void child_next(struct sim *sim, struct sim_task *t, struct sim_step *st)
{
	struct world *w = sim_task_arg(t);

	if (below(w, 3)) {
		st->op = below(w, 2) ? SIM_RUN : SIM_SLEEP;
		st->ns = below(w, 300 * US);
	}
}

static const struct sim_program child_program = { .name = "child", .next = child_next };

static const char *const shapes[] = {
	"core:1 pu:1", "core:2 pu:2", "pack:1 l3:2 core:2 pu:2", "pack:2 numa:1 l3:2 core:2 pu:2",
	"qemu",
};
static const char *const kernels[] = {
	"v5.7", "v5.10", "v5.19-tip", "v6.1",  "v6.1.192",
	"v6.6", "v6.12", "v6.12.95",  "v6.18", "v7.3",
	"v5.7,+OPTTTWU", "v5.7,+LOCALWAKELIST,+WITHOUT_KTHREAD_STACK",
	"v5.19-tip,+CLUSTER_V7,+SIS_SHORT_V1", "v5.19-tip,+CLUSTER_MERGED,+SIS_SHORT_V2",
	"v6.1,+SIS_SHORT_V3", "v6.1,+SIS_SHORT_V4,+SIS_CACHE", "v5.18,+SIS_SHORT_V5,+NUMA_IMB_EIGHTH",
	"v6.6,+SIS_CURRENT", "v6.1,+SIS_CURRENT,+SIS_CACHE,NO_TTWU_QUEUE",
};

static void make_objects(struct world *w, struct sim *sim, int pairs)
{
	struct err err = { 0 };

	for (int i = 0; i < NR_OBJECTS; i++) {
		w->pipe[i] = sim_pipe_new(sim, i & 1 ? PIPE_SOCKET : PIPE_PIPE);
		w->mutex[i] = sim_mutex_new(sim);
	}
	w->sem = sim_sem_new(sim, 0);
	w->event = sim_event_new(sim);
	for (int i = 0; i < 2; i++)
		w->wq[i] = sim_workqueue_new(sim, i);
	w->users = 0;
	for (int i = 0; i < 2 * pairs; i++)
		w->users += (i / 2) % 6 == 4;
	w->barrier = sim_barrier_new(sim, w->users, below(w, 2) * below(w, 100 * US));
	w->region = sim_region_new(sim, 8 << 20, &err);
	assert_non_null(w->region);
	w->mask = arena_array(sim_arena(sim), mask_words(w->m->topo.nr_cpus), sizeof(u64));
	w->child = (struct sim_spawn){
		.comm = "child", .program = &child_program, .arg = w, .process = below(w, 2)
	};
}

/* What is done to the machine meanwhile. */
struct fate {
	struct sim_change change[MAX_CHANGES];
	u64 mask[MAX_CHANGES + 1][MAX_WORDS];
	int nr;
	bool isolates;
};

static void draw_mask(struct rng *rng, u64 *mask, int nr_cpus)
{
	for (int c = 0; c < nr_cpus; c++)
		mask_assign(mask, c, rng_below(rng, 2));
	mask_set(mask, rng_below(rng, nr_cpus));
}

/* half of all machines have a quiet life */
static void draw_fate(struct fate *f, u64 seed, int nr_cpus)
{
	struct rng rng;
	u64 at = 0;

	assert_true(mask_words(nr_cpus) <= MAX_WORDS);
	rng_init(&rng, seed, 98);
	f->nr = rng_below(&rng, 2) ? (int)rng_below(&rng, MAX_CHANGES + 1) : 0;
	for (int i = 0; i < f->nr; i++) {
		at += rng_below(&rng, rng_below(&rng, 2) ? 100 * US : 2 * MS);
		draw_mask(&rng, f->mask[i], nr_cpus);
		f->change[i] = (struct sim_change){
			.at = at,
			.kind = (enum sim_change_kind)rng_below(&rng, 3),
			.cpu = (int)rng_below(&rng, nr_cpus),
			.comm = rng_below(&rng, 2) ? "actor" : "child",
			.cpus = f->mask[i],
		};
	}
	draw_mask(&rng, f->mask[MAX_CHANGES], nr_cpus);
	f->isolates = !rng_below(&rng, 4) &&
		      mask_weight(f->mask[MAX_CHANGES], mask_words(nr_cpus)) < nr_cpus;
}

static void run_world(u64 seed, int max_pairs, int max_steps)
{
	struct fate fate = { 0 };
	struct actor actors[MAX_TASKS] = { 0 };
	struct world w = { 0 };
	struct err err = { 0 };
	const char *shape, *kernel;
	struct machine *m;
	struct sim *sim;
	int pairs, steps;

	rng_init(&w.rng, seed, 99);
	shape = shapes[below(&w, ARRAY_SIZE(shapes))];
	kernel = kernels[below(&w, ARRAY_SIZE(kernels))];
	m = world_machine(shape);
	w.m = m;
	m->l2_bytes = 512 << 10;
	m->llc_bytes = below(&w, 2) * (8 << 20);
	m->bw.core = m->bw.core_llc = 10000000000;
	m->cpuidle = below(&w, 2);
	m->irq_jitter_ns = below(&w, 2) * 3000;
	m->cstate[0].polling = below(&w, 2);
	m->nr_cstates = 2;
	m->cstate[1] = (struct machine_cstate){ .exit_ns = 20000,
						.table_exit_ns = 1000,
						.residency_ns = 2000 };
	draw_fate(&fate, seed, m->topo.nr_cpus);
	sim = world_new(m, kernel,
			&(struct sim_params){ .seed = seed,
					      .check = true,
					      .max_ns = 5 * NSEC_PER_SEC,
					      .isolated = fate.isolates ? fate.mask[MAX_CHANGES] : NULL,
					      .change = fate.change,
					      .nr_changes = fate.nr });
	pairs = 1 + (int)below(&w, max_pairs);
	steps = (int)below(&w, max_steps);
	make_objects(&w, sim, pairs);
	for (int i = 0; i < 2 * pairs; i++) {
		struct actor *a = &actors[i];

		*a = (struct actor){
			.w = &w, .role = i, .left = steps, .locked = -1, .partner = &actors[i ^ 1]
		};
		a->work = (struct sim_work){ .wq = w.wq[below(&w, 2)],
					     .run_ns = below(&w, 20 * US),
					     .sleep_ns = below(&w, 2) * below(&w, 200 * US),
					     .done = sim_completion_new(sim) };
		a->task = sim_spawn(
			sim,
			&(struct sim_spawn){ .comm = "actor",
					     .program = &actor_program,
					     .arg = a,
					     .footprint = below(&w, 2) * below(&w, 1 << 20),
					     .process = below(&w, 2) },
			&err);
		assert_non_null(a->task);
	}
	if (sim_run(sim, &err))
		fail_msg("world %llu (%s, %s, %d tasks): %s", (unsigned long long)seed, shape,
			 kernel, 2 * pairs, err.msg);
	if (sim_now(sim) >= 5 * NSEC_PER_SEC)
		fail_msg("world %llu (%s, %s, %d tasks) did not end", (unsigned long long)seed,
			 shape, kernel, 2 * pairs);
	sim_free(sim);
	machine_free(m);
}

static u64 from_env(const char *name, u64 otherwise)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 0) : otherwise;
}

static void worlds(void **state)
{
	u64 first = from_env("IDLEST_RANDOM_FIRST", 1), n = from_env("IDLEST_RANDOM_WORLDS", 60);

	for (u64 seed = first; seed < first + n; seed++)
		run_world(seed, MAX_TASKS / 2, 60);
}

static void small_worlds(void **state)
{
	u64 first = from_env("IDLEST_RANDOM_FIRST", 1);
	u64 n = from_env("IDLEST_SMALL_WORLDS", SMALL_WORLDS);

	for (u64 seed = first; seed < first + n; seed++)
		run_world(seed, 3, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worlds),
		cmocka_unit_test(small_worlds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
