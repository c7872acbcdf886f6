/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz.h - what the targets share. Each reads its input as one reader does,
 * and aborts if the answer can't be: no error without a message, no event out
 * of order. Memory and behaviour are the sanitizers' business.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/types.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* A failure has a reason for the user; a success has none. */
static inline void fuzz_check_err(int ret, const struct err *err)
{
	if (!ret == !!err->msg[0] || ret > 0)
		abort();
}

/* The input as a string, to be freed. */
static inline char *fuzz_string(const u8 *data, size_t size)
{
	char *s = malloc(size + 1);

	if (!s)
		abort();
	if (size)
		memcpy(s, data, size);
	s[size] = '\0';
	return s;
}

/* The input as a file whose name ends with @suffix; one a process, gone when it ends. */
static char fuzz_path[64];

static inline void fuzz_unlink(void)
{
	unlink(fuzz_path);
}

static inline const char *fuzz_file(const u8 *data, size_t size, const char *suffix)
{
	int fd;

	if (!fuzz_path[0]) {
		snprintf(fuzz_path, sizeof(fuzz_path), "/tmp/idlest-fuzz-%d%s", (int)getpid(), suffix);
		atexit(fuzz_unlink);
	}
	fd = open(fuzz_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	return fuzz_path;
}

#endif
