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

static int member_is_object(struct rtapp_parser *p, const struct rjson *v)
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

/* ---- properties of threads and phases ---- */

static const struct {
	const char *name;
	bool realtime;
} policies[] = {
	[RTAPP_OTHER] = {"SCHED_OTHER", false}, [RTAPP_BATCH] = {"SCHED_BATCH", false},
	[RTAPP_IDLE] = {"SCHED_IDLE", false},	[RTAPP_FIFO] = {"SCHED_FIFO", true},
	[RTAPP_RR] = {"SCHED_RR", true},	[RTAPP_DEADLINE] = {"SCHED_DEADLINE", true},
};

static int read_policy(struct rtapp_parser *p, const struct rjson *v, enum rtapp_policy *policy)
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

static int read_sched(struct rtapp_parser *p, const struct rjson *object, bool thread,
		      struct rtapp_sched *s)
{
	const struct rjson *policy = rjson_get(object, "policy");
	const struct rjson *priority = rjson_get(object, "priority");
	s64 nice = 0;
	int rc = 0;

	if (policy)
		rc = read_policy(p, policy, &s->policy);
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

static int read_list(struct rtapp_parser *p, const struct rjson *object, const char *key,
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

/* ---- tasks ---- */

static const char *const phase_keys[] = {
	"loop",	    "policy",	"priority", "dl-runtime",    "dl-period", "dl-deadline",
	"util_min", "util_max", "cpus",	    "nodes_membind", "taskgroup", NULL,
};

static const char *const thread_keys[] = {
	"instance", "delay", "phases", "runtime", "period", "deadline", NULL,
};

static const char *const global_keys[] = {
	"duration",  "calibration",	"default_policy",   "pi_enabled", "lock_pages",
	"logdir",    "log_basename",	"log_size",	    "ftrace",	  "gnuplot",
	"io_device", "mem_buffer_size", "cumulative_slack", NULL,
};

static bool in_list(const char *const *list, const char *key)
{
	for (; *list; list++)
		if (!strcmp(*list, key))
			return true;
	return false;
}

/* Keys that rt-app passes over without a word. */
static void warn_ignored(struct rtapp_parser *p, const struct rjson *object,
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

static int read_phase(struct rtapp_parser *p, const struct rjson *v, struct rtapp_phase *ph)
{
	s64 loop = 1;
	int rc = member_is_object(p, v);

	if (!rc)
		rc = rtapp_int_member(p, v, "loop", INT32_MIN, INT32_MAX, &loop);
	if (!rc)
		rc = read_sched(p, v, false, &ph->sched);
	if (!rc)
		rc = read_list(p, v, "cpus", &ph->cpus);
	if (!rc)
		rc = read_list(p, v, "nodes_membind", &ph->nodes);
	if (!rc)
		rc = rtapp_events(p, v, &ph->event);
	if (!rc)
		warn_ignored(p, v, phase_keys, NULL, true);
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
	}
	return ph;
}

static int read_phases(struct rtapp_parser *p, const struct rjson *phases, struct rtapp_task *t)
{
	struct rtapp_phase **last = &t->phase;
	int rc = member_is_object(p, phases);

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
	int rc = member_is_object(p, v);

	if (!rc)
		rc = rtapp_int_member(p, v, "instance", 0, MAX_THREADS, &instances);
	if (!rc)
		rc = rtapp_int_member(p, v, "loop", INT32_MIN, INT32_MAX, &loop);
	if (!rc)
		rc = rtapp_int_member(p, v, "delay", 0, INT32_MAX, &t->delay_us);
	if (!rc)
		rc = read_sched(p, v, true, &t->sched);
	if (!rc)
		rc = read_list(p, v, "cpus", &t->cpus);
	if (!rc)
		rc = read_list(p, v, "nodes_membind", &t->nodes);
	if (rc)
		return rc;
	t->instances = instances;
	t->loop = loop;
	if (!t->sched.set_policy)
		t->sched.policy = p->app->policy;
	rc = phases ? read_phases(p, phases, t) : single_phase(p, v, t);
	if (!rc)
		warn_ignored(p, v, phase_keys, thread_keys, !phases);
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

static int read_tasks(struct rtapp_parser *p, const struct rjson *top,
		      const struct rjson *default_policy)
{
	const struct rjson *tasks = rjson_get(top, "tasks");
	int rc;

	if (!tasks)
		return rtapp_bad(p, top,
				 "the file has no \"tasks\": it isn't a complete rt-app "
				 "workload");
	rc = member_is_object(p, tasks);
	if (!rc)
		rc = name_tasks(p, tasks);
	for (const struct rjson *m = rc ? NULL : tasks->child; m && !rc; m = m->next, p->task++) {
		struct rtapp_task *t = &p->app->task[p->task];

		rc = read_task(p, m, t);
		if (!rc && !t->sched.set_policy && default_policy)
			rc = refuse_realtime(p, default_policy, t->sched.policy);
		t->first_index = p->app->nr_threads;
		p->app->nr_threads += t->instances;
		if (!rc && p->app->nr_threads > MAX_THREADS)
			rc = rtapp_fail(p, -EINVAL, t->line, t->col, "more than %d threads",
					MAX_THREADS);
	}
	return rc;
}

/* ---- global ---- */

static int read_calibration(struct rtapp_parser *p, const struct rjson *v)
{
	s64 number;
	int rc, end = 0;

	if (v->type == RJSON_STRING) {
		if (sscanf(v->string, "CPU%9d%n", &p->app->calibration_cpu, &end) == 1 &&
		    end == (int)strlen(v->string) && p->app->calibration_cpu >= 0)
			return 0;
		return rtapp_bad(p, v,
				 "\"calibration\" is \"CPU\" and a number or an integer "
				 "(ns per loop), not \"%s\"",
				 v->string);
	}
	rc = rtapp_int(p, v, 1, INT32_MAX, &number);
	p->app->calibration_ns = rc ? 0 : number;
	return rc;
}

static int read_ftrace(struct rtapp_parser *p, const struct rjson *v)
{
	static const char *const names[] = {"main", "task", "loop", "event", "stats", "none"};
	const char *text;
	int rc;

	if (v->type == RJSON_BOOL) /* deprecated: all or none */
		return 0;
	rc = rtapp_string(p, v, &text);
	while (!rc && *text) {
		size_t n = strcspn(text, ","), i;

		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (strlen(names[i]) == n && !strncasecmp(text, names[i], n))
				break;
		if (i == ARRAY_SIZE(names))
			return rtapp_bad(p, v,
					 "\"ftrace\" lists main, task, loop, event, stats, or "
					 "is none; rt-app refuses \"%.*s\"",
					 (int)n, text);
		text += n + (text[n] == ',');
	}
	return rc;
}

static int read_log_size(struct rtapp_parser *p, const struct rjson *v)
{
	s64 mb;

	if (v->type == RJSON_STRING && (!strcmp(v->string, "file") || !strcmp(v->string, "auto") ||
					!strcmp(v->string, "disable")))
		return 0;
	if (v->type == RJSON_STRING)
		return rtapp_bad(p, v,
				 "\"log_size\" is an integer (MB), \"file\", \"auto\" or "
				 "\"disable\", not \"%s\"",
				 v->string);
	return rtapp_int(p, v, 0, INT32_MAX, &mb);
}

/* What is written but changes nothing that a scheduler sees. */
static int check_global_types(struct rtapp_parser *p, const struct rjson *global)
{
	static const char *const bools[] = {"lock_pages", "gnuplot", "cumulative_slack"};
	static const char *const strings[] = {"logdir", "log_basename", "io_device"};
	const struct rjson *v;
	const char *text;
	bool on = false;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(bools) && !rc; i++)
		if ((v = rjson_get(global, bools[i])))
			rc = rtapp_bool(p, v, &on);
	for (size_t i = 0; i < ARRAY_SIZE(strings) && !rc; i++)
		if ((v = rjson_get(global, strings[i])))
			rc = rtapp_string(p, v, &text);
	if (!rc && (v = rjson_get(global, "ftrace")))
		rc = read_ftrace(p, v);
	if (!rc && (v = rjson_get(global, "log_size")))
		rc = read_log_size(p, v);
	on = false;
	if (!rc && (v = rjson_get(global, "pi_enabled")))
		rc = rtapp_bool(p, v, &on);
	if (!rc && on)
		rtapp_warn(p->app, v->line, v->col,
			   "priority inheritance of mutexes has no effect");
	return rc;
}

static int read_global(struct rtapp_parser *p, const struct rjson *global)
{
	const struct rjson *v;
	s64 duration = -1;
	int rc = member_is_object(p, global);

	if (!rc)
		rc = rtapp_int_member(p, global, "duration", -1, 1000000, &duration);
	if (!rc)
		rc = rtapp_int_member(p, global, "mem_buffer_size", 1, INT32_MAX,
				      &p->app->mem_buffer_size);
	if (!rc && (v = rjson_get(global, "calibration")))
		rc = read_calibration(p, v);
	if (!rc && (v = rjson_get(global, "default_policy")))
		rc = read_policy(p, v, &p->app->policy);
	if (!rc)
		rc = check_global_types(p, global);
	if (!rc)
		warn_ignored(p, global, global_keys, NULL, false);
	p->app->duration_s = duration;
	return rc;
}

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
		rc = read_global(p, global);
	if (!rc && resources)
		rc = read_resources(p, resources);
	if (!rc)
		rc = read_tasks(p, top, global ? rjson_get(global, "default_policy") : NULL);
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
