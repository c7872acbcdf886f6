/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tables.h - the parameters of those workloads that can be simulated and run for real.
 *
 * The models and the runner of tools/kernel-check read the same expressions:
 * what one calls run=2ms the other calls so, with the same default and range.
 * Like the grammar this stands apart from the simulation.
 */
#ifndef IDLEST_WORKLOAD_TABLES_H
#define IDLEST_WORKLOAD_TABLES_H

#include "workload/grammar.h"

extern const struct workload_param bandwidth_params[];
extern const struct workload_param dl_params[];
extern const struct workload_param forks_params[];
extern const struct workload_param hackbench_params[];
extern const struct workload_param hog_params[];
extern const struct workload_param mix_params[];
extern const struct workload_param periodic_params[];
extern const struct workload_param pingpong_params[];
extern const struct workload_param pipeline_params[];
extern const struct workload_param rt_params[];
extern const struct workload_param share_params[];

/* periodic: the words of "phase" */
enum { PHASE_DRAWN, PHASE_STAGGERED, PHASE_TOGETHER };

#define MAX_NICE_LIST 64

struct nice_list {
	int nr;
	int value[MAX_NICE_LIST];
};

/**
 * nice_list_read() - read nice values separated by colons
 *
 * Return: 0, or -EINVAL with @err filled.
 */
int nice_list_read(const char *text, struct nice_list *list, struct err *err);

#endif
