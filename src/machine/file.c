// SPDX-License-Identifier: BSD-2-Clause
/* The schema of machine files, and the table of their plain values. */
#include "machine/file.h"

#include "base/yaml_schema.h"
#include "machine/machine.h"
#include "machine/quantity.h"

#define MAP(s, m, fields) CYAML_FIELD_MAPPING_PTR(#m, OPT | CYAML_FLAG_POINTER, s, m, fields)
#define LIST_OF(key, s, m, n, value)                                                               \
	CYAML_FIELD_SEQUENCE_COUNT(key, OPT | CYAML_FLAG_POINTER, s, m, n, &(value), 1,            \
				   CYAML_UNLIMITED)
#define TEXTS(s, m) LIST_OF(#m, s, m.text, m.nr, text_schema)

static const cyaml_schema_field_t distances_fields[] = {
	TEXT(struct file_distances, self),    TEXT(struct file_distances, smt),
	TEXT(struct file_distances, cluster), TEXT(struct file_distances, llc),
	TEXT(struct file_distances, node),    TEXT(struct file_distances, package),
	TEXT(struct file_distances, remote),  CYAML_FIELD_END,
};

const char *const distance_keys[NR_DISTANCES] = { "self", "smt",     "cluster", "llc",
						  "node", "package", "remote" };

/* ---- the sections of fields.h ---- */

#define SCHEMA_F(key, unit, member, lo, hi) TEXT(SECTION, key),
#define SCHEMA_D(key, unit, member, lo, hi) MAP(SECTION, key, distances_fields),

#define SECTION struct file_caches
static const cyaml_schema_field_t caches_fields[] = {
	TEXT(SECTION, source),
	CACHES_FIELDS(SCHEMA_F, SCHEMA_D) CYAML_FIELD_END,
};
#undef SECTION
#define SECTION struct file_memory
static const cyaml_schema_field_t memory_fields[] = {
	TEXT(SECTION, source),
	MEMORY_FIELDS(SCHEMA_F, SCHEMA_D) CYAML_FIELD_END,
};
#undef SECTION
#define SECTION struct file_latency
static const cyaml_schema_field_t latency_fields[] = {
	TEXT(SECTION, source),
	LATENCY_FIELDS(SCHEMA_F, SCHEMA_D) CYAML_FIELD_END,
};
#undef SECTION
#define SECTION struct file_bandwidth
static const cyaml_schema_field_t bandwidth_fields[] = {
	TEXT(SECTION, source),
	BANDWIDTH_FIELDS(SCHEMA_F, SCHEMA_D) CYAML_FIELD_END,
};
#undef SECTION
#define SECTION struct file_cpu
static const cyaml_schema_field_t cpu_fields[] = {
	TEXT(SECTION, source),
	CPU_FIELDS(SCHEMA_F, SCHEMA_D) CYAML_FIELD_END,
};
#undef SECTION
#define SECTION struct file_kernel
static const cyaml_schema_field_t kernel_fields[] = {
	TEXT(SECTION, source),
	KERNEL_FIELDS(SCHEMA_F, SCHEMA_D) CYAML_FIELD_END,
};
#undef SECTION
#define SECTION struct file_costs
static const cyaml_schema_field_t costs_fields[] = {
	TEXT(SECTION, source),
	COSTS_FIELDS(SCHEMA_F, SCHEMA_D) CYAML_FIELD_END,
};
#undef SECTION

