// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each switch of the wake-up path changes the decisions that it should, and no other (spec 04).
 *
 * Every situation is decided with and without every switch. A switch names the
 * situations in which it makes a difference, and what comes out; in all others
 * target and path must stay the same.
 */
#include "scene.h"

/* one socket of 2 LLCs, 8 cores each, SMT2: LLC 0 is CPUs 0-7,16-23; LLC 1 8-15,24-31 */
static const struct rig_machine two_llcs = RIG_MACHINE(1, 1, 2, 1, 8, 2);
/* clusters of 4, an LLC of 32 */
static const struct rig_machine kunpeng = RIG_MACHINE(1, 4, 1, 8, 4, 1, .arm = true);

/* ---- situations: waker on CPU t, wakee's previous CPU p, all CPUs busy but those named ---- */

static void sync_heavy(struct scene *sc)
{
	sc->q.sync = true;
	set_load(sc, 0, 9999);
}

static void light_waker(struct scene *sc)
{
	set_load(sc, 0, 1000);
	set_load(sc, 8, 5000);
}

static void nearly_even(struct scene *sc) /* 630·100 < 600·108 */
{
	set_load(sc, 0, 430);
	set_load(sc, 8, 800);
	sc->wakee->se.avg.load_avg = 200;
}

static void heavy_waker(struct scene *sc)
{
	set_load(sc, 0, 9999);
}

static void short_pair(struct scene *sc)
{
	heavy_waker(sc);
	sc->waker->dur_avg = sc->wakee->dur_avg = 100 * NSEC_PER_USEC;
}

static void short_waker(struct scene *sc)
{
	heavy_waker(sc);
	sc->waker->dur_avg = 100 * NSEC_PER_USEC;
	sc->wakee->dur_avg = NSEC_PER_MSEC;
}

static void short_pair_in_turn(struct scene *sc)
{
	short_pair(sc);
	sc->wakee->last_wakee = sc->waker;
	rig_set(&sc->r, 3, RIG_IDLE);
}

static void busy_llc(struct scene *sc)
{
	sc->q.sync = true;
	sc->r.s->llc[0].nr_idle_scan = 4; /* 5·5 < 3·16, and CPU 3 is in reach */
	rig_set(&sc->r, 3, RIG_IDLE);
}

static void out_of_reach(struct scene *sc)
{
	sc->q.sync = true;
	sc->r.s->llc[0].nr_idle_scan = 2;
	rig_set(&sc->r, 6, RIG_IDLE);
}

static void costly_scans(struct scene *sc)
{
	sc->q.sync = true;
	sc->r.s->rq[0].avg_scan_cost = 10000000; /* SIS_PROP: CPUs 1 to 3 only */
	rig_set(&sc->r, 6, RIG_IDLE);
}

static void idle_prev(struct scene *sc)
{
	rig_set(&sc->r, sc->wakee->cpu, RIG_IDLE);
}

static void pin_wakee(struct scene *sc, int nr_running, bool on_cpu)
{
	int cpu = sc->wakee->cpu;

	add_nr_running(sc->r.s, &sc->r.s->rq[cpu], nr_running - sc->r.s->rq[cpu].nr_running);
	mask_zero(sc->wakee->allowed, sc->r.s->words);
	mask_set(sc->wakee->allowed, cpu);
	sc->wakee->allowed_all = false;
	sc->wakee->nr_allowed = 1;
	sc->wakee->on_cpu = on_cpu;
}

static void pinned_busy(struct scene *sc)
{
	pin_wakee(sc, 5, false);
}

static void last_task_blocking(struct scene *sc)
{
	pin_wakee(sc, 0, true);
}

static void one_left_blocking(struct scene *sc)
{
	pin_wakee(sc, 1, true);
}

static void others_left_blocking(struct scene *sc)
{
	pin_wakee(sc, 2, true);
}

static void kthread_waker(struct scene *sc)
{
	sc->waker->per_cpu_kthread = true;
	rig_set(&sc->r, 3, RIG_IDLE);
}

static void idle_in_cluster(struct scene *sc)
{
	sc->q.sync = true;
	rig_set(&sc->r, 9, RIG_IDLE);
	rig_set(&sc->r, 6, RIG_IDLE);
}

static void idle_beyond_limit(struct scene *sc)
{
	sc->q.sync = true;
	rig_set(&sc->r, 9, RIG_IDLE);
	sc->r.s->llc[0].nr_idle_scan = 3;
}

