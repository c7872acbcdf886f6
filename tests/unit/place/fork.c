// SPDX-License-Identifier: BSD-2-Clause
/*
 * Fork and exec (spec 05): the worked examples of §7 on both sockets of a Zen3,
 * and each rule of the choice alone.
 */
#include "../core/rig.h"
#include "sched/place/fork.h"

/* 2×64 cores, SMT2, CCX of 8 cores; NPS1, 2 and 4 */
static const struct rig_machine zen3[] = {
	RIG_MACHINE(2, 1, 8, 1, 8, 2),
	RIG_MACHINE(2, 2, 4, 1, 8, 2),
	RIG_MACHINE(2, 4, 2, 1, 8, 2),
};

#define NR_TASKS 16

struct spread {
	int socket[2], node[8], llc[16];
	int path[NR_TASKS]; /* socket of each task in the order of forks */
};

/* a master on CPU 0 forks 15 tasks, each stays running */
static void fork_from_cpu0(const struct rig_machine *m, const char *kernel, u64 seed,
			   struct spread *out)
{
	struct rig r;

	*out = (struct spread){0};
	rig_new(&r, m, kernel);
	rig_boot(&r, seed);
	for (int i = 0; i < NR_TASKS; i++) {
		struct task *p = i ? rig_fork(&r, 0, NULL) : rig_start(&r, 0, NULL);
		const struct topo_cpu *at = &r.topo.cpu[p->cpu];

		assert_ptr_equal(sched_current(r.s, p->cpu), p); /* nobody shares a CPU */
		out->socket[at->package]++;
		out->node[at->node]++;
		out->llc[at->llc]++;
		out->path[i] = at->package;
		r.now += 80 * NSEC_PER_USEC;
	}
	rig_check(&r, "after forking");
	rig_free(&r);
}

static void expect_each(const char *what, const int *n, int from, int to, int each)
{
	for (int i = from; i < to; i++)
		if (n[i] != each)
			fail_msg("%s %d: expected %d tasks, came %d", what, i, each, n[i]);
}

static void zen3_v5_17(void **state)
{
	for (u64 seed = 1; seed <= 5; seed++) {
		struct spread sp;

		/* 256/4 = 64 may stay: socket 0's 8 CCX get 2 each */
		fork_from_cpu0(&zen3[0], "v5.17", seed, &sp);
		assert_int_equal(sp.socket[0], 16);
		expect_each("CCX", sp.llc, 0, 8, 2);
		fork_from_cpu0(&zen3[1], "v5.17", seed, &sp);
		assert_int_equal(sp.node[0], 16);
		expect_each("CCX", sp.llc, 0, 4, 4);
		fork_from_cpu0(&zen3[2], "v5.17", seed, &sp);
		assert_int_equal(sp.node[0], 16);
		expect_each("CCX", sp.llc, 0, 2, 8);
	}
}

static void zen3_v5_18(void **state)
{
	for (u64 seed = 1; seed <= 5; seed++) {
		struct spread sp;

		for (int nps = 0; nps < 3; nps++) {
			fork_from_cpu0(&zen3[nps], "v5.18", seed, &sp);
			assert_int_equal(sp.socket[0], 8);
			expect_each("CCX", sp.llc, 0, 16, 1);
		}
		fork_from_cpu0(&zen3[0], "v5.18", seed, &sp); /* no alternation */
		for (int i = 0; i < NR_TASKS; i++)
			assert_int_equal(sp.path[i], i >= 8);
		fork_from_cpu0(&zen3[0], "v5.17,+NUMA_IMB_V6", seed, &sp);
		expect_each("CCX", sp.llc, 0, 16, 1);
	}
}

static void zen3_v6_1(void **state)
{
	static const char *const kernel[] = {"v6.1", "v6.1.192", "v6.12", "v7.3"};

	for (size_t k = 0; k < ARRAY_SIZE(kernel); k++) {
		for (u64 seed = 1; seed <= 3; seed++) {
			struct spread sp;

			for (int nps = 0; nps < 3; nps++) {
				fork_from_cpu0(&zen3[nps], kernel[k], seed, &sp);
				expect_each("CCX", sp.llc, 0, 16, 1);
			}
			fork_from_cpu0(&zen3[0], kernel[k], seed, &sp);
			for (int i = 0; i < NR_TASKS; i++) /* alternates from the 4th on */
				if (i < 8 && sp.path[i] != (i >= 3 && i % 2))
					fail_msg("%s: task %d went to socket %d", kernel[k], i + 1,
						 sp.path[i]);
		}
	}
}

