/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * story_link.h - first look at a trace: which events belong together, who was where at its start.
 */
#ifndef IDLEST_REPLAY_STORY_LINK_H
#define IDLEST_REPLAY_STORY_LINK_H

#include "replay/story.h"

/* What is known of one event; numbers of events are one more than their index, 0: none. */
struct story_link {
	u32 task, curr;	/* tasks of the story; STORY_NONE: idle or not about a task */
	/*
	 * sched_waking: its sched_wakeup, and back; sched_switch away from a task that
	 * sleeps: the event before which it must have blocked, if that isn't the switch;
	 * sched_migrate_task by the stopper: the sched_process_exec it was for
	 */
	u32 partner;
	u32 block;	/* the switch whose task blocks before this event */
};

/**
 * story_link() - find the tasks of @s and link the events
 *
 * Return: an array with one entry an event, to be freed; NULL: out of memory.
 */
struct story_link *story_link(struct story *s);

static inline bool story_state_sleeps(u16 prev_state)
{
	return (prev_state & ~TRACE_PREEMPTED) && !(prev_state & TRACE_PREEMPTED);
}

static inline bool story_in_irq(const struct trace_event *e)
{
	return e->context & (TRACE_HARDIRQ | TRACE_SOFTIRQ);
}

/**
 * story_find_binding_moves() - mark the moves by which tasks bound themselves to a CPU
 *
 * Return: 0, -1 when out of memory.
 */
int story_find_binding_moves(struct story *s);

#endif
