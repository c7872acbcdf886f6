// SPDX-License-Identifier: BSD-2-Clause
/*
 * ask_wake.c - wake-ups: asked when the kernel chose, compared, carried out.
 *
 * The kernel chose between its sched_waking and the next event of the same CPU.
 * If other CPUs did something in between, it isn't known whether the waker saw
 * that; then the core is asked in both states, and if its answers differ the
 * decision is undetermined. Two answers in one LLC leave open which CPU, not which LLC.
 */
#include "replay/ask.h"

#define MAX_LOOK_AHEAD 4096 /* events */

/* the next event of the waker's CPU, before which it must have chosen */
static u32 end_of_choice(const struct asker *k, const struct story_act *a)
{
	const struct trace *t = k->st->trace;
	u32 i = a->event + 1, end = min((u64)a->event + MAX_LOOK_AHEAD, (u64)t->nr);

	if (a->made_up)
		return a->event + 1;
	for (; i < end; i++)
		if (t->event[i].cpu == a->cpu && !(t->event[i].context & TRACE_INFERRED))
			return i;
	return a->event + 1;
}

/* ---- counting ---- */

/* @open: how far apart the answers are that the core gives in either state */
static void count(struct asker *k, const struct story_act *a, const struct wake_decision *dec,
		  bool prev_idle, enum agree_near open)
{
	struct agree_wakes *w = k->st->task[a->task].kthread ? &k->a->kthread_wakes :
							       &k->a->wakes;
	bool contested = !prev_idle || a->to != a->from;
	enum agree_near near = ask_near(k, dec->target, a->to);
	struct agree_rule *r = &w->rule[dec->reason];

	w->n++;
	w->same_cpu += near == NEAR_CPU;
	w->undetermined += open > NEAR_CPU;
	r->n++;
	if (!contested)
		return;
	w->contested++;
	w->contested_near[near]++;
	w->naive += a->to == a->from;
	r->contested++;
	r->contested_same += near == NEAR_CPU;
	if (open == NEAR_CPU)
		return;
	w->contested_undetermined++;
	w->contested_undetermined_same[0] += near == NEAR_CPU;
	w->contested_undetermined_same[1] += near <= NEAR_LLC && open > NEAR_LLC;
}

static void compare(struct asker *k, const struct story_act *a, const struct wake_query *q,
		    const struct wake_decision *dec, enum agree_near open)
{
	bool prev_idle = sched_cpu_idle(k->d.s, a->from);

	/* two deadline tasks: it goes by their deadlines, which no trace tells */
	if (drive_is_dl(q->p) && drive_is_dl(sched_current(k->d.s, a->from))) {
		k->a->wakes_other_class++;
		return;
	}
	count(k, a, dec, prev_idle, open);
	if (dec->target == a->to)
		return;
	ask_disagree(k, a, ask_near(k, dec->target, a->to),
		     "wake %s/%d, last on %d%s, by %s/%d on %d%s%s%s: kernel %d (%s), core %d by %s%s",
		     story_comm(k->st, a->task), k->st->task[a->task].pid, a->from,
		     prev_idle ? " (idle)" : "", story_comm(k->st, a->other),
		     a->other == STORY_NONE ? 0 : k->st->task[a->other].pid, a->cpu,
		     q->sync ? " sync" : "", q->in_task ? "" : " irq", a->on_cpu ? " on_cpu" : "",
		     a->to, a->path == PATH_LIST ? "list" : "direct", dec->target,
		     sched_reason_name(dec->reason), open > NEAR_CPU ? " (undetermined)" : "");
}

/* ---- choosing ---- */

/* it was right to go elsewhere: what else does that show? */
static void learn(struct asker *k, const struct story_act *a, const struct ask_pending *w,
		  struct wake_decision *dec)
{
	struct wake_decision better;

	if (sched_wake_learn(k->d.s, k->d.now, &w->q, a->to, &better) == LESSON_NONE)
		return;
	*dec = better;
	k->d.fixed_placing++;
}

static void choose(struct asker *k, const struct story_act *a, struct ask_pending *w)
{
	struct wake_decision dec;
	enum agree_near open;

	ask_listen(k);
	sched_wake_decide(k->d.s, k->d.now, &w->q, &dec);
	ask_stop_listening(k);
	if (dec.path == WAKE_SPIN && a->path == PATH_LIST && a->select == STORY_NONE)
		dec.path = WAKE_ON_CPU_LIST; /* what has come to its CPU meanwhile, hadn't then */
	if (dec.path == WAKE_CURRENT || dec.path == WAKE_SPIN) {
		k->a->wakes_awake++;
		return;
	}
	if (dec.path == WAKE_ON_CPU_LIST) {
		k->a->wakes_on_cpu++;
	} else {
		if (dec.reason == REASON_PINNED)
			k->a->wakes_bound++;
		open = w->has_early ? ask_near(k, w->early.target, dec.target) : NEAR_CPU;
		compare(k, a, &w->q, &dec, open);
		if (dec.target != a->to && open == NEAR_CPU)
			learn(k, a, w, &dec);
	}
	drive_wake_commit(&k->d, a, &w->q, &dec);
}

static void finish(struct asker *k, struct ask_pending *w)
{
	const struct story_act *a = &k->st->act[w->act];

	w->act = STORY_NONE;
	k->nr_pending--;
	choose(k, a, w);
}

void ask_pending_until(struct asker *k, u32 event)
{
	for (int c = 0; k->nr_pending && c < k->d.m->topo.nr_cpus; c++)
		if (k->pending[c].act != STORY_NONE && k->pending[c].until <= event)
			finish(k, &k->pending[c]);
}

void ask_pending_of(struct asker *k, u32 wake_act)
{
	struct ask_pending *w = &k->pending[k->st->act[wake_act].cpu];

	if (w->act == wake_act)
		finish(k, w);
}

void ask_wake(struct asker *k, const struct story_act *a)
{
	struct ask_pending *w = &k->pending[a->cpu];
	struct task *p = drive_task(&k->d, a->task);
	bool exiting = a->other != STORY_NONE && k->d.task[a->other].exiting;

	if (a->path == PATH_AWAKE) {
		k->a->wakes_awake++;
		return;
	}
	if (a->path == PATH_LOST) {
		k->a->wakes_lost++;
		return;
	}
	if (!p) {
		k->a->wakes_other_class++;
		return;
	}
	if (w->act != STORY_NONE)
		finish(k, w);
	*w = (struct ask_pending){
		.act = (u32)(a - k->st->act),
		.until = end_of_choice(k, a),
		.q = { .cpu = a->cpu, .p = p, .sync = a->sync && !exiting, .in_task = !a->irq },
	};
	k->nr_pending++;
	sched_wake_decide(k->d.s, k->d.now, &w->q, &w->early);
	if (a->on_cpu) {
		/* left to its own CPU at once; or the waker waits until it has switched out */
		if (w->early.path == WAKE_ON_CPU_LIST && a->select == STORY_NONE &&
		    a->path == PATH_LIST)
			finish(k, w);
		return;
	}
	w->has_early = true;
	/*
	 * What goes to a wake list and leaves no trace of its choice was on the list within a
	 * microsecond, and its CPU looked idle no more; the waker's next event may be far away.
	 */
	if (w->until == a->event + 1 || (a->path == PATH_LIST && a->select == STORY_NONE))
		finish(k, w);
}
