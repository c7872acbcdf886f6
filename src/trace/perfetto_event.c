// SPDX-License-Identifier: BSD-2-Clause
/*
 * perfetto_event.c - events of a packet, each by itself or as columns.
 */
#include <errno.h>
#include <string.h>

#include "trace/perfetto.h"

/* bits of the kernel's own flags of an event */
#define FLAG_IRQS_OFF	  0x01
#define FLAG_LAZY_RESCHED 0x02
#define FLAG_NEED_RESCHED 0x04
#define FLAG_HARDIRQ	  0x08
#define FLAG_SOFTIRQ	  0x10

trace_str perfetto_string(struct trace *t, const char *s)
{
	return s ? trace_intern(t, s, strlen(s)) : 0;
}

struct trace_event *perfetto_new_event(struct trace *t, u64 ns, int cpu, int kind, u32 flags,
				       bool has_flags)
{
	struct trace_event *e = trace_add(t);

	if (!e)
		return NULL;
	e->ns = ns;
	e->cpu = (u16)cpu;
	e->kind = (u8)kind;
	if (has_flags)
		e->context = TRACE_HAS_CONTEXT | (flags & FLAG_IRQS_OFF ? TRACE_IRQS_OFF : 0) |
			     (flags & FLAG_LAZY_RESCHED ? TRACE_LAZY_RESCHED : 0) |
			     (flags & FLAG_NEED_RESCHED ? TRACE_NEED_RESCHED : 0) |
			     (flags & FLAG_HARDIRQ ? TRACE_HARDIRQ : 0) |
			     (flags & FLAG_SOFTIRQ ? TRACE_SOFTIRQ : 0);
	return e;
}

int perfetto_add_name(struct trace *t, u64 ns, s64 tid, const char *name)
{
	struct trace_event *e;

	if (tid <= 0 || !name || !*name)
		return 0;
	e = perfetto_new_event(t, ns, 0, KIND_NAME, 0, false);
	if (!e)
		return -ENOMEM;
	e->pid = (s32)tid;
	e->comm = perfetto_string(t, name);
	return 0;
}

/* ---- one by one ---- */

/* An event whatever its kind is called: what a trace_event needs, wide enough to be checked. */
struct parts {
	int kind; /* -1: none that is kept */
	s64 pid, curr_pid, prio, prev_prio, target, orig, old_pid;
	u64 state, value;
	const char *comm, *curr_comm, *other;
};

static struct parts wake(int kind, const Perfetto__SchedWake *w)
{
	return (struct parts){ .kind = kind, .pid = w->pid, .comm = w->comm, .prio = w->prio,
			       .target = w->target_cpu };
}

static const char *const field_names[] = { "comm", "pid", "prio", "orig_cpu", "dest_cpu", "runtime",
					   "delay", "cpu" };

static void generic_field(struct parts *p, const Perfetto__Generic__Field *f)
{
	s64 v = f->has_int_value ? f->int_value :
				   (s64)min(f->uint_value, (u64)INT64_MAX);
	size_t i = 0;

	while (f->name && i < ARRAY_SIZE(field_names) && strcmp(f->name, field_names[i]))
		i++;
	switch (f->name ? i : ARRAY_SIZE(field_names)) {
	case 0:
		p->comm = f->str_value;
		break;
	case 1:
		p->pid = v;
		break;
	case 2:
		p->prio = v;
		break;
	case 3:
		p->orig = v;
		break;
	case 4:
	case 7:
		p->target = v;
		break;
	case 5:
	case 6:
		p->value = (u64)max(v, (s64)0);
		break;
	}
}

/* Events that the recorder had no description of come with their fields by name. */
static struct parts generic(const Perfetto__Generic *g)
{
	static const int kinds[] = { EV_MIGRATE,    EV_STAT_RUNTIME, EV_STAT_WAIT, EV_STAT_SLEEP,
				     EV_STAT_IOWAIT, EV_STAT_BLOCKED, EV_WAKE_IDLE };
	struct parts p = { .kind = -1 };

	for (size_t i = 0; g->event_name && i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(g->event_name, trace_kind_name((enum trace_kind)kinds[i])))
			p.kind = kinds[i];
	for (size_t i = 0; p.kind >= 0 && i < g->n_field; i++)
		generic_field(&p, g->field[i]);
	return p;
}

static struct parts parts_of(const Perfetto__FtraceEvent *f)
{
	struct parts p = { .kind = -1 };

