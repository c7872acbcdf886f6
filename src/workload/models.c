// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>

#include "base/cpumask.h"
#include "workload/models.h"

static int add_latency(struct result *r, const char *what, const char *which, u64 ns)
{
	char name[sizeof(r->metric[0].name)];

	snprintf(name, sizeof(name), "%s %s", what, which);
	return result_add(r, name, "us", false, ns / 1000.0);
}

int model_latencies(struct result *r, const char *what, const struct hist *h)
{
	int rc;

	if (!h->count)
		return 0;
	/* the middle of the last bucket may lie above the largest value */
	rc = add_latency(r, what, "p50", min(hist_percentile(h, 5000), h->max));
	if (!rc)
		rc = add_latency(r, what, "p99", min(hist_percentile(h, 9900), h->max));
	if (!rc)
		rc = add_latency(r, what, "max", h->max);
	return rc;
}

u64 *model_one_cpu(struct sim *sim, int cpu)
{
	int words = mask_words(sim_machine(sim)->topo.nr_cpus);
	u64 *m = arena_array(sim_arena(sim), words, sizeof(u64));

	if (m)
		mask_set(m, cpu);
	return m;
}

int model_nomem(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory for the tasks of this workload");
}
