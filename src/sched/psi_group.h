/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psi_group.h - what psi.c and psi_avgs.c keep of a group (spec 09 §5).
 */
#ifndef IDLEST_SCHED_PSI_GROUP_H
#define IDLEST_SCHED_PSI_GROUP_H

#include "sched/internal.h"
#include "sched/psi.h"

/* What a task is counted as; a set of them is task.psi_flags. Being on a CPU isn't counted. */
enum psi_count { NR_IOWAIT, NR_MEMSTALL, NR_RUNNING, NR_MEMSTALL_RUNNING, NR_PSI_COUNTS };

enum {
	TSK_IOWAIT = 1 << NR_IOWAIT,
	TSK_MEMSTALL = 1 << NR_MEMSTALL,
	TSK_RUNNING = 1 << NR_RUNNING,
	TSK_MEMSTALL_RUNNING = 1 << NR_MEMSTALL_RUNNING,
	TSK_ONCPU = 1 << NR_PSI_COUNTS,
};

enum psi_state {
	PSI_IO_SOME, PSI_IO_FULL, PSI_MEM_SOME, PSI_MEM_FULL, PSI_CPU_SOME, PSI_CPU_FULL,
	PSI_IRQ_FULL,
	PSI_NONIDLE,	/* anything at all: what a CPU's times weigh */
	NR_PSI_STATES,
};

/* A group on one CPU. */
struct psi_group_cpu {
	u32 tasks[NR_PSI_COUNTS];
	bool oncpu;		/* one of its tasks runs */
	u32 states;		/* bit PSI_…: it is in that state */
	u64 state_start;	/* ns: since then, or accounted until then */
	u64 times[NR_PSI_STATES], times_seen[NR_PSI_STATES]; /* ns; as of the last collection */
};

struct psi_group {
	struct psi_group *parent;
	struct psi_group_cpu *cpu;	/* [nr_cpus] */
	bool enabled;
	/* over all CPUs, by collection; in ns */
	u64 total[NR_PSI_STATES], total_seen[NR_PSI_STATES];
	u64 avg[NR_PSI_STATES][3];	/* percent times 2048 */
	u64 avg_last_update, avg_next_update;
	u64 work_at;			/* next collection; UINT64_MAX: the clock stands */
};

/* 2 s and a tick */
static inline u64 psi_period(const struct sched *s)
{
	return (2 * (u64)s->host.hz + 1) * s->tick_ns;
}

static inline bool psi_on(const struct sched *s)
{
	return s->tracks & TRACK_PSI;
}

/* bring the times of @gc up to @now */
void psi_record_times(struct psi_group_cpu *gc, u64 now);
/* something happens in @g, whose clock may stand */
void psi_wake_clock(struct sched *s, struct psi_group *g);

#endif
