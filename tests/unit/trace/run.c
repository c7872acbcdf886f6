// SPDX-License-Identifier: BSD-2-Clause
/*
 * Simulated runs as traces: they are whole, and a file of one says the same.
 */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runs.h"
#include "trace/stays.h"
#include "trace/write.h"

static char dir[] = "/tmp/idlest-trace-XXXXXX";

#define MAX_PID 100000

/* Who is where, as the events tell; whatever contradicts it fails. */
struct world {
	const struct run *r;
	const struct trace *t;
	s32 *curr;	     /* by CPU */
	s32 cpu[MAX_PID];    /* by pid: where it is or was; -1 unknown */
	char state[MAX_PID]; /* 0 unknown, 'r'unning, 'w'aiting, 's'leeping, 'd'ead */
};

static void wrong(const struct world *w, size_t i, const char *what)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	for (size_t k = i > 8 ? i - 8 : 0; k <= i; k++)
		sample_print_event(f, w->t, &w->t->event[k]);
	fclose(f);
	fail_msg("%s on %s: event %zu: %s\n%s", w->r->workload, w->r->machine, i, what, text);
}

static void check_switch(struct world *w, size_t i)
{
	const struct trace_event *e = &w->t->event[i];
	bool runnable = !e->prev_state || e->prev_state & TRACE_PREEMPTED;

	if (w->curr[e->cpu] != e->curr_pid)
		wrong(w, i, "who leaves wasn't there");
	if (e->pid == e->curr_pid)
		wrong(w, i, "a switch to the same task");
	if (e->prev_state & TRACE_PREEMPTED && (!e->curr_pid || !e->pid))
		wrong(w, i, "idle has to do with a preemption");
	w->curr[e->cpu] = e->pid;
	if (e->curr_pid && w->state[e->curr_pid] != 'd' && w->state[e->curr_pid] != 'w')
		w->state[e->curr_pid] = runnable ? 'w' : 's';
	if (!e->pid)
		return;
	if (w->state[e->pid] != 'w')
		wrong(w, i, "who comes wasn't runnable");
	if (w->cpu[e->pid] != e->cpu)
		wrong(w, i, "who comes was elsewhere");
	w->state[e->pid] = 'r';
}

static void check_event(struct world *w, size_t i)
{
	const struct trace_event *e = &w->t->event[i];

	if (e->pid >= MAX_PID || e->pid < 0)
		wrong(w, i, "the pid");
	switch (e->kind) {
	case EV_SWITCH:
		check_switch(w, i);
		return;
	case EV_WAKING:
		if (w->cpu[e->pid] >= 0 && w->cpu[e->pid] != e->target_cpu)
			wrong(w, i, "the wakee wasn't there");
		w->cpu[e->pid] = e->target_cpu;
		break;
	case EV_WAKEUP:
	case EV_WAKEUP_NEW:
		if (e->kind == EV_WAKEUP && w->cpu[e->pid] != e->target_cpu)
			wrong(w, i, "the wakee didn't move there");
		if (w->state[e->pid] == 'w')
			wrong(w, i, "the wakee was runnable");
		w->cpu[e->pid] = e->target_cpu;
		w->state[e->pid] = 'w';
		break;
	case EV_MIGRATE:
		if (w->cpu[e->pid] != e->orig_cpu)
			wrong(w, i, "who migrates wasn't there");
		w->cpu[e->pid] = e->target_cpu;
		break;
	case EV_EXIT:
		w->state[e->pid] = 'd';
		break;
	default:
		break;
	}
	if (w->curr[e->cpu] != e->curr_pid)
		wrong(w, i, "who acts wasn't running");
}

static void runs_are_whole(void **state)
{
	for (size_t n = 0; n < ARRAY_SIZE(runs); n++) {
		struct world *w = calloc(1, sizeof(*w));
		struct trace *t = record(&runs[n]);

		assert_non_null(w);
		w->r = &runs[n];
		w->t = t;
		w->curr = calloc((size_t)t->nr_cpus, sizeof(*w->curr));
		memset(w->cpu, -1, sizeof(w->cpu));
		assert_true(t->nr > 50);
		assert_int_equal(t->out_of_order, 0);
		for (size_t i = 0; i < t->nr; i++)
			check_event(w, i);
		assert_int_equal(t->inferred, 0);
		free(w->curr);
		free(w);
		trace_free(t);
	}
}

/* ---- files ---- */

