// SPDX-License-Identifier: BSD-2-Clause
/*
 * write_schedstat.c - /proc/schedstat as a kernel would have it after a run (spec 11 §4).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/sched.h"
#include "trace/schedstat.h"

/* ---- printing ---- */

static void put(FILE *f, u64 n)
{
	fprintf(f, " %llu", (unsigned long long)n);
}

static void put_all(FILE *f, const u64 *v, int n)
{
	for (int i = 0; i < n; i++)
		put(f, v[i]);
}

static void put_lb(FILE *f, const struct schedstat_lb *lb, const struct schedstat_form *form)
{
	const u64 before[] = {lb->count, lb->balanced, lb->failed};
	const u64 after[] = {lb->gained, lb->hot_gained, lb->nobusyq, lb->nobusyg};

	put_all(f, before, ARRAY_SIZE(before));
	if (form->four_kinds)
		put_all(f, lb->imbalance_of, ARRAY_SIZE(lb->imbalance_of));
	else
		put(f, lb->imbalance);
	put_all(f, after, ARRAY_SIZE(after));
}

static void put_domain(FILE *f, const struct schedstat_form *form, int level,
		       const struct schedstat_span *span, const struct schedstat_domain *d)
{
	const u64 rest[] = {
		d->alb_count,	     d->alb_failed,	  d->alb_pushed,
		d->sbe_count,	     d->sbe_balanced,	  d->sbe_pushed,
		d->sbf_count,	     d->sbf_balanced,	  d->sbf_pushed,
		d->ttwu_wake_remote, d->ttwu_move_affine, d->ttwu_move_balance,
	};

	fprintf(f, "domain%d", level);
	if (form->named)
		fprintf(f, " %s", span->name);
	fprintf(f, " %s", span->mask);
	for (int i = 0; i < NR_SCHEDSTAT_IDLE; i++)
		put_lb(f, &d->lb[form->order[i]], form);
	put_all(f, rest, ARRAY_SIZE(rest));
	fputc('\n', f);
}

static void put_cpu(FILE *f, int cpu, const struct schedstat_cpu *c)
{
	const u64 v[] = {c->yield_count, 0, c->sched_count, c->sched_goidle, c->ttwu_count,
			 c->ttwu_local, c->run_ns, c->wait_ns, c->slices};

	fprintf(f, "cpu%d", cpu);
	put_all(f, v, ARRAY_SIZE(v));
	fputc('\n', f);
}

void schedstat_write(FILE *f, const struct schedstat *s)
{
	const struct schedstat_form *form = schedstat_form(s->version);

	fprintf(f, "version %d\ntimestamp %llu\n", s->version, (unsigned long long)s->timestamp);
	for (int i = 0; i < s->nr_cpus; i++) {
		const struct schedstat_cpu *c = &s->cpu[i];

		if (!c->present)
			continue;
		put_cpu(f, i, c);
		for (int d = 0; d < c->nr_domains; d++)
			put_domain(f, form, d, &c->span[d], &c->domain[d]);
	}
}

/* ---- from a core ---- */

/* The first jiffy: 32 bits of them run over five minutes after boot. */
static u64 first_jiffy(int hz)
{
	return (u32)(-300 * hz);
}

/* as %*pb prints it: words of 32 bits, the first only as wide as needed */
static size_t mask_text(char *to, const u64 *mask, int nr_cpus)
{
	int w = (nr_cpus - 1) / 32, bits = nr_cpus - w * 32;
	char *p = to;

	for (; w >= 0; w--, bits = 32)
		p += sprintf(p, "%s%0*x", p == to ? "" : ",", (bits + 3) / 4,
			     (unsigned int)(mask[w / 2] >> w % 2 * 32));
	return (size_t)(p - to);
}

static void fill_lb(struct schedstat_lb *to, const struct sched_lb_counts *n)
{
	*to = (struct schedstat_lb){
		.count = n->count,
		.balanced = n->balanced,
		.failed = n->failed,
		.imbalance = n->imbalance,
		.gained = n->gained,
		.hot_gained = n->hot_gained,
		.nobusyq = n->nobusyq,
		.nobusyg = n->nobusyg,
	};
	to->imbalance_of[0] = n->imbalance_of[SCHED_IMB_LOAD];
	to->imbalance_of[1] = n->imbalance_of[SCHED_IMB_UTIL];
	to->imbalance_of[2] = n->imbalance_of[SCHED_IMB_TASK];
	to->imbalance_of[3] = n->imbalance_of[SCHED_IMB_MISFIT];
}

