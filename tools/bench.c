// SPDX-License-Identifier: BSD-2-Clause
/*
 * bench - how fast idlest simulates, load by load and machine by machine.
 *
 * Motivation: an experiment is thousands of runs, so what a change of the core
 * or the engine costs has to be seen before it is merged.
 *
 * Method: each row is one run, on one core, without trace or checks, in a child
 * of its own, so that its peak memory is its own. Rates are per second of the
 * CPU time of the run itself: it is the wall time, less what other programs take
 * from it. Building machine and core (setup) stands apart. An event is a wake-up,
 * a switch, a tick or a balance pass, in every row.
 *
 * Rows: hackbench (everybody wakes everybody, queues are long), periodic (half
 * of the CPU time used, every wake-up comes from a timer), pingpong (a task
 * works 20 us, wakes its partner and sleeps) and sparse (the same 200 periodic
 * tasks on a machine that they fill and on one that they don't: what the second
 * costs beyond the first is spent on idle CPUs).
 */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine/machine.h"
#include "sched/kernel.h"
#include "sim/sim.h"
#include "workload/workload.h"

struct row {
	const char *name;
	const char *machine;
	const char *workload;
	int tasks;
	double simulated_s;	/* length of the run; the workload itself goes on for longer */
};

/* Regular machines with caches of 8 cores; from 1024 CPUs on with four nodes a package. */
#define CPUS_8	  "pack:1 l3:1 core:4 pu:2"
#define CPUS_16	  "pack:1 l3:2 core:8 pu:1"
#define CPUS_64	  "pack:1 l3:4 core:8 pu:2"
#define CPUS_128  "pack:2 l3:8 core:8 pu:1"
#define CPUS_256  "pack:2 l3:8 core:8 pu:2"
#define CPUS_1024 "pack:8 numa:4 l3:2 core:8 pu:2"
#define CPUS_4096 "pack:32 numa:4 l3:2 core:8 pu:2"

#define HACKBENCH "hackbench:loops=1000000,pipe,threads,"
#define PERIODIC  "periodic:period=4ms,load=25,lead=0ms,duration=3600s,"
#define PINGPONG  "pingpong:run=20us,duration=3600s,"

/*
 * Tasks are forked one after the other by their parent: on the large machines
 * most of the simulated time goes by before all of them are there.
 */
static const struct row rows[] = {
	{ "hackbench-8",      CPUS_8,    HACKBENCH "groups=1",  40,   0.5 },
	{ "hackbench-64",     CPUS_64,   HACKBENCH "groups=4",  160,  0.1 },
	{ "hackbench-256",    CPUS_256,  HACKBENCH "groups=16", 640,  0.1 },
	{ "hackbench-1024",   CPUS_1024, HACKBENCH "groups=64", 2560, 0.5 },
	{ "hackbench-4096",   CPUS_4096, HACKBENCH "groups=64", 2560, 1.3 },
	{ "periodic-8",       CPUS_8,    PERIODIC "n=16",       16,   20 },
	{ "periodic-64",      CPUS_64,   PERIODIC "n=128",      128,  5 },
	{ "periodic-256",     CPUS_256,  PERIODIC "n=512",      512,  2 },
	{ "periodic-1024",    CPUS_1024, PERIODIC "n=2048",     2048, 1 },
	{ "periodic-4096",    CPUS_4096, PERIODIC "n=8192",     8192, 1.2 },
	{ "sparse-256",       CPUS_256,  PERIODIC "n=200",      200,  5 },
	{ "sparse-4096",      CPUS_4096, PERIODIC "n=200",      200,  5 },
	{ "pingpong-8x16",    CPUS_16,   PINGPONG "pairs=4",    8,    5 },
	{ "pingpong-320x16",  CPUS_16,   PINGPONG "pairs=160",  320,  2 },
	{ "pingpong-320x128", CPUS_128,  PINGPONG "pairs=160",  320,  0.5 },
};

/* What the child tells. */
struct measured {
	u64 cpus, simulated_ns, events, wakeups;
	double setup_s, wall_s, cpu_s;
	long peak_rss_kb;	/* filled by the parent */
};

struct options {
	const char *filter;	/* part of a row's name; NULL: all */
	const char *json;
	const char *kernel;
	double seconds;		/* simulated, of every row; 0: its own */
	u64 seed;
};

