// SPDX-License-Identifier: BSD-2-Clause
/*
 * ask_fork.c - forks: asked, compared.
 *
 * A descent (spec 05) takes the idlest group of a domain by its statistics, and of its
 * idle CPUs the one that fell idle last. When that was, a trace tells of those CPUs
 * only that fell idle in it. So another CPU than the core's choice can be as good.
 */
#include "replay/ask.h"

/* are the CPUs idle, or running as many tasks? */
static bool equally_idle(const struct asker *k, int a, int b)
{
	return sched_cpu_idle(k->d.s, a) == sched_cpu_idle(k->d.s, b) &&
	       sched_nr_running(k->d.s, a) == sched_nr_running(k->d.s, b);
}

/* do the groups look the same to a fork: CPUs, idle ones, tasks? */
static bool groups_alike(const struct asker *k, const struct sched_group_view *a,
			 const struct sched_group_view *b)
{
	int idle = 0, running = 0;

	for (int c = 0; c < k->d.m->topo.nr_cpus; c++) {
		int sign = mask_test(a->span, c) - mask_test(b->span, c);

		idle += sign * sched_cpu_idle(k->d.s, c);
		running += sign * sched_nr_running(k->d.s, c);
	}
	return a->weight == b->weight && !idle && !running;
}

/* did the core take a CPU of a group of domain level @level that holds @cpu? */
static bool took_of_group(const struct asker *k, int level, const struct sched_group_view *g)
{
	for (int i = 0; i < k->nr_records; i++) {
		const struct sched_record *r = &k->record[i];

		if (r->step == STEP_FORK_CPU && r->value[2] == level &&
		    mask_test(g->span, (int)r->value[0]))
			return true;
	}
	return false;
}

/* did the core leave the local group at domain level @level? */
static bool left_group(const struct asker *k, int level)
{
	for (int i = 0; i < k->nr_records; i++) {
		const struct sched_record *r = &k->record[i];

		if (r->step == STEP_FORK_GROUPS && r->value[5] == level && r->taken)
			return true;
	}
	return false;
}

static bool group_of(const struct sched_domain_view *v, int cpu, struct sched_group_view *g)
{
	struct sched_domain_view walk = *v;

	while (sched_domains_next_group(&walk, g))
		if (mask_test(g->span, cpu))
			return true;
	return false;
}

/*
 * Is @b as good as the core's choice @a? Both are equally idle, and at every level
 * they are in the same group, except where no statistics parted them: single CPUs,
 * and below a group of which the core took a CPU for its idle stamp, groups that
 * look the same and between which it didn't choose afterwards.
 */
static bool fork_equally_good(const struct asker *k, int a, int b)
{
	struct sched_domain_view v;
	bool by_stamp = false;

	if (!equally_idle(k, a, b))
		return false;
	for (int i = sched_domains_count(k->domains, a) - 1; i >= 0; i--) {
		struct sched_group_view ga, gb;

		if (!sched_domains_get(k->domains, a, i, &v) || !group_of(&v, a, &ga) ||
		    !group_of(&v, b, &gb))
			return false;
		if (mask_test(ga.span, b)) {
			by_stamp |= took_of_group(k, v.level, &ga);
			continue;
		}
		if (ga.weight == 1 && gb.weight == 1)
			return true;
		return by_stamp && !left_group(k, v.level) && groups_alike(k, &ga, &gb);
	}
	return true;
}

void ask_fork(struct asker *k, const struct story_act *a)
{
	struct task *p = drive_task(&k->d, a->task);
	struct fork_decision dec = { .target = a->to };
	enum agree_near near;
	bool equal;

	if (!p && !k->d.task[a->task].p) { /* its fork isn't in the trace */
		drive_fork(&k->d, a);
		p = drive_task(&k->d, a->task);
	}
	if (p) {
		struct agree_forks *f = &k->a->forks;

		ask_listen_closely(k);
		sched_fork_decide(k->d.s, k->d.now, a->cpu, p, &dec);
		ask_stop_listening(k);
		near = ask_near(k, dec.target, a->to);
		equal = near == NEAR_CPU || fork_equally_good(k, dec.target, a->to);
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
