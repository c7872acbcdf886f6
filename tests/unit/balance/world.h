/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * world.h - random events on a small machine: tasks come, sleep, wake, are pinned and balanced.
 */
#ifndef BALANCE_WORLD_H
#define BALANCE_WORLD_H

#include "rig.h"

#define MAX_TASKS 96

struct world {
	struct rig r;
	struct rng rng;
	struct task *task[MAX_TASKS];
	u64 allowed[MAX_TASKS];
	int nr;
};

static inline int draw(struct world *w, int n)
{
	return (int)rng_below(&w->rng, n);
}

static inline u64 random_mask(struct world *w)
{
	int n = w->r.s->nr_cpus;
	u64 all = n == 64 ? ~0ULL : (1ULL << n) - 1;
	u64 m;

	switch (draw(w, 4)) {
	case 0:
		return 1ULL << draw(w, n);
	case 1:
		m = rng_u64(&w->rng) & all;
		return m ? m : all;
	case 2:
		m = (rng_u64(&w->rng) & rng_u64(&w->rng) & rng_u64(&w->rng)) & all;
		return m ? m : all;
	default:
		return all;
	}
}

static inline void wake(struct world *w, int cpu, struct task *p)
{
	struct sched *s = w->r.s;
	struct wake_query q = { .cpu = cpu, .p = p };
	struct wake_decision d;

	sched_wake_decide(s, w->r.now, &q, &d);
	sched_wake_commit(s, w->r.now, &q, &d, d.target);
	if (d.path == WAKE_LIST) {
		if (sched_wake_list_add(s, w->r.now, cpu, p))
			sched_wake_list_run(s, w->r.now, p->cpu);
	} else if (d.path == WAKE_DIRECT) {
		sched_activate(s, w->r.now, cpu, p);
	} else if (d.path == WAKE_QUEUED) {
		sched_wake_queued(s, w->r.now, cpu, p);
	}
}

/* while @busy makes a pass, others wake tasks, change affinities and run dry */
static inline void meanwhile(struct rig *r, int busy)
{
	struct world *w = container_of(r, struct world, r);
	struct sched *s = r->s;
	int cpu = draw(w, s->nr_cpus), i;

	if (!w->nr || draw(w, 3))
		return;
	r->between = NULL; /* not while this goes on */
	i = draw(w, w->nr);
	switch (draw(w, 3)) {
	case 0:
		if (w->task[i]->state == TASK_SLEEPING)
			wake(w, cpu, w->task[i]);
		break;
	case 1:
		w->allowed[i] = random_mask(w);
		sched_set_affinity(s, r->now, w->task[i], &w->allowed[i]);
		break;
	default:
		if (cpu != busy && s->rq[cpu].curr && s->rq[cpu].curr->on_rq) {
			sched_block(s, r->now, cpu, false);
			rig_schedule(r, cpu);
		}
		break;
	}
	r->between = meanwhile;
}

static inline void random_event(struct world *w)
{
	struct rig *r = &w->r;
	struct sched *s = r->s;
	int cpu = draw(w, s->nr_cpus), i;
	struct task *p;

	r->now += draw(w, 300000);
	switch (draw(w, 8)) {
	case 0: /* a new task */
		if (w->nr == MAX_TASKS)
			break;
		i = w->nr++;
		w->allowed[i] = random_mask(w);
		w->task[i] = rig_task(r, __builtin_ctzll(w->allowed[i]), &w->allowed[i]);
		break;
	case 1: /* what runs here blocks */
		if (s->rq[cpu].curr && s->rq[cpu].curr->on_rq) {
			sched_block(s, r->now, cpu, false);
			rig_schedule(r, cpu);
		}
		break;
	case 2:
	case 3: /* somebody wakes */
		if (!w->nr)
			break;
		p = w->task[draw(w, w->nr)];
		if (p->state == TASK_SLEEPING)
			wake(w, cpu, p);
		break;
	case 4:
		if (!w->nr)
			break;
		i = draw(w, w->nr);
		w->allowed[i] = random_mask(w);
		sched_set_affinity(s, r->now, w->task[i], &w->allowed[i]);
		break;
	case 5:
		rig_tick(r);
		break;
	default: /* a pass out of turn */
		rig_walk(r, cpu,
			 s->rq[cpu].nr_running || !idle_cpu(s, cpu) ? WALK_PERIODIC : draw(w, 2));
		break;
	}
	rig_handle_requests(r);
}

#endif
