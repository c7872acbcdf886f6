/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines.h - small traces, written down as "comm-pid cpu flags microseconds event".
 */
#ifndef IDLEST_TEST_REPLAY_LINES_H
#define IDLEST_TEST_REPLAY_LINES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace/trace.h"

#define SWITCH(prev, pid, state, next, npid)                                                       \
	"sched_switch: prev_comm=" prev " prev_pid=" #pid " prev_prio=120 prev_state=" state      \
	" ==> next_comm=" next " next_pid=" #npid " next_prio=120"
#define IDLE_TO(next, npid) SWITCH("swapper", 0, "R", next, npid)
#define TO_IDLE(prev, pid, state) SWITCH(prev, pid, state, "swapper", 0)
#define WAKING(comm, pid, cpu)                                                                     \
	"sched_waking: comm=" comm " pid=" #pid " prio=120 target_cpu=" #cpu
#define WAKEUP(comm, pid, cpu)                                                                     \
	"sched_wakeup: comm=" comm " pid=" #pid " prio=120 target_cpu=" #cpu

/* the trace of @lines, the last one NULL; every line must be one that the reader keeps */
__attribute__((warn_unused_result)) static inline struct trace *read_lines(const char *const *lines)
{
	struct err err = { 0 };
	struct trace *t;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	for (; *lines; lines++) {
		char who[32], flags[16];
		int cpu, at = 0;
		unsigned long us;

		if (sscanf(*lines, "%31s %d %15s %lu %n", who, &cpu, flags, &us, &at) != 4 || !at)
			fail_msg("bad line %s", *lines);
		fprintf(f, "  %s [%03d] %s %lu.%06lu: %s\n", who, cpu, flags, us / 1000000,
			us % 1000000, *lines + at);
	}
	fclose(f);
	assert_int_equal(trace_read_text(text, len, &t, &err), 0);
	free(text);
	for (int s = 0; s < NR_TRACE_SKIPS; s++)
		assert_int_equal(t->skip[s].count, 0);
	return t;
}

#endif
