// SPDX-License-Identifier: BSD-2-Clause
/*
 * near.c - among CPUs that would all do, the one nearest to where a task ran (spec 08 §2.4).
 */
#include "sched/class.h"

/* any-and-distribute of a decision: the cursor moves when it is carried out */
static int distribute(const struct sched *s, const u64 *a, const u64 *b, struct class_choice *c)
{
	int cursor = c->cursor >= 0 ? c->cursor : s->rq[c->cpu].distribute_cursor;
	int next = mask_next_and(a, b, cursor + 1, s->words);

	if (next < 0)
		next = mask_next_and(a, b, 0, s->words);
	if (next >= 0)
		c->cursor = next;
	return next;
}

int prefer_cpu(const struct sched *s, const struct task *p, const u64 *set, struct class_choice *c)
{
	bool here = mask_test(set, c->cpu);
	const struct sched_domain *sd;
	int best;

	if (mask_test(set, p->cpu))
		return p->cpu;
	for_each_domain(cpu_rq(s, p->cpu), sd) {
		if (!(sd->flags & SD_WAKE_AFFINE))
			continue;
		if (here && mask_test(sd->span, c->cpu))
			return c->cpu;
		best = distribute(s, set, sd->span, c);
		if (best >= 0)
			return best;
	}
	return here ? c->cpu : distribute(s, set, set, c);
}

void move_queued_task(struct sched *s, struct rq *src, struct task *p, struct rq *dst)
{
	update_rq_clock(s, src, s->now);
	update_rq_clock(s, dst, s->now);
	deactivate_task(s, src, p, 0);
	set_task_cpu(s, p, dst->cpu);
	activate_task(s, dst, p, 0);
}
