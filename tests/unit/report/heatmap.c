// SPDX-License-Identifier: BSD-2-Clause
/*
 * The heat map's buckets: what is noted is in them, however long the run becomes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/rng.h"
#include "report/heatmap.h"

#define NR_CPUS 3

static struct topo_cpu cpus[NR_CPUS] = {{.core = 0}, {.core = 1}, {.core = 2, .llc = 1, .node = 1}};
static const struct sched_topology topo = {
	.nr_cpus = NR_CPUS, .nr_cores = 3, .nr_llcs = 2, .nr_nodes = 2, .nr_packages = 1, .cpu = cpus};

static void near(double a, double b)
{
	if (a < b - 1e-9 || a > b + 1e-9)
		fail_msg("%g instead of %g", a, b);
}

/* the first buckets are 1024 ns wide */
static void means(void **state)
{
	struct heatmap *h = heatmap_new(&topo);

	heatmap_note(h, 256, 1, 1);
	heatmap_note(h, 512, 1, 3);
	heatmap_note(h, 1024, 1, 2);
	heatmap_note(h, 3072, 1, 0);
	heatmap_end(h, 3584);
	assert_int_equal(heatmap_column_ns(h), 1024);
	assert_int_equal(heatmap_columns(h), 4);
	near(heatmap_mean(h, 1, 0), (1 * 256 + 3 * 512) / 1024.0);
	near(heatmap_mean(h, 1, 1), 2);
	near(heatmap_mean(h, 1, 2), 2);
	near(heatmap_mean(h, 1, 3), 0);
	for (int i = 0; i < 4; i++)
		near(heatmap_mean(h, 0, i) + heatmap_mean(h, 2, i), 0);
	heatmap_free(h);
}

/* the last bucket is over when the run is: its mean is of what there was of it */
static void last_bucket(void **state)
{
	struct heatmap *h = heatmap_new(&topo);

	heatmap_note(h, 0, 2, 7);
	heatmap_end(h, 1024 + 100);
	assert_int_equal(heatmap_columns(h), 2);
	near(heatmap_mean(h, 2, 1), 7);
	heatmap_free(h);
}

/* a run of any length: never more columns, and the sum over all of them is what was noted */
static void long_runs(void **state)
{
	static const u64 lengths[] = {1000, 1024 * 1024, 1024 * 1024 + 1, 5000000000, 3600000000000};

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct heatmap *h = heatmap_new(&topo);
		u64 at[NR_CPUS] = {0}, noted[NR_CPUS] = {0}, now = 0;
		int nr[NR_CPUS] = {0};
		struct rng rng;

		rng_init(&rng, 5, 1);
		for (int step = 0; step < 2000; step++) {
			int c = (int)rng_below(&rng, NR_CPUS);

			now += rng_below(&rng, lengths[i] / 1000);
			if (now > lengths[i])
				break;
			noted[c] += nr[c] * (now - at[c]);
			at[c] = now;
			nr[c] = (int)rng_below(&rng, 5);
			heatmap_note(h, now, c, nr[c]);
		}
		heatmap_end(h, lengths[i]);
		assert_in_range(heatmap_columns(h), 1, HEATMAP_COLUMNS);
		assert_true(lengths[i] < 1024 * 1024 || heatmap_columns(h) >= HEATMAP_COLUMNS / 2);
		for (int c = 0; c < NR_CPUS; c++) {
			double sum = 0;

			noted[c] += nr[c] * (lengths[i] - at[c]);
			for (int x = 0; x < heatmap_columns(h); x++) {
				u64 begin = x * heatmap_column_ns(h);
				u64 end = min(begin + heatmap_column_ns(h), lengths[i]);

				sum += heatmap_mean(h, c, x) * (double)(end - begin);
			}
			assert_true(sum > noted[c] * 0.999999 - 1 && sum < noted[c] * 1.000001 + 1);
		}
		heatmap_free(h);
	}
}

static int count(const char *text, const char *what)
{
	int n = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		n++;
	}
	return n;
}

/* nothing of a name can leave its place; even a run of no time is a picture */
static void hostile_title(void **state)
{
	static const char title[] = "</text><script>&\"'\x1b[31m\xff\xef\xbf\xbf";
	struct heatmap *h = heatmap_new(&topo);
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	heatmap_end(h, 0);
	assert_int_equal(heatmap_write(f, h, title), 0);
	fclose(f);
	assert_int_equal(count(text, "<script>"), 0);
	assert_int_equal(count(text, "&lt;/text&gt;&lt;script&gt;&amp;\"'\\x1b[31m\\xff\xef\xbf\xbd"), 2);
	assert_int_equal(count(text, "\x1b"), 0);
	assert_int_equal(count(text, "<image"), 0);
	assert_non_null(strstr(text, "</svg>\n"));
	free(text);
	heatmap_free(h);
}

/* one border between the LLCs, one between the nodes; labels; whole seconds on the axis */
static void lines_and_labels(void **state)
{
	struct heatmap *h = heatmap_new(&topo);
	char *text, *llc, *node, *axis;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	heatmap_note(h, 0, 0, 1);
	heatmap_end(h, 4 * NSEC_PER_SEC);
	assert_int_equal(heatmap_write(f, h, "x"), 0);
	fclose(f);
	llc = strstr(text, "<g class=\"llc\">");
	node = strstr(text, "<g class=\"node\">");
	axis = strstr(node, "</g>");
	assert_true(llc && node && axis);
	*axis = '\0';
	assert_int_equal(count(node, "<line"), 1);
	assert_int_equal(count(node, ">node 0<") + count(node, ">node 1<"), 2);
	*node = '\0';
	assert_int_equal(count(llc, "<line"), 1);
	assert_int_equal(count(llc, ">CPU 0<") + count(llc, ">CPU 2<"), 2);
	assert_int_equal(count(axis + 1, ">0.0<") + count(axis + 1, ">2.0<") + count(axis + 1, ">4.0<"), 3);
	assert_int_equal(count(axis + 1, ">time (s)<"), 1);
	assert_int_equal(count(axis + 1, ">32+<") + count(axis + 1, ">nr_running<"), 2);
	free(text);
	heatmap_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means),
		cmocka_unit_test(last_bucket),
		cmocka_unit_test(long_runs),
		cmocka_unit_test(hostile_title),
		cmocka_unit_test(lines_and_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
