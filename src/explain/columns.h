/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IDLEST_EXPLAIN_COLUMNS_H
#define IDLEST_EXPLAIN_COLUMNS_H

#include "base/types.h"
#include <stdio.h>

/**
 * columns_print() - two texts of several lines side by side
 * @width: characters of each column; longer lines are wrapped, at a space if possible
 */
void columns_print(const char *left, const char *right, int width, FILE *f);

#endif
