// SPDX-License-Identifier: BSD-2-Clause
/*
 * The events of rt-app files (spec 15 §5).
 */
#include <errno.h>
#include <string.h>

#include "base/nearest.h"
#include "workload/rtapp_parse.h"

typedef int (*event_reader)(struct rtapp_parser *p, const struct rjson *v, struct rtapp_event *e);

static int read_number(struct rtapp_parser *p, const struct rjson *v, struct rtapp_event *e)
{
	return rtapp_int(p, v, 0, INT32_MAX, &e->value);
}

/* The string names a resource. */
static int read_named(struct rtapp_parser *p, const struct rjson *v, enum rtapp_resource_kind kind,
		      struct rtapp_event *e)
{
	const char *name;
	int rc = rtapp_string(p, v, &name);

	if (rc)
		return rc;
	e->object = rtapp_resource(p, kind, -1, name, v);
	return min(e->object, 0);
}

static int read_mutex(struct rtapp_parser *p, const struct rjson *v, struct rtapp_event *e)
{
	return read_named(p, v, RTAPP_MUTEX, e);
}

static int read_cond(struct rtapp_parser *p, const struct rjson *v, struct rtapp_event *e)
{
	return read_named(p, v, RTAPP_COND, e);
}

static int read_sem(struct rtapp_parser *p, const struct rjson *v, struct rtapp_event *e)
{
	return read_named(p, v, RTAPP_SEM, e);
}

static int read_barrier(struct rtapp_parser *p, const struct rjson *v, struct rtapp_event *e)
{
	return read_named(p, v, RTAPP_BARRIER, e);
}

static int need_object(struct rtapp_parser *p, const struct rjson *v)
{
	if (v->type != RJSON_OBJECT)
		return rtapp_bad(p, v, "\"%s\" must be an object ({…}), not %s", v->written,
				 rjson_type_name(v->type));
	return 0;
}

static int need_member(struct rtapp_parser *p, const struct rjson *v, const char *key,
		       const char **text, const struct rjson **member)
{
	*member = rjson_get(v, key);
	if (!*member)
		return rtapp_bad(p, v, "\"%s\" needs \"%s\"", v->written, key);
	return text ? rtapp_string(p, *member, text) : 0;
}

/* wait, sync: {"ref": condition, "mutex": m} */
static int read_wait(struct rtapp_parser *p, const struct rjson *v, struct rtapp_event *e)
{
	const char *ref, *mutex;
	const struct rjson *at_ref, *at_mutex;
	int rc = need_object(p, v);

	if (!rc)
		rc = need_member(p, v, "ref", &ref, &at_ref);
	if (!rc)
		rc = need_member(p, v, "mutex", &mutex, &at_mutex);
	if (rc)
		return rc;
	e->object = rtapp_resource(p, RTAPP_COND, -1, ref, at_ref);
	e->mutex = rtapp_resource(p, RTAPP_MUTEX, -1, mutex, at_mutex);
	return min(min(e->object, e->mutex), 0);
}

/* {"ref": name, "period": us, "mode": "relative"|"absolute"} */
static int read_timer(struct rtapp_parser *p, const struct rjson *v, struct rtapp_event *e)
{
	const char *ref, *mode = "relative";
	const struct rjson *at_ref, *member;
	int rc = need_object(p, v);

	if (!rc)
		rc = need_member(p, v, "ref", &ref, &at_ref);
	if (!rc)
		rc = need_member(p, v, "period", NULL, &member);
	if (!rc)
		rc = rtapp_int(p, member, 0, INT32_MAX, &e->value);
	if (rc)
		return rc;
	member = rjson_get(v, "mode");
	if (member && (rc = rtapp_string(p, member, &mode)))
		return rc;
	if (strcmp(mode, "relative") && strcmp(mode, "absolute"))
		return rtapp_bad(p, member, "\"mode\" is \"relative\" or \"absolute\", not \"%s\"",
				 mode);
	e->object = rtapp_resource(p, RTAPP_TIMER, strncmp(ref, "unique", 6) ? -1 : p->task, ref,
				   at_ref);
	if (e->object < 0)
		return e->object;
	if (!strcmp(mode, "absolute"))
		p->app->resource[RTAPP_TIMER][e->object].absolute = true;
	return 0;
}