static void kept_cpu(struct scene *sc)
{
	sc->q.sync = true;
	rig_set(&sc->r, 3, RIG_IDLE);
	rig_set(&sc->r, 6, RIG_IDLE);
	sc->r.s->rq[3].reserved_for = rig_task(&sc->r, NULL);
	sc->r.s->rq[3].reserved_until = sc->r.now + 100 * NSEC_PER_USEC;
}

enum situation_id {
	SYNC_HEAVY, LIGHT_WAKER, NEARLY_EVEN, HEAVY_WAKER, SHORT_PAIR, SHORT_WAKER, PAIR_IN_TURN,
	BUSY_LLC, OUT_OF_REACH, COSTLY_SCANS, IDLE_PREV_NEAR, PINNED_FAR, LAST_TASK_NEAR,
	ONE_LEFT_NEAR, OTHERS_LEFT_NEAR, LAST_TASK_FAR, OTHERS_LEFT_FAR, KTHREAD_WAKER,
	IDLE_IN_CLUSTER, IDLE_BEYOND_LIMIT, KEPT_CPU, NR_SITUATIONS
};

static const struct situation {
	const char *name;
	const struct rig_machine *machine;
	int t, p;
	void (*set)(struct scene *sc);
} situations[NR_SITUATIONS] = {
	[SYNC_HEAVY] = {"sync, heavy waker", &two_llcs, 0, 8, sync_heavy},
	[LIGHT_WAKER] = {"light waker", &two_llcs, 0, 8, light_waker},
	[NEARLY_EVEN] = {"nearly even loads", &two_llcs, 0, 8, nearly_even},
	[HEAVY_WAKER] = {"heavy waker", &two_llcs, 0, 8, heavy_waker},
	[SHORT_PAIR] = {"short pair", &two_llcs, 0, 8, short_pair},
	[SHORT_WAKER] = {"short waker", &two_llcs, 0, 8, short_waker},
	[PAIR_IN_TURN] = {"short pair in turn", &two_llcs, 0, 1, short_pair_in_turn},
	[BUSY_LLC] = {"busy LLC", &two_llcs, 0, 1, busy_llc},
	[OUT_OF_REACH] = {"idle CPU out of reach", &two_llcs, 0, 1, out_of_reach},
	[COSTLY_SCANS] = {"costly scans", &two_llcs, 0, 1, costly_scans},
	[IDLE_PREV_NEAR] = {"idle previous CPU", &two_llcs, 0, 1, idle_prev},
	[PINNED_FAR] = {"pinned, other LLC", &two_llcs, 0, 8, pinned_busy},
	[LAST_TASK_NEAR] = {"last task blocking, near", &two_llcs, 0, 1, last_task_blocking},
	[ONE_LEFT_NEAR] = {"blocking beside one, near", &two_llcs, 0, 1, one_left_blocking},
	[OTHERS_LEFT_NEAR] = {"blocking beside two, near", &two_llcs, 0, 1, others_left_blocking},
	[LAST_TASK_FAR] = {"last task blocking, far", &two_llcs, 0, 8, last_task_blocking},
	[OTHERS_LEFT_FAR] = {"blocking beside two, far", &two_llcs, 0, 8, others_left_blocking},
	[KTHREAD_WAKER] = {"per-CPU kernel thread wakes", &two_llcs, 0, 0, kthread_waker},
	[IDLE_IN_CLUSTER] = {"idle CPU in the cluster", &kunpeng, 5, 9, idle_in_cluster},
	[IDLE_BEYOND_LIMIT] = {"idle previous CPU beyond the limit", &kunpeng, 5, 9,
			       idle_beyond_limit},
	[KEPT_CPU] = {"idle CPU kept for a sleeper", &two_llcs, 0, 1, kept_cpu},
};

/* ---- switches ---- */

struct difference {
	enum situation_id in;
	int base, variant;		/* targets */
	enum wake_path base_path, variant_path;
};

#define MAX_DIFFERENCES 8

