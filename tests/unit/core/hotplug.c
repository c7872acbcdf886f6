// SPDX-License-Identifier: BSD-2-Clause
/*
 * A CPU goes while a task is in each state that it can be in; partitions; what is refused.
 */
#include <errno.h>

#include "rig.h"

/* two LLCs of four CPUs in one node */
static const struct rig_machine two_llcs = RIG_MACHINE(1, 1, 2, 1, 4, 1);
/* two nodes of four */
static const struct rig_machine two_nodes = RIG_MACHINE(1, 2, 1, 1, 4, 1);

static void down(struct rig *r, int cpu)
{
	struct err err = {0};

	if (sched_cpu_down(r->s, r->now, cpu, &err))
		fail_msg("%s", err.msg);
	rig_check(r, "down");
}

static void up(struct rig *r, int cpu)
{
	struct err err = {0};

	if (sched_cpu_up(r->s, r->now, cpu, &err))
		fail_msg("%s", err.msg);
	rig_check(r, "up");
}

/* @cpu's stopper does what the last pick asked for; Return: the task that it was asked to move */
static struct task *push(struct rig *r, int cpu)
{
	struct task *prev = sched_current(r->s, cpu), *next, *p = NULL;
	struct sched_out out;

	assert_true(sched_pick(r->s, r->now, cpu, false, &next));
	sched_switch_done(r->s, r->now, cpu, prev != next ? prev : NULL);
	while (sched_next_out(r->s, &out)) {
		if (out.kind != OUT_STOP_MIGRATE)
			continue;
		assert_int_equal(out.cpu, cpu);
		assert_int_equal((int)out.arg, -1);
		p = out.p;
	}
	if (!p)
		return NULL;
	sched_stop_begin(r->s, r->now, cpu);
	sched_stop_migrate(r->s, r->now, cpu, p, -1);
	sched_stop_end(r->s, r->now, cpu);
	rig_drain(r);
	rig_check(r, "pushed");
	return p;
}

static void ends(struct rig *r, int cpu)
{
	struct task *next;

	sched_pick(r->s, r->now, cpu, false, &next);
	assert_null(next);
	sched_switch_done(r->s, r->now, cpu, NULL);
	assert_true(sched_cpu_dead(r->s, r->now, cpu));
	rig_drain(r);
	rig_check(r, "dead");
}

static const u64 *span(const struct rig *r, int cpu, int level)
{
	static const u64 none;
	const struct sched_domain *sd = cpu_rq(r->s, cpu)->sd;

	while (sd && level--)
		sd = sd->parent;
	return sd ? sd->span : &none;
}

/* ---- domains ---- */

static void domains_without_it(void **state)
{
	struct rig r;

	rig_new(&r, &two_llcs, "v6.12");
	rig_boot(&r, 1);
	assert_int_equal(*span(&r, 1, 0), 0x0f);
	assert_int_equal(*span(&r, 1, 1), 0xff);
	down(&r, 0);
	ends(&r, 0);
	assert_int_equal(*span(&r, 1, 0), 0x0e);
	assert_int_equal(*span(&r, 1, 1), 0xfe);
	assert_int_equal(*span(&r, 4, 0), 0xf0);
	assert_null(cpu_rq(r.s, 0)->sd);
	assert_int_equal(cpu_rq(r.s, 1)->llc_id, 1);
	assert_int_equal(cpu_rq(r.s, 1)->llc_size, 3);
	assert_false(mask_test(r.s->idle_mask, 0));
	assert_false(mask_test(r.s->nohz_mask, 0));
	assert_int_equal(cpu_rq(r.s, 0)->cpupri, -1);
	/* a domain begins with its least interval and no search (spec 01 §3, 06 §9) */
	assert_int_equal(cpu_rq(r.s, 1)->sd->balance_interval, 3);
	assert_int_equal(cpu_rq(r.s, 1)->llc->nr_idle_scan, 0);
	up(&r, 0);
	assert_int_equal(*span(&r, 1, 0), 0x0f);
	assert_int_equal(*span(&r, 0, 1), 0xff);
	assert_int_equal(cpu_rq(r.s, 1)->llc_id, 0);
	assert_true(mask_test(r.s->idle_mask, 0));
	rig_free(&r);
}

