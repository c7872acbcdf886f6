// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "experiment/timeline.h"
#include "workload/grammar.h"

struct timeline {
	struct arena *arena;
	u64 *isolated;
	struct sim_change *change;
	int nr, cap;
	int nr_cpus;
};

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

static u64 *cpu_list(struct timeline *t, const char *list, struct err *err)
{
	u64 *cpus = arena_array(t->arena, mask_words(t->nr_cpus), sizeof(u64));

	if (!cpus) {
		no_memory(err);
		return NULL;
	}
	return mask_parse(list, cpus, t->nr_cpus, err) ? NULL : cpus;
}

static int add(struct timeline *t, const struct sim_change *ch, struct err *err)
{
	if (t->nr == t->cap) {
		int cap = t->cap ? 2 * t->cap : 16;
		struct sim_change *more = realloc(t->change, cap * sizeof(*more));

		if (!more)
			return no_memory(err);
		t->change = more;
		t->cap = cap;
	}
	t->change[t->nr++] = *ch;
	return 0;
}

/* one change a CPU, in ascending order */
static int add_plug(struct timeline *t, u64 at, enum sim_change_kind kind, const char *list,
		    struct err *err)
{
	const u64 *cpus = cpu_list(t, list, err);
	int rc = 0, c;

	if (!cpus)
		return err->code;
	for_each_cpu(c, cpus, mask_words(t->nr_cpus)) {
		struct sim_change ch = { .at = at, .kind = kind, .cpu = c };

		rc = add(t, &ch, err);
		if (rc)
			break;
	}
	return rc;
}

static int add_bind(struct timeline *t, u64 at, char *what, struct err *err)
{
	struct sim_change ch = { .at = at, .kind = SIM_BIND };
	char *list = strchr(what, ':');

	if (!list || list == what)
		return err_set(err, -EINVAL,
			       "affinity:%s: expected affinity:NAME:CPUS, where NAME begins the names of tasks",
			       what);
	*list++ = '\0';
	ch.comm = what;
	ch.cpus = cpu_list(t, list, err);
	return ch.cpus ? add(t, &ch, err) : err->code;
}

static int add_word(struct timeline *t, const char *word, struct err *err)
{
	static const char expected[] =
		"expected TIME:cpu_down:CPUS, TIME:cpu_up:CPUS or TIME:affinity:NAME:CPUS";
	char *text = arena_strdup(t->arena, word), *what, *rest;
	s64 at;

	if (!text)
		return no_memory(err);
	what = strchr(text, ':');
	rest = what ? strchr(what + 1, ':') : NULL;
	if (!rest)
		return err_set(err, -EINVAL, "%s", expected);
	*what++ = *rest++ = '\0';
	if (grammar_time("TIME", text, 0, INT64_MAX / 2, &at, err))
		return err->code;
	if (!strcmp(what, "cpu_down"))
		return add_plug(t, at, SIM_CPU_DOWN, rest, err);
	if (!strcmp(what, "cpu_up"))
		return add_plug(t, at, SIM_CPU_UP, rest, err);
	if (!strcmp(what, "affinity"))
		return add_bind(t, at, rest, err);
	return err_set(err, -EINVAL, "nothing is called \"%s\": %s", what, expected);
}

/* by time; what was given first comes first at equal times */
static void sort(struct timeline *t)
{
	for (int i = 1; i < t->nr; i++) {
		struct sim_change ch = t->change[i];
		int at = i;

		for (; at && t->change[at - 1].at > ch.at; at--)
			t->change[at] = t->change[at - 1];
		t->change[at] = ch;
	}
}

static int fill(struct timeline *t, const struct timeline_spec *spec, struct err *err)
{
	if (spec->isolcpus) {
		t->isolated = cpu_list(t, spec->isolcpus, err);
		if (!t->isolated)
			return err_prefix(err, "--isolcpus %s: ", spec->isolcpus), err->code;
		if (mask_weight(t->isolated, mask_words(t->nr_cpus)) == t->nr_cpus)
			return err_set(err, -EINVAL,
				       "--isolcpus %s: every CPU would be isolated, leave one for the other tasks",
				       spec->isolcpus);
	}
	for (int i = 0; i < spec->nr; i++)
		if (add_word(t, spec->at[i], err))
			return err_prefix(err, "--event %s: ", spec->at[i]), err->code;
	sort(t);
	return 0;
}

int timeline_new(const struct timeline_spec *spec, int nr_cpus, struct timeline **out,
		 struct err *err)
{
	struct timeline *t = calloc(1, sizeof(*t));
	int rc;

	*out = NULL;
	if (!t)
		return no_memory(err);
	t->nr_cpus = nr_cpus;
	t->arena = arena_new();
	rc = t->arena ? fill(t, spec, err) : no_memory(err);
	if (rc) {
		timeline_free(t);
		return rc;
	}
	*out = t;
	return 0;
}

void timeline_free(struct timeline *t)
{
	if (!t)
		return;
	arena_free(t->arena);
	free(t->change);
	free(t);
}

void timeline_apply(const struct timeline *t, struct sim_params *p)
{
	p->isolated = t->isolated;
	p->change = t->change;
	p->nr_changes = t->nr;
}
