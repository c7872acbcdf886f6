/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rtapp_run.h - the state of a run of an rt-app file.
 */
#ifndef IDLEST_WORKLOAD_RTAPP_RUN_H
#define IDLEST_WORKLOAD_RTAPP_RUN_H

#include "base/hist.h"
#include "base/list.h"
#include "sim/cgroup.h"
#include "workload/rtapp.h"

#define RTAPP_UNSET UINT64_MAX

/* What the threads of one task have done. */
struct rtapp_account {
	u64 cpu_ns;	     /* of those that have exited */
	u64 work_ns;	     /* run and runtime events done */
	struct hist *wu_lat; /* (actual - target) wake-ups of timers; NULL: none yet */
	s64 slack_sum;	     /* (target - now) at timers */
	u64 slack_nr;
};

enum rtapp_stage {
	STAGE_ATTRIBUTES, /* affinity, policy and slice of the thread */
	STAGE_MEET,	  /* the barrier at which all start */
	STAGE_BASE,	  /* where timers begin; the delay */
	STAGE_PASS,	  /* a pass of a phase begins */
	STAGE_PROPERTIES,
	STAGE_EVENTS,
};

struct rtapp_thread {
	struct rtapp_run *run;
	const struct rtapp_task *def;
	struct sim_task *task; /* known from its first step on */
	struct list_head link; /* in run->threads, while it lives */
	int index;
	bool forked;
	enum rtapp_stage stage;
	int property; /* the next one to look at */
	const struct rtapp_phase *phase;
	int phase_loops, loops;		 /* done */
	const struct rtapp_event *event; /* the current one */
	u64 start;			 /* base of timers */
	u64 pass_begin;
	u64 target;   /* of the timer it sleeps for, UNSET: no sleep */
	u64 *timer;   /* [def->nr_timers]: next expiry */
	int steps;    /* that the current event has taken so far */
	bool placing; /* … the first of them placed memory */
	/* what it asked for last */
	enum rtapp_policy policy;
	int priority;
	int util_min, util_max;
	struct task_attr attr;
	bool asked; /* the kernel may have refused it */
	s64 slice_us;
	const struct rtapp_list *cpus;		   /* NULL: all */
	int taskgroup;				   /* number; 0: where it was born */
	const u64 *membind;			   /* nodes; NULL: where it is touched */
	struct sim_region *buffer, *memrun_buffer; /* own; made at first use */
	u64 touched, memrun_touched;		   /* bytes placed from the beginning */
	char comm[24];
	struct sim_spawn spawn;
};

struct rtapp_run {
	const struct rtapp *app;
	struct sim *sim;
	struct sim_mutex **mutex;
	struct sim_cond **cond;
	struct sim_sem **sem;
	struct sim_barrier **barrier;
	struct sim_event **event;
	struct sim_region **buffer;
	u64 *buffer_touched;
	u64 *timer; /* shared: next expiry */
	u64 **mask; /* by number of the list of CPUs or nodes */
	u64 *all_cpus;
	struct sim_cgroup *group[RTAPP_MAX_GROUPS + 1]; /* by number of the task group, less 1 */
	int *node_package;
	struct sim_barrier *meet;
	u64 zero;		    /* t_zero */
	u64 duration;		    /* ns, 0: until every thread has ended */
	struct rtapp_thread *first; /* [nr_threads]: the instances */
	struct list_head threads;   /* all that live */
	struct list_head free;	    /* exited ones of forks */
	int next_index, live;
	u32 *forks;		       /* by task */
	struct rtapp_account *account; /* by task */
	struct hist latency;	       /* from being woken to running */
	/* the main thread */
	int forked, reaped;
	bool slept;
	struct err fail; /* what a program couldn't do */
};

/** rtapp_run_new() - objects and threads of @app in @sim */
int rtapp_run_new(struct sim *sim, const struct rtapp *app, u64 duration, struct rtapp_run **run,
		  struct err *err);
/** rtapp_thread_next() - the program of all threads */
void rtapp_thread_next(struct sim *sim, struct sim_task *t, struct sim_step *step);
/** rtapp_thread_init() - @th becomes a thread of @def; Return: 0 or -ENOMEM */
int rtapp_thread_init(struct rtapp_run *run, struct rtapp_thread *th, const struct rtapp_task *def,
		      int forks);
/**
 * rtapp_event_step() - the next step of @e, the th->steps before having been done
 *
 * Return: false: there is none.
 */
bool rtapp_event_step(struct rtapp_thread *th, const struct rtapp_event *e, struct sim_step *step);
/** rtapp_event_done() - all steps of @e, one at least, have been done */
void rtapp_event_done(struct rtapp_thread *th, const struct rtapp_event *e);

#endif
