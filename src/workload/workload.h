/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * workload.h - what tasks do: benchmark models and rt-app files.
 *
 * A workload expression is one grammar everywhere:
 *
 *	hackbench:groups=4,loops=1000,pipe,threads
 *	/path/to/rt-app.json   or   rtapp:file.json,reading=json-c
 *	cgexec:/build/hog:n=8 + taskset:0-3/pingpong	several at once, each with its prefixes
 *
 * A model is one file: a table of parameters and two functions.
 */
#ifndef IDLEST_WORKLOAD_WORKLOAD_H
#define IDLEST_WORKLOAD_WORKLOAD_H

#include "base/err.h"
#include "sim/result.h"
#include "sim/sim.h"
#include "workload/grammar.h"

struct workload; /* an expression that was read and checked: immutable, usable by many runs */

struct workload_model {
	const char *name;
	const char *doc;		     /* one line */
	const char *metric_doc;		     /* what the headline metric is */
	const struct workload_param *params; /* ends with a NULL name */
	/**
	 * check() - what the table of parameters can't say; may be NULL
	 * @parsed: the model's own immutable parse result (rt-app: the file), may stay NULL
	 */
	int (*check)(const struct workload *w, void **parsed, struct err *err);
	void (*free_parsed)(void *parsed);
	/** warning() - see workload_warning(); may be NULL */
	const char *(*warning)(const void *parsed, int i);
	/**
	 * setup() - create objects and tasks in @sim
	 * @run: the model's state of this run
	 */
	int (*setup)(const struct workload *w, struct sim *sim, void **run, struct err *err);
	/**
	 * finish() - state the headline metrics, in the benchmark's own units
	 */
	int (*finish)(const struct workload *w, struct sim *sim, void *run, struct result *r,
		      struct err *err);
};

/**
 * workload_parse() - read a workload expression
 *
 * Return: 0, -ENOENT (no such model or file; names the nearest), -EINVAL (an
 * unknown parameter or bad value; in files with line and column).
 */
int workload_parse(const char *expr, struct workload **w, struct err *err);
void workload_free(struct workload *w);
const char *workload_expr(const struct workload *w);
/**
 * workload_cgroups_load() - the groups of the file @path (cgroup_file.h) are there when it runs
 *
 * Return: 0, or a negative errno with file, line and column.
 */
int workload_cgroups_load(struct workload *w, const char *path, struct err *err);
const struct cgroup_tree *workload_cgroups(const struct workload *w); /* NULL: none */
/** workload_next() - what runs beside it, next in the expression; NULL after the last */
const struct workload *workload_next(const struct workload *w);
struct prefixes;
/** workload_prefixes() - where it runs (prefix.h) */
const struct prefixes *workload_prefixes(const struct workload *w);
const struct workload_model *workload_model(const struct workload *w);
/** workload_int() - value of an INT, BYTES, TIME_NS (ns), FLAG or CHOICE (number of the word) */
s64 workload_int(const struct workload *w, const char *param);
bool workload_is_set(const struct workload *w, const char *param); /* given by the user */
/** workload_string() - value of a STRING or FILE; NULL if not given and without default */
const char *workload_string(const struct workload *w, const char *param);
void *workload_parsed(const struct workload *w);
/** workload_warning() - what a reader should know though it isn't an error; NULL after the last */
const char *workload_warning(const struct workload *w, int i);

/**
 * workload_run() - one run: sim_new, setup, sim_run, finish, counters
 *
 * Of several workloads all are set up before time begins; the run ends when all their tasks have
 * ended or one of them says that it is over. Each one's metrics have its name, or its group's,
 * in front.
 */
int workload_run(const struct workload *w, const struct machine *m, const struct sched_kernel *k,
		 const struct sim_params *p, struct result *r, struct err *err);

int workload_nr_models(void);
const struct workload_model *workload_model_at(int i);

#endif
