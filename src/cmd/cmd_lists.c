// SPDX-License-Identifier: BSD-2-Clause
/*
 * idlest kernels | features | tunables | machines: what can be named, from the tables.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "experiment/kernel_dump.h"
#include "machine/machine.h"
#include "report/json.h"

enum { OPT_JSON = 256, OPT_RULES, OPT_CPUS };

struct options {
	bool json, rules;
	const char *kernel;
	int nr_cpus;
};

#define JSON_OPTION                                                                                \
	{                                                                                          \
		"json", OPT_JSON, NULL, 0, "Print JSON", 0                                         \
	}

static const struct argp_option kernels_options[] = {
	{"rules", OPT_RULES, NULL, 0, "Print which rule variant each kernel follows", 0},
	JSON_OPTION,
	{0},
};

static const struct argp_option features_options[] = {
	{"kernel", 'k', "KERNEL", 0,
	 "Print the features line of this kernel, as its debugfs file does", 0},
	JSON_OPTION,
	{0},
};

static const struct argp_option tunables_options[] = {
	{"kernel", 'k', "KERNEL", 0, "Print the values this kernel uses", 0},
	{"cpus", OPT_CPUS, "N", 0, "… on a machine of N CPUs (default 8)", 0},
	JSON_OPTION,
	{0},
};

static const struct argp_option machines_options[] = {JSON_OPTION, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_RULES:
		o->rules = true;
		break;
	case OPT_CPUS:
		o->nr_cpus = cmd_number(state, "--cpus", arg, 1, 1 << 20);
		break;
	case 'k':
		o->kernel = arg;
		break;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is not an option, and no argument is expected", arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static struct sched_kernel profile(int i)
{
	struct sched_kernel k;

	sched_kernel_parse(sched_profile_name(i), &k, NULL);
	return k;
}

/* "v5.17 … v6.6", or the one name */
static const char *profile_range(int first, int last, char *buf, size_t len)
{
	if (first == last)
		snprintf(buf, len, "%s", sched_profile_name(first));
	else
		snprintf(buf, len, "%s … %s", sched_profile_name(first), sched_profile_name(last));
	return buf;
}

/* the profiles' names as the heads of columns, read downwards */
static void print_heads(int indent)
{
	size_t height = 0;

	for (int p = 0; p < sched_nr_profiles(); p++)
		height = max(height, strlen(sched_profile_name(p)));
	for (size_t row = 0; row < height; row++) {
		printf("%*s", indent, "");
		for (int p = 0; p < sched_nr_profiles(); p++) {
			const char *name = sched_profile_name(p);
			size_t skip = height - strlen(name);

			printf(" %c", row < skip ? ' ' : name[row - skip]);
		}
		putchar('\n');
	}
}

/* ---- kernels ---- */

static void print_rules(void)
{
	for (int r = 0; r < sched_nr_rules(); r++) {
		const char *before = NULL;

		printf("%-26s %s\n", sched_rule_name(r), sched_rule_doc(r));
		for (int p = 0; p < sched_nr_profiles(); p++) {
			struct sched_kernel k = profile(p);
			const char *value = sched_rule_value(r, &k.rules);

			if (!before || strcmp(value, before))
				printf("    %-22s %s\n", sched_profile_name(p), value);
			before = value;
		}
	}
}

static void print_kernels(void)
{
	char range[64];

	puts("kernels");
	for (int i = 0; i < sched_nr_profiles(); i++)
		printf("  %-22s %s\n", sched_profile_name(i), sched_profile_doc(i));
	puts("\npatch series, put on a kernel as v6.1,+NAME");
	for (int i = 0; i < sched_nr_additions(); i++) {
		const char *why = sched_missing(sched_addition_name(i));

		printf("  %-22s %s\n", sched_addition_name(i), sched_addition_doc(i));
		printf("  %-22s for %s", "",
		       profile_range(sched_addition_first(i), sched_addition_last(i), range,
				     sizeof(range)));
		if (why)
			printf("; can't be run yet: %s", why);
		putchar('\n');
	}
	puts("\nA kernel expression names a kernel and changes single entries:\n"
	     "  v6.1,+CLUSTER_V7,NO_SIS_UTIL,migration_cost_ns=0\n"
	     "  v6.12@DUMP        features and tunables as recorded in the file DUMP");
}