/* ---- §4: the allowance ---- */

static void numa_allowance_6_0(void **state)
{
	for (int busy = 2; busy <= 3; busy++) {
		struct fork_decision d;
		struct task *p;
		struct rig r;

		rig_new(&r, &zen3[0], "v6.1");
		rig_boot(&r, 1);
		rig_start(&r, 0, NULL);
		for (int i = 1; i < busy; i++)
			rig_set(&r, i * 8, RIG_BUSY);
		p = rig_task(&r, NULL);
		sched_fork_decide(r.s, r.now, 0, p, &d);
		assert_int_equal(r.topo.cpu[d.target].package, busy == 3);
		rig_free(&r);
	}
}

/* a mask that was ever changed bounds the allowance by the CPUs it leaves here */
static void numa_allowance_masked(void **state)
{
	struct fork_decision d;
	u64 allowed[4] = {0};
	struct task *p;
	struct rig r;

	rig_new(&r, &zen3[0], "v6.1");
	rig_boot(&r, 1);
	rig_start(&r, 0, NULL);
	mask_set(allowed, 0); /* one CPU of socket 0, which runs the parent: 2 > 1 */
	for (int c = 64; c < 128; c++)
		mask_set(allowed, c);
	p = rig_task(&r, allowed);
	sched_fork_decide(r.s, r.now, 0, p, &d);
	assert_int_equal(r.topo.cpu[d.target].package, 1);
	mask_set(allowed, 1); /* two: it stays, on the idle one of them */
	mask_set(allowed, 2);
	p = rig_task(&r, allowed);
	sched_fork_decide(r.s, r.now, 0, p, &d);
	assert_int_equal(r.topo.cpu[d.target].package, 0);
	rig_free(&r);
}

/* ≤5.10: while the local node has an idle CPU */
static void numa_allowance_5_10(void **state)
{
	struct spread sp;

	fork_from_cpu0(&zen3[0], "v5.10", 3, &sp);
	assert_int_equal(sp.socket[0], 16);
	fork_from_cpu0(&zen3[0], "v5.7", 3, &sp);
	assert_int_equal(sp.socket[0], 16);
}

/* ---- §3: statistics ---- */

static const struct rig_machine one_llc = RIG_MACHINE(1, 1, 2, 1, 16, 1);

static const struct sched_group *first_llc(const struct rig *r)
{
	return r->s->rq[0].sd->parent->groups; /* PKG: groups of 16 */
}

/* 4 CPUs allowed and busy, the other 12 idle */
static void span_or_masked(void **state)
{
	static const char *const kernel[] = {"v6.12.95", "v6.1.192"};

	for (int i = 0; i < 2; i++) {
		struct fork_stats st;
		u64 allowed[1] = {0xf};
		struct rig r;

		rig_new(&r, &one_llc, kernel[i]);
		for (int c = 0; c < 4; c++)
			rig_set(&r, c, RIG_BUSY);
		fork_group_stats(r.s, r.s->rq[0].sd->parent, first_llc(&r), rig_task(&r, allowed),
				 &st);
		assert_int_equal(st.idle_cpus, i ? 0 : 12);
		assert_int_equal(st.nr_running, 4);
		assert_int_equal(st.type, FORK_HAS_SPARE);
		rig_free(&r);
	}
}

/* E4 of spec 06 §15: capacity 16384, pct 117 */
static void overloaded(void **state)
{
	static const struct {
		unsigned long util;
		int nr;
		enum fork_group_type type;
	} row[] = {{14100, 17, FORK_OVERLOADED},
		   {14000, 17, FORK_HAS_SPARE},
		   {14100, 16, FORK_FULLY_BUSY},
		   {14100, 15, FORK_HAS_SPARE}};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct fork_stats st;
		struct rig r;

		rig_new(&r, &one_llc, "v6.1");
		for (int c = 0; c < row[i].nr && c < 16; c++)
			rig_set(&r, c, RIG_BUSY);
		if (row[i].nr > 16)
			add_nr_running(r.s, &r.s->rq[0], 1);
		for (int c = 0; c < 16; c++) {
			r.s->rq[c].cfs.avg.util_avg =
				row[i].util / 16 + (c < (int)(row[i].util % 16));
			r.s->rq[c].cfs.avg.load_avg = 512;
			mask_set(r.s->load_mask, c);
		}
		fork_group_stats(r.s, r.s->rq[0].sd->parent, first_llc(&r), rig_task(&r, NULL),
				 &st);
		assert_int_equal(st.util, row[i].util);
		assert_int_equal(st.type, row[i].type);
		assert_int_equal(st.avg_load, row[i].type == FORK_HAS_SPARE ? 0 : 512);
		rig_free(&r);
	}
}