/* threads whose siblings are all off share no core with anybody */
static void smt_goes(void **state)
{
	static const struct rig_machine smt = RIG_MACHINE(1, 1, 1, 1, 2, 2);
	struct rig r;

	rig_new(&r, &smt, "v6.12");
	rig_boot(&r, 1);
	assert_true(r.s->smt_active);
	down(&r, 2);
	ends(&r, 2);
	assert_true(r.s->smt_active);
	assert_int_equal(cpu_rq(r.s, 0)->nr_siblings, 0);
	assert_int_equal(cpu_rq(r.s, 1)->nr_siblings, 1);
	down(&r, 3);
	ends(&r, 3);
	assert_false(r.s->smt_active);
	rig_free(&r);
}

/* ---- tasks in each state (5.11 and later: pushed when picked) ---- */

static void running_and_queued(void **state)
{
	struct task *p[3];
	struct rig r;

	rig_new(&r, &two_nodes, "v6.12");
	for (int i = 0; i < 3; i++)
		p[i] = rig_start(&r, 5, NULL);
	down(&r, 5);
	assert_true(sched_need_resched(r.s, 5));
	/* each in its turn, to the lowest CPU of the same node (spec 04 §1.6) */
	for (int i = 0; i < 3; i++) {
		assert_non_null(push(&r, 5));
		assert_int_equal(sched_nr_running(r.s, 5), 2 - i);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(sched_task_cpu(p[i]), 4);
	ends(&r, 5);
	rig_free(&r);
}

/* ≤5.10: in one go, in the order of picks */
static void all_at_once(void **state)
{
	struct task *p[3];
	struct sched_out out;
	struct rig r;
	bool asked = false;

	rig_new(&r, &two_nodes, "v5.10");
	for (int i = 0; i < 3; i++)
		p[i] = rig_start(&r, 5, NULL);
	down(&r, 5);
	while (sched_next_out(r.s, &out))
		asked |= out.kind == OUT_STOP_DRAIN && out.cpu == 5;
	assert_true(asked);
	sched_stop_begin(r.s, r.now, 5);
	assert_false(sched_stop_drain(r.s, r.now, 5));
	sched_stop_end(r.s, r.now, 5);
	rig_drain(&r);
	rig_check(&r, "drained");
	for (int i = 0; i < 3; i++)
		assert_int_equal(sched_task_cpu(p[i]), 4);
	ends(&r, 5);
	rig_free(&r);
}

static int wake_from(struct rig *r, int cpu, struct task *p)
{
	struct wake_query q = {.cpu = cpu, .p = p, .in_task = true};
	struct wake_decision d;

	sched_wake_decide(r->s, r->now, &q, &d);
	sched_wake_commit(r->s, r->now, &q, &d, d.target);
	assert_int_not_equal(d.path, WAKE_SPIN);
	if (d.path == WAKE_DIRECT)
		sched_activate(r->s, r->now, cpu, p);
	else
		sched_wake_list_add(r->s, r->now, cpu, p);
	rig_drain(r);
	rig_check(r, "woken");
	return sched_task_cpu(p);
}

static void sleeping(void **state)
{
	u64 only_5 = 1 << 5, all = 0xff;
	struct task *p, *pinned;
	struct rig r;

	rig_new(&r, &two_nodes, "v6.1");
	p = rig_start(&r, 5, NULL);
	rig_sleep(&r, 5);
	pinned = rig_start(&r, 5, &only_5);
	rig_sleep(&r, 5);
	down(&r, 5);
	ends(&r, 5);
	assert_int_equal(wake_from(&r, 4, p), 4);
	/* nothing of its mask is left, so it loses that: the lowest CPU online */
	assert_int_equal(wake_from(&r, 4, pinned), 0);
	assert_memory_equal(sched_task_cpus(pinned), &all, sizeof(all));
	/* … for good */
	up(&r, 5);
	assert_memory_equal(sched_task_cpus(pinned), &all, sizeof(all));
	rig_free(&r);
}

/* a delayed task isn't moved: it goes to sleep for good when it is picked */
static void delayed(void **state)
{
	struct task *p;
	struct rig r;

	rig_new(&r, &two_nodes, "v6.12");
	rig_start(&r, 5, NULL);
	rig_start(&r, 5, NULL);
	r.now += 4 * NSEC_PER_MSEC; /* far beyond its share: not eligible */
	p = sched_current(r.s, 5);
	sched_tick(r.s, r.now, 5);
	sched_block(r.s, r.now, 5, false);
	rig_schedule(&r, 5);
	assert_true(p->se.sched_delayed);
	down(&r, 5);
	assert_ptr_not_equal(push(&r, 5), p);
	for (int i = 0; i < 2 && sched_nr_running(r.s, 5); i++)
		assert_null(push(&r, 5));
	ends(&r, 5);
	assert_false(p->se.sched_delayed);
	assert_false(sched_task_queued(p));
	rig_free(&r);
}

/* a wake list is handled before the CPU is dead */
static void on_a_wake_list(void **state)
{
	struct wake_query q = {.cpu = 0};
	struct wake_decision d;
	struct rig r;

	rig_new(&r, &two_llcs, "v6.1");
	rig_boot(&r, 1);
	q.p = rig_start(&r, 5, NULL);
	rig_sleep(&r, 5);
	sched_wake_decide(r.s, r.now, &q, &d);
	assert_int_equal(d.path, WAKE_LIST);
	assert_int_equal(d.target, 5);
	sched_wake_commit(r.s, r.now, &q, &d, 5);
	sched_wake_list_add(r.s, r.now, 0, q.p);
	rig_drain(&r);
	down(&r, 5);
	assert_false(sched_cpu_dead(r.s, r.now, 5));
	assert_int_equal(sched_wake_list_run(r.s, r.now, 5), 1);
	rig_drain(&r);
	assert_ptr_equal(push(&r, 5), q.p);
	assert_int_equal(sched_task_cpu(q.p), 0); /* the lowest of the node */
	ends(&r, 5);
	rig_free(&r);
}

/* chosen before the CPU went, enqueued after it was dead */
static void under_way(void **state)
{
	struct wake_query q = {.cpu = 4};
	struct wake_decision d;
	struct rig r;

	rig_new(&r, &two_llcs, "v5.10");
	rig_boot(&r, 1);
	q.p = rig_start(&r, 5, NULL);
	rig_sleep(&r, 5);
	sched_wake_decide(r.s, r.now, &q, &d);
	assert_int_equal(d.path, WAKE_DIRECT);
	sched_wake_commit(r.s, r.now, &q, &d, 5);
	down(&r, 5);
	ends(&r, 5);
	sched_activate(r.s, r.now, 4, q.p);
	rig_drain(&r);
	rig_check(&r, "fled");
	assert_int_equal(sched_task_cpu(q.p), 0);
	rig_free(&r);
}

static void kernel_threads_stay(void **state)
{
	u64 only_5 = 1 << 5;
	struct sched_task_attr attr = {.id = 7, .comm = "kworker/5:0", .allowed = &only_5,
				       .kthread = true};
	static const char *const kernels[] = {"v5.10", "v6.12"};

	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
		struct fork_decision d = {.target = 5};
		struct task *p, *user;
		struct rig r;

		rig_new(&r, &two_llcs, kernels[i]);
		user = rig_start(&r, 5, NULL);
		p = sched_task_new(r.s, &attr);
		sched_fork_commit(r.s, r.now, 5, p, &d, 5);
		sched_activate_new(r.s, r.now, 5, p);
		rig_drain(&r);
		down(&r, 5);
		rig_drain(&r);
		sched_stop_begin(r.s, r.now, 5);
		while (sched_stop_drain(r.s, r.now, 5))
			;
		sched_stop_end(r.s, r.now, 5);
		rig_drain(&r);
		assert_int_equal(sched_task_cpu(p), 5);
		assert_int_not_equal(sched_task_cpu(user), 5);
		assert_ptr_equal(rig_schedule(&r, 5), p);
		assert_false(sched_cpu_dead(r.s, r.now, 5));
		rig_sleep(&r, 5);
		ends(&r, 5);
		rig_free(&r);
	}
}

