// SPDX-License-Identifier: BSD-2-Clause
/*
 * ask_pull.c - pulls: what would the pass have taken that took a task?
 *
 * That there was a pass, the record shows; so it isn't asked whether one was due
 * or whose it was. The core is asked once a pass: what it takes from one source
 * follows in one go. A CPU that pulls because it has nothing left has taken its
 * delayed tasks off the queue before it looks.
 *
 * Kernels with NI_RANDOM draw, for each level of a new-idle walk, whether they
 * try it, and no record shows the draws. Where the core would pull on a level
 * below the one that made the pull, that one may have been left out: the answer
 * is undetermined, and that of the level itself is compared. The strict figures
 * have it as a disagreement.
 */
#include "replay/ask.h"

/*
 * Is @b as good as @a? Each domain's groups of more than one CPU hold both or
 * neither, and both are idle or both run as many tasks.
 */
static bool equally_good(const struct asker *k, int a, int b)
{
	const struct sched_topology *t = &k->d.m->topo;
	enum topo_distance dist = topo_distance(t, a, b);

	if (dist > DIST_LLC)
		return false;
	/*
	 * What lies between two CPUs of an LLC is a border of groups if it has several CPUs; on x86
	 * a cluster is what shares an L2, most often one core.
	 */
	if (dist > DIST_CLUSTER && t->cpu[a].cluster >= 0 && t->nr_clusters < t->nr_cores)
		return false;
	if (dist > DIST_SMT && t->nr_cores < t->nr_cpus)
		return false;
	return sched_cpu_idle(k->d.s, a) == sched_cpu_idle(k->d.s, b) &&
	       sched_nr_running(k->d.s, a) == sched_nr_running(k->d.s, b);
}

static enum walk_kind kind_of(const struct story_act *a)
{
	switch (a->move) {
	case MOVE_NEWIDLE:
		return WALK_NEWIDLE;
	case MOVE_PERIODIC:
		return WALK_PERIODIC;
	default:
		return WALK_NOHZ;
	}
}

static void ask_pass(struct asker *k, const struct story_act *a, struct ask_pass *x)
{
	struct sched *s = k->d.s;

	*x = (struct ask_pass){ .first = a };
	if (a->move == MOVE_NEWIDLE)
		drive_go_empty(&k->d, a->to);
	ask_listen(k);
	sched_pull_prepare(s, k->d.now, a->to);
	sched_pull_decide(s, k->d.now, a->to, kind_of(a), PULL_ANY_TIME, &x->dec);
	ask_stop_listening(k);
	x->drawn = a->move == MOVE_NEWIDLE && x->dec.src >= 0 && sched_feat(k->kernel, FEAT_NI_RANDOM) &&
		   x->dec.level < sched_pull_level(s, a->to, a->from);
	if (x->drawn)
		sched_pull_decide_level(s, k->d.now, a->to, WALK_NEWIDLE,
					sched_pull_level(s, a->to, a->from), PULL_ANY_TIME, &x->dec);
}

static void tell(struct asker *k, const struct story_act *a, const struct ask_pass *x, int nth,
		 bool source)
{
	const struct pull_decision *dec = &x->dec;
	const struct task *p = nth < dec->nr_tasks ? dec->task[nth] : NULL;

	ask_disagree(k, a, source ? NEAR_CPU : NEAR_NODE,
		     "pull (%s) of %s/%d to %d: kernel from %d, core from %d %s/%d, level %d: %s %s/%s %s "
		     "%ld",
		     story_move_name(a->move), story_comm(k->st, a->task), k->st->task[a->task].pid,
		     a->to, a->from, dec->src, p ? sched_task_comm(p) : "-",
		     p ? sched_task_id(p) : 0, dec->level, balance_outcome_name(dec->outcome),
		     group_type_name(dec->local_type), group_type_name(dec->busiest_type),
		     migration_type_name(dec->type), dec->imbalance);
}

void ask_pull(struct asker *k, const struct story_act *a)
{
	struct agree_pulls *c = &k->a->pulls;
	struct task *p = drive_task(&k->d, a->task);
	struct ask_pass *x = &k->pass[a->cpu];
	bool source, task;
	int nth;

	if (!p || a->made_up || !drive_is_pull(a) || !drive_is_fair(p))
		return;
	if (!x->first || !drive_same_pass(x->first, a) || x->next >= x->dec.nr_tasks)
		ask_pass(k, a, x);
	nth = x->next++;
	source = x->dec.src == a->from;
	task = source && nth < x->dec.nr_tasks && x->dec.task[nth] == p;
	c->n++;
	c->undetermined += x->drawn;
	c->undetermined_same_source += x->drawn && source;
	c->undetermined_same_task += x->drawn && task;
	c->same_source += source;
	c->equal_source += source || (x->dec.src >= 0 && equally_good(k, x->dec.src, a->from));
	c->same_task += task;
	c->by_move[a->move].n++;
	c->by_move[a->move].same_source += source;
	c->by_move[a->move].same_task += task;
	c->by_move[a->move].asked_nothing += x->dec.src < 0;
	if (!task)
		tell(k, a, x, nth, source);
}
