/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fixture.h - machines for the tests of this room.
 *
 * SOURCE_ROOT is set by the build; the corpus is beside the source tree or
 * where IDLEST_SHARED says, and tests that need it skip where it is absent.
 */
#ifndef IDLEST_TESTS_MACHINE_FIXTURE_H
#define IDLEST_TESTS_MACHINE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "machine/machine.h"

static inline struct machine *load(const char *what)
{
	struct machine *m = NULL;
	struct err err = { 0 };

	if (machine_load(what, &m, &err))
		fail_msg("machine_load(%s): %s", what, err.msg);
	return m;
}

static inline const char *data_path(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/tests/data/machines/%s", SOURCE_ROOT, name);
	return path;
}

/* A file of the shared facts, or NULL where they are absent. */
static inline const char *shared_path(const char *name)
{
	static char path[512];
	const char *root = getenv("IDLEST_SHARED");

	if (root)
		snprintf(path, sizeof(path), "%s/%s", root, name);
	else
		snprintf(path, sizeof(path), "%s/../shared/%s", SOURCE_ROOT, name);
	return access(path, R_OK) ? NULL : path;
}

/* Write @text to a file of its own and give its path. */
static inline const char *temp_file(const char *text, size_t len)
{
	static char path[64];
	int fd;

	strcpy(path, "/tmp/idlest-machine-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
	return path;
}

/* Loading @text must fail with @code and a message that has every one of the NULL-ended texts. */
static inline void refuse(int code, const char *text, ...)
{
	const char *path = temp_file(text, strlen(text)), *part;
	struct machine *m = NULL;
	struct err err = { 0 };
	va_list ap;
	int ret = machine_load(path, &m, &err);

	unlink(path);
	if (!ret)
		machine_free(m);
	if (ret != code)
		fail_msg("machine_load() = %d (%s), expected %d, of:\n%s", ret, err.msg, code,
			 text);
	assert_int_equal(err.code, code);
	va_start(ap, text);
	while ((part = va_arg(ap, const char *)))
		if (!strstr(err.msg, part))
			fail_msg("'%s' is not in '%s', of:\n%s", part, err.msg, text);
	va_end(ap);
}

#endif
