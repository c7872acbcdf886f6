// SPDX-License-Identifier: BSD-2-Clause
/*
 * collect.c - steps become decisions; wake-ups wait until their task runs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"

#define FIRST_WAITS 256 /* a power of 2 */

/* A wake-up or fork that was decided; the task has not run since. */
struct wait {
	struct explain_ran r;
	bool queued;
};

struct explain {
	struct explain_listener l;
	struct sim *sim;
	struct sched *sched;
	int words;
	u64 *masks; /* [EXPLAIN_MAX_STEPS][words] */
	u64 nr[NR_STEPS];
	bool stopped, lost;
	/* open addressing, by pid; pid 0: free */
	struct wait *waits;
	u32 cap, n;
	struct explain_decision d; /* as far as it is told */
};

struct explain *explain_new(int nr_cpus, const struct explain_listener *l)
{
	struct explain *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->l = *l;
	e->words = mask_words(nr_cpus);
	e->masks = calloc((size_t)EXPLAIN_MAX_STEPS * e->words, sizeof(u64));
	e->waits = calloc(FIRST_WAITS, sizeof(*e->waits));
	e->cap = FIRST_WAITS;
	if (!e->masks || !e->waits) {
		explain_free(e);
		return NULL;
	}
	return e;
}

void explain_free(struct explain *e)
{
	if (!e)
		return;
	free(e->masks);
	free(e->waits);
	free(e);
}

void explain_stop(struct explain *e)
{
	e->stopped = true;
	sim_cancel(e->sim);
}

bool explain_stopped(const struct explain *e)
{
	return e->stopped;
}

int explain_error(const struct explain *e)
{
	return e->lost ? -ENOMEM : 0;
}

u64 explain_run_ns(const struct explain *e)
{
	return e->sim ? sim_now(e->sim) : 0;
}

/* ---- tasks that wait ---- */

static u32 slot_of(const struct explain *e, int pid)
{
	u32 i = (u32)pid * 2654435761u & (e->cap - 1);

	while (e->waits[i].r.pid && e->waits[i].r.pid != pid)
		i = (i + 1) & (e->cap - 1);
	return i;
}

static struct wait *find_wait(struct explain *e, int pid)
{
	struct wait *w = &e->waits[slot_of(e, pid)];

	return w->r.pid ? w : NULL;
}

static bool grow_waits(struct explain *e)
{
	struct wait *old = e->waits;
	u32 cap = e->cap;

	e->waits = calloc((size_t)cap * 2, sizeof(*e->waits));
	if (!e->waits) {
		e->waits = old;
		e->lost = true;
		return false;
	}
	e->cap = cap * 2;
	for (u32 i = 0; i < cap; i++)
		if (old[i].r.pid)
			e->waits[slot_of(e, old[i].r.pid)] = old[i];
	free(old);
	return true;
}

static struct wait *add_wait(struct explain *e, int pid)
{
	struct wait *w;

	if (e->n * 2 >= e->cap && !grow_waits(e))
		return NULL;
	w = &e->waits[slot_of(e, pid)];
	e->n += !w->r.pid;
	*w = (struct wait){ .r = { .pid = pid } };
	return w;
}

/* whoever was pushed along by a collision moves up */
static void drop_wait(struct explain *e, struct wait *w)
{
	u32 i = w - e->waits;

	e->n--;
	w->r.pid = 0;
	for (;;) {
		struct wait moved;

		i = (i + 1) & (e->cap - 1);
		if (!e->waits[i].r.pid)
			return;
		moved = e->waits[i];
		e->waits[i].r.pid = 0;
		e->waits[slot_of(e, moved.r.pid)] = moved;
	}
}

/* ---- the core's records ---- */

static void copy_values(s64 *to, const s64 *from)
{
	memcpy(to, from, SCHED_RECORD_VALUES * sizeof(*to));
}

static void add_step(struct explain *e, const struct sched_record *rec)
{
	struct explain_decision *d = &e->d;
	struct explain_step *st = &d->step[d->nr_steps];

	if (d->nr_steps == EXPLAIN_MAX_STEPS) {
		d->left_out++;
		return;
	}
	*st = (struct explain_step){
		.step = rec->step,
		.reason = rec->reason,
		.candidate = rec->candidate,
		.taken = rec->taken,
	};
	copy_values(st->value, rec->value);
	if (rec->cpus) {
		st->cpus = e->masks + (size_t)d->nr_steps * e->words;
		mask_copy(st->cpus, rec->cpus, e->words);
	}
	d->nr_steps++;
}

