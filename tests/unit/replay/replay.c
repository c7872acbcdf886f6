// SPDX-License-Identifier: BSD-2-Clause
/*
 * Programs of small traces whose truth is known, and what becomes of them:
 * replayed where they come from, runs give back their own figures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>

#include "experiment/replays.h"
#include "lines.h"
#include "trace/collect.h"
#include "workload/workload.h"

#define US 1000ULL
#define MS 1000000ULL

static struct trace *trace;
static struct story *story;
static struct replay *replay;

static void build(const char *const *lines)
{
	struct err err = { 0 };

	trace = read_lines(lines);
	assert_int_equal(story_build(trace, &story, &err), 0);
	assert_int_equal(replay_build(story, &(struct replay_build){ 0 }, &replay, &err), 0);
}

static void forget(void)
{
	replay_free(replay);
	story_free(story);
	trace_free(trace);
}

static const struct replay_task *task(s32 pid)
{
	for (u32 i = 0; i < story->nr_tasks; i++)
		if (story->task[i].pid == pid)
			return &replay->task[i];
	fail_msg("no task %d", pid);
	return NULL;
}

/* A timer wakes a; a works 30 us, wakes b, works 20 us, sleeps; b works 50 us and exits. */
static const char *const two_tasks[] = {
	"<idle>-0 0 dNh2. 1000 " WAKING("a", 10, 0),
	"<idle>-0 0 dNh3. 1000 " WAKEUP("a", 10, 0),
	"<idle>-0 0 d..2. 1005 " IDLE_TO("a", 10),
	"a-10 0 d..2. 1035 " WAKING("b", 20, 1),
	"<idle>-0 1 dNh3. 1040 " WAKEUP("b", 20, 1),
	"<idle>-0 1 d..2. 1042 " IDLE_TO("b", 20),
	"a-10 0 d..2. 1055 " TO_IDLE("a", 10, "S"),
	"b-20 1 ..... 1080 sched_process_exit: comm=b pid=20 prio=120",
	"b-20 1 d..2. 1092 " TO_IDLE("b", 20, "X"),
	NULL,
};

static void bursts_between_blocking_points(void **state)
{
	const struct replay_task *a, *b;

	build(two_tasks);
	a = task(10);
	b = task(20);
	assert_int_equal(a->birth, REPLAY_ASLEEP);
	assert_int_equal(a->nr, 3);
	assert_int_equal(a->op[0].kind, REPLAY_SLEEP_AT);
	assert_int_equal(a->op[0].ns, 0);
	assert_int_equal(a->op[1].kind, REPLAY_WAKE);
	assert_int_equal(a->op[1].recorded, 30 * US);
	assert_int_equal(a->op[2].kind, REPLAY_END);
	assert_int_equal(a->op[2].recorded, 20 * US);
	assert_int_equal(b->nr, 2);
	assert_int_equal(b->cpu, 1);
	assert_int_equal(b->op[0].kind, REPLAY_SLEEP);
	assert_int_equal(b->op[0].channel, a->op[1].channel);
	assert_int_equal(b->op[0].nth, 1);
	assert_int_equal(b->op[1].kind, REPLAY_EXIT);
	assert_int_equal(b->op[1].recorded, 50 * US);
	assert_int_equal(replay->notes.wakes_task, 1);
	assert_int_equal(replay->notes.wakes_irq, 1);
	assert_int_equal(replay->notes.endless, 1);
	forget();
}

