// SPDX-License-Identifier: BSD-2-Clause
/* Scenario files: what they mean, and what is said of those that mean nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "experiment/scenario_figures.h"

#define HEAD                                                                                       \
	"name: x\n"                                                                                \
	"description: y\n"                                                                         \
	"machine: pack:1 core:4 pu:1\n"                                                            \
	"kernels:\n"                                                                               \
	"  - {name: old, kernel: v5.7}\n"                                                          \
	"  - {kernel: v6.12}\n"                                                                    \
	"duration: 20 ms\n"
#define HOG    "tasks: [{name: hog, program: [loop]}]\n"
#define EXPECT "expect: [{figure: waste, max: 1 %}]\n"

static int parse(const char *text, struct scenario **s, struct err *err)
{
	*s = NULL;
	return scenario_parse("dir/x.yaml", text, strlen(text), s, err);
}

static struct scenario *good(const char *text)
{
	struct err err = { 0 };
	struct scenario *s;

	if (parse(text, &s, &err))
		fail_msg("%s", err.msg);
	return s;
}

static void everything(void **state)
{
	struct scenario *s = good(
		HEAD "seeds: 3\nnoise: no\n"
		"groups: [{name: g, weight: 50}]\n"
		"tasks:\n"
		"  - {name: p, start: 2, at: 1 ms, cpus: 1-3, group: g, nice: -5, program: [fork 4 c, reap]}\n"
		"  - {name: c, thread: yes, program: [run 1 ms, spin 20 us, sleep 2 ms, affinity all, yield, exec, repeat 3]}\n"
		"  - {name: w, count: 2, policy: fifo, priority: 7, footprint: 64 KiB, program: [await]}\n"
		"  - {name: u, slice: 3 ms, program: [sleep 1 ms, wake w]}\n"
		"expect:\n"
		"  - {figure: placement, of: c, is: 1 2 3 1, within: 1-3}\n"
		"  - {figure: CPU time, of: w1, kernel: v6.12, than: old, min: 1.25, seeds: mean}\n"
		"  - {figure: counter migrations, is: 0}\n"
		"  - {figure: busy, cpus: \"0,2\", after: 5 ms, min: 12.5 %}\n");
	const struct scenario_task *p = &s->task[0], *c = &s->task[1], *w = &s->task[2];
	const struct scenario_expect *e = s->expect;

	assert_int_equal(s->nr_seeds, 3);
	assert_false(s->noise);
	assert_int_equal(s->duration, 20000000);
	assert_int_equal(s->group[0].shares, 512);
	assert_string_equal(s->kernel[1].name, "v6.12");
	assert_int_equal(p->start, 2);
	assert_int_equal(p->at, 1000000);
	assert_int_equal(p->cpus[0], 0xe);
	assert_int_equal(p->group, 0);
	assert_int_equal(p->nice, -5);
	assert_int_equal(p->step[0].op, SCENARIO_FORK);
	assert_int_equal(p->step[0].n, 4);
	assert_int_equal(p->step[0].task, 1);
	assert_false(p->forked);
	assert_true(c->forked && c->thread);
	assert_int_equal(c->start, -1);
	assert_int_equal(c->step[1].ns, 20000);
	assert_int_equal(c->step[3].cpus[0], 0xf);
	assert_int_equal(c->step[6].n, 3);
	assert_int_equal(w->policy, POLICY_FIFO);
	assert_int_equal(w->rt_priority, 7);
	assert_int_equal(w->footprint, 65536);
	assert_int_equal(s->task[3].slice_ns, 3000000);
	assert_int_equal(s->task[3].step[1].task, 2);
	assert_int_equal(e[0].nr_list, 4);
	assert_int_equal(e[0].list[2], 3);
	assert_int_equal(e[0].within[0], 0xe);
	assert_int_equal(e[1].kernel, 1);
	assert_int_equal(e[1].than, 0);
	assert_true(e[1].mean && e[1].min == 1.25 && !e[1].has_max);
	assert_string_equal(e[2].arg, "migrations");
	assert_true(e[2].has_min && e[2].has_max && e[2].max == 0);
	assert_true(e[3].min == 125 && e[3].after == 5000000);
	assert_int_equal(e[3].cpus[0], 5);
	scenario_free(s);
}

static void says(const char *text, const char *wanted)
{
	struct err err = { 0 };
	struct scenario *s;

	if (!parse(text, &s, &err))
		fail_msg("accepted, instead of: %s", wanted);
	if (!strstr(err.msg, wanted))
		fail_msg("%s\ninstead of: %s", err.msg, wanted);
	if (strncmp(err.msg, "dir/x.yaml:", 11))
		fail_msg("no place: %s", err.msg);
}

/* A task list of one, with the given inside of its braces. */
#define TASK(inside) HEAD "tasks: [{" inside "}]\n" EXPECT

