// SPDX-License-Identifier: BSD-2-Clause
/*
 * netperf, tbench and schbench: rates that follow from the machine's costs,
 * what is lost and what isn't, which parameters belong together.
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
#define ONE_CPU "pack:1 l3:1 core:1 pu:1"
#define TURNS "v6.1,NO_WAKEUP_PREEMPTION" /* a waker goes on until it sleeps */

static const char *const kernels[] = {"v5.7", "v6.1", "v6.6", "v6.12", "v7.3"};

static void errors(void **state)
{
	/* clang-format off */
	static const struct {
		const char *expr, *msg;
	} rows[] = {
		{ "netperf:test=tcp", "netperf: test=tcp: expected " },
		{ "netperf:test=tcp_rr,size=64", "netperf: size is of streams only" },
		{ "netperf:test=udp_stream,reply=64", "netperf: reply is of TCP_RR and UDP_RR only" },
		{ "netperf:size=64K", "netperf: size: a datagram has at most 65507 bytes" },
		{ "netperf:test=udp_rr,request=64K", "netperf: request: a datagram has at most 65507 bytes" },
		{ "netperf:sndbuf=64K", "netperf: datagrams over loopback have no use for sndbuf" },
		{ "netperf:clients=0", "netperf: clients=0: expected an integer from 1" },
		{ "netperf:rcvbuf=100", "netperf: rcvbuf=100: expected" },
		{ "tbench:clients=-1", "tbench: clients=-1: expected an integer from 1" },
		{ "tbench:client=1", "tbench has no parameter \"client\"; did you mean \"clients\"?" },
		{ "schbench:generation=older", "schbench: generation=older: expected " },
		{ "schbench:operations=3", "schbench: operations is of generation=new; leave it out" },
		{ "schbench:generation=new,think=3ms", "schbench: think is of generation=old; leave it out" },
		{ "schbench:messages=1000,workers=10000", "schbench: 10000000 workers" },
	};
	/* clang-format on */

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct workload *w;
		struct err err = {0};

		assert_int_equal(workload_parse(rows[i].expr, &w, &err), -EINVAL);
		if (strncmp(err.msg, rows[i].msg, strlen(rows[i].msg)))
			fail_msg("%s\n  gives    %s\n  expected %s", rows[i].expr, err.msg,
				 rows[i].msg);
	}
}

/* All of them on all kernels, invariants checked; the same again is the same. */
static void every_kernel(void **state)
{
	static const char *const exprs[] = {
		"netperf:test=udp_stream,clients=3,size=8000,duration=2ms,lead=1ms",
		"netperf:test=tcp_stream,clients=9,duration=2ms,lead=1ms",
		"netperf:test=tcp_stream,sndbuf=4K,rcvbuf=5000,size=9000,duration=2ms",
		"netperf:test=tcp_rr,clients=9,request=70000,reply=200000,duration=2ms,lead=1ms",
		"netperf:test=udp_rr,clients=4,duration=2ms,lead=0",
		"tbench:clients=10,duration=2ms,lead=1ms",
		"schbench:workers=9,think=1ms,sleep=1ms,spin=100us,duration=20ms",
		"schbench:workers=3,think=50us,rps=9000,duration=20ms",
		"schbench:generation=new,operations=1,duration=30ms,interval=10ms",
		"schbench:generation=new,operations=1,workers=20,rps=20K,duration=30ms,interval=10ms",
	};

	for (size_t i = 0; i < ARRAY_SIZE(exprs); i++)
		for (size_t k = 0; k < ARRAY_SIZE(kernels); k++) {
			struct result r, again;

			run(UMA, kernels[k], exprs[i], &r);
			assert_true(r.metric[0].value > 0);
			run(UMA, kernels[k], exprs[i], &again);
			assert_memory_equal(&r, &again, sizeof(r));
		}
}

static struct machine *load(const char *name)
{
	struct machine *m;
	struct err err = {0};

	if (machine_load(name, &m, &err))
		fail_msg("%s", err.msg);
	return m;
}

/* Both ways of a message that finds its reader asleep, on one CPU. */
static u64 turn_ns(const struct machine_costs *c)
{
	return c->wake_local + c->block + c->switch_other_mm;
}

/* ---- netperf ---- */