static const struct {
	const char *base, *variant;
	struct difference diff[MAX_DIFFERENCES]; /* ends where base and variant are equal */
} switches[] = {
#define D WAKE_DIRECT
#define L WAKE_LIST
#define O WAKE_ON_CPU_LIST
#define S WAKE_SPIN
	{"v6.1", "v6.1,NO_WA_IDLE", {{SYNC_HEAVY, 0, 8, D, L}}},
	{"v6.1", "v6.1,NO_WA_WEIGHT", {{LIGHT_WAKER, 0, 8, D, L}, {NEARLY_EVEN, 0, 8, D, L}}},
	{"v6.1", "v6.1,NO_WA_BIAS", {{NEARLY_EVEN, 0, 8, D, L}}},
	{"v6.1", "v6.1,NO_SIS_UTIL", {{OUT_OF_REACH, 0, 6, D, L}}},
	{"v6.1,NO_SIS_UTIL", "v6.1,NO_SIS_UTIL,SIS_PROP", {{COSTLY_SCANS, 6, 0, L, D}}},
	{"v5.7", "v5.7,+OPTTTWU", {{LAST_TASK_FAR, 8, 8, S, O}, {OTHERS_LEFT_FAR, 8, 8, S, O}}},
	{"v5.7", "v5.7,+LOCALWAKELIST",
	 {{LAST_TASK_NEAR, 1, 1, S, O}, {ONE_LEFT_NEAR, 1, 1, S, O}, {LAST_TASK_FAR, 8, 8, S, O}}},
	{"v5.7,+OPTTTWU", "v5.7,+OPTTTWU,+LOCALWAKELIST",
	 {{LAST_TASK_NEAR, 1, 1, S, O}, {ONE_LEFT_NEAR, 1, 1, S, O}}},
	{"v5.7,+LOCALWAKELIST", "v5.7,+LOCALWAKELIST,+OPTTTWU", {{OTHERS_LEFT_FAR, 8, 8, S, O}}},
	{"v6.1,+KWORKER_STACK", "v6.1,+WITHOUT_KTHREAD_STACK", {{KTHREAD_WAKER, 0, 3, D, L}}},
	{"v6.1", "v6.1,+KWORKER_STACK", {{0}}},
	{"v5.19-tip", "v5.19-tip,+CLUSTER_V7",
	 {{IDLE_IN_CLUSTER, 9, 6, L, L}, {IDLE_BEYOND_LIMIT, 9, 5, L, D}}},
	{"v5.19-tip", "v5.19-tip,+CLUSTER_MERGED", {{IDLE_IN_CLUSTER, 9, 6, L, L}}},
	{"v5.19-tip", "v5.19-tip,+SIS_SHORT_V1",
	 {{HEAVY_WAKER, 8, 0, L, D}, {SHORT_PAIR, 8, 0, L, D}, {SHORT_WAKER, 8, 0, L, D},
	  {BUSY_LLC, 3, 0, L, D}}},
	{"v5.19-tip", "v5.19-tip,+SIS_SHORT_V2",
	 {{HEAVY_WAKER, 8, 0, L, D}, {SHORT_PAIR, 8, 0, L, D}, {SHORT_WAKER, 8, 0, L, D},
	  {BUSY_LLC, 3, 0, L, D}}},
	{"v5.19-tip", "v5.19-tip,+SIS_SHORT_V3",
	 {{HEAVY_WAKER, 8, 0, L, D}, {SHORT_PAIR, 8, 0, L, D}, {SHORT_WAKER, 8, 0, L, D},
	  {PAIR_IN_TURN, 3, 0, L, D}, {BUSY_LLC, 3, 0, L, D}, {KEPT_CPU, 3, 0, L, D},
	  {COSTLY_SCANS, 6, 0, L, D}}},
	{"v5.19-tip", "v5.19-tip,+SIS_SHORT_V4",
	 {{SHORT_PAIR, 8, 0, L, D}, {SHORT_WAKER, 8, 0, L, D}, {PAIR_IN_TURN, 3, 0, L, D}}},
	{"v5.19-tip", "v5.19-tip,+SIS_SHORT_V5",
	 {{SHORT_PAIR, 8, 0, L, D}, {PAIR_IN_TURN, 3, 0, L, D}}},
	{"v5.19-tip,+SIS_SHORT_V2", "v5.19-tip,+SIS_SHORT_V2,NO_SIS_SHORT",
	 {{HEAVY_WAKER, 0, 8, D, L}, {SHORT_PAIR, 0, 8, D, L}, {SHORT_WAKER, 0, 8, D, L},
	  {BUSY_LLC, 0, 3, D, L}}},
	{"v6.1", "v6.1,+SIS_CURRENT", {{PAIR_IN_TURN, 3, 0, L, D}}},
	{"v6.1", "v6.1,+SIS_CURRENT,NO_SIS_CURRENT", {{0}}},
	{"v6.1", "v6.1,+SIS_CACHE", {{KEPT_CPU, 3, 6, L, L}}},
	{"v6.1", "v6.1,+SIS_CACHE,NO_SIS_CACHE", {{0}}},
#undef D
#undef L
#undef O
#undef S
};

struct outcome {
	int target;
	enum wake_path path;
};

