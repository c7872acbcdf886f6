// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>
#include <zlib.h>

#include "report/png.h"

/* Bytes on their way to base64; the checksum is that of the chunk. */
struct stream {
	FILE *f;
	u8 held[3];
	int nr_held;
	u32 crc;
};

static void put_quad(const struct stream *s)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	u32 v = (u32)s->held[0] << 16 | s->held[1] << 8 | s->held[2];

	for (int i = 0; i < 4; i++)
		fputc(i <= s->nr_held ? digit[v >> (18 - 6 * i) & 63] : '=', s->f);
}

static void put(struct stream *s, const u8 *data, size_t len)
{
	s->crc = (u32)crc32(s->crc, data, (uInt)len);
	for (size_t i = 0; i < len; i++) {
		s->held[s->nr_held++] = data[i];
		if (s->nr_held < 3)
			continue;
		put_quad(s);
		s->nr_held = 0;
	}
}

static void put_end(struct stream *s)
{
	if (!s->nr_held)
		return;
	memset(s->held + s->nr_held, 0, sizeof(s->held) - s->nr_held);
	put_quad(s);
}

static void put_u32(struct stream *s, u32 v)
{
	const u8 b[] = {v >> 24, v >> 16, v >> 8, v};

	put(s, b, sizeof(b));
}

static void chunk_begin(struct stream *s, const char *type, u32 len)
{
	put_u32(s, len);
	s->crc = (u32)crc32(0, NULL, 0);
	put(s, (const u8 *)type, 4);
}

static void chunk_end(struct stream *s)
{
	put_u32(s, s->crc);
}

/* One line is one stored block of deflate: its length, and that again with all bits turned. */
static void put_line(struct stream *s, const u8 *line, u32 len, bool last)
{
	const u8 head[] = {last, len, len >> 8, ~len, ~len >> 8};

	put(s, head, sizeof(head));
	put(s, line, len);
}

void png_base64(FILE *f, int width, int height, const u8 *palette,
		void (*row)(const void *ctx, int y, u8 *colours), const void *ctx, u8 *line)
{
	static const u8 signature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
	static const u8 format[] = {8, 3, 0, 0, 0}; /* 8 bits, a palette */
	static const u8 zlib_head[] = {0x78, 0x01};
	struct stream s = {.f = f};
	u32 sum = (u32)adler32(0, NULL, 0), len = width + 1;

	put(&s, signature, sizeof(signature));
	chunk_begin(&s, "IHDR", 13);
	put_u32(&s, width);
	put_u32(&s, height);
	put(&s, format, sizeof(format));
	chunk_end(&s);
	chunk_begin(&s, "PLTE", 256 * 3);
	put(&s, palette, 256 * 3);
	chunk_end(&s);
	chunk_begin(&s, "IDAT", sizeof(zlib_head) + height * (5 + len) + 4);
	put(&s, zlib_head, sizeof(zlib_head));
	for (int y = 0; y < height; y++) {
		line[0] = 0; /* no filter */
		row(ctx, y, line + 1);
		sum = (u32)adler32(sum, line, len);
		put_line(&s, line, len, y == height - 1);
	}
	put_u32(&s, sum);
	chunk_end(&s);
	chunk_begin(&s, "IEND", 0);
	chunk_end(&s);
	put_end(&s);
}
