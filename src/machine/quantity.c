// SPDX-License-Identifier: BSD-2-Clause
#include "machine/quantity.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAX_FRACTION 9 /* digits after the point that are looked at */

struct unit {
	const char *name;
	u64 factor;
};

static const struct {
	const char *what;    /* "a time" */
	const char *example;
	struct unit unit[6]; /* ascending; ends with a NULL name */
} kinds[NR_QUANTITIES] = {
	[Q_COUNT] = { "a whole number", "8", { { "", 1 } } },
	[Q_TIME] = { "a time (ns, us, ms, s)",
		     "1.2 us",
		     { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } } },
	[Q_BYTES] = { "a size (B, KiB, MiB, GiB, TiB)",
		      "512 KiB",
		      { { "B", 1 },
			{ "KiB", 1ULL << 10 },
			{ "MiB", 1ULL << 20 },
			{ "GiB", 1ULL << 30 },
			{ "TiB", 1ULL << 40 } } },
	[Q_RATE] = { "a bandwidth (MB/s, GB/s)",
		     "22.5 GB/s",
		     { { "B/s", 1 }, { "MB/s", 1000000 }, { "GB/s", 1000000000 } } },
	[Q_FREQ] = { "a frequency (MHz, GHz)", "3500 MHz", { { "MHz", 1 }, { "GHz", 1000 } } },
	[Q_PERCENT] = { "a percentage", "300 %", { { "%", 1 } } },
	[Q_PERMILLE] = { "a percentage", "62.5 %", { { "%", 10 } } },
	[Q_BOOL] = { "yes or no", "yes", { { "", 1 } } },
};

static int parse_bool(const char *text, u64 *v)
{
	if (!strcasecmp(text, "yes") || !strcasecmp(text, "true"))
		*v = 1;
	else if (!strcasecmp(text, "no") || !strcasecmp(text, "false"))
		*v = 0;
	else
		return -EINVAL;
	return 0;
}

/*
 * Digits, at most one point, blanks, a unit. The fraction is kept as an
 * integer below a power of ten, so that the result depends on no rounding.
 */
static int parse_number(const char *s, enum quantity q, u64 *v)
{
	const struct unit *u = kinds[q].unit;
	u64 whole = 0, fraction = 0, scale = 1;
	u128 r;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	for (; isdigit((unsigned char)*s); s++) {
		if (whole > UINT64_MAX / 10 - 9)
			return -ERANGE;
		whole = whole * 10 + (*s - '0');
	}
	if (*s == '.' && q != Q_COUNT) {
		if (!isdigit((unsigned char)*++s))
			return -EINVAL;
		for (int n = 0; isdigit((unsigned char)*s); s++)
			if (n++ < MAX_FRACTION) {
				fraction = fraction * 10 + (*s - '0');
				scale *= 10;
			}
	}
	while (*s == ' ' || *s == '\t')
		s++;
	while (u->name && strcmp(s, u->name))
		u++;
	if (!u->name && !(*s == '\0' && !whole && !fraction))
		return -EINVAL;
	r = u->name ? (u128)whole * u->factor + (u128)fraction * u->factor / scale : 0;
	if (r > UINT64_MAX)
		return -ERANGE;
	*v = (u64)r;
	return 0;
}

int quantity_parse(const char *text, enum quantity q, u64 lo, u64 hi, u64 *v, struct err *err)
{
	int ret = q == Q_BOOL ? parse_bool(text, v) : parse_number(text, q, v);
	char a[32], b[32];

	if (ret == -EINVAL)
		return err_set(err, ret, "'%.60s' is not %s; write it like '%s'", text,
			       kinds[q].what, kinds[q].example);
	if (ret || *v < lo || *v > hi)
		return err_set(err, -ERANGE, "'%.60s' is out of range, allowed are %s to %s", text,
			       quantity_format(lo, q, a, sizeof(a)),
			       quantity_format(hi, q, b, sizeof(b)));
	return 0;
}

const char *quantity_format(u64 v, enum quantity q, char *buf, size_t len)
{
	const struct unit *best = kinds[q].unit;

	if (q == Q_BOOL) {
		snprintf(buf, len, "%s", v ? "yes" : "no");
		return buf;
	}
	if (q == Q_PERMILLE) {
		snprintf(buf, len, v % 10 ? "%" PRIu64 ".%d %%" : "%" PRIu64 " %%", v / 10,
			 (int)(v % 10));
		return buf;
	}
	for (const struct unit *u = best; u->name; u++)
		if (v && v % u->factor == 0)
			best = u;
	snprintf(buf, len, "%" PRIu64 "%s%s", v / best->factor, best->name[0] ? " " : "",
		 best->name);
	return buf;
}
