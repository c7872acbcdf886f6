// SPDX-License-Identifier: BSD-2-Clause
/*
 * rt-app files on simulated machines: the corpus, our own files and the
 * behaviour that spec 15 §7 foretells.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "corpus.h"
#include "fixture.h"

#define UMA  "uma-8c"
#define DATA SOURCE_ROOT "/tests/data/rt-app/"
#define MACHINES SOURCE_ROOT "/tests/data/machines/"

static const char *const kernels[] = {"v5.7", "v6.1", "v6.6", "v6.12", "v6.18", "v7.3"};

static void need_corpus(void)
{
	if (corpus_path(""))
		return;
	print_message("no corpus of rt-app files (IDLEST_SHARED)\n");
	skip();
}

static void run_corpus(const char *name, const char *params, struct result *r)
{
	char expr[4200];

	snprintf(expr, sizeof(expr), "rtapp:%s%s", corpus_path(name), params);
	run(UMA, "v6.12", expr, r);
}

/* Each file of the corpus runs, with all invariants checked, or was refused before. */
static void corpus_runs(void **state)
{
	need_corpus();
	for (int i = 0; i < NR_CORPUS; i++) {
		const struct corpus_file *f = &corpus[i];
		char params[64] = "";
		struct result r;

		if (f->code)
			continue;
		if (f->duration)
			snprintf(params, sizeof(params), ",duration=%s", f->duration);
		run_corpus(f->name, params, &r);
		assert_true(metric(&r, "work done") > 0);
		assert_true(r.counter[CNT_wakeups] > 0);
	}
}

/* A file without end runs for as long as it is told. */
static void duration_is_given(void **state)
{
	struct result r;

	need_corpus();
	run_corpus("tutorial__example4.json", ",duration=300ms", &r);
	assert_between(r.simulated_ns / 1e9, 0.3, 0.302);
	/* one of the two computes at any time */
	assert_between(metric(&r, "work done"), 0.27, 0.3);
}

/* ---- the oracles of spec 15 §7 ---- */

struct timeline {
	struct {
		u64 at;
		char comm[16];
	} woken[64];
	int nr;
};

static void note_wakeups(void *ctx, const struct sim_trace_event *e)
{
	struct timeline *l = ctx;

	if (e->kind != TRACE_WAKING || strncmp(e->comm, "task", 4) || l->nr == 64)
		return;
	l->woken[l->nr].at = e->now;
	snprintf(l->woken[l->nr++].comm, 16, "%s", e->comm);
}

/*
 * The file states its own timeline: the sleeper of each half comes 2 ms after
 * it went, and the barriers open at 3 and 6 ms.
 */
static void example7_timeline(void **state)
{
	static const struct {
		double ms;
		const char *comm;
	} expected[] = {
		{3, "task0-0"}, /* from its sleep; then it opens FIRST for … */
		{3, "task1-1"},
		{6, "task1-1"}, /* … and the other way round at SECOND */
		{6, "task0-0"},
	};
	struct timeline line = {0};
	struct sim_params p = quiet;
	struct err err = {0};
	struct result r;
	char expr[4200];
	u64 zero;
	int first;

	need_corpus();
	p.trace = note_wakeups;
	p.trace_ctx = &line;
	snprintf(expr, sizeof(expr), "rtapp:%s,duration=9ms",
		 corpus_path("tutorial__example7.json"));
	if (run_with(UMA, "v6.12", expr, &p, &r, &err))
		fail_msg("%s", err.msg);
	/* the start barrier wakes task0; its work begins then */
	for (first = 0; first < line.nr && strcmp(line.woken[first].comm, "task0-0"); first++)
		;
	assert_true(first + 5 <= line.nr);
	zero = line.woken[first].at;
	for (int i = 0; i < 4; i++) {
		assert_string_equal(line.woken[first + 1 + i].comm, expected[i].comm);
		/* work goes in pieces of 32 us, and sleeps have their slack: both add up */
		assert_between((line.woken[first + 1 + i].at - zero) / 1e6, expected[i].ms - 0.05,
			       expected[i].ms * 1.06 + 0.05);
	}
}

/* Three threads of the browser never run again, unless suspend has its old meaning. */
static void browser_meanings(void **state)
{
	static const char *const lost[] = {"BrowserSub1 run", "BrowserSub2 run"};
	struct result now, then;

	need_corpus();
	run_corpus("browser-short.json", "", &now);
	run_corpus("browser-short.json", ",suspend=named", &then);
	for (int i = 0; i < 2; i++) {
		assert_true(metric(&now, lost[i]) < 0.0001);
		assert_true(metric(&then, lost[i]) > 0.003);
	}
	assert_true(metric(&then, "BrowserMain run") > 1.5 * metric(&now, "BrowserMain run"));
}

