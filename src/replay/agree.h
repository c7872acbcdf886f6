/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * agree.h - at each recorded decision: what would the core have chosen?
 *
 * The core is led through the trace of a real kernel (drive.h) and asked at each
 * wake-up, fork, pick and pull, in the state that the trace implies. What the
 * kernel did is right by definition. docs/agree.md says what is counted how.
 */
#ifndef IDLEST_REPLAY_AGREE_H
#define IDLEST_REPLAY_AGREE_H

#include "machine/machine.h"
#include "replay/agree_passes.h"
#include "replay/story.h"
#include "sched/sched.h"

/* How near the core's answer is to the kernel's: each level includes those before it. */
enum agree_near {
	NEAR_CPU,
	NEAR_CORE,
	NEAR_CLUSTER,
	NEAR_LLC,
	NEAR_NODE,
	NEAR_ELSEWHERE,
	NR_AGREE_NEAR
};

struct agree_rule {
	u64 n, contested, contested_same;
};

/* Wake-ups at which a CPU was chosen. */
struct agree_wakes {
	u64 n, same_cpu;
	u64 contested;		/* the previous CPU wasn't idle, or the kernel chose another one */
	u64 contested_near[NR_AGREE_NEAR]; /* exactly so near */
	u64 naive;		/* contested ones for which the previous CPU would have been right */
	u64 undetermined;	/* of all ... */
	u64 contested_undetermined; /* ... and of the contested ones */
	u64 contested_undetermined_same[2]; /* ... right by what is open: CPU, LLC */
	struct agree_rule rule[NR_REASONS]; /* by the rule that decided in the core */
};

struct agree_forks {
	u64 n, same_cpu, same_or_equal;
	u64 near[NR_AGREE_NEAR];
	struct agree_rule rule[NR_REASONS];
};

struct agree_picks {
	u64 n, same;
	u64 contested, contested_same_task;
	u64 undetermined;
	struct agree_rule rule[NR_REASONS];
};

#define NR_AGREE_MOVES (MOVE_UNKNOWN + 1)

/* Recorded moves that no wake-up, fork, exec or affinity explains. */
struct agree_pulls {
	u64 n, same_source, same_task;
	u64 equal_source; /* the same source or one as good */
	u64 undetermined, undetermined_same_source, undetermined_same_task;
	struct {
		u64 n, same_source, same_task, asked_nothing;
	} by_move[NR_AGREE_MOVES];
	/* by enum walk_kind: passes made; those that would have moved a task, but none was moved */
	u64 passes[3], unmade[3];
};

/* Moves of realtime and deadline tasks, made by their classes. */
struct agree_class_moves {
	u64 pushes, pushes_same_task, pushes_near[NR_AGREE_NEAR]; /* same task: exactly so near */
	u64 pulls, pulls_same_task; /* the same task has the same source */
};

/* One disagreement, told. */
struct agree_case {
	u32 act;
	int severity;	/* the worst are kept */
	char *text;
};

struct agree_options {
	int hz;		/* 0: the machine's */
	int why;	/* so many disagreements are told */
	bool check;	/* the core's invariants after every act; the first broken one is an error */
};

struct agree {
	struct agree_wakes wakes, kthread_wakes;
	struct agree_forks forks;
	struct agree_picks picks;
	struct agree_pulls pulls;
	struct agree_class_moves class_moves;
	struct agree_passes passes; /* that the core made on the way */
	/* wake-ups that are no choice of a CPU: awake already, or left to the wakee's own CPU */
	u64 wakes_awake, wakes_on_cpu, wakes_lost, wakes_other_class, wakes_bound;
	/* corrections of the core on the way, see drive.h */
	u64 fixed_delayed, fixed_left, fixed_placing, fixed_affinity, held, refused;
	u64 made_up, acts;
	struct story_tick tick;
	struct agree_case *why;
	int nr_why;
};

/**
 * agree_run() - ask the core of @m and @k at each decision of @t
 *
 * Return: 0; -EINVAL: the trace has more CPUs than the machine; -ENOMEM.
 */
int agree_run(const struct trace *t, const struct machine *m, const struct sched_kernel *k,
	      const struct agree_options *o, struct agree *a, struct err *err);
void agree_free(struct agree *a);

const char *agree_near_name(enum agree_near near);

#endif
