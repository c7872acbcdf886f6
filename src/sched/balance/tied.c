// SPDX-License-Identifier: BSD-2-Clause
/*
 * tied.c - walks that move what a record says and nothing else (forced.h).
 *
 * Each pass is decided freely first. If the record has moves that it must have
 * made, they take the place of what it chose; if it chose tasks that were not
 * moved, it is decided again as a pass that finds none it may take.
 */
#include "sched/balance/lb.h"
#include "sched/forced.h"

/* could the pass of @d have made this move? */
static bool belongs(const struct sched *s, const struct balance_decision *d,
		    const struct forced_move *m)
{
	const u64 *local = d->sd->groups->span;
	const struct task *p = m->p;

	return !m->done && p->on_rq && !p->on_cpu && !p->migrating && task_allowed(p, m->dst) &&
	       p->cpu != d->dst && mask_test(local, m->dst) && !mask_test(local, p->cpu) &&
	       mask_test(d->sd->span, p->cpu) && cpu_rq(s, m->dst)->online;
}

/* the moves of one source, the first one's */
static void take_given(const struct sched *s, const struct tied_moves *tied,
		       struct balance_decision *d)
{
	u8 attempt = 0;

	d->nr_looks = d->nr_taken = 0;
	for (int i = 0; i < tied->nr && d->nr_looks < BALANCE_MAX_LOOKS; i++) {
		struct forced_move *m = &tied->move[i];

		if (!belongs(s, d, m) || (d->nr_taken && m->p->cpu != d->src))
			continue;
		/* for another CPU it was another attempt: so they are attached */
		if (d->nr_taken && d->look[d->nr_looks - 1].dst != m->dst)
			attempt++;
		d->src = m->p->cpu;
		d->look[d->nr_looks++] = (struct balance_look){
			.p = m->p, .dst = m->dst, .taken = true, .attempt = attempt};
		d->nr_taken++;
		m->done = true;
	}
}

static bool any_given(const struct sched *s, const struct tied_moves *tied,
		      const struct balance_decision *d)
{
	for (int i = 0; i < tied->nr; i++)
		if (belongs(s, d, &tied->move[i]))
			return true;
	return false;
}

/* the pass chose what was moved, in this order: it goes as it would */
static bool agrees(const struct sched *s, const struct tied_moves *tied,
		   const struct balance_decision *d)
{
	int next = 0;

	for (int i = 0; i < d->nr_looks; i++) {
		const struct balance_look *l = &d->look[i];

		if (!l->taken)
			continue;
		while (next < tied->nr && !belongs(s, d, &tied->move[next]))
			next++;
		if (next == tied->nr || tied->move[next].p != l->p || tied->move[next].dst != l->dst)
			return false;
		next++;
	}
	while (next < tied->nr)
		if (belongs(s, d, &tied->move[next++]))
			return false;
	return true;
}

static void note_done(const struct sched *s, const struct tied_moves *tied,
		      const struct balance_decision *d)
{
	for (int i = 0; i < tied->nr; i++)
		if (belongs(s, d, &tied->move[i]))
			tied->move[i].done = true;
}

void tie_pass(const struct sched *s, u64 now, struct tied_moves *tied, struct balance_decision *d)
{
	if (agrees(s, tied, d)) {
		if (d->nr_taken)
			note_done(s, tied, d);
		else if (d->active_src >= 0) /* a push would show later, if there was one */
			decide_pass(s, now, d->dst, d->sd, d->kind, LBF_HANDS_TIED, d);
	} else if (any_given(s, tied, d)) {
		take_given(s, tied, d);
		d->lb.balanced = d->lb.failed = d->lb.hot_gained = 0;
		d->lb.nobusyq = d->lb.nobusyg = 0;
		d->lb.gained = d->nr_taken;
		d->active_src = -1;
		d->trivial = false;
		end_moved(d->sd, d);
	} else {
		tied->unmade++;
		decide_pass(s, now, d->dst, d->sd, d->kind, LBF_HANDS_TIED, d);
	}
}

/**
 * tied_draw() - was @sd tried in this new-idle walk?
 *
 * Where draws decide and no record shows them: it was if the record has moves of
 * this pass, it wasn't if the pass would have moved something else. Of the others
 * the core's own draw decides.
 */
bool tied_draw(struct sched *s, u64 now, int dst, struct sched_domain *sd, struct tied_moves *tied)
{
	bool drawn = newidle_draw(s, sd);
	struct balance_decision d;

	balance_decide(s, now, dst, sd, CPU_NEWLY_IDLE, &d);
	if (any_given(s, tied, &d))
		return true;
	if (!d.nr_taken)
		return drawn;
	tied->unmade++;
	return false;
}

static const enum sched_mover mover_of[] = {
	[WALK_NEWIDLE] = MOVER_NEWIDLE,
	[WALK_PERIODIC] = MOVER_PERIODIC,
	[WALK_NOHZ] = MOVER_NOHZ,
};

static u64 all_passes(const struct sched *s)
{
	return s->nr_passes[CPU_NOT_IDLE] + s->nr_passes[CPU_IDLE] + s->nr_passes[CPU_NEWLY_IDLE];
}

int sched_walk_forced(struct sched *s, u64 now, int cpu, enum walk_kind kind,
		      struct forced_move *moves, int nr, int *unmade)
{
	struct tied_moves tied = {moves, nr, 0};
	struct balance_walk *w = &cpu_rq(s, cpu)->walk;
	u64 before = all_passes(s), cost;
	int made;

	for (int i = 0; i < nr; i++) {
		moves[i].done = false;
		moves[i].error = 0;
	}
	if (sched_walk_begin(s, now, cpu, kind, &cost)) {
		w->tied = &tied;
		while (sched_walk_step(s, now, cpu, &cost))
			sched_walk_attach(s, now, cpu);
		w->tied = NULL;
	}
	made = (int)(all_passes(s) - before);
	if (unmade)
		*unmade = tied.unmade;
	sched_move_tasks(s, now, cpu, moves, nr, mover_of[kind]);
	return made;
}
