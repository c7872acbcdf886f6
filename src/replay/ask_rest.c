// SPDX-License-Identifier: BSD-2-Clause
/*
 * ask_rest.c - forks and picks: asked, compared.
 */
#include "replay/ask.h"

/* ---- forks ---- */

/*
 * Is @b as good as @a? Each domain's groups of more than one CPU hold both or
 * neither, and both are idle or both run as many tasks.
 */
bool ask_equally_good(const struct asker *k, int a, int b)
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

void ask_fork(struct asker *k, const struct story_act *a)
{
	struct task *p = drive_fair(&k->d, a->task);
	struct fork_decision dec = { .target = a->to };
	enum agree_near near;
	bool equal;

	if (!p && !k->d.task[a->task].p) { /* its fork isn't in the trace */
		drive_fork(&k->d, a);
		p = drive_fair(&k->d, a->task);
	}
	if (p) {
		struct agree_forks *f = &k->a->forks;

		ask_listen(k);
		sched_fork_decide(k->d.s, k->d.now, a->cpu, p, &dec);
		ask_stop_listening(k);
		near = ask_near(k, dec.target, a->to);
		equal = near == NEAR_CPU || ask_equally_good(k, dec.target, a->to);
		f->n++;
		f->near[near]++;
		f->same_cpu += near == NEAR_CPU;
		f->same_or_equal += equal;
		f->rule[dec.reason].n++;
		f->rule[dec.reason].contested++;
		f->rule[dec.reason].contested_same += equal;
		if (!equal)
			ask_disagree(k, a, near, "fork %s/%d on %d: kernel %d, core %d by %s",
				     story_comm(k->st, a->task), k->st->task[a->task].pid, a->cpu,
				     a->to, dec.target, sched_reason_name(dec.reason));
	}
	drive_start_new(&k->d, a, &dec);
}

/* ---- picks ---- */

void ask_pick(struct asker *k, const struct story_act *a)
{
	struct agree_picks *c = &k->a->picks;
	struct task *next = drive_fair(&k->d, a->task);
	struct pick_decision dec;
	bool same;

	if (a->made_up || (a->task != STORY_NONE && !next) || k->d.cpu[a->cpu].high)
		return;
	ask_listen(k);
	sched_pick_decide(k->d.s, k->d.now, a->cpu, &dec);
	ask_stop_listening(k);
	same = dec.next == next;
	c->n++;
	c->same += same;
	c->rule[dec.reason].n++;
	if (dec.nr_runnable < 2)
		return;
	c->contested++;
	c->contested_same_task += same;
	c->rule[dec.reason].contested++;
	c->rule[dec.reason].contested_same += same;
	if (!same)
		ask_disagree(k, a, NEAR_CPU, "pick on %d after %s/%d%s: kernel %s/%d, core %s/%d by %s",
			     a->cpu, story_comm(k->st, a->other),
			     a->other == STORY_NONE ? 0 : k->st->task[a->other].pid,
			     a->preempted ? " (preempted)" : "", story_comm(k->st, a->task),
			     a->task == STORY_NONE ? 0 : k->st->task[a->task].pid,
			     dec.next ? sched_task_comm(dec.next) : "swapper",
			     dec.next ? sched_task_id(dec.next) : 0, sched_reason_name(dec.reason));
}
