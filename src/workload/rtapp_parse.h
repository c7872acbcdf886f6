/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rtapp_parse.h - between the files that read rt-app files.
 */
#ifndef IDLEST_WORKLOAD_RTAPP_PARSE_H
#define IDLEST_WORKLOAD_RTAPP_PARSE_H

#include "workload/rtapp.h"

struct rtapp_parser {
	struct rtapp *app;
	struct err *err;
	const char **task_name; /* of all tasks, before they are read */
	int nr_task_names;
	int task; /* index of the one being read */
	const struct rjson *default_policy;
};

/* Errors and warnings with "FILE:LINE:COLUMN: " in front. */
int rtapp_fail(struct rtapp_parser *p, int code, int line, int col, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
int rtapp_bad(struct rtapp_parser *p, const struct rjson *v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void rtapp_warn(struct rtapp *app, int line, int col, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Values of the right type. Return: 0 or -EINVAL. */
int rtapp_int(struct rtapp_parser *p, const struct rjson *v, s64 lo, s64 hi, s64 *value);
int rtapp_string(struct rtapp_parser *p, const struct rjson *v, const char **value);
int rtapp_bool(struct rtapp_parser *p, const struct rjson *v, bool *value);

/** rtapp_int_member() - member @key of @object, if there; @value stays else */
int rtapp_int_member(struct rtapp_parser *p, const struct rjson *object, const char *key, s64 lo,
		     s64 hi, s64 *value);

/** rtapp_is_object() - 0, or -EINVAL with a message if @v isn't one */
int rtapp_is_object(struct rtapp_parser *p, const struct rjson *v);
/**
 * rtapp_warn_ignored() - of the members of @object that mean nothing
 * @known, @also: keys that do (NULL at the end); @also may be NULL
 * @events: whether events do
 */
void rtapp_warn_ignored(struct rtapp_parser *p, const struct rjson *object,
			const char *const *known, const char *const *also, bool events);

/* Properties. @thread: of a thread, else of a phase. */
int rtapp_read_sched(struct rtapp_parser *p, const struct rjson *object, bool thread,
		     struct rtapp_sched *s);
int rtapp_read_list(struct rtapp_parser *p, const struct rjson *object, const char *key,
		    struct rtapp_list *list);
int rtapp_read_policy(struct rtapp_parser *p, const struct rjson *v, enum rtapp_policy *policy);
/** rtapp_read_global() - the section "global" */
int rtapp_read_global(struct rtapp_parser *p, const struct rjson *global);

/** rtapp_resource() - index of the resource, made if it's new; -ENOMEM */
int rtapp_resource(struct rtapp_parser *p, enum rtapp_resource_kind kind, int owner,
		   const char *name, const struct rjson *at);

/** rtapp_task_index() - of the task called @name, -1: none */
int rtapp_task_index(const struct rtapp_parser *p, const char *name);

/** rtapp_is_event() - is @key the name of an event (by prefix) */
bool rtapp_is_event(const char *key);
/** rtapp_events() - the events among the members of @object, in order */
int rtapp_events(struct rtapp_parser *p, const struct rjson *object, struct rtapp_event **first);

/** rtapp_check() - what can only be seen of the whole file */
int rtapp_check(struct rtapp_parser *p);

#endif