static double clock_s(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static int run_row(const struct row *row, const struct options *o, struct measured *out,
		   struct err *err)
{
	struct sim_params p = {
		.seed = o->seed,
		.max_ns = (o->seconds > 0 ? o->seconds : row->simulated_s) * NSEC_PER_SEC,
	};
	double begin = clock_s(CLOCK_MONOTONIC), cpu;
	struct sched_kernel k;
	struct machine *m;
	struct workload *w;
	struct sim *sim;
	struct result r = { .seed = o->seed };
	void *state = NULL;
	int rc;

	/* The process ends after one row: nothing is freed. */
	rc = sched_kernel_parse(o->kernel, &k, err);
	if (!rc)
		rc = machine_load(row->machine, &m, err);
	if (!rc)
		rc = workload_parse(row->workload, &w, err);
	if (rc)
		return rc;
	sim = sim_new(m, &k, &p, err);
	if (!sim)
		return err->code;
	rc = workload_model(w)->setup(w, sim, &state, err);
	if (rc)
		return rc;
	out->setup_s = clock_s(CLOCK_MONOTONIC) - begin;
	begin = clock_s(CLOCK_MONOTONIC);
	cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
	rc = sim_run(sim, err);
	out->wall_s = clock_s(CLOCK_MONOTONIC) - begin;
	out->cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	sim_counters(sim, &r);
	out->cpus = m->topo.nr_cpus;
	out->simulated_ns = sim_now(sim);
	out->wakeups = r.counter[CNT_wakeups];
	out->events = r.counter[CNT_wakeups] + r.counter[CNT_switches] + r.counter[CNT_ticks] +
		      r.counter[CNT_balance_passes];
	return rc;
}

static void child(const struct row *row, const struct options *o, int fd)
{
	struct measured m = { 0 };
	struct err err = { 0 };

	if (run_row(row, o, &m, &err)) {
		fprintf(stderr, "bench: %s: %s\n", row->name, err.msg);
		_exit(1);
	}
	_exit(write(fd, &m, sizeof(m)) == sizeof(m) ? 0 : 1);
}

/* Return: 0, or -1 if the row failed (the child has said why). */
static int measure(const struct row *row, const struct options *o, struct measured *m)
{
	struct rusage usage;
	int fd[2], status;
	bool got;
	pid_t pid;

	if (pipe(fd))
		return -1;
	pid = fork();
	if (!pid) {
		close(fd[0]);
		child(row, o, fd[1]);
	}
	close(fd[1]);
	got = pid > 0 && read(fd[0], m, sizeof(*m)) == sizeof(*m);
	close(fd[0]);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || !got || status)
		return -1;
	m->peak_rss_kb = usage.ru_maxrss;
	return 0;
}

static double ns_per_event(const struct measured *m)
{
	return m->events ? m->cpu_s * 1e9 / m->events : 0;
}

static json_t *row_json(const struct row *row, const struct measured *m)
{
	return json_pack("{s:s, s:I, s:i, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:f, s:f, s:f, s:s, "
			 "s:s}",
			 "name", row->name, "cpus", (json_int_t)m->cpus, "tasks", row->tasks,
			 "simulated_s", m->simulated_ns * 1e-9, "wall_s", m->wall_s, "cpu_s",
			 m->cpu_s, "setup_s", m->setup_s, "events", (json_int_t)m->events,
			 "wakeups", (json_int_t)m->wakeups, "peak_rss_kb",
			 (json_int_t)m->peak_rss_kb, "events_per_s", m->events / m->cpu_s,
			 "wakeups_per_s", m->wakeups / m->cpu_s, "ns_per_event", ns_per_event(m),
			 "machine", row->machine, "workload", row->workload);
}

static void print_header(void)
{
	printf("%-17s %5s %6s %7s %7s %7s %7s %10s %10s %9s %8s\n", "row", "cpus", "tasks",
	       "sim s", "setup s", "wall s", "cpu s", "Mevents/s", "Mwakeup/s", "ns/event",
	       "peak MB");
	fflush(stdout);
}

static void print_row(const struct row *row, const struct measured *m)
{
	printf("%-17s %5d %6d %7.3f %7.3f %7.3f %7.3f %10.2f %10.2f %9.0f %8.1f\n", row->name,
	       (int)m->cpus, row->tasks, m->simulated_ns * 1e-9, m->setup_s, m->wall_s, m->cpu_s,
	       m->events / m->cpu_s * 1e-6, m->wakeups / m->cpu_s * 1e-6, ns_per_event(m),
	       m->peak_rss_kb / 1024.0);
	fflush(stdout);
}

