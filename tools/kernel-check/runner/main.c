// SPDX-License-Identifier: BSD-2-Clause
/* main.c - read an expression, run it, say what was done. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/err.h"
#include "base/nearest.h"
#include "runner.h"

static const struct kind kinds[] = {
	{"hackbench", hackbench_params, run_hackbench, NULL},
	{"periodic", periodic_params, run_periodic, "periods"},
	{"pingpong", pingpong_params, run_pingpong, "turns"},
	{"hog", hog_params, run_hog, "chunks"},
	{"forks", forks_params, run_forks, "tasks"},
	{"pipeline", pipeline_params, run_pipeline, "items"},
	{"mix", mix_params, run_mix, "pieces"},
	{"share", share_params, run_share, "periods"},
	{"rt", rt_params, run_realtime, "pieces"},
	{"dl", dl_params, run_deadline, "pieces"},
	{"bandwidth", bandwidth_params, run_bandwidth, "chunks"},
};

/* Real tasks, each with a process or stack of its own: more is a mistake. */
#define MAX_TASKS 8192

s64 opt(const struct job *job, const char *name)
{
	return job->values.num[grammar_find(job->kind->params, name)];
}

bool opt_given(const struct job *job, const char *name)
{
	return job->values.set[grammar_find(job->kind->params, name)];
}

const char *opt_text(const struct job *job, const char *name)
{
	return job->values.string[grammar_find(job->kind->params, name)];
}

static int find_kind(const char *name, const struct kind **kind, struct err *err)
{
	const char *names[ARRAY_SIZE(kinds)], *near;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		*kind = &kinds[i];
		names[i] = kinds[i].name;
		if (!strcmp(name, names[i]))
			return 0;
	}
	near = nearest_name(name, names, ARRAY_SIZE(kinds));
	return err_set(err, -ENOENT, "\"%s\" isn't a workload that can be run for real%s%s%s", name,
		       near ? "; did you mean \"" : "", near ?: "", near ? "\"?" : "");
}

/* What the tables can't say and the models check for themselves. */
static int check(const struct job *job, struct err *err)
{
	static const char *const factors[] = {"groups", "fds", "n"};
	struct nice_list list;
	u64 tasks = 1;

	if (job->kind->params == hog_params && nice_list_read(opt_text(job, "nice"), &list, err))
		return err->code;
	if (job->kind->params == periodic_params && opt_given(job, "load") && opt_given(job, "run"))
		return err_set(err, -EINVAL, "periodic: give run or load, not both");
	for (size_t i = 0; i < ARRAY_SIZE(factors); i++)
		if (grammar_find(job->kind->params, factors[i]) >= 0)
			tasks *= opt(job, factors[i]);
	if (tasks > MAX_TASKS)
		return err_set(err, -EINVAL, "%s: %llu real tasks; at most %d are sensible",
			       job->kind->name, (unsigned long long)tasks, MAX_TASKS);
	return 0;
}

static int parse(struct job *job, const char *expr, struct err *err)
{
	char name[64];
	const char *items = grammar_split(expr, name, sizeof(name));
	int rc = find_kind(name, &job->kind, err);

	if (!rc)
		rc = grammar_read(name, items, job->kind->params, &job->values, err);
	if (rc)
		return rc;
	rc = check(job, err);
	if (rc)
		grammar_free(&job->values);
	return rc;
}

static void print_results(const struct job *job)
{
	const struct tally *t = job->tally;

	if (job->kind->done)
		printf("done %llu %s\n", (unsigned long long)t->done, job->kind->done);
	if (t->missed)
		printf("missed %llu %s\n", (unsigned long long)t->missed, job->kind->done);
	if (t->cpu_ns) /* what another program used after an exec isn't known */
		printf("CPU time %.6f s\n", t->cpu_ns / 1e9);
}

static int usage(FILE *to)
{
	fprintf(to, "usage: idlest-wl [--seed=N] WORKLOAD\n"
		    "Run a workload of idlest by real tasks (docs/kernel-check.md). There are");
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		fprintf(to, "%s %s", i ? "," : "", kinds[i].name);
	fprintf(to, ".\n");
	return to == stdout ? 0 : 2;
}

/* what the exec of a fork storm comes back to */
static int burn_only(const char *text, struct err *err)
{
	s64 work;

	if (grammar_time("--burn", text, 0, 3600 * NSEC_PER_SEC, &work, err))
		return 2;
	burn(work);
	return 0;
}

static int fail(const struct err *err)
{
	fprintf(stderr, "idlest-wl: %s\n", err->msg);
	return 2;
}

int main(int argc, char **argv)
{
	struct job job = {.seed = 1};
	struct err err = {0};
	s64 seed = 1;
	int i = 1;

	if (argc == 3 && !strcmp(argv[1], "--burn"))
		return burn_only(argv[2], &err) ? fail(&err) : 0;
	if (argc == 2 && !strcmp(argv[1], "--help"))
		return usage(stdout);
	if (argc > 1 && !strncmp(argv[1], "--seed=", 7)) {
		if (grammar_int("--seed", argv[1] + 7, 0, INT64_MAX, &seed, &err))
			return fail(&err);
		i++;
	}
	if (argc != i + 1 || argv[i][0] == '-')
		return usage(stderr);
	if (parse(&job, argv[i], &err))
		return fail(&err);
	job.seed = seed;
	rng_init(&job.rng, job.seed, STREAM_WORKLOAD);
	job.tally = shared_memory(sizeof(*job.tally));
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	mark("wl: begin %s", argv[i]);
	job.kind->run(&job);
	mark("wl: end %s", job.kind->name);
	print_results(&job);
	grammar_free(&job.values);
	return 0;
}