/* mixed capacities: a group in which no CPU fits is misfit, a worse place than one with room */
static void misfit(void **state)
{
	static const struct rig_machine mixed =
		RIG_MACHINE(1, 1, 2, 1, 4, 1, .arm = true, .little = 400);
	struct fork_stats st;
	struct task *p;
	struct rig r;

	rig_new(&r, &mixed, "v6.1");
	p = rig_task(&r, NULL);
	p->se.avg.util_avg = 350; /* 350·1280 > 400·1024 */
	fork_group_stats(r.s, r.s->rq[0].sd->parent, first_llc(&r), p, &st);
	assert_int_equal(st.type, FORK_MISFIT);
	assert_int_equal(st.idle_cpus, 4);
	fork_group_stats(r.s, r.s->rq[0].sd->parent, first_llc(&r)->next, p, &st);
	assert_int_equal(st.type, FORK_HAS_SPARE);
	p->se.avg.util_avg = 300;
	fork_group_stats(r.s, r.s->rq[0].sd->parent, first_llc(&r), p, &st);
	assert_int_equal(st.type, FORK_HAS_SPARE);
	rig_free(&r);
}

/* counted CPU by CPU, on random states */
static void stats_equal_recount(void **state)
{
	static const char *const kernel[] = {"v6.1", "v6.1.192"};
	struct rng rng;

	rng_init(&rng, 11, 0);
	for (int round = 0; round < 400; round++) {
		const struct sched_domain *sd;
		struct fork_stats st, want = {0};
		u64 allowed[4];
		struct task *p;
		struct rig r;

		rig_new(&r, &zen3[round % 3], kernel[round & 1]);
		for (int w = 0; w < 4; w++)
			allowed[w] = rng_below(&rng, 2) ? rng_u64(&rng) : ~0ULL;
		p = rig_task(&r, allowed);
		for (int c = 0; c < 256; c++) {
			rig_set(&r, c, rng_below(&rng, 4));
			if (rng_below(&rng, 3))
				continue;
			r.s->rq[c].cfs.avg.load_avg = rng_below(&rng, 2000);
			r.s->rq[c].cfs.avg.util_avg = rng_below(&rng, 1024);
			r.s->rq[c].cfs.avg.runnable_avg = rng_below(&rng, 3000);
			mask_set(r.s->load_mask, c);
		}
		for_each_domain(&r.s->rq[rng_below(&rng, 256)], sd) {
			const struct sched_group *g = sd->groups->next;

			want = (struct fork_stats){0};
			for (int c = 0; c < 256; c++) {
				const struct rq *rq = &r.s->rq[c];

				if (!mask_test(g->span, c) || (round & 1 && !task_allowed(p, c)))
					continue;
				want.load += rq->cfs.avg.load_avg;
				want.util += cpu_util_cfs(r.s, c);
				want.runnable += rq->cfs.avg.runnable_avg;
				want.nr_running += rq->nr_running;
				want.idle_cpus += idle_cpu(r.s, c);
			}
			fork_group_stats(r.s, sd, g, p, &st);
			assert_int_equal(st.load, want.load);
			assert_int_equal(st.util, want.util);
			assert_int_equal(st.runnable, want.runnable);
			assert_int_equal(st.nr_running, want.nr_running);
			assert_int_equal(st.idle_cpus, want.idle_cpus);
		}
		rig_free(&r);
	}
}

/* ---- §5: the CPU ---- */

/* 4 CPUs, none sharing anything but the package, so a fork chooses among all in one step */
static const struct rig_machine four = RIG_MACHINE(1, 1, 2, 1, 4, 1);

