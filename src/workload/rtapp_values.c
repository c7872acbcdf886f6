// SPDX-License-Identifier: BSD-2-Clause
/*
 * Messages with their place, values of the right type and the resources of
 * an rt-app file.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "workload/rtapp_parse.h"

/* ---- messages ---- */

int rtapp_fail(struct rtapp_parser *p, int code, int line, int col, const char *fmt, ...)
{
	char msg[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	return err_set(p->err, code, "%s:%d:%d: %s", p->app->file, line, col, msg);
}

int rtapp_bad(struct rtapp_parser *p, const struct rjson *v, const char *fmt, ...)
{
	char msg[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	return rtapp_fail(p, -EINVAL, v->line, v->col, "%s", msg);
}

/* What was said before of another place is not said again. */
static bool said_before(const struct rtapp *app, const char *text)
{
	size_t n = strlen(text);

	for (int i = 0; i < app->nr_warnings; i++) {
		size_t len = strlen(app->warning[i]);

		if (len >= n && !strcmp(app->warning[i] + len - n, text))
			return true;
	}
	return false;
}

void rtapp_warn(struct rtapp *app, int line, int col, const char *fmt, ...)
{
	char text[512], msg[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (app->nr_warnings == RTAPP_MAX_WARNINGS || said_before(app, text))
		return;
	snprintf(msg, sizeof(msg), "%s:%d:%d: %s", app->file, line, col, text);
	app->warning[app->nr_warnings] = app->nr_warnings == RTAPP_MAX_WARNINGS - 1
						 ? "more warnings are left out"
						 : arena_strdup(app->arena, msg);
	if (app->warning[app->nr_warnings])
		app->nr_warnings++;
}

/* ---- values ---- */

int rtapp_int(struct rtapp_parser *p, const struct rjson *v, s64 lo, s64 hi, s64 *value)
{
	const char *what = v->written ? v->written : "element";

	if (v->type != RJSON_INT)
		return rtapp_bad(p, v, "\"%s\" must be an integer, not %s", what,
				 rjson_type_name(v->type));
	if (v->integer < lo || v->integer > hi)
		return rtapp_bad(p, v, "\"%s\" must be an integer from %lld to %lld, not %lld",
				 what, (long long)lo, (long long)hi, (long long)v->integer);
	*value = v->integer;
	return 0;
}

int rtapp_string(struct rtapp_parser *p, const struct rjson *v, const char **value)
{
	if (v->type != RJSON_STRING)
		return rtapp_bad(p, v, "\"%s\" must be a string, not %s", v->written,
				 rjson_type_name(v->type));
	*value = v->string;
	return 0;
}

int rtapp_bool(struct rtapp_parser *p, const struct rjson *v, bool *value)
{
	if (v->type != RJSON_BOOL)
		return rtapp_bad(p, v, "\"%s\" must be true or false, not %s", v->written,
				 rjson_type_name(v->type));
	*value = v->integer;
	return 0;
}

int rtapp_int_member(struct rtapp_parser *p, const struct rjson *object, const char *key, s64 lo,
		     s64 hi, s64 *value)
{
	const struct rjson *v = rjson_get(object, key);

	return v ? rtapp_int(p, v, lo, hi, value) : 0;
}

int rtapp_is_object(struct rtapp_parser *p, const struct rjson *v)
{
	if (v->type != RJSON_OBJECT)
		return rtapp_bad(p, v, "\"%s\" must be an object ({…}), not %s", v->written,
				 rjson_type_name(v->type));
	return 0;
}

int rtapp_task_index(const struct rtapp_parser *p, const char *name)
{
	for (int i = 0; i < p->nr_task_names; i++)
		if (!strcmp(p->task_name[i], name))
			return i;
	return -1;
}

static int timer_number(struct rtapp_parser *p, int owner)
{
	return owner < 0 ? p->app->nr_shared_timers++ : p->app->task[owner].nr_timers++;
}

int rtapp_resource(struct rtapp_parser *p, enum rtapp_resource_kind kind, int owner,
		   const char *name, const struct rjson *at)
{
	struct rtapp *app = p->app;
	int n = app->nr_resources[kind];
	struct rtapp_resource *r = app->resource[kind];

	for (int i = 0; i < n; i++)
		if (r[i].owner == owner && !strcmp(r[i].name, name))
			return i;
	if (n == app->room[kind]) {
		app->room[kind] = max(2 * n, 8);
		r = arena_array(app->arena, app->room[kind], sizeof(*r));
		if (!r)
			return -ENOMEM;
		if (n)
			memcpy(r, app->resource[kind], n * sizeof(*r));
		app->resource[kind] = r;
	}
	r[n] = (struct rtapp_resource){
		.name = name,
		.line = at->line,
		.col = at->col,
		.owner = owner,
		.nr = kind == RTAPP_TIMER ? timer_number(p, owner) : 0,
	};
	return app->nr_resources[kind]++;
}

/* ---- keys that rt-app passes over without a word ---- */

static bool in_list(const char *const *list, const char *key)
{
	for (; *list; list++)
		if (!strcmp(*list, key))
			return true;
	return false;
}

void rtapp_warn_ignored(struct rtapp_parser *p, const struct rjson *object,
			const char *const *known, const char *const *also, bool events)
{
	for (const struct rjson *m = object->child; m; m = m->next) {
		bool event = rtapp_is_event(m->key);

		if (in_list(known, m->key) || (also && in_list(also, m->key)) || (event && events))
			continue;
		if (m->key != m->written)
			rtapp_warn(p->app, m->key_line, m->key_col,
				   "\"%s\" is given again; this one becomes \"%s\" and is ignored",
				   m->written, m->key);
		else if (event)
			rtapp_warn(p->app, m->key_line, m->key_col,
				   "the event \"%s\" is ignored: \"%s\" has phases", m->key,
				   object->key);
		else
			rtapp_warn(p->app, m->key_line, m->key_col, "unknown key \"%s\" is ignored",
				   m->key);
	}
}
