/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ablate.h - which of the differences between two kernels carries the effect.
 *
 * Every difference is tried both ways round: put on the base alone, and taken
 * from the variant alone. Where the two disagree, differences work together.
 */
#ifndef IDLEST_EXPERIMENT_ABLATE_H
#define IDLEST_EXPERIMENT_ABLATE_H

#include "experiment/compare.h"

/* Entries of the tables that change together. */
struct difference {
	char name[64];
	char what[1024]; /* "wake_list: WAKE_LIST_REMOTE -> WAKE_LIST_LAST_TASK, …" */
	u64 rules[2];	 /* bit i: rule i */
	u64 features, tunables;
};

#define MAX_DIFFERENCES 128

/**
 * kernel_differences() - what has to be changed to make @a into @b
 * @d: [MAX_DIFFERENCES]
 *
 * Names under which domains and files appear count for nothing.
 * Return: how many.
 */
int kernel_differences(const struct sched_kernel *a, const struct sched_kernel *b,
		       struct difference *d);
/** kernel_take() - give @to what @from has of one difference */
void kernel_take(struct sched_kernel *to, const struct sched_kernel *from,
		 const struct difference *d);

struct ablation {
	struct compare *c;
	int nr_differences;
	struct difference *diff;
	/* of @c: kernel 0 is the base, 1 the variant, then for each difference base + it, variant -
	 * it */
	struct sched_kernel *kernel;
	const char **name;
};

static inline int ablation_base_with(int difference)
{
	return 2 + 2 * difference;
}

static inline int ablation_variant_without(int difference)
{
	return 3 + 2 * difference;
}

/**
 * ablation_run() - run base, variant, and both with each difference turned
 * @spec: kernel_expr names base and variant
 *
 * Return: 0 or the first error; -EINVAL if the kernels don't differ.
 */
int ablation_run(const struct compare_spec *spec, struct ablation **a, struct err *err);
void ablation_free(struct ablation *a);

#endif
