/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rjson.h - a tolerant reader for the files of rt-app, with places.
 *
 * These files are read by json-c in its tolerant mode, or go through workgen
 * before, and people write accordingly (spec 15 §1): comments, trailing
 * commas, text after the top object, keys given twice that mean a sequence,
 * keys without a value. Every value knows its line and column.
 */
#ifndef IDLEST_WORKLOAD_RJSON_H
#define IDLEST_WORKLOAD_RJSON_H

#include "base/arena.h"
#include "base/err.h"

enum rjson_reading {
	/* a key given again is renamed by appending 1, 2, … and keeps its place;
	 * a key may come without a value */
	RJSON_WORKGEN,
	/* a key given again replaces the value at the first one's place */
	RJSON_C,
};

enum rjson_type {
	RJSON_NONE, /* a key without a value */
	RJSON_NULL,
	RJSON_BOOL,
	RJSON_INT,
	RJSON_FLOAT,
	RJSON_STRING,
	RJSON_ARRAY,
	RJSON_OBJECT,
};

struct rjson {
	enum rjson_type type;
	int line, col;	     /* of the value, from 1; columns count bytes */
	const char *key;     /* in an object: its key, renamed if it was repeated */
	const char *written; /* … as written in the file */
	int key_line, key_col;
	union {
		s64 integer; /* INT, BOOL */
		const char *string;
		struct rjson *child; /* ARRAY, OBJECT: the first, in file order */
	};
	struct rjson *next;
};

/**
 * rjson_parse() - read @len bytes of @text
 * @file: for messages
 * @arena: where the values live
 *
 * Return: the top value, or NULL with @err filled ("FILE:LINE:COLUMN: …").
 */
struct rjson *rjson_parse(const char *text, size_t len, const char *file,
			  enum rjson_reading reading, struct arena *arena, struct err *err);

/** rjson_get() - the member @key of an object, NULL: none */
const struct rjson *rjson_get(const struct rjson *object, const char *key);
/** rjson_type_name() - "an integer", "a string", … for messages */
const char *rjson_type_name(enum rjson_type type);

#endif
