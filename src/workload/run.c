// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "workload/workload.h"

int workload_run(const struct workload *w, const struct machine *m, const struct sched_kernel *k,
		 const struct sim_params *p, struct result *r, struct err *err)
{
	const struct workload_model *model = workload_model(w);
	struct err unread = {0};
	struct sim *sim;
	void *run = NULL;
	int rc;

	err = err ? err : &unread;
	sim = sim_new(m, k, p, err);
	if (!sim)
		return err->code;
	memset(r, 0, sizeof(*r));
	r->seed = p->seed;
	rc = model->setup(w, sim, &run, err);
	if (!rc)
		rc = sim_run(sim, err);
	if (!rc)
		rc = model->finish(w, sim, run, r, err);
	if (!rc) {
		r->simulated_ns = sim_now(sim);
		sim_counters(sim, r);
		if (p->end)
			p->end(p->end_ctx, sim);
	}
	sim_free(sim);
	return rc;
}
