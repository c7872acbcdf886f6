// SPDX-License-Identifier: BSD-2-Clause
/*
 * Recordings of others, where they are at hand: how many events they hold is known.
 */
#include <dirent.h>

#include "samples.h"
#include "trace/internal.h"

struct known {
	const char *file;
	u64 switches, wakeups;
	int cpus;
	u64 skipped; /* lines */
};

static struct trace *must_read(const char *path)
{
	struct trace *t;
	struct err err = {0};

	if (trace_read(path, &t, &err))
		fail_msg("%s", err.msg);
	return t;
}

static u64 skipped(const struct trace *t)
{
	u64 n = 0;

	for (int s = 0; s < NR_TRACE_SKIPS; s++)
		n += t->skip[s].count;
	return n;
}

static void counts(void **state)
{
	static const struct known files[] = {
		{"corpus/traces/lisa_juno_trace_txt.txt", 1856, 1068, 6, 0},
		{"corpus/traces/trappy_android8_surfaceflinger.ftrace.txt", 715, 421, 8, 1},
		{"corpus/traces/trappy_android8_surfaceflinger_systrace.html", 715, 421, 8, 0},
		{"corpus/traces/catapult_android4_systrace.ftrace.txt", 11074, 6827, 2, 0},
		{"corpus/traces/lisa_juno_rtapp_ramp.report.txt", 1552, 0, 6, 0},
		{"corpus/traces/lkml_perf_sched_script_rhel7_2cpu.txt", 7, 3, 2, 0},
		{"corpus/traces/trappy_trace_idle_unsorted.txt", 6, 0, 8, 1},
		{"corpus/traces/trappy_trace_legacy_systrace.html", 3, 2, 8, 0},
		{"corpus/traces/trappy_trace_systrace.html", 4, 4, 6, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const char *path = recording(files[i].file);
		struct trace *t;

		if (!path) {
			print_message("no recordings here\n");
			skip();
		}
		t = must_read(path);
		if (t->count[EV_SWITCH] != files[i].switches ||
		    t->count[EV_WAKEUP] != files[i].wakeups || t->nr_cpus != files[i].cpus ||
		    skipped(t) != files[i].skipped)
			fail_msg("%s: %llu switches, %llu wake-ups, %d CPUs, %llu lines skipped; "
				 "expected %llu, %llu, %d, %llu",
				 files[i].file, (unsigned long long)t->count[EV_SWITCH],
				 (unsigned long long)t->count[EV_WAKEUP], t->nr_cpus,
				 (unsigned long long)skipped(t),
				 (unsigned long long)files[i].switches,
				 (unsigned long long)files[i].wakeups, files[i].cpus,
				 (unsigned long long)files[i].skipped);
		trace_free(t);
	}
}

/* The systrace page holds the same trace as the text. */
static void page_and_text_agree(void **state)
{
	const char *path = recording("corpus/traces/trappy_android8_surfaceflinger.ftrace.txt");
	struct trace *a, *b;

	if (!path)
		skip();
	a = must_read(path);
	b = must_read(recording("corpus/traces/trappy_android8_surfaceflinger_systrace.html"));
	assert_int_equal(a->nr, b->nr);
	for (size_t i = 0; i < a->nr; i++) {
		assert_int_equal(a->event[i].ns, b->event[i].ns);
		assert_int_equal(a->event[i].pid, b->event[i].pid);
		assert_string_equal(trace_string(a, a->event[i].comm),
				    trace_string(b, b->event[i].comm));
	}
	trace_free(a);
	trace_free(b);
}

/* What a real kernel recorded is whole: nothing to infer, nothing skipped. */
static void check_kernel_trace(const char *name, u64 *all, u64 *found)
{
	char file[512];
	struct trace *t;
	u64 recorded, n = 0;

	snprintf(file, sizeof(file), "kernel-truth/traces/%s", name);
	t = must_read(recording(file));
	if (skipped(t) || t->inferred || t->out_of_order || t->others)
		fail_msg("%s: %llu skipped, %llu inferred, %llu out of order, %llu others", name,
			 (unsigned long long)skipped(t), (unsigned long long)t->inferred,
			 (unsigned long long)t->out_of_order, (unsigned long long)t->others);
	/* without the recorded migrations, those that show in where tasks run next are found again
	 */
	recorded = t->count[EV_MIGRATE];
	for (size_t i = 0; i < t->nr; i++)
		if (t->event[i].kind != EV_MIGRATE)
			t->event[n++] = t->event[i];
	t->nr = n;
	assert_int_equal(trace_infer_migrations(t), 0);
	if (t->inferred > recorded)
		fail_msg("%s: %llu migrations recorded, %llu inferred", name,
			 (unsigned long long)recorded, (unsigned long long)t->inferred);
	*all += recorded;
	*found += t->inferred;
	trace_free(t);
}

static void kernel_traces(void **state)
{
	const char *path = recording("kernel-truth/MANIFEST.md");
	char dir[4096];
	u64 recorded = 0, found = 0;
	struct dirent *d;
	DIR *all;

	if (!path)
		skip();
	snprintf(dir, sizeof(dir), "%.*straces", (int)(strlen(path) - strlen("MANIFEST.md")), path);
	all = opendir(dir);
	assert_non_null(all);
	while ((d = readdir(all)))
		if (strstr(d->d_name, ".trace.xz"))
			check_kernel_trace(d->d_name, &recorded, &found);
	closedir(all);
	/* what doesn't show: tasks moved twice before they ran, or before they were ever seen */
	print_message("%llu migrations recorded, %llu found again\n", (unsigned long long)recorded,
		      (unsigned long long)found);
	assert_true(recorded > 0 && found * 100 >= recorded * 90);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(page_and_text_agree),
		cmocka_unit_test(kernel_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
