// SPDX-License-Identifier: BSD-2-Clause
/* Scenario files: what was accepted can be let go again. It isn't run: that may take long. */
#include "experiment/scenario.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct scenario *s = NULL;
	struct err err = { 0 };
	int ret = scenario_parse("fuzz.yaml", (const char *)data, size, &s, &err);

	fuzz_check_err(ret, &err);
	scenario_free(s);
	return 0;
}
