// SPDX-License-Identifier: BSD-2-Clause
/*
 * stream - memory bandwidth of parallel loops over three arrays (spec 12 §5).
 *
 * The threads are those of libgomp: the master creates n - 1 workers at its
 * first parallel region and they stay. Between two regions the workers wait at
 * the dock, a barrier that the master enters last, when it starts the next
 * region; at the end of a region all meet at the team's barrier. At both a
 * thread spins for a while before it sleeps.
 *
 * Regions: one that counts the threads, the initialisation (first touch places
 * the pages), a = 2a, then ntimes x copy, scale, add, triad. The master takes
 * the time around each kernel; the best one counts, the first being left out.
 * Copy is made of non-temporal stores, the others read a line before they
 * write it: the bytes that move are more than those that are counted.
 */
#include <errno.h>
#include <string.h>

#include "base/cpumask.h"
#include "workload/models.h"

enum { A, B, C, NR_ARRAYS };

enum { BIND_NO, BIND_CLOSE, BIND_SPREAD };

/* Bytes per element of each array. */
struct stream_kernel {
	const char *name;
	u32 read[NR_ARRAYS], write[NR_ARRAYS];
	u32 counted;
};

/* clang-format off */
static const struct stream_kernel stream_kernels[] = {
	/*         a  b  c */
	{ "Copy",  { 8, 0, 0 }, { 0, 0, 8 }, 16 },	/* c = a */
	{ "Scale", { 0, 8, 8 }, { 0, 8, 0 }, 16 },	/* b = qc */
	{ "Add",   { 8, 8, 8 }, { 0, 0, 8 }, 24 },	/* c = a + b */
	{ "Triad", { 8, 8, 8 }, { 8, 0, 0 }, 24 },	/* a = b + qc */
};
/* clang-format on */

#define NR_KERNELS ((int)ARRAY_SIZE(stream_kernels))

/* a = 2a: the line is there when it is written */
static const struct stream_kernel twice_kernel = {"", {8, 0, 0}, {8, 0, 0}, 0};

enum { REGION_COUNT, REGION_TOUCH, REGION_TWICE, REGION_KERNELS };

struct stream_thread {
	struct stream_run *run;
	u64 begin, end; /* bytes of each array: the static chunk */
	int region;	/* the next or current one */
	enum { AT_FORK, AT_DOCK, AT_WORK, AT_TEAM, AT_END } state;
	u64 touched; /* bytes of each array initialised so far */
	int touch_array;
};

struct stream_run {
	int threads, nr_regions, forked;
	struct sim_region *array[NR_ARRAYS];
	struct sim_barrier *dock, *team;
	struct stream_thread *thread;
	struct sim_spawn *spawn;
	u64 elements;
	u64 started; /* when the master began the current region */
	u64 best[ARRAY_SIZE(stream_kernels)];
	bool done;
};

#define SPIN_LONG  300000 /* libgomp's iterations before it sleeps … */
#define SPIN_SHORT 1000	  /* … with more threads than CPUs */
#define SPIN_EVER  (3600 * NSEC_PER_SEC)

/* Pages are placed a huge page at a time while a thread initialises its chunk. */
#define TOUCH_BYTES (2ULL << 20)
#define TOUCH_PARTS 64
/* What the region that counts the threads does. */
#define COUNT_NS 1000

/* clang-format off */
static const struct workload_param stream_params[] = {
	{ .name = "threads", .kind = PARAM_INT, .def = 0, .min = 1, .max = 65536,
	  .doc = "threads; not given: one per CPU" },
	{ .name = "array", .kind = PARAM_INT, .def = 128000000, .min = 1000, .max = 1000000000000,
	  .doc = "elements (doubles) of each of the three arrays" },
	{ .name = "ntimes", .kind = PARAM_INT, .def = 10, .min = 2, .max = 1000000,
	  .doc = "times each kernel is run" },
	{ .name = "spin", .kind = PARAM_STRING, .def_string = "auto",
	  .doc = "waiting at barriers: auto (as libgomp), passive, active, or a time" },
	{ .name = "iteration", .kind = PARAM_TIME_NS, .def = 10, .min = 1, .max = NSEC_PER_USEC,
	  .doc = "how long one iteration of spinning takes (spin=auto)" },
	{ .name = "bind", .kind = PARAM_CHOICE, .def = BIND_NO, .choices = "no|close|spread",
	  .doc = "OMP_PROC_BIND, with cores as places" },
	{ .name = NULL },
};
/* clang-format on */

