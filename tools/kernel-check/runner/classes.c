// SPDX-License-Identifier: BSD-2-Clause
/* classes.c - realtime and deadline tasks among fair ones; a group with a quota. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner.h"

static void fair_task(struct job *job, long i)
{
	hog_until_end(job, opt(job, "chunk"));
}

/* ---- rt ---- */

static void fifo_task(struct job *job, long which)
{
	static const struct {
		const char *prio, *period, *run;
	} name[] = {{"high", "high_period", "high_run"}, {"low", "low_period", "low_run"}};
	struct sched_param param = {.sched_priority = opt(job, name[which].prio)};

	if (sched_setscheduler(0, opt(job, "rr") ? SCHED_RR : SCHED_FIFO, &param))
		die("sched_setscheduler");
	periodic_until_end(job, job->begin + which * NSEC_PER_MSEC, opt(job, name[which].period),
			   opt(job, name[which].run));
}

void run_realtime(struct job *job)
{
	int hogs = opt(job, "hogs"), n = opt(job, "n");
	struct crew crew = crew_new(job, hogs + 2 * n, false);

	window(job);
	for (int i = 0; i < hogs; i++)
		crew_add(&crew, fair_task, i, "fair%d", i);
	for (int i = 0; i < 2 * n; i++)
		crew_add(&crew, fifo_task, i % 2, "%s%d", i % 2 ? "low" : "high", i / 2);
	crew_wait(&crew);
}

/* ---- dl ---- */

#define POLICY_DEADLINE 6

/* The first version of what sched_setattr() takes; libc doesn't declare it everywhere. */
struct deadline_attr {
	u32 size, policy;
	u64 flags;
	s32 nice;
	u32 priority;
	u64 runtime, deadline, period;
};

static void deadline_task(struct job *job, long late)
{
	struct deadline_attr attr = {
		.size = sizeof(attr),
		.policy = POLICY_DEADLINE,
		.runtime = opt(job, late ? "late_runtime" : "runtime"),
		.deadline = opt(job, late ? "late_period" : "deadline"),
		.period = opt(job, late ? "late_period" : "period"),
	};

	if (syscall(SYS_sched_setattr, 0, &attr, 0))
		die("sched_setattr");
	periodic_until_end(job, job->begin, attr.period, opt(job, late ? "late_run" : "run"));
}

void run_deadline(struct job *job)
{
	int hogs = opt(job, "hogs"), n = opt(job, "n"), late = opt(job, "late");
	struct crew crew = crew_new(job, hogs + n + late, false);

	window(job);
	for (int i = 0; i < hogs; i++)
		crew_add(&crew, fair_task, i, "fair%d", i);
	for (int i = 0; i < n + late; i++)
		crew_add(&crew, deadline_task, i >= n, "%s%d", i < n ? "dl" : "late",
			 i < n ? i : i - n);
	crew_wait(&crew);
}

/* ---- bandwidth ---- */

#define CGROUP "/sys/fs/cgroup/idlest-wl"

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path);
	close(fd);
}

static void quota_task(struct job *job, long i)
{
	write_file(CGROUP "/cgroup.procs", "0");
	hog_until_end(job, opt(job, "chunk"));
}

static void print_throttling(void)
{
	FILE *f = fopen(CGROUP "/cpu.stat", "r");
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		fputs(line, stdout);
	if (f)
		fclose(f);
}

void run_bandwidth(struct job *job)
{
	int inside = opt(job, "inside"), outside = opt(job, "outside");
	struct crew crew = crew_new(job, inside + outside, false);
	char text[64];

	write_file("/sys/fs/cgroup/cgroup.subtree_control", "+cpu");
	if (mkdir(CGROUP, 0755) && errno != EEXIST)
		die(CGROUP);
	snprintf(text, sizeof(text), "%lld %lld", (long long)opt(job, "quota") / 1000,
		 (long long)opt(job, "period") / 1000);
	write_file(CGROUP "/cpu.max", text);
	window(job);
	for (int i = 0; i < inside; i++)
		crew_add(&crew, quota_task, i, "in%d", i);
	for (int i = 0; i < outside; i++)
		crew_add(&crew, fair_task, i, "out%d", i);
	crew_wait(&crew);
	print_throttling();
	rmdir(CGROUP);
}
