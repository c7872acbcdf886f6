/* SPDX-License-Identifier: BSD-2-Clause */
/* The schema of the file, and what its values mean (spec 09 §1). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/read_file.h"
#include "base/yaml_doc.h"
#include "sched/cgroup.h"
#include "sched/uclamp.h"
#include "workload/cgroup_file.h"
#include "workload/grammar.h"

/* A group as it is written. */
struct group_text {
	char *path;
	char *weight, *weight_nice, *shares, *idle, *cpus, *partition;
	char *clamp[NR_UCLAMP];
	char *max, *max_burst;			/* v2 */
	char *quota_us, *period_us, *burst_us;	/* v1 */
};

struct file_text {
	struct group_text *groups;
	unsigned int nr;
};

#define OPT CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER
#define KEY(key, m) CYAML_FIELD_STRING_PTR(key, OPT, struct group_text, m, 0, CYAML_UNLIMITED)

/* clang-format off */
static const cyaml_schema_field_t group_fields[] = {
	CYAML_FIELD_STRING_PTR("path", CYAML_FLAG_POINTER, struct group_text, path, 1,
			       CYAML_UNLIMITED),
	KEY("cpu.weight", weight),
	KEY("cpu.weight.nice", weight_nice),
	KEY("cpu.shares", shares),
	KEY("cpu.idle", idle),
	KEY("cpu.max", max),
	KEY("cpu.max.burst", max_burst),
	KEY("cpu.cfs_quota_us", quota_us),
	KEY("cpu.cfs_period_us", period_us),
	KEY("cpu.cfs_burst_us", burst_us),
	KEY("cpuset.cpus", cpus),
	KEY("cpuset.cpus.partition", partition),
	KEY("cpu.uclamp.min", clamp[UCLAMP_MIN]),
	KEY("cpu.uclamp.max", clamp[UCLAMP_MAX]),
	CYAML_FIELD_END,
};
/* clang-format on */

static const cyaml_schema_value_t group_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct group_text, group_fields),
};
static const cyaml_schema_field_t file_fields[] = {
	CYAML_FIELD_SEQUENCE_COUNT("groups", CYAML_FLAG_POINTER, struct file_text, groups, nr,
				   &group_schema, 1, CYAML_UNLIMITED),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t file_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct file_text, file_fields),
};

/* The result: the tree that is handed out comes first. */
struct loaded {
	struct cgroup_tree tree;
	struct yaml_doc *doc; /* has the strings */
};

/* ---- one group ---- */

/* where we are, for messages */
struct at {
	const struct yaml_doc *doc;
	int group;
	struct err *err;
};

static int bad(const struct at *at, const char *key)
{
	char path[64];

	snprintf(path, sizeof(path), "groups[%d].%s", at->group, key);
	return yaml_fail(at->doc, at->err, -EINVAL, path, "bad value");
}

static int number(const struct at *at, const char *key, const char *text, s64 lo, s64 hi,
		  s64 *value)
{
	return grammar_int(key, text, lo, hi, value, at->err) ? bad(at, key) : 0;
}

/* one weight, under one of its three names */
static int read_weight(const struct at *at, const struct group_text *g, struct cgroup_files *f)
{
	bool v2 = g->weight || g->weight_nice;
	s64 n;
	int rc;

	if ((g->weight && g->weight_nice) || (v2 && g->shares)) {
		err_set(at->err, -EINVAL,
			"cpu.weight, cpu.weight.nice and cpu.shares are one weight: give one");
		return bad(at, g->shares ? "cpu.shares" : "cpu.weight.nice");
	}
	if (g->weight) {
		rc = number(at, "cpu.weight", g->weight, CGROUP_WEIGHT_MIN, CGROUP_WEIGHT_MAX, &n);
		f->shares = rc ? 0 : sched_weight_shares(n);
	} else if (g->weight_nice) {
		rc = number(at, "cpu.weight.nice", g->weight_nice, -20, 19, &n);
		f->shares = rc ? 0 : sched_nice_shares(n);
	} else if (g->shares) {
		rc = number(at, "cpu.shares", g->shares, 2, 262144, &n);
		f->shares = rc ? 0 : n;
	} else {
		rc = 0;
	}
	return rc;
}

static int read_idle(const struct at *at, const struct group_text *g, struct cgroup_files *f)
{
	s64 n = 0;
	int rc = g->idle ? number(at, "cpu.idle", g->idle, 0, 1, &n) : 0;

	f->idle = n;
	if (!rc && n && f->shares) {
		err_set(at->err, -EINVAL, "an idle group's weight can't be changed: leave it out");
		rc = bad(at, "cpu.idle");
	}
	return rc;
}

/* ---- CPU bandwidth (spec 09 §2) ---- */

#define MAX_US (INT64_MAX / 1000)

static int micros(const struct at *at, const char *key, const char *text, u64 *ns)
{
	s64 us;
	int rc = number(at, key, text, 0, MAX_US, &us);

	if (!rc)
		*ns = (u64)us * NSEC_PER_USEC;
	return rc;
}

/* "QUOTA PERIOD", "QUOTA", quota or "max" */
static int read_max(const struct at *at, const char *text, struct sched_bandwidth *b)
{
	char quota[32], period[32], more;
	int n = sscanf(text, "%31s %31s %c", quota, period, &more), rc = 0;

	if (n < 1 || n > 2) {
		err_set(at->err, -EINVAL,
			"expected QUOTA and PERIOD in us, such as 50000 100000, or max");
		return bad(at, "cpu.max");
	}
	if (strcmp(quota, "max"))
		rc = micros(at, "cpu.max", quota, &b->quota);
	if (!rc && n == 2)
		rc = micros(at, "cpu.max", period, &b->period);
	return rc;
}

