// SPDX-License-Identifier: BSD-2-Clause
/*
 * The models on simulated machines: what each promises, where it can be told
 * beforehand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fixture.h"

#define UMA "uma-8c"

static const char *const kernels[] = {"v5.7", "v6.1", "v6.6", "v6.12", "v6.18", "v7.3"};

static void expressions(void **state)
{
	/* clang-format off */
	static const struct {
		const char *expr;
		int code;
		const char *msg;
	} rows[] = {
		{ "hackbnech", -ENOENT, "there is no workload \"hackbnech\"; did you mean "
					"\"hackbench\"?" },
		{ "nothing-like-it", -ENOENT, "there is no workload \"nothing-like-it\"; there are "
					      "hackbench, stream, " },
		{ "", -ENOENT, "there is no workload \"\"" },
		{ "hackbench:gruops=4", -EINVAL, "hackbench has no parameter \"gruops\"; did you mean "
						 "\"groups\"?" },
		{ "hackbench:groups=4096,fds=1000", -EINVAL, "hackbench: 8192000 tasks" },
		{ "stream:spin=some", -EINVAL, "stream: spin=some: expected auto, passive, active" },
		{ "periodic:run=1ms,load=10", -EINVAL, "periodic: give run or load, not both" },
		{ "hog:nice=0:20", -EINVAL, "hog: nice=20: expected an integer from -20 to 19" },
		{ "hog:nice=0:", -EINVAL, "hog: nice=: expected an integer" },
		{ "unixbench:test=exec", -EINVAL, "unixbench: test=exec: expected one of dhry2reg|syscall|"
						  "pipe|context1|spawn|execl" },
		{ "unixbench:copies=0", -EINVAL, "unixbench: copies=0: expected an integer from 1 to 10K" },
		{ "unixbench:duration=10", -EINVAL, "unixbench: duration=10: expected a time with its unit" },
		{ "unixbench:execl", -EINVAL, "unixbench has no parameter \"execl\"; it has test, copies, " },
		{ "rtapp", -EINVAL, "rtapp: name a file: rtapp:FILE" },
		{ "no/such.json", -ENOENT, "no/such.json: No such file" },
		{ "no/such.json,reading=json-c", -ENOENT, "no/such.json: No such file" },
		{ "rtapp:no/such.json,reading=xml", -EINVAL, "rtapp: reading=xml: expected one of" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload *w;
		struct err err = {0};

		assert_int_equal(workload_parse(rows[i].expr, &w, &err), rows[i].code);
		if (strncmp(err.msg, rows[i].msg, strlen(rows[i].msg)))
			fail_msg("%s\n  gives    %s\n  expected %s", rows[i].expr, err.msg,
				 rows[i].msg);
	}
}

static void parsed_values(void **state)
{
	struct err err = {0};
	struct workload *w;

	assert_int_equal(workload_parse("hackbench:loops=7,threads", &w, &err), 0);
	assert_string_equal(workload_expr(w), "hackbench:loops=7,threads");
	assert_string_equal(workload_model(w)->name, "hackbench");
	assert_int_equal(workload_int(w, "loops"), 7);
	assert_true(workload_is_set(w, "loops"));
	assert_int_equal(workload_int(w, "fds"), 20);
	assert_false(workload_is_set(w, "fds"));
	assert_int_equal(workload_int(w, "threads"), 1);
	assert_null(workload_warning(w, 0));
	workload_free(w);
}

/* Every table of parameters is sound: defaults in range, documented, no name twice. */
static void tables(void **state)
{
	for (int i = 0; i < workload_nr_models(); i++) {
		const struct workload_model *m = workload_model_at(i);
		int n = 0;

		assert_true(*m->doc && *m->metric_doc);
		for (const struct workload_param *p = m->params; p->name; p++, n++) {
			assert_true(*p->doc);
			assert_ptr_equal(&m->params[grammar_find(m->params, p->name)], p);
			if (p->kind == PARAM_INT || p->kind == PARAM_BYTES ||
			    p->kind == PARAM_TIME_NS)
				assert_true(p->min <= p->max && p->def <= p->max);
		}
		assert_true(n <= MAX_PARAMS);
	}
}

/* ---- hackbench ---- */

