// SPDX-License-Identifier: BSD-2-Clause
/*
 * What threads and phases ask of the scheduler (spec 15 §4).
 */
#include <errno.h>
#include <string.h>

#include "workload/rtapp_parse.h"

static const char *const policies[] = {
	[RTAPP_OTHER] = "SCHED_OTHER", [RTAPP_BATCH] = "SCHED_BATCH",
	[RTAPP_IDLE] = "SCHED_IDLE",   [RTAPP_FIFO] = "SCHED_FIFO",
	[RTAPP_RR] = "SCHED_RR",       [RTAPP_DEADLINE] = "SCHED_DEADLINE",
};

int rtapp_read_policy(struct rtapp_parser *p, const struct rjson *v, enum rtapp_policy *policy)
{
	const char *name;
	int rc = rtapp_string(p, v, &name);

	if (rc)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++)
		if (!strcmp(name, policies[i])) {
			*policy = i;
			return 0;
		}
	return rtapp_bad(p, v,
			 "\"%s\" is SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR "
			 "or SCHED_DEADLINE, not \"%s\"",
			 v->written, name);
}

/*
 * "priority" is a nice value for fair policies, else a realtime priority; deadline tasks ignore
 * it. A phase that doesn't name its policy may mean either.
 */
static int read_priority(struct rtapp_parser *p, const struct rjson *v, bool known,
			 struct rtapp_sched *s)
{
	bool realtime = s->policy == RTAPP_FIFO || s->policy == RTAPP_RR;
	bool either = !known || s->policy == RTAPP_DEADLINE;
	s64 value = 0;
	int rc;

	if (!v)
		return 0;
	rc = rtapp_int(p, v, realtime && known ? 1 : -20, realtime || either ? 99 : 19, &value);
	s->priority = value;
	return rc;
}

/* @clamp: -1 leaves it as it is */
static int read_clamp(struct rtapp_parser *p, const struct rjson *object, const char *key,
		      int *clamp)
{
	const struct rjson *v = rjson_get(object, key);
	s64 value = -1;
	int rc = v ? rtapp_int(p, v, -1, 1024, &value) : 0;

	*clamp = value;
	return rc;
}

/* "/a//b/" is /a/b; NULL: out of memory */
static char *clean_path(struct arena *arena, const char *name)
{
	char *path = arena_strdup(arena, name), *to = path;

	for (const char *from = name; path && *from; from++)
		if (*from != '/' || to == path || to[-1] != '/')
			*to++ = *from;
	if (path && to > path + 1 && to[-1] == '/')
		to--;
	if (path)
		*to = '\0';
	return path;
}

static int group_number(struct rtapp_parser *p, const struct rjson *v, const char *name)
{
	struct rtapp *app = p->app;
	char *path = clean_path(app->arena, name);
	int i = 0;

	if (!path)
		return -ENOMEM;
	if (strstr(path, "/."))
		return rtapp_bad(p, v, "\"taskgroup\" is no path of groups: \"%s\"", name);
	while (i < app->nr_groups && strcmp(app->group[i], path))
		i++;
	if (i == app->nr_groups) {
		if (i > RTAPP_MAX_GROUPS)
			return rtapp_bad(p, v, "more than %d task groups", RTAPP_MAX_GROUPS);
		app->group[app->nr_groups++] = path;
	}
	return i;
}

static int read_taskgroup(struct rtapp_parser *p, const struct rjson *object,
			  struct rtapp_sched *s)
{
	const struct rjson *v = rjson_get(object, "taskgroup");
	const char *name;
	int rc = v ? rtapp_string(p, v, &name) : 0;

	if (rc || !v || !*name)
		return rc;
	if (*name != '/')
		return rtapp_bad(p, v, "\"taskgroup\" must begin with \"/\", not \"%s\"", name);
	if (s->policy > RTAPP_IDLE)
		return rtapp_bad(p, v,
				 "\"taskgroup\" is for SCHED_OTHER, SCHED_BATCH and SCHED_IDLE, "
				 "not for %s",
				 policies[s->policy]);
	rc = group_number(p, v, name);
	if (rc < 0)
		return rc;
	s->taskgroup = rc + 1;
	return 0;
}

