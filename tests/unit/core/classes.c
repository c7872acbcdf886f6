// SPDX-License-Identifier: BSD-2-Clause
/*
 * The worked examples of spec 08: admission, budgets, priorities, and what realtime tasks leave to
 * others. A host in small drives the core tick by tick.
 */
#include <errno.h>
#include <string.h>

#include "rig.h"

#define MSEC NSEC_PER_MSEC
#define HOST_STEP (100 * NSEC_PER_USEC)
#define TICK (4 * MSEC)

static const struct rig_machine one = RIG_MACHINE(1, 1, 1, 1, 1, 1);
static const struct rig_machine two = RIG_MACHINE(1, 1, 1, 1, 2, 1);
static const struct rig_machine four = RIG_MACHINE(1, 1, 1, 1, 4, 1);
static const struct rig_machine mixed = RIG_MACHINE(1, 1, 1, 2, 4, 1, .arm = true, .little = 462);
static const struct rig_machine mixed446 = RIG_MACHINE(1, 1, 1, 2, 4, 1, .arm = true, .little = 446);

/* ---- a host in small: time passes in steps; every request is done at once ---- */

#define MAX_CPUS 8

struct host {
	struct rig r;
	bool resched[MAX_CPUS], rt_push[MAX_CPUS];
	u64 timer_at[MAX_CPUS];
	u64 next_tick;
};

static void host_new(struct host *h, const struct rig_machine *m, const char *kernel)
{
	memset(h, 0, sizeof(*h));
	rig_new(&h->r, m, kernel);
	rig_boot(&h->r, 1);
	for (int c = 0; c < MAX_CPUS; c++)
		h->timer_at[c] = UINT64_MAX;
	h->next_tick = h->r.now + TICK;
}

static void host_check(struct host *h)
{
	struct err err = {0};

	if (sched_check(h->r.s, h->r.now, &err))
		fail_msg("%s", err.msg);
}

static void drain(struct host *h)
{
	struct sched_out o;

	while (sched_next_out(h->r.s, &o)) {
		if (o.kind == OUT_RESCHED || o.kind == OUT_RESCHED_LAZY)
			h->resched[o.cpu] = true;
		else if (o.kind == OUT_TIMER)
			h->timer_at[o.cpu] = o.arg;
		else if (o.kind == OUT_RT_PUSH)
			h->rt_push[o.cpu] = true;
	}
}

static void host_schedule(struct host *h, int cpu)
{
	struct task *prev = sched_current(h->r.s, cpu), *next;

	h->resched[cpu] = false;
	if (!sched_pick(h->r.s, h->r.now, cpu, true, &next))
		sched_pick(h->r.s, h->r.now, cpu, false, &next);
	sched_switch_done(h->r.s, h->r.now, cpu, prev);
	drain(h);
}

/* all that is asked for now */
static void settle(struct host *h)
{
	drain(h);
	for (int again = 1; again;) {
		again = 0;
		for (int c = 0; c < h->r.s->nr_cpus; c++) {
			if (h->timer_at[c] <= h->r.now) {
				h->timer_at[c] = UINT64_MAX;
				sched_timer(h->r.s, h->r.now, c);
				again = 1;
			}
			if (h->rt_push[c]) {
				h->rt_push[c] = false;
				sched_rt_push(h->r.s, h->r.now, c);
				again = 1;
			}
			drain(h);
			if (h->resched[c]) {
				host_schedule(h, c);
				again = 1;
			}
		}
	}
	host_check(h);
}

static void host_step(struct host *h)
{
	h->r.now += HOST_STEP;
	if (h->r.now >= h->next_tick) {
		h->next_tick += TICK;
		for (int c = 0; c < h->r.s->nr_cpus; c++)
			if (sched_current(h->r.s, c))
				sched_tick(h->r.s, h->r.now, c);
	}
	settle(h);
}

static void run_for(struct host *h, u64 ns)
{
	for (u64 end = h->r.now + ns; h->r.now < end;)
		host_step(h);
}

static struct task *start(struct host *h, const struct task_attr *a, int cpu)
{
	struct task *p = rig_task(&h->r, NULL);
	struct fork_decision d = {.target = cpu};

	sched_fork_commit(h->r.s, h->r.now, cpu, p, &d, cpu);
	sched_activate_new(h->r.s, h->r.now, cpu, p);
	settle(h);
	if (a)
		assert_int_equal(sched_set_attr(h->r.s, h->r.now, p, a), 0);
	settle(h);
	return p;
}

