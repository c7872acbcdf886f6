/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stays.h - a trace as the stays of tasks on CPUs, each with what came before it.
 */
#ifndef IDLEST_TRACE_STAYS_H
#define IDLEST_TRACE_STAYS_H

#include "trace/trace.h"

/* One task on one CPU, from being switched in to being switched out. */
struct trace_stay {
	u64 in_ns, out_ns;
	s32 pid;	/* 0: the idle task */
	trace_str comm;
	int cpu;
	bool open;	/* the trace doesn't show its end: it is over, or a switch was lost before out_ns */
	/*
	 * Whether it waited before, runnable: since it was woken (sched_waking if the
	 * trace has it, else sched_wakeup), or preempted. Not known of the first stay
	 * of a task that the trace doesn't show being woken.
	 */
	bool has_delay, was_preempted;
	u64 delay_since;
	u64 wait_ns;	/* since it was last switched out; 0 if that wasn't seen */
};

static inline u64 trace_stay_delay(const struct trace_stay *s)
{
	return s->has_delay ? s->in_ns - s->delay_since : 0;
}

/**
 * trace_stays() - call @stay for each, in the order they end, those that don't last
 *
 * A stay whose beginning the trace doesn't show (before its first switch on
 * that CPU, or where events were lost) is left out.
 *
 * Return: 0 or -ENOMEM.
 */
int trace_stays(const struct trace *t, void (*stay)(void *ctx, const struct trace_stay *s),
		void *ctx);

#endif
