// SPDX-License-Identifier: BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cpumask.h"

static int parse_number(const char **s, long *v)
{
	char *end;

	if (!isdigit((unsigned char)**s))
		return -EINVAL;
	errno = 0;
	*v = strtol(*s, &end, 10);
	*s = end;
	return errno ? -ERANGE : 0;
}

int mask_parse(const char *list, u64 *m, int nr_cpus, struct err *err)
{
	const char *s = list;

	mask_zero(m, mask_words(nr_cpus));
	do {
		long lo, hi;

		if (parse_number(&s, &lo))
			goto syntax;
		hi = lo;
		if (*s == '-') {
			s++;
			if (parse_number(&s, &hi) || hi < lo)
				goto syntax;
		}
		if (hi >= nr_cpus)
			return err_set(err, -ERANGE,
				       "CPU list '%s': CPU %ld doesn't exist, the machine has CPUs 0-%d",
				       list, hi, nr_cpus - 1);
		for (long c = lo; c <= hi; c++)
			mask_set(m, (int)c);
	} while (*s == ',' && *++s);
	if (*s)
		goto syntax;
	return 0;
syntax:
	return err_set(err, -EINVAL,
		       "CPU list '%s': expected numbers and ranges such as 0-3,8 at character %d", list,
		       (int)(s - list) + 1);
}

char *mask_format(const u64 *m, int words, char *buf, size_t len)
{
	size_t n = 0;
	int c;

	if (!len)
		return buf;
	buf[0] = '\0';
	for_each_cpu(c, m, words) {
		int last = c;

		while (last + 1 < words * 64 && mask_test(m, last + 1))
			last++;
		if (n < len)
			n += last > c ? snprintf(buf + n, len - n, "%s%d-%d", n ? "," : "", c, last)
				      : snprintf(buf + n, len - n, "%s%d", n ? "," : "", c);
		c = last;
	}
	return buf;
}
