// SPDX-License-Identifier: BSD-2-Clause
/*
 * The registry and the grammar of kernel expressions.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/types.h"
#include "sched/kernel.h"

static struct sched_kernel parse(const char *expr)
{
	struct sched_kernel k;
	struct err err = {0};

	if (sched_kernel_parse(expr, &k, &err))
		fail_msg("'%s' was refused: %s", expr, err.msg);
	return k;
}

static void refused(const char *expr, const char *part)
{
	struct sched_kernel k;
	struct err err = {0};

	if (sched_kernel_parse(expr, &k, &err) != -EINVAL)
		fail_msg("'%s' was taken", expr);
	if (!strstr(err.msg, part))
		fail_msg("'%s': expected '%s' in the message, got: %s", expr, part, err.msg);
}

/* every letter of every table means something, in every profile */
static void tables_are_whole(void **state)
{
	for (int p = 0; p < sched_nr_profiles(); p++) {
		struct sched_kernel k = parse(sched_profile_name(p));

		assert_int_equal(k.profile, p);
		for (int r = 0; r < sched_nr_rules(); r++)
			if (!sched_rule_value(r, &k.rules))
				fail_msg("%s: rule %s has no value", sched_profile_name(p),
					 sched_rule_name(r));
		assert_int_equal(sched_kernel_check_built(&k, NULL), 0);
	}
	for (int f = 0; f < NR_FEATS; f++)
		for (int p = 0; p < sched_nr_profiles(); p++)
			assert_non_null(strchr("TF-", sched_feat_default(f, p)));
	for (int i = 0; i < sched_nr_additions(); i++) {
		assert_in_range(sched_addition_first(i), 0, sched_nr_profiles() - 1);
		assert_in_range(sched_addition_last(i), sched_addition_first(i),
				sched_nr_profiles() - 1);
	}
}

/*
 * Every field of struct sched_rules is a row of profiles.def: the bytes that no row covers are
 * padding in front of a four-byte field.
 */
static void every_field_has_a_row(void **state)
{
	char covered[sizeof(struct sched_rules)] = {0};

#define PROFILE(...)
#define RULE(field, ...)                                                                           \
	memset(covered + offsetof(struct sched_rules, field), 1,                                   \
	       sizeof(((struct sched_rules *)0)->field));
#define SWITCH RULE
#include "sched/profiles.def"
#undef PROFILE
#undef RULE
#undef SWITCH
	for (size_t i = 0; i < sizeof(covered); i++) {
		size_t end = i;

		while (end < sizeof(covered) && !covered[end])
			end++;
		if (end - i > 3 || (end > i && end % 4))
			fail_msg("bytes %zu … %zu of struct sched_rules have no row", i, end - 1);
		i = end;
	}
}

static void rules_of_profiles(void **state)
{
	assert_int_equal(parse("v5.7").rules.wake_list, WAKE_LIST_REMOTE);
	assert_int_equal(parse("v5.10").rules.busy_factor, 16);
	assert_int_equal(parse("v5.7").rules.busy_factor, 32);
	assert_int_equal(parse("v5.17").rules.fork_numa, NUMA_ALLOW_QUARTER);
	assert_int_equal(parse("v5.18").rules.imb_numa_nr, IMB_NUMA_QUARTER);
	assert_int_equal(parse("v6.1").rules.fork_stats, FORK_STATS_SPAN);
	assert_int_equal(parse("v6.1.192").rules.fork_stats, FORK_STATS_MASKED);
	assert_int_equal(parse("v6.6").rules.protection, PROTECT_DEADLINE);
	assert_int_equal(parse("v6.12").rules.yield, YIELD_DEADLINE);
	assert_int_equal(parse("v6.12.95").rules.yield, YIELD_FORFEIT);
	assert_int_equal(parse("v6.18").rules.newidle_failed_costs, true);
	assert_int_equal(parse("v7.3").rules.fair_class, FAIR_EEVDF_FLAT);
}

static void features(void **state)
{
	struct sched_kernel k = parse("v6.1,NO_SIS_UTIL,SIS_PROP");

	assert_false(sched_feat(&k, FEAT_SIS_UTIL));
	assert_true(sched_feat(&k, FEAT_SIS_PROP));
	assert_true(sched_feat(&k, FEAT_WA_IDLE));
	k = parse("v5.7");
	assert_true(sched_feat(&k, FEAT_RT_RUNTIME_SHARE));
	assert_false(sched_feat(&k, FEAT_SIS_UTIL));
}

