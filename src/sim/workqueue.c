/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * workqueue.c - work that kernel threads do for others.
 *
 * Work is queued to a pool: the CPU's own for a bound queue, the node's for an
 * unbound one. A bound pool keeps one worker running: another is woken only
 * when that one goes to sleep inside its work, and it is woken by the sleeper
 * itself, which is about to schedule and isn't preempted before. An unbound
 * pool wakes an idle worker for each work.
 *
 * A bound worker may use its CPU only, so that whoever waits for its work may
 * stack on it (spec 04 §5.3).
 */
#include <errno.h>
#include <stdio.h>

#include "sched/psi.h"
#include "sim/engine.h"

struct sim_workqueue {
	bool unbound;
};

/* One queueing of a work. */
struct work_item {
	const struct sim_work *work;
	struct work_item *next;
};

struct worker_pool {
	int cpu; /* bound; -1: unbound */
	int node;
	int nr_workers, nr_running; /* running: awake and at work */
	struct work_item *head, *tail;
	struct sim_task *idle; /* last one first, through wait_next */
};

/* What a worker is at. */
struct worker {
	struct worker_pool *pool;
	struct work_item *item;
	bool slept; /* the work's own sleep is over */
};

struct workqueues {
	struct worker_pool *bound;   /* [nr_cpus] */
	struct worker_pool *unbound; /* [nr_nodes] */
	struct work_item *free;
};

static int make_pools(struct sim *sim)
{
	struct workqueues *q = arena_alloc(sim->arena, sizeof(*q));

	if (!q)
		return -ENOMEM;
	q->bound = arena_array(sim->arena, sim->nr_cpus, sizeof(*q->bound));
	q->unbound = arena_array(sim->arena, sim->topo->nr_nodes, sizeof(*q->unbound));
	if (!q->bound || !q->unbound)
		return -ENOMEM;
	for (int i = 0; i < sim->nr_cpus; i++)
		q->bound[i] = (struct worker_pool){ .cpu = i, .node = sim->topo->cpu[i].node };
	for (int i = 0; i < sim->topo->nr_nodes; i++)
		q->unbound[i] = (struct worker_pool){ .cpu = -1, .node = i };
	sim->workqueues = q;
	return 0;
}

struct sim_workqueue *sim_workqueue_new(struct sim *sim, bool unbound)
{
	struct sim_workqueue *wq = arena_alloc(sim->arena, sizeof(*wq));

	if (!wq || (!sim->workqueues && make_pools(sim)))
		return NULL;
	wq->unbound = unbound;
	return wq;
}

/* ---- items ---- */

static struct work_item *item_new(struct sim *sim, const struct sim_work *work)
{
	struct work_item *item = sim->workqueues->free;

	if (item)
		sim->workqueues->free = item->next;
	else
		item = arena_alloc(sim->arena, sizeof(*item));
	if (item)
		*item = (struct work_item){ .work = work };
	return item;
}

static void item_add(struct worker_pool *pool, struct work_item *item)
{
	if (pool->head)
		pool->tail->next = item;
	else
		pool->head = item;
	pool->tail = item;
}

static struct work_item *item_take(struct worker_pool *pool)
{
	struct work_item *item = pool->head;

	if (item) {
		pool->head = item->next;
		item->next = NULL;
	}
	return item;
}

/* ---- workers ---- */

static bool is_bound(const struct worker_pool *pool)
{
	return pool->cpu >= 0;
}

/* The CPUs of a pool's workers; scratch. */
static const u64 *pool_cpus(struct sim *sim, const struct worker_pool *pool)
{
	mask_zero(sim->one_cpu, sim->words);
	for (int i = 0; i < sim->nr_cpus; i++)
		if (is_bound(pool) ? i == pool->cpu : sim->topo->cpu[i].node == pool->node)
			mask_set(sim->one_cpu, i);
	return sim->one_cpu;
}

static void worker_next(struct sim *sim, struct sim_task *t, struct sim_step *step)
{
	struct worker *w = sim_task_arg(t);
	u64 run = w->item ? w->item->work->run_ns : 0;

	step->op = w->item ? SIM_WORKER_RUN : SIM_WORKER_IDLE;
	step->ns = w->slept ? run - run / 2 : w->item && w->item->work->sleep_ns ? run / 2 : run;
}

static const struct sim_program worker_program = { .name = "worker", .next = worker_next };

/* a worker that was there already, asleep; it ran on @cpu last */
static struct sim_task *worker_new(struct sim *sim, struct worker_pool *pool, int cpu)
{
	struct worker *w = arena_alloc(sim->arena, sizeof(*w));
	char comm[40];

	if (!w)
		return NULL;
	w->pool = pool;
	if (is_bound(pool))
		snprintf(comm, sizeof(comm), "kworker/%d:%d", pool->cpu, pool->nr_workers++);
	else
		snprintf(comm, sizeof(comm), "kworker/u%d:%d", pool->node, pool->nr_workers++);
	return kthread_new(sim, comm, &worker_program, w, pool_cpus(sim, pool), cpu);
}

static struct sim_task *idle_worker(struct sim *sim, struct worker_pool *pool, int cpu)
{
	struct sim_task *t = pool->idle;

