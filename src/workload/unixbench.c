// SPDX-License-Identifier: BSD-2-Clause
/*
 * unixbench - the tests of UnixBench that ask what the system's basic operations
 * cost, one copy or many (spec 12 §7).
 *
 *	dhry2reg	loops of Dhrystone 2: nothing but computing
 *	syscall		dup, close, getpid, getuid and umask
 *	pipe		512 bytes into a pipe of its own and out again: never sleeps
 *	context1	a number to its child through one pipe, and back through another
 *	spawn		forks a child that exits at once, and waits for it
 *	execl		executes itself
 *
 * The score is in lps: loops of all copies together per second.
 */
#include <errno.h>
#include <stdio.h>

#include "workload/models.h"

struct loop_step {
	enum sim_op op;
	int calls; /* SIM_SYSCALL … */
	bool file; /* … of which one takes or leaves a reference of the open file */
	int pipe;  /* SIM_READ, SIM_WRITE: which, and … */
	u64 bytes;
};

/* What is done again and again. */
struct loop {
	int nr;
	struct loop_step step[4];
};

struct unixbench_test {
	const char *name;
	struct loop loop;
	struct loop child; /* of the child; none: it exits at once */
	bool has_partner;  /* the child is there before the first loop */
};

#define CALLS(n)	      { .op = SIM_SYSCALL, .calls = (n) }
#define OPERATION(_op, n, _bytes) { .op = (_op), .pipe = (n), .bytes = (_bytes) }

/*
 * What the engine does for SIM_READ and SIM_WRITE are the operations of a pipe;
 * entering and leaving the kernel for them comes on top.
 */
static const struct unixbench_test tests[] = {
	{
		.name = "dhry2reg",
		.loop = {1, {{.op = SIM_RUN}}},
	},
	{
		.name = "syscall",
		/* dup and close of what all copies have inherited, and three that touch nothing */
		.loop = {3, {{.op = SIM_SYSCALL, .calls = 1, .file = true},
			     {.op = SIM_SYSCALL, .calls = 1, .file = true}, CALLS(3)}},
	},
	{
		.name = "pipe",
		.loop = {3, {CALLS(2), OPERATION(SIM_WRITE, 0, 512), OPERATION(SIM_READ, 0, 512)}},
	},
	{
		.name = "context1",
		.loop = {4, {CALLS(1), OPERATION(SIM_WRITE, 0, 4), CALLS(1),
			     OPERATION(SIM_READ, 1, 4)}},
		.child = {4, {CALLS(1), OPERATION(SIM_READ, 0, 4), CALLS(1),
			      OPERATION(SIM_WRITE, 1, 4)}},
		.has_partner = true,
	},
	{
		.name = "spawn",
		.loop = {2, {{.op = SIM_FORK}, {.op = SIM_WAIT_CHILD}}},
	},
	{
		.name = "execl",
		.loop = {1, {{.op = SIM_EXEC}}},
	},
};

/* clang-format off */
static const struct workload_param unixbench_params[] = {
	{ .name = "test", .kind = PARAM_CHOICE, .def = 0,
	  .choices = "dhry2reg|syscall|pipe|context1|spawn|execl", .doc = "which test" },
	{ .name = "copies", .kind = PARAM_INT, .def = 1, .min = 1, .max = 10000,
	  .doc = "copies that run at the same time" },
	{ .name = "duration", .kind = PARAM_TIME_NS, .def = NSEC_PER_SEC, .min = NSEC_PER_USEC,
	  .max = 86400 * NSEC_PER_SEC, .doc = "how long each counts (really: 10 s, spawn and execl 30 s)" },
	{ .name = NULL },
};
/* clang-format on */

struct unixbench_copy {
	struct unixbench_run *run;
	int pos, child_pos; /* next step of the loop */
	bool there;	    /* its first loop has begun */
	bool has_child, leaving, reaped; /* those with a partner */
	struct sim_spawn child;
	struct sim_pipe *pipe[2];
};

struct unixbench_run {
	const struct unixbench_test *test;
	u64 pass, run_ns; /* dhry2reg: loops that one pass stands for, and their work */
	struct model_count count;
	struct sim_line *file;	 /* that all have as standard input */
	struct sim_image *image; /* all are the same program */
	struct unixbench_copy *copy;
};

/* ---- what tasks do ---- */

/* Return: false: the loop is over, or there is none */
static bool loop_next(struct unixbench_copy *c, const struct loop *loop, int *pos,
		      struct sim_step *step)
{
	const struct loop_step *l = &loop->step[*pos];