static u64 ran(struct host *h, struct task *p)
{
	if (sched_current(h->r.s, p->cpu) == p)
		sched_tick(h->r.s, h->r.now, p->cpu);
	settle(h);
	return sched_task_runtime(p);
}

static void put_to_sleep(struct host *h, struct task *p)
{
	assert_ptr_equal(sched_current(h->r.s, p->cpu), p);
	sched_block(h->r.s, h->r.now, p->cpu, false);
	host_schedule(h, p->cpu);
	settle(h);
}

/* Return: the CPU it went to */
static int wake(struct host *h, struct task *p, int from)
{
	struct wake_query q = {.cpu = from, .p = p};
	struct wake_decision d;

	sched_wake_decide(h->r.s, h->r.now, &q, &d);
	sched_wake_commit(h->r.s, h->r.now, &q, &d, d.target);
	if (d.path == WAKE_LIST) {
		sched_wake_list_add(h->r.s, h->r.now, from, p);
		sched_wake_list_run(h->r.s, h->r.now, p->cpu);
	} else {
		assert_int_equal(d.path, WAKE_DIRECT);
		sched_activate(h->r.s, h->r.now, from, p);
	}
	settle(h);
	return p->cpu;
}

static struct task_attr deadline(u64 runtime, u64 dl, u64 period)
{
	return (struct task_attr){
		.policy = POLICY_DEADLINE, .runtime = runtime, .deadline = dl, .period = period};
}

static struct task_attr fifo(int priority)
{
	return (struct task_attr){.policy = POLICY_FIFO, .priority = priority};
}

static const struct task_attr rr50 = {.policy = POLICY_RR, .priority = 50};

/* ---- admission (spec 08 §3) ---- */

