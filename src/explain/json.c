// SPDX-License-Identifier: BSD-2-Clause
/*
 * json.c - decisions and their summary for programs.
 */
#include <ctype.h>

#include "explain/summary.h"
#include "report/json.h"

/* "waker's nr_running" as a key: wakers_nr_running */
static void set_value(json_t *j, const char *name, json_t *value)
{
	char key[64];
	size_t n = 0;

	for (; *name && n < sizeof(key) - 1; name++) {
		if (isalnum((unsigned char)*name) || *name == '_')
			key[n++] = (char)tolower((unsigned char)*name);
		else if (*name == ' ')
			key[n++] = '_';
	}
	key[n] = '\0';
	json_object_set_new(j, key, value);
}

static json_t *values_json(int step, const s64 *value)
{
	json_t *j = json_object();
	const char *name;

	for (int i = 0; (name = sched_step_value(step, i)); i++) {
		char buf[32];
		const char *text = explain_value_text(step, i, value[i], buf, sizeof(buf));

		set_value(j, name, text == buf ? json_integer(value[i]) : json_text(text));
	}
	return j;
}

static json_t *cpus_json(const u64 *cpus, int nr_cpus)
{
	json_t *j = json_array();
	int cpu;

	for_each_cpu(cpu, cpus, mask_words(nr_cpus))
		json_array_append_new(j, json_integer(cpu));
	return j;
}

static json_t *step_json(const struct explain_step *st, int nr_cpus)
{
	json_t *j = json_pack("{s:s, s:b, s:s, s:o, s:o}", "step", sched_step_name(st->step),
			      "taken", st->taken, "reason", sched_reason_name(st->reason), "cpu",
			      st->candidate >= 0 ? json_integer(st->candidate) : json_null(),
			      "values", values_json(st->step, st->value));

	if (st->cpus)
		json_object_set_new(j, "cpus_read", cpus_json(st->cpus, nr_cpus));
	return j;
}

static json_t *task_json(int pid, const char *comm)
{
	return pid ? json_pack("{s:i, s:o}", "pid", pid, "comm", json_text(comm)) : json_null();
}

json_t *explain_json(const struct explain_decision *d, int nr_cpus)
{
	json_t *steps = json_array();

	for (int i = 0; i < d->nr_steps; i++)
		json_array_append_new(steps, step_json(&d->step[i], nr_cpus));
	return json_pack("{s:s, s:I, s:b, s:I, s:i, s:o, s:o, s:o, s:b, s:b, s:s, s:o, s:o}",
			 "kind", explain_kind_name(d->kind), "nr", (json_int_t)d->nr, "again",
			 d->again, "time_ns", (json_int_t)d->now, "on_cpu", d->cpu, "task",
			 task_json(d->pid, d->comm), "by", task_json(d->by_pid, d->by_comm), "cpu",
			 d->target >= 0 ? json_integer(d->target) : json_null(), "taken", d->taken,
			 "cpu_idle", d->target_idle, "reason", sched_reason_name(d->reason),
			 "values", values_json(d->kind, d->value), "steps", steps);
}

json_t *explain_ran_json(const struct explain_ran *r)
{
	return json_pack("{s:i, s:I, s:I, s:I}", "cpu", r->cpu, "queued_ns",
			 (json_int_t)r->queued_at, "ran_ns", (json_int_t)r->ran_at, "waited_ns",
			 (json_int_t)(r->ran_at - r->decided_at));
}

/* ---- the summary ---- */

static json_t *rules_json(const struct explain_rule *rules)
{
	static const char *const distances[NR_DISTANCES] = {
		[DIST_SELF] = "same_cpu", [DIST_SMT] = "core",	[DIST_CLUSTER] = "cluster",
		[DIST_LLC] = "llc",	  [DIST_NODE] = "node", [DIST_PACKAGE] = "package",
		[DIST_REMOTE] = "remote",
	};
	json_t *list = json_array();

	for (int i = 0; i < NR_REASONS; i++) {
		const struct explain_rule *r = &rules[i];
		json_t *dist, *j;

		if (!r->count)
			continue;
		dist = json_object();
		for (int d = 0; d < NR_DISTANCES; d++)
			json_object_set_new(dist, distances[d],
					    json_integer((json_int_t)r->dist[d]));
		j = json_pack("{s:s, s:s, s:I, s:o, s:I, s:I, s:I, s:I}", "reason",
			      sched_reason_name(i), "doc", sched_reason_doc(i), "count",
			      (json_int_t)r->count, "distance", dist, "to_waker",
			      (json_int_t)r->to_waker, "to_idle", (json_int_t)r->to_idle,
			      "cpus_read", (json_int_t)r->read, "cost_ns", (json_int_t)r->cost_ns);
		if (r->wait)
			json_object_set_new(j, "wait_ns",
					    json_pack("{s:I, s:I, s:I, s:I, s:I}", "count",
						      (json_int_t)r->wait->count, "mean",
						      (json_int_t)hist_mean(r->wait), "p50",
						      (json_int_t)hist_percentile(r->wait, 5000),
						      "p99",
						      (json_int_t)hist_percentile(r->wait, 9900),
						      "max", (json_int_t)r->wait->max));
		json_array_append_new(list, j);
	}
	return list;
}

static json_t *counts_json(const u64 *count)
{
	json_t *j = json_object();

	for (int i = 0; i < NR_REASONS; i++)
		if (count[i])
			json_object_set_new(j, sched_reason_name(i),
					    json_integer((json_int_t)count[i]));
	return j;
}

json_t *explain_summary_json(const struct explain_summary *s)
{
	static const char *const paths[] = {
		[WAKE_CURRENT] = "awake",
		[WAKE_QUEUED] = "still_queued",
		[WAKE_ON_CPU_LIST] = "own_cpu_list",
		[WAKE_SPIN] = "spin",
		[WAKE_LIST] = "list",
		[WAKE_DIRECT] = "direct",
	};
	json_t *path = json_object();
	u64 pulled = 0;

	for (int i = 0; i <= WAKE_DIRECT; i++)
		if (i != WAKE_SPIN && i != WAKE_CURRENT)
			json_object_set_new(path, paths[i], json_integer((json_int_t)s->path[i]));
	for (int d = 0; d < NR_DISTANCES; d++)
		pulled += s->pulls[d];
	return json_pack(
		"{s:I, s:o, s:o, s:I, s:I, s:o, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
		"wakeups", (json_int_t)s->nr_wakeups, "wakeup_rules", rules_json(s->wakeup),
		"paths", path, "spins", (json_int_t)s->spins, "wake_wide", (json_int_t)s->wide,
		"wake_affine", counts_json(s->affine), "forks", (json_int_t)s->nr_forks,
		"fork_rules", rules_json(s->fork), "picks", counts_json(s->pick), "preempted",
		(json_int_t)s->preempts, "not_preempted", (json_int_t)s->preempts_not,
		"passes_idle", (json_int_t)s->passes, "pulls", (json_int_t)pulled, "pushes",
		(json_int_t)s->pushes, "execs", (json_int_t)s->execs, "execs_moved",
		(json_int_t)s->execs_away);
}
