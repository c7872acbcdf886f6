// SPDX-License-Identifier: BSD-2-Clause
/*
 * /proc/schedstat in its three versions, damaged ones, and those of the recordings.
 */
#include <dirent.h>
#include <errno.h>

#include "samples.h"
#include "trace/schedstat.h"

#define TAIL " 31 32 33 0 0 0 0 0 0 34 35 0\n"

static struct schedstat *must_parse(const char *text)
{
	struct schedstat *s;
	struct err err = {0};

	if (schedstat_read_text("x", text, strlen(text), &s, &err))
		fail_msg("%s", err.msg);
	return s;
}

static void check_domain(const struct schedstat_domain *d, u64 imbalance)
{
	const struct schedstat_lb *busy = &d->lb[SCHEDSTAT_BUSY];

	assert_int_equal(busy->count, 1);
	assert_int_equal(busy->failed, 3);
	assert_int_equal(busy->imbalance, imbalance);
	assert_int_equal(busy->gained, 5);
	assert_int_equal(busy->nobusyg, 8);
	assert_int_equal(d->lb[SCHEDSTAT_IDLE].count, 11);
	assert_int_equal(d->lb[SCHEDSTAT_NEWIDLE].count, 21);
	assert_int_equal(d->alb_pushed, 33);
	assert_int_equal(d->ttwu_move_affine, 35);
}

static void versions(void **state)
{
	static const char *const texts[] = {
		"version 15\ntimestamp 9\ncpu0 1 0 2 3 4 5 6 7 8\n"
		"domain0 0f 11 0 0 0 0 0 0 0 1 2 3 4 5 6 7 8 21 0 0 0 0 0 0 0" TAIL,
		"version 16\ntimestamp 9\ncpu0 1 0 2 3 4 5 6 7 8\n"
		"domain0 0f 1 2 3 4 5 6 7 8 11 0 0 0 0 0 0 0 21 0 0 0 0 0 0 0" TAIL,
		"version 17\ntimestamp 9\ncpu0 1 0 2 3 4 5 6 7 8\n"
		"domain0 MC 0f 1 2 3 1 1 1 1 5 6 7 8 11 0 0 0 0 0 0 0 0 0 0 "
		"21 0 0 0 0 0 0 0 0 0 0" TAIL,
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct schedstat *s = must_parse(texts[i]);

		assert_int_equal(s->version, 15 + i);
		assert_int_equal(s->timestamp, 9);
		assert_int_equal(s->nr_cpus, 1);
		assert_int_equal(s->cpu[0].sched_goidle, 3);
		assert_int_equal(s->cpu[0].slices, 8);
		assert_int_equal(s->cpu[0].nr_domains, 1);
		check_domain(&s->cpu[0].domain[0], 4);
		assert_null(s->next);
		schedstat_free(s);
	}
}

static void refused(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"", "x: no snapshot"},
		{"version 18\n", "x:1: only versions 15 to 17"},
		{"version x\n", "x:1: expected \"version\""},
		{"cpu0 1 2 3 4 5 6 7 8 9\n", "x:1: expected the \"version\" line first"},
		{"version 15\ncpu0 1 2 3\n", "x:2: expected \"cpuN\""},
		{"version 15\ncpu99999999999999999999 0 0 0 0 0 0 0 0 0\n", "x:2: expected \"cpuN\""},
		{"version 15\ncpu70000 0 0 0 0 0 0 0 0 0\n", "x:2: expected \"cpuN\""},
		{"version 15\ndomain0 0f 1\n", "x:2: a domain line without a cpu"},
		{"version 15\ncpu0 1 0 2 3 4 5 6 7 8\ndomain0 0f 1 2 3\n", "x:3: a domain line with"},
		{"version 15\nhello\n", "x:2: not a line"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct schedstat *s;
		struct err err = {0};

		assert_true(schedstat_read_text("x", bad[i].text, strlen(bad[i].text), &s, &err) <
			    0);
		assert_null(s);
		if (strncmp(err.msg, bad[i].message, strlen(bad[i].message)))
			fail_msg("'%s', expected '%s'", err.msg, bad[i].message);
	}
}

/* two snapshots a file, no counter goes back, passes end in one of three ways */
static void check_recording(const char *path)
{
	struct schedstat *s;
	struct err err = {0};

	if (schedstat_read(path, &s, &err))
		fail_msg("%s", err.msg);
	assert_non_null(s->next);
	assert_null(s->next->next);
	assert_int_equal(s->nr_cpus, s->next->nr_cpus);
	for (int c = 0; c < s->nr_cpus; c++) {
		assert_true(s->cpu[c].nr_domains > 0);
		for (int i = 0; i < s->cpu[c].nr_domains; i++) {
			struct schedstat_domain d;

			schedstat_diff(&d, &s->cpu[c].domain[i], &s->next->cpu[c].domain[i]);
			for (int k = 0; k < NR_SCHEDSTAT_IDLE; k++) {
				const struct schedstat_lb *lb = &d.lb[k];

				assert_true(lb->count < 100000);
				assert_true(lb->balanced + lb->failed <= lb->count);
				assert_true(lb->nobusyq + lb->nobusyg <= lb->balanced);
			}
		}
	}
	schedstat_free(s);
}

static void recordings(void **state)
{
	const char *shared = getenv("IDLEST_SHARED");
	char dir[512], path[1024];
	struct dirent *e;
	int n = 0;
	DIR *d;

	snprintf(dir, sizeof(dir), "%s/kernel-truth/traces", shared ? shared : SOURCE_ROOT "/../shared");
	d = opendir(dir);
	if (!d) {
		print_message("no recordings here\n");
		skip();
	}
	while ((e = readdir(d))) {
		if (!strstr(e->d_name, ".schedstat"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		check_recording(path);
		n++;
	}
	closedir(d);
	assert_true(n > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions),
		cmocka_unit_test(refused),
		cmocka_unit_test(recordings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
