// SPDX-License-Identifier: BSD-2-Clause
/*
 * calibrate.c - from recorded CPU time to work.
 */
#include <errno.h>
#include <stdlib.h>

#include "replay/run.h"

#define FEW 4 /* ops of a kind of which a task's own mean says little */

static u64 mean(const struct replay_overhead *own, const struct replay_overhead *all,
		enum replay_op_kind kind)
{
	if (own->nr[kind] >= FEW)
		return own->ns[kind] / own->nr[kind];
	return all->nr[kind] ? all->ns[kind] / all->nr[kind] : 0;
}

/* what ticks take of every ns that a task runs */
static u64 without_ticks(const struct machine *m, u64 ns)
{
	u64 period = NSEC_PER_SEC / (u64)m->hz, tick = min(m->cost.tick, period / 2);

	return ns - (u64)((u128)ns * tick / period);
}

static bool is_sleep(enum replay_op_kind kind)
{
	return kind == REPLAY_SLEEP || kind == REPLAY_SLEEP_AT || kind == REPLAY_SLEEP_FOR;
}

/*
 * Going to sleep takes its time before the task is switched out, so in what was
 * recorded before the sleep; all else comes before the next op.
 */
static void calibrate_task(struct replay_task *t, const struct replay_overhead *own,
			   const struct replay_overhead *all, const struct machine *m)
{
	u64 owed = 0;

	for (u32 i = 0; i < t->nr; i++) {
		struct replay_op *op = &t->op[i];
		/* the first work of a forked task follows its parent's fork */
		enum replay_op_kind last = i ? t->op[i - 1].kind : REPLAY_FORK;
		u64 work = without_ticks(m, op->recorded);

		if (!is_sleep(last))
			owed += mean(own, all, last);
		if (is_sleep(op->kind))
			owed += mean(own, all, op->kind);
		op->work = work - min(work, owed);
		owed -= min(work, owed);
	}
}

int replay_calibrate(struct replay *r, const struct replay_run *from, struct err *err)
{
	struct replay_overhead *own = calloc((size_t)r->nr_tasks + 1, sizeof(*own)), all = { 0 };
	struct replay_run run = *from;
	struct figures f;
	struct result result;
	int ret;

	if (!own)
		return err_set(err, -ENOMEM, "out of memory");
	run.overhead = own;
	ret = replay_run(&run, &f, &result, NULL, err);
	figures_free(&f);
	for (u32 i = 0; i < r->nr_tasks && !ret; i++) {
		for (int k = 0; k < NR_REPLAY_OPS; k++) {
			all.ns[k] += own[i].ns[k];
			all.nr[k] += own[i].nr[k];
		}
	}
	for (u32 i = 0; i < r->nr_tasks && !ret; i++)
		calibrate_task(&r->task[i], &own[i], &all, from->m);
	free(own);
	return ret;
}
