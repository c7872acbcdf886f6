/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rtdl.h - what tasks and run queues keep for the realtime and the deadline class (spec 08).
 *
 * Inside sched/ only. Priorities are the kernel's: 0 is the highest realtime one, user priority r
 * is 99 - r, 99 stands for no realtime task at all, -1 for a deadline task.
 */
#ifndef IDLEST_SCHED_RTDL_H
#define IDLEST_SCHED_RTDL_H

#include "base/list.h"
#include "base/rbtree.h"
#include "base/types.h"
#include "sched/sched.h"

/* From the lowest to the highest. The stopper is no task: rq.stop_running. */
enum sched_class_id { CLASS_IDLE, CLASS_FAIR, CLASS_RT, CLASS_DL, CLASS_STOP };

#define MAX_RT_PRIO  100
#define RT_PRIO_NONE 99
#define DEFAULT_PRIO 120 /* of nice 0 */
#define MAX_DL_PRIO  0

/* ---- timers of the classes: each run queue has a list, the host waits for its first ---- */

enum class_timer_kind { TIMER_DL_REPLENISH, TIMER_DL_INACTIVE, TIMER_RT_PERIOD, TIMER_SERVER,
			TIMER_CFS_PERIOD, TIMER_CFS_SLACK };

struct class_timer {
	struct list_head node;	/* in rq.timers, by time */
	u64 at;			/* ns */
	int cpu;		/* whose list it is in */
	bool armed;
	enum class_timer_kind kind;
};

/* ---- realtime ---- */

struct sched_rt_entity {
	struct list_head run_list;
	struct list_head pushable; /* in rt_rq.pushable */
	int time_slice;		   /* RR: ticks left */
};

struct rt_rq {
	u64 bitmap[2];
	struct list_head *queue; /* [MAX_RT_PRIO], first come first; the running task keeps its place */
	int nr_running;
	int highest;		 /* priority of the first task, RT_PRIO_NONE */
	struct list_head pushable; /* waiting tasks that may move, by priority */
	bool throttled;		 /* used up its run time: not picked until the period ends */
	u64 rt_time, rt_runtime; /* ns of the period */
};

/* ---- deadline ---- */

struct sched_dl_entity {
	struct rb_node node;	/* in dl_rq.root, by deadline */
	struct rb_node push_node; /* in dl_rq.pushable */
	bool queued, pushable;
	u64 dl_runtime, dl_deadline, dl_period; /* ns, as asked for */
	u64 dl_bw, dl_density;	/* times 2^20 */
	u32 flags;
	s64 runtime;		/* ns of budget left */
	u64 deadline;		/* absolute */
	bool throttled, yielded;
	bool non_contending;	/* blocked before its 0-lag time: still counted in running_bw */
	bool counted_bw;	/* in this_bw of its run queue */
	bool counted_running;	/* … and running_bw */
	bool counted_total;	/* in the bandwidth of root domain … */
	int total_rd;		/* … s->rd[total_rd] */
	bool is_server;
	u64 job_deadline;	/* of the job as it was released; 0: none is under way */
	struct class_timer timer; /* of the next replenishment */
	struct class_timer inactive; /* of the 0-lag time */
	struct sched_dl_stats stats;
};

struct dl_rq {
	struct rb_root_cached root;
	struct rb_root_cached pushable;
	int nr_running;		/* entities, the server included */
	u64 this_bw, running_bw; /* times 2^20 */
	s64 extra_bw;		 /* this CPU's part of what nobody was given */
	/* the fair server (dl/server.c) */
	struct sched_dl_entity server;
	bool server_active;	 /* fair tasks wait, or waited, for a higher class */
	bool server_deferred;	 /* … and get nothing until it has to be */
	u64 server_mark;	 /* ns: accounted until then */
};

#endif
