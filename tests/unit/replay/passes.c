// SPDX-License-Identifier: BSD-2-Clause
/*
 * Balancing, checked by what the recorded kernels counted themselves: passes by level and outcome
 * (/proc/schedstat), and where their pulls came from.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/agree.h"

/* Of all recordings of one kernel. */
struct sum {
	struct agree_passes core, kernel;
	u64 pulls, same_source, same_task, undetermined, strict_source;
	int recordings;
};

static void add_counts(struct agree_passes *to, const struct agree_passes *n)
{
	for (int i = 0; i < n->nr_levels; i++)
		for (int k = 0; k < NR_SCHED_LB_KINDS; k++) {
			to->at[i][k].count += n->at[i][k].count;
			to->at[i][k].balanced += n->at[i][k].balanced;
			to->at[i][k].failed += n->at[i][k].failed;
			to->at[i][k].gained += n->at[i][k].gained;
		}
	to->nr_levels = max(to->nr_levels, n->nr_levels);
}

static void add_recording(struct sum *s, const char *dir, const char *file, const char *machine,
			  const char *kernel)
{
	struct agree_options o = { 0 };
	struct agree_passes counted;
	struct sched_kernel k;
	struct err err = { 0 };
	struct machine *m = NULL;
	struct trace *t = NULL;
	struct agree a;
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s.trace.xz", dir, file);
	if (machine_load(machine, &m, &err) || sched_kernel_parse(kernel, &k, &err) ||
	    trace_read(path, &t, &err) || agree_run(t, m, &k, &o, &a, &err))
		fail_msg("%s: %s", file, err.msg);
	snprintf(path, sizeof(path), "%s/%s.schedstat.xz", dir, file);
	if (agree_passes_recorded(path, &counted, &err))
		fail_msg("%s", err.msg);
	add_counts(&s->core, &a.passes);
	add_counts(&s->kernel, &counted);
	s->pulls += a.pulls.n;
	s->same_source += a.pulls.same_source;
	s->same_task += a.pulls.same_task;
	s->undetermined += a.pulls.undetermined;
	s->strict_source += a.pulls.same_source - a.pulls.undetermined_same_source;
	s->recordings++;
	agree_free(&a);
	trace_free(t);
	machine_free(m);
}

/* VERSION_MACHINE_WORKLOAD; those of the realtime and deadline classes are judged elsewhere */
static bool is_fair_recording(const char *name, const char *version)
{
	const char *w = strrchr(name, '_');

	return !strncmp(name, version, strlen(version)) && name[strlen(version)] == '_' && w &&
	       strcmp(w, "_rt.trace.xz") && strcmp(w, "_dl.trace.xz") && strstr(w, ".trace.xz");
}

static struct sum sum_of(const char *version, const char *kernel)
{
	const char *shared = getenv("IDLEST_SHARED");
	struct sum s = { .recordings = 0 };
	char dir[512], file[128], machine[64];
	struct dirent *e;
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/kernel-truth/traces",
		 shared ? shared : SOURCE_ROOT "/../shared");
	d = opendir(dir);
	while (d && (e = readdir(d))) {
		const char *m = e->d_name + strlen(version) + 1;

		if (!is_fair_recording(e->d_name, version))
			continue;
		snprintf(file, sizeof(file), "%.*s", (int)(strstr(e->d_name, ".trace") - e->d_name),
			 e->d_name);
		snprintf(machine, sizeof(machine), "qemu:%.*s", (int)strcspn(m, "_"), m);
		add_recording(&s, dir, file, machine, kernel);
	}
	if (d)
		closedir(d);
	if (!s.recordings) {
		print_message("no recordings here\n");
		skip();
	}
	return s;
}

static void near(const char *what, int level, u64 core, u64 kernel, int percent, u64 slack)
{
	u64 off = core > kernel ? core - kernel : kernel - core;

	if (off * 100 > kernel * percent + slack * 100)
		fail_msg("%s of level %d: the core made %llu, the kernel %llu", what, level,
			 (unsigned long long)core, (unsigned long long)kernel);
}

/*
 * New-idle passes depend on nothing that the recordings hide but draws. Those of idle CPUs are
 * counted over a longer time than is traced, and a kicked CPU of an emulated machine is so slow
 * that it often gets work before its round is over; so they are compared in sum.
 */
static void check_passes(const struct sum *s)
{
	u64 core_idle = 0, kernel_idle = 0;

	for (int i = 0; i < s->kernel.nr_levels; i++) {
		const struct sched_lb_counts *c = s->core.at[i], *k = s->kernel.at[i];

		near("new-idle passes", i, c[SCHED_LB_NEWIDLE].count, k[SCHED_LB_NEWIDLE].count, 15,
		     10);
		near("balanced new-idle passes", i, c[SCHED_LB_NEWIDLE].balanced,
		     k[SCHED_LB_NEWIDLE].balanced, 15, 10);
		near("failed new-idle passes", i, c[SCHED_LB_NEWIDLE].failed,
		     k[SCHED_LB_NEWIDLE].failed, 30, 20);
		near("new-idle pulls", i, c[SCHED_LB_NEWIDLE].gained, k[SCHED_LB_NEWIDLE].gained, 15,
		     5);
		near("passes of busy CPUs", i, c[SCHED_LB_BUSY].count, k[SCHED_LB_BUSY].count, 30,
		     10);
		core_idle += c[SCHED_LB_IDLE].count;
		kernel_idle += k[SCHED_LB_IDLE].count;
	}
	near("passes of idle CPUs", s->kernel.nr_levels, core_idle, kernel_idle, 30, 0);
}

static void check_kernel(const char *version, const char *kernel)
{
	struct sum s = sum_of(version, kernel);

	check_passes(&s);
	assert_true(s.pulls > 100);
	if (s.same_source * 100 < s.pulls * 85 || s.same_task * 100 < s.pulls * 80 ||
	    s.strict_source * 100 < s.pulls * 80 || s.undetermined * 100 > s.pulls * 6)
		fail_msg("%s: of %llu pulls %llu from the same source (strictly %llu), %llu of the "
			 "same task, %llu undetermined",
			 version, (unsigned long long)s.pulls, (unsigned long long)s.same_source,
			 (unsigned long long)s.strict_source, (unsigned long long)s.same_task,
			 (unsigned long long)s.undetermined);
}

static void linux_6_1(void **state)
{
	check_kernel("v6.1", "v6.1.192");
}

static void linux_6_12(void **state)
{
	check_kernel("v6.12", "v6.12.95");
}

static void linux_7_3(void **state)
{
	check_kernel("v7.3", "v7.3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linux_6_1),
		cmocka_unit_test(linux_6_12),
		cmocka_unit_test(linux_7_3),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
