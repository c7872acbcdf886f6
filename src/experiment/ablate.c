// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/ablate.h"
#include "experiment/kernel_dump.h"

#define MAX_MEMBERS 40

static const struct group {
	const char *name, *lead, *member[MAX_MEMBERS];
} groups[] = {
#define GROUP(name, lead, ...) { name, lead, { __VA_ARGS__ } },
#include "experiment/ablate_groups.def"
#undef GROUP
};

/* how domains and files are called decides nothing */
static const char *const only_names[] = { "pkg_names", "share_llc_name", "overlap_flag",
					  "schedstat_version" };

static bool is_only_name(int rule)
{
	for (size_t i = 0; i < ARRAY_SIZE(only_names); i++)
		if (!strcmp(sched_rule_name(rule), only_names[i]))
			return true;
	return false;
}

/* What differs, entry by entry. */
struct entries {
	u64 rules[2], features, tunables;
};

static bool has_rule(const struct entries *e, int i)
{
	return e->rules[i / 64] >> (i % 64) & 1;
}

static void all_entries(const struct sched_kernel *a, const struct sched_kernel *b,
			struct entries *e)
{
	*e = (struct entries){ .features = a->features ^ b->features };
	for (int i = 0; i < sched_nr_rules(); i++)
		if (!is_only_name(i) && !sched_rule_same(i, &a->rules, &b->rules))
			e->rules[i / 64] |= 1ULL << (i % 64);
	for (int t = 0; t < NR_TUNABLES; t++)
		if (a->tunable[t] != b->tunable[t] ||
		    (a->set_raw[t] != b->set_raw[t] && sched_tunable_scaled(t)))
			e->tunables |= 1ULL << t;
}

static void add_text(struct difference *d, const char *text)
{
	size_t n = strlen(d->what);

	snprintf(d->what + n, sizeof(d->what) - n, "%s%s", n ? ", " : "", text);
}

static void take_rule(struct entries *e, int i, const struct sched_kernel *a,
		      const struct sched_kernel *b, struct difference *d)
{
	char text[160];

	e->rules[i / 64] &= ~(1ULL << (i % 64));
	d->rules[i / 64] |= 1ULL << (i % 64);
	snprintf(text, sizeof(text), "%s %s -> %s", sched_rule_name(i),
		 sched_rule_value(i, &a->rules) ?: "?", sched_rule_value(i, &b->rules) ?: "?");
	add_text(d, text);
}

static void take_feature(struct entries *e, int f, const struct sched_kernel *b,
			 struct difference *d)
{
	char text[80];

	e->features &= ~(1ULL << f);
	d->features |= 1ULL << f;
	snprintf(text, sizeof(text), "%s%s", sched_feat(b, f) ? "" : "NO_", sched_feat_name(f));
	add_text(d, text);
}

static void take_tunable(struct entries *e, int t, const struct sched_kernel *b,
			 struct difference *d)
{
	char text[80];

	e->tunables &= ~(1ULL << t);
	d->tunables |= 1ULL << t;
	if (b->tunable[t] == TUNABLE_NA)
		snprintf(text, sizeof(text), "no %s", sched_tunable_name(t));
	else
		snprintf(text, sizeof(text), "%s=%lld", sched_tunable_name(t),
			 (long long)b->tunable[t]);
	add_text(d, text);
}

static void take_member(struct entries *e, const char *name, const struct sched_kernel *a,
			const struct sched_kernel *b, struct difference *d)
{
	int rule = sched_rule_find(name);

	if (rule >= 0 && has_rule(e, rule))
		take_rule(e, rule, a, b, d);
	for (int f = 0; f < NR_FEATS; f++)
		if (e->features >> f & 1 && !strcmp(sched_feat_name(f), name))
			take_feature(e, f, b, d);
	for (int t = 0; t < NR_TUNABLES; t++)
		if (e->tunables >> t & 1 && !strcmp(sched_tunable_name(t), name))
			take_tunable(e, t, b, d);
}

static struct difference *new_difference(struct difference *d, int *n, const char *name)
{
	struct difference *new = &d[(*n)++];

	memset(new, 0, sizeof(*new));
	snprintf(new->name, sizeof(new->name), "%s", name);
	return new;
}

/* a rule that comes with a patch series is known by that: "wake_list (+LOCALWAKELIST)" */
static void name_addition(const struct sched_kernel *a, const struct sched_kernel *b,
			  struct difference *d)
{
	for (int i = 0; i < sched_nr_additions(); i++) {
		bool theirs = false;
		size_t n = strlen(d->name);

		if (!((a->additions ^ b->additions) >> i & 1))
			continue;
		for (int r = 0; r < sched_nr_rules(); r++)
			theirs |= d->rules[r / 64] >> (r % 64) & 1 && sched_addition_sets(i, r);
		if (theirs)
			snprintf(d->name + n, sizeof(d->name) - n, " (%c%s)",
				 b->additions >> i & 1 ? '+' : '-', sched_addition_name(i));
	}
}

