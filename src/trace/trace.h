/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace.h - recorded scheduler events in one form, whoever recorded them.
 *
 * Readers turn other people's spellings (ftrace text, perf script, systrace
 * pages, trace.dat, Perfetto) into an array of events sorted by time; what they can't use
 * is counted by reason, never fatal (spec 11 §1, §2). Everything above reads
 * the array and knows no spelling.
 */
#ifndef IDLEST_TRACE_TRACE_H
#define IDLEST_TRACE_TRACE_H

#include "base/err.h"
#include "base/types.h"

/* What happened. The comment says what curr and task are, and which of the union is filled. */
enum trace_kind {
	EV_SWITCH,	/* curr: who leaves, task: who comes; prev_prio, prev_state */
	EV_WAKING,	/* curr: the waker, task: the wakee; target_cpu: where it was */
	EV_WAKEUP,	/* task; target_cpu: where it was put */
	EV_WAKEUP_NEW,	/* likewise, a new task */
	EV_MIGRATE,	/* task; orig_cpu, target_cpu */
	EV_FORK,	/* curr: the parent, task: the child */
	EV_EXEC,	/* task: pid (comm: as before); filename, old_pid */
	EV_EXIT,	/* task */
	EV_FREE,	/* task */
	EV_STAT_RUNTIME, /* task; value_ns: ran since the last one */
	EV_STAT_WAIT,	/* task; value_ns, and so the next three */
	EV_STAT_SLEEP,
	EV_STAT_IOWAIT,
	EV_STAT_BLOCKED,
	EV_WAKE_IDLE,	/* sched_wake_idle_without_ipi; target_cpu */
	EV_MARK,	/* tracing_mark_write; text */
	NR_TRACE_KINDS
};

/* prev_state: nothing set is R */
#define TRACE_STATE_S	  0x01 /* interruptible */
#define TRACE_STATE_D	  0x02 /* uninterruptible */
#define TRACE_STATE_T	  0x04 /* stopped */
#define TRACE_STATE_t	  0x08 /* traced */
#define TRACE_STATE_X	  0x10 /* dead */
#define TRACE_STATE_Z	  0x20 /* zombie */
#define TRACE_STATE_P	  0x40 /* parked */
#define TRACE_STATE_I	  0x80 /* idle kernel thread */
#define TRACE_STATE_OTHER 0x100 /* a letter or bit of another kernel */
#define TRACE_PREEMPTED	  0x200 /* the "+": still runnable */

/* context */
#define TRACE_HAS_CONTEXT  0x01 /* the trace has the column */
#define TRACE_IRQS_OFF	   0x02
#define TRACE_NEED_RESCHED 0x04
#define TRACE_LAZY_RESCHED 0x08
#define TRACE_HARDIRQ	   0x10
#define TRACE_SOFTIRQ	   0x20
#define TRACE_INFERRED	   0x80 /* not recorded: concluded from other events */

/* A number of an interned string, see trace_string(); 0 is the empty string: not known. */
typedef u32 trace_str;

struct trace_event {
	u64 ns;		     /* on the trace's clock */
	s32 curr_pid, pid;
	trace_str curr_comm, comm;
	union {
		struct {
			s16 prev_prio;
			u16 prev_state; /* TRACE_STATE_ bits */
		};
		struct {
			u16 target_cpu, orig_cpu;
		};
		struct {
			trace_str filename;
			s32 old_pid;
		};
		u64 value_ns;
		trace_str text;
	};
	u16 cpu;	     /* that recorded it */
	s16 prio;	     /* the task's, as the kernel counts: 120 + nice, 99 - rt, -1 deadline */
	u8 kind;	     /* enum trace_kind */
	u8 context;	     /* TRACE_ bits */
	u8 preempt_depth;
};
_Static_assert(sizeof(struct trace_event) <= 40, "an event is kept in 40 bytes");

/* Why a line or record isn't among the events. */
enum trace_skip {
	SKIP_NOT_A_LINE,
	SKIP_NO_CPU,
	SKIP_TEXT,
	SKIP_UNPARSED,
	SKIP_RANGE,
	SKIP_CUT,
	SKIP_LONG,
	SKIP_FAILED_WAKE,
	SKIP_DAMAGED,
	SKIP_REST,
	SKIP_CUT_PACKET,
	SKIP_LONG_PACKET,
	SKIP_NO_PREV,
	SKIP_MACHINE,
	NR_TRACE_SKIPS
};

struct trace {
	struct trace_event *event;
	size_t nr;
	int nr_cpus;		 /* highest CPU that occurs (or is announced) + 1 */
	u64 count[NR_TRACE_KINDS];

	/* what the reader noticed */
	bool packets;		 /* it has packets where text has lines */
	u64 lines, comments;
	u64 others;		 /* whole lines of events that aren't kept */
	u64 lost, gaps;		 /* events lost by the recorder; places where that happened */
	u64 out_of_order;	 /* events earlier than the one before */
	u64 inferred;		 /* migrations that weren't recorded */
	struct {
		u64 count, first_line; /* 0: it can't be told */
	} skip[NR_TRACE_SKIPS];

	/* private to trace/ */
	size_t room;
	bool new_states;	 /* numeric states are as since Linux 4.14 */
	struct trace_strings *strings;
};

/**
 * trace_read() - read a trace
 * @path: a file, or "-" for standard input; ftrace text in any spelling,
 *	perf script, systrace page, or a Perfetto trace, each also gzip, xz or
 *	zstd; or a trace.dat
 *
 * The events come back sorted by time (equal times in the order of the file),
 * with numeric task states resolved and unrecorded migrations inferred.
 *
 * Return: 0; -ENOENT and other errors of opening and reading; -EBADMSG when the
 * compressed file is damaged; -EINVAL when not one event was found.
 */
int trace_read(const char *path, struct trace **t, struct err *err);
/** trace_read_text() - the same of @len bytes of text in memory; no event at all is fine */
int trace_read_text(const char *text, size_t len, struct trace **t, struct err *err);
/** trace_read_packets() - the same of a Perfetto trace in memory */
int trace_read_packets(const void *data, size_t len, struct trace **t, struct err *err);
void trace_free(struct trace *t);

/** trace_string() - an interned string; at most 255 bytes, no NUL inside, any other byte */
const char *trace_string(const struct trace *t, trace_str s);
const char *trace_kind_name(enum trace_kind kind);
/** trace_skip_doc() - why, as a sentence's end: "... lines skipped: @doc" */
const char *trace_skip_doc(enum trace_skip skip);
/**
 * trace_note() - what a user should know about the reading, line by line
 * @i: from 0 on
 *
 * Return: false after the last.
 */
bool trace_note(const struct trace *t, int i, char *buf, size_t size);
/** trace_state_letter() - of a prev_state: R S D T t X Z P I */
char trace_state_letter(u16 state);

#endif
