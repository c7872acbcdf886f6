// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the events of an rt-app file do (spec 15 §5).
 */
#include <errno.h>

#include "workload/rtapp_run.h"

/* runtime looks at the clock after each piece of work of this length. */
#define RUNTIME_PIECE_US 32
/* An rt-app process gives up at this many forks of one task. */
#define FORKS_LIMIT 1024

static struct rtapp_account *account_of(struct rtapp_thread *th)
{
	return &th->run->account[th->def - th->run->app->task];
}

/*
 * A fixed amount of work: so many loops, rounded down, as take the time on the
 * CPU that was calibrated.
 */
static u64 work_ns(const struct rtapp_thread *th, s64 us)
{
	const struct rtapp *app = th->run->app;
	u64 ns = us * NSEC_PER_USEC;

	if (app->calibration_ns)
		return ns / app->calibration_ns * app->calibration_ns;
	return ns * sim_machine(th->run->sim)->topo.cpu[app->calibration_cpu].capacity / 1024;
}

static bool run_step(struct rtapp_thread *th, const struct rtapp_event *e, struct sim_step *step)
{
	step->op = SIM_RUN;
	step->ns = work_ns(th, e->value);
	return step->ns;
}

static bool runtime_step(struct rtapp_thread *th, const struct rtapp_event *e,
			 struct sim_step *step)
{
	s64 pieces = (e->value + RUNTIME_PIECE_US - 1) / RUNTIME_PIECE_US;

	step->op = SIM_RUN_WALL;
	step->ns = pieces * RUNTIME_PIECE_US * NSEC_PER_USEC;
	return step->ns;
}

static bool timer_step(struct rtapp_thread *th, const struct rtapp_event *e, struct sim_step *step)
{
	const struct rtapp_resource *timer = &th->run->app->resource[RTAPP_TIMER][e->object];
	u64 *next = timer->owner < 0 ? &th->run->timer[timer->nr] : &th->timer[timer->nr];
	struct rtapp_account *account = account_of(th);
	u64 now = sim_now(th->run->sim);

	if (*next == RTAPP_UNSET)
		*next = th->start;
	*next += e->value * NSEC_PER_USEC;
	account->slack_sum += (s64)*next - (s64)now;
	account->slack_nr++;
	if (now < *next) {
		th->target = *next;
		step->op = SIM_SLEEP_UNTIL;
		step->ns = *next;
		return true;
	}
	th->target = RTAPP_UNSET;
	if (!timer->absolute)
		*next = now;
	return false;
}

static struct sim_region *own_buffer(struct rtapp_thread *th, struct sim_region **r, s64 bytes)
{
	if (!*r)
		*r = sim_region_new(th->run->sim, bytes, &th->run->fail);
	if (!*r)
		sim_stop(th->run->sim);
	return *r;
}

/* What isn't placed yet of the first @reach bytes of @r. Return: whether a step is needed. */
static bool place_step(struct rtapp_thread *th, struct sim_region *r, u64 *touched, u64 reach,
		       struct sim_step *step)
{
	if (th->steps || reach <= *touched)
		return false;
	sim_region_bind(r, th->membind);
	step->op = SIM_TOUCH;
	step->nr_pieces = 1;
	step->piece[0] = (struct sim_piece){
		.region = r,
		.offset = *touched,
		.bytes = reach - *touched,
		.write_bytes = reach - *touched,
	};
	*touched = reach;
	th->placing = true;
	return true;
}

/* Traffic over a buffer, wrapping at its end. */
static bool access_step(struct rtapp_thread *th, struct sim_region *r, u64 *touched, u64 size,
			u64 read, u64 write, struct sim_step *step)
{
	u64 reach = min(size, read + write);

	if (!r || !reach || th->steps > th->placing)
		return false;
	if (place_step(th, r, touched, reach, step))
		return true;
	step->op = SIM_STREAM;
	step->nr_pieces = 1;
	step->piece[0] = (struct sim_piece){
		.region = r,
		.bytes = reach,
		.read_bytes = read,
		.write_bytes = write,
	};
	return true;
}