/* ---- realtime and deadline ---- */

static void set_policy(struct rig *r, struct task *p, enum sched_policy policy, int priority,
		       u64 runtime, u64 period, int expected)
{
	struct task_attr a = {.policy = policy, .priority = priority, .runtime = runtime,
			      .deadline = period, .period = period};

	assert_int_equal(sched_set_attr(r->s, r->now, p, &a), expected);
	rig_drain(r);
}

/* a throttled CPU lets its realtime tasks go; they come in the order of their priorities */
static void realtime(void **state)
{
	struct task *low, *high;
	struct rig r;

	rig_new(&r, &two_llcs, "v6.1");
	low = rig_start(&r, 5, NULL);
	high = rig_start(&r, 5, NULL);
	set_policy(&r, low, POLICY_FIFO, 10, 0, 0, 0);
	set_policy(&r, high, POLICY_FIFO, 50, 0, 0, 0);
	rig_schedule(&r, 5);
	r.now += 960 * NSEC_PER_MSEC; /* of 950 a second (spec 08 §2.8) */
	sched_tick(r.s, r.now, 5);
	rig_drain(&r);
	assert_true(cpu_rq(r.s, 5)->rt.throttled);
	down(&r, 5);
	assert_false(cpu_rq(r.s, 5)->rt.throttled);
	while (sched_nr_running(r.s, 5))
		assert_non_null(push(&r, 5));
	ends(&r, 5);
	assert_int_not_equal(high->cpu, 5);
	assert_int_not_equal(low->cpu, 5);
	rig_free(&r);
}

