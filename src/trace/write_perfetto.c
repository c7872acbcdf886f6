// SPDX-License-Identifier: BSD-2-Clause
/*
 * write_perfetto.c - Perfetto's packets: events as a kernel's ring buffers give
 * them, run queues as counters.
 *
 * Events that follow each other on one CPU share a packet, so the file keeps
 * the order that events of equal time have.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/perfetto.pb-c.h"
#include "trace/writer.h"

/* fields of the wire format that are put together by hand, all of type "bytes" but CPU */
#define TAG_PACKET	  0x0a /* Trace.packet */
#define TAG_FTRACE_EVENTS 0x0a /* TracePacket.ftrace_events */
#define TAG_CPU		  0x08 /* FtraceEventBundle.cpu, a number */
#define TAG_EVENT	  0x12 /* FtraceEventBundle.event */

#define BUNDLE_BYTES (64 * 1024)
/* longest string of a trace */
#define MAX_STRING 255
#define CLOCK_BOOT   6 /* the clock that events are on */
#define CLEARED	     1 /* sequence_flags: nothing said before counts */

/* Our packets are one sequence; counters need to name it. */
#define SEQUENCE 1

/* tracks by number: the two groups, then two a CPU */
enum { GROUP_RUNNING = 1, GROUP_UTIL, FIRST_TRACK };

struct perfetto_writer {
	FILE *f;
	int nr_cpus;
	struct bytes {
		u8 *p;
		size_t len, room;
	} events, scratch;
	int cpu; /* of `events` */
	bool failed;
	bool groups; /* the tracks' groups are described */
	struct shown {
		bool described;
		u32 nr_running, util;
	} shown[]; /* by CPU */
};

/* ---- bytes ---- */

static u8 *room_for(struct perfetto_writer *w, struct bytes *b, size_t more)
{
	if (b->room - b->len < more) {
		size_t room = max(b->room * 2, b->len + more);
		u8 *p = realloc(b->p, room);

		if (!p) {
			w->failed = true;
			return NULL;
		}
		b->p = p;
		b->room = room;
	}
	return b->p + b->len;
}

static size_t put_varint(u8 *to, u64 v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		to[n++] = (u8)(v | 0x80);
	to[n++] = (u8)v;
	return n;
}

static size_t put_head(u8 *to, u8 tag, u64 len)
{
	to[0] = tag;
	return 1 + put_varint(to + 1, len);
}

/* ---- packets ---- */

static void write_packet(struct perfetto_writer *w, Perfetto__TracePacket *p)
{
	size_t len = perfetto__trace_packet__get_packed_size(p);
	u8 head[16], *to;

	w->scratch.len = 0;
	to = room_for(w, &w->scratch, len);
	if (!to)
		return;
	perfetto__trace_packet__pack(p, to);
	fwrite(head, 1, put_head(head, TAG_PACKET, len), w->f);
	fwrite(to, 1, len, w->f);
}

static void write_bundle(struct perfetto_writer *w)
{
	u8 packet_head[16], bundle_head[16], cpu[16];
	size_t cpu_len, bundle, head_len;

	if (!w->events.len)
		return;
	cpu_len = put_head(cpu, TAG_CPU, (u64)w->cpu);
	bundle = cpu_len + w->events.len;
	head_len = put_head(bundle_head, TAG_FTRACE_EVENTS, bundle);
	fwrite(packet_head, 1, put_head(packet_head, TAG_PACKET, head_len + bundle), w->f);
	fwrite(bundle_head, 1, head_len, w->f);
	fwrite(cpu, 1, cpu_len, w->f);
	fwrite(w->events.p, 1, w->events.len, w->f);
	w->events.len = 0;
}

/* ---- events ---- */

/* What an event's message points to; only one of them is used. */
union body {
	Perfetto__SchedSwitch sw;
	Perfetto__SchedWake wake;
	Perfetto__SchedFork fork;
	Perfetto__SchedExec exec;
	Perfetto__SchedExit exit;
	Perfetto__SchedFree free;
	Perfetto__Print print;
	Perfetto__Generic generic;
};

