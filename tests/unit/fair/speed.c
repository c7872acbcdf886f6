/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * speed.c - what the fair class costs the host, in ns of its own time (meson test --benchmark).
 */
#include <stdio.h>
#include <time.h>

#include "fixture.h"

#define ROUNDS 2000000

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

/* enqueue, pick, switch in, dequeue, pick, switch out of @p beside @others that stay queued */
static void cycle(struct world *w, struct rq *rq, struct task *p, struct task *other)
{
	struct sched *s = w->s;
	struct task *next;

	update_rq_clock(s, rq, w->now += 2500);
	fair_enqueue_task(s, rq, p, ENQUEUE_WAKEUP);
	next = fair_pick_task(s, rq);
	fair_put_prev_set_next(s, rq, other, next);
	rq->curr = next;
	update_rq_clock(s, rq, w->now += 5000);
	fair_dequeue_task(s, rq, p, DEQUEUE_SLEEP | DEQUEUE_SPECIAL);
	other = fair_pick_task(s, rq);
	fair_put_prev_set_next(s, rq, next, other);
	rq->curr = other;
	s->out_head = s->out_tail;
	rq->need_resched = rq->need_resched_lazy = false;
}

static void measure(const char *kernel, int others, bool group)
{
	struct sched_task_attr attr = { .nice = 0 };
	struct err err = { 0 };
	struct world w;
	struct task *p;
	struct rq *rq;
	double t;

	world_init(&w, kernel, 1, 250);
	rq = world_rq(&w, 0);
	if (group)
		attr.group = sched_group_new(w.s, NULL, 1024, &err);
	for (int i = 0; i < others; i++)
		world_spawn(&w, 0, attr);
	if (others)
		world_schedule(&w, 0);
	p = world_spawn(&w, 0, attr);
	update_rq_clock(w.s, rq, w.now += 1000);
	fair_dequeue_task(w.s, rq, p, DEQUEUE_SLEEP | DEQUEUE_SPECIAL);
	t = seconds();
	for (int i = 0; i < ROUNDS; i++)
		cycle(&w, rq, p, rq->curr);
	t = seconds() - t;
	printf("%-8s %3d others%s: %6.1f ns per wake-up and sleep\n", kernel, others,
	       group ? ", in a group" : "            ", t * 1e9 / ROUNDS);
	world_free(&w);
}

int main(void)
{
	static const char *const kernels[] = { "v6.1", "v6.6", "v6.12.95", "v7.3" };

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		measure(kernels[i], 0, false);
		measure(kernels[i], 1, false);
		measure(kernels[i], 20, false);
		measure(kernels[i], 0, true);
	}
	return 0;
}
