/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * strings.h - strings by number: each different one is kept once.
 */
#ifndef IDLEST_TRACE_STRINGS_H
#define IDLEST_TRACE_STRINGS_H

#include "base/types.h"

struct trace_strings;

struct trace_strings *trace_strings_new(void);	/* NULL: out of memory */
void trace_strings_free(struct trace_strings *s);
/**
 * trace_strings_intern() - the number of @len bytes at @text
 *
 * A NUL inside ends the string. Return: 0 for the empty string, and when out of memory.
 */
u32 trace_strings_intern(struct trace_strings *s, const char *text, size_t len);
const char *trace_strings_at(const struct trace_strings *s, u32 n);

#endif
