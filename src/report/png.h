/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * png.h - a picture of at most 256 colours as a PNG.
 */
#ifndef IDLEST_REPORT_PNG_H
#define IDLEST_REPORT_PNG_H

#include <stdio.h>

#include "base/types.h"

/**
 * png_base64() - print the picture as the text of a data: URL has it
 * @width, @height: at least 1
 * @palette: [256 * 3] red, green, blue
 * @row: fills [@width] with the colours of row @y
 * @line: room for @width + 1 bytes
 *
 * The data isn't packed: the same picture is the same bytes, whatever zlib is there.
 */
void png_base64(FILE *f, int width, int height, const u8 *palette,
		void (*row)(const void *ctx, int y, u8 *colours), const void *ctx, u8 *line);

#endif
