/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * escape.h - names from recordings hold any bytes; what is printed doesn't.
 */
#ifndef IDLEST_REPORT_ESCAPE_H
#define IDLEST_REPORT_ESCAPE_H

#include <jansson.h>
#include <stdio.h>

/* room for any string of @len bytes, escaped */
#define ESCAPED_SIZE(len) (4 * (len) + 1)

/**
 * escape_text() - @s with control characters, backslashes and bytes that aren't UTF-8 as \xNN
 * @out: at least ESCAPED_SIZE(strlen(@s)) bytes
 *
 * Return: the number of columns it takes, as far as characters are one wide.
 */
int escape_text(const char *s, char *out);
/** escape_pad() - print @s as escape_text() has it, then blanks until @width columns are full */
void escape_pad(FILE *f, const char *s, int width);
/** escape_lines() - print @s, some lines, the same way; breaks, tabs and backslashes stay */
void escape_lines(FILE *f, const char *s);
/** escape_json() - a JSON string: @s itself if it is UTF-8, else as escape_text() */
json_t *escape_json(const char *s);

#endif