int kernel_differences(const struct sched_kernel *a, const struct sched_kernel *b,
		       struct difference *d)
{
	struct entries e;
	int n = 0;

	all_entries(a, b, &e);
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++) {
		int lead = sched_rule_find(groups[g].lead);
		struct difference *new;

		if (!has_rule(&e, lead))
			continue;
		new = new_difference(d, &n, groups[g].name);
		take_rule(&e, lead, a, b, new);
		for (int i = 0; i < MAX_MEMBERS && groups[g].member[i]; i++)
			take_member(&e, groups[g].member[i], a, b, new);
	}
	for (int i = 0; i < sched_nr_rules() && n < MAX_DIFFERENCES; i++)
		if (has_rule(&e, i))
			take_rule(&e, i, a, b, new_difference(d, &n, sched_rule_name(i)));
	for (int f = 0; f < NR_FEATS && n < MAX_DIFFERENCES; f++)
		if (e.features >> f & 1)
			take_feature(&e, f, b, new_difference(d, &n, sched_feat_name(f)));
	for (int t = 0; t < NR_TUNABLES && n < MAX_DIFFERENCES; t++)
		if (e.tunables >> t & 1)
			take_tunable(&e, t, b, new_difference(d, &n, sched_tunable_name(t)));
	for (int i = 0; i < n; i++)
		name_addition(a, b, &d[i]);
	return n;
}

void kernel_take(struct sched_kernel *to, const struct sched_kernel *from,
		 const struct difference *d)
{
	for (int i = 0; i < sched_nr_rules(); i++)
		if (d->rules[i / 64] >> (i % 64) & 1)
			sched_rule_copy(i, &to->rules, &from->rules);
	to->features = (to->features & ~d->features) | (from->features & d->features);
	to->known_features |= from->known_features & d->features;
	for (int t = 0; t < NR_TUNABLES; t++) {
		if (!(d->tunables >> t & 1))
			continue;
		to->tunable[t] = from->tunable[t];
		to->set_raw[t] = from->set_raw[t];
	}
}

/* ---- the runs ---- */

static int make_kernels(struct ablation *a, const struct compare_spec *spec)
{
	int n = 2 + 2 * a->nr_differences;
	struct sched_kernel *k;

	k = realloc(a->kernel, n * sizeof(*k));
	if (!k)
		return -ENOMEM;
	a->kernel = k;
	a->name = calloc(n, sizeof(*a->name));
	if (!a->name)
		return -ENOMEM;
	for (int i = 0; i < n; i++)
		a->name[i] = spec->kernel_expr[i % 2];
	for (int i = 0; i < a->nr_differences; i++) {
		int with = ablation_base_with(i), without = ablation_variant_without(i);

		k[with] = k[0];
		kernel_take(&k[with], &k[1], &a->diff[i]);
		k[without] = k[1];
		kernel_take(&k[without], &k[0], &a->diff[i]);
		a->name[with] = a->name[without] = a->diff[i].name;
	}
	return 0;
}

static int prepare(struct ablation *a, const struct compare_spec *spec, struct err *err)
{
	int ret = 0;

	a->kernel = calloc(2, sizeof(*a->kernel));
	a->diff = calloc(MAX_DIFFERENCES, sizeof(*a->diff));
	if (!a->kernel || !a->diff)
		return err_set(err, -ENOMEM, "out of memory");
	for (int i = 0; i < 2 && !ret; i++)
		ret = kernel_load(spec->kernel_expr[i], &a->kernel[i], err);
	if (ret)
		return ret;
	a->nr_differences = kernel_differences(&a->kernel[0], &a->kernel[1], a->diff);
	if (!a->nr_differences)
		return err_set(err, -EINVAL,
			       "%s and %s decide by the same rules: there is nothing to ablate",
			       spec->kernel_expr[0], spec->kernel_expr[1]);
	if (make_kernels(a, spec))
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

int ablation_run(const struct compare_spec *spec, struct ablation **out, struct err *err)
{
	struct ablation *a = calloc(1, sizeof(*a));
	struct compare_spec all = *spec;
	int ret;

	*out = NULL;
	if (!a)
		return err_set(err, -ENOMEM, "out of memory");
	ret = prepare(a, spec, err);
	if (!ret) {
		all.nr_kernels = 2 + 2 * a->nr_differences;
		all.kernel_expr = a->name;
		all.kernel = a->kernel;
		ret = compare_run(&all, &a->c, err);
	}
	if (ret)
		ablation_free(a);
	else
		*out = a;
	return ret;
}

void ablation_free(struct ablation *a)
{
	if (!a)
		return;
	compare_free(a->c);
	free(a->diff);
	free(a->kernel);
	free(a->name);
	free(a);
}
