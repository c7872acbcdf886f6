// SPDX-License-Identifier: BSD-2-Clause
/*
 * perfetto.c - the file as packets: a tag, a length, and that many bytes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/perfetto.h"
#include "trace/unpack.h"

enum wire { WIRE_VARINT, WIRE_64, WIRE_BYTES, WIRE_32 = 5 };

#define PACKET_FIELD 1

/* What one packet is unpacked into, given back all at once. */
struct scratch {
	ProtobufCAllocator allocator;
	struct scratch_block {
		struct scratch_block *next;
		size_t size, used;
		_Alignas(16) u8 data[];
	} *block;
	size_t total;
};

#define SCRATCH_BLOCK (1u << 20)
#define SCRATCH_MAX   (512u << 20) /* a packet of nothing but empty messages takes the most */

/* Bytes that become packets, of the file or of a packet that packs others. */
struct framer {
	struct trace *t;
	struct scratch scratch;
	bool packed; /* within another packet */
	bool lost;   /* no packet begins where one should */
	u64 to_skip; /* bytes of what is too long */
	u8 *carry;   /* a packet that isn't whole yet */
	size_t carried, room;
};

struct perfetto_reader {
	struct framer file;
};

/* ---- scratch ---- */

static void *scratch_alloc(void *ctx, size_t size)
{
	struct scratch *s = ctx;
	struct scratch_block *b = s->block;
	void *p;

	if (size > SCRATCH_MAX)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	if (!b || b->size - b->used < size) {
		size_t room = max(size, (size_t)SCRATCH_BLOCK);

		if (s->total + room > SCRATCH_MAX)
			return NULL;
		b = malloc(sizeof(*b) + room);
		if (!b)
			return NULL;
		*b = (struct scratch_block){ .next = s->block, .size = room };
		s->block = b;
		s->total += room;
	}
	p = b->data + b->used;
	b->used += size;
	return p;
}

static void scratch_free_one(void *ctx, void *p)
{
}

/* one block stays for the next packet */
static void scratch_reset(struct scratch *s, bool all)
{
	struct scratch_block *b = s->block, *next;

	for (; b && (all || b->next); b = next) {
		next = b->next;
		s->total -= b->size;
		free(b);
	}
	if (b)
		b->used = 0;
	s->block = b;
}

static void framer_init(struct framer *f, struct trace *t, bool packed)
{
	*f = (struct framer){ .t = t, .packed = packed };
	f->scratch.allocator =
		(ProtobufCAllocator){ scratch_alloc, scratch_free_one, &f->scratch };
}

static void framer_exit(struct framer *f)
{
	scratch_reset(&f->scratch, true);
	free(f->carry);
}

/* ---- wire format ---- */

/* Return: bytes that the number takes; 0: more are needed, -1: it is none */
static int varint(const u8 *p, const u8 *end, u64 *v)
{
	*v = 0;
	for (int i = 0; i < 10; i++) {
		if (p + i == end)
			return 0;
		*v |= (u64)(p[i] & 0x7f) << (7 * i);
		if (!(p[i] & 0x80))
			return i + 1;
	}
	return -1;
}

/*
 * A field's tag and what follows it up to its contents.
 * Return: bytes of that; 0: more are needed, -1: it is none
 */
static int field_head(const u8 *p, const u8 *end, u64 *number, u64 *len, bool *bytes)
{
	u64 tag, value;
	int n = varint(p, end, &tag), m = 0;

	if (n <= 0)
		return n;
	*number = tag >> 3;
	*bytes = false;
	*len = 0;
	if (!*number || *number > 0x1fffffff)
		return -1;
	switch ((enum wire)(tag & 7)) {
	case WIRE_VARINT:
		m = varint(p + n, end, &value);
		return m <= 0 ? m : n + m;
	case WIRE_64:
		*len = 8;
		return n;
	case WIRE_32:
		*len = 4;
		return n;
	case WIRE_BYTES:
		*bytes = true;
		m = varint(p + n, end, len);
		return m <= 0 ? m : n + m;
	default:
		return -1;
	}
}

bool perfetto_begins(const u8 *data, size_t len)
{
	const u8 *p = data, *end = data + len;
	u64 number, size;
	bool bytes;
	int n = field_head(p, end, &number, &size, &bytes);

	if (n <= 0 || number != PACKET_FIELD || !bytes || !size)
		return false;
	p += n;
	/* a text may begin with an empty line: the packet's own fields must fit, too */
	if (size < (u64)(end - p))
		end = p + size;
	else
		size = (u64)(end - p);
	for (u64 whole = size; p < end; p += size) {
		n = field_head(p, end, &number, &size, &bytes);
		if (n < 0 || (!n && whole == (u64)(end - data)))
			return false;
		if (!n)
			return true; /* as far as can be seen */
		p += n;
		if (size > (u64)(end - p))
			return end == data + len;
	}
	return true;
}

/* ---- packets ---- */

static int feed(void *framer, const u8 *data, size_t len);

