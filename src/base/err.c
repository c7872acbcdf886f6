// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <string.h>

#include "base/err.h"

int err_vset(struct err *err, int code, const char *fmt, va_list ap)
{
	if (err && !err->code) {
		err->code = code;
		vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	}
	return code;
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_vset(err, code, fmt, ap);
	va_end(ap);
	return code;
}

void err_prefix(struct err *err, const char *fmt, ...)
{
	char rest[sizeof(err->msg)];
	va_list ap;
	size_t n;

	if (!err)
		return;
	memcpy(rest, err->msg, sizeof(rest));
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	n = strlen(err->msg);
	snprintf(err->msg + n, sizeof(err->msg) - n, "%s", rest);
}
