// SPDX-License-Identifier: BSD-2-Clause
/*
 * pingpong - pairs of tasks that wake each other: one of each pair runs, the other sleeps.
 *
 * A task works, wakes its partner and goes to sleep, until the duration is
 * over. With fewer pairs than CPUs every wake-up finds an idle CPU; with more,
 * each wakes into a queue. Nothing but the scheduler stands between two steps,
 * so it is also the plainest measure of what a wake-up costs.
 */
#include <errno.h>

#include "workload/models.h"

struct pingpong_pair {
	struct pingpong_run *run;
	struct sim_task *task[2];
	struct sim_spawn spawn[2];
	struct pingpong_task {
		struct pingpong_pair *pair;
		int which;
		bool slept;
		enum { PINGPONG_WAIT, PINGPONG_WORK, PINGPONG_WAKE, PINGPONG_END } next;
	} state[2];
	bool over;		/* one of the two has left */
};

struct pingpong_run {
	u64 work, end;
	u64 turns;		/* pieces of work done */
	int nr_pairs;
	struct pingpong_pair *pair;
	struct hist latency;
};

static void pingpong_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct pingpong_task *me = sim_task_arg(t);
	struct pingpong_pair *pair = me->pair;
	struct pingpong_run *run = pair->run;

	switch (me->next) {
	case PINGPONG_WAIT:
		step->op = SIM_SLEEP_FOREVER;
		me->next = PINGPONG_WORK;
		me->slept = true;
		return;
	case PINGPONG_WORK:
		if (me->slept)
			hist_add(&run->latency, sim_task_wake_latency(t));
		if (pair->over)
			return;	/* SIM_EXIT: nobody is left to wake */
		step->op = SIM_RUN;
		step->ns = run->work;
		me->next = PINGPONG_WAKE;
		return;
	case PINGPONG_WAKE:
		run->turns++;
		pair->over = sim_now(sim) >= run->end;
		step->op = SIM_WAKE_PAIR;
		step->task = pair->task[!me->which];
		me->next = pair->over ? PINGPONG_END : PINGPONG_WAIT;
		return;
	case PINGPONG_END:
		return;
	}
}

static const struct sim_program pingpong_program = { "pingpong", pingpong_next };

static int pingpong_spawn(struct sim *sim, struct pingpong_pair *pair, bool process,
			  struct err *err)
{
	for (int i = 0; i < 2; i++) {
		pair->state[i] = (struct pingpong_task){
			.pair = pair,
			.which = i,
			.next = i ? PINGPONG_WAIT : PINGPONG_WORK,
		};
		pair->spawn[i] = (struct sim_spawn){
			.comm = i ? "pong" : "ping",
			.program = &pingpong_program,
			.arg = &pair->state[i],
			.process = process,
		};
		pair->task[i] = sim_spawn(sim, &pair->spawn[i], err);
		if (!pair->task[i])
			return err->code;
	}
	return 0;
}

static int pingpong_setup(const struct workload *w, struct sim *sim, void **state,
			  struct err *err)
{
	struct arena *arena = sim_arena(sim);
	struct pingpong_run *run = arena_alloc(arena, sizeof(*run));

	if (!run)
		return model_nomem(err);
	run->work = workload_int(w, "run");
	run->end = workload_int(w, "duration");
	run->nr_pairs = workload_int(w, "pairs");
	run->pair = arena_array(arena, run->nr_pairs, sizeof(*run->pair));
	if (!run->pair)
		return model_nomem(err);
	for (int i = 0; i < run->nr_pairs; i++) {
		int rc;

		run->pair[i].run = run;
		rc = pingpong_spawn(sim, &run->pair[i], !workload_int(w, "threads"), err);
		if (rc)
			return rc;
	}
	*state = run;
	return 0;
}

static int pingpong_finish(const struct workload *w, struct sim *sim, void *state,
			   struct result *r, struct err *err)
{
	struct pingpong_run *run = state;
	int rc;

	if (sim_now(sim) < run->end)
		return err_set(err, -ETIME,
			       "pingpong wasn't done when the run was stopped after %.3f s; use a "
			       "shorter duration",
			       sim_now(sim) / 1e9);
	rc = result_add(r, "turns", "1/s", true, run->turns * 1e9 / sim_now(sim));
	return rc ? rc : model_latencies(r, "wakeup latency", &run->latency);
}

const struct workload_model pingpong_model = {
	.name = "pingpong",
	.doc = "pairs of tasks that run in turn and wake each other",
	.metric_doc = "pieces of work done per second, all pairs together",
	.params = pingpong_params,
	.setup = pingpong_setup,
	.finish = pingpong_finish,
};
