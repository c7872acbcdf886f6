/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * random.c - random lives of tasks and groups under every kind of kernel: all
 * invariants after every event, and peek agreeing with pick.
 */
#include "fixture.h"

#define TASKS  40
#define GROUPS 4
#define STEPS  6000

struct life {
	struct world w;
	struct rng rng;
	struct task *task[TASKS];
	int nr;
	struct task_group *group[GROUPS + 1]; /* NULL: the root */
	u64 v0[MAX_CPUS];
};

static u64 draw(struct life *l, u64 n)
{
	return rng_below(&l->rng, n);
}

static void spawn(struct life *l)
{
	static const enum sched_policy policy[] = { POLICY_NORMAL, POLICY_NORMAL, POLICY_NORMAL,
						    POLICY_BATCH, POLICY_IDLE };
	struct sched_task_attr attr = {
		.policy = policy[draw(l, 5)],
		.nice = draw(l, 3) ? 0 : (int)draw(l, 40) - 20,
		.slice_ns = draw(l, 4) ? 0 : 100000 + draw(l, 5 * MS),
		.group = l->group[draw(l, GROUPS + 1)],
	};
	int parent = draw(l, l->w.topo.nr_cpus);

	attr.parent = sched_current(l->w.s, parent);
	l->task[l->nr++] = world_spawn(&l->w, draw(l, l->w.topo.nr_cpus), attr);
}

/* a queued task that doesn't run goes to another CPU, as a balancer would take it */
static void migrate(struct life *l, struct task *p)
{
	struct sched *s = l->w.s;
	int dst = draw(l, l->w.topo.nr_cpus);
	struct rq *src = world_clock(&l->w, p->cpu), *rq = world_clock(&l->w, dst);

	if (!p->on_rq || p->on_cpu || src == rq)
		return;
	deactivate_task(s, src, p, 0);
	set_task_cpu(s, p, dst);
	l->w.now += draw(l, 3) * US;
	update_rq_clock(s, rq, l->w.now);
	activate_task(s, rq, p, 0);
	check_preempt_curr(s, rq, p, 0, src->cpu);
	world_drain(&l->w);
}

static void change(struct life *l, struct task *p)
{
	struct sched *s = l->w.s;

	switch (draw(l, 4)) {
	case 0:
		sched_set_nice(s, l->w.now, p, p->policy, (int)draw(l, 40) - 20);
		break;
	case 1:
		sched_set_nice(s, l->w.now, p, draw(l, 3) ? POLICY_NORMAL : POLICY_IDLE, p->nice);
		break;
	case 2:
		sched_set_slice(s, l->w.now, p, draw(l, 2) * (200 * US + draw(l, 4 * MS)));
		break;
	case 3:
		sched_set_group(s, l->w.now, p, l->group[draw(l, GROUPS + 1)]);
		break;
	}
	world_drain(&l->w);
}

static void step(struct life *l)
{
	struct world *w = &l->w;
	struct task *p = l->nr ? l->task[draw(l, l->nr)] : NULL;
	int cpu = draw(l, w->topo.nr_cpus);

	w->now += draw(l, 3) ? draw(l, 300 * US) : draw(l, 20 * MS);
	switch (draw(l, 12)) {
	case 0:
		if (l->nr < TASKS)
			spawn(l);
		break;
	case 1: case 2: case 3:
		if (p && p->state == TASK_SLEEPING && !p->on_cpu)
			world_wake(w, p, draw(l, 2) ? p->cpu : cpu);
		break;
	case 4: case 5: case 6:
		if (sched_current(w->s, cpu))
			world_block(w, cpu);
		break;
	case 7:
		if (sched_current(w->s, cpu)) {
			sched_yield_task(w->s, w->now, cpu);
			world_schedule(w, cpu);
		}
		break;
	case 8:
		if (p)
			migrate(l, p);
		break;
	case 9:
		if (p)
			change(l, p);
		break;
	case 10:
		world_tick(w);
		break;
	case 11:
		update_blocked_averages(w->s, world_clock(w, cpu));
		break;
	}
	if (draw(l, 4))
		world_settle(w);
}

static void check_monotone(struct life *l)
{
	for (int c = 0; c < l->w.topo.nr_cpus; c++) {
		u64 v0 = world_rq(&l->w, c)->cfs.min_vruntime;

		assert_true((s64)(v0 - l->v0[c]) >= 0);
		l->v0[c] = v0;
	}
}

static void make_groups(struct life *l)
{
	struct err err = { 0 };

	for (int g = 1; g <= GROUPS; g++) {
		/* two on top, two nested */
		struct task_group *parent = g > 2 ? l->group[g - 2] : NULL;

		l->group[g] = sched_group_new(l->w.s, parent, 512 << (g % 3), &err);
		if (!l->group[g])
			fail_msg("%s", err.msg);
	}
}

/* all tasks sleep long enough: nothing may be left */
static void check_all_decays(struct life *l)
{
	struct world *w = &l->w;

	for (int round = 0; round < 3; round++)
		for (int c = 0; c < w->topo.nr_cpus; c++)
			while (sched_current(w->s, c) || world_schedule(w, c))
				world_block(w, c);
	for (int i = 0; i < 4; i++) {
		w->now += 1000 * MS;
		for (int c = 0; c < w->topo.nr_cpus; c++)
			update_blocked_averages(w->s, world_clock(w, c));
		world_check(w);
	}
	for (int c = 0; c < w->topo.nr_cpus; c++) {
		const struct rq *rq = world_rq(w, c);

		assert_int_equal(rq->nr_running, 0);
		assert_int_equal(rq->cfs.avg.load_avg + rq->cfs.avg.util_avg, 0);
		assert_int_equal(rq->cfs.util_est, 0);
		assert_false(mask_test(w->s->load_mask, c));
	}
}

static void live(const char *kernel, u64 seed, bool groups)
{
	struct life l = { 0 };

	world_init(&l.w, kernel, 3, 250);
	rng_init(&l.rng, seed, groups);
	if (groups)
		make_groups(&l);
	for (int i = 0; i < STEPS; i++) {
		step(&l);
		world_check(&l.w);
		check_monotone(&l);
	}
	check_all_decays(&l);
	world_free(&l.w);
}

static const char *const kernels[] = {
	"v5.7", "v5.17", "v6.1.192", "v6.1,NEXT_BUDDY", "v6.6", "v6.6,NEXT_BUDDY", "v6.12",
	"v6.12,NO_DELAY_ZERO", "v6.12.95", "v6.18", "v6.18,NO_RUN_TO_PARITY", "v7.3",
	"v7.3,NO_PREEMPT_SHORT", "v7.3,NEXT_BUDDY",
};

static void test_tasks(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		for (u64 seed = 1; seed <= 2; seed++)
			live(kernels[i], seed, false);
}

static void test_groups(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		for (u64 seed = 1; seed <= 2; seed++)
			live(kernels[i], seed, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
