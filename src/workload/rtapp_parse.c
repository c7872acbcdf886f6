// SPDX-License-Identifier: BSD-2-Clause
/*
 * From the text of an rt-app file to tasks and phases (spec 15 §2 to §4).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workload/rtapp_parse.h"

#define MAX_FILE_BYTES (16 << 20)
#define MAX_THREADS    1000000

/* ---- tasks ---- */

static const char *const phase_keys[] = {
	"loop",	    "policy",	"priority", "dl-runtime",    "dl-period", "dl-deadline",
	"util_min", "util_max", "cpus",	    "nodes_membind", "taskgroup", NULL,
};

static const char *const thread_keys[] = {
	"instance", "delay", "phases", "runtime", "period", "deadline", NULL,
};

static int read_phase(struct rtapp_parser *p, const struct rjson *v, struct rtapp_phase *ph)
{
	s64 loop = 1;
	int rc = rtapp_is_object(p, v);

	if (!rc)
		rc = rtapp_int_member(p, v, "loop", INT32_MIN, INT32_MAX, &loop);
	if (!rc)
		rc = rtapp_read_sched(p, v, false, &ph->sched);
	if (!rc)
		rc = rtapp_read_list(p, v, "cpus", &ph->cpus);
	if (!rc)
		rc = rtapp_read_list(p, v, "nodes_membind", &ph->nodes);
	if (!rc)
		rc = rtapp_events(p, v, &ph->event);
	if (!rc)
		rtapp_warn_ignored(p, v, phase_keys, NULL, true);
	ph->loop = loop;
	return rc;
}

static struct rtapp_phase *new_phase(struct rtapp_parser *p, const struct rjson *v)
{
	struct rtapp_phase *ph = arena_alloc(p->app->arena, sizeof(*ph));

	if (ph) {
		ph->name = v->key;
		ph->line = v->key_line;
		ph->col = v->key_col;
		ph->sched.util_min = ph->sched.util_max = -1;
	}
	return ph;
}

static int read_phases(struct rtapp_parser *p, const struct rjson *phases, struct rtapp_task *t)
{
	struct rtapp_phase **last = &t->phase;
	int rc = rtapp_is_object(p, phases);

	for (const struct rjson *m = rc ? NULL : phases->child; m && !rc; m = m->next) {
		*last = new_phase(p, m);
		if (!*last)
			return -ENOMEM;
		rc = read_phase(p, m, *last);
		last = &(*last)->next;
	}
	if (!rc && !t->phase)
		rc = rtapp_bad(p, phases, "\"phases\" is empty");
	return rc;
}

/*
 * Without phases the events of the thread are its only phase, and the loop of
 * the thread is that phase's.
 */
static int single_phase(struct rtapp_parser *p, const struct rjson *v, struct rtapp_task *t)
{
	t->phase = new_phase(p, v);
	if (!t->phase)
		return -ENOMEM;
	t->phase->loop = t->loop;
	t->loop = 1;
	return rtapp_events(p, v, &t->phase->event);
}

static int read_task(struct rtapp_parser *p, const struct rjson *v, struct rtapp_task *t)
{
	const struct rjson *phases = v->type == RJSON_OBJECT ? rjson_get(v, "phases") : NULL;
	s64 instances = 1, loop = -1;
	int rc = rtapp_is_object(p, v);

	if (!rc)
		rc = rtapp_int_member(p, v, "instance", 0, MAX_THREADS, &instances);
	if (!rc)
		rc = rtapp_int_member(p, v, "loop", INT32_MIN, INT32_MAX, &loop);
	if (!rc)
		rc = rtapp_int_member(p, v, "delay", 0, INT32_MAX, &t->delay_us);
	if (!rc)
		rc = rtapp_read_sched(p, v, true, &t->sched);
	if (!rc)
		rc = rtapp_read_list(p, v, "cpus", &t->cpus);
	if (!rc)
		rc = rtapp_read_list(p, v, "nodes_membind", &t->nodes);
	if (rc)
		return rc;
	t->instances = instances;
	t->loop = loop;
	rc = phases ? read_phases(p, phases, t) : single_phase(p, v, t);
	if (!rc)
		rtapp_warn_ignored(p, v, phase_keys, thread_keys, !phases);
	return rc;
}

static int name_tasks(struct rtapp_parser *p, const struct rjson *tasks)
{
	int n = 0;

	for (const struct rjson *m = tasks->child; m; m = m->next)
		n++;
	if (!n)
		return rtapp_bad(p, tasks, "\"tasks\" is empty: there is nothing to run");
	p->task_name = arena_array(p->app->arena, n, sizeof(*p->task_name));
	p->app->task = arena_array(p->app->arena, n, sizeof(*p->app->task));
	if (!p->task_name || !p->app->task)
		return -ENOMEM;
	for (const struct rjson *m = tasks->child; m; m = m->next) {
		p->app->task[p->nr_task_names].name = m->key;
		p->app->task[p->nr_task_names].line = m->key_line;
		p->app->task[p->nr_task_names].col = m->key_col;
		p->task_name[p->nr_task_names++] = m->key;
	}
	p->app->nr_tasks = n;
	return 0;
}

