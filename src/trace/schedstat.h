/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * schedstat.h - /proc/schedstat: what a kernel counted of its own scheduling (spec 11 §4).
 *
 * Versions 15, 16 and 17 are read and written; in memory idle types stand in one order.
 */
#ifndef IDLEST_TRACE_SCHEDSTAT_H
#define IDLEST_TRACE_SCHEDSTAT_H

#include <stdio.h>

#include "base/err.h"
#include "base/types.h"

struct sched;
struct sched_kernel;

enum schedstat_idle { SCHEDSTAT_BUSY, SCHEDSTAT_IDLE, SCHEDSTAT_NEWIDLE, NR_SCHEDSTAT_IDLE };

/* Passes of one domain by one kind of idleness of its CPU. */
struct schedstat_lb {
	u64 count, balanced, failed, gained, hot_gained, nobusyq, nobusyg;
	u64 imbalance;	     /* in mixed units; version 17: the sum of */
	u64 imbalance_of[4]; /* … load, util, task, misfit */
};

/* Counters and nothing else. */
struct schedstat_domain {
	struct schedstat_lb lb[NR_SCHEDSTAT_IDLE];
	u64 alb_count, alb_failed, alb_pushed;
	u64 sbe_count, sbe_balanced, sbe_pushed; /* no kernel of these versions counts sbe, sbf, */
	u64 sbf_count, sbf_balanced, sbf_pushed;
	u64 ttwu_wake_remote, ttwu_move_affine;
	u64 ttwu_move_balance;			 /* … and move_balance */
};

#define SCHEDSTAT_MAX_DOMAINS 12
#define SCHEDSTAT_NAME_LEN    16

/* Whose domain it is. */
struct schedstat_span {
	char name[SCHEDSTAT_NAME_LEN]; /* "": before version 17 */
	const char *mask;	       /* hex words as the file has them; the snapshot's */
};

struct schedstat_cpu {
	u64 yield_count, sched_count, sched_goidle, ttwu_count, ttwu_local;
	u64 run_ns, wait_ns, slices;
	bool present;	/* in the file; CPUs that are offline aren't */
	int nr_domains;
	struct schedstat_span span[SCHEDSTAT_MAX_DOMAINS];
	struct schedstat_domain domain[SCHEDSTAT_MAX_DOMAINS];
};

/* How a version writes a domain line. */
struct schedstat_form {
	int version;
	bool named;	 /* "domainN NAME MASK" */
	bool four_kinds; /* lb_imbalance is four numbers */
	enum schedstat_idle order[NR_SCHEDSTAT_IDLE];
};

/** schedstat_form() - NULL: a version that nobody here knows */
const struct schedstat_form *schedstat_form(int version);

struct schedstat_mask; /* shared by the CPUs whose domain it is */

struct schedstat {
	int version;
	u64 timestamp; /* jiffies */
	int nr_cpus;   /* highest CPU + 1 */
	struct schedstat_cpu *cpu;
	struct schedstat_mask *masks;
	struct schedstat *next; /* of the same file: a later one */
};

/**
 * schedstat_read() - the snapshots in a file, one after the other
 * @path: plain or xz; each snapshot begins with its "version" line, lines with # are comments
 *
 * Return: 0; -EINVAL with line and cause in @err; -ENOMEM; errors of opening and reading;
 * -EBADMSG if the compressed file is damaged.
 */
int schedstat_read(const char *path, struct schedstat **first, struct err *err);
/** schedstat_read_text() - the same of @len bytes in memory; @name: for messages */
int schedstat_read_text(const char *name, const char *text, size_t len, struct schedstat **first,
			struct err *err);
void schedstat_free(struct schedstat *first);

/**
 * schedstat_write() - one snapshot in the layout of its version, as a kernel prints it
 */
void schedstat_write(FILE *f, const struct schedstat *s);

/**
 * schedstat_count() - what the core @s counted so far, as the kernel @k would show it
 * @hz: ticks a second
 * @uptime: ns since boot
 *
 * Return: 0 or -ENOMEM.
 */
int schedstat_count(const struct sched *s, const struct sched_kernel *k, int nr_cpus, int hz,
		    u64 uptime, struct schedstat **result, struct err *err);

/**
 * schedstat_keep_mask() - @mask of @len bytes as a string that lives as long as @s
 * @like: one that may be equal, or NULL
 *
 * Return: NULL when out of memory.
 */
const char *schedstat_keep_mask(struct schedstat *s, const char *mask, size_t len,
				const char *like);

/** schedstat_diff() - *@d = @b - @a */
void schedstat_diff(struct schedstat_domain *d, const struct schedstat_domain *a,
		    const struct schedstat_domain *b);

#endif
