// SPDX-License-Identifier: BSD-2-Clause
/* What deciding costs: counted work times this machine's figures (spec 13 §7). */
#include "machine/machine.h"

/* a free lock is its cache line brought here */
static u64 price_of_locks(const struct machine *m, const struct sched_work *w)
{
	u32 any = 0;
	u64 ns = 0;

	for (int d = 0; d < NR_DISTANCES; d++)
		any |= w->locks[d];
	if (likely(!any)) /* a wake-up's choice takes none */
		return 0;
	for (int d = 0; d < NR_DISTANCES; d++)
		ns += (u64)w->locks[d] * m->line_ns[d];
	return ns;
}

u64 machine_price(void *ctx, int cpu, const struct sched_work *w)
{
	const struct machine *m = ctx;
	const struct machine_costs *c = &m->cost;
	u64 ns = price_of_locks(m, w) + w->tasks * c->balance_task;

	if (w->kind == WORK_SELECT) {
		ns += c->select_base;
		for (int d = 0; d < NR_DISTANCES; d++)
			ns += w->cpus[d] * c->inspect_cpu[d];
	} else {
		ns += c->balance_base;
		for (int d = 0; d < NR_DISTANCES; d++)
			ns += w->cpus[d] * c->balance_cpu;
	}
	return ns;
}

void machine_busy_costs(const struct machine *m, int busy, struct machine_costs *to)
{
	u64 percent = 100 + (u64)m->kernel_busy_scale * max(busy - 1, 0);
	u64 *cost = (u64 *)to;

	*to = m->cost;
	for (size_t i = 0; i < sizeof(*to) / sizeof(u64); i++)
		cost[i] = cost[i] * percent / 100;
}
