// SPDX-License-Identifier: BSD-2-Clause
/*
 * Pressure: the worked example of spec 09 §5, closed forms, groups, and a straightforward recount
 * of what random tasks did.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "rig.h"
#include "sched/cgroup.h"
#include "sched/psi_group.h"

#define MSEC NSEC_PER_MSEC
#define PERIOD (2 * NSEC_PER_SEC + 4 * MSEC) /* at 250 Hz */

static const struct rig_machine one = RIG_MACHINE(1, 1, 1, 1, 1, 1);
static const struct rig_machine two = RIG_MACHINE(1, 1, 1, 1, 2, 1);

static void measured(struct rig *r, const struct rig_machine *m, const char *kernel)
{
	struct err err = {0};

	rig_new(r, m, kernel);
	assert_int_equal(sched_psi_enable(r->s, r->now, &err), 0);
}

/* time passes; averages are brought up when it was asked for */
static void pass(struct rig *r, u64 ns)
{
	u64 end = r->now + ns;

	while (r->s->psi_at <= end) {
		r->now = r->s->psi_at;
		sched_psi_update(r->s, r->now);
	}
	r->now = end;
	rig_drain(r);
}

static struct sched_psi pressure(struct rig *r, struct task_group *tg, enum psi_res res)
{
	struct sched_psi psi;

	assert_int_equal(sched_psi_read(r->s, r->now, tg, res, &psi), 0);
	assert_true(psi.some.total_us >= psi.full.total_us || res == PSI_IRQ);
	rig_check(r, "pressure");
	return psi;
}

static void wake(struct rig *r, int cpu, struct task *p)
{
	const struct wake_query q = {.cpu = cpu, .p = p};
	struct wake_decision d;

	sched_wake_decide(r->s, r->now, &q, &d);
	sched_wake_commit(r->s, r->now, &q, &d, d.target);
	if (d.path == WAKE_QUEUED)
		sched_wake_queued(r->s, r->now, cpu, p);
	else
		sched_activate(r->s, r->now, cpu, p);
}

/* two tasks on CPU 0: @a is the one that runs */
static void start_two(struct rig *r, struct task **a, struct task **b)
{
	*a = rig_start(r, 0, NULL);
	*b = rig_start(r, 0, NULL);
	if (sched_current(r->s, 0) == *b) {
		struct task *t = *a;

		*a = *b;
		*b = t;
	}
}

static void join(struct rig *r, struct task *p, struct task_group *tg)
{
	sched_set_group(r->s, r->now, p, tg);
	rig_drain(r);
}

/* one CPU, two hogs: somebody waits all the time; the averages of spec 09 §5, update by update */
static void two_hogs(void **state)
{
	static const struct sched_psi_line want[] = {
		{1811, 327, 68, 0},  {3294, 643, 136, 0}, {4509, 949, 203, 0},
		{5504, 1245, 270, 0}, {6318, 1532, 337, 0},
	};
	struct sched_psi psi;
	struct rig r;

	measured(&r, &one, "v6.1");
	rig_start(&r, 0, NULL);
	rig_start(&r, 0, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		pass(&r, PERIOD);
		psi = pressure(&r, NULL, PSI_CPU);
		assert_int_equal(psi.some.avg10, want[i].avg10);
		assert_int_equal(psi.some.avg60, want[i].avg60);
		assert_int_equal(psi.some.avg300, want[i].avg300);
		assert_int_equal(psi.some.total_us, (i + 1) * PERIOD / 1000);
		/* one of the two always ran */
		assert_true(psi.has_full);
		assert_int_equal(psi.full.avg10 + psi.full.total_us, 0);
	}
	/* the exponential, with the kernel's factors of 11 bits: 100 (1 - f^60) */
	for (int i = ARRAY_SIZE(want); i < 60; i++)
		pass(&r, PERIOD);
	psi = pressure(&r, NULL, PSI_CPU);
	assert_true(fabs(psi.some.avg10 / 100.0 - 100 * (1 - pow(1677 / 2048.0, 60))) < 0.1);
	assert_true(fabs(psi.some.avg60 / 100.0 - 100 * (1 - pow(1981 / 2048.0, 60))) < 0.2);
	assert_true(fabs(psi.some.avg300 / 100.0 - 100 * (1 - pow(2034 / 2048.0, 60))) < 0.2);
	/* which are about those of 10, 60 and 300 s */
	assert_true(fabs(psi.some.avg60 / 100.0 - 100 * (1 - exp(-120.24 / 60))) < 1);
	assert_true(fabs(psi.some.avg300 / 100.0 - 100 * (1 - exp(-120.24 / 300))) < 1);
	assert_int_equal(psi.some.total_us, 60 * PERIOD / 1000);
	rig_free(&r);
}

