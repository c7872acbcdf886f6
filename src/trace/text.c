// SPDX-License-Identifier: BSD-2-Clause
/*
 * text.c - a trace that is in memory already.
 */
#include <errno.h>

#include "trace/internal.h"

int trace_read_text(const char *text, size_t len, struct trace **out, struct err *err)
{
	struct trace *t = trace_new();
	struct ftrace_reader *r = t ? ftrace_reader_new(t) : NULL;
	int ret = r ? ftrace_feed(r, text, len) : -ENOMEM;

	*out = NULL;
	if (r && ftrace_end(r))
		ret = -ENOMEM;
	if (!ret)
		ret = trace_finish(t);
	if (ret) {
		trace_free(t);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*out = t;
	return 0;
}
