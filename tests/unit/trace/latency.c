// SPDX-License-Identifier: BSD-2-Clause
/*
 * Waiting for a CPU: the worked example, each way to begin and end a wait, and
 * recordings whose latencies somebody else has computed.
 */
#include <ctype.h>

#include "samples.h"
#include "trace/internal.h"
#include "trace/latency.h"
#include "trace/stays.h"

/* Traces are written here in microseconds, without heads: "cpu time event". */
static struct trace *make(const char *const *lines)
{
	struct trace *t;
	struct err err = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	for (; *lines; lines++) {
		int cpu, at = 0;
		unsigned long us;

		if (sscanf(*lines, "%d %lu %n", &cpu, &us, &at) != 2 || !at)
			fail_msg("bad line %s", *lines);
		fprintf(f, "  <...>-1 [%03d] d..2. %lu.%06lu: %s\n", cpu, us / 1000000,
			us % 1000000, *lines + at);
	}
	fclose(f);
	assert_int_equal(trace_read_text(text, len, &t, &err), 0);
	for (int s = 0; s < NR_TRACE_SKIPS; s++)
		assert_int_equal(t->skip[s].count, 0);
	free(text);
	return t;
}

#define OUT(pid, state, next)                                                                      \
	"sched_switch: t" #pid ":" #pid " [120] " state " ==> t" #next ":" #next " [120]"
#define WAKING(pid) "sched_waking: comm=t" #pid " pid=" #pid " prio=120 target_cpu=000"
#define WAKEUP(pid) "sched_wakeup: comm=t" #pid " pid=" #pid " prio=120 target_cpu=000"
#define NEW(pid)    "sched_wakeup_new: comm=t" #pid " pid=" #pid " prio=120 target_cpu=000"

static void check_row(const struct trace *t, bool by_pid, const char *comm, u64 switches,
		      u64 delay_us, u64 max_us, u64 end_us, u64 runtime_us)
{
	struct latency l;
	size_t i;

	assert_int_equal(trace_latency(t, by_pid, &l), 0);
	for (i = 0; i < l.nr && strcmp(trace_string(t, l.row[i].comm), comm); i++)
		;
	if (i == l.nr)
		fail_msg("no row of %s", comm);
	assert_int_equal(l.row[i].switches, switches);
	assert_int_equal(l.row[i].delay_ns, delay_us * NSEC_PER_USEC);
	assert_int_equal(l.row[i].max_delay_ns, max_us * NSEC_PER_USEC);
	assert_int_equal(l.row[i].max_end_ns, end_us * NSEC_PER_USEC);
	assert_int_equal(l.row[i].max_start_ns, (end_us - max_us) * NSEC_PER_USEC);
	assert_int_equal(l.row[i].runtime_ns, runtime_us * NSEC_PER_USEC);
	latency_free(&l);
}

/* spec 11 §7: switches 2, avg 0.026, max 0.050 ms at 1.000050 */
static void worked_example(void **state)
{
	struct trace *t = make((const char *const[]){
		"0 1000000 " WAKEUP(7), "0 1000050 " OUT(0, "R", 7), "0 1001050 " OUT(7, "S", 0),
		"0 1002000 " WAKEUP(7), "0 1002002 " OUT(0, "R", 7), "0 1003000 " OUT(7, "S", 0),
		NULL });

	check_row(t, false, "t7", 2, 52, 50, 1000050, 1998);
	trace_free(t);
}

/* With sched_waking in the trace the wait begins there, not when the target enqueues. */
static void waking_counts(void **state)
{
	struct trace *t = make((const char *const[]){ "0 100 " OUT(7, "S", 0), "1 200 " WAKING(7),
						      "0 230 " WAKEUP(7), "0 240 " OUT(0, "R", 7),
						      "0 250 " OUT(7, "S", 0), NULL });

	check_row(t, false, "t7", 1, 40, 40, 240, 10);
	trace_free(t);
}

static void preempted(void **state)
{
	struct trace *t = make((const char *const[]){
		"0 100 " OUT(0, "R", 7), "0 110 " OUT(7, "R+", 8), "0 150 " OUT(8, "R", 7),
		"0 155 " OUT(7, "S", 8), "0 157 " OUT(8, "S", 0), NULL });

	check_row(t, false, "t7", 1, 40, 40, 150, 15);
	check_row(t, false, "t8", 1, 5, 5, 155, 42);
	trace_free(t);
}

