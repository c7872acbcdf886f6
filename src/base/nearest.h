/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nearest.h - "did you mean …?" for names that a user mistyped.
 */
#ifndef IDLEST_BASE_NEAREST_H
#define IDLEST_BASE_NEAREST_H

/**
 * nearest_name() - the name that @what was most likely meant to be
 * @what: what the user wrote
 * @names: @n names; NULL entries are passed over
 *
 * Compares without regard to case; a dropped, added, wrong or swapped letter
 * each counts one. A name that takes more than a third of its letters to reach
 * (at least two) is no help, unless @what is the beginning of it. The first of
 * equals wins.
 *
 * Return: one of @names, or NULL if none is near.
 */
const char *nearest_name(const char *what, const char *const *names, int n);

#endif
