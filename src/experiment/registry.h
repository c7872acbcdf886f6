/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * registry.h - published experiments: what their tables' words stand for.
 *
 * A YAML file (registry/published.yaml, embedded) says for each experiment
 * which kernel expressions were compared, and for each benchmark the workload
 * expression that simulates it and what of its result the table shows. The
 * published figures themselves come from elsewhere (published.h).
 */
#ifndef IDLEST_EXPERIMENT_REGISTRY_H
#define IDLEST_EXPERIMENT_REGISTRY_H

#include "base/err.h"
#include "base/types.h"

/* a word of a table, and what stands for it here; @missing: why nothing does (else NULL) */
struct registry_word {
	char *label, *is, *missing;
};

/* rows that no simulation is held to, with the reason */
struct registry_unscored {
	char *from, *to; /* numbers of the rows' param; absent: no limit */
	char *why;
};

/*
 * How one benchmark is simulated. In the workload and the metric, {n} is the
 * first number in the row's param and {param} all of it.
 */
struct registry_benchmark {
	char *label;		/* in the table's column benchmark */
	char *note;		/* only rows whose note begins so; NULL: all */
	char *from, *to;	/* only rows whose param's number is in there; NULL: no limit */
	char *workload, *metric;
	char *scale;		/* the table's figure over the simulated metric's; NULL: 1 */
	char *because;		/* what the scale, or a parameter nobody stated, is read from */
	char *missing;		/* why it can't be simulated; NULL: it can */
	char **params;		/* of the table's rows, for runs without published figures */
	struct registry_unscored *unscored;
	u32 nr_unscored, nr_params;
};

/* The kernels: the first one is the tables' base. */
struct registry_experiment {
	char *name, *description, *source;
	char *machine;		/* label of the one that its tables are of */
	struct registry_word *kernels;
	struct registry_benchmark *benchmarks;
	u32 nr_kernels, nr_benchmarks;
};

struct registry_file {
	struct registry_word *machines;
	struct registry_experiment *experiments;
	u32 nr_machines, nr_experiments;
};

struct registry;

extern const char registry_text[];
extern const size_t registry_text_len;

/** registry_parse() - read and check a registry; Return: 0, or -errno with file, line, column */
int registry_parse(const char *name, const char *yaml, size_t len, struct registry **r,
		   struct err *err);
/** registry_load() - the embedded one */
int registry_load(struct registry **r, struct err *err);
void registry_free(struct registry *r);
const struct registry_file *registry_file(const struct registry *r);

const struct registry_experiment *registry_find(const struct registry *r, const char *name);
/** registry_find_word() - the entry of a list with that label, or NULL */
const struct registry_word *registry_find_word(const struct registry_word *list, u32 nr,
					       const char *label);
/**
 * registry_find_benchmark() - the first entry that such a row belongs to, or NULL
 * @param: of the row: "16-groups", "Copy"
 * @note: of the row; may be empty
 */
const struct registry_benchmark *registry_find_benchmark(const struct registry_experiment *e,
							 const char *benchmark, const char *param,
							 const char *note);
/** registry_unscored() - why rows of @b with that param aren't scored, or NULL */
const char *registry_unscored(const struct registry_benchmark *b, const char *param);
/** registry_scale() - see struct registry_benchmark */
double registry_scale(const struct registry_benchmark *b);
/**
 * registry_expand() - @text with {n} and {param} filled in
 *
 * Return: 0, -EINVAL if it asks for {n} and @param has no number, -ENOSPC.
 */
int registry_expand(const char *text, const char *param, char *buf, size_t len);

#endif
