// SPDX-License-Identifier: BSD-2-Clause
/*
 * pins.c - who may run on one CPU only, from what it did.
 *
 * Traces don't tell affinities. A task that waited for its CPU for long while
 * others were idle, and never was anywhere else, would have been pulled away if
 * that had been allowed: a CPU that is idle looks for work at every tick.
 */
#include <errno.h>
#include <stdlib.h>

#include "replay/program.h"

#define PINNED_WAIT_NS (20 * NSEC_PER_MSEC) /* several ticks of the slowest clock */

struct pin_task {
	u64 since;	/* idle time of others when it began to wait */
	u64 waited;
	bool waiting, moved;
	int cpu;	/* the one where it has been so far; -1 */
};

struct pins {
	const struct story *s;
	struct pin_task *task;
	u32 *curr;	/* by CPU */
	int nr_idle;
	u64 last_ns, idle_ns; /* idle_ns: time so far in which some CPU was idle */
};

static void advance(struct pins *p, u64 now)
{
	if (p->nr_idle > 0)
		p->idle_ns += now - p->last_ns;
	p->last_ns = now;
}

static void begin_wait(struct pins *p, u32 task)
{
	if (task == STORY_NONE || p->task[task].waiting)
		return;
	p->task[task].waiting = true;
	p->task[task].since = p->idle_ns;
}

static void end_wait(struct pins *p, u32 task)
{
	if (task == STORY_NONE || !p->task[task].waiting)
		return;
	p->task[task].waiting = false;
	p->task[task].waited += p->idle_ns - p->task[task].since;
}

static void seen_on(struct pins *p, u32 task, int cpu)
{
	if (task == STORY_NONE)
		return;
	p->task[task].moved |= p->task[task].cpu >= 0 && p->task[task].cpu != cpu;
	p->task[task].cpu = cpu;
}

static void look(struct pins *p, const struct story_act *a)
{
	advance(p, a->ns);
	switch (a->kind) {
	case STORY_SWITCH:
		p->nr_idle += (a->task == STORY_NONE) - (p->curr[a->cpu] == STORY_NONE);
		p->curr[a->cpu] = a->task;
		if (a->preempted)
			begin_wait(p, a->other);
		end_wait(p, a->task);
		seen_on(p, a->task, a->cpu);
		break;
	case STORY_ENQUEUE:
	case STORY_START:
		seen_on(p, a->task, a->to);
		begin_wait(p, a->task);
		break;
	case STORY_BLOCK:
		end_wait(p, a->task);
		break;
	default:
		break;
	}
}

int replay_conclude_pins(struct replay *r)
{
	const struct story *s = r->story;
	struct pins p = { .s = s, .last_ns = s->first_ns, .nr_idle = s->nr_cpus };

	p.task = calloc((size_t)s->nr_tasks + 1, sizeof(*p.task));
	p.curr = calloc((size_t)s->nr_cpus + 1, sizeof(*p.curr));
	if (!p.task || !p.curr) {
		free(p.task);
		free(p.curr);
		return -ENOMEM;
	}
	for (int cpu = 0; cpu < s->nr_cpus; cpu++)
		p.curr[cpu] = STORY_NONE;
	for (u32 i = 0; i < s->nr_tasks; i++) {
		const struct story_task *t = &s->task[i];

		p.task[i].cpu = -1;
		if (t->start != START_RUNNING || p.curr[t->start_cpu] != STORY_NONE)
			continue;
		p.curr[t->start_cpu] = i;
		p.nr_idle--;
	}
	for (u32 i = 0; i < s->nr_acts; i++)
		look(&p, &s->act[i]);
	for (u32 i = 0; i < s->nr_tasks; i++) {
		struct replay_task *t = &r->task[i];

		if (t->only_cpu >= 0 || t->skipped || p.task[i].moved || p.task[i].cpu < 0 ||
		    p.task[i].waited < PINNED_WAIT_NS)
			continue;
		t->only_cpu = p.task[i].cpu;
		t->pinned = true;
		r->notes.pinned++;
	}
	free(p.task);
	free(p.curr);
	return 0;
}
