// SPDX-License-Identifier: BSD-2-Clause
/*
 * Domains against real kernels: name for name, span for span, flag for flag, number for number,
 * and the groups of the boot log in their order.
 *
 *	test-domain-dumps FOLDER [FOLDER...]
 *
 * A folder that begins with '$' stands below the recordings beside the tree (IDLEST_SHARED).
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "dump.h"
#include "machine/machine.h"
#include "sched/domains.h"

static char folder[512];
static const char *path; /* being compared */

static void differs(int cpu, int level, const char *what, const char *want, const char *got)
{
	fail_msg("%s: cpu%d domain%d: %s: the kernel has '%s', idlest '%s'", path, cpu, level, what,
		 want, got);
}

static void compare_string(int cpu, int level, const char *what, const char *want, const char *got)
{
	if (strcmp(want, got))
		differs(cpu, level, what, want, got);
}

static void compare_attributes(int cpu, int level, const char *want,
			       const struct sched_domain_view *v)
{
	const struct {
		const char *key;
		long long value;
	} numbers[] = {
		{"min_interval", v->min_interval},	   {"max_interval", v->max_interval},
		{"busy_factor", v->busy_factor},	   {"imbalance_pct", v->imbalance_pct},
		{"cache_nice_tries", v->cache_nice_tries}, {"level", v->level},
	};
	char buf[512], number[32];

	compare_string(cpu, level, "name", dump_attribute(want, "name", buf, sizeof(buf)), v->name);
	compare_string(cpu, level, "flags", dump_attribute(want, "flags", buf, sizeof(buf)),
		       v->flags);
	if (dump_attribute(want, "groups_flags", buf, sizeof(buf)))
		compare_string(cpu, level, "groups_flags", buf, v->groups_flags);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (!dump_attribute(want, numbers[i].key, buf, sizeof(buf)))
			continue;
		snprintf(number, sizeof(number), "%lld", numbers[i].value);
		compare_string(cpu, level, numbers[i].key, buf, number);
	}
}

/* as the boot log prints them */
static void format_groups(struct sched_domain_view *v, int words, bool overlap, char *buf,
			  size_t len)
{
	struct sched_group_view g;
	char set[256];
	size_t n = 0;

	buf[0] = '\0';
	while (sched_domains_next_group(v, &g) && n < len) {
		n += snprintf(buf + n, len - n, "%s%d:{ span=%s", n ? ", " : "", g.balance_cpu,
			      mask_format(g.span, words, set, sizeof(set)));
		if (overlap && !mask_equal(g.span, g.balance_mask, words))
			n += snprintf(buf + n, len - n, " mask=%s",
				      mask_format(g.balance_mask, words, set, sizeof(set)));
		if (g.capacity != 1024)
			n += snprintf(buf + n, len - n, " cap=%lu", g.capacity);
		n += snprintf(buf + n, len - n, " }");
	}
}

static void compare_domain(const struct dump *d, const struct sched_domains *domains, int cpu,
			   int level)
{
	const struct dump_domain *want = &d->domain[cpu][level];
	int words = mask_words(d->topo.nr_cpus);
	struct sched_domain_view v;
	char buf[16384];

	if (!sched_domains_get(domains, cpu, level, &v))
		differs(cpu, level, "domain", want->attributes, "none");
	if (want->attributes)
		compare_attributes(cpu, level, want->attributes, &v);
	if (!want->span)
		return;
	compare_string(cpu, level, "span", want->span,
		       mask_format(v.span, words, buf, sizeof(buf)));
	compare_string(cpu, level, "level name", want->level, v.name);
	format_groups(&v, words, !strcmp(v.name, "NUMA"), buf, sizeof(buf));
	compare_string(cpu, level, "groups", want->groups, buf);
}

static int compare_topology(const struct dump *d, const struct sched_topology *topo)
{
	struct err err = {0};
	struct sched_domains *domains;
	struct sched_kernel k;
	int compared = 0;

	if (sched_kernel_parse(d->profile, &k, &err))
		fail_msg("%s: %s", path, err.msg);
	domains = sched_domains_new(topo, &k, &err);
	if (!domains)
		fail_msg("%s: %s", path, err.msg);
	for (int c = 0; c < topo->nr_cpus; c++) {
		int n = sched_domains_count(domains, c);

		if (n != d->nr_domains[c] || (d->nr_logged[c] && n != d->nr_logged[c]))
			fail_msg("%s: cpu%d: the kernel has %d domains, idlest %d", path, c,
				 d->nr_domains[c], n);
		for (int i = 0; i < n; i++)
			compare_domain(d, domains, c, i);
		compared += n;
	}
	sched_domains_free(domains);
	return compared;
}

/* the machines of the recordings are a preset as well: KERNEL_m8.txt is qemu:m8 */
static int compare_preset(const struct dump *d)
{
	static const char *const presets[] = {"m8", "m16smt", "m16cls", "m16cls1", "m32nps1"};
	const char *name = strrchr(path, '_') + 1;
	struct err err = {0};
	int compared = 0;

	for (size_t i = 0; i < sizeof(presets) / sizeof(*presets); i++) {
		struct machine *m;
		char what[64];

		if (strncmp(name, presets[i], strlen(presets[i])) ||
		    name[strlen(presets[i])] != '.')
			continue;
		snprintf(what, sizeof(what), "qemu:%s", presets[i]);
		if (machine_load(what, &m, &err))
			fail_msg("%s: %s", what, err.msg);
		assert_int_equal(m->topo.nr_cpus, d->topo.nr_cpus);
		compared = compare_topology(d, &m->topo);
		machine_free(m);
	}
	return compared;
}

static void domains_equal_real_ones(void **state)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	int files = 0, domains = 0, presets = 0;

	if (!dir) {
		print_message("%s isn't there\n", folder);
		skip();
	}
	while ((e = readdir(dir))) {
		char file[1024];
		struct dump *d;
		size_t len = strlen(e->d_name);

		if (len < 4 || strcmp(e->d_name + len - 4, ".txt"))
			continue;
		snprintf(file, sizeof(file), "%s/%s", folder, e->d_name);
		path = file;
		d = dump_read(file);
		domains += compare_topology(d, &d->topo);
		presets += compare_preset(d);
		dump_free(d);
		files++;
	}
	closedir(dir);
	assert_true(files > 0 && domains > 0);
	print_message("%s: %d dumps, %d domains, %d again on presets\n", folder, files, domains,
		      presets);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(domains_equal_real_ones)};
	int failed = 0;

	for (int i = 1; i < argc; i++) {
		const char *shared = getenv("IDLEST_SHARED") ?: "../shared";

		if (argv[i][0] == '$')
			snprintf(folder, sizeof(folder), "%s/%s", shared, argv[i] + 1);
		else
			snprintf(folder, sizeof(folder), "%s", argv[i]);
		failed += cmocka_run_group_tests(tests, NULL, NULL);
	}
	return failed;
}
