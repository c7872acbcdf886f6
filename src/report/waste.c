// SPDX-License-Identifier: BSD-2-Clause
#include "report/waste.h"

static const char *const share_names[NR_DISTANCES] = {
	[DIST_SELF] = "CPU",   [DIST_SMT] = "core",  [DIST_CLUSTER] = "cluster",
	[DIST_LLC] = "LLC",    [DIST_NODE] = "node", [DIST_PACKAGE] = "package",
	[DIST_REMOTE] = "machine",
};

static const char *const bucket_names[NR_WASTE_BUCKETS] = {
	"<1us", "<10us", "<100us", "<1ms", "<10ms", "<100ms", "<1s", "longer",
};

double work_conservation(const struct result *r)
{
	u64 used = r->counter[CNT_busy_ns], wasted = r->counter[CNT_idle_while_waiting_ns];

	return wasted ? (double)used / (double)(used + wasted) : 1;
}

static void print_level(FILE *f, const char *name, u64 ns, const struct result_lasted *lasted)
{
	u64 n = 0;

	for (int b = 0; b < NR_WASTE_BUCKETS; b++)
		n += lasted[b].n;
	fprintf(f, "  %-8s %12.3f %9llu", name, (double)ns / NSEC_PER_MSEC, (unsigned long long)n);
	for (int b = 0; b < NR_WASTE_BUCKETS; b++)
		if (lasted[b].n)
			fprintf(f, " %9.3f", (double)lasted[b].ns / NSEC_PER_MSEC);
		else
			fprintf(f, " %9s", "-");
	fputc('\n', f);
}

void waste_print(FILE *f, const struct result *r)
{
	const struct result_waste *w = &r->waste;
	u64 ns = r->counter[CNT_idle_while_waiting_ns];

	fprintf(f, "Work conservation %.3f %%: ", 100 * work_conservation(r));
	if (ns)
		fprintf(f, "%.3f ms of CPU time idle while a task waited elsewhere that could have run there\n",
			(double)ns / NSEC_PER_MSEC);
	else
		fputs("no CPU was idle while a task waited elsewhere that could have run there\n",
		      f);
	if (!ns || !w->measured)
		return;
	fprintf(f, "\n  %-8s %12s %9s   ms by how long it lasted\n  %-8s %12s %9s", "both in", "", "",
		"one", "ms", "times");
	for (int b = 0; b < NR_WASTE_BUCKETS; b++)
		fprintf(f, " %9s", bucket_names[b]);
	fputc('\n', f);
	for (int d = 0; d < NR_DISTANCES; d++)
		if (w->level[d] || w->ns[d])
			print_level(f, share_names[d], w->ns[d], w->lasted[d]);
}

static json_t *lasted_json(const struct result_lasted *lasted)
{
	json_t *all = json_array();
	u64 below = WASTE_FIRST_NS;

	for (int b = 0; b < NR_WASTE_BUCKETS; b++, below *= 10)
		json_array_append_new(
			all, json_pack("{s:o, s:I, s:I}", "below_ns",
				       b < NR_WASTE_BUCKETS - 1 ? json_integer(below) : json_null(),
				       "times", (json_int_t)lasted[b].n, "ns",
				       (json_int_t)lasted[b].ns));
	return all;
}

json_t *waste_json(const struct result *r)
{
	const struct result_waste *w = &r->waste;
	json_t *levels = json_array();

	for (int d = 0; d < NR_DISTANCES; d++)
		if (w->level[d] || w->ns[d])
			json_array_append_new(levels, json_pack("{s:s, s:I, s:o}", "both_in",
								share_names[d], "ns",
								(json_int_t)w->ns[d], "lasted",
								lasted_json(w->lasted[d])));
	return levels;
}
