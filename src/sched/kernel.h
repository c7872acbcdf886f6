/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel.h - a kernel as the core sees it: rules, features, tunables.
 *
 * Three tables are the only registry: profiles.def, features.def,
 * tunables.def (and additions.def for patch series). A kernel expression
 * chooses a profile and changes single entries:
 *
 *	v6.1,+CLUSTER_V7,NO_SIS_UTIL,SIS_PROP,migration_cost_ns=0
 */
#ifndef IDLEST_SCHED_KERNEL_H
#define IDLEST_SCHED_KERNEL_H

#include "base/err.h"
#include "sched/rules.h"

enum sched_feat {
#define FEATURE(name, since, defaults, doc) FEAT_##name,
#include "sched/features.def"
#undef FEATURE
	NR_FEATS
};

enum sched_tunable {
#define TUNABLE(name, scaled, unit, ...) TUN_##name,
#include "sched/tunables.def"
#undef TUNABLE
	NR_TUNABLES
};

#define TUNABLE_NA INT64_MIN	/* this kernel has no such tunable */

struct sched_kernel {
	char expr[512];		/* as the user wrote it */
	int profile;		/* index into the table of profiles */
	struct sched_rules rules;
	u64 features;		/* bit FEAT_x: on */
	u64 known_features;	/* bit FEAT_x: this kernel has it */
	u64 switched;		/* bit FEAT_x: not as in the profile, by an item of the expression */
	u64 additions;		/* bit i: addition i is applied */
	s64 tunable[NR_TUNABLES]; /* normalised (unscaled) values */
	bool set_raw[NR_TUNABLES]; /* given as a final value: not scaled again */
	bool user_set[NR_TUNABLES]; /* … by an item of the expression, not by a dump */
};

static inline bool sched_feat(const struct sched_kernel *k, enum sched_feat f)
{
	return k->features >> f & 1;
}

/**
 * sched_kernel_parse() - read a kernel expression
 * @expr: profile, then comma separated: +ADDITION, FEATURE, NO_FEATURE, tunable=value
 * @k: result
 * @err: unknown names come with the nearest known one
 *
 * A tunable given by the user is final: it isn't scaled by the number of CPUs.
 * Return: 0, or -EINVAL.
 */
int sched_kernel_parse(const char *expr, struct sched_kernel *k, struct err *err);

/**
 * sched_kernel_apply() - one more item of the same grammar (also used for recorded dumps)
 */
int sched_kernel_apply(struct sched_kernel *k, const char *item, struct err *err);

/**
 * sched_kernel_apply_list() - comma separated items; one that is named twice is an error
 */
int sched_kernel_apply_list(struct sched_kernel *k, const char *items, struct err *err);

/**
 * sched_kernel_check_built() - refuse what this kernel asks for and the core doesn't have
 *
 * Called when a core is created, not when the expression is read: `idlest topo`
 * serves every profile.
 *
 * Return: 0, or -ENOTSUP with the names of the missing rules.
 */
int sched_kernel_check_built(const struct sched_kernel *k, struct err *err);

/**
 * sched_tunable() - the effective value of a tunable on a machine of @nr_cpus (spec 02 §3)
 */
s64 sched_tunable(const struct sched_kernel *k, enum sched_tunable t, int nr_cpus);
/** sched_tunable_normalised() - the same before scaling (a final value is divided by the factor) */
s64 sched_tunable_normalised(const struct sched_kernel *k, enum sched_tunable t, int nr_cpus);

/* The registry, for the lists (idlest kernels, features, tunables). */
int sched_nr_profiles(void);
const char *sched_profile_name(int i);
const char *sched_profile_doc(int i);
int sched_nr_additions(void);
const char *sched_addition_name(int i);
const char *sched_addition_doc(int i);
int sched_addition_first(int i);	/* profiles it applies to, from … to */
int sched_addition_last(int i);
bool sched_addition_sets(int i, int rule); /* it changes this rule */
int sched_nr_rules(void);
const char *sched_rule_name(int i);	/* field of struct sched_rules */
const char *sched_rule_doc(int i);
const char *sched_rule_value(int i, const struct sched_rules *r); /* its variant's name */
/** sched_rule_find() - index of the rule @name, -1: none */
int sched_rule_find(const char *name);
bool sched_rule_same(int i, const struct sched_rules *a, const struct sched_rules *b);
/** sched_rule_copy() - give @to the variant that @from has of one rule */
void sched_rule_copy(int i, struct sched_rules *to, const struct sched_rules *from);
/** sched_missing() - why addition, feature or tunable @name isn't built yet; NULL: it is */
const char *sched_missing(const char *name);
const char *sched_feat_name(enum sched_feat f);
const char *sched_feat_doc(enum sched_feat f);
const char *sched_feat_since(enum sched_feat f);
char sched_feat_default(enum sched_feat f, int profile); /* 'T', 'F' or '-' */
const char *sched_tunable_name(enum sched_tunable t);
const char *sched_tunable_doc(enum sched_tunable t);
const char *sched_tunable_unit(enum sched_tunable t);
bool sched_tunable_scaled(enum sched_tunable t);
s64 sched_tunable_default(enum sched_tunable t, int profile);

#endif
