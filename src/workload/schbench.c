// SPDX-License-Identifier: BSD-2-Clause
/*
 * schbench - message threads that wake their workers (spec 12 §2).
 *
 * A worker puts itself on its messenger's list, wakes the messenger and waits.
 * The messenger takes the list, looks at the clock once and wakes all who are
 * on it; how much later each of them runs is the wake-up latency. What a worker
 * does then, and how long the messenger pauses, tells the generations apart:
 *
 *	old (until March 2023)	the worker spins for think, the messenger sleeps in between
 *	new			the worker sleeps, then multiplies matrices holding the mutex of
 *				the CPU on which it woke; the messenger goes on at once
 *
 * With rps the messengers post requests instead, round robin, so many a second;
 * a worker who has none waits. Then the latency is from posting to completion.
 *
 * All waits are futexes. Times are in whole microseconds, percentiles those of
 * schbench's own histogram (base/hist.h).
 */
#include <errno.h>
#include <stdio.h>

#include "workload/models.h"
#include "workload/schbench.h"

enum { SCHBENCH_OLD, SCHBENCH_NEW };

/* clang-format off */
static const struct workload_param params[] = {
	{ .name = "generation", .kind = PARAM_CHOICE, .def = SCHBENCH_OLD, .choices = "old|new",
	  .doc = "old: until March 2023" },
	{ .name = "messages", .kind = PARAM_INT, .def = 0, .min = 1, .max = 10000,
	  .doc = "-m: message threads; else 2 (old) or 1" },
	{ .name = "workers", .kind = PARAM_INT, .def = 0, .min = 1, .max = 100000,
	  .doc = "-t: workers of each; else 16 (old) or CPUs / messages" },
	{ .name = "think", .kind = PARAM_TIME_NS, .def = 30 * NSEC_PER_MSEC, .min = 0,
	  .max = 3600 * NSEC_PER_SEC, .doc = "old, -c: time that a worker spins" },
	{ .name = "spin", .kind = PARAM_TIME_NS, .def = 0, .min = 0, .max = 3600 * NSEC_PER_SEC,
	  .doc = "old, -C: time that a messenger spins before it sleeps" },
	{ .name = "sleep", .kind = PARAM_TIME_NS, .def = -1, .min = 0, .max = 3600 * NSEC_PER_SEC,
	  .doc = "-s: sleep of a messenger and up to a quarter more (old; else 30ms), "
		 "of a worker (new; else 100us)" },
	{ .name = "operations", .kind = PARAM_INT, .def = 5, .min = 0, .max = 1000,
	  .doc = "new, -n: matrix multiplications of a request" },
	{ .name = "footprint", .kind = PARAM_BYTES, .def = 256 << 10, .min = 1 << 10,
	  .max = 64 << 20, .doc = "new, -F: the three matrices of a worker" },
	{ .name = "cycles", .kind = PARAM_INT, .def = 3, .min = 1, .max = 100,
	  .doc = "new: of a CPU for each multiplication and addition" },
	{ .name = "locking", .kind = PARAM_FLAG, .def = 1,
	  .doc = "new, no-locking is -L: without the CPUs' mutexes" },
	{ .name = "rps", .kind = PARAM_INT, .def = 0, .min = 1, .max = 100000000,
	  .doc = "-R: requests per second, all messengers together" },
	{ .name = "interval", .kind = PARAM_TIME_NS, .def = NSEC_PER_SEC, .min = NSEC_PER_MSEC,
	  .max = 3600 * NSEC_PER_SEC,
	  .doc = "new, -i: time over which the requests per second are counted" },
	{ .name = "duration", .kind = PARAM_TIME_NS, .def = 30 * NSEC_PER_SEC, .min = NSEC_PER_MSEC,
	  .max = 86400 * NSEC_PER_SEC, .doc = "-r: length of the run, from when all threads are there" },
	{ .name = NULL },
};
/* clang-format on */

#define MAX_THREADS 1000000

/* ---- main ---- */

static bool all_there(const struct schbench_run *run)
{
	for (int i = 0; i < run->messages; i++)
		if (run->messenger[i].forked < run->workers)
			return false;
	return true;
}

/* The requests per second since the last look. */
static void count_rate(struct schbench_run *run, u64 now)
{
	u64 n = run->requests - run->last_requests;

	if (run->looked && now > run->looked)
		hist_add(&run->rate, n * NSEC_PER_SEC / (now - run->looked));
	run->last_requests = run->requests;
	run->looked = now;
}

