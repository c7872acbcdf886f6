// SPDX-License-Identifier: BSD-2-Clause
/*
 * Utilisation clamps: the worked examples of spec 09 §3, requests and their errors, limits of
 * groups and of the system, and what they do to placement on CPUs of two sizes.
 */
#include <errno.h>
#include <string.h>

#include "rig.h"
#include "sched/cgroup.h"
#include "sched/class.h"

static const struct rig_machine one = RIG_MACHINE(1, 1, 1, 1, 1, 1);
/* CPUs 0 and 1 are little */
static const struct rig_machine mixed = RIG_MACHINE(1, 1, 1, 2, 2, 1, .arm = true, .little = 462);

#define KEEP (ATTR_KEEP_POLICY | ATTR_KEEP_PARAMS)

static int ask(struct rig *r, struct task *p, int util_min, int util_max)
{
	const struct task_attr a = {.flags = KEEP | ATTR_UTIL_MIN | ATTR_UTIL_MAX,
				    .util_min = util_min,
				    .util_max = util_max};

	return sched_set_attr(r->s, r->now, p, &a);
}

static void be_fifo(struct rig *r, struct task *p, bool fifo)
{
	const struct task_attr a = {.policy = fifo ? POLICY_FIFO : POLICY_NORMAL,
				    .priority = fifo ? 5 : 0};

	assert_int_equal(sched_set_attr(r->s, r->now, p, &a), 0);
}

static int wake(struct rig *r, int cpu, struct task *p)
{
	const struct wake_query q = {.cpu = cpu, .p = p};
	struct wake_decision d;

	sched_wake_decide(r->s, r->now, &q, &d);
	sched_wake_commit(r->s, r->now, &q, &d, d.target);
	sched_activate(r->s, r->now, cpu, p);
	return d.target;
}

static void assert_cpu(struct rig *r, int cpu, unsigned int lo, unsigned int hi)
{
	assert_int_equal(sched_cpu_uclamp(r->s, cpu, UCLAMP_MIN), lo);
	assert_int_equal(sched_cpu_uclamp(r->s, cpu, UCLAMP_MAX), hi);
	rig_check(r, "clamps of the CPU");
}

static void assert_task(struct rig *r, const struct task *p, unsigned int lo, unsigned int hi)
{
	assert_int_equal(sched_task_uclamp(r->s, p, UCLAMP_MIN), lo);
	assert_int_equal(sched_task_uclamp(r->s, p, UCLAMP_MAX), hi);
}

/* 5 buckets are 205 wide, 20 are 51 */
static void buckets(void **state)
{
	static const struct {
		const char *kernel;
		int value, bucket;
	} want[] = {
		{"v6.6", 0, 0},	   {"v6.6", 204, 0},  {"v6.6", 205, 1},
		{"v6.6", 512, 2},  {"v6.6", 819, 3},  {"v6.6", 820, 4},
		{"v6.6", 1024, 4}, {"v6.6,uclamp_buckets_count=20", 50, 0},
		{"v6.6,uclamp_buckets_count=20", 51, 1},
		{"v6.6,uclamp_buckets_count=20", 1024, 19},
	};

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		struct rig r;
		struct task *p;

		rig_new(&r, &one, want[i].kernel);
		p = rig_start(&r, 0, NULL);
		assert_int_equal(ask(&r, p, want[i].value, 1024), 0);
		assert_int_equal(p->uclamp[UCLAMP_MIN].bucket, want[i].bucket);
		assert_int_equal(p->uclamp[UCLAMP_MAX].bucket, r.s->uclamp_buckets - 1);
		assert_cpu(&r, 0, want[i].value, 1024);
		rig_free(&r);
	}
}