static bool mem_step(struct rtapp_thread *th, const struct rtapp_event *e, struct sim_step *step)
{
	s64 size = th->run->app->mem_buffer_size;

	return access_step(th, own_buffer(th, &th->buffer, size), &th->touched, size, 0, e->value,
			   step);
}

/* A load from memory, on average over where the pages of @r are. */
static u64 dram_ns(const struct rtapp_thread *th, const struct sim_region *r)
{
	const struct machine *m = sim_machine(th->run->sim);
	const int *package = th->run->node_package;
	int home = sim_task_node(th->task);
	u64 bytes = 0, sum = 0;

	for (int n = 0; n < m->topo.nr_nodes; n++) {
		u64 there = sim_region_node_bytes(r, n);
		int far = n == home ? 0 : package[n] == package[home] ? 1 : 2;

		bytes += there;
		sum += there * m->dram_ns[far];
	}
	return bytes ? sum / bytes : m->dram_ns[0];
}

/*
 * A chain of loads, each of which waits for the one before. As work it gets
 * faster with the clock, which memory doesn't: the error is small beside the
 * differences between caches and nodes.
 */
static u64 chase_ns(const struct rtapp_thread *th, const struct rtapp_memrun *mr,
		    const struct sim_region *r)
{
	const struct machine *m = sim_machine(th->run->sim);
	u64 load;

	if ((u64)mr->size <= m->l2_bytes)
		load = m->line_ns[DIST_SMT];
	else if ((u64)mr->size <= m->llc_bytes)
		load = m->line_ns[DIST_LLC];
	else
		load = dram_ns(th, r);
	/* In order the hardware fetches ahead, and a line is used several times. */
	if (mr->sequential)
		load = max(load * min(mr->stride, 64) / 64 / max(m->mlp, 1u), 1ULL);
	return mr->count * load;
}

static bool memrun_step(struct rtapp_thread *th, const struct rtapp_event *e, struct sim_step *step)
{
	const struct rtapp_memrun *mr = e->memrun;
	struct rtapp_run *run = th->run;
	u64 *touched = &th->memrun_touched;
	struct sim_region *r;

	if (mr->buffer >= 0) {
		r = run->buffer[mr->buffer];
		touched = &run->buffer_touched[mr->buffer];
	} else {
		r = own_buffer(th, &th->memrun_buffer, mr->size);
	}
	if (mr->access != MEMRUN_CHASE)
		return access_step(th, r, touched, mr->size,
				   mr->access == MEMRUN_READ ? mr->count : 0,
				   mr->access == MEMRUN_WRITE ? mr->count : 0, step);
	if (!r || !mr->count || th->steps > th->placing)
		return false;
	if (place_step(th, r, touched, mr->size, step))
		return true;
	step->op = SIM_RUN;
	step->ns = chase_ns(th, mr, r);
	return true;
}

/* A slot of a forked thread that has exited, or a new one. */
static struct rtapp_thread *forked_thread(struct rtapp_run *run)
{
	struct rtapp_thread *th;

	if (list_empty(&run->free))
		return arena_alloc(sim_arena(run->sim), sizeof(*th));
	th = list_first_entry(&run->free, struct rtapp_thread, link);
	list_del(&th->link);
	*th = (struct rtapp_thread){0};
	return th;
}

static bool fork_step(struct rtapp_thread *th, const struct rtapp_event *e, struct sim_step *step)
{
	struct rtapp_run *run = th->run;
	const struct rtapp_task *def = &run->app->task[e->object];
	struct rtapp_thread *child;

	if (run->forks[e->object] == FORKS_LIMIT) {
		err_set(&run->fail, -E2BIG, "%s:%d:%d: more than %d forks of \"%s\"",
			run->app->file, e->line, e->col, FORKS_LIMIT, def->name);
		sim_stop(run->sim);
		return false;
	}
	child = forked_thread(run);
	if (!child || rtapp_thread_init(run, child, def, run->forks[e->object]++)) {
		err_set(&run->fail, -ENOMEM, "%s: out of memory", run->app->file);
		sim_stop(run->sim);
		return false;
	}
	step->op = SIM_FORK;
	step->spawn = &child->spawn;
	return true;
}

