/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run_outputs.h - files that a run leaves behind beside what it prints.
 *
 * They are opened before the run, so that a wrong name is told at once, and
 * take their names only if everything came to its end.
 */
#ifndef IDLEST_CMD_RUN_OUTPUTS_H
#define IDLEST_CMD_RUN_OUTPUTS_H

#include "base/err.h"
#include "machine/machine.h"
#include "sched/kernel.h"
#include "sim/sim.h"

/* What the command line asks for; NULL: not this one. */
struct run_files {
	const char *trace, *trace_format;
	const char *schedstat;
	const char *heatmap;
	const char *title;	/* of the heat map */
	const char *pressure; /* a directory */
	const char *cgroup_stat; /* a directory */
};

struct run_outputs;

/**
 * run_outputs_open() - begin the files and make @params feed them
 * @kernel_name: as the user wrote it
 *
 * Return: 0 and *@out, NULL where no file is asked for; or an error.
 */
int run_outputs_open(const struct run_files *files, const struct machine *m,
		     const struct sched_kernel *k, const char *kernel_name,
		     struct sim_params *params, struct run_outputs **out, struct err *err);

/**
 * run_outputs_close() - the run is over
 * @ret: what came of it; the files are kept if that is 0
 *
 * Return: @ret, or what went wrong with the files.
 */
int run_outputs_close(struct run_outputs *out, int ret, struct err *err);

#endif
