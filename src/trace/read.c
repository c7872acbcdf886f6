// SPDX-License-Identifier: BSD-2-Clause
/*
 * read.c - where a trace comes from: a file or standard input, packed or not.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/dat.h"
#include "trace/internal.h"
#include "trace/perfetto.h"
#include "trace/unpack.h"

#define CHUNK (256 * 1024)

/* What is read from front to back: one of the two is there once the first bytes are known. */
struct content {
	struct trace *t;
	struct ftrace_reader *text;
	struct perfetto_reader *packets;
};

struct input {
	const char *name; /* for messages */
	int fd;
	struct content content;
	u8 in[CHUNK];
	size_t nr_in; /* bytes in `in` */
};

/* Formats that can't be read from a stream, or not at all: what to do instead. */
static const struct format {
	const char *magic;
	size_t len;
	const char *what;
} formats[] = {
	{ "PERFILE2", 8, "a perf.data: print it first (perf script -i FILE | idlest ... -)" },
#define FORMAT_DAT 1
	{ "\x17\x08\x44tracing", 10, "a trace.dat within a packed file: unpack it first" },
};

static const struct format *format_of(const u8 *data, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (len >= formats[i].len && !memcmp(data, formats[i].magic, formats[i].len))
			return &formats[i];
	return NULL;
}

/* ---- content ---- */

static int feed(void *ctx, const u8 *data, size_t len)
{
	struct content *c = ctx;

	if (!len)
		return 0;
	if (!c->text && !c->packets) {
		if (format_of(data, len))
			return -EPROTONOSUPPORT;
		if (perfetto_begins(data, len))
			c->packets = perfetto_reader_new(c->t);
		else
			c->text = ftrace_reader_new(c->t);
		if (!c->text && !c->packets)
			return -ENOMEM;
	}
	return c->packets ? perfetto_feed(c->packets, data, len) :
			    ftrace_feed(c->text, (const char *)data, len);
}

static int end(struct content *c)
{
	int ret = c->packets ? perfetto_end(c->packets) : c->text ? ftrace_end(c->text) : 0;

	c->packets = NULL;
	c->text = NULL;
	return ret;
}

/* ---- the file ---- */

/* A pipe gives little at a time, but what begins the trace must be seen at once. */
static int fill(struct input *f, struct err *err)
{
	f->nr_in = 0;
	while (f->nr_in < sizeof(f->in)) {
		ssize_t n = read(f->fd, f->in + f->nr_in, sizeof(f->in) - f->nr_in);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, -errno, "%s: can't be read: %s", f->name,
				       strerror(errno));
		if (!n)
			break;
		f->nr_in += (size_t)n;
	}
	return 0;
}

static int say_what_failed(struct input *f, enum packing how, int ret, struct err *err)
{
	switch (ret) {
	case -EBADMSG:
		return err_set(
			err, ret,
			"%s: the %s data is damaged or cut off; unpack it by hand to save the rest",
			f->name, packing_name(how));
	case -EFBIG:
		return err_set(err, ret,
			       "%s: unpacking takes more than 1 GiB of memory; unpack it by hand",
			       f->name);
	case -EPROTONOSUPPORT:
		return err_set(err, -EINVAL,
			       "%s: this is a perf.data or a trace.dat within a packed file: "
			       "unpack it first, and print a perf.data by perf script",
			       f->name);
	default:
		return err_set(err, ret, "%s: out of memory", f->name);
	}
}

static int read_stream(struct input *f, struct err *err)
{
	enum packing how = packing_of(f->in, f->nr_in);
	struct unpacker *u = unpacker_new(how);
	int ret = u ? 0 : -ENOMEM, failed = ret;

	while (!ret && f->nr_in) {
		failed = ret = unpacker_feed(u, f->in, f->nr_in, feed, &f->content);
		if (!ret)
			ret = fill(f, err);
	}
	if (!ret && !unpacker_whole(u))
		failed = ret = -EBADMSG;
	unpacker_free(u);
	return failed ? say_what_failed(f, how, failed, err) : ret;
}

static int read_dat(struct input *f, struct err *err)
{
	if (f->fd == STDIN_FILENO)
		return err_set(err, -ESPIPE,
			       "%s: a trace.dat must be a file, it isn't read from front to back",
			       f->name);
	return trace_read_dat(f->content.t, f->name, err);
}

static int read_input(struct input *f, struct err *err)
{
	const struct format *format;
	int ret = fill(f, err);

	if (ret)
		return ret;
	format = format_of(f->in, f->nr_in);
	if (format == &formats[FORMAT_DAT])
		return read_dat(f, err);
	if (format)
		return err_set(err, -EINVAL, "%s: this is %s", f->name, format->what);
	return read_stream(f, err);
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
	if (t->packets)
		return err_set(err, -EINVAL,
			       "%s: not one sched event in this Perfetto file (%s): record the data "
			       "source linux.ftrace with sched/sched_switch and sched/sched_waking",
			       name, strcmp(why, "it is empty") ? why : "no packet has any");
	return err_set(err, -EINVAL,
		       "%s: not one sched event (%s); expected ftrace text, perf script, a "
		       "systrace page, a trace.dat or a Perfetto trace",
		       name, t->lines && !strcmp(why, "it is empty") ? "only comments" : why);
}

static int read_into(struct trace *t, const char *path, struct err *err)
{
	bool standard = !strcmp(path, "-");
	struct input *f = malloc(sizeof(*f));
	int ret;

	if (!f)
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	f->name = standard ? "standard input" : path;
	f->content = (struct content){ .t = t };
	f->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (f->fd < 0)
		ret = err_set(err, -errno, "%s: can't be opened: %s", path, strerror(errno));
	else
		ret = read_input(f, err);
	if (!standard && f->fd >= 0)
		close(f->fd);
	if (end(&f->content) && !ret)
		ret = err_set(err, -ENOMEM, "%s: out of memory", f->name);
	if (!ret && !t->nr)
		ret = no_events(t, f->name, err);
	if (!ret && trace_finish(t))
		ret = err_set(err, -ENOMEM, "%s: out of memory", f->name);
	free(f);
	return ret;
}

int trace_read(const char *path, struct trace **out, struct err *err)
{
	struct trace *t = trace_new();
	int ret;

	*out = NULL;
	if (!t)
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	ret = read_into(t, path, err);
	if (ret)
		trace_free(t);
	else
		*out = t;
	return ret;
}
