// SPDX-License-Identifier: BSD-2-Clause
/*
 * Picks asked for and committed apart: the same as in one step, where the core's own choice is
 * committed; consistent where another one is; refused where the state contradicts.
 */
#include <errno.h>

#include "../balance/world.h"

static const char *const kernels[] = {"v6.1.192", "v6.6", "v6.12.95", "v7.3"};

static void start_world(struct world *w, const char *kernel, bool forced)
{
	memset(w, 0, sizeof(*w));
	rig_start(&w->r, kernel, 1, 2, 2, 2);
	w->r.forced = forced;
	rng_init(&w->rng, 7, 0);
}

static void same_state(const struct world *a, const struct world *b)
{
	assert_int_equal(a->r.now, b->r.now);
	assert_int_equal(a->nr, b->nr);
	for (int i = 0; i < a->nr; i++) {
		const struct task *p = a->task[i], *q = b->task[i];

		assert_int_equal(p->cpu, q->cpu);
		assert_int_equal(p->state, q->state);
		assert_int_equal(p->on_rq, q->on_rq);
		assert_int_equal(p->se.sched_delayed, q->se.sched_delayed);
		assert_int_equal(p->se.vruntime, q->se.vruntime);
		assert_int_equal(p->se.deadline, q->se.deadline);
		assert_int_equal(p->se.vprot, q->se.vprot);
		assert_int_equal(p->se.sum_exec_runtime, q->se.sum_exec_runtime);
		assert_int_equal(p->se.avg.util_avg, q->se.avg.util_avg);
	}
	for (int c = 0; c < a->r.s->nr_cpus; c++) {
		const struct rq *p = cpu_rq(a->r.s, c), *q = cpu_rq(b->r.s, c);

		assert_int_equal(p->curr ? p->curr->id : 0, q->curr ? q->curr->id : 0);
		assert_int_equal(p->idle_stamp, q->idle_stamp);
		assert_int_equal(p->sched_count, q->sched_count);
		assert_int_equal(p->need_resched, q->need_resched);
	}
}

static void two_steps_are_one(void **state)
{
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		struct world a, b;

		start_world(&a, kernels[k], false);
		start_world(&b, kernels[k], true);
		for (int i = 0; i < 4000; i++) {
			random_event(&a);
			random_event(&b);
			if (i % 16 == 0)
				same_state(&a, &b);
		}
		same_state(&a, &b);
		rig_check(&b.r);
		rig_stop(&a.r);
		rig_stop(&b.r);
	}
}

/* whoever is chosen, every invariant holds */
static void any_choice(void **state)
{
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		struct world w;

		start_world(&w, kernels[k], true);
		for (int i = 0; i < 3000; i++) {
			struct task *prev, *p;
			int cpu;

			random_event(&w);
			if (!w.nr)
				continue;
			p = w.task[draw(&w, w.nr)];
			cpu = p->cpu;
			prev = sched_current(w.r.s, cpu);
			if (!p->on_rq || p->se.sched_delayed || (p->on_cpu && p != prev))
				continue;
			assert_int_equal(sched_pick_commit(w.r.s, w.r.now, cpu, p), 0);
			sched_switch_done(w.r.s, w.r.now, cpu, p != prev ? prev : NULL);
			assert_ptr_equal(sched_current(w.r.s, cpu), p);
			rig_handle_requests(&w.r);
			if (i % 16 == 0)
				rig_check(&w.r);
		}
		rig_stop(&w.r);
	}
}

