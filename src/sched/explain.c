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

void sched_set_sink(struct sched *s, sched_sink_fn fn, void *ctx)
{
	s->sink = fn;
	s->sink_ctx = ctx;
}

void sched_emit(const struct sched *s, const struct sched_record *r)
{
	s->sink(s->sink_ctx, r);
}
