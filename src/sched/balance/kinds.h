/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kinds.h - the words in which a balancing pass says what it found (spec 06 §2, §4, §6).
 */
#ifndef IDLEST_SCHED_BALANCE_KINDS_H
#define IDLEST_SCHED_BALANCE_KINDS_H

/* What a group is, least to most in need of help (spec 06 §4, order of 16 §10). */
enum group_type {
	GROUP_HAS_SPARE,
	GROUP_FULLY_BUSY,
	GROUP_MISFIT_TASK,
	GROUP_SMT_BALANCE,
	GROUP_ASYM_PACKING,
	GROUP_IMBALANCED,
	GROUP_OVERLOADED,
};

/* In what the imbalance is counted (spec 06 §6). */
enum migration_type { MIGRATE_LOAD, MIGRATE_UTIL, MIGRATE_TASK, MIGRATE_MISFIT };
#define NR_MIGRATION_TYPES (MIGRATE_MISFIT + 1)

enum balance_outcome {
	BALANCE_NOT_ALLOWED, /* §3: another CPU does this domain; the walk ends */
	BALANCE_LOCK_BUSY,   /* SERIALIZE_ALL: somebody else balances such a domain */
	BALANCE_NO_GROUP,    /* balanced: no busiest group, or not busy enough */
	BALANCE_NO_QUEUE,    /* balanced: no queue of that group can give */
	BALANCE_ALL_PINNED,  /* no task may run in the local group */
	BALANCE_FAILED,	     /* imbalance, but nothing could be moved */
	BALANCE_MOVED,
};

const char *balance_outcome_name(enum balance_outcome o);
const char *group_type_name(enum group_type t);
const char *migration_type_name(enum migration_type t);

#endif
