// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/newfile.h"
#include "trace/writer.h"

struct trace_writer {
	struct new_file file;
	const struct trace_format_ops *ops;
	void *state;
	int error; /* the first one */
};

static const struct trace_format_ops *const formats[NR_TRACE_FORMATS] = {
	[TRACE_FTRACE] = &trace_text_ops,
	[TRACE_PERFETTO] = &trace_perfetto_ops,
};

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && !strcmp(s + n - m, end);
}

int trace_format_find(const char *name, const char *path, enum trace_format *f, struct err *err)
{
	bool perfetto = ends_with(path, ".pftrace") || ends_with(path, ".perfetto-trace") ||
			ends_with(path, ".perfetto");

	*f = perfetto ? TRACE_PERFETTO : TRACE_FTRACE;
	if (!name)
		return 0;
	for (int i = 0; i < NR_TRACE_FORMATS; i++) {
		if (!strcmp(name, formats[i]->name)) {
			*f = (enum trace_format)i;
			return 0;
		}
	}
	return err_set(err, -EINVAL, "'%s' is no format of a trace: ftrace or perfetto", name);
}

int trace_writer_open(const char *path, const struct trace_writing *how, struct trace_writer **out,
		      struct err *err)
{
	struct trace_writer *w = calloc(1, sizeof(*w));
	int ret;

	*out = NULL;
	if (!w)
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	w->ops = formats[how->format];
	ret = new_file_open(&w->file, path, err);
	if (!ret && w->ops->start(&w->state, w->file.f, how))
		ret = err_set(err, -ENOMEM, "%s: out of memory", path);
	if (ret)
		trace_writer_drop(w);
	else
		*out = w;
	return ret;
}

static void look_for_error(struct trace_writer *w)
{
	if (ferror(w->file.f))
		w->error = errno ? -errno : -EIO;
}

void trace_write_event(struct trace_writer *w, const struct trace *t, const struct trace_event *e)
{
	if (w->error)
		return;
	errno = 0;
	w->ops->event(w->state, t, e);
	look_for_error(w);
}

void trace_write_load(struct trace_writer *w, const struct trace_load *l)
{
	if (w->error || !w->ops->load)
		return;
	errno = 0;
	w->ops->load(w->state, l);
	look_for_error(w);
}

int trace_writer_close(struct trace_writer *w, struct err *err)
{
	int ret;

	errno = 0;
	if (!w->error)
		w->error = w->ops->end(w->state);
	if (!w->error)
		look_for_error(w);
	ret = w->error ? w->error : new_file_commit(&w->file);
	if (ret)
		err_set(err, ret, "%s: can't be written: %s", w->file.path, strerror(-ret));
	trace_writer_drop(w);
	return ret;
}

void trace_writer_drop(struct trace_writer *w)
{
	if (!w)
		return;
	if (w->state)
		w->ops->free(w->state);
	new_file_drop(&w->file);
	free(w);
}
