// SPDX-License-Identifier: BSD-2-Clause
/* CSV files of published rows: what was read can be planned. It isn't run. */
#include "experiment/reproduce.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct registry *registry;
	const struct reproduce_spec spec = { .nr_seeds = 1, .first_seed = 1 };
	struct arena *a = arena_new();
	struct reproduction *x = NULL;
	struct err err = { 0 };
	struct published p;
	int ret;

	if (!a || (!registry && registry_load(&registry, &err)))
		return 0;
	ret = published_parse(a, "fuzz.csv", (const char *)data, size, &p, &err);
	fuzz_check_err(ret, &err);
	if (!ret)
		ret = reproduce_plan(registry, &p, &spec, &x, &err);
	reproduction_free(x);
	arena_free(a);
	return 0;
}