static int fork_target(struct rig *r, int cpu)
{
	struct fork_decision d;

	sched_fork_decide(r->s, r->now, cpu, rig_task(r, NULL), &d);
	return d.target;
}

static void newest_stamp(void **state)
{
	struct rig r;

	rig_new(&r, &four, "v6.1");
	for (int c = 0; c < 8; c++)
		r.s->rq[c].idle_stamp = 1000 + c % 4 * 10;
	for (int c = 0; c < 4; c++)
		rig_set(&r, c, RIG_BUSY);
	assert_int_equal(fork_target(&r, 0), 7);
	r.s->rq[7].idle_stamp = 1020; /* equal to 6: the first one stays */
	assert_int_equal(fork_target(&r, 0), 6);
	r.s->rq[6].idle_stamp = r.s->rq[7].idle_stamp = r.s->rq[5].idle_stamp = 0;
	assert_int_equal(fork_target(&r, 0), 4);
	r.s->rq[4].idle_stamp = 0; /* stamps of 0 are never newer: nowhere to go */
	r.s->rq[4].cfs.avg.load_avg = 1;
	assert_int_equal(fork_target(&r, 0), 0);
	rig_free(&r);
}

static void exit_latency(void **state)
{
	struct rig r;

	rig_new(&r, &four, "v6.1");
	for (int c = 0; c < 8; c++) {
		r.s->rq[c].idle_stamp = 1000 + c;
		r.s->rq[c].cstate_known = true;
		r.s->rq[c].exit_latency_ns = 2000;
		rig_set(&r, c, c < 4 ? RIG_BUSY : RIG_IDLE);
	}
	assert_int_equal(fork_target(&r, 0), 7);
	r.s->rq[5].exit_latency_ns = 1000; /* cheaper wins over newer */
	assert_int_equal(fork_target(&r, 0), 5);
	r.s->rq[6].cstate_known = false; /* unknown: by its stamp, against the best so far */
	assert_int_equal(fork_target(&r, 0), 6);
	r.s->rq[6].idle_stamp = 1;
	assert_int_equal(fork_target(&r, 0), 5);
	rig_free(&r);
}

/* what each level chose, in order */
struct choices {
	int nr, cpu[8];
};

static void note_choice(void *ctx, const struct sched_record *rec)
{
	struct choices *ch = ctx;

	if (rec->reason == REASON_FORK_IDLEST && !rec->final && ch->nr < 8)
		ch->cpu[ch->nr++] = rec->candidate;
}

/* the first sched-idle CPU of the group is taken, whatever else is idle; the level below mends it
 */
static void sched_idle_at_once(void **state)
{
	struct choices ch = {0};
	struct rig r;

	rig_new(&r, &four, "v6.1");
	for (int c = 0; c < 8; c++) {
		r.s->rq[c].idle_stamp = 1000 + c;
		rig_set(&r, c, c < 4 ? RIG_BUSY : RIG_IDLE);
	}
	rig_set(&r, 5, RIG_SCHED_IDLE);
	rig_set(&r, 6, RIG_SCHED_IDLE);
	sched_set_sink(r.s, note_choice, &ch);
	assert_int_equal(fork_target(&r, 0), 7); /* of equal groups the first after 5 */
	assert_int_equal(ch.cpu[0], 5);
	rig_free(&r);
}

static void least_load(void **state)
{
	struct rig r;

	rig_new(&r, &four, "v6.1");
	for (int c = 0; c < 8; c++) {
		rig_set(&r, c, RIG_BUSY);
		r.s->rq[c].cfs.avg.load_avg = c < 4 ? 3000 : 1000 - c;
		r.s->rq[c].cfs.avg.util_avg = 1000;
		mask_set(r.s->load_mask, c);
	}
	assert_int_equal(fork_target(&r, 0), 7); /* both fully busy, 100·3000 > 117·994 */
	for (int c = 0; c < 4; c++)
		r.s->rq[c].cfs.avg.load_avg = 1100; /* …but not by the imbalance */
	r.s->rq[0].cfs.avg.load_avg = 1090;
	assert_int_equal(fork_target(&r, 0), 0);
	rig_free(&r);
}

