// SPDX-License-Identifier: BSD-2-Clause
/*
 * state.c - what a numeric prev_state means.
 *
 * The numbers changed three times, and the trace doesn't say which kernel it
 * is from. It betrays itself, though: a CPU's idle task is always R when it
 * leaves, and a preempted task is never followed by the idle task.
 *
 *	old	S 1 D 2 T 4 t 8 Z 16 X 32 dead 64; preempted 1024 … 4096 by kernel
 *	shifted	R 1 S 2 D 4 T 8 t 16 X 32 Z 64 P 128, 256 is I and preempted alike
 *	new	S 1 D 2 T 4 t 8 X 16 Z 32 P 64 I 128, preempted 256
 *
 * Old and new differ in what only the dead show, and in 256.
 */
#include "trace/internal.h"

enum numbering { OLD, SHIFTED, NEW };

static bool raw(const struct trace_event *e)
{
	return e->kind == EV_SWITCH && e->prev_state & TRACE_STATE_RAW;
}

static u16 number(const struct trace_event *e)
{
	return e->prev_state & (u16)~TRACE_STATE_RAW;
}

static enum numbering find_numbering(const struct trace *t)
{
	size_t zero = 0, one = 0, new = 0;

	for (size_t i = 0; i < t->nr; i++) {
		const struct trace_event *e = &t->event[i];

		if (!raw(e))
			continue;
		if (!e->curr_pid) {
			zero += number(e) == 0;
			one += number(e) == 1;
		} else {
			new += number(e) == 128 || (number(e) == 256 && e->pid);
		}
	}
	if (one > zero)
		return SHIFTED;
	return new || t->new_states ? NEW : OLD;
}

static u16 old_state(u16 n)
{
	u16 bits = n & 0xf;

	if (n & 16)
		bits |= TRACE_STATE_Z;
	if (n & (32 | 64))
		bits |= TRACE_STATE_X;
	if (n == 512)
		bits |= TRACE_STATE_P;
	/* 1024 is also what makes a D not count as load: an idle kernel thread */
	if (n == (1024 | 2))
		return TRACE_STATE_I;
	return n == 256 || n >= 1024 ? bits | TRACE_PREEMPTED : bits;
}

static u16 new_state(u16 n)
{
	return n & 256 ? (n & 0xff) | TRACE_PREEMPTED : n & 0xff;
}

static u16 shifted_state(u16 n, s32 next_pid)
{
	if (n & 256)
		return next_pid ? TRACE_PREEMPTED : TRACE_STATE_I;
	return n >> 1;
}

void trace_resolve_states(struct trace *t)
{
	enum numbering how = find_numbering(t);

	for (size_t i = 0; i < t->nr; i++) {
		struct trace_event *e = &t->event[i];

		if (!raw(e))
			continue;
		if (how == SHIFTED)
			e->prev_state = shifted_state(number(e), e->pid);
		else
			e->prev_state = how == NEW ? new_state(number(e)) : old_state(number(e));
	}
}

char trace_state_letter(u16 state)
{
	static const char letters[] = "SDTtXZPI";

	if (state & TRACE_PREEMPTED)
		return 'R';
	for (int i = 0; letters[i]; i++)
		if (state & 1u << i)
			return letters[i];
	return state & TRACE_STATE_OTHER ? '?' : 'R';
}
