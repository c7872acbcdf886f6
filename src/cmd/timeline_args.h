/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeline_args.h - options for what is done to the machine of a run.
 */
#ifndef IDLEST_CMD_TIMELINE_ARGS_H
#define IDLEST_CMD_TIMELINE_ARGS_H

#include <argp.h>

#include "experiment/timeline.h"

/* Options --isolcpus and --event as a child parser, which wants a struct timeline_spec as its input. */
extern const struct argp timeline_args_argp;

#endif
