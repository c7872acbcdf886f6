/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * yaml_schema.h - the words of which schemas of our YAML files are made: every value is read as
 * text, so that what is wrong with it can be said in our own terms.
 */
#ifndef IDLEST_BASE_YAML_SCHEMA_H
#define IDLEST_BASE_YAML_SCHEMA_H

#include <cyaml/cyaml.h>

#define OPT CYAML_FLAG_OPTIONAL
/* member @m of struct @s, a char *: may be absent; must be there and not empty */
#define TEXT(s, m)   CYAML_FIELD_STRING_PTR(#m, OPT | CYAML_FLAG_POINTER, s, m, 0, CYAML_UNLIMITED)
#define NEEDED(s, m) CYAML_FIELD_STRING_PTR(#m, CYAML_FLAG_POINTER, s, m, 1, CYAML_UNLIMITED)
/* member @m, an array of nr_@m values */
#define LIST(s, m, flags, value)                                                                   \
	CYAML_FIELD_SEQUENCE_COUNT(#m, (flags) | CYAML_FLAG_POINTER, s, m, nr_##m, &(value), 1,    \
				   CYAML_UNLIMITED)

static const cyaml_schema_value_t text_schema = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, CYAML_UNLIMITED),
};

#endif