/* One CPU: two messages and two turns a transaction; ticks take what is missing. */
static void transactions(void **state)
{
	struct machine *m = load(ONE_CPU);
	const struct machine_costs *c = &m->cost;
	struct result r;
	u64 tcp = c->tcp_write + c->tcp_xmit + c->tcp_rx + c->tcp_read + turn_ns(c);
	u64 udp = c->udp_send + c->udp_rx + c->udp_read + turn_ns(c);

	run(ONE_CPU, TURNS, "netperf:test=tcp_rr,duration=100ms", &r);
	assert_between(metric(&r, "transactions"), 1e9 / (2 * tcp) * 0.97, 1e9 / (2 * tcp) * 1.005);
	assert_between(metric(&r, "latency p50"), 2e-3 * tcp * 0.995, 2e-3 * tcp * 1.03);
	run(ONE_CPU, TURNS, "netperf:test=udp_rr,duration=100ms", &r);
	assert_between(metric(&r, "transactions"), 1e9 / (2 * udp) * 0.97, 1e9 / (2 * udp) * 1.005);
	machine_free(m);
}

/* The sender alone sets the pace; what is sent is received or lost. */
static void datagrams(void **state)
{
	struct machine *m = load(UMA);
	const struct machine_costs *c = &m->cost;
	u64 least = c->udp_send + c->udp_rx + c->net_kib;
	struct result r;
	double lost;

	run(UMA, "v6.1", "netperf:size=1K,duration=20ms", &r);
	assert_between(metric(&r, "send"), 1000, 8e3 * 1024 / least);
	assert_between(metric(&r, "receive"), 0.99 * metric(&r, "send"), 1.01 * metric(&r, "send"));
	assert_between(metric(&r, "lost"), 0, 1);
	/* one CPU for both, and room for four datagrams: most have no chance */
	run(ONE_CPU, TURNS, "netperf:size=8K,rcvbuf=32K,duration=200ms", &r);
	lost = metric(&r, "lost");
	assert_between(lost, 50, 99.99);
	assert_between(metric(&r, "receive"), metric(&r, "send") * (1 - lost / 100) * 0.9999,
		       metric(&r, "send") * (1 - lost / 100) * 1.0001);
	machine_free(m);
}

/* Nothing is lost in TCP: one CPU does both ends of what it moves, and no more. */
static void stream_holds_back(void **state)
{
	struct machine *m = load(ONE_CPU);
	const struct machine_costs *c = &m->cost;
	double send = c->tcp_write + 16 * c->net_kib, most;
	struct result r, small;

	/* four sends of 16K join to a segment; both ends copy */
	send += (c->tcp_xmit + c->tcp_rx) / 4.0 + 2 * 16384e9 / m->bw.core_llc;
	most = 8e3 * 16384 / send;
	run(ONE_CPU, TURNS, "netperf:test=tcp_stream,duration=200ms", &r);
	assert_between(metric(&r, "throughput"), 0.7 * most, most);
	run(ONE_CPU, TURNS, "netperf:test=tcp_stream,sndbuf=16K,rcvbuf=16K,duration=200ms", &small);
	assert_true(metric(&small, "throughput") < 0.7 * metric(&r, "throughput"));
	machine_free(m);
}

static void clients_add_up(void **state)
{
	struct result one, four;

	run(UMA, "v6.1", "netperf:test=tcp_rr,duration=5ms", &one);
	run(UMA, "v6.1", "netperf:test=tcp_rr,clients=4,duration=5ms", &four);
	assert_between(metric(&four, "transactions") / metric(&one, "transactions"), 3, 4.2);
	assert_true(metric(&four, "slowest client") * 4 <= metric(&four, "transactions"));
}

/* ---- tbench ---- */

/*
 * A thousand operations, 61 segments of them a second one: 357 lines read or
 * write 5.6 MB. On one CPU their time is what both ends do.
 */
static void tbench_rate(void **state)
{
	struct machine *m = load(ONE_CPU);
	const struct machine_costs *c = &m->cost;
	u64 data = 1000 * ((163 + 52) * 4096ULL + (68 + 21) * 16384 + (40 + 13) * 61440) / 1000;
	double op = 2.0 * (c->tcp_write + c->tcp_xmit + c->tcp_rx + c->tcp_read + turn_ns(c));
	double bytes = c->net_kib / 1024.0 + 2e9 / m->bw.core_llc, ns;
	struct result r;

	ns = 1000 * op + data * bytes; /* a thousand lines; headers are 3 % more of what is copied */
	run(ONE_CPU, TURNS, "tbench:line=0,lead=30ms,duration=200ms", &r);
	assert_between(metric(&r, "throughput"), 0.95 * data * 1e3 / ns, data * 1e3 / ns);
	assert_between(metric(&r, "operations") * data / 1000 / 1e6 / metric(&r, "throughput"), 0.99,
		       1.01);
	machine_free(m);
}

/* ---- schbench ---- */

