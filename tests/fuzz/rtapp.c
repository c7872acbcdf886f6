// SPDX-License-Identifier: BSD-2-Clause
/* rt-app files. */
#include "fuzz.h"
#include "workload/workload.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct err err = { 0 };
	struct workload *w = NULL;

	fuzz_check_err(workload_parse(fuzz_file(data, size, ".json"), &w, &err), &err);
	for (int i = 0; w && workload_warning(w, i); i++)
		;
	workload_free(w);
	return 0;
}
