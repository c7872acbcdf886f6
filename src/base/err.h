/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * err.h - errors as values: 0 or a negative errno, and a message for a person.
 *
 * A function that can fail for a reason the user can mend takes a
 * struct err * as its last argument, fills it and returns the negative errno.
 * The message names the place (file, line and column where there is one), the
 * cause and the remedy, and has no newline at its end. Only cmd/ prints it.
 */
#ifndef IDLEST_BASE_ERR_H
#define IDLEST_BASE_ERR_H

#include <stdarg.h>

struct err {
	int code;	/* the negative errno, 0 while nothing failed */
	char msg[1024]; /* what to tell the user */
};

/**
 * err_set() - fill @err with a formatted message and give back @code
 * @err: may be NULL (the caller doesn't want the text)
 * @code: negative errno
 * @fmt: printf format of the message
 *
 * A message that is there already is kept: the first failure is the cause.
 *
 * Return: @code, so that "return err_set(...)" reads as one step.
 */
int err_set(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int err_vset(struct err *err, int code, const char *fmt, va_list ap);

/**
 * err_prefix() - put the place in front of a message filled further down
 */
void err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/**
 * err_clear() - make @err ready for another call
 */
static inline void err_clear(struct err *err)
{
	err->code = 0;
	err->msg[0] = '\0';
}

#endif
