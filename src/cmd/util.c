// SPDX-License-Identifier: BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "report/escape.h"
#include "workload/workload.h"

int cmd_fail(const char *name, const struct err *err)
{
	fflush(stdout);
	fprintf(stderr, "idlest %s: ", name);
	escape_lines(stderr, err->msg); /* it may quote a file */
	fputc('\n', stderr);
	return 2;
}

u64 cmd_number(struct argp_state *state, const char *option, const char *arg, u64 lo, u64 hi)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(arg, &end, 10);
	if (!isdigit((unsigned char)arg[0]) || *end || errno || v < lo || v > hi)
		argp_error(state, "%s %s: expected a whole number from %llu to %llu", option, arg,
			   (unsigned long long)lo, (unsigned long long)hi);
	return v;
}

void cmd_workload_warnings(const char *name, const struct workload *w)
{
	const char *text;

	for (int i = 0; (text = workload_warning(w, i)); i++) {
		fprintf(stderr, "idlest %s: warning: ", name);
		escape_lines(stderr, text);
		fputc('\n', stderr);
	}
}
