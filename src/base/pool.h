/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pool.h - many runs that know nothing of each other, side by side.
 */
#ifndef IDLEST_BASE_POOL_H
#define IDLEST_BASE_POOL_H

#include "base/err.h"
#include "base/types.h"

/**
 * pool_run() - call @fn for 0 … @nr - 1, on several threads
 * @jobs: threads; 0: one a CPU
 * @progress: count on standard error
 *
 * They are handed out in order, so that the first failure in order is always
 * met, whatever @jobs is. After a failure no new ones begin.
 *
 * Return: 0, or what that first failure returned, with its @err.
 */
int pool_run(int nr, int jobs, bool progress, int (*fn)(void *ctx, int i, struct err *err),
	     void *ctx, struct err *err);

#endif
