// SPDX-License-Identifier: BSD-2-Clause
/*
 * core.c - the life of a core: created, booted, destroyed.
 */
#include <errno.h>

#include "base/arena.h"
#include "sched/class.h"

/* state of a run queue before anything ran (spec 14 §0) */
#define BOOT_AVG_IDLE		   (1 * NSEC_PER_MSEC)
#define BOOT_MAX_IDLE_BALANCE_COST (500 * NSEC_PER_USEC)

static u64 *new_mask(struct sched *s)
{
	return arena_array(s->arena, s->words, sizeof(u64));
}

static int alloc_state(struct sched *s)
{
	u64 **mask[] = {&s->online,	&s->idle_mask,	&s->busy_mask,
			&s->load_mask,	&s->nohz_mask,	&s->scratch[0],
			&s->scratch[1], &s->scratch[2], &s->scratch[3]};

	s->rq = arena_array(s->arena, s->nr_cpus, sizeof(*s->rq));
	s->root_tg.shares = (u64)NICE_0_WEIGHT << WEIGHT_SHIFT;
	s->root_tg.cfs_rq = arena_array(s->arena, s->nr_cpus, sizeof(*s->root_tg.cfs_rq));
	s->root_tg.se = arena_array(s->arena, s->nr_cpus, sizeof(*s->root_tg.se));
	list_add_tail(&s->root_tg.node, &s->groups);
	if (!s->rq || !s->root_tg.cfs_rq || !s->root_tg.se)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(mask); i++) {
		*mask[i] = new_mask(s);
		if (!*mask[i])
			return -ENOMEM;
	}
	return 0;
}

static s64 tunable(const struct sched *s, enum sched_tunable t)
{
	s64 v = sched_tunable(&s->k, t, s->nr_cpus);

	return v == TUNABLE_NA ? 0 : v;
}

static void read_tunables(struct sched *s)
{
	s->sysctl_latency = tunable(s, TUN_latency_ns);
	s->sysctl_min_granularity = tunable(s, TUN_min_granularity_ns);
	s->sysctl_wakeup_granularity = tunable(s, TUN_wakeup_granularity_ns);
	s->sysctl_idle_min_granularity = tunable(s, TUN_idle_min_granularity_ns);
	s->base_slice = tunable(s, TUN_base_slice_ns);
	s->base_slice_normalised =
		s->base_slice ? sched_tunable_normalised(&s->k, TUN_base_slice_ns, s->nr_cpus) : 0;
	s->migration_cost = tunable(s, TUN_migration_cost_ns);
	s->nr_migrate = (int)tunable(s, TUN_nr_migrate);
}

static void init_rq(struct sched *s, int cpu)
{
	struct rq *rq = &s->rq[cpu];

	rq->cpu = cpu;
	rq->online = true;
	rq->curr_is_idle = true;
	rq->sums_stale = true; /* until group_sums_build() */
	rq->nohz_busy_counted = true;
	rq->freq_scale = SCHED_CAPACITY_SCALE;
	rq->cpu_capacity = rq->cpu_capacity_orig = s->topo->cpu[cpu].capacity;
	rq->avg_idle = BOOT_AVG_IDLE;
	rq->wake_avg_idle = BOOT_AVG_IDLE;
	rq->max_idle_balance_cost = BOOT_MAX_IDLE_BALANCE_COST;
	rq->push_cpu = -1;
	rq->distribute_cursor = -1;
	rq->llc_id = rq->share_id = cpu;
	rq->llc_size = 1;
	list_init(&rq->cfs_tasks);
	list_init(&rq->leaf_cfs_rq_list);
	list_init(&rq->wake_list);
	list_init(&rq->walk.held);
	s->root_tg.cfs_rq[cpu] = &rq->cfs;
	fair_init_rq(s, rq);
}

static int build(struct sched *s, struct err *err)
{
	int rc;

	if (alloc_state(s))
		return err_set(err, -ENOMEM, "no memory for a machine of %d CPUs", s->nr_cpus);
	read_tunables(s);
	mask_fill(s->online, s->nr_cpus);
	for (int c = 0; c < s->nr_cpus; c++) {
		init_rq(s, c);
		s->max_capacity = max(s->max_capacity, s->rq[c].cpu_capacity_orig);
	}
	if (root_domains_init(s))
		return err_set(err, -ENOMEM, "no memory for a machine of %d CPUs", s->nr_cpus);
	rc = sched_build_domains(s, err);
	if (!rc)
		rc = classes_init(s, err);
	if (!rc)
		rc = uclamp_init(s, err);
	if (rc)
		return rc;
	if (group_sums_build(s))
		return err_set(err, -ENOMEM, "no memory for a machine of %d CPUs", s->nr_cpus);
	for (int i = 0; i < s->nr_llcs; i++)
		s->llc[i].nr_busy_cpus = s->llc[i].nr_cpus;
	for (int c = 0; c < s->nr_cpus; c++)
		rq_update_idle(s, &s->rq[c]);
	return 0;
}

struct sched *sched_create(const struct sched_topology *topo, const struct sched_kernel *k,
			   const struct sched_host *host, u64 seed, struct err *err)
{
	struct arena *arena;
	struct sched *s;

	if (sched_kernel_check_built(k, err))
		return NULL;
	if (host->hz < 1 || host->hz > 10000) {
		err_set(err, -EINVAL, "%d ticks per second: expected 1 to 10000", host->hz);
		return NULL;
	}
	arena = arena_new();
	s = arena ? arena_alloc(arena, sizeof(*s)) : NULL;
	if (!s) {
		arena_free(arena);
		err_set(err, -ENOMEM, "no memory for a scheduler core");
		return NULL;
	}
	s->arena = arena;
	s->topo = topo;
	s->k = *k;
	s->host = *host;
	s->tick_ns = NSEC_PER_SEC / host->hz;
	s->nr_cpus = s->nr_online = topo->nr_cpus;
	s->words = mask_words(topo->nr_cpus);
	rng_init(&s->rng, seed, 0);
	list_init(&s->groups);
	list_init(&s->free_tasks);
	list_init(&s->chunks);
	if (build(s, err)) {
		sched_destroy(s);
		return NULL;
	}
	return s;
}

void sched_destroy(struct sched *s)
{
	if (!s)
		return;
	arena_free(s->dom_arena);
	arena_free(s->rd_arena);
	arena_free(s->arena);
}