/* Names are only read while packing. */
static char *name(const struct trace *t, trace_str s)
{
	return (char *)trace_string(t, s);
}

static u32 flags(const struct trace_event *e)
{
	return (e->context & TRACE_IRQS_OFF ? 0x01 : 0) | (e->context & TRACE_LAZY_RESCHED ? 0x02 : 0) |
	       (e->context & TRACE_NEED_RESCHED ? 0x04 : 0) | (e->context & TRACE_HARDIRQ ? 0x08 : 0) |
	       (e->context & TRACE_SOFTIRQ ? 0x10 : 0);
}

/* The kernel's numbers since 4.14; a state that has none is a sleep all the same. */
static s64 state_number(u16 state)
{
	s64 n = state & 0xff;

	if (state & TRACE_PREEMPTED)
		return 0x100;
	return !n && state & TRACE_STATE_OTHER ? TRACE_STATE_S : n;
}

static void set_switch(Perfetto__FtraceEvent *f, Perfetto__SchedSwitch *s, const struct trace *t,
		       const struct trace_event *e)
{
	perfetto__sched_switch__init(s);
	s->prev_comm = name(t, e->curr_comm);
	s->has_prev_pid = s->has_prev_prio = s->has_prev_state = true;
	s->prev_pid = e->curr_pid;
	s->prev_prio = e->prev_prio;
	s->prev_state = state_number(e->prev_state);
	s->next_comm = name(t, e->comm);
	s->has_next_pid = s->has_next_prio = true;
	s->next_pid = e->pid;
	s->next_prio = e->prio;
	f->sched_switch = s;
}

static Perfetto__SchedWake *set_wake(Perfetto__SchedWake *s, const struct trace *t,
				     const struct trace_event *e)
{
	perfetto__sched_wake__init(s);
	s->comm = name(t, e->comm);
	s->has_pid = s->has_prio = s->has_success = s->has_target_cpu = true;
	s->pid = e->pid;
	s->prio = e->prio;
	s->success = 1;
	s->target_cpu = e->target_cpu;
	return s;
}

static void set_process(Perfetto__FtraceEvent *f, union body *b, const struct trace *t,
			const struct trace_event *e)
{
	switch (e->kind) {
	case EV_FORK:
		perfetto__sched_fork__init(&b->fork);
		b->fork.parent_comm = name(t, e->curr_comm);
		b->fork.child_comm = name(t, e->comm);
		b->fork.has_parent_pid = b->fork.has_child_pid = true;
		b->fork.parent_pid = e->curr_pid;
		b->fork.child_pid = e->pid;
		f->sched_process_fork = &b->fork;
		break;
	case EV_EXEC:
		perfetto__sched_exec__init(&b->exec);
		b->exec.filename = name(t, e->filename);
		b->exec.has_pid = b->exec.has_old_pid = true;
		b->exec.pid = e->pid;
		b->exec.old_pid = e->old_pid;
		f->sched_process_exec = &b->exec;
		break;
	case EV_EXIT:
		perfetto__sched_exit__init(&b->exit);
		b->exit.comm = name(t, e->comm);
		b->exit.has_pid = b->exit.has_prio = true;
		b->exit.pid = e->pid;
		b->exit.prio = e->prio;
		f->sched_process_exit = &b->exit;
		break;
	default:
		perfetto__sched_free__init(&b->free);
		b->free.comm = name(t, e->comm);
		b->free.has_pid = b->free.has_prio = true;
		b->free.pid = e->pid;
		b->free.prio = e->prio;
		f->sched_process_free = &b->free;
	}
}

/* Fields by name, for events whose place in the format isn't fixed. */
struct generic_fields {
	Perfetto__Generic__Field field[5], *list[5];
	size_t nr;
};

