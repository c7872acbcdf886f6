/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json.h - results as JSON.
 */
#ifndef IDLEST_REPORT_JSON_H
#define IDLEST_REPORT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "sim/result.h"

/** result_json() - metrics, counters and seed of one run */
json_t *result_json(const struct result *r);
/** json_print() - write @j, indented, and drop it; Return: 0 or -EIO */
int json_print(json_t *j, FILE *f);

#endif