/* a hog alone waits for nobody; nor do its averages move */
static void one_hog(void **state)
{
	struct sched_psi psi;
	struct rig r;

	measured(&r, &one, "v6.12");
	rig_start(&r, 0, NULL);
	pass(&r, 3 * PERIOD);
	for (enum psi_res res = 0; res < NR_PSI_RESOURCES; res++) {
		psi = pressure(&r, NULL, res);
		assert_int_equal(psi.some.total_us + psi.full.total_us, 0);
		assert_int_equal(psi.has_some, res != PSI_IRQ);
		assert_true(psi.has_full);
	}
	rig_free(&r);
}

/* half of the time two, then half of the time nobody: the clock stands, and catches up */
static void clock_stands(void **state)
{
	struct task *a, *b;
	struct sched_psi psi;
	struct rig r;
	u64 avg;

	measured(&r, &one, "v6.1");
	a = rig_start(&r, 0, NULL);
	b = rig_start(&r, 0, NULL);
	pass(&r, PERIOD);
	rig_sleep(&r, 0);
	rig_sleep(&r, 0);
	pass(&r, PERIOD); /* the last collection finds nothing; then the clock stands */
	pass(&r, PERIOD);
	assert_int_equal(r.s->psi_at, UINT64_MAX);
	avg = r.s->root_tg.psi->avg[PSI_CPU_SOME][0];
	pass(&r, 20 * PERIOD);
	assert_int_equal(r.s->root_tg.psi->avg[PSI_CPU_SOME][0], avg);
	psi = pressure(&r, NULL, PSI_CPU); /* a reader makes it catch up */
	assert_true(psi.some.avg10 < 50);
	assert_true(psi.some.avg300 > 0);
	assert_int_equal(psi.some.total_us, PERIOD / 1000);
	wake(&r, 0, a);
	wake(&r, 0, b);
	rig_schedule(&r, 0);
	assert_int_not_equal(r.s->psi_at, UINT64_MAX);
	pass(&r, PERIOD);
	psi = pressure(&r, NULL, PSI_CPU);
	assert_int_equal(psi.some.total_us, 2 * PERIOD / 1000);
	rig_free(&r);
}

/* two CPUs: a time counts by how long each of them wasn't idle */
static void weighed_by_activity(void **state)
{
	struct sched_psi psi;
	struct rig r;
	u64 first[1] = {1}, second[1] = {2};

	measured(&r, &two, "v6.1");
	rig_start(&r, 0, first);
	rig_start(&r, 0, first);
	pass(&r, PERIOD);
	psi = pressure(&r, NULL, PSI_CPU); /* the other CPU was idle: it doesn't count */
	assert_int_equal(psi.some.total_us, PERIOD / 1000);
	rig_start(&r, 1, second);
	pass(&r, PERIOD);
	psi = pressure(&r, NULL, PSI_CPU); /* half of the activity suffers */
	assert_int_equal(psi.some.total_us, PERIOD / 1000 + PERIOD / 2000);
	assert_int_equal(psi.some.avg10, 100 * 0 + 2389);
	rig_free(&r);
}

/* a group that waits while another one runs is full of it; the system never is */
static void groups(void **state)
{
	struct task_group *g, *h;
	struct task *a, *b;
	struct sched_psi psi;
	struct rig r;

	measured(&r, &one, "v6.1");
	g = sched_group_new(r.s, NULL, 1024, NULL);
	h = sched_group_new(r.s, g, 1024, NULL);
	start_two(&r, &a, &b);
	join(&r, b, h);
	pass(&r, 100 * MSEC);
	psi = pressure(&r, h, PSI_CPU);
	assert_int_equal(psi.some.total_us, 100000);
	assert_int_equal(psi.full.total_us, 100000);
	psi = pressure(&r, g, PSI_CPU);
	assert_int_equal(psi.full.total_us, 100000);
	psi = pressure(&r, NULL, PSI_CPU);
	assert_int_equal(psi.some.total_us, 100000);
	assert_int_equal(psi.full.total_us, 0);
	join(&r, a, g); /* the two share g, where one of them runs now */
	pass(&r, 50 * MSEC);
	psi = pressure(&r, g, PSI_CPU);
	assert_int_equal(psi.some.total_us, 150000);
	assert_int_equal(psi.full.total_us, 100000);
	psi = pressure(&r, h, PSI_CPU);
	assert_int_equal(psi.full.total_us, 150000);
	rig_sleep(&r, 0); /* b runs alone: nobody waits */
	assert_ptr_equal(sched_current(r.s, 0), b);
	pass(&r, 50 * MSEC);
	psi = pressure(&r, g, PSI_CPU);
	assert_int_equal(psi.some.total_us, 150000);
	rig_free(&r);
}

