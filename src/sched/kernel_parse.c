// SPDX-License-Identifier: BSD-2-Clause
/*
 * kernel_parse.c - reading kernel expressions: v6.1,+CLUSTER_V7,NO_SIS_UTIL,migration_cost_ns=0
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "sched/kernel_tables.h"

#define MAX_ITEM 64

/* " (did you mean X?)", or nothing when no name is near */
static const char *hint(char *buf, size_t len, const char *prefix, const char *near)
{
	if (near)
		snprintf(buf, len, "; did you mean %s%s?", prefix, near);
	else
		buf[0] = '\0';
	return buf;
}

/* v6.12.95 or 6.12 as a number that orders; Return: 0 if it isn't a version */
static u64 version_of(const char *name)
{
	unsigned int v[3] = {0};
	int n = 0;

	sscanf(name, "v%3u.%3u%n.%3u%n", &v[0], &v[1], &n, &v[2], &n);
	if (!n)
		sscanf(name, "%3u.%3u%n.%3u%n", &v[0], &v[1], &n, &v[2], &n);
	return n && !name[n] ? (u64)v[0] * 1000000 + v[1] * 1000 + v[2] : 0;
}

/*
 * of a version: the newest kernel that isn't newer (a stable one only within its series); else the
 * name written most alike
 */
static const char *nearest_profile(const char *name)
{
	const char *names[NR_PROFILES], *best = NULL;
	u64 version = version_of(name);

	for (int i = 0; i < NR_PROFILES; i++) {
		u64 known = version_of(sched_profile_name(i));

		names[i] = sched_profile_name(i);
		if (known && known <= version &&
		    (known % 1000 == 0 || known / 1000 == version / 1000))
			best = names[i];
	}
	return best ?: nearest_name(name, names, NR_PROFILES);
}

static int load_profile(const char *name, struct sched_kernel *k, struct err *err)
{
	char buf[96];

	k->profile = kernel_find_profile(name);
	if (k->profile < 0)
		return err_set(err, -EINVAL, "unknown kernel '%s'%s ('idlest kernels' lists them)",
			       name, hint(buf, sizeof(buf), "", nearest_profile(name)));
	kernel_profile_rules(k->profile, &k->rules);
	for (int f = 0; f < NR_FEATS; f++) {
		char d = sched_feat_default(f, k->profile);

		k->known_features |= (u64)(d != '-') << f;
		k->features |= (u64)(d == 'T') << f;
	}
	for (int t = 0; t < NR_TUNABLES; t++)
		k->tunable[t] = sched_tunable_default(t, k->profile);
	return 0;
}

/* ---- +ADDITION ---- */

/* the rule that additions @a and @b set to different values, or NULL */
static const char *contested_rule(int a, int b)
{
	const struct kernel_change *x, *y;

	for (x = kernel_additions[a].change; x->kind; x++)
		for (y = kernel_additions[b].change; y->kind; y++)
			if (x->kind == CHANGE_RULE && y->kind == CHANGE_RULE &&
			    !strcmp(x->rule, y->rule) && x->value != y->value)
				return x->rule;
	return NULL;
}

static int apply_addition(struct sched_kernel *k, const char *name, struct err *err)
{
	int i = kernel_find_addition(name);
	const struct kernel_change *c;

	if (i < 0) {
		const char *names[64];
		char buf[96];
		int n = min(sched_nr_additions(), 64);

		for (int j = 0; j < n; j++)
			names[j] = sched_addition_name(j);
		return err_set(err, -EINVAL,
			       "unknown addition '+%s'%s ('idlest kernels' lists them)", name,
			       hint(buf, sizeof(buf), "+", nearest_name(name, names, n)));
	}
	if (k->profile < sched_addition_first(i) || k->profile > sched_addition_last(i))
		return err_set(err, -EINVAL, "addition +%s applies to %s … %s, not to %s", name,
			       kernel_additions[i].first, kernel_additions[i].last,
			       sched_profile_name(k->profile));
	for (int j = 0; j < sched_nr_additions(); j++)
		if (k->additions >> j & 1 && contested_rule(i, j))
			return err_set(err, -EINVAL,
				       "additions +%s and +%s exclude each other: both set rule %s",
				       sched_addition_name(j), name, contested_rule(i, j));
	k->additions |= 1ULL << i;
	for (c = kernel_additions[i].change; c->kind; c++) {
		if (c->kind == CHANGE_RULE) {
			kernel_set_rule(&k->rules, c->rule, c->value);
			continue;
		}
		k->known_features |= 1ULL << c->feat;
		k->features &= ~(1ULL << c->feat);
		k->features |= (u64)c->value << c->feat;
	}
	return 0;
}

