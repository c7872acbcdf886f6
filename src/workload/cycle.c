// SPDX-License-Identifier: BSD-2-Clause
#include "workload/cycle.h"

/* What the last step was is over: account for it and move on. */
static void account(struct cycle *c, struct sim *sim, struct sim_task *t)
{
	if (c->state == CYCLE_SLEPT && c->slept)
		hist_add(&c->tally->latency, sim_task_wake_latency(t));
	if (c->state == CYCLE_WORKED) {
		c->release += c->period;
		c->tally->done++;
		c->tally->missed += sim_now(sim) > c->release;
	}
}

bool cycle_next(struct cycle *c, struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	account(c, sim, t);
	if (c->state == CYCLE_SLEPT) {
		step->op = SIM_RUN;
		step->ns = c->work;
		c->state = CYCLE_WORKED;
		return true;
	}
	if (c->release >= c->end)
		return false;
	c->slept = sim_now(sim) < c->release;
	step->op = SIM_SLEEP_UNTIL;
	step->ns = c->release;
	c->state = CYCLE_SLEPT;
	return true;
}
