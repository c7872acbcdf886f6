/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * task.h - the core's own: the pool of tasks and setting what a task may do.
 */
#ifndef IDLEST_SCHED_TASK_H
#define IDLEST_SCHED_TASK_H

#include "sched/internal.h"

#define TASKS_PER_CHUNK	 64
#define MIN_CUSTOM_SLICE (100 * NSEC_PER_USEC) /* spec 02 §5.3 */
#define MAX_CUSTOM_SLICE (100 * NSEC_PER_MSEC)
#define MIN_SHARES	 2
#define MAX_SHARES	 (1 << 18)

struct task_chunk {
	struct list_head node; /* in sched.chunks */
	struct task task[TASKS_PER_CHUNK];
};

/* every slot of the pool, free ones (!in_use) included */
#define for_each_task_slot(s, chunk, p)                                                            \
	list_for_each_entry(chunk, &(s)->chunks, node) for ((p) = (chunk)->task;                   \
							    (p) < (chunk)->task + TASKS_PER_CHUNK; \
							    (p)++)

/* @allowed NULL: every CPU; may be p->allowed itself after it was changed in place */
void task_set_allowed(struct sched *s, struct task *p, const u64 *allowed);
/* nothing of what @p may use is left: it may use every CPU */
void task_relax_allowed(struct sched *s, struct task *p);
/* @slice_ns 0: the kernel's base slice */
void task_set_slice(struct sched *s, struct task *p, u64 slice_ns);

#endif
