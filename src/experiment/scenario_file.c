// SPDX-License-Identifier: BSD-2-Clause
/* The schema of scenario files. */
#include "experiment/scenario_file.h"

#include "base/yaml_schema.h"

static const cyaml_schema_field_t kernel_fields[] = {
	TEXT(struct scenario_file_kernel, name),
	NEEDED(struct scenario_file_kernel, kernel),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t kernel_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct scenario_file_kernel, kernel_fields),
};

static const cyaml_schema_field_t group_fields[] = {
	NEEDED(struct scenario_file_group, name),
	TEXT(struct scenario_file_group, weight),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t group_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct scenario_file_group, group_fields),
};

static const cyaml_schema_field_t task_fields[] = {
	NEEDED(struct scenario_file_task, name),
	TEXT(struct scenario_file_task, count),
	LIST(struct scenario_file_task, program, 0, text_schema),
	TEXT(struct scenario_file_task, policy),
	TEXT(struct scenario_file_task, nice),
	TEXT(struct scenario_file_task, priority),
	TEXT(struct scenario_file_task, slice),
	TEXT(struct scenario_file_task, group),
	TEXT(struct scenario_file_task, cpus),
	TEXT(struct scenario_file_task, start),
	TEXT(struct scenario_file_task, at),
	TEXT(struct scenario_file_task, thread),
	TEXT(struct scenario_file_task, footprint),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t task_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct scenario_file_task, task_fields),
};

static const cyaml_schema_field_t expect_fields[] = {
	NEEDED(struct scenario_file_expect, figure), TEXT(struct scenario_file_expect, of),
	TEXT(struct scenario_file_expect, cpus),     TEXT(struct scenario_file_expect, after),
	TEXT(struct scenario_file_expect, kernel),   TEXT(struct scenario_file_expect, than),
	TEXT(struct scenario_file_expect, seeds),    TEXT(struct scenario_file_expect, is),
	TEXT(struct scenario_file_expect, min),	     TEXT(struct scenario_file_expect, max),
	TEXT(struct scenario_file_expect, within),   CYAML_FIELD_END,
};
static const cyaml_schema_value_t expect_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct scenario_file_expect, expect_fields),
};

static const cyaml_schema_field_t file_fields[] = {
	NEEDED(struct scenario_file, name),
	NEEDED(struct scenario_file, description),
	TEXT(struct scenario_file, source),
	NEEDED(struct scenario_file, machine),
	LIST(struct scenario_file, kernels, 0, kernel_schema),
	TEXT(struct scenario_file, workload),
	TEXT(struct scenario_file, duration),
	TEXT(struct scenario_file, seeds),
	TEXT(struct scenario_file, noise),
	TEXT(struct scenario_file, isolcpus),
	LIST(struct scenario_file, events, OPT, text_schema),
	LIST(struct scenario_file, groups, OPT, group_schema),
	LIST(struct scenario_file, tasks, OPT, task_schema),
	LIST(struct scenario_file, expect, 0, expect_schema),
	CYAML_FIELD_END,
};

const cyaml_schema_value_t scenario_file_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct scenario_file, file_fields),
};
