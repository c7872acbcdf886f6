/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay_tables.h - a replay beside its recording, as tables and as JSON.
 */
#ifndef IDLEST_REPORT_REPLAY_TABLES_H
#define IDLEST_REPORT_REPLAY_TABLES_H

#include <jansson.h>
#include <stdio.h>

#include "experiment/replays.h"

/** replay_print() - all tasks together; with @tasks each of them too, the one that waited longest first */
void replay_print(const struct replays *r, bool tasks, FILE *f);
/** replay_print_notes() - how the trace was understood, a line a thing, each after @prefix */
void replay_print_notes(const struct replays *r, const char *prefix, FILE *f);
/** replay_json() - everything, and what is needed to run it again */
json_t *replay_json(const struct replays *r);

#endif