/* ---- FEATURE, NO_FEATURE ---- */

/* why this kernel hasn't got a feature that others have */
static int feature_not_here(const struct sched_kernel *k, enum sched_feat f, struct err *err)
{
	const char *profile = sched_profile_name(k->profile), *name = sched_feat_name(f);
	int first = -1, last = -1;

	for (int i = 0; i < NR_PROFILES; i++) {
		if (sched_feat_default(f, i) == '-')
			continue;
		if (first < 0)
			first = i;
		last = i;
	}
	if (first < 0)
		return err_set(err, -EINVAL, "%s has no feature %s (it comes with an addition)",
			       profile, name);
	if (last < k->profile)
		return err_set(err, -EINVAL, "%s has no feature %s (%s was the last to have it)",
			       profile, name, sched_profile_name(last));
	return err_set(err, -EINVAL, "%s has no feature %s (since %s)", profile, name,
		       sched_feat_since(f));
}

static int unknown_item(const char *item, struct err *err)
{
	const char *bare = strncmp(item, "NO_", 3) ? item : item + 3;
	const char *names[NR_FEATS + NR_TUNABLES];
	const char *near;
	char buf[96];
	int n = 0, t;

	if (kernel_find_addition(item) >= 0)
		return err_set(err, -EINVAL, "'%s' is an addition: write +%s", item, item);
	t = kernel_find_tunable(item);
	if (t >= 0)
		return err_set(err, -EINVAL, "tunable %s needs a value: %s=NUMBER", item, item);
	for (int i = 0; i < NR_FEATS; i++)
		names[n++] = sched_feat_name(i);
	for (int i = 0; i < NR_TUNABLES; i++)
		names[n++] = sched_tunable_name(i);
	near = nearest_name(bare, names, n);
	return err_set(err, -EINVAL,
		       "unknown feature '%s'%s (expected +ADDITION, FEATURE, NO_FEATURE or "
		       "tunable=NUMBER)",
		       item,
		       hint(buf, sizeof(buf),
			    near && bare != item && isupper((unsigned char)*near) ? "NO_" : "",
			    near));
}

static int apply_feature(struct sched_kernel *k, const char *item, struct err *err)
{
	bool on = strncmp(item, "NO_", 3) != 0;
	int f = kernel_find_feature(on ? item : item + 3);
	u64 bit;

	if (f < 0)
		return unknown_item(item, err);
	bit = 1ULL << f;
	if (!(k->known_features & bit))
		return feature_not_here(k, f, err);
	if (on)
		k->features |= bit;
	else
		k->features &= ~bit;
	/* an addition's feature has no default of the profile: on is its default */
	if (on == (sched_feat_default(f, k->profile) != 'F'))
		k->switched &= ~bit;
	else
		k->switched |= bit;
	return 0;
}

/* ---- tunable=value ---- */

