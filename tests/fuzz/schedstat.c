// SPDX-License-Identifier: BSD-2-Clause
/* /proc/schedstat. */
#include "fuzz.h"
#include "trace/schedstat.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct err err = { 0 };
	struct schedstat *s;
	int ret = schedstat_read_text("input", (const char *)data, size, &s, &err);

	fuzz_check_err(ret, &err);
	if (!ret)
		schedstat_free(s);
	return 0;
}
