// SPDX-License-Identifier: BSD-2-Clause
/* messages.c - tasks that wake each other. */
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner.h"

/* ---- hackbench (perf bench sched messaging) ---- */

static struct {
	int fds;
	int ready[2], gate[2];
	int (*channel)[2]; /* of the group that is being forked */
} bench;

/* What a task needs of its group when the parent has gone on to the next one. */
struct bench_task {
	int (*channel)[2];
	int index;
	bool sender;
};

static struct bench_task *bench_tasks;

static void bench_gate(void)
{
	struct pollfd gate = {.fd = bench.gate[0], .events = POLLIN};

	put(bench.ready[1], "", 1);
	if (poll(&gate, 1, -1) != 1)
		die("poll");
}

static void bench_send(struct job *job, const struct bench_task *me, char *buf, size_t len)
{
	for (u64 i = 0; i < (u64)opt(job, "loops"); i++)
		for (int to = 0; to < bench.fds; to++)
			put(me->channel[to][1], buf, len);
}

static void bench_task(struct job *job, long i)
{
	const struct bench_task *me = &bench_tasks[i];
	size_t len = opt(job, "datasize");
	char *buf = must_alloc(len, 1);

	bench_gate();
	if (me->sender) {
		bench_send(job, me, buf, len);
	} else {
		for (u64 left = bench.fds * opt(job, "loops"); left; left--)
			get(me->channel[me->index][0], buf, len);
	}
	free(buf);
}

static void bench_group(struct job *job, struct crew *crew, int group)
{
	int first = group * 2 * bench.fds, (*channel)[2] = must_alloc(bench.fds, sizeof(*channel));

	for (int i = 0; i < bench.fds; i++)
		channel_new(channel[i], opt(job, "pipe"));
	for (int i = 0; i < 2 * bench.fds; i++) {
		bool sender = i >= bench.fds;

		bench_tasks[first + i] = (struct bench_task){channel, i % bench.fds, sender};
		crew_add(crew, bench_task, first + i, "%s%d.%d", sender ? "send" : "recv", group,
			 i % bench.fds);
	}
	/* threads share the descriptors with the parent, which then must keep them */
	for (int i = 0; !crew->threads && i < bench.fds; i++) {
		close(channel[i][0]);
		close(channel[i][1]);
	}
}

void run_hackbench(struct job *job)
{
	int groups = opt(job, "groups"), nr;
	struct crew crew;
	u64 start;
	char byte;

	bench.fds = opt(job, "fds");
	nr = 2 * groups * bench.fds;
	bench_tasks = must_alloc(nr, sizeof(*bench_tasks));
	crew = crew_new(job, nr, opt(job, "threads"));
	channel_new(bench.ready, opt(job, "pipe"));
	channel_new(bench.gate, opt(job, "pipe"));
	for (int i = 0; i < groups; i++)
		bench_group(job, &crew, i);
	for (int i = 0; i < nr; i++)
		get(bench.ready[0], &byte, 1);
	mark("wl: go");
	start = now_ns();
	put(bench.gate[1], "", 1);
	crew_wait(&crew);
	printf("time %.6f s\n", (now_ns() - start) / 1e9);
}

/* ---- pingpong: whose turn it is stands in a word that both sides wait on ---- */

enum { TURN_PING, TURN_PONG, TURN_OVER };

#define CACHE_LINE 64

static u32 *turns;

static void futex(u32 *word, int op, u32 value)
{
	syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

static void pingpong_task(struct job *job, long i)
{
	u32 *turn = &turns[i / 2 * (CACHE_LINE / sizeof(u32))], me = i % 2, next = TURN_PING;

	while (next != TURN_OVER) {
		u32 now;

		while ((now = __atomic_load_n(turn, __ATOMIC_ACQUIRE)) == !me)
			futex(turn, FUTEX_WAIT, now);
		if (now == TURN_OVER)
			return;
		burn(opt(job, "run"));
		count(&job->tally->done, 1);
		next = now_ns() < job->end ? !me : TURN_OVER;
		__atomic_store_n(turn, next, __ATOMIC_RELEASE);
		futex(turn, FUTEX_WAKE, 1);
	}
}

void run_pingpong(struct job *job)
{
	int pairs = opt(job, "pairs");
	struct crew crew = crew_new(job, 2 * pairs, opt(job, "threads"));

	turns = shared_memory((size_t)pairs * CACHE_LINE);
	window(job);
	for (int i = 0; i < 2 * pairs; i++)
		crew_add(&crew, pingpong_task, i, "%s%d", i % 2 ? "pong" : "ping", i / 2);
	crew_wait(&crew);
}

/* ---- pipeline: a ring of stages; who sees the end passes it on ---- */

#define LAST_ITEM 0xff

static int (*inlet)[2];

static void pipeline_stage(struct job *job, long i)
{
	u8 item = 0;

	while (item != LAST_ITEM) {
		get(inlet[i][0], &item, 1);
		if (item != LAST_ITEM) {
			burn(opt(job, "run"));
			count(&job->tally->done, 1);
			if (now_ns() >= job->end)
				item = LAST_ITEM;
		}
		put(inlet[(i + 1) % opt(job, "stages")][1], &item, 1);
	}
}

void run_pipeline(struct job *job)
{
	int stages = opt(job, "stages");
	struct crew crew = crew_new(job, stages, opt(job, "threads"));
	u8 item = 0;

	inlet = must_alloc(stages, sizeof(*inlet));
	for (int i = 0; i < stages; i++)
		channel_new(inlet[i], true);
	window(job);
	for (int i = 0; i < stages; i++)
		crew_add(&crew, pipeline_stage, i, "stage%d", i);
	sleep_until(job->begin);
	for (int i = 0; i < opt(job, "items"); i++)
		put(inlet[0][1], &item, 1);
	crew_wait(&crew);
}