/* AudioTick's timer has 6000 us; AudioOut works 5000 us once in 30 ms, in 6 s 200 times. */
static void mp3_rates(void **state)
{
	struct result r;

	need_corpus();
	run_corpus("mp3-short.json", "", &r);
	assert_between(metric(&r, "AudioOut run"), 0.995, 1.02);
	assert_between(metric(&r, "AudioTick slack"), 5800, 6000);
	/* for json-c the first run of AudioOut, 275 us, is lost */
	run_corpus("mp3-short.json", ",reading=json-c", &r);
	assert_between(metric(&r, "AudioOut run"), 0.94, 0.965);
}

/* thread2 without its second heavy phase: over 24 s 9 + 6·7 + 3 of work, not 9 + 2·6·7 + 3 … */
static void spreading_phases(void **state)
{
	struct result workgen, json_c;

	need_corpus();
	run_corpus("spreading-tasks.json", ",duration=24s", &workgen);
	run_corpus("spreading-tasks.json", ",duration=24s,reading=json-c", &json_c);
	/* 9 s light, 6 s heavy, 3 s light, then 6 s heavy again or light from the start */
	assert_between(metric(&workgen, "thread2 run"), 0.9 + 4.2 + 0.3 + 4.2 - 0.1, 9.7);
	assert_between(metric(&json_c, "thread2 run"), 0.9 + 4.2 + 0.3 + 0.6 - 0.1, 6.1);
}

/* ---- our own files ---- */

static void own_files_run(void **state)
{
	static const char *const files[] = {"all-events", "delay", "idle-and-batch", "loops",
					    "timers"};
	char expr[1200];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
			struct result r, again;

			snprintf(expr, sizeof(expr), DATA "%s.json", files[i]);
			run("pack:2 [numa] l3:1 core:2 pu:1", kernels[k], expr, &r);
			run("pack:2 [numa] l3:1 core:2 pu:1", kernels[k], expr, &again);
			assert_memory_equal(&r, &again, sizeof(r));
		}
}

static void all_events(void **state)
{
	struct result r;

	run(UMA, "v6.12", DATA "all-events.json", &r);
	/* two workers, two passes of 3·(250 + 100) + 50 us; 4·20 + 4·10 + 30 us of the others */
	assert_between(metric(&r, "work done") * 1e6, 4 * 1100 + 80 + 40 + 30, 4 * 1100 + 150);
	/* main, 7 threads, 4 forks */
	assert_true(r.counter[CNT_forks] >= 1 + 7 + 4);
	assert_true(has_metric(&r, "child run"));
	assert_true(metric(&r, "child run") > 0);
}

static void delay_shifts_timers(void **state)
{
	struct result r;

	run(UMA, "v6.12", DATA "delay.json", &r);
	/* 4 ms + 3 · 1 ms, and what forking and waking takes */
	assert_between(r.simulated_ns / 1e6, 7, 7.7);
	/* the timer is 1 ms ahead, less 100 us of work */
	assert_between(metric(&r, "late slack"), 780, 900);
}

/* The relative timer ends at 12 + 4·2 ms, the absolute one at 16 ms (see the file). */
static void timers_relative_and_absolute(void **state)
{
	struct result r;

	run(UMA, "v6.12", DATA "timers.json", &r);
	assert_between(r.simulated_ns / 1e6, 20, 21);
	/* (-1 -1 -1 -1 +1.5 +1.5 +1.5 +1.5) / 8 */
	assert_between(metric(&r, "relative slack"), 150, 255);
	/* (-1 -2 -3 -4 -2.5 -1 +0.5 +1.5) / 8 */
	assert_between(metric(&r, "absolute slack"), -1560, -1430);
}

/* 300 000 loads from the own node and, on top of placing as much memory, from the other one. */
static void membind(void **state)
{
	double near, far, loads;
	struct machine *m;
	struct result r;

	assert_int_equal(machine_load("zen3-2s:nps1", &m, NULL), 0);
	loads = 300000 * (m->dram_ns[2] - m->dram_ns[0]) / 1e9;
	run("zen3-2s:nps1", "v6.12", DATA "membind.json", &r);
	near = metric(&r, "near run");
	far = metric(&r, "far run");
	assert_true(near > 300000 * m->dram_ns[0] / 1e9 * m->base_mhz / m->max_mhz);
	assert_between(far - near, loads * m->base_mhz / m->max_mhz * 0.95, loads * 1.05);
	machine_free(m);
}

static void loops_end_on_equality(void **state)
{
	struct result r;

	run(UMA, "v6.12", DATA "loops.json", &r);
	assert_true(metric(&r, "none run") < 0.0001);
	assert_between(metric(&r, "twice run"), 0.006, 0.0061);
	assert_between(metric(&r, "ever run"), 0.098, 0.102);
}