/* a number, with us, ms or s where the unit is ns */
static int parse_value(enum sched_tunable t, const char *text, s64 *value, struct err *err)
{
	static const struct {
		const char *suffix;
		s64 ns;
	} units[] = {{"", 1}, {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	bool ns = !strcmp(sched_tunable_unit(t), "ns");
	s64 lo, hi, factor = 0;
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 10);
	if (errno || end == text || isspace((unsigned char)*text))
		goto bad;
	for (size_t i = 0; i < (ns ? ARRAY_SIZE(units) : 1); i++)
		if (!strcmp(end, units[i].suffix))
			factor = units[i].ns;
	if (!factor || __builtin_mul_overflow(*value, factor, value))
		goto bad;
	kernel_tunable_range(t, &lo, &hi);
	if (*value >= lo && *value <= hi)
		return 0;
	return err_set(err, -EINVAL, "tunable %s=%s is out of range: %lld … %lld%s%s",
		       sched_tunable_name(t), text, (long long)lo, (long long)hi, ns ? " " : "",
		       sched_tunable_unit(t));
bad:
	return err_set(err, -EINVAL, "tunable %s: '%s' is not a whole number%s",
		       sched_tunable_name(t), text, ns ? " of ns (or with us, ms, s)" : "");
}

static int apply_tunable(struct sched_kernel *k, const char *name, const char *text,
			 struct err *err)
{
	int t = kernel_find_tunable(name);
	s64 value;
	int ret;

	if (t < 0) {
		const char *names[NR_TUNABLES];
		char buf[96];

		for (int i = 0; i < NR_TUNABLES; i++)
			names[i] = sched_tunable_name(i);
		return err_set(err, -EINVAL,
			       "unknown tunable '%s'%s ('idlest tunables' lists them)", name,
			       hint(buf, sizeof(buf), "", nearest_name(name, names, NR_TUNABLES)));
	}
	if (k->tunable[t] == TUNABLE_NA) {
		int first = -1, last = 0;

		for (int i = 0; i < NR_PROFILES; i++) {
			if (sched_tunable_default(t, i) == TUNABLE_NA)
				continue;
			first = first < 0 ? i : first;
			last = i;
		}
		return err_set(err, -EINVAL, "%s has no tunable %s (%s … %s have it)",
			       sched_profile_name(k->profile), name, sched_profile_name(first),
			       sched_profile_name(last));
	}
	ret = parse_value(t, text, &value, err);
	if (ret)
		return ret;
	k->tunable[t] = value;
	k->set_raw[t] = true;
	k->user_set[t] = true;
	return 0;
}

/* ---- the grammar ---- */

int sched_kernel_apply(struct sched_kernel *k, const char *item, struct err *err)
{
	const char *eq = strchr(item, '=');
	char name[MAX_ITEM];

	if (item[0] == '+')
		return apply_addition(k, item + 1, err);
	if (!eq)
		return apply_feature(k, item, err);
	snprintf(name, sizeof(name), "%.*s", (int)min(eq - item, (ptrdiff_t)sizeof(name) - 1),
		 item);
	return apply_tunable(k, name, eq + 1, err);
}

/* what an item is about, so that SIS_UTIL,NO_SIS_UTIL and x=1,x=2 are told */
static void item_subject(const char *item, char *subject)
{
	size_t n;

	if (!strncmp(item, "NO_", 3))
		item += 3;
	n = min(strcspn(item, "="), (size_t)MAX_ITEM - 1);
	memcpy(subject, item, n);
	subject[n] = '\0';
}

#define MAX_ITEMS 64

int sched_kernel_apply_list(struct sched_kernel *k, const char *items, struct err *err)
{
	char seen[MAX_ITEMS][MAX_ITEM];
	const char *s = items;
	int n = 0, ret;

	for (;;) {
		size_t len = strcspn(s, ",");
		char item[MAX_ITEM];

		if (!len)
			return err_set(err, -EINVAL, "empty item at character %d of '%s'",
				       (int)(s - items) + 1, items);
		if (len >= sizeof(item))
			return err_set(err, -EINVAL, "item '%.32s…' is too long", s);
		if (n == MAX_ITEMS)
			return err_set(err, -EINVAL, "more than %d items", MAX_ITEMS);
		memcpy(item, s, len);
		item[len] = '\0';
		item_subject(item, seen[n]);
		for (int i = 0; i < n; i++)
			if (!strcmp(seen[i], seen[n]))
				return err_set(err, -EINVAL, "'%s' is named twice in '%s'", seen[n],
					       items);
		n++;
		ret = sched_kernel_apply(k, item, err);
		if (ret)
			return ret;
		s += len;
		if (!*s)
			return 0;
		s++;
	}
}

int sched_kernel_parse(const char *expr, struct sched_kernel *k, struct err *err)
{
	size_t len = strcspn(expr, ",");
	char profile[MAX_ITEM];
	int ret;

	memset(k, 0, sizeof(*k));
	if (strlen(expr) >= sizeof(k->expr))
		return err_set(err, -EINVAL,
			       "kernel expression '%.40s…' is longer than %d characters", expr,
			       (int)sizeof(k->expr) - 1);
	strcpy(k->expr, expr);
	if (!len)
		return err_set(err, -EINVAL,
			       "kernel expression '%s' names no kernel: expected one such as v6.12",
			       expr);
	if (len >= sizeof(profile))
		return err_set(err, -EINVAL,
			       "unknown kernel '%.40s…' ('idlest kernels' lists them)", expr);
	memcpy(profile, expr, len);
	profile[len] = '\0';
	ret = load_profile(profile, k, err);
	if (ret || !expr[len])
		return ret;
	ret = sched_kernel_apply_list(k, expr + len + 1, err);
	if (ret)
		err_prefix(err, "kernel '%s': ", expr);
	return ret;
}