static void fill_domain(struct schedstat_domain *to, const struct sched *s, int cpu, int level,
			const struct sched_domain_counts *n)
{
	static const enum schedstat_idle of[] = {
		[SCHED_LB_BUSY] = SCHEDSTAT_BUSY,
		[SCHED_LB_IDLE] = SCHEDSTAT_IDLE,
		[SCHED_LB_NEWIDLE] = SCHEDSTAT_NEWIDLE,
	};
	struct sched_lb_counts lb;

	for (int kind = 0; kind < NR_SCHED_LB_KINDS; kind++)
		if (sched_lb_counts(s, cpu, level, kind, &lb))
			fill_lb(&to->lb[of[kind]], &lb);
	to->alb_count = n->alb_count;
	to->alb_failed = n->alb_failed;
	to->alb_pushed = n->alb_pushed;
	to->ttwu_wake_remote = n->ttwu_wake_remote;
	to->ttwu_move_affine = n->ttwu_move_affine;
}

static void fill_cpu(struct schedstat_cpu *to, const struct sched *s, int cpu)
{
	struct sched_cpu_counts n;

	sched_cpu_counts(s, cpu, &n);
	*to = (struct schedstat_cpu){
		.present = true,
		.yield_count = n.yld_count,
		.sched_count = n.sched_count,
		.sched_goidle = n.sched_goidle,
		.ttwu_count = n.ttwu_count,
		.ttwu_local = n.ttwu_local,
		.run_ns = n.cpu_time,
		.wait_ns = n.run_delay,
		.slices = n.pcount,
	};
}

/* @text: room for a mask; Return: 0 or -ENOMEM */
static int fill_domains(struct schedstat *st, const struct sched *s, int cpu, char *text)
{
	struct schedstat_cpu *c = &st->cpu[cpu];
	struct sched_domain_counts n;

	while (c->nr_domains < SCHEDSTAT_MAX_DOMAINS &&
	       sched_domain_counts(s, cpu, c->nr_domains, &n)) {
		int level = c->nr_domains++;
		struct schedstat_span *span = &c->span[level];
		const char *like = cpu && level < c[-1].nr_domains ? c[-1].span[level].mask : NULL;

		if (st->version >= 17)
			snprintf(span->name, sizeof(span->name), "%s", n.name);
		span->mask = schedstat_keep_mask(st, text, mask_text(text, n.span, st->nr_cpus),
						 like);
		if (!span->mask)
			return -ENOMEM;
		fill_domain(&c->domain[level], s, cpu, level, &n);
	}
	return 0;
}

int schedstat_count(const struct sched *s, const struct sched_kernel *k, int nr_cpus, int hz,
		    u64 uptime, struct schedstat **result, struct err *err)
{
	struct schedstat *st = calloc(1, sizeof(*st));
	char *text = malloc((size_t)(nr_cpus / 32 + 1) * 9 + 1);
	int rc = st && text ? 0 : -ENOMEM;

	if (st)
		st->cpu = calloc(nr_cpus, sizeof(*st->cpu));
	if (st && !st->cpu)
		rc = -ENOMEM;
	if (!rc) {
		st->version = k->rules.schedstat_version;
		st->timestamp = first_jiffy(hz) + uptime / (NSEC_PER_SEC / hz);
		st->nr_cpus = nr_cpus;
	}
	for (int cpu = 0; !rc && cpu < nr_cpus; cpu++) {
		if (!sched_cpu_online(s, cpu))
			continue;
		fill_cpu(&st->cpu[cpu], s, cpu);
		rc = fill_domains(st, s, cpu, text);
	}
	free(text);
	if (rc) {
		schedstat_free(st);
		return err_set(err, rc, "no memory for the counters of %d CPUs", nr_cpus);
	}
	*result = st;
	return 0;
}
