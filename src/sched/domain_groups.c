// SPDX-License-Identifier: BSD-2-Clause
/*
 * domain_groups.c - the groups of each domain (spec 01 §4.2-5).
 *
 * A group and its capacity are shared by all CPUs that have it. Below NUMA the groups of a domain
 * partition it, and its CPUs share one ring; at NUMA levels groups may overlap, and each CPU has
 * a ring of its own. CPUs that see the same groups in the same circular order share it, each
 * beginning at its own group: on most machines all do.
 */
#include <errno.h>
#include <string.h>

#include "sched/domain.h"

/* ---- one group ---- */

static void init_capacity(const struct domain_build *b, struct sched_group_capacity *sgc,
			  const struct cpu_set *span)
{
	int c;

	sgc->min_capacity = ~0UL;
	for_each_cpu(c, span->bits, b->words) {
		unsigned long cap = max(b->t->cpu[c].capacity, 1U);

		sgc->capacity += cap;
		sgc->min_capacity = min(sgc->min_capacity, cap);
		sgc->max_capacity = max(sgc->max_capacity, cap);
	}
}

static int count_cores(const struct domain_build *b, const struct cpu_set *span)
{
	int cores = 0, c;

	/* a core counts where its first thread inside the span is met */
	for_each_cpu(c, span->bits, b->words) {
		const u64 *core = b->cores + (size_t)b->t->cpu[c].core * b->words;

		cores += mask_next_and(core, span->bits, 0, b->words) == c;
	}
	return cores;
}

static struct sched_group *new_group(struct domain_build *b, const struct cpu_set *span,
				     const struct cpu_set *balance, int flags,
				     struct sched_group_capacity *sgc)
{
	struct sched_group *g = arena_alloc(b->s->dom_arena, sizeof(*g));

	if (!g)
		return NULL;
	g->next = g;
	g->span = span->bits;
	g->balance_mask = balance->bits;
	g->balance_cpu = balance->first;
	g->sgc = sgc;
	g->weight = span->weight;
	g->cores = count_cores(b, span);
	g->flags = flags;
	g->first_cpu = span->first;
	g->asym_prefer_cpu = b->s->asym_priority ? domain_preferred(b, span) : span->first;
	g->lo_word = span->lo_word;
	g->hi_word = span->hi_word;
	g->word = span->word;
	g->nr_words = span->nr_words;
	return g;
}

/* ---- levels whose groups partition the domain ---- */

/* the group that the domain of @cpu at @level contributes; one object, found by its first CPU */
static struct sched_group *partition_group(struct domain_build *b, int level, int cpu)
{
	const struct cell *child = level ? cell_of(b, level - 1, cpu) : NULL;
	struct sched_group **known;
	struct sched_group_capacity *sgc;
	struct cpu_set *span;

	if (child) {
		span = child->span;
	} else {
		mask_zero(b->scratch, b->words);
		mask_set(b->scratch, cpu);
		span = domain_intern(b, b->scratch);
		if (!span)
			return NULL;
	}
	known = &cell_of(b, level, span->first)->groups;
	if (*known)
		return *known;
	sgc = arena_alloc(b->s->dom_arena, sizeof(*sgc));
	if (!sgc)
		return NULL;
	init_capacity(b, sgc, span);
	return *known = new_group(b, span, span, child ? child->flags : 0, sgc);
}

/*
 * All CPUs of a domain link the same groups, each beginning at itself, so what its last CPU linked
 * is what stays.
 */
static int link_partition(struct domain_build *b, int level, const struct cpu_set *span)
{
	struct sched_group *first = NULL, *last = NULL;
	u64 left[b->words];
	int c = span->hi_word * 64 + 63 - __builtin_clzll(span->bits[span->hi_word]);

	mask_copy(left, span->bits, b->words);
	for (; c >= 0; c = mask_next_wrap(left, c, b->words)) {
		struct sched_group *g = partition_group(b, level, c);

		if (!g)
			return -ENOMEM;
		mask_andnot(left, left, g->span, b->words);
		mask_clear(left, c);
		if (last)
			last->next = g;
		else
			first = g;
		last = g;
		g->next = first;
	}
	return 0;
}