/* Woken while it is on its way out: it waits since the waking. */
static void woken_while_leaving(void **state)
{
	struct trace *t = make((const char *const[]){
		"0 100 " OUT(0, "R", 7), "1 110 " WAKING(7), "0 112 " OUT(7, "S", 0),
		"0 113 " WAKEUP(7), "0 120 " OUT(0, "R", 7), "0 130 " OUT(7, "S", 0), NULL });

	check_row(t, false, "t7", 1, 10, 10, 120, 22);
	trace_free(t);
}

/* Woken before it has blocked, it goes on; the next wait is that of its preemption. */
static void woken_while_running(void **state)
{
	struct trace *t = make((const char *const[]){
		"0 100 " OUT(0, "R", 7), "1 110 " WAKING(7), "1 111 " WAKEUP(7),
		"0 150 " OUT(7, "R", 8), "0 151 " OUT(8, "S", 7), "0 160 " OUT(7, "S", 0), NULL });

	check_row(t, false, "t7", 1, 1, 1, 151, 59);
	trace_free(t);
}

/* A second waking of one who waits already doesn't begin the wait anew. */
static void woken_twice(void **state)
{
	struct trace *t = make((const char *const[]){
		"0 100 " WAKING(7), "0 101 " WAKEUP(7), "0 120 " WAKING(7), "0 121 " WAKEUP(7),
		"0 130 " OUT(0, "R", 7), "0 131 " OUT(7, "S", 0), NULL });

	check_row(t, false, "t7", 1, 30, 30, 130, 1);
	trace_free(t);
}

static void new_task(void **state)
{
	struct trace *t = make((const char *const[]){ "0 100 " WAKING(5), "0 100 " NEW(7),
						      "1 130 " OUT(0, "R", 7),
						      "1 131 " OUT(7, "X", 0), NULL });

	check_row(t, false, "t7", 1, 30, 30, 130, 1);
	trace_free(t);
}

/* Where events were lost, a stay isn't taken for one it can't be. */
static void lost_switch(void **state)
{
	struct trace *t = make((const char *const[]){
		"0 100 " WAKEUP(7), "0 110 " OUT(0, "R", 7), "0 500 " OUT(9, "S", 0),
		"0 510 " WAKEUP(9), "0 520 " OUT(0, "R", 9), "0 521 " OUT(9, "S", 0), NULL });

	check_row(t, false, "t7", 1, 10, 10, 110, 0);
	check_row(t, false, "t9", 1, 10, 10, 520, 1);
	trace_free(t);
}

/* At the end of the trace the wait is over, but how long it will run isn't known. */
static void still_there(void **state)
{
	struct trace *t = make((const char *const[]){ "0 100 " WAKEUP(7), "0 110 " OUT(0, "R", 7),
						      "1 200 " WAKEUP(8), NULL });

	check_row(t, false, "t7", 1, 10, 10, 110, 0);
	trace_free(t);
}

/* Threads of one name share a row unless asked for singly; rows by mean delay, then name. */
static void merged_and_sorted(void **state)
{
	struct trace *t = make((const char *const[]){
		"0 100 sched_wakeup: comm=w pid=3 prio=120 target_cpu=000",
		"0 100 sched_wakeup: comm=w pid=2 prio=120 target_cpu=000",
		"0 100 sched_wakeup: comm=v pid=4 prio=120 target_cpu=000",
		"0 110 sched_switch: swapper:0 [120] R ==> w:3 [120]",
		"0 120 sched_switch: w:3 [120] S ==> w:2 [120]",
		"0 130 sched_switch: w:2 [120] S ==> v:4 [120]",
		"0 140 sched_switch: v:4 [120] S ==> swapper:0 [120]", NULL });
	struct latency l;

	assert_int_equal(trace_latency(t, false, &l), 0);
	assert_int_equal(l.nr, 2);
	assert_string_equal(trace_string(t, l.row[0].comm), "v");
	assert_int_equal(l.row[1].nr_tasks, 2);
	assert_int_equal(l.row[1].delay_ns, 30 * NSEC_PER_USEC);
	assert_int_equal(l.row[1].max_end_ns, 120 * NSEC_PER_USEC);
	assert_int_equal(l.runtime_ns, 30 * NSEC_PER_USEC);
	assert_int_equal(l.switches, 3);
	latency_free(&l);
	assert_int_equal(trace_latency(t, true, &l), 0);
	assert_int_equal(l.nr, 3);
	assert_int_equal(l.row[1].pid, 2);
	assert_int_equal(l.row[2].pid, 3);
	latency_free(&l);
	trace_free(t);
}

/* ---- recordings ---- */

struct delays {
	const struct trace *t;
	const u8 *own; /* by pid */
	u64 *us;
	size_t nr;
};

#define MAX_PID 100000

