// SPDX-License-Identifier: BSD-2-Clause
#include "base/nearest.h"

#include <ctype.h>
#include <string.h>

#include "base/types.h"

#define MAX_NAME 64

/* Letters to change to get from @a to @b; names longer than MAX_NAME are compared in part. */
static int edit_distance(const char *a, const char *b)
{
	int la = min(strlen(a), (size_t)MAX_NAME), lb = min(strlen(b), (size_t)MAX_NAME);
	/* rows i - 2, i - 1 and i of the table, in turn */
	int row[3][MAX_NAME + 1];

	for (int j = 0; j <= lb; j++)
		row[0][j] = j;
	for (int i = 1; i <= la; i++) {
		int *cur = row[i % 3], *up = row[(i + 2) % 3], *upup = row[(i + 1) % 3];

		cur[0] = i;
		for (int j = 1; j <= lb; j++) {
			int ca = tolower((unsigned char)a[i - 1]);
			int cb = tolower((unsigned char)b[j - 1]);

			cur[j] = min(min(up[j], cur[j - 1]) + 1, up[j - 1] + (ca != cb));
			if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
			    cb == tolower((unsigned char)a[i - 2]))
				cur[j] = min(cur[j], upup[j - 2] + 1);
		}
	}
	return row[la % 3][lb];
}

const char *nearest_name(const char *what, const char *const *names, int n)
{
	const char *best = NULL, *begins = NULL;
	size_t len = strlen(what);
	int best_d = 0;

	for (int i = 0; i < n; i++) {
		int d, limit;

		if (!names[i])
			continue;
		if (len && !begins && !strncasecmp(what, names[i], len))
			begins = names[i];
		d = edit_distance(what, names[i]);
		limit = max(2, (int)strlen(names[i]) / 3);
		if (d <= limit && d < (int)strlen(names[i]) && (!best || d < best_d)) {
			best = names[i];
			best_d = d;
		}
	}
	return best ? best : begins;
}
