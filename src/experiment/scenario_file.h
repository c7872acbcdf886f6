/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scenario_file.h - a scenario as libcyaml reads it (docs/scenarios.md). Inside experiment/ only.
 *
 * Every value is text or absent (NULL); scenario_read.c gives them their meaning.
 */
#ifndef IDLEST_EXPERIMENT_SCENARIO_FILE_H
#define IDLEST_EXPERIMENT_SCENARIO_FILE_H

#include "base/yaml_doc.h"
#include "experiment/scenario.h"

struct scenario_file_kernel {
	char *name, *kernel;
};

struct scenario_file_group {
	char *name, *weight;
};

struct scenario_file_task {
	char *name, *count, *policy, *nice, *priority, *slice, *group, *cpus, *start, *at, *thread;
	char *footprint;
	char **program;
	u32 nr_program;
};

struct scenario_file_expect {
	char *figure, *of, *cpus, *after, *kernel, *than, *seeds, *is, *min, *max, *within;
};

struct scenario_file {
	char *name, *description, *source, *machine, *workload, *duration, *seeds, *noise, *isolcpus;
	char **events;
	u32 nr_events;
	struct scenario_file_kernel *kernels;
	u32 nr_kernels;
	struct scenario_file_group *groups;
	u32 nr_groups;
	struct scenario_file_task *tasks;
	u32 nr_tasks;
	struct scenario_file_expect *expect;
	u32 nr_expect;
};

extern const cyaml_schema_value_t scenario_file_schema;

/* What reading a scenario has at hand. */
struct scenario_reader {
	struct scenario *s;
	const struct yaml_doc *doc;
	const struct scenario_file *f;
	struct err *err;
};

/** scenario_mask() - a CPU list of @path; NULL with the error filled */
const u64 *scenario_mask(const struct scenario_reader *r, const char *path, const char *text);
/** scenario_find_task() - index of the task entry @name, or -1 with the error filled */
int scenario_find_task(const struct scenario_reader *r, const char *path, const char *name);
/** scenario_read_program() - the steps of task entry @i; Return: 0 or a negative errno */
int scenario_read_program(const struct scenario_reader *r, int i);
/** scenario_read_expect() - expectation @i */
int scenario_read_expect(const struct scenario_reader *r, int i);

#endif
