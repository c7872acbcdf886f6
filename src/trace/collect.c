// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/collect.h"
#include "trace/internal.h"
#include "trace/write.h"

/* who runs on a CPU, as its switches told */
struct running {
	s32 pid;
	trace_str comm;
};

struct trace_collector {
	struct trace *t;
	int nr_cpus;
	int error;
	void (*each)(void *ctx, const struct trace *t, const struct trace_event *e);
	void (*load)(void *ctx, const struct trace_load *l);
	void *ctx;
	struct running running[];
};

static trace_str name(struct trace_collector *c, const char *comm)
{
	return trace_intern(c->t, comm, strlen(comm));
}

/* Idle tasks are named by CPU, though the simulation has none. */
static trace_str name_of(struct trace_collector *c, const char *comm, s32 pid, int cpu)
{
	char idle[32];

	if (pid)
		return name(c, comm);
	snprintf(idle, sizeof(idle), "swapper/%d", cpu);
	return name(c, idle);
}

struct trace_collector *trace_collector_new(int nr_cpus,
					    void (*each)(void *ctx, const struct trace *t,
							 const struct trace_event *e),
					    void *ctx)
{
	struct trace_collector *c =
		calloc(1, sizeof(*c) + (size_t)nr_cpus * sizeof(struct running));

	if (!c)
		return NULL;
	c->t = trace_new();
	if (!c->t) {
		free(c);
		return NULL;
	}
	c->t->nr_cpus = nr_cpus;
	c->nr_cpus = nr_cpus;
	c->each = each;
	c->ctx = ctx;
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		c->running[cpu].comm = name_of(c, "", 0, cpu);
	return c;
}

static const u8 kinds[] = {
	[TRACE_WAKING] = EV_WAKING,
	[TRACE_WAKEUP] = EV_WAKEUP,
	[TRACE_WAKEUP_NEW] = EV_WAKEUP_NEW,
	[TRACE_SWITCH] = EV_SWITCH,
	[TRACE_MIGRATE] = EV_MIGRATE,
	[TRACE_FORK] = EV_FORK,
	[TRACE_EXEC] = EV_EXEC,
	[TRACE_EXIT] = EV_EXIT,
};

static u16 state_of(const struct sim_trace_event *e)
{
	static const char letters[] = "SDTtXZPI";
	const char *at = e->prev_state ? strchr(letters, e->prev_state) : NULL;

	return (at ? (u16)(1u << (at - letters)) : 0) | (e->preempted ? TRACE_PREEMPTED : 0);
}

/*
 * What a kernel's context mostly is at such a moment: its locks, and the
 * interrupt that wakes. Who wakes with the sync hint holds the lock of a wait
 * queue, too.
 */
static void set_context(struct trace_event *out, bool irq, bool softirq, bool sync)
{
	out->context = TRACE_HAS_CONTEXT;
	switch (out->kind) {
	case EV_FORK:
	case EV_EXEC:
	case EV_EXIT:
		return;
	case EV_WAKING:
	case EV_MIGRATE:
		out->preempt_depth = 2 + sync;
		break;
	case EV_WAKEUP:
		out->preempt_depth = 3 + sync;
		if (irq && out->target_cpu == out->cpu)
			out->context |= TRACE_NEED_RESCHED;
		break;
	default:
		out->preempt_depth = 2;
	}
	out->context |= TRACE_IRQS_OFF | (irq ? TRACE_HARDIRQ : 0) | (softirq ? TRACE_SOFTIRQ : 0);
}

static void fill(struct trace_collector *c, struct trace_event *out,
		 const struct sim_trace_event *e)
{
	struct running *r = &c->running[e->cpu];

	out->ns = e->now;
	out->cpu = (u16)e->cpu;
	out->kind = kinds[e->kind];
	out->curr_pid = r->pid;
	out->curr_comm = r->comm;
	out->pid = e->pid;
	out->comm = name_of(c, e->comm, e->pid, e->cpu);
	out->prio = (s16)e->prio;
	switch (out->kind) {
	case EV_SWITCH:
	case EV_FORK:
		out->curr_pid = e->pid;
		out->curr_comm = out->comm;
		out->pid = e->next_pid;
		out->comm = name_of(c, e->next_comm, e->next_pid, e->cpu);
		out->prio = (s16)e->next_prio;
		if (out->kind == EV_FORK) {
			out->prio = 0;
			break;
		}
		out->prev_prio = (s16)e->prio;
		out->prev_state = state_of(e);
		*r = (struct running){ out->pid, out->comm };
		break;
	case EV_EXEC:
		out->prio = 0;
		out->filename = out->comm;
		out->comm = out->curr_comm;
		out->old_pid = e->pid;
		break;
	case EV_MIGRATE:
		out->orig_cpu = (u16)e->orig_cpu;
		out->target_cpu = (u16)e->dest_cpu;
		break;
	case EV_WAKING:
	case EV_WAKEUP:
	case EV_WAKEUP_NEW:
		out->target_cpu = (u16)e->dest_cpu;
		break;
	default:
		break;
	}
	set_context(out, e->irq, e->softirq, e->sync && out->kind != EV_SWITCH);
}

void trace_collect(void *collector, const struct sim_trace_event *e)
{
	struct trace_collector *c = collector;
	struct trace_event passing = { 0 }, *out = &passing;

	if (!c->each)
		out = trace_add(c->t);
	if (!out) {
		c->error = -ENOMEM;
		return;
	}
	fill(c, out, e);
	if (c->each)
		c->each(c->ctx, c->t, out);
}

void trace_on_load(struct trace_collector *c, void (*load)(void *ctx, const struct trace_load *l))
{
	c->load = load;
}

void trace_collect_load(void *collector, u64 now, int cpu, int nr_running, unsigned long util)
{
	struct trace_collector *c = collector;
	struct trace_load l = { now, cpu, (u32)nr_running, (u32)util };

	if (c->load)
		c->load(c->ctx, &l);
}

int trace_collector_end(struct trace_collector *c, struct trace **t)
{
	int ret = c->error;

	if (!ret && t && !c->each)
		ret = trace_finish(c->t);
	if (!ret && t)
		*t = c->t;
	else
		trace_free(c->t);
	free(c);
	return ret;
}
