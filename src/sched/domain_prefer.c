// SPDX-License-Identifier: BSD-2-Clause
/*
 * domain_prefer.c - which of two CPUs is better, where the firmware says so: asymmetric packing.
 *
 * Kernels up to 6.4 ranked the second thread of a core below the first one, so that it comes after
 * the small cores of a hybrid processor; newer ones leave it its core's rank, and ask instead
 * whether the whole core is idle (asym_idle_core).
 */
#include <errno.h>

#include "sched/domain.h"

static int most_threads(const struct domain_build *b)
{
	int most = 1;

	for (int c = 0; c < b->t->nr_cores; c++)
		most = max(most, mask_weight(b->cores + (size_t)c * b->words, b->words));
	return most;
}

/* the rank of @cpu among the threads of its core, from 1 */
static u32 thread_of(const struct domain_build *b, int cpu)
{
	const u64 *core = b->cores + (size_t)b->t->cpu[cpu].core * b->words;
	u32 n = 0;
	int c;

	for_each_cpu(c, core, b->words)
		n += c <= cpu;
	return n;
}

/**
 * domain_priorities() - fill s->asym_priority; none where the machine has none
 */
int domain_priorities(struct domain_build *b)
{
	struct sched *s = b->s;
	u64 threads = most_threads(b);

	if (!b->t->priority || !b->t->x86 || s->asym_priority)
		return 0;
	s->asym_priority = arena_array(s->arena, b->nr_cpus, sizeof(u32));
	if (!s->asym_priority)
		return -ENOMEM;
	for (int c = 0; c < b->nr_cpus; c++) {
		u64 thread = b->rules->asym_idle_core ? 0 : thread_of(b, c);

		s->asym_priority[c] =
			thread ? (u32)(b->t->priority[c] * threads / (thread * thread))
			       : b->t->priority[c];
	}
	return 0;
}

/** domain_preferred() - the CPU of @span that packing prefers, the first of equals */
int domain_preferred(const struct domain_build *b, const struct cpu_set *span)
{
	int best = span->first, c;

	for_each_cpu(c, span->bits, b->words)
		if (asym_prefer(b->s, c, best))
			best = c;
	return best;
}