/* The k-th worker is woken after k - 1 others. With more workers than CPUs some wait for others. */
static void wakes_in_turn(void **state)
{
	struct result few, all, many;

	run(UMA, "v6.1", "schbench:messages=1,workers=1,duration=1s", &few);
	assert_between(metric(&few, "wakeup latency p99"), 1, 80);
	run(UMA, "v6.1", "schbench:messages=1,workers=6,duration=1s", &all);
	assert_true(metric(&all, "wakeup latency p50") > metric(&few, "wakeup latency p50"));
	assert_between(metric(&all, "wakeup latency p90"), 1, 100);
	run(UMA, "v6.1", "schbench:messages=1,workers=24,duration=1s", &many);
	assert_true(metric(&many, "wakeup latency p99") > 10000);
	/* what the histogram can report there: middles of buckets of 64 us and up (spec 12 §2) */
	assert_int_equal((u64)metric(&many, "wakeup latency p99") % 16, 0);
}

/* A round is the worker's spin and the messenger's sleep, of up to a quarter more. */
static void old_rounds(void **state)
{
	struct result r;

	run(UMA, "v6.1", "schbench:messages=1,workers=1,think=1ms,sleep=1ms,duration=2s", &r);
	/* three wake-ups a round of 2 to 2.25 ms: the worker, the messenger by him, and by its timer */
	assert_between(r.counter[CNT_wakeups] / 3.0, 2000 / 2.4, 2000 / 2.1);
}

/* A request is a sleep of 100 us and five multiplications of 104 x 104, three cycles a step. */
static void new_requests(void **state)
{
	struct machine *m = load(UMA);
	double us = 5 * 104. * 104 * 104 * 3 / m->max_mhz + 100;
	struct result r;

	run(UMA, "v6.6", "schbench:generation=new,workers=2,duration=1s", &r);
	assert_between(metric(&r, "request latency p50"), us, 1.1 * us + 60);
	assert_between(metric(&r, "average rps"), 2e6 / (1.1 * us + 80), 2e6 / us);
	assert_between(metric(&r, "rps p50"), 0.98 * metric(&r, "average rps"),
		       1.02 * metric(&r, "average rps"));
	machine_free(m);
}

/* Two workers that were woken on one CPU share its mutex: one after the other. */
static void locks_per_cpu(void **state)
{
	struct result with, without;

	run(ONE_CPU, "v6.6", "schbench:generation=new,workers=4,duration=400ms,interval=100ms", &with);
	run(ONE_CPU, "v6.6", "schbench:generation=new,workers=4,duration=400ms,interval=100ms,no-locking",
	    &without);
	/* as much is done; without it the CPU is shared, and all end late */
	assert_between(metric(&with, "average rps") / metric(&without, "average rps"), 0.9, 1.1);
	assert_true(metric(&with, "request latency p50") != metric(&without, "request latency p50"));
}

/* Requests come as often as wanted as long as there is time for them. */
static void request_rate(void **state)
{
	struct result r;

	run(UMA, "v6.6", "schbench:rps=1000,messages=2,workers=4,think=1ms,duration=1s", &r);
	assert_between(metric(&r, "average rps"), 990, 1010);
	assert_between(metric(&r, "wakeup latency p50"), 1, 100);
	run(UMA, "v6.6", "schbench:generation=new,rps=500,duration=1s", &r);
	assert_between(metric(&r, "average rps"), 490, 510);
	/* twice what eight CPUs can do: a worker has at most 128 requests that wait */
	run(UMA, "v6.6", "schbench:rps=16000,messages=1,workers=8,think=1ms,duration=500ms", &r);
	assert_between(metric(&r, "average rps"), 7000, 8001);
	assert_between(metric(&r, "wakeup latency p99"), 100000, 150000);
}

static void too_short(void **state)
{
	struct err err = {0};
	struct result r;

	assert_int_equal(run_with(UMA, "v6.1", "schbench:rps=1,think=10s,duration=10ms", &quiet, &r,
				  &err),
			 -ETIME);
	assert_non_null(strstr(err.msg, "longer duration"));
	err = (struct err){0};
	assert_int_equal(run_with(UMA, "v6.1", "tbench:line=1s,duration=10ms", &quiet, &r, &err),
			 -ETIME);
	assert_non_null(strstr(err.msg, "nothing was done"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors),
		cmocka_unit_test(every_kernel),
		cmocka_unit_test(transactions),
		cmocka_unit_test(datagrams),
		cmocka_unit_test(stream_holds_back),
		cmocka_unit_test(clients_add_up),
		cmocka_unit_test(tbench_rate),
		cmocka_unit_test(wakes_in_turn),
		cmocka_unit_test(old_rounds),
		cmocka_unit_test(new_requests),
		cmocka_unit_test(locks_per_cpu),
		cmocka_unit_test(request_rate),
		cmocka_unit_test(too_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