/* a session's group is no cgroup: its tasks are the root's */
static void autogroup(void **state)
{
	struct task_group *session;
	struct task *a, *b;
	struct err err = {0};
	struct rig r;

	measured(&r, &one, "v6.1");
	session = sched_autogroup_new(r.s, &err);
	assert_non_null(session);
	start_two(&r, &a, &b);
	join(&r, b, session);
	pass(&r, 3 * PERIOD);
	assert_int_equal(pressure(&r, NULL, PSI_CPU).some.total_us, 3 * PERIOD / 1000);
	assert_int_equal(pressure(&r, NULL, PSI_CPU).full.total_us, 0);
	assert_int_equal(sched_psi_set(r.s, r.now, session, false, &err), -EINVAL);
	rig_free(&r);
}

/* cgroup.pressure: nothing is measured while it is off, the parents don't mind */
static void group_off(void **state)
{
	struct task_group *g;
	struct sched_psi psi;
	struct err err = {0};
	struct rig r;

	measured(&r, &one, "v6.1");
	g = sched_group_new(r.s, NULL, 1024, NULL);
	join(&r, rig_start(&r, 0, NULL), g);
	join(&r, rig_start(&r, 0, NULL), g);
	pass(&r, 10 * MSEC);
	assert_int_equal(sched_psi_set(r.s, r.now, g, false, &err), 0);
	assert_int_equal(sched_psi_read(r.s, r.now, g, PSI_CPU, &psi), -EOPNOTSUPP);
	pass(&r, 10 * MSEC);
	rig_sleep(&r, 0);
	rig_check(&r, "off");
	assert_int_equal(sched_psi_set(r.s, r.now, g, true, &err), 0);
	rig_start(&r, 0, NULL);
	pass(&r, 10 * MSEC);
	assert_int_equal(pressure(&r, g, PSI_CPU).some.total_us, 10000);
	assert_int_equal(pressure(&r, NULL, PSI_CPU).some.total_us, 30000);
	assert_int_equal(sched_psi_set(r.s, r.now, NULL, false, &err), -EINVAL);
	rig_free(&r);
	err_clear(&err);
	measured(&r, &one, "v5.10");
	g = sched_group_new(r.s, NULL, 1024, NULL);
	assert_int_equal(sched_psi_set(r.s, r.now, g, false, &err), -EOPNOTSUPP);
	assert_string_equal(err.msg, "v5.10 has no cgroup.pressure");
	rig_free(&r);
}

/* a task asleep for I/O: some; nobody else runnable on its CPU: full */
static void io(void **state)
{
	struct task *a, *b;
	struct rig r;

	measured(&r, &one, "v6.1");
	start_two(&r, &a, &b);
	sched_task_iowait(a);
	rig_sleep(&r, 0);
	assert_ptr_equal(sched_current(r.s, 0), b);
	pass(&r, 30 * MSEC);
	assert_int_equal(pressure(&r, NULL, PSI_IO).some.total_us, 30000);
	assert_int_equal(pressure(&r, NULL, PSI_IO).full.total_us, 0);
	rig_sleep(&r, 0); /* b doesn't sleep for I/O */
	pass(&r, 20 * MSEC);
	assert_int_equal(pressure(&r, NULL, PSI_IO).some.total_us, 50000);
	assert_int_equal(pressure(&r, NULL, PSI_IO).full.total_us, 20000);
	wake(&r, 0, a);
	rig_schedule(&r, 0);
	pass(&r, 20 * MSEC);
	rig_sleep(&r, 0); /* not for I/O this time */
	pass(&r, 20 * MSEC);
	assert_int_equal(pressure(&r, NULL, PSI_IO).some.total_us, 50000);
	rig_free(&r);
}

/* a wakee of another CPU takes its wait for I/O along: the old CPU has none left */
static void io_elsewhere(void **state)
{
	struct task *a;
	struct rig r;
	u64 second[1] = {2};

	measured(&r, &two, "v6.1");
	a = rig_start(&r, 0, NULL);
	sched_task_iowait(a);
	rig_sleep(&r, 0);
	pass(&r, 10 * MSEC);
	sched_set_affinity(r.s, r.now, a, second);
	wake(&r, 0, a);
	rig_schedule(&r, 1);
	pass(&r, 10 * MSEC);
	assert_int_equal(pressure(&r, NULL, PSI_IO).some.total_us, 5000); /* of two active CPUs */
	rig_free(&r);
}

