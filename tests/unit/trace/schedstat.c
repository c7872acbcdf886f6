// SPDX-License-Identifier: BSD-2-Clause
/*
 * /proc/schedstat in its three versions, damaged ones, and those of the recordings.
 */
#include <dirent.h>
#include <errno.h>

#include "runs.h"
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
		{"version 17\ncpu0 1 0 2 3 4 5 6 7 8\ndomain0 averyverylongname 0f 1\n",
		 "x:3: a domain line without a name"},
		{"version 15\ncpu0 1 0 2 3 4 5 6 7 8\ndomain0 0x 1\n",
		 "x:3: a domain line without a mask"},
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

/* what schedstat_write() makes of every snapshot of @s, one after the other; to be freed */
static char *written(const struct schedstat *s)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (; s; s = s->next)
		schedstat_write(f, s);
	assert_int_equal(fclose(f), 0);
	return text;
}

/* nothing is lost: the numbers, the order of a version, masks, names, CPUs that aren't there */
static void written_as_read(void **state)
{
	static const char *const texts[] = {
		"version 15\ntimestamp 4294892949\ncpu0 1 0 2 3 4 5 6 7 8\n"
		"domain0 0f 11 12 13 14 15 16 17 18 1 2 3 4 5 6 7 8 21 22 23 24 25 26 27 28 31 32 33 "
		"41 42 43 51 52 53 34 35 36\n",
		"version 16\ntimestamp 9\ncpu1 1 0 2 3 4 5 18446744073709551615 7 8\n"
		"domain0 ff,ffffffff 1 2 3 4 5 6 7 8 11 12 13 14 15 16 17 18 21 22 23 24 25 26 27 28 31 "
		"32 33 41 42 43 51 52 53 34 35 36\ncpu3 0 0 0 0 0 0 0 0 0\n",
		"version 17\ntimestamp 9\ncpu0 1 0 2 3 4 5 6 7 8\n"
		"domain0 MC 0f 1 2 3 1 2 3 4 5 6 7 8 11 12 13 5 6 7 8 15 16 17 18 21 22 23 9 10 11 12 "
		"25 26 27 28 31 32 33 41 42 43 51 52 53 34 35 36\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct schedstat *s = must_parse(texts[i]);
		char *text = written(s);

		assert_string_equal(text, texts[i]);
		free(text);
		schedstat_free(s);
	}
}

/* a kernel's own text comes back byte by byte, but for the comments between the snapshots */
static void check_written(const char *path, const struct schedstat *s)
{
	char command[1200], *text = written(s), *at = text;
	char line[4096];
	FILE *f;

	snprintf(command, sizeof(command), "xz -dc '%s'", path);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (*line == '#' || *line == '\n')
			continue;
		if (strncmp(at, line, strlen(line)))
			fail_msg("%s: '%.*s' instead of '%s'", path, (int)strcspn(at, "\n"), at, line);
		at += strlen(line);
	}
	pclose(f);
	assert_int_equal(*at, '\0');
	free(text);
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
	check_written(path, s);
	schedstat_free(s);
}

/* ---- a run ---- */

#define HZ	  250
#define HACKBENCH "hackbench:groups=1,loops=10"

static struct schedstat *counted;

static void count(void *ctx, struct sim *sim)
{
	const struct machine *m = sim_machine(sim);
	struct sched_kernel k;
	struct err err = {0};

	if (sched_kernel_parse(ctx, &k, &err) ||
	    schedstat_count(sim_sched(sim), &k, m->topo.nr_cpus, m->hz, sim_uptime(sim), &counted,
			    &err))
		fail_msg("%s", err.msg);
}

static void same_cpu(const struct schedstat_cpu *a, const struct schedstat_cpu *b)
{
	assert_int_equal(a->nr_domains, b->nr_domains);
	assert_int_equal(a->run_ns, b->run_ns);
	assert_int_equal(a->wait_ns, b->wait_ns);
	assert_int_equal(a->slices, b->slices);
	assert_int_equal(a->ttwu_local, b->ttwu_local);
	for (int d = 0; d < a->nr_domains; d++) {
		assert_string_equal(a->span[d].name, b->span[d].name);
		assert_string_equal(a->span[d].mask, b->span[d].mask);
		for (int k = 0; k < NR_SCHEDSTAT_IDLE; k++)
			assert_int_equal(a->domain[d].lb[k].imbalance, b->domain[d].lb[k].imbalance);
	}
}

/* a run's counters as its kernel would show them, read back */
static void run_and_back(void **state)
{
	static const struct {
		struct run run;
		const char *name, *mask;
		int version;
	} rows[] = {
		{{"pack:2 l3:1 core:18 pu:1", HACKBENCH, "v6.1"}, "", "f,fffc0000", 15},
		{{"pack:1 l3:1 core:5 pu:1", HACKBENCH, "v6.12"}, "", "1f", 16},
		{{"pack:2 l3:1 core:2 pu:2", HACKBENCH, "v7.3"}, "SMT", "c0", 17},
		{{"pack:2 l3:1 core:32 pu:1", HACKBENCH, "v7.3"}, "MC", "ffffffff,00000000", 17},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct sim_params params = {
			.seed = 1, .end = count, .end_ctx = (void *)rows[i].run.kernel};
		struct schedstat *s;
		int nr_cpus;
		char *text;

		simulate(&rows[i].run, &params, &nr_cpus);
		text = written(counted);
		s = must_parse(text);
		assert_int_equal(s->version, rows[i].version);
		/* jiffies began 300 s before 32 bits of them are over; boot was 10 s before the run */
		assert_in_range(s->timestamp, (1ULL << 32) - 290 * HZ,
				(1ULL << 32) - 289 * HZ);
		assert_int_equal(s->nr_cpus, nr_cpus);
		for (int c = 0; c < s->nr_cpus; c++)
			same_cpu(&s->cpu[c], &counted->cpu[c]);
		assert_string_equal(s->cpu[s->nr_cpus - 1].span[0].name, rows[i].name);
		assert_string_equal(s->cpu[s->nr_cpus - 1].span[0].mask, rows[i].mask);
		free(text);
		schedstat_free(s);
		schedstat_free(counted);
	}
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
		cmocka_unit_test(written_as_read),
		cmocka_unit_test(run_and_back),
		cmocka_unit_test(recordings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