static void limit_of_machines(void **state)
{
	static const struct {
		const struct rig_machine *m;
		const char *kernel;
		u64 runtime;	/* of 100 ms */
		int admitted;	/* so many tasks, the next one isn't */
	} rows[] = {
		/* 734003 each of 2 · 996147 */
		{&two, "v6.1", 70 * MSEC, 2},
		/* 0.7 · 8 of 5.455 CPUs of capacity, before 5.8 of 7.6 */
		{&mixed446, "v6.1", 70 * MSEC, 7},
		{&mixed446, "v5.7", 70 * MSEC, 10},
		/* beside the fair server: 996147 - 52428 = 943719, twice 45 % are 943718 */
		{&one, "v6.12", 45 * MSEC, 2},
		{&one, "v6.12", 90 * MSEC, 1},
		{&one, "v6.1", 90 * MSEC, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task_attr a = deadline(rows[i].runtime, 100 * MSEC, 100 * MSEC);
		struct host h;
		int n = 0, rc = 0;

		host_new(&h, rows[i].m, rows[i].kernel);
		while (!rc && n < 20) {
			rc = sched_set_attr(h.r.s, h.r.now, rig_task(&h.r, NULL), &a);
			n += !rc;
		}
		assert_int_equal(rc, -EBUSY);
		if (n != rows[i].admitted)
			fail_msg("row %zu: %d admitted, expected %d", i, n, rows[i].admitted);
		host_check(&h);
		rig_free(&h.r);
	}
}

/*
 * Four big CPUs and four of 462: 996147 · 5944 / 1024, to the unit. A period of 2^20 us makes a
 * bandwidth the runtime in us.
 */
static void limit_of_big_and_little(void **state)
{
	struct task_attr a = deadline(0, 1 << 20, 0);
	struct host h;

	a.deadline *= NSEC_PER_USEC;
	host_new(&h, &mixed, "v6.1");
	a.runtime = 1000000 * NSEC_PER_USEC;
	for (int i = 0; i < 5; i++)
		assert_int_equal(sched_set_attr(h.r.s, h.r.now, rig_task(&h.r, NULL), &a), 0);
	a.runtime = 782323 * NSEC_PER_USEC;
	assert_int_equal(sched_set_attr(h.r.s, h.r.now, rig_task(&h.r, NULL), &a), -EBUSY);
	a.runtime = 782322 * NSEC_PER_USEC;
	assert_int_equal(sched_set_attr(h.r.s, h.r.now, rig_task(&h.r, NULL), &a), 0);
	assert_int_equal(sched_dl_bandwidth(h.r.s), 5782322);
	rig_free(&h.r);
}

/* two of 45 % come out at the limit but one unit */
static void admitted_by_one_unit(void **state)
{
	struct task_attr a = deadline(45 * MSEC, 100 * MSEC, 0);
	struct host h;

	host_new(&h, &one, "v6.12");
	assert_int_equal(sched_dl_bandwidth(h.r.s), 52428);
	for (int i = 0; i < 2; i++)
		assert_int_equal(sched_set_attr(h.r.s, h.r.now, rig_task(&h.r, NULL), &a), 0);
	assert_int_equal(sched_dl_bandwidth(h.r.s), 996146);
	rig_free(&h.r);
}

static void refusals(void **state)
{
	static const struct sched_cred user = {.rlimit_nice = 20, .rlimit_rtprio = 10};
	static const struct {
		struct task_attr a;
		int rc;
	} rows[] = {
		{{.policy = 7}, -EINVAL},
		{{.policy = POLICY_FIFO}, -EINVAL},
		{{.policy = POLICY_NORMAL, .priority = 1}, -EINVAL},
		{{.policy = POLICY_RR, .priority = 100}, -EINVAL},
		{{.flags = 0x80000}, -EINVAL},
		{{.policy = POLICY_DEADLINE}, -EINVAL},
		{{.policy = POLICY_DEADLINE, .runtime = 1023, .deadline = MSEC}, -EINVAL},
		{{.policy = POLICY_DEADLINE, .runtime = 2 * MSEC, .deadline = MSEC}, -EINVAL},
		{{.policy = POLICY_DEADLINE, .runtime = MSEC, .deadline = 3 * MSEC, .period = 2 * MSEC},
		 -EINVAL},
		{{.policy = POLICY_DEADLINE, .runtime = MSEC, .deadline = 2 * MSEC, .period = 1ULL << 63},
		 -EINVAL},
		/* 100 µs ≤ P ≤ 2^22 µs */
		{{.policy = POLICY_DEADLINE, .runtime = 2048, .deadline = 99999}, -EINVAL},
		{{.policy = POLICY_DEADLINE, .runtime = 2048, .deadline = 4194304001}, -EINVAL},
		{{.policy = POLICY_DEADLINE, .runtime = 2048, .deadline = 100000}, 0},
		{{.policy = POLICY_DEADLINE, .runtime = MSEC, .deadline = MSEC}, -EBUSY},
		{{.policy = POLICY_DEADLINE, .runtime = 2048, .deadline = 100000, .cred = &user}, -EPERM},
		{{.policy = POLICY_FIFO, .priority = 11, .cred = &user}, -EPERM},
		{{.policy = POLICY_FIFO, .priority = 10, .cred = &user}, 0},
		{{.nice = -1, .cred = &user}, -EPERM},
		{{.nice = 5, .cred = &user}, 0},
		{{.nice = -40}, 0}, /* clamped */
	};
	struct host h;

	host_new(&h, &one, "v6.1");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task *p = rig_task(&h.r, NULL);
		int rc = sched_set_attr(h.r.s, h.r.now, p, &rows[i].a);

		if (rc != rows[i].rc)
			fail_msg("row %zu: %d, expected %d", i, rc, rows[i].rc);
		if (rows[i].a.nice == -40)
			assert_int_equal(sched_task_prio(p), 100);
		sched_task_free(h.r.s, p);
	}
	assert_int_equal(sched_dl_bandwidth(h.r.s), 0);
	rig_free(&h.r);
}

static void pinned_deadline(void **state)
{
	struct task_attr a = deadline(MSEC, 10 * MSEC, 0);
	u64 set[1] = {1};
	struct host h;
	struct task *p;

	host_new(&h, &two, "v6.1");
	p = rig_task(&h.r, set);
	assert_int_equal(sched_set_attr(h.r.s, h.r.now, p, &a), -EPERM);
	p = rig_task(&h.r, NULL);
	assert_int_equal(sched_set_attr(h.r.s, h.r.now, p, &a), 0);
	assert_int_equal(sched_set_affinity(h.r.s, h.r.now, p, set), -EBUSY);
	rig_free(&h.r);
}

static void inheritance(void **state)
{
	struct task_attr a = deadline(MSEC, 10 * MSEC, 0), rt = fifo(30);
	struct sched_task_attr child;
	struct task *p;
	struct host h;

	host_new(&h, &one, "v6.1");
	p = start(&h, &rt, 0);
	assert_int_equal(sched_inherit(p, &child), 0);
	assert_int_equal(child.policy, POLICY_FIFO);
	assert_int_equal(child.rt_priority, 30);
	rt.flags = ATTR_RESET_ON_FORK;
	assert_int_equal(sched_set_attr(h.r.s, h.r.now, p, &rt), 0);
	assert_int_equal(sched_inherit(p, &child), 0);
	assert_int_equal(child.policy, POLICY_NORMAL);
	assert_int_equal(sched_set_attr(h.r.s, h.r.now, p, &a), 0);
	assert_int_equal(sched_inherit(p, &child), -EAGAIN);
	rig_free(&h.r);
}

