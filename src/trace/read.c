// SPDX-License-Identifier: BSD-2-Clause
/*
 * read.c - where a trace comes from: a file or standard input, packed or not.
 */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "trace/dat.h"
#include "trace/internal.h"

#define CHUNK (256 * 1024)

struct input {
	const char *name; /* for messages */
	int fd;
	struct trace *t;
	struct ftrace_reader *text;
	u8 in[CHUNK], out[CHUNK];
	size_t nr_in; /* bytes in `in` */
};

static int fill(struct input *f, struct err *err)
{
	ssize_t n;

	do
		n = read(f->fd, f->in, sizeof(f->in));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_set(err, -errno, "%s: can't be read: %s", f->name, strerror(errno));
	f->nr_in = (size_t)n;
	return 0;
}

static int feed(struct input *f, const u8 *data, size_t len, struct err *err)
{
	if (ftrace_feed(f->text, (const char *)data, len))
		return err_set(err, -ENOMEM, "%s: out of memory", f->name);
	return 0;
}

static int read_plain(struct input *f, struct err *err)
{
	int ret = 0;

	while (!ret && f->nr_in) {
		ret = feed(f, f->in, f->nr_in, err);
		if (!ret)
			ret = fill(f, err);
	}
	return ret;
}

static int damaged(struct input *f, const char *what, struct err *err)
{
	return err_set(err, -EBADMSG,
		       "%s: the %s data is damaged or cut off; unpack it by hand to save the rest",
		       f->name, what);
}

static int read_gzip(struct input *f, struct err *err)
{
	z_stream z = { 0 };
	bool ended = false;
	int ret = 0;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return err_set(err, -ENOMEM, "%s: out of memory", f->name);
	while (!ret && f->nr_in) {
		z.next_in = f->in;
		z.avail_in = (uInt)f->nr_in;
		while (!ret && (z.avail_in || !z.avail_out)) {
			int status;

			if (ended && inflateReset(&z) != Z_OK)
				break;
			ended = false;
			z.next_out = f->out;
			z.avail_out = sizeof(f->out);
			status = inflate(&z, Z_NO_FLUSH);
			if (status == Z_STREAM_END)
				ended = true;
			else if (status == Z_BUF_ERROR)
				break;
			else if (status != Z_OK)
				ret = damaged(f, "gzip", err);
			if (!ret)
				ret = feed(f, f->out, sizeof(f->out) - z.avail_out, err);
			if (ended && !z.avail_in)
				break;
		}
		if (!ret)
			ret = fill(f, err);
	}
	inflateEnd(&z);
	if (!ret && !ended)
		ret = damaged(f, "gzip", err);
	return ret;
}

static int read_xz(struct input *f, struct err *err)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret status = LZMA_OK;
	int ret = 0;

	if (lzma_stream_decoder(&z, 1 << 30, LZMA_CONCATENATED) != LZMA_OK)
		return err_set(err, -ENOMEM, "%s: out of memory", f->name);
	while (!ret && status == LZMA_OK) {
		lzma_action action = f->nr_in ? LZMA_RUN : LZMA_FINISH;

		z.next_in = f->in;
		z.avail_in = f->nr_in;
		do {
			z.next_out = f->out;
			z.avail_out = sizeof(f->out);
			status = lzma_code(&z, action);
			if (status == LZMA_MEMLIMIT_ERROR)
				ret = err_set(
					err, -ENOMEM,
					"%s: unpacking takes more than 1 GiB; unpack it by hand",
					f->name);
			else if (status != LZMA_OK && status != LZMA_STREAM_END)
				ret = damaged(f, "xz", err);
			if (!ret)
				ret = feed(f, f->out, sizeof(f->out) - z.avail_out, err);
		} while (!ret && status == LZMA_OK && (z.avail_in || !z.avail_out));
		if (!ret && status == LZMA_OK)
			ret = fill(f, err);
	}
	lzma_end(&z);
	return ret;
}

static int read_dat(struct input *f, struct err *err)
{
	if (f->fd == STDIN_FILENO)
		return err_set(err, -ESPIPE,
			       "%s: a trace.dat must be a file, it isn't read from front to back",
			       f->name);
	return trace_read_dat(f->t, f->name, err);
}

static const struct format {
	const char *magic;
	size_t len;
	int (*read)(struct input *f, struct err *err);
	const char *refused; /* what it is, if it can't be read */
} formats[] = {
	{ "\x1f\x8b", 2, read_gzip, NULL },
	{ "\xfd"
	  "7zXZ\0",
	  6, read_xz, NULL },
	{ "\x28\xb5\x2f\xfd", 4, NULL,
	  "a zstd file: unpack it first (zstd -dc FILE | idlest ... -)" },
	{ "PERFILE2", 8, NULL, "a perf.data: print it first (perf script -i FILE | idlest ... -)" },
	{ "\x17\x08\x44tracing", 10, read_dat, NULL },
};

static int read_stream(struct input *f, struct err *err)
{
	int ret = fill(f, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		const struct format *m = &formats[i];

		if (f->nr_in < m->len || memcmp(f->in, m->magic, m->len))
			continue;
		if (m->refused)
			return err_set(err, -EINVAL, "%s: this is %s", f->name, m->refused);
		return m->read(f, err);
	}
	return read_plain(f, err);
}

static int no_events(const struct trace *t, const char *name, struct err *err)
{
	char why[256] = "it is empty";

	if (t->lines)
		trace_note(t, 0, why, sizeof(why));
	if (t->others)
		return err_set(
			err, -EINVAL,
			"%s: not one sched event among %llu other ones: record with -e sched", name,
			(unsigned long long)t->others);
	return err_set(err, -EINVAL,
		       "%s: not one sched event (%s); expected ftrace text, perf script or a "
		       "systrace page",
		       name, t->lines && !strcmp(why, "it is empty") ? "only comments" : why);
}

int trace_read(const char *path, struct trace **out, struct err *err)
{
	bool standard = !strcmp(path, "-");
	struct trace *t = trace_new();
	struct input *f = malloc(sizeof(*f));
	struct ftrace_reader *r = t ? ftrace_reader_new(t) : NULL;
	int ret = 0;

	*out = NULL;
	if (!f || !r) {
		free(r);
		free(f);
		trace_free(t);
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	}
	f->name = standard ? "standard input" : path;
	f->t = t;
	f->text = r;
	f->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (f->fd < 0)
		ret = err_set(err, -errno, "%s: can't be opened: %s", path, strerror(errno));
	else
		ret = read_stream(f, err);
	if (!standard && f->fd >= 0)
		close(f->fd);
	if (ftrace_end(r) && !ret)
		ret = err_set(err, -ENOMEM, "%s: out of memory", f->name);
	if (!ret && !t->nr)
		ret = no_events(t, f->name, err);
	if (!ret && trace_finish(t))
		ret = err_set(err, -ENOMEM, "%s: out of memory", f->name);
	free(f);
	if (ret)
		trace_free(t);
	else
		*out = t;
	return ret;
}