/* Return: ns, -1 for auto. */
static int parse_spin(const char *text, s64 *ns, struct err *err)
{
	*ns = -1;
	if (!strcmp(text, "auto"))
		return 0;
	*ns = 0;
	if (!strcmp(text, "passive"))
		return 0;
	*ns = SPIN_EVER;
	if (!strcmp(text, "active"))
		return 0;
	if (grammar_time("spin", text, 0, SPIN_EVER, ns, NULL))
		return err_set(err, -EINVAL,
			       "stream: spin=%s: expected auto, passive, active or a time "
			       "with its unit up to 3600s",
			       text);
	return 0;
}

static int stream_check(const struct workload *w, void **parsed, struct err *err)
{
	s64 ns;

	return parse_spin(workload_string(w, "spin"), &ns, err);
}

static void stream_pass(const struct stream_thread *th, const struct stream_kernel *k,
			struct sim_step *step)
{
	u64 elements = (th->end - th->begin) / 8;

	step->op = SIM_STREAM;
	for (int i = 0; i < NR_ARRAYS; i++) {
		if (!k->read[i] && !k->write[i])
			continue;
		step->piece[step->nr_pieces++] = (struct sim_piece){
			.region = th->run->array[i],
			.offset = th->begin,
			.bytes = th->end - th->begin,
			.read_bytes = k->read[i] * elements,
			.write_bytes = k->write[i] * elements,
		};
	}
}

/* The next part of the initialisation, array by array. Return: whether there was one. */
static bool stream_touch(struct stream_thread *th, struct sim_step *step)
{
	u64 chunk = th->end - th->begin, part = max(TOUCH_BYTES, chunk / TOUCH_PARTS);

	if (th->touched >= chunk)
		return false;
	step->op = SIM_TOUCH;
	step->nr_pieces = 1;
	step->piece[0] = (struct sim_piece){
		.region = th->run->array[th->touch_array],
		.offset = th->begin + th->touched,
		.bytes = min(part, chunk - th->touched),
	};
	step->piece[0].write_bytes = step->piece[0].bytes;
	if (++th->touch_array == NR_ARRAYS) {
		th->touch_array = 0;
		th->touched += part;
	}
	return true;
}

/* The thread's share of its region. Return: whether something is left to do. */
static bool stream_work(struct stream_thread *th, struct sim_step *step)
{
	if (th->region == REGION_TOUCH)
		return stream_touch(th, step);
	if (th->state == AT_WORK || th->begin == th->end)
		return false;
	if (th->region == REGION_COUNT) {
		step->op = SIM_RUN;
		step->ns = COUNT_NS;
	} else if (th->region == REGION_TWICE) {
		stream_pass(th, &twice_kernel, step);
	} else {
		stream_pass(th, &stream_kernels[(th->region - REGION_KERNELS) % NR_KERNELS], step);
	}
	return true;
}

static void barrier(struct sim_step *step, struct sim_barrier *b)
{
	step->op = SIM_BARRIER;
	step->barrier = b;
}

/* What every thread of the team does, the master included. */
static void team_next(struct stream_thread *th, struct sim_step *step)
{
	switch (th->state) {
	case AT_DOCK:
	case AT_WORK:
		if (stream_work(th, step)) {
			th->state = AT_WORK;
			return;
		}
		th->state = AT_TEAM;
		barrier(step, th->run->team);
		return;
	case AT_TEAM:
		th->region++;
		/* fall through */
	case AT_FORK:
		th->state = AT_DOCK;
		barrier(step, th->run->dock);
		return;
	case AT_END:
		return;
	}
}

static void worker_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	team_next(sim_task_arg(t), step);
}

/* The master has come out of the team's barrier: the region is over. */
static void stream_timed(struct sim *sim, struct stream_thread *th)
{
	struct stream_run *run = th->run;
	int i = th->region - REGION_KERNELS;
	u64 took = sim_now(sim) - run->started;

	if (i >= 2 * NR_KERNELS)
		run->best[i % NR_KERNELS] = min(run->best[i % NR_KERNELS], took);
	else if (i >= NR_KERNELS)
		run->best[i % NR_KERNELS] = took;
	if (th->region + 1 == run->nr_regions)
		run->done = true;
}

static void master_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct stream_thread *th = sim_task_arg(t);
	struct stream_run *run = th->run;

	if (th->state == AT_FORK && run->forked < run->threads - 1) {
		step->op = SIM_FORK;
		step->spawn = &run->spawn[++run->forked];
		return;
	}
	if (th->state == AT_TEAM)
		stream_timed(sim, th);
	if (run->done) {
		sim_stop(sim); /* the workers die with the process */
		return;
	}
	if (th->state == AT_FORK || th->state == AT_TEAM)
		run->started = sim_now(sim);
	team_next(th, step);
}

