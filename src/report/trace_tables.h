/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_tables.h - what a trace says about waiting, in the forms perf prints (spec 11 §7).
 */
#ifndef IDLEST_REPORT_TRACE_TABLES_H
#define IDLEST_REPORT_TRACE_TABLES_H

#include <jansson.h>
#include <stdio.h>

#include "trace/latency.h"
#include "trace/trace.h"

/** latency_print() - the table of perf sched latency, in the form since 5.11 */
void latency_print(const struct trace *t, const struct latency *l, FILE *f);
json_t *latency_json(const struct trace *t, const struct latency *l);
/**
 * timehist_print() - one line a stay of a task on a CPU, as perf sched timehist
 * @json: an array of objects instead, written as it goes
 *
 * Return: 0, -ENOMEM or -EIO.
 */
int timehist_print(const struct trace *t, bool json, FILE *f);

#endif
