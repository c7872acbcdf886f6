// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "workload/tables.h"

/* What several have. A day and an hour are more than anybody waits for. */
#define DURATION                                                                                   \
	{ .name = "duration", .kind = PARAM_TIME_NS, .def = NSEC_PER_SEC, .min = NSEC_PER_USEC,    \
	  .max = 86400 * NSEC_PER_SEC, .doc = "length of the timed part" }
#define LEAD                                                                                       \
	{ .name = "lead", .kind = PARAM_TIME_NS, .def = 30 * NSEC_PER_MSEC, .min = 0,              \
	  .max = 3600 * NSEC_PER_SEC, .doc = "time from the start to the timed part" }
#define THREADS                                                                                    \
	{ .name = "threads", .kind = PARAM_FLAG, .def_string = "processes",                        \
	  .doc = "threads instead of processes" }
#define CHUNK                                                                                      \
	{ .name = "chunk", .kind = PARAM_TIME_NS, .def = 100 * NSEC_PER_USEC, .min = NSEC_PER_USEC, \
	  .max = NSEC_PER_SEC, .doc = "piece of work after which a hog looks at the clock" }
#define TIME(_name, _def, _doc)                                                                    \
	{ .name = (_name), .kind = PARAM_TIME_NS, .def = (_def), .min = NSEC_PER_USEC,             \
	  .max = 3600 * NSEC_PER_SEC, .doc = (_doc) }
#define COUNT(_name, _def, _min, _max, _doc)                                                       \
	{ .name = (_name), .kind = PARAM_INT, .def = (_def), .min = (_min), .max = (_max), .doc = (_doc) }

/* clang-format off */
const struct workload_param hackbench_params[] = {
	{ .name = "groups", .kind = PARAM_INT, .def = 10, .min = 1, .max = 4096,
	  .doc = "groups; each has 2 x fds tasks" },
	{ .name = "fds", .kind = PARAM_INT, .def = 20, .min = 1, .max = 1000,
	  .doc = "senders, and receivers, of a group" },
	{ .name = "loops", .kind = PARAM_INT, .def = 100, .min = 1, .max = 1000000000,
	  .doc = "messages from each sender to each receiver of its group" },
	{ .name = "datasize", .kind = PARAM_BYTES, .def = 100, .min = 1, .max = 1 << 20,
	  .doc = "bytes of a message" },
	{ .name = "pipe", .kind = PARAM_FLAG, .def_string = "socket",
	  .doc = "pipes instead of stream sockets" },
	{ .name = "threads", .kind = PARAM_FLAG, .def_string = "processes",
	  .doc = "threads instead of processes" },
	{ .name = NULL },
};

const struct workload_param periodic_params[] = {
	{ .name = "n", .kind = PARAM_INT, .def = 8, .min = 1, .max = 1000000, .doc = "tasks" },
	{ .name = "period", .kind = PARAM_TIME_NS, .def = 10 * NSEC_PER_MSEC, .min = NSEC_PER_USEC,
	  .max = 3600 * NSEC_PER_SEC, .doc = "time between two releases" },
	{ .name = "run", .kind = PARAM_TIME_NS, .def = 2 * NSEC_PER_MSEC, .min = NSEC_PER_USEC,
	  .max = 3600 * NSEC_PER_SEC, .doc = "work per period, at nominal speed" },
	{ .name = "load", .kind = PARAM_INT, .def = 0, .min = 1, .max = 100,
	  .doc = "work per period in per cent of the period, instead of run" },
	{ .name = "duration", .kind = PARAM_TIME_NS, .def = NSEC_PER_SEC, .min = NSEC_PER_USEC,
	  .max = 86400 * NSEC_PER_SEC, .doc = "length of the timed part" },
	{ .name = "lead", .kind = PARAM_TIME_NS, .def = 30 * NSEC_PER_MSEC, .min = 0,
	  .max = 3600 * NSEC_PER_SEC, .doc = "time from the start to the timed part" },
	{ .name = "phase", .kind = PARAM_CHOICE, .def = PHASE_DRAWN,
	  .choices = "drawn|staggered|together",
	  .doc = "first releases: drawn over a period, i·period/n, or all at once" },
	{ .name = "mixed", .kind = PARAM_FLAG,
	  .doc = "draw each task's period from half to one and a half, run in proportion" },
	{ .name = "nice", .kind = PARAM_INT, .def = 0, .min = -20, .max = 19,
	  .doc = "nice value of all tasks" },
	{ .name = "pinned", .kind = PARAM_FLAG, .doc = "task i may run on CPU i mod CPUs only" },
	{ .name = "footprint", .kind = PARAM_BYTES, .def = 0, .min = 0, .max = 1LL << 40,
	  .doc = "working set of each task" },
	{ .name = NULL },
};