/* what a queue asks for is the highest bucket's value, which stays until the bucket is empty */
static void counted(void **state)
{
	struct task *a, *b, *c;
	struct rig r;

	rig_new(&r, &one, "v6.6");
	a = rig_start(&r, 0, NULL);
	assert_cpu(&r, 0, 0, 1024);
	ask(&r, a, 100, 600);
	assert_cpu(&r, 0, 100, 600);
	rig_sleep(&r, 0);
	b = rig_start(&r, 0, NULL);
	ask(&r, b, 700, 800);
	assert_cpu(&r, 0, 700, 800);
	wake(&r, 0, a);
	assert_cpu(&r, 0, 700, 800);
	c = rig_task(&r, NULL);
	ask(&r, c, 780, 800);
	sched_fork_commit(r.s, r.now, 0, c, &(struct fork_decision){0}, 0);
	sched_activate_new(r.s, r.now, 0, c);
	assert_cpu(&r, 0, 780, 800);
	/* b's bucket is c's too: it keeps c's 780 when c has gone to another one */
	ask(&r, c, 0, 1024);
	assert_cpu(&r, 0, 780, 1024);
	ask(&r, b, 0, 800);
	assert_cpu(&r, 0, 100, 1024);
	rig_free(&r);
}

/* an empty queue holds the last task's maximum, until the next one comes */
static void idle_holds(void **state)
{
	struct task *a, *b;
	struct rig r;

	rig_new(&r, &one, "v6.6");
	a = rig_start(&r, 0, NULL);
	ask(&r, a, 500, 600);
	rig_sleep(&r, 0);
	assert_cpu(&r, 0, 0, 600);
	assert_int_equal(sched_cpu_util_with(r.s, 0, 800, NULL), 600);
	b = rig_start(&r, 0, NULL);
	assert_cpu(&r, 0, 0, 1024);
	ask(&r, b, 0, 300);
	assert_cpu(&r, 0, 0, 300);
	rig_sleep(&r, 0);
	assert_cpu(&r, 0, 0, 300);
	/* what is held is nobody's: a's own counts if it came here */
	assert_int_equal(sched_cpu_util_with(r.s, 0, 800, a), 600);
	assert_int_equal(sched_cpu_util_with(r.s, 0, 100, a), 500);
	rig_free(&r);
}

/* nothing is counted before the first use, and who isn't counted isn't missed */
static void the_switch(void **state)
{
	struct sched_out out;
	struct task *a, *b;
	bool told = false;
	struct rig r;

	rig_new(&r, &one, "v6.6");
	a = rig_start(&r, 0, NULL);
	b = rig_task(&r, NULL);
	assert_false(sched_uclamp_used(r.s));
	assert_false(a->uclamp[UCLAMP_MAX].active);
	assert_int_equal(ask(&r, b, 10, 5), -EINVAL);
	assert_false(sched_uclamp_used(r.s));
	assert_int_equal(ask(&r, b, 5, 10), 0);
	assert_true(sched_uclamp_used(r.s));
	while (sched_next_out(r.s, &out))
		told |= out.kind == OUT_UCLAMP;
	assert_true(told);
	assert_cpu(&r, 0, 0, 1024);
	rig_sleep(&r, 0); /* a, which was never counted */
	assert_cpu(&r, 0, 0, 1024);
	wake(&r, 0, a);
	assert_true(a->uclamp[UCLAMP_MAX].active);
	assert_cpu(&r, 0, 0, 1024);
	rig_free(&r);

	rig_new(&r, &one, "v5.7"); /* has no switch */
	assert_true(sched_uclamp_used(r.s));
	a = rig_start(&r, 0, NULL);
	assert_true(a->uclamp[UCLAMP_MAX].active);
	rig_free(&r);

	rig_new(&r, &one, "v5.7,+UCLAMP_STATIC_KEY");
	assert_false(sched_uclamp_used(r.s));
	rig_free(&r);

	rig_new(&r, &one, "v6.12,sched_util_clamp_min=512"); /* written by somebody */
	assert_true(sched_uclamp_used(r.s));
	rig_free(&r);
}

