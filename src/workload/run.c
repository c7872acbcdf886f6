// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "workload/prefix.h"
#include "workload/workload.h"

/* one simulation of a workload and what runs beside it */
struct whole_run {
	struct sim *sim;
	void **state; /* of each one's model */
};

static int set_up(const struct workload *w, struct whole_run *run, struct err *err)
{
	struct sim *sim = run->sim;
	int nr = 0, rc = 0;

	for (const struct workload *one = w; one; one = workload_next(one))
		nr++;
	run->state = arena_array(sim_arena(sim), nr, sizeof(*run->state));
	if (!run->state)
		return err_set(err, -ENOMEM, "out of memory for %d workloads", nr);
	nr = 0;
	for (; !rc && w; w = workload_next(w), nr++) {
		struct sim_place place;

		rc = prefixes_place(workload_prefixes(w), sim, &place, err);
		if (rc)
			break;
		sim_set_place(sim, &place);
		rc = workload_model(w)->setup(w, sim, &run->state[nr], err);
	}
	sim_set_place(sim, NULL);
	return rc;
}

/* what tells its metrics from those of the others: its group's name, or its model's */
static const char *label_of(const struct workload *w)
{
	const char *path = workload_prefixes(w)->cgroup;

	return path && path[1] ? strrchr(path, '/') + 1 : workload_model(w)->name;
}

static void put_label(const struct workload *all, const struct workload *w, char *buf, size_t len)
{
	int same = 0, mine = 0;

	for (const struct workload *one = all; one; one = workload_next(one)) {
		same += !strcmp(label_of(one), label_of(w));
		if (one == w)
			mine = same;
	}
	if (same > 1)
		snprintf(buf, len, "%.24s %d", label_of(w), mine);
	else
		snprintf(buf, len, "%.24s", label_of(w));
}

static int finish(const struct workload *all, struct whole_run *run, struct result *r,
		  struct err *err)
{
	int nr = 0, rc = 0;

	if (!workload_next(all))
		return workload_model(all)->finish(all, run->sim, run->state[0], r, err);
	for (const struct workload *w = all; !rc && w; w = workload_next(w)) {
		char label[48], name[112];
		struct result one = {.seed = r->seed};

		put_label(all, w, label, sizeof(label));
		rc = workload_model(w)->finish(w, run->sim, run->state[nr++], &one, err);
		/* what there is no room for is left out */
		for (int i = 0; !rc && i < one.nr_metrics; i++) {
			const struct metric *m = &one.metric[i];

			snprintf(name, sizeof(name), "%s: %s", label, m->name);
			result_add(r, name, m->unit, m->higher_is_better, m->value);
		}
	}
	return rc;
}

int workload_run(const struct workload *w, const struct machine *m, const struct sched_kernel *k,
		 const struct sim_params *p, struct result *r, struct err *err)
{
	struct err unread = {0};
	struct whole_run run = {0};
	struct sim_params params = *p;
	int rc;

	err = err ? err : &unread;
	if (!params.cgroups)
		params.cgroups = workload_cgroups(w);
	run.sim = sim_new(m, k, &params, err);
	if (!run.sim)
		return err->code;
	memset(r, 0, sizeof(*r));
	r->seed = p->seed;
	rc = set_up(w, &run, err);
	if (!rc)
		rc = sim_run(run.sim, err);
	if (!rc)
		rc = finish(w, &run, r, err);
	if (!rc) {
		r->simulated_ns = sim_now(run.sim);
		sim_counters(run.sim, r);
		if (p->end)
			p->end(p->end_ctx, run.sim);
	}
	sim_free(run.sim);
	return rc;
}
