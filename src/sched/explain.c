// SPDX-License-Identifier: BSD-2-Clause
/*
 * explain.c - why a decision went where it went: records to a sink.
 */
#include "sched/internal.h"

static const char *const reason_names[] = {
#define REASON(name, doc) #name,
#include "sched/reasons.def"
#undef REASON
};

static const char *const reason_docs[] = {
#define REASON(name, doc) doc,
#include "sched/reasons.def"
#undef REASON
};

const char *sched_reason_name(int reason)
{
	return reason >= 0 && reason < NR_REASONS ? reason_names[reason] : "?";
}

const char *sched_reason_doc(int reason)
{
	return reason >= 0 && reason < NR_REASONS ? reason_docs[reason] : "?";
}

static const struct {
	const char *name, *doc, *value[SCHED_RECORD_VALUES];
} steps[] = {
#define STEP(name, doc, ...) {#name, doc, {__VA_ARGS__}},
#include "sched/steps.def"
#undef STEP
};

const char *sched_step_name(int step)
{
	return step >= 0 && step < NR_STEPS ? steps[step].name : "?";
}

const char *sched_step_doc(int step)
{
	return step >= 0 && step < NR_STEPS ? steps[step].doc : "?";
}

const char *sched_step_value(int step, int i)
{
	if (step < 0 || step >= NR_STEPS || i < 0 || i >= SCHED_RECORD_VALUES)
		return NULL;
	return steps[step].value[i] && *steps[step].value[i] ? steps[step].value[i] : NULL;
}

void sched_set_sink(struct sched *s, sched_sink_fn fn, void *ctx)
{
	s->sink = fn;
	s->sink_ctx = ctx;
}

void sched_emit(const struct sched *s, const struct sched_record *r)
{
	s->sink(s->sink_ctx, r);
}