static void add_delay(void *ctx, const struct trace_stay *s)
{
	struct delays *d = ctx;

	/* of a new task nothing is known before */
	if (s->pid < MAX_PID && d->own[s->pid] && s->has_delay && !s->was_preempted && s->wait_ns)
		d->us[d->nr++] = trace_stay_delay(s) / NSEC_PER_USEC;
}

/* The tree below the process that executes the workload. */
static u8 *own_tasks(const struct trace *t)
{
	u8 *own = calloc(MAX_PID, 1);

	for (size_t i = 0; i < t->nr; i++) {
		const struct trace_event *e = &t->event[i];

		if (e->kind == EV_EXEC && !strcmp(trace_string(t, e->filename), "/bin/wl"))
			own[e->pid] = 1;
		if (e->kind == EV_FORK && own[e->curr_pid])
			own[e->pid] = 1;
	}
	return own;
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static u64 quantile(const struct delays *d, u64 num, u64 den)
{
	return d->us[min(d->nr - 1, (size_t)(d->nr * num / den))];
}

/* Return: 0 as the manifest says, 1 nearly */
static int check_recording(const char *name, u64 p50, u64 p99, u64 worst)
{
	char file[512];
	struct trace *t;
	struct err err = { 0 };
	struct delays d = { 0 };
	u64 got[3];
	int differs;

	snprintf(file, sizeof(file), "kernel-truth/traces/%s.trace.xz", name);
	if (!recording(file))
		fail_msg("%s is missing", file);
	assert_int_equal(trace_read(recording(file), &t, &err), 0);
	d.t = t;
	d.own = own_tasks(t);
	d.us = malloc(t->nr * sizeof(*d.us));
	assert_int_equal(trace_stays(t, add_delay, &d), 0);
	assert_true(d.nr > 0);
	qsort(d.us, d.nr, sizeof(*d.us), by_value);
	got[0] = quantile(&d, 1, 2);
	got[1] = quantile(&d, 99, 100);
	got[2] = d.us[d.nr - 1];
	differs = got[0] != p50 || got[1] != p99 || got[2] != worst;
	if (differs)
		print_message("%s: p50 %llu p99 %llu max %llu, the manifest has %llu %llu %llu\n",
			      name, (unsigned long long)got[0], (unsigned long long)got[1],
			      (unsigned long long)got[2], (unsigned long long)p50,
			      (unsigned long long)p99, (unsigned long long)worst);
	free(d.us);
	free((void *)d.own);
	trace_free(t);
	return differs;
}

/* The table's columns by their heads. */
static int column(const char *head, const char *name)
{
	int n = 0;

	for (const char *p = head; (p = strchr(p, '|')); n++) {
		p++;
		if (!strncmp(p + 1, name, strlen(name)) && p[1 + strlen(name)] == ' ')
			return n;
	}
	fail_msg("the manifest has no column %s", name);
	return -1;
}

static char *cell(char *row, int n)
{
	for (; n >= 0; n--)
		row = strchr(row, '|') + 1;
	return row + 1;
}

static void manifest(void **state)
{
	const char *path = recording("kernel-truth/MANIFEST.md");
	int nr = 0, differ = 0, p50 = 0, p99 = 0, worst = 0;
	char line[4096];
	FILE *f;

	if (!path) {
		print_message("no recordings here\n");
		skip();
	}
	f = fopen(path, "r");
	while (fgets(line, sizeof(line), f)) {
		char name[128];

		if (!strncmp(line, "| name |", 8)) {
			p50 = column(line, "p50");
			p99 = column(line, "p99");
			worst = column(line, "max");
		}
		if (sscanf(line, "| v%*[0-9.]_%127s", name) != 1 || !isdigit(*cell(line, p50)))
			continue;
		sscanf(line, "| %127s", name);
		differ += check_recording(name, strtoull(cell(line, p50), NULL, 10),
					  strtoull(cell(line, p99), NULL, 10),
					  strtoull(cell(line, worst), NULL, 10));
		nr++;
	}
	fclose(f);
	print_message("%d traces, %d differ\n", nr, differ);
	assert_true(nr > 50);
	assert_int_equal(differ, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_example),
		cmocka_unit_test(waking_counts),
		cmocka_unit_test(preempted),
		cmocka_unit_test(woken_while_leaving),
		cmocka_unit_test(woken_while_running),
		cmocka_unit_test(woken_twice),
		cmocka_unit_test(new_task),
		cmocka_unit_test(lost_switch),
		cmocka_unit_test(still_there),
		cmocka_unit_test(merged_and_sorted),
		cmocka_unit_test(manifest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