static void bad_tasks(void **state)
{
	says(HEAD EXPECT, "either a workload or tasks");
	says(HEAD "workload: hackbench\n" EXPECT, "how long");
	says("name: x\ndescription: y\nmachine: uma-8c\nkernels: [{kernel: v6.1}]\n" HOG EXPECT,
	     "need a 'duration'");
	says(TASK("name: a, program: [loop, run 1 ms]"), ":8:29: nothing can come after 'loop'");
	says(TASK("name: a, program: [repeat]"), "must take time");
	says(TASK("name: a, program: [run]"), "written like 'run 2 ms'");
	says(TASK("name: a, program: [run 5]"), "is not a time");
	says(TASK("name: a, program: [run 0]"), "out of range");
	says(TASK("name: a, program: [loop 3]"), "written like 'loop'");
	says(TASK("name: a, program: [fork b]"), "no task of this scenario is called 'b'");
	says(TASK("name: a, program: [fork a]"), "would fork itself");
	says(TASK("name: a, program: [affinity 9]"), "CPU 9 doesn't exist");
	says(TASK("name: a, start: 4, program: [loop]"), "out of range");
	says(TASK("name: a, start: 3, cpus: 0-2, program: [loop]"), "CPU 3 isn't among");
	says(TASK("name: a, nice: 20, program: [loop]"), "-20 to 19");
	says(TASK("name: a, policy: deadline, program: [loop]"), "none of normal, batch");
	says(TASK("name: a, policy: fifo, program: [loop]"), "priority");
	says(TASK("name: a, priority: 5, program: [loop]"), "priority");
	says(TASK("name: a, group: g, program: [loop]"), "'groups' has no 'g'");
	says(TASK("name: much-too-long, program: [loop]"), "at most 11");
	says(TASK("name: a, colour: red, program: [loop]"), "unknown key 'colour'");
	says(TASK("name: a"), "key 'program' is missing");
	says(HEAD "tasks:\n - {name: a, program: [fork b]}\n - {name: b, at: 1 ms, program: [loop]}\n" EXPECT,
	     "that one's choice");
	says(HEAD "tasks:\n - {name: a, program: [fork b, wake b]}\n - {name: b, program: [loop]}\n" EXPECT,
	     "from the start");
	says(HEAD "tasks:\n - {name: a, program: [fork b]}\n - {name: b, count: 2, program: [loop]}\n" EXPECT,
	     "as often as that says");
	says(HEAD "tasks:\n - {name: o, program: [fork a]}\n - {name: a, program: [fork b]}\n"
		  " - {name: b, program: [fork a]}\n" EXPECT,
	     "without end");
	says(HEAD "tasks:\n - {name: a, program: [loop]}\n - {name: a, program: [loop]}\n" EXPECT,
	     "two tasks");
}

/* A good scenario with the given expectation. */
#define EXPECTS(inside) HEAD HOG "expect: [{" inside "}]\n"