/* All messages pass, on every kernel, however they are sent; the same again is the same. */
static void hackbench_ends(void **state)
{
	static const char *const exprs[] = {
		"hackbench:groups=2,fds=4,loops=20,pipe",
		"hackbench:groups=2,fds=4,loops=20,socket",
		"hackbench:groups=1,fds=5,loops=10,pipe,threads",
		"hackbench:groups=1,fds=1,loops=1",
		"hackbench:groups=3,fds=2,loops=2,datasize=100000",
	};

	for (size_t i = 0; i < ARRAY_SIZE(exprs); i++)
		for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
			struct result r, again;

			run(UMA, kernels[k], exprs[i], &r);
			assert_true(metric(&r, "time") > 0);
			assert_true(metric(&r, "time") < r.simulated_ns / 1e9);
			run(UMA, kernels[k], exprs[i], &again);
			assert_memory_equal(&r, &again, sizeof(r));
		}
}

/* A message costs a write and a read: with all CPUs at work all the time, no less. */
static void hackbench_bound(void **state)
{
	struct machine *m;
	struct result r;
	u64 messages = 4 * 10 * 10 * 50;

	assert_int_equal(machine_load(UMA, &m, NULL), 0);
	run(UMA, "v6.6", "hackbench:groups=4,fds=10,loops=50,pipe", &r);
	assert_true(metric(&r, "time") * 1e9 * m->topo.nr_cpus >=
		    messages * (m->cost.pipe_write + m->cost.pipe_read));
	machine_free(m);
}

/* The parent wakes all that wait at the gate. */
static void hackbench_thunders(void **state)
{
	struct result r;

	run(UMA, "v6.6", "hackbench:groups=5,fds=20,loops=1,pipe", &r);
	assert_true(r.counter[CNT_forks] >= 200);
	assert_true(r.counter[CNT_wakeups] >= 200);
}

static void hackbench_needs_memory(void **state)
{
	struct err err = {0};
	struct result r;

	/* 32 GiB: enough for 100 000 processes, not for 600 000 */
	assert_true(run_with(UMA, "v6.6", "hackbench:groups=4000,fds=75", &quiet, &r, &err) < 0);
	assert_non_null(strstr(err.msg, "hackbench"));
}

/* ---- stream ---- */

/* What is counted of the bytes that move: 16/16, 16/24, 24/32, 24/32 (spec 12 §5). */
static void stream_counts(void **state)
{
	struct result r;
	double copy;

	run(UMA, "v6.6", "stream:threads=1,array=4M,ntimes=3", &r);
	copy = metric(&r, "Copy");
	assert_between(metric(&r, "Scale") / copy, 0.65, 0.68);
	assert_between(metric(&r, "Add") / copy, 0.735, 0.765);
	assert_between(metric(&r, "Triad") / copy, 0.735, 0.765);
}

/* One thread has what a core can draw, eight what the node gives (uma-8c: 15 and 34 GB/s). */
static void stream_limits(void **state)
{
	struct machine *m;
	struct result r;

	assert_int_equal(machine_load(UMA, &m, NULL), 0);
	run(UMA, "v6.6", "stream:threads=1,array=4M,ntimes=2", &r);
	assert_between(metric(&r, "Copy") * 1e6, m->bw.core * 0.95, m->bw.core * 1.001);
	run(UMA, "v6.6", "stream:array=8M,ntimes=2", &r);
	assert_between(metric(&r, "Copy") * 1e6, m->bw.node * 0.95, m->bw.node * 1.001);
	machine_free(m);
}

/* Threads bound to all nodes have all of their channels, as their pages lie with them. */
static void stream_first_touch(void **state)
{
	struct machine *m;
	struct result spread, close;

	assert_int_equal(machine_load("zen3-2s:nps1", &m, NULL), 0);
	run("zen3-2s:nps1", "v6.6", "stream:threads=64,array=64M,ntimes=2,bind=close", &close);
	run("zen3-2s:nps1", "v6.6", "stream:threads=64,array=64M,ntimes=2,bind=spread", &spread);
	assert_between(metric(&close, "Copy") * 1e6, m->bw.node * 0.5, m->bw.node * 1.001);
	assert_true(metric(&spread, "Copy") > 1.5 * metric(&close, "Copy"));
	machine_free(m);
}

static void stream_larger_than_memory(void **state)
{
	struct err err = {0};
	struct result r;
	int rc = run_with(UMA, "v6.6", "stream:array=2G", &quiet, &r, &err);

	assert_true(rc < 0);
	assert_int_equal(rc, err.code);
	assert_non_null(strstr(err.msg, "stream: three arrays of 16000 MB"));
}

