// SPDX-License-Identifier: BSD-2-Clause
/*
 * root_domain.c - how the CPUs of a machine are divided (spec 09 §4).
 *
 * A machine is one partition unless somebody divides it: cpuset partitions are sets of CPUs with
 * domain trees of their own, and isolated CPUs are in no tree at all. Nothing is balanced, pushed or
 * pulled from one root domain to another; where a task may run is a matter of its own mask.
 */
#include <errno.h>

#include "base/arena.h"
#include "sched/class.h"

void root_domains_refresh(struct sched *s)
{
	for (int i = 0; i <= s->nr_rds; i++) {
		struct root_domain *rd = &s->rd[i];

		mask_and(rd->span, rd->cpus, s->online, s->words);
		rd->nr_cpus = mask_weight(rd->span, s->words);
		rd->whole = rd->nr_cpus == s->nr_cpus;
	}
}

/* @rd[n] gets the CPUs that are in none of the others */
static void attach_cpus(struct sched *s)
{
	struct root_domain *none = &s->rd[s->nr_rds];

	mask_fill(none->cpus, s->nr_cpus);
	for (int i = 0; i < s->nr_rds; i++)
		mask_andnot(none->cpus, none->cpus, s->rd[i].cpus, s->words);
	for (int i = 0; i <= s->nr_rds; i++) {
		int c;

		for_each_cpu(c, s->rd[i].cpus, s->words)
			s->rq[c].rd = &s->rd[i];
	}
}

static struct root_domain *new_root_domains(struct arena *arena, int n, int words)
{
	struct root_domain *rd = arena_array(arena, n + 1, sizeof(*rd));

	for (int i = 0; rd && i <= n; i++) {
		rd[i].cpus = arena_array(arena, words, sizeof(u64));
		rd[i].span = arena_array(arena, words, sizeof(u64));
		rd[i].has_domains = i < n;
		rd[i].rto_cpu = -1;
		if (!rd[i].cpus || !rd[i].span)
			return NULL;
	}
	return rd;
}

int root_domains_init(struct sched *s)
{
	s->rd_arena = arena_new();
	s->rd = s->rd_arena ? new_root_domains(s->rd_arena, 1, s->words) : NULL;
	if (!s->rd)
		return -ENOMEM;
	s->nr_rds = 1;
	mask_fill(s->rd[0].cpus, s->nr_cpus);
	attach_cpus(s);
	root_domains_refresh(s);
	return 0;
}

static int check_sets(const struct sched *s, int n, const u64 *const *sets, struct err *err)
{
	u64 seen[s->words];
	int c;

	mask_zero(seen, s->words);
	for (int i = 0; i < n; i++) {
		if (mask_empty(sets[i], s->words))
			return err_set(err, -EINVAL, "partition %d has no CPU", i + 1);
		for_each_cpu(c, sets[i], s->words) {
			if (c >= s->nr_cpus)
				return err_set(err, -EINVAL,
					       "partition %d: no CPU %d, the machine has 0 … %d",
					       i + 1, c, s->nr_cpus - 1);
			if (mask_test(seen, c))
				return err_set(err, -EINVAL,
					       "CPU %d is in two partitions: give it to one", c);
			mask_set(seen, c);
		}
	}
	return 0;
}

int sched_set_partitions(struct sched *s, u64 now, int n, const u64 *const *sets, struct err *err)
{
	struct root_domain *old = s->rd;
	struct arena *arena = arena_new(), *old_arena = s->rd_arena;
	struct root_domain *rd = arena ? new_root_domains(arena, n, s->words) : NULL;
	int old_nr = s->nr_rds, rc = check_sets(s, n, sets, err);

	if (!rc && !rd)
		rc = err_set(err, -ENOMEM, "no memory for %d partitions", n);
	if (rc) {
		arena_free(arena);
		return rc;
	}
	for (int i = 0; i < n; i++)
		mask_copy(rd[i].cpus, sets[i], s->words);
	s->now = now;
	s->rd = rd;
	s->nr_rds = n;
	attach_cpus(s);
	root_domains_refresh(s);
	dl_recount_domains(s);
	for (int i = 0; !rc && i <= n; i++)
		if (dl_overflow(s, &s->rd[i], -1))
			rc = err_set(err, -EBUSY,
				     "the deadline tasks of partition %d have more bandwidth than "
				     "its CPUs",
				     i + 1);
	if (!rc)
		rc = sched_rebuild_domains(s, now, err);
	if (rc) {
		s->rd = old;
		s->nr_rds = old_nr;
		attach_cpus(s);
		dl_recount_domains(s);
		arena_free(arena);
		return rc;
	}
	s->rd_arena = arena;
	arena_free(old_arena);
	return 0;
}
