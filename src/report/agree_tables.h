/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * agree_tables.h - how often a core decided as a kernel did.
 */
#ifndef IDLEST_REPORT_AGREE_TABLES_H
#define IDLEST_REPORT_AGREE_TABLES_H

#include <jansson.h>
#include <stdio.h>

#include "replay/agree.h"

void agree_print(const struct agree *a, FILE *f);
/** agree_print_passes() - passes of the core beside those that the kernel counted */
void agree_print_passes(const struct agree_passes *core, const struct agree_passes *kernel, FILE *f);
/** agree_passes_json() - by level, lowest first; NULL: out of memory */
json_t *agree_passes_json(const struct agree_passes *p);
/** agree_json() - counts by the names of docs/agree.md, and details; NULL: out of memory */
json_t *agree_json(const struct agree *a);

#endif