static void stream_ways_to_wait(void **state)
{
	static const char *const spins[] = {"auto", "passive", "active", "10us"};
	char expr[96];

	for (size_t i = 0; i < ARRAY_SIZE(spins); i++)
		for (int threads = 2; threads <= 8; threads += 3) {
			struct result r;

			snprintf(expr, sizeof(expr), "stream:threads=%d,array=1M,ntimes=2,spin=%s",
				 threads, spins[i]);
			run(UMA, "v6.6", expr, &r);
			assert_true(metric(&r, "Copy") > 0);
		}
}

/* ---- periodic ---- */

/* One task: work x periods, never late; the phase decides whether a period more fits in. */
static void periodic_alone(void **state)
{
	struct result r;

	run(UMA, "v6.6", "periodic:n=1,period=10ms,run=2ms,duration=1s,phase=together", &r);
	assert_between(metric(&r, "done"), 100, 100);
	assert_between(metric(&r, "missed"), 0, 0);
	assert_between(metric(&r, "CPU time"), 0.2, 0.203);
	assert_true(metric(&r, "wakeup latency p50") <= metric(&r, "wakeup latency p99"));
	assert_true(metric(&r, "wakeup latency p99") <= metric(&r, "wakeup latency max"));
	run(UMA, "v6.6", "periodic:n=1,period=10ms,load=35,duration=1s", &r);
	assert_between(metric(&r, "CPU time"), 0.35, 0.353);
}

/* Nine tasks of 60 % don't fit on eight CPUs if each has to stay on its own. */
static void periodic_overload(void **state)
{
	struct result r;

	run(UMA, "v6.6", "periodic:n=8,period=10ms,run=6ms,pinned", &r);
	assert_between(metric(&r, "missed"), 0, 0);
	run(UMA, "v6.6", "periodic:n=16,period=10ms,run=6ms,pinned", &r);
	assert_true(metric(&r, "missed") > 0.5 * metric(&r, "done"));
	/* nothing is dropped: what was released is done in the end */
	assert_between(metric(&r, "done"), 16 * 100, 16 * 101);
}

static void periodic_mixed(void **state)
{
	struct result r;

	run(UMA, "v6.6", "periodic:n=40,period=10ms,load=10,mixed", &r);
	/* 40 tasks of 10 % for a second */
	assert_between(metric(&r, "CPU time"), 3.8, 4.2);
	assert_true(metric(&r, "done") != 40 * 100);
}

/* ---- hog ---- */

static void hog_shares(void **state)
{
	struct result r;

	run(UMA, "v6.6", "hog:n=8,duration=500ms", &r);
	assert_between(metric(&r, "CPU time min"), 0.49, 0.501);
	assert_between(metric(&r, "fairness"), 0.999, 1);
	/* two on one CPU, 1024 : 335 */
	for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
		run("pack:1 l3:1 core:1 pu:1", kernels[k], "hog:n=2,nice=0:5,duration=2s", &r);
		assert_between(metric(&r, "CPU time max"), 2 * 0.73, 2 * 0.77);
		assert_between(metric(&r, "CPU time min"), 2 * 0.23, 2 * 0.26);
		assert_between(metric(&r, "fairness"), 0.99, 1);
	}
}

/* ---- pingpong ---- */

static void pingpong_turns(void **state)
{
	struct result r;

	run(UMA, "v6.6", "pingpong:pairs=1,run=20us,duration=100ms", &r);
	/* never more than the work alone allows */
	assert_between(metric(&r, "turns"), 20000, 50000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions),
		cmocka_unit_test(parsed_values),
		cmocka_unit_test(tables),
		cmocka_unit_test(hackbench_ends),
		cmocka_unit_test(hackbench_bound),
		cmocka_unit_test(hackbench_thunders),
		cmocka_unit_test(hackbench_needs_memory),
		cmocka_unit_test(stream_counts),
		cmocka_unit_test(stream_limits),
		cmocka_unit_test(stream_first_touch),
		cmocka_unit_test(stream_larger_than_memory),
		cmocka_unit_test(stream_ways_to_wait),
		cmocka_unit_test(periodic_alone),
		cmocka_unit_test(periodic_overload),
		cmocka_unit_test(periodic_mixed),
		cmocka_unit_test(hog_shares),
		cmocka_unit_test(pingpong_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
