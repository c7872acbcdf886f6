// SPDX-License-Identifier: BSD-2-Clause
/*
 * walk.c - walks over domains, in steps that take time (sched.h).
 *
 * A step makes the passes of one instant; the host attaches what they took when
 * their time is over, and steps again. Stop conditions are looked at anew in
 * each step, for the machine went on meanwhile.
 */
#include "sched/balance/lb.h"

static const struct walk_ops *const walks[] = {
	[WALK_NEWIDLE] = &newidle_walk,
	[WALK_PERIODIC] = &periodic_walk,
	[WALK_NOHZ] = &nohz_walk,
};

bool sched_walk_begin(struct sched *s, u64 now, int cpu, enum walk_kind kind, u64 *cost_ns)
{
	struct rq *rq = cpu_rq(s, cpu);
	struct balance_walk *w = &rq->walk;

	*cost_ns = 0;
	if (w->active || !walks[kind]->begin(s, now, cpu, w, cost_ns))
		return false;
	if (!rq->sd->span_at[DIST_SELF])
		count_domains(s, rq);
	w->active = true;
	w->kind = kind;
	w->pulled = 0;
	w->nr_held = 0;
	list_init(&w->held);
	return true;
}

bool sched_walk_step(struct sched *s, u64 now, int cpu, u64 *cost_ns)
{
	struct balance_walk *w = &cpu_rq(s, cpu)->walk;

	*cost_ns = 0;
	if (!w->active)
		return false;
	w->active = walks[w->kind]->step(s, now, cpu, w, cost_ns);
	if (unlikely(!w->active && w->kicked)) /* the kick found this walk under way */
		sched_push_out(s, OUT_NOHZ_KICK, cpu, cpu, NULL, 0);
	return w->active;
}

int sched_walk_attach(struct sched *s, u64 now, int cpu)
{
	struct balance_walk *w = &cpu_rq(s, cpu)->walk;
	int moved = balance_attach(s, now, cpu);

	walks[w->kind]->attached(s, now, cpu, w, moved);
	return moved;
}

u64 sched_nr_passes(const struct sched *s, bool newidle)
{
	u64 idle = s->nr_passes[CPU_NEWLY_IDLE];

	return newidle ? idle : idle + s->nr_passes[CPU_IDLE] + s->nr_passes[CPU_NOT_IDLE];
}