/* exec: the task's own part counts nowhere, so alone on its CPU it stays there */
static void exec_alone_stays(void **state)
{
	struct fork_decision d;
	struct rig r;

	rig_new(&r, &zen3[0], "v6.1");
	rig_boot(&r, 2);
	rig_start(&r, 5, NULL);
	sched_exec_decide(r.s, r.now, 5, &d);
	assert_int_equal(d.target, 5);
	assert_int_equal(d.reason, REASON_FORK_NUMA_ALLOWED);
	rig_start(&r, 5, NULL); /* not alone: elsewhere */
	sched_exec_decide(r.s, r.now, 5, &d);
	assert_int_not_equal(d.target, 5);
	rig_free(&r);
}

/* exec: what the others use counts, be it in the average or in the estimate only (§3) */
static void exec_leaves_others_util(void **state)
{
	const struct sched_domain *sd;
	struct fork_stats st;
	struct task *p;
	struct rig r;
	struct rq *rq;

	rig_new(&r, &zen3[0], "v6.12");
	p = rig_start(&r, 5, NULL);
	rq = &r.s->rq[5];
	sd = rq->sd;
	p->se.avg.util_avg = 100;
	p->util_est.ewma = 200;
	rq->cfs.avg.util_avg = 500; /* 400 of it blocked */
	rq->cfs.util_est = 300;
	fork_group_stats(r.s, sd, sd->groups, p, &st);
	assert_int_equal(st.util, 400);
	rq->cfs.avg.util_avg = 250;
	rq->cfs.util_est = 600;
	fork_group_stats(r.s, sd, sd->groups, p, &st);
	assert_int_equal(st.util, 400);
	p->util_est.ewma = 590;
	fork_group_stats(r.s, sd, sd->groups, p, &st);
	assert_int_equal(st.util, 150);
	rig_free(&r);
}

/* exec: the task's averages are aged as far as its queue's (§2): 32 periods halve them */
static void exec_ages_the_task(void **state)
{
	struct fork_decision d;
	struct task *p;
	struct rig r;

	rig_new(&r, &zen3[0], "v6.1");
	p = rig_start(&r, 5, NULL);
	p->se.avg.util_avg = 1000;
	p->se.avg.util_sum = 1000 * 47742;
	p->se.avg.last_update_time = r.s->rq[5].cfs.avg.last_update_time;
	sched_exec_decide(r.s, r.now, 5, &d);
	assert_int_equal(p->se.avg.util_avg, 1000);
	r.s->rq[5].cfs.avg.last_update_time += 32 << 20;
	sched_exec_decide(r.s, r.now, 5, &d);
	assert_in_range(p->se.avg.util_avg, 490, 510);
	rig_free(&r);
}

static void pinned(void **state)
{
	u64 allowed[4] = {0};
	struct fork_decision d;
	struct rig r;

	rig_new(&r, &zen3[0], "v6.1");
	rig_boot(&r, 2);
	mask_set(allowed, 200);
	sched_fork_decide(r.s, r.now, 0, rig_task(&r, allowed), &d);
	assert_int_equal(d.target, 200);
	assert_int_equal(d.reason, REASON_PINNED);
	mask_set(allowed, 201);
	for (int i = 0; i < 20; i++) {
		struct task *p = rig_fork(&r, 0, allowed);

		assert_true(task_allowed(p, p->cpu));
	}
	rig_check(&r, "pinned forks");
	rig_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zen3_v5_17),
		cmocka_unit_test(zen3_v5_18),
		cmocka_unit_test(zen3_v6_1),
		cmocka_unit_test(numa_allowance_6_0),
		cmocka_unit_test(numa_allowance_masked),
		cmocka_unit_test(numa_allowance_5_10),
		cmocka_unit_test(span_or_masked),
		cmocka_unit_test(overloaded),
		cmocka_unit_test(misfit),
		cmocka_unit_test(stats_equal_recount),
		cmocka_unit_test(newest_stamp),
		cmocka_unit_test(exit_latency),
		cmocka_unit_test(sched_idle_at_once),
		cmocka_unit_test(least_load),
		cmocka_unit_test(exec_alone_stays),
		cmocka_unit_test(exec_leaves_others_util),
		cmocka_unit_test(exec_ages_the_task),
		cmocka_unit_test(pinned),
	};

	return cmocka_run_group_tests_name("fork", tests, NULL, NULL);
}
