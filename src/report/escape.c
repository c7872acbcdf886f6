// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/types.h"
#include "report/escape.h"

/* Length of the UTF-8 character at @s, 0 if there is none; its number in @point. */
static int utf8_char(const unsigned char *s, u32 *point)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	int len = s[0] < 0x80	    ? 1
		  : s[0] >> 5 == 6  ? 2
		  : s[0] >> 4 == 14 ? 3
		  : s[0] >> 3 == 30 ? 4
				    : 0;

	if (len <= 1) {
		*point = s[0];
		return len;
	}
	*point = s[0] & (0x7f >> len);
	for (int i = 1; i < len; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		*point = *point << 6 | (s[i] & 0x3f);
	}
	if (*point < least[len] || *point > 0x10ffff || (*point >= 0xd800 && *point < 0xe000))
		return 0;
	return len;
}

/* C0, DEL, C1, and what turns the direction of writing: a terminal obeys them */
static bool obeyed(u32 c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200e && c <= 0x200f) ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static int escape(const char *s, const char *stays, char *out)
{
	const unsigned char *p = (const unsigned char *)s;
	int columns = 0;

	while (*p) {
		u32 point;
		int len = utf8_char(p, &point);

		if (len && ((!obeyed(point) && point != '\\') || (*p < 0x80 && strchr(stays, *p)))) {
			memcpy(out, p, (size_t)len);
			out += len;
			columns++;
		} else {
			len = len ? len : 1;
			for (int i = 0; i < len; i++)
				out += sprintf(out, "\\x%02x", p[i]);
			columns += 4 * len;
		}
		p += len;
	}
	*out = '\0';
	return columns;
}

int escape_text(const char *s, char *out)
{
	return escape(s, "", out);
}

void escape_pad(FILE *f, const char *s, int width)
{
	char buf[ESCAPED_SIZE(256)], *text = buf;
	int columns;

	if (strlen(s) > 256)
		text = malloc(ESCAPED_SIZE(strlen(s)));
	if (!text)
		return;
	columns = escape_text(s, text);
	fprintf(f, "%s%*s", text, max(width - columns, 0), "");
	if (text != buf)
		free(text);
}

void escape_lines(FILE *f, const char *s)
{
	char *text = malloc(ESCAPED_SIZE(strlen(s)));

	if (!text)
		return;
	escape(s, "\n\t\\", text);
	fputs(text, f);
	free(text);
}

json_t *escape_json(const char *s)
{
	json_t *j = json_string(s);
	char *text;

	if (j)
		return j;
	text = malloc(ESCAPED_SIZE(strlen(s)));
	if (!text)
		return NULL;
	escape_text(s, text);
	j = json_string(text);
	free(text);
	return j;
}