/* Packets in a packet; a second time within that isn't done. */
static int packed_packets(struct framer *f, const ProtobufCBinaryData *d)
{
	enum packing how = packing_of(d->data, d->len);
	struct unpacker *u;
	struct framer inner;
	int ret;

	if (f->packed) {
		trace_skipped(f->t, SKIP_DAMAGED);
		return 0;
	}
	u = unpacker_new(how == PACKED_NOT ? PACKED_ZLIB : how);
	if (!u)
		return -ENOMEM;
	framer_init(&inner, f->t, true);
	ret = unpacker_feed(u, d->data, d->len, feed, &inner);
	if (!ret && (!unpacker_whole(u) || inner.carried || inner.to_skip))
		ret = -EBADMSG;
	if (ret == -EBADMSG || ret == -EFBIG) {
		trace_skipped(f->t, SKIP_DAMAGED);
		ret = 0;
	}
	unpacker_free(u);
	framer_exit(&inner);
	return ret;
}

static int names(struct trace *t, u64 ns, const Perfetto__ProcessTree *tree)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < tree->n_threads; i++)
		ret = perfetto_add_name(t, ns, tree->threads[i]->tid, tree->threads[i]->name);
	return ret;
}

/* Since 4.14 a task's state is numbered anew. */
static void kernel_release(struct trace *t, const Perfetto__SystemInfo *info)
{
	unsigned int major, minor;

	if (info->utsname && info->utsname->release &&
	    sscanf(info->utsname->release, "%3u.%3u", &major, &minor) == 2)
		t->new_states = major > 4 || (major == 4 && minor >= 14);
}

static int packet(struct framer *f, const u8 *data, size_t len)
{
	Perfetto__TracePacket *p;
	struct trace *t = f->t;
	int ret = 0;

	t->lines++;
	p = perfetto__trace_packet__unpack(&f->scratch.allocator, len, data);
	if (!p) {
		trace_skipped(t, SKIP_DAMAGED);
	} else if (p->machine_id) {
		trace_skipped(t, SKIP_MACHINE);
	} else {
		if (p->system_info)
			kernel_release(t, p->system_info);
		if (p->process_tree)
			ret = names(t, p->timestamp, p->process_tree);
		if (!ret && p->ftrace_events)
			ret = perfetto_add_bundle(t, p->ftrace_events);
		if (!ret && p->has_compressed_packets)
			ret = packed_packets(f, &p->compressed_packets);
	}
	scratch_reset(&f->scratch, false);
	return ret;
}

/* ---- framing ---- */

/* Return: bytes taken, 0: more are needed, or -ENOMEM */
static ssize_t take(struct framer *f, const u8 *p, const u8 *end)
{
	u64 number, len;
	bool bytes;
	int n = field_head(p, end, &number, &len, &bytes), ret;

	if (!n)
		return 0;
	if (n < 0) {
		f->lost = true;
		f->t->lines++;
		trace_skipped(f->t, SKIP_REST);
		return 0;
	}
	if (number != PACKET_FIELD || !bytes || len > PERFETTO_MAX_PACKET) {
		if (number == PACKET_FIELD && bytes) {
			f->t->lines++;
			trace_skipped(f->t, SKIP_LONG_PACKET);
		}
		f->to_skip = len;
		return n;
	}
	if (len > (u64)(end - p - n))
		return 0;
	ret = packet(f, p + n, len);
	return ret ? ret : (ssize_t)(n + (int)len);
}

static int carry(struct framer *f, const u8 *data, size_t len)
{
	size_t room = max(f->room, (size_t)4096);
	u8 *bigger;

	while (room < f->carried + len)
		room *= 2;
	if (room > f->room) {
		bigger = realloc(f->carry, room);
		if (!bigger)
			return -ENOMEM;
		f->carry = bigger;
		f->room = room;
	}
	memcpy(f->carry + f->carried, data, len);
	f->carried += len;
	return 0;
}

static const u8 *skip(struct framer *f, const u8 *p, const u8 *end)
{
	u64 n = min(f->to_skip, (u64)(end - p));

	f->to_skip -= n;
	return p + n;
}

static int feed(void *framer, const u8 *data, size_t len)
{
	struct framer *f = framer;
	const u8 *p = data, *end = data + len;
	bool carrying = f->carried;
	ssize_t n = 1;

	if (f->lost || !len)
		return 0;
	if (carrying) {
		int ret = carry(f, data, len);

		if (ret)
			return ret;
		p = f->carry;
		end = p + f->carried;
	}
	while (n > 0) {
		p = skip(f, p, end);
		n = p < end ? take(f, p, end) : 0;
		if (n < 0)
			return (int)n;
		p += n;
	}
	if (f->lost)
		p = end;
	if (carrying) {
		f->carried = (size_t)(end - p);
		memmove(f->carry, p, f->carried);
		return 0;
	}
	return p < end ? carry(f, p, (size_t)(end - p)) : 0;
}

/* ---- the reader ---- */

struct perfetto_reader *perfetto_reader_new(struct trace *t)
{
	struct perfetto_reader *r = malloc(sizeof(*r));

	if (r) {
		framer_init(&r->file, t, false);
		t->packets = true;
	}
	return r;
}

int perfetto_feed(struct perfetto_reader *r, const u8 *data, size_t len)
{
	return feed(&r->file, data, len);
}

int perfetto_end(struct perfetto_reader *r)
{
	struct trace *t = r->file.t;
	int ret;

	if (r->file.carried || r->file.to_skip) {
		t->lines++;
		trace_skipped(t, SKIP_CUT_PACKET);
	}
	framer_exit(&r->file);
	free(r);
	ret = trace_sort(t);
	t->out_of_order = 0; /* no packet is expected to be in order with others */
	return ret ? ret : perfetto_complete(t);
}