/* one time of a deadline task, under its name or, of a thread, its legacy name; 0: not given */
static int read_dl_time(struct rtapp_parser *p, const struct rjson *object, const char *key,
			const char *legacy, s64 *us)
{
	const struct rjson *v = rjson_get(object, key);

	if (!v && legacy)
		v = rjson_get(object, legacy);
	*us = 0;
	return v ? rtapp_int(p, v, 0, INT32_MAX, us) : 0;
}

/* The period defaults to the runtime, the deadline to the period (spec 15 §4). */
static int read_deadline(struct rtapp_parser *p, const struct rjson *object, bool thread,
			 struct rtapp_sched *s)
{
	int rc = read_dl_time(p, object, "dl-period", thread ? "period" : NULL, &s->period_us);

	if (!rc)
		rc = read_dl_time(p, object, "dl-deadline", thread ? "deadline" : NULL,
				  &s->deadline_us);
	if (!s->period_us)
		s->period_us = s->slice_us;
	if (!s->deadline_us)
		s->deadline_us = s->period_us;
	return rc;
}

/*
 * The custom slice. A thread without phases that says "runtime" means an event
 * and gets a slice all the same, for the legacy name of dl-runtime is read too.
 */
static int read_slice(struct rtapp_parser *p, const struct rjson *object, bool thread,
		      struct rtapp_sched *s)
{
	const struct rjson *v = rjson_get(object, "dl-runtime");
	int rc;

	if (!v && thread) {
		v = rjson_get(object, "runtime");
		if (v && !rjson_get(object, "phases"))
			rtapp_warn(
				p->app, v->key_line, v->key_col,
				"\"runtime\" of a thread without phases is an event and also gives "
				"a custom slice; \"runtime0\" is the event alone");
	}
	if (!v)
		return 0;
	rc = rtapp_int(p, v, 0, INT32_MAX, &s->slice_us);
	s->set_slice = !rc && s->slice_us;
	return rc;
}

int rtapp_read_sched(struct rtapp_parser *p, const struct rjson *object, bool thread,
		     struct rtapp_sched *s)
{
	const struct rjson *policy = rjson_get(object, "policy");
	const struct rjson *priority = rjson_get(object, "priority");
	int rc = 0;

	s->policy = p->app->policy;
	if (policy)
		rc = rtapp_read_policy(p, policy, &s->policy);
	else if (thread)
		policy = p->default_policy;
	if (!rc)
		rc = read_priority(p, priority, thread || policy, s);
	if (!rc)
		rc = read_slice(p, object, thread, s);
	if (!rc)
		rc = read_deadline(p, object, thread, s);
	if (!rc)
		rc = read_clamp(p, object, "util_min", &s->util_min);
	if (!rc)
		rc = read_clamp(p, object, "util_max", &s->util_max);
	if (!rc)
		rc = read_taskgroup(p, object, s);
	s->set_policy = policy;
	s->set_priority = priority;
	if (!rc && !thread && s->set_slice && !priority && s->policy != RTAPP_DEADLINE) {
		s->set_slice = false;
		rtapp_warn(
			p->app, object->key_line, object->key_col,
			"dl-runtime of phase \"%s\" is ignored: in a phase rt-app applies it only "
			"together with \"priority\"",
			object->key);
	}
	return rc;
}

int rtapp_read_list(struct rtapp_parser *p, const struct rjson *object, const char *key,
		    struct rtapp_list *list)
{
	const struct rjson *v = rjson_get(object, key);
	s64 id;
	int n = 0, rc;

	if (!v)
		return 0;
	if (v->type != RJSON_ARRAY)
		return rtapp_bad(p, v, "\"%s\" must be an array of integers, not %s", key,
				 rjson_type_name(v->type));
	for (const struct rjson *e = v->child; e; e = e->next)
		n++;
	if (!n)
		return rtapp_bad(p, v, "\"%s\" is empty", key);
	list->id = arena_array(p->app->arena, n, sizeof(int));
	if (!list->id)
		return -ENOMEM;
	list->number = p->app->nr_lists++;
	list->line = v->line;
	list->col = v->col;
	for (const struct rjson *e = v->child; e; e = e->next) {
		rc = rtapp_int(p, e, 0, INT32_MAX, &id);
		if (rc)
			return rc;
		list->id[list->nr++] = id;
	}
	return 0;
}
