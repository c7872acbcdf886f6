// SPDX-License-Identifier: BSD-2-Clause
/*
 * kernel.c - the registry: profiles, rules, features, tunables, additions, as tables.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sched/kernel_tables.h"

/* ---- profiles and rules ---- */

static const struct {
	const char *name, *doc;
} profiles[] = {
#define PROFILE(name, doc) {name, doc},
#define RULE(...)
#define SWITCH(...)
#include "sched/profiles.def"
#undef PROFILE
#undef RULE
#undef SWITCH
};

_Static_assert(ARRAY_SIZE(profiles) == NR_PROFILES, "one name a profile");

#define MAX_VARIANTS 6

/* A row of the table of rules. Enums and ints are four bytes, switches one. */
struct rule {
	const char *name, *doc;
	size_t offset, size;
	const char *letters;
	struct {
		char letter;
		int value;
		const char *name;
	} variant[MAX_VARIANTS];
};

static const struct rule rules[] = {
#define PROFILE(...)
#define AT(field)   offsetof(struct sched_rules, field)
#define SIZE(field) sizeof(((struct sched_rules *)0)->field)
#define V(letter, value) {letter, value, #value},
#define RULE(field, letters, doc, values)                                                          \
	{#field, doc, AT(field), SIZE(field), letters, {values}},
#define SWITCH(field, letters, doc)                                                                \
	{#field, doc, AT(field), SIZE(field), letters, {{'y', 1, "yes"}, {'-', 0, "no"}}},
#include "sched/profiles.def"
#undef PROFILE
#undef RULE
#undef SWITCH
#undef V
#undef AT
#undef SIZE
};

static void write_rule(struct sched_rules *r, const struct rule *rule, int value)
{
	char *at = (char *)r + rule->offset;

	if (rule->size == sizeof(bool))
		*(bool *)at = value;
	else
		memcpy(at, &value, sizeof(value));
}

static int read_rule(const struct sched_rules *r, const struct rule *rule)
{
	const char *at = (const char *)r + rule->offset;
	int value;

	if (rule->size == sizeof(bool))
		return *(const bool *)at;
	memcpy(&value, at, sizeof(value));
	return value;
}

void kernel_profile_rules(int profile, struct sched_rules *r)
{
	memset(r, 0, sizeof(*r));
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		for (int v = 0; v < MAX_VARIANTS && rules[i].variant[v].letter; v++)
			if (rules[i].variant[v].letter == rules[i].letters[profile])
				write_rule(r, &rules[i], rules[i].variant[v].value);
}

void kernel_set_rule(struct sched_rules *r, const char *name, int value)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!strcmp(rules[i].name, name))
			write_rule(r, &rules[i], value);
}

int sched_nr_profiles(void)
{
	return NR_PROFILES;
}

const char *sched_profile_name(int i)
{
	return profiles[i].name;
}

const char *sched_profile_doc(int i)
{
	return profiles[i].doc;
}

int kernel_find_profile(const char *name)
{
	for (int i = 0; i < NR_PROFILES; i++)
		if (!strcmp(profiles[i].name, name))
			return i;
	return -1;
}

int sched_nr_rules(void)
{
	return ARRAY_SIZE(rules);
}

const char *sched_rule_name(int i)
{
	return rules[i].name;
}

const char *sched_rule_doc(int i)
{
	return rules[i].doc;
}

const char *sched_rule_value(int i, const struct sched_rules *r)
{
	int value = read_rule(r, &rules[i]);

	for (int v = 0; v < MAX_VARIANTS && rules[i].variant[v].letter; v++)
		if (rules[i].variant[v].value == value)
			return rules[i].variant[v].name;
	return NULL; /* no letter has this value: the table is wrong */
}

int sched_rule_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!strcmp(rules[i].name, name))
			return (int)i;
	return -1;
}

bool sched_rule_same(int i, const struct sched_rules *a, const struct sched_rules *b)
{
	return read_rule(a, &rules[i]) == read_rule(b, &rules[i]);
}

void sched_rule_copy(int i, struct sched_rules *to, const struct sched_rules *from)
{
	write_rule(to, &rules[i], read_rule(from, &rules[i]));
}

/* ---- additions ---- */

const struct kernel_addition kernel_additions[] = {
#define SET(field, v)				  {.kind = CHANGE_RULE, .rule = #field, .value = v},
#define FEAT(name, v)				  {.kind = CHANGE_FEATURE, .feat = FEAT_##name, .value = v},
#define ADDITION(name, first, last, doc, changes) {#name, first, last, doc, {changes}},
#include "sched/additions.def"
#undef ADDITION
#undef SET
#undef FEAT
};

int sched_nr_additions(void)
{
	return ARRAY_SIZE(kernel_additions);
}

const char *sched_addition_name(int i)
{
	return kernel_additions[i].name;
}

const char *sched_addition_doc(int i)
{
	return kernel_additions[i].doc;
}

int sched_addition_first(int i)
{
	return kernel_find_profile(kernel_additions[i].first);
}

int sched_addition_last(int i)
{
	return kernel_find_profile(kernel_additions[i].last);
}

bool sched_addition_sets(int i, int rule)
{
	for (const struct kernel_change *c = kernel_additions[i].change; c->kind; c++)
		if (c->kind == CHANGE_RULE && !strcmp(c->rule, rules[rule].name))
			return true;
	return false;
}

int kernel_find_addition(const char *name)
{
	for (int i = 0; i < sched_nr_additions(); i++)
		if (!strcmp(kernel_additions[i].name, name))
			return i;
	return -1;
}

/* ---- features ---- */

static const struct {
	const char *name, *since, *defaults, *doc;
} features[NR_FEATS] = {
#define FEATURE(name, since, defaults, doc) {#name, since, defaults, doc},
#include "sched/features.def"
#undef FEATURE
};

