/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rtapp.h - an rt-app file, read and checked (spec 15).
 *
 * Like the grammar this knows nothing of the simulation: what is read here is
 * executed by simulated tasks (rtapp_run.c) and can be by real threads.
 * Times are in the file's microseconds until they are executed.
 */
#ifndef IDLEST_WORKLOAD_RTAPP_H
#define IDLEST_WORKLOAD_RTAPP_H

#include "base/arena.h"
#include "base/err.h"
#include "workload/rjson.h"

enum rtapp_event_type {
	RT_RUN,	    /* value: us of work on the calibrated CPU */
	RT_RUNTIME, /* value: us of wall time */
	RT_SLEEP,   /* value: us */
	RT_TIMER,   /* value: period; object: timer */
	RT_LOCK,    /* object: mutex */
	RT_UNLOCK,
	RT_WAIT,   /* object: condition; mutex */
	RT_SIGNAL, /* object: condition */
	RT_BROAD,
	RT_SYNC,    /* object: condition; mutex */
	RT_BARRIER, /* object: barrier */
	RT_SUSPEND, /* object: event */
	RT_RESUME,
	RT_SEM_POST, /* object: semaphore */
	RT_SEM_WAIT,
	RT_MEM,	   /* value: bytes */
	RT_MEMRUN, /* memrun */
	RT_IORUN,  /* value: bytes */
	RT_YIELD,
	RT_FORK, /* object: task */
};

enum rtapp_resource_kind {
	RTAPP_MUTEX,
	RTAPP_COND,
	RTAPP_SEM,
	RTAPP_BARRIER,
	RTAPP_EVENT,
	RTAPP_TIMER,
	RTAPP_BUFFER,
	NR_RTAPP_KINDS
};

/* Created at first use, one for each kind and name. */
struct rtapp_resource {
	const char *name;
	int line, col; /* of its first use */
	int owner;     /* a "unique" timer: the task; else -1 */
	int users;     /* BARRIER: uses x instances */
	bool absolute; /* TIMER: one absolute use makes all uses absolute */
	s64 bytes;     /* BUFFER */
	int nr;	       /* TIMER: number among those of the owner, or of all tasks */
};

enum rtapp_access { MEMRUN_READ, MEMRUN_WRITE, MEMRUN_CHASE };

struct rtapp_memrun {
	enum rtapp_access access;
	bool sequential;
	s64 size, count, stride;
	int buffer; /* shared BUFFER, -1: the thread's own */
};

struct rtapp_event {
	enum rtapp_event_type type;
	const char *key;
	int line, col;
	s64 value;
	int object, mutex;
	const struct rtapp_memrun *memrun;
	struct rtapp_event *next;
};

enum rtapp_policy { RTAPP_OTHER, RTAPP_BATCH, RTAPP_IDLE, RTAPP_FIFO, RTAPP_RR, RTAPP_DEADLINE };

/* What a thread or a phase asks of the scheduler. */
struct rtapp_sched {
	bool set_policy, set_priority, set_slice;
	enum rtapp_policy policy;
	int priority; /* fair: nice; FIFO, RR: realtime priority */
	s64 slice_us; /* dl-runtime: a fair task's slice, a deadline task's runtime */
	s64 deadline_us, period_us;
	int util_min, util_max; /* -1: as it was */
	int taskgroup; /* number of its path among all of the file, from 1; 0: not given */
};

/* A list of CPUs or nodes; nr = 0: not given. */
struct rtapp_list {
	int nr;
	int *id;
	int number; /* among all lists of the file */
	int line, col;
};

struct rtapp_phase {
	const char *name;
	int line, col;
	int loop; /* 0 or less: for ever */
	struct rtapp_sched sched;
	struct rtapp_list cpus, nodes;
	struct rtapp_event *event; /* in order */
	struct rtapp_phase *next;
};

struct rtapp_task {
	const char *name;
	int line, col;
	int instances;
	s64 delay_us;
	int loop;	 /* passes over all phases; less than 0: for ever */
	int first_index; /* of its first instance, in the names of threads */
	int nr_timers;	 /* own ("unique") ones */
	struct rtapp_sched sched;
	struct rtapp_list cpus, nodes;
	struct rtapp_phase *phase;
};

struct rtapp_options {
	enum rjson_reading reading;
	bool named_suspend; /* before 2025-05-31: the string names what is waited on */
	bool endless;	    /* a limit is given otherwise: the file needs no duration */
};

#define RTAPP_MAX_WARNINGS 64
#define RTAPP_MAX_GROUPS   32

struct rtapp {
	struct arena *arena;
	const char *file;
	struct rtapp_options opt;
	/* global */
	int duration_s;	     /* -1: until every thread ends */
	int calibration_cpu; /* CPU that the work is measured on */
	int calibration_ns;  /* ns per loop; 0: measured */
	enum rtapp_policy policy;
	s64 mem_buffer_size;
	/* tasks */
	int nr_tasks, nr_threads; /* threads: instances of all tasks */
	struct rtapp_task *task;
	int nr_resources[NR_RTAPP_KINDS];
	struct rtapp_resource *resource[NR_RTAPP_KINDS];
	int room[NR_RTAPP_KINDS];
	int nr_shared_timers;
	int nr_lists;
	int nr_groups;
	const char *group[RTAPP_MAX_GROUPS + 1]; /* paths, in the order of their first use */
	int nr_warnings;
	const char *warning[RTAPP_MAX_WARNINGS];
};

/**
 * rtapp_read() - read the file @path
 *
 * Return: 0, -ENOENT, -EISDIR, -EFBIG, -EINVAL (not an rt-app file, or something in it
 * that isn't supported: file, line, column and what is expected), -ENOTSUP
 * (understood, but not built yet; with the place), -ENOMEM.
 */
int rtapp_read(const char *path, const struct rtapp_options *opt, struct rtapp **app,
	       struct err *err);
/** rtapp_parse() - the same of @len bytes of @text; @file is for messages */
int rtapp_parse(const char *text, size_t len, const char *file, const struct rtapp_options *opt,
		struct rtapp **app, struct err *err);
void rtapp_free(struct rtapp *app);

#endif
