/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heatmap_map.h - the map itself, for heatmap.c, which fills it, and heatmap_svg.c, which draws it.
 */
#ifndef IDLEST_REPORT_HEATMAP_MAP_H
#define IDLEST_REPORT_HEATMAP_MAP_H

#include "report/heatmap.h"

struct heatmap_cpu {
	int nr_running;
	u64 since; /* ns: all before is in the buckets */
};

struct heatmap {
	const struct sched_topology *topo;
	int shift;	/* a bucket is 1 << shift ns wide */
	int columns;	/* in use, when the run is over */
	u64 end;
	struct heatmap_cpu *cpu;
	u64 *area;	/* [cpu * HEATMAP_COLUMNS + column] nr_running times ns */
};

#endif