static const struct argp_option option_table[] = {
	{ "seconds", 's', "S", 0, "simulated seconds of every row (default: each its own)", 0 },
	{ "kernel", 'k', "KERNEL", 0, "kernel to simulate (default v6.12)", 0 },
	{ "seed", 'r', "SEED", 0, "seed of every run (default 1)", 0 },
	{ "json", 'j', "FILE", 0, "write the rows to FILE too", 0 },
	{ "list", 'l', NULL, 0, "list the rows and exit", 0 },
	{ 0 },
};

static void list_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		printf("%-17s %-34s %s\n", rows[i].name, rows[i].machine, rows[i].workload);
}

static bool has_row(const char *part)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strstr(rows[i].name, part))
			return true;
	return false;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct err err = { 0 };
	char *end = NULL;

	switch (key) {
	case 's':
		o->seconds = strtod(arg, &end);
		if (*end || !(o->seconds > 0 && o->seconds <= 3600))
			argp_error(state, "--seconds=%s: expected a number up to 3600", arg);
		break;
	case 'k':
		if (sched_kernel_parse(arg, &(struct sched_kernel){ 0 }, &err))
			argp_error(state, "--kernel=%s: %s", arg, err.msg);
		o->kernel = arg;
		break;
	case 'r':
		o->seed = strtoull(arg, &end, 0);
		if (*end || end == arg)
			argp_error(state, "--seed=%s: expected a whole number", arg);
		break;
	case 'j':
		o->json = arg;
		break;
	case 'l':
		list_rows();
		exit(0);
	case ARGP_KEY_ARG:
		if (o->filter)
			argp_error(state, "%s: only one name is taken", arg);
		if (!has_row(arg))
			argp_error(state, "no row's name contains \"%s\"; --list shows them", arg);
		o->filter = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse_option,
	.args_doc = "[ROW]",
	.doc = "Measure how fast idlest simulates. ROW: only rows whose names contain it.\v"
	       "Columns: simulated time, time to set the run up, to run it, and CPU time of "
	       "that (s); scheduling events (wake-ups, switches, ticks, balance passes) and "
	       "wake-ups per second of CPU time (millions), CPU time per event (ns), peak "
	       "memory (MB).",
};

/*
 * The file is written beside its place and moved there at the end; that it can
 * be is found out before a minute has gone by.
 */
static FILE *open_json(const char *name, char **beside)
{
	FILE *f;

	if (asprintf(beside, "%s.new", name) < 0)
		return NULL;
	f = fopen(*beside, "w");
	if (!f)
		fprintf(stderr, "bench: %s can't be written: %s\n", *beside, strerror(errno));
	return f;
}

/* Takes @rows. Return: whether all of it is there. */
static bool close_json(FILE *f, const char *beside, const struct options *o, json_t *rows)
{
	json_t *doc = json_pack("{s:s, s:o}", "kernel", o->kernel, "rows", rows);
	bool ok = doc && !json_dumpf(doc, f, JSON_INDENT(2) | JSON_REAL_PRECISION(6));

	ok = fputc('\n', f) != EOF && ok;
	ok = !fclose(f) && ok && !rename(beside, o->json);
	if (!ok)
		fprintf(stderr, "bench: %s can't be written: %s\n", o->json, strerror(errno));
	json_decref(doc);
	return ok;
}

int main(int argc, char **argv)
{
	struct options o = { .kernel = "v6.12", .seed = 1 };
	json_t *all = json_array();
	int failed = 0;
	char *beside = NULL;
	FILE *json = NULL;

	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.json) {
		json = open_json(o.json, &beside);
		if (!json)
			return 2;
	}
	print_header();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct measured m = { 0 };

		if (o.filter && !strstr(rows[i].name, o.filter))
			continue;
		if (measure(&rows[i], &o, &m)) {
			failed++;
			continue;
		}
		print_row(&rows[i], &m);
		json_array_append_new(all, row_json(&rows[i], &m));
	}
	if (json && !close_json(json, beside, &o, json_incref(all)))
		return 2;
	free(beside);
	json_decref(all);
	return failed ? 1 : 0;
}
