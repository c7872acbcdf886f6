/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_tables.h - the .def tables as data; for kernel.c and kernel_parse.c only.
 */
#ifndef IDLEST_SCHED_KERNEL_TABLES_H
#define IDLEST_SCHED_KERNEL_TABLES_H

#include "sched/kernel.h"

enum {
#define PROFILE(...) +1
#define RULE(...)
#define SWITCH(...)
	NR_PROFILES = 0
#include "sched/profiles.def"
#undef PROFILE
#undef RULE
#undef SWITCH
};

/* One rule, feature or tunable that an addition changes. */
struct kernel_change {
	enum { CHANGE_RULE = 1, CHANGE_FEATURE } kind;
	const char *rule;	/* CHANGE_RULE: field of struct sched_rules */
	enum sched_feat feat;	/* CHANGE_FEATURE */
	int value;
};

struct kernel_addition {
	const char *name, *first, *last, *doc;
	struct kernel_change change[6];	/* ends with kind 0 */
};

extern const struct kernel_addition kernel_additions[];

/* the rules of a column of profiles.def */
void kernel_profile_rules(int profile, struct sched_rules *r);
void kernel_set_rule(struct sched_rules *r, const char *name, int value);
/* Return: index, or -1 */
int kernel_find_profile(const char *name);
int kernel_find_addition(const char *name);
int kernel_find_feature(const char *name);
int kernel_find_tunable(const char *name);
void kernel_tunable_range(enum sched_tunable t, s64 *lo, s64 *hi);

#endif
