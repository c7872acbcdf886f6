// SPDX-License-Identifier: BSD-2-Clause
/*
 * What threads and phases ask of the scheduler (spec 15 §4).
 */
#include <errno.h>
#include <string.h>

#include "workload/rtapp_parse.h"

static const struct {
	const char *name;
	bool realtime;
} policies[] = {
	[RTAPP_OTHER] = {"SCHED_OTHER", false}, [RTAPP_BATCH] = {"SCHED_BATCH", false},
	[RTAPP_IDLE] = {"SCHED_IDLE", false},	[RTAPP_FIFO] = {"SCHED_FIFO", true},
	[RTAPP_RR] = {"SCHED_RR", true},	[RTAPP_DEADLINE] = {"SCHED_DEADLINE", true},
};

int rtapp_read_policy(struct rtapp_parser *p, const struct rjson *v, enum rtapp_policy *policy)
{
	const char *name;
	int rc = rtapp_string(p, v, &name);

	if (rc)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(policies); i++)
		if (!strcmp(name, policies[i].name)) {
			*policy = i;
			return 0;
		}
	return rtapp_bad(p, v,
			 "\"%s\" is SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR "
			 "or SCHED_DEADLINE, not \"%s\"",
			 v->written, name);
}

static int refuse_realtime(struct rtapp_parser *p, const struct rjson *at, enum rtapp_policy policy)
{
	if (!policies[policy].realtime)
		return 0;
	return rtapp_fail(p, -ENOTSUP, at->line, at->col,
			  "realtime policies (%s) are not built yet; SCHED_OTHER, SCHED_BATCH and "
			  "SCHED_IDLE are",
			  policies[policy].name);
}

static int read_clamp(struct rtapp_parser *p, const struct rjson *object, const char *key)
{
	const struct rjson *v = rjson_get(object, key);
	s64 value = -1;
	int rc = v ? rtapp_int(p, v, -1, 1024, &value) : 0;

	if (rc || value == -1)
		return rc;
	return rtapp_fail(p, -ENOTSUP, v->line, v->col,
			  "utilisation clamps (%s) are not built yet; -1 leaves them alone", key);
}

static int read_taskgroup(struct rtapp_parser *p, const struct rjson *object)
{
	const struct rjson *v = rjson_get(object, "taskgroup");
	const char *name;
	int rc = v ? rtapp_string(p, v, &name) : 0;

	if (rc || !v || !*name || !strcmp(name, "/"))
		return rc;
	if (*name != '/')
		return rtapp_bad(p, v, "\"taskgroup\" must begin with \"/\", not \"%s\"", name);
	return rtapp_fail(p, -ENOTSUP, v->line, v->col,
			  "task groups (%s) are not built yet for rt-app files", name);
}

/* Parameters of deadline tasks mean nothing here but must be integers. */
static int read_deadline(struct rtapp_parser *p, const struct rjson *object, bool thread)
{
	static const char *const keys[] = {"dl-period", "dl-deadline", "period", "deadline"};
	int rc = 0;
	s64 us;

	for (int i = 0; i < (thread ? 4 : 2) && !rc; i++)
		rc = rtapp_int_member(p, object, keys[i], 0, INT32_MAX, &us);
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
	s64 nice = 0;
	int rc = 0;

	s->policy = p->app->policy;
	if (policy)
		rc = rtapp_read_policy(p, policy, &s->policy);
	else if (thread)
		policy = p->default_policy;
	if (!rc && policy)
		rc = refuse_realtime(p, policy, s->policy);
	if (!rc && priority)
		rc = rtapp_int(p, priority, -20, 19, &nice);
	if (!rc)
		rc = read_slice(p, object, thread, s);
	if (!rc)
		rc = read_deadline(p, object, thread);
	if (!rc)
		rc = read_clamp(p, object, "util_min");
	if (!rc)
		rc = read_clamp(p, object, "util_max");
	if (!rc)
		rc = read_taskgroup(p, object);
	s->set_policy = policy;
	s->set_nice = priority;
	s->nice = nice;
	if (!rc && !thread && s->set_slice && !priority) {
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
