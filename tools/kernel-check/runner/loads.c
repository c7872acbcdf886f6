// SPDX-License-Identifier: BSD-2-Clause
/* loads.c - tasks that compute and sleep and don't speak with each other. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner.h"

/* ---- periodic ---- */

struct periodic_load {
	u64 phase, period, run;
};

static struct periodic_load *loads; /* of the job that this process executes */

static void periodic_task(struct job *job, long i)
{
	if (opt(job, "pinned"))
		task_pin(i);
	task_nice(opt(job, "nice"));
	if (opt(job, "footprint"))
		memset(must_alloc(opt(job, "footprint"), 1), 1, opt(job, "footprint"));
	periodic_until_end(job, job->begin + loads[i].phase, loads[i].period, loads[i].run);
}

/* The same draws in the same order as the model's. */
static struct periodic_load periodic_draw(struct job *job, int i, int n)
{
	u64 period = opt(job, "period"), work = opt(job, "run");
	struct periodic_load l = {.period = period};

	if (opt_given(job, "load"))
		work = max(period * opt(job, "load") / 100, 1ULL);
	if (opt(job, "mixed"))
		l.period = period / 2 + rng_below(&job->rng, period + 1);
	l.run = max((u64)((u128)work * l.period / period), 1ULL);
	if (opt(job, "phase") == PHASE_DRAWN)
		l.phase = rng_below(&job->rng, l.period);
	else if (opt(job, "phase") == PHASE_STAGGERED)
		l.phase = (u64)((u128)l.period * i / n);
	return l;
}

void run_periodic(struct job *job)
{
	int n = opt(job, "n");
	struct crew crew = crew_new(job, n, false);

	loads = must_alloc(n, sizeof(*loads));
	for (int i = 0; i < n; i++)
		loads[i] = periodic_draw(job, i, n);
	window(job);
	for (int i = 0; i < n; i++)
		crew_add(&crew, periodic_task, i, "per%d", i);
	crew_wait(&crew);
	free(loads);
}

/* ---- hog ---- */

static struct nice_list nices;

static void hog_task(struct job *job, long i)
{
	if (opt(job, "pinned"))
		task_pin(i);
	task_nice(nices.value[i % nices.nr]);
	hog_until_end(job, opt(job, "chunk"));
}

void run_hog(struct job *job)
{
	struct crew crew = crew_new(job, opt(job, "n"), false);

	nice_list_read(opt_text(job, "nice"), &nices, NULL);
	window(job);
	for (int i = 0; i < opt(job, "n"); i++)
		crew_add(&crew, hog_task, i, "hog%d", i);
	crew_wait(&crew);
}

/* ---- mix ---- */

static void mix_pinned(struct job *job, long i)
{
	task_pin(i);
	hog_until_end(job, opt(job, "chunk"));
}

static void mix_hog(struct job *job, long nice)
{
	task_nice(nice);
	hog_until_end(job, opt(job, "chunk"));
}

static void mix_sleeper(struct job *job, long i)
{
	u64 period = opt(job, "period");

	periodic_until_end(job, job->begin + (u64)((u128)period * i / opt(job, "sleepers")), period,
			   opt(job, "run"));
}

void run_mix(struct job *job)
{
	int pinned = opt(job, "pinned"), high = opt(job, "high"), low = opt(job, "low");
	int sleepers = opt(job, "sleepers");
	struct crew crew = crew_new(job, pinned + high + low + sleepers, false);

	window(job);
	for (int i = 0; i < pinned; i++)
		crew_add(&crew, mix_pinned, i, "pin%d", i);
	for (int i = 0; i < high; i++)
		crew_add(&crew, mix_hog, -opt(job, "nice"), "high%d", i);
	for (int i = 0; i < low; i++)
		crew_add(&crew, mix_hog, opt(job, "nice"), "low%d", i);
	for (int i = 0; i < sleepers; i++)
		crew_add(&crew, mix_sleeper, i, "sleeper%d", i);
	crew_wait(&crew);
}

/* ---- share ---- */

static char *shared; /* what this process' tasks write to */

/* Write over the memory, one word a cache line, until so much CPU time is used. */
static void burn_over(u64 work, size_t bytes)
{
	u64 until = cpu_ns() + work;

	for (size_t at = 0; cpu_ns() < until; at = (at + 4096) % (bytes & ~4095UL))
		for (size_t line = 0; line < 4096; line += 64)
			__atomic_fetch_add(&shared[at + line], 1, __ATOMIC_RELAXED);
}

static void share_task(struct job *job, long i)
{
	int nr = opt(job, "groups") * opt(job, "n");
	u64 period = opt(job, "period"), release = job->begin + (u64)((u128)period * i / nr);
	size_t bytes = opt(job, "footprint");

	if (!shared)
		shared = must_alloc(bytes, 1);
	for (; release < job->end; release += period) {
		if (now_ns() < release)
			sleep_until(release);
		burn_over(opt(job, "run"), bytes);
		count(&job->tally->done, 1);
		count(&job->tally->missed, now_ns() > release + period);
	}
}

static void share_group(struct job *job, long group)
{
	int n = opt(job, "n");
	struct crew crew = crew_new(job, n, true);

	shared = must_alloc(opt(job, "footprint"), 1);
	for (int i = 0; i < n; i++)
		crew_add(&crew, share_task, group * n + i, "share%ld.%d", group, i);
	crew_wait(&crew);
}

void run_share(struct job *job)
{
	int groups = opt(job, "groups"), n = opt(job, "n");
	bool threads = opt(job, "threads");
	struct crew crew = crew_new(job, threads ? groups : groups * n, false);

	window(job);
	for (int i = 0; i < crew.max; i++) {
		if (threads)
			crew_add(&crew, share_group, i, "group%d", i);
		else
			crew_add(&crew, share_task, i, "share%d.%d", i / n, i % n);
	}
	crew_wait(&crew);
}

/* ---- forks ---- */

static void forks_work(struct job *job, long exec)
{
	burn(opt(job, "work"));
	count(&job->tally->done, 1);
}

/* The program that a child executes is this one: it burns what it is told, and ends. */
static void forks_exec(const struct job *job, const char *name)
{
	char work[32];

	grammar_format(PARAM_TIME_NS, opt(job, "work"), work, sizeof(work));
	execl("/proc/self/exe", name, "--burn", work, (char *)NULL);
	die("execl");
}

static void forks_child(struct job *job, long i)
{
	if (opt(job, "nested")) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (!pid)
			task_name("grandchild%ld", i);
	}
	if (opt(job, "exec")) {
		count(&job->tally->done, 1);
		forks_exec(job, "child");
	}
	forks_work(job, i);
	while (wait(NULL) > 0)
		;
}

void run_forks(struct job *job)
{
	int n = opt(job, "n");
	u64 gap = opt(job, "gap"), t = now_ns();
	struct crew crew = crew_new(job, n, false);

	for (int i = 0; i < n; i++) {
		crew_add(&crew, forks_child, i, "child%d", i);
		if (gap)
			sleep_until(t += gap);
	}
	crew_wait(&crew);
}
