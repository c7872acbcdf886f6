// SPDX-License-Identifier: BSD-2-Clause
/*
 * The section "global" of an rt-app file (spec 15 §2).
 */
#include <stdio.h>
#include <string.h>

#include "workload/rtapp_parse.h"

static const char *const global_keys[] = {
	"duration",  "calibration",	"default_policy",   "pi_enabled", "lock_pages",
	"logdir",    "log_basename",	"log_size",	    "ftrace",	  "gnuplot",
	"io_device", "mem_buffer_size", "cumulative_slack", NULL,
};

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

int rtapp_read_global(struct rtapp_parser *p, const struct rjson *global)
{
	const struct rjson *v;
	s64 duration = -1;
	int rc = rtapp_is_object(p, global);

	if (!rc)
		rc = rtapp_int_member(p, global, "duration", -1, 1000000, &duration);
	if (!rc)
		rc = rtapp_int_member(p, global, "mem_buffer_size", 1, INT32_MAX,
				      &p->app->mem_buffer_size);
	if (!rc && (v = rjson_get(global, "calibration")))
		rc = read_calibration(p, v);
	p->default_policy = rc ? NULL : rjson_get(global, "default_policy");
	if (p->default_policy)
		rc = rtapp_read_policy(p, p->default_policy, &p->app->policy);
	if (!rc)
		rc = check_global_types(p, global);
	if (!rc)
		rtapp_warn_ignored(p, global, global_keys, NULL, false);
	p->app->duration_s = duration;
	return rc;
}
