// SPDX-License-Identifier: BSD-2-Clause
/*
 * summary_text.c - the summary for people: one line a rule, the most frequent first.
 */
#include <stdlib.h>
#include <string.h>

#include "explain/summary.h"

static const char *const distances[NR_DISTANCES] = {
	[DIST_SELF] = "same CPU", [DIST_SMT] = "core",	[DIST_CLUSTER] = "cluster",
	[DIST_LLC] = "LLC",	  [DIST_NODE] = "node", [DIST_PACKAGE] = "package",
	[DIST_REMOTE] = "remote",
};

/* The rules of one table in the order of printing. */
struct order {
	int nr, reason[NR_REASONS];
	struct explain_rule total;
	struct hist wait;
};

static void order_rules(const struct explain_rule *rules, struct order *o)
{
	memset(o, 0, sizeof(*o));
	for (int i = 0; i < NR_REASONS; i++) {
		int at = o->nr;

		if (!rules[i].count)
			continue;
		while (at && rules[o->reason[at - 1]].count < rules[i].count) {
			o->reason[at] = o->reason[at - 1];
			at--;
		}
		o->reason[at] = i;
		o->nr++;
		o->total.count += rules[i].count;
		o->total.to_waker += rules[i].to_waker;
		o->total.to_idle += rules[i].to_idle;
		o->total.read += rules[i].read;
		o->total.cost_ns += rules[i].cost_ns;
		for (int d = 0; d < NR_DISTANCES; d++)
			o->total.dist[d] += rules[i].dist[d];
		if (rules[i].wait)
			hist_merge(&o->wait, rules[i].wait);
	}
	o->total.wait = &o->wait;
}

static double pct(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_rule(const struct order *o, const char *name, const struct explain_rule *r,
		       FILE *f)
{
	const struct hist *w = r->wait;

	fprintf(f, "  %-18s %10llu %6.1f%%", name, (unsigned long long)r->count,
		pct(r->count, o->total.count));
	for (int d = 0; d < NR_DISTANCES; d++)
		if (o->total.dist[d])
			fprintf(f, " %8.1f%%", pct(r->dist[d], r->count));
	fprintf(f, " %8.1f%% %8.1f%% %9.1f", pct(r->to_waker, r->count), pct(r->to_idle, r->count),
		(double)r->read / (double)r->count);
	if (w && w->count)
		fprintf(f, " %10.2f %10.2f %10.2f\n", (double)w->sum / (double)w->count / 1000,
			(double)hist_percentile(w, 5000) / 1000,
			(double)hist_percentile(w, 9900) / 1000);
	else
		fprintf(f, " %10s %10s %10s\n", "-", "-", "-");
}

static void print_table(const struct explain_rule *rules, const char *what, FILE *f)
{
	struct order *o = malloc(sizeof(*o));

	if (!o)
		return;
	order_rules(rules, o);
	fprintf(f, "  %-18s %10s %7s", "rule", what, "share");
	for (int d = 0; d < NR_DISTANCES; d++)
		if (o->total.dist[d])
			fprintf(f, " %9s", distances[d]);
	fprintf(f, " %9s %9s %9s %10s %10s %10s\n", "to waker", "to idle", "CPUs read", "waited us",
		"median", "p99");
	for (int i = 0; i < o->nr; i++)
		print_rule(o, sched_reason_name(o->reason[i]), &rules[o->reason[i]], f);
	if (o->nr > 1)
		print_rule(o, "all", &o->total, f);
	fputc('\n', f);
	for (int i = 0; i < o->nr; i++)
		fprintf(f, "  %-18s %s\n", sched_reason_name(o->reason[i]),
			sched_reason_doc(o->reason[i]));
	free(o);
}

/* the counts of @count that aren't 0, most first, with what they mean */
static void print_counts(const u64 *count, const char *title, FILE *f)
{
	u64 total = 0, last = UINT64_MAX;

	for (int i = 0; i < NR_REASONS; i++)
		total += count[i];
	if (!total)
		return;
	fprintf(f, "\n%s\n\n", title);
	for (;;) {
		u64 next = 0;

		for (int i = 0; i < NR_REASONS; i++)
			if (count[i] < last && count[i] > next)
				next = count[i];
		if (!next)
			return;
		for (int i = 0; i < NR_REASONS; i++)
			if (count[i] == next)
				fprintf(f, "  %-18s %10llu %6.1f%%  %s\n", sched_reason_name(i),
					(unsigned long long)next, pct(next, total),
					sched_reason_doc(i));
		last = next;
	}
}

static void print_paths(const struct explain_summary *s, FILE *f)
{
	fputs("\nHow wakees reached their CPU\n\n", f);
	for (int i = 0; i <= WAKE_DIRECT; i++)
		if (s->path[i])
			fprintf(f, "  %10llu %6.1f%%  %s\n", (unsigned long long)s->path[i],
				pct(s->path[i], s->nr_wakeups), explain_path_name(i));
	if (s->spins)
		fprintf(f, "  %10llu          %s\n", (unsigned long long)s->spins,
			explain_path_name(WAKE_SPIN));
}

static void print_balance(const struct explain_summary *s, FILE *f)
{
	u64 pulled = 0;

	for (int d = 0; d < NR_DISTANCES; d++)
		pulled += s->pulls[d];
	fprintf(f,
		"\nBalancing: %llu passes moved nothing; %llu tasks pulled, %llu running ones "
		"pushed\n",
		(unsigned long long)s->passes, (unsigned long long)pulled,
		(unsigned long long)s->pushes);
	for (int d = DIST_SMT; d < NR_DISTANCES; d++)
		if (s->pulls[d])
			fprintf(f, "  %10llu  within the %s\n", (unsigned long long)s->pulls[d],
				d == DIST_REMOTE ? "machine" : distances[d]);
	if (s->execs)
		fprintf(f, "Execs: %llu, %llu of them moved\n", (unsigned long long)s->execs,
			(unsigned long long)s->execs_away);
}

void explain_summary_print(const struct explain_summary *s, FILE *f)
{
	u64 checks = s->preempts + s->preempts_not;

	fprintf(f, "Wake-ups: the rule that decided, and how far from its previous CPU the task "
		   "went\n\n");
	if (s->nr_wakeups)
		print_table(s->wakeup, "wake-ups", f);
	else
		fputs("  none\n", f);
	if (s->wide)
		fprintf(f, "\nwake_affine wasn't asked in %llu wake-ups (%.1f%%): %s\n",
			(unsigned long long)s->wide, pct(s->wide, s->nr_wakeups),
			sched_reason_doc(REASON_WAKE_WIDE));
	print_counts(s->affine, "wake_affine: around which CPU it was searched", f);
	if (s->nr_wakeups)
		print_paths(s, f);
	if (s->nr_forks) {
		fputs("\nForks: the rule that decided, and how far from the parent the child "
		      "went\n\n",
		      f);
		print_table(s->fork, "forks", f);
	}
	print_counts(s->pick, "Picks: who runs next", f);
	if (checks)
		fprintf(f,
			"\nPreemption checks: %llu, in %llu (%.1f%%) the running task had to go\n",
			(unsigned long long)checks, (unsigned long long)s->preempts,
			pct(s->preempts, checks));
	print_balance(s, f);
}
