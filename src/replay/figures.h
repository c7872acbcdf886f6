/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * figures.h - what a trace says of the tasks in it, recorded or replayed alike.
 */
#ifndef IDLEST_REPLAY_FIGURES_H
#define IDLEST_REPLAY_FIGURES_H

#include "replay/program.h"
#include "sched/topology.h"
#include "trace/trace.h"

/* Of one task, or of all that aren't kernel threads. */
struct figure {
	u64 wakeups;		/* times it ran after being woken, the first time of a new one too */
	u64 p50_ns, p95_ns, p99_ns, max_ns; /* from waking to running */
	u64 wait_ns;		/* runnable and not running, after being preempted too */
	u64 runtime_ns;
	u64 switches;		/* stays on a CPU */
	u64 preemptions;	/* times it was switched out runnable */
	u64 migrations;
	u64 by_distance[NR_DISTANCES]; /* of the migrations, where the topology is known */
	u64 end_ns;		/* last time it ran, since the trace's start */
};

struct figures {
	struct figure all;
	struct figure *task;	/* [nr_tasks] of the story */
	u32 nr_tasks;
};

struct figures_of {
	const struct trace *trace;
	const struct sched_topology *topo; /* NULL: distances are not known */
	u64 start_ns, end_ns;	/* on the trace's clock; who runs at the end runs until then */
	u32 nr_tasks;
	bool recorded;		/* it is what the programs were made from */
	/* the story's number of a pid at a time; STORY_NONE: not one of it */
	u32 (*task_of)(const void *ctx, s32 pid, u64 ns);
	const void *ctx;
};

/**
 * figures_measure() - of every task and of all together
 *
 * All: those that are no kernel threads, unless there are no others.
 * Return: 0 or -ENOMEM.
 */
int figures_measure(const struct figures_of *of, const struct replay *r, struct figures *f);
/** figures_recorded() - of the trace that @r was made from */
int figures_recorded(const struct replay *r, const struct sched_topology *topo, struct figures *f);
void figures_free(struct figures *f);

#endif
