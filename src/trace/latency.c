// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/internal.h"
#include "trace/latency.h"
#include "trace/stays.h"

struct collect {
	const struct trace *t;
	struct pid_map pids;
	struct latency_row *row; /* by task */
	u32 room;
	int error;
};

static struct latency_row *row_of(struct collect *c, s32 pid)
{
	u32 i = pid_index(&c->pids, pid);
	struct latency_row *row;

	if (i == UINT32_MAX)
		return NULL;
	if (i >= c->room) {
		u32 room = c->room ? c->room * 2 : 256;

		row = realloc(c->row, room * sizeof(*row));
		if (!row)
			return NULL;
		memset(row + c->room, 0, (room - c->room) * sizeof(*row));
		c->row = row;
		c->room = room;
	}
	return &c->row[i];
}

static void add_stay(void *ctx, const struct trace_stay *s)
{
	struct collect *c = ctx;
	struct latency_row *r = s->pid ? row_of(c, s->pid) : NULL;
	u64 delay = trace_stay_delay(s);

	if (!r) {
		if (s->pid)
			c->error = -ENOMEM;
		return;
	}
	r->pid = s->pid;
	r->nr_tasks = 1;
	r->comm = s->comm ? s->comm : r->comm; /* the last name it had */
	if (!s->open)
		r->runtime_ns += s->out_ns - s->in_ns;
	if (!s->has_delay)
		return;
	if (!r->switches++ || delay > r->max_delay_ns) {
		r->max_delay_ns = delay;
		r->max_start_ns = s->delay_since;
		r->max_end_ns = s->in_ns;
	}
	r->delay_ns += delay;
}

static int by_name(const void *a, const void *b, void *trace)
{
	const struct latency_row *x = a, *y = b;
	int order = strcmp(trace_string(trace, x->comm), trace_string(trace, y->comm));

	return order ? order : (x->pid > y->pid) - (x->pid < y->pid);
}

/* By mean delay, compared as fractions; equal ones stay in the order of their names. */
static int by_mean(const void *a, const void *b, void *trace)
{
	const struct latency_row *x = a, *y = b;
	u128 mx = (u128)x->delay_ns * y->switches, my = (u128)y->delay_ns * x->switches;

	if (mx != my)
		return mx < my ? 1 : -1;
	return by_name(a, b, trace);
}

static void merge(struct latency_row *to, const struct latency_row *from)
{
	to->nr_tasks += from->nr_tasks;
	to->runtime_ns += from->runtime_ns;
	to->delay_ns += from->delay_ns;
	if (from->switches && (!to->switches || from->max_delay_ns > to->max_delay_ns)) {
		to->max_delay_ns = from->max_delay_ns;
		to->max_start_ns = from->max_start_ns;
		to->max_end_ns = from->max_end_ns;
	}
	to->switches += from->switches;
}

/* Rows of the same name, which are neighbours, become one. */
static size_t merge_names(struct latency_row *row, size_t nr)
{
	size_t n = 0;

	for (size_t i = 0; i < nr; i++) {
		if (n && row[i].comm && row[n - 1].comm == row[i].comm)
			merge(&row[n - 1], &row[i]);
		else
			row[n++] = row[i];
	}
	return n;
}

int trace_latency(const struct trace *t, bool by_pid, struct latency *l)
{
	struct collect c = { .t = t };
	int ret = trace_stays(t, add_stay, &c);
	size_t nr;

	*l = (struct latency){ 0 };
	pid_map_free(&c.pids);
	if (ret || c.error) {
		free(c.row);
		return -ENOMEM;
	}
	l->row = c.row;
	/* slots of tasks that never ran are empty */
	for (u32 i = 0; i < c.room; i++)
		if (c.row[i].nr_tasks)
			l->row[l->nr++] = c.row[i];
	if (l->nr)
		qsort_r(l->row, l->nr, sizeof(*l->row), by_name, (void *)t);
	if (!by_pid)
		l->nr = merge_names(l->row, l->nr);
	nr = l->nr;
	l->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		if (!l->row[i].switches)
			continue;
		l->row[l->nr++] = l->row[i];
		l->runtime_ns += l->row[i].runtime_ns;
		l->switches += l->row[i].switches;
	}
	if (l->nr)
		qsort_r(l->row, l->nr, sizeof(*l->row), by_mean, (void *)t);
	return 0;
}

void latency_free(struct latency *l)
{
	free(l->row);
	*l = (struct latency){ 0 };
}