static Perfetto__Generic__Field *add_field(struct generic_fields *g, const char *what)
{
	Perfetto__Generic__Field *f = &g->field[g->nr];

	perfetto__generic__field__init(f);
	f->name = (char *)what;
	g->list[g->nr++] = f;
	return f;
}

static void add_number(struct generic_fields *g, const char *what, s64 v)
{
	Perfetto__Generic__Field *f = add_field(g, what);

	f->has_int_value = true;
	f->int_value = v;
}

static void set_generic(Perfetto__FtraceEvent *f, Perfetto__Generic *b, struct generic_fields *g,
			const struct trace *t, const struct trace_event *e)
{
	perfetto__generic__init(b);
	b->event_name = (char *)trace_kind_name((enum trace_kind)e->kind);
	g->nr = 0;
	if (e->kind == EV_WAKE_IDLE) {
		add_number(g, "cpu", e->target_cpu);
	} else {
		add_field(g, "comm")->str_value = name(t, e->comm);
		add_number(g, "pid", e->pid);
	}
	if (e->kind == EV_MIGRATE) {
		add_number(g, "prio", e->prio);
		add_number(g, "orig_cpu", e->orig_cpu);
		add_number(g, "dest_cpu", e->target_cpu);
	} else if (e->kind != EV_WAKE_IDLE) {
		add_number(g, e->kind == EV_STAT_RUNTIME ? "runtime" : "delay", (s64)e->value_ns);
	}
	b->field = g->list;
	b->n_field = g->nr;
	f->generic = b;
}

static void add_event(struct perfetto_writer *w, Perfetto__FtraceEvent *f)
{
	size_t len = perfetto__ftrace_event__get_packed_size(f);
	u8 *to = room_for(w, &w->events, len + 16);
	size_t head;

	if (!to)
		return;
	head = put_head(to, TAG_EVENT, len);
	perfetto__ftrace_event__pack(f, to + head);
	w->events.len += head + len;
}

static void event(void *state, const struct trace *t, const struct trace_event *e)
{
	struct perfetto_writer *w = state;
	Perfetto__FtraceEvent f = PERFETTO__FTRACE_EVENT__INIT;
	char mark[MAX_STRING + 2];
	struct generic_fields fields;
	union body b;

	if (e->cpu != w->cpu || w->events.len >= BUNDLE_BYTES)
		write_bundle(w);
	w->cpu = e->cpu;
	f.has_timestamp = f.has_pid = true;
	f.timestamp = e->ns;
	f.pid = (u32)e->curr_pid;
	f.has_common_flags = e->context & TRACE_HAS_CONTEXT;
	f.common_flags = flags(e);
	switch ((enum trace_kind)e->kind) {
	case EV_SWITCH:
		set_switch(&f, &b.sw, t, e);
		break;
	case EV_WAKING:
		f.sched_waking = set_wake(&b.wake, t, e);
		break;
	case EV_WAKEUP:
		f.sched_wakeup = set_wake(&b.wake, t, e);
		break;
	case EV_WAKEUP_NEW:
		f.sched_wakeup_new = set_wake(&b.wake, t, e);
		break;
	case EV_FORK:
	case EV_EXEC:
	case EV_EXIT:
	case EV_FREE:
		set_process(&f, &b, t, e);
		break;
	case EV_MARK:
		perfetto__print__init(&b.print);
		snprintf(mark, sizeof(mark), "%s\n", name(t, e->text));
		b.print.buf = mark;
		f.print = &b.print;
		break;
	default:
		set_generic(&f, &b.generic, &fields, t, e);
	}
	add_event(w, &f);
}

/* ---- counters ---- */

static void describe(struct perfetto_writer *w, u64 track, u64 parent, char *what, bool counter)
{
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TrackDescriptor d = PERFETTO__TRACK_DESCRIPTOR__INIT;
	Perfetto__TrackDescriptor__Counter c = PERFETTO__TRACK_DESCRIPTOR__COUNTER__INIT;

	d.has_uuid = true;
	d.uuid = track;
	d.name = what;
	d.has_parent_uuid = parent;
	d.parent_uuid = parent;
	c.has_unit = true;
	c.unit = PERFETTO__TRACK_DESCRIPTOR__COUNTER__UNIT__UNIT_COUNT;
	d.counter = counter ? &c : NULL;
	p.has_trusted_packet_sequence_id = true;
	p.trusted_packet_sequence_id = SEQUENCE;
	p.track_descriptor = &d;
	write_packet(w, &p);
}

