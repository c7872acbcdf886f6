/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waste.h - CPU time idle while tasks waited elsewhere, for people and for programs.
 */
#ifndef IDLEST_REPORT_WASTE_H
#define IDLEST_REPORT_WASTE_H

#include <jansson.h>
#include <stdio.h>

#include "sim/result.h"

/**
 * work_conservation() - of the CPU time that tasks had or could have had, the share they had
 *
 * 1: no CPU was idle while a task waited elsewhere that could have run there.
 */
double work_conservation(const struct result *r);
/** waste_print() - the figure; if it was measured, how near the waste was and how long it lasted */
void waste_print(FILE *f, const struct result *r);
/** waste_json() - an array, a distance an object */
json_t *waste_json(const struct result *r);

#endif