_Static_assert(NR_FEATS <= 64, "features are bits of a u64");

const char *sched_feat_name(enum sched_feat f)
{
	return features[f].name;
}

const char *sched_feat_doc(enum sched_feat f)
{
	return features[f].doc;
}

const char *sched_feat_since(enum sched_feat f)
{
	return features[f].since;
}

char sched_feat_default(enum sched_feat f, int profile)
{
	return features[f].defaults[profile];
}

int kernel_find_feature(const char *name)
{
	for (int i = 0; i < NR_FEATS; i++)
		if (!strcmp(features[i].name, name))
			return i;
	return -1;
}

/* ---- tunables ---- */

static const struct {
	const char *name;
	bool scaled;
	const char *unit;
	s64 lo, hi, defaults[NR_PROFILES];
	const char *doc;
} tunables[NR_TUNABLES] = {
#define NA					 TUNABLE_NA
#define TUNABLE(name, scaled, unit, lo, hi, ...) TUNABLE_(name, scaled, unit, lo, hi, __VA_ARGS__)
#define TUNABLE_(name, scaled, unit, lo, hi, a, b, c, d, e, f, g, h, i, j, k, l, doc)              \
	{#name, scaled, unit, lo, hi, {a, b, c, d, e, f, g, h, i, j, k, l}, doc},
#include "sched/tunables.def"
#undef TUNABLE
#undef TUNABLE_
#undef NA
};

const char *sched_tunable_name(enum sched_tunable t)
{
	return tunables[t].name;
}

const char *sched_tunable_doc(enum sched_tunable t)
{
	return tunables[t].doc;
}

const char *sched_tunable_unit(enum sched_tunable t)
{
	return tunables[t].unit;
}

bool sched_tunable_scaled(enum sched_tunable t)
{
	return tunables[t].scaled;
}

s64 sched_tunable_default(enum sched_tunable t, int profile)
{
	return tunables[t].defaults[profile];
}

void kernel_tunable_range(enum sched_tunable t, s64 *lo, s64 *hi)
{
	*lo = tunables[t].lo;
	*hi = tunables[t].hi;
}

int kernel_find_tunable(const char *name)
{
	for (int i = 0; i < NR_TUNABLES; i++)
		if (!strcmp(tunables[i].name, name))
			return i;
	return -1;
}

/* spec 02 §3 */
static s64 scaling_factor(const struct sched_kernel *k, int nr_cpus)
{
	int n = clamp(nr_cpus, 1, 8);

	switch (k->tunable[TUN_tunable_scaling]) {
	case 0:
		return 1;
	case 2:
		return n;
	default:
		return 32 - __builtin_clz(n); /* 1 + floor(log2(n)) */
	}
}

s64 sched_tunable(const struct sched_kernel *k, enum sched_tunable t, int nr_cpus)
{
	s64 v = k->tunable[t];

	if (v == TUNABLE_NA || k->set_raw[t] || !tunables[t].scaled)
		return v;
	return v * scaling_factor(k, nr_cpus);
}

s64 sched_tunable_normalised(const struct sched_kernel *k, enum sched_tunable t, int nr_cpus)
{
	s64 v = k->tunable[t];

	if (v == TUNABLE_NA || !k->set_raw[t] || !tunables[t].scaled)
		return v;
	return v / scaling_factor(k, nr_cpus);
}

/* ---- what isn't built yet ---- */

enum missing_kind { MISSING_ADDITION, MISSING_RULE, MISSING_FEATURE, MISSING_TUNABLE };

static const struct {
	enum missing_kind kind;
	const char *name, *why;
	int value;
} missing[] = {
#define MISSING_ADDITION(name, why)	{MISSING_ADDITION, #name, why, 0},
#define MISSING_RULE(field, value, why) {MISSING_RULE, #field, why, value},
#define MISSING_FEATURE(name, why)	{MISSING_FEATURE, #name, why, FEAT_##name},
#define MISSING_TUNABLE(name, why)	{MISSING_TUNABLE, #name, why, TUN_##name},
#include "sched/missing.def"
#undef MISSING_ADDITION
#undef MISSING_RULE
#undef MISSING_FEATURE
#undef MISSING_TUNABLE
};

const char *sched_missing(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++)
		if (missing[i].kind != MISSING_RULE && !strcmp(missing[i].name, name))
			return missing[i].why;
	return NULL;
}

static bool rule_is(const struct sched_rules *r, const char *name, int value)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!strcmp(rules[i].name, name))
			return read_rule(r, &rules[i]) == value;
	return false;
}

static bool asks_for(const struct sched_kernel *k, size_t i)
{
	int v = missing[i].value;

	switch (missing[i].kind) {
	case MISSING_ADDITION:
		return k->additions >> kernel_find_addition(missing[i].name) & 1;
	case MISSING_RULE:
		return rule_is(&k->rules, missing[i].name, v);
	case MISSING_FEATURE:
		return k->switched >> v & 1;
	case MISSING_TUNABLE:
		return k->user_set[v] && k->tunable[v] != tunables[v].defaults[k->profile];
	}
	return false;
}

int sched_kernel_check_built(const struct sched_kernel *k, struct err *err)
{
	static const char *const kind[] = {"addition +", "rule ", "feature ", "tunable "};
	char list[768] = "";
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(missing); i++) {
		if (!asks_for(k, i) || n >= sizeof(list))
			continue;
		n += snprintf(list + n, sizeof(list) - n, "%s%s%s (%s)", n ? ", " : "",
			      kind[missing[i].kind], missing[i].name, missing[i].why);
	}
	if (!n)
		return 0;
	return err_set(err, -ENOTSUP, "kernel '%s' asks for what isn't built yet: %s", k->expr,
		       list);
}