const struct workload_param pingpong_params[] = {
	{ .name = "pairs", .kind = PARAM_INT, .def = 1, .min = 1, .max = 500000,
	  .doc = "pairs of tasks" },
	{ .name = "run", .kind = PARAM_TIME_NS, .def = 20 * NSEC_PER_USEC, .min = 1,
	  .max = 3600 * NSEC_PER_SEC, .doc = "work between being woken and waking, at nominal speed" },
	{ .name = "duration", .kind = PARAM_TIME_NS, .def = NSEC_PER_SEC, .min = NSEC_PER_USEC,
	  .max = 86400 * NSEC_PER_SEC, .doc = "length of the run" },
	{ .name = "threads", .kind = PARAM_FLAG, .def_string = "processes",
	  .doc = "threads instead of processes" },
	{ .name = NULL },
};

const struct workload_param hog_params[] = {
	{ .name = "n", .kind = PARAM_INT, .def = 8, .min = 1, .max = 1000000, .doc = "tasks" },
	{ .name = "duration", .kind = PARAM_TIME_NS, .def = NSEC_PER_SEC, .min = NSEC_PER_USEC,
	  .max = 86400 * NSEC_PER_SEC, .doc = "when it is over" },
	{ .name = "chunk", .kind = PARAM_TIME_NS, .def = NSEC_PER_MSEC, .min = NSEC_PER_USEC,
	  .max = NSEC_PER_SEC, .doc = "piece of work after which a task looks at the clock" },
	{ .name = "nice", .kind = PARAM_STRING, .def_string = "0",
	  .doc = "nice values, separated by colons, dealt to the tasks in turn (0:5:-5)" },
	{ .name = "pinned", .kind = PARAM_FLAG, .doc = "task i may run on CPU i mod CPUs only" },
	{ .name = NULL },
};
const struct workload_param forks_params[] = {
	COUNT("n", 8, 1, 100000, "children"),
	TIME("work", 20 * NSEC_PER_MSEC, "what each child computes, at nominal speed"),
	{ .name = "gap", .kind = PARAM_TIME_NS, .def = 2 * NSEC_PER_MSEC, .min = 0,
	  .max = 3600 * NSEC_PER_SEC, .doc = "time between two forks; 0: as fast as it goes" },
	{ .name = "nested", .kind = PARAM_FLAG, .doc = "each child forks one more, which works as long" },
	{ .name = "exec", .kind = PARAM_FLAG, .doc = "each child executes a program before it works" },
	{ .name = NULL },
};

const struct workload_param pipeline_params[] = {
	COUNT("stages", 6, 2, 10000, "tasks in the ring"),
	COUNT("items", 3, 1, 1000, "items in flight"),
	TIME("run", 300 * NSEC_PER_USEC, "work on an item in each stage, at nominal speed"),
	DURATION,
	LEAD,
	THREADS,
	{ .name = NULL },
};

const struct workload_param mix_params[] = {
	COUNT("pinned", 2, 0, 10000, "hogs that may run on one CPU each, from CPU 0 on"),
	COUNT("high", 2, 0, 10000, "hogs of a high nice level"),
	COUNT("low", 2, 0, 10000, "hogs of a low nice level"),
	COUNT("nice", 5, 0, 19, "how far those levels are from 0"),
	COUNT("sleepers", 4, 0, 10000, "periodic tasks"),
	TIME("period", 4 * NSEC_PER_MSEC, "of the sleepers; they start staggered"),
	TIME("run", 500 * NSEC_PER_USEC, "work of a sleeper per period, at nominal speed"),
	CHUNK,
	DURATION,
	LEAD,
	{ .name = NULL },
};

