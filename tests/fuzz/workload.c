// SPDX-License-Identifier: BSD-2-Clause
/* Workload expressions. */
#include "fuzz.h"
#include "workload/workload.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *expr = fuzz_string(data, size);
	struct err err = { 0 };
	struct workload *w = NULL;

	fuzz_check_err(workload_parse(expr, &w, &err), &err);
	workload_free(w);
	free(expr);
	return 0;
}