	if (f->sched_switch) {
		const Perfetto__SchedSwitch *s = f->sched_switch;

		p = (struct parts){ .kind = EV_SWITCH, .pid = s->next_pid, .comm = s->next_comm,
				    .prio = s->next_prio, .curr_pid = s->prev_pid,
				    .curr_comm = s->prev_comm, .prev_prio = s->prev_prio,
				    .state = (u64)s->prev_state };
	} else if (f->sched_waking) {
		return wake(EV_WAKING, f->sched_waking);
	} else if (f->sched_wakeup) {
		return wake(EV_WAKEUP, f->sched_wakeup);
	} else if (f->sched_wakeup_new) {
		return wake(EV_WAKEUP_NEW, f->sched_wakeup_new);
	} else if (f->sched_process_fork) {
		const Perfetto__SchedFork *s = f->sched_process_fork;

		p = (struct parts){ .kind = EV_FORK, .pid = s->child_pid, .comm = s->child_comm,
				    .curr_pid = s->parent_pid, .curr_comm = s->parent_comm };
	} else if (f->sched_process_exec) {
		const Perfetto__SchedExec *s = f->sched_process_exec;

		p = (struct parts){ .kind = EV_EXEC, .pid = s->pid, .old_pid = s->old_pid,
				    .other = s->filename };
	} else if (f->sched_process_exit) {
		const Perfetto__SchedExit *s = f->sched_process_exit;

		p = (struct parts){ .kind = EV_EXIT, .pid = s->pid, .comm = s->comm, .prio = s->prio };
	} else if (f->sched_process_free) {
		const Perfetto__SchedFree *s = f->sched_process_free;

		p = (struct parts){ .kind = EV_FREE, .pid = s->pid, .comm = s->comm, .prio = s->prio };
	} else if (f->task_rename) {
		p = (struct parts){ .kind = KIND_NAME, .pid = f->task_rename->pid,
				    .comm = f->task_rename->newcomm };
	} else if (f->print) {
		p = (struct parts){ .kind = EV_MARK, .pid = f->pid, .other = f->print->buf };
	} else if (f->generic) {
		return generic(f->generic);
	}
	return p;
}

static bool parts_ok(const struct parts *p, s64 head_pid)
{
	return perfetto_task_ok(p->pid, p->prio) && perfetto_task_ok(p->curr_pid, p->prev_prio) &&
	       perfetto_task_ok(head_pid, 0) && perfetto_cpu_ok(p->target) &&
	       perfetto_cpu_ok(p->orig) && p->old_pid >= 0;
}

static void fill(struct trace *t, struct trace_event *e, const struct parts *p, s32 head_pid)
{
	e->pid = (s32)p->pid;
	e->comm = perfetto_string(t, p->comm);
	e->prio = (s16)p->prio;
	e->curr_pid = head_pid;
	switch (p->kind) {
	case EV_SWITCH:
		e->prev_prio = (s16)p->prev_prio;
		e->prev_state = TRACE_STATE_RAW | (u16)(p->state & 0x1fff);
		/* fallthrough */
	case EV_FORK:
		e->curr_pid = (s32)p->curr_pid;
		e->curr_comm = perfetto_string(t, p->curr_comm);
		break;
	case EV_EXEC:
		e->filename = perfetto_string(t, p->other);
		e->old_pid = (s32)p->old_pid;
		break;
	case EV_MARK: {
		size_t len = p->other ? strlen(p->other) : 0;

		if (len && p->other[len - 1] == '\n')
			len--;
		e->text = len ? trace_intern(t, p->other, len) : 0;
		break;
	}
	case EV_STAT_RUNTIME:
	case EV_STAT_WAIT:
	case EV_STAT_SLEEP:
	case EV_STAT_IOWAIT:
	case EV_STAT_BLOCKED:
		e->value_ns = p->value;
		break;
	default:
		e->target_cpu = (u16)p->target;
		e->orig_cpu = (u16)p->orig;
	}
}

static const Perfetto__SchedWake *wake_of(const Perfetto__FtraceEvent *f)
{
	return f->sched_waking ? f->sched_waking :
	       f->sched_wakeup ? f->sched_wakeup :
				 f->sched_wakeup_new;
}

int perfetto_add_event(struct trace *t, int cpu, const Perfetto__FtraceEvent *f)
{
	struct parts p = parts_of(f);
	const Perfetto__SchedWake *w = wake_of(f);
	struct trace_event *e;

	if (p.kind < 0) {
		t->others++;
		return 0;
	}
	if (w && w->has_success && !w->success) {
		trace_skipped(t, SKIP_FAILED_WAKE);
		return 0;
	}
	if (!parts_ok(&p, (s32)f->pid)) {
		trace_skipped(t, SKIP_RANGE);
		return 0;
	}
	e = perfetto_new_event(t, f->timestamp, cpu, p.kind, f->common_flags, f->has_common_flags);
	if (!e)
		return -ENOMEM;
	fill(t, e, &p, (s32)f->pid);
	return 0;
}
