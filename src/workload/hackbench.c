// SPDX-License-Identifier: BSD-2-Clause
/*
 * hackbench - groups of senders and receivers that pass small messages
 * (perf bench sched messaging; spec 12 §1).
 *
 * The parent forks for each group F receivers, each with a channel of its own,
 * then F senders. Every task writes a byte to the parent and polls a channel
 * that all share; when all have reported, the parent writes a byte there, which
 * nobody reads, and wakes them all. A sender writes, loops times, a message to
 * each receiver of its group; a receiver reads F·loops messages. The time is
 * taken from waking them to the last exit, as the parent sees it.
 */
#include <errno.h>

#include "workload/models.h"

struct hackbench_task {
	struct hackbench_run *run;
	int group, index;
	bool reported, gated;
	u64 left;	  /* messages still to send or receive */
	u64 partial;	  /* bytes of the current message read so far */
	int next_channel; /* sender */
	bool asked;	  /* receiver: the last step was a read */
};

struct hackbench_run {
	int groups, fds, nr_tasks;
	u64 loops, datasize;
	struct sim_pipe **channel; /* [group · fds + receiver] */
	struct sim_pipe *ready, *gate;
	struct hackbench_task *task;
	struct sim_spawn *spawn; /* [nr_tasks] */
	/* the parent */
	enum { PARENT_FORK, PARENT_READY, PARENT_OPEN, PARENT_REAP } state;
	int done; /* tasks forked, then reported, then reaped */
	bool over;
	u64 opened, ended;
};

/* Kernel memory that a task and its channel pin on a real machine, roughly. */
#define TASK_BYTES    (32ULL << 10)
#define PROCESS_BYTES (256ULL << 10)
#define CHANNEL_BYTES (208ULL << 10)

#define MAX_TASKS 1000000

static int hackbench_check(const struct workload *w, void **parsed, struct err *err)
{
	s64 tasks = workload_int(w, "groups") * workload_int(w, "fds") * 2;

	if (tasks > MAX_TASKS)
		return err_set(err, -EINVAL,
			       "hackbench: %lld tasks (groups x fds x 2); at most %d are possible",
			       (long long)tasks, MAX_TASKS);
	return 0;
}

/* Report to the parent, then wait at the gate. Return: whether both are done. */
static bool hackbench_started(struct hackbench_task *h, struct sim_step *step)
{
	struct hackbench_run *run = h->run;

	if (!h->reported) {
		h->reported = true;
		step->op = SIM_WRITE;
		step->pipe = run->ready;
		step->bytes = 1;
		return false;
	}
	if (!h->gated) {
		h->gated = true;
		step->op = SIM_POLL;
		step->pipe = run->gate;
		return false;
	}
	return true;
}

static void sender_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct hackbench_task *h = sim_task_arg(t);
	struct hackbench_run *run = h->run;

	if (!hackbench_started(h, step) || !h->left)
		return;
	step->op = SIM_WRITE;
	step->pipe = run->channel[h->group * run->fds + h->next_channel];
	step->bytes = run->datasize;
	h->next_channel = (h->next_channel + 1) % run->fds;
	h->left--;
}

static void receiver_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct hackbench_task *h = sim_task_arg(t);
	struct hackbench_run *run = h->run;

	if (!hackbench_started(h, step))
		return;
	if (h->asked) {
		h->partial += sim_task_ret(t);
		if (h->partial >= run->datasize) {
			h->partial = 0;
			h->left--;
		}
	}
	if (!h->left)
		return;
	h->asked = true;
	step->op = SIM_READ;
	step->pipe = run->channel[h->group * run->fds + h->index];
	step->bytes = run->datasize - h->partial;
}