static void errors(void **state)
{
	const struct sched_cred user = {.rlimit_nice = 20};
	struct task_attr a = {.policy = POLICY_NORMAL, .nice = -5, .flags = ATTR_UTIL_MIN,
			      .util_min = 2000, .cred = &user};
	struct task *p;
	struct rig r;
	struct err err;

	rig_new(&r, &one, "v6.12");
	p = rig_start(&r, 0, NULL);
	assert_int_equal(sched_set_attr(r.s, r.now, p, &a), -EPERM); /* asked first */
	a.nice = 0;
	assert_int_equal(sched_set_attr(r.s, r.now, p, &a), -EINVAL);
	assert_int_equal(ask(&r, p, 1025, 1024), -EINVAL);
	assert_int_equal(ask(&r, p, 0, 1025), -EINVAL);
	assert_int_equal(ask(&r, p, -2, 1024), -EINVAL);
	assert_int_equal(ask(&r, p, 600, 500), -EINVAL);
	assert_int_equal(ask(&r, p, 300, 500), 0);
	a = (struct task_attr){.flags = KEEP | ATTR_UTIL_MIN, .util_min = 501};
	assert_int_equal(sched_set_attr(r.s, r.now, p, &a), -EINVAL); /* above what it has */
	a.util_min = 500;
	assert_int_equal(sched_set_attr(r.s, r.now, p, &a), 0);
	assert_task(&r, p, 500, 500);
	assert_int_equal(ask(&r, p, 700, -1), 0); /* the old maximum doesn't count any more */
	assert_task(&r, p, 700, 1024);
	assert_int_equal(ask(&r, p, -1, 800), 0);
	assert_task(&r, p, 0, 800);
	assert_false(p->uclamp_req[UCLAMP_MIN].user_defined);
	assert_int_equal(sched_group_set_uclamp(r.s, r.now, NULL, UCLAMP_MIN, 5, &err), -EINVAL);
	assert_int_equal(sched_set_util_clamp(r.s, r.now, 600, 500, 0), -EINVAL);
	assert_int_equal(sched_set_util_clamp(r.s, r.now, 0, 500, 1025), -EINVAL);
	rig_free(&r);

	rig_new(&r, &one, "v5.10"); /* cannot take a request back */
	p = rig_start(&r, 0, NULL);
	assert_int_equal(ask(&r, p, -1, 1024), -EINVAL);
	rig_free(&r);

	rig_new(&r, &one, "v6.12.95"); /* built without */
	p = rig_start(&r, 0, NULL);
	assert_int_equal(ask(&r, p, 0, 1024), -EOPNOTSUPP);
	assert_int_equal(sched_set_util_clamp(r.s, r.now, 0, 500, 0), -EOPNOTSUPP);
	assert_int_equal(sched_group_set_uclamp(r.s, r.now, p->tg, UCLAMP_MIN, 5, &err),
			 -EOPNOTSUPP);
	assert_task(&r, p, 0, 1024);
	rig_free(&r);
}

static void bad_tunables(void **state)
{
	struct sched_host host = {.price = rig_price, .hz = 250};
	struct sched_topology topo = {0};
	struct sched_kernel k;
	struct err err = {0};

	rig_topology(&topo, &one);
	assert_int_equal(sched_kernel_parse("v6.6,sched_util_clamp_max=100", &k, &err), 0);
	assert_null(sched_create(&topo, &k, &host, 1, &err));
	assert_string_equal(err.msg,
			    "sched_util_clamp_min is 1024, more than sched_util_clamp_max, 100");
	err_clear(&err);
	assert_int_equal(sched_kernel_parse("v6.6,+WITHOUT_UCLAMP,sched_util_clamp_min=9", &k,
					    &err), 0);
	assert_null(sched_create(&topo, &k, &host, 1, &err));
	assert_non_null(strstr(err.msg, "without utilisation clamps"));
	assert_int_not_equal(
		sched_kernel_parse("v6.12.95,sched_util_clamp_max=100", &k, &err), 0);
	free(topo.cpu);
	free(topo.distance);
}

/* children of both kinds of parents */
static void inheritance(void **state)
{
	struct task_attr a = {.flags = KEEP | ATTR_RESET_ON_FORK};
	struct sched_task_attr child = {0};
	struct task *p;
	struct rig r;

	rig_new(&r, &one, "v6.6");
	p = rig_start(&r, 0, NULL);
	ask(&r, p, 300, 500);
	child.parent = p;
	assert_task(&r, sched_task_new(r.s, &child), 300, 500);
	assert_int_equal(sched_set_attr(r.s, r.now, p, &a), 0);
	assert_task(&r, sched_task_new(r.s, &child), 0, 1024);
	rig_free(&r);
}

