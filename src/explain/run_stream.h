/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run_stream.h - a run in a thread of its own whose decisions are taken one by one.
 *
 * The run waits when it is a few dozen decisions ahead of whoever takes them, so
 * that two runs can be compared in lockstep in little memory, however long
 * they are.
 */
#ifndef IDLEST_EXPLAIN_RUN_STREAM_H
#define IDLEST_EXPLAIN_RUN_STREAM_H

#include "explain/explain.h"
#include "workload/workload.h"

struct run_stream;

enum stream_kind { STREAM_DECISION, STREAM_RAN, STREAM_END };

struct stream_item {
	enum stream_kind kind;
	union {
		const struct explain_decision *d;
		const struct explain_ran *ran;
	};
};

/** run_stream_start() - begin a run; everything is kept by reference until run_stream_free() */
struct run_stream *run_stream_start(const struct workload *w, const struct machine *m,
				    const struct sched_kernel *k, u64 seed, struct err *err);

/** run_stream_next() - the next item; valid until the next call */
void run_stream_next(struct run_stream *s, struct stream_item *item);

/**
 * run_stream_result() - how the run went; after STREAM_END
 *
 * Return: NULL with @err filled if it failed.
 */
const struct result *run_stream_result(struct run_stream *s, struct err *err);

/** run_stream_free() - end it, wherever it is */
void run_stream_free(struct run_stream *s);

#endif
