/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * read_file.h - a small file as one string.
 */
#ifndef IDLEST_BASE_READ_FILE_H
#define IDLEST_BASE_READ_FILE_H

#include "base/arena.h"
#include "base/err.h"

/** read_whole_file() - @text gets a zero byte behind; -ENOENT, -EINVAL (not a file, too large) */
int read_whole_file(struct arena *a, const char *path, const char **text, size_t *len,
		    struct err *err);

#endif