static struct outcome decided(const char *kernel, const struct situation *in)
{
	struct outcome o;
	struct scene sc;

	scene_new(&sc, in->machine, kernel, in->t, in->p);
	for (int c = 0; c < sc.r.s->nr_cpus; c++) /* SIS_PROP: nobody's idle times have faded */
		sc.r.s->rq[c].wake_stamp = sc.r.now;
	in->set(&sc);
	where(&sc);
	o = (struct outcome){sc.d.target, sc.d.path};
	rig_free(&sc.r);
	return o;
}

static bool differs(const struct difference *d)
{
	return d->base != d->variant || d->base_path != d->variant_path;
}

static void each_changes_what_it_should(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
		for (int n = 0; n < NR_SITUATIONS; n++) {
			struct outcome a = decided(switches[i].base, &situations[n]);
			struct outcome b = decided(switches[i].variant, &situations[n]);
			struct outcome want_a = a, want_b = a;

			for (int j = 0; j < MAX_DIFFERENCES; j++) {
				const struct difference *d = &switches[i].diff[j];

				if ((int)d->in != n || !differs(d))
					continue;
				want_a = (struct outcome){d->base, d->base_path};
				want_b = (struct outcome){d->variant, d->variant_path};
			}
			if (a.target != want_a.target || a.path != want_a.path ||
			    b.target != want_b.target || b.path != want_b.path)
				fail_msg("%s -> %s, %s: expected CPU %d path %d -> %d path %d, "
					 "came %d path %d -> %d path %d",
					 switches[i].base, switches[i].variant, situations[n].name,
					 want_a.target, want_a.path, want_b.target, want_b.path,
					 a.target, a.path, b.target, b.path);
		}
	}
}

/* without the wake list every CPU chosen is reached directly, and who waits for a switch spins */
static void every_path_without_lists(void **state)
{
	for (int n = 0; n < NR_SITUATIONS; n++) {
		struct outcome a = decided("v6.1", &situations[n]);
		struct outcome b = decided("v6.1,NO_TTWU_QUEUE", &situations[n]);
		bool on_cpu = a.path == WAKE_ON_CPU_LIST || a.path == WAKE_SPIN;

		assert_int_equal(a.target, b.target);
		assert_int_equal(b.path, on_cpu ? WAKE_SPIN : WAKE_DIRECT);
	}
}

/* ---- NUMA imbalance at fork: two sockets of 8 LLCs (spec 05 §4, §7) ---- */

static const struct rig_machine zen3 = RIG_MACHINE(2, 1, 8, 1, 8, 2);

/* the socket that a fork on CPU 0 goes to, with the first @busy CPUs of socket 0 running */
static int fork_socket(const char *kernel, int busy)
{
	struct fork_decision d;
	struct task *child;
	struct rig r;
	int node;

	rig_new(&r, &zen3, kernel);
	for (int c = 0; c < r.s->nr_cpus; c++)
		r.s->rq[c].idle_stamp = 1000 + c;
	for (int i = 0; i < busy; i++) { /* LLC by LLC in turn, then the second threads */
		int cpu = i % 64 * 8 % 64 + i % 64 / 8 + i / 64 * 128;

		r.s->rq[cpu].curr_is_idle = false;
		rig_set(&r, cpu, RIG_BUSY);
	}
	child = rig_task(&r, NULL);
	sched_fork_decide(r.s, r.now, 0, child, &d);
	node = r.topo.cpu[d.target].node;
	rig_free(&r);
	return node;
}

static void numa_imbalance_variants(void **state)
{
	static const struct {
		const char *kernel;
		int last_local;		/* busy CPUs with which the next one still stays */
	} row[] = {
		{"v5.7", 127},				/* while an idle CPU is left */
		{"v5.7,+NUMA_IMB_QUARTER", 63},		/* L < 256/4 */
		{"v5.17", 63},
		{"v5.17,+NUMA_IMB_V6", 7},		/* L + 1 ≤ 8 */
		{"v5.17,+NUMA_IMB_EIGHTH", 2},		/* … and idle CPUs at most 2 apart */
		{"v5.18", 7},
		{"v5.18,+NUMA_IMB_EIGHTH", 2},
		{"v6.1", 2},
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		assert_int_equal(fork_socket(row[i].kernel, row[i].last_local), 0);
		assert_int_equal(fork_socket(row[i].kernel, row[i].last_local + 1), 1);
	}
}

/* ---- SIS_CACHE from sleep to search (spec 04 §10) ---- */

