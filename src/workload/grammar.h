/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * grammar.h - how workloads are written: MODEL:parameter=value,flag,…
 *
 *	hackbench:groups=4,loops=1000,pipe,threads
 *	periodic:n=128,period=4ms,run=2ms,duration=1s
 *
 * This stands apart from the simulation: whatever executes workloads (also
 * real threads in a small static program) reads them through here.
 *
 * An item is one of
 *	name=value	integers may end in K, M, G (thousands), bytes in K, M, G, T
 *			(powers of 1024), times end in ns, us, ms or s
 *	name		switches a flag on
 *	no-name		switches a flag off
 *	opposite	switches a flag off whose opposite has a name (pipe | socket)
 *	anything	the value of the first parameter, if that is PARAM_FILE
 * A comma inside a value is written "\,".
 */
#ifndef IDLEST_WORKLOAD_GRAMMAR_H
#define IDLEST_WORKLOAD_GRAMMAR_H

#include "base/err.h"
#include "base/types.h"

enum param_kind {
	PARAM_INT,
	PARAM_BYTES,
	PARAM_TIME_NS,
	PARAM_FLAG, /* def 0 or 1; def_string: the name of its opposite, if it has one */
	PARAM_STRING,
	PARAM_CHOICE, /* one of the words of choices; its number is the value */
	PARAM_FILE,   /* a path; as the first parameter its name may be left out; must be given */
};

struct workload_param {
	const char *name;
	enum param_kind kind;
	s64 def, min, max; /* PARAM_STRING, PARAM_FILE: unused; PARAM_CHOICE: def */
	const char *def_string;
	const char *doc;
	const char *choices; /* PARAM_CHOICE: "drawn|staggered|together" */
};

#define MAX_PARAMS 32

/* What an expression says of a table of parameters, in the table's order. */
struct workload_values {
	int nr;
	s64 num[MAX_PARAMS];
	char *string[MAX_PARAMS]; /* STRING, FILE: never NULL unless the default is */
	bool set[MAX_PARAMS];	  /* given by the user */
};

/**
 * grammar_split() - the model's name and the parameters of @expr
 * @model: result, cut at @len
 *
 * Return: what follows the colon, "" if there is none.
 */
const char *grammar_split(const char *expr, char *model, size_t len);

/**
 * grammar_read() - read "name=value,…" against a table
 * @model: for messages
 * @items: what follows the colon; may be empty
 * @table: ends with a NULL name, at most MAX_PARAMS entries
 * @v: result, to be freed with grammar_free() if 0 is returned
 *
 * Return: 0, -EINVAL (unknown name: the nearest is given; bad value: with what
 * is allowed; given twice; missing file), -ENOMEM.
 */
int grammar_read(const char *model, const char *items, const struct workload_param *table,
		 struct workload_values *v, struct err *err);
void grammar_free(struct workload_values *v);

/** grammar_find() - index of parameter @name in @table, -1: none */
int grammar_find(const struct workload_param *table, const char *name);

/* Single values; @what is the parameter's name for messages. Return: 0 or -EINVAL. */
int grammar_int(const char *what, const char *text, s64 min, s64 max, s64 *value, struct err *err);
int grammar_bytes(const char *what, const char *text, s64 min, s64 max, s64 *value,
		  struct err *err);
int grammar_time(const char *what, const char *text, s64 min, s64 max, s64 *value, struct err *err);

/**
 * grammar_format() - write a value as grammar_read() would read it ("4ms", "64K")
 *
 * Return: @buf.
 */
char *grammar_format(enum param_kind kind, s64 value, char *buf, size_t len);

#endif