/* spec 02 §3 */
static void tunables(void **state)
{
	struct sched_kernel k = parse("v6.1");

	assert_int_equal(sched_tunable(&k, TUN_latency_ns, 256), 24000000);
	assert_int_equal(sched_tunable(&k, TUN_latency_ns, 4), 18000000);
	assert_int_equal(sched_tunable(&k, TUN_latency_ns, 2), 12000000);
	assert_int_equal(sched_tunable(&k, TUN_latency_ns, 1), 6000000);
	assert_int_equal(sched_tunable(&k, TUN_idle_min_granularity_ns, 8), 750000);
	assert_true(sched_tunable(&k, TUN_base_slice_ns, 8) == TUNABLE_NA);
	k = parse("v6.1,latency_ns=6000000");
	assert_int_equal(sched_tunable(&k, TUN_latency_ns, 256), 6000000);
	assert_int_equal(sched_tunable_normalised(&k, TUN_latency_ns, 256), 1500000);
	k = parse("v6.12.95,tunable_scaling=0");
	assert_int_equal(sched_tunable(&k, TUN_base_slice_ns, 8), 700000);
	k = parse("v6.12.95,tunable_scaling=2");
	assert_int_equal(sched_tunable(&k, TUN_base_slice_ns, 64), 5600000);
	k = parse("v6.12,migration_cost_ns=-1");
	assert_int_equal(sched_tunable(&k, TUN_migration_cost_ns, 8), -1);
	k = parse("v6.12,base_slice_ns=3ms");
	assert_int_equal(sched_tunable(&k, TUN_base_slice_ns, 8), 3000000);
}

static void additions(void **state)
{
	struct sched_kernel k = parse("v5.19-tip,+CLUSTER_V7");
	struct err err = {0};

	assert_int_equal(k.rules.cluster, CLUSTER_V7);
	assert_true(k.rules.cluster_flag);
	assert_int_equal(sched_kernel_check_built(&k, NULL), 0);
	k = parse("v5.17,+NUMA_IMB_V6");
	assert_int_equal(k.rules.imb_numa_nr, IMB_NUMA_QUARTER);
	k = parse("v6.12.95,+STABLE_117");
	assert_int_equal(k.rules.fork_stats, FORK_STATS_MASKED);
	assert_false(sched_feat(&k, FEAT_RT_PUSH_IPI));
	assert_int_equal(sched_kernel_check_built(&k, &err), 0);
}

/* what isn't built is refused by name, what is built or left at its default isn't */
static void unbuilt_is_refused(void **state)
{
	for (int i = 0; i < sched_nr_additions(); i++) {
		const char *why = sched_missing(sched_addition_name(i));
		struct err err = {0};
		struct sched_kernel k;
		char expr[80];

		snprintf(expr, sizeof(expr), "%s,+%s", sched_profile_name(sched_addition_first(i)),
			 sched_addition_name(i));
		k = parse(expr);
		if (sched_kernel_check_built(&k, &err) != (why ? -ENOTSUP : 0))
			fail_msg("%s: %s", expr, why ? "was taken" : err.msg);
		if (why && (!strstr(err.msg, sched_addition_name(i)) || !strstr(err.msg, why)))
			fail_msg("%s: message lacks name or reason: %s", expr, err.msg);
	}
	for (int f = 0; f < NR_FEATS; f++) {
		const char *why = sched_missing(sched_feat_name(f));
		int p = sched_nr_profiles() - 1;
		struct sched_kernel k;
		char expr[80];

		while (p >= 0 && sched_feat_default(f, p) == '-')
			p--;
		if (p < 0)
			continue;
		snprintf(expr, sizeof(expr), "%s,%s%s", sched_profile_name(p),
			 sched_feat_default(f, p) == 'T' ? "NO_" : "", sched_feat_name(f));
		k = parse(expr);
		assert_int_equal(sched_kernel_check_built(&k, NULL), why ? -ENOTSUP : 0);
		snprintf(expr, sizeof(expr), "%s,%s%s", sched_profile_name(p),
			 sched_feat_default(f, p) == 'T' ? "" : "NO_", sched_feat_name(f));
		k = parse(expr);
		assert_int_equal(sched_kernel_check_built(&k, NULL), 0);
	}
}

