// SPDX-License-Identifier: BSD-2-Clause
/*
 * agree.c - lead a core through a trace and ask it at each decision.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/ask.h"

enum agree_near ask_near(const struct asker *k, int a, int b)
{
	static const enum agree_near near[] = {
		[DIST_SELF] = NEAR_CPU,	    [DIST_SMT] = NEAR_CORE,
		[DIST_CLUSTER] = NEAR_CLUSTER, [DIST_LLC] = NEAR_LLC,
		[DIST_NODE] = NEAR_NODE,    [DIST_PACKAGE] = NEAR_ELSEWHERE,
		[DIST_REMOTE] = NEAR_ELSEWHERE,
	};

	return near[topo_distance(&k->d.m->topo, a, b)];
}

const char *agree_near_name(enum agree_near near)
{
	static const char *const names[] = {
		[NEAR_CPU] = "same CPU", [NEAR_CORE] = "same core", [NEAR_CLUSTER] = "same cluster",
		[NEAR_LLC] = "same LLC", [NEAR_NODE] = "same node", [NEAR_ELSEWHERE] = "elsewhere",
	};

	return names[near];
}

/* ---- the acts ---- */

static void act_enqueue(struct asker *k, const struct story_act *a)
{
	if (a->wake != STORY_NONE)
		ask_pending_of(k, a->wake);
	drive_enqueue(&k->d, a);
}

static void act_switch(struct asker *k, const struct story_act *a)
{
	struct drive *d = &k->d;

	drive_before_pick(d, a);
	/* one whose budget is used up hasn't blocked, and leaves the CPU empty all the same */
	if (a->other != STORY_NONE && (!a->preempted || drive_is_dl(drive_task(d, a->other))))
		drive_into_idle(d, a->cpu, NULL, 0);
	ask_pick(k, a);
	drive_switch(d, a);
}

static void act_move(struct asker *k, const struct story_act *a)
{
	ask_pull(k, a);
	ask_class_move(k, a);
	drive_move(&k->d, a);
}

static void act(struct asker *k, const struct story_act *a)
{
	struct drive *d = &k->d;

	switch (a->kind) {
	case STORY_SWITCH:
		act_switch(k, a);
		break;
	case STORY_BLOCK:
		drive_block(d, a);
		break;
	case STORY_WAKE:
		ask_wake(k, a);
		break;
	case STORY_ENQUEUE:
		act_enqueue(k, a);
		break;
	case STORY_FORK:
		drive_fork(d, a);
		break;
	case STORY_START:
		ask_fork(k, a);
		break;
	case STORY_MOVE:
		act_move(k, a);
		break;
	case STORY_EXIT:
		d->task[a->task].exiting = true;
		break;
	case STORY_PRIO:
		drive_prio(d, a);
		break;
	case STORY_EXEC:
		break;
	}
}

/* ---- the run ---- */

static void conclude(struct asker *k)
{
	struct agree *a = k->a;

	a->fixed_delayed = k->d.fixed_delayed;
	a->fixed_left = k->d.fixed_left;
	a->fixed_placing = k->d.fixed_placing;
	a->held = k->d.held;
	a->fixed_affinity = k->d.fixed_affinity;
	a->refused = k->d.refused;
	agree_passes_made(k->d.s, k->d.m->topo.nr_cpus, &a->passes);
	memcpy(a->pulls.passes, k->d.passes, sizeof(a->pulls.passes));
	memcpy(a->pulls.unmade, k->d.unmade, sizeof(a->pulls.unmade));
	a->made_up = k->st->made_up;
	a->acts = k->st->nr_acts;
	a->tick = k->d.tick;
}

static int check(struct asker *k, const struct story_act *a, struct err *err)
{
	struct err what = { 0 };

	if (!k->o->check || !sched_check(k->d.s, k->d.now, &what))
		return 0;
	return err_set(err, -EINVAL,
		       "after act %u (%s on CPU %d at %llu ns) the core is in a state that can't be: %s; "
		       "this is a fault of idlest: report it with the trace",
		       k->at, story_kind_name(a->kind), a->cpu, (unsigned long long)a->ns, what.msg);
}

static int run(struct asker *k, struct err *err)
{
	int nr_cpus = k->d.m->topo.nr_cpus, ret = 0;

	k->pending = calloc((size_t)nr_cpus, sizeof(*k->pending));
	k->pass = calloc((size_t)nr_cpus, sizeof(*k->pass));
	if (!k->pending || !k->pass) {
		free(k->pending);
		free(k->pass);
		return err_set(err, -ENOMEM, "out of memory");
	}
	for (int c = 0; c < k->d.m->topo.nr_cpus; c++)
		k->pending[c].act = STORY_NONE;
	for (k->at = 0; k->at < k->st->nr_acts && !ret; k->at++) {
		const struct story_act *a = &k->st->act[k->at];

		k->d.at = k->at;
		ask_pending_until(k, a->event);
		drive_until(&k->d, a->ns);
		act(k, a);
		drive_done(&k->d, a);
		ret = check(k, a, err);
	}
	conclude(k);
	free(k->pending);
	free(k->pass);
	return ret;
}

int agree_run(const struct trace *t, const struct machine *m, const struct sched_kernel *kernel,
	      const struct agree_options *o, struct agree *a, struct err *err)
{
	struct asker k = { .a = a, .o = o, .kernel = kernel };
	struct story *st;
	int ret;

	*a = (struct agree){ 0 };
	if (t->nr_cpus > m->topo.nr_cpus)
		return err_set(err, -EINVAL,
			       "the trace has events of CPU %d, but %s has %d CPUs: give the machine "
			       "on which it was recorded",
			       t->nr_cpus - 1, m->name, m->topo.nr_cpus);
	ret = story_build(t, &st, err);
	if (ret)
		return ret;
	k.st = st;
	k.domains = sched_domains_new(&m->topo, kernel, err);
	ret = k.domains ? drive_start(&k.d, st, m, kernel, o->hz, err) : -ENOMEM;
	if (!ret) {
		ret = run(&k, err);
		drive_end(&k.d);
	}
	sched_domains_free(k.domains);
	story_free(st);
	if (ret)
		agree_free(a);
	return ret;
}

void agree_free(struct agree *a)
{
	for (int i = 0; i < a->nr_why; i++)
		free(a->why[i].text);
	free(a->why);
	*a = (struct agree){ 0 };
}