/* A softirq above a task is no doing of that task; a preemption doesn't end a burst. */
static void interrupts_are_times(void **state)
{
	static const char *const lines[] = {
		"a-10 0 d..2. 100 " SWITCH("a", 10, "R+", "b", 20),
		"b-20 0 d.s2. 150 " WAKING("c", 30, 1),
		"b-20 0 d..2. 200 " SWITCH("b", 20, "S", "a", 10),
		"<idle>-0 1 d..2. 210 " IDLE_TO("c", 30),
		"c-30 1 d..2. 220 " TO_IDLE("c", 30, "D"),
		"a-10 0 d.h2. 320 " WAKING("c", 30, 1),
		"<idle>-0 1 d..2. 330 " IDLE_TO("c", 30),
		"a-10 0 d..2. 400 " TO_IDLE("a", 10, "S"),
		NULL,
	};
	const struct replay_task *c;

	build(lines);
	c = task(30);
	assert_int_equal(task(10)->nr, 2);
	assert_int_equal(task(10)->op[0].ns, 0);
	assert_int_equal(task(10)->op[1].recorded, 200 * US);
	assert_int_equal(c->op[0].kind, REPLAY_SLEEP_AT);
	assert_int_equal(c->op[0].ns, 50 * US);
	assert_int_equal(c->op[0].cpu, 0);
	/* waited for a device: so long after it began to wait */
	assert_int_equal(c->op[1].kind, REPLAY_SLEEP_FOR);
	assert_int_equal(c->op[1].recorded, 10 * US);
	assert_int_equal(c->op[1].ns, 100 * US);
	assert_int_equal(c->op[2].kind, REPLAY_END);
	forget();
}

/* Somebody runs whom nobody was seen to wake: as long after it fell asleep as recorded. */
static void lost_wakeups(void **state)
{
	static const char *const lines[] = {
		"a-10 0 d..2. 100 " TO_IDLE("a", 10, "S"),
		"<idle>-0 0 d..2. 400 " IDLE_TO("a", 10),
		"a-10 0 d..2. 450 " WAKING("b", 20, 1),
		"<idle>-0 1 d..2. 460 " IDLE_TO("b", 20),
		"a-10 0 d..2. 470 " WAKING("b", 20, 1), /* it runs */
		"b-20 1 d..2. 500 " WAKEUP("b", 20, 1),
		NULL,
	};
	const struct replay_task *a;

	build(lines);
	a = task(10);
	assert_int_equal(a->op[1].kind, REPLAY_SLEEP_FOR);
	assert_true(a->op[1].unseen);
	assert_int_equal(a->op[1].ns, 300 * US);
	assert_int_equal(replay->notes.wakes_unseen, 1);
	assert_int_equal(replay->notes.wakes_lost, 1);
	assert_int_equal(a->op[2].kind, REPLAY_WAKE);
	assert_int_equal(a->op[3].kind, REPLAY_END);
	forget();
}

static char *sleeper(int i, const char *what, unsigned long us)
{
	char *line = malloc(256);

	snprintf(line, 256, "%s 0 d..2. %lu %s", i ? "a-10" : "<idle>-0", us, what);
	return line;
}

/* Lengths of sleeps that agree are timers; distances of wake-ups that agree are a clock. */
static void timers_and_clocks(void **state)
{
	for (int relative = 0; relative < 2; relative++) {
		char *lines[64];
		unsigned long now = 1000, next = 1000;
		int n = 0;

		for (int i = 0; i < 10; i++) {
			unsigned long run = 100 + 300 * (i % 3);

			lines[n++] = sleeper(0, WAKING("a", 10, 0), now);
			lines[n++] = sleeper(0, IDLE_TO("a", 10), now + 5);
			lines[n++] = sleeper(1, TO_IDLE("a", 10, "S"), now + 5 + run);
			next += 4000;
			now = relative ? now + 5 + run + 2000 : next;
		}
		lines[n] = NULL;
		build((const char *const *)lines);
		assert_int_equal(task(10)->op[1].kind, relative ? REPLAY_SLEEP_FOR : REPLAY_SLEEP_AT);
		assert_int_equal(task(10)->op[1].ns, relative ? 2000 * US : 4000 * US);
		assert_int_equal(replay->notes.wakes_timer, relative ? 9 : 0);
		forget();
		while (n--)
			free(lines[n]);
	}
}

/* ---- runs ---- */

static void replay_on(const char *machine, const char *kernel, const struct trace *t,
		      struct replays **r)
{
	struct replays_spec spec = {
		.trace_path = "trace",
		.machine_expr = machine,
		.nr_kernels = 1,
		.kernel_expr = &kernel,
		.nr_seeds = 2,
		.first_seed = 1,
		.jobs = 1,
		.check = true,
	};
	struct err err = { 0 };

