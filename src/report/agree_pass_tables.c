// SPDX-License-Identifier: BSD-2-Clause
/*
 * agree_pass_tables.c - balancing passes of a kernel and of the core that was led after it.
 */
#include "report/agree_tables.h"
#include "report/json.h"

static const char *const kind_names[] = {
	[SCHED_LB_BUSY] = "busy",
	[SCHED_LB_IDLE] = "idle",
	[SCHED_LB_NEWIDLE] = "newidle",
};

static void print_counts(FILE *f, const char *who, const struct sched_lb_counts *n)
{
	fprintf(f, "  %-8s %8llu %9llu %8llu %8llu %8llu %8llu\n", who,
		(unsigned long long)n->count, (unsigned long long)n->balanced,
		(unsigned long long)n->failed, (unsigned long long)n->gained,
		(unsigned long long)n->nobusyq, (unsigned long long)n->nobusyg);
}

void agree_print_passes(const struct agree_passes *core, const struct agree_passes *kernel, FILE *f)
{
	int levels = max(core->nr_levels, kernel->nr_levels);

	fprintf(f, "%-18s %8s %9s %8s %8s %8s %8s\n", "balancing passes", "count", "balanced",
		"failed", "gained", "nobusyq", "nobusyg");
	for (int i = 0; i < levels; i++)
		for (int kind = 0; kind < NR_SCHED_LB_KINDS; kind++) {
			fprintf(f, "level %d, %s\n", i, kind_names[kind]);
			print_counts(f, "kernel", &kernel->at[i][kind]);
			print_counts(f, "core", &core->at[i][kind]);
		}
}

static json_t *counts_json(const struct sched_lb_counts *n)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "count", (json_int_t)n->count, "balanced",
			 (json_int_t)n->balanced, "failed", (json_int_t)n->failed, "gained",
			 (json_int_t)n->gained, "nobusyq", (json_int_t)n->nobusyq, "nobusyg",
			 (json_int_t)n->nobusyg);
}

json_t *agree_passes_json(const struct agree_passes *p)
{
	json_t *j = json_array();

	for (int i = 0; i < p->nr_levels; i++) {
		json_t *level = json_object();

		for (int kind = 0; kind < NR_SCHED_LB_KINDS; kind++)
			json_object_set_new(level, kind_names[kind], counts_json(&p->at[i][kind]));
		json_array_append_new(j, level);
	}
	return j;
}