#define FIELD(sect, k, u, m, l, h, dist)                                                           \
	{ .section = #sect,                                                                        \
	  .key = #k,                                                                               \
	  .section_offset = offsetof(struct file_body, sect),                                      \
	  .key_offset = offsetof(struct file_##sect, k),                                           \
	  .member_offset = offsetof(struct machine, m),                                            \
	  .member_size = dist(((struct machine *)0)->m),                                           \
	  .unit = Q_##u,                                                                           \
	  .lo = l,                                                                                 \
	  .hi = h,                                                                                 \
	  .by_distance = dist##_BY_DISTANCE },
#define ONE(x)		      sizeof(x)
#define ONE_BY_DISTANCE	      false
#define EACH(x)		      sizeof((x)[0])
#define EACH_BY_DISTANCE      true
#define CACHES_F(...)	      FIELD(caches, __VA_ARGS__, ONE)
#define CACHES_D(...)	      FIELD(caches, __VA_ARGS__, EACH)
#define MEMORY_F(...)	      FIELD(memory, __VA_ARGS__, ONE)
#define LATENCY_F(...)	      FIELD(latency, __VA_ARGS__, ONE)
#define LATENCY_D(...)	      FIELD(latency, __VA_ARGS__, EACH)
#define BANDWIDTH_F(...)      FIELD(bandwidth, __VA_ARGS__, ONE)
#define CPU_F(...)	      FIELD(cpu, __VA_ARGS__, ONE)
#define KERNEL_F(...)	      FIELD(kernel, __VA_ARGS__, ONE)
#define COSTS_F(...)	      FIELD(costs, __VA_ARGS__, ONE)
#define COSTS_D(...)	      FIELD(costs, __VA_ARGS__, EACH)

const struct machine_field machine_fields[] = {
	CACHES_FIELDS(CACHES_F, CACHES_D)
	MEMORY_FIELDS(MEMORY_F, )
	LATENCY_FIELDS(LATENCY_F, LATENCY_D)
	BANDWIDTH_FIELDS(BANDWIDTH_F, )
	CPU_FIELDS(CPU_F, )
	KERNEL_FIELDS(KERNEL_F, )
	COSTS_FIELDS(COSTS_F, COSTS_D)
};
const int nr_machine_fields = ARRAY_SIZE(machine_fields);

/* ---- topology, C-states, boost ---- */

static const cyaml_schema_field_t capacity_fields[] = {
	NEEDED(struct file_capacity, cpus),
	TEXT(struct file_capacity, capacity),
	TEXT(struct file_capacity, speed),
	TEXT(struct file_capacity, priority),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t capacity_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_capacity, capacity_fields),
};

static const cyaml_schema_field_t slit_fields[] = {
	TEXT(struct file_slit, local),
	TEXT(struct file_slit, same_package),
	TEXT(struct file_slit, other_package),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t topology_fields[] = {
	TEXT(struct file_topology, source),
	TEXT(struct file_topology, arch),
	TEXT(struct file_topology, hwloc),
	TEXT(struct file_topology, packages),
	TEXT(struct file_topology, llcs),
	TEXT(struct file_topology, clusters),
	TEXT(struct file_topology, cores),
	TEXT(struct file_topology, threads),
	TEXT(struct file_topology, numbering),
	TEXT(struct file_topology, cpus),
	TEXTS(struct file_topology, package_cpus),
	TEXTS(struct file_topology, llc_cpus),
	TEXTS(struct file_topology, cluster_cpus),
	TEXTS(struct file_topology, core_cpus),
	TEXT(struct file_topology, nodes_per_package),
	TEXT(struct file_topology, packages_per_node),
	TEXTS(struct file_topology, nodes),
	MAP(struct file_topology, distance, slit_fields),
	TEXTS(struct file_topology, distance_matrix),
	TEXT(struct file_topology, node_reclaim_distance),
	LIST_OF("capacity", struct file_topology, capacity, nr_capacity, capacity_schema),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t cstate_fields[] = {
	NEEDED(struct file_cstate, name),      NEEDED(struct file_cstate, exit),
	NEEDED(struct file_cstate, table_exit), NEEDED(struct file_cstate, residency),
	TEXT(struct file_cstate, polling),     CYAML_FIELD_END,
};
static const cyaml_schema_value_t cstate_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_cstate, cstate_fields),
};

static const cyaml_schema_field_t boost_fields[] = {
	NEEDED(struct file_boost, cores),
	NEEDED(struct file_boost, frequency),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t boost_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_boost, boost_fields),
};

/* ---- the file ---- */

#define BODY(s)                                                                                    \
	CYAML_FIELD_MAPPING_PTR("topology", OPT | CYAML_FLAG_POINTER, s, body.topology,            \
				topology_fields),                                                  \
	CYAML_FIELD_MAPPING_PTR("caches", OPT | CYAML_FLAG_POINTER, s, body.caches, caches_fields), \
	CYAML_FIELD_MAPPING_PTR("memory", OPT | CYAML_FLAG_POINTER, s, body.memory, memory_fields), \
	CYAML_FIELD_MAPPING_PTR("latency", OPT | CYAML_FLAG_POINTER, s, body.latency,              \
				latency_fields),                                                   \
	CYAML_FIELD_MAPPING_PTR("bandwidth", OPT | CYAML_FLAG_POINTER, s, body.bandwidth,          \
				bandwidth_fields),                                                 \
	CYAML_FIELD_MAPPING_PTR("cpu", OPT | CYAML_FLAG_POINTER, s, body.cpu, cpu_fields),         \
	CYAML_FIELD_MAPPING_PTR("kernel", OPT | CYAML_FLAG_POINTER, s, body.kernel, kernel_fields), \
	CYAML_FIELD_MAPPING_PTR("costs", OPT | CYAML_FLAG_POINTER, s, body.costs, costs_fields),   \
	LIST_OF("cstates", s, body.cstates, body.nr_cstates, cstate_schema),                       \
	LIST_OF("boost", s, body.boost, body.nr_boost, boost_schema)

static const cyaml_schema_field_t option_fields[] = {
	NEEDED(struct file_option, name),
	NEEDED(struct file_option, description),
	TEXT(struct file_option, source),
	BODY(struct file_option),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t option_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_option, option_fields),
};

static const cyaml_schema_field_t vendor_fields[] = {
	NEEDED(struct file_vendor, vendor),
	NEEDED(struct file_vendor, family),
	NEEDED(struct file_vendor, inherits),
	CYAML_FIELD_END,
};
static const cyaml_schema_value_t vendor_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct file_vendor, vendor_fields),
};

static const cyaml_schema_field_t file_fields[] = {
	TEXT(struct machine_file, name),
	TEXT(struct machine_file, description),
	TEXT(struct machine_file, source),
	TEXT(struct machine_file, inherits),
	BODY(struct machine_file),
	TEXT(struct machine_file, default_option),
	LIST_OF("options", struct machine_file, options, nr_options, option_schema),
	LIST_OF("vendors", struct machine_file, vendors, nr_vendors, vendor_schema),
	CYAML_FIELD_END,
};

const cyaml_schema_value_t machine_file_schema = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct machine_file, file_fields),
};