static void parent_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct hackbench_run *run = sim_task_arg(t);

	switch (run->state) {
	case PARENT_FORK:
		if (run->done < run->nr_tasks) {
			step->op = SIM_FORK;
			step->spawn = &run->spawn[run->done++];
			return;
		}
		run->done = 0;
		run->state = PARENT_READY;
		break;
	case PARENT_READY:
		if (++run->done < run->nr_tasks)
			break;
		run->done = 0;
		run->state = PARENT_OPEN;
		run->opened = sim_now(sim);
		step->op = SIM_WRITE;
		step->pipe = run->gate;
		step->bytes = 1;
		return;
	case PARENT_OPEN:
		run->state = PARENT_REAP;
		step->op = SIM_WAIT_CHILD;
		return;
	case PARENT_REAP:
		if (++run->done < run->nr_tasks) {
			step->op = SIM_WAIT_CHILD;
			return;
		}
		run->over = true;
		run->ended = sim_now(sim);
		return;
	}
	step->op = SIM_READ;
	step->pipe = run->ready;
	step->bytes = 1;
}

static const struct sim_program sender_program = {"sender", sender_next};
static const struct sim_program receiver_program = {"receiver", receiver_next};
static const struct sim_program parent_program = {"hackbench", parent_next};

static void hackbench_task_init(struct hackbench_run *run, int i, bool process)
{
	struct hackbench_task *h = &run->task[i];
	int within = i % (2 * run->fds);
	bool sender = within >= run->fds;

	h->run = run;
	h->group = i / (2 * run->fds);
	h->index = within % run->fds;
	h->left = run->fds * run->loops;
	run->spawn[i] = (struct sim_spawn){
		.comm = "hackbench",
		.program = sender ? &sender_program : &receiver_program,
		.arg = h,
		.process = process,
	};
}

static int hackbench_memory(struct sim *sim, const struct hackbench_run *run, bool process,
			    struct err *err)
{
	u64 bytes = (u64)run->nr_tasks * (process ? PROCESS_BYTES : TASK_BYTES) +
		    (u64)run->groups * run->fds * CHANNEL_BYTES;

	if (sim_region_new(sim, bytes, err))
		return 0;
	err_prefix(err, "hackbench: %d tasks: ", run->nr_tasks);
	return err->code;
}

static int hackbench_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	enum sim_pipe_kind kind = workload_int(w, "pipe") ? PIPE_PIPE : PIPE_SOCKET;
	bool process = !workload_int(w, "threads");
	struct arena *arena = sim_arena(sim);
	struct hackbench_run *run = arena_alloc(arena, sizeof(*run));
	struct sim_spawn parent = {
		.comm = "hackbench",
		.program = &parent_program,
		.arg = run,
		.process = true,
	};
	int nr_channels;

	if (!run)
		return model_nomem(err);
	run->groups = workload_int(w, "groups");
	run->fds = workload_int(w, "fds");
	run->loops = workload_int(w, "loops");
	run->datasize = workload_int(w, "datasize");
	run->nr_tasks = 2 * run->groups * run->fds;
	if (hackbench_memory(sim, run, process, err))
		return err->code;
	nr_channels = run->groups * run->fds;
	run->channel = arena_array(arena, nr_channels, sizeof(*run->channel));
	run->task = arena_array(arena, run->nr_tasks, sizeof(*run->task));
	run->spawn = arena_array(arena, run->nr_tasks, sizeof(*run->spawn));
	if (!run->channel || !run->task || !run->spawn)
		return model_nomem(err);
	for (int i = 0; i < nr_channels; i++)
		run->channel[i] = sim_pipe_new(sim, kind);
	for (int i = 0; i < run->nr_tasks; i++)
		hackbench_task_init(run, i, process);
	run->ready = sim_pipe_new(sim, kind);
	run->gate = sim_pipe_new(sim, kind);
	*state = run;
	return sim_spawn(sim, &parent, err) ? 0 : err->code;
}

static int hackbench_finish(const struct workload *w, struct sim *sim, void *state,
			    struct result *r, struct err *err)
{
	struct hackbench_run *run = state;

	if (!run->over)
		return err_set(err, -ETIME,
			       "hackbench wasn't done when the run was stopped after %.3f s; "
			       "use fewer loops",
			       sim_now(sim) / 1e9);
	return result_add(r, "time", "s", false, (run->ended - run->opened) / 1e9);
}

const struct workload_model hackbench_model = {
	.name = "hackbench",
	.doc = "groups of senders and receivers that pass small messages",
	.metric_doc = "time in s from releasing all tasks to the last exit",
	.params = hackbench_params,
	.check = hackbench_check,
	.setup = hackbench_setup,
	.finish = hackbench_finish,
};
