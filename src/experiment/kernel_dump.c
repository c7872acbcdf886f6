// SPDX-License-Identifier: BSD-2-Clause
/*
 * kernel_dump.c - a recorded dump of a real kernel laid over a profile.
 *
 * A dump is a text with sections that begin with "# title". Two kinds are read here:
 *
 *	# features			# tunables (debugfs)
 *	PLACE_LAG NO_NEXT_BUDDY …	base_slice_ns: 2800000
 *
 * The features line is the whole truth: what it doesn't name this kernel hasn't got, and what the
 * profile lacks it adds. Tunables stand as the kernel showed them, scaled already; names that
 * aren't in the registry belong to other parts of the kernel and are passed over.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/kernel_dump.h"

struct dump_reader {
	struct sched_kernel *k;
	enum { OTHER, FEATURES, TUNABLES } section;
	bool saw_features;
};

static int find_feature(const char *name)
{
	for (int f = 0; f < NR_FEATS; f++)
		if (!strcmp(sched_feat_name(f), name))
			return f;
	return -1;
}

static int read_features(struct dump_reader *r, char *line, struct err *err)
{
	char *save = NULL;

	r->k->known_features = 0;
	r->k->features = 0;
	for (char *word = strtok_r(line, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		bool on = strncmp(word, "NO_", 3) != 0;
		int f = find_feature(on ? word : word + 3);

		if (f < 0)
			return err_set(err, -EINVAL,
				       "feature %s isn't known to idlest ('idlest features' "
				       "lists those that are)",
				       on ? word : word + 3);
		r->k->known_features |= 1ULL << f;
		r->k->features |= (u64)on << f;
	}
	r->saw_features = true;
	return 0;
}

/* sysctls carry prefixes that the registry leaves out */
static int find_tunable(const char *name)
{
	static const char *const prefixes[] = {"", "kernel/", "kernel/sched_"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		for (int t = 0; t < NR_TUNABLES; t++)
			if (!strncmp(name, prefixes[i], n) &&
			    !strcmp(name + n, sched_tunable_name(t)))
				return t;
	}
	return -1;
}

static int read_tunable(struct dump_reader *r, char *line, struct err *err)
{
	char *value = strstr(line, ": "), item[128];
	int t, ret;

	if (!value)
		return 0;
	*value = '\0';
	t = find_tunable(line);
	if (t < 0)
		return 0;
	snprintf(item, sizeof(item), "%s=%.64s", sched_tunable_name(t), value + 2);
	ret = sched_kernel_apply(r->k, item, err);
	if (!ret)
		r->k->user_set[t] = false;
	return ret;
}

static int read_line(struct dump_reader *r, char *line, struct err *err)
{
	line[strcspn(line, "\r\n")] = '\0';
	if (!strncmp(line, "# ", 2)) {
		r->section = !strcmp(line, "# features")	? FEATURES
			     : !strncmp(line, "# tunables", 10) ? TUNABLES
								: OTHER;
		return 0;
	}
	if (r->section == FEATURES && line[0])
		return read_features(r, line, err);
	if (r->section == TUNABLES)
		return read_tunable(r, line, err);
	return 0;
}

static int read_dump(const char *path, struct sched_kernel *k, struct err *err)
{
	struct dump_reader r = {.k = k};
	FILE *f = fopen(path, "r");
	int ret = 0, number = 0;
	char *line = NULL;
	size_t size = 0;

	if (!f)
		return err_set(err, errno == ENOENT ? -ENOENT : -EINVAL, "dump '%s': %s", path,
			       strerror(errno));
	while (!ret && getline(&line, &size, f) > 0) {
		number++;
		ret = read_line(&r, line, err);
	}
	if (ret)
		err_prefix(err, "%s:%d: ", path, number);
	else if (ferror(f))
		ret = err_set(err, -EINVAL, "dump '%s': %s", path, strerror(errno));
	else if (!r.saw_features)
		ret = err_set(err, -EINVAL,
			      "dump '%s' has no section '# features' with the kernel's "
			      "features line",
			      path);
	free(line);
	fclose(f);
	return ret;
}

int kernel_load(const char *expr, struct sched_kernel *k, struct err *err)
{
	size_t profile_len = strcspn(expr, "@,"), len = strcspn(expr, ",");
	char profile[sizeof(k->expr)], path[sizeof(k->expr)];
	int ret;

	if (expr[profile_len] != '@' || strlen(expr) >= sizeof(k->expr))
		return sched_kernel_parse(expr, k, err);
	snprintf(profile, sizeof(profile), "%.*s", (int)profile_len, expr);
	snprintf(path, sizeof(path), "%.*s", (int)(len - profile_len - 1), expr + profile_len + 1);
	ret = sched_kernel_parse(profile, k, err);
	if (!ret && !path[0])
		ret = err_set(err, -EINVAL, "kernel '%s': no file after the '@'", expr);
	if (!ret)
		ret = read_dump(path, k, err);
	if (!ret && expr[len]) {
		ret = sched_kernel_apply_list(k, expr + len + 1, err);
		if (ret)
			err_prefix(err, "kernel '%s': ", expr);
	}
	strcpy(k->expr, expr);
	return ret;
}
