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

bool model_loop(struct model_count *count, u64 now, bool *there, u64 loops)
{
	if (!*there) {
		*there = true;
		if (++count->nr_there == count->nr)
			count->began = now;
	} else if (count->nr_there == count->nr && now > count->began &&
		   now - count->began <= count->duration) {
		count->loops += loops;
		count->ended = now;
	}
	return count->nr_there < count->nr || now - count->began < count->duration;
}

int model_rate(const struct model_count *count, const struct sim *sim, const char *model,
	       const char *loop, double *rate, struct err *err)
{
	if (count->nr_there < count->nr || sim_now(sim) - count->began < count->duration)
		return err_set(err, -ETIME,
			       "%s wasn't done when the run was stopped after %.3f s; use a shorter "
			       "duration",
			       model, sim_now(sim) / 1e9);
	if (!count->loops)
		return err_set(err, -ETIME,
			       "%s: no %s was over within the duration of %.3f us; use a longer one",
			       model, loop, count->duration / 1e3);
	*rate = count->loops * 1e9 / (count->ended - count->began);
	return 0;
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
