// SPDX-License-Identifier: BSD-2-Clause
/*
 * diff_text.c - where two kernels part, for people.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "explain/columns.h"
#include "explain/diff.h"
#include "report/escape.h"

#define COLUMN 78

static char *explained(const struct diff_side *side, const char *name, int nr_cpus)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	fprintf(f, "%s\n", name);
	if (side->d)
		explain_print(side->d, nr_cpus, true, f);
	else
		fputs("the run is over\n", f);
	fclose(f);
	return text;
}

static char *afterwards(const struct diff_side *side)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	for (int i = 0; i < side->nr_follow; i++) {
		const struct diff_follow *fo = &side->follow[i];

		fprintf(f, "%.6f s %s: CPU %d, %s", (double)fo->now / NSEC_PER_SEC,
			explain_kind_name(fo->kind), fo->target, sched_reason_name(fo->reason));
		if (fo->waited != UINT64_MAX)
			fprintf(f, ", waited %.2f us", (double)fo->waited / 1000);
		fputc('\n', f);
	}
	fclose(f);
	return text;
}

static void side_by_side(char *a, char *b, FILE *f)
{
	columns_print(a ?: "", b ?: "", COLUMN, f);
	free(a);
	free(b);
}

static const char *how_text(enum diff_how how)
{
	static const char *const text[] = {
		[DIFF_NONE] = "",
		[DIFF_CHOICE] = "the same question, another answer",
		[DIFF_ORDER] = "another decision comes next",
		[DIFF_END] = "one run is over",
	};

	return text[how];
}

static void print_row(const char *name, const char *unit, double a, double b, int decimals, FILE *f)
{
	fprintf(f, "  %-34s %16.*f %16.*f", name, decimals, a, decimals, b);
	if (a && isfinite(b / a))
		fprintf(f, " %+9.2f%%", (b / a - 1) * 100);
	else
		fprintf(f, " %10s", a == b ? "0.00%" : "-");
	fprintf(f, "%s%s\n", *unit ? "  " : "", unit);
}

static const struct metric *same_metric(const struct result *r, const char *name)
{
	for (int i = 0; i < r->nr_metrics; i++)
		if (!strcmp(r->metric[i].name, name))
			return &r->metric[i];
	return NULL;
}

/* enough to see a difference of a few per cent */
static int metric_decimals(double a, double b)
{
	double small = fmin(fabs(a), fabs(b));
	int decimals = 2;

	while (small > 0 && small < 10 && decimals < 9) {
		small *= 10;
		decimals++;
	}
	return decimals;
}

static void print_metrics(const struct diff *d, FILE *f)
{
	const struct result *a = &d->side[0].result, *b = &d->side[1].result;

	for (int i = 0; i < a->nr_metrics; i++) {
		const struct metric *m = &a->metric[i], *n = same_metric(b, m->name);
		char unit[64];

		if (!n)
			continue;
		snprintf(unit, sizeof(unit), "%s, %s is better", m->unit,
			 m->higher_is_better ? "higher" : "lower");
		print_row(m->name, unit, m->value, n->value, metric_decimals(m->value, n->value),
			  f);
	}
}

static void print_counters(const struct diff *d, FILE *f)
{
	static const enum counter shown[] = { CNT_switches,
					      CNT_preemptions,
					      CNT_wakeups,
					      CNT_migrations,
					      CNT_balance_moved,
					      CNT_wait_ns,
					      CNT_idle_while_waiting_ns };

	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		print_row(counter_name(shown[i]), "", (double)d->side[0].result.counter[shown[i]],
			  (double)d->side[1].result.counter[shown[i]], 0, f);
}

static void print_placements(const struct diff *d, FILE *f)
{
	static const char *const names[NR_DISTANCES] = {
		"wake-ups on the same CPU", "… on another thread", "… elsewhere in the cluster",
		"… elsewhere in the LLC",   "… in another LLC",	   "… on another node",
		"… in another package",
	};
	u64 dist[2][NR_DISTANCES] = { { 0 } };
	struct hist *wait = calloc(2, sizeof(*wait));

	if (!wait)
		return;
	for (int k = 0; k < 2; k++) {
		for (int r = 0; r < NR_REASONS; r++)
			for (int i = 0; i < NR_DISTANCES; i++)
				dist[k][i] += d->side[k].after->wakeup[r].dist[i];
		explain_summary_wait(d->side[k].after, &wait[k]);
	}
	for (int i = 0; i < NR_DISTANCES; i++)
		if (dist[0][i] || dist[1][i])
			print_row(names[i], "", (double)dist[0][i], (double)dist[1][i], 0, f);
	print_row("waiting after a wake-up, mean", "us", (double)hist_mean(&wait[0]) / 1000,
		  (double)hist_mean(&wait[1]) / 1000, 2, f);
	print_row("… 99th percentile", "us", (double)hist_percentile(&wait[0], 9900) / 1000,
		  (double)hist_percentile(&wait[1], 9900) / 1000, 2, f);
	free(wait);
}

/* the rules whose part changed */
static void print_rules(const struct diff *d, FILE *f)
{
	const struct explain_summary *a = d->side[0].after, *b = d->side[1].after;

	for (int r = 0; r < NR_REASONS; r++)
		if (a->wakeup[r].count != b->wakeup[r].count)
			print_row(sched_reason_name(r), "wake-ups", (double)a->wakeup[r].count,
				  (double)b->wakeup[r].count, 0, f);
}

static void print_shift(const struct diff *d, FILE *f)
{
	if (!d->shift.nr)
		return;
	fprintf(f, "From decision %llu on only times differ: ", (unsigned long long)d->shift.nr);
	if (d->shift.now[0] == d->shift.now[1])
		fprintf(f, "at %.9f s one kernel chooses in %llu ns, the other in %llu ns.\n",
			(double)d->shift.now[0] / NSEC_PER_SEC,
			(unsigned long long)d->shift.cost[0], (unsigned long long)d->shift.cost[1]);
	else
		fprintf(f, "it comes at %.9f s and at %.9f s.\n",
			(double)d->shift.now[0] / NSEC_PER_SEC,
			(double)d->shift.now[1] / NSEC_PER_SEC);
}

void diff_print(const struct diff *d, const struct sched_topology *topo, const char *const *name,
		FILE *f)
{
	if (d->how == DIFF_NONE) {
		fprintf(f, "All %llu decisions are the same.\n", (unsigned long long)d->same);
		print_shift(d, f);
	} else {
		fprintf(f, "%llu decisions are the same; then %s.\n", (unsigned long long)d->same,
			how_text(d->how));
		print_shift(d, f);
		fputc('\n', f);
		side_by_side(explained(&d->side[0], name[0], topo->nr_cpus),
			     explained(&d->side[1], name[1], topo->nr_cpus), f);
	}
	if (d->pid && (d->side[0].nr_follow || d->side[1].nr_follow)) {
		fputc('\n', f);
		escape_pad(f, d->comm, 0);
		fprintf(f, "-%d from there on\n\n", d->pid);
		side_by_side(afterwards(&d->side[0]), afterwards(&d->side[1]), f);
	}
	fprintf(f, "\n  %-34s %16s %16s\n", d->how == DIFF_NONE ? "" : "What followed", name[0],
		name[1]);
	if (d->how != DIFF_NONE) {
		print_placements(d, f);
		print_rules(d, f);
		fputs("\n  the whole run\n", f);
	}
	print_counters(d, f);
	print_metrics(d, f);
}
