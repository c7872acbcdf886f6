/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json.h - a tolerant reader for the files of rt-app, with places.
 *
 * These files are read by json-c in its tolerant mode, or go through workgen
 * before, and people write accordingly (spec 15 §1): comments, trailing
 * commas, text after the top object, keys given twice that mean a sequence,
 * keys without a value. Every value knows its line and column.
 */
#ifndef IDLEST_WORKLOAD_JSON_H
#define IDLEST_WORKLOAD_JSON_H

#include "base/arena.h"
#include "base/err.h"

enum json_reading {
	/* a key given again is renamed by appending 1, 2, … and keeps its place;
	 * a key may come without a value */
	JSON_WORKGEN,
	/* a key given again replaces the value at the first one's place */
	JSON_C,
};

enum json_type {
	JSON_NONE,	/* a key without a value */
	JSON_NULL,
	JSON_BOOL,
	JSON_INT,
	JSON_FLOAT,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json {
	enum json_type type;
	int line, col;		/* of the value, from 1; columns count bytes */
	const char *key;	/* in an object: its key, renamed if it was repeated */
	const char *written;	/* … as written in the file */
	int key_line, key_col;
	union {
		s64 integer;	/* INT, BOOL */
		const char *string;
		struct json *child; /* ARRAY, OBJECT: the first, in file order */
	};
	struct json *next;
};

/**
 * json_parse() - read @len bytes of @text
 * @file: for messages
 * @arena: where the values live
 *
 * Return: the top value, or NULL with @err filled ("FILE:LINE:COLUMN: …").
 */
struct json *json_parse(const char *text, size_t len, const char *file, enum json_reading reading,
			struct arena *arena, struct err *err);

/** json_get() - the member @key of an object, NULL: none */
const struct json *json_get(const struct json *object, const char *key);
/** json_type_name() - "an integer", "a string", … for messages */
const char *json_type_name(enum json_type type);

#endif
