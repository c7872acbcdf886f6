/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pids.h - dense numbers for the pids of a trace.
 */
#ifndef IDLEST_TRACE_PIDS_H
#define IDLEST_TRACE_PIDS_H

#include "base/types.h"

struct pid_map {
	s32 *pid;	/* by slot */
	u32 *index;	/* by slot; 0: free, else index + 1 */
	u32 slots, nr;
};

/** pid_index() - the dense index of @pid, a new one if it wasn't met; UINT32_MAX: out of memory */
u32 pid_index(struct pid_map *m, s32 pid);
void pid_map_free(struct pid_map *m);

#endif