	if (t) {
		pool->idle = t->wait_next;
		return t;
	}
	t = worker_new(sim, pool, is_bound(pool) ? pool->cpu : cpu);
	if (!t)
		err_set(&sim->fail, -ENOMEM, "no memory for a worker of CPU %d", cpu);
	return t;
}

/* one more worker is needed: hand it the oldest work and wake it, then go on with @then */
static void wake_worker(struct sim *sim, struct sim_cpu *c, struct worker_pool *pool, cpu_fn then)
{
	struct sim_task *t = idle_worker(sim, pool, c->id);
	struct worker *w;

	if (!t)
		return;
	w = sim_task_arg(t);
	w->item = item_take(pool);
	w->slept = false;
	pool->nr_running++;
	wake_task(sim, c, t, false, then);
}

static bool needs_worker(const struct worker_pool *pool)
{
	return pool->head && (!is_bound(pool) || !pool->nr_running);
}

/* ---- queueing ---- */

static void queue_work(struct sim *sim, struct sim_cpu *c, const struct sim_work *work, cpu_fn then)
{
	struct workqueues *q = sim->workqueues;
	struct worker_pool *pool =
		work->wq->unbound ? &q->unbound[sim->topo->cpu[c->id].node] : &q->bound[c->id];
	struct work_item *item = item_new(sim, work);

	if (!item) {
		err_set(&sim->fail, -ENOMEM, "no memory for work");
		return;
	}
	count(sim, CNT_works);
	item_add(pool, item);
	if (needs_worker(pool))
		wake_worker(sim, c, pool, then);
	else
		then(sim, c);
}

void work_due(struct sim *sim, struct sim_cpu *c, struct sim_task *timer, cpu_fn then)
{
	const struct sim_work *work = timer->arg;

	slot_put(sim, timer);
	queue_work(sim, c, work, then);
}

static void work_entered(struct sim *sim, struct sim_cpu *c)
{
	const struct sim_step *st = &c->curr->step;
	struct sim_task *timer;

	sim->nr_works++;
	if (!st->ns) {
		queue_work(sim, c, st->work, step_next);
		return;
	}
	timer = slot_take(sim);
	if (!timer) {
		err_set(&sim->fail, -ENOMEM, "no memory for work");
		return;
	}
	timer->stage = STAGE_DEAD; /* nobody's: it only carries the time */
	timer->arg = (void *)st->work;
	task_start_at(sim, timer, c->id, time_after(sim->now, st->ns));
	step_next(sim, c);
}

bool step_queue_work(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	seg_call(sim, c, CPU_ATOMIC, sim->cost->syscall, work_entered);
	return false;
}

/* ---- at work ---- */

static void work_done(struct sim *sim, struct sim_cpu *c)
{
	struct worker *w = sim_task_arg(c->curr);

	sim->nr_works--;
	w->item->next = sim->workqueues->free;
	sim->workqueues->free = w->item;
	w->item = NULL;
	w->slept = false;
	step_next(sim, c);
}

static void work_over(struct sim *sim, struct sim_cpu *c)
{
	struct worker *w = sim_task_arg(c->curr);
	struct sim_completion *done = w->item->work->done;

	if (done)
		complete(sim, c, done, work_done);
	else
		work_done(sim, c);
}

/* the sleep inside the work is over */
static void worker_woken(struct sim *sim, struct sim_cpu *c)
{
	struct worker *w = sim_task_arg(c->curr);

	w->pool->nr_running++;
	w->slept = true;
	step_next(sim, c);
}

static void worker_sleeps(struct sim *sim, struct sim_cpu *c)
{
	const struct worker *w = sim_task_arg(c->curr);

	sched_task_iowait(c->curr->p);
	task_block_until(sim, c, time_after(sim->now, w->item->work->sleep_ns), "a device",
			 worker_woken);
}

static void work_ran(struct sim *sim, struct sim_cpu *c)
{
	struct worker *w = sim_task_arg(c->curr);

	if (w->slept || !w->item->work->sleep_ns) {
		work_over(sim, c);
		return;
	}
	w->pool->nr_running--;
	if (needs_worker(w->pool))
		wake_worker(sim, c, w->pool, worker_sleeps);
	else
		worker_sleeps(sim, c);
}

bool step_worker_run(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct frame f = {
		.kind = FRAME_COMPUTE,
		.mode = CPU_KERNEL,
		.left = max(t->step.ns, (u64)1),
		.fn = work_ran,
	};

	frame_start(sim, c, &f);
	return false;
}

/* the next work, or none */
bool step_worker_idle(struct sim *sim, struct sim_cpu *c, struct sim_task *t)
{
	struct worker *w = sim_task_arg(t);
	struct worker_pool *pool = w->pool;

	/* a bound worker goes on unless another one, whose sleep is over, runs as well */
	if (!is_bound(pool) || pool->nr_running <= 1)
		w->item = item_take(pool);
	if (w->item)
		return true;
	pool->nr_running--;
	t->wait_next = pool->idle;
	pool->idle = t;
	task_block(sim, c, NULL, "work", step_next);
	return false;
}