static void messages(void **state)
{
	refused("", "names no kernel");
	refused("6.1", "did you mean v6.1?");
	refused("v6.21", "unknown kernel 'v6.21'; did you mean v6.18?");
	refused("v6.12.59", "did you mean v6.12?");
	refused("v6.12.117", "did you mean v6.12.95?");
	refused("6.13", "did you mean v6.12?");
	refused("v5.19", "did you mean v5.18?");
	refused("v6.1.129x", "did you mean v6.1.192?");
	refused("v6.1,", "empty item");
	refused("v6.1,,NO_SIS_UTIL", "empty item at character 1");
	refused("v5.7,SIS_UTIL", "v5.7 has no feature SIS_UTIL (since 6.0)");
	refused("v6.12,NO_LAST_BUDDY", "v6.12 has no feature LAST_BUDDY (v6.1.192 was the last");
	refused("v6.1,SIS_SHORT", "it comes with an addition");
	refused("v6.1,NO_SIS_UTL", "did you mean NO_SIS_UTIL?");
	refused("v6.1,sis_util", "did you mean SIS_UTIL?");
	refused("v6.1,CLUSTER_V7", "write +CLUSTER_V7");
	refused("v6.1,+CLUSTER_V8", "did you mean +CLUSTER_V7?");
	refused("v6.1,+SIS_SHORT_V1,+SIS_SHORT_V2", "+SIS_SHORT_V1 and +SIS_SHORT_V2 exclude each other");
	refused("v5.19-tip,+CLUSTER_MERGED,+CLUSTER_V7", "both set rule cluster");
	refused("v6.12,+CLUSTER_V7", "applies to v5.17 … v6.6, not to v6.12");
	refused("v6.1,nr_migrate", "tunable nr_migrate needs a value");
	refused("v6.1,nr_migrate=", "not a whole number");
	refused("v6.1,nr_migrate=many", "not a whole number");
	refused("v6.1,nr_migrate=3ms", "not a whole number");
	refused("v6.1,nr_migrate=0", "out of range: 1 … 10000");
	refused("v6.1,migration_cost_ns=99999999999999999999", "not a whole number");
	refused("v6.1,migration_cost_ns=9999999999999s", "not a whole number");
	refused("v6.1,nr_migrat=3", "did you mean nr_migrate?");
	refused("v6.1,base_slice_ns=3000000", "v6.6 … v7.3 have it");
	refused("v6.1,SIS_PROP,NO_SIS_PROP", "'SIS_PROP' is named twice");
	refused("v6.1,nr_migrate=1,nr_migrate=1", "named twice");
	refused("v6.1,=3", "unknown tunable ''");
	refused("v6.1,+", "unknown addition '+'");
	refused("v6.1,NO_", "unknown feature 'NO_'");
}

/* no input crashes: every prefix and every one-byte change of an expression */
static void mangled_expressions(void **state)
{
	static const char expr[] =
		"v6.1,+CLUSTER_V7,NO_SIS_UTIL,migration_cost_ns=0,latency_ns=1ms";
	struct sched_kernel k;

	for (size_t i = 0; i < sizeof(expr); i++) {
		for (int c = 0; c < 256; c++) {
			char copy[sizeof(expr)];
			struct err err = {0};
			int ret;

			memcpy(copy, expr, sizeof(expr));
			copy[i] = c;
			copy[sizeof(expr) - 1] = '\0';
			ret = sched_kernel_parse(copy, &k, &err);
			assert_true(ret == 0 || (ret == -EINVAL && err.msg[0]));
		}
	}
	for (int len = 1; len < 2000; len += 37) {
		char *big = test_malloc(len + 1);

		memset(big, 'v', len);
		big[len] = '\0';
		assert_int_equal(sched_kernel_parse(big, &k, NULL), -EINVAL);
		memset(big, ',', len);
		assert_int_equal(sched_kernel_parse(big, &k, NULL), -EINVAL);
		test_free(big);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_whole),
		cmocka_unit_test(every_field_has_a_row),
		cmocka_unit_test(rules_of_profiles),
		cmocka_unit_test(features),
		cmocka_unit_test(tunables),
		cmocka_unit_test(additions),
		cmocka_unit_test(unbuilt_is_refused),
		cmocka_unit_test(messages),
		cmocka_unit_test(mangled_expressions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