const struct workload_param share_params[] = {
	COUNT("groups", 2, 1, 10000, "groups of tasks that share memory"),
	COUNT("n", 4, 1, 10000, "tasks of a group"),
	TIME("period", 4 * NSEC_PER_MSEC, "time between two releases; all tasks start staggered"),
	TIME("run", 1500 * NSEC_PER_USEC, "work per period, at nominal speed"),
	{ .name = "footprint", .kind = PARAM_BYTES, .def = 256 << 10, .min = 4096, .max = 1 << 30,
	  .doc = "memory that a group shares, or that each process has" },
	{ .name = "threads", .kind = PARAM_FLAG, .def = 1, .def_string = "processes",
	  .doc = "a group is one process with threads; else each task is a process" },
	DURATION,
	LEAD,
	{ .name = NULL },
};

const struct workload_param rt_params[] = {
	COUNT("n", 1, 1, 1000, "pairs of realtime tasks, one of a high and one of a low priority"),
	COUNT("hogs", 4, 0, 10000, "fair tasks that only compute"),
	COUNT("high", 60, 1, 99, "priority of the first"),
	TIME("high_run", 2 * NSEC_PER_MSEC, "its work per period, at nominal speed"),
	TIME("high_period", 10 * NSEC_PER_MSEC, "its period"),
	COUNT("low", 40, 1, 99, "priority of the second, which starts 1 ms later"),
	TIME("low_run", 5 * NSEC_PER_MSEC, "its work per period, at nominal speed"),
	TIME("low_period", 20 * NSEC_PER_MSEC, "its period"),
	{ .name = "rr", .kind = PARAM_FLAG, .def_string = "fifo", .doc = "SCHED_RR instead of SCHED_FIFO" },
	CHUNK,
	DURATION,
	LEAD,
	{ .name = NULL },
};

const struct workload_param dl_params[] = {
	COUNT("n", 1, 0, 1000, "deadline tasks that keep within their runtime"),
	TIME("runtime", 3 * NSEC_PER_MSEC, "their runtime"),
	TIME("deadline", 8 * NSEC_PER_MSEC, "their relative deadline"),
	TIME("period", 10 * NSEC_PER_MSEC, "their period"),
	TIME("run", 2500 * NSEC_PER_USEC, "their work per period, at nominal speed"),
	COUNT("late", 1, 0, 1000, "deadline tasks that want more than their runtime"),
	TIME("late_runtime", 4 * NSEC_PER_MSEC, "their runtime"),
	TIME("late_period", 20 * NSEC_PER_MSEC, "their period and deadline"),
	TIME("late_run", 6 * NSEC_PER_MSEC, "their work per period, at nominal speed"),
	COUNT("hogs", 4, 0, 10000, "fair tasks that only compute"),
	CHUNK,
	DURATION,
	LEAD,
	{ .name = NULL },
};

const struct workload_param bandwidth_params[] = {
	COUNT("inside", 3, 1, 10000, "hogs in a group with a quota"),
	COUNT("outside", 1, 0, 10000, "hogs outside"),
	TIME("quota", 20 * NSEC_PER_MSEC, "CPU time that the group may use per period"),
	TIME("period", 100 * NSEC_PER_MSEC, "of the quota"),
	CHUNK,
	DURATION,
	LEAD,
	{ .name = NULL },
};
/* clang-format on */

int nice_list_read(const char *text, struct nice_list *list, struct err *err)
{
	list->nr = 0;
	for (;;) {
		size_t len = strcspn(text, ":");
		char one[16];
		s64 value;
		int rc;

		snprintf(one, sizeof(one), "%.*s", (int)min(len, sizeof(one) - 1), text);
		rc = grammar_int("nice", one, -20, 19, &value, err);
		if (rc)
			return rc;
		if (list->nr == MAX_NICE_LIST)
			return err_set(err, -EINVAL, "nice: at most %d values", MAX_NICE_LIST);
		list->value[list->nr++] = value;
		if (!text[len])
			return 0;
		text += len + 1;
	}
}