static char *in_dir(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int files_in_dir(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int n = 0;

	while ((e = readdir(d)))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

static void write_all(const struct trace *t, const char *path)
{
	struct trace_writing how = { .nr_cpus = t->nr_cpus };
	struct trace_writer *w;
	struct err err = { 0 };

	if (trace_writer_open(path, &how, &w, &err))
		fail_msg("%s", err.msg);
	for (size_t i = 0; i < t->nr; i++)
		trace_write_event(w, t, &t->event[i]);
	if (trace_writer_close(w, &err))
		fail_msg("%s", err.msg);
}

static char *event_text(const struct trace *t, const struct trace_event *e)
{
	struct trace_event rounded = *e;
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	rounded.ns = (e->ns + 500) / 1000 * 1000;
	if (!rounded.curr_pid && e->kind != EV_SWITCH)
		rounded.curr_comm = 0; /* a head has <idle> */
	sample_print_event(f, t, &rounded);
	fclose(f);
	return text;
}

static void compare(const struct trace *a, const struct trace *b, const char *what)
{
	assert_int_equal(a->nr, b->nr);
	assert_int_equal(a->nr_cpus, b->nr_cpus);
	assert_int_equal(b->lost, 0);
	for (size_t i = 0; i < a->nr; i++) {
		char *x = event_text(a, &a->event[i]), *y = event_text(b, &b->event[i]);

		if (strcmp(x, y))
			fail_msg("%s: event %zu was\n%sand is read as\n%s", what, i, x, y);
		free(x);
		free(y);
	}
}

static void round_trip(void **state)
{
	for (size_t n = 0; n < ARRAY_SIZE(runs); n++) {
		struct trace *a = record(&runs[n]), *b;
		struct err err = { 0 };
		char note[256];

		write_all(a, in_dir("trace"));
		assert_int_equal(files_in_dir(), 1);
		if (trace_read(in_dir("trace"), &b, &err))
			fail_msg("%s", err.msg);
		if (trace_note(b, 0, note, sizeof(note)))
			fail_msg("%s: %s", runs[n].workload, note);
		compare(a, b, runs[n].workload);
		trace_free(a);
		trace_free(b);
	}
}

/* What was read from kernels' text is written as they wrote it. */
static void samples_round_trip(void **state)
{
	static const char *const files[] = { "all-events.txt", "comms.txt",
					     "control-characters.txt" };

	for (size_t n = 0; n < ARRAY_SIZE(files); n++) {
		struct trace *a, *b;
		struct err err = { 0 };
		char path[4096];

		snprintf(path, sizeof(path), SAMPLES "%s", files[n]);
		assert_int_equal(trace_read(path, &a, &err), 0);
		write_all(a, in_dir("trace"));
		assert_int_equal(trace_read(in_dir("trace"), &b, &err), 0);
		assert_int_equal(a->nr, b->nr);
		for (size_t i = 0; i < a->nr; i++) {
			assert_int_equal(a->event[i].ns, b->event[i].ns);
			assert_int_equal(a->event[i].pid, b->event[i].pid);
			assert_int_equal(a->event[i].prio, b->event[i].prio);
			assert_int_equal(a->event[i].value_ns == b->event[i].value_ns ||
						 a->event[i].kind == EV_MARK ||
						 a->event[i].kind == EV_EXEC,
					 1);
			assert_string_equal(trace_string(a, a->event[i].comm),
					    trace_string(b, b->event[i].comm));
		}
		trace_free(a);
		trace_free(b);
	}
}

/* A trace of a real kernel, written, is the same bytes. */
static void as_the_kernel_prints(void **state)
{
	static const char name[] = "kernel-truth/traces/v6.12_m8_per.trace.xz";
	const char *path = recording(name);
	struct trace *t;
	struct err err = { 0 };
	char *was, *is, command[4200], *p, *q;
	size_t len;

	if (!path) {
		print_message("no recordings here\n");
		skip();
	}
	assert_int_equal(trace_read(path, &t, &err), 0);
	write_all(t, in_dir("trace"));
	trace_free(t);
	snprintf(command, sizeof(command), "xz -dc %s >%s/was", path, dir);
	if (system(command)) {
		print_message("no xz here\n");
		skip();
	}
	was = sample_load(in_dir("was"), &len);
	is = sample_load(in_dir("trace"), &len);
	unlink(in_dir("was"));
	/* the header's count has room to grow, and the two context marks H and h differ */
	p = strstr(was, "FUNCTION");
	q = strstr(is, "FUNCTION");
	assert_non_null(p);
	assert_non_null(q);
	while (*p && *p == *q) {
		p++;
		q++;
	}
	if (*p || *q)
		fail_msg("the kernel has\n%.200s\nwritten was\n%.200s", p - 60, q - 60);
	free(was);
	free(is);
}

static void errors(void **state)
{
	struct trace_writing how = { .nr_cpus = 8 };
	struct trace *t = record(&runs[0]);
	struct trace_writer *w;
	struct err err = { 0 };
	size_t len;
	char *old;

	assert_int_equal(trace_writer_open("/nonexistent/trace", &how, &w, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/trace: can't be created"));
	err_clear(&err);
	assert_int_equal(trace_writer_open(dir, &how, &w, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "regular file"));
	err_clear(&err);

	/* given up, there is no new file, and the old one is whole */
	write_all(t, in_dir("trace"));
	assert_int_equal(trace_writer_open(in_dir("trace"), &how, &w, &err), 0);
	trace_write_event(w, t, &t->event[0]);
	trace_writer_drop(w);
	assert_int_equal(files_in_dir(), 1);
	old = sample_load(in_dir("trace"), &len);
	assert_true(len > 10000);
	free(old);
	unlink(in_dir("trace"));
	trace_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_whole),
		cmocka_unit_test(round_trip),
		cmocka_unit_test(samples_round_trip),
		cmocka_unit_test(as_the_kernel_prints),
		cmocka_unit_test(errors),
	};
	int failed;

	if (!mkdtemp(dir))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(in_dir("trace"));
	rmdir(dir);
	return failed;
}