static void main_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct schbench_run *run = sim_task_arg(t);
	u64 now = sim_now(sim);

	if (run->forked < run->messages) {
		step->op = SIM_FORK;
		step->spawn = &run->messenger[run->forked++].spawn;
		return;
	}
	if (!all_there(run)) {
		step->op = SIM_SLEEP;
		step->ns = NSEC_PER_MSEC;
		return;
	}
	if (!run->end) {
		run->end = now + run->duration;
		run->requests = 0;
	}
	if (now >= run->end) {
		if (now - run->looked >= run->interval / 2) /* what is left of the time counts */
			count_rate(run, now);
		sim_stop(sim);
		return;
	}
	count_rate(run, now);
	step->op = SIM_SLEEP_UNTIL;
	step->ns = min(now + run->interval, run->end);
}

static const struct sim_program main_program = { "main", main_next };

/* ---- making ---- */

static int schbench_check(const struct workload *w, void **parsed, struct err *err)
{
	static const char *const of_old[] = { "think", "spin" };
	static const char *const of_new[] = { "operations", "footprint", "cycles", "locking",
					      "interval" };
	bool new = workload_int(w, "generation") == SCHBENCH_NEW;
	const char *const *other = new ? of_old : of_new;
	s64 threads = workload_int(w, "messages") * workload_int(w, "workers");

	for (size_t i = 0; i < (new ? ARRAY_SIZE(of_old) : ARRAY_SIZE(of_new)); i++)
		if (workload_is_set(w, other[i]))
			return err_set(err, -EINVAL,
				       "schbench: %s is of generation=%s; leave it out", other[i],
				       new ? "old" : "new");
	if (threads > MAX_THREADS)
		return err_set(
			err, -EINVAL,
			"schbench: %lld workers (messages x workers); at most %d are possible",
			(long long)threads, MAX_THREADS);
	return 0;
}

static u64 or_else(const struct workload *w, const char *param, u64 value)
{
	return workload_is_set(w, param) ? (u64)workload_int(w, param) : value;
}

/* Multiplying square matrices of which three fill the footprint, as often as wanted. */
static u64 matrix_ns(const struct workload *w, const struct machine *m)
{
	u64 elements = workload_int(w, "footprint") / 3 / sizeof(u64), n = 1;

	while ((n + 1) * (n + 1) <= elements)
		n++;
	return n * n * n * workload_int(w, "operations") * workload_int(w, "cycles") * 1000 /
	       m->max_mhz;
}

static int make_threads(const struct workload *w, struct sim *sim, struct schbench_messenger *m)
{
	struct schbench_run *run = m->run;

	m->worker = arena_array(sim_arena(sim), run->workers, sizeof(*m->worker));
	m->sem = sim_sem_new(sim, 0);
	m->spawn = (struct sim_spawn){
		.comm = "schbench",
		.program = &schbench_messenger_program,
		.arg = m,
	};
	if (!m->worker || !m->sem)
		return -ENOMEM;
	for (int i = 0; i < run->workers; i++) {
		struct schbench_worker *worker = &m->worker[i];

		worker->run = run;
		worker->messenger = m;
		worker->sem = sim_sem_new(sim, 0);
		worker->spawn = (struct sim_spawn){
			.comm = "schbench",
			.program = &schbench_worker_program,
			.arg = worker,
			.footprint = run->new ? (u64)workload_int(w, "footprint") : 0,
		};
		if (run->rps)
			worker->posted = arena_array(sim_arena(sim), SCHBENCH_MAX_PENDING,
						     sizeof(*worker->posted));
		if (!worker->sem || (run->rps && !worker->posted))
			return -ENOMEM;
	}
	return 0;
}

static int make_mutexes(struct sim *sim, struct schbench_run *run)
{
	int nr = sim_machine(sim)->topo.nr_cpus;

	run->mutex = arena_array(sim_arena(sim), nr, sizeof(*run->mutex));
	for (int i = 0; run->mutex && i < nr; i++) {
		run->mutex[i] = sim_mutex_new(sim);
		if (!run->mutex[i])
			return -ENOMEM;
	}
	return run->mutex ? 0 : -ENOMEM;
}

