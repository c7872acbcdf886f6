// SPDX-License-Identifier: BSD-2-Clause
/*
 * Machines: a file that ends with SUFFIX, or with none the expression itself.
 * What was accepted must boot, if it isn't too large to do that often.
 */
#include "fuzz.h"
#include "sim/sim.h"

#define MAX_CPUS 64

static void boot(const struct machine *m)
{
	struct sim_params p = { .seed = 1, .check = true };
	struct err err = { 0 };
	struct sched_kernel k;
	struct sim *sim;

	if (m->topo.nr_cpus > MAX_CPUS)
		return;
	if (sched_kernel_parse("v6.12", &k, &err))
		abort();
	sim = sim_new(m, &k, &p, &err);
	fuzz_check_err(sim ? 0 : err.code, &err);
	if (sim)
		sim_free(sim);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *expr = fuzz_string(data, size);
	struct machine *m = NULL;
	struct err err = { 0 };
	int ret = machine_load(SUFFIX[0] ? fuzz_file(data, size, SUFFIX) : expr, &m, &err);

	fuzz_check_err(ret, &err);
	if (!ret)
		boot(m);
	machine_free(m);
	free(expr);
	return 0;
}
