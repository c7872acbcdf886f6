/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file.h - a machine file as libcyaml reads it (docs/machine-files.md).
 *
 * Inside machine/ only. Every value is text or absent (NULL): a file says what
 * differs from what it inherits, and texts are read with their units and
 * ranges when the layers are laid over each other.
 */
#ifndef IDLEST_MACHINE_FILE_H
#define IDLEST_MACHINE_FILE_H

#include <cyaml/cyaml.h>

#include "machine/fields.h"
#include "sched/topology.h"

struct file_distances {
	char *self, *smt, *cluster, *llc, *node, *package, *remote;
};

#define MEMBER_F(key, unit, member, lo, hi) char *key;
#define MEMBER_D(key, unit, member, lo, hi) struct file_distances *key;
#define SECTION_STRUCT(section, LIST)                                                              \
	struct file_##section {                                                                    \
		char *source;                                                                      \
		LIST(MEMBER_F, MEMBER_D)                                                           \
	};
MACHINE_SECTIONS(SECTION_STRUCT)
#undef SECTION_STRUCT
#undef MEMBER_F
#undef MEMBER_D

struct file_texts {
	char **text;
	u32 nr;
};

struct file_capacity {
	char *cpus, *capacity, *speed, *priority;
};

struct file_slit {
	char *local, *same_package, *other_package;
};

struct file_topology {
	char *source;
	char *arch;
	char *hwloc;
	/* a regular shape: how many in each of the next larger */
	char *packages, *llcs, *clusters, *cores, *threads;
	char *numbering;
	/* or any shape: CPU lists */
	char *cpus;
	struct file_texts package_cpus, llc_cpus, cluster_cpus, core_cpus;
	/* nodes */
	char *nodes_per_package, *packages_per_node;
	struct file_texts nodes;
	struct file_slit *distance;
	struct file_texts distance_matrix;
	char *node_reclaim_distance;
	struct file_capacity *capacity;
	u32 nr_capacity;
};

struct file_cstate {
	char *name, *exit, *table_exit, *residency, *polling;
};

struct file_boost {
	char *cores, *frequency;
};

/* What an option may change: everything but what the file is. */
struct file_body {
	struct file_topology *topology;
#define SECTION_MEMBER(section, LIST) struct file_##section *section;
	MACHINE_SECTIONS(SECTION_MEMBER)
#undef SECTION_MEMBER
	struct file_cstate *cstates;
	u32 nr_cstates;
	struct file_boost *boost;
	u32 nr_boost;
};

struct file_option {
	char *name, *description, *source;
	struct file_body body;
};

/* A base file to lay over the generic one for processors found by hwloc. */
struct file_vendor {
	char *vendor, *family, *inherits;
};

struct machine_file {
	char *name, *description, *source, *inherits, *default_option;
	struct file_body body;
	struct file_option *options;
	u32 nr_options;
	struct file_vendor *vendors;
	u32 nr_vendors;
};

extern const cyaml_schema_value_t machine_file_schema;

/* One plain value: where it stands in struct file_body and in struct machine. */
struct machine_field {
	const char *section, *key;
	size_t section_offset, key_offset, member_offset;
	int member_size; /* bytes of one value */
	int unit;	 /* enum quantity */
	u64 lo, hi;
	bool by_distance;
};

extern const struct machine_field machine_fields[];
extern const int nr_machine_fields;

/* Keys of a distance mapping, in the order of enum topo_distance. */
extern const char *const distance_keys[NR_DISTANCES];

#endif