static void groups(void **state)
{
	static const struct {
		const char *kernel;
		unsigned int none[2], inside[2], below[2];
	} want[] = {
		{"v5.10", {307, 614}, {307, 614}, {0, 200}}, /* never more than the group's */
		{"v6.6", {307, 614}, {400, 614}, {307, 307}}, /* brought into its range */
	};

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		struct task_group *g, *h;
		unsigned int v;
		struct task *p;
		struct rig r;

		rig_new(&r, &one, want[i].kernel);
		p = rig_start(&r, 0, NULL);
		g = sched_group_new(r.s, NULL, 1024, NULL);
		h = sched_group_new(r.s, g, 1024, NULL);
		assert_int_equal(sched_uclamp_percent("30", &v), 0);
		assert_int_equal(sched_group_set_uclamp(r.s, r.now, g, UCLAMP_MIN, v, NULL), 0);
		assert_int_equal(sched_uclamp_percent("60.00", &v), 0);
		assert_int_equal(sched_group_set_uclamp(r.s, r.now, g, UCLAMP_MAX, v, NULL), 0);
		sched_group_set_uclamp(r.s, r.now, h, UCLAMP_MIN, 819, NULL);
		assert_int_equal(sched_group_uclamp(r.s, h, UCLAMP_MIN), 307);
		assert_int_equal(sched_group_uclamp(r.s, h, UCLAMP_MAX), 614);
		sched_set_group(r.s, r.now, p, h);
		assert_task(&r, p, want[i].none[0], want[i].none[1]);
		assert_cpu(&r, 0, want[i].none[0], want[i].none[1]);
		ask(&r, p, 400, 1024);
		assert_task(&r, p, want[i].inside[0], want[i].inside[1]);
		ask(&r, p, 0, 200);
		assert_task(&r, p, want[i].below[0], want[i].below[1]);
		/* a group's minimum is never above its maximum; who is queued hears of it */
		sched_group_set_uclamp(r.s, r.now, g, UCLAMP_MAX, 100, NULL);
		assert_int_equal(sched_group_uclamp(r.s, g, UCLAMP_MIN), 100);
		assert_int_equal(sched_group_uclamp(r.s, h, UCLAMP_MIN), 100);
		assert_int_equal(sched_cpu_uclamp(r.s, 0, UCLAMP_MAX), 100);
		/* a session's group limits nobody */
		sched_set_group(r.s, r.now, p, sched_autogroup_new(r.s, NULL));
		assert_task(&r, p, 0, 200);
		sched_set_group(r.s, r.now, p, h);
		/* and the system's limits come last */
		sched_set_util_clamp(r.s, r.now, 20, 50, 1024);
		assert_int_equal(sched_task_uclamp(r.s, p, UCLAMP_MAX), 50);
		assert_in_range(sched_task_uclamp(r.s, p, UCLAMP_MIN), 0, 20);
		rig_check(&r, "groups");
		rig_free(&r);
	}
}

