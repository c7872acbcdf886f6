/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * yaml_doc.h - a YAML file read against a strict libcyaml schema, which still
 * knows where each thing stands.
 *
 * libcyaml fills plain structs; what it can't check (units, ranges, names) the
 * caller checks, and says yaml_fail() with the path of the value. A path is
 * keys and entry numbers from 0: "topology.nodes[1]".
 */
#ifndef IDLEST_BASE_YAML_DOC_H
#define IDLEST_BASE_YAML_DOC_H

#include <cyaml/cyaml.h>

#include "base/err.h"
#include "base/types.h"

struct yaml_doc;

/**
 * yaml_doc_load() - read @text
 * @name: of the file, for messages; copied
 * @schema: of the whole document, a mapping by pointer; kept by reference
 * @doc: result, to be freed with yaml_doc_free()
 *
 * Return: 0, or -EINVAL with file:line:column and what is allowed there
 * (syntax, unknown or repeated key, wrong kind of value, empty file).
 */
int yaml_doc_load(const char *name, const char *text, size_t len,
		  const cyaml_schema_value_t *schema, struct yaml_doc **doc, struct err *err);
void yaml_doc_free(struct yaml_doc *doc);
const void *yaml_doc_root(const struct yaml_doc *doc);
const char *yaml_doc_name(const struct yaml_doc *doc);

/**
 * yaml_fail() - fill @err with "file:line:column: message"
 * @path: of the value at fault; if it isn't in the file, what holds it
 * @fmt: what is wrong; a message that @err has already stays, with the place before it
 *
 * Return: @code.
 */
int yaml_fail(const struct yaml_doc *doc, struct err *err, int code, const char *path,
	      const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
