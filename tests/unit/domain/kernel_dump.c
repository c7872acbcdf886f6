// SPDX-License-Identifier: BSD-2-Clause
/*
 * Dumps laid over profiles: the registry's defaults against real kernels' own words.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/types.h"
#include "experiment/kernel_dump.h"

static char path[] = "/tmp/idlest-dump-XXXXXX";

static void write_dump(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int load(const char *profile, const char *items, struct sched_kernel *k, struct err *err)
{
	char expr[256];

	memset(err, 0, sizeof(*err));
	snprintf(expr, sizeof(expr), "%s@%s%s", profile, path, items);
	return kernel_load(expr, k, err);
}

static void dump_over_profile(void **state)
{
	struct sched_kernel k;
	struct err err;

	write_dump(
		"# features\nPLACE_LAG NO_RUN_TO_PARITY PICK_BUDDY SIS_UTIL \n# tunables "
		"(debugfs)\n"
		"base_slice_ns: 2800000\npreempt: full (lazy) \n# tunables (sysctl)\n"
		"kernel/numa_balancing: 0\nkernel/sched_energy_aware: \n# other\nnr_migrate: 8\n");
	assert_int_equal(load("v6.12", "", &k, &err), 0);
	assert_true(sched_feat(&k, FEAT_PICK_BUDDY)); /* the profile hasn't it */
	assert_false(sched_feat(&k, FEAT_RUN_TO_PARITY));
	assert_false(sched_feat(&k, FEAT_WA_IDLE)); /* not named: not there */
	assert_int_equal(sched_tunable(&k, TUN_base_slice_ns, 64), 2800000);
	assert_int_equal(k.tunable[TUN_numa_balancing], 0);
	assert_int_equal(k.tunable[TUN_nr_migrate], 32);
	/* a recording may show what isn't built; the user may not ask for it */
	assert_int_equal(sched_kernel_check_built(&k, NULL), 0);

	assert_int_equal(load("v6.12", ",NO_SIS_UTIL,base_slice_ns=3ms", &k, &err), 0);
	assert_false(sched_feat(&k, FEAT_SIS_UTIL));
	assert_int_equal(sched_tunable(&k, TUN_base_slice_ns, 64), 3000000);
	assert_int_equal(load("v6.12", ",WA_IDLE", &k, &err), -EINVAL);
	assert_int_equal(load("v6.12", ",numa_balancing=1", &k, &err), 0);
}

static void expect(const char *profile, const char *items, const char *dump, int ret,
		   const char *part)
{
	struct sched_kernel k;
	struct err err;

	write_dump(dump);
	assert_int_equal(load(profile, items, &k, &err), ret);
	if (!strstr(err.msg, part))
		fail_msg("expected '%s' in: %s", part, err.msg);
}

static void messages(void **state)
{
	struct sched_kernel k;
	struct err err = {0};

	expect("v6.12", "", "# kernel\n\n# features\nPLACE_LAG NO_SUCH_THING\n", -EINVAL,
	       ":4: feature SUCH_THING isn't known");
	expect("v6.1", "", "# features\nSIS_UTIL\n# tunables\nbase_slice_ns: 3000000\n", -EINVAL,
	       ":4: v6.1 has no tunable base_slice_ns");
	expect("v6.12", "", "# tunables\nnr_migrate: many\n", -EINVAL, ":2: tunable nr_migrate");
	expect("v6.12", "", "hello\n", -EINVAL, "no section '# features'");
	expect("v6.13", "", "# features\nSIS_UTIL\n", -EINVAL, "unknown kernel 'v6.13'");
	expect("v6.12", ",", "# features\nSIS_UTIL\n", -EINVAL, "empty item");
	assert_int_equal(kernel_load("v6.12@/no/such/dump", &k, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/no/such/dump"));
	err_clear(&err);
	assert_int_equal(kernel_load("v6.12@", &k, &err), -EINVAL);
	assert_int_equal(kernel_load("v6.12", &k, &err), 0);
}

/* the profiles of the recorded kernels against their dumps: features, and tunables after scaling */
static void profiles_equal_dumps(void **state)
{
	static const char *const kernels[][2] = {
		{"v6.1", "v6.1.192"},
		{"v6.12", "v6.12.95"},
		{"v7.3", "v7.3"},
	};
	static const struct {
		const char *name;
		int cpus;
	} machines[] = {
		{"m8", 8}, {"m16smt", 16}, {"m16cls", 16}, {"m16cls1", 16}, {"m32nps1", 32},
	};
	const char *shared = getenv("IDLEST_SHARED") ?: "../shared";
	struct sched_kernel plain, dump;
	struct err err = {0};
	char expr[256], file[200];

	snprintf(file, sizeof(file), "%s/kernel-truth/dumps/v6.1_m8.txt", shared);
	if (access(file, R_OK)) {
		print_message("%s isn't there\n", file);
		skip();
	}
	for (size_t i = 0; i < 3 * ARRAY_SIZE(machines); i++) {
		const char *const *kernel = kernels[i % 3];
		int cpus = machines[i / 3].cpus;

		snprintf(expr, sizeof(expr), "%s@%s/kernel-truth/dumps/%s_%s.txt", kernel[1],
			 shared, kernel[0], machines[i / 3].name);
		assert_int_equal(sched_kernel_parse(kernel[1], &plain, &err), 0);
		if (kernel_load(expr, &dump, &err))
			fail_msg("%s", err.msg);
		for (int f = 0; f < NR_FEATS; f++)
			if ((plain.known_features ^ dump.known_features) >> f & 1 ||
			    (plain.features ^ dump.features) >> f & 1)
				fail_msg("%s: feature %s differs from the profile", expr,
					 sched_feat_name(f));
		for (int t = 0; t < NR_TUNABLES; t++)
			if (t != TUN_numa_balancing && /* 0 on one node */
			    sched_tunable(&plain, t, cpus) != sched_tunable(&dump, t, cpus))
				fail_msg("%s: tunable %s differs from the profile", expr,
					 sched_tunable_name(t));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dump_over_profile),
		cmocka_unit_test(messages),
		cmocka_unit_test(profiles_equal_dumps),
	};
	int fd = mkstemp(path), ret;

	if (fd < 0)
		return 1;
	close(fd);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return ret;
}