static int build_partition_level(struct domain_build *b, int level)
{
	for (int c = 0; c < b->nr_cpus; c++) {
		struct cell *cell = cell_of(b, level, c);

		if (cell->span && cell->span->first == c && link_partition(b, level, cell->span))
			return -ENOMEM;
	}
	for (int c = 0; c < b->nr_cpus; c++) {
		struct cell *cell = cell_of(b, level, c);

		if (cell->span && !cell->groups)
			cell->groups = partition_group(b, level, c);
	}
	return 0;
}

/* ---- NUMA levels ---- */

/* What domains at @level contribute as a group: a child's span, and who balances it. */
struct numa_group {
	struct numa_group *next;
	int level; /* of the domain whose child it is */
	struct cpu_set *span, *balance;
	int flags;
	struct sched_group_capacity *sgc;
};

/* Groups in the order one or more CPUs see them. */
struct ring {
	struct ring *next;
	int n;
	struct numa_group **seq;
	struct sched_group **group;
};

struct numa_build {
	struct domain_build *b;
	struct numa_group *groups;
	struct sched_group_capacity **sgc; /* [nr_levels][nr_cpus], by first CPU that balances */
	struct numa_group **seq;	   /* of the CPU being built */
	struct ring *rings;		   /* of the level being built */
};

static struct cpu_set *child_span(const struct domain_build *b, int level, int cpu)
{
	return level ? cell_of(b, level - 1, cpu)->span : NULL;
}

/* the CPUs of the group for which it is the child: those may balance it */
static struct cpu_set *balance_set(struct domain_build *b, int level, const struct cpu_set *span)
{
	bool any = false;
	int c;

	mask_zero(b->scratch, b->words);
	for_each_cpu(c, span->bits, b->words) {
		if (!cell_of(b, level, c)->span || child_span(b, level, c) != span)
			continue;
		mask_set(b->scratch, c);
		any = true;
	}
	if (!any)
		mask_set(b->scratch, span->first);
	return domain_intern(b, b->scratch);
}

static struct numa_group *numa_group(struct numa_build *nb, int level, int cpu)
{
	struct domain_build *b = nb->b;
	struct cpu_set *span = child_span(b, level, cpu) ?: cell_of(b, level, cpu)->span;
	struct sched_group_capacity **sgc;
	struct numa_group *g;

	for (g = nb->groups; g; g = g->next)
		if (g->span == span && g->level == level)
			return g;
	g = arena_alloc(b->tmp, sizeof(*g));
	if (!g)
		return NULL;
	g->level = level;
	g->span = span;
	g->flags = level ? cell_of(b, level - 1, cpu)->flags : 0;
	g->balance = balance_set(b, level, span);
	if (!g->balance)
		return NULL;
	sgc = &nb->sgc[(size_t)level * b->nr_cpus + g->balance->first];
	if (!*sgc) {
		*sgc = arena_alloc(b->s->dom_arena, sizeof(**sgc));
		if (!*sgc)
			return NULL;
		init_capacity(b, *sgc, span);
	}
	g->sgc = *sgc;
	g->next = nb->groups;
	nb->groups = g;
	return g;
}

static bool set_subset(const struct cpu_set *a, const struct cpu_set *b)
{
	for (int w = 0; w < a->nr_words; w++)
		if (a->bits[a->word[w]] & ~b->bits[a->word[w]])
			return false;
	return true;
}

/*
 * The level whose child is the group that CPU @i contributes to a domain spanning @span. Where
 * nodes are three or more hops apart the child may reach out of the domain: then a lower one.
 */
static int contributing_level(const struct domain_build *b, int level, const struct cpu_set *span,
			      int i)
{
	while (level && !set_subset(child_span(b, level, i), span))
		level--;
	return level;
}

/*
 * Where the walk over a domain begins. From the own CPU each gets its own group first, and groups
 * whose middle it is; from the first CPU of the span all get the same groups, in which nodes that
 * are far from each other may be together everywhere (GROUPS_OF_FIRST_CPU).
 */
static int sequence_start(const struct domain_build *b, const struct cpu_set *span, int cpu)
{
	return b->rules->numa_groups == NUMA_GROUPS_OF_FIRST_CPU ? span->first : cpu;
}

