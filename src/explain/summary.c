// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "explain/summary.h"

struct explain_summary *explain_summary_new(const struct sched_topology *topo)
{
	struct explain_summary *s = calloc(1, sizeof(*s));

	if (s)
		s->topo = topo;
	return s;
}

void explain_summary_free(struct explain_summary *s)
{
	if (!s)
		return;
	for (int i = 0; i < NR_REASONS; i++) {
		free(s->wakeup[i].wait);
		free(s->fork[i].wait);
	}
	free(s);
}

static bool is_search(int step)
{
	return step == STEP_CORES || step == STEP_CLUSTER || step == STEP_SEARCH ||
	       step == STEP_CAPACITY;
}

static void add_placement(struct explain_summary *s, struct explain_rule *r,
			  const struct explain_decision *d)
{
	int from = (int)d->value[2];

	r->count++;
	r->dist[topo_distance(s->topo, from, d->target)]++;
	r->to_waker += d->target == d->cpu && from != d->cpu;
	r->to_idle += d->target_idle;
	r->cost_ns += d->value[1];
	for (int i = 0; i < d->nr_steps; i++)
		if (is_search(d->step[i].step))
			r->read += d->step[i].value[0];
}

static void add_wakeup(struct explain_summary *s, const struct explain_decision *d)
{
	if (d->value[0] == WAKE_SPIN) { /* it will be decided anew */
		s->spins++;
		return;
	}
	s->nr_wakeups++;
	s->path[d->value[0]]++;
	for (int i = 0; i < d->nr_steps; i++) {
		if (d->step[i].step == STEP_WA_RESULT)
			s->affine[d->step[i].reason]++;
		s->wide += d->step[i].step == STEP_WAKE_WIDE && d->step[i].taken;
	}
	add_placement(s, &s->wakeup[d->reason], d);
}

void explain_summary_add(struct explain_summary *s, const struct explain_decision *d)
{
	switch (d->kind) {
	case STEP_WAKEUP:
		add_wakeup(s, d);
		break;
	case STEP_FORK:
		s->nr_forks++;
		add_placement(s, &s->fork[d->reason], d);
		break;
	case STEP_EXEC:
		s->execs++;
		s->execs_away += d->target != d->cpu;
		break;
	case STEP_PICK:
		s->pick[d->reason]++;
		break;
	case STEP_PREEMPT:
		s->preempts += d->taken;
		s->preempts_not += !d->taken;
		break;
	case STEP_PASS:
		s->passes++;
		break;
	case STEP_PULL:
		s->pulls[topo_distance(s->topo, (int)d->value[0], d->target)]++;
		break;
	case STEP_PUSH:
		s->pushes++;
		break;
	}
}

void explain_summary_ran(struct explain_summary *s, const struct explain_ran *r)
{
	struct explain_rule *rule = r->kind == STEP_FORK ? s->fork : s->wakeup;

	rule += r->reason;
	if (!rule->wait)
		rule->wait = calloc(1, sizeof(*rule->wait));
	if (rule->wait)
		hist_add(rule->wait, r->ran_at - r->decided_at);
	else
		s->lost = true;
}

void explain_summary_wait(const struct explain_summary *s, struct hist *all)
{
	for (int i = 0; i < NR_REASONS; i++)
		if (s->wakeup[i].wait)
			hist_merge(all, s->wakeup[i].wait);
}