static void count(struct perfetto_writer *w, u64 ns, u64 track, s64 value)
{
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__TrackEvent e = PERFETTO__TRACK_EVENT__INIT;

	e.has_type = e.has_track_uuid = e.has_counter_value = true;
	e.type = PERFETTO__TRACK_EVENT__TYPE__TYPE_COUNTER;
	e.track_uuid = track;
	e.counter_value = value;
	p.has_timestamp = p.has_timestamp_clock_id = p.has_trusted_packet_sequence_id = true;
	p.timestamp = ns;
	p.timestamp_clock_id = CLOCK_BOOT;
	p.trusted_packet_sequence_id = SEQUENCE;
	p.track_event = &e;
	write_packet(w, &p);
}

static void load(void *state, const struct trace_load *l)
{
	struct perfetto_writer *w = state;
	struct shown *s = &w->shown[l->cpu];
	u64 track = FIRST_TRACK + 2 * (u64)l->cpu;
	bool first = !s->described;
	char what[64];

	if (!w->groups) {
		describe(w, GROUP_RUNNING, 0, "nr_running", false);
		describe(w, GROUP_UTIL, 0, "utilisation of 1024", false);
		w->groups = true;
	}
	if (first) {
		snprintf(what, sizeof(what), "CPU %d nr_running", l->cpu);
		describe(w, track, GROUP_RUNNING, what, true);
		snprintf(what, sizeof(what), "CPU %d util", l->cpu);
		describe(w, track + 1, GROUP_UTIL, what, true);
	}
	if (first || s->nr_running != l->nr_running)
		count(w, l->ns, track, l->nr_running);
	if (first || s->util != l->util)
		count(w, l->ns, track + 1, l->util);
	*s = (struct shown){ true, l->nr_running, l->util };
}

/* ---- begin and end ---- */

/* The kernel that is simulated also tells a viewer how task states are numbered. */
static void system_packet(struct perfetto_writer *w, const char *kernel)
{
	Perfetto__TracePacket p = PERFETTO__TRACE_PACKET__INIT;
	Perfetto__SystemInfo s = PERFETTO__SYSTEM_INFO__INIT;
	Perfetto__SystemInfo__Utsname u = PERFETTO__SYSTEM_INFO__UTSNAME__INIT;

	u.sysname = "Linux";
	u.release = (char *)(kernel ? kernel + (*kernel == 'v') : "4.14");
	s.utsname = &u;
	p.system_info = &s;
	p.has_trusted_packet_sequence_id = p.has_sequence_flags = true;
	p.trusted_packet_sequence_id = SEQUENCE;
	p.sequence_flags = CLEARED;
	write_packet(w, &p);
}

static int start(void **state, FILE *f, const struct trace_writing *how)
{
	struct perfetto_writer *w =
		calloc(1, sizeof(*w) + (size_t)how->nr_cpus * sizeof(struct shown));

	if (!w)
		return -ENOMEM;
	w->f = f;
	w->nr_cpus = how->nr_cpus;
	*state = w;
	system_packet(w, how->kernel);
	return w->failed ? -ENOMEM : 0;
}

static int end(void *state)
{
	struct perfetto_writer *w = state;

	write_bundle(w);
	return w->failed ? -ENOMEM : 0;
}

static void free_writer(void *state)
{
	struct perfetto_writer *w = state;

	free(w->events.p);
	free(w->scratch.p);
	free(w);
}

const struct trace_format_ops trace_perfetto_ops = {
	.name = "perfetto",
	.start = start,
	.event = event,
	.load = load,
	.end = end,
	.free = free_writer,
};
