// SPDX-License-Identifier: BSD-2-Clause
/*
 * above.c - classes above fair as a record has them: what they would move, and budgets of which
 * only the end and the return were seen (forced.h).
 */
#include "sched/dl/dl.h"
#include "sched/forced.h"

void sched_class_push_decide(const struct sched *s, int cpu, struct class_move_decision *d)
{
	*d = (struct class_move_decision){.p = NULL};
	for (int id = CLASS_DL; id > CLASS_FAIR; id--) {
		struct class_move m;

		if (!sched_classes[id]->would_push(s, cpu_rq(s, cpu), &m))
			continue;
		*d = (struct class_move_decision){.p = m.p, .from = m.from, .to = m.to};
		return;
	}
}

void sched_class_pull_decide(const struct sched *s, int cpu, struct class_move_decision *d)
{
	*d = (struct class_move_decision){.p = NULL};
	for (int id = CLASS_DL; id > CLASS_FAIR; id--) {
		struct class_move m;

		if (!sched_classes[id]->would_pull(s, cpu_rq(s, cpu), &m))
			continue;
		*d = (struct class_move_decision){.p = m.p, .from = m.from, .to = m.to};
		return;
	}
}

void sched_dl_used_up(struct sched *s, u64 now, int cpu)
{
	struct rq *rq = cpu_rq(s, cpu);
	struct rb_node *n, *next;

	if (likely(!rq->dl.nr_running))
		return;
	update_rq_clock(s, rq, now);
	dl_update_curr(s, rq);
	for (n = rb_first(&rq->dl.root); n; n = next) {
		struct sched_dl_entity *se = container_of(n, struct sched_dl_entity, node);

		next = rb_next(n);
		if (se->is_server)
			continue;
		se->throttled = true;
		dl_entity_out(s, rq, se);
		dl_not_pushable(s, rq, dl_task_of(se));
	}
}

void sched_dl_refill(struct sched *s, u64 now, struct task *p)
{
	struct rq *rq = cpu_rq(s, p->cpu);

	if (!is_dl(p) || !p->dl.throttled)
		return;
	update_rq_clock(s, rq, now);
	class_timer_cancel(s, &p->dl.timer);
	p->dl.throttled = p->dl.yielded = false;
	dl_new_period(rq, &p->dl);
	if (!p->on_rq)
		return;
	dl_entity_in(s, rq, &p->dl);
	if (rq->curr != p)
		dl_make_pushable(s, rq, p);
}

void sched_dl_picked(struct sched *s, u64 now, struct task *p)
{
	struct rq *rq = cpu_rq(s, p->cpu);
	const struct sched_dl_entity *first;
	bool pushable;

	sched_dl_refill(s, now, p);
	first = dl_first(rq);
	if (!p->dl.queued || first == &p->dl)
		return;
	update_rq_clock(s, rq, now);
	pushable = p->dl.pushable;
	dl_not_pushable(s, rq, p);
	dl_entity_out(s, rq, &p->dl);
	p->dl.deadline = first->deadline - 1;
	dl_entity_in(s, rq, &p->dl);
	if (pushable)
		dl_make_pushable(s, rq, p);
}
