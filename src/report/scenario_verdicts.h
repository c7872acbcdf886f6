/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scenario_verdicts.h - what came of a scenario, for people and as JSON.
 */
#ifndef IDLEST_REPORT_SCENARIO_VERDICTS_H
#define IDLEST_REPORT_SCENARIO_VERDICTS_H

#include <jansson.h>
#include <stdio.h>

#include "experiment/scenario.h"

/** scenario_print() - a line a verdict; those that fail say what was expected */
void scenario_print(const struct scenario_outcome *o, FILE *f);
/** scenario_json() - NULL: out of memory */
json_t *scenario_json(const struct scenario_outcome *o);

#endif
