// SPDX-License-Identifier: BSD-2-Clause
/*
 * ask_pick.c - picks: asked, compared.
 *
 * Not those among deadline tasks: no trace tells deadlines.
 */
#include "replay/ask.h"

void ask_pick(struct asker *k, const struct story_act *a)
{
	struct agree_picks *c = &k->a->picks;
	struct task *next = drive_task(&k->d, a->task);
	struct pick_decision dec;
	bool same;

	if (a->made_up || (a->task != STORY_NONE && !next) || k->d.cpu[a->cpu].stop ||
	    drive_is_dl(next))
		return;
	ask_listen(k);
	sched_pick_decide(k->d.s, k->d.now, a->cpu, &dec);
	ask_stop_listening(k);
	if (drive_is_dl(dec.next))
		return;
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
