// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "report/heatmap_map.h"

#define FIRST_SHIFT 10 /* buckets of 1.024 us to begin with */

struct heatmap *heatmap_new(const struct sched_topology *topo)
{
	struct heatmap *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->topo = topo;
	h->shift = FIRST_SHIFT;
	h->cpu = calloc(topo->nr_cpus, sizeof(*h->cpu));
	h->area = calloc((size_t)topo->nr_cpus * HEATMAP_COLUMNS, sizeof(*h->area));
	if (!h->cpu || !h->area) {
		heatmap_free(h);
		return NULL;
	}
	return h;
}

void heatmap_free(struct heatmap *h)
{
	if (!h)
		return;
	free(h->cpu);
	free(h->area);
	free(h);
}

/* buckets of twice the width: two become one */
static void widen(struct heatmap *h)
{
	for (int c = 0; c < h->topo->nr_cpus; c++) {
		u64 *a = h->area + (size_t)c * HEATMAP_COLUMNS;

		for (int i = 0; i < HEATMAP_COLUMNS / 2; i++)
			a[i] = a[2 * i] + a[2 * i + 1];
		for (int i = HEATMAP_COLUMNS / 2; i < HEATMAP_COLUMNS; i++)
			a[i] = 0;
	}
	h->shift++;
}

/* @cpu had as many tasks as it has, up to @now */
static void fill(struct heatmap *h, int cpu, u64 now)
{
	u64 *a = h->area + (size_t)cpu * HEATMAP_COLUMNS;
	struct heatmap_cpu *c = &h->cpu[cpu];
	u64 at = c->since;

	c->since = now;
	if (!c->nr_running)
		return;
	while (at < now) {
		u64 column = at >> h->shift, end = min((column + 1) << h->shift, now);

		a[column] += (end - at) * c->nr_running;
		at = end;
	}
}

/* @now fits, as the end of a bucket at the latest */
static void make_room(struct heatmap *h, u64 now)
{
	while (now > (u64)HEATMAP_COLUMNS << h->shift)
		widen(h);
}

void heatmap_note(void *heatmap, u64 now, int cpu, int nr_running)
{
	struct heatmap *h = heatmap;

	make_room(h, now);
	fill(h, cpu, now);
	h->cpu[cpu].nr_running = nr_running;
}

void heatmap_end(struct heatmap *h, u64 now)
{
	make_room(h, now);
	for (int c = 0; c < h->topo->nr_cpus; c++)
		fill(h, c, now);
	h->end = now;
	h->columns = (int)((now + (1ULL << h->shift) - 1) >> h->shift);
}

int heatmap_columns(const struct heatmap *h)
{
	return h->columns;
}

u64 heatmap_column_ns(const struct heatmap *h)
{
	return 1ULL << h->shift;
}

double heatmap_mean(const struct heatmap *h, int cpu, int column)
{
	u64 begin = (u64)column << h->shift, end = min(begin + (1ULL << h->shift), h->end);

	return (double)h->area[(size_t)cpu * HEATMAP_COLUMNS + column] / (double)(end - begin);
}
