// SPDX-License-Identifier: BSD-2-Clause
/*
 * diff.c - two streams of decisions, side by side until they part, then each to its end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "explain/diff.h"
#include "explain/run_stream.h"

/*
 * A pick without a choice decides nothing, a pass that moves nothing changes
 * nothing: both come where they must.
 */
static bool is_choice(const struct explain_decision *d)
{
	if (d->kind == STEP_PASS)
		return false;
	return d->kind != STEP_PICK || d->value[0] > 1;
}

/* the next choice of @s; NULL: none comes any more */
static const struct explain_decision *next_choice(struct run_stream *s)
{
	struct stream_item item;

	do
		run_stream_next(s, &item);
	while (item.kind == STREAM_RAN || (item.kind == STREAM_DECISION && !is_choice(item.d)));
	return item.kind == STREAM_DECISION ? item.d : NULL;
}

static enum diff_how compare(const struct explain_decision *a, const struct explain_decision *b)
{
	if (!a && !b)
		return DIFF_NONE;
	if (!a || !b)
		return DIFF_END;
	/* a pick is asked of a CPU; which task it answers is the choice */
	if (a->kind != b->kind || a->cpu != b->cpu || (a->kind != STEP_PICK && a->pid != b->pid))
		return DIFF_ORDER;
	if (a->target != b->target || a->taken != b->taken || a->pid != b->pid)
		return DIFF_CHOICE;
	if (a->kind == STEP_WAKEUP && a->value[0] != b->value[0])
		return DIFF_CHOICE;
	return DIFF_NONE;
}

static s64 cost_of(const struct explain_decision *d)
{
	return d->kind == STEP_WAKEUP || d->kind == STEP_FORK || d->kind == STEP_EXEC ? d->value[1]
										      : 0;
}

static void note_shift(struct diff *out, const struct explain_decision *a,
		       const struct explain_decision *b)
{
	if (out->shift.nr || (a->now == b->now && cost_of(a) == cost_of(b)))
		return;
	out->shift.nr = out->same;
	out->shift.now[0] = a->now;
	out->shift.now[1] = b->now;
	out->shift.cost[0] = cost_of(a);
	out->shift.cost[1] = cost_of(b);
}

static int keep(struct diff_side *side, const struct explain_decision *d, int words)
{
	if (!d)
		return 0;
	side->d = calloc(1, sizeof(*side->d));
	side->masks = calloc((size_t)EXPLAIN_MAX_STEPS * words, sizeof(u64));
	if (!side->d || !side->masks)
		return -ENOMEM;
	explain_copy(side->d, d, side->masks, words);
	return 0;
}

static int find(struct diff *out, struct run_stream **s, int words, struct err *err)
{
	for (;;) {
		const struct explain_decision *a = next_choice(s[0]), *b = next_choice(s[1]);

		out->how = compare(a, b);
		if (out->how == DIFF_NONE && !a)
			return 0;
		if (out->how == DIFF_NONE) {
			out->same++;
			note_shift(out, a, b);
			continue;
		}
		if (keep(&out->side[0], a, words) || keep(&out->side[1], b, words))
			return err_set(err, -ENOMEM, "out of memory");
		if (out->how == DIFF_CHOICE) {
			out->pid = a->pid ? a->pid : b->pid;
			strcpy(out->comm, a->pid ? a->comm : b->comm);
		}
		return 0;
	}
}

/* ---- afterwards ---- */

static void follow_decision(const struct diff *out, struct diff_side *side,
			    const struct explain_decision *d)
{
	struct diff_follow *fo = &side->follow[side->nr_follow];

	if (d->pid != out->pid || !out->pid || side->nr_follow == DIFF_FOLLOW)
		return;
	if (d->kind == STEP_PICK || d->kind == STEP_PREEMPT)
		return; /* where it goes and how long it waits is the question */
	*fo = (struct diff_follow){ .kind = d->kind,
				    .target = d->target,
				    .reason = d->reason,
				    .nr = d->nr,
				    .now = d->now,
				    .waited = UINT64_MAX };
	side->nr_follow++;
}

static void follow_ran(const struct diff *out, struct diff_side *side, const struct explain_ran *r)
{
	for (int i = 0; i < side->nr_follow && r->pid == out->pid; i++)
		if (side->follow[i].kind == r->kind && side->follow[i].nr == r->nr)
			side->follow[i].waited = r->ran_at - r->decided_at;
}

static int drain(struct diff *out, struct diff_side *side, struct run_stream *s,
		 const struct sched_topology *topo, struct err *err)
{
	const struct result *r;
	struct stream_item item;

	side->after = explain_summary_new(topo);
	if (!side->after)
		return err_set(err, -ENOMEM, "out of memory");
	if (side->d) {
		explain_summary_add(side->after, side->d);
		follow_decision(out, side, side->d);
	}
	for (;;) {
		run_stream_next(s, &item);
		if (item.kind == STREAM_END)
			break;
		if (item.kind == STREAM_DECISION) {
			explain_summary_add(side->after, item.d);
			follow_decision(out, side, item.d);
		} else {
			explain_summary_ran(side->after, item.ran);
			follow_ran(out, side, item.ran);
		}
	}
	r = run_stream_result(s, err);
	if (!r)
		return err->code;
	side->result = *r;
	return 0;
}

int diff_run(const struct workload *w, const struct machine *m, const struct sched_kernel *k,
	     u64 seed, struct diff **out, struct err *err)
{
	struct diff *d = calloc(1, sizeof(*d));
	struct run_stream *s[2] = { NULL, NULL };
	int ret = 0;

	*out = NULL;
	if (!d)
		return err_set(err, -ENOMEM, "out of memory");
	for (int i = 0; i < 2 && !ret; i++) {
		s[i] = run_stream_start(w, m, &k[i], seed, err);
		ret = s[i] ? 0 : err->code;
	}
	if (!ret)
		ret = find(d, s, mask_words(m->topo.nr_cpus), err);
	for (int i = 0; i < 2 && !ret; i++) {
		ret = drain(d, &d->side[i], s[i], &m->topo, err);
		if (ret)
			err_prefix(err, "%s: ", k[i].expr);
	}
	for (int i = 0; i < 2; i++)
		run_stream_free(s[i]);
	if (ret)
		diff_free(d);
	else
		*out = d;
	return ret;
}

void diff_free(struct diff *d)
{
	if (!d)
		return;
	for (int i = 0; i < 2; i++) {
		free(d->side[i].d);
		free(d->side[i].masks);
		explain_summary_free(d->side[i].after);
	}
	free(d);
}
