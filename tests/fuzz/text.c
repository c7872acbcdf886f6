// SPDX-License-Identifier: BSD-2-Clause
/* Text of ftrace, trace-cmd, perf and systrace. */
#include "fuzz.h"
#include "trace_sane.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct trace *t;

	if (trace_read_text((const char *)data, size, &t, NULL))
		abort();
	trace_check_sane(t);
	trace_free(t);
	return 0;
}