static const struct sim_program master_program = {"stream", master_next};
static const struct sim_program worker_program = {"stream worker", worker_next};

/* Static schedule: chunks differ by one element at most, the longer ones first. */
static void stream_chunk(struct stream_run *run, int i)
{
	u64 each = run->elements / run->threads, more = run->elements % run->threads;
	u64 n = (u64)i;

	run->thread[i].run = run;
	run->thread[i].begin = 8 * (each * n + min(n, more));
	run->thread[i].end = 8 * (each * (n + 1) + min(n + 1, more));
}

/* The CPUs of the core that thread @i of @n is bound to. */
static u64 *stream_place(struct sim *sim, int bind, int i, int n)
{
	const struct sched_topology *topo = &sim_machine(sim)->topo;
	u64 *mask = arena_array(sim_arena(sim), mask_words(topo->nr_cpus), sizeof(u64));
	/* Close fills one core after the other only while there are enough of them. */
	int core = bind == BIND_CLOSE && n <= topo->nr_cores ? i : (s64)i * topo->nr_cores / n;

	for (int c = 0; mask && c < topo->nr_cpus; c++)
		if (topo->cpu[c].core == core)
			mask_set(mask, c);
	return mask;
}

static int stream_arrays(const struct workload *w, struct sim *sim, struct stream_run *run,
			 struct err *err)
{
	run->elements = workload_int(w, "array");
	for (int i = 0; i < NR_ARRAYS; i++) {
		run->array[i] = sim_region_new(sim, run->elements * 8, err);
		if (!run->array[i]) {
			err_prefix(err, "stream: three arrays of %llu MB: ",
				   (unsigned long long)(run->elements * 8 / 1000000));
			return err->code;
		}
	}
	return 0;
}

static int stream_spin(const struct workload *w, struct sim *sim, struct stream_run *run)
{
	s64 spin;

	parse_spin(workload_string(w, "spin"), &spin, NULL);
	if (spin < 0)
		spin = workload_int(w, "iteration") *
		       (run->threads > sim_machine(sim)->topo.nr_cpus ? SPIN_SHORT : SPIN_LONG);
	run->dock = sim_barrier_new(sim, run->threads, spin);
	run->team = sim_barrier_new(sim, run->threads, spin);
	return run->dock && run->team ? 0 : -ENOMEM;
}

static int stream_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	struct arena *arena = sim_arena(sim);
	struct stream_run *run = arena_alloc(arena, sizeof(*run));
	int bind = workload_int(w, "bind");
	struct sim_spawn *spawn;

	if (!run)
		return model_nomem(err);
	run->threads = workload_is_set(w, "threads") ? workload_int(w, "threads")
						     : sim_machine(sim)->topo.nr_cpus;
	run->nr_regions = REGION_KERNELS + workload_int(w, "ntimes") * NR_KERNELS;
	run->thread = arena_array(arena, run->threads, sizeof(*run->thread));
	run->spawn = arena_array(arena, run->threads, sizeof(*run->spawn));
	if (!run->thread || !run->spawn || stream_spin(w, sim, run))
		return model_nomem(err);
	if (stream_arrays(w, sim, run, err))
		return err->code;
	for (int i = 0; i < run->threads; i++) {
		stream_chunk(run, i);
		spawn = &run->spawn[i];
		spawn->comm = "stream";
		spawn->program = i ? &worker_program : &master_program;
		spawn->arg = &run->thread[i];
		spawn->process = !i;
		if (bind != BIND_NO) {
			spawn->allowed = stream_place(sim, bind, i, run->threads);
			if (!spawn->allowed)
				return model_nomem(err);
		}
	}
	*state = run;
	return sim_spawn(sim, &run->spawn[0], err) ? 0 : err->code;
}

static int stream_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
			 struct err *err)
{
	struct stream_run *run = state;

	if (!run->done)
		return err_set(err, -ETIME,
			       "stream wasn't done when the run was stopped after %.3f s; use a "
			       "smaller ntimes or array",
			       sim_now(sim) / 1e9);
	for (int k = 0; k < NR_KERNELS; k++) {
		double bytes = (double)stream_kernels[k].counted * run->elements;

		result_add(r, stream_kernels[k].name, "MB/s", true,
			   bytes * 1e3 / max(run->best[k], 1ULL));
	}
	return 0;
}

const struct workload_model stream_model = {
	.name = "stream",
	.doc = "memory bandwidth of parallel loops over three arrays (OpenMP)",
	.metric_doc = "Copy, Scale, Add, Triad in MB/s (10^6 bytes counted), best of ntimes",
	.params = stream_params,
	.check = stream_check,
	.setup = stream_setup,
	.finish = stream_finish,
};
