// SPDX-License-Identifier: BSD-2-Clause
/*
 * perfetto_bundle.c - what one CPU recorded for a while; switches and wake-ups
 * may be columns.
 */
#include <errno.h>

#include "trace/perfetto.h"

/* A name by its number in the bundle's own table. */
static bool column_name(struct trace *t, const Perfetto__CompactSched *c, u32 i, trace_str *s)
{
	if (i >= c->n_intern_table)
		return false;
	*s = perfetto_string(t, c->intern_table[i]);
	return true;
}

static int switches(struct trace *t, int cpu, const Perfetto__CompactSched *c)
{
	size_t n = min(min(c->n_switch_timestamp, c->n_switch_prev_state),
		       min(min(c->n_switch_next_pid, c->n_switch_next_prio),
			   c->n_switch_next_comm_index));
	u64 ns = 0;

	if (n != c->n_switch_timestamp)
		trace_skipped(t, SKIP_DAMAGED);
	for (size_t i = 0; i < n; i++) {
		struct trace_event *e;
		trace_str comm;

		ns += c->switch_timestamp[i];
		if (!perfetto_task_ok(c->switch_next_pid[i], c->switch_next_prio[i]) ||
		    !column_name(t, c, c->switch_next_comm_index[i], &comm)) {
			trace_skipped(t, SKIP_RANGE);
			continue;
		}
		e = perfetto_new_event(t, ns, cpu, EV_SWITCH, 0, false);
		if (!e)
			return -ENOMEM;
		e->curr_pid = CURR_UNKNOWN;
		e->pid = c->switch_next_pid[i];
		e->comm = comm;
		e->prio = (s16)c->switch_next_prio[i];
		e->prev_state = TRACE_STATE_RAW | (u16)(c->switch_prev_state[i] & 0x1fff);
	}
	return 0;
}

static int wakings(struct trace *t, int cpu, const Perfetto__CompactSched *c)
{
	size_t n = min(min(c->n_waking_timestamp, c->n_waking_pid),
		       min(min(c->n_waking_target_cpu, c->n_waking_prio), c->n_waking_comm_index));
	bool flags = c->n_waking_common_flags >= n;
	u64 ns = 0;

	if (n != c->n_waking_timestamp)
		trace_skipped(t, SKIP_DAMAGED);
	for (size_t i = 0; i < n; i++) {
		struct trace_event *e;
		trace_str comm;

		ns += c->waking_timestamp[i];
		if (!perfetto_task_ok(c->waking_pid[i], c->waking_prio[i]) ||
		    !perfetto_cpu_ok(c->waking_target_cpu[i]) ||
		    !column_name(t, c, c->waking_comm_index[i], &comm)) {
			trace_skipped(t, SKIP_RANGE);
			continue;
		}
		e = perfetto_new_event(t, ns, cpu, EV_WAKING,
				       flags ? c->waking_common_flags[i] : 0, flags);
		if (!e)
			return -ENOMEM;
		e->curr_pid = CURR_UNKNOWN;
		e->pid = c->waking_pid[i];
		e->comm = comm;
		e->prio = (s16)c->waking_prio[i];
		e->target_cpu = (u16)c->waking_target_cpu[i];
	}
	return 0;
}

/* before the first event that came after the loss */
static int gap(struct trace *t, int cpu, const Perfetto__FtraceEventBundle *b)
{
	const Perfetto__CompactSched *c = b->compact_sched;
	struct trace_event *e;
	u64 ns = UINT64_MAX;

	t->gaps++;
	if (b->n_event)
		ns = b->event[0]->timestamp;
	if (c && c->n_switch_timestamp)
		ns = min(ns, c->switch_timestamp[0]);
	if (c && c->n_waking_timestamp)
		ns = min(ns, c->waking_timestamp[0]);
	if (ns == UINT64_MAX)
		return 0;
	e = perfetto_new_event(t, ns, cpu, KIND_GAP, 0, false);
	return e ? 0 : -ENOMEM;
}

int perfetto_add_bundle(struct trace *t, const Perfetto__FtraceEventBundle *b)
{
	int ret = 0, cpu = (int)b->cpu;

	if (!b->has_cpu || b->cpu >= UINT16_MAX) {
		if (b->n_event || b->compact_sched)
			trace_skipped(t, b->has_cpu ? SKIP_RANGE : SKIP_NO_CPU);
		return 0;
	}
	if (b->lost_events)
		ret = gap(t, cpu, b);
	/* at equal times who wakes comes before the switch that lets the wakee in */
	if (!ret && b->compact_sched)
		ret = wakings(t, cpu, b->compact_sched);
	for (size_t i = 0; !ret && i < b->n_event; i++)
		ret = perfetto_add_event(t, cpu, b->event[i]);
	if (!ret && b->compact_sched)
		ret = switches(t, cpu, b->compact_sched);
	return ret;
}
