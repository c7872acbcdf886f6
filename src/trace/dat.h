/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dat.h - trace.dat, what trace-cmd records, through its own library.
 */
#ifndef IDLEST_TRACE_DAT_H
#define IDLEST_TRACE_DAT_H

#include "trace/trace.h"

/**
 * trace_read_dat() - add the events of the file @path to @t
 *
 * The library was made for files of one's own machine and doesn't survive every
 * damaged one; so it runs in a child process, which hands the events over.
 *
 * Return: 0, -EBADMSG if the file is damaged, -ENOMEM and other errors of starting a child.
 */
int trace_read_dat(struct trace *t, const char *path, struct err *err);

#endif