/* spec 08 §3: two tasks of 70 % fit two CPUs (1468006 of 1992294), not one (996147) */
static void bandwidth_is_kept(void **state)
{
	static const struct rig_machine two = RIG_MACHINE(1, 1, 1, 1, 2, 1);
	struct err err = {0};
	struct task *p[2];
	struct rig r;

	rig_new(&r, &two, "v6.1");
	for (int i = 0; i < 2; i++) {
		p[i] = rig_start(&r, i, NULL);
		set_policy(&r, p[i], POLICY_DEADLINE, 0, 70 * NSEC_PER_MSEC, 100 * NSEC_PER_MSEC, 0);
	}
	assert_int_equal(sched_dl_bandwidth(r.s), 1468006);
	assert_int_equal(sched_cpu_down(r.s, r.now, 1, &err), -EBUSY);
	assert_true(sched_cpu_online(r.s, 1));
	rig_check(&r, "refused");
	set_policy(&r, p[1], POLICY_NORMAL, 0, 0, 0, 0);
	r.now += NSEC_PER_SEC; /* its bandwidth is given back at its 0-lag time */
	for (int c = 0; c < 2; c++)
		sched_timer(r.s, r.now, c);
	rig_drain(&r);
	down(&r, 1);
	rig_free(&r);
}

/* a throttled one comes back on another CPU, by the timer that moved */
static void throttled_deadline(void **state)
{
	struct sched_out out;
	struct task *p;
	struct rig r;
	u64 at = 0;
	int cpu = -1;

	rig_new(&r, &two_llcs, "v6.1");
	p = rig_start(&r, 5, NULL);
	set_policy(&r, p, POLICY_DEADLINE, 0, 2 * NSEC_PER_MSEC, 100 * NSEC_PER_MSEC, 0);
	r.now += 4 * NSEC_PER_MSEC;
	sched_tick(r.s, r.now, 5);
	rig_drain(&r);
	assert_true(p->dl.throttled);
	assert_null(rig_schedule(&r, 5));
	down(&r, 5);
	assert_true(sched_cpu_dead(r.s, r.now, 5));
	rig_check(&r, "dead");
	while (sched_next_out(r.s, &out)) {
		if (out.kind == OUT_TIMER && out.arg != UINT64_MAX) {
			at = out.arg;
			cpu = out.cpu;
		}
	}
	assert_int_equal(cpu, 0);
	r.now = at;
	sched_timer(r.s, r.now, 0);
	rig_drain(&r);
	rig_check(&r, "replenished");
	assert_false(p->dl.throttled);
	assert_int_not_equal(p->cpu, 5);
	assert_true(sched_task_queued(p));
	rig_free(&r);
}

static void the_last_one_stays(void **state)
{
	struct err err = {0};
	struct rig r;

	rig_new(&r, &two_llcs, "v6.12");
	for (int c = 0; c < 7; c++) {
		down(&r, c);
		ends(&r, c);
	}
	assert_int_equal(sched_cpu_down(r.s, r.now, 7, &err), -EBUSY);
	assert_int_equal(sched_cpu_down(r.s, r.now, 3, &err), -EINVAL);
	assert_int_equal(sched_cpu_up(r.s, r.now, 7, &err), -EINVAL);
	rig_free(&r);
}

