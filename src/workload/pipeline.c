// SPDX-License-Identifier: BSD-2-Clause
/*
 * pipeline - a ring of stages that hand items on through pipes.
 *
 * A stage reads an item, works on it and writes it to the next stage; the last
 * one's next is the first. Some items circulate; with as many as stages all
 * are always busy, with fewer each wake-up finds the place that an item left.
 * The first stage that sees the end passes on a last item, at which all leave.
 */
#include <errno.h>
#include <stdio.h>

#include "workload/models.h"

struct pipeline_stage {
	struct pipeline_run *run;
	struct sim_pipe *inlet;
	u64 written, read; /* items of the inlet */
	u64 last;	   /* which of them is the last; 0: not yet known */
	enum { STAGE_READ, STAGE_GOT, STAGE_WORKED, STAGE_END } next;
};

struct pipeline_run {
	int nr, items, started;
	u64 work, begin, end, done;
	struct pipeline_stage *stage;
};

static void hand_on(struct pipeline_stage *s, bool last, struct sim_step *step)
{
	struct pipeline_run *run = s->run;
	struct pipeline_stage *to = &run->stage[(s - run->stage + 1) % run->nr];

	to->written++;
	if (last && !to->last)
		to->last = to->written;
	step->op = SIM_WRITE;
	step->pipe = to->inlet;
	step->bytes = 1;
	s->next = last ? STAGE_END : STAGE_READ;
}

static void stage_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct pipeline_stage *s = sim_task_arg(t);

	switch (s->next) {
	case STAGE_READ:
		step->op = SIM_READ;
		step->pipe = s->inlet;
		step->bytes = 1;
		s->next = STAGE_GOT;
		return;
	case STAGE_GOT:
		if (++s->read == s->last) {
			hand_on(s, true, step);
			return;
		}
		step->op = SIM_RUN;
		step->ns = s->run->work;
		s->next = STAGE_WORKED;
		return;
	case STAGE_WORKED:
		s->run->done++;
		hand_on(s, sim_now(sim) >= s->run->end, step);
		return;
	case STAGE_END:
		return;
	}
}

/* Puts the items in when the timed part begins, and leaves. */
static void starter_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct pipeline_run *run = sim_task_arg(t);

	if (sim_now(sim) < run->begin) {
		step->op = SIM_SLEEP_UNTIL;
		step->ns = run->begin;
		return;
	}
	if (run->started++ >= run->items)
		return;
	run->stage[0].written++;
	step->op = SIM_WRITE;
	step->pipe = run->stage[0].inlet;
	step->bytes = 1;
}

static const struct sim_program stage_program = {"stage", stage_next};
static const struct sim_program starter_program = {"pipeline", starter_next};

static int pipeline_spawn(const struct workload *w, struct sim *sim, struct pipeline_run *run,
			  int i, struct err *err)
{
	struct pipeline_stage *s = &run->stage[i];
	char comm[32];
	struct sim_spawn what = {
		.comm = comm,
		.program = &stage_program,
		.arg = s,
		.process = !workload_int(w, "threads"),
	};

	s->run = run;
	s->inlet = sim_pipe_new(sim, PIPE_PIPE);
	if (!s->inlet)
		return model_nomem(err);
	snprintf(comm, sizeof(comm), "stage%d", i);
	return sim_spawn(sim, &what, err) ? 0 : err->code;
}

static int pipeline_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	struct pipeline_run *run = arena_alloc(sim_arena(sim), sizeof(*run));
	struct sim_spawn starter = {
		.comm = "pipeline",
		.program = &starter_program,
		.arg = run,
		.process = true,
	};

	if (!run)
		return model_nomem(err);
	run->nr = workload_int(w, "stages");
	run->items = workload_int(w, "items");
	run->work = workload_int(w, "run");
	run->begin = workload_int(w, "lead");
	run->end = run->begin + workload_int(w, "duration");
	run->stage = arena_array(sim_arena(sim), run->nr, sizeof(*run->stage));
	if (!run->stage)
		return model_nomem(err);
	*state = run;
	for (int i = 0; i < run->nr; i++)
		if (pipeline_spawn(w, sim, run, i, err))
			return err->code;
	return sim_spawn(sim, &starter, err) ? 0 : err->code;
}

static int pipeline_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
			   struct err *err)
{
	struct pipeline_run *run = state;

	if (sim_now(sim) < run->end)
		return err_set(err, -ETIME,
			       "pipeline wasn't done when the run was stopped after %.3f s; use a "
			       "shorter duration",
			       sim_now(sim) / 1e9);
	return result_add(r, "throughput", "items/s", true,
			  run->done * 1e9 / (sim_now(sim) - run->begin));
}

const struct workload_model pipeline_model = {
	.name = "pipeline",
	.doc = "a ring of stages that hand items on through pipes",
	.metric_doc = "items worked on per second, all stages together",
	.params = pipeline_params,
	.setup = pipeline_setup,
	.finish = pipeline_finish,
};