	if (replays_run(&spec, t, r, &err))
		fail_msg("%s", err.msg);
}

/* b can't run before a has done its work, on a machine half as fast either. */
static void order_is_kept(void **state)
{
	const char *kernel = "v6.12";
	struct replays_spec spec = {
		.trace_path = "two", .machine_expr = "core:4 pu:1", .nr_kernels = 1,
		.kernel_expr = &kernel, .nr_seeds = 1, .first_seed = 1, .jobs = 1, .check = true,
		.raw = true, .speed_permille = 500,
	};
	struct err err = { 0 };
	struct replays *r;

	trace = read_lines(two_tasks);
	if (replays_run(&spec, trace, &r, &err))
		fail_msg("%s", err.msg);
	/* 60 us of a, then 100 of b; two idle CPUs wake up for that */
	assert_in_range(r->figures[0].all.end_ns, 160 * US, 300 * US);
	assert_in_range(r->figures[0].all.runtime_ns, 200 * US, 220 * US);
	assert_int_equal(r->figures[0].all.wakeups, 2);
	assert_int_equal(r->recorded.all.wakeups, 2);
	assert_int_equal(r->recorded.all.runtime_ns, 100 * US);
	assert_int_equal(r->recorded.all.end_ns, 92 * US);
	replays_free(r);
	trace_free(trace);
}

static struct trace *record(const char *machine, const char *workload, const char *kernel)
{
	struct trace_collector *c;
	struct sim_params params = { .seed = 1, .trace = trace_collect };
	struct workload *w = NULL;
	struct machine *m = NULL;
	struct sched_kernel k;
	struct result result;
	struct err err = { 0 };
	struct trace *t;

