/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * newfile.h - a file that takes its name when it is whole.
 */
#ifndef IDLEST_TRACE_NEWFILE_H
#define IDLEST_TRACE_NEWFILE_H

#include <stdio.h>

#include "base/err.h"
#include "base/types.h"

struct new_file {
	FILE *f;	/* to be written to */
	char *path, *unfinished;
	bool has_name; /* the unfinished file is there under its name */
};

/**
 * new_file_open() - begin a file that will stand in @path
 *
 * Return: 0; -EINVAL when @path is there and isn't a regular file; errors of creating a file.
 */
int new_file_open(struct new_file *n, const char *path, struct err *err);
/** new_file_commit() - it is whole; Return: 0, -EIO, -ENOSPC, ...: then an old one is as it was */
int new_file_commit(struct new_file *n);
/** new_file_drop() - let go of it, in any case; what isn't committed leaves nothing */
void new_file_drop(struct new_file *n);

#endif