/* ---- placement on 4 big and 4 little CPUs ---- */

static void fits_big_only(void **state)
{
	struct task_attr big = deadline(11 * MSEC, 16 * MSEC, 0);
	struct task_attr small = deadline(6500 * NSEC_PER_USEC, 16 * MSEC, 0);
	struct task *p;
	struct host h;

	/* limit 996147 · 5944 / 1024 = 5782322 */
	host_new(&h, &mixed, "v6.1");
	p = start(&h, &small, 1); /* 0.406 · 1024 = 416 ≤ 462 */
	put_to_sleep(&h, p);
	run_for(&h, 20 * MSEC);
	assert_int_equal(wake(&h, p, 7), 1);
	p = start(&h, &big, 2); /* 704 > 462 */
	put_to_sleep(&h, p);
	run_for(&h, 20 * MSEC);
	assert_true(wake(&h, p, 2) >= 4);
	rig_free(&h.r);
}

/* ---- budgets ---- */

/* a hog of 10 of 100 ms beside a fair one runs 10 ms of each period, at its beginning */
static void cbs_hog(void **state)
{
	struct task_attr a = deadline(10 * MSEC, 100 * MSEC, 0);
	struct task *p;
	struct host h;
	u64 base;

	host_new(&h, &one, "v6.1");
	start(&h, NULL, 0);
	p = start(&h, &a, 0);
	base = sched_task_runtime(p);
	run_for(&h, 15 * MSEC); /* the tick sees the end of the budget */
	assert_in_range(ran(&h, p) - base, 10 * MSEC, 14 * MSEC);
	run_for(&h, 84 * MSEC);
	assert_in_range(ran(&h, p) - base, 10 * MSEC, 14 * MSEC);
	run_for(&h, 901 * MSEC);
	/* what a tick was late is missing later */
	assert_in_range(ran(&h, p) - base, 100 * MSEC, 104 * MSEC);
	assert_true(sched_task_dl_stats(p)->throttled >= 9);
	rig_free(&h.r);
}

/* with its new budget a hog comes back where it was, or goes elsewhere at once (6.12) */
static void replenished_where(const char *kernel, bool moves)
{
	struct task_attr a = deadline(10 * MSEC, 100 * MSEC, 0);
	struct task *p;
	struct host h;
	int cpu;

	host_new(&h, &two, kernel);
	start(&h, NULL, 0);
	start(&h, NULL, 1);
	p = start(&h, &a, 0);
	cpu = p->cpu;
	run_for(&h, 50 * MSEC);
	assert_true(p->dl.throttled);
	run_for(&h, 55 * MSEC);
	assert_false(p->dl.throttled);
	assert_int_equal(p->cpu != cpu, moves);
	assert_ptr_equal(sched_current(h.r.s, p->cpu), p);
	rig_free(&h.r);
}

static void replenishment(void **state)
{
	replenished_where("v6.1.192", false);
	replenished_where("v6.12.95", true);
	replenished_where("v7.3", true);
}

#define MAX_SET 12

struct job_set {
	int n;
	u64 runtime[MAX_SET], period[MAX_SET];
	u64 release[MAX_SET], work_end[MAX_SET];
	struct task *p[MAX_SET];
};

/* @bw in 1/1000 of a CPU, by tasks of 5 … 40 % with periods of 8 … 60 ms */
static void draw_set(struct job_set *set, struct rng *rng, int bw)
{
	set->n = 0;
	while (bw > 50 && set->n < MAX_SET) {
		int part = min(bw, 50 + (int)rng_below(rng, 350));
		u64 period = (8 + rng_below(rng, 52)) * MSEC;

		set->period[set->n] = period;
		set->runtime[set->n++] = period * part / 1000;
		bw -= part;
	}
}

/* a step of the host is a switch too late at most, for each of those that came before */
#define LATE_ENDS (4 * HOST_STEP)

