/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_dump.h - kernel expressions with a recorded dump laid over a profile:
 * v6.12@DUMP,NO_SIS_UTIL
 */
#ifndef IDLEST_EXPERIMENT_KERNEL_DUMP_H
#define IDLEST_EXPERIMENT_KERNEL_DUMP_H

#include "sched/kernel.h"

/**
 * kernel_load() - read a kernel expression, and the dump it names
 *
 * Without @DUMP this is sched_kernel_parse(). The dump's features line and
 * tunables replace the profile's; items after it replace the dump's.
 *
 * Return: 0, -ENOENT, -EINVAL (expression; or file and line of the dump).
 */
int kernel_load(const char *expr, struct sched_kernel *k, struct err *err);

#endif