static void memory(void **state)
{
	struct task *a, *b;
	struct rig r;

	measured(&r, &one, "v6.1");
	a = rig_start(&r, 0, NULL);
	b = rig_start(&r, 0, NULL);
	sched_psi_memstall(r.s, r.now, a, true); /* b could get on */
	pass(&r, 10 * MSEC);
	assert_int_equal(pressure(&r, NULL, PSI_MEM).some.total_us, 10000);
	assert_int_equal(pressure(&r, NULL, PSI_MEM).full.total_us, 0);
	sched_psi_memstall(r.s, r.now, b, true);
	pass(&r, 10 * MSEC);
	assert_int_equal(pressure(&r, NULL, PSI_MEM).full.total_us, 10000);
	rig_sleep(&r, 0); /* stalls last over a sleep */
	rig_sleep(&r, 0);
	pass(&r, 10 * MSEC);
	assert_int_equal(pressure(&r, NULL, PSI_MEM).full.total_us, 20000);
	wake(&r, 0, a);
	rig_schedule(&r, 0);
	sched_psi_memstall(r.s, r.now, a, false);
	sched_psi_memstall(r.s, r.now, b, false);
	pass(&r, 10 * MSEC);
	assert_int_equal(pressure(&r, NULL, PSI_MEM).some.total_us, 30000);
	rig_free(&r);
}

static void interrupts(void **state)
{
	struct sched_psi psi;
	struct rig r;

	measured(&r, &one, "v6.12");
	sched_psi_irq(r.s, r.now, 0, 700000); /* while idle: takes nothing from anybody */
	rig_start(&r, 0, NULL);
	pass(&r, 10 * MSEC);
	sched_psi_irq(r.s, r.now, 0, 300000);
	psi = pressure(&r, NULL, PSI_IRQ);
	assert_false(psi.has_some);
	assert_int_equal(psi.full.total_us, 300);
	rig_free(&r);
	measured(&r, &one, "v6.12.95"); /* doesn't account it */
	assert_int_equal(sched_psi_read(r.s, r.now, NULL, PSI_IRQ, &psi), -EOPNOTSUPP);
	rig_free(&r);
	measured(&r, &one, "v5.10"); /* its cpu file has one line */
	assert_false(pressure(&r, NULL, PSI_CPU).has_full);
	rig_free(&r);
}

/* the stopper runs: the task that it preempts waits */
static void stopper(void **state)
{
	struct rig r;

	measured(&r, &one, "v6.1");
	rig_start(&r, 0, NULL);
	sched_stop_begin(r.s, r.now, 0);
	rig_check(&r, "stopper");
	pass(&r, 5 * MSEC);
	assert_int_equal(pressure(&r, NULL, PSI_CPU).some.total_us, 5000);
	sched_stop_end(r.s, r.now, 0);
	rig_schedule(&r, 0);
	pass(&r, 5 * MSEC);
	assert_int_equal(pressure(&r, NULL, PSI_CPU).some.total_us, 5000);
	rig_free(&r);
}

static void when_off(void **state)
{
	struct sched_psi psi;
	struct err err = {0};
	struct rig r;

	rig_new(&r, &one, "v6.1");
	assert_int_equal(sched_psi_read(r.s, r.now, NULL, PSI_CPU, &psi), -EOPNOTSUPP);
	assert_false(sched_psi_enabled(r.s));
	rig_start(&r, 0, NULL);
	assert_int_equal(sched_psi_enable(r.s, r.now, &err), -EBUSY);
	assert_int_equal(r.s->tracks, 0);
	rig_free(&r);
}

/* ---- random tasks, recounted ---- */

#define CPUS  4
#define TASKS 10
#define STEPS 4000

enum { RUNNABLE, IO_SLEEP, SLEEP };

struct told {
	struct rig r;
	struct rng rng;
	struct task *task[TASKS];
	int is[TASKS], group[TASKS]; /* what it does, and where: 0 the root, 1, 2 below 1, 3 */
	struct task_group *tg[4];
	/* recounted: ns of each state, by group and CPU */
	u64 times[4][CPUS][NR_PSI_STATES];
};

static const struct rig_machine four = RIG_MACHINE(1, 1, 1, 1, CPUS, 1);

static bool is_in(int task_group, int group)
{
	return !group || task_group == group || (task_group == 2 && group == 1);
}

