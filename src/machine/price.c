// SPDX-License-Identifier: BSD-2-Clause
/* What deciding costs: counted work times this machine's figures (spec 13 §7). */
#include "machine/machine.h"

u64 machine_price(void *ctx, int cpu, const struct sched_work *w)
{
	const struct machine *m = ctx;
	const struct machine_costs *c = &m->cost;
	bool select = w->kind == WORK_SELECT;
	u64 ns = select ? c->select_base : c->balance_base;

	for (int d = 0; d < NR_DISTANCES; d++) {
		ns += w->cpus[d] * (select ? c->inspect_cpu[d] : c->balance_cpu);
		/* a free lock is its cache line brought here */
		ns += (u64)w->locks[d] * m->line_ns[d];
	}
	return ns + w->tasks * c->balance_task;
}
