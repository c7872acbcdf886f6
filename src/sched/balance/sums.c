// SPDX-License-Identifier: BSD-2-Clause
/*
 * sums.c - statistics of large groups, kept instead of collected (spec 06 §4).
 *
 * A pass over a machine of thousands of CPUs reads every one of them, though
 * few changed since the last pass. So for each set of CPUs that a group above
 * the LLCs spans, the sums a pass needs are kept, together with the part that
 * each CPU has in them:
 *
 *	change	whoever changes an input of a CPU calls rq_load_changed(), which
 *		sets the CPU's bit in its LLC's stale set; the first bit makes
 *		the sums stale that the LLC is in
 *	refresh	before a walk decides a pass it calls group_sums_refresh(): the
 *		CPUs in the stale sets are read again, and the difference to
 *		their old part is added to those sums
 *	read	group_load() gives fresh sums only; otherwise the caller reads the
 *		CPUs one by one. Both give the same numbers, so that deciding,
 *		which changes nothing, may be asked at any time
 *
 * A CPU is read at most once for each time it changed, and a pass costs its
 * number of groups. What isn't a sum (misfit tasks, reduced capacity) is only
 * counted: a group with any such CPU is read singly. So are groups that aren't
 * made of whole LLCs, and any group while some CPUs don't take part in the pass.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "sched/balance/lb.h"

void rq_sums_stale(struct rq *rq)
{
	struct llc *llc = rq->llc;
	bool first = mask_empty(llc->stale, llc->words);

	rq->sums_stale = true;
	mask_set(llc->stale, rq->llc_pos);
	for (int i = 0; first && i < llc->nr_sums; i++)
		llc->sums[i]->nr_stale++;
}

static void read_part(const struct sched *s, const struct rq *rq, struct load_sums *part)
{
	*part = (struct load_sums){
		.load = cpu_load(rq),
		.util = cpu_util_cfs(s, rq->cpu),
		.runnable = cpu_runnable(rq),
		.h_nr = fair_tasks(s, rq),
		.nr = rq->nr_running,
		.idle = rq->idle_visible,
		.crowded = rq->nr_running > 1,
		.odd = rq->misfit_task_load || rq->cpu_capacity < rq->cpu_capacity_orig,
	};
}

static bool same(const struct load_sums *a, const struct load_sums *b)
{
	return a->load == b->load && a->util == b->util && a->runnable == b->runnable &&
	       a->h_nr == b->h_nr && a->nr == b->nr && a->idle == b->idle &&
	       a->crowded == b->crowded && a->odd == b->odd;
}

/* @to += @a - @b; differences may be negative, the sums never are */
static void add_difference(struct load_sums *to, const struct load_sums *a,
			   const struct load_sums *b)
{
	to->load += a->load - b->load;
	to->util += a->util - b->util;
	to->runnable += a->runnable - b->runnable;
	to->h_nr += a->h_nr - b->h_nr;
	to->nr += a->nr - b->nr;
	to->idle += a->idle - b->idle;
	to->crowded += a->crowded - b->crowded;
	to->odd += a->odd - b->odd;
}

static void refresh_llc(struct sched *s, struct llc *llc)
{
	static const struct load_sums nothing;
	struct load_sums diff = nothing;
	bool stale = false;

	for (int w = 0; w < llc->words; w++) {
		stale |= llc->stale[w] != 0;
		for (u64 m = llc->stale[w]; m; m &= m - 1) {
			int pos = w * 64 + __builtin_ctzll(m);
			struct rq *rq = cpu_rq(s, llc->cpus[pos]);
			struct load_sums part;

			read_part(s, rq, &part);
			add_difference(&diff, &part, &llc->part[pos]);
			llc->part[pos] = part;
			rq->sums_stale = false;
		}
		llc->stale[w] = 0;
	}
	for (int i = 0; stale && i < llc->nr_sums; i++) {
		add_difference(&llc->sums[i]->sum, &diff, &nothing);
		llc->sums[i]->nr_stale--;
	}
}

void group_sums_refresh(struct sched *s, const struct sched_domain *sd)
{
	const struct sched_group *g = sd->groups;

	do {
		struct group_sums *sums = g->sums;

		for (int i = 0; sums && sums->nr_stale && i < sums->nr_llcs; i++)
			refresh_llc(s, sums->llc[i]);
		g = g->next;
	} while (g != sd->groups);
}

/* ---- building ---- */

/* the LLCs that @g's span is made of, in @llc; Return: how many, 0: it cuts one or one is full */
static int llcs_of(const struct sched *s, const struct sched_group *g, struct llc **llc)
{
	int nr = 0, nr_cpus = 0, w;

	for_each_span_word(w, g) {
		for (u64 m = g->span[w]; m; m &= m - 1) {
			struct llc *l = cpu_rq(s, w * 64 + __builtin_ctzll(m))->llc;

			if (!mask_test(g->span, l->id) || l->nr_sums == LLC_MAX_SUMS)
				return 0;
			if (l->id != w * 64 + __builtin_ctzll(m))
				continue;
			llc[nr++] = l;
			nr_cpus += l->nr_cpus;
		}
	}
	return nr_cpus == g->weight ? nr : 0;
}

static struct group_sums *known_sums(const struct sched *s, const struct sched_group *g)
{
	const struct llc *llc = cpu_rq(s, g->first_cpu)->llc;

