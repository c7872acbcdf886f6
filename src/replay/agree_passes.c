// SPDX-License-Identifier: BSD-2-Clause
/*
 * agree_passes.c - balancing passes counted, by level and kind.
 */
#include <errno.h>

#include "replay/agree_passes.h"
#include "trace/schedstat.h"

static void add(struct agree_passes *p, int level, enum sched_lb_kind kind,
		const struct sched_lb_counts *n)
{
	struct sched_lb_counts *to = &p->at[level][kind];

	to->count += n->count;
	to->balanced += n->balanced;
	to->failed += n->failed;
	to->imbalance += n->imbalance;
	to->gained += n->gained;
	to->hot_gained += n->hot_gained;
	to->nobusyq += n->nobusyq;
	to->nobusyg += n->nobusyg;
	p->nr_levels = max(p->nr_levels, level + 1);
}

void agree_passes_made(const struct sched *s, int nr_cpus, struct agree_passes *p)
{
	struct sched_lb_counts n;

	*p = (struct agree_passes){ 0 };
	for (int c = 0; c < nr_cpus; c++)
		for (int level = 0; level < AGREE_MAX_LEVELS; level++)
			for (int kind = 0; kind < NR_SCHED_LB_KINDS; kind++)
				if (sched_lb_counts(s, c, level, kind, &n))
					add(p, level, kind, &n);
}

static void add_domain(struct agree_passes *p, int level, const struct schedstat_domain *d)
{
	static const enum schedstat_idle of[] = {
		[SCHED_LB_BUSY] = SCHEDSTAT_BUSY,
		[SCHED_LB_IDLE] = SCHEDSTAT_IDLE,
		[SCHED_LB_NEWIDLE] = SCHEDSTAT_NEWIDLE,
	};

	for (int kind = 0; kind < NR_SCHED_LB_KINDS; kind++) {
		const struct schedstat_lb *lb = &d->lb[of[kind]];
		struct sched_lb_counts n = {
			.count = lb->count,
			.balanced = lb->balanced,
			.failed = lb->failed,
			.imbalance = lb->imbalance,
			.gained = lb->gained,
			.hot_gained = lb->hot_gained,
			.nobusyq = lb->nobusyq,
			.nobusyg = lb->nobusyg,
		};

		add(p, level, kind, &n);
	}
}

static bool same_machine(const struct schedstat *a, const struct schedstat *b)
{
	if (a->nr_cpus != b->nr_cpus || a->version != b->version)
		return false;
	for (int c = 0; c < a->nr_cpus; c++)
		if (a->cpu[c].nr_domains != b->cpu[c].nr_domains)
			return false;
	return true;
}

int agree_passes_recorded(const char *path, struct agree_passes *p, struct err *err)
{
	struct schedstat *a, *b;
	int ret = schedstat_read(path, &a, err);

	*p = (struct agree_passes){ 0 };
	if (ret)
		return ret;
	b = a->next;
	if (!b || b->next || !same_machine(a, b)) {
		ret = err_set(err, -EINVAL,
			      "%s: expected two snapshots of /proc/schedstat of one machine, the one "
			      "before the trace first",
			      path);
	} else {
		for (int c = 0; c < a->nr_cpus; c++)
			for (int i = 0; i < a->cpu[c].nr_domains; i++) {
				struct schedstat_domain d;

				schedstat_diff(&d, &a->cpu[c].domain[i], &b->cpu[c].domain[i]);
				add_domain(p, i, &d);
			}
	}
	schedstat_free(a);
	return ret;
}