static void name_task(const struct task *p, int *pid, char *comm)
{
	*pid = p ? sched_task_id(p) : 0;
	strcpy(comm, p ? sched_task_comm(p) : "");
}

/* a wake-up that is decided anew takes its number with it */
static void number(struct explain *e, struct explain_decision *d)
{
	struct wait *w;

	if (d->kind != STEP_WAKEUP) {
		d->nr = ++e->nr[d->kind];
		return;
	}
	w = find_wait(e, d->pid);
	d->again = w && !w->queued;
	d->nr = d->again ? w->r.nr : ++e->nr[d->kind];
}

static void wait_for(struct explain *e, const struct explain_decision *d)
{
	struct wait *w = add_wait(e, d->pid);

	if (!w)
		return;
	w->r.kind = d->kind;
	memcpy(w->r.comm, d->comm, sizeof(w->r.comm));
	w->r.nr = d->nr;
	w->r.reason = d->reason;
	w->r.from = (int)d->value[2];
	w->r.target = d->target;
	w->r.decided_at = d->now;
}

static void heard(void *ctx, const struct sched_record *rec)
{
	struct explain *e = ctx;
	struct explain_decision *d = &e->d;

	if (!rec->final) {
		add_step(e, rec);
		return;
	}
	d->kind = rec->step;
	d->now = sim_now(e->sim);
	d->cpu = rec->cpu;
	d->target = rec->candidate;
	d->reason = rec->reason;
	d->taken = rec->taken;
	d->target_idle = rec->candidate >= 0 && sched_cpu_idle(e->sched, rec->candidate);
	copy_values(d->value, rec->value);
	name_task(rec->p, &d->pid, d->comm);
	name_task(sched_current(e->sched, rec->cpu), &d->by_pid, d->by_comm);
	if (d->kind != STEP_WAKEUP || d->value[0] != WAKE_CURRENT) {
		number(e, d);
		if (d->kind == STEP_WAKEUP || d->kind == STEP_FORK)
			wait_for(e, d);
		if (!e->stopped)
			e->l.decision(e->l.ctx, d);
	}
	d->nr_steps = d->left_out = 0;
	d->again = false;
}

/* ---- the run's events ---- */

static void event(void *ctx, const struct sim_trace_event *ev)
{
	struct explain *e = ctx;
	struct wait *w;

	if (ev->kind == TRACE_WAKEUP || ev->kind == TRACE_WAKEUP_NEW) {
		w = find_wait(e, ev->pid);
		if (w && !w->queued) {
			w->queued = true;
			w->r.queued_at = sim_now(e->sim);
		}
	} else if (ev->kind == TRACE_SWITCH && ev->next_pid) {
		w = find_wait(e, ev->next_pid);
		if (!w || !w->queued)
			return;
		w->r.ran_at = sim_now(e->sim);
		w->r.cpu = ev->cpu;
		if (e->l.ran && !e->stopped)
			e->l.ran(e->l.ctx, &w->r);
		drop_wait(e, w);
	}
}

static void begin(void *ctx, struct sim *sim)
{
	struct explain *e = ctx;

	e->sim = sim;
	e->sched = sim_sched(sim);
	sched_set_sink(e->sched, heard, e);
}

void explain_attach(struct explain *e, struct sim_params *p)
{
	p->begin = begin;
	p->begin_ctx = e;
	p->trace = event;
	p->trace_ctx = e;
}

void explain_copy(struct explain_decision *to, const struct explain_decision *from, u64 *masks,
		  int words)
{
	memcpy(to, from,
	       offsetof(struct explain_decision, step) + from->nr_steps * sizeof(from->step[0]));
	for (int i = 0; i < from->nr_steps; i++) {
		if (!from->step[i].cpus)
			continue;
		to->step[i].cpus = masks + (size_t)i * words;
		mask_copy(to->step[i].cpus, from->step[i].cpus, words);
	}
}
