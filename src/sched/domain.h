/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * domain.h - building domains: what the domain*.c files share. Nobody else includes it.
 *
 * Everything here lives while domains are built (in @tmp) but for the sets and groups, which
 * domains keep using (in the core's arena).
 */
#ifndef IDLEST_SCHED_DOMAIN_H
#define IDLEST_SCHED_DOMAIN_H

#include "base/arena.h"
#include "sched/internal.h"

/* A set of CPUs, one object for equal sets: pointers compare. */
struct cpu_set {
	u64 *bits;
	int weight, first;
	int lo_word, hi_word;
	u16 *word; /* those that aren't zero */
	int nr_words;
};

enum level_kind { LEVEL_SMT, LEVEL_CLS, LEVEL_MC, LEVEL_PKG, LEVEL_NODE, LEVEL_NUMA };

struct level {
	enum level_kind kind;
	const char *name;
	int flags;    /* that the level adds */
	int distance; /* NODE, NUMA: nodes up to here belong to the span */
};

/* One domain of one CPU before degenerate ones are removed. */
struct cell {
	struct cpu_set *span; /* NULL: the chain ended below */
	struct sched_group *groups;
	int flags;
	int local_flags; /* NUMA: of the CPU's own group, if other CPUs don't see them */
	int imb_numa_nr;
};

struct domain_build {
	struct sched *s;
	const struct sched_topology *t;
	const struct sched_rules *rules;
	struct arena *tmp;
	int nr_cpus, words;
	int nr_levels;
	struct level *level;
	struct cell *cell; /* [nr_levels][nr_cpus] */
	struct cpu_set **all;	/* [nr_rds]: the CPUs of each partition that take tasks */
	/* partitions of the machine by id, [id * words] */
	u64 *cores, *clusters, *llcs, *packages, *nodes;
	bool smt; /* some core has several threads */
	bool smt_online; /* … that take tasks */
	u64 *scratch;
	/* interned sets */
	struct cpu_set **table;
	size_t table_size, nr_sets;
};

static inline struct cell *cell_of(const struct domain_build *b, int level, int cpu)
{
	return &b->cell[(size_t)level * b->nr_cpus + cpu];
}

/* domain_levels.c: level list, spans, flags of the single domains */
int domain_build_levels(struct domain_build *b);
struct cpu_set *domain_intern(struct domain_build *b, const u64 *bits);

/* domain_prefer.c: asymmetric packing */
int domain_priorities(struct domain_build *b);
int domain_preferred(const struct domain_build *b, const struct cpu_set *span);

/* domain_groups.c */
int domain_build_groups(struct domain_build *b);

/* domain_attach.c: takes degenerate domains out; fills rq->sd and the shortcuts, s->llc */
int domain_attach_all(struct domain_build *b);

#endif