static void percent(void **state)
{
	static const struct {
		const char *text;
		int rc;
		unsigned int value;
	} want[] = {
		{"max", 0, 1024},      {"0", 0, 0},	       {"20", 0, 205},
		{"33.33", 0, 341},     {"33.3", 0, 341},       {"100", 0, 1024},
		{"100.00", 0, 1024},   {"0.01", 0, 0},	       {"0.05", 0, 1},
		{"100.01", -ERANGE, 0}, {"99999999999", -ERANGE, 0}, {"1.234", -EINVAL, 0},
		{"", -EINVAL, 0},      {".5", -EINVAL, 0},     {"5.", -EINVAL, 0},
		{"-1", -EINVAL, 0},    {"max ", -EINVAL, 0},   {"ma", -EINVAL, 0},
		{"1..2", -EINVAL, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		unsigned int value = 0;

		assert_int_equal(sched_uclamp_percent(want[i].text, &value), want[i].rc);
		assert_int_equal(value, want[i].value);
	}
}

/* a realtime task wants the biggest CPU, unless it or the administrator says otherwise */
static void realtime_default(void **state)
{
	struct task *p;
	struct rig r;

	rig_new(&r, &mixed, "v6.6");
	p = rig_start(&r, 0, NULL);
	assert_task(&r, p, 0, 1024);
	be_fifo(&r, p, true);
	assert_task(&r, p, 1024, 1024);
	assert_false(rt_task_fits(r.s, p, 0));
	assert_true(rt_task_fits(r.s, p, 3));
	be_fifo(&r, p, false);
	assert_task(&r, p, 0, 1024);
	be_fifo(&r, p, true);
	assert_int_equal(sched_set_util_clamp(r.s, r.now, 1024, 1024, 300), 0);
	assert_task(&r, p, 300, 1024);
	assert_true(rt_task_fits(r.s, p, 0));
	ask(&r, p, 463, 1024);
	assert_false(rt_task_fits(r.s, p, 0));
	ask(&r, p, 463, 463);
	assert_false(rt_task_fits(r.s, p, 0));
	ask(&r, p, 0, 400);
	assert_true(rt_task_fits(r.s, p, 0));
	ask(&r, p, -1, -1);
	assert_task(&r, p, 300, 1024);
	rig_free(&r);

	rig_new(&r, &mixed, "v6.12.95"); /* without clamps every CPU fits */
	p = rig_start(&r, 0, NULL);
	be_fifo(&r, p, true);
	assert_true(rt_task_fits(r.s, p, 0));
	rig_free(&r);
}

/* a deadline task may ask, but nobody listens while it is one */
static void deadline_not_counted(void **state)
{
	const struct task_attr dl = {.policy = POLICY_DEADLINE, .runtime = NSEC_PER_MSEC,
				     .deadline = 10 * NSEC_PER_MSEC};
	struct task *p;
	struct rig r;

	rig_new(&r, &one, "v6.6");
	p = rig_start(&r, 0, NULL);
	assert_int_equal(sched_set_attr(r.s, r.now, p, &dl), 0);
	rig_schedule(&r, 0);
	assert_int_equal(ask(&r, p, 700, 800), 0);
	assert_task(&r, p, 700, 800);
	assert_cpu(&r, 0, 0, 1024);
	be_fifo(&r, p, false);
	assert_cpu(&r, 0, 700, 800);
	rig_free(&r);
}

static void fits(void **state)
{
	static const struct {
		unsigned long util, lo, hi;
		int little, big;
	} want[] = {
		{300, 0, 1024, 1, 1},	 {369, 0, 1024, 1, 1},	 {370, 0, 1024, 0, 1},
		{400, 0, 462, 1, 1},	 {400, 0, 463, 0, 1},	 {300, 462, 1024, 1, 1},
		{300, 463, 1024, -1, 1}, {819, 0, 1024, 0, 1},	 {820, 0, 1024, 0, 0},
		{900, 0, 1000, 0, 1},	 {900, 0, 400, 1, 1},	 {300, 500, 400, 1, 1},
		{400, 600, 1024, 0, 1},
	};
	struct rig r;

	rig_new(&r, &mixed, "v6.6");
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(
			util_fits_clamped(r.s, want[i].util, want[i].lo, want[i].hi, 0),
			want[i].little);
		assert_int_equal(
			util_fits_clamped(r.s, want[i].util, want[i].lo, want[i].hi, 3),
			want[i].big);
	}
	rig_free(&r);
	rig_new(&r, &mixed, "v6.1"); /* as if it used that much */
	assert_int_equal(util_fits_clamped(r.s, 100, 370, 1024, 0), 0);
	assert_int_equal(util_fits_clamped(r.s, 100, 369, 1024, 0), 1);
	assert_int_equal(util_fits_clamped(r.s, 900, 0, 400, 0), 0);
	assert_int_equal(util_fits_clamped(r.s, 900, 0, 300, 0), 1);
	rig_free(&r);
}

/* where a sleeper of that utilisation that ran on CPU 0, a little one, goes */
static int goes_to(const char *kernel, unsigned long util, int lo, int hi, const char *busy)
{
	struct wake_query q = {.cpu = 0};
	struct wake_decision d;
	struct task *p;
	struct rig r;

	rig_new(&r, &mixed, kernel);
	rig_boot(&r, 1);
	p = rig_start(&r, 0, NULL);
	if (lo >= 0)
		assert_int_equal(ask(&r, p, lo, hi), 0);
	p->se.util_changed = false;
	rig_sleep(&r, 0);
	p->se.avg.util_avg = util;
	p->util_est = (struct util_est){util, util};
	for (; *busy; busy++)
		rig_set(&r, *busy - '0', RIG_BUSY);
	q.p = p;
	sched_wake_decide(r.s, r.now, &q, &d);
	rig_free(&r);
	return d.target;
}

