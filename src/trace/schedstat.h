/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * schedstat.h - /proc/schedstat: what a kernel counted of its own balancing (spec 11 §4).
 *
 * Versions 15, 16 and 17 are read; idle types and names come out in one order.
 */
#ifndef IDLEST_TRACE_SCHEDSTAT_H
#define IDLEST_TRACE_SCHEDSTAT_H

#include "base/err.h"
#include "base/types.h"

enum schedstat_idle { SCHEDSTAT_BUSY, SCHEDSTAT_IDLE, SCHEDSTAT_NEWIDLE, NR_SCHEDSTAT_IDLE };

/* Passes of one domain by one kind of idleness of its CPU. */
struct schedstat_lb {
	u64 count, balanced, failed, imbalance, gained, hot_gained, nobusyq, nobusyg;
};

struct schedstat_domain {
	struct schedstat_lb lb[NR_SCHEDSTAT_IDLE];
	u64 alb_count, alb_failed, alb_pushed;
	u64 ttwu_wake_remote, ttwu_move_affine;
};

#define SCHEDSTAT_MAX_DOMAINS 12

struct schedstat_cpu {
	u64 yield_count, sched_count, sched_goidle, ttwu_count, ttwu_local;
	u64 run_ns, wait_ns, slices;
	int nr_domains; /* 0: the CPU isn't in the file */
	struct schedstat_domain domain[SCHEDSTAT_MAX_DOMAINS];
};

struct schedstat {
	int version;
	u64 timestamp; /* jiffies */
	int nr_cpus;   /* highest CPU + 1 */
	struct schedstat_cpu *cpu;
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

/** schedstat_diff() - *@d = @b - @a */
void schedstat_diff(struct schedstat_domain *d, const struct schedstat_domain *a,
		    const struct schedstat_domain *b);

#endif
