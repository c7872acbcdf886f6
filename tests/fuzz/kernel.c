// SPDX-License-Identifier: BSD-2-Clause
/* Kernel expressions, without the dumps that they may name. */
#include "fuzz.h"
#include "sched/kernel.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *expr = fuzz_string(data, size);
	struct err err = { 0 };
	struct sched_kernel k;

	fuzz_check_err(sched_kernel_parse(expr, &k, &err), &err);
	free(expr);
	return 0;
}