static int read_legacy(const struct at *at, const struct group_text *g, struct sched_bandwidth *b)
{
	int rc = 0;

	b->legacy = true;
	if (g->quota_us && strcmp(g->quota_us, "-1"))
		rc = micros(at, "cpu.cfs_quota_us", g->quota_us, &b->quota);
	if (!rc && g->period_us)
		rc = micros(at, "cpu.cfs_period_us", g->period_us, &b->period);
	if (!rc && g->burst_us)
		rc = micros(at, "cpu.cfs_burst_us", g->burst_us, &b->burst);
	return rc;
}

static int read_bandwidth(const struct at *at, const struct group_text *g, struct cgroup_files *f)
{
	bool v1 = g->quota_us || g->period_us || g->burst_us, v2 = g->max || g->max_burst;
	struct sched_bandwidth *b = &f->bandwidth;
	int rc = 0;

	if (!v1 && !v2)
		return 0;
	*b = (struct sched_bandwidth){.quota = SCHED_NO_QUOTA, .period = 100 * NSEC_PER_MSEC};
	if (v1 && v2) {
		err_set(at->err, -EINVAL, "cpu.max and cpu.cfs_quota_us are of two hierarchies: use one");
		return bad(at, g->max ? "cpu.max" : "cpu.max.burst");
	}
	if (v1)
		return read_legacy(at, g, b);
	if (g->max)
		rc = read_max(at, g->max, b);
	if (!rc && g->max_burst)
		rc = micros(at, "cpu.max.burst", g->max_burst, &b->burst);
	return rc;
}

static int read_clamps(const struct at *at, const struct group_text *g, struct cgroup_files *f)
{
	static const char *const key[] = {"cpu.uclamp.min", "cpu.uclamp.max"};

	for (int i = 0; i < NR_UCLAMP; i++) {
		f->clamps[i] = g->clamp[i];
		if (!g->clamp[i] || !sched_uclamp_percent(g->clamp[i], &f->clamp[i]))
			continue;
		err_set(at->err, -EINVAL,
			"%s=%s: expected \"max\" or per cent with at most two decimals, 0 to 100",
			key[i], g->clamp[i]);
		return bad(at, key[i]);
	}
	return 0;
}

static int read_partition(const struct at *at, const struct group_text *g, struct cgroup_files *f)
{
	static const char *const words[] = {"member", "root", "isolated"};

	for (size_t i = 0; g->partition && i < ARRAY_SIZE(words); i++) {
		if (!strcmp(g->partition, words[i])) {
			f->partition = (enum cgroup_partition)i;
			return 0;
		}
	}
	if (!g->partition)
		return 0;
	err_set(at->err, -EINVAL, "cpuset.cpus.partition=%s: expected member, root or isolated",
		g->partition);
	return bad(at, "cpuset.cpus.partition");
}

static int read_group(const struct at *at, const struct group_text *g, struct cgroup_spec *spec)
{
	int rc = read_weight(at, g, &spec->files);

	spec->path = g->path;
	spec->files.cpus = g->cpus;
	if (!rc && g->path[0] != '/') {
		err_set(at->err, -EINVAL, "a group's path begins with \"/\": \"/%s\"", g->path);
		rc = bad(at, "path");
	}
	if (!rc)
		rc = read_idle(at, g, &spec->files);
	if (!rc)
		rc = read_bandwidth(at, g, &spec->files);
	if (!rc)
		rc = read_partition(at, g, &spec->files);
	return rc ? rc : read_clamps(at, g, &spec->files);
}

/* ---- the file ---- */

static int read_groups(struct loaded *l, struct err *err)
{
	const struct file_text *file = yaml_doc_root(l->doc);
	struct at at = {.doc = l->doc, .err = err};
	int rc = 0;

	l->tree.name = yaml_doc_name(l->doc);
	l->tree.group = calloc(file->nr, sizeof(*l->tree.group));
	if (!l->tree.group)
		return err_set(err, -ENOMEM, "%s: out of memory", l->tree.name);
	for (; !rc && l->tree.nr < (int)file->nr; l->tree.nr++) {
		at.group = l->tree.nr;
		rc = read_group(&at, &file->groups[at.group], &l->tree.group[at.group]);
		for (int i = 0; !rc && i < at.group; i++)
			if (!strcmp(file->groups[i].path, file->groups[at.group].path)) {
				err_set(err, -EINVAL, "group %s is listed twice",
					file->groups[i].path);
				rc = bad(&at, "path");
			}
	}
	return rc;
}

int cgroup_file_parse(const char *name, const char *text, size_t len, struct cgroup_tree **tree,
		      struct err *err)
{
	struct loaded *l = calloc(1, sizeof(*l));
	int rc;

	if (!l)
		return err_set(err, -ENOMEM, "%s: out of memory", name);
	rc = yaml_doc_load(name, text, len, &file_schema, &l->doc, err);
	if (!rc)
		rc = read_groups(l, err);
	if (rc) {
		cgroup_file_free(&l->tree);
		return rc;
	}
	*tree = &l->tree;
	return 0;
}

int cgroup_file_load(const char *path, struct cgroup_tree **tree, struct err *err)
{
	struct arena *arena = arena_new();
	const char *text;
	size_t len;
	int rc;

	if (!arena)
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	rc = read_whole_file(arena, path, &text, &len, err);
	if (!rc)
		rc = cgroup_file_parse(path, text, len, tree, err);
	arena_free(arena);
	return rc;
}

void cgroup_file_free(struct cgroup_tree *tree)
{
	struct loaded *l = tree ? container_of(tree, struct loaded, tree) : NULL;

	if (!l)
		return;
	free(l->tree.group);
	yaml_doc_free(l->doc);
	free(l);
}