/* @ns went by in which nothing changed */
static void recount(struct told *t, u64 ns)
{
	for (int g = 0; g < 4; g++) {
		for (int c = 0; c < CPUS; c++) {
			const struct task *curr = sched_current(t->r.s, c);
			int io = 0, run = 0, on = 0;
			u64 *times = t->times[g][c];

			for (int i = 0; i < TASKS; i++) {
				const struct task *p = t->task[i];

				if (!p || sched_task_cpu(p) != c || !is_in(t->group[i], g))
					continue;
				io += t->is[i] == IO_SLEEP;
				run += t->is[i] == RUNNABLE;
				on += p == curr;
			}
			times[PSI_IO_SOME] += io ? ns : 0;
			times[PSI_IO_FULL] += io && !run ? ns : 0;
			times[PSI_CPU_SOME] += run > on ? ns : 0;
			times[PSI_CPU_FULL] += run && !on ? ns : 0;
			times[PSI_NONIDLE] += io || run ? ns : 0;
		}
	}
}

static void random_step(struct told *t)
{
	int cpu = rng_below(&t->rng, CPUS), i = rng_below(&t->rng, TASKS);
	struct task *curr = sched_current(t->r.s, cpu);

	switch (rng_below(&t->rng, 6)) {
	case 0:
		if (t->task[i])
			break;
		t->task[i] = rig_start(&t->r, cpu, NULL);
		t->is[i] = RUNNABLE;
		t->group[i] = 0;
		break;
	case 1:
	case 2:
		for (i = 0; curr && t->task[i] != curr; i++)
			;
		if (!curr)
			break;
		t->is[i] = rng_below(&t->rng, 2) ? IO_SLEEP : SLEEP;
		if (t->is[i] == IO_SLEEP)
			sched_task_iowait(curr);
		rig_sleep(&t->r, cpu);
		break;
	case 3:
		if (!t->task[i] || t->is[i] == RUNNABLE)
			break;
		wake(&t->r, cpu, t->task[i]);
		t->is[i] = RUNNABLE;
		rig_schedule(&t->r, sched_task_cpu(t->task[i]));
		break;
	case 4:
		if (!t->task[i])
			break;
		t->group[i] = rng_below(&t->rng, 4);
		join(&t->r, t->task[i], t->tg[t->group[i]]);
		rig_schedule(&t->r, sched_task_cpu(t->task[i]));
		break;
	default:
		sched_yield_task(t->r.s, t->r.now, cpu);
		rig_schedule(&t->r, cpu);
	}
}

static void random_recount(void **state)
{
	static const char *const kernels[] = {"v5.10", "v6.1", "v6.12", "v7.3"};

	for (int k = 0; k < 8; k++) {
		struct told t = {0};

		measured(&t.r, &four, kernels[k % 4]);
		rng_init(&t.rng, k, 3);
		for (int g = 1; g < 4; g++)
			t.tg[g] = sched_group_new(t.r.s, g == 2 ? t.tg[1] : NULL, 1024, NULL);
		for (int n = 0; n < STEPS; n++) {
			u64 ns = rng_below(&t.rng, 3 * MSEC);

			random_step(&t);
			rig_check(&t.r, kernels[k % 4]);
			recount(&t, ns);
			pass(&t.r, ns);
		}
		for (int g = 0; g < 4; g++) {
			struct psi_group *pg = (g ? t.tg[g] : &t.r.s->root_tg)->psi;

			pressure(&t.r, t.tg[g], PSI_CPU); /* collects */
			for (int c = 0; c < CPUS; c++)
				for (int s = 0; s < NR_PSI_STATES; s++)
					assert_int_equal(pg->cpu[c].times[s], t.times[g][c][s]);
			assert_true(pg->total[PSI_CPU_SOME] && pg->total[PSI_IO_SOME]);
			assert_true(pg->total[PSI_CPU_SOME] >= pg->total[PSI_CPU_FULL]);
			assert_true(pg->total[PSI_IO_SOME] >= pg->total[PSI_IO_FULL]);
			assert_true(pg->total[PSI_NONIDLE] >= pg->total[PSI_CPU_SOME]);
		}
		rig_free(&t.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_hogs),	cmocka_unit_test(one_hog),
		cmocka_unit_test(clock_stands), cmocka_unit_test(weighed_by_activity),
		cmocka_unit_test(groups),	cmocka_unit_test(autogroup),
		cmocka_unit_test(group_off),
		cmocka_unit_test(io),		cmocka_unit_test(io_elsewhere),
		cmocka_unit_test(memory),	cmocka_unit_test(interrupts),
		cmocka_unit_test(stopper),	cmocka_unit_test(when_off),
		cmocka_unit_test(random_recount),
	};

	return cmocka_run_group_tests_name("psi", tests, NULL, NULL);
}