/* ---- partitions ---- */

static void divide(struct rig *r, u64 a, u64 b)
{
	const u64 *sets[] = {&a, &b};
	struct err err = {0};

	if (sched_set_partitions(r->s, r->now, b ? 2 : 1, sets, &err))
		fail_msg("%s", err.msg);
	rig_check(r, "divided");
}

/* trees of their own, and isolated CPUs without any */
static void own_trees(void **state)
{
	struct rig r;

	rig_new(&r, &two_llcs, "v6.12");
	rig_boot(&r, 1);
	cpu_rq(r.s, 4)->sd->nr_balance_failed = 3;
	divide(&r, 0x07, 0xf0);
	assert_int_equal(*span(&r, 1, 0), 0x07);
	assert_int_equal(*span(&r, 1, 1), 0);
	assert_int_equal(*span(&r, 4, 0), 0xf0);
	assert_int_equal(*span(&r, 4, 1), 0);
	assert_null(cpu_rq(r.s, 3)->sd);
	assert_int_equal(cpu_rq(r.s, 4)->sd->nr_balance_failed, 0);
	/* one whose CPUs stay keeps what it has learnt */
	cpu_rq(r.s, 4)->sd->nr_balance_failed = 2;
	divide(&r, 0x03, 0xf0);
	assert_int_equal(cpu_rq(r.s, 4)->sd->nr_balance_failed, 2);
	assert_int_equal(cpu_rq(r.s, 2)->llc_size, 1);
	rig_free(&r);
}

static void bad_partitions(void **state)
{
	u64 a = 0x07, b = 0x0c, none = 0;
	const u64 *overlap[] = {&a, &b}, *empty[] = {&none};
	struct err err = {0};
	struct rig r;

	rig_new(&r, &two_llcs, "v6.12");
	assert_int_equal(sched_set_partitions(r.s, r.now, 2, overlap, &err), -EINVAL);
	assert_string_equal(err.msg, "CPU 2 is in two partitions: give it to one");
	assert_int_equal(sched_set_partitions(r.s, r.now, 1, empty, &err), -EINVAL);
	assert_int_equal(*span(&r, 1, 1), 0xff);
	rig_free(&r);
}

/* neither push nor pull, and admission to one's own CPUs */
static void nothing_crosses(void **state)
{
	struct task *p[3], *d;
	struct rig r;
	u64 half = 0x0f;

	rig_new(&r, &two_llcs, "v6.1.192"); /* pulls directly */
	divide(&r, 0x0f, 0xf0);
	for (int i = 0; i < 3; i++) {
		p[i] = rig_start(&r, 1, NULL);
		set_policy(&r, p[i], POLICY_FIFO, 10 + i, 0, 0, 0);
	}
	for (int i = 0; i < 3; i++)
		assert_true(p[i]->cpu < 4);
	d = rig_start(&r, 0, &half);
	set_policy(&r, d, POLICY_DEADLINE, 0, 80 * NSEC_PER_MSEC, 100 * NSEC_PER_MSEC, 0);
	assert_int_equal(r.s->rd[0].total_bw, 838860);
	assert_int_equal(r.s->rd[1].total_bw, 0);
	/* one CPU is enough for it: 838860 of 996147 */
	divide(&r, 1 << d->cpu, 0xff & ~(1 << d->cpu));
	assert_int_equal(r.s->rd[0].total_bw, 838860);
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(domains_without_it),
		cmocka_unit_test(smt_goes),
		cmocka_unit_test(running_and_queued),
		cmocka_unit_test(all_at_once),
		cmocka_unit_test(sleeping),
		cmocka_unit_test(delayed),
		cmocka_unit_test(on_a_wake_list),
		cmocka_unit_test(under_way),
		cmocka_unit_test(kernel_threads_stay),
		cmocka_unit_test(realtime),
		cmocka_unit_test(bandwidth_is_kept),
		cmocka_unit_test(throttled_deadline),
		cmocka_unit_test(the_last_one_stays),
		cmocka_unit_test(own_trees),
		cmocka_unit_test(bad_partitions),
		cmocka_unit_test(nothing_crosses),
	};

	return cmocka_run_group_tests_name("hotplug", tests, NULL, NULL);
}