	if (machine_load(machine, &m, &err) || sched_kernel_parse(kernel, &k, &err) ||
	    workload_parse(workload, &w, &err))
		fail_msg("%s", err.msg);
	c = trace_collector_new(m->topo.nr_cpus, NULL, NULL);
	params.trace_ctx = c;
	if (workload_run(w, m, &k, &params, &result, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(trace_collector_end(c, &t), 0);
	workload_free(w);
	machine_free(m);
	return t;
}

static void near_to(double got, double want, double percent, double more, const char *what,
		    const char *of)
{
	double most = want * percent / 100 + more;

	if (got < want - most || got > want + most)
		fail_msg("%s: %s is %.0f, recorded %.0f", of, what, got, want);
}

/* Each figure of a run comes back: within so many per cent, and a little. */
static void runs_give_back_their_figures(void **state)
{
	static const struct {
		const char *machine, *workload, *kernel;
		double percent;
	} cases[] = {
		{ "uma-8c", "pingpong:pairs=3,duration=20ms", "v6.12", 3 },
		{ "zen3-2s", "pingpong:pairs=8,duration=10ms", "v6.6", 3 },
		{ "qemu:m16smt", "periodic:n=12,period=4ms,run=1ms,duration=100ms", "v6.1", 3 },
		{ "uma-8c", "periodic:n=8,period=4ms,run=2ms,duration=100ms", "v7.3", 3 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *of = cases[i].workload;
		double pct = cases[i].percent;
		struct trace *t = record(cases[i].machine, of, cases[i].kernel);
		const struct figure *was, *is;
		struct replays *r;

		replay_on(cases[i].machine, cases[i].kernel, t, &r);
		was = &r->recorded.all;
		for (int s = 0; s < 2; s++) {
			is = &r->figures[s].all;
			near_to(is->end_ns, was->end_ns, pct, 0, "makespan", of);
			near_to(is->runtime_ns, was->runtime_ns, pct, 0, "run time", of);
			near_to(is->wakeups, was->wakeups, 1, 1, "wake-ups", of);
			near_to(is->switches, was->switches, 5, 4, "switches", of);
			near_to(is->p50_ns, was->p50_ns, pct, 1 * US, "p50", of);
			if (!s) /* who meets whom is chance, and the same one with the same seed */
				near_to(is->wait_ns, was->wait_ns, 20, 1500 * US, "waiting time",
					of);
		}
		replays_free(r);
		trace_free(t);
	}
}

/* Many readers and writers: a trace shows only wake-ups of readers that slept. */
static void messages_come_through(void **state)
{
	struct trace *t = record("uma-8c", "hackbench:groups=1,loops=30,pipe", "v6.12");
	struct replays *r;

	replay_on("uma-8c", "v6.12", t, &r);
	near_to(r->figures[0].all.end_ns, r->recorded.all.end_ns, 25, 0, "makespan", "hackbench");
	assert_true(r->figures[0].all.wakeups <= r->recorded.all.wakeups + 1);
	replays_free(r);
	replay_on("zen3-2s", "v7.3", t, &r);
	assert_true(r->figures[0].all.end_ns > 0);
	replays_free(r);
	trace_free(t);
}

/* A kernel thread of one CPU stays there, wherever a damaged trace has seen it, if there is such a CPU. */
static void bound_threads_stay(void **state)
{
	static const char *const lines[] = {
		"<idle>-0 0 dNh2. 100 " WAKING("ksoftirqd/5", 15, 0),
		"<idle>-0 0 dNh3. 101 " WAKEUP("ksoftirqd/5", 15, 0),
		"<idle>-0 0 d..2. 103 " IDLE_TO("ksoftirqd/5", 15),
		"ksoftirqd/5-15 0 d..2. 120 " TO_IDLE("ksoftirqd/5", 15, "S"),
		NULL,
	};

	for (int i = 0; i < 2; i++) {
		struct replays *r;

		trace = read_lines(lines);
		replay_on(i ? "core:3 pu:1" : "uma-8c", "v6.12", trace, &r);
		assert_int_equal(r->replay->task[0].only_cpu, 5);
		assert_true(r->replay->task[0].kthread);
		assert_int_equal(r->figures[0].task[0].wakeups, 1);
		assert_int_equal(r->figures[0].all.migrations, 0);
		replays_free(r);
		trace_free(trace);
	}
}

/* Whatever is missing, from wherever it starts and ends: every task gets to its end. */
static void damaged_traces_end(void **state)
{
	struct rng rng;

	rng_init(&rng, 1, 1);
	for (int i = 0; i < 12; i++) {
		struct trace *t = record("uma-8c", i % 2 ? "hackbench:groups=1,loops=6,pipe" :
							  "pingpong:pairs=6,duration=3ms", "v6.12");
		size_t begin = rng_below(&rng, t->nr / 2), end = t->nr - rng_below(&rng, t->nr / 3);
		u64 one_in = 2 + rng_below(&rng, 30);
		struct replays *r;
		size_t nr = 0;

		for (size_t k = begin; k < end; k++)
			if (rng_below(&rng, one_in))
				t->event[nr++] = t->event[k];
		t->nr = nr;
		replay_on(i % 3 ? "uma-8c" : "core:3 pu:1", "v7.3", t, &r);
		assert_true(r->figures[1].all.end_ns > 0);
		replays_free(r);
		trace_free(t);
	}
}

static void same_seed_same_figures(void **state)
{
	struct trace *t = record("uma-8c", "hackbench:groups=1,loops=10,pipe", "v6.12");
	struct replays *a, *b;

	replay_on("uma-8c", "v6.6", t, &a);
	replay_on("uma-8c", "v6.6", t, &b);
	assert_memory_equal(&a->figures[0].all, &b->figures[0].all, sizeof(struct figure));
	assert_memory_equal(&a->result[1], &b->result[1], sizeof(struct result));
	replays_free(a);
	replays_free(b);
	trace_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bursts_between_blocking_points),
		cmocka_unit_test(interrupts_are_times),
		cmocka_unit_test(lost_wakeups),
		cmocka_unit_test(timers_and_clocks),
		cmocka_unit_test(order_is_kept),
		cmocka_unit_test(runs_give_back_their_figures),
		cmocka_unit_test(messages_come_through),
		cmocka_unit_test(bound_threads_stay),
		cmocka_unit_test(damaged_traces_end),
		cmocka_unit_test(same_seed_same_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
