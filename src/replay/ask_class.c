// SPDX-License-Identifier: BSD-2-Clause
/*
 * ask_class.c - pushes and pulls of realtime and deadline tasks: asked, compared.
 *
 * A CPU pulls when what it goes on with is less than what it had, and then the event is its
 * own; any other move is a push. So is one by a waker that takes away what it has just put
 * on another CPU's queue, wherever it goes.
 */
#include "replay/ask.h"

/* the act just before @a put its task where it was, for the same CPU */
static bool just_queued(const struct asker *k, const struct story_act *a)
{
	const struct story_act *b = a - 1;

	return k->at && b->cpu == a->cpu && b->task == a->task &&
	       (b->kind == STORY_ENQUEUE || b->kind == STORY_START);
}

static void tell(struct asker *k, const struct story_act *a, const char *what,
		 const struct class_move_decision *dec, enum agree_near severity)
{
	ask_disagree(k, a, severity, "%s of %s/%d by %d: kernel from %d to %d, core %s/%d from %d to %d",
		     what, story_comm(k->st, a->task), k->st->task[a->task].pid, a->cpu, a->from,
		     a->to, dec->p ? sched_task_comm(dec->p) : "-",
		     dec->p ? sched_task_id(dec->p) : 0, dec->from, dec->to);
}

static void ask_class_push(struct asker *k, const struct story_act *a, const struct task *p)
{
	struct agree_class_moves *c = &k->a->class_moves;
	struct class_move_decision dec;
	enum agree_near near;

	sched_class_push_decide(k->d.s, a->from, &dec);
	c->pushes++;
	near = dec.p == p ? ask_near(k, dec.to, a->to) : NEAR_ELSEWHERE;
	if (dec.p == p) {
		c->pushes_same_task++;
		c->pushes_near[near]++;
	}
	if (near != NEAR_CPU)
		tell(k, a, "push", &dec, near);
}

static void ask_class_pull(struct asker *k, const struct story_act *a, const struct task *p)
{
	struct agree_class_moves *c = &k->a->class_moves;
	struct class_move_decision dec;

	sched_class_pull_decide(k->d.s, a->to, &dec);
	c->pulls++;
	c->pulls_same_task += dec.p == p;
	if (dec.p != p)
		tell(k, a, "pull", &dec, NEAR_CPU);
}

void ask_class_move(struct asker *k, const struct story_act *a)
{
	struct task *p = drive_task(&k->d, a->task);

	if (!p || a->made_up || a->move != MOVE_CLASS || drive_is_fair(p) ||
	    sched_task_cpu(p) != a->from)
		return;
	sched_dl_refill(k->d.s, k->d.now, p); /* else it would have stayed */
	drive_drain(&k->d);
	if (a->cpu == a->to && !just_queued(k, a))
		ask_class_pull(k, a, p);
	else
		ask_class_push(k, a, p);
}