/* the sequence of groups that @cpu sees; Return: its length, or -ENOMEM */
static int numa_sequence(struct numa_build *nb, int level, int cpu)
{
	struct domain_build *b = nb->b;
	const struct cpu_set *span = cell_of(b, level, cpu)->span;
	u64 left[b->words];
	int n = 0;

	mask_copy(left, span->bits, b->words);
	for (int i = sequence_start(b, span, cpu); i >= 0; i = mask_next_wrap(left, i, b->words)) {
		struct numa_group *g;

		mask_clear(left, i);
		/* where distances are lopsided, some chains end below this level */
		if (!cell_of(b, level, i)->span)
			continue;
		g = numa_group(nb, contributing_level(b, level, span, i), i);
		if (!g)
			return -ENOMEM;
		for (int w = 0; w < g->span->nr_words; w++)
			left[g->span->word[w]] &= ~g->span->bits[g->span->word[w]];
		nb->seq[n++] = g;
	}
	return n;
}

static struct ring *new_ring(struct numa_build *nb, int n)
{
	struct domain_build *b = nb->b;
	struct ring *r = arena_alloc(b->tmp, sizeof(*r));

	if (!r)
		return NULL;
	r->seq = arena_array(b->tmp, n, sizeof(*r->seq));
	r->group = arena_array(b->tmp, n, sizeof(*r->group));
	if (!r->seq || !r->group)
		return NULL;
	memcpy(r->seq, nb->seq, n * sizeof(*r->seq));
	r->n = n;
	for (int i = 0; i < n; i++) {
		struct numa_group *ng = r->seq[i];

		r->group[i] = new_group(b, ng->span, ng->balance, ng->flags, ng->sgc);
		if (!r->group[i])
			return NULL;
		if (i)
			r->group[i - 1]->next = r->group[i];
		r->group[i]->next = r->group[0];
	}
	r->next = nb->rings;
	nb->rings = r;
	return r;
}

/* the sequence just built as a part of the circle @r; Return: where it begins there, -1: no */
static int begins_in_ring(const struct numa_build *nb, const struct ring *r, int n)
{
	int at = 0, tail;

	if (r->n != n)
		return -1;
	while (at < n && r->seq[at] != nb->seq[0])
		at++;
	if (at == n)
		return -1;
	tail = n - at;
	if (memcmp(r->seq + at, nb->seq, tail * sizeof(*nb->seq)) ||
	    memcmp(r->seq, nb->seq + tail, at * sizeof(*nb->seq)))
		return -1;
	return at;
}

static int build_numa_level(struct numa_build *nb, int level)
{
	struct domain_build *b = nb->b;

	nb->rings = NULL;
	for (int c = 0; c < b->nr_cpus; c++) {
		struct cell *cell = cell_of(b, level, c);
		struct ring *r;
		int n, at = 0;

		if (!cell->span)
			continue;
		n = numa_sequence(nb, level, c);
		if (n < 0)
			return n;
		for (r = nb->rings; r; r = r->next) {
			at = begins_in_ring(nb, r, n);
			if (at >= 0)
				break;
		}
		if (!r) {
			r = new_ring(nb, n);
			at = 0;
		}
		if (!r)
			return -ENOMEM;
		/* the local group: the own one, or the first of those seen from elsewhere */
		while (!mask_test(r->seq[at]->span->bits, c))
			at = (at + 1) % n;
		cell->groups = r->group[at];
		cell->local_flags = cell->groups->flags;
	}
	return 0;
}

int domain_build_groups(struct domain_build *b)
{
	struct numa_build nb = {.b = b};
	int ret = 0;

	nb.sgc = arena_array(b->tmp, (size_t)b->nr_levels * b->nr_cpus,
			     sizeof(struct sched_group_capacity *));
	nb.seq = arena_array(b->tmp, b->nr_cpus, sizeof(struct numa_group *));
	if (!nb.sgc || !nb.seq)
		return -ENOMEM;
	for (int l = 0; l < b->nr_levels && !ret; l++)
		ret = b->level[l].kind == LEVEL_NUMA ? build_numa_level(&nb, l)
						     : build_partition_level(b, l);
	return ret;
}
