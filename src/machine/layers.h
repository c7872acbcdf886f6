/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layers.h - machine files laid over each other.
 *
 * A machine is the generic file, then the files that its own file inherits
 * from, then its own, then the option chosen; the last one to give a value
 * wins. layers_collect() finds them, layers_apply() carries their values over.
 */
#ifndef IDLEST_MACHINE_LAYERS_H
#define IDLEST_MACHINE_LAYERS_H

#include "base/read_file.h"
#include "machine/machine.h"
#include "machine/shape.h"

#define MAX_LAYERS 24

/* The name of the file below every other. */
#define GENERIC "generic"

struct layer {
	const struct yaml_doc *doc;
	const struct file_body *body;
	const char *prefix; /* of its values' paths: "" or "options[1]." */
};

struct layers {
	struct arena *arena;
	struct yaml_doc *doc[MAX_LAYERS];
	int nr_docs;
	struct layer layer[MAX_LAYERS]; /* lowest first; [0] is the generic file */
	int nr;
	const struct machine_file *top; /* the machine's own */
	char option[32];
};

/* A preset as embed.py wrote it into the binary. */
struct preset {
	const char *name, *doc; /* doc NULL: a base for others, no machine */
	const char *text;
	size_t len;
};

extern const struct preset machine_presets[];
extern const int machine_nr_embedded;

const struct preset *preset_find(const char *name, size_t len);

/** layers_generic() - the generic file alone */
int layers_generic(struct layers *l, struct err *err);
/** layers_vendor() - add the base file that the generic one names for a processor */
int layers_vendor(struct layers *l, const char *vendor, int family, struct err *err);
/**
 * layers_text() - add the file @text, what it inherits below it, and an option above
 * @name: path of the file or name of the preset
 * @option: NULL: the file's default_option, if it has one
 */
int layers_text(struct layers *l, const char *name, const char *text, size_t len,
		const char *option, struct err *err);
/** layers_apply() - the values of layers @from to @to - 1 go into @m, topology apart */
int layers_apply(const struct layers *l, int from, int to, struct machine *m, struct err *err);
/** layers_missing() - the name of a plain value that no layer gives, or NULL */
const char *layers_missing(const struct layers *l, char *buf, size_t len);
void layers_free(struct layers *l);

#endif