static bool sync_step(struct rtapp_thread *th, const struct rtapp_event *e, struct sim_step *step)
{
	if (th->steps == 2)
		return false;
	step->op = th->steps ? SIM_COND_WAIT : SIM_COND_SIGNAL;
	step->cond = th->run->cond[e->object];
	step->cond_mutex = th->run->mutex[e->mutex];
	return true;
}

/* Events of one step, or none. */
static bool single_step(struct rtapp_thread *th, const struct rtapp_event *e, struct sim_step *step)
{
	struct rtapp_run *run = th->run;

	switch (e->type) {
	case RT_RUN:
		return run_step(th, e, step);
	case RT_RUNTIME:
		return runtime_step(th, e, step);
	case RT_SLEEP:
		step->op = SIM_SLEEP;
		step->ns = e->value * NSEC_PER_USEC;
		return true;
	case RT_TIMER:
		return timer_step(th, e, step);
	case RT_LOCK:
	case RT_UNLOCK:
		step->op = e->type == RT_LOCK ? SIM_LOCK : SIM_UNLOCK;
		step->mutex = run->mutex[e->object];
		return true;
	case RT_WAIT:
		step->op = SIM_COND_WAIT;
		step->cond = run->cond[e->object];
		step->cond_mutex = run->mutex[e->mutex];
		return true;
	case RT_SIGNAL:
	case RT_BROAD:
		step->op = e->type == RT_SIGNAL ? SIM_COND_SIGNAL : SIM_COND_BROADCAST;
		step->cond = run->cond[e->object];
		return true;
	case RT_BARRIER:
		step->op = SIM_BARRIER;
		step->barrier = run->barrier[e->object];
		return true;
	case RT_SUSPEND:
	case RT_RESUME:
		step->op = e->type == RT_SUSPEND ? SIM_SUSPEND : SIM_RESUME;
		step->event = run->event[e->object];
		return true;
	case RT_SEM_POST:
	case RT_SEM_WAIT:
		step->op = e->type == RT_SEM_POST ? SIM_SEM_POST : SIM_SEM_WAIT;
		step->sem = run->sem[e->object];
		return true;
	case RT_IORUN:
		step->op = SIM_IO;
		step->bytes = e->value;
		return true;
	case RT_YIELD:
		step->op = SIM_YIELD;
		return true;
	case RT_FORK:
		return fork_step(th, e, step);
	default:
		return false;
	}
}

bool rtapp_event_step(struct rtapp_thread *th, const struct rtapp_event *e, struct sim_step *step)
{
	switch (e->type) {
	case RT_SYNC:
		return sync_step(th, e, step);
	case RT_MEM:
		return mem_step(th, e, step);
	case RT_MEMRUN:
		return memrun_step(th, e, step);
	default:
		return !th->steps && single_step(th, e, step);
	}
}

static void timer_done(struct rtapp_thread *th)
{
	struct rtapp_account *account = account_of(th);

	if (!account->wu_lat)
		account->wu_lat = arena_alloc(sim_arena(th->run->sim), sizeof(*account->wu_lat));
	if (account->wu_lat)
		hist_add(account->wu_lat, sim_now(th->run->sim) - th->target);
}

void rtapp_event_done(struct rtapp_thread *th, const struct rtapp_event *e)
{
	switch (e->type) {
	case RT_RUN:
		account_of(th)->work_ns += work_ns(th, e->value);
		break;
	case RT_RUNTIME:
		account_of(th)->work_ns += e->value * NSEC_PER_USEC;
		break;
	case RT_TIMER:
		if (th->target == RTAPP_UNSET)
			break;
		timer_done(th);
		/* fall through */
	case RT_SLEEP:
	case RT_WAIT:
	case RT_SYNC:
	case RT_SUSPEND:
		/* These have always slept; a lock or semaphore may have been free. */
		hist_add(&th->run->latency, sim_task_wake_latency(th->task));
		break;
	default:
		break;
	}
}
