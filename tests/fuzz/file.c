// SPDX-License-Identifier: BSD-2-Clause
/*
 * A file of any kind: what it is, is for the reader to find out. Its seeds are
 * trace.dat and packed files; the library for trace.dat runs in a child.
 */
#include "fuzz.h"
#include "trace_sane.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct err err = { 0 };
	struct trace *t;
	int ret = trace_read(fuzz_file(data, size, ""), &t, &err);

	fuzz_check_err(ret, &err);
	if (ret)
		return 0;
	trace_check_sane(t);
	trace_free(t);
	return 0;
}