static json_t *kernels_json(void)
{
	json_t *profiles = json_array(), *additions = json_array();

	for (int i = 0; i < sched_nr_profiles(); i++) {
		struct sched_kernel k = profile(i);
		json_t *rules = json_object();

		for (int r = 0; r < sched_nr_rules(); r++)
			json_object_set_new(rules, sched_rule_name(r),
					    json_string(sched_rule_value(r, &k.rules)));
		json_array_append_new(profiles,
				      json_pack("{s:s, s:s, s:o}", "name", sched_profile_name(i),
						"doc", sched_profile_doc(i), "rules", rules));
	}
	for (int i = 0; i < sched_nr_additions(); i++)
		json_array_append_new(
			additions, json_pack("{s:s, s:s, s:s, s:s, s:s?}", "name",
					     sched_addition_name(i), "doc", sched_addition_doc(i),
					     "first", sched_profile_name(sched_addition_first(i)),
					     "last", sched_profile_name(sched_addition_last(i)),
					     "missing", sched_missing(sched_addition_name(i))));
	return json_pack("{s:o, s:o}", "kernels", profiles, "additions", additions);
}

int cmd_kernels(int argc, char **argv)
{
	static const struct argp argp = {
		.options = kernels_options,
		.parser = parse,
		.doc = "List the kernels that idlest knows, and the patch series to put on them.",
	};
	struct options o = {0};

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.json)
		return json_print(kernels_json(), stdout) ? 2 : 0;
	if (o.rules)
		print_rules();
	else
		print_kernels();
	return 0;
}

/* ---- features ---- */

static void print_features(void)
{
	print_heads(25);
	for (int f = 0; f < NR_FEATS; f++) {
		const char *why = sched_missing(sched_feat_name(f));

		printf("%-25s", sched_feat_name(f));
		for (int p = 0; p < sched_nr_profiles(); p++)
			printf(" %c", sched_feat_default(f, p));
		printf("  %-7s %s%s%s%s\n", sched_feat_since(f), sched_feat_doc(f),
		       why ? " (can't be switched yet: " : "", why ?: "", why ? ")" : "");
	}
	puts("\nT on, F off by default, - unknown to the kernel; then the version it came with.");
}

static void print_features_line(const struct sched_kernel *k)
{
	for (int f = 0; f < NR_FEATS; f++)
		if (k->known_features >> f & 1)
			printf("%s%s ", sched_feat(k, f) ? "" : "NO_", sched_feat_name(f));
	putchar('\n');
}

static json_t *features_json(const struct sched_kernel *k)
{
	json_t *list = json_array();

	for (int f = 0; f < NR_FEATS; f++) {
		json_t *defaults = json_object();

		if (k && !(k->known_features >> f & 1)) {
			json_decref(defaults);
			continue;
		}
		for (int p = 0; p < sched_nr_profiles(); p++)
			if (sched_feat_default(f, p) != '-')
				json_object_set_new(defaults, sched_profile_name(p),
						    json_boolean(sched_feat_default(f, p) == 'T'));
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s?, s:o}", "name",
						      sched_feat_name(f), "doc", sched_feat_doc(f),
						      "since", sched_feat_since(f), "missing",
						      sched_missing(sched_feat_name(f)), "defaults",
						      defaults));
		if (k)
			json_object_set_new(json_array_get(list, json_array_size(list) - 1), "on",
					    json_boolean(sched_feat(k, f)));
	}
	return json_pack("{s:o}", "features", list);
}

int cmd_features(int argc, char **argv)
{
	static const struct argp argp = {
		.options = features_options,
		.parser = parse,
		.doc = "List the scheduler's features, with their defaults in each kernel.",
	};
	struct options o = {0};
	struct sched_kernel k;
	struct err err = {0};

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.kernel && kernel_load(o.kernel, &k, &err))
		return cmd_fail("features", &err);
	if (o.json)
		return json_print(features_json(o.kernel ? &k : NULL), stdout) ? 2 : 0;
	if (o.kernel)
		print_features_line(&k);
	else
		print_features();
	return 0;
}

