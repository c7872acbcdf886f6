/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cgroup_file.h - a tree of control groups from a YAML file.
 *
 *	groups:
 *	  - path: /build
 *	    cpu.weight: 50
 *	    cpuset.cpus: 0-7
 *	  - path: /build/jobs
 *	    cpu.weight.nice: 5
 *
 * A group's keys are the names of its files in the kernel, of either version of the hierarchy,
 * and take what is written there. A parent that isn't listed before has defaults.
 */
#ifndef IDLEST_WORKLOAD_CGROUP_FILE_H
#define IDLEST_WORKLOAD_CGROUP_FILE_H

#include "base/err.h"
#include "sim/cgroup.h"

/**
 * cgroup_file_load() - read the file @path
 * @tree: result, to be freed with cgroup_file_free()
 *
 * What only a kernel or a machine can refuse is refused when a run is made.
 *
 * Return: 0, or a negative errno with file, line and column and what is expected.
 */
int cgroup_file_load(const char *path, struct cgroup_tree **tree, struct err *err);
/** cgroup_file_parse() - the same of @len bytes of @text; @name is for messages */
int cgroup_file_parse(const char *name, const char *text, size_t len, struct cgroup_tree **tree,
		      struct err *err);
void cgroup_file_free(struct cgroup_tree *tree);

#endif