static int read_tasks(struct rtapp_parser *p, const struct rjson *top)
{
	const struct rjson *tasks = rjson_get(top, "tasks");
	int rc;

	if (!tasks)
		return rtapp_bad(p, top,
				 "the file has no \"tasks\": it isn't a complete rt-app "
				 "workload");
	rc = rtapp_is_object(p, tasks);
	if (!rc)
		rc = name_tasks(p, tasks);
	for (const struct rjson *m = rc ? NULL : tasks->child; m && !rc; m = m->next, p->task++) {
		struct rtapp_task *t = &p->app->task[p->task];

		rc = read_task(p, m, t);
		t->first_index = p->app->nr_threads;
		p->app->nr_threads += t->instances;
		if (!rc && p->app->nr_threads > MAX_THREADS)
			rc = rtapp_fail(p, -EINVAL, t->line, t->col, "more than %d threads",
					MAX_THREADS);
	}
	return rc;
}

/* ---- the file ---- */

/* Resources are made at first use; the list of old files is accepted and not looked into. */
static int read_resources(struct rtapp_parser *p, const struct rjson *v)
{
	if (v->type != RJSON_OBJECT && v->type != RJSON_INT)
		return rtapp_bad(p, v, "\"resources\" must be an object, not %s",
				 rjson_type_name(v->type));
	return 0;
}

static int read_top(struct rtapp_parser *p, const struct rjson *top)
{
	const struct rjson *global, *resources;
	int rc = 0;

	if (top->type != RJSON_OBJECT)
		return rtapp_bad(p, top, "an rt-app file is an object ({…}), not %s",
				 rjson_type_name(top->type));
	global = rjson_get(top, "global");
	resources = rjson_get(top, "resources");
	if (global)
		rc = rtapp_read_global(p, global);
	if (!rc && resources)
		rc = read_resources(p, resources);
	if (!rc)
		rc = read_tasks(p, top);
	return rc ? rc : rtapp_check(p);
}

int rtapp_parse(const char *text, size_t len, const char *file, const struct rtapp_options *opt,
		struct rtapp **result, struct err *err)
{
	struct arena *arena = arena_new();
	struct rtapp *app = arena ? arena_alloc(arena, sizeof(*app)) : NULL;
	struct rtapp_parser p = {.app = app, .err = err};
	const struct rjson *top;
	int rc = -ENOMEM;

	if (app) {
		app->arena = arena;
		app->opt = *opt;
		app->duration_s = -1;
		app->mem_buffer_size = 4194304;
		app->file = arena_strdup(arena, file);
	}
	if (app && app->file) {
		top = rjson_parse(text, len, app->file, opt->reading, arena, err);
		rc = top ? read_top(&p, top) : -EINVAL;
	}
	if (rc) {
		if (rc == -ENOMEM)
			err_set(err, rc, "%s: out of memory", file);
		arena_free(arena);
		return rc;
	}
	*result = app;
	return 0;
}

static int read_file(const char *path, char **text, size_t *len, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc = 0;
	ssize_t n = 0;
	struct stat st;

	*text = NULL;
	if (fd < 0 || fstat(fd, &st) < 0)
		rc = err_set(err, -errno, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		rc = err_set(err, -EISDIR, "%s: is a directory; an rt-app file is expected", path);
	else if (!(*text = malloc(MAX_FILE_BYTES + 1)))
		rc = err_set(err, -ENOMEM, "%s: out of memory", path);
	for (*len = 0; !rc && *len <= MAX_FILE_BYTES; *len += n) {
		n = read(fd, *text + *len, MAX_FILE_BYTES + 1 - *len);
		if (n < 0)
			rc = err_set(err, -errno, "%s: %s", path, strerror(errno));
		if (n <= 0)
			break;
	}
	if (!rc && *len > MAX_FILE_BYTES)
		rc = err_set(err, -EFBIG, "%s: larger than %d bytes: not an rt-app file", path,
			     MAX_FILE_BYTES);
	if (fd >= 0)
		close(fd);
	return rc;
}

int rtapp_read(const char *path, const struct rtapp_options *opt, struct rtapp **app,
	       struct err *err)
{
	char *text;
	size_t len;
	int rc = read_file(path, &text, &len, err);

	if (!rc)
		rc = rtapp_parse(text, len, path, opt, app, err);
	free(text);
	return rc;
}

void rtapp_free(struct rtapp *app)
{
	if (app)
		arena_free(app->arena);
}
