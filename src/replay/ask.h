/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ask.h - what the questions share. Inside replay/ only.
 */
#ifndef IDLEST_REPLAY_ASK_H
#define IDLEST_REPLAY_ASK_H

#include "replay/agree.h"
#include "replay/drive.h"
#include "sched/domains.h"

#define ASK_MAX_RECORDS 128

/* A wake-up that is being looked at: begun, and the kernel has not chosen yet. */
struct ask_pending {
	u32 act;	/* STORY_NONE: none */
	u32 until;	/* event before which the choice was made */
	struct wake_query q;
	struct wake_decision early; /* as at its sched_waking */
	bool has_early;
};

/* The last pass that moved something, of one CPU. */
struct ask_pass {
	const struct story_act *first; /* NULL: none */
	struct pull_decision dec;
	int next;   /* of dec's tasks */
	bool drawn; /* a level below may have been left out by a draw: dec is of the level alone */
};

struct asker {
	struct drive d;
	struct agree *a;
	const struct story *st;
	const struct agree_options *o;
	const struct sched_kernel *kernel;
	struct sched_domains *domains;
	struct ask_pending *pending; /* by the waker's CPU */
	int nr_pending;
	struct ask_pass *pass; /* by the CPU that makes it */
	u32 at;		/* act */
	struct sched_record record[ASK_MAX_RECORDS];
	int nr_records;
};

/* wake-ups */
void ask_wake(struct asker *k, const struct story_act *a);
/* choose for those whose time is over before event @event */
void ask_pending_until(struct asker *k, u32 event);
void ask_pending_of(struct asker *k, u32 wake_act);

/* the rest */
void ask_fork(struct asker *k, const struct story_act *a);
void ask_pick(struct asker *k, const struct story_act *a);
void ask_pull(struct asker *k, const struct story_act *a);
void ask_class_move(struct asker *k, const struct story_act *a);

enum agree_near ask_near(const struct asker *k, int a, int b);

/* the core's records from here on are kept for an explanation */
void ask_listen(struct asker *k);
/* ... even if nobody asked for explanations */
void ask_listen_closely(struct asker *k);
void ask_stop_listening(struct asker *k);
/** ask_disagree() - keep this disagreement if it is among the worst */
__attribute__((format(printf, 4, 5))) void ask_disagree(struct asker *k,
							const struct story_act *a, int severity,
							const char *fmt, ...);

#endif