static void refused(void **state)
{
	struct task *a, *b, *c;
	struct rig r;

	rig_start(&r, "v6.12.95", 1, 1, 2, 1);
	a = rig_task(&r, 0, NULL);
	rig_schedule(&r, 0);
	b = rig_task(&r, 0, NULL);
	c = rig_task(&r, 1, NULL);
	rig_drop_requests(&r);
	assert_int_equal(sched_pick_commit(r.s, r.now, 0, c), -ENOENT);
	assert_int_equal(sched_pick_commit(r.s, r.now, 0, NULL), -EBUSY);
	assert_int_equal(sched_pick_empty(r.s, r.now, 0), -EBUSY);
	r.now += 10 * NSEC_PER_MSEC; /* a is behind, so it stays when it blocks */
	sched_block(r.s, r.now, 0, false);
	assert_true(sched_task_delayed(a));
	assert_int_equal(sched_pick_commit(r.s, r.now, 0, a), -EAGAIN);
	assert_int_equal(sched_pick_commit(r.s, r.now, 0, b), 0);
	sched_switch_done(r.s, r.now, 0, a);
	rig_check(&r);

	/* nothing runnable is left; the delayed one goes where a pick meets it */
	sched_block(r.s, r.now, 0, false);
	assert_int_equal(sched_pick_empty(r.s, r.now, 0), 0);
	assert_int_equal(cpu_rq(r.s, 0)->nr_running, 0);
	assert_int_equal(cpu_rq(r.s, 0)->idle_stamp, r.now);
	assert_int_equal(sched_pick_commit(r.s, r.now, 0, NULL), 0);
	sched_switch_done(r.s, r.now, 0, b);
	assert_true(sched_cpu_idle(r.s, 0));
	rig_check(&r);
	rig_stop(&r);
}

/* spec 02 §4.8, §5.7: one queue, each rule once */
static void reasons(void **state)
{
	struct pick_decision d;
	struct task *a, *b;
	struct rig r;

	rig_start(&r, "v6.1", 1, 1, 2, 1);
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_null(d.next);
	assert_int_equal(d.reason, REASON_PICK_IDLE);
	a = rig_task(&r, 0, NULL);
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_ptr_equal(d.next, a);
	assert_int_equal(d.reason, REASON_PICK_ONLY);
	assert_int_equal(d.nr_runnable, 1);
	rig_schedule(&r, 0);
	b = rig_task(&r, 0, NULL);
	r.now += 20 * NSEC_PER_MSEC;
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_ptr_equal(d.next, b);
	assert_int_equal(d.reason, REASON_PICK_LEFTMOST);
	assert_int_equal(d.nr_runnable, 2);
	cpu_rq(r.s, 0)->cfs.last = &a->se; /* no further behind than a wake-up would be */
	r.now -= 19 * NSEC_PER_MSEC;
	a->se.vruntime = b->se.vruntime;
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_ptr_equal(d.next, a);
	assert_int_equal(d.reason, REASON_PICK_LAST);
	rig_stop(&r);

	rig_start(&r, "v6.12.95", 1, 1, 2, 1);
	a = rig_task(&r, 0, NULL);
	rig_schedule(&r, 0);
	b = rig_task(&r, 0, NULL);
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_ptr_equal(d.next, a);
	assert_int_equal(d.reason, REASON_PICK_PROTECTED);
	r.now += 20 * NSEC_PER_MSEC;
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_ptr_equal(d.next, b);
	assert_int_equal(d.reason, REASON_PICK_DEADLINE);
	cpu_rq(r.s, 0)->cfs.next = &b->se;
	sched_pick_decide(r.s, r.now, 0, &d);
	assert_int_equal(d.reason, REASON_PICK_BUDDY);
	rig_stop(&r);
}

static void note(void *ctx, const struct sched_record *rec)
{
	struct sched_record *last = ctx;

	if (rec->reason >= REASON_PICK_IDLE && rec->reason <= REASON_PICK_SECOND)
		*last = *rec;
}

static void explained(void **state)
{
	struct sched_record last = {0};
	struct task *p;
	struct rig r;

	rig_start(&r, "v7.3", 1, 1, 2, 1);
	sched_set_sink(r.s, note, &last);
	p = rig_task(&r, 0, NULL);
	rig_schedule(&r, 0);
	assert_ptr_equal(last.p, p);
	assert_int_equal(last.reason, REASON_PICK_ONLY);
	assert_int_equal(last.value[0], 1);
	rig_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_steps_are_one),
		cmocka_unit_test(any_choice),
		cmocka_unit_test(refused),
		cmocka_unit_test(reasons),
		cmocka_unit_test(explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
