// SPDX-License-Identifier: BSD-2-Clause
/* Dumps of a kernel's features and tunables. */
#include "experiment/kernel_dump.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct err err = { 0 };
	struct sched_kernel k;
	char expr[128];

	snprintf(expr, sizeof(expr), "v6.12@%s", fuzz_file(data, size, ".txt"));
	fuzz_check_err(kernel_load(expr, &k, &err), &err);
	return 0;
}