/* ---- tunables ---- */

static void print_tunables(void)
{
	for (int t = 0; t < NR_TUNABLES; t++) {
		s64 before = TUNABLE_NA;

		printf("%-24s %s%s%s\n", sched_tunable_name(t), sched_tunable_doc(t),
		       *sched_tunable_unit(t) ? ", in " : "", sched_tunable_unit(t));
		for (int p = 0; p < sched_nr_profiles(); p++) {
			s64 value = sched_tunable_default(t, p);

			if (value == before)
				continue;
			if (value == TUNABLE_NA)
				printf("    %-20s -\n", sched_profile_name(p));
			else
				printf("    %-20s %lld%s\n", sched_profile_name(p),
				       (long long)value,
				       sched_tunable_scaled(t) ? ", × 4 with 8 CPUs and more" : "");
			before = value;
		}
	}
}

static json_t *tunables_json(const struct options *o, const struct sched_kernel *k)
{
	json_t *list = json_array();

	for (int t = 0; t < NR_TUNABLES; t++) {
		json_t *defaults = json_object(), *j;

		for (int p = 0; p < sched_nr_profiles(); p++)
			if (sched_tunable_default(t, p) != TUNABLE_NA)
				json_object_set_new(defaults, sched_profile_name(p),
						    json_integer(sched_tunable_default(t, p)));
		j = json_pack("{s:s, s:s, s:s, s:b, s:s?, s:o}", "name", sched_tunable_name(t),
			      "doc", sched_tunable_doc(t), "unit", sched_tunable_unit(t), "scaled",
			      sched_tunable_scaled(t), "missing",
			      sched_missing(sched_tunable_name(t)), "defaults", defaults);
		if (k && k->tunable[t] != TUNABLE_NA)
			json_object_set_new(j, "value",
					    json_integer(sched_tunable(k, t, o->nr_cpus)));
		json_array_append_new(list, j);
	}
	return json_pack("{s:o}", "tunables", list);
}

int cmd_tunables(int argc, char **argv)
{
	static const struct argp argp = {
		.options = tunables_options,
		.parser = parse,
		.doc = "List the scheduler's tunables, with their defaults in each kernel.",
	};
	struct options o = {.nr_cpus = 8};
	struct sched_kernel k;
	struct err err = {0};

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.kernel && kernel_load(o.kernel, &k, &err))
		return cmd_fail("tunables", &err);
	if (o.json)
		return json_print(tunables_json(&o, o.kernel ? &k : NULL), stdout) ? 2 : 0;
	if (!o.kernel) {
		print_tunables();
		return 0;
	}
	for (int t = 0; t < NR_TUNABLES; t++)
		if (k.tunable[t] != TUNABLE_NA)
			printf("%s: %lld\n", sched_tunable_name(t),
			       (long long)sched_tunable(&k, t, o.nr_cpus));
	return 0;
}

/* ---- machines ---- */

int cmd_machines(int argc, char **argv)
{
	static const struct argp argp = {
		.options = machines_options,
		.parser = parse,
		.doc = "List the machines shipped with idlest. Others come from machine files, "
		       "hwloc XML "
		       "files, hwloc synthetic strings, or 'this', the machine it runs on.",
	};
	struct options o = {0};
	json_t *list;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (!o.json) {
		for (int i = 0; i < machine_nr_presets(); i++)
			printf("%-24s %s\n", machine_preset_name(i), machine_preset_doc(i));
		return 0;
	}
	list = json_array();
	for (int i = 0; i < machine_nr_presets(); i++)
		json_array_append_new(list, json_pack("{s:s, s:s}", "name", machine_preset_name(i),
						      "doc", machine_preset_doc(i)));
	return json_print(json_pack("{s:o}", "machines", list), stdout) ? 2 : 0;
}