	if (*pos == loop->nr) {
		*pos = 0;
		return false;
	}
	++*pos;
	step->op = l->op;
	switch (l->op) {
	case SIM_RUN:
		step->ns = c->run->run_ns;
		break;
	case SIM_SYSCALL:
		step->value = l->calls;
		step->line = l->file ? c->run->file : NULL;
		break;
	case SIM_READ:
	case SIM_WRITE:
		step->pipe = c->pipe[l->pipe];
		step->bytes = l->bytes;
		break;
	case SIM_FORK:
		step->spawn = &c->child;
		break;
	default:
		break;
	}
	return true;
}

static void child_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct unixbench_copy *c = sim_task_arg(t);
	const struct loop *loop = &c->run->test->child;

	if (c->leaving) /* SIM_EXIT */
		return;
	if (!loop_next(c, loop, &c->child_pos, step))
		loop_next(c, loop, &c->child_pos, step);
}

static const struct sim_program child_program = {"unixbench child", child_next};

/* The partner waits for a number: it gets one more, and leaves first. */
static void leave(struct unixbench_copy *c, struct sim_step *step)
{
	if (!c->run->test->has_partner)
		return;
	if (!c->leaving) {
		c->leaving = true;
		step->op = SIM_WRITE;
		step->pipe = c->pipe[0];
		step->bytes = sizeof(int);
	} else if (!c->reaped) {
		c->reaped = true;
		step->op = SIM_WAIT_CHILD;
	}
}

static void copy_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct unixbench_copy *c = sim_task_arg(t);
	struct unixbench_run *run = c->run;
	const struct unixbench_test *test = run->test;

	if (test->has_partner && !c->has_child) {
		c->has_child = true;
		step->op = SIM_FORK;
		step->spawn = &c->child;
		return;
	}
	if (c->pos && loop_next(c, &test->loop, &c->pos, step))
		return;
	if (!c->leaving && model_loop(&run->count, sim_now(sim), &c->there, run->pass))
		loop_next(c, &test->loop, &c->pos, step);
	else
		leave(c, step);
}

static const struct sim_program copy_program = {"unixbench", copy_next};

/* ---- a run ---- */

static int copy_init(struct sim *sim, struct unixbench_run *run, struct unixbench_copy *c)
{
	c->run = run;
	c->child = (struct sim_spawn){
		.comm = run->test->name,
		.program = &child_program,
		.arg = c,
		.process = true,
		.image = run->image,
	};
	for (size_t i = 0; i < ARRAY_SIZE(c->pipe); i++) {
		c->pipe[i] = sim_pipe_new(sim, PIPE_PIPE);
		if (!c->pipe[i])
			return -ENOMEM;
	}
	return 0;
}

static int unixbench_setup(const struct workload *w, struct sim *sim, void **state,
			   struct err *err)
{
	const struct machine *m = sim_machine(sim);
	struct unixbench_run *run = arena_alloc(sim_arena(sim), sizeof(*run));

	if (!run)
		return model_nomem(err);
	run->test = &tests[workload_int(w, "test")];
	run->count.nr = workload_int(w, "copies");
	run->count.duration = workload_int(w, "duration");
	run->pass = 1;
	if (run->test->loop.step[0].op == SIM_RUN) {
		/* so many that their work is a whole number of ns: tens of µs */
		run->pass = m->max_mhz;
		run->run_ns = m->dhrystone * 1000ULL;
	}
	run->copy = arena_array(sim_arena(sim), run->count.nr, sizeof(*run->copy));
	run->file = sim_line_new(sim);
	run->image = sim_image_new(sim);
	if (!run->copy || !run->file || !run->image)
		return model_nomem(err);
	for (int i = 0; i < run->count.nr; i++) {
		const struct sim_spawn what = {
			.comm = run->test->name,
			.program = &copy_program,
			.arg = &run->copy[i],
			.process = true,
			.image = run->image,
		};

		if (copy_init(sim, run, &run->copy[i]))
			return model_nomem(err);
		if (!sim_spawn(sim, &what, err))
			return err->code;
	}
	*state = run;
	return 0;
}

static int unixbench_finish(const struct workload *w, struct sim *sim, void *state,
			    struct result *r, struct err *err)
{
	struct unixbench_run *run = state;
	char loop[32];
	double rate;
	int rc;

	snprintf(loop, sizeof(loop), "loop of %s", run->test->name);
	rc = model_rate(&run->count, sim, "unixbench", loop, &rate, err);
	return rc ? rc : result_add(r, run->test->name, "lps", true, rate);
}

const struct workload_model unixbench_model = {
	.name = "unixbench",
	.doc = "copies of a UnixBench test: dhry2reg, syscall, pipe, context1, spawn or execl",
	.metric_doc = "the test's loops per second (lps), all copies together",
	.params = unixbench_params,
	.setup = unixbench_setup,
	.finish = unixbench_finish,
};
