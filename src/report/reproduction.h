/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reproduction.h - published and simulated figures side by side.
 */
#ifndef IDLEST_REPORT_REPRODUCTION_H
#define IDLEST_REPORT_REPRODUCTION_H

#include <jansson.h>
#include <stdio.h>

#include "experiment/reproduce.h"

/** reproduction_print() - a table and a score for each experiment, then of all; 0 or -ENOMEM */
int reproduction_print(const struct reproduction *x, FILE *f);
/** reproduction_json() - rows and score; NULL: out of memory */
json_t *reproduction_json(const struct reproduction *x);

#endif
