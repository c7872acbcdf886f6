/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replays.h - one recorded trace under several kernels, with several seeds.
 */
#ifndef IDLEST_EXPERIMENT_REPLAYS_H
#define IDLEST_EXPERIMENT_REPLAYS_H

#include "replay/run.h"

struct replays_spec {
	const char *trace_path;
	const char *machine_expr;
	const char *from_machine_expr;	/* where it was recorded; NULL: machine_expr */
	int nr_kernels;
	const char *const *kernel_expr;	/* [0] is the base */
	const char *from_kernel_expr;	/* under which it was recorded; NULL: the base */
	int nr_seeds;
	u64 first_seed;
	u64 speed_permille;		/* how fast the machine is against the other; 0: as their files say */
	enum replay_sync sync;
	bool no_pins;			/* see struct replay_build */
	bool raw;			/* recorded CPU time is all work: no calibration */
	int jobs;			/* runs at once; 0: one a CPU */
	bool check;
	bool progress;			/* on standard error */
};

struct replays {
	struct replays_spec spec;
	const struct trace *trace;
	struct story *story;
	struct replay *replay;
	struct machine *machine, *from_machine; /* the same one if it is */
	struct sched_kernel *kernel;	/* [nr_kernels], then from_kernel */
	u64 work_num, work_den;
	struct figures recorded;
	struct figures *figures;	/* by replays_at() */
	struct result *result;
};

static inline int replays_at(const struct replays *r, int kernel, int seed)
{
	return kernel * r->spec.nr_seeds + seed;
}

/**
 * replays_run() - read machines and kernels, make programs of @t, run them
 * @t: kept by reference
 *
 * Return: 0, or the first error in the order of kernels and seeds.
 */
int replays_run(const struct replays_spec *spec, const struct trace *t, struct replays **r,
		struct err *err);
void replays_free(struct replays *r);

/* What is compared, task by task or over all. */
struct replays_metric {
	const char *name, *unit;
	double (*value)(const struct figure *f);
	bool is_distance;		/* left out where no kernel and no recording has any */
};

int replays_nr_metrics(void);
const struct replays_metric *replays_metric(int i);

#endif