static void bad_expectations(void **state)
{
	says(EXPECTS("figure: wate, max: 1 %"), "did you mean 'waste'");
	says(EXPECTS("figure: nonsense, max: 1 %"), "there are placement, last CPUs");
	says(EXPECTS("figure: counter, max: 1"), "counter NAME");
	says(EXPECTS("figure: counter migratons, max: 1"), "did you mean 'migrations'");
	says(EXPECTS("figure: waste"), "nothing is expected");
	says(EXPECTS("figure: waste, max: 1"), "is not a percentage");
	says(EXPECTS("figure: waste, of: hog, max: 1 %"), "means nothing to 'waste'");
	says(EXPECTS("figure: share, of: hug, max: 1 %"), "no task of this scenario is called 'hug'");
	says(EXPECTS("figure: share, cpus: 7, max: 1 %"), "CPU 7 doesn't exist");
	says(EXPECTS("figure: share, kernel: new, max: 1 %"), "no kernel of this scenario");
	says(EXPECTS("figure: share, than: old, max: 1 %"), "name another 'kernel'");
	says(EXPECTS("figure: share, kernel: old, than: old, max: 1"), "name another 'kernel'");
	says(EXPECTS("figure: share, min: 2 %, max: 1 %"), "nothing is at least 2 %");
	says(EXPECTS("figure: share, is: 2 %, max: 1 %"), "goes without");
	says(EXPECTS("figure: share, within: 2"), "is a number");
	says(EXPECTS("figure: share, max: 1 %, seeds: some"), "neither 'each' nor 'mean'");
	says(EXPECTS("figure: placement, max: 1"), "is a list of CPUs");
	says(EXPECTS("figure: placement"), "give 'is' or 'within'");
	says(EXPECTS("figure: placement, is: 1 x"), "not a list of CPUs");
	says(EXPECTS("figure: placement, is: 1 4"), "CPU 4 doesn't exist");
	says(EXPECTS("figure: CPUs used, max: nan"), "is not a number");
	says(EXPECTS("figure: CPUs used, max: 1."), "is not a number");
	says(EXPECTS("figure: CPUs used, max: 1e9"), "is not a number");
}

static void bad_heads(void **state)
{
	says("", "the file is empty");
	says("name: x\n", "is missing");
	says("name: x\ndescription: y\nmachine: nowhere-2s\nkernels: [{kernel: v6.1}]\nduration: 1 s\n"
	     HOG EXPECT, "dir/x.yaml:3:10: ");
	says(HEAD "seeds: 0\n" HOG EXPECT, "out of range");
	says(HEAD "noise: maybe\n" HOG EXPECT, "yes or no");
	says("name: x\ndescription: y\nmachine: uma-8c\nkernels: [{kernel: v6.1}, {kernel: v6.1}]\n"
	     "duration: 1 s\n" HOG EXPECT, "two kernels");
	says("name: x\ndescription: y\nmachine: uma-8c\nkernels: [{kernel: \"v6.12,+SCHED_CACHE_V2\"}]\n"
	     "duration: 1 s\n" HOG EXPECT, "isn't built");
	says(HEAD "isolcpus: 0-3\n" HOG EXPECT, ":8:1");
	says(HEAD "isolcpus: 0-4\n" HOG EXPECT, "CPU 4 doesn't exist");
	says(HEAD "events: [10ms:cpu_sideways:3]\n" HOG EXPECT, "cpu_down");
	says(HEAD "events: [10:cpu_down:3]\n" HOG EXPECT, "10:cpu_down:3");
	says(HEAD "groups: [{name: g, weight: 0}]\n" HOG EXPECT, "out of range");
	says(HEAD "groups: [{name: g}, {name: g}]\n" HOG EXPECT, "two groups");
}

/* ---- figures ---- */

static const struct scenario_verdict *run(const char *text, struct scenario **s,
					  struct scenario_outcome **o)
{
	struct err err = { 0 };

	*s = good(text);
	if (scenario_run(*s, 1, true, o, &err))
		fail_msg("%s", err.msg);
	return (*o)->verdict;
}

