// SPDX-License-Identifier: BSD-2-Clause
/*
 * columns.c - two texts side by side, long lines wrapped.
 */
#include <stdlib.h>
#include <string.h>

#include "explain/columns.h"

#define HANGING 8 /* indentation of what was wrapped */

/* bytes of the next piece of @s that is at most @width characters, cut at a space if there is one
 */
static size_t piece(const char *s, int width)
{
	size_t n = 0, space = 0;
	int chars = 0;

	while (s[n] && s[n] != '\n') {
		if (((unsigned char)s[n] & 0xc0) != 0x80 && ++chars > width)
			return space ? space : n;
		if (s[n] == ' ' && n && s[n - 1] != ' ')
			space = n;
		n++;
	}
	return n;
}

static int width_of(const char *s, size_t n)
{
	int chars = 0;

	for (size_t i = 0; i < n; i++)
		chars += ((unsigned char)s[i] & 0xc0) != 0x80;
	return chars;
}

/* one line of a column; Return: where the next one begins */
static const char *print_piece(const char *s, int width, bool *wrapped, bool pad, FILE *f)
{
	int indent = *wrapped ? HANGING : 0, used;
	size_t n = piece(s, width - indent);

	fprintf(f, "%*s%.*s", indent, "", (int)n, s);
	used = indent + width_of(s, n);
	if (pad)
		fprintf(f, "%*s", width - used, "");
	s += n;
	*wrapped = *s && *s != '\n';
	while (*wrapped && *s == ' ')
		s++;
	return *s == '\n' ? s + 1 : s;
}

void columns_print(const char *left, const char *right, int width, FILE *f)
{
	bool wrapped_left = false, wrapped_right = false;

	while (*left || *right) {
		left = print_piece(left, width, &wrapped_left, *right, f);
		if (*right) {
			fputs(" | ", f);
			right = print_piece(right, width, &wrapped_right, false, f);
		}
		fputc('\n', f);
	}
}
