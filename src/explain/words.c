// SPDX-License-Identifier: BSD-2-Clause
/*
 * words.c - numbers of the records as a reader of the kernel knows them.
 */
#include <stdio.h>
#include <string.h>

#include "explain/explain.h"
#include "sched/balance/kinds.h"

const char *explain_path_name(int path)
{
	static const char *const names[] = {
		[WAKE_CURRENT] = "it is awake already",
		[WAKE_QUEUED] = "still queued: woken in place",
		[WAKE_ON_CPU_LIST] = "still on its CPU: that CPU's wake list",
		[WAKE_SPIN] = "still on its CPU: the waker spins, then decides anew",
		[WAKE_LIST] = "wake list",
		[WAKE_DIRECT] = "enqueued by the waker",
	};

	return path >= 0 && path < (int)ARRAY_SIZE(names) ? names[path] : "?";
}

/* spec 05 §4 names a group's state for placement, 06 §4 for balancing */
static const char *fork_type(s64 type)
{
	static const char *const names[] = { "has-spare", "fully-busy", "misfit", "imbalanced",
					     "overloaded" };

	return type >= 0 && type < (s64)ARRAY_SIZE(names) ? names[type] : "?";
}

static const char *pass_kind(s64 kind)
{
	static const char *const names[] = { "periodic", "idle", "new-idle" };

	return kind >= 0 && kind < (s64)ARRAY_SIZE(names) ? names[kind] : "?";
}

static const char *in_words(int step, int i, s64 value)
{
	switch (step) {
	case STEP_FORK_GROUPS:
		return i == 0 || i == 2 ? fork_type(value) : NULL;
	case STEP_PULL:
		if (i == 2)
			return migration_type_name(value);
		return i == 4 ? pass_kind(value) : NULL;
	case STEP_PASS:
		if (i == 0)
			return balance_outcome_name(value);
		if (i == 2 || i == 3)
			return group_type_name(value);
		return i == 5 ? pass_kind(value) : NULL;
	case STEP_WAKEUP:
		return i == 0 ? explain_path_name((int)value) : NULL;
	case STEP_LIMIT:
		return value == -1 ? (i == 2 ? "all" : "-") : NULL;
	default:
		return NULL;
	}
}

const char *explain_value_text(int step, int i, s64 value, char *buf, size_t len)
{
	const char *words = in_words(step, i, value);

	if (words)
		return words;
	snprintf(buf, len, "%lld", (long long)value);
	return buf;
}

static const struct {
	int step;
	const char *name;
} kinds[] = {
	{ STEP_WAKEUP, "wakeup" }, { STEP_FORK, "fork" },	{ STEP_EXEC, "exec" },
	{ STEP_PICK, "pick" },	   { STEP_PREEMPT, "preempt" }, { STEP_PULL, "pull" },
	{ STEP_PASS, "pass" },	   { STEP_PUSH, "push" },
};

const char *explain_kind_name(int step)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].step == step)
			return kinds[i].name;
	return NULL;
}

int explain_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return kinds[i].step;
	return -1;
}

const char *explain_cpu_list(const u64 *cpus, int nr_cpus, char *buf, size_t len)
{
	int words = mask_words(nr_cpus), cpu = mask_next(cpus, 0, words);
	size_t n = 0;

	buf[0] = '\0';
	while (cpu >= 0) {
		int last = cpu, next;

		while ((next = mask_next(cpus, last + 1, words)) == last + 1)
			last = next;
		if (n + 16 > len) {
			snprintf(buf + n, len - n, "…");
			break;
		}
		n += snprintf(buf + n, len - n, last > cpu ? "%s%d-%d" : "%s%d", n ? "," : "", cpu,
			      last);
		cpu = next;
	}
	return buf;
}
