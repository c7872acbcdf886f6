// SPDX-License-Identifier: BSD-2-Clause
/*
 * ftrace.c - whatever bytes a trace consists of, the reader stays in its memory
 * and what it gives is sane. For libFuzzer: `ftrace CORPUS...`.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct trace *t;
	char note[256];

	if (trace_read_text((const char *)data, size, &t, NULL))
		abort();
	for (size_t i = 0; i < t->nr; i++) {
		const struct trace_event *e = &t->event[i];

		if ((i && e->ns < e[-1].ns) || e->cpu >= t->nr_cpus || e->kind >= NR_TRACE_KINDS)
			abort();
		if (strlen(trace_string(t, e->comm)) > 255 ||
		    strlen(trace_string(t, e->curr_comm)) > 255)
			abort();
	}
	for (int i = 0; trace_note(t, i, note, sizeof(note)); i++)
		;
	trace_free(t);
	return 0;
}