/* one LLC of 4; a task that sleeps for 100 µs each time leaves CPU 1 idle */
static void short_sleeper_keeps_its_cpu(void **state)
{
	static const struct rig_machine four = RIG_MACHINE(1, 1, 1, 1, 4, 1);
	struct wake_query q = {.cpu = 1, .in_task = false};
	struct wake_decision d;
	struct task *p, *other;
	struct rig r;

	rig_new(&r, &four, "v6.1,+SIS_CACHE");
	p = rig_start(&r, 1, NULL);
	q.p = p;
	for (int i = 0; i < 30; i++) {
		r.now += 100 * NSEC_PER_USEC;
		rig_sleep(&r, 1);
		r.now += 100 * NSEC_PER_USEC;
		sched_wake_decide(r.s, r.now, &q, &d);
		assert_int_equal(d.target, 1);
		sched_wake_commit(r.s, r.now, &q, &d, 1);
		sched_activate(r.s, r.now, 1, p);
		rig_schedule(&r, 1);
	}
	assert_in_range(p->sleep_avg, 90 * NSEC_PER_USEC, 100 * NSEC_PER_USEC);
	r.now += 100 * NSEC_PER_USEC;
	rig_sleep(&r, 1);
	assert_ptr_equal(r.s->rq[1].reserved_for, p);
	assert_int_equal(r.s->rq[1].reserved_until, r.s->rq[1].clock + p->sleep_avg);
	/* somebody else, searched from CPU 0: 1 is passed by until the sleeper is overdue */
	other = rig_task(&r, NULL);
	other->cpu = other->recent_used_cpu = 0;
	other->state = TASK_SLEEPING;
	rig_set(&r, 0, RIG_BUSY);
	r.s->llc[0].nr_idle_scan = 4;
	q = (struct wake_query){.cpu = 0, .p = other, .in_task = true};
	sched_wake_decide(r.s, r.now, &q, &d);
	assert_int_equal(d.target, 2);
	sched_wake_decide(r.s, r.now + 101 * NSEC_PER_USEC, &q, &d);
	assert_int_equal(d.target, 1);
	/* a long sleeper keeps nothing */
	p->sleep_avg = NSEC_PER_MSEC;
	q = (struct wake_query){.cpu = 1, .p = p};
	sched_wake_decide(r.s, r.now, &q, &d);
	sched_wake_commit(r.s, r.now, &q, &d, 1);
	sched_activate(r.s, r.now, 1, p);
	rig_schedule(&r, 1);
	r.now += 100 * NSEC_PER_USEC;
	r.s->rq[1].reserved_until = 0;
	rig_sleep(&r, 1);
	assert_int_equal(r.s->rq[1].reserved_until, 0);
	rig_free(&r);
}

/* a full LLC, and idle CPUs in the other one */
static void longest_idle(void **state)
{
	struct scene sc;
	u64 some = 3;

	scene_new(&sc, &two_llcs, "v6.12", 0, 3);
	rig_set(&sc.r, 9, RIG_IDLE);
	rig_set(&sc.r, 12, RIG_IDLE);
	sc.r.s->rq[9].idle_stamp = 2000;
	sc.r.s->rq[12].idle_stamp = 1000;
	assert_in_range(where(&sc), 0, 7);
	rig_free(&sc.r);

	scene_new(&sc, &two_llcs, "v6.12,+WAKE_LONGEST_IDLE", 0, 3);
	rig_set(&sc.r, 9, RIG_IDLE);
	rig_set(&sc.r, 12, RIG_IDLE);
	sc.r.s->rq[9].idle_stamp = 2000;
	sc.r.s->rq[12].idle_stamp = 1000;
	expect_cpu(&sc, 12, LONGEST_IDLE);
	sc.r.s->rq[12].idle_stamp = 3000;
	expect_cpu(&sc, 9, LONGEST_IDLE);
	rig_set(&sc.r, 3, RIG_IDLE);
	sc.r.s->rq[3].idle_stamp = 4000;
	expect_cpu(&sc, 3, PREV_IDLE);
	rig_set(&sc.r, 3, RIG_BUSY);
	sched_set_affinity(sc.r.s, sc.r.now, sc.wakee, &some);
	assert_in_range(where(&sc), 0, 1);
	rig_free(&sc.r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_changes_what_it_should),
		cmocka_unit_test(every_path_without_lists),
		cmocka_unit_test(numa_imbalance_variants),
		cmocka_unit_test(longest_idle),
		cmocka_unit_test(short_sleeper_keeps_its_cpu),
	};

	return cmocka_run_group_tests_name("switches", tests, NULL, NULL);
}