/* On one CPU SCHED_IDLE has a weight of 3 against 2 · 1024. */
static void policies_share(void **state)
{
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		struct result r;

		run(UMA, kernels[k], DATA "idle-and-batch.json", &r);
		assert_between(metric(&r, "normal run"), 0.47, 0.52);
		assert_between(metric(&r, "batch run"), 0.47, 0.52);
		assert_true(metric(&r, "idle run") < 0.02);
	}
}

/* ---- clamps ---- */

#define NR_CLAMPED 4
static const char *const clamped[NR_CLAMPED] = {"light-0", "boosted-1", "heavy-2", "capped-3"};

struct where {
	int little[NR_CLAMPED], big[NR_CLAMPED]; /* switched in, once all may go anywhere */
};

static void note_cpu(void *ctx, const struct sim_trace_event *e)
{
	struct where *w = ctx;

	if (e->kind != TRACE_SWITCH)
		return;
	for (int i = 0; i < NR_CLAMPED; i++)
		if (!strcmp(e->next_comm, clamped[i]))
			(e->cpu < 4 ? w->little : w->big)[i]++;
}

/* CPUs 0-3 are little; the first half of the run they have one task each, bound there */
static void clamps_place(void **state)
{
	static const char *const with_clamps[] = {"v5.10", "v6.1", "v6.6", "v6.12", "v7.3"};

	for (size_t k = 0; k < ARRAY_SIZE(with_clamps); k++) {
		struct where w = {0};
		struct sim_params p = quiet;
		struct err err = {0};
		struct result r;

		p.trace = note_cpu;
		p.trace_ctx = &w;
		if (run_with(MACHINES "four-and-four.yaml", with_clamps[k], DATA "clamps.json", &p,
			     &r, &err))
			fail_msg("%s: %s", with_clamps[k], err.msg);
		for (int i = 0; i < NR_CLAMPED; i++)
			assert_true(w.little[i] >= 20);
		assert_true(w.big[0] <= 2);
		assert_true(w.big[1] >= 18);
		assert_true(w.big[2] >= 18);
		assert_true(w.big[3] <= 2);
	}
}

static void clamps_refused(void **state)
{
	struct err err = {0};
	struct result r;

	assert_int_equal(run_with(UMA, "v6.12.95", DATA "clamps.json", &quiet, &r, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "clamps.json:17:3: the kernel refuses the utilisation clamps "
					"(util_min, util_max) of \"capped\": Operation not supp"));
}

static void beyond_the_machine(void **state)
{
	struct err err = {0};
	struct result r;

	assert_int_equal(
		run_with("pack:1 l3:1 core:1 pu:1", "v6.12", DATA "timers.json", &quiet, &r, &err),
		-EINVAL);
	assert_non_null(strstr(err.msg, "timers.json:19:13: CPU 1 is beyond the machine's 1"));
	err_clear(&err);
	assert_int_equal(run_with(UMA, "v6.12", DATA "membind.json", &quiet, &r, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "membind.json:14:35: node 1 is beyond the machine's 1"));
}

/* The file of a run isn't changed by it: the same parse serves any number. */
static void one_parse_many_runs(void **state)
{
	struct sched_kernel k;
	struct err err = {0};
	struct result a, b;
	struct workload *w;
	struct machine *m;

	assert_int_equal(workload_parse(DATA "all-events.json", &w, &err), 0);
	assert_int_equal(machine_load(UMA, &m, &err), 0);
	assert_int_equal(sched_kernel_parse("v6.6", &k, &err), 0);
	assert_int_equal(workload_run(w, m, &k, &quiet, &a, &err), 0);
	assert_int_equal(workload_run(w, m, &k, &quiet, &b, &err), 0);
	assert_memory_equal(&a, &b, sizeof(a));
	workload_free(w);
	machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corpus_runs),
		cmocka_unit_test(duration_is_given),
		cmocka_unit_test(example7_timeline),
		cmocka_unit_test(browser_meanings),
		cmocka_unit_test(mp3_rates),
		cmocka_unit_test(spreading_phases),
		cmocka_unit_test(own_files_run),
		cmocka_unit_test(all_events),
		cmocka_unit_test(delay_shifts_timers),
		cmocka_unit_test(timers_relative_and_absolute),
		cmocka_unit_test(membind),
		cmocka_unit_test(loops_end_on_equality),
		cmocka_unit_test(policies_share),
		cmocka_unit_test(clamps_place), cmocka_unit_test(clamps_refused),
		cmocka_unit_test(beyond_the_machine),
		cmocka_unit_test(one_parse_many_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
