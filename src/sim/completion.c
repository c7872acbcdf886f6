/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * completion.c - somebody waits until somebody else says that it is done.
 *
 * Waiters are woken in the order of their coming, one for each completion,
 * without sync hint (spec 14 §1.7). A completion that nobody waits for yet is
 * remembered.
 */
#include "sim/engine.h"

struct sim_completion {
	u32 done;
	struct waitq waiters;
};

struct sim_completion *sim_completion_new(struct sim *sim)
{
	return arena_alloc(sim->arena, sizeof(struct sim_completion));
}

static void wait_or_sleep(struct sim *sim, struct sim_cpu *c)
{
	struct sim_completion *done = c->curr->step.completion;

	if (done->done) {
		done->done--;
		step_next(sim, c);
	} else {
		task_block(sim, c, &done->waiters, "a completion", step_next);
	}
}

bool step_wait_completion(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	seg_call(sim, c, CPU_ATOMIC, sim->cost->syscall, wait_or_sleep);
	return false;
}

void complete(struct sim *sim, struct sim_cpu *c, struct sim_completion *done, cpu_fn then)
{
	struct sim_task *t = waitq_take(&done->waiters);

	if (t) {
		wake_task(sim, c, t, false, then);
		return;
	}
	done->done++;
	then(sim, c);
}

static void completed(struct sim *sim, struct sim_cpu *c)
{
	complete(sim, c, c->curr->step.completion, step_next);
}

bool step_complete(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	seg_call(sim, c, CPU_ATOMIC, sim->cost->syscall, completed);
	return false;
}