/*
 * A task waits on what is called as itself; the string says nothing. Until
 * 2025-05-31 the string named it.
 */
static int read_suspend(struct rtapp_parser *p, const struct rjson *v, struct rtapp_event *e)
{
	const char *own = p->task_name[p->task], *name = own;

	if (v->type != RJSON_STRING && v->type != RJSON_NONE)
		return rtapp_bad(p, v, "\"%s\" must be a string, not %s", v->written,
				 rjson_type_name(v->type));
	if (v->type == RJSON_STRING && p->app->opt.named_suspend)
		name = v->string;
	else if (v->type == RJSON_STRING && strcmp(v->string, own))
		rtapp_warn(
			p->app, v->line, v->col,
			"suspend name \"%s\" differs from the task's name \"%s\": it waits for a "
			"resume of \"%s\" (suspend=named gives the meaning of before 2025)",
			v->string, own, own);
	e->object = rtapp_resource(p, RTAPP_EVENT, -1, name, v);
	return min(e->object, 0);
}

static int read_resume(struct rtapp_parser *p, const struct rjson *v, struct rtapp_event *e)
{
	int rc = read_named(p, v, RTAPP_EVENT, e);

	if (!rc && !p->app->opt.named_suspend && rtapp_task_index(p, v->string) < 0)
		rtapp_warn(p->app, v->line, v->col,
			   "resume of \"%s\" wakes nobody: no task has this name", v->string);
	return rc;
}

static int read_access(struct rtapp_parser *p, const struct rjson *v, struct rtapp_memrun *m)
{
	static const char *const names[] = {
		[MEMRUN_READ] = "read",
		[MEMRUN_WRITE] = "write",
		[MEMRUN_CHASE] = "chase",
	};
	const struct rjson *at;
	const char *type;
	int rc = need_member(p, v, "type", &type, &at);

	if (rc)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(type, names[i])) {
			m->access = i;
			return 0;
		}
	return rtapp_bad(p, at, "\"type\" is \"read\", \"write\" or \"chase\", not \"%s\"", type);
}

static int read_pattern(struct rtapp_parser *p, const struct rjson *v, struct rtapp_memrun *m)
{
	const struct rjson *at = rjson_get(v, "pattern");
	const char *pattern = "random";
	int rc = at ? rtapp_string(p, at, &pattern) : 0;

	if (rc)
		return rc;
	m->sequential = !strcmp(pattern, "sequential");
	if (!m->sequential && strcmp(pattern, "random"))
		return rtapp_bad(p, at, "\"pattern\" is \"random\" or \"sequential\", not \"%s\"",
				 pattern);
	return 0;
}

/* Threads that share a buffer must agree on its size. */
static int shared_buffer(struct rtapp_parser *p, const struct rjson *v, struct rtapp_memrun *m)
{
	const struct rjson *at = rjson_get(v, "ref");
	struct rtapp_resource *buffer;
	const char *ref;
	int rc;

	m->buffer = -1;
	if (!at)
		return 0;
	rc = rtapp_string(p, at, &ref);
	if (rc)
		return rc;
	m->buffer = rtapp_resource(p, RTAPP_BUFFER, -1, ref, at);
	if (m->buffer < 0)
		return m->buffer;
	buffer = &p->app->resource[RTAPP_BUFFER][m->buffer];
	if (buffer->bytes && buffer->bytes != m->size)
		return rtapp_bad(p, at,
				 "the buffer \"%s\" has another size (%lld bytes) in its "
				 "first use, in line %d",
				 ref, (long long)buffer->bytes, buffer->line);
	buffer->bytes = m->size;
	return 0;
}

