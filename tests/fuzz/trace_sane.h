/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_sane.h - what must hold of any trace, whatever it was read from.
 */
#ifndef TESTS_FUZZ_TRACE_SANE_H
#define TESTS_FUZZ_TRACE_SANE_H

#include <stdlib.h>
#include <string.h>

#include "trace/latency.h"
#include "trace/trace.h"

static inline void trace_check_sane(const struct trace *t)
{
	struct latency l;
	char note[256];

	for (size_t i = 0; i < t->nr; i++) {
		const struct trace_event *e = &t->event[i];

		if ((i && e->ns < e[-1].ns) || e->cpu >= t->nr_cpus || e->kind >= NR_TRACE_KINDS ||
		    e->curr_pid < 0 || e->pid < 0)
			abort();
		if (e->kind == EV_SWITCH && e->prev_state & 0x8000)
			abort();
		if (strlen(trace_string(t, e->comm)) > 255 ||
		    strlen(trace_string(t, e->curr_comm)) > 255)
			abort();
	}
	for (int i = 0; trace_note(t, i, note, sizeof(note)); i++)
		if (!note[0])
			abort();
	/* what is concluded from them */
	if (!trace_latency(t, true, &l))
		latency_free(&l);
}

#endif
