/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unpack.h - packed data as it comes in, unpacked as it goes out.
 */
#ifndef IDLEST_TRACE_UNPACK_H
#define IDLEST_TRACE_UNPACK_H

#include "base/types.h"

enum packing { PACKED_NOT, PACKED_GZIP, PACKED_ZLIB, PACKED_XZ, PACKED_ZSTD };

/** packing_of() - how data that begins with these @len bytes is packed */
enum packing packing_of(const u8 *data, size_t len);
const char *packing_name(enum packing how);

/* Where the unpacked data goes; a negative errno ends the unpacking and is handed back. */
typedef int unpack_sink(void *ctx, const u8 *data, size_t len);

struct unpacker;

/** unpacker_new() - NULL: out of memory. One file may be several packed ones in a row. */
struct unpacker *unpacker_new(enum packing how);
/**
 * unpacker_feed() - the next @len bytes
 *
 * Return: 0; -EBADMSG: damaged; -EFBIG: it takes more than 1 GiB of memory;
 * -ENOMEM; or what @sink gave back.
 */
int unpacker_feed(struct unpacker *u, const u8 *data, size_t len, unpack_sink *sink, void *ctx);
/** unpacker_whole() - no more comes: whether all that was begun has come to its end */
bool unpacker_whole(struct unpacker *u);
void unpacker_free(struct unpacker *u);

#endif
