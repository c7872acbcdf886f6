// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "trace/unpack.h"

#define CHUNK	       (256 * 1024)
#define MEMORY_LOG2    30
#define MEMORY_ALLOWED (1u << MEMORY_LOG2)

struct unpacker {
	enum packing how;
	bool whole;
	union {
		z_stream z;
		lzma_stream xz;
		ZSTD_DStream *zstd;
	};
	u8 out[CHUNK];
};

enum packing packing_of(const u8 *data, size_t len)
{
	static const struct {
		enum packing how;
		u8 len;
		char magic[7];
	} known[] = {
		{ PACKED_GZIP, 2, "\x1f\x8b" },
		{ PACKED_XZ, 6, "\xfd"
				"7zXZ\0" },
		{ PACKED_ZSTD, 4, "\x28\xb5\x2f\xfd" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (len >= known[i].len && !memcmp(data, known[i].magic, known[i].len))
			return known[i].how;
	return PACKED_NOT;
}

const char *packing_name(enum packing how)
{
	static const char *const name[] = {
		[PACKED_NOT] = "plain", [PACKED_GZIP] = "gzip", [PACKED_ZLIB] = "zlib",
		[PACKED_XZ] = "xz",	[PACKED_ZSTD] = "zstd",
	};

	return name[how];
}

static bool start(struct unpacker *u)
{
	switch (u->how) {
	case PACKED_GZIP:
		return inflateInit2(&u->z, MAX_WBITS + 16) == Z_OK;
	case PACKED_ZLIB:
		return inflateInit2(&u->z, MAX_WBITS) == Z_OK;
	case PACKED_XZ:
		return lzma_stream_decoder(&u->xz, MEMORY_ALLOWED, LZMA_CONCATENATED) == LZMA_OK;
	case PACKED_ZSTD:
		u->zstd = ZSTD_createDStream();
		return u->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(
					  u->zstd, ZSTD_d_windowLogMax, MEMORY_LOG2));
	case PACKED_NOT:
		break;
	}
	return true;
}

struct unpacker *unpacker_new(enum packing how)
{
	struct unpacker *u = malloc(sizeof(*u));

	if (!u)
		return NULL;
	memset(u, 0, offsetof(struct unpacker, out));
	u->how = how;
	u->whole = how == PACKED_NOT;
	if (start(u))
		return u;
	unpacker_free(u);
	return NULL;
}

/* zlib's counters are 32 bits wide; callers come with less */
static int feed_zlib(struct unpacker *u, const u8 *data, size_t len, unpack_sink *sink, void *ctx)
{
	int ret = 0;

	u->z.next_in = (Bytef *)data;
	u->z.avail_in = (uInt)len;
	u->z.avail_out = 0;
	while (!ret && (u->z.avail_in || !u->z.avail_out)) {
		int status;

		if (u->whole && (!u->z.avail_in || inflateReset(&u->z) != Z_OK))
			break;
		u->whole = false;
		u->z.next_out = u->out;
		u->z.avail_out = sizeof(u->out);
		status = inflate(&u->z, Z_NO_FLUSH);
		if (status == Z_BUF_ERROR)
			break;
		if (status == Z_MEM_ERROR)
			return -ENOMEM;
		if (status != Z_OK && status != Z_STREAM_END)
			return -EBADMSG;
		u->whole = status == Z_STREAM_END;
		ret = sink(ctx, u->out, sizeof(u->out) - u->z.avail_out);
	}
	return ret;
}

static int run_xz(struct unpacker *u, lzma_action action, unpack_sink *sink, void *ctx)
{
	lzma_ret status;
	int ret;

	do {
		u->xz.next_out = u->out;
		u->xz.avail_out = sizeof(u->out);
		status = lzma_code(&u->xz, action);
		if (status == LZMA_MEMLIMIT_ERROR)
			return -EFBIG;
		if (status == LZMA_MEM_ERROR)
			return -ENOMEM;
		if (status == LZMA_BUF_ERROR)
			return action == LZMA_RUN ? 0 : -EBADMSG;
		if (status != LZMA_OK && status != LZMA_STREAM_END)
			return -EBADMSG;
		ret = sink(ctx, u->out, sizeof(u->out) - u->xz.avail_out);
	} while (!ret && status == LZMA_OK && (u->xz.avail_in || !u->xz.avail_out));
	u->whole = status == LZMA_STREAM_END;
	return ret;
}

static int feed_zstd(struct unpacker *u, const u8 *data, size_t len, unpack_sink *sink, void *ctx)
{
	ZSTD_inBuffer in = { data, len, 0 };
	ZSTD_outBuffer out;
	int ret = 0;

	do {
		size_t status;

		out = (ZSTD_outBuffer){ u->out, sizeof(u->out), 0 };
		status = ZSTD_decompressStream(u->zstd, &out, &in);
		if (ZSTD_isError(status)) {
			ZSTD_ErrorCode why = ZSTD_getErrorCode(status);

			return why == ZSTD_error_frameParameter_windowTooLarge ? -EFBIG :
			       why == ZSTD_error_memory_allocation	       ? -ENOMEM :
										 -EBADMSG;
		}
		u->whole = !status;
		ret = sink(ctx, u->out, out.pos);
		if (u->whole && in.pos == in.size)
			break;
	} while (!ret && (in.pos < in.size || out.pos == out.size));
	return ret;
}

int unpacker_feed(struct unpacker *u, const u8 *data, size_t len, unpack_sink *sink, void *ctx)
{
	if (!len)
		return 0;
	switch (u->how) {
	case PACKED_GZIP:
	case PACKED_ZLIB:
		return feed_zlib(u, data, len, sink, ctx);
	case PACKED_XZ:
		u->xz.next_in = data;
		u->xz.avail_in = len;
		return run_xz(u, LZMA_RUN, sink, ctx);
	case PACKED_ZSTD:
		return feed_zstd(u, data, len, sink, ctx);
	case PACKED_NOT:
		break;
	}
	return sink(ctx, data, len);
}

static int nothing(void *ctx, const u8 *data, size_t len)
{
	return 0;
}

bool unpacker_whole(struct unpacker *u)
{
	/* several xz files in a row may go on: only the end tells that it is one */
	if (u->how == PACKED_XZ && !u->whole) {
		u->xz.avail_in = 0;
		return !run_xz(u, LZMA_FINISH, nothing, NULL) && u->whole;
	}
	return u->whole;
}

void unpacker_free(struct unpacker *u)
{
	if (!u)
		return;
	if (u->how == PACKED_GZIP || u->how == PACKED_ZLIB)
		inflateEnd(&u->z);
	else if (u->how == PACKED_XZ)
		lzma_end(&u->xz);
	else if (u->how == PACKED_ZSTD)
		ZSTD_freeDStream(u->zstd);
	free(u);
}
