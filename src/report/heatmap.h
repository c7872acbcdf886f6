/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heatmap.h - how many tasks were runnable on each CPU, over a run, as a picture.
 *
 * Time goes into at most HEATMAP_COLUMNS buckets, which grow twice as wide when a
 * run outlasts them: memory and picture are bounded, however long it is.
 */
#ifndef IDLEST_REPORT_HEATMAP_H
#define IDLEST_REPORT_HEATMAP_H

#include <stdio.h>

#include "base/types.h"
#include "sched/topology.h"

#define HEATMAP_COLUMNS 1024

struct heatmap;

/** heatmap_new() - of a run that begins at 0, all CPUs idle; NULL: out of memory */
struct heatmap *heatmap_new(const struct sched_topology *topo);
void heatmap_free(struct heatmap *h);
/** heatmap_note() - for sim_params.nr_running, with the heatmap as its ctx; @now: ns */
void heatmap_note(void *heatmap, u64 now, int cpu, int nr_running);
/** heatmap_end() - the run is over; nothing is noted any more */
void heatmap_end(struct heatmap *h, u64 now);

int heatmap_columns(const struct heatmap *h);
u64 heatmap_column_ns(const struct heatmap *h);
/** heatmap_mean() - of nr_running of @cpu in a column */
double heatmap_mean(const struct heatmap *h, int cpu, int column);

/** heatmap_write() - as SVG; @title: any bytes; Return: 0 or -ENOMEM */
int heatmap_write(FILE *f, const struct heatmap *h, const char *title);

#endif