static void run_set(struct host *h, struct job_set *set, u64 ns)
{
	for (int i = 0; i < set->n; i++) {
		struct task_attr a = deadline(set->runtime[i], set->period[i], 0);

		set->p[i] = start(h, &a, i % h->r.s->nr_cpus);
		put_to_sleep(h, set->p[i]);
		set->release[i] = h->r.now + set->period[i];
	}
	for (u64 end = h->r.now + ns; h->r.now < end; host_step(h))
		for (int i = 0; i < set->n; i++) {
			struct task *p = set->p[i];
			struct rq *rq = &h->r.s->rq[p->cpu];

			if (p->state == TASK_SLEEPING && h->r.now >= set->release[i]) {
				set->release[i] += set->period[i];
				set->work_end[i] =
					sched_task_runtime(p) + set->runtime[i] - LATE_ENDS;
				wake(h, p, p->cpu);
			}
			if (rq->curr != p || p->state != TASK_RUNNABLE)
				continue;
			update_rq_clock(h->r.s, rq, h->r.now);
			if (p->se.sum_exec_runtime + rq->clock_task - p->se.exec_start >=
			    set->work_end[i])
				put_to_sleep(h, p);
		}
}

/* one CPU, U of 98 %: no deadline is missed under EDF */
static void edf_meets_deadlines(void **state)
{
	struct rng rng;

	rng_init(&rng, 1, 1);
	for (int round = 0; round < 10; round++) {
		struct job_set set;
		struct host h;

		host_new(&h, &one, "v6.1,sched_rt_runtime_us=1000000");
		draw_set(&set, &rng, 980);
		run_set(&h, &set, 1000 * MSEC);
		for (int i = 0; i < set.n; i++) {
			const struct sched_dl_stats *st = sched_task_dl_stats(set.p[i]);

			assert_true(st->jobs > 10);
			if (st->missed)
				fail_msg("round %d: task %d of %llu/%llu us missed %llu of %llu",
					 round, i, (unsigned long long)set.runtime[i] / 1000,
					 (unsigned long long)set.period[i] / 1000,
					 (unsigned long long)st->missed,
					 (unsigned long long)st->jobs);
		}
		rig_free(&h.r);
	}
}

/*
 * Four CPUs, U of 95 % of them: deadlines may be missed under global EDF, but tardiness is bounded
 * by (ΣQ of the m - 1 largest - Qmin) / (m - ΣU of the m - 2 largest) + Q (Devi, Anderson 2005).
 */
static u64 tardiness_bound(const struct job_set *set, int m, u64 own)
{
	u64 q[MAX_SET], sum_q = 0, min_q = UINT64_MAX;
	double u[MAX_SET], sum_u = 0;

	for (int i = 0; i < set->n; i++) {
		q[i] = set->runtime[i];
		u[i] = (double)set->runtime[i] / set->period[i];
		min_q = min(min_q, q[i]);
	}
	for (int k = 0; k < m - 1; k++) {
		int iq = 0, iu = 0;

		for (int i = 1; i < set->n; i++) {
			iq = q[i] > q[iq] ? i : iq;
			iu = u[i] > u[iu] ? i : iu;
		}
		sum_q += q[iq];
		q[iq] = 0;
		if (k < m - 2)
			sum_u += u[iu];
		u[iu] = 0;
	}
	return (u64)((sum_q - min_q) / (m - sum_u)) + own;
}

static void gedf_tardiness_is_bounded(void **state)
{
	struct rng rng;

	rng_init(&rng, 2, 1);
	for (int round = 0; round < 8; round++) {
		struct job_set set;
		struct host h;

		host_new(&h, &four, "v6.1");
		draw_set(&set, &rng, 3750);
		if (set.n < 5) {
			rig_free(&h.r);
			continue;
		}
		run_set(&h, &set, 1000 * MSEC);
		for (int i = 0; i < set.n; i++) {
			u64 bound = tardiness_bound(&set, 4, set.runtime[i]);
			const struct sched_dl_stats *st = sched_task_dl_stats(set.p[i]);

			assert_true(st->jobs > 10);
			if (st->max_tardiness > bound + LATE_ENDS)
				fail_msg("round %d: task %d is %llu us late, bound %llu us", round,
					 i, (unsigned long long)st->max_tardiness / 1000,
					 (unsigned long long)bound / 1000);
		}
		rig_free(&h.r);
	}
}

/* ---- realtime ---- */