static void read_params(const struct workload *w, const struct machine *m, struct schbench_run *run)
{
	run->new = workload_int(w, "generation") == SCHBENCH_NEW;
	run->messages = or_else(w, "messages", run->new ? 1 : 2);
	run->workers =
		or_else(w, "workers", run->new ? max(m->topo.nr_cpus / run->messages, 1) : 16);
	run->think = workload_int(w, "think");
	run->spin = workload_int(w, "spin");
	run->sleep = or_else(w, "sleep", (run->new ? 100 : 30000) * NSEC_PER_USEC);
	run->work = matrix_ns(w, m);
	run->rps = workload_is_set(w, "rps");
	if (run->rps)
		run->period = max(NSEC_PER_SEC * run->messages / workload_int(w, "rps"), 1ULL);
	run->interval = run->new ? (u64)workload_int(w, "interval") : UINT64_MAX / 2;
	run->duration = workload_int(w, "duration");
}

static int schbench_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	struct schbench_run *run = arena_alloc(sim_arena(sim), sizeof(*run));
	struct sim_spawn main = {
		.comm = "schbench",
		.program = &main_program,
		.arg = run,
		.process = true,
	};

	if (!run)
		return model_nomem(err);
	read_params(w, sim_machine(sim), run);
	run->messenger = arena_array(sim_arena(sim), run->messages, sizeof(*run->messenger));
	if (!run->messenger)
		return model_nomem(err);
	for (int i = 0; i < run->messages; i++) {
		run->messenger[i].run = run;
		if (make_threads(w, sim, &run->messenger[i]))
			return model_nomem(err);
	}
	if (run->new &&workload_int(w, "locking") && make_mutexes(sim, run))
		return model_nomem(err);
	*state = run;
	return sim_spawn(sim, &main, err) ? 0 : err->code;
}

/* ---- results ---- */

struct percentile {
	const char *name;
	int permyriad;
};

/* The first is the one that tables show. */
static int add_percentiles(struct result *r, const char *what, const char *unit, bool higher,
			   const struct hist *h, const struct percentile *p, int nr)
{
	int rc = 0;

	for (int i = 0; i < nr && h->count && !rc; i++) {
		char name[sizeof(r->metric[0].name)];

		snprintf(name, sizeof(name), "%s %s", what, p[i].name);
		rc = result_add(r, name, unit, higher, hist_percentile(h, p[i].permyriad));
	}
	return rc;
}

static int schbench_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
			   struct err *err)
{
	static const struct percentile latency[] = {
		{ "p99", 9900 }, { "p50", 5000 },   { "p75", 7500 },   { "p90", 9000 },
		{ "p95", 9500 }, { "p99.5", 9950 }, { "p99.9", 9990 },
	};
	static const struct percentile request[] = {
		{ "p99", 9900 },
		{ "p50", 5000 },
		{ "p90", 9000 },
		{ "p99.9", 9990 },
	};
	static const struct percentile rate[] = { { "p50", 5000 },
						  { "p20", 2000 },
						  { "p90", 9000 } };
	const struct schbench_run *run = state;
	u64 samples = run->wakeup.count + run->request.count;
	int rc;

	if (!run->end || sim_now(sim) < run->end || !samples)
		return err_set(
			err, -ETIME, "schbench was stopped after %.3f s, %s; use a %s duration",
			sim_now(sim) / 1e9,
			samples ? "before its time was over" : "before a latency was measured",
			samples ? "shorter" : "longer");
	rc = add_percentiles(r, "wakeup latency", "us", false, &run->wakeup, latency,
			     ARRAY_SIZE(latency));
	if (!rc)
		rc = add_percentiles(r, "request latency", "us", false, &run->request, request,
				     ARRAY_SIZE(request));
	if (!rc && run->new)
		rc = add_percentiles(r, "rps", "1/s", true, &run->rate, rate, ARRAY_SIZE(rate));
	if (!rc && (run->new || run->rps))
		rc = result_add(r, "average rps", "1/s", true,
				run->requests * 1e9 / (sim_now(sim) - run->end + run->duration));
	return rc;
}

const struct workload_model schbench_model = {
	.name = "schbench",
	.doc = "message threads that wake their workers",
	.metric_doc =
		"wake-up latency in us, the 99th percentile first; request latency in us; requests "
		"per second",
	.params = params,
	.check = schbench_check,
	.setup = schbench_setup,
	.finish = schbench_finish,
};