	for (int i = 0; i < llc->nr_sums; i++)
		if (llc->sums[i]->span == g->span)
			return llc->sums[i];
	return NULL;
}

static int find_sums(struct sched *s, struct sched_group *g, struct llc **llc)
{
	struct group_sums *sums = known_sums(s, g);
	int nr;

	g->sums = sums;
	g->sums_sought = true;
	if (sums)
		return 0;
	nr = llcs_of(s, g, llc);
	if (!nr)
		return 0;
	sums = arena_alloc(s->dom_arena, sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	sums->llc = arena_array(s->dom_arena, nr, sizeof(struct llc *));
	if (!sums->llc)
		return -ENOMEM;
	memcpy(sums->llc, llc, nr * sizeof(struct llc *));
	sums->nr_llcs = nr;
	sums->span = g->span;
	for (int i = 0; i < nr; i++)
		llc[i]->sums[llc[i]->nr_sums++] = sums;
	g->sums = sums;
	return 0;
}

static int find_sums_of_domains(struct sched *s, const struct rq *rq, struct llc **llc)
{
	struct sched_domain *sd = rq->sd_llc ? rq->sd_llc->parent : rq->sd;

	for (; sd; sd = sd->parent) {
		struct sched_group *g = sd->groups;

		/* its ring was met before */
		if (g->sums_sought)
			continue;
		do {
			if (!g->sums_sought && find_sums(s, g, llc))
				return -ENOMEM;
			g = g->next;
		} while (g != sd->groups);
	}
	return 0;
}

static int init_llc(struct sched *s, struct llc *llc)
{
	llc->stale = arena_array(s->dom_arena, llc->words, sizeof(u64));
	llc->part = arena_array(s->dom_arena, llc->nr_cpus, sizeof(*llc->part));
	if (!llc->stale || !llc->part)
		return -ENOMEM;
	for (int i = 0; i < llc->nr_cpus; i++)
		rq_sums_stale(cpu_rq(s, llc->cpus[i]));
	return 0;
}

/**
 * group_sums_build() - find what is worth keeping; all of it is stale at first
 *
 * Return: 0 or -ENOMEM.
 */
int group_sums_build(struct sched *s)
{
	struct llc *llc[s->nr_llcs];

	for (int c = 0; c < s->nr_cpus; c++)
		if (find_sums_of_domains(s, cpu_rq(s, c), llc))
			return -ENOMEM;
	/* where no sums are, the flag stays as it is and nothing is noted */
	for (int i = 0; i < s->nr_llcs; i++)
		if (s->llc[i].nr_sums && init_llc(s, &s->llc[i]))
			return -ENOMEM;
	return 0;
}

/* ---- recounting ---- */

static int check_llc(const struct sched *s, const struct llc *llc, struct err *err)
{
	bool stale = !mask_empty(llc->stale, llc->words);

	for (int i = 0; i < llc->nr_cpus; i++) {
		const struct rq *rq = cpu_rq(s, llc->cpus[i]);
		struct load_sums part;

		if (rq->sums_stale != mask_test(llc->stale, i))
			return err_set(err, -EINVAL, "CPU %d: stale is %d, its LLC's set disagrees",
				       rq->cpu, rq->sums_stale);
		read_part(s, rq, &part);
		if (!rq->sums_stale && !same(&part, &llc->part[i]))
			return err_set(err, -EINVAL,
				       "CPU %d: it changed (load %lu, counted as %lu; %u tasks, "
				       "counted as %u), but isn't stale",
				       rq->cpu, part.load, llc->part[i].load, part.nr,
				       llc->part[i].nr);
	}
	for (int i = 0; stale && i < llc->nr_sums; i++)
		if (!llc->sums[i]->nr_stale)
			return err_set(err, -EINVAL, "LLC %d is stale, sums it is in aren't",
				       llc->id);
	return 0;
}

static int check_sums(const struct group_sums *sums, struct err *err)
{
	static const struct load_sums nothing;
	struct load_sums sum = nothing;
	int nr_stale = 0;

	for (int i = 0; i < sums->nr_llcs; i++) {
		const struct llc *llc = sums->llc[i];

		nr_stale += !mask_empty(llc->stale, llc->words);
		for (int j = 0; j < llc->nr_cpus; j++)
			add_difference(&sum, &llc->part[j], &nothing);
	}
	if (nr_stale != sums->nr_stale || !same(&sum, &sums->sum))
		return err_set(err, -EINVAL,
			       "sums of %d LLCs from LLC %d on: %d stale, kept as %d; load %lu, "
			       "kept as %lu",
			       sums->nr_llcs, sums->llc[0]->id, nr_stale, sums->nr_stale, sum.load,
			       sums->sum.load);
	return 0;
}

/**
 * group_sums_check() - count all that is kept anew
 *
 * Return: 0, or -EINVAL with what is wrong in @err.
 */
int group_sums_check(const struct sched *s, struct err *err)
{
	int rc = 0;

	for (int i = 0; !rc && i < s->nr_llcs; i++) {
		const struct llc *llc = &s->llc[i];

		if (!llc->nr_sums)
			continue;
		rc = check_llc(s, llc, err);
		/* each is checked by its first LLC */
		for (int j = 0; !rc && j < llc->nr_sums; j++)
			if (llc->sums[j]->llc[0] == llc)
				rc = check_sums(llc->sums[j], err);
	}
	return rc;
}
