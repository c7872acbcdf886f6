// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "sched/domains.h"
#include "sched/internal.h"

struct sched_domains {
	struct sched s; /* bare: only what sched_build_domains() needs and fills */
};

struct sched_domains *sched_domains_new(const struct sched_topology *topo,
					const struct sched_kernel *k, struct err *err)
{
	struct sched_domains *d = calloc(1, sizeof(*d));
	struct sched *s;

	if (!d)
		goto nomem;
	s = &d->s;
	s->topo = topo;
	s->k = *k;
	s->nr_cpus = topo->nr_cpus;
	s->words = mask_words(topo->nr_cpus);
	s->nr_online = topo->nr_cpus;
	s->arena = arena_new();
	if (s->arena) {
		s->rq = arena_array(s->arena, topo->nr_cpus, sizeof(*s->rq));
		s->online = arena_array(s->arena, s->words, sizeof(u64));
	}
	if (!s->rq || !s->online)
		goto nomem;
	mask_fill(s->online, s->nr_cpus);
	if (root_domains_init(s))
		goto nomem;
	if (!sched_build_domains(s, err))
		return d;
	sched_domains_free(d);
	return NULL;
nomem:
	err_set(err, -ENOMEM, "domains: out of memory");
	sched_domains_free(d);
	return NULL;
}

void sched_domains_free(struct sched_domains *d)
{
	if (d) {
		arena_free(d->s.dom_arena);
		arena_free(d->s.rd_arena);
		arena_free(d->s.arena);
	}
	free(d);
}

int sched_domains_count(const struct sched_domains *d, int cpu)
{
	const struct sched_domain *sd;
	int n = 0;

	for_each_domain(cpu_rq(&d->s, cpu), sd)
		n++;
	return n;
}

bool sched_domains_get(const struct sched_domains *d, int cpu, int i, struct sched_domain_view *v)
{
	const struct sched_domain *sd = cpu_rq(&d->s, cpu)->sd;
	const struct sched_group *g;

	while (sd && i--)
		sd = sd->parent;
	if (!sd)
		return false;
	*v = (struct sched_domain_view){
		.name = sd->name,
		.span = sd->span,
		.weight = sd->weight,
		.level = sd->level,
		.min_interval = sd->min_interval,
		.max_interval = sd->max_interval,
		.busy_factor = sd->busy_factor,
		.imbalance_pct = sd->imbalance_pct,
		.cache_nice_tries = sd->cache_nice_tries,
		.imb_numa_nr = sd->imb_numa_nr,
		.first_group = sd->groups,
		.next_group = sd->groups,
	};
	sched_domain_flag_names(&d->s, sd->flags, v->flags, sizeof(v->flags));
	sched_domain_flag_names(&d->s, sd->local_flags, v->groups_flags, sizeof(v->groups_flags));
	g = sd->groups;
	do {
		v->nr_groups++;
		g = g->next;
	} while (g != sd->groups);
	return true;
}

bool sched_domains_next_group(struct sched_domain_view *v, struct sched_group_view *view)
{
	const struct sched_group *g = v->next_group;

	if (!g)
		return false;
	*view = (struct sched_group_view){
		.span = g->span,
		.balance_mask = g->balance_mask,
		.weight = g->weight,
		.capacity = g->sgc->capacity,
		.balance_cpu = g->balance_cpu,
	};
	v->next_group = g->next == v->first_group ? NULL : g->next;
	return true;
}

size_t sched_domains_bytes(const struct sched_domains *d)
{
	return arena_bytes(d->s.arena) + arena_bytes(d->s.dom_arena);
}

int sched_domains_llc_id(const struct sched_domains *d, int cpu)
{
	return cpu_rq(&d->s, cpu)->llc_id;
}

int sched_domains_share_id(const struct sched_domains *d, int cpu)
{
	return cpu_rq(&d->s, cpu)->share_id;
}
