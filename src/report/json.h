/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json.h - results as JSON.
 */
#ifndef IDLEST_REPORT_JSON_H
#define IDLEST_REPORT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "sim/result.h"

/**
 * json_text() - a string of JSON of any bytes
 *
 * File names and what stands in files needn't be UTF-8, and a name may have
 * been cut inside a character: what isn't becomes U+FFFD, a byte at a time.
 */
json_t *json_text(const char *s);
/** result_json() - metrics, counters and seed of one run */
json_t *result_json(const struct result *r);
/** json_print() - write @j, indented, and drop it; Return: 0 or -EIO */
int json_print(json_t *j, FILE *f);

#endif