static void placement(void **state)
{
	assert_int_equal(goes_to("v6.6", 100, -1, 0, ""), 0);
	assert_int_equal(goes_to("v6.6", 600, -1, 0, ""), 2);
	assert_int_equal(goes_to("v6.6", 100, 800, 1024, ""), 2);
	assert_int_equal(goes_to("v6.6", 600, 0, 300, ""), 0);
	/* no CPU gives what it likes: any with room, rather than one without */
	assert_int_equal(goes_to("v6.6", 100, 800, 1024, "023"), 1);
	assert_int_equal(goes_to("v6.1", 600, 0, 300, ""), 0);
	assert_int_equal(goes_to("v6.1", 100, 400, 1024, ""), 2);
	assert_int_equal(goes_to("v7.3", 100, 800, 1024, ""), 2);
	assert_int_equal(goes_to("v7.3", 600, 0, 300, ""), 0);
	assert_int_equal(goes_to("v6.12.95", 600, -1, 0, ""), 2);
}

static void misfit(void **state)
{
	struct task *p;
	struct rig r;

	rig_new(&r, &mixed, "v6.6");
	rig_boot(&r, 1);
	p = rig_start(&r, 0, NULL);
	p->se.avg.util_avg = 450;
	p->util_est = (struct util_est){450, 450};
	fair_note_misfit(r.s, &r.s->rq[0], p);
	assert_true(r.s->rq[0].misfit_task_load > 0);
	ask(&r, p, 0, 400); /* may not use more than the CPU has */
	fair_note_misfit(r.s, &r.s->rq[0], p);
	assert_int_equal(r.s->rq[0].misfit_task_load, 0);
	p->se.avg.util_avg = 10;
	p->util_est = (struct util_est){10, 10};
	ask(&r, p, 600, 1024); /* wants more than it has */
	fair_note_misfit(r.s, &r.s->rq[0], p);
	assert_true(r.s->rq[0].misfit_task_load > 0);
	rig_free(&r);
}

/* spec 10 §3 */
static void frequency(void **state)
{
	struct task *p;
	struct rig r;

	rig_new(&r, &one, "v6.1");
	p = rig_start(&r, 0, NULL);
	r.s->rq[0].cfs.avg.util_avg = 300;
	r.s->rq[0].cfs.util_est = 0;
	assert_int_equal(sched_cpu_freq_util(r.s, 0), 300);
	be_fifo(&r, p, true);
	r.s->rq[0].cfs.avg.util_avg = 300;
	assert_int_equal(sched_cpu_freq_util(r.s, 0), 1024); /* realtime without clamps: all */
	sched_set_util_clamp(r.s, r.now, 1024, 1024, 0);
	ask(&r, p, -1, -1);
	assert_int_equal(sched_cpu_freq_util(r.s, 0), 300);
	ask(&r, p, 500, 1024);
	assert_int_equal(sched_cpu_freq_util(r.s, 0), 500);
	ask(&r, p, 0, 200);
	assert_int_equal(sched_cpu_freq_util(r.s, 0), 200);
	r.s->rq[0].dl.running_bw = (1 << 20) / 4; /* a quarter of the CPU by deadline */
	assert_int_equal(sched_cpu_freq_util(r.s, 0), 200 + 256);
	r.s->rq[0].dl.running_bw = 0;
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets),	    cmocka_unit_test(counted),
		cmocka_unit_test(idle_holds),	    cmocka_unit_test(the_switch),
		cmocka_unit_test(errors),	    cmocka_unit_test(bad_tunables),
		cmocka_unit_test(inheritance),	    cmocka_unit_test(groups),
		cmocka_unit_test(percent),	    cmocka_unit_test(realtime_default),
		cmocka_unit_test(deadline_not_counted),
		cmocka_unit_test(fits),		    cmocka_unit_test(placement),
		cmocka_unit_test(misfit),	    cmocka_unit_test(frequency),
	};

	return cmocka_run_group_tests_name("uclamp", tests, NULL, NULL);
}