static int read_memrun(struct rtapp_parser *p, const struct rjson *v, struct rtapp_event *e)
{
	struct rtapp_memrun *m = arena_alloc(p->app->arena, sizeof(*m));
	const struct rjson *size, *count;
	int rc = m ? need_object(p, v) : -ENOMEM;

	if (!rc)
		rc = read_access(p, v, m);
	if (!rc)
		rc = need_member(p, v, "size", NULL, &size);
	if (!rc)
		rc = rtapp_int(p, size, 1, INT32_MAX, &m->size);
	if (!rc)
		rc = need_member(p, v, "count", NULL, &count);
	if (!rc)
		rc = rtapp_int(p, count, 0, INT32_MAX, &m->count);
	if (rc)
		return rc;
	m->stride = 64;
	rc = rtapp_int_member(p, v, "stride", 1, INT32_MAX, &m->stride);
	if (!rc)
		rc = read_pattern(p, v, m);
	if (!rc)
		rc = shared_buffer(p, v, m);
	e->memrun = m;
	return rc;
}

static int read_yield(struct rtapp_parser *p, const struct rjson *v, struct rtapp_event *e)
{
	return 0;
}

static int read_fork(struct rtapp_parser *p, const struct rjson *v, struct rtapp_event *e)
{
	const char *name, *near;
	int rc = rtapp_string(p, v, &name);

	if (rc)
		return rc;
	e->object = rtapp_task_index(p, name);
	if (e->object >= 0)
		return 0;
	near = nearest_name(name, p->task_name, p->nr_task_names);
	return rtapp_bad(p, v, "fork: no task is called \"%s\"%s%s%s", name,
			 near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* Recognised by prefix: where one is the beginning of another, the longer stands first. */
static const struct event_kind {
	const char *prefix;
	enum rtapp_event_type type;
	event_reader read;
} event_kinds[] = {
	{"runtime", RT_RUNTIME, read_number},  {"run", RT_RUN, read_number},
	{"sleep", RT_SLEEP, read_number},      {"timer", RT_TIMER, read_timer},
	{"lock", RT_LOCK, read_mutex},	       {"unlock", RT_UNLOCK, read_mutex},
	{"wait", RT_WAIT, read_wait},	       {"signal", RT_SIGNAL, read_cond},
	{"broad", RT_BROAD, read_cond},	       {"sync", RT_SYNC, read_wait},
	{"barrier", RT_BARRIER, read_barrier}, {"suspend", RT_SUSPEND, read_suspend},
	{"resume", RT_RESUME, read_resume},    {"sem_post", RT_SEM_POST, read_sem},
	{"sem_wait", RT_SEM_WAIT, read_sem},   {"memrun", RT_MEMRUN, read_memrun},
	{"mem", RT_MEM, read_number},	       {"iorun", RT_IORUN, read_number},
	{"yield", RT_YIELD, read_yield},       {"fork", RT_FORK, read_fork},
};

static const struct event_kind *event_kind(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(event_kinds); i++)
		if (!strncmp(key, event_kinds[i].prefix, strlen(event_kinds[i].prefix)))
			return &event_kinds[i];
	return NULL;
}

bool rtapp_is_event(const char *key)
{
	return event_kind(key);
}

int rtapp_events(struct rtapp_parser *p, const struct rjson *object, struct rtapp_event **first)
{
	for (const struct rjson *m = object->child; m; m = m->next) {
		const struct event_kind *kind = event_kind(m->key);
		struct rtapp_event *e;
		int rc;

		if (!kind)
			continue;
		if (!strcmp(m->written, "lock_order"))
			return rtapp_bad(p, m,
					 "\"lock_order\" is of rt-app's grammar of 2012, which "
					 "is not read; write the sequence as events (lock, run, "
					 "unlock, …)");
		e = arena_alloc(p->app->arena, sizeof(*e));
		if (!e)
			return -ENOMEM;
		*e = (struct rtapp_event){
			.type = kind->type,
			.key = m->key,
			.line = m->key_line,
			.col = m->key_col,
			.object = -1,
			.mutex = -1,
		};
		rc = kind->read(p, m, e);
		if (rc)
			return rc;
		*first = e;
		first = &e->next;
	}
	return 0;
}