/* Two always running tasks on a CPU, one in a group of half the weight of the other's. */
static void figures(void **state)
{
	struct scenario_outcome *o;
	struct scenario *s;
	const struct scenario_verdict *v = run(
		"name: x\ndescription: y\nmachine: pack:1 core:2 pu:1\nkernels: [{kernel: v6.12}]\n"
		"noise: no\nduration: 1 s\n"
		"groups: [{name: a, weight: 200}, {name: b, weight: 100}]\n"
		"tasks:\n"
		"  - {name: a, start: 1, cpus: 1, group: a, program: [loop]}\n"
		"  - {name: b, start: 1, cpus: 1, group: b, program: [loop]}\n"
		"  - {name: c, start: 0, at: 10 ms, program: [run 1 ms, sleep 1 ms, repeat 4]}\n"
		"expect:\n"
		"  - {figure: time there, cpus: 1, of: a, is: 100 %}\n"
		"  - {figure: CPU time, of: a, after: 500 ms, min: 320 ms, max: 345 ms}\n"
		"  - {figure: waited, of: b, min: 640 ms, max: 690 ms}\n"
		"  - {figure: CPU time, of: c, min: 4 ms, max: 4.2 ms}\n"
		"  - {figure: finished, of: c, min: 17 ms, max: 19 ms}\n"
		"  - {figure: finished, of: a, max: 1 s}\n"
		"  - {figure: CPUs used, of: c, is: 1}\n"
		"  - {figure: CPUs used, is: 2}\n"
		"  - {figure: cores used, cpus: 1, is: 1}\n"
		"  - {figure: nodes used, is: 1}\n"
		"  - {figure: busy, cpus: 1, min: 99 %}\n"
		"  - {figure: busy, cpus: 0, of: c, min: 0.4 %, max: 0.5 %}\n"
		"  - {figure: migrations, of: b, is: 0}\n"
		"  - {figure: mean latency, of: c, after: 10 ms, max: 100 us}\n"
		"  - {figure: max latency, of: c, after: 900 ms, max: 1 s}\n"
		"  - {figure: length, is: 1 s}\n"
		"  - {figure: waste, max: 1 %}\n", &s, &o);

	for (int i = 0; i < o->nr; i++) {
		bool known = i != 5 && i != 14;

		if (v[i].holds != known || v[i].value[0].known != known)
			fail_msg("%s: %s, %f", v[i].expect->figure->name,
				 v[i].holds ? "holds" : "fails", v[i].value[0].v);
	}
	assert_int_equal(o->nr_failed, 2);
	scenario_outcome_free(o);
	scenario_free(s);
}

/* CPUs that are isolated, and one that goes */
static void changed_machine(void **state)
{
	struct scenario_outcome *o;
	struct scenario *s;

	run("name: x\ndescription: y\nmachine: pack:1 core:4 pu:1\nkernels: [{kernel: v6.12}]\n"
	    "noise: no\nduration: 300 ms\nisolcpus: 3\nevents: [100ms:cpu_down:1, 200ms:cpu_up:1]\n"
	    "tasks: [{name: hog, count: 6, program: [loop]}]\n"
	    "expect:\n"
	    "  - {figure: CPUs used, of: hog, is: 3}\n"
	    "  - {figure: busy, of: hog, cpus: 3, is: 0 %}\n"
	    "  - {figure: busy, of: hog, cpus: 1, min: 55 %, max: 69 %}\n"
	    "  - {figure: counter cpus_down, is: 1}\n"
	    "  - {figure: busy, of: hog, cpus: \"0,2\", min: 95 %}\n", &s, &o);
	for (int i = 0; i < o->nr; i++)
		if (!o->verdict[i].holds)
			fail_msg("%s: %f", s->expect[i].figure->name, o->verdict[i].value[0].v);
	scenario_outcome_free(o);
	scenario_free(s);
}

/* a task that nobody wakes: the run says so, and under which kernel */
static void deadlock(void **state)
{
	struct scenario *s = good(HEAD "tasks: [{name: a, program: [await]}]\n" EXPECT);
	struct scenario_outcome *o;
	struct err err = { 0 };

	assert_int_not_equal(scenario_run(s, 1, false, &o, &err), 0);
	assert_non_null(strstr(err.msg, "dir/x.yaml: under old, seed 1: "));
	scenario_free(s);
}

static void names_of_tasks(void **state)
{
	assert_true(watch_is("hog", "hog"));
	assert_true(watch_is("hog12", "hog"));
	assert_true(watch_is("share1.3", "share"));
	assert_true(watch_is("share1.3", "share1"));
	assert_false(watch_is("hogs", "hog"));
	assert_false(watch_is("ho", "hog"));
	assert_false(watch_is("hog12", "hog2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything),	    cmocka_unit_test(bad_tasks),
		cmocka_unit_test(bad_expectations), cmocka_unit_test(bad_heads),
		cmocka_unit_test(figures),	    cmocka_unit_test(deadlock), cmocka_unit_test(changed_machine),
		cmocka_unit_test(names_of_tasks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