static void rr_alternates(void **state)
{
	struct task *a, *b;
	struct host h;
	u64 base_a, base_b;

	host_new(&h, &one, "v6.12");
	a = start(&h, &rr50, 0);
	b = start(&h, &rr50, 0);
	base_a = ran(&h, a);
	base_b = sched_task_runtime(b);
	for (int i = 1; i <= 6; i++) {
		u64 first, second;

		run_for(&h, 100 * MSEC);
		first = ran(&h, a) - base_a;
		second = ran(&h, b) - base_b;
		/* they take turns of 100 ms */
		assert_in_range(first > second ? first - second : second - first, 0, 104 * MSEC);
	}
	rig_free(&h.r);
}

static void fifo_order(void **state)
{
	struct task_attr a40 = fifo(40), a60 = fifo(60);
	struct task *first, *second, *high;
	struct host h;

	host_new(&h, &one, "v6.1");
	first = start(&h, &a40, 0);
	second = start(&h, &a40, 0);
	run_for(&h, 10 * MSEC);
	assert_ptr_equal(sched_current(h.r.s, 0), first);
	high = start(&h, &a60, 0);
	assert_ptr_equal(sched_current(h.r.s, 0), high);
	assert_int_equal(sched_task_prio(high), 39);
	put_to_sleep(&h, high); /* who was preempted is still the first */
	assert_ptr_equal(sched_current(h.r.s, 0), first);
	sched_yield_task(h.r.s, h.r.now, 0);
	host_schedule(&h, 0);
	assert_ptr_equal(sched_current(h.r.s, 0), second);
	rig_free(&h.r);
}

/* push and pull: the highest tasks run, whatever queue they were put on */
static void highest_run(const char *kernel)
{
	struct task *p[6];
	struct host h;

	host_new(&h, &four, kernel);
	for (int i = 0; i < 6; i++) {
		struct task_attr a = fifo(10 + i);

		p[i] = start(&h, &a, 0);
	}
	run_for(&h, MSEC);
	for (int i = 0; i < 6; i++)
		assert_int_equal(sched_current(h.r.s, p[i]->cpu) == p[i], i >= 2);
	put_to_sleep(&h, p[5]);
	run_for(&h, MSEC);
	assert_ptr_equal(sched_current(h.r.s, p[1]->cpu), p[1]);
	assert_ptr_not_equal(sched_current(h.r.s, p[0]->cpu), p[0]);
	rig_free(&h.r);
}

static void push_and_pull(void **state)
{
	highest_run("v6.1");	 /* asks the others to push */
	highest_run("v6.1.192"); /* pulls itself */
	highest_run("v7.3");
}

/* a FIFO hog and what a fair task gets (spec 08 §8): 50 ms a second */
static void starvation_guard(void **state)
{
	static const struct {
		const char *kernel;
		u64 least, most;
	} rows[] = {
		{"v6.1", 45 * MSEC, 55 * MSEC},
		{"v6.12", 45 * MSEC, 60 * MSEC},
		{"v7.3", 45 * MSEC, 60 * MSEC},
		{"v6.1,sched_rt_runtime_us=-1", 0, 0},
		{"v6.12,fair_server_runtime_ns=0", 0, 0},
	};
	struct task_attr hog = fifo(50);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct task *fair, *rt;
		struct host h;
		u64 before;

		host_new(&h, &one, rows[i].kernel);
		rt = start(&h, &hog, 0);
		fair = start(&h, NULL, 0);
		before = ran(&h, fair);
		for (int sec = 0; sec < 4; sec++) {
			run_for(&h, 1000 * MSEC);
		}
		before = ran(&h, fair) - before;
		if (before < 3 * rows[i].least || before > 5 * rows[i].most)
			fail_msg("%s: the fair task got %llu us of 4 s", rows[i].kernel,
				 (unsigned long long)before / 1000);
		assert_true(ran(&h, rt) > 3700 * MSEC);
		rig_free(&h.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limit_of_machines), cmocka_unit_test(limit_of_big_and_little),
		cmocka_unit_test(admitted_by_one_unit),
		cmocka_unit_test(refusals),	     cmocka_unit_test(pinned_deadline),
		cmocka_unit_test(inheritance),	     cmocka_unit_test(fits_big_only),
		cmocka_unit_test(cbs_hog),	     cmocka_unit_test(edf_meets_deadlines),
		cmocka_unit_test(replenishment),
		cmocka_unit_test(gedf_tardiness_is_bounded),
		cmocka_unit_test(rr_alternates),     cmocka_unit_test(fifo_order),
		cmocka_unit_test(push_and_pull),     cmocka_unit_test(starvation_guard),
	};

	return cmocka_run_group_tests_name("classes", tests, NULL, NULL);
}
