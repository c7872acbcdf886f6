/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scene.h - one waker, one wakee, everybody else busy: the choice alone.
 */
#ifndef IDLEST_TESTS_SCENE_H
#define IDLEST_TESTS_SCENE_H

#include "../core/rig.h"
#include "sched/place/place.h"

struct scene {
	struct rig r;
	struct task *waker, *wakee;
	struct wake_query q;
	struct wake_decision d;
};

/* everybody busy, the waker runs on CPU @t, the wakee slept on CPU @p */
static inline void scene_new(struct scene *sc, const struct rig_machine *m, const char *kernel,
			     int t, int p)
{
	*sc = (struct scene){0};
	rig_new(&sc->r, m, kernel);
	rig_set_all(&sc->r, RIG_BUSY);
	for (int i = 0; i < sc->r.s->nr_llcs; i++) /* the scan isn't limited */
		sc->r.s->llc[i].nr_idle_scan = sc->r.s->llc[i].nr_cpus;
	sc->waker = rig_task(&sc->r, NULL);
	sc->wakee = rig_task(&sc->r, NULL);
	sc->waker->se.avg.load_avg = sc->wakee->se.avg.load_avg = 0;
	sc->waker->cpu = t;
	sc->waker->state = TASK_RUNNABLE;
	sc->waker->last_wakee = sc->wakee;
	sc->waker->wakee_flip_decay_ts = sc->wakee->wakee_flip_decay_ts = sc->r.now;
	sc->r.s->rq[t].curr = sc->waker;
	sc->wakee->cpu = sc->wakee->recent_used_cpu = p;
	sc->wakee->state = TASK_SLEEPING;
	sc->q = (struct wake_query){.cpu = t, .p = sc->wakee, .in_task = true};
}

static inline int where(struct scene *sc)
{
	sched_wake_decide(sc->r.s, sc->r.now, &sc->q, &sc->d);
	return sc->d.target;
}

static inline void set_load(struct scene *sc, int cpu, unsigned long load)
{
	sc->r.s->rq[cpu].cfs.avg.load_avg = load;
}

#define expect_cpu(sc, cpu_, reason_)                                                              \
	do {                                                                                       \
		int came = where(sc);                                                              \
		if (came != (cpu_) || (sc)->d.reason != REASON_##reason_)                          \
			fail_msg("expected CPU %d (%s), came %d (%s)", (cpu_), #reason_, came,     \
				 sched_reason_name((sc)->d.reason));                               \
	} while (0)

#endif
